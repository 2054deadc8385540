/* SPDX-License-Identifier: Apache-2.0
 *
 * A static program for containers without a shell's comforts: one verb, one answer.
 */
#include "tests/helpers/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int probe_result(long r)
{
	puts(r < 0 ? strerrorname_np(errno) : "ok");
	return 0;
}

static int probe_open(int argc, char **argv)
{
	int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;

	if (argc < 1)
		return 2;
	if (argc > 1 && strcmp(argv[1], "rw") == 0)
		flags = O_RDWR | O_CLOEXEC | O_NONBLOCK;
	return probe_result(open(argv[0], flags));
}

/* Number of arguments after the verb, and their bytes with the final NULs. */
static int probe_args(int argc, char **argv)
{
	size_t bytes = 0;

	for (int i = 0; i < argc; i++)
		bytes += strlen(argv[i]) + 1;
	printf("%d %zu\n", argc, bytes);
	return 0;
}

static int probe_env(int argc, char **argv)
{
	size_t n = 0;

	(void)argc;
	(void)argv;
	for (char **e = environ; *e; e++)
		n++;
	printf("%zu\n", n);
	return 0;
}

static int probe_euid(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	printf("%u\n", geteuid());
	return 0;
}

static const struct verb {
	const char *name;
	int (*run)(int argc, char **argv);
} verbs[] = {
	{ "open", probe_open },
	{ "args", probe_args },
	{ "env", probe_env },
	{ "euid", probe_euid },
	{ "tcp", probe_tcp },
	{ "udp", probe_udp },
	{ "listen", probe_listen },
	{ "socket", probe_socket },
	{ "unix", probe_unix },
	{ "abstract", probe_abstract },
	{ "autobind", probe_autobind },
	{ "hold", probe_hold },
	{ "unixread", probe_unixread },
	{ "storm", probe_storm },
	{ "daemon", probe_daemon },
	{ "die", probe_die },
	{ "sched", probe_sched },
	{ "ioprio", probe_ioprio },
	{ "personality", probe_personality },
	{ "fds", probe_fds },
	{ "signal", probe_signal },
	{ "signalled", probe_signalled },
	{ "ask", probe_ask },
	{ "change", probe_change },
	{ "timer", probe_timer },
	{ "notify", probe_notify },
	{ "activated", probe_activated },
};

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t i = 0; argc > 1 && i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (strcmp(argv[1], verbs[i].name) == 0)
			return verbs[i].run(argc - 2, argv + 2);
	}
	fputs("probe: no such verb\n", stderr);
	return 2;
}
