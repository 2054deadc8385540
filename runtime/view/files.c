/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes what proc(5) and sysfs show of interfaces, in the kernel's formats. The files agree with
 * the interfaces in the lens (view.h). All counters are zero, as they are there. The tables of
 * sockets contain only their first line.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/count.h"
#include "runtime/base/io.h"
#include "runtime/view/internal.h"

#define SOCKETS_V4                                                                                 \
	"  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  "      \
	"timeout inode"
#define SOCKETS_V6                                                                                 \
	"  sl  local_address                         remote_address                        st "    \
	"tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode"
#define DATAGRAMS " ref pointer drops\n"
#define NO_BYTES                                                                                   \
	"       0       0    0    0    0     0          0         0        0       0    0    0   " \
	" "                                                                                        \
	"0     0       0          0\n"
#define V6_ANY "00000000000000000000000000000000"
#define V6_LO  "00000000000000000000000000000001"

struct fixed_file {
	const char *name;
	const char *text;
};

static const struct fixed_file fixed[] = {
	{ "arp", "IP address       HW type     Flags       HW address            Mask     "
		 "Device\n" },
	{ "dev_mcast", "" },
	{ "icmp", SOCKETS_V4 DATAGRAMS },
	{ "icmp6", SOCKETS_V6 DATAGRAMS },
	{ "igmp", "Idx\tDevice    : Count Querier\tGroup    Users Timer\tReporter\n"
		  "1\tlo        :     1      V3\n"
		  "\t\t\t\t010000E0     1 0:00000000\t\t0\n" },
	{ "igmp6", "1    lo              ff020000000000000000000000000001     1 0000000C 0\n"
		   "1    lo              ff010000000000000000000000000001     1 00000008 0\n" },
	{ "netlink", "sk               Eth Pid        Groups   Rmem     Wmem     Dump  Locks    "
		     "Drops    Inode\n" },
	{ "netstat", "TcpExt: SyncookiesSent SyncookiesRecv SyncookiesFailed ListenOverflows "
		     "ListenDrops TCPTimeouts TCPSynRetrans\n"
		     "TcpExt: 0 0 0 0 0 0 0\n"
		     "IpExt: InNoRoutes InTruncatedPkts InMcastPkts OutMcastPkts InBcastPkts "
		     "OutBcastPkts InOctets OutOctets\n"
		     "IpExt: 0 0 0 0 0 0 0 0\n" },
	{ "packet", "sk               RefCnt Type Proto  Iface R Rmem   User   Inode\n" },
	{ "protocols",
		"protocol  size sockets  memory press maxhdr  slab module     cl co di ac io in de "
		"sh ss gs se re bi br ha uh gp em\n" },
	{ "raw", SOCKETS_V4 DATAGRAMS },
	{ "raw6", SOCKETS_V6 DATAGRAMS },
	{ "snmp", "Ip: Forwarding DefaultTTL InReceives InHdrErrors InAddrErrors ForwDatagrams "
		  "InUnknownProtos InDiscards InDelivers OutRequests OutDiscards OutNoRoutes "
		  "ReasmTimeout ReasmReqds ReasmOKs ReasmFails FragOKs FragFails FragCreates\n"
		  "Ip: 2 64 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
		  "Icmp: InMsgs InErrors InCsumErrors InDestUnreachs OutMsgs OutErrors "
		  "OutDestUnreachs\n"
		  "Icmp: 0 0 0 0 0 0 0\n"
		  "Tcp: RtoAlgorithm RtoMin RtoMax MaxConn ActiveOpens PassiveOpens AttemptFails "
		  "EstabResets CurrEstab InSegs OutSegs RetransSegs InErrs OutRsts InCsumErrors\n"
		  "Tcp: 1 200 120000 -1 0 0 0 0 0 0 0 0 0 0 0\n"
		  "Udp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors "
		  "InCsumErrors IgnoredMulti MemErrors\n"
		  "Udp: 0 0 0 0 0 0 0 0 0\n" },
	{ "snmp6", "Ip6InReceives                   \t0\n"
		   "Ip6InDelivers                   \t0\n"
		   "Ip6OutRequests                  \t0\n"
		   "Ip6InOctets                     \t0\n"
		   "Ip6OutOctets                    \t0\n"
		   "Icmp6InMsgs                     \t0\n"
		   "Icmp6OutMsgs                    \t0\n"
		   "Udp6InDatagrams                 \t0\n"
		   "Udp6OutDatagrams                \t0\n" },
	{ "sockstat", "sockets: used 0\n"
		      "TCP: inuse 0 orphan 0 tw 0 alloc 0 mem 0\n"
		      "UDP: inuse 0 mem 0\n"
		      "UDPLITE: inuse 0\n"
		      "RAW: inuse 0\n"
		      "FRAG: inuse 0 memory 0\n" },
	{ "sockstat6", "TCP6: inuse 0\nUDP6: inuse 0\nUDPLITE6: inuse 0\nRAW6: inuse 0\n"
		       "FRAG6: inuse 0 memory 0\n" },
	{ "tcp", SOCKETS_V4 "\n" },
	{ "tcp6", SOCKETS_V6 "\n" },
	{ "udp", " " SOCKETS_V4 DATAGRAMS },
	{ "udp6", SOCKETS_V6 DATAGRAMS },
	{ "unix", "Num       RefCount Protocol Flags    Type St Inode Path\n" },
};

