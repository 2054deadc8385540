/* SPDX-License-Identifier: Apache-2.0
 *
 * From annotations and node policy to rungs: what is left to Landlock, what needs the
 * supervisor, which sockets exist, and what the node refuses.
 */
#include "runtime/plan/net.h"

#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/check.h"

#define ALLOW "io.sandlock.network.allow"
#define DENY  "io.sandlock.network.deny"
#define REMAP "io.sandlock.network.port_remap"

static const struct plan_net_http no_http;

static int build_with(struct arena *a, const struct spec *spec, const char *key, const char *value,
	const char *policy, struct plan_net *ret, struct sl_err *err)
{
	struct node_policy *node = arena_alloc(a, sizeof(*node));
	const struct key_value kv = { key, value };
	struct annotations an;

	if (node_parse(a, policy, strlen(policy), node, err) < 0 ||
		annotations_parse(a, &kv, key ? 1 : 0, &an, err) < 0)
		return -1;
	return plan_net_build(a, &an, &no_http, spec, node, ret, err);
}

static int build_on(struct arena *a, const struct spec_linux *l, const char *key, const char *value,
	const char *policy, struct plan_net *ret, struct sl_err *err)
{
	const struct spec spec = { .linux_ = *l };

	return build_with(a, &spec, key, value, policy, ret, err);
}

static int build(struct arena *a, const char *key, const char *value, const char *policy,
	struct plan_net *ret, struct sl_err *err)
{
	static const struct spec_linux plain;

	return build_on(a, &plain, key, value, policy, ret, err);
}

static void modes(struct arena *a)
{
	const char *landlock = "{\"network\":{\"portRules\":\"landlock\"}}";
	struct plan_net p;
	struct sl_err err;

	CHECK(build(a, NULL, NULL, "{}", &p, &err) == 0);
	CHECK(p.mode == PLAN_NET_OWN && !p.udp && !p.ping && !p.bind_limited && !p.connect_any);
	CHECK(build(a, ALLOW, "tcp://:443", "{}", &p, &err) == 0);
	CHECK(p.mode == PLAN_NET_ASK && !p.udp && !p.ping && p.n_connect_ports == 0);
	CHECK(build(a, ALLOW, ":443", "{}", &p, &err) == 0);
	CHECK(p.mode == PLAN_NET_ASK && p.udp && !p.ping);
	CHECK(build(a, ALLOW, "icmp://*", "{}", &p, &err) == 0);
	CHECK(p.mode == PLAN_NET_ASK && !p.udp && p.ping);
	CHECK(build(a, ALLOW, "tcp://:443,80;tcp://:81", landlock, &p, &err) == 0);
	CHECK(p.mode == PLAN_NET_LANDLOCK && !p.connect_any && p.n_connect_ports == 2);
	CHECK(p.connect_ports[0].first == 80 && p.connect_ports[0].last == 81);
	CHECK(build(a, ALLOW, "tcp://*", landlock, &p, &err) == 0);
	CHECK(p.mode == PLAN_NET_LANDLOCK && p.connect_any);
	CHECK(build(a, ALLOW, "tcp://:443;tcp://192.0.2.1", landlock, &p, &err) == 0);
	CHECK(p.mode == PLAN_NET_ASK && !p.connect_any && p.n_connect_ports == 0);
	CHECK(build(a, ALLOW, "tcp://:443",
		      "{\"network\":{\"portRules\":\"landlock\",\"deny\":[\"10.0.0.0/8\"]}}", &p,
		      &err) == 0);
	CHECK(p.mode == PLAN_NET_ASK);
	CHECK(build(a, DENY, "10.0.0.0/8", "{}", &p, &err) == 0);
	CHECK(p.mode == PLAN_NET_ASK && p.udp && p.ping && p.allow.n == 3 && p.deny.n == 2);
	CHECK(build(a, NULL, NULL, "{\"network\":{\"default\":[\"udp://*:53\"]}}", &p, &err) == 0);
	CHECK(p.mode == PLAN_NET_ASK && p.udp && p.allow.n == 1);
	CHECK(build(a, ALLOW, "a.example:1;b.example:2;tcp://a.example:3", "{}", &p, &err) == 0);
	CHECK(p.n_hosts == 2);
	CHECK_STR(p.hosts[1].name, "b.example");
}

