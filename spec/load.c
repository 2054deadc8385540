/* SPDX-License-Identifier: Apache-2.0
 *
 * Loads config.json as a whole (config.md). Only types, ranges and words are checked here;
 * support.h says what the runtime does with each field.
 */
#include "spec/load.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/io.h"

/* Accepts 1, a minor version, an optional patch level and an optional suffix: "1.0", "1.2.1",
 * "1.1.0+dev". */
static bool version_is_known(const char *v)
{
	size_t n;

	if (strncmp(v, "1.", 2) != 0)
		return false;
	v += 1;
	for (int part = 0; part < 2 && *v == '.'; part++) {
		v++;
		n = strspn(v, "0123456789");
		if (n == 0)
			return false;
		v += n;
	}
	if (*v == '\0')
		return true;
	if ((*v != '-' && *v != '+') || v[1] == '\0')
		return false;
	for (v++; *v; v++)
		if (!isalnum((unsigned char)*v) && !strchr(".-+", *v))
			return false;
	return true;
}

static int load_version(const struct at *root, struct spec *s)
{
	struct at at = at_member(root, "ociVersion");

	if (read_str(root, "ociVersion", READ_REQUIRED, &s->oci_version) < 0)
		return -1;
	if (!version_is_known(s->oci_version))
		return read_fail(&at, "\"%.80s\" is not supported, this runtime knows versions 1.x",
			s->oci_version);
	return 0;
}

/* Accepts what sethostname(2) and setdomainname(2) would accept. */
static int load_name(const struct at *root, const char *key, const char **ret)
{
	struct at at = at_member(root, key);
	struct utsname uts;

	if (read_str(root, key, READ_OPTIONAL, ret) < 0)
		return -1;
	if (*ret && strlen(*ret) >= sizeof(uts.nodename))
		return read_fail(&at, "longer than %zu bytes", sizeof(uts.nodename) - 1);
	/* Control characters are refused, because the name is shown in prompts and logs. */
	for (const char *c = *ret; c && *c; c++)
		if (iscntrl((unsigned char)*c))
			return read_fail(
				&at, "has the control character 0x%02x", (unsigned char)*c);
	if (*ret && (*ret)[0] == '\0')
		*ret = NULL;
	return 0;
}

static int load_root(const struct at *root, struct spec *s)
{
	struct at at, path;

	if (read_object(root, "root", READ_OPTIONAL, &at) < 0)
		return -1;
	path = at_member(&at, "path");
	if (!path.j || (path.j->type == JSON_STRING && path.j->text[0] == '\0'))
		return read_missing(&path);
	if (read_str(&at, "path", READ_REQUIRED, &s->root_path) < 0)
		return -1;
	return read_bool(&at, "readonly", &s->root_readonly);
}

static int load_document(const struct at *root, struct spec *s)
{
	struct at process;

	if (read_is(root, JSON_OBJECT) < 0)
		return -1;
	if (load_version(root, s) < 0 || load_root(root, s) < 0)
		return -1;
	if (read_object(root, "process", READ_OPTIONAL, &process) < 0)
		return -1;
	s->has_process = process.j != NULL;
	if (s->has_process && load_process(&process, &s->process) < 0)
		return -1;
	if (load_name(root, "hostname", &s->hostname) < 0 ||
		load_name(root, "domainname", &s->domainname) < 0)
		return -1;
	if (load_mounts(root, s) < 0 || load_hooks(root, &s->hooks) < 0)
		return -1;
	if (read_kvs(root, "annotations", &s->annotations, &s->n_annotations) < 0)
		return -1;
	if (load_linux(root, &s->linux_) < 0)
		return -1;
	return load_present(root, s);
}

int spec_load_buffer(
	struct arena *a, const char *buf, size_t len, struct spec *ret, struct sl_err *err)
{
	struct reader rd = { .a = a, .err = err };
	const struct json *j;
	struct spec s = { 0 };
	struct at root;

	if (json_parse(a, buf, len, &j, err) < 0)
		return -1;
	root = at_root(&rd, NULL, j);
	if (load_document(&root, &s) < 0)
		return -1;
	*ret = s;
	return 0;
}

int spec_load_bundle(struct arena *a, const char *bundle, struct spec *ret, struct sl_err *err)
{
	auto_fd int dir_fd = open(bundle, O_PATH | O_DIRECTORY | O_CLOEXEC);
	char *buf;
	size_t len;

	if (dir_fd < 0)
		return sl_err_set(err, errno, "bundle %s", bundle);
	if (faccessat(dir_fd, "config.json", F_OK, 0) < 0 && errno == ENOENT)
		return sl_err_set(err, 0, "JSON specification file config.json not found");
	if (io_read_file(a, dir_fd, "config.json", SPEC_MAX_BYTES, &buf, &len, err) < 0)
		return -1;
	if (spec_load_buffer(a, buf, len, ret, err) < 0)
		return sl_err_wrap(err, "config.json");
	return 0;
}

int spec_load_process(
	struct arena *a, const char *buf, size_t len, struct spec_process *ret, struct sl_err *err)
{
	struct reader rd = { .a = a, .err = err };
	struct spec_process p = { 0 };
	const struct json *j;
	struct at root;

	if (json_parse(a, buf, len, &j, err) < 0)
		return sl_err_wrap(err, "process");
	root = at_root(&rd, "process", j);
	if (read_is(&root, JSON_OBJECT) < 0 || load_process(&root, &p) < 0)
		return -1;
	*ret = p;
	return 0;
}

int spec_load_resources(struct arena *a, const char *buf, size_t len, struct spec_resources *ret,
	struct sl_err *err)
{
	struct reader rd = { .a = a, .err = err };
	struct spec_resources r = { 0 };
	const struct json *j;
	struct at root;

	if (json_parse(a, buf, len, &j, err) < 0)
		return sl_err_wrap(err, "resources");
	root = at_root(&rd, "resources", j);
	if (read_is(&root, JSON_OBJECT) < 0 || load_resources(&root, &r) < 0)
		return -1;
	*ret = r;
	return 0;
}
