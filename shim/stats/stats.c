/* SPDX-License-Identifier: Apache-2.0 */
#include "shim/stats/stats.h"

#include "shim/proto/metrics.pb-c.h"

#define NS_PER_USEC 1000

int stats_pack(const struct container_stats *st, struct proto_bytes *ret)
{
	const struct control_stats *c = &st->counted;
	Metrics__Metrics m = METRICS__METRICS__INIT;
	Metrics__Pids pids = METRICS__PIDS__INIT;
	Metrics__Cpu cpu = METRICS__CPU__INIT;
	Metrics__Memory memory = METRICS__MEMORY__INIT;
	Metrics__IoEntry storage = METRICS__IO_ENTRY__INIT;
	Metrics__IoEntry *entries[] = { &storage };
	Metrics__Io io = METRICS__IO__INIT;
	Metrics__MemoryEvents events = METRICS__MEMORY_EVENTS__INIT;

	pids.current = c->n_tasks;
	pids.limit = c->tasks_limit;
	cpu.user_usec = c->user_ns / NS_PER_USEC;
	cpu.system_usec = c->system_ns / NS_PER_USEC;
	cpu.usage_usec = (c->user_ns + c->system_ns) / NS_PER_USEC;
	cpu.nr_periods = c->cpu_periods;
	cpu.nr_throttled = c->cpu_stopped;
	cpu.throttled_usec = c->cpu_stopped_ns / NS_PER_USEC;
	memory.anon = st->memory.anon;
	memory.shmem = st->memory.shmem;
	memory.file = st->memory.file + st->memory.shmem;
	/* Clients subtract inactive_file from the usage to get the working set. */
	memory.inactive_file = st->memory.file;
	memory.usage = st->memory.anon + st->memory.shmem + st->memory.file;
	memory.usage_limit = c->memory_limit;
	memory.max_usage = c->memory_peak;
	events.oom = events.oom_kill = c->oom_kills;
	storage.rbytes = c->read_bytes;
	storage.wbytes = c->write_bytes;
	io.n_usage = 1;
	io.usage = entries;
	m.pids = &pids;
	m.cpu = &cpu;
	m.memory = &memory;
	m.io = &io;
	m.memory_events = &events;
	return proto_pack(&m, ret);
}
