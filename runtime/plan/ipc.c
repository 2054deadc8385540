/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/plan/ipc.h"

#include "runtime/plan/node.h"

int plan_ipc_check_host(const struct plan_ipc *p, struct sl_err *err)
{
	if (p->host_sysv || p->host_mqueue)
		return 0;
	return sl_err_set(err, 0,
		"linux.namespaces: without an ipc namespace of its own the container asks for the "
		"host's System V objects and message queues, which the node policy does not open "
		"(ipc.sysv = true or ipc.mqueue = true accepts it)");
}

int plan_ipc_build(const struct spec_linux *l, const struct node_policy *node, struct plan_ipc *ret,
	struct sl_err *err)
{
	struct plan_ipc p = {
		.whose = PLAN_IPC_HOST,
		.limits = node->ipc_limits,
		.host_sysv = node->sysv_ipc,
		.host_mqueue = node->posix_mqueue,
	};

	for (size_t i = 0; i < l->n_namespaces; i++) {
		const struct spec_namespace *ns = &l->namespaces[i];

		if (ns->type != SPEC_NS_IPC)
			continue;
		p.whose = ns->path ? PLAN_IPC_NAMED : PLAN_IPC_OWN;
		p.path = ns->path;
		break;
	}
	if (p.whose == PLAN_IPC_HOST && plan_ipc_check_host(&p, err) < 0)
		return -1;
	*ret = p;
	return 0;
}
