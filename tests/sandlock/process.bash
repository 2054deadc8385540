# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
#
# The process, how it ends, and what it may use; each view's bats file has a test of each function.

# status OPTIONS... -- COMMAND...: --status-fd goes to $T/status.
status() {
	as_user sh -c 'exec 5>"$0"; exec "$@"' "$T/w/status" "$T/sandlock" run "${BASE[@]}" --status-fd 5 "$@"
}

process_status() {
	status -- /bin/sh -c 'exit 7'
	is "$rc" 7
	is "$(cat "$T/w/status")" '{"exit_code": 7, "signal": null}'
	status -- /bin/sh -c 'kill -TERM $$'
	is "$rc" 143
	is "$(cat "$T/w/status")" '{"exit_code": 143, "signal": 15}'
	status -- /bin/sh -c 'kill -KILL $$'
	is "$rc" 137
	is "$(cat "$T/w/status")" '{"exit_code": 137, "signal": 9}'
	status -- no-such-program
	is "$rc" 127
	is "$(cat "$T/w/status")" '{"exit_code": 127, "signal": null}'
	err_has 'sandlock: exec: "no-such-program": executable file not found in $PATH'
	status -- /etc/passwd
	is "$rc" 126
	status -- /usr/no/such
	is "$rc" 127
	sl run "${BASE[@]}" --status-fd 77 -- true
	is "$rc" 1
	err_has "--status-fd 77: Bad file descriptor"
}

process_timeout() {
	status -t 1 -- /bin/sh -c 'trap : TERM; (setsid sleep 100) & while :; do sleep 1; done'
	is "$rc" 124
	err_has "sandlock: timeout after 1s"
	status -t 1m -- /bin/sh -c 'exit 124'
	is "$rc" 124
	[ ! -s "$T/err" ]
}

# Nothing of it goes on after the main process or after the supervisor.
process_no_descendants() {
	sl_sh "(setsid sh -c 'while :; do echo x >>$T/w/alive; sleep 0.05; done' &) ; sleep 0.2" -w "$T/w"
	is "$rc" 0
	[ -s "$T/w/alive" ]
	rm "$T/w/alive"
	sleep 0.3
	[ ! -e "$T/w/alive" ]
}

process_dies_with_supervisor() {
	local pid
	"${AS[@]}" "$T/sandlock" run "${BASE[@]}" -w "$T/w" --name victim -- /bin/sh -c \
		"setsid sh -c 'while :; do echo x >>$T/w/alive; sleep 0.05; done' & wait" \
		</dev/null >/dev/null 2>&1 3>&- 4>&- &
	pid=$!
	for _ in $(seq 200); do
		[ ! -s "$T/w/alive" ] || break
		sleep 0.05
	done
	[ -s "$T/w/alive" ]
	kill -9 "$pid"
	wait "$pid" || true
	assert_no_process
	rm -f "$T/w/alive"
	sleep 0.3
	[ ! -e "$T/w/alive" ]
	# The name is free again.
	sl run "${BASE[@]}" --name victim -- true
	is "$rc" 0
}

process_stdio() {
	printf 'in\nput' >"$T/in"
	chmod 644 "$T/in"
	STDIN=$T/in sl run "${BASE[@]}" -- cat
	is "$rc" 0
	out_is "$(printf 'in\nput')"
	sl run "${BASE[@]}" -- head -c 1000000 /dev/zero
	is "$rc" 0
	is "$(wc -c <"$T/out")" 1000000
}

process_environment() {
	export SOME_WORD=word
	sl run "${BASE[@]}" --env A=b --env "HOME=/there=x" -- env
	grep -qx SOME_WORD=word "$T/out"
	grep -qx A=b "$T/out"
	is "$(grep ^HOME= "$T/out")" HOME=/there=x
	! grep -q _SANDLOCK "$T/out"
	TERM=dumb sl run "${BASE[@]}" --clean-env --env A=b -- env
	! grep -q SOME_WORD "$T/out"
	is "$(sed 's/=.*//' "$T/out" | grep -vx -e USER -e LANG | sort | tr '\n' ' ')" "A HOME PATH TERM "
	sl run "${BASE[@]}" --env A -- env
	is "$rc" 1
}

# No capabilities, no new ones, and the numbers of the caller.
process_rights() {
	sl_sh 'id -u; id -g; grep -E "^(Cap|NoNewPrivs)" /proc/self/status'
	is "$rc" 0
	as_user sh -c 'id -u; id -g'
	cp "$T/out" "$T/outside"
	sl_sh 'id -u; id -g'
	is "$(cat "$T/out")" "$(cat "$T/outside")"
	sl_sh 'grep -E "^(CapPrm|CapEff|CapBnd|CapAmb|CapInh)" /proc/self/status | grep -v 0000000000000000; grep NoNewPrivs /proc/self/status'
	out_is "$(printf 'NoNewPrivs:\t1')"
	sl run "${BASE[@]}" -- mount -t tmpfs none /dev/shm
	is "$rc" 32
	sl run "${BASE[@]}" -- unshare -U true
	is "$rc" 1
	err_has "Operation not permitted"
}

