/* SPDX-License-Identifier: Apache-2.0 */
#include <unistd.h>

#include "shim/task/inside.h"

/* The time that clients have to read the last answer, and containerd to take the last events. */
#define LEAVE_MS 3000

/* When an answer and the end of the connection arrive together, containerd loses the answer. So the
 * shim ends a little later. */
#define LEAVE_SANDBOX_MS 200

static void shutdown_leave(struct loop_timer *t)
{
	LOOP_OWNER(t, struct shim, leaving)->over = true;
}

/* Removes the socket, so that a `start` for another container of the pod makes a new shim. */
void shutdown_begin(struct shim *s, enum shutdown_pace pace)
{
	if (s->leaving.due)
		return;
	unlink(s->socket_path);
	ttrpc_server_stop(&s->server);
	loop_set_timer(&s->loop, &s->leaving,
		clock_now_ms() + (pace == SHUTDOWN_AT_ONCE ? LEAVE_MS : LEAVE_SANDBOX_MS),
		shutdown_leave);
	s->leaves_at_once = pace == SHUTDOWN_AT_ONCE;
}

void task_shutdown(struct shim *s, struct ttrpc_call *call, const Task__ShutdownRequest *r)
{
	(void)r;
	if (s->n_tasks == 0 && !s->pod)
		shutdown_begin(s, SHUTDOWN_AT_ONCE);
	answer_empty(call);
}
