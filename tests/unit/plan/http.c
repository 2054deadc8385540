/* SPDX-License-Identifier: Apache-2.0
 *
 * HTTP rules in a plan: what they need, what they open, which credentials a bundle gets, and that
 * the proxy unpacks what was packed.
 */
#include <unistd.h>

#include "runtime/plan/http.h"
#include "tests/unit/check.h"

#define MAX_KEYS 8

struct given {
	const char *keys[2 * MAX_KEYS]; /* key, value, ..., without io.sandlock. */
};

static const char policy[] =
	"{\"http\": {\"credentials\": ["
	"{\"name\": \"model\", \"source\": \"env:MODEL_KEY\", \"hosts\": [\"api.example\"],"
	" \"ids\": [\"agent-*\"]},"
	"{\"name\": \"clear\", \"source\": \"file:/etc/k\", \"hosts\": [\"API.example.\"],"
	" \"ids\": [\"*\"], \"cleartext\": true},"
	"{\"name\": \"pod\", \"source\": \"mount:/run/secrets/a/key\", \"hosts\": "
	"[\"api.example\"],"
	" \"namespaces\": [\"team-a\"]},"
	"{\"name\": \"nobody\", \"source\": \"file:/etc/k\", \"hosts\": [\"api.example\"]}],"
	"\"hostPaths\": [\"/etc/ca/\"], \"caBundle\": \"/etc/roots.pem\", \"idleMs\": 5000,"
	"\"http2Streams\": 7, \"http2Resets\": 8, \"http2Bytes\": 262144},"
	"\"network\": {\"localRules\": \"allow\"}}";

static struct key_value ns_annotations[] = {
	{ "io.kubernetes.cri.sandbox-namespace", "team-a" },
	{ "io.kubernetes.pod.namespace", "team-b" },
};
static struct spec_mount mounts[] = {
	{ .destination = "/run", .source = "tmpfs", .type = "tmpfs" },
	{ .destination = "/run/secrets/a", .source = "/var/pods/1/secret", .type = "bind" },
};

static int build(struct arena *a, const struct given *g, const struct spec *spec, const char *id,
	struct plan_http *ret, struct plan_net *ret_net, struct sl_err *err)
{
	struct node_policy *node = arena_alloc(a, sizeof(*node));
	struct key_value kvs[MAX_KEYS];
	struct annotations *an = arena_alloc(a, sizeof(*an));
	const struct plan_http_request rq = { an, spec, node, id, "/bundle" };
	struct plan_net_http net;
	size_t n = 0;

	for (; n < MAX_KEYS && g->keys[2 * n]; n++)
		kvs[n] = (struct key_value){ arena_printf(a, "io.sandlock.%s", g->keys[2 * n]),
			(char *)g->keys[2 * n + 1] };
	if (node_parse(a, policy, strlen(policy), node, err) < 0 ||
		annotations_parse(a, kvs, n, an, err) < 0 || plan_http_build(a, &rq, ret, err) < 0)
		return -1;
	net = plan_http_net(a, ret);
	return plan_net_build(a, an, &net, spec, node, ret_net, err);
}

