/* SPDX-License-Identifier: Apache-2.0
 *
 * containerd.runtime.sandbox.v1.Sandbox: the pod. A shim has at most one.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "shim/sandbox/sandbox.h"
#include "shim/stats/stats.h"
#include "shim/task/inside.h"

static struct pod *pod_of_call(struct shim *s, struct ttrpc_call *call, const char *id)
{
	if (s->pod && strcmp(s->pod->id, id) == 0 && s->pod->stage != POD_MAKING)
		return s->pod;
	ttrpc_fail(call, TTRPC_NOT_FOUND, "sandbox does not exist");
	return NULL;
}

static void free_pod(struct pod *pod)
{
	free(pod->id);
	free(pod->bundle);
	free(pod->netns);
	proto_free(pod->config);
	free(pod);
}

static int make_files(const void *arg, struct worker_result *ret, struct sl_err *err)
{
	const struct pod *pod = arg;
	struct sl_err ignored;

	(void)ret;
	if (sandbox_make_files(pod->bundle, pod->config, err) == 0)
		return 0;
	sandbox_remove_files(pod->bundle, &ignored);
	return -1;
}

static int remove_files(const void *arg, struct worker_result *ret, struct sl_err *err)
{
	const struct pod *pod = arg;

	(void)ret;
	return sandbox_remove_files(pod->bundle, err);
}

static void pod_create_failed(struct shim *s, const struct sl_err *err)
{
	answer_error(take_ptr(s->pod->call), err);
	free_pod(take_ptr(s->pod));
}

static void unmade_files(void *ctx, struct worker_result *r, const struct sl_err *err)
{
	struct sl_err killed;

	(void)r;
	sl_err_set(&killed, 0, "the process that made the files of the sandbox was killed");
	pod_create_failed(ctx, err ? err : &killed);
}

static void made_files(void *ctx, struct worker_result *r, const struct sl_err *err)
{
	struct shim *s = ctx;
	const struct worker_job undo = {
		.run = remove_files, .arg = s->pod, .done = unmade_files, .ctx = s
	};
	struct sl_err undo_err;

	if (r->died && worker_start(&s->workers, &undo, &undo_err) == 0)
		return;
	if (err) {
		pod_create_failed(s, err);
		return;
	}
	s->pod->stage = POD_CREATED;
	answer_empty(take_ptr(s->pod->call));
}

static struct pod *new_pod(const Sandbox__CreateRequest *r)
{
	struct pod *pod = calloc(1, sizeof(*pod));

	if (!pod)
		return NULL;
	pod->id = strdup(r->sandbox_id);
	pod->bundle = strdup(r->bundle_path);
	pod->netns = strdup(r->netns_path);
	if (pod->id && pod->bundle && pod->netns)
		return pod;
	free_pod(pod);
	return NULL;
}

/* Options of another type do not describe the files; copies of the host's are used then. */
static int take_config(struct pod *pod, const Common__Any *options)
{
	if (!options || !proto_is(options, "runtime.v1.PodSandboxConfig"))
		return 0;
	pod->config = proto_unpack(
		&sandbox__pod_config__descriptor, options->value.data, options->value.len);
	return pod->config ? 0 : -1;
}

static void pod_create(struct shim *s, struct ttrpc_call *call, const Sandbox__CreateRequest *r)
{
	struct worker_job job = { .run = make_files, .done = made_files, .ctx = s };
	struct sl_err err;

	if (s->pod || s->leaving.due) {
		ttrpc_fail(call, TTRPC_ALREADY_EXISTS, "the shim has a sandbox already");
		return;
	}
	if (r->bundle_path[0] != '/' || r->n_rootfs) {
		ttrpc_fail(call, TTRPC_INVALID_ARGUMENT,
			"expected an absolute bundle_path, and no rootfs: the sandbox runs "
			"nothing");
		return;
	}
	s->pod = new_pod(r);
	if (!s->pod) {
		ttrpc_fail(call, TTRPC_RESOURCE_EXHAUSTED, "no memory");
		return;
	}
	job.arg = s->pod;
	if (take_config(s->pod, r->options) < 0) {
		ttrpc_fail(call, TTRPC_INVALID_ARGUMENT, "options: not a PodSandboxConfig");
		free_pod(take_ptr(s->pod));
	} else if (worker_start(&s->workers, &job, &err) < 0) {
		answer_error(call, &err);
		free_pod(take_ptr(s->pod));
	} else {
		s->pod->call = call;
	}
}

