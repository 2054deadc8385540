/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/init/lookup.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"

/* A longer line of the image's passwd file is not a user entry. */
#define PASSWD_LINE_MAX 4096

/* Nothing behind this offset is read. It is enough for a hundred thousand users, and a huge
 * sparse file cannot delay the reader for minutes. */
#define PASSWD_MAX (16L * 1024 * 1024)

static const char *env_value(const struct plan_process *p, const char *name)
{
	size_t n = strlen(name);

	for (uint32_t i = 0; i < p->n_env; i++) {
		const char *e = plan_process_env(p, i);

		if (strncmp(e, name, n) == 0 && e[n] == '=')
			return e + n + 1;
	}
	return NULL;
}

/* Opens regular files only: the image may have a pipe, a terminal or /dev/zero in its place, and
 * reading that would block `create`. */
static FILE *open_passwd(void)
{
	auto_fd int fd = open("/etc/passwd", O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	FILE *f;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return NULL;
	f = fdopen(fd, "r");
	if (f)
		take_fd(&fd);
	return f;
}

/* passwd(5): name:password:uid:gid:gecos:home:shell. Only the image's own file is read; the C
 * library's lookup functions would load modules of the image into this process. */
static const char *home_of(uint32_t uid)
{
	static char line[PASSWD_LINE_MAX];
	auto_file FILE *f = open_passwd();

	while (f && ftell(f) < PASSWD_MAX && fgets(line, sizeof(line), f)) {
		char *rest = line, *field[7];
		size_t n = 0;
		char *end;

		line[strcspn(line, "\n")] = '\0';
		while (n < 7 && (field[n] = strsep(&rest, ":")))
			n++;
		if (n < 6 || strtoul(field[2], &end, 10) != uid || *end || !*field[2])
			continue;
		return *field[5] ? field[5] : "/";
	}
	return "/";
}

static const char *own_entry(const char *entry)
{
	static char listen_pid[32];

	if (strcmp(entry, PLAN_LISTEN_PID) != 0)
		return entry;
	snprintf(listen_pid, sizeof(listen_pid), PLAN_LISTEN_PID "%d", getpid());
	return listen_pid;
}

static char **build_env(const struct plan_process *p)
{
	char **env = calloc((size_t)p->n_env + 2, sizeof(*env));
	const char *home = env_value(p, "HOME");
	size_t n = 0;

	if (!env)
		return NULL;
	for (uint32_t i = 0; i < p->n_env; i++)
		env[n++] = (char *)plan_process_env(p, i);
	for (uint32_t i = p->n_env - p->n_own_env; i < p->n_env; i++)
		env[i] = (char *)own_entry(env[i]);
	if (!home) {
		static char entry[PASSWD_LINE_MAX + 8];

		snprintf(entry, sizeof(entry), "HOME=%s", home_of(p->uid));
		env[n++] = entry;
	}
	return env;
}

/* Returns 0 if the file can be executed, else the errno that execve would give at best. */
static int check_executable(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return errno;
	if (S_ISDIR(st.st_mode))
		return EACCES;
	/* A profile of the bundle may refuse faccessat2(2): then execve decides at `start`. */
	if (faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) < 0 && errno != EPERM && errno != ENOSYS)
		return errno;
	/* With CAP_DAC_OVERRIDE, too, the kernel executes only a file that has at least one x
	 * bit. */
	return st.st_mode & 0111 ? 0 : EACCES;
}

/* Skips files that may not be executed, as Go does. */
static const char *search_path(const char *name, const char *path)
{
	static char found[PATH_MAX];

	while (path && *path) {
		size_t n = strcspn(path, ":");

		if (snprintf(found, sizeof(found), "%.*s/%s", n ? (int)n : 1, n ? path : ".",
			    name) < (int)sizeof(found) &&
			check_executable(found) == 0)
			return found;
		path += n;
		if (*path == ':')
			path++;
	}
	return NULL;
}

const char *lookup_reason(int code)
{
	static char text[128];

	snprintf(text, sizeof(text), "%s", strerror(code));
	text[0] = (char)tolower((unsigned char)text[0]);
	return text;
}

static int find_file(const struct plan_process *p, const char **ret_file, struct sl_err *err)
{
	const char *file = plan_process_string(p, p->file_off);
	const char *name = file ? file : plan_process_arg(p, 0);
	int rc;

	if (strchr(name, '/')) {
		rc = check_executable(name);
		if (rc == 0) {
			*ret_file = name;
			return 0;
		}
		return sl_err_set(err, 0,
			rc == EACCES ? "exec: \"%s\": %s%s" : "exec: \"%s\": stat %s: %s", name,
			rc == EACCES ? "" : name, lookup_reason(rc));
	}
	*ret_file = search_path(name, env_value(p, "PATH"));
	if (*ret_file)
		return 0;
	return sl_err_set(err, 0, "exec: \"%s\": executable file not found in $PATH", name);
}

int lookup_program(const struct plan_process *p, char ***ret_args, char ***ret_env,
	const char **ret_file, struct sl_err *err)
{
	auto_free char **args = calloc((size_t)p->n_args + 1, sizeof(*args));
	char **env = build_env(p);

	if (!args || !env)
		return sl_err_set(err, ENOMEM, "process.args and process.env");
	for (uint32_t i = 0; i < p->n_args; i++)
		args[i] = (char *)plan_process_arg(p, i);
	if (find_file(p, ret_file, err) < 0) {
		free(env);
		return -1;
	}
	*ret_args = take_ptr(args);
	*ret_env = env;
	return 0;
}