static const struct {
	const char *part;
	struct given given;
} refused[] = {
	{ "http.ports: there is no HTTP rule", { { "http.ports", "80" } } },
	{ "http_ca_env: there is no HTTP rule", { { "config.http_ca_env", "true" } } },
	{ "http_ca and http_key together", { { "http.allow", "* *", "config.http_ca", "c" } } },
	{ "http_ca and http_key together", { { "http.allow", "* *", "config.http_key", "c" } } },
	{ "http_ca_out: there is no CA", { { "http.allow", "* *", "config.http_ca_out", "c" } } },
	{ "first http_inject_ca", { { "http.allow", "* *", "config.http_ca_env", "true" } } },
	{ "/etc/shadow\" is outside the bundle",
		{ { "http.allow", "* *", "config.http_ca", "/etc/shadow", "config.http_key",
			"k" } } },
	{ "outside the bundle", { { "http.allow", "* *", "config.http_ca", "/bundles/x",
					"config.http_key", "k" } } },
	{ "outside the bundle", { { "http.allow", "* *", "config.http_inject_ca", "/c",
					"config.http_ca_out", "/etc/cron.d/x" } } },
	{ "gives this container no credential",
		{ { "http.allow", "* *", "http.auth", "* api.example bearer x", "config.credential",
			"x" } } },
	{ "gives this container no credential",
		{ { "http.allow", "* *", "http.auth", "* api.example bearer nobody",
			"config.credential", "nobody" } } },
	{ "gives this container no credential",
		{ { "http.allow", "* *", "http.auth", "* api.example bearer pod",
			"config.credential", "pod" } } },
	{ "not among io.sandlock.config.credential",
		{ { "http.allow", "* *", "http.auth", "* api.example bearer model" } } },
	{ "does not send \"model\" to evil.example",
		{ { "http.allow", "* *", "http.auth", "* evil.example bearer model",
			"config.credential", "model" } } },
	{ "does not send \"model\" without TLS",
		{ { "http.allow", "* *", "http.auth", "* api.example bearer model cleartext",
			"config.credential", "model" } } },
	{ "used by no io.sandlock.http.auth",
		{ { "http.allow", "* *", "config.credential", "model" } } },
};

static const char *opened(struct arena *a, const struct plan_net *net)
{
	return rule_net_render(a, &net->allow);
}

static void check_network(struct arena *a)
{
	static const struct {
		const char *allow, *deny;
		struct given given;
	} nets[] = {
		{ "tcp://a.example:80", NULL,
			{ { "http.allow", "GET a.example;PUT A.example/x" } } },
		{ "tcp://*:80", NULL, { { "http.allow", "GET */x" } } },
		{ "tcp://a.example:80,443;tcp://192.0.2.1:80,443;tcp://[2001:db8::1]:80,443", NULL,
			{ { "http.allow", "* a.example;* 192.0.2.1;* [2001:db8::1]",
				"config.http_inject_ca", "/c" } } },
		{ "tcp://a.example:8080,8081", NULL,
			{ { "http.allow", "* a.example", "http.ports", "8081,8080" } } },
		{ NULL, NULL, { { "http.deny", "* b.example" } } },
		{ "tcp://*:22;udp://*:53;tcp://a.example:80", "udp://*:80",
			{ { "http.allow", "* a.example", "network.allow",
				"tcp://:22;udp://:53" } } },
		{ "tcp://*;udp://*;icmp://*", "tcp://10.0.0.0/8;udp://*:80",
			{ { "http.deny", "* b.example", "network.deny", "tcp://10.0.0.0/8" } } },
	};
	static const struct spec spec;

	for (size_t i = 0; i < sizeof(nets) / sizeof(nets[0]); i++) {
		struct sl_err err = { 0 };
		struct plan_http p;
		struct plan_net net;

		if (!CHECK(build(a, &nets[i].given, &spec, "agent-1", &p, &net, &err) == 0))
			printf("# %s\n", err.msg);
		CHECK_STR(opened(a, &net), nets[i].allow);
		CHECK_STR(rule_net_render(a, &net.deny), nets[i].deny);
		CHECK(net.mode != PLAN_NET_LANDLOCK);
	}
}

/* The proxy must know where a credential may go, also if no other rule names the host. */
static void check_auth_name(struct arena *a)
{
	static const struct given given = { { "http.allow", "GET */*", "http.auth",
		"* api.example query:k clear cleartext", "config.credential", "clear" } };
	static const struct spec spec;
	struct sl_err err = { 0 };
	struct plan_http p;
	struct plan_net net;

	if (!CHECK(build(a, &given, &spec, "x", &p, &net, &err) == 0) || !CHECK(net.n_hosts == 1))
		return;
	CHECK_STR(net.hosts[0].name, "api.example");
	CHECK_STR(net.hosts[0].key, "http.auth");
}

