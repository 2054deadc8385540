/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads and writes the caller's memory (process_vm_readv(2), /proc/pid/mem of proc(5)).
 *
 * A page of this memory can belong to a file on a file system that does not answer. Then a copy
 * blocks as long as the file system likes; only SIGKILL ends it, and not always. Therefore the
 * supervisor first asks the kernel which pages are present, which never blocks. It copies pages
 * directly if all are present in the caller's page table; otherwise a child process copies them,
 * with a time limit (base/brief.h). Two cases remain in which a caller delays the supervisor of its
 * own container: the caller exchanges a page between the check and the copy, or the page to be
 * written belongs to a shared file that the file system is writing back.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/notif/notif.h"

#define PAGES_AT_ONCE 64

/* Whether n_pages pages from this address on are present. move_pages(2) without nodes moves
 * nothing, but reports where the pages are, in half a microsecond. EFAULT means the zero page or no
 * mapping, and a copy blocks on neither. If the kernel cannot tell (without NUMA), or if the caller
 * is gone, the copy itself finds out. */
static bool are_there(const struct notif_call *c, uint64_t addr, size_t n_pages, size_t page)
{
	void *pages[PAGES_AT_ONCE];
	int status[PAGES_AT_ONCE];

	for (size_t i = 0; i < n_pages; i++)
		pages[i] = (void *)(uintptr_t)(addr + i * page);
	if (syscall(SYS_move_pages, c->pid, n_pages, pages, NULL, status, 0) < 0)
		return true;
	for (size_t i = 0; i < n_pages; i++)
		if (status[i] < 0 && status[i] != -EFAULT)
			return false;
	return true;
}

/* Whether a copy does not block. */
static bool is_mapped(const struct notif_call *c, const struct iovec *v)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const uint64_t addr = (uintptr_t)v->iov_base;
	uint64_t at = addr - addr % page;
	size_t left = (addr % page + v->iov_len + page - 1) / page;

	while (v->iov_len > 0 && left > 0) {
		const size_t n = left < PAGES_AT_ONCE ? left : PAGES_AT_ONCE;

		if (!are_there(c, at, n, page))
			return false;
		at += n * page;
		left -= n;
	}
	return true;
}

static bool all_mapped(const struct notif_call *c, const struct iovec *v, size_t n)
{
	while (n > 0 && is_mapped(c, v))
		n--, v++;
	return n == 0;
}

struct slow_read {
	pid_t pid;
	struct iovec shared;
	const struct iovec *theirs;
	size_t n_theirs;
};

static int read_slowly(void *ctx)
{
	const struct slow_read *r = ctx;

	if (close_range(0, ~0U, 0) < 0 || process_vm_readv(r->pid, &r->shared, 1, r->theirs,
						  r->n_theirs, 0) != (ssize_t)r->shared.iov_len)
		return -1;
	return 0;
}

/* The child copies into memory that only it and the supervisor share. */
static int copy_slowly(const struct notif_call *c, size_t all, const struct iovec *mine,
	size_t n_mine, const struct iovec *theirs, size_t n_theirs)
{
	struct slow_read r = { .pid = c->pid, .theirs = theirs, .n_theirs = n_theirs };
	char *from = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int rc;

	if (from == MAP_FAILED)
		return -1;
	r.shared = (struct iovec){ from, all };
	rc = brief_run(c->brief, read_slowly, &r);
	for (size_t i = 0, at = 0; rc == 0 && i < n_mine; at += mine[i++].iov_len)
		memcpy(mine[i].iov_base, from + at, mine[i].iov_len);
	munmap(from, all);
	return rc;
}

int notif_copy(const struct notif_call *c, const struct iovec *mine, size_t n_mine,
	const struct iovec *theirs, size_t n_theirs)
{
	size_t all = 0;

	for (size_t i = 0; i < n_mine; i++)
		all += mine[i].iov_len;
	if (all == 0)
		return 0;
	if (all_mapped(c, theirs, n_theirs)
			? process_vm_readv(c->pid, mine, n_mine, theirs, n_theirs, 0) ==
				  (ssize_t)all
			: copy_slowly(c, all, mine, n_mine, theirs, n_theirs) == 0)
		return 0;
	errno = EFAULT;
	return -1;
}

int notif_read(const struct notif_call *c, uint64_t addr, void *buf, size_t n)
{
	struct iovec mine = { .iov_base = buf, .iov_len = n };
	struct iovec theirs = { .iov_base = (void *)(uintptr_t)addr, .iov_len = n };

	if (notif_copy(c, &mine, 1, &theirs, 1) < 0)
		return -1;
	/* The check comes after the copy: the memory was the caller's, and not that of a process
	 * that got its number later. */
	if (!notif_waits(c)) {
		errno = ESRCH;
		return -1;
	}
	return 0;
}

int notif_read_string(const struct notif_call *c, uint64_t addr, char *buf, size_t size)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t len = 0;

	while (len < size) {
		size_t n = page - addr % page;

		if (n > size - len)
			n = size - len;
		if (notif_read(c, addr, buf + len, n) < 0)
			return -1;
		if (memchr(buf + len, '\0', n))
			return 0;
		len += n;
		addr += n;
	}
	errno = ENAMETOOLONG;
	return -1;
}

/* The file belongs to the caller's user, and the kernel checks its owner in addition to the right
 * to trace. So the supervisor takes this user for the moment of the open. */
static int open_memory(const struct notif_call *c)
{
	int fd, saved;
	struct stat st;
	char path[32];

	snprintf(path, sizeof(path), "%d/mem", (int)c->pid);
	fd = openat(c->proc_fd, path, O_WRONLY | O_CLOEXEC);
	if (fd >= 0 || errno != EACCES || fstatat(c->proc_fd, path, &st, 0) < 0)
		return fd;
	setfsuid(st.st_uid);
	fd = openat(c->proc_fd, path, O_WRONLY | O_CLOEXEC);
	saved = errno;
	setfsuid(0);
	errno = saved;
	return fd;
}

struct slow_write {
	int mem_fd;
	uint64_t addr;
	const void *buf;
	size_t n;
};

static int write_now(const struct slow_write *w)
{
	return pwrite(w->mem_fd, w->buf, w->n, (off_t)w->addr) == (ssize_t)w->n ? 0 : -1;
}

static int write_slowly(void *ctx)
{
	struct slow_write *w = ctx;

	if (dup2(w->mem_fd, 0) < 0 || close_range(1, ~0U, 0) < 0)
		return -1;
	w->mem_fd = 0;
	return write_now(w);
}

/* Writes through a descriptor of the memory itself (/proc/pid/mem in proc(5)). Once the check has
 * shown that the descriptor belongs to the caller, it stays so: a program that is executed later,
 * or a process that gets the number later, has another memory. Pages that the caller has mapped
 * read-only are written too, because they are its own. */
int notif_write(const struct notif_call *c, uint64_t addr, const void *buf, size_t n)
{
	const struct iovec theirs = { (void *)(uintptr_t)addr, n };
	auto_fd int mem_fd = open_memory(c);
	struct slow_write w = { mem_fd, addr, buf, n };

	if (!notif_waits(c)) {
		errno = ESRCH;
		return -1;
	}
	if (mem_fd >= 0 && addr <= INT64_MAX &&
		(is_mapped(c, &theirs) ? write_now(&w) : brief_run(c->brief, write_slowly, &w)) ==
			0)
		return 0;
	errno = EFAULT;
	return -1;
}
