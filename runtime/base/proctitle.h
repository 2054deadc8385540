/* SPDX-License-Identifier: Apache-2.0
 *
 * The command line that ps shows (proc(5), /proc/pid/cmdline). It is written over the area of argv,
 * because the kernel reads it from another place only with a privilege.
 */
#ifndef SANDLOCK_BASE_PROCTITLE_H
#define SANDLOCK_BASE_PROCTITLE_H

/* Called once by main() with its own argv. */
void proctitle_init(int argc, char **argv);
void proctitle_set(const char *title);

#endif
