/* SPDX-License-Identifier: Apache-2.0
 *
 * The record: what is written is read again, a reader never sees half of it, and a torn,
 * empty or foreign file is an error with words.
 */
#include "runtime/store/record.h"

#include <signal.h>
#include <sys/wait.h>

#include "runtime/base/io.h"
#include "tests/unit/store/fixture.h"

static char *hook_args[] = { (char *)"hook", (char *)"a \"quoted\" one", NULL };
static char *hook_env[] = { (char *)"A=\xc3\xa9", NULL };
static struct spec_hook hooks[] = {
	{ .path = (char *)"/bin/hook",
		.args = hook_args,
		.n_args = 2,
		.env = hook_env,
		.n_env = 1,
		.timeout_seconds = 7 },
	{ .path = (char *)"/bin/other" },
};
static const uint64_t mount_ids[] = { 2147484190ULL, UINT64_MAX };
static const struct key_value annotations[] = {
	{ (char *)"io.kubernetes.cri.sandbox-id", (char *)"abc" },
	{ (char *)"empty", (char *)"" },
	{ (char *)"lines", (char *)"a\nb\t\x01" },
};

static struct record sample(void)
{
	return (struct record){
		.oci_version = "1.0.2-dev",
		.id = "c1",
		.bundle = "/run/bundle with space",
		.rootfs = "/var/lib/x/rootfs",
		.created = { .tv_sec = 1750000000, .tv_nsec = 999999999 },
		.status = RECORD_PAUSED,
		.supervisor = { 10, UINT64_MAX },
		.init = { 11, 2 },
		.workload = { INT32_MAX, 3 },
		.mount_namespace = 77,
		.mount_ids = mount_ids,
		.n_mount_ids = 2,
		.annotations = annotations,
		.n_annotations = 3,
		.hooks.poststop = { .items = hooks, .n = 2 },
	};
}

static bool same_proc(const struct proc_id *a, const struct proc_id *b)
{
	return a->pid == b->pid && a->start == b->start;
}

static void round_trip(struct arena *a, int dir_fd)
{
	struct record w = sample(), r = { 0 };
	struct sl_err err;

	CHECK(record_write(a, dir_fd, &w, &err) == 0);
	if (!CHECK(record_read(a, dir_fd, &r, &err) == 0))
		return;
	CHECK_STR(r.oci_version, w.oci_version);
	CHECK_STR(r.id, w.id);
	CHECK_STR(r.bundle, w.bundle);
	CHECK_STR(r.rootfs, w.rootfs);
	CHECK(r.created.tv_sec == w.created.tv_sec && r.created.tv_nsec == w.created.tv_nsec);
	CHECK(r.status == RECORD_PAUSED && r.mount_namespace == 77);
	CHECK(same_proc(&r.supervisor, &w.supervisor) && same_proc(&r.init, &w.init) &&
		same_proc(&r.workload, &w.workload));
	CHECK(r.n_mount_ids == 2 && r.mount_ids[0] == mount_ids[0] && r.mount_ids[1] == UINT64_MAX);
	CHECK(r.n_annotations == 3);
	CHECK_STR(r.annotations[2].key, "lines");
	CHECK_STR(r.annotations[2].value, "a\nb\t\x01");
	CHECK(r.hooks.poststart.n == 0 && r.hooks.poststop.n == 2);
	CHECK_STR(r.hooks.poststop.items[0].args[1], "a \"quoted\" one");
	CHECK_STR(r.hooks.poststop.items[0].env[0], "A=\xc3\xa9");
	CHECK(r.hooks.poststop.items[0].args[2] == NULL);
	CHECK(r.hooks.poststop.items[0].timeout_seconds == 7);
	CHECK(r.hooks.poststop.items[1].n_args == 0);
}

/* The file's bytes, and with one piece exchanged. */
static char *text_of(struct arena *a, int dir_fd, size_t *ret_len)
{
	struct sl_err err;
	char *buf = NULL;

	CHECK(io_read_file(a, dir_fd, STORE_RECORD, 1 << 20, &buf, ret_len, &err) == 0);
	return buf;
}

static void torn(struct arena *a, int dir_fd)
{
	size_t len, bad = 0;
	char *text = text_of(a, dir_fd, &len);

	for (size_t n = 0; n < len - 1; n++) {
		struct record r = { .n_mount_ids = 99 };
		struct sl_err err = { 0 };

		if (record_parse(a, text, n, &r, &err) == 0 || !err.msg[0] || r.n_mount_ids != 99)
			bad++;
	}
	CHECK(bad == 0);
}

