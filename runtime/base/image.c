/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/image.h"

#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"
#include "runtime/base/kernel.h"

#define EXE_PATH "/proc/self/exe"
#define BEGIN    ((size_t)4096)    /* the first bytes, by which the program is recognised */
#define COPY_MAX ((size_t)1 << 30) /* in one call */
#define SEALS    (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

/* The beginning of the program, defined by the linker. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));

static uintptr_t page_of(uintptr_t address)
{
	return address & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
}

static uintptr_t page_behind(uintptr_t address)
{
	return page_of(address + (uintptr_t)sysconf(_SC_PAGESIZE) - 1);
}

static int clone_image_mount(void)
{
	struct mount_attr attr = {
		.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV,
	};
	const unsigned int flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC;
	auto_fd int fd =
		(int)syscall(SYS_open_tree_attr, AT_FDCWD, EXE_PATH, flags, &attr, sizeof(attr));

	if (fd >= 0 || errno != ENOSYS)
		return take_fd(&fd);
	fd = open_tree(AT_FDCWD, EXE_PATH, flags);
	if (fd < 0 || mount_setattr(fd, "", AT_EMPTY_PATH, &attr, sizeof(attr)) < 0)
		return -1;
	return take_fd(&fd);
}

static int open_below(int mount_fd)
{
	char link[32];

	if (mount_fd < 0)
		return -1;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", mount_fd);
	return open(link, O_RDONLY | O_CLOEXEC);
}

/* On some nodes files in memory are not executable by default (sysctl vm.memfd_noexec). */
static int make_executable_file(void)
{
	const unsigned int flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
	int fd = memfd_create("sandlock-oci", flags | MFD_EXEC);

	return fd < 0 && errno == EINVAL ? memfd_create("sandlock-oci", flags) : fd;
}

static int open_copy(void)
{
	auto_fd int fd = make_executable_file();
	auto_fd int exe_fd = open(EXE_PATH, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0 || exe_fd < 0)
		return -1;
	do
		n = sendfile(fd, exe_fd, NULL, COPY_MAX);
	while (n > 0);
	if (n < 0 || fcntl(fd, F_ADD_SEALS, SEALS) < 0)
		return -1;
	return take_fd(&fd);
}

/* The file is another one when a loader or an emulator was started with this program as its
 * argument. */
static int check_same(int fd, struct sl_err *err)
{
	char begin[BEGIN];
	ssize_t n = pread(fd, begin, sizeof(begin), 0);

	if (n < 0)
		return sl_err_set(err, errno, "read %s", EXE_PATH);
	if (n != (ssize_t)sizeof(begin) || memcmp(begin, __ehdr_start, sizeof(begin)) != 0)
		return sl_err_set(err, 0, "%s is not this program", EXE_PATH);
	return 0;
}

/* Copies words instead of calling memcpy(3), because a sanitizer marks gaps between the variables
 * of the program. */
__attribute__((no_sanitize("address"))) static void copy_words(
	volatile uint64_t *to, const volatile uint64_t *from, size_t bytes)
{
	for (size_t i = 0; i < bytes / sizeof(*to); i++)
		to[i] = from[i];
}

/* Nothing may be written to the segment between the copy and the exchange. So only functions that
 * keep no state are called here; errno belongs to the thread and not to the segment. */
static int map_copy(uintptr_t start, size_t n)
{
	void *copy = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (copy == MAP_FAILED)
		return -1;
	copy_words(copy, (const volatile uint64_t *)start, n);
	copy = mremap(copy, n, n, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)start);
	return copy == MAP_FAILED ? -1 : 0;
}

static int map_segment(const ElfW(Phdr) * p, uintptr_t at, int fd)
{
	const uintptr_t start = page_of(at), end = page_behind(at + p->p_filesz);
	const int prot = PROT_READ | (p->p_flags & PF_X ? PROT_EXEC : 0);
	void *mapped;

	if (start == end)
		return 0;
	if (p->p_flags & PF_W)
		return map_copy(start, end - start);
	mapped = mmap((void *)start, end - start, prot, MAP_PRIVATE | MAP_FIXED, fd,
		(off_t)page_of(p->p_offset));
	return mapped == MAP_FAILED ? -1 : 0;
}

/* Maps the file over the old one, because the kernel exchanges the file of a process only when
 * nothing of the old file is mapped. */
