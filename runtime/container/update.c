/* SPDX-License-Identifier: Apache-2.0
 *
 * New resources are read and checked, so that a caller's mistake is told; limits are not built yet
 * (see the support table), so nothing changes, as create says of the same fields.
 */
#include "runtime/container/container.h"

int container_update(
	const struct runtime *rt, const struct container_update *req, struct sl_err *err)
{
	struct spec_resources r;
	auto_container struct container c = CONTAINER_NONE;

	if (req->resources &&
		spec_load_resources(rt->arena, req->resources, req->n_resources, &r, err) < 0)
		return -1;
	if (container_open(rt, req->id, CONTAINER_READ, &c, err) < 0)
		return -1;
	return container_need_alive(&c, err);
}
