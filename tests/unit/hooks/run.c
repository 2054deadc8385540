/* SPDX-License-Identifier: Apache-2.0
 *
 * A hook gets the state, its arguments and its variables; how it ended is told with the end of
 * what it printed, and nothing that it leaves behind is waited for.
 */
#include "runtime/hooks/hooks.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/check.h"

static const struct hooks_place here = HOOKS_HERE(NULL);

static struct spec_hook shell(char *args[4], const char *script)
{
	args[0] = (char *)"sh";
	args[1] = (char *)"-c";
	args[2] = (char *)script;
	args[3] = NULL;
	return (struct spec_hook){ .path = "/bin/sh", .args = args, .n_args = 3 };
}

static int run(const char *script, int timeout_seconds, struct sl_err *err)
{
	char *args[4];
	struct spec_hook h = shell(args, script);
	const struct spec_hook_list list = { &h, 1 };

	h.timeout_seconds = timeout_seconds;
	return hooks_run(&list, "prestart", "{\"id\": \"x\"}", &here, err);
}

static double seconds_of(const char *script, int timeout_seconds, int *ret_rc, struct sl_err *err)
{
	struct timespec a, b;

	clock_gettime(CLOCK_MONOTONIC, &a);
	*ret_rc = run(script, timeout_seconds, err);
	clock_gettime(CLOCK_MONOTONIC, &b);
	return (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9;
}

static void state_arrives(void)
{
	struct sl_err err;

	CHECK(run("test \"$(cat)\" = '{\"id\": \"x\"}'", 0, &err) == 0);
	CHECK(run("exit 0", 0, &err) == 0); /* the state need not be read */
}

static void endings_are_told(void)
{
	struct sl_err err;

	CHECK_ERR_CONTAINS(run("echo why >&2; exit 3", 0, &err), err,
		"error running prestart hook #0: /bin/sh: exit status 3, output: why");
	CHECK_ERR_CONTAINS(run("kill -9 $$", 0, &err), err, "signal 9");
	/* The beginning of a long text goes, its end stays. */
	CHECK_ERR_CONTAINS(
		run("head -c 100000 /dev/zero | tr '\\0' x; printf END; exit 1", 0, &err), err,
		"xEND");
}

static void variables(void)
{
	char *env[] = { (char *)"A=hook", NULL }, *place_env[] = { (char *)"A=place", NULL };
	char *args[4];
	struct spec_hook h = shell(args, "test \"$A\" = hook");
	struct spec_hook_list list = { &h, 1 };
	struct hooks_place place = HOOKS_HERE(NULL);
	struct sl_err err;

	place.env = place_env;
	h.env = env;
	h.n_env = 1;
	CHECK(hooks_run(&list, "poststart", "{}", &place, &err) == 0);
	h = shell(args, "test \"$A\" = place");
	CHECK(hooks_run(&list, "poststart", "{}", &place, &err) == 0);
	h = shell(args, "test \"$A\" = ours");
	setenv("A", "ours", 1);
	CHECK(hooks_run(&list, "poststart", "{}", &here, &err) == 0);
}

static void directory(void)
{
	char *args[4];
	struct spec_hook h = shell(args, "test \"$(pwd)\" = /usr");
	const struct spec_hook_list list = { &h, 1 };
	const struct hooks_place place = HOOKS_HERE("/usr");
	struct sl_err err;

	CHECK(hooks_run(&list, "createContainer", "{}", &place, &err) == 0);
}

static void descriptors_are_swept(void)
{
	int fd = dup(1); /* not close-on-exec */
	struct sl_err err;

	CHECK(fd > 2);
	CHECK(run("! test -e /proc/self/fd/3 || test \"$(readlink /proc/self/fd/3)\" = /proc", 0,
		      &err) == 0);
	close(fd);
}

/* Both write into the hook's output until that is closed. */
static void what_is_left_behind(void)
{
	struct sl_err err;
	double took;
	int rc;

	took = seconds_of("yes & exit 0", 0, &rc, &err);
	CHECK(rc == 0 && took < 10);
	took = seconds_of("yes", 1, &rc, &err);
	CHECK(rc == -1 && took < 10);
	CHECK_CONTAINS(err.msg, "did not end within 1 seconds");
}

static void count(const struct sl_err *err, void *ctx)
{
	CHECK_CONTAINS(err->msg, "poststop hook #");
	++*(int *)ctx;
}

static void a_list(void)
{
	char *a[4], *b[4], *c[4];
	struct spec_hook hooks[] = { shell(a, "exit 1"), shell(b, "exit 0"), shell(c, "exit 2") };
	const struct spec_hook_list list = { hooks, 3 };
	struct sl_err err;
	int failures = 0;

	CHECK_ERR_CONTAINS(hooks_run(&list, "poststop", "{}", &here, &err), err, "hook #0");
	hooks_run_all(&list, "poststop", "{}", &here, count, &failures);
	CHECK(failures == 2);
	hooks[0].path = "/nowhere";
	CHECK_ERR_CONTAINS(hooks_run(&list, "poststop", "{}", &here, &err), err,
		"exec /nowhere: No such file or directory");
}

int main(void)
{
	state_arrives();
	endings_are_told();
	variables();
	directory();
	descriptors_are_swept();
	what_is_left_behind();
	a_list();
	return check_done();
}
