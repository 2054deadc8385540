/* SPDX-License-Identifier: Apache-2.0
 *
 * The clients' side of the socket: nobody there, a reply, a failure, an end without an answer.
 */
#include "runtime/control/control.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "runtime/base/cleanup.h"
#include "tests/unit/check.h"

/* Answers one request in a process of its own; type 0: hangs up. */
static pid_t server(int listen_fd, uint32_t type)
{
	pid_t pid = fork();

	if (pid == 0) {
		struct control_reply reply = { .type = type };
		struct control_request req;
		int fd = -1;

		while (fd < 0)
			fd = accept(listen_fd, NULL, NULL);
		if (type == CONTROL_FAILED)
			sl_err_set(&reply.err, ENOSPC, "some step");
		if (recv(fd, &req, sizeof(req), 0) != sizeof(req) || req.magic != CONTROL_MAGIC)
			_exit(1);
		if (type)
			io_send_fds(fd, &reply, sizeof(reply), NULL, 0);
		_exit(0);
	}
	return pid;
}

static int call(int dir_fd, int listen_fd, uint32_t answer, struct sl_err *err)
{
	struct control_request req = { .type = CONTROL_STATS };
	struct control_reply reply = { 0 };
	pid_t pid = server(listen_fd, answer);
	int status, rc = control_call(dir_fd, &req, &reply, err);

	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	if (rc == 0)
		CHECK(reply.type == answer);
	return rc;
}

int main(void)
{
	char dir[] = "/tmp/sandlock-control-XXXXXX", path[64];
	struct control_request req = { .type = CONTROL_START };
	struct control_reply reply;
	auto_fd int dir_fd = -1, listen_fd = -1;
	struct sl_err err;

	CHECK(mkdtemp(dir) != NULL);
	dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CHECK_ERR_CONTAINS(control_call(dir_fd, &req, &reply, &err), err, "container not running");
	listen_fd = io_unix_listen(dir_fd, "control.sock", SOCK_SEQPACKET);
	CHECK(listen_fd >= 0);
	CHECK(call(dir_fd, listen_fd, CONTROL_DONE, &err) == 0);
	CHECK(call(dir_fd, listen_fd, CONTROL_STATS_REPLY, &err) == 0);
	CHECK_ERR_CONTAINS(call(dir_fd, listen_fd, CONTROL_FAILED, &err), err, "some step");
	CHECK(err.code == ENOSPC);
	CHECK_ERR_CONTAINS(call(dir_fd, listen_fd, 0, &err), err, "container not running");
	drop_fd(&listen_fd);
	/* The name is still there, the listener is not: a supervisor that was killed. */
	CHECK_ERR_CONTAINS(control_call(dir_fd, &req, &reply, &err), err, "container not running");
	snprintf(path, sizeof(path), "%s/control.sock", dir);
	unlink(path);
	rmdir(dir);
	return check_done();
}
