/* SPDX-License-Identifier: Apache-2.0
 *
 * The container's HTTP proxy: if a rule needs it, the supervisor starts it as a child, a program
 * of its own (runtime/proxy). It is in the container's network namespace and in no other
 * namespace of the container. When the proxy ends, the ports that it serves are closed; when the
 * supervisor ends, the proxy ends.
 */
#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"
#include "runtime/proxy/proto.h"
#include "runtime/supervisor/build.h"

/* The proxy reads certificates and makes a key, which takes some milliseconds. */
#define START_MS 20000
#define END_MS   2000

/* The proxy gets /dev/null as stdio: otherwise it would keep the container's pipes open. */
static int proxy_set_fds(int link_fd, int plan_fd, int file_fd)
{
	const int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC), base = PROXY_PLAN_FD + 1;
	const int high_link = fcntl(link_fd, F_DUPFD_CLOEXEC, base);
	const int high_plan = fcntl(plan_fd, F_DUPFD_CLOEXEC, base);
	const int high_file = fcntl(file_fd, F_DUPFD_CLOEXEC, base);

	if (null_fd < 0 || high_link < 0 || high_plan < 0 || high_file < 0)
		return -1;
	for (int fd = 0; fd <= 2; fd++)
		if (dup2(null_fd, fd) < 0)
			return -1;
	if (dup2(high_link, PROXY_LINK_FD) < 0 || dup2(high_plan, PROXY_PLAN_FD) < 0)
		return -1;
	return prctl(PR_SET_PDEATHSIG, (long)SIGKILL, 0L, 0L, 0L) < 0 ? -1 : high_file;
}

static _Noreturn void proxy_execute(int link_fd, int plan_fd, int file_fd)
{
	char name[] = "sandlock:[proxy]";
	char *argv[] = { name, NULL };
	struct proxy_msg m = { .type = PROXY_FAILED };
	const int fd = proxy_set_fds(link_fd, plan_fd, file_fd);

	if (fd >= 0)
		syscall(SYS_execveat, fd, "", argv, environ, AT_EMPTY_PATH);
	sl_err_set(&m.err, errno, "execute it");
	send(link_fd, &m, PROXY_MSG_LEN(err), MSG_NOSIGNAL);
	_exit(1);
}

static int send_variable(int link_fd, const struct plan_http_credential *c, struct sl_err *err)
{
	const char *value = getenv(c->variable);

	if (!value || !*value)
		return sl_err_set(err, 0,
			"credential %s: the variable %s is not in the environment of the runtime",
			c->name, c->variable);
	if (strlen(value) > PROXY_SECRET_MAX ||
		send(link_fd, value, strlen(value), MSG_NOSIGNAL) < 0)
		return sl_err_set(err, errno, "credential %s: hand it to the HTTP proxy", c->name);
	return 0;
}

/* The values of credentials go to the proxy only. init is not forked yet, so no process of the
 * container inherits them. */
static int send_variables(int link_fd, const struct plan_http *plan, struct sl_err *err)
{
	for (size_t i = 0; i < plan->n_credentials; i++)
		if (plan->credentials[i].variable &&
			send_variable(link_fd, &plan->credentials[i], err) < 0)
			return -1;
	return 0;
}

static void wipe_variables(const struct plan_http *plan)
{
	for (size_t i = 0; i < plan->n_credentials; i++) {
		char *value = plan->credentials[i].variable ? getenv(plan->credentials[i].variable)
							    : NULL;

		if (value)
			explicit_bzero(value, strlen(value));
	}
}

int proxy_start(struct making *b, struct sl_err *err)
{
	struct supervisor *s = b->s;
	auto_fd int plan_fd = -1, mine = -1, theirs = -1;
	int pair[2], rc;

	if (!b->plan->http.needed)
		return 0;
	if (plan_http_pack(&b->plan->http, &plan_fd, err) < 0)
		return -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
		return sl_err_set(err, errno, "HTTP proxy: socketpair");
	mine = pair[0];
	theirs = pair[1];
	rc = send_variables(mine, &b->plan->http, err);
	wipe_variables(&b->plan->http);
	if (rc < 0)
		return -1;
	s->proxy_pid = fork();
	if (s->proxy_pid < 0)
		return sl_err_set(err, errno, "HTTP proxy: fork");
	if (s->proxy_pid == 0)
		proxy_execute(theirs, plan_fd, b->job->proxy_fd);
	s->proxy_fd = take_fd(&mine);
	return 0;
}

