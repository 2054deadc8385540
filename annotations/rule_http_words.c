/* SPDX-License-Identifier: Apache-2.0
 *
 * The simpler values that belong to HTTP rules: ports, names of credentials, paths.
 */
#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "annotations/rule_http.h"
#include "annotations/rule_text.h"

#define ITEMS_MAX 64

int rule_http_parse_ports(struct arena *a, const char *value, struct rule_bind *ret)
{
	struct rule_bind b;

	if (rule_bind_parse_deny(a, value, &b) < 0 || b.ports[0].first == 0)
		return -1;
	*ret = b;
	return 0;
}

/* Whether no segment of the path is empty, "." or "..". */
static bool is_plain_path(const char *s, size_t len, bool absolute)
{
	const char *end = s + len;

	if (len == 0 || len >= PATH_MAX || (absolute && *s != '/'))
		return false;
	s += *s == '/';
	for (;;) {
		const char *slash = memchr(s, '/', (size_t)(end - s));
		const size_t n = (size_t)((slash ? slash : end) - s);

		if (n == 0 || (n == 1 && s[0] == '.') || (n == 2 && s[0] == '.' && s[1] == '.'))
			return false;
		if (!slash)
			return true;
		s = slash + 1;
	}
}

static bool is_absolute(const char *s, size_t len)
{
	return is_plain_path(s, len, true);
}

static bool is_credential(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)s[i]) && s[i] != '-' && s[i] != '_' && s[i] != '.')
			return false;
	return len > 0;
}

static int parse_words(struct arena *a, const char *value, bool (*good)(const char *s, size_t len),
	struct rule_word_list *ret)
{
	const size_t max = rule_count(value, strlen(value), ';') + 1;
	const char **items, *item;
	size_t n = 0, len;

	if (max > ITEMS_MAX)
		return -1;
	items = arena_array(a, max, sizeof(*items));
	while (rule_next_item(&value, &item, &len)) {
		if (!good(item, len))
			return -1;
		items[n++] = arena_strndup(a, item, len);
	}
	*ret = (struct rule_word_list){ items, n };
	return 0;
}

int rule_names_parse(struct arena *a, const char *value, struct rule_word_list *ret)
{
	return parse_words(a, value, is_credential, ret);
}

int rule_paths_parse(struct arena *a, const char *value, struct rule_word_list *ret)
{
	return parse_words(a, value, is_absolute, ret);
}

static void print_word(FILE *out, const void *item)
{
	fputs(*(const char *const *)item, out);
}

const char *rule_words_render(struct arena *a, const struct rule_word_list *l)
{
	return rule_render(a, l->items, l->n, sizeof(*l->items), ';', print_word);
}

int rule_path_parse(struct arena *a, const char *value, const char **ret)
{
	if (!is_plain_path(value, strlen(value), false))
		return -1;
	*ret = arena_strdup(a, value);
	return 0;
}

const char *rule_path_render(struct arena *a, const char *const *path)
{
	(void)a;
	return *path;
}
