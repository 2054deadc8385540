/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/limits/memory.h"

#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/clock.h"
#include "runtime/base/io.h"
#include "runtime/base/signals.h"
#include "runtime/limits/pace.h"

#define THREAD_STACK ((size_t)128 * 1024)

/* A realtime signal is queued for each tick; when the queue is full the kernel sends SIGIO
 * instead. */
#define SIGNAL_TICK (SIGRTMIN + 4)

/* Bytes between two signals of the clock. */
#define TICK_BYTES       ((uint64_t)4 << 20)
#define TICK_BYTES_SMALL ((uint64_t)1 << 20)
#define SMALL_LIMIT      ((uint64_t)128 << 20)

/* How long a killed process may take to free its memory. After that, another one may be killed. */
#define DYING_MS      2000
#define DYING_LOOK_MS 1

/* While a container sleeps, it is measured at each of this many polls. */
#define SKIPS_MAX 15

/* With a clock, polling takes at most this part of the time. */
#define QUICK_SHARE 32

struct memory {
	struct charge_place place;
	struct clock_events clock;
	_Atomic uint64_t limit, held, peak, kills;
	int event_fd;
	pthread_t thread;
	sem_t started;
	int (*confine)(void);
	int error; /* errno of the start */
	/* The following members are used by the thread only. */
	struct pace pace;
	struct charge_dying dying;
	long quick_us;     /* how long the last measurement took, without the exact part */
	long look_ms;      /* the same with it */
	int64_t killed_ms; /* when */
	int64_t due_ms;    /* when to measure without a signal */
	int poll_ms;
	int skipped; /* how often there was nothing to measure since the last measurement */
	bool told;   /* the next measurement was asked for by a signal */
	bool misled; /* the limit was exceeded before a signal came */
};

struct memory *memory_open(pid_t tid, uint64_t limit, struct sl_err *ret_why)
{
	struct memory *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (m->event_fd < 0 || shmem_open(&m->place.shmem) < 0) {
		free(m);
		return NULL;
	}
	m->limit = limit;
	clock_open(&m->clock, tid, limit < SMALL_LIMIT ? TICK_BYTES_SMALL : TICK_BYTES, ret_why);
	return m;
}

void memory_add_tmpfs(struct memory *m, int *fd)
{
	if (m->place.n_tmpfs < CHARGE_TMPFS_MAX)
		m->place.tmpfs_fds[m->place.n_tmpfs++] = take_fd(fd);
}

int memory_add_pod_shm(struct memory *m, int fd)
{
	return shmem_add_pod(&m->place.shmem, fd);
}

bool memory_has_clock(const struct memory *m)
{
	return m->clock.tick > 0;
}

void memory_set_limit(struct memory *m, uint64_t limit)
{
	m->limit = limit;
	pthread_kill(m->thread, SIGIO);
}

void memory_look(struct memory *m)
{
	pthread_kill(m->thread, SIGIO);
}

void memory_stats(const struct memory *m, struct memory_stats *ret)
{
	*ret = (struct memory_stats){ m->limit, m->held, m->peak, m->kills };
}

int memory_event_fd(const struct memory *m)
{
	return m->event_fd;
}

static uint64_t host_shmem(const struct memory *m)
{
	char text[4096];

	if (io_slurp(m->place.members.proc_fd, "meminfo", text, sizeof(text)) < 0)
		return 0;
	return proc_number_in(text, "\nShmem:") * 1024;
}

static long us_since(const struct timespec *then)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - then->tv_sec) * 1000000 + (now.tv_nsec - then->tv_nsec) / 1000;
}

static bool is_gone(const struct memory *m, const struct proc_id *id)
{
	struct proc_stat st;

	return proc_read_stat(m->place.members.proc_fd, id->pid, &st) < 0 ||
	       st.start != id->start || (st.state == 'Z' && st.n_threads <= 1);
}

/* Forgets killed processes that have ended, or have had enough time for it. The memory of the
 * others counts as free. */
