/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints the documents of runc: {"type": "oom"} for each process that was killed because of the
 * limit, and the statistics of container/stats.c. They also have the trapped calls and the
 * memory of each process: "sandlock": {"notifications": {"<syscall>": n, …},
 * "notifications_total": n, "network_connections": n, "network_denials": n, "tasks_refused": n,
 * "oom_kills": n, "disk_limit": n, "disk_usage": n, "processes": [{"pid": n, "rss": n, "anon": n},
 * …]}.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/cmd/cmd.h"
#include "runtime/seccomp/syscalls.h"

static const struct flag events_flags[] = {
	{ "stats", 0, FLAG_BOOL, "print one document and end" },
	{ "interval", 0, FLAG_STRING, "time between two documents, like 5s (the default)" },
	{ 0 },
};

static void open_object(struct json_gen *g, const char *key)
{
	json_gen_key(g, key);
	json_gen_object(g);
}

static void gen_empty(struct json_gen *g, const char *key)
{
	open_object(g, key);
	json_gen_end(g);
}

static void gen_cpu(struct json_gen *g, const struct control_stats *c)
{
	open_object(g, "cpu");
	open_object(g, "usage");
	json_gen_member_u64(g, "total", c->user_ns + c->system_ns);
	json_gen_member_u64(g, "kernel", c->system_ns);
	json_gen_member_u64(g, "user", c->user_ns);
	json_gen_end(g);
	open_object(g, "throttling");
	if (c->cpu_periods) {
		json_gen_member_u64(g, "periods", c->cpu_periods);
		json_gen_member_u64(g, "throttledPeriods", c->cpu_stopped);
		json_gen_member_u64(g, "throttledTime", c->cpu_stopped_ns);
	}
	json_gen_end(g);
	json_gen_end(g);
}

static void gen_memory(struct json_gen *g, const struct container_stats *st)
{
	const struct usage_memory *m = &st->memory;
	const struct control_stats *c = &st->counted;
	const bool limited = c->memory_limit != UINT64_MAX;

	static const char *const empty[] = { "swap", "kernel", "kernelTCP" };

	open_object(g, "memory");
	json_gen_member_u64(g, "cache", m->file + m->shmem);
	open_object(g, "usage");
	json_gen_member_u64(g, "limit", limited ? c->memory_limit : 0);
	json_gen_member_u64(g, "usage", m->anon + m->shmem + m->file);
	if (limited)
		json_gen_member_u64(g, "max", c->memory_peak);
	json_gen_member_u64(g, "failcnt", c->oom_kills);
	json_gen_end(g);
	for (size_t i = 0; i < sizeof(empty) / sizeof(empty[0]); i++)
		gen_empty(g, empty[i]);
	/* The names are those of memory.stat of a memory cgroup. */
	open_object(g, "raw");
	json_gen_member_u64(g, "anon", m->anon);
	json_gen_member_u64(g, "shmem", m->shmem);
	json_gen_member_u64(g, "file", m->file + m->shmem);
	json_gen_member_u64(g, "inactive_file", m->file);
	json_gen_end(g);
	json_gen_end(g);
}

static void gen_io_row(struct json_gen *g, const char *op, uint64_t value)
{
	json_gen_object(g);
	json_gen_member_u64(g, "major", 0);
	json_gen_member_u64(g, "minor", 0);
	json_gen_member_string(g, "op", op);
	json_gen_member_u64(g, "value", value);
	json_gen_end(g);
}

/* The device is not known, so its numbers are 0. */
static void gen_io(struct json_gen *g, const struct control_stats *c)
{
	open_object(g, "blkio");
	json_gen_key(g, "ioServiceBytesRecursive");
	json_gen_array(g);
	gen_io_row(g, "Read", c->read_bytes);
	gen_io_row(g, "Write", c->write_bytes);
	json_gen_end(g);
	json_gen_end(g);
}

static void gen_processes(struct json_gen *g, const struct container_stats *st)
{
	json_gen_key(g, "processes");
	json_gen_array(g);
	for (size_t i = 0; i < st->n_processes; i++) {
		json_gen_object(g);
		json_gen_member_i64(g, "pid", st->processes[i].pid);
		json_gen_member_u64(g, "rss", st->processes[i].memory.rss);
		json_gen_member_u64(g, "anon", st->processes[i].memory.anon);
		json_gen_end(g);
	}
	json_gen_end(g);
}

