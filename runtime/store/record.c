/* SPDX-License-Identifier: Apache-2.0
 *
 * Format: one JSON object; "version" is 1. Unknown members are ignored, so that a newer
 * runtime may add some; a missing one that is needed is an error.
 */
#include "runtime/store/record.h"

#include <fcntl.h>
#include <string.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"
#include "runtime/base/json.h"
#include "runtime/store/store.h"

#define RECORD_VERSION   1
#define RECORD_MAX_BYTES ((size_t)16 * 1024 * 1024)

static const char *const status_names[] = {
	[RECORD_CREATING] = "creating",
	[RECORD_CREATED] = "created",
	[RECORD_RUNNING] = "running",
	[RECORD_PAUSED] = "paused",
	[RECORD_STOPPED] = "stopped",
};

const char *record_pod(const struct record *r)
{
	static const char *const keys[] = { "io.kubernetes.cri.sandbox-id",
		"io.kubernetes.cri-o.SandboxID" };

	for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
		for (size_t i = 0; i < r->n_annotations; i++)
			if (strcmp(r->annotations[i].key, keys[k]) == 0)
				return r->annotations[i].value;
	return "";
}

const char *record_status_name(enum record_status s)
{
	return status_names[s];
}

static void write_string(struct json_gen *g, const char *key, const char *value)
{
	json_gen_key(g, key);
	json_gen_string(g, value);
}

static void write_proc(struct json_gen *g, const char *key, const struct proc_id *id)
{
	json_gen_key(g, key);
	json_gen_object(g);
	json_gen_key(g, "pid");
	json_gen_i64(g, id->pid);
	json_gen_key(g, "start");
	json_gen_u64(g, id->start);
	json_gen_end(g);
}

static void write_strings(struct json_gen *g, const char *key, char *const *list, size_t n)
{
	json_gen_key(g, key);
	json_gen_array(g);
	for (size_t i = 0; i < n; i++)
		json_gen_string(g, list[i]);
	json_gen_end(g);
}

static void write_hooks(struct json_gen *g, const char *key, const struct spec_hook_list *l)
{
	json_gen_key(g, key);
	json_gen_array(g);
	for (size_t i = 0; i < l->n; i++) {
		const struct spec_hook *h = &l->items[i];

		json_gen_object(g);
		write_string(g, "path", h->path);
		write_strings(g, "args", h->args, h->n_args);
		if (h->env) /* without one it gets the runtime's */
			write_strings(g, "env", h->env, h->n_env);
		json_gen_key(g, "timeout");
		json_gen_i64(g, h->timeout_seconds);
		json_gen_end(g);
	}
	json_gen_end(g);
}

static void write_body(struct json_gen *g, const struct record *r)
{
	json_gen_key(g, "version");
	json_gen_i64(g, RECORD_VERSION);
	write_string(g, "ociVersion", r->oci_version);
	write_string(g, "id", r->id);
	write_string(g, "bundle", r->bundle);
	write_string(g, "rootfs", r->rootfs);
	write_string(g, "ipc", r->ipc ? r->ipc : "");
	json_gen_key(g, "createdSeconds");
	json_gen_i64(g, r->created.tv_sec);
	json_gen_key(g, "createdNanoseconds");
	json_gen_i64(g, r->created.tv_nsec);
	write_string(g, "status", status_names[r->status]);
	write_proc(g, "supervisor", &r->supervisor);
	write_proc(g, "init", &r->init);
	write_proc(g, "workload", &r->workload);
	json_gen_key(g, "mountNamespace");
	json_gen_u64(g, r->mount_namespace);
	json_gen_key(g, "mountIds");
	json_gen_array(g);
	for (size_t i = 0; i < r->n_mount_ids; i++)
		json_gen_u64(g, r->mount_ids[i]);
	json_gen_end(g);
	json_gen_key(g, "annotations");
	json_gen_object(g);
	for (size_t i = 0; i < r->n_annotations; i++)
		write_string(g, r->annotations[i].key, r->annotations[i].value);
	json_gen_end(g);
	write_hooks(g, "poststart", &r->hooks.poststart);
	write_hooks(g, "poststop", &r->hooks.poststop);
}

