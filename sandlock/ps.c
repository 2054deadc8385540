/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "runtime/base/io.h"
#include "runtime/base/printable.h"
#include "runtime/store/store.h"
#include "sandbox/sandbox.h"
#include "sandlock/sandlock.h"

#define COMMAND_BYTES_MAX 4096
#define ROW               "%-20s %-10s %-8s %-10s %-20s %s\n"

static const char *uptime(struct arena *a, const struct timespec *since)
{
	struct timespec now;
	long s;

	clock_gettime(CLOCK_REALTIME, &now);
	s = now.tv_sec > since->tv_sec ? (long)(now.tv_sec - since->tv_sec) : 0;
	if (s < 60)
		return arena_printf(a, "%lds", s);
	if (s < 3600)
		return arena_printf(a, "%ldm%02lds", s / 60, s % 60);
	if (s < 86400)
		return arena_printf(a, "%ldh%02ldm", s / 3600, s / 60 % 60);
	return arena_printf(a, "%ldd%02ldh", s / 86400, s / 3600 % 24);
}

/* The port in the sandbox and the port of the host: "8080→50503,53→53". */
static const char *ports(struct arena *a, const struct spec_state *s)
{
	const char *text = "";

	for (size_t i = 0; i < s->n_ports; i++)
		text = arena_printf(a, "%s%s%u→%u", text, i ? "," : "", s->ports[i].container_port,
			s->ports[i].host_port);
	return *text ? text : "-";
}

/* The words of the command as it is now, which the command itself can change. */
static const char *command_line(struct arena *a, const struct container *c)
{
	char path[32];
	char *text;
	size_t n;
	struct sl_err ignored;

	snprintf(path, sizeof(path), "%d/cmdline", c->record.workload.pid);
	if (io_read_file(a, c->proc_fd, path, COMMAND_BYTES_MAX, &text, &n, &ignored) < 0 ||
		!proc_alive(c->proc_fd, &c->record.workload))
		return "-";
	for (size_t i = 0; i + 1 < n; i++)
		if (text[i] == '\0')
			text[i] = ' ';
	return printable_text(a, text, false);
}

static void ps_row(struct runtime *rt, const struct container *c)
{
	struct spec_state state;

	container_state(rt, c, &state);
	container_ports(rt, c, &state);
	printf(ROW, c->id, arena_printf(rt->arena, "%d", c->record.workload.pid),
		uptime(rt->arena, &state.created), state.status, ports(rt->arena, &state),
		command_line(rt->arena, c));
}

/* One whose supervisor was killed is removed. Returns whether it was printed. */
static bool list_one(struct runtime *rt, const char *id, bool is_first)
{
	auto_container struct container c = CONTAINER_NONE;
	struct sl_err ignored;

	if (container_open(rt, id, CONTAINER_READ, &c, &ignored) < 0)
		return false;
	if (c.status == RECORD_STOPPED) {
		container_delete(rt, id, CONTAINER_DELETE_STOPPED, &ignored);
		return false;
	}
	if (is_first)
		printf(ROW, "NAME", "PID", "UPTIME", "STATUS", "PORTS", "CMD");
	ps_row(rt, &c);
	return true;
}

int sandlock_ps(struct runtime *rt, int argc, char **argv, char *const *all)
{
	auto_fd int root_fd = -1;
	struct sl_err err;
	bool any = false;
	char **ids;

	(void)all;
	if (sandlock_helped(argc, argv, "ps\n\nlists the sandboxes of this user that run"))
		return 0;
	if (argc > 0) {
		sl_err_set(&err, 0, "ps takes no arguments: \"%s\"", argv[0]);
		return sandlock_fail(rt, &err);
	}
	rt->root = sandbox_state_root(rt->arena, &err);
	if (!rt->root || store_open_root(rt->root, false, &root_fd, &err) < 0 ||
		store_list(rt->arena, root_fd, &ids, &err) < 0)
		return sandlock_fail(rt, &err);
	for (; *ids; ids++)
		any |= list_one(rt, *ids, !any);
	if (!any)
		puts("No running sandboxes.");
	return fflush(stdout) == 0 ? 0 : STATUS_FAILED;
}
