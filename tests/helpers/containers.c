/* SPDX-License-Identifier: Apache-2.0
 *
 * containers ROOT BUNDLE: two containers of one process, by runtime/container/container.h alone, as
 * a shim has them. The process of the bundle reads a number and ends with it. Prints nothing, and
 * ends with 0 when everything was as expected.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/container/container.h"

#define N       2
#define WAIT_MS 10000

#define EXPECT(condition)                                                                          \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "line %d: %s: %s\n", __LINE__, #condition, err.msg);       \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

struct one {
	char id[32];
	int in_fd, out_fd; /* this process' ends */
	struct container_created made;
};

static struct sl_err err;

static void make(struct runtime *rt, const char *bundle, struct one *o)
{
	int in[2], out[2];

	EXPECT(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0);
	const struct container_create req = {
		.id = o->id,
		.bundle = bundle,
		.stdio_fds = (const int[]){ in[0], out[1], 2 },
		.image_fd = -1,
	};

	EXPECT(container_create(rt, &req, &o->made, &err) == 0);
	EXPECT(o->made.stage == CONTAINER_WAITS);
	close(in[0]);
	close(out[1]);
	o->in_fd = in[1];
	o->out_fd = out[0];
	/* The id is in use: an error, and the container that has it goes on. */
	struct container_created other;

	EXPECT(container_create(rt, &req, &other, &err) < 0);
}

static enum record_status status_of(struct runtime *rt, const char *id)
{
	auto_container struct container c = CONTAINER_NONE;

	EXPECT(container_open(rt, id, CONTAINER_READ, &c, &err) == 0);
	return c.status;
}

static int exec(struct runtime *rt, const char *id, const char *script)
{
	const char *args[] = { "sh", "-c", script };
	auto_container struct container c = CONTAINER_NONE;
	struct container_exec req;
	struct container_execed x;
	int status;

	EXPECT(container_open(rt, id, CONTAINER_READ, &c, &err) == 0);
	EXPECT(container_exec_base(rt, &c, &req, &err) == 0);
	req.process.args = (char **)args;
	req.process.n_args = 3;
	EXPECT(container_exec(rt, &c, &req, &x, &err) == 0);
	EXPECT(container_exec_wait(x.conn_fd, WAIT_MS, &status, &err) == 0);
	close(x.conn_fd);
	return status;
}

/* The counters of a container that has ended stay as they were at its end. */
static uint64_t used_by(struct runtime *rt, const char *id)
{
	auto_container struct container c = CONTAINER_NONE;
	struct container_stats st;

	EXPECT(container_open(rt, id, CONTAINER_READ, &c, &err) == 0);
	EXPECT(container_stats(rt, &c, &st, &err) == 0);
	EXPECT(st.n_processes == (c.status == RECORD_STOPPED ? 0 : 1));
	return st.counted.user_ns + st.counted.system_ns;
}

static void end(struct runtime *rt, struct one *o, char number)
{
	const char line[] = { number, '\n' };
	const uint64_t before = used_by(rt, o->id);
	char text[16] = "";
	int status;

	EXPECT(container_wait(&o->made, 0, &status, &err) < 0 && err.code == ETIMEDOUT);
	EXPECT(write(o->in_fd, line, 2) == 2);
	EXPECT(container_wait(&o->made, WAIT_MS, &status, &err) == 0);
	EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == number - '0');
	EXPECT(read(o->out_fd, text, sizeof(text)) == 6 && memcmp(text, "got ", 4) == 0);
	EXPECT(text[4] == number);
	EXPECT(status_of(rt, o->id) == RECORD_STOPPED);
	EXPECT(used_by(rt, o->id) >= before);
	container_created_close(&o->made);
	close(o->in_fd);
	close(o->out_fd);
}

int main(int argc, char **argv)
{
	struct runtime rt = { .root = argv[1] };
	const int first_fd = dup(0);
	struct one all[N];

	if (argc != 3 || close(first_fd) < 0)
		return 2;
	for (int i = 0; i < N; i++) {
		snprintf(all[i].id, sizeof(all[i].id), "c%d-%d", getpid(), i);
		rt.arena = arena_new();
		make(&rt, argv[2], &all[i]);
		arena_free(rt.arena);
	}
	rt.arena = arena_new();
	for (int i = 0; i < N; i++) {
		const struct container_start req = { .id = all[i].id };
		struct container_started started;

		EXPECT(status_of(&rt, all[i].id) == RECORD_CREATED);
		EXPECT(container_start(&rt, &req, &started, &err) == 0);
		EXPECT(started.pid == all[i].made.pid);
	}
	EXPECT(WEXITSTATUS(exec(&rt, all[1].id, "exit 7")) == 7);
	EXPECT(container_delete(&rt, all[0].id, CONTAINER_DELETE_STOPPED, &err) < 0);
	for (int i = 0; i < N; i++)
		end(&rt, &all[i], (char)('3' + i));
	for (int i = 0; i < N; i++) {
		EXPECT(container_delete(&rt, all[i].id, CONTAINER_DELETE_STOPPED, &err) == 0);
		EXPECT(container_delete(&rt, all[i].id, CONTAINER_DELETE_STOPPED, &err) < 0);
		EXPECT(container_delete(&rt, all[i].id, CONTAINER_DELETE_ANY, &err) == 0);
	}
	arena_free(rt.arena);
	EXPECT(waitpid(-1, NULL, WNOHANG) < 0); /* no child is left, */
	EXPECT(dup(0) == first_fd);             /* and no descriptor */
	return 0;
}