static void foreign(struct arena *a, int dir_fd)
{
	static const struct {
		const char *piece;
		const char *other;
		const char *text;
	} cases[] = {
		{ "\"version\":1", "\"version\":2", "version: 2 is not known here" },
		{ "\"version\":1", "\"version\":\"1\"", "version: expected number, got string" },
		{ "\"id\":\"c1\"", "\"id\":1", "id: expected string, got number" },
		{ "\"paused\"", "\"stuck\"", "status: unknown word" },
		{ "\"pid\":10", "\"pid\":-1", "supervisor.pid: expected an integer" },
		{ "\"pid\":10", "\"pid\":4294967296", "supervisor.pid: expected an integer" },
		{ "\"start\":2", "\"start\":-2", "init.start: expected an integer" },
		{ "\"start\":3", "\"begin\":3", "workload.start: missing" },
		{ "999999999", "1000000000", "createdNanoseconds: expected an integer" },
		{ "2147484190", "\"x\"", "mountIds[0]: expected an integer" },
		{ "\"mountNamespace\":77", "\"mountNamespace\":true",
			"mountNamespace: expected number, got boolean" },
		{ "\"empty\":\"\"", "\"empty\":null", "annotations.empty: expected string" },
		{ "\"annotations\"", "\"notes\"", "annotations: missing" },
		{ "\"args\"", "\"words\"", "poststop[0].args: missing" },
		{ "\"poststart\":[]", "\"poststart\":{}", "poststart: expected array" },
		{ "\"timeout\":7", "\"timeout\":4294967296", "poststop[0].timeout" },
		{ "\"timeout\":7", "\"timeout\":-1", "poststop[0].timeout" },
		{ "\"/bin/other\"", "null", "poststop[1].path: missing" },
		{ "[\"hook\"", "[7", "poststop[0].args[0]: expected string" },
	};
	size_t len;
	char *text = text_of(a, dir_fd, &len);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *at = strstr(text, cases[i].piece), *bent;
		struct record r;
		struct sl_err err;

		if (!CHECK(at != NULL)) {
			printf("# %s\n", cases[i].piece);
			continue;
		}
		bent = arena_printf(a, "%.*s%s%s", (int)(at - text), text, cases[i].other,
			at + strlen(cases[i].piece));
		CHECK_ERR_CONTAINS(
			record_parse(a, bent, strlen(bent), &r, &err), err, cases[i].text);
	}
}

static void not_a_record(struct arena *a, int dir_fd)
{
	static const char *const texts[] = { "", "{}", "[]", "null", "{\"version\":1}", "\xff",
		"42" };
	struct record r;
	struct sl_err err;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		CHECK_ERR_CONTAINS(record_parse(a, texts[i], strlen(texts[i]), &r, &err), err, "");
	unlinkat(dir_fd, STORE_RECORD, 0);
	CHECK_ERR_CONTAINS(record_read(a, dir_fd, &r, &err), err, "read the state");
	CHECK(err.code == ENOENT);
	CHECK(mkdirat(dir_fd, STORE_RECORD, 0700) == 0);
	CHECK_ERR_CONTAINS(record_read(a, dir_fd, &r, &err), err, "read the state");
	unlinkat(dir_fd, STORE_RECORD, AT_REMOVEDIR);
}

/* What a newer runtime adds is no reason to lose a container. */
static void unknown_member(struct arena *a, int dir_fd)
{
	struct record w = sample(), r;
	struct sl_err err;
	size_t len;
	char *text;

	CHECK(record_write(a, dir_fd, &w, &err) == 0);
	text = text_of(a, dir_fd, &len);
	text = arena_printf(a, "{\"new\":[{\"x\":1}],%s", text + 1);
	CHECK(record_parse(a, text, strlen(text), &r, &err) == 0);
	CHECK_STR(r.id, "c1");
}

static void never_torn(struct arena *a, int dir_fd)
{
	struct record w = sample();
	struct sl_err err;
	size_t bad = 0;
	pid_t pid = fork();

	if (pid == 0) {
		for (unsigned int i = 0;; i++) {
			auto_arena struct arena *mine = arena_new();

			w.status = i & 1 ? RECORD_RUNNING : RECORD_PAUSED;
			w.n_annotations = i % 4;
			if (record_write(mine, dir_fd, &w, &err) < 0)
				_exit(1);
		}
	}
	for (int i = 0; i < 500; i++) {
		auto_arena struct arena *mine = arena_new();
		struct record r;

		bad += record_read(mine, dir_fd, &r, &err) < 0;
	}
	CHECK(bad == 0);
	CHECK(waitpid(pid, NULL, WNOHANG) == 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	CHECK(record_write(a, dir_fd, &w, &err) == 0);
}

int main(void)
{
	auto_arena struct arena *a = arena_new();
	auto_fd int dir_fd = -1;
	struct store_fixture f;
	struct sl_err err;

	store_fixture_open(&f);
	CHECK(store_reserve(f.root_fd, "c1", &dir_fd, &err) == 0);
	round_trip(a, dir_fd);
	torn(a, dir_fd);
	foreign(a, dir_fd);
	unknown_member(a, dir_fd);
	never_torn(a, dir_fd);
	not_a_record(a, dir_fd);
	CHECK(store_remove(f.root_fd, "c1", &err) == 0);
	store_fixture_close(&f);
	return check_done();
}
