/* SPDX-License-Identifier: Apache-2.0
 *
 * System V and POSIX IPC are the host's (sysvipc(7), mq_overview(7)), and so is the
 * caller's terminal.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/tiocl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <unistd.h>

#include "tests/escape/attack.h"
#include "tests/escape/numbers.h"

static int ipc_shm(struct trial *t, char **args)
{
	int id = (int)syscall(SYS_shmget, arg_number(args[0]), 0, 0);

	if (id < 0)
		return trial_fail(t, "shmget");
	return syscall(SYS_shmat, id, NULL, SHM_RDONLY) == -1 ? -1 : 0;
}

/* Needs no key: ids are small numbers. */
static int ipc_shmat(struct trial *t, char **args)
{
	(void)t;
	return syscall(SYS_shmat, arg_number(args[0]), NULL, SHM_RDONLY) == -1 ? -1 : 0;
}

/* The kernel drops the upper half of an int. */
static int ipc_shmat_high(struct trial *t, char **args)
{
	(void)t;
	return syscall(SYS_shmat, (1UL << 32) | (unsigned long)arg_number(args[0]), NULL,
		       SHM_RDONLY) == -1
		       ? -1
		       : 0;
}

static int ipc_shm_new(struct trial *t, char **args)
{
	int id = (int)syscall(SYS_shmget, IPC_PRIVATE, 4096, 0600);

	(void)t, (void)args;
	return id < 0 ? -1 : (int)syscall(SYS_shmctl, id, IPC_RMID, NULL);
}

static int ipc_shmctl(struct trial *t, char **args)
{
	struct shmid_ds ds;

	(void)t;
	return syscall(SYS_shmctl, arg_number(args[0]), IPC_STAT, &ds) < 0 ? -1 : 0;
}

/* By its index, which is the lower part of the id. */
static int ipc_shm_any(struct trial *t, char **args)
{
	struct shmid_ds ds;

	(void)t;
	return syscall(SYS_shmctl, arg_number(args[0]) & 0x7fff, SHM_STAT_ANY, &ds) < 0 ? -1 : 0;
}

static int ipc_shm_set(struct trial *t, char **args)
{
	struct shmid_ds ds = { .shm_perm.mode = 0666 };

	(void)t;
	return syscall(SYS_shmctl, arg_number(args[0]), IPC_SET, &ds) < 0 ? -1 : 0;
}

static int ipc_msg(struct trial *t, char **args)
{
	struct {
		long type;
		char byte;
	} m = { 1, 'x' };
	int id = (int)syscall(SYS_msgget, arg_number(args[0]), 0);

	if (id < 0)
		return trial_fail(t, "msgget");
	return (int)syscall(SYS_msgsnd, id, &m, 1, IPC_NOWAIT);
}

static int ipc_sem(struct trial *t, char **args)
{
	struct sembuf op = { 0, 1, IPC_NOWAIT };
	int id = (int)syscall(SYS_semget, arg_number(args[0]), 0, 0);

	if (id < 0)
		return trial_fail(t, "semget");
	return (int)syscall(SYS_semop, id, &op, 1);
}

static int ipc_mq(struct trial *t, char **args)
{
	int fd = (int)syscall(SYS_mq_open, args[0], O_WRONLY, 0, NULL);

	if (fd < 0)
		return trial_fail(t, "mq_open");
	return (int)syscall(SYS_mq_timedsend, fd, "x", 1, 0, NULL);
}

static int ipc_mq_unlink(struct trial *t, char **args)
{
	(void)t;
	return (int)syscall(SYS_mq_unlink, args[0]);
}

#define SWEEP 1500

static int ipc_stat(int kind, int id)
{
	union {
		struct shmid_ds shm;
		struct semid_ds sem;
		struct msqid_ds msg;
	} any;

	switch (kind) {
	case 0: return (int)syscall(SYS_shmctl, id, IPC_STAT, &any);
	case 1: return (int)syscall(SYS_semctl, id, 0, IPC_STAT, &any);
	case 2: return (int)syscall(SYS_msgctl, id, IPC_STAT, &any);
	default: return (int)syscall(SYS_shmctl, id, SHM_STAT_ANY, &any);
	}
}

