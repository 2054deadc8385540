/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of needs (runtime/confine/needs.h) is complete: a process with everything that a
 * description can ask for is forked and brought to its execve under a filter that kills at
 * every call that is not on it. And every entry counts: a profile without it does not do.
 */
#include "runtime/confine/needs.h"

#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/init/proto.h"
#include "runtime/init/spawn.h"
#include "runtime/plan/process.h"
#include "runtime/seccomp/syscalls.h"
#include "tests/unit/check.h"

#define MAX_NEEDS 128
#define MANY_ENV  20000 /* pointers that malloc maps */

/* The argument that says what such a call is about, -1: the number says it. */
static int selector(int nr)
{
	switch (nr) {
	case SYS_prctl:
	case SYS_clone: return 0;
	case SYS_fcntl:
	case SYS_ioctl: return 1;
	default: return -1;
	}
}

/* Allows the list but for one entry (-1: all of it), and kills at the rest. */
static void allow(struct arena *a, int but, struct profile *ret)
{
	static struct spec_seccomp_rule rules[MAX_NEEDS];
	static struct spec_seccomp_arg args[MAX_NEEDS];
	static char *names[MAX_NEEDS];
	struct spec_seccomp s = {
		.set = true,
		.default_action = (char *)"SCMP_ACT_KILL_PROCESS",
		.rules = rules,
	};
	struct sl_err err;

	for (size_t i = 0; i < confine_n_needs; i++) {
		const struct confine_need *need = &confine_needs[i];
		const struct confine_need *left_out = but < 0 ? NULL : &confine_needs[but];
		const int at = selector(need->nr);
		struct spec_seccomp_rule *rule = &rules[s.n_rules];

		if (left_out && left_out->nr == need->nr &&
			(at < 0 || left_out->args[at] == need->args[at]))
			continue;
		names[i] = (char *)syscall_row(need->nr)->name;
		*rule = (struct spec_seccomp_rule){ .names = &names[i],
			.n_names = 1,
			.action = (char *)"SCMP_ACT_ALLOW",
			.args = &args[i],
			.n_args = at >= 0 };
		if (at >= 0)
			args[i] = (struct spec_seccomp_arg){ .index = (unsigned int)at,
				.value = need->args[at],
				.op = SPEC_SECCOMP_EQ };
		s.n_rules++;
	}
	CHECK(profile_compile(a, &s, ret, &err) == 0);
}

static void every_entry_counts(struct arena *a)
{
	struct profile p;

	if (!CHECK(confine_n_needs <= MAX_NEEDS))
		return;
	allow(a, -1, &p);
	CHECK(needs_first_refused(&p) == NULL);
	for (size_t i = 0; i < confine_n_needs; i++) {
		const struct confine_need *found;

		allow(a, (int)i, &p);
		found = needs_first_refused(&p);
		CHECK(found && found->nr == confine_needs[i].nr);
	}
}

static void only_allow_and_log(struct arena *a)
{
	static const struct {
		const char *action;
		bool passes;
	} actions[] = { { "SCMP_ACT_ALLOW", true }, { "SCMP_ACT_LOG", true },
		{ "SCMP_ACT_ERRNO", false }, { "SCMP_ACT_TRAP", false },
		{ "SCMP_ACT_TRACE", false }, { "SCMP_ACT_KILL", false } };

	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		const struct spec_seccomp s = { .set = true,
			.default_action = (char *)actions[i].action };
		struct profile p;
		struct sl_err err;

		CHECK(profile_compile(a, &s, &p, &err) == 0);
		CHECK(!needs_first_refused(&p) == actions[i].passes);
	}
}

static char file[] = "/tmp/sandlock-needs-XXXXXX";

/* The program is an empty file: its execve fails, and that comes home. */
static int describe(size_t n_env, bool terminal)
{
	static char *env[MANY_ENV], *args[] = { file, NULL };
	static uint32_t groups[] = { 5, 6 };
	const uint64_t ambient = 1ULL << 10;
	const struct spec_caps caps = { .set = true,
		.bounding = ambient,
		.permitted = ambient,
		.effective = ambient,
		.inheritable = ambient,
		.ambient = ambient };
	const struct plan_process_extra extra = { .caps = &caps };
	const struct spec_process p = { .args = args,
		.n_args = 1,
		.env = env,
		.n_env = n_env,
		.cwd = (char *)"/tmp",
		.uid = 1000,
		.gid = 1000,
		.no_new_privileges = true,
		.terminal = terminal,
		.additional_gids = groups,
		.n_additional_gids = 2 };
	struct sl_err err;
	int fd = -1;

	for (size_t i = 0; i < n_env; i++)
		env[i] = (char *)"A=1";
	CHECK(plan_process_pack(&p, &extra, &fd, &err) == 0);
	return fd;
}

