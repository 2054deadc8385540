/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside runtime/view: what its files share.
 */
#ifndef SANDLOCK_VIEW_INTERNAL_H
#define SANDLOCK_VIEW_INTERNAL_H

#include "runtime/view/view.h"

#define VIEW_LO_INDEX 1
/* Larger than the indexes of the tunnels that some modules create in every namespace. */
#define VIEW_ETH_INDEX 16
#define VIEW_LO        "lo"
#define VIEW_ETH       "eth0"
#define VIEW_MAC_LEN   6

/* The interface that is shown in addition to lo. */
struct view_eth {
	bool has_v4, has_v6; /* neither: there is no eth0 */
	uint8_t v4[4];
	uint8_t v6[16];
	uint8_t mac[VIEW_MAC_LEN]; /* not the address of a real device */
};

enum view_lens {
	LENS_NONE, /* nobody has asked yet */
	LENS_OPEN,
	LENS_BROKEN, /* it could not be created: every question is denied */
};

struct view {
	struct view_eth eth;
	enum view_lens lens;
	bool own_files;
	int (*settle)(void);
	int proc_fd; /* the result of view_proc_fd() */
};

/* lens.c: creates the namespace. The calling process must have one thread. The process is in the
 * namespace afterwards, also when setting it up has failed. Returns 0, or -1 with errno. */
int lens_enter(const struct view_eth *eth);

/* files.c: writes 2 n characters and a NUL. */
void files_hex(char *out, const uint8_t *bytes, size_t n);
int files_write_proc(const struct view_eth *eth, int dir_fd, struct sl_err *err);
int files_write_class(const struct view_eth *eth, int dir_fd, struct sl_err *err);

#endif
