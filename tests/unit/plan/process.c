/* SPDX-License-Identifier: Apache-2.0
 *
 * The process description: what is packed comes back, the blob is sealed, and a blob that
 * is cut, grown or bent is refused.
 */
#include "runtime/plan/process.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"
#include "tests/unit/check.h"

static const struct sock_filter profile[] = {
	BPF_STMT(BPF_RET | BPF_K, 0x7fff0000U),
	BPF_STMT(BPF_RET | BPF_K, 0x00050001U),
};

static struct spec_process sample(void)
{
	static char *args[] = { (char *)"sh", (char *)"-c", (char *)"echo x", NULL };
	static char *env[] = { (char *)"A=1", (char *)"HOME=", (char *)"A=2",
		(char *)"EMPTY=", (char *)"AB=1", NULL };
	static uint32_t gids[] = { 5, 4294967294U };
	static struct spec_rlimit rlimits[] = { { .resource = 7, .soft = 10, .hard = 20 } };

	return (struct spec_process){
		.args = args,
		.n_args = 3,
		.env = env,
		.n_env = 5,
		.cwd = (char *)"/srv",
		.uid = 1000,
		.gid = 1001,
		.umask = 077,
		.has_umask = true,
		.no_new_privileges = true,
		.additional_gids = gids,
		.n_additional_gids = 2,
		.rlimits = rlimits,
		.n_rlimits = 1,
		.has_oom_score_adj = true,
		.oom_score_adj = -5,
		.apparmor_profile = (char *)"docker-default",
	};
}

static int pack(void)
{
	const struct spec_caps caps = { .set = true, .effective = 3, .permitted = 7 };
	cpu_set_t cpus;
	const struct plan_process_extra extra = {
		.caps = &caps,
		.cpus = &cpus,
		.profile = profile,
		.n_profile = 2,
		.profile_flags = 1,
	};
	struct spec_process p = sample();
	struct sl_err err;
	int fd = -1;

	CHECK(plan_parse_cpus("0-1,3", &cpus, &err) == 0);
	CHECK(plan_process_pack(&p, &extra, &fd, &err) == 0);
	return fd;
}

static void comes_back(void)
{
	auto_fd int fd = pack();
	const struct plan_process *p;
	struct sl_err err;
	const gid_t *gids;

	if (!CHECK(plan_process_map(fd, &p, &err) == 0))
		return;
	CHECK(p->uid == 1000 && p->gid == 1001 && p->umask == 077 && p->no_new_privs);
	CHECK(!p->terminal && p->has_oom_score_adj && p->oom_score_adj == -5);
	CHECK(p->caps.effective == 3 && p->caps.permitted == 7 && p->caps.bounding == 0);
	CHECK(p->n_args == 3 && p->n_env == 3 && p->n_groups == 2 && p->n_rlimits == 1);
	CHECK_STR(plan_process_arg(p, 0), "sh");
	CHECK_STR(plan_process_arg(p, 2), "echo x");
	CHECK_STR(plan_process_env(p, 0), "A=2");
	CHECK_STR(plan_process_env(p, 1), "EMPTY=");
	CHECK_STR(plan_process_env(p, 2), "AB=1");
	CHECK_STR(plan_process_string(p, p->cwd_off), "/srv");
	CHECK_STR(plan_process_string(p, p->label_off), "exec docker-default");
	CHECK_CONTAINS(plan_process_string(p, p->label_file_off), "attr/apparmor/exec");
	CHECK(plan_process_string(p, 0) == NULL);
	gids = (const gid_t *)(const void *)((const char *)p + p->groups_off);
	CHECK(gids[0] == 5 && gids[1] == 4294967294U);
	CHECK(p->n_profile == 2 && p->profile_flags == 1 &&
		memcmp((const char *)p + p->profile_off, profile, sizeof(profile)) == 0);
	CHECK(p->has_affinity && CPU_COUNT(&p->affinity) == 3 && CPU_ISSET(3, &p->affinity));
	plan_process_unmap(p);
}

