/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls that are answered at once, that are parked, and that are kept while their peer goes; a peer
 * that does not read; a connection for which there is no descriptor. Run it under AddressSanitizer:
 * a call is freed exactly once.
 */
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "shim/proto/ttrpc.pb-c.h"
#include "shim/ttrpc/server.h"
#include "tests/unit/check.h"

#define MANY 2000

static struct loop loop;
static struct ttrpc_server server;
static struct sockaddr_un address;
static socklen_t address_len = sizeof(address);
static struct ttrpc_call *parked, *kept;

static void on_call(struct ttrpc_server *s, struct ttrpc_call *call, const char *service,
	const char *method, const uint8_t *payload, size_t n)
{
	(void)s;
	(void)service;
	if (strcmp(method, "Park") == 0)
		ttrpc_park(call, &parked);
	else if (strcmp(method, "Keep") == 0)
		kept = call;
	else if (strcmp(method, "Fail") == 0)
		ttrpc_fail(call, TTRPC_NOT_FOUND, "no such thing");
	else
		ttrpc_answer_bytes(call, payload, n);
}

static void turn(int n)
{
	for (int i = 0; i < n; i++) {
		struct epoll_event e;

		/* Nothing to do: a turn would wait. */
		if (epoll_wait(loop.epoll_fd, &e, 1, 20) == 1)
			loop_turn(&loop);
	}
}

static int dial(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	CHECK(fd >= 0 && connect(fd, (struct sockaddr *)&address, address_len) == 0);
	return fd;
}

static void ask(int fd, uint32_t stream, const char *method)
{
	Ttrpc__Request r = TTRPC__REQUEST__INIT;
	uint8_t frame[256];
	struct ttrpc_header h = { .stream = stream, .type = TTRPC_REQUEST };

	r.service = (char *)"s";
	r.method = (char *)method;
	h.length = (uint32_t)ttrpc__request__pack(&r, frame + TTRPC_HEADER);
	ttrpc_header_write(&h, frame);
	CHECK(write(fd, frame, TTRPC_HEADER + h.length) == (ssize_t)(TTRPC_HEADER + h.length));
}

/* Returns the code, or -1. */
static int hear(int fd, uint32_t stream)
{
	uint8_t head[TTRPC_HEADER], body[256];
	struct ttrpc_header h;
	Ttrpc__Response *r;
	int code;

	if (recv(fd, head, sizeof(head), MSG_DONTWAIT) != (ssize_t)sizeof(head))
		return -1;
	ttrpc_header_parse(head, &h);
	if (h.stream != stream || h.type != TTRPC_RESPONSE || h.length > sizeof(body) ||
		(h.length && recv(fd, body, h.length, MSG_DONTWAIT) != (ssize_t)h.length))
		return -1;
	r = proto_unpack(&ttrpc__response__descriptor, body, h.length);
	code = r && r->status ? r->status->code : 0;
	proto_free(r);
	return code;
}

static void answers(void)
{
	int fd = dial();

	ask(fd, 1, "Echo");
	ask(fd, 3, "Fail");
	turn(4);
	CHECK(hear(fd, 1) == TTRPC_OK);
	CHECK(hear(fd, 3) == TTRPC_NOT_FOUND);
	ask(fd, 5, "Park");
	ask(fd, 7, "Echo");
	turn(4);
	CHECK(hear(fd, 7) == TTRPC_OK);
	CHECK(parked != NULL && hear(fd, 5) == -1);
	ttrpc_answer_bytes(parked, NULL, 0);
	CHECK(parked == NULL && hear(fd, 5) == TTRPC_OK);
	close(fd);
	turn(2);
	CHECK(server.n_peers == 0);
}

static void peers_go(void)
{
	int fd = dial(), other = dial();

	ask(fd, 1, "Park");
	ask(other, 1, "Park");
	ask(fd, 3, "Park");
	ask(fd, 5, "Keep");
	turn(8);
	CHECK(parked && parked->next_parked && kept);
	close(fd);
	turn(2);
	CHECK(parked && !parked->next_parked); /* the other's */
	ttrpc_answer_bytes(kept, NULL, 0);     /* for nobody */
	ttrpc_answer_bytes(parked, NULL, 0);
	CHECK(hear(other, 1) == TTRPC_OK);
	close(other);
	turn(2);
	CHECK(server.n_peers == 0);
}

static void one_does_not_read(void)
{
	int fd = dial(), n = 0;

	for (uint32_t i = 0; i < MANY; i++) {
		ask(fd, i * 2 + 1, "Park");
		turn(1);
	}
	turn(2);
	while (parked)
		ttrpc_answer_bytes(parked, NULL, 0);
	CHECK(ttrpc_server_unsent(&server));
	for (int i = MANY; i-- > 0;) {
		int code = hear(fd, (uint32_t)i * 2 + 1);

		if (code < 0) {
			turn(1);
			code = hear(fd, (uint32_t)i * 2 + 1);
		}
		n += code == 0;
	}
	CHECK(n == MANY && !ttrpc_server_unsent(&server));
	close(fd);
	turn(2);
}

/* The loop does not spin on a connection that cannot be accepted; it has its turn later. */
static void no_descriptor_is_left(void)
{
	struct rlimit limit, none;
	int fd = dial(), turns = 0;

	CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	none = limit;
	none.rlim_cur = 0;
	CHECK(setrlimit(RLIMIT_NOFILE, &none) == 0);
	for (int64_t end = clock_now_ms() + 250; clock_now_ms() < end; turns++)
		loop_turn(&loop);
	CHECK(turns < 10 && server.n_peers == 0);
	CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	while (server.pause.due)
		loop_turn(&loop);
	ask(fd, 1, "Echo");
	turn(4);
	CHECK(hear(fd, 1) == TTRPC_OK);
	close(fd);
	turn(2);
}

int main(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	address.sun_family = AF_UNIX;
	CHECK(bind(fd, (struct sockaddr *)&address, sizeof(sa_family_t)) == 0 &&
		listen(fd, 8) == 0);
	CHECK(getsockname(fd, (struct sockaddr *)&address, &address_len) == 0);
	server.on_call = on_call;
	CHECK(loop_open(&loop) == 0 && ttrpc_server_open(&server, &loop, fd) == 0);
	answers();
	peers_go();
	one_does_not_read();
	no_descriptor_is_left();
	ttrpc_server_close(&server);
	loop_close(&loop);
	return check_done();
}
