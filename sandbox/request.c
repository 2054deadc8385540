/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "annotations/annotations.h"
#include "runtime/base/count.h"
#include "runtime/plan/path.h"
#include "sandbox/credentials.h"
#include "sandbox/grants.h"
#include "sandbox/profile.h"
#include "sandbox/sandbox.h"

#define NAME_BYTES_MAX 64      /* of a host name (uname(2)) */
#define PERIOD_US      100000U /* in which --cpu counts, as cpu.cfs_period_us */

/* What is being made. */
struct requesting {
	struct arena *a;
	const struct sandbox_options *o;
	const struct view_choice *view;
	bool terminal;
	const char *cwd; /* the caller's */
	struct grants grants;
	struct spec *spec;
	struct node_policy *node;
	struct key_value *annotations;
};

/* Files that tell about the whole machine or are of no use in a sandbox; others are always covered
 * (runtime/tree/mask.c). */
static const char *const masked[] = { "/proc/acpi", "/proc/asound", "/proc/kcore", "/proc/keys",
	"/proc/scsi" };

static char **options_of(struct arena *a, const char *const *words, size_t n)
{
	char **out = arena_array(a, n + 1, sizeof(*out));

	for (size_t i = 0; i < n; i++)
		out[i] = arena_strdup(a, words[i]);
	return out;
}

static void request_mount(struct requesting *q, const char *destination, const char *type,
	const char *source, const char *const *words, size_t n)
{
	q->spec->mounts[q->spec->n_mounts++] = (struct spec_mount){ .destination = destination,
		.type = type,
		.source = source,
		.options = options_of(q->a, words, n),
		.n_options = n };
}

/* A mount that is read-only or nodev outside stays so: "rw" is never asked for. */
static void request_grants(struct requesting *q)
{
	static const char *const read[] = { "rbind", "rnosuid", "rnodev", "rro" };

	for (size_t i = 0; i < q->grants.n; i++) {
		const struct granted *g = &q->grants.items[i];

		request_mount(q, g->path, "none", g->source, read, COUNT(read) - g->write);
	}
}

static void request_mounts(struct requesting *q)
{
	static const char *const plain[] = { "nosuid", "nodev", "noexec" };
	static const char *const dev[] = { "nosuid", "noexec", "mode=755", "size=64k", "ro" };
	static const char *const shm[] = { "nosuid", "nodev", "noexec", "mode=1777", "size=64m" };
	static const char *const pts[] = { "nosuid", "noexec", "newinstance", "ptmxmode=0666",
		"mode=0620" };
	static const char *const sys[] = { "nosuid", "nodev", "noexec", "ro" };

	q->spec->mounts = arena_array(q->a, q->grants.n + 5, sizeof(*q->spec->mounts));
	request_mount(q, "/proc", "proc", "proc", plain, COUNT(plain));
	request_mount(q, "/dev", "tmpfs", "tmpfs", dev, COUNT(dev));
	request_mount(q, "/dev/pts", "devpts", "devpts", pts, COUNT(pts));
	request_mount(q, "/dev/shm", "tmpfs", "shm", shm, COUNT(shm));
	if (q->grants.sysfs)
		request_mount(q, "/sys", "sysfs", "sysfs", sys, COUNT(sys));
	request_grants(q);
}

static int check_item(const struct sandbox_option *option, const char *item, const char *separator,
	struct sl_err *err)
{
	if (strpbrk(item, separator))
		return sl_err_set(
			err, 0, "--%s %s: \"%c\" cannot be in it", option->flag, item, *separator);
	return 0;
}

/* The items of a list as one value of an annotation. */
static int join_items(struct requesting *q, const struct sandbox_option *option, const char **ret,
	struct sl_err *err)
{
	const struct sandbox_list *list = sandbox_option_list(option, q->o);
	const char *text = NULL;

	for (size_t i = 0; i < list->n; i++) {
		if (check_item(option, list->items[i], ";", err) < 0)
			return -1;
		text = text ? arena_printf(q->a, "%s;%s", text, list->items[i]) : list->items[i];
	}
	*ret = text;
	return 0;
}

