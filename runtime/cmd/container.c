/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/cmd/container.h"

#include <ctype.h>
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "runtime/base/cleanup.h"
#include "runtime/hooks/hooks.h"
#include "runtime/members/members.h"
#include "runtime/store/store.h"

/* A supervisor ends within milliseconds of its workload; only a machine that is thrashing
 * needs more. Then force. */
#define SUPERVISOR_GRACE_MS 3000
#define INIT_GRACE_MS       2000
#define SWEEP_MS            10000

static struct members members_of(const struct container *c)
{
	return (struct members){
		.proc_fd = c->proc_fd,
		.mount_ids = c->record.mount_ids,
		.n_mount_ids = c->record.n_mount_ids,
		.mount_namespace = c->record.mount_namespace,
	};
}

/* The supervisor left its socket behind: it was killed. If init was killed with it, the
 * container's processes are still there, and only their root tells. */
static int sweep(const struct container *c, struct sl_err *err)
{
	struct members m = members_of(c);
	int left;

	/* It sees that the supervisor is gone and ends its domain, wherever the processes in it
	 * have their root by now. */
	if (!proc_wait_end(c->proc_fd, &c->record.init, INIT_GRACE_MS))
		proc_signal(c->proc_fd, &c->record.init, SIGKILL);
	left = members_kill(&m, SWEEP_MS);
	if (left < 0)
		return sl_err_set(err, errno, "sweep the processes of %s", c->id);
	if (left > 0)
		return sl_err_set(err, 0, "%d processes of %s could not be killed", left, c->id);
	unlinkat(c->dir_fd, STORE_CONTROL, 0);
	return 0;
}

/* Only a socket that is surely gone says that nothing needs to be swept. */
static bool ended_in_order(const struct container *c)
{
	return faccessat(c->dir_fd, STORE_CONTROL, F_OK, AT_SYMLINK_NOFOLLOW) < 0 &&
	       errno == ENOENT;
}

static int find_status(struct container *c, struct sl_err *err)
{
	if (proc_alive(c->proc_fd, &c->record.supervisor)) {
		c->status = c->record.status;
		return 0;
	}
	c->status = RECORD_STOPPED;
	return ended_in_order(c) ? 0 : sweep(c, err);
}

static int open_parts(
	struct cli *cli, const char *id, bool lock, struct container *c, struct sl_err *err)
{
	/* The supervisor writes over the command line it inherits (proctitle.h). */
	c->id = arena_strdup(cli->arena, id);
	c->root_fd = c->dir_fd = -1;
	c->proc_fd = proc_open();
	if (c->proc_fd < 0)
		return sl_err_set(err, errno, "open /proc");
	if (store_check_id(id, err) < 0)
		return -1;
	if (store_open_root(cli->root, false, &c->root_fd, err) < 0)
		return err->code == ENOENT ? sl_err_set(err, 0, "container does not exist") : -1;
	return lock ? store_open_locked(c->root_fd, id, CONTAINER_LOCK_MS, &c->dir_fd, err)
		    : store_open(c->root_fd, id, &c->dir_fd, err);
}

static int open_and_look(
	struct cli *cli, const char *id, bool lock, struct container *c, struct sl_err *err)
{
	if (open_parts(cli, id, lock, c, err) < 0)
		return -1;
	if (record_read(cli->arena, c->dir_fd, &c->record, err) < 0) {
		/* Still being made, or abandoned while being made: not there yet, for runc's
		 * callers, and `delete --force` removes it. */
		if (err->code == ENOENT)
			return sl_err_set(err, 0, "container does not exist");
		return -1;
	}
	return find_status(c, err);
}

int container_open(
	struct cli *cli, const char *id, bool lock, struct container *ret, struct sl_err *err)
{
	int rc = open_and_look(cli, id, lock, ret, err);

	if (rc < 0)
		container_close(ret); /* the lock above all: the caller may take it another way */
	return rc;
}

void container_close(struct container *c)
{
	drop_fd(&c->root_fd);
	drop_fd(&c->dir_fd);
	drop_fd(&c->proc_fd);
}

int container_need_alive(const struct container *c, struct sl_err *err)
{
	if (c->status == RECORD_STOPPED || c->status == RECORD_CREATING)
		return sl_err_set(err, 0, "container not running");
	return 0;
}

/* Who made it: the owner of its directory, by name where there is one. Only the local file
 * is read, as runc does: a lookup elsewhere may take as long as it likes. */
static const char *owner_of(struct arena *a, const struct container *c)
{
	auto_file FILE *f = NULL;
	const struct passwd *pw;
	struct stat st;

	if (fstat(c->dir_fd, &st) < 0)
		return "";
	if (st.st_uid == 0)
		return "root";
	f = fopen("/etc/passwd", "re");
	while (f && (pw = fgetpwent(f)))
		if (pw->pw_uid == st.st_uid)
			return arena_strdup(a, pw->pw_name);
	return arena_printf(a, "%u", st.st_uid);
}

