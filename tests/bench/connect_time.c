/* SPDX-License-Identifier: Apache-2.0
 *
 *   connect_time ADDRESS PORT PATH N
 *
 * Makes N connections, one after the other, with two requests on each. Prints two medians in
 * microseconds: the first request with its connect(2), less the second; and the second.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/helpers/clock.h"

/* Reads a response with a Content-Length. Returns 0 or -1. */
static int read_response(int fd)
{
	char buf[16384];
	size_t have = 0, want = 0;

	while (want == 0 || have < want) {
		const ssize_t r = recv(fd, buf + have, sizeof(buf) - 1 - have, 0);
		const char *length, *end;

		if (r <= 0)
			return -1;
		have += (size_t)r;
		buf[have] = '\0';
		end = strstr(buf, "\r\n\r\n");
		length = strcasestr(buf, "\r\nContent-Length:");
		if (want == 0 && end && length)
			want = (size_t)(end + 4 - buf) + strtoul(length + 17, NULL, 10);
	}
	return strncmp(buf, "HTTP/1.1 200", 12) == 0 ? 0 : -1;
}

static int request_once(int fd, const char *request)
{
	const size_t n = strlen(request);

	return send(fd, request, n, MSG_NOSIGNAL) == (ssize_t)n ? read_response(fd) : -1;
}

static int connect_once(
	const struct sockaddr_in *to, const char *request, double *ret_extra, double *ret_second)
{
	const double t0 = clock_us();
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	double t1, t2;
	int rc = -1;

	if (fd < 0)
		return -1;
	if (connect(fd, (const struct sockaddr *)to, sizeof(*to)) == 0 &&
		request_once(fd, request) == 0) {
		t1 = clock_us();
		rc = request_once(fd, request);
		t2 = clock_us();
		*ret_second = t2 - t1;
		*ret_extra = (t1 - t0) - (t2 - t1);
	}
	close(fd);
	return rc;
}

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	const int n = argc == 5 ? atoi(argv[4]) : 0;
	struct sockaddr_in to = { .sin_family = AF_INET };
	double *extra = calloc((size_t)n + 1, sizeof(*extra));
	double *second = calloc((size_t)n + 1, sizeof(*second));
	char request[512];

	if (n <= 0 || !extra || !second || inet_pton(AF_INET, argv[1], &to.sin_addr) != 1)
		return 2;
	to.sin_port = htons((uint16_t)atoi(argv[2]));
	snprintf(request, sizeof(request), "GET %s HTTP/1.1\r\nHost: %s:%s\r\n\r\n", argv[3],
		argv[1], argv[2]);
	for (int i = 0; i < n; i++) {
		if (connect_once(&to, request, &extra[i], &second[i]) < 0) {
			fprintf(stderr, "connect_time: connection %d failed\n", i);
			return 1;
		}
	}
	qsort(extra, (size_t)n, sizeof(*extra), compare);
	qsort(second, (size_t)n, sizeof(*second), compare);
	printf("%.2f %.2f\n", extra[n / 2], second[n / 2]);
	return 0;
}
