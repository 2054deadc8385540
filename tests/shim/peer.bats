#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The shim called as containerd calls it, by a strict peer (tests/shim/peer says what each case is).
load ../lib/harness

setup() {
	harness_setup
	export SANDLOCK_SHIM_ROOT=$ROOT
	WORK=$(mktemp -d /tmp/sandlock-peer.XXXXXX)
	bundle "$T/b"
}

teardown() {
	local pid mount
	for pid in $(pgrep -f -- "containerd-shim-sandlock.*-address $WORK/grpc"); do
		[ -z "${BATS_TEST_COMPLETED:-}" ] || echo "the shim is left"
		kill -9 "$pid"
	done
	# Of a case that failed half-way.
	for mount in "$T/b/rootfs" "$WORK/pod/shm"; do
		[ -n "${BATS_TEST_COMPLETED:-}" ] || umount -l "$mount" 2>/dev/null || true
	done
	ROOT=$ROOT/test
	rm -rf "$WORK"
	harness_teardown
}

peer() {
	new_id
	timeout -k 5 60 "$BATS_TEST_DIRNAME/peer" "$1" "$BUILD/bin/containerd-shim-sandlock-v1" "$WORK" \
		"$T/b" "$ID" 3>&- 4>&-
}

@test "events: in their order, of a process that ends at once" { peer events; }
@test "bootstrap: each version of containerd has its answer" { peer bootstrap; }
@test "group: one shim a pod" { peer group; }
@test "states: what is refused when" { peer states; }
@test "exec: events, pids, its end before the container's" { peer exec; }
@test "waits: hundreds, of clients that go" { peer waits; }
@test "frames: broken ones hurt nobody" { peer frames; }
@test "away: no event is lost while containerd restarts" { peer away; }
@test "killed: the container goes on until delete" { peer killed; }
@test "supervisor: its death is an exit" { peer supervisor; }
@test "created: deleted and killed without a start" { peer created; }
@test "rootfs: mounts are made in order, and undone" { peer rootfs; }
@test "sandbox: a pod without a container of its own" { peer sandbox; }
@test "sandbox: a setting that cannot be the pod's is refused" { peer sandbox_setting; }
@test "sandbox killed: nothing is left" { peer sandbox_killed; }
@test "sandbox killed: its containers end with delete" { peer sandbox_killed_with_containers; }
# bats test_tags=kills
@test "unused: a shim that nothing is in ends" { peer unused; }
# bats test_tags=kills
@test "unheard: a container whose client went while it was made" { peer unheard; }
# bats test_tags=kills
@test "kills: the shim, in the middle of each call" { peer kills; }
# bats test_tags=kills
@test "kills below: workers, supervisors and init, in the middle of each call" { peer kills_below; }
@test "start: its worker is killed when the process runs" { peer start_killed; }
@test "sandbox: the worker of CreateSandbox is killed" { peer sandbox_half_made; }
@test "exec: its Delete is answered when the container is deleted first" { peer exec_undrained; }
@test "late reader: a client that comes after the end misses nothing" { peer late_reader; }
@test "open files: the limit that the shim was started with" { peer open_files; }