int record_write(struct arena *a, int dir_fd, const struct record *r, struct sl_err *err)
{
	struct json_gen *g = json_gen_new(a, false);
	const char *text;
	size_t len;

	json_gen_object(g);
	write_body(g, r);
	json_gen_end(g);
	text = json_gen_take(g, &len);
	if (io_replace_file(dir_fd, STORE_RECORD, text, len, 0600, err) < 0)
		return sl_err_wrap(err, "write the state of %s", r->id);
	return 0;
}

static int need_string(const struct json *j, const char *key, const char **ret, struct sl_err *err)
{
	const struct json *v = json_get(j, key);

	if (!v || v->type != JSON_STRING)
		return sl_err_set(err, 0, "%s: expected a string", key);
	*ret = v->text;
	return 0;
}

static int need_i64(const struct json *j, const char *key, int64_t *ret, struct sl_err *err)
{
	const struct json *v = json_get(j, key);

	if (!v || json_to_i64(v, ret) < 0)
		return sl_err_set(err, 0, "%s: expected an integer", key);
	return 0;
}

static int read_proc(const struct json *j, const char *key, struct proc_id *ret, struct sl_err *err)
{
	const struct json *v = json_get(j, key);
	const struct json *start = json_get(v, "start");
	int64_t pid = 0;
	uint64_t s = 0;

	if (need_i64(v, "pid", &pid, err) < 0 || !start || json_to_u64(start, &s) < 0 || pid < 0 ||
		pid > INT32_MAX)
		return sl_err_set(err, 0, "%s: expected {pid, start}", key);
	ret->pid = (pid_t)pid;
	ret->start = s;
	return 0;
}

static int read_status(const struct json *j, enum record_status *ret, struct sl_err *err)
{
	const char *word;

	if (need_string(j, "status", &word, err) < 0)
		return -1;
	for (size_t i = 0; i < sizeof(status_names) / sizeof(status_names[0]); i++) {
		if (strcmp(word, status_names[i]) == 0) {
			*ret = (enum record_status)i;
			return 0;
		}
	}
	return sl_err_set(err, 0, "status: unknown word \"%.32s\"", word);
}

static int read_strings(struct arena *a, const struct json *j, char ***ret, size_t *ret_n)
{
	if (!j || j->type != JSON_ARRAY)
		return -1;
	*ret = arena_array(a, j->n + 1, sizeof(**ret));
	*ret_n = j->n;
	for (size_t i = 0; i < j->n; i++) {
		if (j->items[i]->type != JSON_STRING)
			return -1;
		(*ret)[i] = (char *)j->items[i]->text;
	}
	return 0;
}

static int read_hooks(struct arena *a, const struct json *doc, const char *key,
	struct spec_hook_list *ret, struct sl_err *err)
{
	const struct json *j = json_get(doc, key);

	if (!j || j->type != JSON_ARRAY)
		return sl_err_set(err, 0, "%s: expected an array", key);
	ret->items = arena_array(a, j->n + 1, sizeof(*ret->items));
	ret->n = j->n;
	for (size_t i = 0; i < j->n; i++) {
		struct spec_hook *h = &ret->items[i];
		const char *path;
		int64_t timeout;

		if (need_string(j->items[i], "path", &path, err) < 0 ||
			need_i64(j->items[i], "timeout", &timeout, err) < 0)
			return sl_err_wrap(err, "%s[%zu]", key, i);
		if (timeout < 0 || timeout > INT32_MAX)
			return sl_err_set(err, 0, "%s[%zu]: timeout out of range", key, i);
		if (read_strings(a, json_get(j->items[i], "args"), &h->args, &h->n_args) < 0 ||
			(json_get(j->items[i], "env") &&
				read_strings(a, json_get(j->items[i], "env"), &h->env, &h->n_env) <
					0))
			return sl_err_set(err, 0, "%s[%zu]: expected lists of strings", key, i);
		h->path = (char *)path;
		h->timeout_seconds = (int)timeout;
	}
	return 0;
}

static int read_mount_ids(
	struct arena *a, const struct json *doc, struct record *r, struct sl_err *err)
{
	const struct json *j = json_get(doc, "mountIds");
	uint64_t *ids;

