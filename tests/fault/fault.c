/* SPDX-License-Identifier: Apache-2.0
 *
 * Wrappers that make the n-th call fail, linked in by the option SANDLOCK_FAULT. Nothing
 * happens unless the environment names a file (fault.h). A wrapper adds no system call to
 * the one it stands for: the supervisor's own filter and the container's would kill it.
 *
 * Variadic functions are taken with the widest list of arguments they have: all of them
 * are integers and pointers, which the calling conventions of Linux pass in the same
 * registers whether they are named or not.
 */
#include "tests/fault/fault.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define FAULT(ret, name, error, value, params, args)                                               \
	extern ret __real_##name params;                                                           \
	extern ret __wrap_##name params;
#define FAULT_V(ret, name, error, value, params, real_params, args)                                \
	extern ret __real_##name real_params;                                                      \
	extern ret __wrap_##name params;
#define FAULT_WAIT FAULT
#include "tests/fault/calls.def"
#ifdef SANDLOCK_FAULT_PROXY
#include "tests/fault/calls_proxy.def"
#endif
#undef FAULT
#undef FAULT_V
#undef FAULT_WAIT

/* Where the program starts and ends, by the linker. */
extern const char __executable_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

static struct fault_file *file;
static uint32_t own_pid;

static void note_pid(void)
{
	own_pid = (uint32_t)getpid();
}

__attribute__((constructor)) static void fault_open(void)
{
	const char *path = getenv("SANDLOCK_FAULT_FILE");
	int fd = path ? (int)__real_syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0) : -1;
	long p;

	if (fd < 0)
		return;
	p = __real_syscall(
		SYS_mmap, NULL, sizeof(*file), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (p == -1)
		return;
	file = (struct fault_file *)p;
	note_pid();
	pthread_atfork(NULL, NULL, note_pid);
}

/* The proxy's places have a bit of their own. */
#ifdef SANDLOCK_FAULT_PROXY
#define PROGRAM_BIT   0x80000000u
#define NGHTTP2_NOMEM (-901) /* NGHTTP2_ERR_NOMEM */
#else
#define PROGRAM_BIT 0u
#endif

/* 0: in a library, whose place is another one each time. */
static uint32_t place_of(const char *address)
{
	if (address < __executable_start || address >= _end)
		return 0;
	return (uint32_t)(address - __executable_start) | PROGRAM_BIT;
}

/* Returns true when this call is the one to fail. */
static bool due(const char *name, void *const frames[FAULT_FRAMES])
{
	struct fault_call c = { .pid = own_pid };
	uint32_t n, mine;

	if (!file)
		return false;
	strncpy(c.name, name, sizeof(c.name) - 1);
	for (int i = 0; i < FAULT_FRAMES; i++)
		c.frames[i] = place_of((const char *)frames[i]);
	n = mine = __atomic_add_fetch(&file->count, 1, __ATOMIC_RELAXED);
	if (n <= FAULT_TRACE_MAX)
		file->trace[n - 1] = c;
	if (file->place[0]) {
		if (memcmp(c.frames, file->place, sizeof(c.frames)) != 0)
			return false;
		mine = __atomic_add_fetch(&file->place_count, 1, __ATOMIC_RELAXED);
	}
	if (mine != file->target)
		return false;
	__atomic_store_n(&file->hit, n, __ATOMIC_RELAXED);
	return true;
}

/* A child that crashed: its parent is a process of the runtime, and only that one knows. */
static pid_t note_status(pid_t pid, const int *status)
{
	uint32_t n;

	if (!file || pid <= 0 || !WIFSIGNALED(*status))
		return pid;
	switch (WTERMSIG(*status)) {
	case SIGSEGV:
	case SIGBUS:
	case SIGABRT:
	case SIGILL:
	case SIGFPE:
	case SIGTRAP:
	case SIGSYS:
		n = __atomic_fetch_add(&file->n_crashes, 1, __ATOMIC_RELAXED);
		if (n < FAULT_CRASHES_MAX)
			file->crashes[n] = (uint32_t)*status;
	}
	return pid;
}

/* Inside a wrapper: the address 0 is the call's own, 1 that of the function it stands in,
 * which has a frame pointer because it is the runtime's. No frame further up is sure to. */
#define DUE(name)                                                                                  \
	due(#name, (void *const[FAULT_FRAMES]){                                                    \
			   __builtin_return_address(0), __builtin_return_address(1) })

#define FAULT(ret, name, error, value, params, args)                                               \
	ret __wrap_##name params                                                                   \
	{                                                                                          \
		if (!DUE(name))                                                                    \
			return __real_##name args;                                                 \
		errno = error;                                                                     \
		return value;                                                                      \
	}
#define FAULT_V(ret, name, error, value, params, real_params, args)                                \
	FAULT(ret, name, error, value, params, args)
#define FAULT_WAIT(ret, name, error, value, params, args)                                          \
	ret __wrap_##name params                                                                   \
	{                                                                                          \
		int status_;                                                                       \
                                                                                                   \
		s = s ? s : &status_;                                                              \
		if (!DUE(name))                                                                    \
			return note_status(__real_##name args, s);                                 \
		errno = error;                                                                     \
		return value;                                                                      \
	}
#include "tests/fault/calls.def"
#ifdef SANDLOCK_FAULT_PROXY
#include "tests/fault/calls_proxy.def"
#endif
