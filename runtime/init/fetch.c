/* SPDX-License-Identifier: Apache-2.0
 *
 * init's third thread: it is outside the domain, like the leader, but uses the descriptor table
 * of the domain thread. A child gets a copy of that table, and root of the container may stop
 * the child and use the copy before the child has closed anything. So the table must never hold
 * the channel to the supervisor, nor any other descriptor over which requests come. Requests
 * therefore come to the leader, which has another table, and this thread copies the descriptors
 * for the child with pidfd_getfd(2), which a process may always do with itself. The domain
 * thread cannot do this: a bundle's profile may refuse the call.
 */
#include <sys/pidfd.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/signals.h"
#include "runtime/init/internal.h"

/* Empties the table except for stdio, and copies the descriptors for the child into it. At the
 * first call the table still holds what the leader had in it. */
static int fetch(struct init_job *job, struct sl_err *err)
{
	auto_fd int self_fd = -1;

	if (close_range(3, ~0U, 0) < 0)
		return sl_err_set(err, errno, "init: empty the table of descriptors");
	self_fd = pidfd_open(getpid(), 0);
	if (self_fd < 0)
		return sl_err_set(err, errno, "init: open itself");
	for (size_t i = 0; i < job->n_fds; i++) {
		int fd = pidfd_getfd(self_fd, job->fds[i], 0);

		if (fd < 0) {
			sl_err_set(err, errno, "init: take over a descriptor");
			while (i-- > 0)
				close(job->fds[i]);
			return -1;
		}
		job->fds[i] = fd;
	}
	return 0;
}

void *fetch_main(void *arg)
{
	struct init_state *s = arg;

	if (signals_block_all() < 0)
		_exit(1);
	s->fetcher_tid = gettid();
	sem_post(&s->done);
	for (;;) {
		init_wait(&s->to_fetcher);
		s->job.result = fetch(&s->job, &s->job.err);
		sem_post(s->job.result < 0 ? &s->done : &s->to_domain);
	}
	return NULL;
}