static void gen_sandlock(struct json_gen *g, const struct container_stats *st)
{
	const struct control_stats *c = &st->counted;

	open_object(g, "sandlock");
	open_object(g, "notifications");
	for (uint32_t i = 0; i < c->n_rows && i < CONTROL_STATS_ROWS; i++) {
		const struct syscall_row *row = syscall_row(c->rows[i].nr);

		if (row)
			json_gen_member_u64(g, row->name, c->rows[i].count);
	}
	json_gen_end(g);
	json_gen_member_u64(g, "notifications_total", c->total);
	json_gen_member_u64(g, "network_connections", c->connections);
	json_gen_member_u64(g, "network_denials", c->denials);
	json_gen_member_u64(g, "tasks_refused", c->tasks_refused);
	json_gen_member_u64(g, "oom_kills", c->oom_kills);
	if (c->disk_limit != UINT64_MAX) {
		json_gen_member_u64(g, "disk_limit", c->disk_limit);
		json_gen_member_u64(g, "disk_usage", c->disk_held);
	}
	gen_processes(g, st);
	json_gen_end(g);
}

static const char *render_stats(
	struct arena *a, const struct container *c, const struct container_stats *st)
{
	struct json_gen *g = json_gen_new(a, false);
	size_t len;

	json_gen_object(g);
	json_gen_member_string(g, "type", "stats");
	json_gen_member_string(g, "id", c->id);
	open_object(g, "data");
	gen_cpu(g, &st->counted);
	gen_memory(g, st);
	open_object(g, "pids");
	json_gen_member_u64(g, "current", st->counted.n_tasks);
	if (st->counted.tasks_limit != UINT64_MAX)
		json_gen_member_u64(g, "limit", st->counted.tasks_limit);
	json_gen_end(g);
	gen_io(g, &st->counted);
	gen_empty(g, "hugetlb");
	gen_empty(g, "intel_rdt");
	json_gen_key(g, "network_interfaces");
	json_gen_null(g);
	gen_sandlock(g, st);
	json_gen_end(g);
	json_gen_end(g);
	return json_gen_take(g, &len);
}

static void print_oom(struct arena *a, const struct container *c)
{
	struct json_gen *g = json_gen_new(a, false);
	size_t len;

	json_gen_object(g);
	json_gen_member_string(g, "type", "oom");
	json_gen_member_string(g, "id", c->id);
	json_gen_end(g);
	puts(json_gen_take(g, &len));
}

/* *oom_kills: how many kills were already printed; NULL: they are not printed. */
static int print_once(
	const struct cli *cli, const struct container *c, uint64_t *oom_kills, struct sl_err *err)
{
	auto_arena struct arena *a = arena_new();
	struct runtime rt = cli->rt;
	struct container_stats st;

	rt.arena = a; /* memory for this document only */
	if (container_stats(&rt, c, &st, err) < 0)
		return -1;
	for (; oom_kills && *oom_kills < st.counted.oom_kills; (*oom_kills)++)
		print_oom(a, c);
	puts(render_stats(a, c, &st));
	if (fflush(stdout) != 0)
		return sl_err_set(err, errno, "write the statistics");
	return 0;
}

/* A duration of Go in whole units: "5s", "100ms", "1m". */
static int read_interval(const char *text, useconds_t *ret, struct sl_err *err)
{
	char *unit;
	unsigned long v = strtoul(text, &unit, 10);
	unsigned long us = strcmp(unit, "ms") == 0  ? 1000
			   : strcmp(unit, "s") == 0 ? 1000000
			   : strcmp(unit, "m") == 0 ? 60000000
						    : 0;

	if (unit == text || us == 0 || v == 0 || v > 3600000)
		return sl_err_set(
			err, 0, "duration interval must be greater than 0, like 5s: \"%s\"", text);
	*ret = (useconds_t)(v * us);
	return 0;
}

static int stats_run(struct cli *cli, const struct flags *f, struct sl_err *err)
{
	const char *interval = flags_string(f, "interval");
	auto_container struct container c = CONTAINER_NONE;
	uint64_t oom_kills = 0;
	useconds_t pause;

	if (read_interval(interval ? interval : "5s", &pause, err) < 0 ||
		container_open(&cli->rt, f->args[0], CONTAINER_READ, &c, err) < 0 ||
		container_need_alive(&c, err) < 0)
		return CMD_ERROR;
	if (flags_bool(f, "stats"))
		return print_once(cli, &c, NULL, err) < 0 ? CMD_ERROR : 0;
	while (proc_alive(c.proc_fd, &c.record.supervisor)) {
		if (print_once(cli, &c, &oom_kills, err) < 0)
			break; /* the container has ended, which ends the stream */
		usleep(pause);
	}
	return 0;
}

const struct command cmd_events = {
	.name = "events",
	.usage = "<container-id>",
	.summary = "print what a container uses (JSON, one document a line)",
	.flags = events_flags,
	.min_args = 1,
	.max_args = 1,
	.failure_status = 1,
	.run = stats_run,
};
