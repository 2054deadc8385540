#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# alone: it looks at the sockets of all shims of the machine
# Under Debian's containerd and its runc shim: output, statuses, signals, and nothing left.
load ../lib/ctr

@test "ctr run gives the output" {
	ctr_run "$BUSYBOX" "$MARK" --rm -- sh -c 'echo from inside; echo to stderr >&2; cat /etc/image-name'
	ok
	out_is "$(printf 'from inside\nbusybox')"
	has "$T/err" 'to stderr'
}

@test "exit codes 0, 1, 42 and 255" {
	local code
	for code in 0 1 42 255; do
		ctr_run "$BUSYBOX" "$MARK-$code" --rm -- sh -c "exit $code"
		is "$rc" "$code"
	done
}

@test "deaths by signal are 128 and the signal" {
	local sig
	for sig in 2 6 9 11 15; do
		ctr_run "$BUSYBOX" "$MARK-$sig" --rm -- sh -c "kill -$sig \$\$; sleep 5"
		is "$rc" $((128 + sig))
	done
}

@test "a detached task: ls, kill, exit status, rm" {
	ctr_run "$BUSYBOX" "$MARK" -d -- sleep 100
	ok
	"${CTR[@]}" task ls >"$T/out"
	grep -E "^$MARK +[0-9]+ +RUNNING" "$T/out"
	"${CTR[@]}" task kill -s SIGTERM "$MARK"
	eventually 5 task_is STOPPED
	# ctr tells the status of a task in a warning, not by its own.
	"${CTR[@]}" task rm "$MARK" >"$T/out" 2>"$T/err"
	has "$T/err" 'non-zero exit code 143'
	"${CTR[@]}" container rm "$MARK"
	is "$("${CTR[@]}" container ls -q)" ""
}

task_is() {
	"${CTR[@]}" task ls | grep -E "^$MARK " | grep -q "$1"
}

@test "task kill with a handler, and task kill -9" {
	ctr_run "$BUSYBOX" "$MARK" -d -- sh -c 'trap "exit 5" TERM; while :; do sleep 0.05; done'
	ok
	sleep 0.5
	"${CTR[@]}" task kill -s TERM "$MARK"
	eventually 5 task_is STOPPED
	"${CTR[@]}" task rm "$MARK" >"$T/out" 2>"$T/err"
	has "$T/err" 'non-zero exit code 5'
	"${CTR[@]}" container rm "$MARK"
	ctr_run "$BUSYBOX" "$MARK" -d -- sh -c 'trap "" TERM; while :; do sleep 1; done'
	ok
	"${CTR[@]}" task kill -s KILL "$MARK"
	eventually 5 task_is STOPPED
}

@test "task rm -f of a running task with daemons" {
	ctr_run "$BUSYBOX" "$MARK" -d -- sh -c 'setsid sleep 31380 & (setsid sleep 31380 &); sleep 31380'
	ok
	sleep 0.3
	"${CTR[@]}" task rm -f "$MARK" || true
	assert_no_process
}

@test "stdin reaches the process and ends" {
	# ctr misses an end of file that comes before its task is there.
	mkfifo "$T/in"
	(sleep 1; printf 'one\ntwo\n'; sleep 0.5) >"$T/in" 3>&- &
	STDIN=$T/in ctr_run "$BUSYBOX" "$MARK" --rm -- cat
	ok
	out_is "$(printf 'one\ntwo')"
}

@test "namespaces and cgroup of the workload are the shim's" {
	ours || skip "only this runtime promises it"
	ctr_run "$BUSYBOX" "$MARK" -d -- sleep 100
	ok
	local task work shim n
	task=$("${CTR[@]}" task ls | awk -v id="$MARK" '$1 == id { print $2 }')
	shim=$(containerd_shims "$CD" | head -1)
	work=$(marked | while read -r p; do
		[ "$(cat "/proc/$p/comm")" != sleep ] || echo "$p"
	done)
	[ -n "$work" ]
	for n in /proc/self/ns/*; do
		n=${n##*/}
		case $n in *_for_children) continue ;; esac
		is "$n $(readlink "/proc/$work/ns/$n")" "$n $(readlink "/proc/$shim/ns/$n")"
		is "$n $(readlink "/proc/$task/ns/$n")" "$n $(readlink "/proc/$shim/ns/$n")"
	done
	is "$(cat "/proc/$work/cgroup")" "$(cat "/proc/$shim/cgroup")"
}

