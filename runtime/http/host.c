/* SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>
#include <string.h>

#include "runtime/http/request.h"
#include "runtime/http/words.h"

#define LABEL_MAX 63

static void set_addr(int family, struct http_host *h)
{
	h->is_addr = true;
	h->v6 = family == AF_INET6;
	inet_ntop(family, h->addr, h->text, sizeof(h->text));
}

static bool is_v4_mapped(const uint8_t addr[16])
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	return memcmp(addr, mapped, sizeof(mapped)) == 0;
}

/* An IPv4-mapped address is the IPv4 address. */
static const uint8_t *host_unmap(bool *v6, const uint8_t *addr)
{
	const bool mapped = *v6 && is_v4_mapped(addr);

	*v6 &= !mapped;
	return mapped ? addr + 12 : addr;
}

void http_host_of_address(bool v6, const uint8_t addr[16], struct http_host *ret)
{
	const uint8_t *bytes = host_unmap(&v6, addr);

	memset(ret, 0, sizeof(*ret));
	memcpy(ret->addr, bytes, v6 ? 16 : 4);
	set_addr(v6 ? AF_INET6 : AF_INET, ret);
}

/* Reads "[v6]". */
static enum http_fault parse_v6(struct http_span s, struct http_host *ret)
{
	char text[INET6_ADDRSTRLEN];
	uint8_t addr[16];

	if (s.n < 4 || s.s[s.n - 1] != ']' || s.n - 2 >= sizeof(text))
		return HTTP_FAULT_HOST;
	memcpy(text, s.s + 1, s.n - 2);
	text[s.n - 2] = '\0';
	if (inet_pton(AF_INET6, text, addr) != 1)
		return HTTP_FAULT_HOST;
	http_host_of_address(true, addr, ret);
	return HTTP_NO_FAULT;
}

/* Checks the name in ret->text: labels of letters, digits, "-" and "_". */
static bool is_dns_name(const char *text, const char **ret_last)
{
	size_t label = 0;

	*ret_last = text;
	for (const char *p = text;; p++) {
		if (*p == '.' || *p == '\0') {
			if (label == 0 || label > LABEL_MAX || p[-1] == '-')
				return false;
			if (*p == '\0')
				return true;
			label = 0;
			*ret_last = p + 1;
			continue;
		}
		if (!http_is(*p, HTTP_C_UNRESERVED) || *p == '~' || (*p == '-' && label == 0))
			return false;
		label++;
	}
}

/* Some resolvers read a name as an address when its last label is a number or begins with "0x". */
static bool is_number(const char *label)
{
	if (!http_is(*label, HTTP_C_DIGIT))
		return false;
	if (label[0] == '0' && label[1] == 'x')
		label += 2;
	return http_span_all(http_span_of(label), HTTP_C_HEX);
}

enum http_fault http_host_parse(struct http_span text, struct http_host *ret)
{
	const char *last;

	memset(ret, 0, sizeof(*ret));
	if (text.n > 0 && text.s[0] == '[')
		return parse_v6(text, ret);
	if (text.n > 1 && text.s[text.n - 1] == '.')
		text.n--;
	if (text.n == 0)
		return HTTP_FAULT_NO_HOST;
	if (text.n > HTTP_HOST_MAX)
		return HTTP_FAULT_HOST;
	for (size_t i = 0; i < text.n; i++)
		ret->text[i] = http_lower(text.s[i]);
	if (!is_dns_name(ret->text, &last))
		return HTTP_FAULT_HOST;
	if (!is_number(last))
		return HTTP_NO_FAULT;
	if (inet_pton(AF_INET, ret->text, ret->addr) != 1)
		return HTTP_FAULT_HOST;
	set_addr(AF_INET, ret);
	return HTTP_NO_FAULT;
}

static enum http_fault parse_port(struct http_span s, uint16_t *ret)
{
	unsigned int v = 0;

	if (s.n == 0 || s.n > 5 || !http_span_all(s, HTTP_C_DIGIT) || s.s[0] == '0')
		return HTTP_FAULT_PORT;
	for (size_t i = 0; i < s.n; i++)
		v = v * 10 + (unsigned int)(s.s[i] - '0');
	if (v > UINT16_MAX)
		return HTTP_FAULT_PORT;
	*ret = (uint16_t)v;
	return HTTP_NO_FAULT;
}

enum http_fault http_authority_parse(
	struct http_span text, struct http_host *ret, uint16_t *ret_port)
{
	const char *close = text.n > 0 && text.s[0] == '[' ? memchr(text.s, ']', text.n) : NULL;
	const size_t skip = close ? (size_t)(close - text.s) : 0;
	const char *colon = text.n > 0 ? memchr(text.s + skip, ':', text.n - skip) : NULL;
	struct http_span host = { text.s, colon ? (size_t)(colon - text.s) : text.n };
	enum http_fault f;

	*ret_port = 0;
	if (text.n > 0 && memchr(text.s, '@', text.n))
		return HTTP_FAULT_USERINFO;
	f = http_host_parse(host, ret);
	if (f != HTTP_NO_FAULT || !colon)
		return f;
	return parse_port((struct http_span){ colon + 1, text.n - host.n - 1 }, ret_port);
}

bool http_address_same(bool v6, const uint8_t addr[16], bool other_v6, const uint8_t other_addr[16])
{
	const uint8_t *a = host_unmap(&v6, addr), *b = host_unmap(&other_v6, other_addr);

	return v6 == other_v6 && memcmp(a, b, v6 ? 16 : 4) == 0;
}

bool http_host_is_at(const struct http_host *h, bool v6, const uint8_t addr[16])
{
	return h->is_addr && http_address_same(h->v6, h->addr, v6, addr);
}

bool http_host_same(const struct http_host *a, const struct http_host *b)
{
	return a->is_addr == b->is_addr && strcmp(a->text, b->text) == 0;
}
