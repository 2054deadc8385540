/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/io.h"
#include "runtime/store/store.h"
#include "shim/proto/options.pb-c.h"
#include "shim/rootfs/rootfs.h"
#include "shim/sandbox/sandbox.h"
#include "shim/task/inside.h"

static int write_root(const char *bundle, const char *root, struct sl_err *err)
{
	auto_fd int dir_fd = open(bundle, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir_fd < 0)
		return sl_err_set(err, errno, "bundle %s", bundle);
	return io_replace_file(dir_fd, SHIM_ROOT_FILE, root, strlen(root), 0644, err);
}

/* Writes the state root into the bundle for `delete`, which knows nothing but the bundle when this
 * process is gone: the container's, or only that of its pod, if this shim has made one. */
static int write_roots(const struct task *t, struct sl_err *err)
{
	const struct pod *pod = t->shim->pod;

	if (pod && write_root(pod->bundle, t->root, err) < 0)
		return -1;
	return write_root(t->bundle, t->root, err);
}

static int create_make(const struct task *t, struct worker_result *ret, struct sl_err *err)
{
	const struct process *p = &t->main;
	const struct runtime rt = work_runtime(t);
	struct container_created created;
	const struct container_create req = {
		.id = t->id,
		.bundle = t->bundle,
		.stdio_fds = p->terminal ? NULL : p->stdio.child_fds,
		.open_files = &t->shim->open_files,
		.image_fd = -1,
		.release = CONTAINER_PARK,
		.terminal = p->terminal ? CONTAINER_TERMINAL_KEPT : CONTAINER_TERMINAL_SENT,
		.keyring = t->callers_keyring ? CONTAINER_KEYRING_CALLERS : CONTAINER_KEYRING_NEW,
	};
	struct sl_err ignored;

	if (container_create(&rt, &req, &created, err) < 0)
		return -1;
	if (p->terminal && created.master_fd < 0) {
		container_delete(&rt, t->id, CONTAINER_DELETE_ANY, &ignored);
		return sl_err_set(err, 0,
			"a terminal is asked for, and process.terminal of config.json is not set");
	}
	ret->pid = created.pid;
	ret->fds[0] = created.master_fd;
	return 0;
}

static int create(const void *arg, struct worker_result *ret, struct sl_err *err)
{
	const struct task *t = arg;
	const struct pod *pod = t->shim->pod;
	const Task__CreateRequest *r = t->request;
	struct sl_err ignored;

	if (work_await_logger(&t->main, err) < 0 || write_roots(t, err) < 0)
		return -1;
	if (pod && sandbox_complete_bundle(pod->bundle, t->bundle, err) < 0)
		return -1;
	if (rootfs_mount(t->bundle, r->rootfs, r->n_rootfs, err) < 0)
		return -1;
	if (create_make(t, ret, err) == 0)
		return 0;
	rootfs_unmount(t->bundle, &ignored);
	return -1;
}

static int undo(const void *arg, struct worker_result *ret, struct sl_err *err)
{
	const struct task *t = arg;
	const struct runtime rt = work_runtime(t);

	(void)ret;
	if (container_delete(&rt, t->id, CONTAINER_DELETE_ANY, err) < 0 &&
		strcmp(err->msg, "container does not exist") != 0)
		return -1;
	return rootfs_unmount(t->bundle, err);
}

static void undone(void *ctx, struct worker_result *r, const struct sl_err *err)
{
	struct task *t = ctx;
	struct ttrpc_call *call = take_ptr(t->main.call);

	(void)r;
	if (err)
		answer_error(call, err);
	else
		ttrpc_fail(call, TTRPC_UNKNOWN,
			"the process that created the container was killed; nothing of it is left");
	task_forget(t);
}

/* The worker was killed, as by want of memory, or nobody hears that the container exists. Who hears
 * that Create failed deletes nothing. */
static void create_undo(struct task *t)
{
	const struct worker_job job = {
		.run = undo,
		.arg = t,
		.keep_fds = { t->shim->log_fd },
		.n_keep = 1,
		.done = undone,
		.ctx = t,
	};
	struct sl_err err;

	if (worker_start(&t->shim->workers, &job, &err) < 0)
		undone(t, NULL, &err);
}

static void created(void *ctx, struct worker_result *r, const struct sl_err *err)
{
	struct task *t = ctx;
	struct process *p = &t->main;
	struct ttrpc_call *call;
	Task__PidResponse answer = TASK__PID_RESPONSE__INIT;
	struct sl_err stdio_err;

	/* When containerd was killed meanwhile, it does not know of the container when it comes
	 * back. */
	if (r->died || (!err && !ttrpc_is_heard(p->call))) {
		drop_fd(&r->fds[0]);
		create_undo(t);
		return;
	}
	call = take_ptr(p->call);
	if (err) {
		answer_error(call, err);
		task_forget(t);
		return;
	}
	p->pid = r->pid;
	p->stage = PROCESS_CREATED;
	if (stdio_begin(&p->stdio, r->fds[0], &stdio_err) < 0)
		shim_log(t->shim, "error", t->id, stdio_err.msg);
	tell_created(t, t->request);
	proto_free(t->request);
	t->request = NULL;
	answer.pid = (uint32_t)p->pid;
	ttrpc_answer(call, &answer);
}

