/* SPDX-License-Identifier: Apache-2.0
 *
 * The supervisor's own house: what its files share. One per container, single-threaded,
 * one event loop. It is the process that callers track: it ends with the main process'
 * exit status or signal, and everything of the container is gone before it ends.
 *
 * Failure regime: while building (build.c) every error goes back to the client; once the
 * client was told "ready" (events.c) it never dies by itself, it denies.
 */
#ifndef SANDLOCK_SUPERVISOR_INTERNAL_H
#define SANDLOCK_SUPERVISOR_INTERNAL_H

#include "runtime/base/proc.h"
#include "runtime/base/proc_status.h"
#include "runtime/control/control.h"
#include "runtime/init/proto.h"
#include "runtime/ipc/ipc.h"
#include "runtime/limits/budget.h"
#include "runtime/limits/memory.h"
#include "runtime/limits/tasks.h"
#include "runtime/limits/usage.h"
#include "runtime/loop/loop.h"
#include "runtime/members/members.h"
#include "runtime/net/net.h"
#include "runtime/notif/notif.h"
#include "runtime/plan/process.h"
#include "runtime/store/record.h"
#include "runtime/supervisor/lifecycle.h"
#include "runtime/supervisor/siblings.h"
#include "runtime/supervisor/spawn.h"
#include "runtime/tree/tree.h"
#include "runtime/view/view.h"

#define HOST_NAME_MAX_LEN 65 /* __NEW_UTS_LEN + 1 */

/* Sockets that hold one port, at most: what is known of a port must outlast the look at it. */
#define POD_SOCKETS     NET_HOLDERS_MAX
#define STRANGE_SOCKETS 64 /* one of several that share a port is enough for the answer */

/* One connection of the control socket, and the exec'd process that it may stand for. */
enum session_stage {
	SESSION_ASKING,   /* connected, nothing asked yet */
	SESSION_SETTING,  /* forked; will ask to be set up */
	SESSION_PARKING,  /* the child prepares itself */
	SESSION_STARTING, /* released, execve not yet confirmed */
	SESSION_RUNNING,  /* the client waits for the end */
	SESSION_WAITING,  /* the same, of the container; there is no process */
};

struct session {
	enum session_stage stage;
	int conn_fd;
	int sync_fd;   /* -1 once execve is done */
	int master_fd; /* of a terminal, until it is handed to the client */
	struct proc_id id;
	pid_t reported;                     /* by which callers know it; 0: by its own */
	const struct plan_process *process; /* until it is set up; then NULL */
	struct supervisor *supervisor;
	void (*on_request)(struct supervisor *s, struct session *c); /* while it is asking */
	struct loop_source client;
	struct loop_source child; /* what it says on sync_fd */
	struct loop_timer late;   /* when it is not executed by then */
	struct loop_waste waste;
	struct session *next;
};

