/* SPDX-License-Identifier: Apache-2.0
 *
 * The hostile programs of the escape suite: one static binary, one attack per name. An
 * attack returns 0 when it got what it wanted, or -1 with errno; it may name the stage
 * that stopped it, or leave a note that replaces both. Every attack runs in a child of
 * its own and is harmless to a machine that does not stop it: it aims only at what the
 * test made (tests/escape/victim.c), at private namespaces, or fails late on purpose.
 */
#ifndef SANDLOCK_TESTS_ESCAPE_ATTACK_H
#define SANDLOCK_TESTS_ESCAPE_ATTACK_H

#include <stddef.h>
#include <sys/types.h>

#define ATTACK_ARGS_MAX 8

/* Lives in memory shared with the runner, so that reporting needs no descriptor. */
struct trial {
	char stage[32];
	char note[96];
	int error; /* -1: never reported */
};

struct attack {
	const char *name;
	int n_args;
	int (*run)(struct trial *t, char **args);
};

/* Names the step that failed; returns -1 and keeps errno. */
int trial_fail(struct trial *t, const char *stage);
/* The observation is the result; returns 0. */
int trial_say(struct trial *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

long arg_number(const char *word);
int arg_signal(const char *word);
/* Drops to a uid that owns nothing but the test's own stranger process. */
int become_uid(const char *word);
/* A descriptor that was open, as success; closes it. */
int got_fd(int fd);

const struct attack *attack_find(const char *name);

extern const struct attack attacks_files[];
extern const struct attack attacks_signals[];
extern const struct attack attacks_processes[];
extern const struct attack attacks_sched[];
extern const struct attack attacks_mounts[];
extern const struct attack attacks_namespaces[];
extern const struct attack attacks_net[];
extern const struct attack attacks_ipc[];
extern const struct attack attacks_kernel[];
extern const struct attack attacks_endings[];
extern const struct attack attacks_watch[];
extern const struct attack attacks_image[];
extern const struct attack attacks_midcall[];
extern const struct attack attacks_storm[];

int attack_syscalls(void);

#endif
