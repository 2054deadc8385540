/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/signals.h"

#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

void signals_fill(sigset_t *ret)
{
	memset(ret, 0xff, sizeof(*ret));
}

int signals_block_all(void)
{
	const uint64_t all = UINT64_MAX;

	return (int)syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, sizeof(all));
}

int signals_unblock(int sig)
{
	const uint64_t one = UINT64_C(1) << (sig - 1);

	return (int)syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &one, NULL, sizeof(one));
}
