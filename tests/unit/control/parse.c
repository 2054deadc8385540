/* SPDX-License-Identifier: Apache-2.0
 *
 * control_parse(): every good request, and everything that is wrong with a bad one.
 */
#include "runtime/control/control.h"

#include <string.h>

#include "tests/unit/check.h"

static struct control_request request(enum control_type type)
{
	return (struct control_request){ .magic = CONTROL_MAGIC, .type = type };
}

static int parse(const struct control_request *r, size_t n_fds, struct sl_err *err)
{
	struct control_request got;

	if (control_parse(r, sizeof(*r), n_fds, &got, err) < 0)
		return -1;
	CHECK(memcmp(&got, r, sizeof(got)) == 0);
	return 0;
}

static void good(void)
{
	static const enum control_type plain[] = { CONTROL_START, CONTROL_SIGNAL_ALL, CONTROL_STATS,
		CONTROL_PAUSE, CONTROL_RESUME, CONTROL_REPORT, CONTROL_EXECS, CONTROL_WAIT,
		CONTROL_UPDATE };
	struct control_request r;
	struct sl_err err;

	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		r = request(plain[i]);
		CHECK(parse(&r, 0, &err) == 0);
		CHECK_ERR_CONTAINS(parse(&r, 1, &err), err, "descriptors");
	}
	r = request(CONTROL_SIGNAL_ALL);
	r.signal = 64;
	CHECK(parse(&r, 0, &err) == 0);
	r = request(CONTROL_EXEC);
	CHECK(parse(&r, 4, &err) == 0);
	r.n_preserve = 2;
	CHECK(parse(&r, 6, &err) == 0);
	r.terminal = 1;
	CHECK(parse(&r, 3, &err) == 0);
	r.ignore_paused = 1;
	CHECK(parse(&r, 3, &err) == 0);
}

static void bad_fields(void)
{
	struct control_request r = request(CONTROL_START);
	struct sl_err err;

	r.magic++;
	CHECK_ERR_CONTAINS(parse(&r, 0, &err), err, "another version");
	r = request((enum control_type)0);
	CHECK_ERR_CONTAINS(parse(&r, 0, &err), err, "control request 0");
	r = request((enum control_type)(CONTROL_UPDATE + 1));
	CHECK_ERR_CONTAINS(parse(&r, 0, &err), err, "control request");
	r = request(CONTROL_SIGNAL_ALL);
	r.signal = 65;
	CHECK_ERR_CONTAINS(parse(&r, 0, &err), err, "out of range");
	r.signal = -1;
	CHECK_ERR_CONTAINS(parse(&r, 0, &err), err, "out of range");
	r = request(CONTROL_EXEC);
	r.terminal = 2;
	CHECK_ERR_CONTAINS(parse(&r, 1, &err), err, "out of range");
	r.terminal = 0;
	r.ignore_paused = 2;
	CHECK_ERR_CONTAINS(parse(&r, 4, &err), err, "out of range");
}

static void bad_descriptors(void)
{
	struct control_request r = request(CONTROL_EXEC);
	struct sl_err err;

	CHECK_ERR_CONTAINS(parse(&r, 0, &err), err, "0 descriptors");
	CHECK_ERR_CONTAINS(parse(&r, 3, &err), err, "3 descriptors");
	CHECK_ERR_CONTAINS(parse(&r, 5, &err), err, "5 descriptors");
	r.n_preserve = IO_MAX_FDS + 1;
	CHECK_ERR_CONTAINS(parse(&r, 4 + IO_MAX_FDS + 1, &err), err, "descriptors");
	/* A sum that wraps around must not fit. */
	r.n_preserve = UINT32_MAX;
	CHECK_ERR_CONTAINS(parse(&r, 3, &err), err, "descriptors");
	CHECK(err.code == EPROTO);
}

static void bad_lengths(void)
{
	struct control_request r = request(CONTROL_STATS), got = { .type = 99 };
	char longer[sizeof(r) + 1] = "";
	struct sl_err err;

	memcpy(longer, &r, sizeof(r));
	CHECK_ERR_CONTAINS(control_parse(longer, 0, 0, &got, &err), err, "of 0 bytes");
	CHECK_ERR_CONTAINS(control_parse(longer, sizeof(r) - 1, 0, &got, &err), err, "bytes");
	CHECK_ERR_CONTAINS(control_parse(longer, sizeof(longer), 0, &got, &err), err, "bytes");
	CHECK(got.type == 99); /* written only on success */
}

int main(void)
{
	good();
	bad_fields();
	bad_descriptors();
	bad_lengths();
	return check_done();
}
