/* SPDX-License-Identifier: Apache-2.0
 *
 * The domain around a child, act by act: each works without it. Uid 0, so that nothing but
 * Landlock refuses.
 */
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

#include "runtime/base/cleanup.h"
#include "runtime/confine/landlock.h"
#include "tests/unit/check.h"
#include "tests/unit/confine/child.h"

static char root[] = "/tmp/landlock-XXXXXX";
static int root_fd = -1; /* the tree */
static int host_fd = -1; /* its parent: outside */
static int listener_fd = -1;
static int ruleset_fd = -1; /* -1: the control arm */
static struct sockaddr_in listener;
static socklen_t listener_len = sizeof(listener);

static bool enter(void)
{
	return ruleset_fd < 0 || (prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) == 0 &&
					 syscall(SYS_landlock_restrict_self, ruleset_fd, 0) == 0);
}

#define BODY(name, expression)                                                                     \
	static int name(const void *arg)                                                           \
	{                                                                                          \
		(void)arg;                                                                         \
		return enter() ? child_errno(expression) : 255;                                    \
	}

static long connect_tcp(void)
{
	return connect(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&listener, listener_len);
}

static long connect_abstract(void)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX, .sun_path = "\0landlock-domain-test" };
	socklen_t len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 21);

	return connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&name, len);
}

static long move_across(void)
{
	mkdirat(root_fd, "a", 0700);
	mkdirat(root_fd, "b", 0700);
	close(openat(root_fd, "a/f", O_CREAT | O_WRONLY, 0600));
	return renameat2(root_fd, "a/f", root_fd, "b/f", 0);
}

static long reopen_extra(int flags)
{
	char path[64];

	snprintf(path, sizeof(path), "%s.extra", root);
	return open(path, flags, 0600);
}

BODY(do_outside_dir, openat(host_fd, ".", O_RDONLY | O_DIRECTORY))
BODY(do_outside_file, openat(host_fd, "null", O_RDONLY))
BODY(do_outside_make, openat(host_fd, "../tmp/landlock-new", O_CREAT | O_WRONLY | O_TRUNC, 0600))
BODY(do_outside_exec, execl("/bin/true", "true", NULL))
BODY(do_inside_read, openat(root_fd, ".", O_RDONLY | O_DIRECTORY))
BODY(do_inside_write, openat(root_fd, "file", O_CREAT | O_RDWR | O_TRUNC, 0600))
BODY(do_inside_move, move_across())
BODY(do_inside_fifo, mknodat(root_fd, "fifo", S_IFIFO | 0600, 0))
BODY(do_inside_char, mknodat(root_fd, "char", S_IFCHR | 0600, makedev(1, 3)))
BODY(do_inside_block, mknodat(root_fd, "block", S_IFBLK | 0600, makedev(7, 0)))
BODY(do_tcp, connect_tcp())
BODY(do_abstract, connect_abstract())
BODY(do_signal, kill(getppid(), 0))
BODY(do_extra, reopen_extra(O_WRONLY | O_TRUNC))

static int under(int (*body)(const void *), int fd)
{
	ruleset_fd = fd;
	return child_run(body, NULL);
}

static void check_act(const char *name, int (*body)(const void *), int fd, int want)
{
	int without, with;

	without = under(body, -1);
	unlinkat(root_fd, "fifo", 0);
	unlinkat(root_fd, "char", 0);
	unlinkat(root_fd, "block", 0);
	with = under(body, fd);
	if (without == 0 && with == want)
		return;
	printf("# %s: %d without and %d in the domain, expected 0 and %d\n", name, without, with,
		want);
	CHECK_NOT_REACHED("act");
}
#define ACT(body, want) check_act(#body, body, fd, want)

static void set_up(void)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX, .sun_path = "\0landlock-domain-test" };
	int abstract_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	CHECK(geteuid() == 0 && mkdtemp(root));
	root_fd = open(root, O_PATH | O_CLOEXEC);
	host_fd = open("/dev", O_PATH | O_CLOEXEC);
	listener_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	CHECK(listen(listener_fd, 5) == 0);
	getsockname(listener_fd, (struct sockaddr *)&listener, &listener_len);
	CHECK(bind(abstract_fd, (struct sockaddr *)&name,
		      offsetof(struct sockaddr_un, sun_path) + 21) == 0);
	CHECK(listen(abstract_fd, 5) == 0);
}

int main(void)
{
	const struct node_policy node = { .own_namespace = false };
	struct landlock_rule rules[3] = { { .access = LANDLOCK_TREE_ACCESS } };
	struct landlock_params p = { .rules = rules, .n_rules = 1, .waived = node.waived };
	char command[160];
	struct sl_err err;
	auto_fd int extra_fd = -1;
	auto_fd int memory_fd = memfd_create("stdout", MFD_CLOEXEC);
	auto_fd int fd = -1;

	set_up();
	rules[0].fd = root_fd;
	extra_fd = (int)reopen_extra(O_CREAT | O_RDWR | O_CLOEXEC);
	CHECK(landlock_prepare(&p, &fd, &err) == 0);
	CHECK(fcntl(fd, F_GETFD) == FD_CLOEXEC);
	ACT(do_outside_dir, EACCES);
	ACT(do_outside_file, EACCES);
	ACT(do_outside_make, EACCES);
	ACT(do_outside_exec, EACCES);
	ACT(do_inside_read, 0);
	ACT(do_inside_write, 0);
	ACT(do_inside_move, 0);
	ACT(do_inside_fifo, 0);
	ACT(do_inside_char, 0); /* the filter's, which lets 0:0 pass */
	ACT(do_inside_block, EACCES);
	ACT(do_tcp, EACCES);
	ACT(do_abstract, EPERM);
	ACT(do_signal, EPERM);
	ACT(do_extra, EACCES);

	/* A file handed in as stdio can be opened again; one of no tree needs no rule. */
	drop_fd(&fd);
	rules[1] = (struct landlock_rule){ extra_fd, LANDLOCK_FILE_ACCESS };
	rules[2] = (struct landlock_rule){ memory_fd, LANDLOCK_FILE_ACCESS };
	p.n_rules = 3;
	CHECK(landlock_prepare(&p, &fd, &err) == 0);
	ACT(do_extra, 0);
	ACT(do_outside_file, EACCES);

	rules[1].fd = 9999;
	CHECK_ERR_CONTAINS(
		landlock_prepare(&p, &fd, &err), err, "landlock: grant on descriptor 9999");
	snprintf(command, sizeof(command), "rm -rf %s %s.extra /tmp/landlock-new", root, root);
	CHECK(system(command) == 0);
	return check_done();
}
