/* SPDX-License-Identifier: Apache-2.0
 *
 * A second thread of the supervisor, beside its event loop. It lives as long as the process.
 */
#ifndef SANDLOCK_BASE_THREAD_H
#define SANDLOCK_BASE_THREAD_H

struct thread_work {
	/* Runs first, with all signals blocked; returns 0, or -1 with errno: then the thread ends.
	 */
	int (*set_up)(void *ctx);
	void (*run)(void *ctx); /* never returns */
	void *ctx;
};

/* Returns when set_up() has: 0, or -1 with errno. The caller's signals are blocked afterwards. */
int thread_start(const struct thread_work *work);

#endif
