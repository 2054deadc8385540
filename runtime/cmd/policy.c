/* SPDX-License-Identifier: Apache-2.0
 *
 * `policy explain`: what each field and annotation of a bundle becomes, on which rung,
 * and why; then whether the whole would be accepted.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotations/annotations.h"
#include "runtime/cmd/cmd.h"
#include "runtime/plan/plan.h"
#include "runtime/plan/syscalls.h"
#include "spec/support.h"

static const struct flag flags[] = {
	{ "bundle", 'b', FLAG_STRING, "path of the bundle (default: the working directory)" },
	{ "markdown", 0, FLAG_BOOL, "print the pages of docs/ that come from tables" },
	{ 0 },
};

static void print_fields(const struct spec *spec)
{
	printf("%-44s %-13s %-12s %s\n", "FIELD", "", "RUNG", "REASON");
	for (size_t i = 0; i < spec->n_present; i++) {
		const struct spec_present *p = &spec->present[i];
		const struct support_verdict v = support_of(spec, p);
		char field[256];

		snprintf(field, sizeof(field), "%s = %s", p->full_path, p->value);
		printf("%-44s %-13s %-12s %s%s%s\n", field, support_how_name(v.how),
			support_rung_name(v.rung), v.reason, v.remedy ? "; " : "",
			v.remedy ? v.remedy : "");
	}
}

static int print_capabilities(const struct plan *plan)
{
	const struct spec_caps *asked = &plan->spec->process.caps;
	uint64_t any = asked->bounding | asked->effective | asked->permitted |
		asked->inheritable | asked->ambient;

	printf("\n%-24s %-13s %s\n", "CAPABILITY", "", "FENCED BY");
	for (unsigned int cap = 0; cap <= caps_last(); cap++) {
		const struct caps_row *row = caps_row(cap);
		uint64_t bit = 1ULL << cap;

		if (any & bit)
			printf("%-24s %-13s %s\n", row->name,
				plan->main_caps.dropped & bit ? "dropped" : "kept", row->fence);
		else if (plan->main_caps.caps.bounding & bit)
			printf("%-24s %-13s %s\n", row->name, "added",
				"for a complete /proc of the own container; its calls are refused");
	}
	return 0;
}

static int print_pages(struct sl_err *err)
{
	support_print_markdown(stdout);
	annotations_print_markdown(stdout);
	if (caps_print_markdown(stdout) < 0 || syscalls_print_markdown(stdout) < 0)
		return sl_err_set(err, errno, "print");
	return 0;
}

static int explain(struct cli *cli, const struct flags *f, struct sl_err *err)
{
	const char *bundle = flags_string(f, "bundle");
	struct node_policy node;
	struct spec spec;
	struct plan plan;
	char real[PATH_MAX];
	const struct plan_input in = {
		.id = "explain",
		.bundle = real,
		.state_root = cli->root,
		.spec = &spec,
		.node = &node,
	};

	if (!realpath(bundle ? bundle : ".", real))
		return sl_err_set(err, errno, "bundle %s", bundle);
	if (node_load(cli->arena, cli->config, &node, err) < 0 ||
		spec_load_bundle(cli->arena, real, &spec, err) < 0)
		return CMD_ERROR;
	print_fields(&spec);
	if (plan_build(cli->arena, &in, &plan, err) < 0) {
		printf("\ncreate would refuse this bundle: %s\n", err->msg);
		return 1;
	}
	return print_capabilities(&plan);
}

static int run(struct cli *cli, const struct flags *f, struct sl_err *err)
{
	if (strcmp(f->args[0], "explain") != 0)
		return sl_err_set(err, 0, "policy: unknown \"%s\": expected explain", f->args[0]);
	return flags_bool(f, "markdown") ? print_pages(err) : explain(cli, f, err);
}

const struct command cmd_policy = {
	.name = "policy",
	.usage = "explain",
	.summary = "say what each field of a bundle becomes, where it is enforced, and why",
	.flags = flags,
	.min_args = 1,
	.max_args = 1,
	.failure_status = 1,
	.run = run,
};
