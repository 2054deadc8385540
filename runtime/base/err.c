/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void sl_err_fill(struct sl_err *err, int code, const char *fmt, ...)
{
	va_list ap;
	int n;

	err->code = code;
	va_start(ap, fmt);
	n = vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	if (n < 0)
		n = 0;
	if (code != 0 && (size_t)n < sizeof(err->msg))
		snprintf(err->msg + n, sizeof(err->msg) - (size_t)n, ": %s", strerror(code));
}

void sl_err_prefix(struct sl_err *err, const char *fmt, ...)
{
	char old[SL_ERR_MAX];
	va_list ap;
	int n;

	memcpy(old, err->msg, sizeof(old));
	va_start(ap, fmt);
	n = vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	if (n < 0)
		n = 0;
	if ((size_t)n + 2 < sizeof(err->msg)) {
		strcpy(err->msg + n, ": ");
		strncat(err->msg, old, sizeof(err->msg) - (size_t)n - 3);
	}
}
