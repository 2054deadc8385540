/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/cmd/flags.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The descriptors of one message (io.h) minus blob, sync socket and stdio. */
#define PRESERVE_MAX 240

static const struct flag *find_flag(const struct flag *table, const char *name, size_t n)
{
	for (; table->name; table++) {
		if (strlen(table->name) == n && strncmp(table->name, name, n) == 0)
			return table;
		if (n == 1 && table->letter == *name)
			return table;
	}
	return NULL;
}

static void add_value(struct arena *a, struct flags *f, const struct flag *flag, const char *value)
{
	struct flag_value **at = &f->first, *v = arena_alloc(a, sizeof(*v));

	while (*at)
		at = &(*at)->next;
	v->flag = flag;
	v->value = value;
	*at = v;
}

/* Parses the flag at argv[0]. Returns how many words it has, or -1. */
static int take_flag(struct arena *a, const struct flag *table, int argc, char **argv,
	struct flags *f, struct sl_err *err)
{
	const char *name = argv[0] + (argv[0][1] == '-' ? 2 : 1);
	size_t n = strcspn(name, "=");
	const struct flag *flag = find_flag(table, name, n);

	if (!flag)
		return sl_err_set(err, 0, "flag provided but not defined: -%.*s", (int)n, name);
	if (name[n] == '=') {
		const char *value = name + n + 1;

		if (flag->type == FLAG_BOOL && strcmp(value, "true") != 0 &&
			strcmp(value, "false") != 0)
			return sl_err_set(
				err, 0, "invalid boolean value \"%s\" for -%s", value, flag->name);
		add_value(a, f, flag, value);
		return 1;
	}
	if (flag->type == FLAG_BOOL) {
		add_value(a, f, flag, "true");
		return 1;
	}
	if (argc < 2)
		return sl_err_set(err, 0, "flag needs an argument: -%s", flag->name);
	add_value(a, f, flag, argv[1]);
	return 2;
}

int flags_parse(struct arena *a, const struct flag *table, bool stop_at_first, int argc,
	char **argv, struct flags *ret, struct sl_err *err)
{
	struct flags f = { .args = arena_array(a, (size_t)argc + 1, sizeof(char *)) };
	bool open = true;

	for (int i = 0; i < argc;) {
		if (open && strcmp(argv[i], "--") == 0) {
			open = false;
			i++;
			continue;
		}
		if (open && argv[i][0] == '-' && argv[i][1]) {
			int n = take_flag(a, table, argc - i, argv + i, &f, err);

			if (n < 0)
				return -1;
			i += n;
			continue;
		}
		f.args[f.n_args++] = argv[i++];
		if (stop_at_first)
			open = false;
	}
	*ret = f;
	return 0;
}

const char *flags_string(const struct flags *f, const char *name)
{
	const char *value = NULL;

	for (const struct flag_value *v = f->first; v; v = v->next)
		if (strcmp(v->flag->name, name) == 0)
			value = v->value;
	return value;
}

bool flags_bool(const struct flags *f, const char *name)
{
	const char *v = flags_string(f, name);

	return v && strcmp(v, "true") == 0;
}

char **flags_list(struct arena *a, const struct flags *f, const char *name, size_t *ret_n)
{
	size_t n = 0;
	char **list;

	for (const struct flag_value *v = f->first; v; v = v->next)
		n += strcmp(v->flag->name, name) == 0;
	list = arena_array(a, n + 1, sizeof(*list));
	*ret_n = n;
	n = 0;
	for (const struct flag_value *v = f->first; v; v = v->next)
		if (strcmp(v->flag->name, name) == 0)
			list[n++] = (char *)v->value;
	return list;
}

int flags_number(const struct flags *f, const char *name, long min, long max, long fallback,
	long *ret, struct sl_err *err)
{
	const char *text = flags_string(f, name);
	char *end;
	long v;

	if (!text) {
		*ret = fallback;
		return 0;
	}
	errno = 0;
	v = strtol(text, &end, 10);
	if (errno || end == text || *end || v < min || v > max)
		return sl_err_set(err, 0,
			"invalid value \"%s\" for flag -%s: expected a number from "
			"%ld to %ld",
			text, name, min, max);
	*ret = v;
	return 0;
}

int flags_preserve(const struct flags *f, long n_before, long *ret, struct sl_err *err)
{
	long n;

	if (flags_number(f, "preserve-fds", 0, PRESERVE_MAX, 0, &n, err) < 0)
		return -1;
	*ret = n_before + n;
	if (*ret > PRESERVE_MAX)
		return sl_err_set(err, 0, "LISTEN_FDS and preserve-fds: more than %d descriptors",
			PRESERVE_MAX);
	for (int fd = 3; fd < 3 + *ret; fd++) {
		int how = fcntl(fd, F_GETFD);

		/* A close-on-exec descriptor was not given by the caller; it may be the log. */
		if (how < 0 || how & FD_CLOEXEC)
			return sl_err_set(err, EBADF, "%s: descriptor %d",
				fd < 3 + n_before ? "LISTEN_FDS" : "preserve-fds", fd);
	}
	return 0;
}

void flags_print_help(const struct flag *table)
{
	for (; table->name; table++) {
		char left[64];

		const char letter[] = { table->letter, '\0' };

		snprintf(left, sizeof(left), "--%s%s%s%s", table->name, table->letter ? ", -" : "",
			letter, table->type == FLAG_BOOL ? "" : " value");
		printf("   %-32s %s\n", left, table->help);
	}
}
