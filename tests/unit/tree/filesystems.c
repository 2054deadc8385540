/* SPDX-License-Identifier: Apache-2.0
 *
 * Idmapped binds, copy-up and overlays, in both assemblies.
 */
#include <sys/xattr.h>

#include "tests/unit/tree/fixture.h"

static void run_idmap(bool staged)
{
	struct spec_id_mapping map = { .container_id = 1000, .host_id = 5000, .size = 10 };
	struct spec_mount *m;
	struct fixture f;

	fx_begin(&f);
	f.node.staged = staged;
	fx_run("mkdir %s/vol && touch %s/vol/a && chown 1003:1004 %s/vol/a", f.dir, f.dir, f.dir);
	fx_mount(&f, "/plain", "bind", "vol", "bind");
	m = fx_mount(&f, "/mapped", "bind", "vol", "bind idmap");
	m->uid_mappings = m->gid_mappings = &map;
	m->n_uid_mappings = m->n_gid_mappings = 1;
	CHECK(fx_build(&f) == 0);
	CHECK(fx_shell(&f, "[ \"$(busybox stat -c '%u %g' /mapped/a)\" = '5003 5004' ]") == 0);
	CHECK(fx_shell(&f, "[ \"$(busybox stat -c '%u %g' /plain/a)\" = '1003 1004' ]") == 0);
	fx_drop(&f);
	map.size = 0; /* the kernel refuses such a map */
	CHECK_ERR_CONTAINS(fx_build(&f), f.err, "uid_map");
	fx_end(&f);
}

static void run_copy_up(bool staged)
{
	struct fixture f;
	char path[128], value[8] = "";

	fx_begin(&f);
	f.node.staged = staged;
	fx_run("cd %s/rootfs && mkdir -p run/d/e etc && echo text > run/d/file && "
	       "chown 7:8 run/d/file && chmod 4750 run/d/file && ln -s d/file run/link && "
	       "mkfifo run/pipe && chown 9:10 run && chmod 751 run && touch -d @1000 run/d/e && "
	       "head -c 300000 /bin/busybox > run/big && ln -s /etc run/out",
		f.dir);
	snprintf(path, sizeof(path), "%s/rootfs/run/d/file", f.dir);
	CHECK(setxattr(path, "user.k", "v", 1, 0) == 0);
	fx_mount(&f, "/run", "tmpfs", "tmpfs", "tmpcopyup size=1m");
	fx_mount(&f, "/new", "tmpfs", "tmpfs", "tmpcopyup ro"); /* not there before: empty */
	CHECK(fx_build(&f) == 0);
	CHECK(fx_shell(&f, "set -e; cd /run; [ \"$(busybox cat d/file)\" = text ]; "
			   "[ \"$(busybox stat -c '%a %u %g' d/file)\" = '4750 7 8' ]; "
			   "[ \"$(busybox stat -c '%a %u %g' .)\" = '751 9 10' ]; "
			   "[ \"$(busybox readlink link)\" = d/file ]; [ -p pipe ]; "
			   "[ \"$(busybox stat -c %Y d/e)\" = 1000 ]; "
			   "[ \"$(busybox stat -c %s big)\" = 300000 ]; [ -L out ]; "
			   "echo changed > d/file") == 0);
	{
		int fd = openat(f.tree.root_fd, "run/d/file", O_RDONLY);

		CHECK(fgetxattr(fd, "user.k", value, sizeof(value)) == 1 && value[0] == 'v');
		close(fd);
	}
	fx_run("[ \"$(cat %s/rootfs/run/d/file)\" = text ]", f.dir);
	CHECK(fx_open(&f, "/new/x", O_CREAT | O_WRONLY) == EROFS);
	fx_drop(&f);
	f.spec.n_mounts = 0;
	fx_mount(&f, "/run", "tmpfs", "tmpfs", "tmpcopyup size=64k");
	CHECK_ERR_CONTAINS(fx_build(&f), f.err, "copy up");
	fx_run("cd %s/rootfs/run && for i in $(seq 80); do mkdir d; cd d; done", f.dir);
	f.spec.n_mounts = 0;
	fx_mount(&f, "/run", "tmpfs", "tmpfs", "tmpcopyup size=4m");
	CHECK_ERR_CONTAINS(fx_build(&f), f.err, "levels");
	fx_end(&f);
}

static void run_overlay(bool staged)
{
	char options[4096], *p = options;
	struct fixture f;

	fx_begin(&f);
	f.node.staged = staged;
	/* forty layers with long names: far over what one fsconfig value can hold */
	p += sprintf(p, "lowerdir=");
	for (int i = 0; i < 40; i++) {
		fx_run("mkdir -p %s/layers/a-rather-long-name-of-a-layer-%d && "
		       "echo %d > %s/layers/a-rather-long-name-of-a-layer-%d/n%d",
			f.dir, i, i, f.dir, i, i);
		p += sprintf(
			p, "%s%s/layers/a-rather-long-name-of-a-layer-%d", i ? ":" : "", f.dir, i);
	}
	fx_run("mkdir %s/up %s/work '%s/a:b'", f.dir, f.dir, f.dir);
	p += sprintf(p, ":%s/a\\:b upperdir=%s/up workdir=%s/work", f.dir, f.dir, f.dir);
	fx_mount(&f, "/ov", "overlay", "overlay", options);
	CHECK(fx_build(&f) == 0);
	CHECK(fx_shell(&f,
		      "[ \"$(busybox cat /ov/n0)\" = 0 ] && [ \"$(busybox cat /ov/n39)\" = 39 ] && "
		      "echo x > /ov/n7 && echo y > /ov/new") == 0);
	fx_drop(&f);
	fx_run("[ -f %s/up/n7 ] && [ -f %s/up/new ]", f.dir, f.dir);
	fx_end(&f);
}

int main(void)
{
	for (int staged = 0; staged < 2; staged++) {
		printf("# %s\n", staged ? "staged" : "detached");
		run_idmap(staged);
		run_copy_up(staged);
		run_overlay(staged);
	}
	return check_done();
}
