/* SPDX-License-Identifier: Apache-2.0
 *
 * What a running supervisor does by itself when there is no memory at all: nobody is taken for one
 * of the own pod, a state that cannot be written is an error with words, and it goes on.
 */
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/supervisor/internal.h"
#include "tests/unit/store/fixture.h"

enum { FINE, ROOM, FOUND, WRITTEN, OPENED };

static void count(int dir_fd, void *arg)
{
	(void)dir_fd;
	++*(int *)arg;
}

static struct record record(void)
{
	static const struct key_value kv = { "io.kubernetes.cri.sandbox-id", "pod" };

	return (struct record){
		.oci_version = "1.0.2",
		.id = "one",
		.bundle = "/b",
		.rootfs = "/r",
		.ipc = "",
		.status = RECORD_RUNNING,
		.annotations = &kv,
		.n_annotations = 1,
	};
}

static void use_up_memory(void)
{
	const struct rlimit none = { 1, 1 };
	size_t size = (size_t)1 << 20;

	if (setrlimit(RLIMIT_AS, &none) < 0 ||
		mmap(NULL, 65536, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
		_exit(ROOM);
	/* What the C library still has. */
	while (size >= 16)
		if (!malloc(size))
			size /= 2;
}

static int without_memory(int root_fd, int dir_fd)
{
	static struct supervisor s;
	int pair[2], n = 0;
	struct sl_err err = { 0 };

	s.dir_fd = dir_fd;
	s.record = record();
	s.siblings = (struct siblings){ .root_fd = root_fd, .id = "me", .pod = "pod" };
	if (loop_open(&s.loop) < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) < 0)
		return ROOM;
	use_up_memory();
	siblings_each(&s.siblings, count, &n);
	if (n != 0)
		return FOUND;
	if (supervisor_write_status(&s, RECORD_PAUSED, &err) == 0 || err.code != ENOMEM)
		return WRITTEN;
	return session_open(&s, &pair[0], NULL) || pair[0] < 0 ? OPENED : FINE;
}

int main(void)
{
	const struct record r = record();
	struct siblings s = { .id = "me", .pod = "pod" };
	auto_arena struct arena *a = arena_new();
	auto_fd int dir_fd = -1;
	struct store_fixture f;
	struct sl_err err;
	int status = -1, n = 0;
	pid_t pid;

	store_fixture_open(&f);
	s.root_fd = f.root_fd;
	CHECK(store_reserve(f.root_fd, "one", &dir_fd, &err) == 0 &&
		record_write(a, dir_fd, &r, &err) == 0);
	siblings_each(&s, count, &n); /* the control */
	CHECK(n == 1);
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		_exit(without_memory(f.root_fd, dir_fd));
	CHECK(waitpid(pid, &status, 0) == pid);
	if (!CHECK(status == 0))
		printf("# status %x\n", (unsigned int)status);
	CHECK(store_remove(f.root_fd, "one", &err) == 0);
	store_fixture_close(&f);
	return check_done();
}
