#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A tracer changes the calls of a sibling, before and while they are judged, with and without
# CAP_SYS_PTRACE.
load lib

GOOD=127.0.0.2
BAD=127.0.0.3
TRACE='.process.capabilities |= map_values(. + ["CAP_SYS_PTRACE"])'

@test "the address of a connect is turned at its entry" {
	LIMIT=60
	for how in regs info; do
		serve $GOOD:$PORT $BAD:$PORT
		"$HELPERS/nettrace" entry $how $GOOD $BAD $PORT 100 >"$T/control"
		turned=$(field "$(cat "$T/control")" turned)
		# Only a kernel without PTRACE_SET_SYSCALL_INFO turns nothing by it.
		[ "$turned" = 50 ] || { [ $how = info ] && [ "$turned" = 0 ]; }
		is "$(count $BAD:$PORT tcp)" "$turned"
		kill "$SERVER"
		wait "$SERVER" || true
		serve $GOOD:$PORT $BAD:$PORT
		net_in "tcp://$GOOD:$PORT" "nettrace entry $how $GOOD $BAD $PORT 2000" "$TRACE"
		[ "$turned" = 0 ] || out_is "$(printf 'good 1000 refused 1000\nturned 1000')"
		is "$(count $BAD:$PORT tcp)" 0
		kill "$SERVER"
		wait "$SERVER" || true
	done
}

@test "a connect that hangs is stopped and made one to elsewhere" {
	serve $BAD:$PORT dead:127.0.0.9:$PORT
	is "$("$HELPERS/nettrace" pending 127.0.0.9 $BAD $PORT)" "$(printf 'stopped in connect\nconnect ok')"
	is "$(count $BAD:$PORT tcp)" 1
	net_in "tcp://127.0.0.9:$PORT" "nettrace pending 127.0.0.9 $BAD $PORT" "$TRACE"
	out_is "$(printf 'stopped in connect\nconnect ECONNREFUSED')"
	is "$(count $BAD:$PORT tcp)" 1
}

@test "the same without the capability" {
	serve $BAD:$PORT dead:127.0.0.9:$PORT
	net_in "tcp://127.0.0.9:$PORT" "nettrace pending 127.0.0.9 $BAD $PORT"
	out_is "$(printf 'stopped in connect\nconnect ECONNREFUSED')"
	is "$(count $BAD:$PORT tcp)" 0
}
