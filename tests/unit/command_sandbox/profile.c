/* SPDX-License-Identifier: Apache-2.0
 *
 * Every option that has a key in a profile means the same there as on the command line.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "sandbox/profile.h"
#include "tests/unit/check.h"

static struct arena *arena;
static struct sl_err err;
static char path[] = "/tmp/profile.XXXXXX";

static int read_profile(const char *text, struct sandbox_options *ret)
{
	auto_fd int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	*ret = (struct sandbox_options){ 0 };
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		return sl_err_set(&err, errno, "%s", path);
	return sandbox_profile_read(arena, path, ret, &err);
}

static bool same_value(const struct sandbox_option *o, const struct sandbox_options *a,
	const struct sandbox_options *b)
{
	const struct sandbox_list *la, *lb;

	if (o->type == SANDBOX_SWITCH)
		return sandbox_option_is_on(o, a) && sandbox_option_is_on(o, b);
	if (o->type == SANDBOX_TEXT)
		return strcmp(sandbox_option_text(o, a), sandbox_option_text(o, b)) == 0;
	la = sandbox_option_list(o, a);
	lb = sandbox_option_list(o, b);
	return la->n == 1 && lb->n == 1 && strcmp(la->items[0], lb->items[0]) == 0;
}

static const char *as_toml(const struct sandbox_option *o)
{
	const char *dot = strchr(o->key, '.');
	const char *value = o->type == SANDBOX_SWITCH ? "true" : "\"A=1\"";

	if (strcmp(o->key, "program.env") == 0)
		value = "{ A = \"1\" }";
	else if (o->type == SANDBOX_LIST)
		value = "[ \"A=1\" ]";
	return arena_printf(
		arena, "[%.*s]\n%s = %s\n", (int)(dot - o->key), o->key, dot + 1, value);
}

static void every_key(void)
{
	size_t n, n_keys = 0;
	const struct sandbox_option *table = sandbox_option_table(&n);

	for (size_t i = 0; i < n; i++) {
		const struct sandbox_option *o = &table[i];
		char value[] = "A=1",
		     *argv[] = { arena_printf(arena, "--%s", o->flag), value, NULL };
		struct sandbox_options by_flag = { 0 }, by_key;

		if (!o->key)
			continue;
		n_keys++;
		if (!CHECK(sandbox_options_parse(arena, o->type == SANDBOX_SWITCH ? 1 : 2, argv,
				   &by_flag, &err) == 0) ||
			!CHECK(read_profile(as_toml(o), &by_key) == 0)) {
			printf("# %s: %s\n", o->key, err.msg);
			continue;
		}
		if (!CHECK(same_value(o, &by_flag, &by_key)))
			printf("# %s\n", o->key);
	}
	CHECK(n_keys > 20);
}

/* What is written is read as the same options. */
static void every_key_again(void)
{
	size_t n;
	const struct sandbox_option *table = sandbox_option_table(&n);

	for (size_t i = 0; i < n; i++) {
		const struct sandbox_option *o = &table[i];
		struct sandbox_options first, second;
		const char *text;

		if (!o->key || !CHECK(read_profile(as_toml(o), &first) == 0))
			continue;
		text = sandbox_profile_write(arena, &first, "/");
		if (!CHECK(text && read_profile(text, &second) == 0)) {
			printf("# %s: %s\n%s\n", o->key, err.msg, text ? text : "");
			continue;
		}
		if (!CHECK(same_value(o, &first, &second) || strchr("DFP", *o->value)))
			printf("# %s\n", o->key);
	}
}

