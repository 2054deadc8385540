/* SPDX-License-Identifier: Apache-2.0
 *
 * What goes between a terminal and stdio: both ways, each with a buffer of its own; what is waited
 * for, and what an end on either side does. Descriptors 0 and 1 are pipes here.
 */
#include "runtime/tty/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

/* TAP goes where standard output was. */
static int tap_fd;
#define printf(...) dprintf(tap_fd, __VA_ARGS__)
#include "tests/unit/check.h"

struct world {
	struct relay r;
	int slave_fd; /* the process' side of the terminal */
	int in_fd;    /* what our standard input is told */
	int out_fd;   /* what our standard output has said */
};

static void world_open(struct world *w)
{
	int master, in[2], out[2];
	struct termios raw;

	CHECK(openpty(&master, &w->slave_fd, NULL, NULL, NULL) == 0);
	tcgetattr(w->slave_fd, &raw);
	cfmakeraw(&raw);
	tcsetattr(w->slave_fd, TCSANOW, &raw);
	CHECK(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0);
	CHECK(dup2(in[0], 0) == 0 && dup2(out[1], 1) == 1);
	close(in[0]);
	close(out[1]);
	w->in_fd = in[1];
	w->out_fd = out[0];
	CHECK(relay_open(&w->r, master) == 0);
}

static void world_close(struct world *w)
{
	relay_close(&w->r);
	close(w->slave_fd);
	close(w->in_fd);
	close(w->out_fd);
}

/* Until nothing is left to do. */
static void settle(struct world *w)
{
	struct pollfd p[RELAY_POLL];

	for (int i = 0; i < 100; i++) {
		relay_poll(&w->r, p);
		if (poll(p, RELAY_POLL, 20) <= 0)
			return;
		relay_events(&w->r, p);
	}
}

static const char *got(int fd)
{
	static char buf[256];
	ssize_t n;

	fcntl(fd, F_SETFL, O_NONBLOCK);
	n = read(fd, buf, sizeof(buf) - 1);
	buf[n > 0 ? n : 0] = '\0';
	return n < 0 ? "nothing" : buf;
}

static void both_ways(void)
{
	struct world w;

	world_open(&w);
	CHECK(write(w.slave_fd, "output", 6) == 6 && write(w.in_fd, "input", 5) == 5);
	settle(&w);
	CHECK_STR(got(w.out_fd), "output");
	CHECK_STR(got(w.slave_fd), "input");
	CHECK(w.r.n_out == 6 && w.r.error == 0);
	/* Nobody else who writes to our standard output has it made non-blocking. */
	CHECK(w.r.own_out_fd >= 0 && !(fcntl(1, F_GETFL) & O_NONBLOCK));
	world_close(&w);
}

static unsigned char byte_at(size_t at)
{
	return (unsigned char)(at / 7 * 31 + at);
}

/* Who does not read stops his own direction only, and nothing is lost. */
static void one_is_full(void)
{
	static unsigned char block[4096];
	size_t written = 0, read_back = 0;
	bool same = true;
	struct world w;
	ssize_t n;

	world_open(&w);
	fcntl(w.slave_fd, F_SETFL, O_NONBLOCK);
	fcntl(w.r.own_out_fd, F_SETPIPE_SZ, 4096);
	for (int i = 0; i < 20; i++) {
		for (size_t k = 0; k < sizeof(block); k++)
			block[k] = byte_at(written + k);
		n = write(w.slave_fd, block, sizeof(block));
		written += n > 0 ? (size_t)n : 0;
		settle(&w);
	}
	CHECK(w.r.out.len > 0);
	CHECK(write(w.in_fd, "still", 5) == 5);
	settle(&w);
	CHECK_STR(got(w.slave_fd), "still");
	fcntl(w.out_fd, F_SETFL, O_NONBLOCK);
	while (n = read(w.out_fd, block, sizeof(block)), n > 0) {
		for (size_t k = 0; k < (size_t)n; k++)
			same &= block[k] == byte_at(read_back + k);
		read_back += (size_t)n;
		settle(&w);
	}
	CHECK(same);
	CHECK(written > sizeof(w.r.out.buf) / 2 && read_back == written && w.r.n_out == written);
	world_close(&w);
}