struct supervisor {
	struct arena *arena; /* what must live as long as the supervisor; small */
	enum life life;
	struct loop loop;
	struct {
		struct loop_source init, clients, signals, main;
		struct loop_source oom;    /* a process was killed for want of memory */
		struct loop_source calls;  /* trapped */
		struct loop_source parked; /* trapped, and the network can go on with them */
		struct loop_source proxy;
	} sources;
	/* A process that init has made for us has ended; it may be called while we wait for an
	 * answer of init. */
	void (*on_exit)(struct supervisor *s, pid_t pid, int status);
	int channel_fd; /* to init */
	int control_fd; /* listening; -1 until ready */
	int signal_fd;
	int dir_fd;        /* the container's state directory */
	int proc_fd;       /* the host's /proc */
	int root_fd;       /* the tree */
	int image_fd;      /* of the runtime's file (base/image.h); closed with the next; or -1 */
	int scratch_fd;    /* of the tree's making; closed when nobody waits for us; -1: none */
	int sync_fd;       /* of the main process; -1 once execve is done */
	int main_fd;       /* a pidfd of the main process */
	int end_conn_fd;   /* of the client that wants to be told of the end; -1: none */
	int start_conn_fd; /* the START that waits for execve; -1: none */
	struct loop_timer start_timer; /* when the main process is not executed by then */
	int main_status;               /* as of wait(2); valid once main_ended */
	bool main_ended;
	bool init_ended;   /* and reaped */
	bool confined;     /* we ourselves */
	bool over;         /* nothing of the container is left */
	bool leaves_stats; /* the state directory stays when it is over */
	struct record record;
	struct members members;
	struct members_mounts mounts; /* what they are known by */
	struct usage_meter usage;
	struct plan_limits limits;
	struct memory *memory; /* NULL: as much as there is */
	struct tasks *tasks;   /* NULL: as many as there may be */
	struct loop_timer timeout;
	bool timed_out;
	int bundle_fd;   /* where there is a limit of memory: for the file "oom"; or -1 */
	bool cpus_bound; /* to these alone */
	cpu_set_t cpus;
	struct sizes *sizes;   /* NULL: the machine's are shown */
	struct budget *budget; /* NULL: the processors are all that bounds it */
	struct notif notif;
	pid_t proxy_pid;   /* of the HTTP proxy; 0: none */
	int proxy_fd;      /* the link to it; -1: none */
	struct net *net;   /* NULL: nothing of the network is trapped */
	struct view *view; /* NULL: the interfaces of the stack are seen */
	struct ipc *ipc;   /* NULL: the host's objects, where the node opens them */
	int state_root_fd; /* where the other containers are */
	struct siblings siblings;
	int node_news_fd;  /* is told what changes there */
	int node_route_fd; /* where a network namespace was entered: asks the node's routing */
	uint64_t pod_sockets[POD_SOCKETS]; /* inodes known to be the own pod's */
	size_t next_pod_socket;
	struct {
		uint64_t inode;
		int64_t seen_ms;
	} strange_sockets[STRANGE_SOCKETS]; /* looked for in the pod and not found */
	size_t next_strange_socket;
	struct session *sessions;
	struct start_hooks *start_hooks; /* NULL: the bundle has none */
	const char **busy_names; /* last components of the tree's mount points, sorted; NULL:
				  * not known, each is looked up */
	size_t n_busy_names;
	char nodename[HOST_NAME_MAX_LEN]; /* "" : the host's */
	char domainname[HOST_NAME_MAX_LEN];
};

/* build.c: from nothing to a parked workload. */
/* *ret_master_fd: of the terminal, -1 without one. */
int supervisor_build(struct supervisor *s, const struct supervisor_job *job, int *ret_master_fd,
	struct sl_err *err);

/* init_link.c: talking to init. */
/* One message, as io_recv_from(), of init and nobody else: EAGAIN when it is forged. */
ssize_t init_link_receive(struct supervisor *s, struct init_msg *ret, int *ret_fd);
int init_link_open(struct supervisor *s, int *ret_init_fd, struct sl_err *err);
int init_link_expect(struct supervisor *s, enum init_msg_type want, struct init_msg *ret,
	int *ret_fd, struct sl_err *err);
int init_link_spawn(struct supervisor *s, const struct init_spawn *spawn, const int *fds,
	size_t n_fds, pid_t *ret_pid, struct sl_err *err);
int init_link_send(struct supervisor *s, const struct init_msg *m);
/* From here on the number of a process that init has made may become another's. Once for each
 * process, whatever becomes of it. */
void init_link_settle(struct supervisor *s, pid_t pid);

/* sync.c: talking to a process that has not executed yet. */
/* How long such a process may take to come as far as its program, which is a few milliseconds; a
 * program may lie on a slow file system. One that root of the container has stopped never does. */
#define SYNC_CHILD_MS 30000
#define SYNC_TOO_LATE "the process has not come as far as its program within 30 seconds"

