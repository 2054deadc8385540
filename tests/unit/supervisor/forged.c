/* SPDX-License-Identifier: Apache-2.0
 *
 * Somebody who is not init speaks over init's end of the channel: the supervisor
 * drops what it says, closes what it sends along, and hears init.
 */
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/io.h"
#include "runtime/supervisor/internal.h"
#include "tests/unit/check.h"

static bool say(int fd, enum init_msg_type type, int passed_fd)
{
	const struct init_msg m = { .type = type, .pid = 1 };

	return io_send_fds(fd, &m, sizeof(m), &passed_fd, passed_fd >= 0) == 0;
}

static bool say_nothing(int fd, enum init_msg_type type, int passed_fd)
{
	(void)type;
	(void)passed_fd;
	return io_send_fds(fd, "", 0, NULL, 0) == 0;
}

static bool pass_many(int fd, enum init_msg_type type, int passed_fd)
{
	const struct init_msg m = { .type = type };
	const int fds[] = { passed_fd, passed_fd, passed_fd };

	return io_send_fds(fd, &m, sizeof(m), fds, 3) == 0;
}

/* From a process that is not init. */
static void forge_by(
	bool (*way)(int, enum init_msg_type, int), int fd, enum init_msg_type type, int passed_fd)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(!way(fd, type, passed_fd));
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}

static void forge(int fd, enum init_msg_type type, int passed_fd)
{
	forge_by(say, fd, type, passed_fd);
}

int main(void)
{
	static struct supervisor s;
	struct init_msg m = { 0 };
	struct sl_err err = { .code = 0 };
	int pair[2], next, passed_fd = open("/dev/null", O_RDWR | O_CLOEXEC), fd = -1;

	CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0);
	CHECK(io_name_senders(pair[0]) == 0 && io_name_senders(pair[1]) == 0);
	s.channel_fd = pair[0];
	s.record.init.pid = getpid(); /* the one init here */
	next = dup(0);
	close(next);

	forge(pair[1], INIT_EMPTY, -1);
	forge(pair[1], INIT_SPAWNED, passed_fd);
	forge(pair[1], INIT_FAILED, -1);
	CHECK(say(pair[1], INIT_CONFINED, passed_fd));
	CHECK(init_link_expect(&s, INIT_CONFINED, &m, &fd, &err) == 0);
	CHECK(m.type == INIT_CONFINED && fd == next);

	forge(pair[1], INIT_EMPTY, -1);
	CHECK(init_link_receive(&s, &m, NULL) < 0 && errno == EAGAIN);
	forge_by(say_nothing, pair[1], 0, -1);
	CHECK(init_link_receive(&s, &m, NULL) < 0 && errno == EAGAIN);
	forge_by(pass_many, pair[1], INIT_SPAWNED, passed_fd);
	CHECK(init_link_receive(&s, &m, NULL) < 0 && errno == EAGAIN);
	close(pair[1]);
	CHECK(init_link_receive(&s, &m, NULL) == 0);
	return check_done();
}
