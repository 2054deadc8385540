/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/plan/resolve.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/clock.h"
#include "runtime/base/io.h"

struct name_lookup {
	pid_t pid;
	int fd;
};

struct result {
	int error; /* result of getaddrinfo(3) */
	size_t n;
	struct plan_net_addr addrs[PLAN_NET_ADDRS_MAX];
};

static bool has_address(const struct result *r, const struct plan_net_addr *a)
{
	for (size_t i = 0; i < r->n; i++)
		if (memcmp(&r->addrs[i], a, sizeof(*a)) == 0)
			return true;
	return false;
}

static void add_address(struct result *r, const struct addrinfo *info)
{
	const struct sockaddr_in *sin = (const struct sockaddr_in *)info->ai_addr;
	const struct sockaddr_in6 *sin6 = (const struct sockaddr_in6 *)info->ai_addr;
	struct plan_net_addr a = { .v6 = info->ai_family == AF_INET6 };

	if (info->ai_family != AF_INET && info->ai_family != AF_INET6)
		return;
	if (a.v6)
		memcpy(a.bytes, &sin6->sin6_addr, sizeof(sin6->sin6_addr));
	else
		memcpy(a.bytes, &sin->sin_addr, sizeof(sin->sin_addr));
	if (r->n < PLAN_NET_ADDRS_MAX && !has_address(r, &a))
		r->addrs[r->n++] = a;
}

static _Noreturn void lookup_child(const char *name, int fd)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *list = NULL;
	struct result r = { 0 };

	r.error = getaddrinfo(name, NULL, &hints, &list);
	for (const struct addrinfo *i = r.error ? NULL : list; i; i = i->ai_next)
		add_address(&r, i);
	_exit(io_write_all(fd, &r, sizeof(r)) < 0);
}

static int begin_lookup(const char *name, struct name_lookup *l)
{
	int pair[2];

	if (pipe2(pair, O_CLOEXEC) < 0)
		return -1;
	l->fd = pair[0];
	l->pid = fork();
	if (l->pid == 0)
		lookup_child(name, pair[1]);
	close(pair[1]);
	return l->pid < 0 ? -1 : 0;
}

/* A write of up to PIPE_BUF bytes to a pipe is atomic, and a result is smaller. */
_Static_assert(sizeof(struct result) <= 4096, "a result does not fit");

static int collect_addresses(
	const struct name_lookup *l, struct plan_net_host *h, int64_t until_ms, struct sl_err *err)
{
	const int64_t left = until_ms - clock_now_ms();
	struct pollfd p = { .fd = l->fd, .events = POLLIN };
	struct result r;

	if (poll(&p, 1, left > 0 ? (int)left : 0) <= 0)
		return sl_err_set(err, 0, "%s: \"%s\" does not resolve within %d ms", h->key,
			h->name, NET_RESOLVE_MS);
	if (read(l->fd, &r, sizeof(r)) != (ssize_t)sizeof(r))
		return sl_err_set(err, 0, "%s: \"%s\": the look-up failed", h->key, h->name);
	if (r.error || r.n == 0)
		return sl_err_set(err, 0, "%s: \"%s\" does not resolve: %s", h->key, h->name,
			r.error ? gai_strerror(r.error) : "no address");
	memcpy(h->addrs, r.addrs, sizeof(h->addrs));
	h->n_addrs = r.n;
	return 0;
}

static void end(struct name_lookup *l)
{
	drop_fd(&l->fd);
	if (l->pid > 0) {
		kill(l->pid, SIGKILL);
		waitpid(l->pid, NULL, 0);
	}
}

int plan_net_resolve(struct plan_net *plan, struct sl_err *err)
{
	auto_arena struct arena *a = arena_new();
	struct name_lookup *l = arena_array(a, plan->n_hosts + 1, sizeof(*l));
	const int64_t until_ms = clock_now_ms() + NET_RESOLVE_MS;
	int rc = 0;

	for (size_t i = 0; i < plan->n_hosts; i++)
		l[i].fd = -1;
	for (size_t i = 0; i < plan->n_hosts && rc == 0; i++)
		if (begin_lookup(plan->hosts[i].name, &l[i]) < 0)
			rc = sl_err_set(err, errno, "look up \"%s\"", plan->hosts[i].name);
	for (size_t i = 0; i < plan->n_hosts && rc == 0; i++)
		rc = collect_addresses(&l[i], &plan->hosts[i], until_ms, err);
	for (size_t i = 0; i < plan->n_hosts; i++)
		end(&l[i]);
	return rc;
}

const char *plan_net_hosts_text(struct arena *a, const struct plan_net *plan)
{
	const char *text = "";

	for (size_t i = 0; i < plan->n_hosts; i++) {
		const struct plan_net_host *h = &plan->hosts[i];

		for (size_t k = 0; k < h->n_addrs; k++) {
			char addr[INET6_ADDRSTRLEN];

			inet_ntop(h->addrs[k].v6 ? AF_INET6 : AF_INET, h->addrs[k].bytes, addr,
				sizeof(addr));
			text = arena_printf(a, "%s%s\t%s\n", text, addr, h->name);
		}
	}
	return text;
}