void container_state(struct cli *cli, const struct container *c, struct spec_state *ret)
{
	const struct record *r = &c->record;

	*ret = (struct spec_state){
		.oci_version = r->oci_version,
		.id = c->id,
		.pid = c->status == RECORD_STOPPED ? 0 : r->supervisor.pid,
		.status = record_status_name(c->status),
		.bundle = r->bundle,
		.rootfs = r->rootfs,
		.created = r->created,
		.annotations = r->annotations,
		.n_annotations = r->n_annotations,
		.owner = owner_of(cli->arena, c),
	};
}

int container_signal(const struct container *c, int sig, struct sl_err *err)
{
	if (container_need_alive(c, err) < 0)
		return -1;
	if (proc_signal(c->proc_fd, &c->record.workload, sig) == 0)
		return 0;
	if (errno == ESRCH)
		return sl_err_set(err, 0, "container not running");
	return sl_err_set(err, errno, "signal %d to %s", sig, c->id);
}

int container_destroy(const struct container *c, struct sl_err *err)
{
	const struct record *r = &c->record;

	/* In order first: the supervisor then tells its parent the truth. */
	if (proc_alive(c->proc_fd, &r->supervisor)) {
		proc_signal(c->proc_fd, &r->workload, SIGKILL);
		if (!proc_wait_end(c->proc_fd, &r->supervisor, SUPERVISOR_GRACE_MS)) {
			proc_signal(c->proc_fd, &r->supervisor, SIGKILL);
			proc_wait_end(c->proc_fd, &r->supervisor, SUPERVISOR_GRACE_MS);
		}
	}
	return ended_in_order(c) ? 0 : sweep(c, err);
}

/* Second names, which kill(1) and the kernel's list have as well. */
static const struct {
	const char *name;
	int sig;
} signal_aliases[] = {
	{ "IOT", SIGABRT },
	{ "CLD", SIGCHLD },
	{ "IO", SIGIO },
};

int container_parse_signal(const char *text, int *ret, struct sl_err *err)
{
	const char *name = strncasecmp(text, "SIG", 3) == 0 ? text + 3 : text;
	char *end;
	long v = strtol(text, &end, 10);

	if (end != text && !*end && v >= 0 && v <= SIGRTMAX) {
		*ret = (int)v;
		return 0;
	}
	for (int sig = 1; sig < SIGRTMIN; sig++) {
		const char *abbrev = sigabbrev_np(sig);

		if (abbrev && strcasecmp(abbrev, name) == 0) {
			*ret = sig;
			return 0;
		}
	}
	for (size_t i = 0; i < sizeof(signal_aliases) / sizeof(signal_aliases[0]); i++) {
		if (strcasecmp(name, signal_aliases[i].name) == 0) {
			*ret = signal_aliases[i].sig;
			return 0;
		}
	}
	if (strncasecmp(name, "RTMIN", 5) == 0 || strncasecmp(name, "RTMAX", 5) == 0) {
		int base = toupper((unsigned char)name[3]) == 'I' ? SIGRTMIN : SIGRTMAX;

		v = name[5] ? strtol(name + 5, &end, 10) : 0;
		if ((!name[5] || !*end) && base + v >= SIGRTMIN && base + v <= SIGRTMAX) {
			*ret = base + (int)v;
			return 0;
		}
	}
	return sl_err_set(err, 0, "unknown signal \"%s\"", text);
}

static const char *hook_state(struct cli *cli, const struct container *c)
{
	struct spec_state state;
	size_t len;

	container_state(cli, c, &state);
	return spec_state_render(cli->arena, &state, false, &len);
}

int container_poststart(struct cli *cli, const struct container *c, struct sl_err *err)
{
	const struct spec_hook_list *list = &c->record.hooks.poststart;
	const struct hooks_place where = HOOKS_HERE(c->record.bundle);

	if (list->n == 0 || hooks_run(list, "poststart", hook_state(cli, c), &where, err) == 0)
		return 0;
	proc_signal(c->proc_fd, &c->record.workload, SIGKILL);
	return -1;
}

static void warn(const struct sl_err *err, void *ctx)
{
	cmd_warn(ctx, err->msg);
}

void container_poststop(struct cli *cli, const struct container *c)
{
	const struct spec_hook_list *list = &c->record.hooks.poststop;
	const struct hooks_place where = HOOKS_HERE(c->record.bundle);

	if (list->n)
		hooks_run_all(list, "poststop", hook_state(cli, c), &where, warn, cli);
}
