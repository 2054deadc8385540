/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside the room: the readings of a canonical path. Servers decode escaped slashes or do not, some
 * decode twice, some cut parameters (";") off, before or after that. Each set of the bits below is
 * one way; without any bit it is the plain one: every escape is decoded once, an escaped slash is
 * no slash.
 */
#ifndef SANDLOCK_HTTP_PATH_H
#define SANDLOCK_HTTP_PATH_H

#include "runtime/http/request.h"

enum {
	HTTP_READ_SLASHES = 1,   /* escaped slashes and backslashes are slashes */
	HTTP_READ_TWICE = 2,     /* what decoding leaves is decoded again, until nothing changes */
	HTTP_READ_CUT_FIRST = 4, /* parameters are cut off before it is decoded */
	HTTP_READ_CUT_LAST = 8,  /* and after it */
	HTTP_READ_ALL = 15,
};

/* An escaped slash that is none. */
#define HTTP_PATH_OPAQUE '\1'

/* The bits that make a difference for this path, which is canonical; mostly 0. */
unsigned int http_path_readings(const char *path, size_t n);

/* The path as it is read so, without a slash at its end, into ret, which has room for n bytes.
 * Returns the length; 0 is the root. */
size_t http_path_read(const char *path, size_t n, unsigned int how, char *ret);

/* Dot segments resolved and slashes in a row made one, in place; returns the length. */
size_t http_path_resolve(char *path, size_t n);

#endif
