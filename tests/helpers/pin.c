/* SPDX-License-Identifier: Apache-2.0
 *
 * Asks for processors, and says what came of it and which ones it has: "ok 0-1", "EINVAL 1".
 *
 *   pin HOW LIST [LIST…]   each in turn. HOW: whom it names, as whom
 *      zero                0, itself
 *      pid                 itself by its number
 *      thread              a second thread, by its number
 *      child               the parent, which is another process
 *      long                itself, by a mask of 4096 bytes
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define LONG_MASK 4096

static char **lists;

static void parse(const char *list, cpu_set_t *set)
{
	char *end;

	memset(set, 0, LONG_MASK);
	for (;; list = end + 1) {
		unsigned long cpu = strtoul(list, &end, 10);
		unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : cpu;

		for (; cpu <= last; cpu++)
			CPU_SET(cpu, set);
		if (*end != ',')
			return;
	}
}

static void ask(pid_t whom, size_t size)
{
	union {
		cpu_set_t set;
		char bytes[LONG_MASK];
	} mask;
	cpu_set_t has;

	for (char **l = lists; *l; l++) {
		parse(*l, &mask.set);
		errno = 0;
		printf("%s", syscall(SYS_sched_setaffinity, whom, size, &mask) < 0
				     ? strerrorname_np(errno)
				     : "ok");
		sched_getaffinity(whom, sizeof(has), &has);
		for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
			if (CPU_ISSET(cpu, &has))
				printf(" %d", cpu);
		puts("");
	}
}

static void *in_thread(void *arg)
{
	(void)arg;
	ask(gettid(), sizeof(cpu_set_t));
	return NULL;
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[1] : "";
	pthread_t t;

	lists = argv + 2;
	if (strcmp(how, "zero") == 0) {
		ask(0, sizeof(cpu_set_t));
	} else if (strcmp(how, "pid") == 0) {
		ask(getpid(), sizeof(cpu_set_t));
	} else if (strcmp(how, "long") == 0) {
		ask(0, LONG_MASK);
	} else if (strcmp(how, "thread") == 0) {
		pthread_create(&t, NULL, in_thread, NULL);
		pthread_join(t, NULL);
	} else if (strcmp(how, "child") == 0) {
		const pid_t parent = getpid();

		if (fork() == 0) {
			ask(parent, sizeof(cpu_set_t));
			fflush(stdout);
			_exit(0);
		}
		wait(NULL);
	} else {
		fputs("pin zero|pid|thread|child|long LIST…\n", stderr);
		return 2;
	}
	return 0;
}
