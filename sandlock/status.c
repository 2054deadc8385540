/* SPDX-License-Identifier: Apache-2.0 */
#include "sandlock/status.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "runtime/base/daemon.h"
#include "runtime/base/io.h"

int status_open(struct status_pipe *s, const char *number, struct sl_err *err)
{
	char *end;
	long fd;
	int mode;

	s->fd = -1;
	if (!number)
		return 0;
	fd = strtol(number, &end, 10);
	if (*number < '0' || *number > '9' || *end || fd > INT_MAX)
		return sl_err_set(
			err, 0, "--status-fd %s: expected the number of a descriptor", number);
	mode = fcntl((int)fd, F_GETFL);
	if (mode < 0)
		return sl_err_set(err, errno, "--status-fd %s", number);
	if ((mode & O_ACCMODE) == O_RDONLY)
		return sl_err_set(
			err, EBADF, "--status-fd %s: it is open for reading only", number);
	s->fd = (int)fd;
	return 0;
}

static void tell(const struct status_pipe *s, int exit_code, int sig)
{
	char signal_text[16] = "null", line[64];

	if (s->fd < 0)
		return;
	if (sig)
		snprintf(signal_text, sizeof(signal_text), "%d", sig);
	snprintf(line, sizeof(line), "{\"exit_code\": %d, \"signal\": %s}\n", exit_code,
		signal_text);
	/* Whoever asked may be gone. */
	(void)!io_write_all(s->fd, line, strlen(line));
}

int status_tell(const struct status_pipe *s, int status)
{
	const int exit_code = daemon_exit_code(status);

	tell(s, exit_code, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
	return exit_code;
}

int status_tell_failure(const struct status_pipe *s, int exit_code)
{
	tell(s, exit_code, 0);
	return exit_code;
}
