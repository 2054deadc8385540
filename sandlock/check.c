/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <sys/utsname.h>

#include "runtime/base/printable.h"
#include "runtime/confine/landlock.h"
#include "runtime/plan/node.h"
#include "sandbox/view.h"
#include "sandlock/sandlock.h"

/* Returns how many views can be made. */
static int print_views(struct runtime *rt)
{
	int n = 0;

	for (enum view v = 0; v < VIEW_COUNT; v++) {
		struct sl_err err;
		const bool can = view_try(v, &err) == 0;

		printf("view %-19s %s%s\n", view_name(v),
			can ? n == 0 ? "yes, and the one that run takes" : "yes" : "no; ",
			can ? "" : printable_text(rt->arena, err.msg, false));
		n += can;
	}
	return n;
}

/* Returns how many are missing. A sandbox is refused then: it has no node policy that could waive
 * one. The view userns has the host's procfs, which cannot hide processes. */
static int list_protections(void)
{
	const bool own_proc = view_try(VIEW_TREE, &(struct sl_err){ 0 }) == 0;
	int missing = 0;

	for (enum node_protection p = 0; p < NODE_PROT_COUNT; p++) {
		const bool has = landlock_has(p);

		const char *answer = has ? "yes" : "MISSING: run refuses";

		if (p == NODE_PROT_HIDEPID && !own_proc)
			answer = "no: /proc is the host's, read-only";
		else
			missing += !has;
		printf("%-24s %s\n", node_protection_name(p), answer);
	}
	return missing;
}

int sandlock_check(struct runtime *rt, int argc, char **argv, char *const *all)
{
	const char *proxy = container_proxy_program(rt);
	struct utsname u;
	struct sl_err err;
	bool complete;

	(void)all;
	if (sandlock_helped(
		    argc, argv, "check\n\nsays how sandboxes are made here, and what is missing"))
		return 0;
	if (argc > 0) {
		sl_err_set(&err, 0, "check takes no arguments: \"%s\"", argv[0]);
		return sandlock_fail(rt, &err);
	}
	if (uname(&u) == 0)
		printf("%-24s %s %s\n", "kernel", u.release, u.machine);
	printf("%-24s %d\n", "landlock ABI", landlock_abi());
	complete = print_views(rt) > 0;
	complete = list_protections() == 0 && complete;
	printf("%-24s %s\n", "--http-*",
		proxy ? proxy : "refused: the program sandlock-proxy is not there");
	return fflush(stdout) == 0 && complete ? 0 : STATUS_FAILED;
}
