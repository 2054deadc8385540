/* SPDX-License-Identifier: Apache-2.0
 *
 * What the attacks aim at: an ordinary host process of uid 0 with fewer capabilities than a
 * container has (so that nothing but a sandbox keeps another root away from it), with a secret in
 * memory, an open file, sockets of every kind, System V and POSIX IPC, and a herd of prey processes
 * to be signalled. `victim DIR COUNT` writes DIR/targets (name=value lines and one prey=PID:TID per
 * prey), counts everything that reaches its sockets in DIR/counts, and on SIGTERM takes all of it
 * away again. `victim snapshot PID…` prints what could have been changed about those processes.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/sched.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#define STRANGER_UID 54321

enum { STREAM_PATH, STREAM_ABSTRACT, DGRAM_ABSTRACT, TCP4, TCP6, UDP4, N_SOCKETS };
static const char *const SOCKET_NAMES[N_SOCKETS] = {
	"unix",
	"abstract_stream",
	"abstract_dgram",
	"tcp4",
	"tcp6",
	"udp4",
};

struct victim {
	const char *dir;
	char secret[16];
	int sockets[N_SOCKETS];
	long counts[N_SOCKETS];
	int shm, msg, sem;
	char mq[32];
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* CAP_KILL stays: without it the parent-death signal does not reach the stranger. */
static void drop_capabilities(void)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct sets[2] = { 0 };

	sets[0].effective = sets[0].permitted = 1U << CAP_KILL;
	if (syscall(SYS_capset, &head, sets) < 0)
		die("capset");
}

static void *idle(void *arg)
{
	*(int *)arg = gettid();
	for (;;)
		pause();
	return NULL;
}

/* A leader and a second thread, in a process group of their own. */
static void make_prey(FILE *targets, const char *name, uid_t uid)
{
	int pair[2], ids[2] = { 0, 0 };

	if (pipe(pair) < 0)
		die("pipe");
	if (fork() == 0) {
		volatile int tid = 0;
		pthread_t thread;

		signal(SIGUSR1, SIG_IGN);
		setpgid(0, 0);
		if (setresuid(uid, uid, uid) < 0)
			_exit(1);
		/* A change of user takes both away. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_DUMPABLE, 1);
		if (pthread_create(&thread, NULL, idle, (void *)(long)&tid) != 0)
			_exit(1);
		while (tid == 0)
			usleep(100);
		ids[0] = getpid();
		ids[1] = tid;
		if (write(pair[1], ids, sizeof(ids)) != sizeof(ids))
			_exit(1);
		close(pair[1]);
		for (;;)
			pause();
	}
	close(pair[1]);
	if (read(pair[0], ids, sizeof(ids)) != sizeof(ids))
		die("prey");
	close(pair[0]);
	fprintf(targets, "%s=%d:%d\n", name, ids[0], ids[1]);
}

static int listener(int family, int type, const struct sockaddr *addr, socklen_t len)
{
	int fd = socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 8;

	if (fd < 0 || bind(fd, addr, len) < 0)
		return -1;
	if (family != AF_UNIX && type == SOCK_STREAM)
		setsockopt(fd, IPPROTO_TCP, TCP_FASTOPEN, &on, sizeof(on));
	if (type == SOCK_STREAM && listen(fd, 64) < 0)
		return -1;
	return fd;
}

static int listener_unix(int type, const char *path, const char *abstract)
{
	struct sockaddr_un sun = { .sun_family = AF_UNIX };
	size_t n = path ? strlen(path) : strlen(abstract) + 1;

	memcpy(sun.sun_path + (path ? 0 : 1), path ? path : abstract, path ? n : n - 1);
	return listener(AF_UNIX, type, (struct sockaddr *)&sun,
		(socklen_t)(offsetof(struct sockaddr_un, sun_path) + n));
}

static int port_of(int fd)
{
	struct sockaddr_in6 sa;
	socklen_t len = sizeof(sa);

	if (getsockname(fd, (struct sockaddr *)&sa, &len) < 0)
		return -1;
	return ntohs(sa.sin6_port); /* the port is at the same place in both families */
}

static void make_sockets(struct victim *v, FILE *targets)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	char path[108], name[64];

	snprintf(path, sizeof(path), "%s/host.sock", v->dir);
	snprintf(name, sizeof(name), "escape-%d", getpid());
	unlink(path);
	v->sockets[STREAM_PATH] = listener_unix(SOCK_STREAM, path, NULL);
	v->sockets[STREAM_ABSTRACT] = listener_unix(SOCK_STREAM, NULL, name);
	fprintf(targets, "unix=%s\nabstract_stream=%s\n", path, name);
	strcat(name, "-d");
	v->sockets[DGRAM_ABSTRACT] = listener_unix(SOCK_DGRAM, NULL, name);
	fprintf(targets, "abstract_dgram=%s\n", name);
	v->sockets[TCP4] = listener(AF_INET, SOCK_STREAM, (struct sockaddr *)&v4, sizeof(v4));
	v->sockets[TCP6] = listener(AF_INET6, SOCK_STREAM, (struct sockaddr *)&v6, sizeof(v6));
	v->sockets[UDP4] = listener(AF_INET, SOCK_DGRAM, (struct sockaddr *)&v4, sizeof(v4));
	for (int i = 0; i < N_SOCKETS; i++)
		if (v->sockets[i] < 0)
			die(SOCKET_NAMES[i]);
	fprintf(targets, "tcp4=%d\ntcp6=%d\nudp4=%d\n", port_of(v->sockets[TCP4]),
		port_of(v->sockets[TCP6]), port_of(v->sockets[UDP4]));
}