static void is_sealed(void)
{
	auto_fd int fd = pack();

	CHECK(pwrite(fd, "x", 1, 0) < 0 && errno == EPERM);
	CHECK(ftruncate(fd, 10) < 0 && errno == EPERM);
	CHECK(ftruncate(fd, 1 << 20) < 0 && errno == EPERM);
	CHECK((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
}

/* A good blob in memory, to be bent. */
static size_t good(char *buf, size_t size)
{
	auto_fd int fd = pack();
	ssize_t n = pread(fd, buf, size, 0);

	return CHECK(n > (ssize_t)sizeof(struct plan_process)) ? (size_t)n : 0;
}

static int map_bytes(const char *buf, size_t n, struct sl_err *err)
{
	auto_fd int fd = memfd_create("test", MFD_CLOEXEC);
	const struct plan_process *p;

	if (io_write_all(fd, buf, n) < 0 || plan_process_map(fd, &p, err) < 0)
		return -1;
	plan_process_unmap(p);
	return 0;
}

static void other_lengths(void)
{
	char buf[65536] = "";
	size_t n = good(buf, sizeof(buf));
	struct sl_err err;

	CHECK(map_bytes(buf, n, &err) == 0);
	CHECK_ERR_CONTAINS(map_bytes(buf, 0, &err), err, "process description of 0 bytes");
	CHECK_ERR_CONTAINS(map_bytes(buf, sizeof(struct plan_process) - 1, &err), err, "bytes");
	CHECK_ERR_CONTAINS(map_bytes(buf, n - 1, &err), err, "process description");
	CHECK_ERR_CONTAINS(map_bytes(buf, n + 1, &err), err, "process description");
	CHECK(err.code == EBADMSG);
}

#define BEND(field, value)                                                                         \
	{                                                                                          \
#field, offsetof(struct plan_process, field), (value)                              \
	}

static void bent(void)
{
	static const struct {
		const char *name;
		size_t at;
		uint32_t value;
	} bends[] = {
		BEND(size, 0),
		BEND(n_args, 0),
		BEND(n_args, 0x40000000),
		BEND(args_off, 0xfffffffc),
		BEND(args_off, 2),
		BEND(n_env, 0xffffffff),
		BEND(env_off, 0x7ffffff0),
		BEND(n_groups, 0x40000001),
		BEND(n_groups, 70000),
		BEND(groups_off, 3),
		BEND(n_rlimits, PLAN_MAX_RLIMITS + 1),
		BEND(cwd_off, 0),
		BEND(cwd_off, 1),
		BEND(cwd_off, 0xffffffff),
		BEND(n_profile, 0x20000000),
		BEND(n_profile, 0x10002),
		BEND(profile_off, 0xfffffff8),
		BEND(label_off, 0xfffffff0),
		BEND(label_file_off, 0xfffffff0),
		BEND(label_file_off, 0),
		BEND(no_new_privs, 2),
	};

	for (size_t i = 0; i < sizeof(bends) / sizeof(bends[0]); i++) {
		char buf[65536] = "";
		size_t n = good(buf, sizeof(buf));
		struct sl_err err = { 0 };

		memcpy(buf + bends[i].at, &bends[i].value, sizeof(bends[i].value));
		if (!CHECK(map_bytes(buf, n, &err) == -1 && err.code == EBADMSG))
			printf("# %s = %u\n", bends[i].name, bends[i].value);
	}
}

/* A string in the table that starts inside and has no end before the blob's. */
static void string_without_end(void)
{
	char buf[65536] = "";
	size_t n = good(buf, sizeof(buf));
	struct plan_process head;
	struct sl_err err = { 0 };
	uint32_t last = (uint32_t)n - 1;

	memcpy(&head, buf, sizeof(head));
	memcpy(buf + head.args_off, &last, sizeof(last));
	buf[n - 1] = 'x';
	CHECK_ERR_CONTAINS(map_bytes(buf, n, &err), err, "process description");
}

static void too_much(void)
{
	const struct spec_caps caps = { 0 };
	const struct plan_process_extra extra = { .caps = &caps };
	struct spec_process p = sample();
	struct sl_err err;
	int fd = -1;

	p.n_rlimits = PLAN_MAX_RLIMITS + 1;
	CHECK_ERR_CONTAINS(plan_process_pack(&p, &extra, &fd, &err), err, "process.rlimits");
	p = sample();
	p.n_additional_gids = PLAN_MAX_GROUPS + 1;
	CHECK_ERR_CONTAINS(
		plan_process_pack(&p, &extra, &fd, &err), err, "process.user.additionalGids");
	CHECK(fd == -1);
}

static void cpu_lists(void)
{
	static const char *const bad[] = { "x", "1-", "-1", "3-1", "0,,1", "0-1x", "1024", " ",
		"99999999999999999999" };
	struct sl_err err;
	cpu_set_t set;

	CHECK(plan_parse_cpus("0", &set, &err) == 0 && CPU_COUNT(&set) == 1);
	CHECK(plan_parse_cpus("0-3,7", &set, &err) == 0 && CPU_COUNT(&set) == 5);
	CHECK(plan_parse_cpus("1023", &set, &err) == 0 && CPU_ISSET(1023, &set));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK_ERR_CONTAINS(plan_parse_cpus(bad[i], &set, &err), err, bad[i]);
}

static bool same_strings(char **a, size_t n_a, char **b, size_t n_b)
{
	bool same = n_a == n_b;

	for (size_t i = 0; same && i < n_a; i++)
		same = strcmp(a[i], b[i]) == 0;
	return same;
}

/* What exec starts from is what was planned. */
static void check_unpack(void)
{
	static char *args[] = { (char *)"a", (char *)"b" }, *env[] = { (char *)"X=1" };
	static uint32_t gids[] = { 5, 6 };
	static struct spec_rlimit limits[] = { { .resource = 7, .soft = 1, .hard = 2 } };
	const struct spec_caps decided = { .set = true };
	const struct spec_process p = {
		.args = args,
		.n_args = 2,
		.env = env,
		.n_env = 1,
		.cwd = (char *)"/w",
		.uid = 1,
		.gid = 2,
		.additional_gids = gids,
		.n_additional_gids = 2,
		.umask = 077,
		.has_umask = true,
		.caps = { .set = true, .bounding = 3, .ambient = 1 },
		.rlimits = limits,
		.n_rlimits = 1,
		.no_new_privileges = true,
		.has_oom_score_adj = true,
		.oom_score_adj = -5,
		.apparmor_profile = (char *)"profile",
	};
	const struct plan_process_extra extra = {
		.caps = &decided,
		.rules = { .unfenced = 4, .on_unfenced = 1, .proc_complete = true },
	};
	auto_arena struct arena *a = arena_new();
	const struct plan_process *b;
	struct spec_process got;
	auto_fd int fd = -1;
	struct sl_err err;

	CHECK(plan_process_pack(&p, &extra, &fd, &err) == 0);
	CHECK(plan_process_map(fd, &b, &err) == 0);
	plan_process_unpack(a, b, &got);
	CHECK(same_strings(got.args, got.n_args, args, 2));
	CHECK(same_strings(got.env, got.n_env, env, 1));
	CHECK_STR(got.cwd, "/w");
	CHECK(got.uid == 1 && got.gid == 2 && got.has_umask && got.umask == 077);
	CHECK(got.n_additional_gids == 2 && memcmp(got.additional_gids, gids, sizeof(gids)) == 0);
	CHECK(got.caps.bounding == 3 && got.caps.ambient == 1); /* as asked, not as decided */
	CHECK(got.n_rlimits == 1 && memcmp(got.rlimits, limits, sizeof(limits)) == 0);
	CHECK(got.no_new_privileges && got.has_oom_score_adj && got.oom_score_adj == -5);
	CHECK_STR(got.apparmor_profile, "profile");
	CHECK(got.selinux_label == NULL);
	CHECK(b->rules.unfenced == 4 && b->rules.on_unfenced == 1 && b->rules.proc_complete);
	plan_process_unmap(b);
}

int main(void)
{
	comes_back();
	is_sealed();
	other_lengths();
	bent();
	string_without_end();
	too_much();
	cpu_lists();
	check_unpack();
	return check_done();
}