/* Ids around one that is known to be there, and the small numbers; indexes, too. */
static int ipc_sweep_ids(struct trial *t, char **args)
{
	const int near = (int)arg_number(args[0]);
	int found = 0;

	for (int kind = 0; kind < 4; kind++)
		for (int i = 0; i < SWEEP; i++)
			found += (ipc_stat(kind, i) >= 0) +
				 (ipc_stat(kind, near - SWEEP / 2 + i) >= 0);
	return trial_say(t, "%s", found ? "found" : "none");
}

static int ipc_sweep_keys(struct trial *t, char **args)
{
	const int near = (int)arg_number(args[0]);
	int found = 0;

	for (int i = -SWEEP; i < SWEEP; i++)
		found += (syscall(SYS_shmget, near + i, 0, 0) >= 0) +
			 (syscall(SYS_semget, near + i, 0, 0) >= 0) +
			 (syscall(SYS_msgget, near + i, 0) >= 0);
	return trial_say(t, "%s", found ? "found" : "none");
}

/* The kernel's own answers to names that are none, one letter each. */
static int ipc_mq_odd(struct trial *t, char **args)
{
	char longest[257], longer[258], all[32] = "";
	const char *const names[] = { "", ".", "..", "/", "a/b", "../x", "...", " ", "\n", "\xff",
		longest + 1, longer + 1 };
	const size_t n = sizeof(names) / sizeof(names[0]);

	(void)args;
	memset(longest, 'x', 256);
	memset(longer, 'x', 257);
	longest[256] = longer[257] = '\0';
	for (size_t i = 0; i < n; i++) {
		int fd = (int)syscall(SYS_mq_open, names[i], O_CREAT | O_RDWR, 0600, NULL);

		all[i] = fd >= 0                 ? 'o'
			 : errno == ENOENT       ? 'n'
			 : errno == EACCES       ? 'a'
			 : errno == ENAMETOOLONG ? 'l'
						 : '?';
		if (fd >= 0) {
			close(fd);
			syscall(SYS_mq_unlink, names[i]);
		}
	}
	return trial_say(t, "%s", all);
}

/* Types a byte into the terminal that the caller of the runtime sits at. */
static int ipc_tiocsti(struct trial *t, char **args)
{
	char byte = args[0][0];

	(void)t;
	return ioctl(0, TIOCSTI, &byte);
}

/* A filter compares 32 bits of the request because the kernel does; so the upper half
 * must not lead past it. */
static int ipc_tiocsti_high(struct trial *t, char **args)
{
	char byte = args[0][0];

	(void)t;
	return (int)syscall(SYS_ioctl, 0, (1UL << 32) | TIOCSTI, &byte);
}

static int ipc_tioclinux(struct trial *t, char **args)
{
	char code = TIOCL_GETSHIFTSTATE;

	(void)t, (void)args;
	return ioctl(0, TIOCLINUX, &code) < 0 ? -1 : 0;
}

const struct attack attacks_ipc[] = {
	{ "shm", 1, ipc_shm },
	{ "shmat", 1, ipc_shmat },
	{ "shmat-high", 1, ipc_shmat_high },
	{ "shm-any", 1, ipc_shm_any },
	{ "shm-set", 1, ipc_shm_set },
	{ "shm-new", 0, ipc_shm_new },
	{ "shm-stat", 1, ipc_shmctl },
	{ "msg", 1, ipc_msg },
	{ "sem", 1, ipc_sem },
	{ "mq", 1, ipc_mq },
	{ "mq-unlink", 1, ipc_mq_unlink },
	{ "ipc-ids", 1, ipc_sweep_ids },
	{ "ipc-keys", 1, ipc_sweep_keys },
	{ "mq-odd", 0, ipc_mq_odd },
	{ "tiocsti", 1, ipc_tiocsti },
	{ "tiocsti-high", 1, ipc_tiocsti_high },
	{ "tioclinux", 0, ipc_tioclinux },
	{ NULL, 0, NULL },
};
