/* SPDX-License-Identifier: Apache-2.0
 *
 * The Process object (config.md, "Process"): of config.json and of `exec --process`.
 */
#include <linux/ioprio.h>
#include <sched.h>
#include <string.h>

#include "spec/load.h"

static const struct read_word rlimit_words[] = {
	{ "RLIMIT_AS", RLIMIT_AS },
	{ "RLIMIT_CORE", RLIMIT_CORE },
	{ "RLIMIT_CPU", RLIMIT_CPU },
	{ "RLIMIT_DATA", RLIMIT_DATA },
	{ "RLIMIT_FSIZE", RLIMIT_FSIZE },
	{ "RLIMIT_LOCKS", RLIMIT_LOCKS },
	{ "RLIMIT_MEMLOCK", RLIMIT_MEMLOCK },
	{ "RLIMIT_MSGQUEUE", RLIMIT_MSGQUEUE },
	{ "RLIMIT_NICE", RLIMIT_NICE },
	{ "RLIMIT_NOFILE", RLIMIT_NOFILE },
	{ "RLIMIT_NPROC", RLIMIT_NPROC },
	{ "RLIMIT_RSS", RLIMIT_RSS },
	{ "RLIMIT_RTPRIO", RLIMIT_RTPRIO },
	{ "RLIMIT_RTTIME", RLIMIT_RTTIME },
	{ "RLIMIT_SIGPENDING", RLIMIT_SIGPENDING },
	{ "RLIMIT_STACK", RLIMIT_STACK },
};

const char *spec_rlimit_name(int resource)
{
	for (size_t i = 0; i < sizeof(rlimit_words) / sizeof(rlimit_words[0]); i++)
		if ((int)rlimit_words[i].value == resource)
			return rlimit_words[i].word;
	return NULL;
}

/* sched(7). The numbers are the kernel's; glibc names only some of them. */
static const struct read_word scheduler_words[] = {
	{ "SCHED_OTHER", 0 },
	{ "SCHED_FIFO", 1 },
	{ "SCHED_RR", 2 },
	{ "SCHED_BATCH", 3 },
	{ "SCHED_IDLE", 5 },
	{ "SCHED_DEADLINE", 6 },
};

static const struct read_word scheduler_flag_words[] = {
	{ "SCHED_FLAG_RESET_ON_FORK", 0x01 },
	{ "SCHED_FLAG_RECLAIM", 0x02 },
	{ "SCHED_FLAG_DL_OVERRUN", 0x04 },
	{ "SCHED_FLAG_KEEP_POLICY", 0x08 },
	{ "SCHED_FLAG_KEEP_PARAMS", 0x10 },
	{ "SCHED_FLAG_UTIL_CLAMP_MIN", 0x20 },
	{ "SCHED_FLAG_UTIL_CLAMP_MAX", 0x40 },
};

static const struct read_word ioprio_words[] = {
	{ "IOPRIO_CLASS_RT", IOPRIO_CLASS_RT },
	{ "IOPRIO_CLASS_BE", IOPRIO_CLASS_BE },
	{ "IOPRIO_CLASS_IDLE", IOPRIO_CLASS_IDLE },
};

static int load_console(const struct at *at, struct spec_process *p)
{
	uint64_t height = 0, width = 0;
	struct at size;

	if (read_bool(at, "terminal", &p->terminal) < 0)
		return -1;
	if (read_object(at, "consoleSize", READ_OPTIONAL, &size) < 0)
		return -1;
	if (!size.j)
		return 0;
	if (read_u64(&size, "height", READ_REQUIRED, UINT16_MAX, &height, NULL) < 0 ||
		read_u64(&size, "width", READ_REQUIRED, UINT16_MAX, &width, NULL) < 0)
		return -1;
	p->console_height = (uint16_t)height;
	p->console_width = (uint16_t)width;
	return 0;
}

/* execve(2) accepts any string, but no program can look up an entry without a name. The messages
 * are those of runc. */
int spec_check_env(const char *entry, struct sl_err *err)
{
	const char *equals = strchr(entry, '=');

	if (!equals)
		return sl_err_set(err, 0, "invalid environment variable: \"%.200s\"", entry);
	if (equals == entry)
		return sl_err_set(
			err, 0, "environment variable name can't be empty: \"%.200s\"", entry);
	return 0;
}

static int load_env(const struct at *at, struct spec_process *p)
{
	struct at list = at_member(at, "env");
	struct sl_err why;

	if (read_strs(at, "env", &p->env, &p->n_env) < 0)
		return -1;
	for (size_t i = 0; i < p->n_env; i++) {
		struct at item = at_nth(&list, i);

		if (spec_check_env(p->env[i], &why) < 0)
			return read_fail(&item, "%s", why.msg);
	}
	return 0;
}

