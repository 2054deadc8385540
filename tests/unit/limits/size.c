/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel's texts with the container's part of them.
 */
#include "runtime/limits/size.h"

#include <string.h>

#include "tests/unit/check.h"

static const char cpuinfo[] =
	"processor\t: 0\nmodel name\t: a\n\nprocessor\t: 1\nmodel name\t: b\n\n"
	"processor\t: 2\nmodel name\t: c\n\n";
static const char stat_text[] =
	"cpu  60 6 30\ncpu0 10 1 5\ncpu1 20 2 10\ncpu2 30 3 15\nintr 7\nctxt 8\n";
static const char meminfo[] = "MemTotal:       24000000 kB\nMemFree:         1000000 kB\n"
			      "MemAvailable:   20000000 kB\nCached:          9000000 kB\n"
			      "AnonPages:        500000 kB\nHugePages_Total:       3\n";

static char out[4096];

static const char *made(size_fn *make, const struct size_facts *f, const char *host)
{
	const size_t len = make(f, host, out, sizeof(out));

	CHECK(len == strlen(out) && len > 0);
	return out;
}

static void processors(void)
{
	cpu_set_t cpus;
	const struct size_facts f = { .cpus = &cpus };

	CPU_ZERO(&cpus);
	CPU_SET(1, &cpus);
	CHECK_STR(made(size_cpuinfo, &f, cpuinfo), "processor\t: 1\nmodel name\t: b\n\n");
	CHECK_STR(made(size_stat, &f, stat_text), "cpu  20 2 10\ncpu1 20 2 10\nintr 7\nctxt 8\n");
	CHECK_STR(made(size_cpus, &f, ""), "1\n");
	CPU_SET(2, &cpus);
	CPU_SET(7, &cpus);
	CHECK_STR(made(size_stat, &f, stat_text),
		"cpu  50 5 25\ncpu1 20 2 10\ncpu2 30 3 15\nintr 7\nctxt 8\n");
	CHECK_STR(made(size_cpus, &f, ""), "1-2,7\n");
	CPU_SET(CPU_SETSIZE - 1, &cpus);
	CHECK_STR(made(size_cpus, &f, ""), "1-2,7,1023\n");
}

static void memory(void)
{
	struct size_facts f = { .memory_limit = 100 << 20, .memory_held = 30 << 20 };

	CHECK_STR(made(size_meminfo, &f, meminfo),
		"MemTotal:         102400 kB\nMemFree:           71680 kB\n"
		"MemAvailable:      71680 kB\nCached:                0 kB\n"
		"AnonPages:         30720 kB\nHugePages_Total:       3\n");
	f.memory_held = 200 << 20;
	CHECK_CONTAINS(made(size_meminfo, &f, meminfo), "MemFree:               0 kB\n");
	f.memory_limit = UINT64_MAX;
	CHECK_CONTAINS(made(size_meminfo, &f, meminfo), "MemTotal:       24000000 kB\n");
}

static void load(void)
{
	struct size_facts f = { .load = { .n_running = 2, .n_tasks = 5, .last = 77 } };

	CHECK_STR(made(size_loadavg, &f, ""), "0.00 0.00 0.00 2/5 77\n");
	size_decay(&f.load, 2, 30); /* a minute */
	CHECK(f.load.average[0] > SIZE_LOAD_ONE && f.load.average[0] < 2 * SIZE_LOAD_ONE);
	CHECK(f.load.average[2] > 0 && f.load.average[2] < f.load.average[1]);
	size_decay(&f.load, 2, UINT64_MAX);
	CHECK(f.load.average[0] > SIZE_LOAD_ONE * 19 / 10);
	size_decay(&f.load, 0, UINT64_MAX);
	CHECK(f.load.average[0] < SIZE_LOAD_ONE / 50);
}

static void without_room(void)
{
	cpu_set_t cpus;
	const struct size_facts f = { .cpus = &cpus, .memory_limit = 1 << 20 };

	memset(&cpus, 0xff, sizeof(cpus));
	for (size_t room = 0; room < 20; room++) {
		CHECK(size_cpuinfo(&f, cpuinfo, out, room) == 0);
		CHECK(size_stat(&f, stat_text, out, room) == 0);
		CHECK(size_meminfo(&f, meminfo, out, room) == 0);
	}
}

int main(void)
{
	processors();
	memory();
	load();
	without_room();
	return check_done();
}
