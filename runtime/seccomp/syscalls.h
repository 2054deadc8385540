/* SPDX-License-Identifier: Apache-2.0
 *
 * The system calls of this machine's kernel, and what the default filter does with each one. The
 * rows are in syscalls.def. The filter (runtime/confine), the dispatcher of notifications
 * (runtime/notif), docs/syscalls.md and the tests all use this list. A number without a row does
 * not exist for a container: ENOSYS.
 */
#ifndef SANDLOCK_SECCOMP_SYSCALLS_H
#define SANDLOCK_SECCOMP_SYSCALLS_H

#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>

#include "runtime/seccomp/syscall_numbers.h"

/* The kinds of calls that the supervisor answers, each with its own handler. */
enum notify_kind {
	NOTIFY_NONE,
	NOTIFY_PID_MEMBER, /* continue if the pid in argument `arg` belongs to this container */
	NOTIFY_UNAME,      /* answer with the container's host and domain name */
	NOTIFY_CONNECT,    /* decide about the destination, and connect for the caller */
	NOTIFY_SEND,       /* the same for a send that may have an address */
	NOTIFY_BIND,       /* decide about the port, and bind for the caller */
	NOTIFY_LISTEN,     /* decide about the port that the kernel has chosen or would choose */
	NOTIFY_NAME,       /* answer with the port that the container knows */
	NOTIFY_ACCEPT,     /* the same for the peer of a new connection */
	NOTIFY_RECEIVE,    /* the same for the sender of a datagram */
	NOTIFY_SOCKET,     /* create the socket in the namespace with the shown interfaces */
	NOTIFY_INTERFACE,  /* answer a question about an interface in that namespace */
	NOTIFY_SYSV,       /* System V IPC: translate the key, or check the owner of the id */
	NOTIFY_QUEUE,      /* POSIX queues: translate the name */
	NOTIFY_CLONE,      /* count the process; note that processes share a descriptor table */
	NOTIFY_PID1,       /* the argument is process 1: signal the main process */
	NOTIFY_ABOUT_PID1, /* the argument is process 1: answer for the main process */
	NOTIFY_GETPID,     /* 1 if the answer is the main process */
	NOTIFY_CPU_TIME,   /* read the CPU clock of another process, or wait for it */
	NOTIFY_BUSY,       /* EBUSY if the path is a mount point */
	NOTIFY_SYSINFO,    /* answer with the container's memory */
	NOTIFY_COUNT,
};

/* What a call can name by its arguments, other than the caller's own memory and descriptors. */
enum syscall_takes {
	TAKES_NOTHING = 0,
	TAKES_PATH = 1 << 0,
	TAKES_PID = 1 << 1, /* of a process or a thread */
	TAKES_PGID = 1 << 2,
	TAKES_UID = 1 << 3, /* every process of a user */
	TAKES_PIDFD = 1 << 4,
	TAKES_ADDRESS = 1 << 5, /* of a socket */
	TAKES_FOREIGN_FD = 1 << 6,
	TAKES_HANDLE = 1 << 7, /* a file by number instead of by path */
};

/* VERDICT(name, notify, short text, what the filter does). `arg` is the argument in the row. Only
 * the low 32 bits are compared: every argument used here is an int, an unsigned int or a pid_t in
 * the kernel, which ignores the high half, whatever it contains. */
