/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/plan/ipc.h"

#include "runtime/plan/node.h"

int plan_ipc_check_host(const struct node_policy *node, struct sl_err *err)
{
	if (node->sysv_ipc || node->posix_mqueue)
		return 0;
	return sl_err_set(err, 0,
		"linux.namespaces: without an ipc namespace of its own the container asks for the "
		"host's System V objects and message queues, which the node policy does not open "
		"(ipc.sysv = true or ipc.mqueue = true accepts it)");
}

int plan_ipc_build(const struct spec_linux *l, const struct node_policy *node, struct plan_ipc *ret,
	struct sl_err *err)
{
	for (size_t i = 0; i < l->n_namespaces; i++) {
		const struct spec_namespace *ns = &l->namespaces[i];

		if (ns->type != SPEC_NS_IPC)
			continue;
		*ret = (struct plan_ipc){ ns->path ? PLAN_IPC_NAMED : PLAN_IPC_OWN, ns->path };
		return 0;
	}
	*ret = (struct plan_ipc){ PLAN_IPC_HOST, NULL };
	return plan_ipc_check_host(node, err);
}
