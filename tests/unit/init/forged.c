/* SPDX-License-Identifier: Apache-2.0
 *
 * init does what its supervisor says, and drops what comes from anybody else who holds the
 * same socket.
 */
#include "runtime/init/init.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "tests/unit/check.h"

static bool say(int fd, enum init_msg_type type)
{
	const struct init_msg m = { .type = type };

	return io_send_fds(fd, &m, sizeof(m), NULL, 0) == 0;
}

/* The same from a process that is not the supervisor. */
static void forge(int fd, enum init_msg_type type)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(!say(fd, type));
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}

static enum init_msg_type hear(int fd, pid_t *ret_sender)
{
	struct init_msg m = { 0 };
	size_t n;

	return io_recv_from(fd, &m, sizeof(m), NULL, 0, &n, ret_sender) > 0 ? m.type : 0;
}

int main(void)
{
	struct sl_err err;
	const struct init_namespace none = { .empty_fd = -1, .root_fd = -1 };
	int pair[2], status;
	pid_t init, sender;

	CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0);
	CHECK(io_name_senders(pair[0]) == 0 && io_name_senders(pair[1]) == 0);
	if (!CHECK(init_fork(pair[1], &none, &init, &err) == 0))
		return check_done();
	CHECK(hear(pair[0], &sender) == INIT_HELLO && sender == init);
	/* Acted on, the first would end it and the others would be answered. */
	forge(pair[0], INIT_END);
	forge(pair[0], INIT_SPAWN);
	forge(pair[0], INIT_CONFINE);
	CHECK(say(pair[0], INIT_SPAWN));
	CHECK(hear(pair[0], &sender) == INIT_FAILED && sender == init);
	CHECK(recv(pair[0], &status, sizeof(status), MSG_DONTWAIT) < 0);
	CHECK(say(pair[0], INIT_END));
	CHECK(hear(pair[0], &sender) == INIT_EMPTY && sender == init);
	CHECK(waitpid(init, &status, 0) == init && status == 0);
	return check_done();
}
