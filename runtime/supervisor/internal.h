/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of the supervisor share. There is one supervisor per container, with one thread
 * for its event loop. It is the process that callers track: it ends with the main process' exit
 * status or signal, and all processes of the container have ended before.
 *
 * Errors: while building (build.c) every error goes to the client. After the client was told
 * "ready" (events.c) the supervisor never exits because of an error, it denies the call.
 */
#ifndef SANDLOCK_SUPERVISOR_INTERNAL_H
#define SANDLOCK_SUPERVISOR_INTERNAL_H

#include "runtime/base/proc.h"
#include "runtime/base/proc_status.h"
#include "runtime/control/control.h"
#include "runtime/init/proto.h"
#include "runtime/ipc/ipc.h"
#include "runtime/limits/budget.h"
#include "runtime/limits/disk.h"
#include "runtime/limits/memory.h"
#include "runtime/limits/tasks.h"
#include "runtime/limits/usage.h"
#include "runtime/loop/loop.h"
#include "runtime/members/members.h"
#include "runtime/net/net.h"
#include "runtime/notif/notif.h"
#include "runtime/plan/process.h"
#include "runtime/store/kills.h"
#include "runtime/store/record.h"
#include "runtime/supervisor/lifecycle.h"
#include "runtime/supervisor/siblings.h"
#include "runtime/supervisor/spawn.h"
#include "runtime/tree/tree.h"
#include "runtime/view/view.h"

#define HOST_NAME_MAX_LEN 65 /* __NEW_UTS_LEN + 1 */

/* One port has at most this many sockets. All of them must stay known until the check of the
 * port is done. */
#define POD_SOCKETS NET_HOLDERS_MAX
/* one unknown socket of those that share a port is enough for the answer */
#define STRANGE_SOCKETS 64

/* One connection of the control socket, and the exec'd process that may belong to it. */
enum session_stage {
	SESSION_ASKING,   /* connected, no request yet */
	SESSION_SETTING,  /* the process is forked and will ask to be set up */
	SESSION_PARKING,  /* the process prepares itself */
	SESSION_STARTING, /* released; execve is not confirmed yet */
	SESSION_RUNNING,  /* the client waits for the end of the process */
	SESSION_WAITING,  /* the client waits for the end of the container; there is no process */
};

struct session {
	enum session_stage stage;
	int conn_fd;
	int sync_fd;   /* -1 once execve is done */
	int master_fd; /* of the terminal, until the client gets it */
	struct proc_id id;
	/* the pid that callers know the process by; 0: the same as its own */
	pid_t reported;
	const struct plan_process *process; /* NULL after the process is set up */
	struct supervisor *supervisor;
	/* while the stage is SESSION_ASKING */
	void (*on_request)(struct supervisor *s, struct session *c);
	struct loop_source client;
	struct loop_source child; /* the process, on sync_fd */
	struct loop_timer late;   /* when the process has not executed in time */
	struct loop_waste waste;
	struct session *next;
};