static const struct given full = { { "http.allow", "POST api.example/v1/*", "http.deny",
	"* admin.example", "http.auth",
	"POST api.example/v1/* bearer model;* api.example query:k clear cleartext",
	"config.credential", "model;clear", "config.http_inject_ca", "/etc/ssl/ca.pem",
	"config.http_ca_env", "true", "config.http_ca_out", "/etc/ca/out.pem" } };

static void check_env(struct arena *a, const struct plan_http *p)
{
	static const char *const env[] = { "PATH=/bin", "MODEL_KEY=secret", "MODEL_KEYS=x",
		"SSL_CERT_FILE=/old", "CURL_CA_BUNDLE=/old" };
	size_t n = 0;
	struct plan_env_rules rules = { 0 };
	char **out;

	plan_http_env(a, p, &rules);
	out = plan_env_decide(a, &rules, (char *const *)env, 5, &n);

	CHECK(n == 6);
	CHECK_STR(out[0], "PATH=/bin");
	CHECK_STR(out[1], "MODEL_KEYS=x");
	CHECK_STR(out[2], "SSL_CERT_FILE=/etc/ssl/ca.pem");
	CHECK_STR(out[5], "CURL_CA_BUNDLE=/etc/ssl/ca.pem");
}

static void check_full(struct arena *a)
{
	static const struct spec spec;
	struct sl_err err = { 0 };
	struct plan_http p, q;
	struct plan_net net;
	char *text[2] = { 0 };
	size_t size;
	int fd = -1;

	if (!CHECK(build(a, &full, &spec, "agent-1", &p, &net, &err) == 0)) {
		printf("# %s\n", err.msg);
		return;
	}
	CHECK(p.needed && p.tls && p.n_ports == 2 && plan_http_intercepts(&p, 443));
	CHECK(!plan_http_intercepts(&p, 8443) && p.limits.idle_ms == 5000);
	CHECK_STR(p.ca_out.base, "/etc/ca/");
	CHECK_STR(p.ca_out.path, "out.pem");
	CHECK_STR(p.trust, "/etc/roots.pem");
	CHECK_STR(p.credentials[0].variable, "MODEL_KEY");
	CHECK_STR(p.credentials[1].file.path, "/etc/k");
	CHECK(net.n_hosts == 2);
	net.hosts[1].n_addrs = 1;
	net.hosts[1].addrs[0] = (struct plan_net_addr){ false, { 192, 0, 2, 9 } };
	plan_http_pin(a, &net, &p);
	check_env(a, &p);
	CHECK(plan_http_pack(&p, &fd, &err) == 0 && write(fd, "x", 1) == -1);
	if (!CHECK(plan_http_unpack(a, fd, &q, &err) == 0))
		return;
	for (int i = 0; i < 2; i++) {
		FILE *f = open_memstream(&text[i], &size);

		plan_http_print(a, i ? &q : &p, f);
		fclose(f);
	}
	CHECK_STR(text[1], text[0]);
	CHECK_CONTAINS(text[0], "POST api.example/v1/* bearer model");
	CHECK(q.rules.n_pins == 2 && q.rules.pins[1].addrs[0].addr[3] == 9);
	CHECK_STR(q.rules.pins[1].host, "admin.example");
	CHECK(q.limits.http2_streams == 7 && q.limits.http2_resets == 8);
	CHECK(q.limits.http2_bytes == 262144);
	CHECK(q.ca_env && q.n_credentials == 2 && !q.ca.path && q.limits.connections == 256);
	free(text[0]);
	free(text[1]);
	close(fd);
}

