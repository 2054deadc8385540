/* SPDX-License-Identifier: Apache-2.0
 *
 * Pages of the caller that have to be fetched first are read and written like all others; one that
 * never comes is none, after a second.
 */
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <time.h>

#include "tests/unit/notif/trap.h"

#define PAGE 4096
#define N    (3 * PAGE)

/* Not in any page table: a file's. */
static char *fresh(void)
{
	int fd = memfd_create("fresh", MFD_CLOEXEC);
	char text[N];
	char *p;

	memset(text, 'x', sizeof(text));
	if (fd < 0 || write(fd, text, sizeof(text)) != sizeof(text))
		return NULL;
	p = mmap(NULL, sizeof(text), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return p == MAP_FAILED ? NULL : p;
}

/* Nobody ever says what is in it (userfaultfd(2)). */
static char *never(void)
{
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register area = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	char *p = mmap(NULL, N, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	area.range.start = (uintptr_t)p;
	area.range.len = N;
	return p != MAP_FAILED && fd >= 0 && ioctl(fd, UFFDIO_API, &api) == 0 &&
			       ioctl(fd, UFFDIO_REGISTER, &area) == 0
		       ? p
		       : NULL;
}

static void in_fresh(struct trap_shared *s)
{
	char *p = fresh();

	s->result = syscall(SYS_uname, p + 100);
	s->error = p && memcmp(p + 100 + PAGE, "answer", 6) == 0 && p[99] == 'x';
}

static void in_never(struct trap_shared *s)
{
	s->result = syscall(SYS_uname, never());
	s->error = errno;
}

static void copies(const struct notif_call *c, struct notif_verdict *v, void *ctx)
{
	char text[N - 100];
	struct iovec mine[2] = { { text, 10 }, { text + 10, sizeof(text) - 10 } };
	const struct iovec theirs = { (void *)(uintptr_t)c->args[0], sizeof(text) };

	(void)ctx;
	memset(text, 0, sizeof(text));
	CHECK(notif_copy(c, mine, 2, &theirs, 1) == 0);
	CHECK(text[0] == 'x' && text[10] == 'x' && text[sizeof(text) - 1] == 'x');
	CHECK(notif_write(c, c->args[0] + PAGE, "answer", 6) == 0);
	CHECK(c->brief->stuck == 0);
	notif_return(v, 7);
}

static void is_none(const struct notif_call *c, struct notif_verdict *v, void *ctx)
{
	const time_t began = time(NULL);
	char buf[8];

	(void)ctx;
	CHECK(c->args[0] != 0);
	CHECK(notif_read(c, c->args[0], buf, sizeof(buf)) < 0 && errno == EFAULT);
	usleep(100000);
	CHECK(notif_write(c, c->args[0] + PAGE, buf, sizeof(buf)) < 0 && errno == EFAULT);
	CHECK(time(NULL) - began >= 1 && time(NULL) - began < 5);
	notif_deny(v, EFAULT);
}

static struct trap_shared outcome(trap_body body, notif_handler handle)
{
	struct trap t;
	struct trap_shared got;

	trap_start(&t, body);
	notif_handle(&t.notif, NOTIFY_UNAME, handle, NULL);
	CHECK(trap_serve(&t));
	CHECK(waitpid(t.pid, NULL, 0) == t.pid);
	got = *t.shared;
	trap_end(&t);
	return got;
}

int main(void)
{
	struct trap_shared got = outcome(in_fresh, copies);

	CHECK(got.result == 7 && got.error == 1);
	got = outcome(in_never, is_none);
	CHECK(got.result == -1 && got.error == EFAULT);
	return check_done();
}
