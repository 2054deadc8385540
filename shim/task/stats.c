/* SPDX-License-Identifier: Apache-2.0 */
#include "shim/stats/stats.h"
#include "shim/task/inside.h"

static int stats_look(const void *arg, struct worker_result *ret, struct sl_err *err)
{
	const struct ask *ask = arg;
	const struct runtime rt = work_runtime(ask->task);
	auto_container struct container c = CONTAINER_NONE;
	Task__StatsResponse r = TASK__STATS_RESPONSE__INIT;
	Common__Any any = COMMON__ANY__INIT;
	struct proto_bytes metrics, b;
	struct container_stats st;

	if (container_open(&rt, ask->task->id, CONTAINER_READ, &c, err) < 0 ||
		container_stats(&rt, &c, &st, err) < 0)
		return -1;
	if (stats_pack(&st, &metrics) < 0)
		return sl_err_set(err, ENOMEM, "stats");
	any.type_url = (char *)STATS_TYPE;
	any.value.data = metrics.data;
	any.value.len = metrics.n;
	r.stats = &any;
	if (proto_pack(&r, &b) < 0)
		return sl_err_set(err, ENOMEM, "stats");
	ret->bytes = b.data;
	ret->n_bytes = b.n;
	return 0;
}

void task_stats(struct shim *s, struct ttrpc_call *call, const Task__IdRequest *r)
{
	struct task *t = task_of_call(s, call, r->id);
	const struct ask ask = { .run = stats_look };

	if (t)
		ask_begin(t, call, &ask);
}