static int load_command(const struct at *at, struct spec_process *p)
{
	struct at args = at_member(at, "args");
	struct at cwd = at_member(at, "cwd");

	if (read_strs(at, "args", &p->args, &p->n_args) < 0 || load_env(at, p) < 0)
		return -1;
	if (read_str(at, "cwd", READ_OPTIONAL, &p->cwd) < 0)
		return -1;
	if (!p->cwd || p->cwd[0] == '\0')
		return read_fail(&cwd, "Cwd property must not be empty");
	if (p->cwd[0] != '/')
		return read_fail(&cwd, "\"%.200s\": Cwd must be an absolute path", p->cwd);
	if (p->n_args == 0)
		return read_fail(&args, "args must not be empty");
	return 0;
}

static int load_gid(const struct at *at, void *item)
{
	return read_u32_at(at, item);
}

static int load_user(const struct at *at, struct spec_process *p)
{
	struct at user, mask;
	void *items = NULL;

	if (read_object(at, "user", READ_OPTIONAL, &user) < 0)
		return -1;
	if (!user.j)
		return 0;
	if (read_u32(&user, "uid", READ_OPTIONAL, &p->uid, NULL) < 0 ||
		read_u32(&user, "gid", READ_OPTIONAL, &p->gid, NULL) < 0 ||
		read_u32(&user, "umask", READ_OPTIONAL, &p->umask, &p->has_umask) < 0)
		return -1;
	mask = at_member(&user, "umask");
	if (p->umask > 0777)
		return read_fail(&mask, "%u is more than 511 (octal 0777)", p->umask);
	if (read_items(&user, "additionalGids", READ_OPTIONAL, sizeof(*p->additional_gids),
		    load_gid, &items, &p->n_additional_gids) < 0)
		return -1;
	p->additional_gids = items;
	return 0;
}

static int load_cap_set(const struct at *caps, const char *key, uint64_t *ret, const char **unknown)
{
	uint64_t bits = 0;
	struct at list;

	if (read_array(caps, key, READ_OPTIONAL, &list) < 0)
		return -1;
	for (size_t i = 0; list.j && i < list.j->n; i++) {
		struct at item = at_nth(&list, i);
		int number;

		if (read_is(&item, JSON_STRING) < 0)
			return -1;
		number = spec_cap_number(item.j->text);
		if (number < 0)
			spec_cap_note_unknown(item.rd->a, item.j->text, unknown);
		else
			bits |= UINT64_C(1) << number;
	}
	*ret = bits;
	return 0;
}

static int load_caps(const struct at *at, struct spec_caps *c, const char **unknown)
{
	struct at caps;

	if (read_object(at, "capabilities", READ_OPTIONAL, &caps) < 0)
		return -1;
	if (!caps.j)
		return 0;
	c->set = true;
	if (load_cap_set(&caps, "bounding", &c->bounding, unknown) < 0 ||
		load_cap_set(&caps, "effective", &c->effective, unknown) < 0 ||
		load_cap_set(&caps, "inheritable", &c->inheritable, unknown) < 0 ||
		load_cap_set(&caps, "permitted", &c->permitted, unknown) < 0)
		return -1;
	return load_cap_set(&caps, "ambient", &c->ambient, unknown);
}

static int load_rlimit(const struct at *at, void *item)
{
	struct spec_rlimit *r = item;
	struct at type = at_member(at, "type");

	if (read_is(at, JSON_OBJECT) < 0)
		return -1;
	if (read_word(&type, rlimit_words, COUNT(rlimit_words), "unknown rlimit type",
		    &r->resource) < 0)
		return -1;
	if (read_u64(at, "soft", READ_REQUIRED, UINT64_MAX, &r->soft, NULL) < 0 ||
		read_u64(at, "hard", READ_REQUIRED, UINT64_MAX, &r->hard, NULL) < 0)
		return -1;
	if (r->soft > r->hard)
		return read_fail(at, "the soft limit %llu is above the hard limit %llu",
			(unsigned long long)r->soft, (unsigned long long)r->hard);
	return 0;
}

static int load_rlimits(const struct at *at, struct spec_process *p)
{
	const struct at list = at_member(at, "rlimits");
	void *items = NULL;

	if (read_items(at, "rlimits", READ_OPTIONAL, sizeof(*p->rlimits), load_rlimit, &items,
		    &p->n_rlimits) < 0)
		return -1;
	p->rlimits = items;
	for (size_t i = 0; i < p->n_rlimits; i++) {
		const struct at item = at_nth(&list, i);

		for (size_t k = 0; k < i; k++)
			if (p->rlimits[k].resource == p->rlimits[i].resource)
				return read_fail(
					&item, "%s is there twice", json_get(item.j, "type")->text);
	}
	return 0;
}

