/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <sys/wait.h>

#include "shim/task/inside.h"

/* Error texts of runtime/container that stand for a code. Callers of the command line rely on the
 * same texts. */
static const struct {
	const char *text;
	enum ttrpc_code code;
} known_errors[] = {
	{ "container does not exist", TTRPC_NOT_FOUND },
	{ "container not running", TTRPC_NOT_FOUND },
	{ "container with given ID already exists", TTRPC_ALREADY_EXISTS },
	{ "cannot exec in a stopped container", TTRPC_FAILED_PRECONDITION },
	{ "cannot start", TTRPC_FAILED_PRECONDITION },
	{ "cannot delete container", TTRPC_FAILED_PRECONDITION },
	{ "container not paused", TTRPC_FAILED_PRECONDITION },
	{ "container paused", TTRPC_FAILED_PRECONDITION },
};

void answer_error(struct ttrpc_call *call, const struct sl_err *err)
{
	enum ttrpc_code code = TTRPC_UNKNOWN;

	for (size_t i = 0; i < sizeof(known_errors) / sizeof(known_errors[0]); i++)
		if (strncmp(err->msg, known_errors[i].text, strlen(known_errors[i].text)) == 0)
			code = known_errors[i].code;
	ttrpc_fail(call, code, err->msg);
}

void answer_empty(struct ttrpc_call *call)
{
	ttrpc_answer_bytes(call, NULL, 0);
}

uint32_t answer_status(int status)
{
	return (uint32_t)(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}
