/* SPDX-License-Identifier: Apache-2.0 */
#include "annotations/annotations.h"

#include <string.h>

static const struct annotation_key keys[] = {
#define KEY(type, field, key, parse, render, grammar, help) { key, grammar, help },
#include "annotations/keys.def"
#undef KEY
};
#define N_KEYS (sizeof(keys) / sizeof(keys[0]))

const struct annotation_key *annotation_keys(size_t *ret_n)
{
	*ret_n = N_KEYS;
	return keys;
}

int annotation_is_ours(const char *key)
{
	size_t n = strlen(ANNOTATION_PREFIX);

	/* "io.sandlock" without the last dot counts too, because it is a mistake that should be
	 * reported. */
	return strncmp(key, ANNOTATION_PREFIX, n) == 0 ||
	       (strncmp(key, ANNOTATION_PREFIX, n - 1) == 0 && key[n - 1] == '\0');
}

/* The edit distance of two words; each is cut to the longest possible key. */
static unsigned int distance(const char *a, const char *b)
{
	enum { MAX = 96 };
	unsigned int row[MAX + 1];
	size_t na = strnlen(a, MAX), nb = strnlen(b, MAX);

	for (size_t k = 0; k <= nb; k++)
		row[k] = (unsigned int)k;
	for (size_t i = 1; i <= na; i++) {
		unsigned int diagonal = row[0];

		row[0] = (unsigned int)i;
		for (size_t k = 1; k <= nb; k++) {
			unsigned int best = diagonal + (a[i - 1] != b[k - 1]);

			diagonal = row[k];
			if (row[k] + 1 < best)
				best = row[k] + 1;
			if (row[k - 1] + 1 < best)
				best = row[k - 1] + 1;
			row[k] = best;
		}
	}
	return row[nb];
}

static const char *nearest_key(const char *key)
{
	const char *best = keys[0].key;

	for (size_t i = 1; i < N_KEYS; i++)
		if (distance(key, keys[i].key) < distance(key, best))
			best = keys[i].key;
	return best;
}

/* Explains what is wrong with a value, for the keys whose grammar alone does not say it. */
static const char *explain_annotation(struct arena *a, const struct key_value *kv)
{
	const char *key = kv->key + strlen(ANNOTATION_PREFIX);

	if (strcmp(key, "network.allow") == 0 || strcmp(key, "network.deny") == 0)
		return rule_net_explain(a, kv->value);
	if (strcmp(key, "http.allow") == 0 || strcmp(key, "http.deny") == 0)
		return rule_http_explain(a, kv->value, false, strcmp(key, "http.allow") == 0);
	return strcmp(key, "http.auth") == 0 ? rule_http_explain(a, kv->value, true, true) : NULL;
}

static int malformed(
	struct arena *a, const struct key_value *kv, const char *grammar, struct sl_err *err)
{
	const char *why = explain_annotation(a, kv);

	if (why)
		return sl_err_set(err, 0, "annotation %s: \"%.200s\" is malformed: %s", kv->key,
			kv->value, why);
	return sl_err_set(err, 0, "annotation %s: \"%.200s\" is malformed, expected: %s", kv->key,
		kv->value, grammar);
}

static int parse_one(
	struct arena *a, const struct key_value *kv, struct annotations *an, struct sl_err *err)
{
#define KEY(type, field, key_, parse, render, grammar, help)                                       \
	if (strcmp(kv->key, key_) == 0) {                                                          \
		if (parse(a, kv->value, &an->field) == 0)                                          \
			return 0;                                                                  \
		return malformed(a, kv, grammar, err);                                             \
	}
#include "annotations/keys.def"
#undef KEY
	return sl_err_set(err, 0, "annotation \"%.200s\" is unknown, the nearest known key is %s",
		kv->key, nearest_key(kv->key));
}

int annotations_parse(struct arena *a, const struct key_value *kvs, size_t n,
	struct annotations *ret, struct sl_err *err)
{
	struct annotations an;

	memset(&an, 0, sizeof(an));
	for (size_t i = 0; i < n; i++)
		if (annotation_is_ours(kvs[i].key) && parse_one(a, &kvs[i], &an, err) < 0)
			return -1;
	*ret = an;
	return 0;
}

void annotations_render(
	struct arena *a, const struct annotations *an, struct key_value **ret, size_t *ret_n)
{
	struct key_value *out = arena_array(a, N_KEYS, sizeof(*out));
	size_t n = 0;

#define KEY(type, field, key_, parse, render, grammar, help)                                       \
	out[n] = (struct key_value){ key_, render(a, &an->field) };                                \
	n += out[n].value != NULL;
#include "annotations/keys.def"
#undef KEY
	*ret = out;
	*ret_n = n;
}

void annotations_print_markdown(FILE *out)
{
	fputs("| key | value | what it does |\n|---|---|---|\n", out);
	for (size_t i = 0; i < N_KEYS; i++) {
		fprintf(out, "| `%s` | `", keys[i].key);
		/* A '|' would end the cell of the table, so it is escaped. */
		for (const char *p = keys[i].grammar; *p; p++)
			fprintf(out, "%s%c", *p == '|' ? "\\" : "", *p);
		fprintf(out, "` | %s |\n", keys[i].help);
	}
}
