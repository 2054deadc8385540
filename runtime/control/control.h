/* SPDX-License-Identifier: Apache-2.0
 *
 * The supervisor's socket, <state>/<id>/control.sock: one SOCK_SEQPACKET connection for
 * each request, messages of fixed size. Only the owner of the state directory reaches it,
 * and the supervisor checks the peer's user id (SO_PEERCRED, unix(7)).
 *
 *   START, SIGNAL_ALL, PAUSE, RESUME,
 *   UPDATE                             -> DONE or FAILED
 *   STATS                              -> STATS
 *   WAIT                               -> EXITED {status}, when nothing of it runs any more
 *   EXECS {pid}                        -> EXECS, the next ones after that process
 *   EXEC with its descriptors          -> STARTED {pid} or FAILED, later EXITED {status};
 *                                         the connection's end before that kills the process;
 *                                         REPORT {pid} on it tells by which other process
 *                                         callers know this one, and has no reply
 */
#ifndef SANDLOCK_CONTROL_CONTROL_H
#define SANDLOCK_CONTROL_CONTROL_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/base/err.h"
#include "runtime/base/io.h"

#define CONTROL_MAGIC 0x73646c31U /* "sdl1" */

enum control_type {
	CONTROL_START = 1,
	CONTROL_SIGNAL_ALL,
	CONTROL_STATS,
	CONTROL_EXEC,
	CONTROL_PAUSE,
	CONTROL_RESUME,
	CONTROL_REPORT,
	CONTROL_EXECS,
	CONTROL_WAIT,
	CONTROL_UPDATE,
};

/* What UPDATE changes of the processors: bits of cpu_fields. */
enum control_cpu {
	CONTROL_CPU_SET = 1 << 0,
	CONTROL_CPU_QUOTA = 1 << 1,
	CONTROL_CPU_PERIOD = 1 << 2,
	CONTROL_CPU_NICE = 1 << 3,
	CONTROL_CPU_IDLE = 1 << 4,
};

struct control_request {
	uint32_t magic;
	uint32_t type;
	uint64_t memory_limit; /* UPDATE: bytes; UINT64_MAX: none, 0: as it is */
	uint64_t tasks_limit;  /* the same, processes and threads */
	uint64_t cpu_quota_us; /* as in struct plan_cpu, where cpu_fields names it */
	uint64_t cpu_period_us;
	cpu_set_t cpu_set;
	uint32_t cpu_fields;
	int32_t cpu_nice;
	uint32_t cpu_idle;
	int32_t signal;      /* SIGNAL_ALL */
	int32_t pid;         /* REPORT; EXECS: 0 for the first */
	uint32_t n_preserve; /* EXEC: extra descriptors after the fixed ones */
	uint32_t terminal;   /* EXEC: make a terminal; its master comes with STARTED */
	uint32_t ignore_paused;
	uint32_t until_end; /* START: the connection stays, and EXITED {status} comes when
			     * nothing of the container runs any more */
};

/* Descriptors of EXEC: the process description, then stdin, stdout, stderr (absent with a
 * terminal), then the preserved ones. */
enum { CONTROL_EXEC_BLOB, CONTROL_EXEC_STDIO };

enum control_reply_type {
	CONTROL_DONE = 1,
	CONTROL_FAILED,
	CONTROL_STARTED,
	CONTROL_EXITED,
	CONTROL_STATS_REPLY,
	CONTROL_EXECS_REPLY,
};

#define CONTROL_STATS_ROWS 64

struct control_stats {
	uint64_t user_ns; /* processor time of all that ever ran there; of ticks of 10 ms */
	uint64_t system_ns;
	uint64_t read_bytes; /* from storage */
	uint64_t write_bytes;
	uint32_t n_processes;  /* now */
	uint32_t n_tasks;      /* and their threads */
	uint64_t memory_limit; /* bytes; UINT64_MAX: none, and nothing of the next three is known */
	uint64_t memory_held;
	uint64_t memory_peak;
	uint64_t oom_kills;   /* processes killed because of the limit */
	uint64_t tasks_limit; /* UINT64_MAX: none */
	uint64_t tasks_refused;
	uint64_t cpu_periods; /* of a budget */
	uint64_t cpu_stopped; /* of them, those in which it was used up */
	uint64_t cpu_stopped_ns;
	uint64_t total;   /* trapped calls */
	uint64_t denials; /* of the network */
	int32_t ended;    /* 1 in what is left when all is over, with */
	int32_t status;   /* how the main process ended (wait(2)) */
	uint32_t n_rows;
	struct {
		int32_t nr;
		uint32_t count;
	} rows[CONTROL_STATS_ROWS];
};

#define CONTROL_EXECS_ROWS 64

/* Those of the exec'd processes that callers know by another one, by rising pid. Fewer rows than
 * there is room for: no more come after them. */
struct control_execs {
	uint32_t n_rows;
	struct control_exec {
		int32_t pid;
		int32_t reported;
	} rows[CONTROL_EXECS_ROWS];
};

struct control_reply {
	uint32_t type;
	union {
		int32_t pid;    /* STARTED */
		int32_t status; /* EXITED, as of wait(2) */
		struct sl_err err;
		struct control_stats stats;
		struct control_execs execs;
	};
};

/* Checks a received request and the number of descriptors that came with it. */
int control_parse(
	const void *buf, size_t len, size_t n_fds, struct control_request *ret, struct sl_err *err);

/* Client side: connects to the socket in a container's state directory. */
int control_connect(int dir_fd, int *ret_fd, struct sl_err *err);
int control_send(
	int fd, struct control_request *req, const int *fds, size_t n_fds, struct sl_err *err);
/* A FAILED reply is turned into an error. At most max_fds descriptors come with it. */
int control_receive(int fd, struct control_reply *ret, int *ret_fds, size_t max_fds,
	size_t *ret_n_fds, struct sl_err *err);

/* One request, one reply, no descriptors. */
int control_call(
	int dir_fd, struct control_request *req, struct control_reply *ret, struct sl_err *err);

#endif