	if (!j || j->type != JSON_ARRAY)
		return sl_err_set(err, 0, "mountIds: expected an array");
	ids = arena_array(a, j->n + 1, sizeof(*ids));
	for (size_t i = 0; i < j->n; i++)
		if (json_to_u64(j->items[i], &ids[i]) < 0)
			return sl_err_set(err, 0, "mountIds[%zu]: expected an integer", i);
	r->mount_ids = ids;
	r->n_mount_ids = j->n;
	return 0;
}

static int read_annotations(
	struct arena *a, const struct json *doc, struct record *r, struct sl_err *err)
{
	const struct json *j = json_get(doc, "annotations");
	struct spec_kv *kv;

	if (!j || j->type != JSON_OBJECT)
		return sl_err_set(err, 0, "annotations: expected an object");
	kv = arena_array(a, j->n + 1, sizeof(*kv));
	for (size_t i = 0; i < j->n; i++) {
		if (j->items[i]->type != JSON_STRING)
			return sl_err_set(err, 0, "annotations: expected strings");
		kv[i].key = (char *)j->keys[i];
		kv[i].value = (char *)j->items[i]->text;
	}
	r->annotations = kv;
	r->n_annotations = j->n;
	return 0;
}

/* Not in records of before there was such a thing, when nobody had any. */
static int read_ipc(const struct json *j, const char **ret, struct sl_err *err)
{
	*ret = "";
	return json_get(j, "ipc") ? need_string(j, "ipc", ret, err) : 0;
}

static int read_head(const struct json *j, struct record *r, struct sl_err *err)
{
	int64_t version, sec, nsec;

	if (need_i64(j, "version", &version, err) < 0)
		return -1;
	if (version != RECORD_VERSION)
		return sl_err_set(err, 0, "version %lld is not known here", (long long)version);
	if (need_string(j, "ociVersion", &r->oci_version, err) < 0 ||
		need_string(j, "id", &r->id, err) < 0 ||
		need_string(j, "bundle", &r->bundle, err) < 0 ||
		need_string(j, "rootfs", &r->rootfs, err) < 0 || read_ipc(j, &r->ipc, err) < 0 ||
		need_i64(j, "createdSeconds", &sec, err) < 0 ||
		need_i64(j, "createdNanoseconds", &nsec, err) < 0 ||
		read_status(j, &r->status, err) < 0)
		return -1;
	if (nsec < 0 || nsec >= 1000000000 || sec < 0)
		return sl_err_set(err, 0, "created: not a time");
	r->created.tv_sec = sec;
	r->created.tv_nsec = nsec;
	return 0;
}

int record_parse(
	struct arena *a, const char *buf, size_t len, struct record *ret, struct sl_err *err)
{
	struct record r = { 0 };
	const struct json *j, *ns;

	if (json_parse(a, buf, len, &j, err) < 0)
		return -1;
	ns = json_get(j, "mountNamespace");
	if (read_head(j, &r, err) < 0 || read_proc(j, "supervisor", &r.supervisor, err) < 0 ||
		read_proc(j, "init", &r.init, err) < 0 ||
		read_proc(j, "workload", &r.workload, err) < 0 ||
		read_mount_ids(a, j, &r, err) < 0 || read_annotations(a, j, &r, err) < 0 ||
		read_hooks(a, j, "poststart", &r.hooks.poststart, err) < 0 ||
		read_hooks(a, j, "poststop", &r.hooks.poststop, err) < 0)
		return -1;
	/* Not in records of before there was such a thing. */
	if (ns && json_to_u64(ns, &r.mount_namespace) < 0)
		return sl_err_set(err, 0, "mountNamespace: expected an integer");
	*ret = r;
	return 0;
}

int record_read(struct arena *a, int dir_fd, struct record *ret, struct sl_err *err)
{
	char *buf;
	size_t len;

	if (io_read_file(a, dir_fd, STORE_RECORD, RECORD_MAX_BYTES, &buf, &len, err) < 0 ||
		record_parse(a, buf, len, ret, err) < 0)
		return sl_err_wrap(err, "read the state");
	return 0;
}