static void forget_dead(struct memory *m)
{
	struct charge_dying *d = &m->dying;

	if (d->n > 0 && clock_now_ms() - m->killed_ms > DYING_MS)
		d->n = 0;
	for (size_t i = d->n; i-- > 0;)
		if (is_gone(m, &d->ids[i]))
			d->ids[i] = d->ids[--d->n];
}

/* What was allocated since the measurement began. */
static uint64_t allocated_meanwhile(const struct memory *m)
{
	const struct timespec none = { 0 };
	uint64_t bytes = 0;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGNAL_TICK);
	while (sigtimedwait(&set, NULL, &none) == SIGNAL_TICK)
		bytes += m->clock.tick;
	return bytes;
}

/* The files of a killed process are closed by itself, so it must get processor time before others
 * do. Returns false if it was gone. That the signal can be sent shows that the pid was still its
 * own. */
static bool kill_soon(const struct memory *m, const struct proc_id *id)
{
	const struct sched_param first = { .sched_priority = 1 };
	auto_fd int fd = proc_pidfd(m->place.members.proc_fd, id);

	if (fd < 0)
		return false;
	sched_setscheduler(id->pid, SCHED_FIFO | SCHED_RESET_ON_FORK, &first);
	return pidfd_send_signal(fd, SIGKILL, NULL, 0) == 0;
}

/* Frees the private memory of a killed process at the priority of this thread
 * (process_mrelease(2), Linux 5.15). */
static void free_memory_of(const struct memory *m, const struct proc_id *id)
{
	auto_fd int fd = proc_pidfd(m->place.members.proc_fd, id);

	if (fd >= 0)
		syscall(SYS_process_mrelease, fd, 0);
}

/* Kills the largest process, and further ones until enough is freed: with one at a time, many
 * processes that grow together would be faster. */
static void kill_largest(struct memory *m, const struct charge *c)
{
	uint64_t over = m->pace.held - m->pace.limit + allocated_meanwhile(m), killed;
	struct charge_dying *d = &m->dying;
	const size_t before = d->n;

	for (size_t i = 0; i < c->n_rows && d->n < CHARGE_ROWS_MAX; i++) {
		if (!kill_soon(m, &c->rows[i].id))
			continue;
		d->ids[d->n++] = c->rows[i].id;
		if (c->rows[i].bytes >= over)
			break;
		over -= c->rows[i].bytes;
	}
	killed = d->n - before;
	for (size_t i = before; i < d->n; i++)
		free_memory_of(m, &d->ids[i]);
	m->killed_ms = clock_now_ms();
	m->kills += killed;
	m->misled |= killed > 0 && !m->told && before == 0;
	if (killed > 0)
		(void)!write(m->event_fd, &killed, sizeof(killed));
}

static void note_held(struct memory *m)
{
	m->held = m->pace.held;
	if (m->held > m->peak)
		m->peak = m->held;
}

static void look_at_all(struct memory *m)
{
	const uint64_t shmem = host_shmem(m);
	struct charge quick, exact;
	struct timespec began;

	clock_gettime(CLOCK_MONOTONIC, &began);
	forget_dead(m);
	m->pace.limit = m->limit;
	charge_quick(&m->place, &m->dying, &quick);
	m->quick_us = us_since(&began);
	if (pace_quick(&m->pace, quick.anon + quick.shmem, shmem)) {
		charge_exact(&m->place, &m->dying, &exact);
		pace_exact(&m->pace, quick.anon + quick.shmem, exact.anon + exact.shmem, shmem);
		if (m->pace.held > m->pace.limit)
			kill_largest(m, &exact);
	}
	note_held(m);
	m->look_ms = us_since(&began) / 1000;
}

/* The clock alone is not enough: execve(2) removes the events of a process that executes a
 * set-user-ID program or a program that it may not read. */
static int wait_ms(const struct memory *m)
{
	long least;

	/* Killed processes need processor time to end. */
	if (m->dying.n > 0)
		return DYING_LOOK_MS + (int)m->look_ms;
	if (m->misled && m->poll_ms > PACE_RUN_MS)
		return PACE_RUN_MS;
	least = memory_has_clock(m) ? m->quick_us * QUICK_SHARE / 1000 : 0;
	return m->poll_ms > least ? m->poll_ms : (int)least;
}