static void make_ipc(struct victim *v, FILE *targets)
{
	key_t key = 0x5a000000 | getpid();
	struct mq_attr small = { .mq_maxmsg = 2, .mq_msgsize = 16 };
	mqd_t mq;

	v->shm = shmget(key, 4096, IPC_CREAT | IPC_EXCL | 0600);
	v->msg = msgget(key, IPC_CREAT | IPC_EXCL | 0600);
	v->sem = semget(key, 1, IPC_CREAT | IPC_EXCL | 0600);
	snprintf(v->mq, sizeof(v->mq), "/escape-%d", getpid());
	mq = mq_open(v->mq, O_CREAT | O_EXCL | O_RDWR, 0600, &small);
	if (v->shm < 0 || v->msg < 0 || v->sem < 0 || mq < 0)
		die("ipc");
	/* The call itself takes the name without the slash that the library wants. */
	fprintf(targets, "key=%d\nshm=%d\nmq=%s\n", key, v->shm, v->mq + 1);
}

static void make_file(const struct victim *v, FILE *targets)
{
	/* struct file_handle with room for its bytes. */
	struct {
		unsigned int n_bytes;
		int type;
		unsigned char bytes[128];
	} handle = {
		.n_bytes = 128,
	};
	char path[4096];
	int fd, mount_id;

	snprintf(path, sizeof(path), "%s/canary", v->dir);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	if (fd < 0 || write(fd, "host-secret\n", 12) != 12)
		die(path);
	fprintf(targets, "canary=%s\nvictim_fd=%d\ndir=%s\n", path, fd, v->dir);
	if (syscall(SYS_name_to_handle_at, AT_FDCWD, v->dir, &handle, &mount_id, 0) < 0)
		die("name_to_handle_at");
	fprintf(targets, "handle=%d:", handle.type);
	for (unsigned int i = 0; i < handle.n_bytes; i++)
		fprintf(targets, "%02x", handle.bytes[i]);
	fprintf(targets, "\n");
}

