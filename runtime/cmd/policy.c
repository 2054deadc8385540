/* SPDX-License-Identifier: Apache-2.0
 *
 * `policy explain`: for each field and annotation of a bundle, what it becomes, how it is
 * enforced, and why; then whether the bundle would be accepted.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotations/annotations.h"
#include "runtime/base/printable.h"
#include "runtime/cmd/cmd.h"
#include "runtime/container/lacking.h"
#include "runtime/plan/plan.h"
#include "runtime/seccomp/syscalls.h"
#include "spec/support.h"

static const struct flag policy_flags[] = {
	{ "bundle", 'b', FLAG_STRING, "path of the bundle (default: the working directory)" },
	{ "markdown", 0, FLAG_STRING,
		"print a table of the code: fields, annotations, capabilities, syscalls" },
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
	const struct spec_caps *asked = &plan->process.caps;
	uint64_t any = asked->bounding | asked->effective | asked->permitted | asked->inheritable |
		       asked->ambient;

	printf("\n%-24s %-13s %s\n", "CAPABILITY", "", "FENCED BY");
	for (unsigned int cap = 0; cap <= caps_last(); cap++) {
		const struct caps_row *row = caps_row(cap);
		uint64_t bit = 1ULL << cap;

		if (any & bit)
			printf("%-24s %-13s %s\n", row->name,
				plan->main_caps.dropped & bit ? "dropped" : "kept", row->fence);
		else if (plan->main_caps.caps.bounding & bit)
			printf("%-24s %-13s %s\n", row->name, "added",
				"for root to see every process of its container in /proc; the "
				"Landlock domain bounds tracing");
	}
	return 0;
}

/* Prints the tables that docs/generate puts into docs/. */
static int print_page(const char *page, struct sl_err *err)
{
	int rc = 0;

	if (strcmp(page, "fields") == 0)
		support_print_markdown(stdout);
	else if (strcmp(page, "annotations") == 0)
		annotations_print_markdown(stdout);
	else if (strcmp(page, "capabilities") == 0)
		rc = caps_print_markdown(stdout);
	else if (strcmp(page, "syscalls") == 0)
		rc = syscalls_print_markdown(stdout);
	else
		return sl_err_set(err, 0,
			"--markdown: \"%s\": expected fields, annotations, capabilities or "
			"syscalls",
			page);
	return rc < 0 ? sl_err_set(err, errno, "print") : 0;
}

static int print_plan(struct cli *cli, const struct plan *plan)
{
	struct lacking lacking[LACKING_MAX];
	const size_t n_lacking = lacking_list(lacking);
	char watch[CONTAINER_WATCH_SIZE];

	printf("\nrootfs.mode %s\n", plan_fs_mode(plan->fs.own_namespace));
	plan_net_print(cli->rt.arena, &plan->net, stdout);
	plan_http_print(cli->rt.arena, &plan->http, stdout);
	container_memory_watch(watch, sizeof(watch));
	if (plan->limits.memory != UINT64_MAX)
		printf("\nmemory limit: %s\n", watch);
	if (print_capabilities(plan) < 0)
		return CMD_ERROR;
	for (size_t i = 0; i < plan->n_notes; i++)
		printf("\nnote: %s\n", plan->notes[i]);
	for (size_t i = 0; i < plan->n_warnings; i++)
		printf("\nwarning: %s\n", printable_text(cli->rt.arena, plan->warnings[i], false));
	for (size_t i = 0; i < n_lacking; i++)
		printf("\nwarning: %s: %s\n", lacking[i].name, lacking[i].text);
	return 0;
}

/* A bundle that create refuses is refused here with the same message and status. */
static int explain_policy(struct cli *cli, const struct flags *f, struct sl_err *err)
{
	const char *bundle = flags_string(f, "bundle");
	char real[PATH_MAX];
	const struct plan_request request = {
		.id = "explain",
		.bundle = real,
		.config = cli->rt.config,
	};
	const struct spec *spec;
	struct plan plan;
	int rc;

	if (!realpath(bundle ? bundle : ".", real))
		return sl_err_set(err, errno, "bundle %s", bundle ? bundle : ".");
	rc = plan_make(cli->rt.arena, &request, &plan, &spec, err);
	if (spec)
		print_fields(spec);
	if (rc < 0 && spec)
		printf("\ncreate would refuse this bundle: %s\n",
			printable_text(cli->rt.arena, err->msg, false));
	return rc < 0 ? CMD_ERROR : print_plan(cli, &plan);
}

static int policy_run(struct cli *cli, const struct flags *f, struct sl_err *err)
{
	const char *page = flags_string(f, "markdown");

	if (strcmp(f->args[0], "explain") != 0)
		return sl_err_set(err, 0, "policy: unknown \"%s\": expected explain", f->args[0]);
	return page ? print_page(page, err) : explain_policy(cli, f, err);
}

const struct command cmd_policy = {
	.name = "policy",
	.usage = "explain",
	.summary = "say what each field of a bundle becomes, where it is enforced, and why",
	.flags = policy_flags,
	.min_args = 1,
	.max_args = 1,
	.failure_status = 1,
	.run = policy_run,
};
