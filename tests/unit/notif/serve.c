/* SPDX-License-Identifier: Apache-2.0
 *
 * A real listener and a child whose uname(2) is trapped: what the child gets for each verdict,
 * what of its memory can be read, and what is known of it when it is gone.
 */
#include "runtime/notif/notif.h"

#include <sys/time.h>

#include "tests/unit/notif/trap.h"

static void call_uname(struct trap_shared *s)
{
	s->result = syscall(SYS_uname, 0x1234);
	s->error = s->result < 0 ? errno : 0;
	s->cloexec = s->result > 2 ? fcntl((int)s->result, F_GETFD) : -1;
}

/* Serves the one call of a fresh child and lets the child end. */
static struct trap_shared outcome(notif_handler handle, void *ctx)
{
	struct trap t;
	struct trap_shared got;

	trap_start(&t, call_uname);
	if (handle)
		notif_handle(&t.notif, NOTIFY_UNAME, handle, ctx);
	CHECK(trap_serve(&t));
	CHECK(t.notif.total == 1 && t.notif.counts[SYS_uname] == 1);
	CHECK(waitpid(t.pid, NULL, 0) == t.pid);
	got = *t.shared;
	trap_end(&t);
	return got;
}

static void forgets(const struct notif_call *c, struct notif_verdict *v, void *ctx)
{
	(void)c, (void)v, (void)ctx;
}

static void without_excuse(const struct notif_call *c, struct notif_verdict *v, void *ctx)
{
	(void)c, (void)ctx;
	notif_continue(v, NOTIF_NO_EXCUSE);
}

static void goes_on(const struct notif_call *c, struct notif_verdict *v, void *ctx)
{
	(void)c, (void)ctx;
	notif_continue(v, NOTIF_ONLY_ANSWERS);
}

static void returns(const struct notif_call *c, struct notif_verdict *v, void *ctx)
{
	(void)c;
	notif_return(v, *(const int64_t *)ctx);
}

static void denies(const struct notif_call *c, struct notif_verdict *v, void *ctx)
{
	(void)c;
	notif_deny(v, *(const int *)ctx);
}

static void gives(const struct notif_call *c, struct notif_verdict *v, void *ctx)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)c;
	notif_give(v, &fd, *(const bool *)ctx);
	if (fd != -1)
		CHECK(fd == -1);
}

static void verdicts(void)
{
	int64_t value = 4711;
	int error = ENOTTY;
	bool yes = true, no = false;
	struct trap_shared s;

	/* Deny is the initial value, in every way not to decide. */
	CHECK(outcome(NULL, NULL).error == EPERM);
	CHECK(outcome(forgets, NULL).error == EPERM);
	CHECK(outcome(without_excuse, NULL).error == EPERM);
	CHECK(outcome(denies, &error).error == ENOTTY);
	CHECK(outcome(returns, &value).result == 4711);
	/* The kernel goes on with the child's own, bad argument. */
	CHECK(outcome(goes_on, NULL).error == EFAULT);
	s = outcome(gives, &yes);
	CHECK(s.result > 2 && s.cloexec == FD_CLOEXEC);
	s = outcome(gives, &no);
	CHECK(s.result > 2 && s.cloexec == 0);
}

/* A number has an answer of its own, the last one that was set, beside others of its kind. */
static void by_number(void)
{
	int64_t of_kind = 1, first = 2, last = 3;
	struct trap t;

	trap_start(&t, call_uname);
	notif_handle(&t.notif, NOTIFY_UNAME, returns, &of_kind);
	CHECK(notif_override(&t.notif, SYS_uname, returns, &first) == 0);
	CHECK(notif_override(&t.notif, SYS_uname, returns, &last) == 0);
	CHECK(notif_override(&t.notif, SYS_kill, forgets, NULL) == 0);
	CHECK(trap_serve(&t));
	CHECK(waitpid(t.pid, NULL, 0) == t.pid && t.shared->result == last);
	for (int nr = 1000; t.notif.n_overrides < NOTIF_OVERRIDES_MAX; nr++)
		CHECK(notif_override(&t.notif, nr, forgets, NULL) == 0);
	CHECK(notif_override(&t.notif, 999, forgets, NULL) < 0 && errno == ENOSPC);
	CHECK(notif_override(&t.notif, SYS_uname, returns, &first) == 0);
	trap_end(&t);
}

static void keeps(const struct notif_call *c, struct notif_verdict *v, void *ctx)
{
	*(struct notif_call *)ctx = *c;
	notif_later(v);
}

static void kept_and_answered(void)
{
	struct notif_verdict v = { 0 };
	struct notif_call kept;
	struct trap t;

	trap_start(&t, call_uname);
	notif_handle(&t.notif, NOTIFY_UNAME, keeps, &kept);
	CHECK(trap_serve(&t));
	CHECK(notif_waits(&kept) && waitpid(t.pid, NULL, WNOHANG) == 0);
	notif_deny(&v, EBUSY);
	notif_answer(&kept, &v);
	CHECK(waitpid(t.pid, NULL, 0) == t.pid && t.shared->error == EBUSY);
	trap_end(&t);
}