static void check_pod(struct arena *a)
{
	static const struct given pod = { { "http.allow", "* api.example", "http.auth",
		"* api.example bearer pod", "config.credential", "pod" } };
	struct spec spec = {
		.annotations = ns_annotations, .n_annotations = 1, .mounts = mounts, .n_mounts = 2
	};
	struct sl_err err = { 0 };
	struct plan_http p;
	struct plan_net net;

	CHECK(build(a, &pod, &spec, "x", &p, &net, &err) == 0);
	CHECK_STR(p.credentials[0].file.base, "/var/pods/1/secret");
	CHECK_STR(p.credentials[0].file.path, "key");
	CHECK(p.credentials[0].file.links);
	spec.n_mounts = 1;
	CHECK_ERR_CONTAINS(build(a, &pod, &spec, "x", &p, &net, &err), err, "binds no directory");
	/* A tenant that adds the other engine's key gets nothing. */
	spec.n_annotations = 2;
	CHECK_ERR_CONTAINS(build(a, &pod, &spec, "x", &p, &net, &err), err, "no credential");
}

static void check_node(struct arena *a)
{
	static const struct {
		const char *text, *part;
	} bad[] = {
		{ "[{\"name\": \"a\", \"source\": \"hunter2\", \"hosts\": [\"a\"]}]",
			"source: expected" },
		{ "[{\"name\": \"a\", \"source\": \"env:\", \"hosts\": [\"a\"]}]",
			"source: expected" },
		{ "[{\"name\": \"a\", \"source\": \"file:k\", \"hosts\": [\"a\"]}]",
			"source: expected" },
		{ "[{\"name\": \"a\", \"source\": \"env:K\"}]", "needs \"hosts\"" },
		{ "[{\"name\": \"a\", \"source\": \"env:K\", \"hosts\": [\"*\"]}]",
			"no host name" },
		{ "[{\"name\": \"a\", \"source\": \"env:K\", \"hosts\": [\"a\"], \"x\": 1}]",
			"x: unknown" },
		{ "[{\"name\": \"a\", \"source\": \"env:K\", \"hosts\": [\"a\"]},"
		  "{\"name\": \"a\", \"source\": \"env:K\", \"hosts\": [\"a\"]}]",
			"there twice" },
	};
	struct node_policy node;
	struct sl_err err;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		const char *text =
			arena_printf(a, "{\"http\": {\"credentials\": %s}}", bad[i].text);

		CHECK_ERR_CONTAINS(
			node_parse(a, text, strlen(text), &node, &err), err, bad[i].part);
		CHECK(!strstr(err.msg, "hunter2"));
	}
}

/* The annotations of a pod reach its sandbox: it gets no proxy, and nothing to the ports. */
static void check_sandbox(struct arena *a)
{
	static struct key_value type[] = { { "io.kubernetes.cri.container-type", "sandbox" },
		{ "io.kubernetes.cri-o.ContainerType", "container" } };
	struct spec spec = { .annotations = type, .n_annotations = 1 };
	static const struct given given = { { "http.allow", "* a.example", "network.allow",
		"tcp://*;udp://:53", "config.http_inject_ca", "/nowhere" } };
	struct sl_err err = { 0 };
	struct plan_http p;
	struct plan_net net;

	CHECK(build(a, &given, &spec, "x", &p, &net, &err) == 0);
	CHECK(!p.needed && p.closed && net.n_hosts == 0);
	CHECK_STR(opened(a, &net), "tcp://*;udp://*:53");
	CHECK_STR(rule_net_render(a, &net.deny), "tcp://*:80,443;udp://*:80,443");
	spec.n_annotations = 2;
	CHECK(build(a, &given, &spec, "x", &p, &net, &err) == 0 && p.needed && !p.closed);
}

int main(void)
{
	auto_arena struct arena *a = arena_new();
	static const struct spec spec;

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct sl_err err;
		struct plan_http p;
		struct plan_net net;

		CHECK_ERR_CONTAINS(build(a, &refused[i].given, &spec, "agent-1", &p, &net, &err),
			err, refused[i].part);
	}
	check_node(a);
	check_network(a);
	check_auth_name(a);
	check_full(a);
	check_pod(a);
	check_sandbox(a);
	return check_done();
}
