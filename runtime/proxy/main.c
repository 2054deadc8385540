/* SPDX-License-Identifier: Apache-2.0
 *
 * sandlock-proxy is started by a supervisor only, which gives it the link and the plan as
 * descriptors (proto.h). It opens what it needs, confines itself, sends READY, and serves until the
 * supervisor is gone.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "runtime/base/daemon.h"
#include "runtime/base/proctitle.h"
#include "runtime/confine/proxy.h"
#include "runtime/proxy/link.h"
#include "runtime/proxy/tls.h"

/* The memory of a proxy holds secrets. So it leaves no core file, and only a process with
 * CAP_SYS_PTRACE can read it. */
static int shut_memory(struct sl_err *err)
{
	const struct rlimit none = { 0, 0 };

	if (setrlimit(RLIMIT_CORE, &none) < 0 ||
		daemon_stay("sandlock:[proxy]", "sandlock:[proxy]") < 0)
		return sl_err_set(err, errno, "shut the memory");
	return 0;
}

/* Each connection has two sockets; 64 are for everything else. */
static int allow_connections(uint32_t n, struct sl_err *err)
{
	const rlim_t enough = 2 * (rlim_t)n + 64;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return sl_err_set(err, errno, "getrlimit");
	if (limit.rlim_cur >= enough)
		return 0;
	limit.rlim_cur = enough;
	if (limit.rlim_max < enough)
		return sl_err_set(err, 0,
			"http.connections of the node policy: %u need %llu open files, and the "
			"limit is %llu",
			n, (unsigned long long)enough, (unsigned long long)limit.rlim_max);
	return setrlimit(RLIMIT_NOFILE, &limit) < 0 ? sl_err_set(err, errno, "setrlimit") : 0;
}

static int proxy_prepare(
	struct arena *a, struct proxy *p, struct proxy_msg *ready, struct sl_err *err)
{
	struct plan_http *plan = arena_alloc(a, sizeof(*plan));
	const int *dirs;
	size_t n_dirs;

	if (shut_memory(err) < 0 || plan_http_unpack(a, PROXY_PLAN_FD, plan, err) < 0)
		return -1;
	close(PROXY_PLAN_FD);
	if (allow_connections(plan->limits.connections, err) < 0)
		return -1;
	p->plan = plan;
	p->conns = arena_array(a, plan->limits.connections, sizeof(struct conn *));
	if (loop_open(&p->loop) < 0)
		return sl_err_set(err, errno, "open the loop");
	if (secrets_open(a, plan, PROXY_LINK_FD, &p->secrets, err) < 0)
		return -1;
	if (plan->tls && tls_open(plan, &p->tls, ready, err) < 0)
		return -1;
	if (link_open(p, err) < 0)
		return -1;
	dirs = secrets_directories(p->secrets, &n_dirs);
	return confine_proxy(dirs, n_dirs, err);
}

/* A supervisor gives no arguments. */
static int say_who_starts_it(const char *argument)
{
	const bool help = strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0;

	if (strcmp(argument, "--version") == 0 || strcmp(argument, "-v") == 0) {
		printf("sandlock-proxy version %s\n", SANDLOCK_VERSION);
		return 0;
	}
	fprintf(help ? stdout : stderr,
		"sandlock-proxy judges the HTTP requests of a container, whose supervisor starts "
		"it.\nSee sandlock-proxy(8) and sandlock-oci-annotations(5).\n");
	return help ? 0 : 2;
}

static void proxy_say_failed(const struct sl_err *err)
{
	struct proxy_msg m = { .type = PROXY_FAILED };

	m.err = *err;
	send(PROXY_LINK_FD, &m, PROXY_MSG_LEN(err), MSG_NOSIGNAL);
}

int main(int argc, char **argv)
{
	struct arena *a = arena_new();
	struct proxy p = { .loop = { .epoll_fd = -1, .many = true } };
	static struct proxy_msg ready = { .type = PROXY_READY };
	struct sl_err err;

	if (argc > 1)
		return say_who_starts_it(argv[1]);
	proctitle_init(argc, argv);
	if (proxy_prepare(a, &p, &ready, &err) < 0) {
		proxy_say_failed(&err);
		return 1;
	}
	if (proxy_send(&p, &ready,
		    offsetof(struct proxy_msg, authority.pem) + strlen(ready.authority.pem) + 1,
		    NULL) < 0)
		return 1;
	while (!p.over)
		loop_turn(&p.loop);
	return 0;
}
