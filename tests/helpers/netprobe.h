/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of netprobe share: netprobe.c knows the commands and measures, netprobe_swap.c
 * attacks, netprobe_wait.c has calls that wait.
 */
#ifndef SANDLOCK_TESTS_HELPERS_NETPROBE_H
#define SANDLOCK_TESTS_HELPERS_NETPROBE_H

#include <netinet/in.h>

#include "tests/helpers/clock.h"

/* Ends the program when the text is no address. */
struct sockaddr_in address(const char *ip, const char *port);
/* "ok", or the name of errno. */
const char *result(int rc);
/* Closes the socket with a reset. The server counts the connection when it accepts it. */
void drop(int fd);
/* For pthread_create(3): connects to a struct sockaddr_in. Returns errno, or 0. */
void *connect_once(void *arg);
/* n connects, one after the other. Returns the microseconds of all; prints median and maximum. */
double series(struct sockaddr_in *a, int n);

int cmd_swap(char **v);
int cmd_swapsend(char **v);
int cmd_swapfd(char **v);
int cmd_mmsg(char **v);
int cmd_unspec(char **v);
int cmd_options(char **v);
int cmd_hang(char **v);
int cmd_crowd(char **v);
int cmd_interrupt(char **v);
int cmd_nonblock(char **v);
int cmd_timeout(char **v);
int cmd_many(char **v);
int cmd_exitrace(char **v);
int cmd_swapping(char **v);

#endif