/* Strings of the child: at the end of its last page, and one that has no end. */
static char *page_end;

static void call_with_memory(struct trap_shared *s)
{
	s->result = syscall(SYS_uname, page_end - 4);
}

static void reads_memory(const struct notif_call *c, struct notif_verdict *v, void *ctx)
{
	char buf[16];
	uint64_t at = c->args[0];

	(void)ctx;
	CHECK(notif_read(c, at, buf, 4) == 0 && memcmp(buf, "abc", 4) == 0);
	CHECK(notif_read(c, at, buf, 5) == -1 && errno == EFAULT);
	CHECK(notif_read(c, 0, buf, 1) == -1 && errno == EFAULT);
	CHECK(notif_read_string(c, at, buf, sizeof(buf)) == 0 && strcmp(buf, "abc") == 0);
	CHECK(notif_read_string(c, at, buf, 3) == -1 && errno == ENAMETOOLONG);
	CHECK(notif_write(c, at, "xyz", 4) == 0);
	CHECK(notif_read_string(c, at, buf, sizeof(buf)) == 0 && strcmp(buf, "xyz") == 0);
	CHECK(notif_write(c, at, "12345", 5) == -1 && errno == EFAULT);
	notif_return(v, 0);
}

static void memory(void)
{
	int fd = memfd_create("one page", MFD_CLOEXEC);
	char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	struct trap t;

	CHECK(pages != MAP_FAILED && ftruncate(fd, 4096) == 0);
	close(fd);
	page_end = pages + 4096;
	memcpy(page_end - 4, "abc", 4);
	trap_start(&t, call_with_memory);
	notif_handle(&t.notif, NOTIFY_UNAME, reads_memory, NULL);
	CHECK(trap_serve(&t));
	CHECK(waitpid(t.pid, NULL, 0) == t.pid);
	trap_end(&t);
}

#define GIVEN_CALLS 5000
#define ALARM_US    50

static void call_often(struct trap_shared *s)
{
	for (int i = 0; i < GIVEN_CALLS; i++) {
		long fd = syscall(SYS_uname, 0);

		s->result += fd > 2 && close((int)fd) == 0;
	}
}

static void on_alarm(int sig)
{
	(void)sig;
}

/* A descriptor is given whole or not at all: no call returns without one. */
static void gives_while_signals_come(void)
{
	const struct sigaction act = { .sa_handler = on_alarm };
	const struct itimerval often = { { 0, ALARM_US }, { 0, ALARM_US } }, never = { 0 };
	struct pollfd p;
	bool yes = true;
	struct trap t;

	trap_start(&t, call_often);
	notif_handle(&t.notif, NOTIFY_UNAME, gives, &yes);
	CHECK(sigaction(SIGALRM, &act, NULL) == 0 && setitimer(ITIMER_REAL, &often, NULL) == 0);
	do {
		p = (struct pollfd){ .fd = t.notif.listener_fd, .events = POLLIN };
		poll(&p, 1, TRAP_WAIT_MS);
	} while (notif_serve(&t.notif, (uint32_t)p.revents));
	setitimer(ITIMER_REAL, &never, NULL);
	CHECK(t.shared->result == GIVEN_CALLS);
	trap_end(&t);
}

static void caller_is_killed(void)
{
	struct notif_verdict v = { 0 };
	struct notif_call kept;
	struct trap t;
	char byte;
	int fd;

	trap_start(&t, call_uname);
	notif_handle(&t.notif, NOTIFY_UNAME, keeps, &kept);
	CHECK(trap_serve(&t));
	fd = notif_take_fd(&kept, t.shared->listener);
	CHECK(fd >= 0 && close(fd) == 0);
	CHECK(notif_take_fd(&kept, 999) == -1 && errno == EBADF);
	kill(t.pid, SIGKILL);
	CHECK(waitpid(t.pid, NULL, 0) == t.pid);
	CHECK(!notif_waits(&kept));
	CHECK(notif_pidfd(&kept) == -1);
	CHECK(notif_take_fd(&kept, t.shared->listener) == -1 && errno == ESRCH);
	CHECK(notif_read(&kept, (uint64_t)(uintptr_t)&byte, &byte, 1) == -1);
	CHECK(notif_write(&kept, (uint64_t)(uintptr_t)&byte, "x", 1) == -1 && errno == ESRCH);
	notif_return(&v, 0);
	notif_answer(&kept, &v); /* to nobody */
	CHECK(!trap_serve(&t));  /* no confined task is left */
	trap_end(&t);
}

int main(void)
{
	verdicts();
	by_number();
	kept_and_answered();
	memory();
	gives_while_signals_come();
	caller_is_killed();
	return check_done();
}
