/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/io.h"
#include "shim/bootstrap/bootstrap.h"
#include "shim/proto/bootstrap.pb-c.h"
#include "shim/proto/proto.h"

/* The options that containerd sends have a few hundred bytes. */
#define INPUT_MAX (1U << 20)

#define MEMBER(m) offsetof(struct bootstrap, m)

static const struct {
	const char *name;
	size_t member;
	bool takes_value;
} known_flags[] = {
	{ "namespace", MEMBER(namespace), true },
	{ "id", MEMBER(id), true },
	{ "bundle", MEMBER(bundle), true },
	{ "address", MEMBER(address), true },
	{ "publish-binary", 0, true }, /* events go over the ttrpc socket */
	{ "socket", 0, true },         /* accepted without effect */
	{ "debug", MEMBER(debug), false },
	{ "v", MEMBER(version), false },
	{ "version", MEMBER(version), false },
	{ "info", MEMBER(info), false },
	{ "h", MEMBER(help), false },
	{ "help", MEMBER(help), false },
};
#define N_FLAGS (sizeof(known_flags) / sizeof(known_flags[0]))

static int bootstrap_take_flag(struct bootstrap *b, size_t i, const char *value)
{
	char *at = (char *)b + known_flags[i].member;

	if (!known_flags[i].takes_value)
		*(int *)(void *)at = strcmp(value, "false") != 0;
	else if (known_flags[i].member)
		*(const char **)(void *)at = arena_strdup(b->arena, value);
	return 0;
}

static int read_flag(struct bootstrap *b, char *const **argv, struct sl_err *err)
{
	const char *name = **argv + (strncmp(**argv, "--", 2) == 0 ? 2 : 1);
	const char *equals = strchrnul(name, '=');
	const size_t n = (size_t)(equals - name);

	for (size_t i = 0; i < N_FLAGS; i++) {
		if (strncmp(known_flags[i].name, name, n) != 0 || known_flags[i].name[n])
			continue;
		if (*equals)
			return bootstrap_take_flag(b, i, equals + 1);
		if (!known_flags[i].takes_value)
			return bootstrap_take_flag(b, i, "true");
		if (!*++*argv)
			return sl_err_set(err, 0, "flag needs an argument: -%s", name);
		return bootstrap_take_flag(b, i, **argv);
	}
	return sl_err_set(err, 0, "flag provided but not defined: -%.*s", (int)n, name);
}

int bootstrap_read_flags(struct bootstrap *b, char *const *argv, struct sl_err *err)
{
	b->namespace = b->id = b->bundle = b->address = b->action = "";
	for (argv++; *argv && **argv == '-'; argv++)
		if (read_flag(b, &argv, err) < 0)
			return -1;
	if (*argv)
		b->action = arena_strdup(b->arena, *argv);
	return 0;
}

/* containerd 2.3 and later send these parameters; earlier versions send an Any or nothing. An Any
 * can be parsed as these parameters too, so the id and the namespace are compared. */
static void read_params(struct bootstrap *b, const char *input, size_t n)
{
	Bootstrap__Params *p = proto_unpack(&bootstrap__params__descriptor, input, n);

	if (p && n && strcmp(p->instance_id, b->id) == 0 &&
		strcmp(p->namespace_, b->namespace) == 0) {
		b->answer_version = 3;
		if (*p->containerd_ttrpc_address)
			b->ttrpc_address = arena_strdup(b->arena, p->containerd_ttrpc_address);
		if (*p->containerd_grpc_address)
			b->address = arena_strdup(b->arena, p->containerd_grpc_address);
		if (*p->socket_dir)
			b->socket_dir = arena_strdup(b->arena, p->socket_dir);
	}
	proto_free(p);
}

int bootstrap_read_input(struct bootstrap *b, struct sl_err *err)
{
	const char *ttrpc = getenv("TTRPC_ADDRESS"), *api = getenv("SANDLOCK_SHIM_API");
	char *input;
	size_t n;

	if (ttrpc && *ttrpc)
		b->ttrpc_address = arena_strdup(b->arena, ttrpc);
	/* containerd 1.7 and later set this variable. 1.7 accepts no version above 2, whatever the
	 * variable says. */
	if (getenv("MAX_SHIM_VERSION"))
		b->answer_version = api && strcmp(api, "3") == 0 ? 3 : 2;
	if (io_read_all(b->arena, 0, INPUT_MAX, &input, &n, err) < 0)
		return sl_err_wrap(err, "standard input");
	read_params(b, input, n);
	if (b->ttrpc_address && strncmp(b->ttrpc_address, "unix://", 7) == 0)
		b->ttrpc_address += 7;
	return 0;
}
