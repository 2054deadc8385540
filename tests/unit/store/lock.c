/* SPDX-License-Identifier: Apache-2.0
 *
 * The lock of a container: one holder, a wait with an end, free again with its holder's
 * end; and of many who reserve one id exactly one gets it.
 */
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "tests/unit/store/fixture.h"

#define RACERS 16
#define ROUNDS 20

static void one_holder(struct store_fixture *f)
{
	auto_fd int held = -1;
	struct timespec begin, end;
	struct sl_err err;
	int fd = -1;

	CHECK(store_reserve(f->root_fd, "c1", &held, &err) == 0);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	CHECK_ERR_CONTAINS(
		store_open_locked(f->root_fd, "c1", 50, &fd, &err), err, "lock the state");
	clock_gettime(CLOCK_MONOTONIC, &end);
	CHECK(err.code == ETIMEDOUT && fd == -1);
	CHECK((end.tv_sec - begin.tv_sec) * 1000 + (end.tv_nsec - begin.tv_nsec) / 1000000 >= 49);
	/* Readers take no lock. */
	CHECK(store_open(f->root_fd, "c1", &fd, &err) == 0);
	drop_fd(&fd);
	drop_fd(&held);
	CHECK(store_open_locked(f->root_fd, "c1", 0, &fd, &err) == 0);
	drop_fd(&fd);
	CHECK(store_remove(f->root_fd, "c1", &err) == 0);
}

/* Whoever is killed while it holds the lock gives it back. */
static void holder_killed(struct store_fixture *f)
{
	struct sl_err err;
	int fd = -1, ready[2];
	char c;
	pid_t pid;

	CHECK(mkdirat(f->root_fd, "c2", 0700) == 0 && pipe(ready) == 0);
	pid = fork();
	if (pid == 0) {
		int held;

		if (store_open_locked(f->root_fd, "c2", 0, &held, &err) < 0)
			_exit(1);
		if (write(ready[1], "x", 1) == 1)
			pause();
		_exit(0);
	}
	CHECK(read(ready[0], &c, 1) == 1);
	CHECK(store_open_locked(f->root_fd, "c2", 0, &fd, &err) < 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	CHECK(store_open_locked(f->root_fd, "c2", 0, &fd, &err) == 0);
	close(fd);
	close(ready[0]);
	close(ready[1]);
	CHECK(store_remove(f->root_fd, "c2", &err) == 0);
}

/* The container was removed while somebody waited for it: it does not exist. */
static void removed_meanwhile(struct store_fixture *f)
{
	auto_fd int held = -1;
	struct sl_err err;
	int status, fd;
	pid_t pid;

	CHECK(store_reserve(f->root_fd, "c3", &held, &err) == 0);
	pid = fork();
	if (pid == 0) {
		close(held);
		_exit(store_open_locked(f->root_fd, "c3", 5000, &fd, &err) < 0 && err.code == ENOENT
				? 7
				: 1);
	}
	usleep(50000);
	CHECK(store_remove(f->root_fd, "c3", &err) == 0);
	drop_fd(&held);
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

static void reserve_race(struct store_fixture *f)
{
	for (int round = 0; round < ROUNDS; round++) {
		int won = 0, lost = 0, gate[2];
		struct sl_err err;

		CHECK(pipe(gate) == 0);
		for (int i = 0; i < RACERS; i++) {
			if (fork() == 0) {
				int fd;
				char c;

				close(gate[1]);
				if (read(gate[0], &c, 1) != 0)
					_exit(3);
				if (store_reserve(f->root_fd, "race", &fd, &err) == 0)
					_exit(0);
				_exit(strstr(err.msg, "already exists") ? 1 : 2);
			}
		}
		close(gate[0]);
		close(gate[1]);
		for (int i = 0; i < RACERS; i++) {
			int status = -1;

			wait(&status);
			won += status == 0;
			lost += WIFEXITED(status) && WEXITSTATUS(status) == 1;
		}
		CHECK(won == 1 && lost == RACERS - 1);
		CHECK(store_remove(f->root_fd, "race", &err) == 0);
	}
}

int main(void)
{
	struct store_fixture f;

	store_fixture_open(&f);
	one_holder(&f);
	holder_killed(&f);
	removed_meanwhile(&f);
	reserve_race(&f);
	store_fixture_close(&f);
	return check_done();
}