static void pod_start(struct shim *s, struct ttrpc_call *call, const Sandbox__IdRequest *r)
{
	struct pod *pod = pod_of_call(s, call, r->sandbox_id);
	Sandbox__StartResponse a = SANDBOX__START_RESPONSE__INIT;
	Common__Timestamp at;
	struct sl_err err;

	if (!pod)
		return;
	if (pod->stage != POD_CREATED) {
		ttrpc_fail(call, TTRPC_FAILED_PRECONDITION, "the sandbox was started already");
		return;
	}
	pod->pid = sandbox_hold(pod->netns, pod->config, &err);
	if (pod->pid < 0) {
		answer_error(call, &err);
		return;
	}
	pod->stage = POD_READY;
	clock_gettime(CLOCK_REALTIME, &pod->created_at);
	at = proto_time(pod->created_at);
	a.pid = (uint32_t)pod->pid;
	a.created_at = &at;
	ttrpc_answer(call, &a);
}

static void answer_waiters(struct pod *pod)
{
	Sandbox__WaitResponse a = SANDBOX__WAIT_RESPONSE__INIT;
	Common__Timestamp at = proto_time(pod->exited_at);

	a.exit_status = pod->exit_status;
	a.exited_at = &at;
	while (pod->waiters)
		ttrpc_answer(pod->waiters, &a);
}

void sandbox_stop(struct shim *s, uint32_t exit_status)
{
	struct pod *pod = s->pod;

	if (pod->stage == POD_STOPPED)
		return;
	if (pod->pid > 0 && !pod->holder_ended)
		kill(pod->pid, SIGKILL); /* a child that was not reaped has its pid */
	pod->stage = POD_STOPPED;
	pod->exit_status = exit_status;
	clock_gettime(CLOCK_REALTIME, &pod->exited_at);
	answer_waiters(pod);
}

static void pod_stop(struct shim *s, struct ttrpc_call *call, const Sandbox__StopRequest *r)
{
	if (!pod_of_call(s, call, r->sandbox_id))
		return;
	sandbox_stop(s, 0);
	answer_empty(call);
}

static void pod_wait(struct shim *s, struct ttrpc_call *call, const Sandbox__IdRequest *r)
{
	struct pod *pod = pod_of_call(s, call, r->sandbox_id);

	if (!pod)
		return;
	ttrpc_park(call, &pod->waiters);
	if (pod->stage == POD_STOPPED)
		answer_waiters(pod);
}

static void pod_status(struct shim *s, struct ttrpc_call *call, const Sandbox__IdRequest *r)
{
	const struct pod *pod = pod_of_call(s, call, r->sandbox_id);
	Sandbox__StatusResponse a = SANDBOX__STATUS_RESPONSE__INIT;
	Common__Timestamp created, exited;

	if (!pod)
		return;
	created = proto_time(pod->created_at);
	exited = proto_time(pod->exited_at);
	a.sandbox_id = pod->id;
	a.pid = (uint32_t)pod->pid;
	a.state = (char *)(pod->stage == POD_READY ? "SANDBOX_READY" : "SANDBOX_NOTREADY");
	a.created_at = &created;
	a.exited_at = pod->stage == POD_STOPPED ? &exited : NULL;
	ttrpc_answer(call, &a);
}

static void pod_platform(struct shim *s, struct ttrpc_call *call, const Sandbox__IdRequest *r)
{
	Sandbox__PlatformResponse a = SANDBOX__PLATFORM_RESPONSE__INIT;
	Sandbox__PlatformOf p = SANDBOX__PLATFORM_OF__INIT;
	struct utsname u;

	(void)s;
	(void)r;
	uname(&u);
	p.os = (char *)"linux";
	/* Go's names of processors. */
	p.architecture = strcmp(u.machine, "x86_64") == 0    ? (char *)"amd64"
			 : strcmp(u.machine, "aarch64") == 0 ? (char *)"arm64"
							     : u.machine;
	a.platform = &p;
	ttrpc_answer(call, &a);
}

