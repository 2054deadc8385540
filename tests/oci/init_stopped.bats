#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# When init does not answer, for whatever reason, no verb waits for ever: the container is ended, and
# the caller gets an error.
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
