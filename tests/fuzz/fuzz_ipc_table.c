/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of a pod's IPC objects: whatever the file holds, looking in it and entering
 * something stays inside it.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/ipc/table.h"
#include "tests/fuzz/fuzz.h"

static void look(struct ipc_table *t, enum ipc_kind kind, int32_t number)
{
	const size_t n = table_objects(t, kind);
	const struct ipc_object *o = table_by_id(t, kind, number);

	MUST(n <= IPC_OBJECTS);
	MUST(!o || (o >= t->objects[kind] && o < t->objects[kind] + n));
	MUST(!o || (o->id == number && o->state >= IPC_LIVE));
	o = table_by_key(t, kind, number);
	MUST(!o || (o >= t->objects[kind] && o < t->objects[kind] + n));
	o = table_free_object(&(struct ipc_file){ -1, t }, kind);
	MUST(!o || (o >= t->objects[kind] && o < t->objects[kind] + IPC_OBJECTS));
	MUST(o || n == IPC_OBJECTS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ipc_table *t = calloc(1, sizeof(*t));
	const struct ipc_queue *q;
	size_t left;

	MUST(t);
	memcpy(t, data, size < sizeof(*t) ? size : sizeof(*t));
	/* What the head says of the far parts is what matters most. */
	if (size > sizeof(*t))
		t->n_queues = t->n_users = data[size - 1] * 0x01010101U;
	if (!table_is_sound(t, sizeof(*t))) {
		free(t);
		return 0;
	}
	for (int kind = 0; kind < IPC_KINDS; kind++)
		for (int32_t number = -1; number < 3; number++)
			look(t, (enum ipc_kind)kind, number);
	MUST(table_queues(t) <= IPC_QUEUES);
	q = table_by_name(t, "q");
	MUST(!q || (q >= t->queues && q < t->queues + IPC_QUEUES));
	q = table_free_queue(&(struct ipc_file){ -1, t });
	MUST(!q || (q >= t->queues && q < t->queues + IPC_QUEUES));
	if (table_add_user(&(struct ipc_file){ -1, t }, "one") == 0) {
		left = table_remove_user(t, "one");
		MUST(left < IPC_USERS);
		MUST(table_remove_user(t, "one") == left);
	}
	free(t);
	return 0;
}
