#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# alone: it looks at the sockets of all shims of the machine
# containerd is killed in the middle of each call of a task's life. It comes back, what ctr then
# removes is gone, and nothing is left. SANDLOCK_TEST_ROUNDS is how often, each time at other moments.
load ../lib/shim

# kill_during MILLISECONDS COMMAND...: the command, and containerd is killed so long after its begin.
kill_during() {
	local after=$1 command containerd
	shift
	containerd=$(cat "$CD/pid" 2>/dev/null || echo "$CONTAINERD_PID")
	"$@" >/dev/null 2>&1 </dev/null 3>&- 4>&- &
	command=$!
	sleep "$(printf '0.%03d' "$after")"
	kill -9 "$containerd"
	wait "$command" || true
	ended() { ! kill -0 "$containerd" 2>/dev/null; }
	eventually 5 ended
	containerd_start "$CD" 4>&- 3>&-
	echo "$CONTAINERD_PID" >"$CD/pid"
}

# What an operator does after it.
clean() {
	ctr_do task rm -f "$MARK"
	ctr_do container rm "$MARK"
	if [ -n "$("${CTR[@]}" container ls -q)" ]; then
		"${CTR[@]}" task ls
		cat "$T/err"
		return 1
	fi
	# A shim that containerd was killed before it could use ends by itself.
	eventually 60 no_shims
	ctr_nothing_left
}

moments() {
	local i
	for ((i = 0; i < ${SANDLOCK_TEST_ROUNDS:-1}; i++)); do
		printf '%s\n' "$@" | awk -v i="$i" -v n="${SANDLOCK_TEST_ROUNDS:-1}" \
			'{ v[NR] = $1 } END { for (k = 1; k < NR; k++) print int(v[k] + (v[k + 1] - v[k]) * i / n) }'
	done
}

begin() {
	shim_run "$BUSYBOX" "$MARK" -d -- sleep 1000
	ok
}

# The snapshot is made before: one that containerd was killed in keeps it from making the next.
make_container() {
	ctr_do container create --runtime io.containerd.sandlock.v1 --env "SANDLOCK_TEST_MARK=$MARK" \
		"$BUSYBOX" "$MARK" sleep 1000
	ok
}

@test "containerd is killed while a task is created and started" {
	local ms
	for ms in $(moments 10 30 60 120); do
		make_container
		kill_during "$ms" "${CTR[@]}" task start -d "$MARK"
		clean
	done
}

@test "containerd is killed during an exec" {
	local ms
	for ms in $(moments 20 80 150); do
		begin
		kill_during "$ms" "${CTR[@]}" task exec --exec-id e1 "$MARK" sleep 0.1
		is "$(status_of "$MARK")" RUNNING
		clean
	done
}

@test "containerd is killed during kill and delete" {
	local ms
	for ms in $(moments 15 50 120); do
		begin
		kill_during "$ms" "${CTR[@]}" task rm -f "$MARK"
		clean
	done
}
