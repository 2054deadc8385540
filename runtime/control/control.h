/* SPDX-License-Identifier: Apache-2.0
 *
 * The supervisor's socket, <state>/<id>/control.sock: one SOCK_SEQPACKET connection for each
 * request, messages of fixed size. Only the owner of the state directory can open it, and the
 * supervisor checks the peer's user id (SO_PEERCRED, unix(7)).
 *
 *   START, SIGNAL_ALL, PAUSE, RESUME, UPDATE -> DONE or FAILED
 *   STATS                     -> STATS
 *   WAIT                      -> EXITED {status}, when no process of the container is left
 *   EXECS {pid}               -> EXECS, those with a higher pid
 *   EXEC with its descriptors -> STARTED {pid} or FAILED, later EXITED {status}
 *
 * If the connection of an EXEC ends before its process does, the process is killed. REPORT {pid} on
 * this connection says by the pid of which other process callers know it; REPORT has no reply.
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

/* The processor settings that UPDATE changes: bits of cpu_fields. */
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
	uint64_t memory_limit; /* UPDATE: bytes; UINT64_MAX: no limit, 0: unchanged */
	uint64_t tasks_limit;  /* UPDATE: processes and threads, likewise */
	uint64_t cpu_quota_us; /* UPDATE: as in struct plan_cpu, if its bit in cpu_fields is set */
	uint64_t cpu_period_us;
	cpu_set_t cpu_set;
	uint32_t cpu_fields;
	int32_t cpu_nice;
	uint32_t cpu_idle;
	int32_t signal;      /* SIGNAL_ALL */
	int32_t pid;         /* REPORT: the reported pid; EXECS: list those above it */
	uint32_t n_preserve; /* EXEC: number of descriptors after the fixed ones */
	uint32_t terminal;   /* EXEC: make a terminal; its master comes with STARTED */
	uint32_t ignore_paused;
	/* START: keep the connection, and send EXITED {status} when no process of the container
	 * is left */
	uint32_t until_end;
};

/* The descriptors of EXEC: the process description, then stdin, stdout, stderr (not with a
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
	/* processor time of all processes, also those that have ended, in steps of 10 ms */
	uint64_t user_ns;
	uint64_t system_ns;
	uint64_t read_bytes; /* from storage */
	uint64_t write_bytes;
	uint32_t n_processes;  /* at this moment */
	uint32_t n_tasks;      /* processes and threads */
	uint64_t memory_limit; /* bytes; UINT64_MAX: no limit, and the next three are unknown */
	uint64_t memory_held;
	uint64_t memory_peak;
	uint64_t disk_limit;  /* bytes; UINT64_MAX: no limit, and the next one is unknown */
	uint64_t disk_held;   /* by the root, at the last measurement */
	uint64_t oom_kills;   /* processes killed because of the limit */
	uint64_t tasks_limit; /* UINT64_MAX: no limit */
	uint64_t tasks_refused;
	uint64_t cpu_periods; /* periods of a budget */
	uint64_t cpu_stopped; /* periods in which it was used up */
	uint64_t cpu_stopped_ns;
	uint64_t total;       /* number of trapped calls */
	uint64_t connections; /* calls of connect(2) that were judged */
	uint64_t denials;     /* refused calls of the network */
	int32_t ended;        /* 1 in the statistics that a stopped container has left; then: */
	int32_t status;       /* the status of the main process (wait(2)) */
	uint32_t n_rows;
	struct {
		int32_t nr;
		uint32_t count;
	} rows[CONTROL_STATS_ROWS];
};

#define CONTROL_EXECS_ROWS 64

/* Exec'd processes that callers know by the pid of another one, sorted by pid. If there are
 * fewer than CONTROL_EXECS_ROWS rows, these were the last. */
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
/* Receives a reply and at most max_fds descriptors. A FAILED reply is returned as an error. */
int control_receive(int fd, struct control_reply *ret, int *ret_fds, size_t max_fds,
	size_t *ret_n_fds, struct sl_err *err);

/* Sends one request without descriptors and receives one reply. */
int control_call(
	int dir_fd, struct control_request *req, struct control_reply *ret, struct sl_err *err);

#endif
