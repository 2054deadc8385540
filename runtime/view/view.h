/* SPDX-License-Identifier: Apache-2.0
 *
 * The network interfaces that a container on the host's stack is shown: `lo`, and `eth0` when
 * its rules lead beyond loopback. Both really are there, in a nearly empty network namespace
 * (the lens) that the supervisor makes for itself when somebody looks for the first time.
 * Route sockets of the container are made in the lens (rtnetlink(7), so all of netlink's
 * meaning is the kernel's own), and so are the answers to SIOCGIF* (netdevice(7)). The
 * container itself never enters it.
 *
 * Nor does it see who else has sockets on a stack that it shares (sock_diag(7)): these are listed
 * in the lens as well, where there are none but what was made there for it. That holds also where
 * the interfaces are seen as they are.
 *
 * What can only be read as files (/proc/net, /sys/class/net) is written once, before the
 * workload starts, from the same facts. Failure regime: while opening, return the error;
 * afterwards deny.
 */
#ifndef SANDLOCK_VIEW_VIEW_H
#define SANDLOCK_VIEW_VIEW_H

#include "runtime/notif/notif.h"
#include "runtime/plan/net.h"

struct view;

struct view_setup {
	const struct plan_net *plan; /* not needed afterwards */
	bool own_files;              /* of /proc/net, because they will change (view_proc_fd()) */
	/* Gives back the rights that making the lens took. Returns 0, or -1 with errno. */
	int (*settle)(void);
};

/* In the container's stack: asks its routing which addresses lead out. Whatever else needs a
 * socket in that stack must be open before the first call that is answered. */
int view_open(
	struct arena *a, const struct view_setup *setup, struct view **ret, struct sl_err *err);

/* The files of /proc/net and /sys/class/net are the same for all containers that are shown the
 * same, and are written once for the machine: *ret is the path of the directory that holds them
 * in the places given. NULL: this container needs files of its own, or the machine has no place
 * for common ones; then view_fill_proc() and view_fill_class() write them. */
struct view_places {
	const char *proc; /* "a/b" */
	const char *class;
	const char *files; /* the directory of a template that has these two */
	const char *empty; /* and one that stays empty: an overlay wants two layers */
};
int view_template(struct arena *a, const struct view *v, const struct view_places *p,
	const char **ret, struct sl_err *err);

/* Writes the files of /proc/net into a directory, which is taken. */
int view_fill_proc(struct view *v, int *dir_fd, struct sl_err *err);
/* That directory; -1: it is the machine's, or the tree has none. tcp, tcp6, udp and udp6 hold a
 * headline only; to list sockets there write a new file beside one and renameat(2) it over: no
 * reader sees half a table. The file system is small, and the container may fill it (its
 * /dev/mqueue): a write that fails leaves the old table. */
int view_proc_fd(const struct view *v);

int view_fill_class(const struct view *v, int dir_fd, struct sl_err *err);

/* Makes the lens when it is not there yet: the rights that making it takes are gone then. */
bool view_ready(struct view *v);

/* socket(AF_NETLINK, …, NETLINK_ROUTE or NETLINK_SOCK_DIAG), and socket(AF_INET, SOCK_DGRAM) where
 * no rule allows UDP. Many programs ask about interfaces on such a one, or connect it to learn
 * their address. That is what it is good for: bind(2) fails with EINVAL, a send with EPIPE, and
 * nothing is ever received. */
void view_on_socket(const struct notif_call *c, struct notif_verdict *verdict, void *view);
/* ioctl(…, SIOCGIF*, …) */
void view_on_interface(const struct notif_call *c, struct notif_verdict *verdict, void *view);

#endif
