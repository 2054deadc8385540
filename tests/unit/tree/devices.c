/* SPDX-License-Identifier: Apache-2.0
 *
 * linux.devices, an image's own /dev, a bound /dev, and the console.
 */
#include <sys/ioctl.h>
#include <sys/sysmacros.h>

#include "tests/unit/tree/fixture.h"

static void run_extra(bool staged)
{
	struct spec_device d[] = {
		/* under another name than the host's: found by its number */
		{ .path = (char *)"/dev/deep/er/nil", .type = 'c', .major = 1, .minor = 3 },
		{ .path = (char *)"/dev/pipe",
			.type = 'p',
			.has_mode = true,
			.mode = 0640,
			.uid = 3,
			.gid = 4 },
		{ .path = (char *)"/elsewhere", .type = 'u', .major = 1, .minor = 5 },
	};
	struct spec_device_rule rule = { .allow = true,
		.type = 'c',
		.major = 4000,
		.minor = -1,
		.access = SPEC_DEVICE_READ | SPEC_DEVICE_WRITE };
	struct fixture f;

	fx_begin(&f);
	f.node.staged = staged;
	fx_default_mounts(&f);
	f.spec.linux_.devices = d;
	f.spec.linux_.n_devices = 3;
	CHECK(fx_build(&f) == 0);
	CHECK(fx_shell(&f,
		      "[ -c /dev/deep/er/nil ] && echo x > /dev/deep/er/nil && "
		      "[ \"$(stat -c '%a %u %g' /dev/pipe)\" = '640 3 4' ] && [ -p /dev/pipe ] && "
		      "[ \"$(head -c 2 /elsewhere | wc -c)\" = 2 ]") == 0);
	fx_drop(&f);
	/* one that no rule grants; then one that the host does not have, and one of another mode
	 * and owner than the host's */
	d[0].major = 4000;
	d[2].has_mode = true;
	d[2].mode = 0604;
	d[2].uid = 7;
	CHECK(fx_build(&f) == 0);
	CHECK(fx_open(&f, "/dev/deep/er/nil", O_RDONLY) == EACCES);
	fx_drop(&f);
	f.spec.linux_.resources.device_rules = &rule;
	f.spec.linux_.resources.n_device_rules = 1;
	CHECK(fx_build(&f) == 0);
	CHECK(fx_open(&f, "/dev/deep/er/nil", O_RDONLY) == ENXIO);
	CHECK(fx_shell(&f, "[ \"$(stat -c '%a %u %g %t %T' /elsewhere)\" = '604 7 0 1 5' ] && "
			   "[ \"$(head -c 2 /elsewhere | wc -c)\" = 2 ]") == 0);
	CHECK(fx_shell(&f, "! chmod 666 /elsewhere") == 0);
	fx_drop(&f);
	/* a node of the right name that is another device is not taken */
	d[0] = (struct spec_device){
		.path = (char *)"/dev/null", .type = 'c', .major = 1, .minor = 5
	};
	CHECK(fx_build(&f) == 0);
	CHECK(fx_shell(&f, "[ \"$(head -c 2 /dev/null | wc -c)\" = 2 ]") ==
		0); /* is the zero device */
	fx_end(&f);
}

/* No mount at /dev: the image's directory gets the devices; its own nodes are dead. */
static void run_image_dev(bool staged)
{
	struct fixture f;

	fx_begin(&f);
	f.node.staged = staged;
	fx_run("cd %s/rootfs && mkdir dev && mknod dev/null c 1 3 && mknod dev/ptmx c 5 2 && "
	       "mknod dev/kmsg c 1 11 && ln -s /etc/passwd dev/zero",
		f.dir);
	CHECK(fx_build(&f) == 0);
	CHECK(fx_open(&f, "/dev/null", O_RDWR) == 0);
	CHECK(fx_open(&f, "/dev/zero", O_RDWR) == 0); /* mounted over the symlink */
	CHECK(fx_open(&f, "/dev/kmsg", O_RDONLY) == EACCES);
	CHECK(fx_shell(&f, "[ -L /dev/ptmx ]") == 0);
	fx_end(&f);
}

/* A directory bound over /dev: nothing is made in it, existing names get the devices. */
static void run_bound_dev(bool staged)
{
	struct fixture f;

	fx_begin(&f);
	f.node.staged = staged;
	fx_run("mkdir %s/hostdev && touch %s/hostdev/null && mknod %s/hostdev/kmsg c 1 11", f.dir,
		f.dir, f.dir);
	fx_mount(&f, "/dev", "bind", "hostdev", "rbind");
	CHECK(fx_build(&f) == 0);
	CHECK(fx_open(&f, "/dev/null", O_RDWR) == 0);
	CHECK(fx_open(&f, "/dev/kmsg", O_RDONLY) == EACCES);
	CHECK(fx_open(&f, "/dev/zero", O_RDONLY) == ENOENT);
	fx_drop(&f);
	fx_run("[ $(ls %s/hostdev | wc -l) = 2 ]", f.dir);
	fx_end(&f);
}

static int tty_works(void *arg)
{
	char name[32] = "";
	int fd = open("/dev/console", O_RDWR | O_NOCTTY);

	(void)arg;
	if (fd < 0 || !isatty(fd) || write(fd, "hello\n", 6) != 6)
		return 1;
	close(fd);
	fd = open("/dev/ptmx", O_RDWR | O_NOCTTY);
	return fd < 0 || ioctl(fd, TIOCGPTN, name) < 0;
}

static void run_console(bool staged)
{
	char text[32] = "";
	struct fixture f;
	int slave;

	fx_begin(&f);
	f.node.staged = staged;
	fx_default_mounts(&f);
	f.spec.has_process = true;
	f.spec.process.terminal = true;
	CHECK(fx_build(&f) == 0);
	CHECK(f.tree.console_fd >= 0);
	slave = tree_open_console(&f.tree, &f.err);
	CHECK(slave >= 0 && isatty(slave));
	CHECK(fx_inside(&f, tty_works, NULL) == 0);
	CHECK(read(f.tree.console_fd, text, sizeof(text) - 1) > 0);
	CHECK_STR(text, "hello\r\n");
	close(slave);
	fx_drop(&f);
	/* without a devpts there is no console; a directory in its place is none */
	f.spec.n_mounts = 0;
	fx_mount(&f, "/dev", "tmpfs", "tmpfs", "");
	fx_mount(&f, "/dev/pts", "tmpfs", "tmpfs", "");
	CHECK_ERR_CONTAINS(fx_build(&f), f.err, "devpts");
	fx_end(&f);
}

int main(void)
{
	for (int staged = 0; staged < 2; staged++) {
		printf("# %s\n", staged ? "staged" : "detached");
		run_extra(staged);
		run_image_dev(staged);
		run_bound_dev(staged);
		run_console(staged);
	}
	return check_done();
}
