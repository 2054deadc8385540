/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of syscalls.def. The rows contain offsets instead of pointers, so it needs no
 * relocation when the program is loaded.
 */
#include "runtime/seccomp/syscalls.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* All reasons in one block; a row contains the offset of its reason. */
struct why_text {
#define SYSCALL(name, verdict, takes, arg, why) char name##_[sizeof(why)];
#include "runtime/seccomp/syscalls.def"
#undef SYSCALL
};

static const struct why_text why_text = {
#define SYSCALL(name, verdict, takes, arg, why) why,
#include "runtime/seccomp/syscalls.def"
#undef SYSCALL
};
_Static_assert(sizeof(struct why_text) <= UINT16_MAX, "an offset does not fit");

#define VERDICT(name, notify, label, text) NOTIFY_OF_##name = notify,
enum { SYSCALL_VERDICTS(VERDICT) };
#undef VERDICT

static const struct syscall_row syscall_rows[] = {
#define SYSCALL(name_, verdict_, takes_, arg_, why_)                                               \
	[__NR_##name_] = {                                                                         \
		.name = #name_,                                                                    \
		.nr = __NR_##name_,                                                                \
		.arg = arg_,                                                                       \
		.takes = takes_,                                                                   \
		.verdict = VERDICT_##verdict_,                                                     \
		.notify = NOTIFY_OF_##verdict_,                                                    \
		.why = offsetof(struct why_text, name_##_),                                        \
	},
#include "runtime/seccomp/syscalls.def"
#undef SYSCALL
};

struct verdict_text {
	const char *label;
	const char *text;
};

static const struct verdict_text verdicts[VERDICT_COUNT] = {
#define VERDICT(name, notify, label_, text_) [VERDICT_##name] = { label_, text_ },
	SYSCALL_VERDICTS(VERDICT)
#undef VERDICT
};

int syscall_newest(void)
{
	return (int)(sizeof(syscall_rows) / sizeof(syscall_rows[0])) - 1;
}

const struct syscall_row *syscall_row(int nr)
{
	if (nr < 0 || nr > syscall_newest() || !syscall_rows[nr].name[0])
		return NULL;
	return &syscall_rows[nr];
}

const struct syscall_row *syscall_row_by_name(const char *name)
{
	char padded[SYSCALL_NAME_MAX] = "";
	size_t len = strlen(name);

	if (len == 0 || len >= sizeof(padded))
		return NULL;
	/* Comparing whole fields is fast, because the compiler uses three machine words for it, and
	 * a profile has hundreds of names. */
	memcpy(padded, name, len);
	for (int nr = 0; nr <= syscall_newest(); nr++)
		if (memcmp(syscall_rows[nr].name, padded, sizeof(padded)) == 0)
			return &syscall_rows[nr];
	return NULL;
}

const char *syscall_why(const struct syscall_row *row)
{
	const char *why = (const char *)&why_text + row->why;

	if (*why)
		return why;
	if (row->verdict == VERDICT_ABSENT)
		return "Linux has no such call any more";
	if (row->takes & TAKES_PATH)
		return "the kernel resolves the path below the tree's root, and Landlock refuses "
		       "to open or change anything that is not in it";
	return "acts on memory, descriptors and identity that the caller has";
}

static const char *syscall_verdict_label(const struct syscall_row *row)
{
	return verdicts[row->verdict].label;
}

static void print_takes(FILE *out, unsigned int takes)
{
	static const char *const names[] = { "path", "pid", "process group", "user", "pidfd",
		"address", "foreign descriptor", "handle" };
	const char *separator = "";

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!(takes & 1U << i))
			continue;
		fprintf(out, "%s%s", separator, names[i]);
		separator = ", ";
	}
}

static void print_row(FILE *out, const struct syscall_row *row)
{
	fprintf(out, "| %d | `%s` | ", row->nr, row->name);
	print_takes(out, row->takes);
	fprintf(out, " | %s | ", syscall_verdict_label(row));
	if (row->verdict > VERDICT_ABSENT)
		fprintf(out, "%s. ", verdicts[row->verdict].text);
	fprintf(out, "%s |\n", syscall_why(row));
}

int syscalls_print_markdown(FILE *out)
{
	fputs("| number | call | takes | verdict | why |\n|---|---|---|---|---|\n", out);
	for (int nr = 0; nr <= syscall_newest(); nr++)
		if (syscall_rows[nr].name[0])
			print_row(out, &syscall_rows[nr]);
	return ferror(out) ? -1 : 0;
}