static int take_runc_options(struct task *t, const Common__Any *any, const char **ret_root)
{
	Options__Runc *o =
		proto_unpack(&options__runc__descriptor, any->value.data, any->value.len);

	if (!o)
		return -1;
	t->callers_keyring = o->no_new_keyring;
	t->io_uid = o->io_uid;
	t->io_gid = o->io_gid;
	if (*o->root)
		*ret_root = strdup(o->root);
	proto_free(o);
	return 0;
}

static int take_generic_options(struct task *t, const Common__Any *any, struct sl_err *err)
{
	Options__Generic *o =
		proto_unpack(&options__generic__descriptor, any->value.data, any->value.len);
	const bool has_body = o && o->config_body.len;

	if (o && *o->config_path)
		t->config = strdup(o->config_path);
	proto_free(o);
	if (!o)
		return sl_err_set(err, 0, "options: not a message of their type");
	if (has_body)
		return sl_err_set(err, 0,
			"options: ConfigPath is the only key; it names the node's configuration");
	return 0;
}

static int take_options(struct task *t, const Common__Any *any, struct sl_err *err)
{
	auto_free const char *root = NULL;

	if (any && *any->type_url) {
		if (proto_is(any, "containerd.runc.v1.Options")) {
			if (take_runc_options(t, any, &root) < 0)
				return sl_err_set(err, 0, "options: not a message of their type");
		} else if (proto_is(any, "runtimeoptions.v1.Options")) {
			if (take_generic_options(t, any, err) < 0)
				return -1;
		} else {
			return sl_err_set(err, 0, "options: unknown type %s", any->type_url);
		}
	}
	if (asprintf(&t->root, "%s/%s", root ? root : shim_default_root(), t->shim->namespace) < 0)
		return sl_err_set(err, ENOMEM, "options");
	return 0;
}

static int prepare(struct task *t, const Task__CreateRequest *r, struct sl_err *err)
{
	char *const paths[] = { r->input, r->output, r->errors };

	if (take_options(t, r->options, err) < 0)
		return -1;
	if (process_take_stdio(&t->main, paths, r->terminal) < 0)
		return sl_err_set(err, ENOMEM, "create");
	return process_open_stdio(&t->main, err);
}

static int create_begin(struct task *t, struct ttrpc_call *call, struct sl_err *err)
{
	const int *fds = t->main.stdio.child_fds;
	const struct worker_job job = {
		.run = create,
		.arg = t,
		.keep_fds = { fds[0], fds[1], fds[2], t->main.stdio.logger.ready_fd,
			t->shim->log_fd },
		.n_keep = 5,
		.done = created,
		.ctx = t,
	};

	if (worker_start(&t->shim->workers, &job, err) < 0)
		return -1;
	t->main.call = call;
	return 0;
}

static int check(struct shim *s, const Task__CreateRequest *r, struct sl_err *err)
{
	if (store_check_id(r->id, err) < 0)
		return -1;
	if (r->bundle[0] != '/')
		return sl_err_set(err, 0, "bundle \"%s\": expected an absolute path", r->bundle);
	if (*r->checkpoint || *r->parent_checkpoint)
		return sl_err_set(err, 0, "checkpoint: a container cannot be restored from one");
	if (s->n_tasks >= SHIM_TASKS_MAX)
		return sl_err_set(err, 0, "more than %d containers in a pod", SHIM_TASKS_MAX);
	return 0;
}

void task_create(struct shim *s, struct ttrpc_call *call, Task__CreateRequest **request)
{
	const Task__CreateRequest *r = *request;
	struct sl_err err;
	struct task *t;

	if (check(s, r, &err) < 0) {
		ttrpc_fail(call, TTRPC_INVALID_ARGUMENT, err.msg);
		return;
	}
	if (s->leaving.due) {
		ttrpc_fail(call, TTRPC_FAILED_PRECONDITION, "the shim was asked to end");
		return;
	}
	if (task_find(s, r->id)) {
		ttrpc_fail(call, TTRPC_ALREADY_EXISTS, "container with given ID already exists");
		return;
	}
	t = task_new(s, r->id, r->bundle);
	if (!t) {
		ttrpc_fail(call, TTRPC_RESOURCE_EXHAUSTED, "no memory");
		return;
	}
	t->request = take_ptr(*request);
	if (prepare(t, t->request, &err) < 0 || create_begin(t, call, &err) < 0) {
		ttrpc_fail(call, TTRPC_INVALID_ARGUMENT, err.msg);
		task_forget(t);
	}
}
