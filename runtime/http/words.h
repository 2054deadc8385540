/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside the room: sets of bytes and what is done with spans. ASCII only; no locale.
 */
#ifndef SANDLOCK_HTTP_WORDS_H
#define SANDLOCK_HTTP_WORDS_H

#include "runtime/http/http.h"

enum {
	HTTP_C_TOKEN = 1,       /* tchar, RFC 9110 section 5.6.2 */
	HTTP_C_VALUE = 2,       /* of a field value: VCHAR, obs-text, space, tab */
	HTTP_C_PATH = 4,        /* pchar of RFC 3986, "/" and "%" */
	HTTP_C_ENCODE = 8,      /* not of RFC 3986 but sent in paths: forwarded escaped */
	HTTP_C_QUERY = 16,      /* sent in queries: printable ASCII but "#" */
	HTTP_C_UNRESERVED = 32, /* unreserved, RFC 3986 section 2.3: escaping it changes nothing */
	HTTP_C_DIGIT = 64,
	HTTP_C_HEX = 128,
};

extern const uint8_t http_classes[256];

static inline bool http_is(char c, uint8_t class)
{
	return http_classes[(unsigned char)c] & class;
}

static inline char http_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* Of a byte in HTTP_C_HEX. */
static inline unsigned int http_hex(char c)
{
	return c <= '9' ? (unsigned int)(c - '0') : (unsigned int)(http_lower(c) - 'a') + 10;
}

bool http_span_all(struct http_span s, uint8_t class);
struct http_span http_span_trim(struct http_span s);

/* The next element of a comma-separated value, which may be empty; false after the last. */
bool http_list_next(struct http_span *list, struct http_span *ret);

#endif
