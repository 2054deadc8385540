/* SPDX-License-Identifier: Apache-2.0
 *
 * linux.seccomp (config-linux.md, "Seccomp"). Architectures and flags remain text, because the
 * compiler of the profile knows them.
 */
#include "spec/load.h"

static const struct read_word action_words[] = {
#define SECCOMP_ACTION(name, value, data) { #name, 0 },
#define SECCOMP_REFUSED(name)             { #name, 0 },
#include "spec/seccomp.def"
};

static const struct read_word op_words[] = {
#define SECCOMP_OPERATOR(name, op) { #name, op },
#include "spec/seccomp.def"
};

static int load_action(const struct at *up, const char *key, const char **ret)
{
	struct at at = at_member(up, key);
	int ignored;

	if (read_word(&at, action_words, COUNT(action_words), "unknown seccomp action", &ignored) <
		0)
		return -1;
	return read_str(up, key, READ_REQUIRED, ret);
}

static int load_errno(const struct at *up, const char *key, uint32_t *ret, bool *ret_has)
{
	uint64_t v = 0;

	if (read_u64(up, key, READ_OPTIONAL, SPEC_SECCOMP_ERRNO_MAX, &v, ret_has) < 0)
		return -1;
	*ret = (uint32_t)v;
	return 0;
}

static int load_arg(const struct at *at, void *item)
{
	struct spec_seccomp_arg *arg = item;
	struct at op = at_member(at, "op");
	uint64_t index = 0;
	int word = 0;

	if (read_is(at, JSON_OBJECT) < 0)
		return -1;
	if (read_u64(at, "index", READ_REQUIRED, 5, &index, NULL) < 0 ||
		read_u64(at, "value", READ_REQUIRED, UINT64_MAX, &arg->value, NULL) < 0 ||
		read_u64(at, "valueTwo", READ_OPTIONAL, UINT64_MAX, &arg->value_two, NULL) < 0)
		return -1;
	if (read_word(&op, op_words, COUNT(op_words), "unknown seccomp operator", &word) < 0)
		return -1;
	arg->index = (unsigned int)index;
	arg->op = (enum spec_seccomp_op)word;
	return 0;
}

static int load_seccomp_rule(const struct at *at, void *item)
{
	struct spec_seccomp_rule *rule = item;
	struct at names = at_member(at, "names");
	void *args = NULL;

	if (read_is(at, JSON_OBJECT) < 0)
		return -1;
	if (read_strs(at, "names", &rule->names, &rule->n_names) < 0)
		return -1;
	if (rule->n_names == 0)
		return read_fail(&names, "at least one system call must be named");
	if (load_action(at, "action", &rule->action) < 0 ||
		load_errno(at, "errnoRet", &rule->errno_ret, &rule->has_errno_ret) < 0 ||
		read_items(at, "args", READ_OPTIONAL, sizeof(*rule->args), load_arg, &args,
			&rule->n_args) < 0)
		return -1;
	rule->args = args;
	return 0;
}

int load_seccomp(const struct at *at, struct spec_seccomp *s)
{
	void *items = NULL;

	s->set = true;
	if (load_action(at, "defaultAction", &s->default_action) < 0 ||
		load_errno(at, "defaultErrnoRet", &s->default_errno_ret,
			&s->has_default_errno_ret) < 0)
		return -1;
	if (read_strs(at, "architectures", &s->architectures, &s->n_architectures) < 0 ||
		read_strs(at, "flags", &s->flags, &s->n_flags) < 0 ||
		read_str(at, "listenerPath", READ_OPTIONAL, &s->listener_path) < 0 ||
		read_str(at, "listenerMetadata", READ_OPTIONAL, &s->listener_metadata) < 0)
		return -1;
	if (read_items(at, "syscalls", READ_OPTIONAL, sizeof(*s->rules), load_seccomp_rule, &items,
		    &s->n_rules) < 0)
		return -1;
	s->rules = items;
	return 0;
}
