/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/thread.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>

#include "runtime/base/signals.h"

#define THREAD_STACK ((size_t)128 * 1024)

struct thread_start {
	const struct thread_work *work;
	sem_t done;
	int error;
};

/* The C library unblocks signal 32 in a new thread, whatever the mask of its creator was. */
static void *thread_main(void *arg)
{
	struct thread_start *s = arg;
	const struct thread_work work = *s->work;
	const int error = signals_block_all() < 0 || work.set_up(work.ctx) < 0 ? errno : 0;

	s->error = error;
	sem_post(&s->done); /* *s is gone from here on */
	if (error == 0)
		work.run(work.ctx);
	return NULL;
}

int thread_start(const struct thread_work *work)
{
	struct thread_start s = { .work = work };
	pthread_attr_t attr;
	pthread_t thread;

	sem_init(&s.done, 0, 0);
	/* A second malloc arena would be larger than everything else. */
	mallopt(M_ARENA_MAX, 1);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, THREAD_STACK);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	errno = pthread_create(&thread, &attr, thread_main, &s);
	pthread_attr_destroy(&attr);
	if (errno != 0)
		return -1;
	while (sem_wait(&s.done) < 0)
		;
	/* With the first new thread the C library unblocks its two internal signals in the
	 * creator. */
	if (signals_block_all() < 0)
		return -1;
	errno = s.error;
	return s.error == 0 ? 0 : -1;
}
