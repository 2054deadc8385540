/* SPDX-License-Identifier: Apache-2.0
 *
 * Copying with a client that does not read, one that goes and comes back, the end of the input, and
 * what is refused.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shim/stdio/stdio.h"
#include "tests/unit/check.h"

#define MUCH (512 * 1024)

static struct loop loop;
static char dir[] = "/tmp/unit-stdio.XXXXXX";
static int n_drained;

static void drained(struct stdio *s)
{
	(void)s;
	n_drained++;
}

static void turn(void)
{
	struct epoll_event e;

	while (epoll_wait(loop.epoll_fd, &e, 1, 20) == 1)
		loop_turn(&loop);
}

static void open_fifos(struct stdio *s)
{
	const struct stdio_want want = { .paths = { "in", "out", "" } };
	struct sl_err err;

	stdio_init(s, &loop);
	s->on_drained = drained;
	CHECK(stdio_open(s, &want, &err) == 0);
}

static void copies(void)
{
	struct stdio s;
	struct sl_err err;
	char buf[4096] = "";
	size_t n = 0;
	int in_fd, out_fd, child[STDIO_STREAMS];

	open_fifos(&s);
	for (int i = 0; i < STDIO_STREAMS; i++)
		child[i] = fcntl(s.child_fds[i], F_DUPFD_CLOEXEC, 3);
	CHECK(stdio_begin(&s, -1, &err) == 0);
	in_fd = open("in", O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	CHECK(in_fd >= 0 && write(in_fd, "abc", 3) == 3);
	turn();
	CHECK(read(child[STDIO_IN], buf, sizeof(buf)) == 3 && memcmp(buf, "abc", 3) == 0);
	/* The client goes: no end of the input before CloseIO. */
	close(in_fd);
	turn();
	fcntl(child[STDIO_IN], F_SETFL, O_NONBLOCK);
	CHECK(read(child[STDIO_IN], buf, sizeof(buf)) < 0);
	stdio_close_in(&s);
	turn();
	CHECK(read(child[STDIO_IN], buf, sizeof(buf)) == 0);
	/* More than all that lies between takes, with nobody who reads; then somebody does. */
	fcntl(child[STDIO_OUT], F_SETFL, O_NONBLOCK);
	memset(buf, 'x', sizeof(buf));
	for (ssize_t r = 1; r > 0; turn()) {
		r = write(child[STDIO_OUT], buf, sizeof(buf));
		n += r > 0 ? (size_t)r : 0;
		CHECK(n < MUCH);
	}
	close(child[STDIO_OUT]);
	turn();
	CHECK(!stdio_is_drained(&s) && n_drained == 0);
	out_fd = open("out", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	for (ssize_t r; (r = read(out_fd, buf, sizeof(buf))) != 0; turn())
		n -= r > 0 ? (size_t)r : 0;
	CHECK(n == 0 && stdio_is_drained(&s) && n_drained == 1);
	close(out_fd);
	close(child[STDIO_IN]);
	close(child[STDIO_ERR]);
	stdio_close(&s);
}

static void refuses(void)
{
	static const char *const wrong[][STDIO_STREAMS] = {
		{ "nosuch", "", "" },
		{ "", "nosuch", "" },
		{ "file", "", "" },
		{ "", "", "/" },
		{ "", "ttrpc+unix://x", "" },
		{ "", "file://relative", "" },
		{ "", "binary://relative", "binary://relative" },
		{ "", "binary:///bin/true", "" },
		{ "", "binary:///bin/true?a=%zz", "binary:///bin/true?a=%zz" },
		{ "", "binary:///nosuch", "binary:///nosuch" },
	};
	const int first_fd = dup(0);
	struct sl_err err;

	close(first_fd);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct stdio_want want = { .id = "i", .namespace = "n" };
		struct stdio s;

		memcpy(want.paths, wrong[i], sizeof(want.paths));
		stdio_init(&s, &loop);
		CHECK(stdio_open(&s, &want, &err) < 0);
	}
	CHECK(dup(0) == first_fd); /* nothing stays open */
}

int main(void)
{
	CHECK(mkdtemp(dir) && chdir(dir) == 0);
	CHECK(mkfifo("in", 0600) == 0 && mkfifo("out", 0600) == 0);
	CHECK(close(open("file", O_CREAT | O_WRONLY | O_CLOEXEC, 0600)) == 0);
	CHECK(loop_open(&loop) == 0);
	refuses();
	copies();
	loop_close(&loop);
	unlink("in");
	unlink("out");
	unlink("file");
	CHECK(chdir("/") == 0 && rmdir(dir) == 0);
	return check_done();
}
