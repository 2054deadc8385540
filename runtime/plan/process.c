/* SPDX-License-Identifier: Apache-2.0
 *
 * The blob is written in one pass: first the fixed part, then the arrays, then the strings.
 */
#include "runtime/plan/process.h"

#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"

#define APPARMOR_EXEC "exec "
#define BLOB_MAX      ((size_t)256 * 1024 * 1024)

struct packer {
	char *buf;
	size_t len;
	size_t cap;
	bool failed;
};

static uint32_t pack_bytes(struct packer *k, const void *data, size_t n, size_t align)
{
	size_t at = (k->len + align - 1) & ~(align - 1);
	size_t need = at + n;

	if (k->failed || need > BLOB_MAX) {
		k->failed = true;
		return 0;
	}
	if (need > k->cap) {
		size_t cap = k->cap ? k->cap : 4096;
		char *bigger;

		while (cap < need)
			cap *= 2;
		bigger = realloc(k->buf, cap);
		if (!bigger) {
			k->failed = true;
			return 0;
		}
		k->buf = bigger;
		k->cap = cap;
	}
	memset(k->buf + k->len, 0, at - k->len);
	if (data)
		memcpy(k->buf + at, data, n);
	else
		memset(k->buf + at, 0, n);
	k->len = need;
	return (uint32_t)at;
}

static uint32_t pack_string(struct packer *k, const char *s)
{
	return s ? pack_bytes(k, s, strlen(s) + 1, 1) : 0;
}

static uint32_t pack_strings(struct packer *k, char *const *list, size_t n)
{
	uint32_t table = pack_bytes(k, NULL, n * sizeof(uint32_t), sizeof(uint32_t));

	for (size_t i = 0; i < n; i++) {
		uint32_t off = pack_string(k, list[i]);

		if (!k->failed)
			memcpy(k->buf + table + i * sizeof(off), &off, sizeof(off));
	}
	return table;
}

static void fill_fixed(struct plan_process *b, const struct spec_process *p,
	const struct plan_process_extra *extra)
{
	b->uid = p->uid;
	b->gid = p->gid;
	b->umask = p->has_umask ? p->umask : 0022;
	b->no_new_privs = p->no_new_privileges;
	b->terminal = p->terminal;
	b->console_height = p->console_height;
	b->console_width = p->console_width;
	b->has_oom_score_adj = p->has_oom_score_adj;
	b->oom_score_adj = p->oom_score_adj;
	b->caps = *extra->caps;
	b->asked_caps = p->caps;
	b->rules = extra->rules;
	b->has_scheduler = p->scheduler.set;
	b->scheduler = p->scheduler;
	b->has_io_priority = p->io_priority.set;
	b->io_priority = p->io_priority;
	b->n_rlimits = (uint32_t)p->n_rlimits;
	for (size_t i = 0; i < p->n_rlimits; i++)
		b->rlimits[i] = p->rlimits[i];
	if (extra->cpus) {
		b->affinity = *extra->cpus;
		b->has_affinity = true;
	}
	if (extra->exec_cpus) {
		b->exec_affinity = *extra->exec_cpus;
		b->has_exec_affinity = true;
	}
}

int plan_process_check(const struct spec_process *p, struct sl_err *err)
{
	if (p->n_rlimits > PLAN_MAX_RLIMITS)
		return sl_err_set(
			err, 0, "process.rlimits: more than %d entries", PLAN_MAX_RLIMITS);
	if (p->n_additional_gids > PLAN_MAX_GROUPS)
		return sl_err_set(err, 0, "process.user.additionalGids: more than %d entries",
			PLAN_MAX_GROUPS);
	return 0;
}

/* Packs the security label and the file that it is written to (proc(5), /proc/pid/attr). */
static void pack_label(struct packer *k, const struct spec_process *p, struct plan_process *b)
{
	if (p->apparmor_profile && *p->apparmor_profile) {
		char text[PATH_MAX];

		snprintf(text, sizeof(text), APPARMOR_EXEC "%s", p->apparmor_profile);
		b->label_off = pack_string(k, text);
		b->label_file_off = pack_string(k, "/proc/thread-self/attr/apparmor/exec");
	} else if (p->selinux_label && *p->selinux_label) {
		b->label_off = pack_string(k, p->selinux_label);
		b->label_file_off = pack_string(k, "/proc/thread-self/attr/exec");
	}
}

