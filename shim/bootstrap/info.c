/* SPDX-License-Identifier: Apache-2.0
 *
 * -info: prints what the runtime can do, for containerd 2.0 and later.
 */
#include "runtime/base/io.h"
#include "runtime/container/container.h"
#include "shim/bootstrap/bootstrap.h"
#include "shim/proto/bootstrap.pb-c.h"
#include "shim/proto/proto.h"

#define FEATURES "types.containerd.io/opencontainers/runtime-spec/1/features/Features"

int bootstrap_info(struct bootstrap *b, struct sl_err *err)
{
	Bootstrap__RuntimeInfo info = BOOTSTRAP__RUNTIME_INFO__INIT;
	Bootstrap__RuntimeVersion version = BOOTSTRAP__RUNTIME_VERSION__INIT;
	Common__Any features = COMMON__ANY__INIT;
	auto_bytes struct proto_bytes out = { 0 };

	version.version = (char *)SANDLOCK_VERSION;
	features.type_url = (char *)FEATURES;
	features.value.data = (uint8_t *)container_features(b->arena, &features.value.len);
	info.name = (char *)"io.containerd.sandlock.v1";
	info.version = &version;
	info.features = &features;
	if (proto_pack(&info, &out) < 0 || io_write_all(1, out.data, out.n) < 0)
		return sl_err_set(err, errno, "info: answer");
	return 0;
}