struct job {
	const struct profile *profile;
	const int *fds;
	sem_t ready, go, done;
	pid_t pid;
};

/* As init's second thread. */
static void *spawner(void *arg)
{
	struct job *job = arg;
	struct sock_fprog prog = { .len = (unsigned short)job->profile->n,
		.filter = job->profile->insns };
	struct sl_err err;

	if (syscall(SYS_seccomp, 1 /* SET_MODE_FILTER */, 0, &prog) == 0) {
		sem_post(&job->ready);
		sem_wait(&job->go);
		(void)spawn_fork(job->fds, SPAWN_FDS, true, true, &job->pid, &err);
	}
	close(job->fds[SPAWN_FD_STDERR]);
	sem_post(&job->done);
	sem_wait(&job->go);
	return NULL;
}

/* As its leader. */
static pid_t have_spawned(struct job *job)
{
	pthread_t t;

	sem_init(&job->ready, 0, 0);
	sem_init(&job->go, 0, 0);
	sem_init(&job->done, 0, 0);
	pthread_create(&t, NULL, spawner, job);
	sem_wait(&job->ready);
	usleep(10000); /* so that it waits */
	sem_post(&job->go);
	sem_wait(&job->done);
	return job->pid;
}

static pid_t spawn_under(const struct profile *p, const int *fds)
{
	int answer[2], status;
	pid_t pid = -1, init;

	CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, answer) == 0);
	init = fork();
	if (init == 0) {
		struct job job = { .profile = p, .fds = fds, .pid = -1 };

		prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L);
		pid = have_spawned(&job);
		send(answer[1], &pid, sizeof(pid), MSG_NOSIGNAL);
		_exit(0);
	}
	close(answer[1]);
	CHECK(recv(answer[0], &pid, sizeof(pid), 0) == sizeof(pid) && pid > 0);
	close(answer[0]);
	CHECK(waitpid(init, &status, 0) == init && WIFEXITED(status));
	return pid;
}

static enum sync_type hear(int fd, struct sync_msg *m)
{
	return recv(fd, m, sizeof(*m), 0) == (ssize_t)sizeof(*m) ? m->type : 0;
}

static void reaches_its_execve(struct arena *a, size_t n_env, bool terminal)
{
	auto_fd int master_fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	struct sync_msg m, go = { .type = SYNC_GO };
	int fds[SPAWN_FDS], sync[2], status;
	struct profile p;
	pid_t pid;

	allow(a, -1, &p);
	unlockpt(master_fd);
	CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sync) == 0);
	fds[SPAWN_FD_BLOB] = describe(n_env, terminal);
	fds[SPAWN_FD_SYNC] = sync[1];
	fds[SPAWN_FD_STDIN] = open(ptsname(master_fd), O_RDWR | O_NOCTTY | O_CLOEXEC);
	fds[SPAWN_FD_STDOUT] = memfd_create("out", MFD_CLOEXEC);
	fds[SPAWN_FD_STDERR] = memfd_create("err", MFD_CLOEXEC);
	pid = spawn_under(&p, fds);
	for (size_t i = 0; i < SPAWN_FDS; i++)
		close(fds[i]);
	CHECK(hear(sync[0], &m) == SYNC_SETUP);
	CHECK(send(sync[0], &go, sizeof(go), MSG_NOSIGNAL) > 0);
	CHECK(hear(sync[0], &m) == SYNC_PARKED);
	CHECK(send(sync[0], &go, sizeof(go), MSG_NOSIGNAL) > 0);
	if (CHECK(hear(sync[0], &m) == SYNC_FAILED))
		CHECK_CONTAINS(m.err.msg, "exec format error");
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 127);
	close(sync[0]);
}

int main(void)
{
	auto_arena struct arena *a = arena_new();
	int fd = mkstemp(file);

	CHECK(fd >= 0 && fchmod(fd, 0755) == 0 && close(fd) == 0);
	CHECK(prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L) == 0);
	every_entry_counts(a);
	only_allow_and_log(a);
	reaches_its_execve(a, 0, false);
	reaches_its_execve(a, MANY_ENV, true);
	unlink(file);
	return check_done();
}