static int seal_blob(const struct packer *k, int *ret_fd, struct sl_err *err)
{
	auto_fd int fd = memfd_create("sandlock-process", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return sl_err_set(err, errno, "memfd_create");
	if (io_write_all(fd, k->buf, k->len) < 0)
		return sl_err_set(err, errno, "write the process description");
	if (fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
		return sl_err_set(err, errno, "seal the process description");
	*ret_fd = take_fd(&fd);
	return 0;
}

void plan_own_env_add(struct plan_own_env *env, const char *entry)
{
	env->items[env->n++] = entry;
}

static char **all_env(struct arena *a, const struct spec_process *p, const struct plan_own_env *own,
	size_t *ret_n)
{
	char **all = arena_array(a, p->n_env + own->n + 1, sizeof(*all));

	if (p->n_env)
		memcpy(all, p->env, p->n_env * sizeof(*all));
	for (size_t i = 0; i < own->n; i++)
		all[p->n_env + i] = (char *)own->items[i];
	return plan_env_unique(a, all, p->n_env + own->n, ret_n);
}

int plan_process_pack(const struct spec_process *p, const struct plan_process_extra *extra,
	int *ret_fd, struct sl_err *err)
{
	struct packer k = { 0 };
	auto_free char *owned = NULL;
	auto_arena struct arena *arena = arena_new();
	struct plan_process b = { 0 };
	char **env;
	size_t n_env;

	if (plan_process_check(p, err) < 0)
		return -1;
	fill_fixed(&b, p, extra);
	pack_bytes(&k, NULL, sizeof(b), 16);
	b.n_groups = (uint32_t)p->n_additional_gids;
	b.groups_off = pack_bytes(&k, p->additional_gids, p->n_additional_gids * sizeof(gid_t), 4);
	b.n_args = (uint32_t)p->n_args;
	b.args_off = pack_strings(&k, p->args, p->n_args);
	env = all_env(arena, p, &extra->own_env, &n_env);
	b.n_own_env = (uint32_t)extra->own_env.n;
	b.n_env = (uint32_t)n_env;
	b.env_off = pack_strings(&k, env, n_env);
	b.n_env_rules = (uint32_t)extra->env_rules.n;
	b.env_rules_off = pack_strings(&k, extra->env_rules.items, extra->env_rules.n);
	b.cwd_off = pack_string(&k, p->cwd ? p->cwd : "/");
	if (extra->file)
		b.file_off = pack_string(&k, extra->file);
	b.n_profile = (uint32_t)extra->n_profile;
	b.profile_off =
		pack_bytes(&k, extra->profile, extra->n_profile * sizeof(*extra->profile), 8);
	b.profile_flags = extra->profile_flags;
	pack_label(&k, p, &b);
	owned = k.buf;
	if (k.failed)
		return sl_err_set(err, E2BIG, "process.args and process.env");
	b.size = (uint32_t)k.len;
	b.version = PLAN_PROCESS_VERSION;
	memcpy(k.buf, &b, sizeof(b));
	return seal_blob(&k, ret_fd, err);
}

static bool table_ok(const struct plan_process *b, uint32_t off, uint32_t n, size_t each)
{
	return off <= b->size && n <= (b->size - off) / each && off % 4 == 0;
}

static bool string_ok(const struct plan_process *b, uint32_t off)
{
	return off == 0 || (off >= sizeof(*b) && off < b->size &&
				   memchr((const char *)b + off, '\0', b->size - off));
}

static bool strings_ok(const struct plan_process *b, uint32_t off, uint32_t n)
{
	const uint32_t *table = (const uint32_t *)(const void *)((const char *)b + off);

	if (!table_ok(b, off, n, sizeof(uint32_t)))
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (table[i] == 0 || !string_ok(b, table[i]))
			return false;
	return true;
}

/* A byte other than 0 and 1 is not a valid bool, and reading it would be undefined behaviour. */
static bool bools_ok(const struct plan_process *b)
{
	const unsigned char *p = (const unsigned char *)b;
	static const size_t at[] = {
		offsetof(struct plan_process, no_new_privs),
		offsetof(struct plan_process, terminal),
		offsetof(struct plan_process, has_oom_score_adj),
		offsetof(struct plan_process, has_affinity),
		offsetof(struct plan_process, has_exec_affinity),
		offsetof(struct plan_process, rules.proc_complete),
		offsetof(struct plan_process, asked_caps.set),
		offsetof(struct plan_process, has_io_priority),
		offsetof(struct plan_process, has_scheduler),
		offsetof(struct plan_process, caps.set),
		offsetof(struct plan_process, scheduler.set),
		offsetof(struct plan_process, io_priority.set),
	};

	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++)
		if (p[at[i]] > 1)
			return false;
	return true;
}

static bool blob_ok(const struct plan_process *b, size_t size)
{
	return b->size == size && b->version == PLAN_PROCESS_VERSION && bools_ok(b) &&
	       b->n_args > 0 && b->n_rlimits <= PLAN_MAX_RLIMITS &&
	       b->n_groups <= PLAN_MAX_GROUPS && b->n_profile <= BPF_MAXINSNS &&
	       !b->label_off == !b->label_file_off &&
	       table_ok(b, b->groups_off, b->n_groups, sizeof(gid_t)) &&
	       strings_ok(b, b->args_off, b->n_args) && strings_ok(b, b->env_off, b->n_env) &&
	       b->n_own_env <= b->n_env && strings_ok(b, b->env_rules_off, b->n_env_rules) &&
	       table_ok(b, b->profile_off, b->n_profile, sizeof(struct sock_filter)) &&
	       b->cwd_off != 0 && string_ok(b, b->cwd_off) && string_ok(b, b->file_off) &&
	       string_ok(b, b->label_off) && string_ok(b, b->label_file_off);
}

int plan_process_map(int fd, const struct plan_process **ret, struct sl_err *err)
{
	struct stat st;
	void *p;

	if (fstat(fd, &st) < 0)
		return sl_err_set(err, errno, "process description");
	if (st.st_size < (off_t)sizeof(**ret) || (size_t)st.st_size > BLOB_MAX)
		return sl_err_set(
			err, EBADMSG, "process description of %lld bytes", (long long)st.st_size);
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return sl_err_set(err, errno, "map the process description");
	if (!blob_ok(p, (size_t)st.st_size)) {
		munmap(p, (size_t)st.st_size);
		return sl_err_set(err, EBADMSG, "process description");
	}
	*ret = p;
	return 0;
}

void plan_process_unmap(const struct plan_process *p)
{
	munmap((void *)p, p->size);
}

/* Reverses pack_label(). */
static void unpack_label(const struct plan_process *b, struct spec_process *ret)
{
	const char *label = plan_process_string(b, b->label_off);
	const char *file = plan_process_string(b, b->label_file_off);
	const bool apparmor = file && strstr(file, "apparmor");

	if (apparmor)
		ret->apparmor_profile = label + strlen(APPARMOR_EXEC);
	else
		ret->selinux_label = label;
}

static char **unpack_strings(struct arena *a, const struct plan_process *b, uint32_t n,
	const char *(*get)(const struct plan_process *b, uint32_t i))
{
	char **list = arena_array(a, (size_t)n + 1, sizeof(*list));

	for (uint32_t i = 0; i < n; i++)
		list[i] = (char *)get(b, i);
	return list;
}

void plan_process_unpack(struct arena *a, const struct plan_process *b, struct spec_process *ret)
{
	struct spec_process p = {
		.terminal = b->terminal,
		.console_height = b->console_height,
		.console_width = b->console_width,
		.args = unpack_strings(a, b, b->n_args, plan_process_arg),
		.n_args = b->n_args,
		.env = unpack_strings(a, b, b->n_env, plan_process_env),
		.n_env = b->n_env - b->n_own_env,
		.cwd = plan_process_string(b, b->cwd_off),
		.uid = b->uid,
		.gid = b->gid,
		.additional_gids = arena_array(a, (size_t)b->n_groups + 1, sizeof(gid_t)),
		.n_additional_gids = b->n_groups,
		.has_umask = true,
		.umask = b->umask,
		.caps = b->asked_caps,
		.rlimits = arena_array(a, PLAN_MAX_RLIMITS, sizeof(*p.rlimits)),
		.n_rlimits = b->n_rlimits,
		.no_new_privileges = b->no_new_privs,
		.has_oom_score_adj = b->has_oom_score_adj,
		.oom_score_adj = b->oom_score_adj,
		.io_priority = b->io_priority,
		.scheduler = b->scheduler,
	};

	memcpy(p.additional_gids, (const char *)b + b->groups_off, b->n_groups * sizeof(gid_t));
	memcpy(p.rlimits, b->rlimits, sizeof(b->rlimits));
	if (b->label_off)
		unpack_label(b, &p);
	*ret = p;
}

const char *plan_process_string(const struct plan_process *p, uint32_t off)
{
	return off ? (const char *)p + off : NULL;
}

const struct sock_filter *plan_process_profile(const struct plan_process *p)
{
	return (const struct sock_filter *)(const void *)((const char *)p + p->profile_off);
}

static const char *table_string(const struct plan_process *p, uint32_t table, uint32_t i)
{
	const uint32_t *offs = (const uint32_t *)(const void *)((const char *)p + table);

	return (const char *)p + offs[i];
}

const char *plan_process_arg(const struct plan_process *p, uint32_t i)
{
	return table_string(p, p->args_off, i);
}

const char *plan_process_env(const struct plan_process *p, uint32_t i)
{
	return table_string(p, p->env_off, i);
}

static const char *env_rule(const struct plan_process *p, uint32_t i)
{
	return table_string(p, p->env_rules_off, i);
}

struct plan_env_rules plan_process_env_rules(struct arena *a, const struct plan_process *p)
{
	return (struct plan_env_rules){ unpack_strings(a, p, p->n_env_rules, env_rule),
		p->n_env_rules };
}

int plan_parse_cpus(const char *list, cpu_set_t *ret, struct sl_err *err)
{
	const char *s = list;
	cpu_set_t set;

	CPU_ZERO(&set);
	while (*s) {
		char *end;
		unsigned long first = strtoul(s, &end, 10), last = first;

		if (end == s)
			goto bad;
		if (*end == '-') {
			s = end + 1;
			last = strtoul(s, &end, 10);
			if (end == s)
				goto bad;
		}
		if (first > last || last >= CPU_SETSIZE || (*end && *end != ','))
			goto bad;
		for (unsigned long cpu = first; cpu <= last; cpu++)
			CPU_SET(cpu, &set);
		s = *end ? end + 1 : end;
	}
	*ret = set;
	return 0;
bad:
	return sl_err_set(err, 0, "\"%s\" is not a list like 0-3,7", list);
}
