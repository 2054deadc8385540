/* SPDX-License-Identifier: Apache-2.0
 *
 * The format is a JSON object; "version" is 1. Unknown members are ignored, so that a newer
 * runtime may add some. A missing required member is an error.
 */
#include "runtime/store/record.h"

#include <fcntl.h>
#include <string.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"
#include "runtime/base/json_read.h"
#include "runtime/store/store.h"

#define RECORD_VERSION   1
#define RECORD_MAX_BYTES ((size_t)16 * 1024 * 1024)

static const struct read_word statuses[] = {
	{ "creating", RECORD_CREATING },
	{ "created", RECORD_CREATED },
	{ "running", RECORD_RUNNING },
	{ "paused", RECORD_PAUSED },
	{ "stopped", RECORD_STOPPED },
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
	return statuses[s].word;
}

static void write_proc(struct json_gen *g, const char *key, const struct proc_id *id)
{
	json_gen_key(g, key);
	json_gen_object(g);
	json_gen_member_i64(g, "pid", id->pid);
	json_gen_member_u64(g, "start", id->start);
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
		json_gen_member_string(g, "path", h->path);
		write_strings(g, "args", h->args, h->n_args);
		if (h->env) /* a hook without "env" gets the environment of the runtime */
			write_strings(g, "env", h->env, h->n_env);
		json_gen_member_i64(g, "timeout", h->timeout_seconds);
		json_gen_end(g);
	}
	json_gen_end(g);
}

static void write_body(struct json_gen *g, const struct record *r)
{
	json_gen_member_i64(g, "version", RECORD_VERSION);
	json_gen_member_string(g, "ociVersion", r->oci_version);
	json_gen_member_string(g, "id", r->id);
	json_gen_member_string(g, "bundle", r->bundle);
	json_gen_member_string(g, "rootfs", r->rootfs);
	json_gen_member_string(g, "ipc", r->ipc ? r->ipc : "");
	json_gen_member_i64(g, "createdSeconds", r->created.tv_sec);
	json_gen_member_i64(g, "createdNanoseconds", r->created.tv_nsec);
	json_gen_member_string(g, "status", record_status_name(r->status));
	write_proc(g, "supervisor", &r->supervisor);
	write_proc(g, "init", &r->init);
	write_proc(g, "workload", &r->workload);
	json_gen_member_u64(g, "mountNamespace", r->mount_namespace);
	json_gen_key(g, "mountIds");
	json_gen_array(g);
	for (size_t i = 0; i < r->n_mount_ids; i++)
		json_gen_u64(g, r->mount_ids[i]);
	json_gen_end(g);
	json_gen_key(g, "annotations");
	json_gen_object(g);
	for (size_t i = 0; i < r->n_annotations; i++)
		json_gen_member_string(g, r->annotations[i].key, r->annotations[i].value);
	json_gen_end(g);
	write_hooks(g, "poststart", &r->hooks.poststart);
	write_hooks(g, "poststop", &r->hooks.poststop);
}

int record_write(struct arena *a, int dir_fd, const struct record *r, struct sl_err *err)
{
	struct json_gen *g = json_gen_new(a, false);
	const char *text = NULL;
	size_t len;

	if (g) {
		json_gen_object(g);
		write_body(g, r);
		json_gen_end(g);
		text = json_gen_take(g, &len);
	}
	if (!text)
		return sl_err_set(err, ENOMEM, "write the state of %s", r->id);
	if (io_replace_file(dir_fd, STORE_RECORD, text, len, 0600, err) < 0)
		return sl_err_wrap(err, "write the state of %s", r->id);
	return 0;
}

static int read_proc(const struct at *root, const char *key, struct proc_id *ret)
{
	struct at at;
	int64_t pid;

	if (read_object(root, key, READ_REQUIRED, &at) < 0 ||
		read_i64(&at, "pid", READ_REQUIRED, 0, INT32_MAX, &pid, NULL) < 0)
		return -1;
	ret->pid = (pid_t)pid;
	return read_u64(&at, "start", READ_REQUIRED, UINT64_MAX, &ret->start, NULL);
}