static void binding(struct arena *a)
{
	struct plan_net p;
	struct sl_err err;

	CHECK(build(a, "io.sandlock.network.allow_bind", "*", "{}", &p, &err) == 0);
	CHECK(!p.bind_limited);
	CHECK(build(a, "io.sandlock.network.allow_bind", "80,0", "{}", &p, &err) == 0);
	CHECK(p.bind_limited && p.n_bind_ports == 2 && p.bind_ports[0].first == 0);
	CHECK(build(a, "io.sandlock.network.deny_bind", "0,80-90,65535", "{}", &p, &err) == 0);
	CHECK(p.bind_limited && p.n_bind_ports == 2);
	CHECK(p.bind_ports[0].first == 1 && p.bind_ports[0].last == 79);
	CHECK(p.bind_ports[1].first == 91 && p.bind_ports[1].last == 65534);
	CHECK(build(a, "io.sandlock.network.deny_bind", "0-65535", "{}", &p, &err) == 0);
	CHECK(p.bind_limited && p.n_bind_ports == 0);
}

/* A process that does nothing, in a network namespace of its own. */
static pid_t other_namespace(char *path, size_t size)
{
	int pipe_fds[2];
	char c;
	pid_t pid;

	CHECK(pipe(pipe_fds) == 0);
	pid = fork();
	if (pid == 0) {
		close(pipe_fds[0]);
		if (unshare(CLONE_NEWNET) < 0 || write(pipe_fds[1], "x", 1) != 1)
			_exit(1);
		pause();
		_exit(0);
	}
	close(pipe_fds[1]);
	CHECK(read(pipe_fds[0], &c, 1) == 1);
	close(pipe_fds[0]);
	snprintf(path, size, "/proc/%d/ns/net", pid);
	return pid;
}

static void named(struct arena *a)
{
	char path[40], own[] = "/proc/self/ns/net";
	struct spec_namespace ns = { .type = SPEC_NS_NETWORK, .path = path };
	const struct spec_linux pod = { .namespaces = &ns, .n_namespaces = 1 };
	const char *refuse = "{\"network\":{\"namespace\":\"refuse\"}}";
	const char *words[] = { "{}", "{\"network\":{\"namespace\":\"join\"}}" };
	pid_t pid = other_namespace(path, sizeof(path));
	struct plan_net p;
	struct sl_err err;

	for (size_t i = 0; i < 2; i++) {
		CHECK(build_on(a, &pod, REMAP, "true", words[i], &p, &err) == 0);
		CHECK(p.stack == PLAN_STACK_NAMED && p.own_stack && !p.stack_note);
		CHECK(!p.bind_judged && !p.remap);
		CHECK_STR(p.join_path, path);
	}
	CHECK(build_on(a, &pod, REMAP, "true", "{\"network\":{\"namespace\":\"host\"}}", &p,
		      &err) == 0);
	CHECK(p.stack == PLAN_STACK_HOST && p.bind_judged && p.remap && !p.host_asked);
	CHECK(p.stack_note && strstr(p.stack_note, "network.namespace = host"));
	CHECK_ERR_CONTAINS(build_on(a, &pod, NULL, NULL, refuse, &p, &err), err,
		"network.namespace = refuse; auto joins it");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	CHECK(build_on(a, &pod, NULL, NULL, "{}", &p, &err) < 0);
	/* By another name it is still the host's. */
	ns.path = own;
	CHECK(build_on(a, &pod, NULL, NULL, refuse, &p, &err) == 0);
	CHECK(p.stack == PLAN_STACK_HOST && p.bind_judged && p.host_asked && !p.stack_note);
}

static void unnamed(struct arena *a)
{
	struct spec_namespace ns = { .type = SPEC_NS_NETWORK };
	struct spec_hook hook = { 0 };
	struct spec spec = { .linux_ = { .namespaces = &ns, .n_namespaces = 1 } };
	struct spec_hook_list *fills[] = { &spec.hooks.prestart, &spec.hooks.create_runtime,
		&spec.hooks.create_container };
	struct spec_hook_list *others[] = { &spec.hooks.start_container, &spec.hooks.poststart,
		&spec.hooks.poststop };
	const char *refuse = "{\"network\":{\"unnamedNamespace\":\"refuse\"}}";
	const char *unmade[] = { "{\"network\":{\"unnamedNamespace\":\"host\"}}",
		"{\"network\":{\"namespace\":\"host\"}}",
		"{\"network\":{\"namespace\":\"refuse\"}}" };
	struct plan_net p;
	struct sl_err err;

	for (size_t i = 0; i < 3; i++) {
		*others[i] = (struct spec_hook_list){ &hook, 1 };
		CHECK(build_with(a, &spec, NULL, NULL, unmade[i], &p, &err) == 0);
		CHECK(p.stack == PLAN_STACK_HOST && p.bind_judged && !p.host_asked);
		CHECK(p.stack_note && strstr(p.stack_note, "network.unnamedNamespace"));
	}
	CHECK(build_with(a, &spec, NULL, NULL, "{}", &p, &err) == 0);
	CHECK(p.stack == PLAN_STACK_HOST && p.stack_note);
	CHECK_ERR_CONTAINS(build_with(a, &spec, NULL, NULL, refuse, &p, &err), err,
		"network.unnamedNamespace = refuse; auto or host accept it");
	for (size_t i = 0; i < 3; i++) {
		*fills[i] = (struct spec_hook_list){ &hook, 1 };
		CHECK(build_with(a, &spec, NULL, NULL, "{}", &p, &err) == 0);
		CHECK(p.stack == PLAN_STACK_MADE && p.own_stack && !p.bind_judged);
		CHECK_ERR_CONTAINS(build_with(a, &spec, NULL, NULL, unmade[i], &p, &err), err,
			"and hooks that may fill it");
		*fills[i] = (struct spec_hook_list){ 0 };
	}
	spec.linux_.n_uid_mappings = 1;
	CHECK(build_with(a, &spec, NULL, NULL, "{}", &p, &err) == 0);
	CHECK(p.stack == PLAN_STACK_MADE);
}