static void pod_ping(struct shim *s, struct ttrpc_call *call, const Sandbox__IdRequest *r)
{
	if (pod_of_call(s, call, r->sandbox_id))
		answer_empty(call);
}

/* The metrics of the sandbox itself are zero: the containers' metrics have everything. */
static void pod_metrics(struct shim *s, struct ttrpc_call *call, const Sandbox__IdRequest *r)
{
	const struct container_stats none = { 0 };
	Sandbox__MetricsResponse a = SANDBOX__METRICS_RESPONSE__INIT;
	Sandbox__Metric m = SANDBOX__METRIC__INIT;
	Common__Any any = COMMON__ANY__INIT;
	auto_bytes struct proto_bytes b = { 0 };
	Common__Timestamp at;
	struct timespec now;

	if (!pod_of_call(s, call, r->sandbox_id))
		return;
	if (stats_pack(&none, &b) < 0) {
		ttrpc_fail(call, TTRPC_RESOURCE_EXHAUSTED, "no memory");
		return;
	}
	clock_gettime(CLOCK_REALTIME, &now);
	at = proto_time(now);
	any.type_url = (char *)STATS_TYPE;
	any.value.data = b.data;
	any.value.len = b.n;
	m.timestamp = &at;
	m.id = s->pod->id;
	m.data = &any;
	a.metrics = &m;
	ttrpc_answer(call, &a);
}

static void removed_files(void *ctx, struct worker_result *r, const struct sl_err *err)
{
	struct shim *s = ctx;
	struct ttrpc_call *call = take_ptr(s->pod->call);

	(void)r;
	if (err) {
		answer_error(call, err);
		return;
	}
	free_pod(take_ptr(s->pod));
	shutdown_begin(s, SHUTDOWN_SLOWLY);
	answer_empty(call);
}

static void pod_shutdown(struct shim *s, struct ttrpc_call *call, const Sandbox__IdRequest *r)
{
	struct pod *pod = pod_of_call(s, call, r->sandbox_id);
	const struct worker_job job = {
		.run = remove_files, .arg = pod, .done = removed_files, .ctx = s
	};
	struct sl_err err;

	if (!pod)
		return;
	if (s->n_tasks || pod->call) {
		ttrpc_fail(call, TTRPC_FAILED_PRECONDITION, "containers of the sandbox are left");
		return;
	}
	sandbox_stop(s, 0);
	if (worker_start(&s->workers, &job, &err) < 0)
		answer_error(call, &err);
	else
		pod->call = call;
}

#define SANDBOX_METHODS(M)                                                                         \
	M(CreateSandbox, create, create_request, CreateRequest)                                    \
	M(StartSandbox, start, id_request, IdRequest)                                              \
	M(Platform, platform, id_request, IdRequest)                                               \
	M(StopSandbox, stop, stop_request, StopRequest)                                            \
	M(WaitSandbox, wait, id_request, IdRequest)                                                \
	M(SandboxStatus, status, id_request, IdRequest)                                            \
	M(PingSandbox, ping, id_request, IdRequest)                                                \
	M(ShutdownSandbox, shutdown, id_request, IdRequest)                                        \
	M(SandboxMetrics, metrics, id_request, IdRequest)

#define CALL(name, fn, message, type)                                                              \
	static void call_pod_##fn(struct shim *s, struct ttrpc_call *call, void **request)         \
	{                                                                                          \
		pod_##fn(s, call, (const Sandbox__##type *)*request);                              \
	}
SANDBOX_METHODS(CALL)
#undef CALL

const struct method sandbox_methods[] = {
#define ROW(name, fn, message, type) { #name, call_pod_##fn, &sandbox__##message##__descriptor },
	SANDBOX_METHODS(ROW)
#undef ROW
		{ 0 }
};
