/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls that reach the kernel as a whole. Those that would harm the machine are called so
 * that they fail late (a bad magic number, a bad pointer, a file that is not there): the
 * control arm expects that late errno, which shows that the call itself was reached.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#include "tests/escape/attack.h"
#include "tests/escape/numbers.h"

#define NOWHERE "/nonexistent"

static int kernel_io_uring(struct trial *t, char **args)
{
	unsigned int params[64] = { 0 };

	(void)t, (void)args;
	return got_fd((int)syscall(SYS_io_uring_setup, 1, params));
}

static int kernel_userfaultfd(struct trial *t, char **args)
{
	(void)t, (void)args;
	return got_fd((int)syscall(SYS_userfaultfd, O_CLOEXEC));
}

static int kernel_bpf(struct trial *t, char **args)
{
	union bpf_attr attr;

	(void)t, (void)args;
	memset(&attr, 0, sizeof(attr));
	attr.map_type = BPF_MAP_TYPE_ARRAY;
	attr.key_size = 4;
	attr.value_size = 4;
	attr.max_entries = 1;
	return got_fd((int)syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr)));
}

static int kernel_perf(struct trial *t, char **args)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_TASK_CLOCK
	};

	(void)t;
	return got_fd((int)syscall(SYS_perf_event_open, &attr, arg_number(args[0]), -1, -1, 0));
}

static int kernel_keyctl(struct trial *t, char **args)
{
	(void)t, (void)args;
	return syscall(SYS_keyctl, 0 /* KEYCTL_GET_KEYRING_ID */, -3 /* session */, 0) < 0 ? -1 : 0;
}

static int kernel_add_key(struct trial *t, char **args)
{
	(void)t, (void)args;
	return syscall(SYS_add_key, "user", "escape", "x", 1, -2 /* process */) < 0 ? -1 : 0;
}

static const struct {
	const char *name;
	long number;
} CALLS[] = {
	{ "acct", SYS_acct },
	{ "delete_module", SYS_delete_module },
	{ "finit_module", SYS_finit_module },
	{ "init_module", SYS_init_module },
	{ "io_uring_enter", SYS_io_uring_enter },
	{ "io_uring_register", SYS_io_uring_register },
	{ "kexec_file_load", SYS_kexec_file_load },
	{ "kexec_load", SYS_kexec_load },
	{ "quotactl", SYS_quotactl },
	{ "quotactl_fd", SYS_quotactl_fd },
	{ "request_key", SYS_request_key },
	{ "swapoff", SYS_swapoff },
	{ "swapon", SYS_swapon },
	{ "vhangup", SYS_vhangup },
};

static long call_number(const char *name)
{
	for (size_t i = 0; i < sizeof(CALLS) / sizeof(CALLS[0]); i++)
		if (strcmp(CALLS[i].name, name) == 0)
			return CALLS[i].number;
	return arg_number(name);
}

/* A call alone, with arguments of no use. */
static int kernel_raw(struct trial *t, char **args)
{
	(void)t;
	if (call_number(args[0]) == SYS_vhangup && setsid() < 0) /* no terminal to hang up */
		return trial_fail(t, "setsid");
	return syscall(call_number(args[0]), -1L, 0L, 0L, 0L, 0L, 0L) < 0 ? -1 : 0;
}

static int kernel_reboot(struct trial *t, char **args)
{
	(void)t, (void)args;
	return (int)syscall(SYS_reboot, 0, 0, 0, NULL); /* no magic: EINVAL */
}

static int kernel_path(struct trial *t, char **args)
{
	/* A path that is not there: ENOENT after the capability check. */
	long number = call_number(args[0]);

	(void)t;
	if (number == SYS_quotactl)
		return (int)syscall(number, 0x80000700 /* Q_GETQUOTA */, NOWHERE, 0, NULL);
	return (int)syscall(number, NOWHERE, 0L, 0L, 0L);
}

static int kernel_settimeofday(struct trial *t, char **args)
{
	struct timeval tv = { 0, -1 }; /* EINVAL */

	(void)t, (void)args;
	return (int)syscall(SYS_settimeofday, &tv, NULL);
}