struct supervisor {
	struct arena *arena; /* for memory that lives as long as the supervisor; keep it small */
	enum life life;
	struct loop loop;
	struct {
		struct loop_source init, clients, signals, main;
		struct loop_source oom;   /* a process was killed for want of memory */
		struct loop_source disk;  /* the limit of disk is exceeded */
		struct loop_source calls; /* trapped calls */
		/* calls that wait in runtime/net/park and can be continued */
		struct loop_source parked;
		struct loop_source proxy;
	} sources;
	/* Called when a process that init has forked has ended, also while the supervisor waits
	 * for an answer of init. */
	void (*on_exit)(struct supervisor *s, pid_t pid, int status);
	int channel_fd; /* to init */
	int control_fd; /* listens; -1 until the container is ready */
	int signal_fd;
	int dir_fd;  /* the container's state directory */
	int proc_fd; /* the host's /proc */
	int root_fd; /* the tree */
	/* of the runtime's file (base/image.h), or -1; closed together with scratch_fd */
	int image_fd;
	/* the tree's scratch file system; closed when no client waits for the start; -1: none */
	int scratch_fd;
	int sync_fd;       /* to the main process; -1 once execve is done */
	int main_fd;       /* a pidfd of the main process */
	int end_conn_fd;   /* to the client that wants to be told of the end; -1: none */
	int start_conn_fd; /* to the client whose START waits for execve; -1: none */
	struct loop_timer clients_timer; /* when clients are accepted again */
	struct loop_timer start_timer;   /* when the main process has not executed in time */
	int main_status;                 /* as of wait(2); valid once main_ended */
	bool main_ended;
	bool init_ended;   /* init has ended and is reaped */
	bool confined;     /* the supervisor has confined itself */
	bool over;         /* no process of the container is left */
	bool leaves_stats; /* the statistics stay in the state directory after the end */
	struct record record;
	struct members members;
	struct members_mounts mounts; /* the mounts that members are recognised by */
	struct usage_meter usage;
	struct plan_limits limits;
	struct memory *memory; /* NULL: no limit of memory */
	struct tasks *tasks;   /* NULL: no limit of tasks */
	struct disk *disk;     /* NULL: no limit of disk */
	struct loop_timer timeout;
	bool timed_out;
	struct store_kills kills; /* as in the state directory */
	int bundle_fd;   /* if there is a limit of memory: the bundle, for the file "oom"; or -1 */
	bool cpus_bound; /* the container is bound to cpus */
	cpu_set_t cpus;
	struct sizes *sizes; /* NULL: the container sees the size of the machine */
	/* NULL: nothing bounds processor time except the set of processors */
	struct budget *budget;
	struct notif notif;
	pid_t proxy_pid;   /* of the HTTP proxy; 0: none */
	int proxy_fd;      /* to the HTTP proxy; -1: none */
	struct net *net;   /* NULL: no call of the network is trapped */
	struct view *view; /* NULL: the container sees the interfaces of its network namespace */
	struct ipc *ipc;   /* NULL: the host's objects, if the node allows them */
	int state_root_fd; /* the directory of all state directories */
	struct siblings siblings;
	int node_news_fd; /* gets changes of the node's network */
	/* for questions about the node's routing, if the container has its own network namespace */
	int node_route_fd;
	uint64_t pod_sockets[POD_SOCKETS]; /* inodes known to belong to the own pod */
	size_t next_pod_socket;
	struct {
		uint64_t inode;
		int64_t seen_ms;
	} strange_sockets[STRANGE_SOCKETS]; /* not found in the pod when last searched */
	size_t next_strange_socket;
	struct session *sessions;
	struct start_hooks *start_hooks; /* NULL: the bundle has none */
	/* last components of the tree's mount points, sorted; NULL: not known, so that each path
	 * is looked up */
	const char **busy_names;
	size_t n_busy_names;
	char nodename[HOST_NAME_MAX_LEN]; /* "" : the host's */
	char domainname[HOST_NAME_MAX_LEN];
};

/* build.c: makes the container up to a workload that waits to be started. */
/* *ret_master_fd: of the terminal, -1 without one. */
int supervisor_build(struct supervisor *s, const struct supervisor_job *job, int *ret_master_fd,
	struct sl_err *err);

/* init_link.c: the channel to init. */
/* Receives one message, as io_recv_from(). EAGAIN: another process than init has sent it. */
ssize_t init_link_receive(struct supervisor *s, struct init_msg *ret, int *ret_fd);
int init_link_open(struct supervisor *s, int *ret_init_fd, struct sl_err *err);
int init_link_expect(struct supervisor *s, enum init_msg_type want, struct init_msg *ret,
	int *ret_fd, struct sl_err *err);
int init_link_spawn(struct supervisor *s, const struct init_spawn *spawn, const int *fds,
	size_t n_fds, pid_t *ret_pid, struct sl_err *err);
int init_link_send(struct supervisor *s, const struct init_msg *m);
/* Tells init that the supervisor no longer uses the pid of this process: init may reap the
 * process from now on, and the kernel may reuse the pid. Call this once for each process that
 * init has forked, whatever becomes of it. */