static int read_hook(const struct at *at, void *item)
{
	struct spec_hook *ret = item;
	struct at args;
	int64_t timeout;

	if (read_is(at, JSON_OBJECT) < 0 || read_str(at, "path", READ_REQUIRED, &ret->path) < 0 ||
		read_i64(at, "timeout", READ_REQUIRED, 0, INT32_MAX, &timeout, NULL) < 0 ||
		read_array(at, "args", READ_REQUIRED, &args) < 0 ||
		read_strs(at, "args", &ret->args, &ret->n_args) < 0 ||
		read_strs(at, "env", &ret->env, &ret->n_env) < 0)
		return -1;
	ret->timeout_seconds = (int)timeout;
	return 0;
}

static int read_hooks(const struct at *root, const char *key, struct spec_hook_list *ret)
{
	void *items = NULL;

	if (read_items(root, key, READ_REQUIRED, sizeof(*ret->items), read_hook, &items, &ret->n) <
		0)
		return -1;
	ret->items = items;
	return 0;
}

static int read_mount_id(const struct at *at, void *item)
{
	return read_u64_at(at, UINT64_MAX, item);
}

static int read_mount_ids(const struct at *root, struct record *r)
{
	void *items = NULL;

	if (read_items(root, "mountIds", READ_REQUIRED, sizeof(*r->mount_ids), read_mount_id,
		    &items, &r->n_mount_ids) < 0)
		return -1;
	r->mount_ids = items;
	return 0;
}

static int read_annotations(const struct at *root, struct record *r)
{
	struct key_value *all = NULL;
	struct at map;

	if (read_object(root, "annotations", READ_REQUIRED, &map) < 0 ||
		read_kvs(root, "annotations", &all, &r->n_annotations) < 0)
		return -1;
	r->annotations = all;
	return 0;
}

static int read_head(const struct at *root, struct record *r)
{
	const struct at at = at_member(root, "version"), status = at_member(root, "status");
	int64_t version, sec, nsec;
	int word;

	if (read_i64(root, "version", READ_REQUIRED, INT64_MIN, INT64_MAX, &version, NULL) < 0)
		return -1;
	if (version != RECORD_VERSION)
		return read_fail(&at, "%lld is not known here", (long long)version);
	if (read_str(root, "ociVersion", READ_REQUIRED, &r->oci_version) < 0 ||
		read_str(root, "id", READ_REQUIRED, &r->id) < 0 ||
		read_str(root, "bundle", READ_REQUIRED, &r->bundle) < 0 ||
		read_str(root, "rootfs", READ_REQUIRED, &r->rootfs) < 0 ||
		read_str(root, "ipc", READ_OPTIONAL, &r->ipc) < 0 ||
		read_i64(root, "createdSeconds", READ_REQUIRED, 0, INT64_MAX, &sec, NULL) < 0 ||
		read_i64(root, "createdNanoseconds", READ_REQUIRED, 0, 999999999, &nsec, NULL) <
			0 ||
		read_word(&status, statuses, COUNT(statuses), "unknown word", &word) < 0 ||
		read_u64(root, "mountNamespace", READ_OPTIONAL, UINT64_MAX, &r->mount_namespace,
			NULL) < 0)
		return -1;
	r->status = (enum record_status)word;
	r->created.tv_sec = sec;
	r->created.tv_nsec = nsec;
	return 0;
}

int record_parse(
	struct arena *a, const char *buf, size_t len, struct record *ret, struct sl_err *err)
{
	struct reader rd = { a, err };
	/* Records of older versions have no "ipc" and no "mountNamespace". */
	struct record r = { .ipc = "" };
	const struct json *j;
	struct at root;

	if (json_parse(a, buf, len, &j, err) < 0)
		return -1;
	root = at_root(&rd, "", j);
	if (read_is(&root, JSON_OBJECT) < 0 || read_head(&root, &r) < 0 ||
		read_proc(&root, "supervisor", &r.supervisor) < 0 ||
		read_proc(&root, "init", &r.init) < 0 ||
		read_proc(&root, "workload", &r.workload) < 0 || read_mount_ids(&root, &r) < 0 ||
		read_annotations(&root, &r) < 0 ||
		read_hooks(&root, "poststart", &r.hooks.poststart) < 0 ||
		read_hooks(&root, "poststop", &r.hooks.poststop) < 0)
		return -1;
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