static void annotate(struct requesting *q, const char *key, const char *value)
{
	q->annotations[q->spec->n_annotations++] =
		(struct key_value){ arena_printf(q->a, ANNOTATION_PREFIX "%s", key), value };
}

/* Without an option no port may be bound; the runtime's own default would permit all that are
 * free. */
static void bind_nothing(struct requesting *q)
{
	if (q->o->net_allow_bind.n == 0 && q->o->net_deny_bind.n == 0)
		annotate(q, "network.deny_bind", "0-65535");
}

static const char *absolute_of(struct requesting *q, const char *path)
{
	return path[0] == '/' ? path : arena_printf(q->a, "%s/%s", q->cwd, path);
}

/* For sandlock_inspect(): the state of a container has its annotations. */
static void keep_profile(struct requesting *q)
{
	const char *profile = sandbox_profile_write(q->a, q->o, q->cwd);

	if (profile)
		q->annotations[q->spec->n_annotations++] =
			(struct key_value){ SANDBOX_PROFILE_KEY, profile };
}

static int request_annotations(struct requesting *q, struct sl_err *err)
{
	size_t n;
	const struct sandbox_option *table = sandbox_option_table(&n);

	q->annotations = arena_array(q->a, n + 4, sizeof(*q->annotations));
	for (size_t i = 0; i < n; i++) {
		const struct sandbox_option *option = &table[i];
		const char *value = NULL;

		if (!option->annotation)
			continue;
		if (option->type == SANDBOX_LIST && join_items(q, option, &value, err) < 0)
			return -1;
		if (option->type == SANDBOX_TEXT)
			value = sandbox_option_text(option, q->o);
		if (option->type == SANDBOX_SWITCH)
			value = sandbox_option_is_on(option, q->o) ? "true" : NULL;
		if (value && option->value && strcmp(option->value, "FILE") == 0 &&
			option->type == SANDBOX_TEXT)
			value = absolute_of(q, value);
		if (value)
			annotate(q, option->annotation, value);
	}
	bind_nothing(q);
	keep_profile(q);
	return 0;
}

static int take_credentials(struct requesting *q, struct sl_err *err)
{
	const char *names;

	if (credentials_make(q->a, q->o, q->cwd, &q->node->http, &names, err) < 0)
		return -1;
	if (names)
		annotate(q, "config.credential", names);
	return 0;
}

