/* SPDX-License-Identifier: Apache-2.0
 *
 * Verdicts that depend on the value of a field. A judge gets the verdict of the row and changes it
 * if the value requires another one.
 */
#ifndef SANDLOCK_SPEC_SUPPORT_JUDGE_H
#define SANDLOCK_SPEC_SUPPORT_JUDGE_H

#include "spec/support.h"

support_judge judge_empty_is_fine; /* refused unless the value is empty */
support_judge judge_mount;
support_judge judge_namespace;
support_judge judge_id_mappings;
support_judge judge_sysctl;
support_judge judge_seccomp_action;
support_judge judge_seccomp_rules;
support_judge judge_apparmor;
support_judge judge_selinux;

/* Whether the host enforces with these (support_host.c). */
bool host_has_apparmor(void);
bool host_has_selinux(void);

/* Whether path is a namespace of the type: 0, or why not. Opens nothing but namespaces. */
const char *host_namespace_problem(const char *path, enum spec_ns_type type);

#endif
