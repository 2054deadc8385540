/* SPDX-License-Identifier: Apache-2.0
 *
 * The verbs of `probe`: each prints what it found and returns the exit status. An attempt
 * prints "ok" or the name of the errno.
 */
#ifndef SANDLOCK_TESTS_HELPERS_PROBE_H
#define SANDLOCK_TESTS_HELPERS_PROBE_H

int probe_result(long r); /* prints "ok" for r >= 0, else the name of errno; returns 0 */

int probe_tcp(int argc, char **argv);
int probe_udp(int argc, char **argv);
int probe_listen(int argc, char **argv);
int probe_socket(int argc, char **argv);
int probe_unix(int argc, char **argv);
int probe_hold(int argc, char **argv);
int probe_autobind(int argc, char **argv);
int probe_abstract(int argc, char **argv);
int probe_unixread(int argc, char **argv);

int probe_storm(int argc, char **argv);
int probe_daemon(int argc, char **argv);
int probe_die(int argc, char **argv);
int probe_sched(int argc, char **argv);
int probe_ioprio(int argc, char **argv);
int probe_personality(int argc, char **argv);
int probe_fds(int argc, char **argv);

int probe_signal(int argc, char **argv);
int probe_signalled(int argc, char **argv);
int probe_ask(int argc, char **argv);
int probe_change(int argc, char **argv);

int probe_timer(int argc, char **argv);
int probe_notify(int argc, char **argv);
int probe_activated(int argc, char **argv);

#endif