static void replacing(struct arena *a)
{
	struct plan_net p;
	struct sl_err err;

	CHECK(build(a, NULL, NULL, "{}", &p, &err) == 0);
	CHECK(p.bind_judged && !p.remap && !p.join_path && p.mode == PLAN_NET_OWN);
	CHECK(build(a, REMAP, "true", "{}", &p, &err) == 0);
	CHECK(p.remap && p.mode == PLAN_NET_OWN && !p.udp);
	CHECK(p.remap_range.first == 20000 && p.remap_range.last == 29999);
	CHECK(build(a, NULL, NULL,
		      "{\"network\":{\"portRemap\":\"default\",\"portRange\":\"7-9\"}}", &p,
		      &err) == 0);
	CHECK(p.remap && p.remap_range.first == 7 && p.remap_range.last == 9);
	CHECK(build(a, REMAP, "false", "{\"network\":{\"portRemap\":\"default\"}}", &p, &err) == 0);
	CHECK(!p.remap);
	CHECK_ERR_CONTAINS(
		build(a, REMAP, "true", "{\"network\":{\n\"portRemap\":\"refuse\"}}", &p, &err),
		err,
		"annotation io.sandlock.network.port_remap: \"true\": the node policy replaces no "
		"ports (network.portRemap = refuse, line 2)");
	CHECK_ERR_CONTAINS(build(a, NULL, NULL, "{\"network\":{\"portRange\":\"0-5\"}}", &p, &err),
		err, "expected first-last within 1 to 65535");
	CHECK_ERR_CONTAINS(build(a, NULL, NULL, "{\"network\":{\"portRange\":\"5,7\"}}", &p, &err),
		err, "expected first-last within 1 to 65535");
}

static void unprivileged_start(struct arena *a)
{
	char key[] = "net.ipv4.ip_unprivileged_port_start", good[] = "80", bad[] = "70000";
	struct key_value kv = { .key = key, .value = good };
	const struct spec_linux spec = { .sysctl = &kv, .n_sysctl = 1 };
	struct plan_net p;
	struct sl_err err;

	CHECK(build(a, NULL, NULL, "{}", &p, &err) == 0 && !p.has_unprivileged_start);
	CHECK(build_on(a, &spec, NULL, NULL, "{}", &p, &err) == 0);
	CHECK(p.has_unprivileged_start && p.unprivileged_start == 80);
	kv.value = bad;
	CHECK_ERR_CONTAINS(build_on(a, &spec, NULL, NULL, "{}", &p, &err), err,
		"linux.sysctl.net.ipv4.ip_unprivileged_port_start: \"70000\"");
}

