/* SPDX-License-Identifier: Apache-2.0
 *
 * System V objects and POSIX queues by command line: one call, one answer, which is a number,
 * "ok" or the name of an error.
 *
 *   get KIND KEY SIZE FLAGS     KIND: shm sem msg; KEY and FLAGS as strtol(3) reads them
 *   write ID TEXT, read ID      into a segment, from it
 *   hold ID SECONDS             stays attached
 *   semop ID N, semval ID       N is added; waits where it has to
 *   send ID TEXT, receive ID    a message; waits for it
 *   rm KIND ID, set KIND ID UID
 *   stat KIND ID, at KIND INDEX, any KIND INDEX: "key size creator"
 *   used KIND                   how many the system has
 *   mq-send NAME FLAGS MODE TEXT, mq-receive NAME, mq-open NAME FLAGS MODE, mq-unlink NAME
 *   mq-many PREFIX N            how many of N could be made
 *   many KIND N                 likewise, each removed again when N is negative
 *   bench ID N                  nanoseconds of a semop
 */
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

union data {
	struct shmid_ds shm;
	struct semid_ds sem;
	struct msqid_ds msg;
	struct shminfo shminfo;
	struct shm_info shm_info;
	struct seminfo seminfo;
	struct msginfo msginfo;
};

struct message {
	long type;
	char text[256];
};

static int fail(void)
{
	puts(strerrorname_np(errno));
	return 0;
}

static int result(long r)
{
	if (r < 0)
		return fail();
	puts("ok");
	return 0;
}

static int number(long n)
{
	if (n < 0)
		return fail();
	printf("%ld\n", n);
	return 0;
}

static long num(const char *text)
{
	return strtol(text, NULL, 0);
}

static long get(const char *kind, long key, long size, long flags)
{
	if (strcmp(kind, "shm") == 0)
		return syscall(SYS_shmget, key, size, flags);
	if (strcmp(kind, "sem") == 0)
		return syscall(SYS_semget, key, size, flags);
	return syscall(SYS_msgget, key, flags);
}

/* cmds: the commands of shm, sem and msg, in this order. */
static long control(const char *kind, long id, const int cmds[3], union data *d)
{
	if (strcmp(kind, "shm") == 0)
		return syscall(SYS_shmctl, id, cmds[0], d);
	if (strcmp(kind, "sem") == 0)
		return syscall(SYS_semctl, id, 0, cmds[1], d);
	return syscall(SYS_msgctl, id, cmds[2], d);
}

static int stat_by(const char *kind, long id, const int cmds[3])
{
	union data d;

	if (control(kind, id, cmds, &d) < 0)
		return fail();
	if (strcmp(kind, "shm") == 0)
		printf("%d %zu %d\n", d.shm.shm_perm.__key, d.shm.shm_segsz, d.shm.shm_cpid);
	else if (strcmp(kind, "sem") == 0)
		printf("%d %lu 0\n", d.sem.sem_perm.__key, (unsigned long)d.sem.sem_nsems);
	else
		printf("%d %lu 0\n", d.msg.msg_perm.__key, (unsigned long)d.msg.msg_qnum);
	return 0;
}

static int used(const char *kind)
{
	static const int cmds[3] = { SHM_INFO, SEM_INFO, MSG_INFO };
	union data d;

	if (control(kind, 0, cmds, &d) < 0)
		return fail();
	if (strcmp(kind, "shm") == 0)
		return number(d.shm_info.used_ids);
	return number(strcmp(kind, "sem") == 0 ? d.seminfo.semusz : d.msginfo.msgpool);
}

static int set(const char *kind, long id, uid_t uid)
{
	static const int stat_cmds[3] = { IPC_STAT, IPC_STAT, IPC_STAT };
	static const int set_cmds[3] = { IPC_SET, IPC_SET, IPC_SET };
	union data d;

	if (control(kind, id, stat_cmds, &d) < 0)
		return fail();
	d.shm.shm_perm.uid = uid; /* all three structures begin with it */
	return result(control(kind, id, set_cmds, &d));
}

static int segment(const char *verb, char **a)
{
	char *at = (char *)syscall(SYS_shmat, num(a[0]), NULL, 0);

	if ((long)at == -1)
		return fail();
	if (strcmp(verb, "hold") == 0) {
		puts("held");
		fflush(stdout);
		sleep((unsigned int)num(a[1]));
	} else if (strcmp(verb, "write") == 0) {
		strcpy(at, a[1]);
		puts("ok");
	} else {
		puts(at);
	}
	return 0;
}

static int messages(const char *verb, char **a)
{
	struct message m = { .type = 1 };

	if (strcmp(verb, "send") == 0) {
		snprintf(m.text, sizeof(m.text), "%s", a[1]);
		return result(syscall(SYS_msgsnd, num(a[0]), &m, strlen(m.text) + 1, 0));
	}
	if (syscall(SYS_msgrcv, num(a[0]), &m, sizeof(m.text), 0, 0) < 0)
		return fail();
	puts(m.text);
	return 0;
}

