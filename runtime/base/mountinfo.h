/* SPDX-License-Identifier: Apache-2.0
 *
 * The text of /proc/PID/mountinfo (proc_pid_mountinfo(5)).
 */
#ifndef SANDLOCK_BASE_MOUNTINFO_H
#define SANDLOCK_BASE_MOUNTINFO_H

#include <stdint.h>

/* Decodes in place: spaces, commas and backslashes of a field are written as \ooo. */
void mountinfo_decode(char *field);

/* Returns the line of a mount without its newline, or NULL. The text is changed. */
char *mountinfo_find(char *text, uint64_t mount_id);

/* Returns the decoded value of an option like "upperdir" of a line's file system, or NULL. The
 * line is changed. */
char *mountinfo_option(char *line, const char *name);

#endif
