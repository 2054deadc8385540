/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "runtime/container/container.h"
#include "runtime/control/control.h"

/* Other names of signals, which kill(1) and the kernel accept as well. */
static const struct {
	const char *name;
	int sig;
} signal_aliases[] = {
	{ "IOT", SIGABRT },
	{ "CLD", SIGCHLD },
	{ "IO", SIGIO },
};

int container_parse_signal(const char *text, int *ret, struct sl_err *err)
{
	const char *name = strncasecmp(text, "SIG", 3) == 0 ? text + 3 : text;
	char *end;
	long v = strtol(text, &end, 10);

	if (end != text && !*end && v >= 0 && v <= SIGRTMAX) {
		*ret = (int)v;
		return 0;
	}
	for (int sig = 1; sig < SIGRTMIN; sig++) {
		const char *abbrev = sigabbrev_np(sig);

		if (abbrev && strcasecmp(abbrev, name) == 0) {
			*ret = sig;
			return 0;
		}
	}
	for (size_t i = 0; i < sizeof(signal_aliases) / sizeof(signal_aliases[0]); i++) {
		if (strcasecmp(name, signal_aliases[i].name) == 0) {
			*ret = signal_aliases[i].sig;
			return 0;
		}
	}
	if (strncasecmp(name, "RTMIN", 5) == 0 || strncasecmp(name, "RTMAX", 5) == 0) {
		int base = toupper((unsigned char)name[3]) == 'I' ? SIGRTMIN : SIGRTMAX;

		v = name[5] ? strtol(name + 5, &end, 10) : 0;
		if ((!name[5] || !*end) && base + v >= SIGRTMIN && base + v <= SIGRTMAX) {
			*ret = base + (int)v;
			return 0;
		}
	}
	return sl_err_set(err, 0, "unknown signal \"%s\"", text);
}

static int signal_main(const struct container *c, int sig, struct sl_err *err)
{
	if (container_need_alive(c, err) < 0)
		return -1;
	if (proc_signal(c->proc_fd, &c->record.workload, sig) == 0)
		return 0;
	if (errno == ESRCH)
		return sl_err_set(err, 0, "container not running");
	return sl_err_set(err, errno, "signal %d to %s", sig, c->id);
}

static int signal_everyone(const struct container *c, int sig, struct sl_err *err)
{
	struct control_request req = { .type = CONTROL_SIGNAL_ALL, .signal = sig };
	struct control_reply reply;

	/* A stopped container has no process left to signal. */
	if (c->status == RECORD_STOPPED)
		return 0;
	/* When the main process ends, init kills all others. This works even if the supervisor
	 * hangs. */
	if (sig == SIGKILL)
		return signal_main(c, sig, err);
	return control_call(c->dir_fd, &req, &reply, err);
}

int container_signal(
	const struct container *c, int sig, enum container_target target, struct sl_err *err)
{
	return target == CONTAINER_EVERYONE ? signal_everyone(c, sig, err)
					    : signal_main(c, sig, err);
}
