/* SPDX-License-Identifier: Apache-2.0
 *
 * A caller with bad manners: ignores and blocks signals, has a narrow umask, an extra group
 * and open descriptors without close-on-exec, then becomes COMMAND.
 *
 *   caller COMMAND...
 */
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static const int ignored[] = { SIGHUP, SIGQUIT, SIGUSR1, SIGPIPE, SIGTERM };
	static const gid_t groups[] = { 0, 4, 777 };
	sigset_t blocked;

	if (argc < 2)
		return 2;
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGCHLD);
	sigaddset(&blocked, SIGUSR2);
	sigaddset(&blocked, SIGINT);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	umask(077);
	if (setgroups(sizeof(groups) / sizeof(groups[0]), groups) < 0)
		return 1;
	if (dup2(open("/etc", O_RDONLY | O_DIRECTORY), 9) != 9 ||
		dup2(open("/etc/hostname", O_RDONLY), 17) != 17)
		return 1;
	execvp(argv[1], argv + 1);
	return 127;
}
