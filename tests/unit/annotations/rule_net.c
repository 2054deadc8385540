/* SPDX-License-Identifier: Apache-2.0
 *
 * The grammar of network rules: what is accepted, as what it is rendered, what is refused.
 */
#include "annotations/rule_net.h"
#include "annotations/rule_ports.h"
#include "annotations/rule_words.h"
#include "tests/unit/check.h"

struct spelling {
	const char *in;
	const char *canonical; /* NULL: malformed */
};

static const struct spelling allow[] = {
	{ "*", "tcp://*;udp://*" },
	{ "*:*", "tcp://*;udp://*" },
	{ ":443", "tcp://*:443;udp://*:443" },
	{ "tcp://:443", "tcp://*:443" },
	{ "tcp://*:443,80,443", "tcp://*:80,443" },
	{ "udp://*:53", "udp://*:53" },
	{ "icmp://*", "icmp://*" },
	{ "icmp://10.0.0.0/8", "icmp://10.0.0.0/8" },
	{ "tcp://example.com", "tcp://example.com" },
	{ "tcp://Example.COM.:443", "tcp://example.com:443" },
	{ "tcp://my_host-1:1", "tcp://my_host-1:1" },
	{ "tcp://1.2.3.4", "tcp://1.2.3.4" },
	{ "tcp://1.2.3.4:*", "tcp://1.2.3.4" },
	{ "tcp://1.2.3.4/32:80", "tcp://1.2.3.4:80" },
	{ "tcp://10.0.0.0/8:80,81,82", "tcp://10.0.0.0/8:80,81,82" },
	{ "tcp://0.0.0.0/0", "tcp://0.0.0.0/0" },
	{ "tcp://::1", "tcp://[::1]" },
	{ "tcp://2001:DB8::/32", "tcp://[2001:db8::/32]" },
	{ "tcp://[::1]", "tcp://[::1]" },
	{ "tcp://[::1]:80", "tcp://[::1]:80" },
	{ "tcp://[2001:db8::/32]:80,443", "tcp://[2001:db8::/32]:80,443" },
	{ "tcp://[::ffff:1.2.3.4]:80", "tcp://1.2.3.4:80" },
	{ "tcp://::ffff:10.0.0.0/104", "tcp://10.0.0.0/8" },
	{ "tcp://2001:db8::1", "tcp://[2001:db8::1]" },
	{ "tcp://2001:db8::1:abcd", "tcp://[2001:db8::1:abcd]" },
	{ "tcp://[2001:db8::1:443]", "tcp://[2001:db8::1:443]" },
	{ "tcp://[2001:db8::1]:443", "tcp://[2001:db8::1]:443" },
	{ "tcp://2001:db8:0:0:0:0:0:443", "tcp://[2001:db8::443]" },
	{ " tcp://1.2.3.4 ; udp://1.2.3.4 ", "tcp://1.2.3.4;udp://1.2.3.4" },
	{ "1.2.3.4;tcp://1.2.3.4", "tcp://1.2.3.4;udp://1.2.3.4" },
	{ "", NULL },
	{ ";", NULL },
	{ "1.2.3.4;", NULL },
	{ "tcp://", NULL },
	{ "tcp://1.2.3.4:", NULL },
	{ ":", NULL },
	{ ":0", NULL },
	{ ":65536", NULL },
	{ ":080", NULL },
	{ ":80,", NULL },
	{ ":,80", NULL },
	{ ":80,,81", NULL },
	{ ":80,*", NULL },
	{ ":80-90", NULL },
	{ ":-1", NULL },
	{ ": 80", NULL },
	{ "10.0.0.1/8", NULL },
	{ "10.0.0.0/33", NULL },
	{ "10.0.0.0/", NULL },
	{ "10.0.0.0/-1", NULL },
	{ "2001:db8::1/32", NULL },
	{ "2001:db8::/129", NULL },
	{ "[2001:db8::", NULL },
	{ "[2001:db8::]80", NULL },
	{ "[1.2.3.4]:80", NULL },
	{ "[]:80", NULL },
	{ "2001:db8::/32:443", NULL },
	{ "2001:db8::1:443", NULL },
	{ "tcp://::1:80", NULL },
	{ "2001:db8::1:80,443", NULL },
	{ "2001:db8::1:*", NULL },
	{ "2001:db8:0:0:0:0:0:1:443", NULL },
	{ "[fe80::1%lo]:80", NULL },
	{ "fe80::1%1", NULL },
	{ "example.com/24", NULL },
	{ "*.example.com", NULL },
	{ "exa mple.com", NULL },
	{ "a..b", NULL },
	{ ".a", NULL },
	{ "-a.b", NULL },
	{ "a-.b", NULL },
	{ "1.2.3", NULL },
	{ "256.1.1.1", NULL },
	{ "0x7f.1", NULL },
	{ "2130706433", NULL },
	{ "icmp://*:80", NULL },
	{ "icmp://", NULL },
	{ "icmp://:80", NULL },
	{ "http://example.com", NULL },
	{ "TCP://example.com", NULL },
	{ "://example.com", NULL },
};