static int queue(const char *verb, char **a)
{
	char text[8192];
	mqd_t q;

	if (strcmp(verb, "mq-unlink") == 0)
		return result(mq_unlink(a[0]));
	if (strcmp(verb, "mq-receive") == 0)
		q = mq_open(a[0], O_RDONLY);
	else
		q = mq_open(a[0], (int)num(a[1]), (mode_t)num(a[2]), NULL);
	if (q < 0)
		return fail();
	if (strcmp(verb, "mq-send") == 0)
		return result(mq_send(q, a[3], strlen(a[3]) + 1, 0));
	if (strcmp(verb, "mq-receive") == 0) {
		if (mq_receive(q, text, sizeof(text), NULL) < 0)
			return fail();
		puts(text);
		return 0;
	}
	printf("%s\n", fcntl(q, F_GETFD) & FD_CLOEXEC ? "ok" : "no FD_CLOEXEC");
	return 0;
}

static int queues_many(const char *prefix, long n)
{
	struct mq_attr attr = { .mq_maxmsg = 1, .mq_msgsize = 1 };
	char name[64];
	long i;

	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "%s%ld", prefix, i);
		if (mq_open(name, O_CREAT | O_EXCL | O_RDWR, 0600, &attr) < 0)
			break;
	}
	printf("%ld %s\n", i, i < n ? strerrorname_np(errno) : "ok");
	return 0;
}

static int many(const char *kind, long n)
{
	static const int rm[3] = { IPC_RMID, IPC_RMID, IPC_RMID };
	const bool remove = n < 0;
	long i;

	for (i = 0; i < labs(n); i++) {
		long id = get(kind, IPC_PRIVATE, 1, 0600);

		if (id < 0 || (remove && control(kind, id, rm, NULL) < 0))
			break;
	}
	printf("%ld %s\n", i, i < labs(n) ? strerrorname_np(errno) : "ok");
	return 0;
}

static int bench(long id, long n)
{
	struct sembuf op = { 0, 1, 0 };
	struct timespec a, b;

	clock_gettime(CLOCK_MONOTONIC, &a);
	for (long i = 0; i < n; i++) {
		op.sem_op = i % 2 ? -1 : 1;
		if (syscall(SYS_semop, id, &op, 1) < 0)
			return fail();
	}
	clock_gettime(CLOCK_MONOTONIC, &b);
	return number(((b.tv_sec - a.tv_sec) * 1000000000L + b.tv_nsec - a.tv_nsec) / n);
}

static int run(const char *verb, char **a)
{
	static const int rm[3] = { IPC_RMID, IPC_RMID, IPC_RMID };
	static const int by_id[3] = { IPC_STAT, IPC_STAT, IPC_STAT };
	static const int by_index[3] = { SHM_STAT, SEM_STAT, MSG_STAT };
	static const int any[3] = { SHM_STAT_ANY, SEM_STAT_ANY, MSG_STAT_ANY };

	if (strcmp(verb, "get") == 0)
		return number(get(a[0], num(a[1]), num(a[2]), num(a[3])));
	if (strcmp(verb, "rm") == 0)
		return result(control(a[0], num(a[1]), rm, NULL));
	if (strcmp(verb, "set") == 0)
		return set(a[0], num(a[1]), (uid_t)num(a[2]));
	if (strcmp(verb, "stat") == 0)
		return stat_by(a[0], num(a[1]), by_id);
	if (strcmp(verb, "at") == 0)
		return stat_by(a[0], num(a[1]), by_index);
	if (strcmp(verb, "any") == 0)
		return stat_by(a[0], num(a[1]), any);
	if (strcmp(verb, "used") == 0)
		return used(a[0]);
	if (strcmp(verb, "semop") == 0) {
		struct sembuf op = { 0, (short)num(a[1]), 0 };

		return result(syscall(SYS_semop, num(a[0]), &op, 1));
	}
	if (strcmp(verb, "semval") == 0)
		return number(syscall(SYS_semctl, num(a[0]), 0, GETVAL, 0));
	if (strcmp(verb, "send") == 0 || strcmp(verb, "receive") == 0)
		return messages(verb, a);
	if (strcmp(verb, "mq-many") == 0)
		return queues_many(a[0], num(a[1]));
	if (strncmp(verb, "mq-", 3) == 0)
		return queue(verb, a);
	if (strcmp(verb, "many") == 0)
		return many(a[0], num(a[1]));
	if (strcmp(verb, "bench") == 0)
		return bench(num(a[0]), num(a[1]));
	return segment(verb, a);
}

int main(int argc, char **argv)
{
	static char none[] = "0";
	char *args[6] = { none, none, none, none, none, none };

	for (int i = 2; i < argc && i < 8; i++)
		args[i - 2] = argv[i];
	return argc < 2 ? 2 : run(argv[1], args);
}
