/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/io.h"
#include "runtime/store/store.h"
#include "runtime/supervisor/internal.h"

void stats_take(struct supervisor *s, struct control_stats *ret)
{
	struct control_stats st = { .total = s->notif.total };
	struct memory_stats mem = { .limit = UINT64_MAX };
	const uint64_t ran_ns = s->budget ? budget_ran_ns(s->budget) : 0;
	struct usage_now u;

	usage_look(&s->usage, &s->members, ran_ns, &u);
	st.user_ns = u.counters[USAGE_USER_NS];
	st.system_ns = u.counters[USAGE_SYSTEM_NS];
	st.read_bytes = u.counters[USAGE_READ_BYTES];
	st.write_bytes = u.counters[USAGE_WRITE_BYTES];
	st.n_processes = u.n_processes;
	st.n_tasks = u.n_tasks;
	if (s->memory)
		memory_stats(s->memory, &mem);
	st.memory_limit = mem.limit;
	st.memory_held = mem.held;
	st.memory_peak = mem.peak;
	st.oom_kills = mem.kills;
	st.disk_limit = s->disk ? s->limits.disk : UINT64_MAX;
	st.disk_held = s->disk ? disk_held(s->disk) : 0;
	st.tasks_limit = s->tasks ? tasks_limit(s->tasks) : UINT64_MAX;
	if (s->budget) {
		const struct budget_counts b = budget_counts(s->budget);

		st.cpu_periods = b.periods;
		st.cpu_stopped = b.stopped;
		st.cpu_stopped_ns = b.stopped_ns;
	}
	st.tasks_refused = s->tasks ? tasks_refused(s->tasks) : 0;
	st.connections = s->net ? net_connections(s->net) : 0;
	st.denials = s->net ? net_denials(s->net) : 0;
	for (int nr = 0; nr < NOTIF_NR_END && st.n_rows < CONTROL_STATS_ROWS; nr++) {
		if (s->notif.counts[nr] == 0)
			continue;
		st.rows[st.n_rows].nr = nr;
		st.rows[st.n_rows++].count = s->notif.counts[nr];
	}
	*ret = st;
}

void stats_leave(struct supervisor *s)
{
	struct control_stats st;
	struct sl_err err;

	stats_take(s, &st);
	st.ended = 1;
	st.status = ending_of_main(s);
	io_replace_file(s->dir_fd, STORE_STATS, &st, sizeof(st), 0600, &err);
}
