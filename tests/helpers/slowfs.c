/* SPDX-License-Identifier: Apache-2.0
 *
 * A file system whose only file, f, has a size and never any content: who touches a page of it,
 *makes a node or looks up a name that begins with "never" waits until this process ends (fuse(4)).
 *
 *	slowfs DIR [close]	mounts it there, says "ready"; close: who closes the file waits as
 *well
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define FILE_SIZE (1U << 20)

static int device_fd;
static bool never_closes;

static void answer(const struct fuse_in_header *to, int error, const void *body, size_t n)
{
	struct fuse_out_header head = {
		.len = (uint32_t)(sizeof(head) + n), .error = -error, .unique = to->unique
	};
	struct iovec iov[] = { { &head, sizeof(head) }, { (void *)body, n } };

	(void)!writev(device_fd, iov, n > 0 ? 2 : 1);
}

static struct fuse_attr attributes_of(uint64_t node)
{
	const bool directory = node == FUSE_ROOT_ID;

	return (struct fuse_attr){
		.ino = node,
		.nlink = 1,
		.mode = directory ? S_IFDIR | 0777 : S_IFREG | 0666,
		.size = directory ? 0 : FILE_SIZE,
	};
}

static void serve(const struct fuse_in_header *h)
{
	const struct fuse_init_out init = { .major = 7, .minor = 31, .max_write = 65536 };
	const struct fuse_attr_out attr = { .attr_valid = 1000, .attr = attributes_of(h->nodeid) };
	const struct fuse_entry_out entry = {
		.nodeid = 2, .entry_valid = 1000, .attr_valid = 1000, .attr = attributes_of(2)
	};
	const struct fuse_open_out opened = { .fh = 1, .open_flags = FOPEN_KEEP_CACHE };
	const struct fuse_statfs_out statfs = { 0 };

	switch (h->opcode) {
	case FUSE_INIT: answer(h, 0, &init, sizeof(init)); break;
	case FUSE_LOOKUP:
		if (strcmp((const char *)(h + 1), "f") == 0)
			answer(h, 0, &entry, sizeof(entry));
		else if (strncmp((const char *)(h + 1), "never", 5) != 0)
			answer(h, ENOENT, NULL, 0);
		break;
	case FUSE_GETATTR: answer(h, 0, &attr, sizeof(attr)); break;
	case FUSE_STATFS: answer(h, 0, &statfs, sizeof(statfs)); break;
	case FUSE_OPEN:
	case FUSE_OPENDIR: answer(h, 0, &opened, sizeof(opened)); break;
	case FUSE_FLUSH:
		if (!never_closes)
			answer(h, 0, NULL, 0);
		break;
	case FUSE_RELEASE:
	case FUSE_RELEASEDIR: answer(h, 0, NULL, 0); break;
	case FUSE_READ: /* never */
	case FUSE_MKNOD:
	case FUSE_INTERRUPT:
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET: break;
	default: answer(h, ENOSYS, NULL, 0);
	}
}

int main(int argc, char **argv)
{
	static _Alignas(struct fuse_in_header) char buf[1 << 17];
	char options[128];
	ssize_t n;

	device_fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other",
		device_fd);
	never_closes = argc == 3 && strcmp(argv[2], "close") == 0;
	if (argc < 2 || device_fd < 0 ||
		mount("slow", argv[1], "fuse.slow", MS_NOSUID | MS_NODEV, options) < 0) {
		perror("slowfs");
		return 1;
	}
	printf("ready\n");
	fflush(stdout);
	while ((n = read(device_fd, buf, sizeof(buf))) > 0 || errno == EINTR)
		if (n >= (ssize_t)sizeof(struct fuse_in_header))
			serve((const struct fuse_in_header *)buf);
	return 0;
}
