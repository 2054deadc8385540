#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# An init that does not answer, whatever has come over it, holds no verb for ever: the container is
# ended, and the one who asked is told.
load ../lib/harness

@test "exec of a container whose init does not answer fails within a bound, and the container ends" {
	ours || skip "another runtime has no init of its own"
	started 'exec sleep 100'
	rt exec "$ID" true
	ok
	kill -STOP "$(init_of "$ID")"
	rt exec "$ID" true
	fails "init does not answer, the container is ended" 255
	wait_state "$ID" stopped
	rt delete "$ID"
	ok
}
