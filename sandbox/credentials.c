/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/credentials.h"

#include <string.h>

#include "annotations/rule_http.h"

/* The hosts of the rules that add the credential: whoever asks for a sandbox decides where a secret
 * goes. plan_make() refuses rules that cannot be parsed. */
static char **hosts_of(struct arena *a, const struct sandbox_list *rules, const char *credential)
{
	char **hosts = arena_array(a, rules->n + 1, sizeof(*hosts));
	size_t n = 0;

	for (size_t i = 0; i < rules->n; i++) {
		struct rule_auth_list one;

		if (rule_auth_parse(a, rules->items[i], &one) == 0 && one.n == 1 &&
			strcmp(one.items[0].credential, credential) == 0 && one.items[0].rule.host)
			hosts[n++] = arena_strdup(a, one.items[0].rule.host);
	}
	return hosts;
}

/* NAME=env:VARIABLE or NAME=file:PATH */
static int read_credential(struct arena *a, const char *text, const char *cwd,
	struct node_credential *ret, struct sl_err *err)
{
	static char everyone[] = "*";
	const char *source = strchr(text, '=');
	struct node_credential c = { .cleartext = true };

	if (!source || source == text)
		return sl_err_set(
			err, 0, "--credential: expected NAME=env:VARIABLE or NAME=file:PATH");
	c.ids = arena_array(a, 2, sizeof(*c.ids));
	c.ids[0] = everyone;
	c.name = arena_strndup(a, text, (size_t)(source - text));
	source++;
	if (strncmp(source, "env:", 4) == 0 && source[4]) {
		c.source = NODE_HTTP_ENV;
		c.where = source + 4;
	} else if (strncmp(source, "file:", 5) == 0 && source[5]) {
		c.source = NODE_HTTP_FILE;
		c.where = source[5] == '/' ? source + 5 : arena_printf(a, "%s/%s", cwd, source + 5);
	} else {
		return sl_err_set(err, 0,
			"--credential %s: expected env:VARIABLE or file:PATH after the name",
			c.name);
	}
	*ret = c;
	return 0;
}

int credentials_make(struct arena *a, const struct sandbox_options *o, const char *cwd,
	struct node_http *ret, const char **ret_names, struct sl_err *err)
{
	const struct sandbox_list *list = &o->credential;
	struct node_credential *all = arena_array(a, list->n + 1, sizeof(*all));
	const char *names = NULL;

	for (size_t i = 0; i < list->n; i++) {
		if (read_credential(a, list->items[i], cwd, &all[i], err) < 0)
			return -1;
		all[i].hosts = hosts_of(a, &o->http_auth, all[i].name);
		names = names ? arena_printf(a, "%s;%s", names, all[i].name) : all[i].name;
	}
	ret->credentials = all;
	ret->n_credentials = list->n;
	*ret_names = names;
	return 0;
}

bool credential_is_source(const struct node_http *http, const char *entry)
{
	for (size_t i = 0; i < http->n_credentials; i++) {
		const struct node_credential *c = &http->credentials[i];
		const size_t n = strlen(c->where);

		if (c->source == NODE_HTTP_ENV && strncmp(entry, c->where, n) == 0 &&
			entry[n] == '=')
			return true;
	}
	return false;
}
