/* SPDX-License-Identifier: Apache-2.0
 *
 * Time to build and to drop the tree of a containerd default bundle, both assemblies:
 * median and best of 200. Needs root.
 */
#include <sched.h>
#include <sys/resource.h>
#include <time.h>

#include "tests/helpers/clock.h"
#include "tests/unit/tree/fixture.h"

#define ROUNDS 200

/* What the whole round costs the processor: hardly touched by what else is running. */
static double cpu_us(void)
{
	struct rusage self, children;

	getrusage(RUSAGE_SELF, &self);
	getrusage(RUSAGE_CHILDREN, &children);
	return (double)(self.ru_utime.tv_sec + self.ru_stime.tv_sec + children.ru_utime.tv_sec +
			children.ru_stime.tv_sec) *
		       1e6 +
	       (double)(self.ru_utime.tv_usec + self.ru_stime.tv_usec + children.ru_utime.tv_usec +
			children.ru_stime.tv_usec);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static int measure(struct fixture *f, const char *name)
{
	double build[ROUNDS], drop[ROUNDS], cpu = cpu_us();

	for (int i = 0; i < ROUNDS; i++) {
		auto_arena struct arena *a = arena_new();
		double t0 = clock_us(), t1;

		if (tree_build(a, &f->fs, &f->ctx, &f->tree, &f->err) < 0) {
			fprintf(stderr, "%s: %s\n", name, f->err.msg);
			return -1;
		}
		t1 = clock_us();
		build[i] = t1 - t0;
		fx_drop(f);
		drop[i] = clock_us() - t1;
	}
	cpu = cpu_us() - cpu;
	qsort(build, ROUNDS, sizeof(build[0]), compare);
	qsort(drop, ROUNDS, sizeof(drop[0]), compare);
	printf("%-9s build median %6.0f us, best %6.0f us; drop median %5.0f us; "
	       "cpu %5.0f us a round; %zu mounts\n",
		name, build[ROUNDS / 2], build[0], drop[ROUNDS / 2], cpu / ROUNDS,
		f->tree.n_mount_ids);
	return 0;
}

int main(void)
{
	pid_t hidden[1] = { getpid() };
	struct fixture f;
	int r;

	fx_begin(&f);
	fx_default_mounts(&f);
	fx_default_masks(&f);
	/* containerd mounts the root; a plain directory costs one look at the mount table more */
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_PRIVATE | MS_REC, NULL) < 0)
		return 1;
	fx_run("mount --bind %s/rootfs %s/rootfs", f.dir, f.dir);
	f.spec.hostname = arena_strdup(f.a, "bench");
	f.ctx.hidden_ids = hidden;
	f.ctx.n_hidden_ids = 1;
	if (plan_fs_build(f.a, &f.spec, &f.node, f.dir, &f.fs, &f.err) < 0) {
		fprintf(stderr, "%s\n", f.err.msg);
		fx_end(&f);
		return 1;
	}
	r = measure(&f, "detached");
	f.fs.staged = true;
	r |= measure(&f, "staged");
	fx_run("umount %s/rootfs", f.dir);
	fx_end(&f);
	return r != 0;
}
