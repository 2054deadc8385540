/* SPDX-License-Identifier: Apache-2.0
 *
 * The error value of the whole project.
 *
 * It has a fixed size and no pointers, so it can be sent through a pipe or a socket. The caller
 * owns it and passes it as the last parameter. A function that returns -1 has filled it; a function
 * that returns 0 has not changed it. Context is added on the left: "create c1: load spec: open
 * 'config.json': No such file or directory".
 */
#ifndef SANDLOCK_BASE_ERR_H
#define SANDLOCK_BASE_ERR_H

#include <errno.h>

#define SL_ERR_MAX 1024

struct sl_err {
	int code; /* errno of the step that failed; 0 if it was not a system call */
	char msg[SL_ERR_MAX];
};

/* Sets the message, and appends ": <strerror(code)>" if code is not 0. The value is -1. */
#define sl_err_set(err, code, ...)                                                                 \
	({                                                                                         \
		sl_err_fill(err, code, __VA_ARGS__);                                               \
		-1;                                                                                \
	})

/* Adds "<context>: " in front of the message. The value is -1. */
#define sl_err_wrap(err, ...)                                                                      \
	({                                                                                         \
		sl_err_prefix(err, __VA_ARGS__);                                                   \
		-1;                                                                                \
	})

/* The functions behind the macros. They are macros so that the compiler sees the constant -1. */
void sl_err_fill(struct sl_err *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4), cold));
void sl_err_prefix(struct sl_err *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), cold));

#endif
