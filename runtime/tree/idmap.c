/* SPDX-License-Identifier: Apache-2.0
 *
 * mount_setattr(2) takes the mapping of an idmapped mount from a user namespace. A child process is
 * created in a new one and waits there. The supervisor writes the maps of the namespace
 * (user_namespaces(7)), opens the namespace and ends the child. The workload never sees the child.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "runtime/base/io.h"
#include "runtime/tree/internal.h"

static int map_write(pid_t pid, const char *file, const struct spec_id_mapping *maps, size_t n,
	struct sl_err *err)
{
	auto_free char *text = NULL;
	auto_file FILE *out = NULL;
	auto_fd int fd = -1;
	char path[48];
	size_t len = 0;

	out = open_memstream(&text, &len);
	if (!out)
		return sl_err_set(err, ENOMEM, "%s", file);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%u %u %u\n", maps[i].container_id, maps[i].host_id, maps[i].size);
	if (fflush(out) != 0)
		return sl_err_set(err, ENOMEM, "%s", file);
	snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	/* The kernel accepts a map only once and only in one write. */
	if (fd < 0 || write(fd, text, len) != (ssize_t)len)
		return sl_err_set(err, errno, "idmap: write %s", file);
	return 0;
}

static int namespace_make(const struct plan_mount *m, struct sl_err *err)
{
	char path[48];
	int fd = -1;
	pid_t pid = (pid_t)syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, NULL);

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	if (pid < 0)
		return sl_err_set(err, errno, "idmap: user namespace");
	if (map_write(pid, "uid_map", m->uid_mappings, m->n_uid_mappings, err) == 0 &&
		map_write(pid, "gid_map", m->gid_mappings, m->n_gid_mappings, err) == 0) {
		snprintf(path, sizeof(path), "/proc/%d/ns/user", pid);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			sl_err_fill(err, errno, "idmap: open the user namespace");
	}
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return fd;
}

int idmap_prepare(struct builder *b, struct sl_err *err)
{
	const struct plan_fs *fs = b->fs;

	for (size_t i = 0; i < fs->n_mounts; i++) {
		const struct plan_mount *m = &fs->mounts[i];
		int fd;

		if (!m->idmap || idmap_fd(b, m) >= 0)
			continue;
		fd = namespace_make(m, err);
		if (fd < 0)
			return sl_err_wrap(err, "mount %s to %s", m->source, m->destination);
		if (!b->idmap_fds) {
			b->idmap_fds = arena_array(b->a, fs->n_mounts, sizeof(int));
			for (size_t k = 0; k < fs->n_mounts; k++)
				b->idmap_fds[k] = -1;
		}
		b->idmap_fds[i] = fd;
	}
	return 0;
}

int idmap_fd(const struct builder *b, const struct plan_mount *m)
{
	return b->idmap_fds ? b->idmap_fds[m - b->fs->mounts] : -1;
}
