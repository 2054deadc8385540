/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "annotations/annotations.h"
#include "runtime/base/io.h"
#include "shim/proto/proto.h"
#include "shim/sandbox/sandbox.h"

#define RESOLV_MAX (1U << 20)
#define IPC_NODE   2 /* runtime.v1.NamespaceMode */

static const char *join(struct arena *a, const char *key, char *const *words, size_t n)
{
	const char *line = key;

	for (size_t i = 0; i < n; i++)
		line = arena_printf(a, "%s %s", line, words[i]);
	return n ? arena_printf(a, "%s\n", line) : "";
}

/* resolv.conf(5) */
static const char *render_dns(struct arena *a, const Sandbox__DnsConfig *dns)
{
	const char *text = join(a, "search", dns->searches, dns->n_searches);

	for (size_t i = 0; i < dns->n_servers; i++)
		text = arena_printf(a, "%snameserver %s\n", text, dns->servers[i]);
	return arena_printf(a, "%s%s", text, join(a, "options", dns->options, dns->n_options));
}

static int sandbox_write_file(int dir_fd, const char *name, const char *text, struct sl_err *err)
{
	return io_replace_file(dir_fd, name, text, strlen(text), 0644, err);
}

static int write_resolv(
	struct arena *a, int dir_fd, const Sandbox__PodConfig *c, struct sl_err *err)
{
	char *host;
	size_t n;

	if (c && c->dns_config)
		return sandbox_write_file(dir_fd, "resolv.conf", render_dns(a, c->dns_config), err);
	if (io_read_file(a, AT_FDCWD, "/etc/resolv.conf", RESOLV_MAX, &host, &n, err) < 0)
		return err->code == ENOENT ? 0 : -1;
	return sandbox_write_file(dir_fd, "resolv.conf", host, err);
}

static int write_hostname(
	struct arena *a, int dir_fd, const Sandbox__PodConfig *c, struct sl_err *err)
{
	char host[HOST_NAME_MAX + 1];
	const char *name = c ? c->hostname : "";

	if (!*name && gethostname(host, sizeof(host)) == 0)
		name = host;
	return sandbox_write_file(dir_fd, "hostname", arena_printf(a, "%s\n", name), err);
}

static bool shares_hosts_ipc(const Sandbox__PodConfig *c)
{
	return c && c->linux_config && c->linux_config->security_context &&
	       c->linux_config->security_context->namespace_options &&
	       c->linux_config->security_context->namespace_options->ipc == IPC_NODE;
}

static int mount_shm(struct arena *a, const char *bundle, struct sl_err *err)
{
	const char *shm = arena_printf(a, "%s/shm", bundle);

	if (mkdir(shm, 0700) < 0 && errno != EEXIST)
		return sl_err_set(err, errno, "mkdir %s", shm);
	if (mount("shm", shm, "tmpfs", MS_NOEXEC | MS_NOSUID | MS_NODEV,
		    "mode=1777,size=" SANDBOX_SHM_SIZE) < 0)
		return sl_err_set(err, errno, "mount %s", shm);
	return 0;
}

/* A container gets those of the pod which containerd is told to hand on, and its create judges them
 * by the node policy. A mistake in one of them is told of before there is a container. */
static int check_annotations(struct arena *a, const Sandbox__PodConfig *c, struct sl_err *err)
{
	const size_t n = c ? c->n_annotations : 0;
	struct key_value *kvs = arena_array(a, n, sizeof(*kvs));
	struct annotations ignored;

	for (size_t i = 0; i < n; i++) {
		kvs[i].key = c->annotations[i]->key;
		kvs[i].value = c->annotations[i]->value;
	}
	return annotations_parse(a, kvs, n, &ignored, err);
}

int sandbox_make_files(const char *bundle, const Sandbox__PodConfig *config, struct sl_err *err)
{
	auto_arena struct arena *a = arena_new();
	auto_fd int dir_fd = open(bundle, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (check_annotations(a, config, err) < 0)
		return -1;
	if (dir_fd < 0)
		return sl_err_set(err, errno, "sandbox: bundle %s", bundle);
	if (write_resolv(a, dir_fd, config, err) < 0 ||
		write_hostname(a, dir_fd, config, err) < 0 ||
		(!shares_hosts_ipc(config) && mount_shm(a, bundle, err) < 0))
		return sl_err_wrap(err, "sandbox");
	return 0;
}

int sandbox_remove_files(const char *bundle, struct sl_err *err)
{
	auto_arena struct arena *a = arena_new();
	const char *shm = arena_printf(a, "%s/shm", bundle);

	if (umount2(shm, MNT_DETACH | UMOUNT_NOFOLLOW) < 0 && errno != EINVAL && errno != ENOENT)
		return sl_err_set(err, errno, "sandbox: unmount %s", shm);
	return 0;
}