static void refusals(struct arena *a)
{
	const char *node = "{\"network\":{\n\"deny\":[\n\"10.0.0.0/8:80\"],\n\"ceiling\":[\n"
			   "\"tcp://192.0.2.0/24:1,2\",\"udp://*:53\"]}}";
	struct plan_net p;
	struct sl_err err;

	CHECK(build(a, ALLOW, "tcp://192.0.2.9:2;udp://*:53", node, &p, &err) == 0);
	CHECK_ERR_CONTAINS(build(a, ALLOW, "tcp://10.1.1.1:80", node, &p, &err), err,
		"\"tcp://10.1.1.1:80\" is always denied by the node policy (network.deny, line 3: "
		"\"tcp://10.0.0.0/8:80\")");
	CHECK_ERR_CONTAINS(
		build(a, ALLOW, "tcp://192.0.2.9:3", node, &p, &err), err, "network.ceiling");
	CHECK_ERR_CONTAINS(
		build(a, ALLOW, "tcp://192.0.0.0/16:2", node, &p, &err), err, "network.ceiling");
	CHECK_ERR_CONTAINS(build(a, ALLOW, "udp://*", node, &p, &err), err, "network.ceiling");
	for (int i = 0; i < 6; i++) {
		static const char *const local[] = { "tcp://127.0.0.1", "tcp://127.0.0.0/8",
			"tcp://::1", "udp://[fe80::/10]:1", "icmp://224.0.0.1", "tcp://0.0.0.0" };

		CHECK_ERR_CONTAINS(
			build(a, ALLOW, local[i], "{}", &p, &err), err, "network.localRules");
		CHECK(build(a, ALLOW, local[i], "{\"network\":{\"localRules\":\"allow\"}}", &p,
			      &err) == 0);
	}
	for (int i = 0; i < 5; i++) {
		static const char *const carried[] = { "tcp://[64:ff9b::a9fe:a9fe]:80",
			"tcp://[64:ff9b::a9fe:0/112]", "udp://[2002:7f00::/24]:53",
			"tcp://[2001:0:c000:201::8000:fffe]", "tcp://[2001:db8::5efe:a9fe:a9fe]" };

		CHECK_ERR_CONTAINS(
			build(a, ALLOW, carried[i], "{}", &p, &err), err, "network.localRules");
		CHECK(build(a, ALLOW, carried[i], "{\"network\":{\"localRules\":\"allow\"}}", &p,
			      &err) == 0);
	}
	CHECK(build(a, ALLOW, "tcp://[64:ff9b::/96]:80", "{}", &p, &err) == 0);
	CHECK_ERR_CONTAINS(build(a, ALLOW, "tcp://[64:ff9b::a01:101]:80",
				   "{\"network\":{\"deny\":[\"10.0.0.0/8\"]}}", &p, &err),
		err, "is always denied by the node policy");
	CHECK_ERR_CONTAINS(build(a, ALLOW, "tcp://2001:db8::1:443", "{}", &p, &err), err,
		"\"tcp://2001:db8::1:443\" is malformed: it can be read as");
	CHECK_ERR_CONTAINS(
		build(a, NULL, NULL, "{\"network\":{\"deny\":[\"2001:db8::1:443\"]}}", &p, &err),
		err,
		"is no network rule: it can be read as [2001:db8::1:443], every port, or as "
		"[2001:db8::1]:443");
	CHECK_ERR_CONTAINS(
		build(a, NULL, NULL, "{\"network\":{\"deny\":[\"x.example\"]}}", &p, &err), err,
		"network.deny[0]: \"x.example\" is no network rule without a host name");
	CHECK_ERR_CONTAINS(build(a, NULL, NULL, "{\"network\":{\"ceiling\":[\n1]}}", &p, &err), err,
		"network.ceiling[0]: expected string, got number");
}

static void reaching(struct arena *a)
{
	static const struct {
		const char *key, *value;
		bool v4, v6;
	} rows[] = {
		{ NULL, NULL, false, false }, { ALLOW, "*", true, true },
		{ DENY, "10.0.0.0/8", true, true }, { ALLOW, "icmp://192.0.2.1", true, false },
		{ ALLOW, "tcp://[2001:db8::/32]:80", false, true },
		{ ALLOW, "127.0.0.1:80; [::1]:80; 127.0.0.0/8", false, false },
		{ ALLOW, "some.example:80", false, false }, /* not resolved yet */
	};
	struct plan_net p;
	struct sl_err err;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		CHECK(build(a, rows[i].key, rows[i].value,
			      "{\"network\":{\"localRules\":\"allow\"}}", &p, &err) == 0);
		CHECK(plan_net_reaches(&p, false) == rows[i].v4);
		CHECK(plan_net_reaches(&p, true) == rows[i].v6);
	}
	p.hosts[0].addrs[0] = (struct plan_net_addr){ .bytes = { 127, 0, 0, 1 } };
	p.hosts[0].addrs[1] = (struct plan_net_addr){ .v6 = true, .bytes = { 0x20, 1 } };
	p.hosts[0].n_addrs = 2;
	CHECK(!plan_net_reaches(&p, false) && plan_net_reaches(&p, true));
}

int main(void)
{
	auto_arena struct arena *a = arena_new();

	modes(a);
	binding(a);
	named(a);
	unnamed(a);
	replacing(a);
	unprivileged_start(a);
	refusals(a);
	reaching(a);
	return check_done();
}
