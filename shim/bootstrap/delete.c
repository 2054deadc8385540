/* SPDX-License-Identifier: Apache-2.0
 *
 * `delete`: ends and removes what is left of one container, whether its shim is there or not. It
 * may be called again and again.
 */
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "runtime/base/io.h"
#include "shim/bootstrap/bootstrap.h"
#include "shim/proto/proto.h"
#include "shim/proto/task.pb-c.h"
#include "shim/task/shim.h"

static int answer(struct sl_err *err)
{
	Task__DeleteResponse r = TASK__DELETE_RESPONSE__INIT;
	auto_bytes struct proto_bytes b = { 0 };
	Common__Timestamp at;
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	at = proto_time(now);
	r.exit_status = 128 + SIGKILL;
	r.exited_at = &at;
	if (proto_pack(&r, &b) < 0 || io_write_all(1, b.data, b.n) < 0)
		return sl_err_set(err, errno, "delete: answer");
	return 0;
}

int bootstrap_delete(struct bootstrap *b, struct sl_err *err)
{
	char bundle[PATH_MAX];

	if (!*b->id || !*b->namespace)
		return sl_err_set(err, 0, "delete: -id and -namespace are needed");
	/* The bundle, or files of it, may be gone. */
	if (!realpath(*b->bundle ? b->bundle : ".", bundle))
		return *b->bundle ? answer(err) : sl_err_set(err, errno, "delete: the bundle");
	if (shim_clean_up(b->namespace, b->id, bundle, err) < 0)
		return -1;
	bootstrap_forget_socket(b, bundle);
	return answer(err);
}
