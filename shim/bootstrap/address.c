/* SPDX-License-Identifier: Apache-2.0
 *
 * The socket of a shim. Its name is made of containerd's address, containerd's namespace and the
 * group, as containerd's own shims do it. The directory is locked while a socket is made there,
 * because a socket that does not listen yet looks like one whose shim is gone.
 */
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sha2.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "runtime/base/io.h"
#include "runtime/base/json.h"
#include "runtime/store/store.h"
#include "shim/bootstrap/bootstrap.h"
#include "shim/ttrpc/frame.h"
#include "spec/spec.h"

#define SOCKET_DIR "/run/containerd/s"
#define LOCK_MS    5000
#define ANSWER_MS  2000 /* a shim's loop never waits */

/* unix(7): sun_path without its terminating zero. */
#define SOCKET_PATH_MAX 107

enum service { SERVICE_ANSWERS, SERVICE_GONE, SERVICE_HANGS };

static const char *const group_keys[] = {
	"io.containerd.runc.v2.group",
	"io.kubernetes.cri.sandbox-id",
	"io.kubernetes.cri-o.SandboxID",
};

const char *bootstrap_group(const struct bootstrap *b)
{
	const struct json *spec;
	struct sl_err ignored;
	char *text;
	size_t n;

	/* The bundle of a sandbox may have no config.json. If one cannot be read, create reports
	 * the error. */
	if (io_read_file(b->arena, AT_FDCWD, "config.json", SPEC_MAX_BYTES, &text, &n, &ignored) <
			0 ||
		json_parse(b->arena, text, n, &spec, &ignored) < 0)
		return b->id;
	for (size_t i = 0; i < sizeof(group_keys) / sizeof(group_keys[0]); i++) {
		const struct json *v = json_get(json_get(spec, "annotations"), group_keys[i]);

		if (v && v->type == JSON_STRING && *v->text)
			return v->text;
	}
	return b->id;
}

static const char *socket_name(const struct bootstrap *b, const char *group)
{
	char *name = arena_alloc(b->arena, SHA256_DIGEST_STRING_LENGTH);
	const char *text = arena_printf(b->arena, "%s/%s/%s", b->address, b->namespace, group);

	return SHA256Data((const uint8_t *)text, strlen(text), name);
}

static int address_open_dir(const char *dir, int *ret_fd, struct sl_err *err)
{
	auto_fd int fd = -1;

	if (store_open_root(dir, true, &fd, err) < 0)
		return -1;
	if (store_lock(fd, LOCK_MS) < 0)
		return sl_err_set(err, errno, "lock %s", dir);
	*ret_fd = take_fd(&fd);
	return 0;
}

/* A successful connect does not prove that a shim serves: a child that a killed shim had just
 * forked keeps the socket open. So an empty request is sent, which a shim that serves answers. */
static enum service find_service(int dir_fd, const char *name)
{
	const struct ttrpc_header request = { .stream = 1, .type = TTRPC_REQUEST };
	auto_fd int fd = io_unix_connect(dir_fd, name, SOCK_STREAM);
	struct pollfd answer = { .fd = fd, .events = POLLIN };
	uint8_t bytes[TTRPC_HEADER];

	if (fd < 0)
		return errno == ECONNREFUSED || errno == ENOENT ? SERVICE_GONE : SERVICE_HANGS;
	ttrpc_header_write(&request, bytes);
	if (send(fd, bytes, sizeof(bytes), MSG_NOSIGNAL) < 0)
		return SERVICE_GONE;
	if (poll(&answer, 1, ANSWER_MS) <= 0)
		return SERVICE_HANGS;
	return recv(fd, bytes, 1, 0) == 1 ? SERVICE_ANSWERS : SERVICE_GONE;
}

static int listen_at(int dir_fd, const char *name, struct listener *l, struct sl_err *err)
{
	const enum service there = find_service(dir_fd, name);
	mode_t mask;

	l->fd = -1;
	if (there == SERVICE_ANSWERS)
		return 0;
	if (there == SERVICE_HANGS)
		return sl_err_set(err, 0, "the shim at %s does not answer", l->path);
	unlinkat(dir_fd, name, 0);
	mask = umask(0177);
	l->fd = io_unix_listen(dir_fd, name, SOCK_STREAM);
	umask(mask);
	return l->fd < 0 ? sl_err_set(err, errno, "listen at %s", l->path) : 0;
}

int bootstrap_listen(const struct bootstrap *b, struct listener *ret, struct sl_err *err)
{
	const char *dir = b->socket_dir ? b->socket_dir : SOCKET_DIR;
	const char *name = socket_name(b, bootstrap_group(b));
	auto_fd int dir_fd = -1;

	ret->path = arena_printf(b->arena, "%s/%s", dir, name);
	if (strlen(ret->path) > SOCKET_PATH_MAX)
		return sl_err_set(err, ENAMETOOLONG, "socket %s", ret->path);
	if (address_open_dir(dir, &dir_fd, err) < 0)
		return -1;
	return listen_at(dir_fd, name, ret, err);
}

static void address_forget(const char *dir, const char *name)
{
	auto_fd int dir_fd = -1;
	struct sl_err ignored;

	if (address_open_dir(dir, &dir_fd, &ignored) == 0 &&
		find_service(dir_fd, name) == SERVICE_GONE)
		unlinkat(dir_fd, name, 0);
}

void bootstrap_forget_socket(const struct bootstrap *b, const char *bundle)
{
	const char *file = arena_printf(b->arena, "%s/address", bundle);
	struct sl_err ignored;
	char *address, *slash;
	size_t n;

	if (io_read_file(b->arena, AT_FDCWD, file, PATH_MAX, &address, &n, &ignored) < 0 ||
		strncmp(address, "unix:///", 8) != 0)
		return;
	address += strlen("unix://");
	slash = strrchr(address, '/');
	*slash = '\0';
	address_forget(address, slash + 1);
}