static int map_again(int fd, struct sl_err *err)
{
	const uintptr_t begin = (uintptr_t)__ehdr_start;
	const ElfW(Ehdr) *head = (const ElfW(Ehdr) *)begin;
	const ElfW(Phdr) *p = (const ElfW(Phdr) *)(begin + head->e_phoff);
	const ElfW(Phdr) *const end = p + head->e_phnum;
	uintptr_t bias = begin;

	for (const ElfW(Phdr) *i = p; i < end; i++)
		if (i->p_type == PT_LOAD && i->p_offset == 0)
			bias = begin - i->p_vaddr;
	for (const ElfW(Phdr) *i = p; i < end; i++)
		if (i->p_type == PT_LOAD && map_segment(i, bias + i->p_vaddr, fd) < 0)
			return sl_err_set(err, errno, "map the program again");
	for (const ElfW(Phdr) *i = p; i < end; i++) {
		const uintptr_t start = page_of(bias + i->p_vaddr),
				stop = page_of(bias + i->p_vaddr + i->p_memsz);

		if (i->p_type == PT_GNU_RELRO &&
			mprotect((void *)start, stop - start, PROT_READ) < 0)
			return sl_err_set(err, errno, "map the program again");
	}
	return 0;
}

/* Reads the fields of /proc/self/stat (proc(5)); the first two are skipped. */
static int read_layout(struct prctl_mm_map *ret)
{
	enum { FIRST = 3, LAST = 51 };
	unsigned long long field[LAST + 1] = { 0 };
	char text[1024], *at;

	if (io_slurp(AT_FDCWD, "/proc/self/stat", text, sizeof(text)) < 0)
		return -1;
	at = strrchr(text, ')');
	if (!at || strlen(at) < 4) {
		errno = EPROTO;
		return -1;
	}
	at += 3; /* the third field, the state, is a letter */
	for (int i = FIRST + 1; i <= LAST; i++)
		field[i] = strtoull(at, &at, 10);
	*ret = (struct prctl_mm_map){
		.start_code = field[26],
		.end_code = field[27],
		.start_stack = field[28],
		.start_data = field[45],
		.end_data = field[46],
		.start_brk = field[47],
		.brk = (uintptr_t)sbrk(0),
		.arg_start = field[48],
		.arg_end = field[49],
		.env_start = field[50],
		.env_end = field[51],
	};
	return 0;
}

/* The first call needs CAP_SYS_RESOURCE on the host; the second one also works in a user
 * namespace. */
static int exchange(int fd)
{
	struct prctl_mm_map layout;

	if (prctl(PR_SET_MM, PR_SET_MM_EXE_FILE, (unsigned long)fd, 0L, 0L) == 0)
		return 0;
	if (read_layout(&layout) < 0)
		return -1;
	layout.exe_fd = (unsigned int)fd;
	return prctl(PR_SET_MM, PR_SET_MM_MAP, (unsigned long)&layout, sizeof(layout), 0L);
}

/* Whether the program was executed again from the copy, or the node keeps it on a read-only
 * mount. */
static bool is_protected(void)
{
	auto_fd int fd = open(EXE_PATH, O_RDONLY | O_CLOEXEC);
	struct statvfs st;

	if (fd < 0)
		return false;
	return fcntl(fd, F_GET_SEALS) == SEALS ||
	       (fstatvfs(fd, &st) == 0 && (st.f_flag & ST_RDONLY));
}

int image_protect(char *const *argv, int *ret_mount_fd, struct sl_err *err)
{
	auto_fd int mount_fd = clone_image_mount();
	auto_fd int fd = open_below(mount_fd);

	if (fd < 0)
		fd = open_copy();
	if (fd < 0)
		return sl_err_set(err, errno, "protect %s: make a read-only copy", EXE_PATH);
	if (check_same(fd, err) < 0 || map_again(fd, err) < 0)
		return sl_err_wrap(err, "protect the runtime's file");
	if (exchange(fd) == 0 || is_protected()) {
		*ret_mount_fd = take_fd(&mount_fd);
		return 0;
	}
	syscall(SYS_execveat, fd, "", argv, environ, AT_EMPTY_PATH);
	return sl_err_set(
		err, errno, "protect the runtime's file: execute it from a read-only mount");
}

const char *image_directory(struct arena *a)
{
	char path[PATH_MAX];
	const ssize_t n = readlink(EXE_PATH, path, sizeof(path));
	const char *end = n > 0 ? memrchr(path, '/', (size_t)n) : NULL;

	return end ? arena_printf(a, "%.*s", (int)(end - path), path) : NULL;
}