static int kernel_clock_settime(struct trial *t, char **args)
{
	struct timespec ts = { 0, -1 }; /* EINVAL */

	(void)t, (void)args;
	return (int)syscall(SYS_clock_settime, CLOCK_REALTIME, &ts);
}

/* A tick far out of range: EINVAL after the capability check. */
static int kernel_adjtimex(struct trial *t, char **args)
{
	struct timex tx = { .modes = ADJ_TICK, .tick = 1 };

	(void)t, (void)args;
	return syscall(SYS_adjtimex, &tx) < 0 ? -1 : 0;
}

static int kernel_clock_adjtime(struct trial *t, char **args)
{
	struct timex tx = { .modes = ADJ_TICK, .tick = 1 };

	(void)t, (void)args;
	return syscall(SYS_clock_adjtime, CLOCK_REALTIME, &tx) < 0 ? -1 : 0;
}

/* Names live in a private UTS namespace in the control arm. */
static int kernel_sethostname(struct trial *t, char **args)
{
	(void)t, (void)args;
	return (int)syscall(SYS_sethostname, "escape", 6);
}

static int kernel_setdomainname(struct trial *t, char **args)
{
	(void)t, (void)args;
	return (int)syscall(SYS_setdomainname, "escape", 6);
}

static int kernel_iopl(struct trial *t, char **args)
{
	(void)t, (void)args;
#ifdef SYS_iopl
	return (int)syscall(SYS_iopl, 3);
#else
	return trial_say(t, "absent");
#endif
}

static int kernel_ioperm(struct trial *t, char **args)
{
	(void)t, (void)args;
#ifdef SYS_ioperm
	return (int)syscall(SYS_ioperm, 0x80, 1, 1);
#else
	return trial_say(t, "absent");
#endif
}

static int kernel_syslog(struct trial *t, char **args)
{
	(void)t, (void)args;
	return syscall(SYS_syslog, 10 /* size of the buffer */, NULL, 0) < 0 ? -1 : 0;
}

static int kernel_syslog_read(struct trial *t, char **args)
{
	char buffer[256];

	(void)t, (void)args;
	return syscall(SYS_syslog, 3 /* read all */, buffer, sizeof(buffer)) < 0 ? -1 : 0;
}

/* A filter of one's own cannot answer in place of ours, nor get a listener. */
static int kernel_own_listener(struct trial *t, char **args)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog prog = { 1, &allow };

	(void)args;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return trial_fail(t, "no_new_privs");
	return got_fd((int)syscall(
		SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &prog));
}

/* Lays "allow everything" on top and asks again: the stricter filter must still win. */
static int kernel_own_filter(struct trial *t, char **args)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog prog = { 1, &allow };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return trial_fail(t, "no_new_privs");
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &prog) < 0)
		return trial_fail(t, "seccomp");
	return kernel_io_uring(t, args);
}

static int kernel_fanotify(struct trial *t, char **args)
{
	(void)t, (void)args;
	return got_fd((int)syscall(SYS_fanotify_init, 0x1, O_RDONLY));
}

const struct attack attacks_kernel[] = {
	{ "io-uring", 0, kernel_io_uring },
	{ "userfaultfd", 0, kernel_userfaultfd },
	{ "bpf", 0, kernel_bpf },
	{ "perf", 1, kernel_perf },
	{ "keyctl", 0, kernel_keyctl },
	{ "add-key", 0, kernel_add_key },
	{ "raw", 1, kernel_raw },
	{ "reboot", 0, kernel_reboot },
	{ "by-path", 1, kernel_path },
	{ "settimeofday", 0, kernel_settimeofday },
	{ "clock-settime", 0, kernel_clock_settime },
	{ "adjtimex", 0, kernel_adjtimex },
	{ "clock-adjtime", 0, kernel_clock_adjtime },
	{ "sethostname", 0, kernel_sethostname },
	{ "setdomainname", 0, kernel_setdomainname },
	{ "iopl", 0, kernel_iopl },
	{ "ioperm", 0, kernel_ioperm },
	{ "syslog", 0, kernel_syslog },
	{ "syslog-read", 0, kernel_syslog_read },
	{ "own-listener", 0, kernel_own_listener },
	{ "own-filter", 0, kernel_own_filter },
	{ "fanotify", 0, kernel_fanotify },
	{ NULL, 0, NULL },
};