static void write_counts(const struct victim *v)
{
	char path[4096], temporary[4096 + 8];
	FILE *f;

	snprintf(path, sizeof(path), "%s/counts", v->dir);
	snprintf(temporary, sizeof(temporary), "%s.new", path);
	f = fopen(temporary, "we");
	if (!f)
		die(temporary);
	for (int i = 0; i < N_SOCKETS; i++)
		fprintf(f, "%s=%ld\n", SOCKET_NAMES[i], v->counts[i]);
	fclose(f);
	if (rename(temporary, path) < 0)
		die(path);
}

static void serve(struct victim *v, int signal_fd)
{
	struct pollfd p[N_SOCKETS + 1];

	for (int i = 0; i < N_SOCKETS; i++)
		p[i] = (struct pollfd){ .fd = v->sockets[i], .events = POLLIN };
	p[N_SOCKETS] = (struct pollfd){ .fd = signal_fd, .events = POLLIN };
	for (;;) {
		write_counts(v);
		if (poll(p, N_SOCKETS + 1, -1) < 0 && errno != EINTR)
			die("poll");
		if (p[N_SOCKETS].revents)
			return;
		for (int i = 0; i < N_SOCKETS; i++) {
			char byte;
			int fd;

			if (!p[i].revents)
				continue;
			v->counts[i]++;
			if (recv(v->sockets[i], &byte, 1, 0) >= 0)
				continue;
			fd = accept(v->sockets[i], NULL, NULL);
			if (fd >= 0)
				close(fd);
		}
	}
}

static int run(const char *dir, int n_prey)
{
	struct victim v = { .dir = dir, .secret = "host-secret" };
	char path[4096], final[4096];
	sigset_t ends;
	int signal_fd;
	FILE *f;

	snprintf(path, sizeof(path), "%s/targets.new", dir);
	snprintf(final, sizeof(final), "%s/targets", dir);
	f = fopen(path, "we");
	if (!f)
		die(path);
	signal(SIGCHLD, SIG_IGN);
	signal(SIGUSR1, SIG_IGN);
	make_file(&v, f);
	make_sockets(&v, f);
	make_ipc(&v, f);
	fflush(f);
	make_prey(f, "stranger", STRANGER_UID);
	drop_capabilities();
	for (int i = 0; i < n_prey; i++) {
		fflush(f); /* or each child would write it again */
		make_prey(f, "prey", 0);
	}
	fprintf(f, "victim=%d\nsecret=%p\n", getpid(), (void *)v.secret);
	if (fclose(f) != 0 || rename(path, final) < 0)
		die(final);
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	signal_fd = signalfd(-1, &ends, SFD_CLOEXEC);
	serve(&v, signal_fd);
	shmctl(v.shm, IPC_RMID, NULL);
	msgctl(v.msg, IPC_RMID, NULL);
	semctl(v.sem, 0, IPC_RMID);
	mq_unlink(v.mq);
	return 0; /* the prey follows by its parent-death signal */
}

static void snapshot(pid_t pid)
{
	cpu_set_t cpus;
	struct rlimit nofile = { 0, 0 };

	CPU_ZERO(&cpus);
	errno = 0;
	sched_getaffinity(pid, sizeof(cpus), &cpus);
	prlimit(pid, RLIMIT_NOFILE, NULL, &nofile);
	printf("%d alive=%d nice=%d policy=%d cpus=%d ioprio=%ld nofile=%lu:%lu\n", pid,
		kill(pid, 0) == 0, getpriority(PRIO_PROCESS, (id_t)pid), sched_getscheduler(pid),
		CPU_COUNT(&cpus), syscall(SYS_ioprio_get, 1, pid), (unsigned long)nofile.rlim_cur,
		(unsigned long)nofile.rlim_max);
}

int main(int argc, char **argv)
{
	if (argc >= 2 && strcmp(argv[1], "snapshot") == 0) {
		for (int i = 2; i < argc; i++)
			snapshot((pid_t)atoi(argv[i]));
		return 0;
	}
	if (argc != 3) {
		fprintf(stderr, "usage: victim DIR COUNT | victim snapshot PID…\n");
		return 2;
	}
	return run(argv[1], atoi(argv[2]));
}