static void written(void)
{
	char a[] = "a \"\\\n\x7f\u00e9", *command[] = { a, a, NULL };
	const char *paths[] = { "/usr/../etc", "sub/./dir", "." };
	const char *variables[] = { "A=1", "B=x=y", "A=2" };
	struct sandbox_options o = { .command = command, .n_command = 2, .user = "1:2" }, again;
	const char *text;

	o.read = (struct sandbox_list){ paths, 3 };
	o.env = (struct sandbox_list){ variables, 3 };
	text = sandbox_profile_write(arena, &o, "/w");
	if (!CHECK(text != NULL) || !CHECK(read_profile(text, &again) == 0))
		return;
	CHECK(again.n_command == 2);
	CHECK_STR(again.command[0], a);
	CHECK_STR(again.command[1], a);
	CHECK_STR(again.read.items[0], "/usr/../etc");
	CHECK_STR(again.read.items[1], "/w/sub/dir");
	CHECK_STR(again.read.items[2], "/w");
	CHECK(again.env.n == 2);
	CHECK_STR(again.env.items[0], "B=x=y");
	CHECK_STR(again.env.items[1], "A=2");
	CHECK_STR(again.cwd, "/w");
	CHECK_STR(again.user, "1:2");
	o.chroot = "/image";
	text = sandbox_profile_write(arena, &o, "/w");
	CHECK(text && read_profile(text, &again) == 0);
	CHECK_STR(again.read.items[1], "sub/./dir");
	CHECK(again.cwd == NULL);
	a[0] = (char)0xff;
	CHECK(sandbox_profile_write(arena, &o, "/w") == NULL);
}

static void command_and_user(void)
{
	struct sandbox_options o;

	CHECK(read_profile("[program]\nexec = \"sh\"\nargs = [\"-c\", \"exit 3\"]\n"
			   "uid = 1\ngid = 2\n[limits]\nprocesses = 64\ngpu_devices = [0, 2]\n",
		      &o) == 0);
	CHECK(o.n_command == 3 && o.command[3] == NULL);
	CHECK_STR(o.command[0], "sh");
	CHECK_STR(o.command[2], "exit 3");
	CHECK_STR(o.user, "1:2");
	CHECK_STR(o.processes, "64");
	CHECK_STR(o.gpu, "0,2");
}

static void refused(const char *text, const char *message)
{
	struct sandbox_options o;

	CHECK_ERR_CONTAINS(read_profile(text, &o), err, message);
}

static void mistakes(void)
{
	refused("[filesystem]\nraed = [\"/\"]\n",
		": line 2, column 1: unknown key filesystem.raed; the nearest one is "
		"filesystem.read");
	refused("[filesytem]\n", "line 1, column 2: unknown section [filesytem]");
	refused("read = [\"/\"]\n", "line 1, column 1: read stands in no section");
	refused("[filesystem]\nread = \"/\"\n",
		"line 2, column 1: filesystem.read: expected an array, got string");
	refused("[filesystem]\nread = [\"/\", true]\n",
		"line 2, column 14: filesystem.read: each element is a string: PATH");
	refused("[limits]\nmemory = 1.5\n",
		"limits.memory: expected a string or an integer, got float");
	refused("[limits]\nmemory = \"\"\n", "limits.memory: the value is empty");
	refused("[program]\nclean_env = \"yes\"\n",
		"program.clean_env: expected true or false, got string");
	refused("[program]\nargs = []\n", "line 2, column 1: program.args without program.exec");
	refused("[program]\nuid = 1\n", "program.uid and program.gid belong together");
	refused("[program]\nenv = [\"A=1\"]\n", "program.env: expected a table, got array");
	refused("[limits]\ndisk = \"1M\"\n", "line 2, column 1: limits.disk is refused: ");
	refused("[limits\n", "line 1, column 8: the line ends where a dot or a ] is expected");
	unlink(path);
	CHECK_ERR_CONTAINS(sandbox_profile_read(arena, path, &(struct sandbox_options){ 0 }, &err),
		err, "No such file or directory");
}

static void names(void)
{
	setenv("XDG_CONFIG_HOME", "/x", 1);
	CHECK_STR(sandbox_profile_path(arena, "agent", &err), "/x/sandlock/profiles/agent.toml");
	unsetenv("XDG_CONFIG_HOME");
	setenv("HOME", "/h", 1);
	CHECK_STR(sandbox_profile_path(arena, "agent", &err),
		"/h/.config/sandlock/profiles/agent.toml");
	CHECK(sandbox_profile_path(arena, "../x", &err) == NULL);
	CHECK(sandbox_profile_path(arena, "", &err) == NULL);
}

int main(void)
{
	const int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	arena = arena_new();
	every_key();
	every_key_again();
	written();
	command_and_user();
	mistakes();
	names();
	arena_free(arena);
	return check_done();
}
