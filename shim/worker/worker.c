/* SPDX-License-Identifier: Apache-2.0 */
#include "shim/worker/worker.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"

/* Results that worker_collect() takes at most; the loop delivers the others. */
#define COLLECT_MAX 256

struct worker {
	struct loop_source source;
	struct loop_timer limit;
	struct loop_waste waste;
	struct workers *of;
	struct worker *next, **at;
	pid_t pid; /* 0: the child was reaped */
	void (*done)(void *ctx, struct worker_result *r, const struct sl_err *err);
	void *ctx;
};

/* What the child sends: one packet, with the descriptors of the result and a memfd of its bytes. */
struct packet {
	bool failed;
	bool has_fd[WORKER_FDS];
	bool has_bytes;
	pid_t pid;
	size_t n_bytes;
	struct sl_err err;
};

static void keep_only(const struct worker_job *job, int result_fd)
{
	int keep[WORKER_KEEP_MAX + 1];
	size_t n = 0;
	int next = 3;

	keep[n++] = result_fd;
	for (size_t i = 0; i < job->n_keep; i++)
		if (job->keep_fds[i] >= 0)
			keep[n++] = job->keep_fds[i];
	for (;;) {
		int lowest = -1;

		for (size_t i = 0; i < n; i++)
			if (keep[i] >= next && (lowest < 0 || keep[i] < lowest))
				lowest = keep[i];
		if (lowest < 0)
			break;
		if (lowest > next)
			close_range((unsigned int)next, (unsigned int)lowest - 1, 0);
		next = lowest + 1;
	}
	close_range((unsigned int)next, ~0U, 0);
}

static int write_bytes(const struct worker_result *r)
{
	auto_fd int fd = memfd_create("result", MFD_CLOEXEC);

	if (fd < 0 || io_write_all(fd, r->bytes, r->n_bytes) < 0)
		return -1;
	return take_fd(&fd);
}

/* When the shim ends the child has to end too, because nobody would receive its result. */
static void end_with_parent(pid_t parent)
{
	if (prctl(PR_SET_PDEATHSIG, (unsigned long)SIGKILL, 0L, 0L, 0L) < 0 || getppid() != parent)
		_exit(1);
}

static _Noreturn void work(const struct worker_job *job, int result_fd, pid_t parent)
{
	struct worker_result r = { .fds = { -1, -1 } };
	struct packet p = { 0 };
	int fds[WORKER_FDS + 1];
	size_t n_fds = 0;
	sigset_t none;

	end_with_parent(parent);
	keep_only(job, result_fd);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	p.failed = job->run(job->arg, &r, &p.err) < 0;
	p.pid = r.pid;
	for (int i = 0; i < WORKER_FDS; i++) {
		p.has_fd[i] = r.fds[i] >= 0;
		if (p.has_fd[i])
			fds[n_fds++] = r.fds[i];
	}
	if (r.bytes) {
		p.n_bytes = r.n_bytes;
		fds[n_fds] = write_bytes(&r);
		p.has_bytes = fds[n_fds] >= 0;
		n_fds += p.has_bytes;
	}
	io_send_fds(result_fd, &p, sizeof(p), fds, n_fds);
	_exit(0);
}

static void worker_forget(struct worker *k)
{
	loop_stop_timer(k->of->loop, &k->limit);
	loop_remove(k->of->loop, &k->source);
	drop_fd(&k->source.fd);
	*k->at = k->next;
	if (k->next)
		k->next->at = k->at;
	k->of->n--;
	loop_free_later(k->of->loop, &k->waste, k);
}

static const void *map_bytes(int fd, size_t n)
{
	struct stat st;
	const void *at;

	if (n > WORKER_BYTES_MAX || fstat(fd, &st) < 0 || (size_t)st.st_size < n)
		return NULL;
	at = mmap(NULL, n, PROT_READ, MAP_PRIVATE, fd, 0);
	return at == MAP_FAILED ? NULL : at;
}

static void worker_deliver(struct worker *k)
{
	struct worker_result r = { .fds = { -1, -1 } };
	int fds[WORKER_FDS + 1] = { -1, -1, -1 };
	struct packet p;
	size_t n_fds = 0, at = 0;
	ssize_t n = io_recv_fds(k->source.fd, &p, sizeof(p), fds, WORKER_FDS + 1, &n_fds);

	worker_forget(k);
	if (n != (ssize_t)sizeof(p)) {
		r.died = true;
		sl_err_set(&p.err, 0, "the process that did it ended before it was done");
		k->done(k->ctx, &r, &p.err);
		return;
	}
	for (int i = 0; i < WORKER_FDS; i++)
		if (p.has_fd[i] && at < n_fds)
			r.fds[i] = fds[at++];
	if (p.has_bytes && p.n_bytes && at < n_fds)
		r.bytes = map_bytes(fds[at], p.n_bytes);
	r.n_bytes = r.bytes ? p.n_bytes : 0;
	r.pid = p.pid;
	k->done(k->ctx, &r, p.failed ? &p.err : NULL);
	if (r.bytes)
		munmap((void *)r.bytes, r.n_bytes);
	if (p.has_bytes && at < n_fds)
		close(fds[at]);
}

static void worker_ready(struct loop_source *src, uint32_t events)
{
	(void)events;
	worker_deliver(LOOP_OWNER(src, struct worker, source));
}

/* Kills a child that takes too long. The end of its socket then reports the failure. */
static void worker_too_late(struct loop_timer *t)
{
	struct worker *k = LOOP_OWNER(t, struct worker, limit);

	if (k->pid > 0)
		kill(k->pid, SIGKILL);
}

static int worker_watch(struct workers *w, const struct worker_job *job, pid_t pid, int *fd)
{
	struct worker *k = calloc(1, sizeof(*k));

	if (!k || loop_add(w->loop, &k->source, *fd, worker_ready) < 0) {
		free(k);
		return -1;
	}
	*fd = -1;
	k->of = w;
	k->pid = pid;
	k->done = job->done;
	k->ctx = job->ctx;
	k->at = &w->first;
	k->next = w->first;
	if (w->first)
		w->first->at = &k->next;
	w->first = k;
	w->n++;
	loop_set_timer(w->loop, &k->limit, clock_now_ms() + WORKER_LIMIT_MS, worker_too_late);
	return 0;
}

int worker_start(struct workers *w, const struct worker_job *job, struct sl_err *err)
{
	auto_fd int mine = -1, theirs = -1;
	const pid_t parent = getpid();
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return sl_err_set(err, errno, "socketpair");
	mine = pair[0];
	theirs = pair[1];
	pid = fork();
	if (pid < 0)
		return sl_err_set(err, errno, "fork a process for it");
	if (pid == 0)
		work(job, theirs, parent);
	if (worker_watch(w, job, pid, &mine) < 0) {
		kill(pid, SIGKILL);
		return sl_err_set(err, errno, "watch the process for it");
	}
	return 0;
}

bool worker_reaped(struct workers *w, pid_t pid)
{
	for (struct worker *k = w->first; k; k = k->next) {
		if (k->pid == pid) {
			k->pid = 0;
			return true;
		}
	}
	return false;
}

static bool has_ended(const struct worker *k)
{
	char byte;

	return recv(k->source.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0;
}

void worker_collect(struct workers *w)
{
	for (int i = 0; i < COLLECT_MAX; i++) {
		struct worker *k = w->first;

		while (k && !has_ended(k))
			k = k->next;
		if (!k)
			return;
		worker_deliver(k);
	}
}
