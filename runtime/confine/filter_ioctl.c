/* SPDX-License-Identifier: Apache-2.0
 *
 * ioctl(2): commands to terminals, network devices and pidfds.
 */
#include <errno.h>
#include <linux/kd.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>

#include "runtime/base/count.h"
#include "runtime/confine/internal.h"

/* Commands to network devices (linux/sockios.h). Smaller numbers are commands to the socket
 * itself. */
#define DEVICE_FIRST   0x8908
#define DEVICE_LAST    0x89ff
#define DEVICE_PRIVATE SIOCPROTOPRIVATE
#define WIRELESS_FIRST 0x8b00 /* SIOCIWFIRST, linux/wireless.h */
#define WIRELESS_LAST  0x8bff

static bpf_node rule_device(struct filter_rules *r)
{
	static const uint32_t asked[] = { SIOCGIFNAME, SIOCGIFCONF, SIOCGIFFLAGS, SIOCGIFADDR,
		SIOCGIFDSTADDR, SIOCGIFBRDADDR, SIOCGIFNETMASK, SIOCGIFMETRIC, SIOCGIFMEM,
		SIOCGIFMTU, SIOCGIFHWADDR, SIOCGIFINDEX, SIOCGIFPFLAGS, SIOCGIFTXQLEN, SIOCGIFMAP };
	/* Other commands that would read the host's devices. The answer is that of a device without
	 * the feature. */
	static const uint32_t unsupported[] = { SIOCGIFENCAP, SIOCGIFSLAVE, SIOCGIFCOUNT, SIOCGIFBR,
		SIOCETHTOOL, SIOCGMIIPHY, SIOCGMIIREG, SIOCGARP, SIOCGRARP, SIOCGIFVLAN,
		SIOCBONDSLAVEINFOQUERY, SIOCBONDINFOQUERY, SIOCGHWTSTAMP };
	bpf_node none = filter_fail(r, EOPNOTSUPP);
	bpf_node next = filter_fail(r, EPERM);

	next = bpf_if(r->b, BPF_JGE, DEVICE_PRIVATE, none, next);
	next = bpf_if_any(r->b, unsupported, COUNT(unsupported), none, next);
	/* The number of bytes that a TCP socket has not sent yet, which concerns the socket
	 * only. */
	next = bpf_if(r->b, BPF_JEQ, SIOCOUTQNSD, filter_pass(r), next);
	return bpf_if_any(r->b, asked, COUNT(asked), filter_ask(r), next);
}

/* Most commands have smaller numbers than those of network devices, so one comparison skips the
 * devices. */
static bpf_node before_devices(struct filter_rules *r, bpf_node next)
{
	bpf_node device, wireless;

	if (!r->params->view)
		return next;
	device = rule_device(r);
	wireless = bpf_if(r->b, BPF_JGT, WIRELESS_LAST, next, filter_fail(r, EOPNOTSUPP));
	wireless = bpf_if(r->b, BPF_JGE, WIRELESS_FIRST, wireless, next);
	device = bpf_if(r->b, BPF_JGT, DEVICE_LAST, wireless, device);
	return bpf_if(r->b, BPF_JGE, DEVICE_FIRST, device, next);
}

#define IOCTL_COMMAND_MASK 0xffffU /* type and number, without size and direction */
#define PIDFD_INFO_COMMAND 0xff0bU

bpf_node filter_rule_ioctl(struct filter_rules *r, int arg)
{
	static const uint32_t refused[] = { TIOCSTI, TIOCLINUX, TIOCSETD, TIOCCONS, KDSKBENT,
		KDSKBSENT, KDSKBDIACR, KDSKBDIACRUC, KDSETKEYCODE };
	bpf_node next =
		bpf_if_any(r->b, refused, COUNT(refused), filter_fail(r, EPERM), filter_pass(r));
	bpf_node again = bpf_load(r->b, BPF_ARG_LOW((unsigned int)arg), before_devices(r, next));
	/* PIDFD_GET_INFO with any size of its structure. It would show the parent, user and cgroup
	 * of any process of the host. ENOTTY is the answer of kernels before 6.13. */
	bpf_node info = bpf_if(r->b, BPF_JEQ, PIDFD_INFO_COMMAND, filter_fail(r, ENOTTY), again);

	return bpf_load(
		r->b, BPF_ARG_LOW((unsigned int)arg), bpf_and(r->b, IOCTL_COMMAND_MASK, info));
}
