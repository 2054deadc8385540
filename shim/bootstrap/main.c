/* SPDX-License-Identifier: Apache-2.0
 *
 * containerd-shim-sandlock-v1: containerd's runtime io.containerd.sandlock.v1.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "runtime/base/image.h"
#include "runtime/base/proctitle.h"
#include "shim/bootstrap/bootstrap.h"

static const char help[] = SHIM_NAME
	" - containerd's runtime io.containerd.sandlock.v1\n\n"
	"containerd and CRI-O start this program; it is not called by hand:\n"
	"   ctr run --runtime io.containerd.sandlock.v1 IMAGE ID\n\n"
	"usage: " SHIM_NAME " -namespace NAME -id ID -address SOCKET [-bundle DIR] start|delete\n"
	"       " SHIM_NAME " -info <OPTIONS\n"
	"       " SHIM_NAME " -v\n\n"
	"See " SHIM_NAME "(8).\n";

static int run(struct bootstrap *b, char **argv, struct sl_err *err)
{
	int image_fd;

	if (bootstrap_read_flags(b, argv, err) < 0)
		return -1;
	if (b->help) {
		fputs(help, stdout);
		return 0;
	}
	if (b->version) {
		printf(SHIM_NAME " version %s\n", SANDLOCK_VERSION);
		return 0;
	}
	if (b->info)
		return bootstrap_info(b, err);
	if (strcmp(b->action, "delete") == 0)
		return bootstrap_delete(b, err);
	if (strcmp(b->action, "start") != 0)
		return sl_err_set(err, 0, "\"%s\": expected start or delete; see -help", b->action);
	b->programs = image_directory(b->arena);
	/* image_protect() may execute this program again, so it comes before standard input is
	 * read. image_fd is not closed, because unmounting takes time. */
	if (image_protect(argv, &image_fd, err) < 0 || bootstrap_read_input(b, err) < 0)
		return -1;
	return bootstrap_start(b, err);
}

int main(int argc, char **argv)
{
	struct bootstrap b = { .arena = arena_new() };
	struct sl_err err;

	proctitle_init(argc, argv);
	if (prctl(PR_SET_DUMPABLE, 0L, 0L, 0L, 0L) == 0 && run(&b, argv, &err) == 0)
		return 0;
	fprintf(stderr, SHIM_NAME ": %s\n", err.msg);
	return 1;
}
