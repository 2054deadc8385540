/* SPDX-License-Identifier: Apache-2.0
 *
 * A good document, and variations of it by replacing a piece of text.
 */
#ifndef SANDLOCK_TESTS_UNIT_SPEC_SPEC_TEST_H
#define SANDLOCK_TESTS_UNIT_SPEC_SPEC_TEST_H

#include <stdlib.h>

#include "spec/spec.h"
#include "tests/unit/check.h"

#define GOOD_PROCESS                                                                               \
	"{\"args\":[\"sh\",\"-c\",\"true\"],\"env\":[\"A=1\",\"A=1\",\"EQ==\",\"B=\"],"            \
	"\"cwd\":\"/\",\"user\":{\"uid\":1,\"gid\":2,\"umask\":18,\"additionalGids\":[3,4]},"      \
	"\"capabilities\":{\"bounding\":[\"CAP_CHOWN\",\"CAP_KILL\"]},"                            \
	"\"rlimits\":[{\"type\":\"RLIMIT_NOFILE\",\"soft\":10,\"hard\":20}],"                      \
	"\"noNewPrivileges\":true,\"oomScoreAdj\":-998}"
#define GOOD_LINUX                                                                                 \
	"{\"namespaces\":[{\"type\":\"pid\"},{\"type\":\"mount\",\"path\":\"\"}],"                 \
	"\"resources\":{\"memory\":{\"limit\":-1},\"cpu\":{\"cpus\":\"0-1\"}},"                    \
	"\"devices\":[{\"path\":\"/dev/fuse\",\"type\":\"c\",\"major\":10,\"minor\":229}],"        \
	"\"seccomp\":{\"defaultAction\":\"SCMP_ACT_ERRNO\",\"syscalls\":[{\"names\":[\"read\"],"   \
	"\"action\":\"SCMP_ACT_ALLOW\",\"args\":[{\"index\":1,\"value\":18446744073709551615,"     \
	"\"op\":\"SCMP_CMP_EQ\"}]}]},\"sysctl\":{\"net.core.somaxconn\":\"1\"},"                   \
	"\"rootfsPropagation\":\"rslave\",\"maskedPaths\":[\"/proc/kcore\"],\"readonlyPaths\":[]}"
#define GOOD_SPEC                                                                                  \
	"{\"ociVersion\":\"1.2.0\",\"root\":{\"path\":\"rootfs\",\"readonly\":true},"              \
	"\"process\":" GOOD_PROCESS ",\"hostname\":\"box\","                                       \
	"\"mounts\":[{\"destination\":\"/proc\",\"type\":\"proc\",\"source\":\"proc\"},"           \
	"{\"destination\":\"data\",\"source\":\"/x\",\"options\":[\"rbind\",\"ro\"]}],"            \
	"\"hooks\":{\"prestart\":[{\"path\":\"/bin/true\",\"args\":[\"true\"],\"timeout\":5}]},"   \
	"\"annotations\":{\"k\":\"v\"},\"linux\":" GOOD_LINUX "}"

/* Loads GOOD_SPEC after replacing the first occurrence of a piece of its text. */
static inline int load_changed(
	struct arena *a, const char *from, const char *to, struct spec *ret, struct sl_err *err)
{
	static const char good[] = GOOD_SPEC;
	const char *at = strstr(good, from);
	char *text;

	if (!at)
		abort();
	text = arena_printf(a, "%.*s%s%s", (int)(at - good), good, to, at + strlen(from));
	return spec_load_buffer(a, text, strlen(text), ret, err);
}

#endif
