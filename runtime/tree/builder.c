/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "runtime/tree/internal.h"

void builder_init(struct builder *b, const struct plan_fs *fs, const struct tree_context *ctx)
{
	*b = (struct builder){
		.a = arena_new(),
		.fs = fs,
		.ctx = ctx,
		.root_fd = -1,
		.stage_fd = -1,
		.synth_fd = -1,
		.null_fd = -1,
		.net_fd = -1,
		.console_fd = -1,
	};
}

static void fd_list_close(struct fd_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		close(list->items[i]);
	list->n = 0;
}

void builder_close(struct builder *b)
{
	drop_fd(&b->root_fd);
	drop_fd(&b->stage_fd);
	drop_fd(&b->synth_fd);
	drop_fd(&b->null_fd);
	drop_fd(&b->net_fd);
	drop_fd(&b->console_fd);
	for (size_t i = 0; b->idmap_fds && i < b->fs->n_mounts; i++)
		drop_fd(&b->idmap_fds[i]);
	fd_list_close(&b->proc);
	fd_list_close(&b->pid1);
	fd_list_close(&b->sys);
	fd_list_close(&b->sealed);
	arena_free(b->a);
	b->a = NULL;
}

void *builder_grow(struct builder *b, void *items, size_t n, size_t *cap, size_t size)
{
	void *bigger;

	if (n < *cap)
		return items;
	*cap = *cap ? *cap * 2 : 32;
	bigger = arena_array(b->a, *cap, size);
	if (n > 0)
		memcpy(bigger, items, n * size);
	return bigger;
}

void fd_list_add(struct builder *b, struct fd_list *list, int fd)
{
	list->items = builder_grow(b, list->items, list->n, &list->cap, sizeof(*list->items));
	list->items[list->n++] = fd;
}
