/* SPDX-License-Identifier: Apache-2.0
 *
 * The io.sandlock.* annotations of a bundle. Authors of pods write them and the runtime is root, so
 * nothing is guessed: an unknown key or a malformed value is an error, and the node policy
 * (runtime/plan) limits what a key can do.
 *
 * keys.def is the only list: the structure, the parser, the canonical rendering and the
 * documentation are generated from it. Parsing the rendered text gives the same structure again.
 */
#ifndef SANDLOCK_ANNOTATIONS_ANNOTATIONS_H
#define SANDLOCK_ANNOTATIONS_ANNOTATIONS_H

#include <stddef.h>
#include <stdio.h>

#include "annotations/rule_gpu.h"
#include "annotations/rule_http.h"
#include "annotations/rule_limits.h"
#include "annotations/rule_net.h"
#include "annotations/rule_ports.h"
#include "annotations/rule_words.h"
#include "runtime/base/arena.h"
#include "runtime/base/err.h"
#include "runtime/base/key_value.h"

#define ANNOTATION_PREFIX "io.sandlock."

struct annotations {
#define KEY(type, field, key, parse, render, grammar, help) type field;
#include "annotations/keys.def"
#undef KEY
};

struct annotation_key {
	const char *key;
	const char *grammar;
	const char *help;
};

/* Whether the key has the prefix io.sandlock., known or not. */
int annotation_is_ours(const char *key);

/* Parses every key with this prefix and ignores all others. */
int annotations_parse(struct arena *a, const struct key_value *kvs, size_t n,
	struct annotations *ret, struct sl_err *err);

/* The keys that are set, in the order of keys.def, each in its canonical spelling. */
void annotations_render(
	struct arena *a, const struct annotations *an, struct key_value **ret, size_t *ret_n);

const struct annotation_key *annotation_keys(size_t *ret_n);

/* The keys as a page of the documentation. */
void annotations_print_markdown(FILE *out);

#endif