int sync_open(int *ret_fd, int *ret_child_fd, struct sl_err *err);
/* Whether it said what is wanted; its failure becomes ours. */
int sync_hear(int sync_fd, enum sync_type want, struct sl_err *err);
/* The same, and waits for it first. */
int sync_wait(int sync_fd, enum sync_type want, struct sl_err *err);
int sync_wait_result(int sync_fd, struct sl_err *err);
/* Whether a child has given a reason; what else it had said is lost. */
bool sync_has_failed(int sync_fd, struct sl_err *err);
/* The reason that a child gave before it ended, or the plain fact that it did. */
void sync_failure(int sync_fd, struct sl_err *err);
/* Lets it go; the answer (end of file: executed) comes later on the same socket. */
int sync_release(int sync_fd);
/* Reads that answer. Returns 0 when executed, -1 with the child's error. */
int sync_result(int sync_fd, struct sl_err *err);

/* process_setup.c: what needs rights that the parked process itself must not have. */
int process_setup(
	struct supervisor *s, pid_t pid, const struct plan_process *p, struct sl_err *err);

/* events.c: who handles which event. */
int events_open(struct supervisor *s, struct sl_err *err); /* the control socket too */
void events_run(struct supervisor *s); /* until nothing of the container is left */

/* handlers.c: what trapped calls mean. */
void handlers_install(struct supervisor *s);

/* busy.c: mount points are busy. busy_know() is told of the tree before anything runs in it. */
void busy_know(struct supervisor *s, const struct tree *tree);
/* aimed.c: priorities and limits of another process. */
void aimed_on_call(const struct notif_call *c, struct notif_verdict *v, void *ctx);

void busy_on_call(const struct notif_call *c, struct notif_verdict *v, void *ctx);

/* cpu_time.c: clocks of other processes. */
void cpu_time_on_wait(const struct notif_call *c, struct notif_verdict *v, void *ctx);
void cpu_time_on_read(const struct notif_call *c, struct notif_verdict *v, void *ctx);

/* pid1.c: calls that name process 1 mean the main process. */
void pid1_on_signal(const struct notif_call *c, struct notif_verdict *v, void *ctx);
void pid1_on_pidfd_open(const struct notif_call *c, struct notif_verdict *v, void *ctx);
void pid1_on_question(const struct notif_call *c, struct notif_verdict *v, void *ctx);
void pid1_on_getpid(const struct notif_call *c, struct notif_verdict *v, void *ctx);
void pid1_on_getppid(const struct notif_call *c, struct notif_verdict *v, void *ctx);
/* Whether the one may send the signal to the other (kill(2)). */
bool pid1_may_signal(const struct proc_status *who, const struct proc_status *to, int sig);

/* netns.c: into the container's network namespace, for good. *ret_back_fd is the one that was
 * left; -1: the container is on the runtime's stack. */
int netns_enter(
	struct supervisor *s, const struct plan_net *plan, int *ret_back_fd, struct sl_err *err);

/* pod.c: the network's part of a container whose rules need one. */
int pod_open_network(struct supervisor *s, const struct plan *plan, struct sl_err *err);

/* pod_ipc.c: whose System V objects and POSIX queues the container uses; after init is forked. */
int pod_open_ipc(struct supervisor *s, const struct plan *plan, struct sl_err *err);
/* It is over, or was never finished. */
void pod_leave_ipc(struct supervisor *s);

/* requests.c: what the clients ask for over the control socket. */
void requests_accept(struct supervisor *s);
void requests_handle(struct supervisor *s, struct session *c);
void requests_process_ended(struct supervisor *s, pid_t pid, int status);
void requests_finish(struct supervisor *s); /* answers everybody who still waits */

/* starting.c: the main process between its release and its execve. */
void starting_release(struct supervisor *s);  /* the workload's execve, at last */
void starting_answered(struct supervisor *s); /* its sync socket spoke */
/* Tells the client that waits. */
void starting_failed(struct supervisor *s, const struct sl_err *err);
int supervisor_write_status(struct supervisor *s, enum record_status status, struct sl_err *err);
/* The workload runs and nobody waits: what only building needed is closed, which takes the kernel a
 * grace period. Not so the descriptor that made the tree, which holds it together: when that is
 * closed, Linux 7.3 takes the mounts apart at once, under the processes that are in it. */
