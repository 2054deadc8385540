/* SPDX-License-Identifier: Apache-2.0
 *
 * Responses: where their body ends, what is refused, what ends with the connection.
 */
#include "runtime/http/reader.h"
#include "tests/unit/check.h"

static const struct http_limits limits = { .head_bytes = 4096, .fields = 10 };

struct expected {
	const char *bytes;
	const char *words; /* "200:abc end", "fault:two-lengths", "more" */
	bool head;         /* the answer to a HEAD */
};

#define OK   "HTTP/1.1 200 OK\r\n"
#define TE   "Transfer-Encoding: chunked\r\n"
#define CL   "Content-Length: "
#define ENDS "\r\n\r\n"

static const struct expected table[] = {
	{ OK CL "3" ENDS "abc", "200 abc end", false },
	{ OK CL "0" ENDS, "200 end", false },
	{ OK CL "3" ENDS, "200 end", true },
	{ OK TE "\r\n3\r\nabc\r\n0\r\n\r\n", "200 abc end", false },
	{ OK TE "\r\n", "200 end", true },
	{ OK "\r\nabc", "200 abc end", false },
	{ "HTTP/1.0 200 OK\r\n\r\nabc", "200 abc end", false },
	{ "HTTP/1.1 200\r\n\r\n", "200 end", false },
	{ "HTTP/1.1 204 No Content\r\n\r\n", "204 end", false },
	{ "HTTP/1.1 204 No Content\r\n" CL "0" ENDS, "204 end", false },
	{ "HTTP/1.1 304 Not Modified\r\n" CL "1000" ENDS, "304 end", false },
	{ "HTTP/1.1 100 Continue\r\n\r\n" OK CL "1" ENDS "a", "100 end 200 a end", false },
	{ "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n" OK CL "0" ENDS, "103 end 200 end", false },
	{ "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
		"101 end", false },
	{ OK CL "3" ENDS "ab", "200 ab fault:cut", false },
	{ OK TE "\r\n3\r\nabc\r\n", "200 abc fault:cut", false },
	{ OK CL "3", "fault:cut", false },
	{ "", "eof", false },
	{ OK CL "3\r\n" CL "3" ENDS "abc", "fault:two-lengths", false },
	{ OK CL "3\r\n" TE "\r\n0\r\n\r\n", "fault:length-and-coding", false },
	{ OK "Transfer-Encoding: gzip, chunked" ENDS, "fault:coding", false },
	{ OK "Transfer-Encoding: identity" ENDS, "fault:coding-last", false },
	{ "HTTP/1.0 200 OK\r\n" TE "\r\n0\r\n\r\n", "fault:coding-version", false },
	{ "HTTP/1.1 204 No Content\r\n" CL "3" ENDS "abc", "fault:length", false },
	{ "HTTP/1.1 204 No Content\r\n" TE "\r\n0\r\n\r\n", "fault:coding-last", false },
	{ "HTTP/1.1 100 Continue\r\n" CL "3" ENDS, "fault:length", false },
	{ OK "X: a\r\n b" ENDS, "fault:folded", false },
	{ OK "X : a" ENDS, "fault:field-name", false },
	{ OK "X: a\nY: b" ENDS, "fault:line-end", false },
	{ "HTTP/1.1 200 OK\n\n", "fault:line-end", false },
	{ "\r\n" OK ENDS, "fault:status-line", false },
	{ "HTTP/1.1 99 No\r\n\r\n", "fault:status-line", false },
	{ "HTTP/1.1 2000 No\r\n\r\n", "fault:status-line", false },
	{ "HTTP/1.1 600 No\r\n\r\n", "fault:status-line", false },
	{ "HTTP/1.1  200 No\r\n\r\n", "fault:status-line", false },
	{ "HTTP/1.1 200 a\001\r\n\r\n", "fault:status-line", false },
	{ "HTTP/2.0 200 OK\r\n\r\n", "fault:version", false },
	{ "ICY 200 OK\r\n\r\n", "fault:status-line", false },
	{ "SSH-2.0-x\r\n\r\n", "fault:status-line", false },
};

static void say(char *words, size_t size, const char *before, const char *text)
{
	size_t at = strlen(words);

	snprintf(words + at, size - at, "%s%s%s", at ? " " : "", before, text);
}

