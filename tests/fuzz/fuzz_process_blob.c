/* SPDX-License-Identifier: Apache-2.0
 *
 * The process description: whatever is accepted can be read from one end to the other.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"
#include "runtime/plan/process.h"
#include "tests/fuzz/fuzz.h"

static size_t sum(const struct plan_process *p, uint32_t off, size_t n)
{
	const unsigned char *s = (const unsigned char *)p + off;
	size_t total = 0;

	for (size_t i = 0; i < n; i++)
		total += s[i];
	return total;
}

static size_t length(const char *s)
{
	return s ? strlen(s) : 0;
}

static size_t read_all(const struct plan_process *p)
{
	size_t total = 0;

	for (uint32_t i = 0; i < p->n_args; i++)
		total += length(plan_process_arg(p, i));
	for (uint32_t i = 0; i < p->n_env; i++)
		total += length(plan_process_env(p, i));
	total += length(plan_process_string(p, p->cwd_off));
	total += length(plan_process_string(p, p->label_off));
	total += length(plan_process_string(p, p->label_file_off));
	total += sum(p, p->groups_off, p->n_groups * sizeof(gid_t));
	total += sum(p, p->profile_off, p->n_profile * sizeof(struct sock_filter));
	for (uint32_t i = 0; i < p->n_rlimits; i++)
		total += p->rlimits[i].soft;
	return total + p->no_new_privs + p->terminal + p->has_affinity + p->has_scheduler +
	       p->has_io_priority + p->has_oom_score_adj;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_fd int fd = memfd_create("fuzz", MFD_CLOEXEC);
	const struct plan_process *p;
	volatile size_t total = 0;
	struct sl_err err = { 0 };

	MUST(fd >= 0 && io_write_all(fd, data, size) == 0);
	if (plan_process_map(fd, &p, &err) < 0) {
		MUST(err.msg[0] != '\0');
		return 0;
	}
	MUST(p->n_args > 0 && p->cwd_off != 0);
	total = read_all(p);
	(void)total;
	plan_process_unmap(p);
	return 0;
}