static const struct spelling ports[] = {
	{ "*", "*" },
	{ "0", "0" },
	{ "80", "80" },
	{ "80,443", "80,443" },
	{ "443,80,81", "80-81,443" },
	{ "8000-9000,8500-9500", "8000-9500" },
	{ "1; 2 ;5-6", "1-2,5-6" },
	{ "0-65535", "0-65535" },
	{ "", NULL },
	{ "*,80", NULL },
	{ "80,", NULL },
	{ "90-80", NULL },
	{ "80-", NULL },
	{ "-80", NULL },
	{ "65536", NULL },
	{ "80 - 90", NULL },
	{ "http", NULL },
};

static void check_explained(struct arena *a)
{
	CHECK_STR(rule_net_explain(a, "10.0.0.1; tcp://2001:db8::1:443"),
		"it can be read as tcp://[2001:db8::1:443], every port, or as "
		"tcp://[2001:db8::1]:443: write the one that is meant");
	CHECK_STR(rule_net_explain(a, "2001:db8::1:80,443"),
		"a port behind an IPv6 address needs brackets: [2001:db8::1]:80,443");
	CHECK(!rule_net_explain(a, "[2001:db8::1]:443;2001:db8::1;::1;tcp://;:;1.2.3.4:5"));
}

static void check_rules(struct arena *a, const struct spelling *s)
{
	struct rule_net_list l, again;
	const char *text;
	int rc = rule_net_parse_allow(a, s->in, &l);

	if (!s->canonical) {
		if (rc == 0)
			printf("# %s\n", s->in);
		CHECK(rc == -1);
		return;
	}
	if (!CHECK(rc == 0))
		return;
	text = rule_net_render(a, &l);
	CHECK_STR(text, s->canonical);
	CHECK(rule_net_parse_allow(a, text, &again) == 0);
	CHECK_STR(rule_net_render(a, &again), s->canonical);
}

static void check_ports(struct arena *a, const struct spelling *s)
{
	struct rule_bind b, again;
	int rc = rule_bind_parse_allow(a, s->in, &b);

	if (!s->canonical) {
		CHECK(rc == -1);
		return;
	}
	if (!CHECK(rc == 0))
		return;
	CHECK_STR(rule_bind_render(a, &b), s->canonical);
	CHECK(rule_bind_parse_allow(a, s->canonical, &again) == 0);
	CHECK_STR(rule_bind_render(a, &again), s->canonical);
}

int main(void)
{
	auto_arena struct arena *a = arena_new();
	struct rule_net_list l = { 0 };
	struct rule_bind b = { 0 };
	enum rule_switch v = RULE_UNSET;

	for (size_t i = 0; i < sizeof(allow) / sizeof(allow[0]); i++)
		check_rules(a, &allow[i]);
	for (size_t i = 0; i < sizeof(ports) / sizeof(ports[0]); i++)
		check_ports(a, &ports[i]);
	CHECK(!rule_net_render(a, &l) && !rule_bind_render(a, &b) && !rule_switch_render(a, &v));
	CHECK(rule_net_parse_deny(a, "tcp://10.0.0.0/8;*:25", &l) == 0 && l.n == 3);
	CHECK(rule_net_parse_deny(a, "tcp://example.com", &l) == -1);
	CHECK(rule_bind_parse_deny(a, "*", &b) == -1);
	CHECK(rule_switch_parse(a, "true", &v) == 0 && v == RULE_TRUE);
	CHECK(rule_switch_parse(a, "yes", &v) == -1);
	check_explained(a);
	return check_done();
}
