/* SPDX-License-Identifier: Apache-2.0
 *
 * Out of memory: a checked arena says so, and so does what reads and writes JSON in one, wherever
 * the memory ends; any other arena ends the process.
 */
#include "runtime/base/arena.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/json.h"
#include "tests/unit/check.h"

#define STEP   ((size_t)64 * 1024)
#define STEPS  120
#define VALUES 5000

enum { DONE, ENDED, REFUSED, WRONG }; /* 1: what an arena ends the process with */

/* From here on there is that much more memory and no more. */
static void limit_memory(size_t more)
{
	struct rlimit r = { 0 };
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (!f || fscanf(f, "%lu", &pages) != 1)
		_exit(WRONG);
	fclose(f);
	r.rlim_cur = r.rlim_max = pages * (size_t)sysconf(_SC_PAGESIZE) + more;
	if (setrlimit(RLIMIT_AS, &r) < 0)
		_exit(WRONG);
}

static int refused(int code)
{
	return code == ENOMEM ? REFUSED : WRONG;
}

/* A document is written, read, and written again. */
static int there_and_back(size_t more)
{
	struct arena *a;
	struct json_gen *g;
	const struct json *j;
	const char *text, *again;
	struct sl_err err;
	size_t len;

	limit_memory(more);
	a = arena_new_checked();
	g = a ? json_gen_new(a, false) : NULL;
	if (!g)
		return refused(errno);
	json_gen_object(g);
	for (size_t i = 0; i < VALUES; i++) {
		char key[32];

		snprintf(key, sizeof(key), "key-%zu", i);
		json_gen_key(g, key);
		json_gen_array(g);
		json_gen_string(g, "a word that is not UTF-8: \xff");
		json_gen_u64(g, i);
		json_gen_bool(g, i & 1);
		json_gen_end(g);
	}
	json_gen_end(g);
	text = json_gen_take(g, &len);
	if (!text)
		return refused(errno);
	if (json_parse(a, text, len, &j, &err) < 0)
		return refused(err.code);
	g = json_gen_new(a, false);
	if (!g)
		return refused(errno);
	json_gen_value(g, j);
	again = json_gen_take(g, NULL);
	if (!again)
		return refused(errno);
	return j->n == VALUES && strcmp(text, again) == 0 ? DONE : WRONG;
}

static int allocates(size_t more)
{
	struct arena *a;

	limit_memory(more);
	a = arena_new();
	return arena_alloc(a, 100 * STEP) ? DONE : WRONG;
}

static int in_child(int (*what)(size_t more), size_t more)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(what(more));
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : WRONG;
}

static void plenty(void)
{
	auto_arena struct arena *a = arena_new_checked();
	char *p = arena_alloc(a, 10), *all;

	CHECK(p && (uintptr_t)p % 16 == 0 && p[0] == 0);
	CHECK(arena_reserve(a, 10 * STEP));
	all = arena_alloc(a, 10 * STEP);
	CHECK(all && all[10 * STEP - 1] == 0);
	CHECK_STR(arena_printf(a, "%s %d", "text", 7), "text 7");
	errno = 0;
	CHECK(!arena_array(a, SIZE_MAX / 2, 3) && errno == ENOMEM);
	CHECK(!arena_alloc(a, SIZE_MAX) && !arena_alloc(a, SIZE_MAX - STEP));
	CHECK(!arena_reserve(a, SIZE_MAX - 100));
	arena_clear(a);
	CHECK(!arena_array(a, SIZE_MAX / 2, 3)); /* still checked */
	CHECK(arena_alloc(a, 1));
}

int main(void)
{
	int n[WRONG + 1] = { 0 }, first = -1;

	plenty();
	for (int i = 0; i < STEPS; i++) {
		const int got = in_child(there_and_back, (size_t)i * STEP);

		n[got]++;
		if (got == DONE && first < 0)
			first = i;
	}
	printf("# refused %d times, done from %d on, ended %d\n", n[REFUSED], first, n[ENDED]);
	CHECK(n[WRONG] == 0 && n[ENDED] == 0);
	CHECK(n[REFUSED] > 10 && n[DONE] > 10);
	CHECK(in_child(allocates, 10 * STEP) == ENDED);
	CHECK(in_child(allocates, 200 * STEP) == DONE);
	return check_done();
}
