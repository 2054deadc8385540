/* SPDX-License-Identifier: Apache-2.0
 *
 * The network interfaces that the runtime shows to a container on the host's stack: `lo`, and
 * `eth0` if the container's rules permit other hosts. Both exist in a nearly empty network
 * namespace (the lens), which the supervisor creates when a process asks about interfaces for the
 * first time. The supervisor creates the container's route sockets in the lens (rtnetlink(7)), so
 * the kernel itself answers there, and it asks there for SIOCGIF* (netdevice(7)). The container
 * never enters the lens.
 *
 * The container cannot list the sockets of others on a shared stack either (sock_diag(7)): it lists
 * the sockets in the lens, where only those exist that were created for it. This is so even where
 * the container sees the real interfaces.
 *
 * What can only be read as files (/proc/net, /sys/class/net) is written once, before the workload
 * starts, from the same addresses. Failures during the opening are returned; later failures deny
 * the call.
 */
#ifndef SANDLOCK_VIEW_VIEW_H
#define SANDLOCK_VIEW_VIEW_H

#include "runtime/notif/notif.h"
#include "runtime/plan/net.h"

struct view;

struct view_setup {
	const struct plan_net *plan; /* not needed after view_open() */
	/* the container needs its own /proc/net, because the files will change (view_proc_fd()) */
	bool own_files;
	/* Gives up the rights that creating the lens needed. Returns 0, or -1 with errno. */
	int (*settle)(void);
};

/* To be called in the container's network stack, whose routing it asks for the node's addresses.
 * All other sockets of this stack must be open before the first answer: then the process enters the
 * lens. */
int view_open(
	struct arena *a, const struct view_setup *setup, struct view **ret, struct sl_err *err);

/* The files of /proc/net and /sys/class/net are the same for all containers that are shown the
 * same, and are written once for the machine. *ret is the path of the directory that holds them in
 * the given places. NULL: this container needs its own files, or the machine has no place for
 * common ones; then call view_fill_proc() and view_fill_class(). */
struct view_places {
	const char *proc; /* "a/b" */
	const char *class;
	const char *files; /* the directory of a template that contains proc and class */
	const char *empty; /* a directory that stays empty: an overlay needs two layers */
};
int view_template(struct arena *a, const struct view *v, const struct view_places *p,
	const char **ret, struct sl_err *err);

/* Writes the files of /proc/net into a directory. Takes ownership of the descriptor. */
int view_fill_proc(struct view *v, int *dir_fd, struct sl_err *err);
/* The directory with the container's own files; -1: it is common, or the tree has none. tcp, tcp6,
 * udp and udp6 contain only their first line. To list sockets, write a new file in this directory
 * and rename it over the old one with renameat(2), so that no reader sees half a table. The file
 * system is small, and the container may fill it (its /dev/mqueue is there); a write that fails
 * leaves the old table. */
int view_proc_fd(const struct view *v);

int view_fill_class(const struct view *v, int dir_fd, struct sl_err *err);

/* Creates the lens if it does not exist, and gives up the rights that this needed. Returns whether
 * the lens can be used. */
bool view_ready(struct view *v);

/* Handles socket(AF_NETLINK, …, NETLINK_ROUTE or NETLINK_SOCK_DIAG), and socket(AF_INET,
 * SOCK_DGRAM) where no rule allows UDP. Many programs ask about interfaces on such a datagram
 * socket, or connect it to learn their own address. It can be used for that only: bind(2) fails
 * with EINVAL, a send fails with EPIPE, and nothing is ever received. */
void view_on_socket(const struct notif_call *c, struct notif_verdict *verdict, void *view);
/* Handles ioctl(…, SIOCGIF*, …). */
void view_on_interface(const struct notif_call *c, struct notif_verdict *verdict, void *view);

#endif
