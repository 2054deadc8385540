/* SPDX-License-Identifier: Apache-2.0
 *
 * The default bundle of containerd, in both assemblies: what a program sees inside, and
 * that the host's mount table never changes.
 */
#include "tests/unit/tree/fixture.h"

static const char *const inside[] = {
	/* devices work and cannot be changed; control: the pty's own node can be */
	"echo x > /dev/null && [ \"$(head -c 3 /dev/zero | wc -c)\" = 3 ]",
	"head -c 1 /dev/urandom >/dev/null && head -c 1 /dev/random >/dev/null",
	"! echo x > /dev/full",
	"! chmod 600 /dev/null && ! chown 1 /dev/null && chmod 755 /dev/shm && chmod 1777 /dev/shm",
	"for d in null zero full random urandom tty; do [ -c /dev/$d ] || exit 1; done",
	"[ $(readlink /dev/fd) = /proc/self/fd ] && [ $(readlink /dev/stdin) = /proc/self/fd/0 ]",
	"[ $(readlink /dev/ptmx) = pts/ptmx ] && [ -c /dev/pts/ptmx ]",
	"[ $(stat -c %a /dev) = 755 ] && [ $(stat -c %a /dev/shm) = 1777 ]",
	"[ $(stat -c %a /dev/pts/ptmx) = 666 ]",
	"[ $(ls /dev | wc -l) = 14 ] || [ $(ls /dev | wc -l) = 15 ]",
	/* procfs, sysfs */
	"[ -d /proc/self/fd ] && [ -d /sys/kernel ]",
	"! echo 1 > /proc/sys/kernel/printk",
	"[ -z \"$(cat /proc/keys)\" ] && [ -z \"$(ls /sys/firmware)\" ]",
	"! mkdir /sys/fs/x",
	/* what was generated */
	"grep -q '^proc /proc proc rw,nosuid,nodev,noexec' /proc/mounts",
	"grep -q '^tmpfs /dev tmpfs rw,nosuid,nodev' /proc/mounts",
	"grep -q ' / .* rw,nodev' /proc/mounts && df / >/dev/null && df /dev/shm >/dev/null",
	"mount | grep -q 'devpts on /dev/pts type devpts'",
	"[ \"$(cat /proc/sys/kernel/hostname)\" = tree-test ] && [ \"$(cat /etc/hostname)\" = "
	"tree-test ]",
	"[ $(cat /sys/fs/cgroup/memory.max) = 268435456 ] && [ $(cat /sys/fs/cgroup/pids.max) = 64 "
	"]",
	"[ \"$(cat /sys/fs/cgroup/cpu.max)\" = '50000 100000' ] && [ $(cat "
	"/sys/fs/cgroup/memory.swap.max) = max ]",
	"[ $(cat /sys/fs/cgroup/cpuset.cpus.effective) = 0 ]",
	"! touch /sys/fs/cgroup/x && ! sh -c 'echo 1 > /sys/fs/cgroup/memory.max'",
	"touch /dev/mqueue/q && rm /dev/mqueue/q && touch /run/x /x && rm /x",
	/* the tree ends at its root */
	"cd / && [ $(stat -c %i ..) = $(stat -c %i .) ]",
};

static void run(bool staged)
{
	struct fixture f;
	char *before, *after;
	mode_t old;

	printf("# %s\n", staged ? "staged" : "detached");
	fx_begin(&f);
	fx_run("mkdir %s/rootfs/etc && echo image > %s/rootfs/etc/hostname", f.dir, f.dir);
	fx_default_mounts(&f);
	fx_default_masks(&f);
	f.node.staged = staged;
	f.spec.hostname = arena_strdup(f.a, "tree-test");
	f.spec.linux_.resources = (struct spec_resources){
		.has_memory_limit = true,
		.memory_limit = 268435456,
		.has_pids_limit = true,
		.pids_limit = 64,
		.has_cpu_quota = true,
		.cpu_quota = 50000,
		.cpus = arena_strdup(f.a, "0"),
	};
	before = fx_mount_table(&f);
	old = umask(077);
	CHECK(fx_build(&f) == 0);
	CHECK(umask(old) == 077); /* the caller's again */
	for (size_t i = 0; i < sizeof(inside) / sizeof(inside[0]); i++)
		CHECK(fx_shell(&f, inside[i]) == 0);
	CHECK(fx_shell(&f,
		      "[ $(stat -c %a /proc/..) = 755 ] && [ $(stat -c %a /dev/mqueue) = 1777 ]") ==
		0);
	/* root, 8 mounts, 6 devices, masks and generated files: all booked, all different */
	CHECK(f.tree.n_mount_ids >= 20);
	for (size_t i = 0; i < f.tree.n_mount_ids; i++)
		for (size_t k = 0; k < i; k++)
			if (f.tree.mount_ids[i] == f.tree.mount_ids[k])
				CHECK_NOT_REACHED("ids differ");
	after = fx_mount_table(&f);
	CHECK_STR(after, before);
	fx_drop(&f);
	/* mount points made in the image, under umask 077 */
	fx_run("[ $(stat -c %%a %s/rootfs/sys) = 755 ]", f.dir);
	fx_run("[ \"$(cat %s/rootfs/etc/hostname)\" = image ]", f.dir);
	fx_end(&f);
}

int main(void)
{
	run(false);
	run(true);
	return check_done();
}
