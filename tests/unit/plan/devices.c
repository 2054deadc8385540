/* SPDX-License-Identifier: Apache-2.0
 *
 * What the rules of linux.resources.devices leave of a device: the later one counts more.
 */
#include "runtime/plan/devices.h"
#include "tests/unit/check.h"

#define R   SPEC_DEVICE_READ
#define RW  (SPEC_DEVICE_READ | SPEC_DEVICE_WRITE)
#define ALL (RW | SPEC_DEVICE_MKNOD)

static unsigned int of(const struct spec_device_rule *rules, size_t n)
{
	const struct spec_resources r = {
		.device_rules = (struct spec_device_rule *)rules,
		.n_device_rules = n,
	};

	return plan_device_access(&r, 'c', 10, 229);
}

#define OF(...)                                                                                    \
	of((const struct spec_device_rule[]){ __VA_ARGS__ },                                       \
		sizeof((struct spec_device_rule[]){ __VA_ARGS__ }) /                               \
			sizeof(struct spec_device_rule))

int main(void)
{
	const struct spec_resources none = { 0 };
	const struct spec_device_rule nothing = { false, 'a', -1, -1, ALL };

	CHECK(plan_device_access(&none, 'c', 10, 229) == 0);
	CHECK(plan_device_access(&none, 'c', 1, 3) == ALL);
	CHECK(plan_device_access(&none, 'b', 1, 3) == 0);
	CHECK(OF(nothing, { true, 'c', 10, 229, RW }) == RW);
	CHECK(OF(nothing, { true, 'c', 10, -1, RW }) == RW);
	CHECK(OF(nothing, { true, 'c', -1, -1, RW }) == RW);
	CHECK(OF(nothing, { true, 'a', -1, -1, ALL }) == ALL);
	CHECK(OF(nothing, { true, 'a', 10, 228, ALL }) == 0);
	CHECK(OF(nothing, { true, 'c', 10, 228, RW }) == 0);
	CHECK(OF(nothing, { true, 'c', 11, 229, RW }) == 0);
	CHECK(OF(nothing, { true, 'b', 10, 229, RW }) == 0);
	CHECK(OF(nothing, { true, 'c', 10, 229, R }) == R);
	CHECK(OF({ true, 'a', -1, -1, ALL }, { false, 'c', 10, -1, SPEC_DEVICE_WRITE }) ==
		(R | SPEC_DEVICE_MKNOD));
	CHECK(OF({ true, 'a', -1, -1, ALL }, { false, 'c', 10, 229, 0 }) == 0);
	CHECK(OF({ true, 'c', 10, 229, RW }, { false, 'a', 1, 1, R }) == 0);
	CHECK(OF({ true, 'c', 10, 229, RW }, { false, 'b', 10, 229, RW }) == RW);
	return check_done();
}
