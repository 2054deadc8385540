/* SPDX-License-Identifier: Apache-2.0
 *
 * Dates and times as RFC 3339 has them, the parts of it that TOML adds included.
 */
#include "sandbox/toml/internal.h"

static bool digits_of(const char **s, int n_digits, int min, int max, int *ret)
{
	int v = 0;

	for (int i = 0; i < n_digits; i++, (*s)++) {
		if (**s < '0' || **s > '9')
			return false;
		v = v * 10 + (**s - '0');
	}
	*ret = v;
	return v >= min && v <= max;
}

static bool skip(const char **s, char c)
{
	return **s == c && (*s)++;
}

static int days_of(int year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	return days[month - 1] + (month == 2 && leap);
}

static bool date(const char **s)
{
	int year, month, day;

	return digits_of(s, 4, 0, 9999, &year) && skip(s, '-') && digits_of(s, 2, 1, 12, &month) &&
	       skip(s, '-') && digits_of(s, 2, 1, days_of(year, month), &day);
}

static bool time_of_day(const char **s)
{
	int v;

	if (!digits_of(s, 2, 0, 23, &v) || !skip(s, ':') || !digits_of(s, 2, 0, 59, &v) ||
		!skip(s, ':') || !digits_of(s, 2, 0, 60, &v))
		return false;
	if (!skip(s, '.'))
		return true;
	if (!digits_of(s, 1, 0, 9, &v))
		return false;
	while (**s >= '0' && **s <= '9')
		(*s)++;
	return true;
}

static bool offset(const char **s)
{
	int v;

	if (skip(s, 'Z') || skip(s, 'z'))
		return true;
	return (skip(s, '+') || skip(s, '-')) && digits_of(s, 2, 0, 23, &v) && skip(s, ':') &&
	       digits_of(s, 2, 0, 59, &v);
}

bool toml_is_time(const char *s)
{
	const char *t = s;

	if (time_of_day(&t) && *t == '\0')
		return true;
	t = s;
	if (!date(&t))
		return false;
	if (*t == '\0')
		return true;
	if (!skip(&t, 'T') && !skip(&t, 't') && !skip(&t, ' '))
		return false;
	return time_of_day(&t) && (*t == '\0' || (offset(&t) && *t == '\0'));
}
