/* SPDX-License-Identifier: Apache-2.0
 *
 * New limits go to the supervisor. The whole document is read and checked, so that a caller's
 * mistake is told; members that a cgroup alone could honour change nothing, as create says of them.
 */
#include "runtime/container/container.h"

/* As CONTROL_UPDATE has it: docker and the CRI write 0 for what they do not change. */
static uint64_t asked_of(bool has, int64_t limit)
{
	if (!has || limit == 0)
		return 0;
	return limit < 0 ? UINT64_MAX : (uint64_t)limit;
}

int container_update(
	const struct runtime *rt, const struct container_update *req, struct sl_err *err)
{
	struct control_request change = { .type = CONTROL_UPDATE };
	struct spec_resources r = { 0 };
	auto_container struct container c = CONTAINER_NONE;
	struct control_reply reply;

	if (req->resources &&
		spec_load_resources(rt->arena, req->resources, req->n_resources, &r, err) < 0)
		return -1;
	change.memory_limit = asked_of(r.has_memory_limit, r.memory_limit);
	change.tasks_limit = asked_of(r.has_pids_limit, r.pids_limit);
	if (container_open(rt, req->id, CONTAINER_READ, &c, err) < 0 ||
		container_need_alive(&c, err) < 0)
		return -1;
	return control_call(c.dir_fd, &change, &reply, err);
}
