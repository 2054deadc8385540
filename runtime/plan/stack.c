/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/plan/stack.h"

#include <sys/stat.h>

static bool is_same_stack(const char *path, const struct stat *ns)
{
	struct stat st;

	return stat(path, &st) == 0 && st.st_dev == ns->st_dev && st.st_ino == ns->st_ino;
}

static void join_stack(const char *path, const struct stat *st, struct plan_net *p)
{
	p->stack = PLAN_STACK_NAMED;
	p->join_path = path;
	p->join_dev = st->st_dev;
	p->join_ino = st->st_ino;
	/* If the runtime itself was started in another namespace, the path can be the machine's
	 * own. */
	p->own_stack = !is_same_stack("/proc/1/ns/net", st);
}

static int choose_named(struct arena *a, const char *path, const struct node_policy *node,
	struct plan_net *p, struct sl_err *err)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return sl_err_set(err, errno, "linux.namespaces: the network namespace %s", path);
	if (is_same_stack("/proc/self/ns/net", &st)) {
		p->host_asked = true;
		return 0;
	}
	switch (node->net_namespace) {
	case NODE_NS_AUTO: join_stack(path, &st, p); return 0;
	case NODE_NS_HOST:
		p->stack_note = arena_printf(a,
			"linux.namespaces: the network namespace %s is not joined: the container "
			"is "
			"on the host's stack (node policy: network.namespace = host; auto joins "
			"it)",
			path);
		return 0;
	case NODE_NS_REFUSE: break;
	}
	return sl_err_set(err, 0,
		"linux.namespaces: the network namespace %s is refused by the node policy "
		"(network.namespace = refuse; auto joins it)",
		path);
}

/* Names who would configure a new namespace: docker's libnetwork, CNI plugins and others in a hook;
 * podman, with a user namespace, after create. On the host's stack they would add addresses and
 * routes to the host. NULL: nobody. */
static const char *filler(const struct spec *s)
{
	const struct spec_hooks *h = &s->hooks;

	if (h->prestart.n + h->create_runtime.n + h->create_container.n > 0)
		return "hooks";
	return s->linux_.n_uid_mappings + s->linux_.n_gid_mappings > 0 ? "user namespace mappings"
								       : NULL;
}

static int choose_unnamed(const struct spec *s, const struct node_policy *node, struct plan_net *p,
	struct sl_err *err)
{
	const char *by = filler(s);

	if (node->net_unnamed == NODE_NS_REFUSE)
		return sl_err_set(err, 0,
			"linux.namespaces: a new network namespace is refused by the node policy "
			"(network.unnamedNamespace = refuse; auto or host accept it)");
	if (!by) {
		p->stack_note = "linux.namespaces: no new network namespace is made, because "
				"nothing in the bundle would fill it: the container is on the "
				"host's stack (node policy: network.unnamedNamespace; refuse "
				"refuses it)";
		return 0;
	}
	if (node->net_unnamed == NODE_NS_AUTO && node->net_namespace == NODE_NS_AUTO) {
		p->stack = PLAN_STACK_MADE;
		p->own_stack = true;
		return 0;
	}
	return sl_err_set(err, 0,
		"linux.namespaces: a new network namespace, and %s that may fill it: on the host's "
		"stack they would change the host's network (node policy: network.namespace = auto "
		"with network.unnamedNamespace = auto makes one; a bundle without a network "
		"namespace, --network host, gets the host's stack)",
		by);
}

int plan_net_stack(struct arena *a, const struct spec *spec, const struct node_policy *node,
	struct plan_net *p, struct sl_err *err)
{
	const struct spec_linux *l = &spec->linux_;

	for (size_t i = 0; i < l->n_namespaces; i++)
		if (l->namespaces[i].type == SPEC_NS_NETWORK)
			return l->namespaces[i].path
				       ? choose_named(a, l->namespaces[i].path, node, p, err)
				       : choose_unnamed(spec, node, p, err);
	p->host_asked = true;
	return 0;
}

void plan_net_print_stack(const struct plan_net *p, FILE *out)
{
	static const char *const stacks[] = {
		[PLAN_STACK_HOST] = "the host's",
		[PLAN_STACK_NAMED] = "of the network namespace that is named",
		[PLAN_STACK_MADE] = "of a new network namespace, with lo only",
	};

	fprintf(out, "%-7s %-40s %-12s %s\n", "stack", stacks[p->stack], "supervisor",
		p->stack_note   ? "in place of another one, see below"
		: p->host_asked ? "as the bundle asks"
				: "network.namespace = auto");
}
