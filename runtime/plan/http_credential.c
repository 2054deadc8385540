/* SPDX-License-Identifier: Apache-2.0
 *
 * Decides which credentials of the node a bundle gets, and from where. A bundle names them. The
 * node decides which bundles may use a credential and to which hosts it may be sent.
 */
#include <string.h>

#include "runtime/plan/http.h"
#include "runtime/plan/path.h"

#define KEY_CREDENTIAL "annotation io.sandlock.config.credential"
#define KEY_AUTH       "annotation io.sandlock.http.auth"

static const struct node_credential *find_credential(const struct node_http *node, const char *name)
{
	for (size_t i = 0; i < node->n_credentials; i++)
		if (strcmp(node->credentials[i].name, name) == 0)
			return &node->credentials[i];
	return NULL;
}

static bool word_listed(char *const *list, const char *word)
{
	for (; list && *list; list++)
		if (strcmp(*list, word) == 0)
			return true;
	return false;
}

static bool id_listed(char *const *list, const char *id)
{
	for (; list && *list; list++) {
		const size_t n = strlen(*list);

		if (n > 0 && (*list)[n - 1] == '*' ? strncmp(*list, id, n - 1) == 0
						   : strcmp(*list, id) == 0)
			return true;
	}
	return false;
}

/* Returns the Kubernetes namespace, as containerd and CRI-O give it. If both keys are set they must
 * be equal, because a tenant may have written one of them. NULL: there is none, or they differ. */
static const char *pod_namespace(const struct spec *s)
{
	static const char *const keys[] = { "io.kubernetes.cri.sandbox-namespace",
		"io.kubernetes.pod.namespace" };
	const char *found = NULL;

	for (size_t i = 0; i < s->n_annotations; i++) {
		const struct key_value *kv = &s->annotations[i];

		if (strcmp(kv->key, keys[0]) != 0 && strcmp(kv->key, keys[1]) != 0)
			continue;
		if (found && strcmp(found, kv->value) != 0)
			return NULL;
		found = kv->value;
	}
	return found;
}

static bool may_use(const struct node_credential *c, const struct plan_http_request *rq)
{
	const char *ns = pod_namespace(rq->spec);

	return (ns && word_listed(c->namespaces, ns)) || id_listed(c->ids, rq->id);
}

/* Finds the mount with the longest destination that contains the path. */
static const struct spec_mount *mount_above(
	struct arena *a, const struct spec *s, const char *path, const char **ret_rest)
{
	const struct spec_mount *best = NULL;
	size_t longest = 0;

	for (size_t i = 0; i < s->n_mounts; i++) {
		const char *dest = plan_path_clean(a, s->mounts[i].destination);
		const size_t n = strlen(dest);

		if (n < longest || strncmp(path, dest, n) != 0 || path[n] != '/')
			continue;
		best = &s->mounts[i];
		longest = n;
		*ret_rest = path + n + 1;
	}
	return best;
}

static int from_mount(struct arena *a, const struct node_credential *c, const struct spec *s,
	struct plan_http_file *ret, struct sl_err *err)
{
	const char *rest = NULL;
	const struct spec_mount *m = mount_above(a, s, plan_path_clean(a, c->where), &rest);

	if (!m || !m->source || m->source[0] != '/')
		return sl_err_set(err, 0,
			KEY_CREDENTIAL ": \"%s\" is a file of a mount (node policy, line %zu), and "
				       "the bundle binds no directory of the host above %s",
			c->name, c->line, c->where);
	*ret = (struct plan_http_file){ .base = m->source, .path = rest, .links = true };
	return 0;
}

static int take_credential(struct arena *a, const struct plan_http_request *rq, const char *name,
	struct plan_http_credential *ret, struct sl_err *err)
{
	const struct node_credential *c = find_credential(&rq->node->http, name);
	struct plan_http_credential got = { .name = name };

	/* The message is the same whether the credential exists or not. */
	if (!c || !may_use(c, rq))
		return sl_err_set(err, 0,
			KEY_CREDENTIAL ": \"%s\": the node policy gives this container no "
				       "credential of that name (http.credentials)",
			name);
	switch (c->source) {
	case NODE_HTTP_ENV: got.variable = c->where; break;
	case NODE_HTTP_FILE: got.file.path = c->where; break;
	case NODE_HTTP_MOUNT:
		if (from_mount(a, c, rq->spec, &got.file, err) < 0)
			return -1;
		break;
	}
	*ret = got;
	return 0;
}

static int check_auth(
	const struct plan_http_request *rq, const struct http_auth *h, struct sl_err *err)
{
	const struct rule_word_list *wanted = &rq->an->config_credential;
	const struct node_credential *c;
	bool found = false;

	for (size_t i = 0; i < wanted->n; i++)
		found |= strcmp(wanted->items[i], h->credential) == 0;
	c = find_credential(&rq->node->http, h->credential);
	if (!found || !c)
		return sl_err_set(err, 0,
			KEY_AUTH ": \"%s\" is not among io.sandlock.config.credential",
			h->credential);
	if (!word_listed(c->hosts, h->rule.host))
		return sl_err_set(err, 0,
			KEY_AUTH ": the node policy does not send \"%s\" to %s (http.credentials, "
				 "line %zu: hosts)",
			h->credential, h->rule.host, c->line);
	if (h->cleartext && !c->cleartext)
		return sl_err_set(err, 0,
			KEY_AUTH ": the node policy does not send \"%s\" without TLS "
				 "(http.credentials, line %zu: cleartext)",
			h->credential, c->line);
	return 0;
}

static bool used(const struct rule_auth_list *auth, const char *name)
{
	for (size_t i = 0; i < auth->n; i++)
		if (strcmp(auth->items[i].credential, name) == 0)
			return true;
	return false;
}

int plan_http_credentials(struct arena *a, const struct plan_http_request *rq, struct plan_http *p,
	struct sl_err *err)
{
	const struct rule_word_list *names = &rq->an->config_credential;
	struct plan_http_credential *list = arena_array(a, names->n + 1, sizeof(*list));

	for (size_t i = 0; i < names->n; i++) {
		if (take_credential(a, rq, names->items[i], &list[i], err) < 0)
			return -1;
		if (!used(&rq->an->http_auth, names->items[i]))
			return sl_err_set(err, 0,
				KEY_CREDENTIAL ": \"%s\" is used by no io.sandlock.http.auth",
				names->items[i]);
		for (size_t k = 0; k < i; k++)
			if (strcmp(list[k].name, list[i].name) == 0)
				return sl_err_set(err, 0, KEY_CREDENTIAL ": \"%s\" is there twice",
					list[i].name);
	}
	for (size_t i = 0; i < rq->an->http_auth.n; i++)
		if (check_auth(rq, &rq->an->http_auth.items[i], err) < 0)
			return -1;
	p->credentials = list;
	p->n_credentials = names->n;
	p->rules.auth = rq->an->http_auth.items;
	p->rules.n_auth = rq->an->http_auth.n;
	return 0;
}