static void run(const struct expected *e, size_t step)
{
	static struct http_head head;
	struct http_reader r;
	char words[256] = "", body[64] = "", number[8];
	size_t have = 0, at = 0, len = strlen(e->bytes);
	enum http_event ev = HTTP_NEED_MORE;

	http_reader_init(&r, HTTP_RESPONSES, &limits);
	http_reader_expect(&r, e->head);
	while (ev != HTTP_GOT_FAULT && ev != HTTP_GOT_EOF) {
		struct http_piece p = { 0 };

		ev = http_reader_next(&r, e->bytes + at, have - at, SIZE_MAX, &head, &p);
		if (ev == HTTP_NEED_MORE && have == len) {
			ev = http_reader_eof(&r, have - at - p.used);
			at = len;
		}
		at = at == len ? len : at + p.used;
		if (ev == HTTP_GOT_BODY)
			strncat(body, p.body.s, p.body.n);
		if (ev != HTTP_GOT_BODY && ev != HTTP_NEED_MORE && *body) {
			say(words, sizeof(words), "", body);
			*body = '\0';
		}
		if (ev == HTTP_GOT_HEAD) {
			snprintf(number, sizeof(number), "%u", head.status);
			say(words, sizeof(words), "", number);
		} else if (ev == HTTP_GOT_END) {
			say(words, sizeof(words), "", "end");
		} else if (ev == HTTP_GOT_EOF && *words == '\0') {
			say(words, sizeof(words), "", "eof");
		} else if (ev == HTTP_GOT_FAULT) {
			say(words, sizeof(words), "fault:", http_fault_word(r.fault));
		} else if (ev == HTTP_NEED_MORE) {
			have = len - have < step ? len : have + step;
		}
	}
	CHECK_STR(words, e->words);
}

static void check_splice(void)
{
	static struct http_head head;
	struct http_reader r;
	struct http_piece p;
	const char text[] = OK CL "10" ENDS;

	http_reader_init(&r, HTTP_RESPONSES, &limits);
	CHECK(http_reader_left(&r) == 0);
	CHECK(http_reader_next(&r, text, strlen(text), 0, &head, &p) == HTTP_GOT_HEAD);
	CHECK(http_reader_left(&r) == 10);
	http_reader_passed(&r, 4);
	CHECK(http_reader_left(&r) == 6);
	CHECK(http_reader_next(&r, "xx", 2, 0, &head, &p) == HTTP_NEED_ROOM && p.used == 0);
	http_reader_passed(&r, 6);
	CHECK(http_reader_next(&r, "", 0, 0, &head, &p) == HTTP_GOT_END);
}

static void check_limits(void)
{
	static struct http_head head;
	static char big[5000];
	struct http_reader r;
	struct http_piece p;

	memset(big, 'a', sizeof(big));
	http_reader_init(&r, HTTP_REQUESTS, &limits);
	CHECK(http_reader_next(&r, big, 4095, 0, &head, &p) == HTTP_NEED_MORE);
	CHECK(http_reader_next(&r, big, 4096, 0, &head, &p) == HTTP_GOT_FAULT);
	CHECK(r.fault == HTTP_FAULT_LINE_SIZE && http_fault_status(r.fault) == 414);
	memcpy(big, "GET / HTTP/1.1\r\nX: ", 19);
	http_reader_init(&r, HTTP_REQUESTS, &limits);
	CHECK(http_reader_next(&r, big, 4096, 0, &head, &p) == HTTP_GOT_FAULT);
	CHECK(r.fault == HTTP_FAULT_HEAD_SIZE && http_fault_status(r.fault) == 431);
	for (int i = 0; i < 11; i++)
		memcpy(big + 16 + (ptrdiff_t)i * 6, "A: b\r\n", 6);
	memcpy(big + 16 + 66, "\r\n", 2);
	http_reader_init(&r, HTTP_REQUESTS, &limits);
	CHECK(http_reader_next(&r, big, 84, 0, &head, &p) == HTTP_GOT_FAULT);
	CHECK(r.fault == HTTP_FAULT_HEAD_FIELDS);
	memcpy(big + 16 + 60, "\r\n", 2);
	http_reader_init(&r, HTTP_REQUESTS, &limits);
	CHECK(http_reader_next(&r, big, 78, 0, &head, &p) == HTTP_GOT_HEAD && p.used == 78);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		run(&table[i], 1000);
		run(&table[i], 1);
	}
	check_splice();
	check_limits();
	return check_done();
}