@test "a command that is missing: the known text" {
	ctr_run "$BUSYBOX" "$MARK" --rm -- no-such-program
	[ "$rc" -ne 0 ]
	has "$T/err" 'executable file not found in $PATH'
}

@test "ten in parallel, each with its own status" {
	local i p=() status
	for i in $(seq 10); do
		"${CTR[@]}" run --rm --runc-binary "$RUNTIME" --runc-root "$RUNC_ROOT" "$BUSYBOX" \
			"$MARK-$i" sh -c "echo number $i; exit $i" </dev/null >"$T/$i.out" 2>"$T/$i.err" 3>&- &
		p+=($!)
	done
	for i in $(seq 10); do
		status=0
		wait "${p[$((i - 1))]}" || status=$?
		if [ "$status" -ne "$i" ]; then
			cat "$T/$i.err"
		fi
		is "$i $status $(cat "$T/$i.out")" "$i $i number $i"
	done
}

@test "the shim's descriptors do not grow" {
	ctr_run "$BUSYBOX" "$MARK" -d -- sleep 100
	ok
	local shim before i
	shim=$(containerd_shims "$CD" | head -1)
	"${CTR[@]}" task ls >/dev/null
	before=$(ls "/proc/$shim/fd" | wc -l)
	for i in $(seq 5); do
		"${CTR[@]}" task kill -s 0 "$MARK" 2>/dev/null || true
		"${CTR[@]}" task ls >/dev/null
	done
	[ "$(ls "/proc/$shim/fd" | wc -l)" -le $((before + 1)) ]
}

@test "host network flag, read-only root and working directory" {
	ctr_run "$BUSYBOX" "$MARK" --rm --net-host --read-only --cwd /tmp -- \
		sh -c 'pwd; touch /x 2>/dev/null || echo ro'
	ok
	out_is "$(printf '/tmp\nro')"
}

@test "a bind mount from the host" {
	mkdir "$T/vol"
	ctr_run "$BUSYBOX" "$MARK" --rm --mount "type=bind,src=$T/vol,dst=/data,options=rbind:rw" -- \
		sh -c 'echo written >/data/f'
	ok
	is "$(cat "$T/vol/f")" written
}

@test "containerd's seccomp profile: run, exec, terminal, pause, kill" {
	ctr_run "$BUSYBOX" "$MARK" -d --seccomp -- sh -c 'trap "exit 5" TERM; while :; do sleep 0.05; done'
	ok
	rc=0
	"${CTR[@]}" task exec --exec-id e1 "$MARK" sh -c 'grep Seccomp_filters /proc/self/status; exit 3' \
		>"$T/out" 2>"$T/err" </dev/null || rc=$?
	is "$rc $(tr -d '\t' <"$T/out")" "3 Seccomp_filters:2"
	"${CTR[@]}" task exec --exec-id e2 --user 1000:1000 --cwd /tmp "$MARK" sh -c 'id -u; pwd' \
		>"$T/out" 2>"$T/err" </dev/null
	out_is "$(printf '1000\n/tmp')"
	"${CTR[@]}" task pause "$MARK"
	task_is PAUSED
	"${CTR[@]}" task resume "$MARK"
	"${CTR[@]}" task kill -s TERM "$MARK"
	eventually 5 task_is STOPPED
	"${CTR[@]}" task rm "$MARK" >/dev/null || true
	"${CTR[@]}" container rm "$MARK"
}
