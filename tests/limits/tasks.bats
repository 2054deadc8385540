#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# linux.resources.pids.limit: at the limit every way to make a process or a thread fails with EAGAIN.
# Control: without a limit the program makes all of them; with runc's cgroup the figures are the same.
load lib

limited() {
	loaded "exec load tasks $1 ${3:-40}" ".linux.resources.pids = {limit: $2}"
	eventually 10 test -s "$T/$ID.out"
}

@test "every way to make a process or a thread ends at the limit" {
	for how in fork vfork setsid silent thread zombie; do
		limited "$how" 20
		is "$how $(cat "$T/$ID.out")" "$how 19 EAGAIN"
	done
}

@test "control: without a limit all are made" {
	for how in fork thread; do
		limited "$how" 0
		is "$how $(cat "$T/$ID.out")" "$how 40 ok"
	done
}

@test "processes that nobody's child is are counted" {
	limited twice 20
	made=$(cut -d' ' -f1 "$T/$ID.out")
	# Those in between end at once, and are no more when the next one asks.
	between 18 "$made" 19
	is "$(cut -d' ' -f2 "$T/$ID.out")" EAGAIN
}

@test "statistics name the limit and what was refused" {
	ours || skip "runc names the limit alone"
	limited fork 20
	is "$(stat_of '.pids.limit, .pids.current, .sandlock.tasks_refused')" "$(printf '20\n20\n1')"
}

@test "one after the other as many as one likes" {
	loaded 'i=0; while [ $i -lt 200 ]; do /bin/true || exit 1; i=$((i+1)); done; echo all' \
		'.linux.resources.pids = {limit: 3}'
	eventually 20 has "$T/$ID.out" all
}

@test "the annotation limits too, and the smaller one counts" {
	ours || skip "only this runtime knows it"
	for pair in "10 20" "20 10"; do
		loaded "exec load tasks fork 40" ".linux.resources.pids = {limit: ${pair% *}} |
			.annotations[\"io.sandlock.limits.processes\"] = \"${pair#* }\""
		eventually 10 test -s "$T/$ID.out"
		is "$(cat "$T/$ID.out")" "9 EAGAIN"
	done
}

@test "at the limit exec, kill and delete answer, of this container and of others" {
	loaded 'load bomb' '.linux.resources.pids = {limit: 50}'
	bomb=$ID
	sleep 1
	began=$(now_ms)
	rt exec "$bomb" /bin/echo here
	ok
	out_is here
	new_id
	bundle "$T/$ID" '.process.args = ["true"]'
	rt run --bundle "$T/$ID" "$ID"
	ok
	rt kill "$bomb" KILL
	ok
	rt delete --force "$bomb"
	ok
	between 0 $(($(now_ms) - began)) 10000
}

@test "without a limit forking asks nobody" {
	ours || skip "only this runtime counts"
	loaded 'exec load tasks fork 40'
	eventually 5 test -s "$T/$ID.out"
	is "$(stat_of '.sandlock.notifications.clone')" null
	is "$(stat_of '.pids.limit')" null
}

@test "the runtime's own processes are no tasks of the container" {
	ours || skip "runc has none"
	loaded 'exec load tasks fork 40' '.linux.resources.pids = {limit: 20} |
		.annotations["io.sandlock.http.allow"] = "GET 192.0.2.1/*"'
	eventually 10 test -s "$T/$ID.out"
	pgrep -P "$(pid_of "$ID")" -c >"$T/children"
	is "$(cat "$T/children") $(cat "$T/$ID.out")" "2 19 EAGAIN"
	is "$(stat_of .pids.current)" 20
}
