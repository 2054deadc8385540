/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes one line of JSON for each denial to audit.log in the state directory. The workload decides
 * how many denials there are, so the rate and the size are limited. The next line counts the
 * denials that were left out.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"
#include "runtime/net/internal.h"

#define AUDIT_FILE       "audit.log"
#define AUDIT_OLD        "audit.log.1"
#define AUDIT_BYTES      ((size_t)256 * 1024) /* of one file; there are two files */
#define AUDIT_PER_SECOND 20
#define AUDIT_BURST      100U

static bool may_write(struct audit *au)
{
	const bool may = tokens_take(&au->lines, AUDIT_BURST, AUDIT_PER_SECOND);

	au->suppressed += !may;
	return may;
}

static int open_file(struct audit *au)
{
	if (au->fd >= 0 && au->size < AUDIT_BYTES)
		return 0;
	if (au->fd >= 0) {
		drop_fd(&au->fd);
		renameat(au->dir_fd, AUDIT_FILE, au->dir_fd, AUDIT_OLD);
	}
	au->size = 0;
	au->fd = openat(au->dir_fd, AUDIT_FILE, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	return au->fd < 0 ? -1 : 0;
}

/* The text comes from the workload or a client, so everything that could end a JSON string is
 * replaced. */
void audit_tame(char *text)
{
	for (char *p = text; *p; p++)
		if (*p < ' ' || *p == '"' || *p == '\\' || *p > '~')
			*p = '?';
}

static void read_comm(const struct net *n, pid_t pid, char *buf, size_t size)
{
	char path[32];

	snprintf(path, sizeof(path), "%d/comm", pid);
	if (io_slurp(n->setup.proc_fd, path, buf, size) < 0)
		buf[0] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	audit_tame(buf);
}

static const char *print_dest(const struct net_dest *d, char *buf, size_t size)
{
	static const char *const protos[NET_PROTOS] = { "tcp", "udp", "icmp" };
	char text[INET6_ADDRSTRLEN] = "?";
	uint8_t bytes[16];

	net_addr_to_bytes(d->addr, d->v6, bytes);
	inet_ntop(d->v6 ? AF_INET6 : AF_INET, bytes, text, sizeof(text));
	snprintf(buf, size, d->v6 ? "%s://[%s]:%u" : "%s://%s:%u", protos[d->proto], text, d->port);
	return buf;
}

static const char *reason_words(const struct net *n, const struct net_answer *why)
{
	switch (why->reason) {
	case NET_BY_RULE: return n->reach.rules[why->rule];
	case NET_BY_CEILING: return "node ceiling";
	case NET_BY_LOCAL: return "local addresses are closed";
	case NET_BY_PASSING: return "datagram sockets are not passed on";
	case NET_BY_BIND_LIST: return "ports that may be bound";
	case NET_BY_NO_PROXY: return "HTTP port: the proxy has ended or is full";
	case NET_BY_DEFAULT: break;
	}
	return "default";
}

static void write_line(struct audit *au, const char *line, int len, size_t size)
{
	if (len <= 0 || (size_t)len >= size)
		return;
	if (io_write_all(au->fd, line, (size_t)len) == 0) {
		au->size += (size_t)len;
		au->suppressed = 0;
	}
}

void audit_denial(struct net *n, const struct notif_call *c, const struct net_dest *d,
	const struct net_answer *why)
{
	struct audit *au = &n->audit;
	char comm[32], dest[80], line[2048];
	struct timespec now;
	int len;

	au->denials++;
	if (!may_write(au) || open_file(au) < 0)
		return;
	read_comm(n, c->pid, comm, sizeof(comm));
	clock_gettime(CLOCK_REALTIME, &now);
	len = snprintf(line, sizeof(line),
		"{\"time\":%lld.%03ld,\"id\":\"%s\",\"pod\":\"%s\",\"pid\":%d,\"comm\":\"%s\","
		"\"syscall\":\"%s\",\"destination\":\"%s\",\"rule\":\"%.1024s\",\"suppressed\":%"
		"llu}\n",
		(long long)now.tv_sec, now.tv_nsec / 1000000, au->id, au->pod, c->pid, comm,
		c->row ? c->row->name : "?", d ? print_dest(d, dest, sizeof(dest)) : "?",
		reason_words(n, why), (unsigned long long)au->suppressed);
	write_line(au, line, len, sizeof(line));
}

void audit_request(struct net *n, const struct proxy_audit *what, bool always)
{
	struct proxy_audit w = *what;
	struct audit *au = &n->audit;
	struct timespec now;
	char line[2048];
	int len;

	au->denials++;
	if ((!may_write(au) && !always) || open_file(au) < 0)
		return;
	w.method[sizeof(w.method) - 1] = w.host[sizeof(w.host) - 1] = '\0';
	w.path[sizeof(w.path) - 1] = w.rule[sizeof(w.rule) - 1] = '\0';
	audit_tame(w.method);
	audit_tame(w.host);
	audit_tame(w.path);
	audit_tame(w.rule);
	clock_gettime(CLOCK_REALTIME, &now);
	len = snprintf(line, sizeof(line),
		"{\"time\":%lld.%03ld,\"id\":\"%s\",\"pod\":\"%s\",\"method\":\"%s\",\"host\":\"%"
		"s\","
		"\"path\":\"%s\",\"rule\":\"%s\",\"suppressed\":%llu}\n",
		(long long)now.tv_sec, now.tv_nsec / 1000000, au->id, au->pod, w.method, w.host,
		w.path, w.rule, (unsigned long long)au->suppressed);
	write_line(au, line, len, sizeof(line));
}
