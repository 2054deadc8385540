/* SPDX-License-Identifier: Apache-2.0
 *
 * Finding the program, and the words of its errors, which callers match.
 */
#include "runtime/init/lookup.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "tests/unit/check.h"

static char dir[] = "/tmp/sandlock-lookup-XXXXXX";

static void make(const char *name, mode_t mode)
{
	char path[256];
	auto_fd int fd = -1;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, mode);
	CHECK(fd >= 0 && fchmod(fd, mode) == 0);
}

static const struct plan_process *describe(char *arg, char *const *env, size_t n_env)
{
	const struct spec_caps caps = { 0 };
	const struct plan_process_extra extra = { .caps = &caps };
	char *args[] = { arg, (char *)"second", NULL };
	struct spec_process p = {
		.args = args,
		.n_args = 2,
		.env = (char **)env,
		.n_env = n_env,
		.cwd = (char *)"/",
		.uid = 0,
	};
	const struct plan_process *plan = NULL;
	auto_fd int fd = -1;
	struct sl_err err;

	CHECK(plan_process_pack(&p, &extra, &fd, &err) == 0 &&
		plan_process_map(fd, &plan, &err) == 0);
	return plan;
}

struct found {
	char file[256];
	char last_env[256];
	size_t n_env;
};

static int look(
	const char *arg, const char *path, const char *home, struct found *ret, struct sl_err *err)
{
	char path_env[256], home_env[256];
	char *env[] = { (char *)"X=1", path_env, home_env };
	const struct plan_process *p;
	char **args, **envp;
	const char *file;
	int rc;

	snprintf(path_env, sizeof(path_env), "PATH=%s", path);
	snprintf(home_env, sizeof(home_env), "HOME=%s", home ? home : "");
	p = describe((char *)arg, env, home ? 3 : 2);
	rc = lookup_program(p, &args, &envp, &file, err);
	if (rc == 0) {
		CHECK_STR(args[0], arg);
		CHECK_STR(args[1], "second");
		CHECK(args[2] == NULL);
		CHECK_STR(envp[0], "X=1");
		snprintf(ret->file, sizeof(ret->file), "%s", file);
		for (ret->n_env = 0; envp[ret->n_env]; ret->n_env++)
			snprintf(ret->last_env, sizeof(ret->last_env), "%s", envp[ret->n_env]);
		free(args);
		free(envp);
	}
	plan_process_unmap(p);
	return rc;
}

static void by_path(void)
{
	char list[512], want[256];
	struct found f;
	struct sl_err err;

	snprintf(list, sizeof(list), "/nonexistent:%s/sub:%s", dir, dir);
	snprintf(want, sizeof(want), "%s/prog", dir);
	CHECK(look("prog", list, "/h", &f, &err) == 0);
	CHECK_STR(f.file, want);
	CHECK_ERR_CONTAINS(look("nothing", list, "/h", &f, &err), err,
		"exec: \"nothing\": executable file not found in $PATH");
	CHECK_ERR_CONTAINS(look("plain", list, "/h", &f, &err), err,
		"exec: \"plain\": executable file not found in $PATH");
	CHECK_ERR_CONTAINS(look("sub", list, "/h", &f, &err), err,
		"exec: \"sub\": executable file not found in $PATH");
	CHECK_ERR_CONTAINS(look("prog", "", "/h", &f, &err), err, "not found in $PATH");
}

static void by_name(void)
{
	char name[256], text[600];
	struct found f;
	struct sl_err err;

	snprintf(name, sizeof(name), "%s/prog", dir);
	CHECK(look(name, "", "/h", &f, &err) == 0);
	CHECK_STR(f.file, name);
	snprintf(name, sizeof(name), "%s/nothing", dir);
	snprintf(
		text, sizeof(text), "exec: \"%s\": stat %s: no such file or directory", name, name);
	CHECK_ERR_CONTAINS(look(name, "", "/h", &f, &err), err, text);
	snprintf(name, sizeof(name), "%s/plain", dir);
	snprintf(text, sizeof(text), "exec: \"%s\": permission denied", name);
	CHECK_ERR_CONTAINS(look(name, "", "/h", &f, &err), err, text);
	snprintf(name, sizeof(name), "%s/prog/x", dir);
	CHECK_ERR_CONTAINS(look(name, "", "/h", &f, &err), err, "not a directory");
}

static void home(void)
{
	struct found f;
	struct sl_err err;

	CHECK(look("sh", "/bin", "/given", &f, &err) == 0 && f.n_env == 3);
	CHECK_STR(f.last_env, "HOME=/given");
	/* Absent or empty: of uid 0 in this machine's own passwd file. */
	CHECK(look("sh", "/bin", NULL, &f, &err) == 0 && f.n_env == 3);
	CHECK_STR(f.last_env, "HOME=/root");
	CHECK(look("sh", "/bin", "", &f, &err) == 0);
	CHECK_STR(f.last_env, "HOME=/root");
}

static void clean_up(void)
{
	static const char *const names[] = { "prog", "plain" };
	char path[256];

	for (size_t i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		unlink(path);
	}
	snprintf(path, sizeof(path), "%s/sub", dir);
	rmdir(path);
	rmdir(dir);
}

int main(void)
{
	char sub[256];

	CHECK(mkdtemp(dir) != NULL);
	make("prog", 0755);
	make("plain", 0644);
	snprintf(sub, sizeof(sub), "%s/sub", dir);
	CHECK(mkdir(sub, 0755) == 0);
	by_path();
	by_name();
	home();
	clean_up();
	return check_done();
}