static int write_file(int dir_fd, const char *name, const char *text, struct sl_err *err)
{
	auto_fd int fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0444);

	if (fd < 0 || io_write_all(fd, text, strlen(text)) < 0)
		return sl_err_set(err, errno, "interfaces: write %s", name);
	return 0;
}

void files_hex(char *out, const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

/* Writes the IPv4 tables that contain addresses. */
static int write_v4(const struct view_eth *eth, int dir_fd, struct sl_err *err)
{
	static const char loopback[] = "     +-- 127.0.0.0/8 2 0 2\n"
				       "        +-- 127.0.0.0/31 1 0 0\n"
				       "           |-- 127.0.0.0\n"
				       "              /8 host LOCAL\n"
				       "           |-- 127.0.0.1\n"
				       "              /32 host LOCAL\n"
				       "        |-- 127.255.255.255\n"
				       "           /32 link BROADCAST\n";
	const char *out = eth->has_v4 ? "     |-- 0.0.0.0\n        /0 link UNICAST\n" : "";
	char own[64] = "", table[512], text[1280];

	if (eth->has_v4)
		snprintf(own, sizeof(own), "     |-- %u.%u.%u.%u\n        /32 host LOCAL\n",
			eth->v4[0], eth->v4[1], eth->v4[2], eth->v4[3]);
	snprintf(table, sizeof(table), "  +-- 0.0.0.0/0 3 0 5\n%s%s%s", out, loopback, own);
	snprintf(text, sizeof(text), "Main:\n%sLocal:\n%s", table, table);
	if (write_file(dir_fd, "fib_trie", text, err) < 0)
		return -1;
	snprintf(text, sizeof(text),
		"Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\t"
		"IRTT\n%s",
		eth->has_v4 ? VIEW_ETH "\t00000000\t00000000\t0001\t0\t0\t0\t00000000\t0\t0\t0\n"
			    : "");
	return write_file(dir_fd, "route", text, err);
}

static int write_v6(const struct view_eth *eth, int dir_fd, struct sl_err *err)
{
	char addr[2 * sizeof(eth->v6) + 1], addrs[256] = "", routes[1024] = "", own[256] = "";
	size_t n = 0;

	files_hex(addr, eth->v6, sizeof(eth->v6));
	if (eth->has_v6) {
		n = (size_t)snprintf(addrs, sizeof(addrs), "%s %02x 80 00 82 %8s\n", addr,
			(unsigned int)VIEW_ETH_INDEX, VIEW_ETH);
		snprintf(routes, sizeof(routes),
			"%s 80 " V6_ANY " 00 " V6_ANY
			" 00000100 00000001 00000000 00000001 %8s\n" V6_ANY " 00 " V6_ANY
			" 00 " V6_ANY " 00000400 00000001 00000000 00000001 %8s\n",
			addr, VIEW_ETH, VIEW_ETH);
		snprintf(own, sizeof(own),
			"%s 80 " V6_ANY " 00 " V6_ANY " 00000000 00000002 00000000 80200001 %8s\n",
			addr, VIEW_ETH);
	}
	snprintf(addrs + n, sizeof(addrs) - n, V6_LO " 01 80 10 80 %8s\n", VIEW_LO);
	if (write_file(dir_fd, "if_inet6", addrs, err) < 0)
		return -1;
	n = strlen(routes);
	snprintf(routes + n, sizeof(routes) - n,
		V6_LO " 80 " V6_ANY " 00 " V6_ANY
		      " 00000000 00000002 00000000 80200001 %8s\n%s" V6_ANY " 00 " V6_ANY
		      " 00 " V6_ANY " ffffffff 00000001 00000000 00200200 %8s\n",
		VIEW_LO, own, VIEW_LO);
	return write_file(dir_fd, "ipv6_route", routes, err);
}

static bool has_eth(const struct view_eth *eth)
{
	return eth->has_v4 || eth->has_v6;
}

static int write_dev(const struct view_eth *eth, int dir_fd, struct sl_err *err)
{
	char text[1024];

	snprintf(text, sizeof(text),
		"Inter-|   Receive                                                |  Transmit\n"
		" face |bytes    packets errs drop fifo frame compressed multicast|bytes    "
		"packets errs drop fifo colls carrier compressed\n"
		"    " VIEW_LO ":" NO_BYTES "%s",
		has_eth(eth) ? "  " VIEW_ETH ":" NO_BYTES : "");
	return write_file(dir_fd, "dev", text, err);
}

/* The umask is cleared so that all users of the container can read the files. */
int files_write_proc(const struct view_eth *eth, int dir_fd, struct sl_err *err)
{
	const mode_t old = umask(0);
	int r = 0;

	for (size_t i = 0; i < COUNT(fixed) && r == 0; i++)
		r = write_file(dir_fd, fixed[i].name, fixed[i].text, err);
	if (r < 0 || write_dev(eth, dir_fd, err) < 0 || write_v4(eth, dir_fd, err) < 0 ||
		write_v6(eth, dir_fd, err) < 0)
		r = -1;
	umask(old);
	return r;
}

static int fill_interface(int class_fd, const char *name, const struct fixed_file *files, size_t n,
	struct sl_err *err)
{
	auto_fd int fd = -1;

	if (mkdirat(class_fd, name, 0755) < 0 && errno != EEXIST)
		return sl_err_set(err, errno, "interfaces: make %s", name);
	fd = openat(class_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return sl_err_set(err, errno, "interfaces: open %s", name);
	for (size_t i = 0; i < n; i++)
		if (write_file(fd, files[i].name, files[i].text, err) < 0)
			return -1;
	return 0;
}

static int write_eth(const struct view_eth *eth, int dir_fd, struct sl_err *err)
{
	const uint8_t *m = eth->mac;
	char address[32], index[16];
	const struct fixed_file files[] = { { "address", address }, { "carrier", "1\n" },
		{ "flags", "0x83\n" }, { "ifindex", index }, { "iflink", index },
		{ "mtu", "1500\n" }, { "operstate", "unknown\n" }, { "type", "1\n" } };

	snprintf(address, sizeof(address), "%02x:%02x:%02x:%02x:%02x:%02x\n", m[0], m[1], m[2],
		m[3], m[4], m[5]);
	snprintf(index, sizeof(index), "%d\n", VIEW_ETH_INDEX);
	return fill_interface(dir_fd, VIEW_ETH, files, COUNT(files), err);
}

int files_write_class(const struct view_eth *eth, int dir_fd, struct sl_err *err)
{
	static const struct fixed_file lo[] = { { "address", "00:00:00:00:00:00\n" },
		{ "carrier", "1\n" }, { "flags", "0x9\n" }, { "ifindex", "1\n" },
		{ "iflink", "1\n" }, { "mtu", "65536\n" }, { "operstate", "unknown\n" },
		{ "tx_queue_len", "1000\n" }, { "type", "772\n" } };
	const mode_t old = umask(0);
	int r = fill_interface(dir_fd, VIEW_LO, lo, COUNT(lo), err);

	if (r == 0 && has_eth(eth))
		r = write_eth(eth, dir_fd, err);
	umask(old);
	return r;
}
