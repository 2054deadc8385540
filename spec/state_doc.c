/* SPDX-License-Identifier: Apache-2.0 */
#include "spec/state_doc.h"

#include <stdio.h>

void spec_time_format(struct timespec t, char buf[SPEC_TIME_MAX])
{
	struct tm tm = { 0 };
	size_t n;

	gmtime_r(&t.tv_sec, &tm);
	n = strftime(buf, SPEC_TIME_MAX, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(buf + n, SPEC_TIME_MAX - n, ".%09ldZ", t.tv_nsec);
}

static void gen_member(struct json_gen *g, const char *key, const char *value)
{
	json_gen_member_string(g, key, value ? value : "");
}

static void gen_ports(struct json_gen *g, const struct spec_state *s)
{
	json_gen_key(g, "ports");
	json_gen_array(g);
	for (size_t i = 0; i < s->n_ports; i++) {
		const struct spec_port *p = &s->ports[i];

		json_gen_object(g);
		gen_member(g, "protocol", p->protocol);
		gen_member(g, "hostIP", p->host_ip);
		json_gen_member_u64(g, "containerPort", p->container_port);
		json_gen_member_u64(g, "hostPort", p->host_port);
		json_gen_end(g);
	}
	json_gen_end(g);
}

static void gen_count(struct json_gen *g, const char *key, uint64_t n)
{
	if (n > 0)
		json_gen_member_u64(g, key, n);
}

static void gen_killed(struct json_gen *g, const struct spec_killed *k)
{
	if (k->memory + k->disk + k->timeout == 0)
		return;
	json_gen_key(g, "killed");
	json_gen_object(g);
	gen_count(g, "memory", k->memory);
	gen_count(g, "disk", k->disk);
	gen_count(g, "timeout", k->timeout);
	json_gen_end(g);
}

void spec_state_gen(struct json_gen *g, const struct spec_state *s)
{
	char created[SPEC_TIME_MAX];

	spec_time_format(s->created, created);
	json_gen_object(g);
	gen_member(g, "ociVersion", s->oci_version);
	gen_member(g, "id", s->id);
	json_gen_member_i64(g, "pid", s->pid);
	gen_member(g, "status", s->status);
	gen_member(g, "bundle", s->bundle);
	gen_member(g, "rootfs", s->rootfs);
	gen_member(g, "created", created);
	json_gen_key(g, "annotations");
	json_gen_object(g);
	for (size_t i = 0; i < s->n_annotations; i++)
		gen_member(g, s->annotations[i].key, s->annotations[i].value);
	json_gen_end(g);
	gen_member(g, "owner", s->owner);
	if (s->n_ports > 0)
		gen_ports(g, s);
	gen_killed(g, &s->killed);
	json_gen_end(g);
}

const char *spec_state_render(
	struct arena *a, const struct spec_state *s, bool pretty, size_t *ret_len)
{
	struct json_gen *g = json_gen_new(a, pretty);

	spec_state_gen(g, s);
	return json_gen_take(g, ret_len);
}
