/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/limits/disk.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/cleanup.h"
#include "runtime/base/clock.h"
#include "runtime/base/thread.h"
#include "runtime/limits/budget.h"
#include "runtime/limits/spent.h"

/* A measurement is followed by a pause of this many times its length. */
#define PAUSE_FACTOR 20

/* A container that uses less processor time than this between two looks counts as sleeping. */
#define ASLEEP_NS 1000000

/* Other programs go first, but a busy machine does not keep the thread from measuring. */
#define NICE 5

struct disk {
	struct layer layer;
	struct members members;
	int (*confine)(void);
	uint64_t limit;
	_Atomic uint64_t held;
	int event_fd;
	/* The following members are used by the thread only. */
	struct spent spent;
	uint64_t spent_ns, measured_spent_ns;
	uint64_t base; /* bytes in use on the file system, at the last measurement */
	int64_t measured_ms, took_ms;
};

struct disk *disk_open(const char *root, uint64_t limit, struct sl_err *err)
{
	struct disk *d = calloc(1, sizeof(*d));

	if (!d) {
		sl_err_set(err, ENOMEM, "io.sandlock.limits.disk");
		return NULL;
	}
	d->limit = limit;
	d->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (d->event_fd >= 0 && layer_open(&d->layer, root, err) == 0)
		return d;
	if (d->event_fd < 0)
		sl_err_set(err, errno, "eventfd");
	sl_err_wrap(err, "io.sandlock.limits.disk");
	drop_fd(&d->event_fd);
	free(d);
	return NULL;
}

int disk_event_fd(const struct disk *d)
{
	return d->event_fd;
}

uint64_t disk_held(const struct disk *d)
{
	return d->held;
}

static void measure(struct disk *d)
{
	const int64_t began = clock_now_ms();
	const uint64_t over = 1;
	uint64_t named, all;

	d->base = layer_file_system(&d->layer);
	d->measured_spent_ns = d->spent_ns;
	if (layer_measure(&d->layer, &named) == 0) {
		all = named + layer_measure_deleted(&d->layer, &d->members);
		d->held = all < named ? UINT64_MAX : all;
	}
	d->measured_ms = clock_now_ms();
	d->took_ms = d->measured_ms - began;
	if (d->held > d->limit)
		(void)!write(d->event_fd, &over, sizeof(over));
}

/* Returns whether the layer may have grown to its limit. */
static bool may_be_full(const struct disk *d)
{
	const uint64_t now = layer_file_system(&d->layer);
	const uint64_t left = d->held < d->limit ? d->limit - d->held : 0;

	return now > d->base && now - d->base >= left / 2;
}

static bool is_due(const struct disk *d)
{
	const int64_t since = clock_now_ms() - d->measured_ms;

	if (since < PAUSE_FACTOR * d->took_ms || d->spent_ns == d->measured_spent_ns)
		return false;
	return since >= DISK_SLOW_MS || may_be_full(d);
}

static void sleep_ms(long ms)
{
	const struct timespec t = { ms / 1000, (ms % 1000) * 1000000L };

	nanosleep(&t, NULL);
}

static int disk_set_up(void *ctx)
{
	const struct disk *d = ctx;

	setpriority(PRIO_PROCESS, (id_t)gettid(), NICE);
	return d->confine();
}

static void disk_run(void *ctx)
{
	struct disk *d = ctx;

	measure(d);
	for (;;) {
		const uint64_t before = d->spent_ns;

		d->spent_ns = spent_look(&d->spent, &d->members);
		if (is_due(d))
			measure(d);
		sleep_ms(d->spent_ns - before >= ASLEEP_NS ? DISK_LOOK_MS : LIMITS_SLEEP_MS);
	}
}

int disk_start(
	struct disk *d, const struct members *members, int (*confine)(void), struct sl_err *err)
{
	const struct thread_work work = { disk_set_up, disk_run, d };

	if (d->layer.fd < 0)
		return 0;
	d->members = *members;
	d->confine = confine;
	if (thread_start(&work) < 0)
		return sl_err_set(err, errno, "io.sandlock.limits.disk: start the thread");
	return 0;
}