static bool is_kept(const char *entry)
{
	static const char *const names[] = { "PATH=", "HOME=", "USER=", "TERM=", "LANG=" };

	for (size_t i = 0; i < COUNT(names); i++)
		if (strncmp(entry, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

static bool is_set_again(const struct sandbox_list *list, const char *entry)
{
	const size_t n = strcspn(entry, "=") + 1;

	for (size_t i = 0; i < list->n; i++)
		if (strncmp(list->items[i], entry, n) == 0)
			return true;
	return false;
}

static int request_env(struct requesting *q, struct spec_process *p, struct sl_err *err)
{
	const struct sandbox_list *own = &q->o->env;
	size_t n = 0;

	while (environ[n])
		n++;
	p->env = arena_array(q->a, n + own->n + 1, sizeof(*p->env));
	for (char **e = environ; *e; e++)
		if ((*e)[0] != '=' && strchr(*e, '=') && (!q->o->clean_env || is_kept(*e)) &&
			!credential_is_source(&q->node->http, *e) && !is_set_again(own, *e))
			p->env[p->n_env++] = arena_strdup(q->a, *e);
	for (size_t i = 0; i < own->n; i++) {
		if (spec_check_env(own->items[i], err) < 0)
			return sl_err_wrap(err, "--env");
		p->env[p->n_env++] = arena_strdup(q->a, own->items[i]);
	}
	return 0;
}

static int read_number(const char *text, char end, unsigned long max, unsigned long *ret)
{
	char *rest;

	if (*text < '0' || *text > '9')
		return -1;
	errno = 0;
	*ret = strtoul(text, &rest, 10);
	return errno || *rest != end || *ret > max ? -1 : 0;
}

int sandbox_user(
	const struct sandbox_options *o, uid_t *ret_uid, gid_t *ret_gid, struct sl_err *err)
{
	const char *colon = o->user ? strchr(o->user, ':') : NULL;
	unsigned long uid = geteuid(), gid = getegid();

	if (o->user && (!colon || read_number(o->user, ':', UINT32_MAX - 1, &uid) < 0 ||
			       read_number(colon + 1, '\0', UINT32_MAX - 1, &gid) < 0))
		return sl_err_set(err, 0, "--user %s: expected UID:GID, both numbers", o->user);
	*ret_uid = (uid_t)uid;
	*ret_gid = (gid_t)gid;
	return 0;
}

/* In a user namespace the caller's groups cannot be given up. */
static int request_user(struct requesting *q, struct spec_process *p, struct sl_err *err)
{
	int n;

	if (sandbox_user(q->o, &p->uid, &p->gid, err) < 0)
		return -1;
	if (q->o->user && q->view->view == VIEW_TREE)
		return 0;
	n = getgroups(0, NULL);
	if (n < 0)
		return sl_err_set(err, errno, "getgroups");
	p->additional_gids = arena_array(q->a, (size_t)n + 1, sizeof(*p->additional_gids));
	n = getgroups(n, p->additional_gids);
	if (n < 0)
		return sl_err_set(err, errno, "getgroups");
	p->n_additional_gids = (size_t)n;
	return 0;
}

static int request_command(struct requesting *q, struct spec_process *p, struct sl_err *err)
{
	const struct sandbox_options *o = q->o;
	const char *const shell[] = { "/bin/sh", "-c", o->shell };

	if (o->shell && o->n_command > 0)
		return sl_err_set(
			err, 0, "--exec-shell and a command: only one of them can be run");
	if (!o->shell && o->n_command == 0)
		return sl_err_set(err, 0, "there is no command; it comes after the options and --");
	p->args = o->shell ? options_of(q->a, shell, COUNT(shell))
			   : options_of(q->a, (const char *const *)o->command, o->n_command);
	p->n_args = o->shell ? COUNT(shell) : o->n_command;
	return 0;
}

/* The caller's directory stays the working directory. Where it is in no grant, it is an empty one
 * of the same name. */
static void request_cwd(struct requesting *q, struct spec_process *p)
{
	if (q->o->cwd)
		p->cwd = plan_path_clean(q->a, absolute_of(q, q->o->cwd));
	else
		p->cwd = q->o->chroot ? "/" : q->cwd;
}

static int request_process(struct requesting *q, struct sl_err *err)
{
	struct spec_process *p = &q->spec->process;
	const mode_t mask = umask(0);

	umask(mask);
	q->spec->has_process = true;
	p->terminal = q->terminal;
	p->no_new_privileges = true;
	p->caps.set = true;
	p->has_umask = true;
	p->umask = mask;
	request_cwd(q, p);
	if (q->o->no_coredump) {
		p->rlimits = arena_alloc(q->a, sizeof(*p->rlimits));
		p->rlimits[0] = (struct spec_rlimit){ .resource = RLIMIT_CORE };
		p->n_rlimits = 1;
	}
	if (request_command(q, p, err) < 0 || request_user(q, p, err) < 0)
		return -1;
	return request_env(q, p, err);
}

static int request_cpu(struct requesting *q, struct sl_err *err)
{
	struct spec_resources *r = &q->spec->linux_.resources;
	unsigned long percent;

	r->cpus = q->o->cpu_cores;
	if (!q->o->cpu)
		return 0;
	if (read_number(q->o->cpu, '\0', 100UL * CPU_SETSIZE, &percent) < 0 || percent == 0)
		return sl_err_set(err, 0, "--cpu %s: expected percent of one processor", q->o->cpu);
	r->has_cpu_quota = r->has_cpu_period = true;
	r->cpu_period = PERIOD_US;
	r->cpu_quota = (int64_t)(percent * (PERIOD_US / 100));
	return 0;
}

/* The namespaces that a bundle of a container engine names; the runtime makes none of them. */
static void request_linux(struct requesting *q)
{
	static const enum spec_ns_type types[] = { SPEC_NS_PID, SPEC_NS_NETWORK, SPEC_NS_IPC,
		SPEC_NS_UTS, SPEC_NS_MOUNT };
	struct spec_linux *l = &q->spec->linux_;

	l->set = true;
	l->namespaces = arena_array(q->a, COUNT(types), sizeof(*l->namespaces));
	for (size_t i = 0; i < COUNT(types); i++)
		l->namespaces[i].type = types[i];
	l->n_namespaces = COUNT(types);
	l->masked_paths = options_of(q->a, masked, COUNT(masked));
	l->n_masked_paths = COUNT(masked);
}

/* An inner mount point of a tree that is in no mount namespace can be unlinked, and what is below
 * it on the host with it. */
static bool needs_namespace(const struct requesting *q)
{
	for (size_t i = 0; i < q->grants.n_denied; i++)
		if (grants_find(&q->grants, q->grants.denied[i])->write)
			return true;
	return q->o->mount_namespace || q->view->view == VIEW_USERNS;
}

static int request_node(struct requesting *q, struct sl_err *err)
{
	static const char *const any_path[] = { "/" };

	q->node = arena_alloc(q->a, sizeof(*q->node));
	if (node_parse(q->a, "{}", 2, q->node, err) < 0)
		return -1;
	q->node->http.paths = options_of(q->a, any_path, COUNT(any_path));
	q->node->own_namespace = needs_namespace(q);
	q->node->net_local_rules = true;
	return 0;
}

static int check_name(const char *name, struct sl_err *err)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789_-.";
	const size_t n = strlen(name);

	if (n > NAME_BYTES_MAX || strspn(name, allowed) != n || name[0] == '.')
		return sl_err_set(err, 0,
			"--name %.80s: expected 1 to %d letters, digits, '_', '-' and '.', which "
			"is "
			"not the first",
			name, NAME_BYTES_MAX);
	return 0;
}

int sandbox_request_make(struct arena *a, const struct sandbox_options *o,
	const struct view_choice *view, bool terminal, struct sandbox_request *ret,
	struct sl_err *err)
{
	struct requesting q = { .a = a, .o = o, .view = view, .terminal = terminal };
	uint64_t timeout_s = 0;
	char cwd[PATH_MAX];

	if (!getcwd(cwd, sizeof(cwd)))
		return sl_err_set(err, errno, "the working directory");
	q.cwd = arena_strdup(a, cwd);
	q.spec = arena_alloc(a, sizeof(*q.spec));
	q.spec->oci_version = "1.2.0";
	q.spec->root_path = "/";
	q.spec->root_readonly = true;
	q.spec->hostname = o->name;
	if ((o->name && check_name(o->name, err) < 0) ||
		grants_make(a, o, q.cwd, &q.grants, err) < 0 || request_annotations(&q, err) < 0 ||
		request_node(&q, err) < 0 || take_credentials(&q, err) < 0 ||
		request_process(&q, err) < 0 || request_cpu(&q, err) < 0)
		return -1;
	request_linux(&q);
	request_mounts(&q);
	q.spec->annotations = q.annotations;
	if (o->timeout)
		(void)!rule_duration_parse(a, o->timeout, &timeout_s);
	*ret = (struct sandbox_request){
		.timeout_s = timeout_s,
		.grants = q.grants,
		.id = o->name ? o->name : arena_printf(a, "sandbox-%d", getpid()),
		.given = { .spec = q.spec,
			.node = q.node,
			.links = q.grants.links,
			.n_links = q.grants.n_links,
			.denied = q.grants.denied,
			.n_denied = q.grants.n_denied },
	};
	return 0;
}