void init_link_settle(struct supervisor *s, pid_t pid);

/* sync.c: the socket to a process that has not executed yet. */
/* The time that a process has for preparing itself until execve. It takes a few milliseconds; a
 * program on a slow file system takes longer. A process that root of the container has stopped
 * never gets there. */
#define SYNC_CHILD_MS 30000
#define SYNC_TOO_LATE "the process has not come as far as its program within 30 seconds"

int sync_open(int *ret_fd, int *ret_child_fd, struct sl_err *err);
/* Reads one message. Returns 0 if it is of the wanted type; if the child has failed, -1 and its
 * error. */
int sync_hear(int sync_fd, enum sync_type want, struct sl_err *err);
/* The same, after waiting for the message. */
int sync_wait(int sync_fd, enum sync_type want, struct sl_err *err);
int sync_wait_result(int sync_fd, struct sl_err *err);
/* Returns whether the child has reported an error. Its other messages are read and dropped. */
bool sync_has_failed(int sync_fd, struct sl_err *err);
/* The error that a child reported before it ended, or that it was killed. */
void sync_failure(int sync_fd, struct sl_err *err);
/* Lets the child go on; its answer (end of file: executed) comes later on the same socket. */
int sync_release(int sync_fd);
/* Reads that answer. Returns 0 if the child has executed, or -1 with its error. */
int sync_result(int sync_fd, struct sl_err *err);

/* process_setup.c: settings that need capabilities which the process itself must not have. */
int process_setup(
	struct supervisor *s, pid_t pid, const struct plan_process *p, struct sl_err *err);

/* events.c: the event loop. */
int events_open(struct supervisor *s, struct sl_err *err); /* opens the control socket too */
void events_run(struct supervisor *s); /* returns when no process of the container is left */

/* handlers.c: the handlers of trapped calls. */
void handlers_install(struct supervisor *s);

/* busy.c: EBUSY for mount points. Call busy_know() before anything runs in the tree. */
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
/* Returns whether `who` may send the signal to `to` (kill(2)). */
bool pid1_may_signal(const struct proc_status *who, const struct proc_status *to, int sig);

/* netns.c: enters the container's network namespace for good. *ret_back_fd is the namespace that
 * was left; -1: the container uses the network of the runtime. */
int netns_enter(
	struct supervisor *s, const struct plan_net *plan, int *ret_back_fd, struct sl_err *err);

/* pod.c: opens runtime/net, if the container's rules need it. */
int pod_open_network(struct supervisor *s, const struct plan *plan, struct sl_err *err);

/* pod_ipc.c: decides whose System V objects and POSIX queues the container uses. Call
 * pod_open_ipc() before the filter is made. */
int pod_open_ipc(struct supervisor *s, const struct plan *plan, struct sl_err *err);
/* Call this when the container has ended, or when building has failed. */
void pod_leave_ipc(struct supervisor *s);

/* requests.c: the requests of clients over the control socket. */
/* Returns false if there is no descriptor or no memory for the client, which stays in the queue. */
bool requests_accept(struct supervisor *s);
void requests_handle(struct supervisor *s, struct session *c);
void requests_process_ended(struct supervisor *s, pid_t pid, int status);
void requests_finish(struct supervisor *s); /* answers every client that still waits */

/* starting.c: the main process between its release and its execve. */
void starting_release(struct supervisor *s);  /* lets the workload call execve */
void starting_answered(struct supervisor *s); /* there is a message on the sync socket */
/* Answers the client that waits for the start. */
void starting_failed(struct supervisor *s, const struct sl_err *err);
int supervisor_write_status(struct supervisor *s, enum record_status status, struct sl_err *err);
/* Call this when the workload runs and no client waits: it closes what only building needed.
 * Closing takes a grace period of the kernel. The descriptor that made the tree stays open: when
 * it is closed, Linux 7.3 takes the mounts apart at once, while processes are in the tree. */
void supervisor_settle(struct supervisor *s);

