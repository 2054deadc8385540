/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/plan/memory.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/plan/process.h"

/* Tries the policy on one page: mbind(2) accepts the same arguments as set_mempolicy(2), and
 * changes nothing else. Returns 0, or -1 with errno. */
static int try_on_a_page(const struct plan_memory *m)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *p = mmap(NULL, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long rc;
	int saved;

	if (p == MAP_FAILED)
		return -1;
	rc = syscall(SYS_mbind, p, page, m->mode, &m->nodes, 8 * sizeof(m->nodes), 0);
	saved = errno;
	munmap(p, page);
	errno = saved;
	return (int)rc;
}

int plan_memory_build(
	const struct spec_memory_policy *m, struct plan_memory *ret, struct sl_err *err)
{
	*ret = (struct plan_memory){ .set = m->set, .mode = m->mode };
	if (!m->set)
		return 0;
	if (m->nodes && plan_parse_cpus(m->nodes, &ret->nodes, err) < 0)
		return sl_err_wrap(err, "linux.memoryPolicy.nodes");
	if (try_on_a_page(ret) < 0)
		return sl_err_set(err, errno,
			"linux.memoryPolicy: this machine does not take the mode with these nodes "
			"and flags");
	return 0;
}