/* Measures, unless no process has run, so that nothing can have changed but by the kernel
 * (khugepaged) or by others, who write to the container's files. */
static void look_when_due(struct memory *m)
{
	const bool ran = m->told || activity_has_run(&m->place.activity);
	const uint64_t before = m->pace.held;
	int wait;

	if (ran || m->dying.n > 0 || m->skipped++ == SKIPS_MAX) {
		look_at_all(m);
		/* Many containers that fell asleep together are measured one after the other. */
		m->skipped = ran ? m->place.members.init.pid % SKIPS_MAX : 0;
	}
	m->poll_ms = pace_poll(&m->pace, m->poll_ms,
		m->pace.held > before ? m->pace.held - before : before - m->pace.held, ran);
	wait = wait_ms(m);
	m->due_ms = wait < PACE_IDLE_MS ? clock_now_ms() + wait : clock_next_ms(PACE_IDLE_MS);
}

static int64_t left_ms(const struct memory *m)
{
	const int64_t left = m->due_ms - clock_now_ms();

	return left > 0 ? left : 0;
}

/* Waits for the clock. Returns whether the memory has to be measured. Signals do not extend the
 * time. */
static bool await_tick(struct memory *m)
{
	const int64_t ms = left_ms(m);
	struct timespec wait = { ms / 1000, (ms % 1000) * 1000000L };
	bool due = false;
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGNAL_TICK);
	sigaddset(&set, SIGIO);
	m->pace.limit = m->limit;
	while ((sig = sigtimedwait(&set, NULL, &wait)) == SIGNAL_TICK) {
		due |= pace_tick(&m->pace, m->clock.tick);
		wait = (struct timespec){ 0 };
		if (left_ms(m) > PACE_RUN_MS) /* it runs */
			m->due_ms = clock_now_ms() + PACE_RUN_MS;
	}
	m->told = due || sig == SIGIO; /* the queue was too short, or the limit is another one */
	return m->told || left_ms(m) == 0;
}

/* Runs this thread before all others: it must be faster than a process that allocates. */
static void go_first(void)
{
	const struct sched_param first = { .sched_priority = 1 };

	if (sched_setscheduler(0, SCHED_FIFO, &first) < 0)
		setpriority(PRIO_PROCESS, (id_t)gettid(), -20);
}

static void *memory_main(void *arg)
{
	struct memory *m = arg;

	go_first();
	/* The C library unblocks signal 32 in a new thread, whatever the mask of its creator
	 * was. */
	if (signals_block_all() < 0 || clock_signal_me(&m->clock, SIGNAL_TICK) < 0 ||
		m->confine() < 0)
		m->error = errno;
	sem_post(&m->started);
	while (m->error == 0)
		if (await_tick(m))
			look_when_due(m);
	return NULL;
}

int memory_start(
	struct memory *m, const struct members *members, int (*confine)(void), struct sl_err *err)
{
	pthread_attr_t attr;

	m->place.members = *members;
	m->confine = confine;
	m->pace.clock = memory_has_clock(m);
	m->poll_ms = 1;
	sem_init(&m->started, 0, 0);
	/* A second malloc arena would be larger than everything else. */
	mallopt(M_ARENA_MAX, 1);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, THREAD_STACK);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	errno = pthread_create(&m->thread, &attr, memory_main, m);
	pthread_attr_destroy(&attr);
	if (errno != 0)
		return sl_err_set(err, errno, "linux.resources.memory.limit: start the thread");
	while (sem_wait(&m->started) < 0)
		;
	/* With the first new thread the C library unblocks its two internal signals in the
	 * creator. */
	if (signals_block_all() < 0)
		m->error = errno;
	return m->error == 0 ? 0
			     : sl_err_set(err, m->error,
				       "linux.resources.memory.limit: set up the thread");
}