static int proxy_hear(int fd, struct proxy_msg *ret, struct sl_err *err)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	size_t n_fds;
	const int ready = poll(&p, 1, START_MS);
	ssize_t r;

	if (ready < 0)
		return sl_err_set(err, errno, "HTTP proxy: poll");
	if (ready == 0)
		return sl_err_set(err, 0, "HTTP proxy: it has not started within %d seconds",
			START_MS / 1000);
	r = io_recv_fds(fd, ret, sizeof(*ret), NULL, 0, &n_fds);
	if (r < (ssize_t)offsetof(struct proxy_msg, authority.pem))
		return sl_err_set(err, r < 0 ? errno : 0, "HTTP proxy: it has ended");
	if (ret->type == PROXY_FAILED) {
		*err = ret->err;
		return sl_err_wrap(err, "HTTP proxy");
	}
	if (ret->type != PROXY_READY || ((const char *)ret)[r - 1] != '\0')
		return sl_err_set(err, EPROTO, "HTTP proxy");
	return 0;
}

/* Whether the file is new, empty, or a certificate of an earlier container. */
static bool holds_certificate_only(int fd)
{
	static const char begin[] = "-----BEGIN CERTIFICATE-----";
	char text[PROXY_PEM_MAX + 1];
	const ssize_t n = pread(fd, text, sizeof(text), 0);

	if (n <= 0 || n == (ssize_t)sizeof(text))
		return n == 0;
	text[n] = '\0';
	return strncmp(text, begin, strlen(begin)) == 0 && !strstr(text, "PRIVATE KEY");
}

/* The author of the bundle names the file, which must not make the runtime destroy another one.
 * RESOLVE_NO_SYMLINKS: nor must a link of the author's lead to another one. */
static int write_out(const struct plan_http_file *f, const char *pem, struct sl_err *err)
{
	const struct open_how how = { .flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK,
		.mode = 0644,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS };
	auto_fd int base_fd = -1, fd = -1;

	if (!f->path)
		return 0;
	base_fd = open(f->base, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (base_fd >= 0)
		fd = (int)syscall(SYS_openat2, base_fd, f->path, &how, sizeof(how));
	if (fd >= 0 && !holds_certificate_only(fd))
		return sl_err_set(err, 0,
			"annotation io.sandlock.config.http_ca_out: %s is there and is no "
			"certificate, so it is not replaced",
			f->path);
	if (fd < 0 || ftruncate(fd, 0) < 0 || io_write_all(fd, pem, strlen(pem)) < 0)
		return sl_err_set(
			err, errno, "annotation io.sandlock.config.http_ca_out: write %s", f->path);
	return 0;
}

int proxy_await(struct making *b, struct sl_err *err)
{
	struct proxy_msg *m;

	if (b->s->proxy_fd < 0)
		return 0;
	m = arena_alloc(b->arena, sizeof(*m));
	if (proxy_hear(b->s->proxy_fd, m, err) < 0)
		return -1;
	if (!m->authority.name[0])
		return 0;
	m->authority.name[sizeof(m->authority.name) - 1] = '\0';
	b->authority = m->authority.pem;
	b->authority_name = m->authority.name;
	return write_out(&b->plan->http.ca_out, b->authority, err);
}

/* The proxy exits when the link is closed; it is killed if it does not. */
void proxy_end(struct supervisor *s)
{
	auto_fd int fd = -1;
	struct pollfd p = { .events = POLLIN };

	drop_fd(&s->proxy_fd);
	if (s->proxy_pid <= 0)
		return;
	fd = pidfd_open(s->proxy_pid, 0);
	p.fd = fd;
	if (fd >= 0 && poll(&p, 1, END_MS) != 1)
		pidfd_send_signal(fd, SIGKILL, NULL, 0);
	waitpid(s->proxy_pid, NULL, 0);
	s->proxy_pid = 0;
}
