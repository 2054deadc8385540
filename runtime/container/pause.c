/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/container/container.h"
#include "runtime/control/control.h"

static int ask_pause(
	const struct runtime *rt, const char *id, enum control_type type, struct sl_err *err)
{
	struct control_request req = { .type = type };
	struct control_reply reply;
	auto_container struct container c = CONTAINER_NONE;

	if (container_open(rt, id, CONTAINER_CHANGE, &c, err) < 0 ||
		container_need_alive(&c, err) < 0)
		return -1;
	return control_call(c.dir_fd, &req, &reply, err);
}

int container_pause(const struct runtime *rt, const char *id, struct sl_err *err)
{
	return ask_pause(rt, id, CONTROL_PAUSE, err);
}

int container_resume(const struct runtime *rt, const char *id, struct sl_err *err)
{
	return ask_pause(rt, id, CONTROL_RESUME, err);
}
