/* SPDX-License-Identifier: Apache-2.0 */
#include "shim/stdio/logger.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/arena.h"

#define SCHEME    "binary://"
#define SCHEME_V2 "binary-v2://"

/* Above the numbers 3 to 5, which are the logger's descriptors. */
#define LOGGER_FD_MIN 10

bool logger_is(const char *uri)
{
	return strncmp(uri, SCHEME, strlen(SCHEME)) == 0 ||
	       strncmp(uri, SCHEME_V2, strlen(SCHEME_V2)) == 0;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Decodes one part of a query in place: escapes of RFC 3986, and "+" for a space. */
static int unescape(char *text)
{
	char *to = text;

	for (; *text; text++, to++) {
		if (*text == '%') {
			const int high = hex_digit(text[1]);
			const int low = high < 0 ? -1 : hex_digit(text[2]);

			if (low < 0 || high + low == 0)
				return -1;
			*to = (char)(high * 16 + low);
			text += 2;
		} else {
			*to = (char)(*text == '+' ? ' ' : *text);
		}
	}
	*to = '\0';
	return 0;
}

static int add_arg(char *part, char **argv, size_t *n)
{
	if (*n == LOGGER_ARGS_MAX || unescape(part) < 0)
		return -1;
	argv[(*n)++] = part;
	return 0;
}

/* "/bin/log?key=value&key=value" -> /bin/log key value key value */
static int parse_uri(char *text, char *argv[LOGGER_ARGS_MAX + 1])
{
	char *query = strchr(text, '?'), *pair;
	size_t n = 0;

	if (query)
		*query++ = '\0';
	if (text[0] != '/' || add_arg(text, argv, &n) < 0)
		return -1;
	while ((pair = strsep(&query, "&"))) {
		char *value = strchr(pair, '=');

		if (value)
			*value++ = '\0';
		if (*pair &&
			(add_arg(pair, argv, &n) < 0 || (value && add_arg(value, argv, &n) < 0)))
			return -1;
	}
	argv[n] = NULL;
	return 0;
}

static int spawn(char *const argv[], char *const env[], const int fds[3], pid_t *ret_pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none;
	int rc;

	sigemptyset(&none);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	for (int i = 0; i < 3; i++)
		posix_spawn_file_actions_adddup2(&actions, fds[i], 3 + i);
	rc = posix_spawn(ret_pid, argv[0], &actions, &attr, argv, env);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	return rc;
}

static int lift(int fd)
{
	return fcntl(fd, F_DUPFD_CLOEXEC, LOGGER_FD_MIN);
}

static int spawn_lifted(const struct logger_want *want, char *const argv[], int ready_fd,
	pid_t *ret_pid, struct sl_err *err)
{
	auto_arena struct arena *a = arena_new();
	char *const env[] = {
		arena_printf(a, "CONTAINER_ID=%s", want->id),
		arena_printf(a, "CONTAINER_NAMESPACE=%s", want->namespace),
		NULL,
	};
	auto_fd int out_fd = lift(want->out_fd), err_fd = lift(want->err_fd);
	auto_fd int lifted_fd = lift(ready_fd);
	int rc;

	if (out_fd < 0 || err_fd < 0 || lifted_fd < 0)
		return sl_err_set(err, errno, "logger");
	rc = spawn(argv, env, (const int[]){ out_fd, err_fd, lifted_fd }, ret_pid);
	return rc ? sl_err_set(err, rc, "logger %s", argv[0]) : 0;
}

int logger_start(const struct logger_want *want, struct logger *ret, struct sl_err *err)
{
	auto_arena struct arena *a = arena_new();
	const bool v2 = strncmp(want->uri, SCHEME_V2, strlen(SCHEME_V2)) == 0;
	char *text = arena_strdup(a, want->uri + strlen(v2 ? SCHEME_V2 : SCHEME));
	char *argv[LOGGER_ARGS_MAX + 1];
	auto_fd int ready_fd = -1, theirs_fd = -1, pid_fd = -1;
	int pair[2];
	pid_t pid;

	if (parse_uri(text, argv) < 0)
		return sl_err_set(err, 0,
			"logger %s: expected binary:///PROGRAM?KEY=VALUE&…, at most %d words",
			want->uri, LOGGER_ARGS_MAX);
	if (pipe2(pair, O_CLOEXEC) < 0)
		return sl_err_set(err, errno, "logger");
	ready_fd = pair[0];
	theirs_fd = pair[1];
	if (spawn_lifted(want, argv, theirs_fd, &pid, err) < 0)
		return -1;
	pid_fd = pidfd_open(pid, 0);
	if (pid_fd < 0) {
		kill(pid, SIGKILL);
		return sl_err_set(err, errno, "logger");
	}
	*ret = (struct logger){ take_fd(&pid_fd), take_fd(&ready_fd), v2 };
	return 0;
}

int logger_await(const struct logger *l, struct sl_err *err)
{
	struct pollfd p = { .fd = l->ready_fd, .events = POLLIN };
	char byte;

	if (poll(&p, 1, LOGGER_READY_MS) <= 0)
		return sl_err_set(err, ETIMEDOUT, "the logger does not get ready");
	if (read(l->ready_fd, &byte, 1) <= 0 && l->by_byte)
		return sl_err_set(err, 0, "the logger ended before it was ready");
	return 0;
}