#define SYSCALL_VERDICTS(VERDICT)                                                                  \
	VERDICT(ALLOW, NOTIFY_NONE, "allowed", "passes")                                           \
	VERDICT(REFUSE, NOTIFY_NONE, "EPERM", "is refused")                                        \
	VERDICT(ABSENT, NOTIFY_NONE, "ENOSYS", "does not exist")                                   \
	VERDICT(CLONE, NOTIFY_CLONE, "by flags",                                                   \
		"EPERM with a CLONE_NEW* flag; where datagram sockets are allowed "                \
		"the supervisor remembers which processes share descriptors; where "               \
		"processes are limited, as fork")                                                  \
	VERDICT(FORK, NOTIFY_CLONE, "allowed, or asked",                                           \
		"where the number of processes is limited the supervisor counts: EAGAIN above it") \
	VERDICT(IOCTL, NOTIFY_INTERFACE, "by command",                                             \
		"EPERM for TIOCSTI, TIOCLINUX, TIOCSETD, TIOCCONS and the keyboard map; where "    \
		"the "                                                                             \
		"host's interfaces are not shown the supervisor answers SIOCGIF*, and the other "  \
		"commands to network devices are EPERM or EOPNOTSUPP")                             \
	VERDICT(FCNTL, NOTIFY_NONE, "by command",                                                  \
		"EPERM for F_SETSIG with SIGKILL or SIGSTOP, "                                     \
		"EINVAL for taking a lease or a delegation")                                       \
	VERDICT(MKNOD, NOTIFY_NONE, "by type", "EPERM for character devices but 0:0")              \
	VERDICT(PRCTL, NOTIFY_NONE, "by option",                                                   \
		"EPERM for PR_SET_MM, PR_SET_IO_FLUSHER, and PR_SCHED_CORE with a pid")            \
	VERDICT(PERSONALITY, NOTIFY_NONE, "by persona",                                            \
		"passes for PER_LINUX, PER_LINUX32, either with UNAME26, and the query; else "     \
		"EPERM")                                                                           \
	VERDICT(SOCKET, NOTIFY_SOCKET, "by family, type, protocol",                                \
		"passes for AF_UNIX, for TCP over AF_INET and AF_INET6, and for UDP "              \
		"or ICMP datagrams where a network rule allows them; where the "                   \
		"host's interfaces are not shown the supervisor makes NETLINK_ROUTE "              \
		"sockets, and UDP sockets that carry nothing where no rule allows "                \
		"UDP; elsewhere NETLINK_ROUTE passes; on the host's stack the "                    \
		"supervisor makes NETLINK_SOCK_DIAG sockets, which list none of the "              \
		"host's sockets; on a stack of the container's own they pass; EPERM "              \
		"for other datagram and for raw sockets, EPROTONOSUPPORT for other "               \
		"stream protocols, EAFNOSUPPORT for other families")                               \
	VERDICT(SOCKETPAIR, NOTIFY_NONE, "by family", "passes for AF_UNIX; else EAFNOSUPPORT")     \
	VERDICT(SETSOCKOPT, NOTIFY_NONE, "by option",                                              \
		"EPERM for SO_MARK, IP_TRANSPARENT and IPV6_TRANSPARENT, and for what steers "     \
		"packets past a rule (a device, IP options, routing headers); ENOENT for "         \
		"TCP_ULP; ENOPROTOOPT for IP_LOCAL_PORT_RANGE")                                    \
	VERDICT(CONNECT, NOTIFY_CONNECT, "allowed, or asked",                                      \
		"the supervisor decides and connects, unless rules of ports only are left to "     \
		"Landlock")                                                                        \
	VERDICT(BIND, NOTIFY_BIND, "asked, or allowed",                                            \
		"the supervisor decides and binds where the stack is shared with others")          \
	VERDICT(LISTEN, NOTIFY_LISTEN, "allowed, or asked",                                        \
		"the supervisor decides where the ports that may be bound are limited")            \
	VERDICT(NAME, NOTIFY_NAME, "allowed, or asked",                                            \
		"the supervisor answers when ports are replaced")                                  \
	VERDICT(ACCEPT, NOTIFY_ACCEPT, "allowed, or asked",                                        \
		"the supervisor answers when ports are replaced and an address is wanted")         \
	VERDICT(RECVFROM, NOTIFY_RECEIVE, "allowed, or asked",                                     \
		"the supervisor answers when ports of datagram sockets are replaced and an "       \
		"address is wanted")                                                               \
	VERDICT(RECVMSG, NOTIFY_RECEIVE, "allowed, or asked",                                      \
		"the supervisor answers when ports of datagram sockets are replaced, unless "      \
		"descriptors are asked for (MSG_CMSG_CLOEXEC)")                                    \
	VERDICT(SEND, NOTIFY_NONE, "by flags", "EPERM with MSG_FASTOPEN")                          \
	VERDICT(SENDTO, NOTIFY_SEND, "by flags, or asked",                                         \
		"EPERM with MSG_FASTOPEN; with an address the supervisor sends when datagram "     \
		"sockets are allowed")                                                             \
	VERDICT(SENDMSG, NOTIFY_SEND, "by flags, or asked",                                        \
		"EPERM with MSG_FASTOPEN; the supervisor sends when datagram sockets are "         \
		"allowed")                                                                         \
	VERDICT(ONE_ID, NOTIFY_PID1, "by id",                                                      \
		"EPERM when it names the supervisor or init; for 1, the main process, the "        \
		"supervisor acts")                                                                 \
	VERDICT(TWO_IDS, NOTIFY_PID1, "by ids",                                                    \
		"EPERM when either id names the supervisor or init; where one is 1, the main "     \
		"process, the supervisor acts")                                                    \
	VERDICT(TELLS, NOTIFY_ABOUT_PID1, "allowed, or asked",                                     \
		"passes; for 1, the main process, the supervisor answers")                         \
	VERDICT(GETPID, NOTIFY_GETPID, "allowed, or asked",                                        \
		"the supervisor answers where the bundle wants the main process to be 1")          \
	VERDICT(SELF, NOTIFY_NONE, "self only", "passes for pid 0; else EPERM")                    \
	VERDICT(MEMBER, NOTIFY_PID_MEMBER, "self, or asked",                                       \
		"passes for pid 0; EPERM for the supervisor and init; ESRCH for 1; "               \
		"for another pid the supervisor is asked")                                         \
	VERDICT(AFFINITY, NOTIFY_PID_MEMBER, "self, or asked",                                     \
		"as for a pid; where the container may use some processors only, the "             \
		"supervisor is asked for the caller too, and takes the others out of "             \
		"the mask")                                                                        \
	VERDICT(PRIORITY, NOTIFY_PID_MEMBER, "self, or asked",                                     \
		"as for a pid; a process group only if it is the caller's; EPERM for "             \
		"a user")                                                                          \
	VERDICT(IOPRIO, NOTIFY_PID_MEMBER, "self, or asked",                                       \
		"as for a pid; a process group only if it is the caller's; EPERM for "             \
		"a user")                                                                          \
	VERDICT(CPU_TIME, NOTIFY_CPU_TIME, "by clock",                                             \
		"passes, except for the processor time of a process that is named by "             \
		"its pid: the supervisor tells it for processes of the container, "                \
		"and only the caller's own can be waited for; else EINVAL, as if the "             \
		"process did not exist")                                                           \
	VERDICT(TRACE, NOTIFY_NONE, "by id",                                                       \
		"processes of the container as the kernel allows; ESRCH for 1; EPERM "             \
		"for the supervisor and init, and for every process where no "                     \
		"Landlock domain bounds tracing")                                                  \
	VERDICT(SYSV_IPC, NOTIFY_SYSV, "asked",                                                    \
		"the supervisor finds the object of the pod, or makes, describes or "              \
		"removes it; a call that waits or transfers data goes on in the "                  \
		"kernel; without an ipc namespace, which means the host's objects, "               \
		"it passes when the node allows ipc.sysv, else EPERM")                             \
	VERDICT(MQUEUE, NOTIFY_QUEUE, "asked",                                                     \
		"the supervisor opens or removes the pod's queue of that name; "                   \
		"without an ipc namespace, which means the host's queues, it passes "              \
		"when the node allows ipc.mqueue, else EPERM")                                     \
	VERDICT(BUSY, NOTIFY_BUSY, "allowed, or asked",                                            \
		"where the tree is detached the supervisor says EBUSY for a mount point; else "    \
		"the call goes on")                                                                \
	VERDICT(UNLINKAT, NOTIFY_BUSY, "by flags, or asked",                                       \
		"with AT_REMOVEDIR as rmdir; else it passes")                                      \
	VERDICT(UNAME, NOTIFY_UNAME, "allowed, or asked",                                          \
		"the supervisor answers when the host name shown is not the host's")               \
	VERDICT(SYSINFO, NOTIFY_SYSINFO, "allowed, or asked",                                      \
		"the supervisor answers when the memory is limited and io.sandlock.proc.virtual "  \
		"is not false")

enum syscall_verdict {
#define VERDICT(name, notify, label, text) VERDICT_##name,
	SYSCALL_VERDICTS(VERDICT)
#undef VERDICT
		VERDICT_COUNT,
};

#define SYSCALL_NAME_MAX 24

/* The rows contain no pointers, so all containers share the pages of the table unchanged. */
struct syscall_row {
	char name[SYSCALL_NAME_MAX];
	int16_t nr;
	int8_t arg;      /* the argument that the verdict uses; -1: none */
	uint8_t takes;   /* TAKES_… */
	uint8_t verdict; /* enum syscall_verdict */
	uint8_t notify;  /* enum notify_kind: the handler, if the filter notifies the supervisor */
	uint16_t why;    /* an offset for syscall_why() */
};

/* Returns the row of a number; NULL: it has none. */
const struct syscall_row *syscall_row(int nr);
const struct syscall_row *syscall_row_by_name(const char *name);
int syscall_newest(void); /* the largest number that has a row */

/* The reason for the verdict. Never empty. */
const char *syscall_why(const struct syscall_row *row);
/* Prints the whole table for docs/syscalls.md. Returns 0, or -1 with errno. */
int syscalls_print_markdown(FILE *out);

#endif
