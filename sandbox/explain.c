/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "sandbox/sandbox.h"

static void print_line(FILE *out, const char *what, const char *text)
{
	fprintf(out, "%-12s %s\n", what, text);
}

static void print_files(FILE *out, const struct grants *g)
{
	for (size_t i = 0; i < g->n; i++) {
		const struct granted *grant = &g->items[i];
		const bool elsewhere = strcmp(grant->path, grant->source) != 0;

		fprintf(out, "%-12s %s%s%s\n", grant->write ? "write" : "read", grant->path,
			elsewhere ? ", which is " : "", elsewhere ? grant->source : "");
	}
	for (size_t i = 0; i < g->n_denied; i++)
		print_line(out, "deny", g->denied[i]);
	for (size_t i = 0; i < g->n_links; i++)
		fprintf(out, "%-12s %s -> %s\n", "symlink", g->links[i].path, g->links[i].target);
	if (g->sysfs)
		print_line(out, "read", "/sys, a file system of its own");
}

static void print_number(FILE *out, const char *what, uint64_t value, uint64_t none)
{
	if (value != none)
		fprintf(out, "%-12s %" PRIu64 "\n", what, value);
}

static void print_limits(FILE *out, const struct plan_limits *l)
{
	print_number(out, "memory", l->memory, UINT64_MAX);
	print_number(out, "processes", l->tasks, UINT64_MAX);
	print_number(out, "open files", l->open_files, UINT64_MAX);
	print_number(out, "seconds", l->timeout_s, 0);
}

int sandbox_explain(struct arena *a, const struct sandbox_request *request,
	const struct view_choice *view, FILE *out, struct sl_err *err)
{
	const struct plan_request plan_request = {
		.id = request->id, .bundle = "/", .given = &request->given
	};
	struct plan plan;

	if (plan_make(a, &plan_request, &plan, NULL, err) < 0)
		return -1;
	fprintf(out, "%-12s %s: %s\n", "view", view_name(view->view), view->why);
	print_line(out, "root",
		plan.fs.own_namespace ? "empty, alone in a mount namespace"
				      : "empty, in no mount namespace");
	fprintf(out, "%-12s %u:%u, without capabilities\n", "user", plan.process.uid,
		plan.process.gid);
	print_line(out, "directory", plan.process.cwd);
	print_files(out, &request->grants);
	print_limits(out, &plan.limits);
	fputc('\n', out);
	plan_net_print(a, &plan.net, out);
	plan_http_print(a, &plan.http, out);
	return 0;
}
