/* SPDX-License-Identifier: Apache-2.0
 *
 * The methods of containerd.task.v2.Task, containerd.task.v3.Task and
 * containerd.runtime.sandbox.v1.Sandbox by name.
 */
#include <string.h>

#include "shim/task/inside.h"

#define METHODS(M)                                                                                 \
	M(State, state, process_request, ProcessRequest)                                           \
	M(Start, start, process_request, ProcessRequest)                                           \
	M(Delete, delete, process_request, ProcessRequest)                                         \
	M(Wait, wait, process_request, ProcessRequest)                                             \
	M(Exec, exec, exec_request, ExecRequest)                                                   \
	M(Kill, kill, kill_request, KillRequest)                                                   \
	M(Pids, pids, id_request, IdRequest)                                                       \
	M(Pause, pause, id_request, IdRequest)                                                     \
	M(Resume, resume, id_request, IdRequest)                                                   \
	M(Stats, stats, id_request, IdRequest)                                                     \
	M(Connect, connect, id_request, IdRequest)                                                 \
	M(Update, update, update_request, UpdateRequest)                                           \
	M(ResizePty, resize, resize_pty_request, ResizePtyRequest)                                 \
	M(CloseIO, close_io, close_iorequest, CloseIORequest)                                      \
	M(Shutdown, shutdown, shutdown_request, ShutdownRequest)

/* A handler that keeps the message sets it to NULL. */
#define CALL(name, fn, message, type)                                                              \
	static void call_##fn(struct shim *s, struct ttrpc_call *call, void **request)             \
	{                                                                                          \
		task_##fn(s, call, (const Task__##type *)*request);                                \
	}
METHODS(CALL)
#undef CALL

static void call_create(struct shim *s, struct ttrpc_call *call, void **request)
{
	Task__CreateRequest *r = take_ptr(*request);

	task_create(s, call, &r);
	*request = r;
}

static const struct method task_methods[] = { { "Create", call_create,
						      &task__create_request__descriptor },
#define ROW(name, fn, message, type) { #name, call_##fn, &task__##message##__descriptor },
	METHODS(ROW)
#undef ROW
		{ 0 } };

static const struct {
	const char *name;
	const struct method *methods;
} services[] = {
	{ "containerd.task.v2.Task", task_methods },
	{ "containerd.task.v3.Task", task_methods },
	{ "containerd.runtime.sandbox.v1.Sandbox", sandbox_methods },
};

static const struct method *find_method(const char *service, const char *name)
{
	for (size_t i = 0; i < sizeof(services) / sizeof(services[0]); i++) {
		if (strcmp(services[i].name, service) != 0)
			continue;
		for (const struct method *m = services[i].methods; m->name; m++)
			if (strcmp(m->name, name) == 0)
				return m;
	}
	return NULL;
}

void service_call(struct ttrpc_server *server, struct ttrpc_call *call, const char *service,
	const char *method, const uint8_t *payload, size_t n)
{
	struct shim *s = LOOP_OWNER(server, struct shim, server);
	const struct method *m = find_method(service, method);
	void *request = m ? proto_unpack(m->type, payload, n) : NULL;

	if (!m)
		ttrpc_fail(call, TTRPC_UNIMPLEMENTED,
			strcmp(method, "Checkpoint") == 0 ? "there is no checkpoint"
							  : "no such service or method");
	else if (!request)
		ttrpc_fail(
			call, TTRPC_INVALID_ARGUMENT, "the request is not a message of its type");
	else
		m->run(s, call, &request);
	proto_free(request);
}