static int load_io_priority(const struct at *at, struct spec_io_priority *io)
{
	struct at obj, class_;

	if (read_object(at, "ioPriority", READ_OPTIONAL, &obj) < 0)
		return -1;
	if (!obj.j)
		return 0;
	io->set = true;
	class_ = at_member(&obj, "class");
	if (read_word(&class_, ioprio_words, COUNT(ioprio_words), "unknown I/O class",
		    &io->class_) < 0)
		return -1;
	return read_int(&obj, "priority", 0, IOPRIO_NR_LEVELS - 1, &io->priority, NULL);
}

/* sched(7): 1 to 99 for the real-time policies, 0 for the others. */
static int check_scheduler_priority(const struct at *obj, const struct spec_scheduler *s)
{
	const bool real_time = s->policy == SCHED_FIFO || s->policy == SCHED_RR;
	const struct at at = at_member(obj, "priority");

	if (real_time && (s->priority < 1 || s->priority > 99))
		return read_fail(
			&at, "%u: a real-time policy has a priority from 1 to 99", s->priority);
	if (!real_time && s->priority != 0)
		return read_fail(
			&at, "%u: only SCHED_FIFO and SCHED_RR have a priority", s->priority);
	return 0;
}

static int load_scheduler(const struct at *at, struct spec_scheduler *s)
{
	struct at obj, policy, flags;
	int word = 0, nice = 0;

	if (read_object(at, "scheduler", READ_OPTIONAL, &obj) < 0)
		return -1;
	if (!obj.j)
		return 0;
	s->set = true;
	policy = at_member(&obj, "policy");
	if (read_word(&policy, scheduler_words, COUNT(scheduler_words), "unknown scheduling policy",
		    &word) < 0)
		return -1;
	s->policy = (uint32_t)word;
	if (read_int(&obj, "nice", -20, 19, &nice, NULL) < 0 ||
		read_u32(&obj, "priority", READ_OPTIONAL, &s->priority, NULL) < 0 ||
		read_u64(&obj, "runtime", READ_OPTIONAL, UINT64_MAX, &s->runtime, NULL) < 0 ||
		read_u64(&obj, "deadline", READ_OPTIONAL, UINT64_MAX, &s->deadline, NULL) < 0 ||
		read_u64(&obj, "period", READ_OPTIONAL, UINT64_MAX, &s->period, NULL) < 0 ||
		read_array(&obj, "flags", READ_OPTIONAL, &flags) < 0)
		return -1;
	s->nice = nice;
	for (size_t i = 0; flags.j && i < flags.j->n; i++) {
		struct at item = at_nth(&flags, i);

		if (read_word(&item, scheduler_flag_words, COUNT(scheduler_flag_words),
			    "unknown scheduler flag", &word) < 0)
			return -1;
		s->flags |= (uint64_t)word;
	}
	return check_scheduler_priority(&obj, s);
}

/* A list of CPUs as taskset(1) accepts it: "0-3,7". */
static int load_cpu_list(const struct at *obj, const char *key, const char **ret)
{
	struct at at = at_member(obj, key);

	if (read_str(obj, key, READ_OPTIONAL, ret) < 0)
		return -1;
	if (*ret && (*ret)[strspn(*ret, "0123456789,- ")] != '\0')
		return read_fail(&at, "\"%.80s\" is not a list of CPUs such as 0-3,7", *ret);
	return 0;
}

static int load_affinity(const struct at *at, struct spec_process *p)
{
	struct at obj;

	if (read_object(at, "execCPUAffinity", READ_OPTIONAL, &obj) < 0)
		return -1;
	if (!obj.j)
		return 0;
	if (load_cpu_list(&obj, "initial", &p->exec_cpu_affinity_initial) < 0)
		return -1;
	return load_cpu_list(&obj, "final", &p->exec_cpu_affinity_final);
}

static int load_labels(const struct at *at, struct spec_process *p)
{
	if (read_str(at, "apparmorProfile", READ_OPTIONAL, &p->apparmor_profile) < 0 ||
		read_str(at, "selinuxLabel", READ_OPTIONAL, &p->selinux_label) < 0)
		return -1;
	if (p->apparmor_profile && p->apparmor_profile[0] == '\0')
		p->apparmor_profile = NULL;
	if (p->selinux_label && p->selinux_label[0] == '\0')
		p->selinux_label = NULL;
	return 0;
}

int load_process(const struct at *at, struct spec_process *p)
{
	if (load_console(at, p) < 0 || load_user(at, p) < 0 || load_command(at, p) < 0)
		return -1;
	if (load_caps(at, &p->caps, &p->unknown_caps) < 0 || load_rlimits(at, p) < 0)
		return -1;
	if (read_bool(at, "noNewPrivileges", &p->no_new_privileges) < 0 ||
		read_int(at, "oomScoreAdj", -1000, 1000, &p->oom_score_adj, &p->has_oom_score_adj) <
			0)
		return -1;
	if (load_labels(at, p) < 0 || load_io_priority(at, &p->io_priority) < 0 ||
		load_scheduler(at, &p->scheduler) < 0)
		return -1;
	return load_affinity(at, p);
}
