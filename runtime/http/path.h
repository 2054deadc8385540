/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside the room: the ways in which servers may read a canonical path. Some decode escaped
 * slashes, some decode twice, some remove parameters (";") before or after decoding, some strip
 * dots and blanks from the end of a segment, as the file names of Windows do. Each set of the bits
 * below is one way. Without any bit every escape is decoded once, and an escaped slash is
 * no separator.
 */
#ifndef SANDLOCK_HTTP_PATH_H
#define SANDLOCK_HTTP_PATH_H

#include "runtime/http/request.h"

enum {
	HTTP_READ_SLASHES = 1,   /* escaped slashes and backslashes are separators */
	HTTP_READ_TWICE = 2,     /* escapes are decoded until nothing changes */
	HTTP_READ_CUT_FIRST = 4, /* parameters are removed before decoding */
	HTTP_READ_CUT_LAST = 8,  /* parameters are removed after decoding */
	HTTP_READ_STRIP = 16,    /* dots and blanks at the end of a segment are removed */
	HTTP_READ_ALL = 31,
};

/* Stands for an escaped slash that is no separator. */
#define HTTP_PATH_OPAQUE '\1'

/* Returns the bits that make a difference for this canonical path; 0 for most paths. */
unsigned int http_path_readings(const char *path, size_t n);

/* Writes the path as a server with these bits reads it, without a slash at its end, to ret, which
 * has room for n bytes. Returns the length; 0 is the root. */
size_t http_path_read(const char *path, size_t n, unsigned int how, char *ret);

/* Resolves dot segments and joins repeated slashes in place. Returns the length. */
size_t http_path_resolve(char *path, size_t n);

#endif