/* A terminal takes less at once than there is, and the rest later. */
static void process_reads_slowly(void)
{
	static unsigned char block[16384];
	size_t read_back = 0;
	bool same = true;
	struct world w;
	ssize_t n;

	world_open(&w);
	for (size_t k = 0; k < sizeof(block); k++)
		block[k] = byte_at(k);
	CHECK(write(w.in_fd, block, sizeof(block)) == sizeof(block));
	settle(&w);
	CHECK(w.r.in.at > 0 && w.r.in.len > 0);
	CHECK(write(w.slave_fd, "meanwhile", 9) == 9);
	settle(&w);
	CHECK_STR(got(w.out_fd), "meanwhile");
	fcntl(w.slave_fd, F_SETFL, O_NONBLOCK);
	while (n = read(w.slave_fd, block, 1000), n > 0) {
		for (size_t k = 0; k < (size_t)n; k++)
			same &= block[k] == byte_at(read_back + k);
		read_back += (size_t)n;
		settle(&w);
	}
	CHECK(same && read_back == sizeof(block));
	world_close(&w);
}

/* The end of the input is ^D for the process, once. */
static void input_ends(void)
{
	struct world w;

	world_open(&w);
	close(w.in_fd);
	w.in_fd = -1;
	settle(&w);
	CHECK(!w.r.in.open && w.r.out.open);
	CHECK_STR(got(w.slave_fd), "\x04");
	settle(&w);
	CHECK_STR(got(w.slave_fd), "nothing");
	CHECK(write(w.slave_fd, "later", 5) == 5);
	settle(&w);
	CHECK_STR(got(w.out_fd), "later");
	world_close(&w);
}

/* The process is gone: what it has said comes out, and no input is read any more. */
static void process_ends(void)
{
	struct pollfd p[RELAY_POLL];
	struct world w;

	world_open(&w);
	CHECK(write(w.slave_fd, "last words", 10) == 10);
	close(w.slave_fd);
	w.slave_fd = -1;
	CHECK(relay_has_output(&w.r));
	settle(&w);
	CHECK_STR(got(w.out_fd), "last words");
	CHECK(!w.r.out.open && !w.r.in.open && !relay_has_output(&w.r));
	relay_poll(&w.r, p);
	for (int i = 0; i < RELAY_POLL; i++)
		CHECK(p[i].fd < 0);
	world_close(&w);
}

/* Nobody sees the output: the terminal is hung up, and that is no error. */
static void reader_ends(void)
{
	struct world w;

	world_open(&w);
	close(w.out_fd);
	w.out_fd = -1;
	CHECK(write(w.slave_fd, "unseen", 6) == 6);
	settle(&w);
	CHECK(w.r.master_fd < 0 && w.r.error == 0 && w.r.n_out == 0);
	CHECK(write(w.slave_fd, "x", 1) < 0 && errno == EIO);
	world_close(&w);
}

static void input_is_stopped(void)
{
	struct world w;

	world_open(&w);
	relay_stop_input(&w.r);
	CHECK(write(w.in_fd, "not read", 8) == 8 && write(w.slave_fd, "read", 4) == 4);
	settle(&w);
	CHECK_STR(got(w.slave_fd), "nothing");
	CHECK_STR(got(w.out_fd), "read");
	world_close(&w);
}

static void without_terminal(void)
{
	struct pollfd p[RELAY_POLL];
	struct relay r;

	CHECK(relay_open(&r, -1) == 0);
	relay_poll(&r, p);
	for (int i = 0; i < RELAY_POLL; i++)
		CHECK(p[i].fd < 0);
	relay_close(&r);
}

int main(void)
{
	tap_fd = fcntl(1, F_DUPFD_CLOEXEC, 10);
	signal(SIGPIPE, SIG_IGN);
	both_ways();
	one_is_full();
	process_reads_slowly();
	input_ends();
	process_ends();
	reader_ends();
	input_is_stopped();
	without_terminal();
	return check_done();
}