/* start_hooks.c: hooks.startContainer, which run between START and the workload's execve. */
int start_hooks_prepare(
	struct supervisor *s, const struct plan *plan, const char *state, struct sl_err *err);
/* Runs the hooks that are left, then releases the workload. If one fails, the start fails. */
void start_hooks_run(struct supervisor *s);
bool start_hooks_cancel(struct supervisor *s); /* false: none was running */

/* sessions.c: exec'd processes. */
/* Takes the connection and calls on_request() when a request comes. */
struct session *session_open(
	struct supervisor *s, int *fd, void (*on_request)(struct supervisor *s, struct session *c));
void sessions_exec(struct supervisor *s, struct session *c, const struct control_request *req,
	int *fds, size_t n_fds);
/* Lists those with a pid above `after` that callers know by another pid. */
void sessions_list(const struct supervisor *s, pid_t after, struct control_execs *ret);
void sessions_process_ended(struct supervisor *s, pid_t pid, int status);
/* Takes the session out of the list at once; its memory is freed after the current event. */
void session_drop(struct supervisor *s, struct session *c);

/* limits.c: the limits of the container. */
#define LIMITS_TIMEOUT_STATUS 124 /* as timeout(1) */
/* Call this before the thread of init that forks has forked a process, in the mount namespace in
 * which the bundle's paths are valid. */
int limits_open(struct supervisor *s, const struct plan *plan, pid_t init_tid, struct sl_err *err);
/* Call this when tree and loop exist, before the supervisor is confined. */
int limits_watch(struct supervisor *s, const struct plan *plan, struct sl_err *err);
/* For a process that waits to be set up, after its own limits are set. */
int limits_set_up(const struct supervisor *s, pid_t pid, struct sl_err *err);
void limits_begin(struct supervisor *s); /* call it when the main process has executed */
/* Call it after the loop has ended: the loop may not have handled the last kill. */
void limits_end(struct supervisor *s);
/* Changes all that the request names, or nothing. */
int limits_update(struct supervisor *s, const struct control_request *req, struct sl_err *err);
void limits_on_fork(const struct notif_call *c, struct notif_verdict *v, void *ctx);

/* cpu.c: the processors of the container, and its weight. */
int cpu_open(struct supervisor *s, const struct plan_cpu *plan, struct sl_err *err);
/* Removes from the set what the container may not use; EINVAL: nothing is left. */
int cpu_narrow(const struct supervisor *s, cpu_set_t *set, struct sl_err *err);
/* Changes what the request names, for all processes of the container. */
int cpu_update(struct supervisor *s, const struct control_request *req, struct sl_err *err);
/* For a process that waits to be set up, after its own scheduler is set. */
int cpu_weigh(struct supervisor *s, pid_t pid, struct sl_err *err);

/* sizes.c: keeps the files that show the container's size up to date while it runs. */
void sizes_begin(struct supervisor *s);
/* For sysinfo(2), the source of sysconf(_SC_PHYS_PAGES): says what /proc/meminfo says. */
void sizes_on_sysinfo(const struct notif_call *c, struct notif_verdict *v, void *ctx);
void sizes_change(struct supervisor *s); /* call it when a limit has changed */

/* stats.c: the statistics of the container and the counts of trapped calls. stats_leave() writes
 * them to the state directory when the container has ended; if that fails there are none. */
void stats_take(struct supervisor *s, struct control_stats *ret);
void stats_leave(struct supervisor *s);

/* reply.c: answers to a client. */
void reply_done(int conn_fd);
void reply_failed(int conn_fd, const struct sl_err *err);
void reply_exited(int conn_fd, int status);
void reply_text(int conn_fd, const char *text);

/* proxy.c: ends the proxy before the supervisor ends. */
void proxy_end(struct supervisor *s);

/* ending.c */
/* Reaps init when all is over and returns the main process' status, as of wait(2). */
int ending_status(struct supervisor *s);
/* The same before that. If the main process has not ended by itself, init was killed, so that
 * this returns SIGKILL. */
int ending_of_main(const struct supervisor *s);
void ending_kill_orphans(struct supervisor *s);

#endif