void supervisor_settle(struct supervisor *s);

/* start_hooks.c: hooks.startContainer, between START and the workload's execve. */
int start_hooks_prepare(
	struct supervisor *s, const struct plan *plan, const char *state, struct sl_err *err);
/* Runs those that are left, then releases the workload; fails the start otherwise. */
void start_hooks_run(struct supervisor *s);
bool start_hooks_cancel(struct supervisor *s); /* false: none was running */

/* sessions.c: exec'd processes. */
/* Takes the connection; on_request() is called when it asks for something. */
struct session *session_open(
	struct supervisor *s, int *fd, void (*on_request)(struct supervisor *s, struct session *c));
void sessions_exec(struct supervisor *s, struct session *c, const struct control_request *req,
	int *fds, size_t n_fds);
/* Those of more than this pid that callers know by another one. */
void sessions_list(const struct supervisor *s, pid_t after, struct control_execs *ret);
void sessions_process_ended(struct supervisor *s, pid_t pid, int status);
/* It is out of the list at once, and its memory is there until the event is handled. */
void session_drop(struct supervisor *s, struct session *c);

/* limits.c: what the container may use at most. */
#define LIMITS_TIMEOUT_STATUS 124 /* as timeout(1) has it */
/* Before init's thread that forks has forked. */
int limits_open(
	struct supervisor *s, const struct plan_limits *plan, pid_t init_tid, struct sl_err *err);
/* When tree and loop are there, before the supervisor is confined. */
int limits_watch(struct supervisor *s, const struct plan *plan, struct sl_err *err);
/* Of a process that waits to be set up, after its own limits. */
int limits_set_up(const struct supervisor *s, pid_t pid, struct sl_err *err);
void limits_begin(struct supervisor *s); /* the main process has executed its program */
/* The loop has ended, perhaps before it came to the news of a kill. */
void limits_end(struct supervisor *s);
/* All of it, or nothing. */
int limits_update(struct supervisor *s, const struct control_request *req, struct sl_err *err);
void limits_on_fork(const struct notif_call *c, struct notif_verdict *v, void *ctx);

/* cpu.c: on which processors, and with what weight. */
int cpu_open(struct supervisor *s, const struct plan_cpu *plan, struct sl_err *err);
/* Leaves of a set what the container may have; EINVAL: nothing. */
int cpu_narrow(const struct supervisor *s, cpu_set_t *set, struct sl_err *err);
/* Changes what the request names, for all that runs. */
int cpu_update(struct supervisor *s, const struct control_request *req, struct sl_err *err);
/* A process that waits to be set up, when it has its own scheduler. */
int cpu_weigh(struct supervisor *s, pid_t pid, struct sl_err *err);

/* sizes.c: what /proc and /sys tell of the container's size, while it works. */
void sizes_begin(struct supervisor *s);
void sizes_change(struct supervisor *s); /* the processors are others */

/* stats.c: what the container has used, and what was asked of us. The second leaves it to those who
 * ask when nothing of the container runs any more; where it cannot be written there is none. */
void stats_take(struct supervisor *s, struct control_stats *ret);
void stats_leave(struct supervisor *s);

/* reply.c: to a client. */
void reply_done(int conn_fd);
void reply_failed(int conn_fd, const struct sl_err *err);
void reply_exited(int conn_fd, int status);
void reply_text(int conn_fd, const char *text);

/* proxy.c: what must not be left when we are gone. */
void proxy_end(struct supervisor *s);

/* ending.c */
/* When all is over: reaps init, and how the main process ended, as of wait(2). */
int ending_status(struct supervisor *s);
/* What is known of it before that. Without a main process that ended by itself, init was killed: so
 * that is what it says. */
int ending_of_main(const struct supervisor *s);
void ending_kill_orphans(struct supervisor *s);

#endif
