/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SANDLOCK_CMD_DELETE_H
#define SANDLOCK_CMD_DELETE_H

#include "runtime/cmd/cmd.h"

/* Also used by `run` when its container has ended. */
int delete_container(struct cli *cli, const char *id, bool force, struct sl_err *err);

#endif