process_user() {
	sl_sh 'id -u; id -g' --user 12345:54321
	is "$rc" 0
	out_is "$(printf '12345\n54321')"
	sl run "${BASE[@]}" --user root -- true
	is "$rc" 1
	err_has "--user root: expected UID:GID, both numbers"
}

# With the same user it cannot reach its supervisor or other processes.
process_cannot_reach_others() {
	"${AS[@]}" sleep 100 3>&- 4>&- &
	local other=$! outside
	sleep 0.1
	as_user sh -c "kill -0 $other && cat /proc/$other/environ >/dev/null"
	is "$rc" 0
	outside=$(date +%s)
	sl_sh "kill -0 $other; kill -0 \$PPID; prlimit --nofile=9 --pid $other; prlimit --nofile=9 --pid \$PPID
		renice -n 5 -p $other; cat /proc/$other/environ; cat /proc/\$PPID/environ; echo end"
	is "$(tail -1 "$T/out")" end
	is "$(grep -c -e 'o such process' -e 'not permitted' -e 'No such file' -e 'ermission denied' "$T/err")" 7
	kill -0 "$other"
	is "$(awk '/Max open files/ {print $4}' "/proc/$other/limits")" "$(ulimit -n)"
	kill "$other"
}

process_limits() {
	sl_sh 'ulimit -n' --max-open-files 33
	out_is 33
	sl_sh 'ulimit -c' --no-coredump
	out_is 0
	sl_sh 'for i in 1 2 3 4 5 6; do sleep 1 & done; wait; echo all' -P 4
	err_has "fork"
	sl run "${BASE[@]}" -m 50M -- /usr/bin/python3 -c 'b = bytearray(300 << 20); print(len(b))'
	is "$rc" 137
	sl_sh 'nproc' --num-cpus 1
	out_is 1
	sl run "${BASE[@]}" -m 50X -- true
	is "$rc" 1
	err_has 'sandlock: --max-memory: "50X" is malformed, expected: n[K|M|G|T]'
	sl run "${BASE[@]}" -c 0 -- true
	err_has "--cpu 0: expected percent of one processor"
}

process_name() {
	sl_sh 'uname -n; cat /proc/sys/kernel/hostname' --name "some-$$.local"
	out_is "$(printf 'some-%s.local\nsome-%s.local' $$ $$)"
	sl run "${BASE[@]}" --name ../x -- true
	is "$rc" 1
	err_has "--name ../x: expected"
}

# The command has job control on a terminal of its own, and the caller's is as before.
process_terminal() {
	cat >"$T/w/drive.py" <<-'E'
		import os, pty, sys, time
		pid, fd = pty.fork()
		if pid == 0:
		    os.execv(sys.argv[1], sys.argv[1:])
		out = b""
		sent = 0
		steps = [b"tty; stty size\n", b"sleep 100\n", b"\x03", b"echo got $((40+2))\n", b"exit 5\n"]
		end = time.time() + 15
		import select
		while time.time() < end:
		    ready, _, _ = select.select([fd], [], [], 0.5)
		    if ready:
		        try:
		            data = os.read(fd, 65536)
		        except OSError:
		            break
		        if not data:
		            break
		        out += data
		    elif sent < len(steps):
		        os.write(fd, steps[sent])
		        sent += 1
		_, status = os.waitpid(pid, 0)
		sys.stdout.write(out.decode())
		print("status", os.waitstatus_to_exitcode(status))
	E
	chmod 644 "$T/w/drive.py"
	as_user /usr/bin/python3 "$T/w/drive.py" "$T/sandlock" run "${BASE[@]}" -- /bin/sh -i
	grep -q '^/dev/pts/0' "$T/out"
	grep -q '^got 42' "$T/out"
	grep -q '^status 5' "$T/out"
	! grep -q "job control turned off" "$T/out"
}

process_refusals() {
	sl run --net-alow x -- true
	is "$rc" 1
	err_has "unknown option --net-alow; the nearest one is --net-allow"
	sl run --some-thing -- true
	err_has "unknown option --some-thing; see sandlock run --help"
	sl run -Z -- true
	err_has "unknown option -Z"
	sl run --dry-run -- true
	err_has "--dry-run is refused: the copy-on-write directory is not there yet"
	sl run "${BASE[@]}"
	err_has "there is no command"
	sl run "${BASE[@]}" -e true -- true
	err_has "only one of them can be run"
	sl run -r
	err_has "--fs-read needs a value: PATH"
	sl run --clean-env=x -- true
	err_has "--clean-env takes no value"
	sl frob
	err_has 'unknown verb "frob"'
	sl run --help
	is "$rc" 0
	grep -q -e "-r, --fs-read PATH" "$T/out"
}

process_shell() {
	sl run "${BASE[@]}" -e 'echo $((1+1)); exit 3'
	is "$rc" 3
	out_is 2
}
