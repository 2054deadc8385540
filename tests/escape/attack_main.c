/* SPDX-License-Identifier: Apache-2.0
 *
 * The runner: `attack batch FILE` runs every line of FILE (label, attack, arguments) in a
 * child of its own and prints `label<TAB>result`; `attack one NAME ARGS…` runs one. With
 * `batch -p` each child first enters private mount and UTS namespaces: the control arms
 * of attacks on mounts and names. A result is `ok`, an errno name, `stage:ERRNO`, a note,
 * or `killed:SIGNAL`.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/escape/attack.h"

#define ATTACK_SECONDS 10
#define LINE_MAX_BYTES 4096

static const struct attack *const FAMILIES[] = {
	attacks_files,
	attacks_signals,
	attacks_processes,
	attacks_sched,
	attacks_mounts,
	attacks_namespaces,
	attacks_net,
	attacks_ipc,
	attacks_kernel,
	attacks_endings,
	attacks_watch,
	attacks_image,
	attacks_midcall,
	attacks_storm,
};

const struct attack *attack_find(const char *name)
{
	for (size_t i = 0; i < sizeof(FAMILIES) / sizeof(FAMILIES[0]); i++)
		for (const struct attack *a = FAMILIES[i]; a->name; a++)
			if (strcmp(a->name, name) == 0)
				return a;
	return NULL;
}

int trial_fail(struct trial *t, const char *stage)
{
	int saved = errno;

	snprintf(t->stage, sizeof(t->stage), "%s", stage);
	errno = saved;
	return -1;
}

int trial_say(struct trial *t, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(t->note, sizeof(t->note), format, ap);
	va_end(ap);
	return 0;
}

static void private_namespaces(void)
{
	if (unshare(CLONE_NEWNS | CLONE_NEWUTS) < 0 ||
		mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0) {
		/* A chroot directory need not be a mount point; its parent was made
		 * private by the driver. */
		if (errno != EINVAL)
			_exit(125);
	}
}

static void print_result(const char *label, const struct trial *t, int status)
{
	printf("%s\t", label);
	if (WIFSIGNALED(status))
		printf("killed:%s\n", sigabbrev_np(WTERMSIG(status)));
	else if (t->note[0])
		printf("%s\n", t->note);
	else if (t->error < 0)
		printf("unreported:%d\n", WEXITSTATUS(status));
	else if (t->error == 0)
		printf("ok\n");
	else
		printf("%s%s%s\n", t->stage, t->stage[0] ? ":" : "", strerrorname_np(t->error));
	fflush(stdout);
}

static int run_one(const char *label, char **words, int n_words, bool isolated)
{
	const struct attack *a = attack_find(words[0]);
	struct trial *t;
	int status = 0;
	pid_t pid;

	if (!a || n_words - 1 != a->n_args) {
		printf("%s\tusage\n", label);
		return -1;
	}
	t = mmap(NULL, sizeof(*t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (t == MAP_FAILED)
		return -1;
	t->error = -1;
	pid = fork();
	if (pid == 0) {
		if (isolated)
			private_namespaces();
		alarm(ATTACK_SECONDS);
		t->error = a->run(t, words + 1) == 0 ? 0 : errno;
		_exit(0);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	print_result(label, t, status);
	munmap(t, sizeof(*t));
	return 0;
}

static int run_batch(const char *path, bool isolated)
{
	char line[LINE_MAX_BYTES];
	FILE *f = fopen(path, "re");
	char **lines = NULL;
	size_t n = 0;

	if (!f) {
		perror(path);
		return 1;
	}
	/* Read whole and closed before anything hostile runs: no descriptor stays open. */
	while (fgets(line, sizeof(line), f)) {
		lines = realloc(lines, (n + 1) * sizeof(*lines));
		if (!lines)
			return 1;
		lines[n++] = strdup(line);
	}
	fclose(f);
	for (size_t i = 0; i < n; i++) {
		char *words[ATTACK_ARGS_MAX + 2], *save = NULL;
		int n_words = 0;

		for (char *w = strtok_r(lines[i], " \t\n", &save);
			w && n_words < ATTACK_ARGS_MAX + 2; w = strtok_r(NULL, " \t\n", &save))
			words[n_words++] = w;
		if (n_words >= 2)
			run_one(words[0], words + 1, n_words - 1, isolated);
	}
	printf("end\tok\n");
	return 0;
}

int main(int argc, char **argv)
{
	if (argc >= 3 && strcmp(argv[1], "one") == 0)
		return run_one(argv[2], argv + 2, argc - 2, false) == 0 ? 0 : 2;
	if (argc == 3 && strcmp(argv[1], "batch") == 0)
		return run_batch(argv[2], false);
	if (argc == 4 && strcmp(argv[1], "batch") == 0 && strcmp(argv[2], "-p") == 0)
		return run_batch(argv[3], true);
	if (argc == 2 && strcmp(argv[1], "syscalls") == 0)
		return attack_syscalls();
	/* Straight, without a child in between: for attacks on the container's own end. */
	if (argc >= 3 && strcmp(argv[1], "direct") == 0) {
		struct trial t = { .error = -1 };
		const struct attack *a = attack_find(argv[2]);

		if (!a || argc - 3 != a->n_args)
			return 2;
		t.error = a->run(&t, argv + 3) == 0 ? 0 : errno;
		print_result(argv[2], &t, 0);
		return t.error == 0 ? 0 : 1;
	}
	fprintf(stderr, "usage: attack batch [-p] FILE | one NAME ARGS… | direct NAME ARGS…\n");
	return 2;
}
