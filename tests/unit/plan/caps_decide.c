/* SPDX-License-Identifier: Apache-2.0
 *
 * Refuse, drop and keep; the bits in each of the five sets.
 */
#include "runtime/plan/caps.h"

#include <linux/capability.h>

#include "tests/unit/check.h"

#define BIT(cap) (UINT64_C(1) << (cap))

static const uint64_t all_sets = BIT(CAP_CHOWN) | BIT(CAP_SYS_ADMIN) | BIT(CAP_SYS_PTRACE);

static void check_refuse(const struct caps_rules *rules)
{
	struct caps_decision d = { .dropped = 42 };
	struct sl_err err;

	for (int set = 0; set < 5; set++) {
		uint64_t bits[5] = { 0 };
		struct spec_caps asked = { .set = true };

		bits[set] = BIT(CAP_NET_ADMIN);
		asked.bounding = bits[0];
		asked.effective = bits[1];
		asked.inheritable = bits[2];
		asked.permitted = bits[3];
		asked.ambient = bits[4];
		CHECK_ERR_CONTAINS(caps_decide(&asked, rules, &d, &err), err, "CAP_NET_ADMIN");
		CHECK_CONTAINS(err.msg, "\"unfenced\": \"drop\"");
		CHECK_CONTAINS(err.msg, "routes");
	}
	CHECK(d.dropped == 42); /* written on success only */
	CHECK_ERR_CONTAINS(caps_decide(&(struct spec_caps){ .bounding = BIT(41) }, rules, &d, &err),
		err, "newer");
}

/* uid 0 that can become others sees their processes, unless the node says otherwise. */
static void check_proc_view(void)
{
	const uint64_t view = BIT(CAP_SYS_PTRACE);
	struct caps_rules rules = { .proc_complete = true };
	struct spec_process p = { .caps = { .set = true, .permitted = BIT(CAP_SETUID) } };
	struct caps_decision d;
	struct sl_err err;

	CHECK(caps_of_process(&p, &rules, &d, &err) == 0);
	CHECK(d.caps.bounding == view && d.caps.effective == view);
	CHECK(d.caps.permitted == (view | BIT(CAP_SETUID)) && !d.caps.inheritable);
	p.uid = 1;
	CHECK(caps_of_process(&p, &rules, &d, &err) == 0 && d.caps.bounding == 0);
	p.uid = 0;
	p.caps.permitted = 0;
	CHECK(caps_of_process(&p, &rules, &d, &err) == 0 && d.caps.bounding == 0);
	rules.proc_complete = false;
	p.caps.permitted = BIT(CAP_SETUID);
	CHECK(caps_of_process(&p, &rules, &d, &err) == 0 && d.caps.bounding == 0);
}

int main(void)
{
	const struct spec_caps asked = { true, all_sets, all_sets, BIT(CAP_SYS_ADMIN), all_sets,
		0 };
	const struct spec_caps ipc = { .set = true, .bounding = BIT(CAP_IPC_OWNER) };
	struct node_policy node = { .caps_unfenced = NODE_UNFENCED_REFUSE };
	struct caps_rules rules = caps_rules_of(&node);
	struct caps_decision d;
	struct sl_err err;

	check_refuse(&rules);

	rules.on_unfenced = NODE_UNFENCED_DROP;
	CHECK(caps_decide(&asked, &rules, &d, &err) == 0);
	CHECK(d.dropped == BIT(CAP_SYS_ADMIN));
	CHECK(d.caps.bounding == (BIT(CAP_CHOWN) | BIT(CAP_SYS_PTRACE)));
	CHECK(d.caps.effective == d.caps.bounding && d.caps.permitted == d.caps.bounding);
	CHECK(d.caps.inheritable == 0 && d.caps.ambient == 0);

	rules.on_unfenced = NODE_UNFENCED_KEEP;
	CHECK(caps_decide(&asked, &rules, &d, &err) == 0);
	CHECK(d.dropped == 0 && d.caps.bounding == all_sets);
	CHECK(d.caps.inheritable == BIT(CAP_SYS_ADMIN));

	rules.on_unfenced = NODE_UNFENCED_REFUSE;
	CHECK(caps_decide(&ipc, &rules, &d, &err) == 0);
	node.sysv_ipc = true;
	rules = caps_rules_of(&node);
	CHECK_ERR_CONTAINS(caps_decide(&ipc, &rules, &d, &err), err, "CAP_IPC_OWNER");

	CHECK(caps_decide(&(struct spec_caps){ .set = false }, &rules, &d, &err) == 0);
	CHECK(d.caps.set && d.caps.bounding == 0);
	check_proc_view();
	return check_done();
}
