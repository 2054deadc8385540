# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# The cases: functions case_NAME. Each runs under `set -e` in an empty directory and has passed
# when it returns 0. `pod` is podman with the runtime of the round.

B=localhost/busybox

is() {
	[ "$1" = "$2" ] || { echo "got: $1"; echo "expected: $2"; return 1; }
}

# status WANT COMMAND...
status() {
	local want=$1 got=0
	shift
	"$@" || got=$?
	is "$got" "$want"
}

on_tty() {
	"$CONFORMANCE/lib/on_tty.py" "$@"
}

# A function is nothing that on_tty.py could start.
pod_on_tty() {
	local args=()
	while [ "$1" != -- ]; do args+=("$1"); shift; done
	shift
	# Else timeout makes a background group of it, which may not read from the terminal.
	FOREGROUND=--foreground on_tty "${args[@]}" -- bash -c 'pod "$@"' pod "$@"
}

case_run() { is "$(pod run --rm $B sh -c 'echo out; echo err >&2' 2>err)" out; is "$(cat err)" err; }
case_run_status() {
	local n
	for n in 0 1 42 255; do status $n pod run --rm $B sh -c "exit $n"; done
}
case_run_signal() { status 143 pod run --rm $B sh -c 'kill -TERM $$'; status 139 pod run --rm $B sh -c 'kill -SEGV $$'; }
case_run_missing() { status 127 pod run --rm $B no-such-program; }
case_run_no_permission() { status 126 pod run --rm $B /etc/passwd; }
case_run_stdin() { is "$(printf 'a\nb\n' | pod run --rm -i $B cat)" "$(printf 'a\nb')"; }
case_run_large_output() { is "$(pod run --rm $B sh -c 'head -c 3000000 /dev/zero' | wc -c)" 3000000; }
case_run_tty() {
	pod_on_tty --size 33x99 --type 'stty size; tty; ls -l /dev/console; exit 7\n' -- \
		run --rm -it $B sh >out || status=$?
	cat out
	is "${status:-0}" 7
	grep -q '^33 99' out
	grep -q '^/dev/pts/0' out
	grep -q 'crw.* /dev/console' out
}
case_run_tty_resize() {
	pod_on_tty --size 20x50 --resize 44x111 --type '\n' --type 'stty size; exit\n' -- \
		run --rm -it $B sh >out
	cat out
	grep -q '^44 111' out
}
case_run_tty_job_control() {
	pod_on_tty --type 'sleep 100\n' --type '\x1a' --type 'jobs; fg\n' --type '\x03' --type 'exit 3\n' -- \
		run --rm -it $B sh >out || status=$?
	cat out
	is "${status:-0}" 3
	grep -q 'Stopped' out
}
case_run_tty_interrupt() {
	status 0 pod_on_tty --type 'sleep 100\n' --type '\x03' --type 'exit 0\n' -- run --rm -it $B sh
}
case_run_detach_keys() {
	pod_on_tty --type '\x18' -- run -it --detach-keys ctrl-x --name c $B sh
	is "$(pod inspect -f '{{.State.Status}}' c)" running
}
case_run_env_cwd() { is "$(pod run --rm -e A=1 -w /tmp $B sh -c 'echo $A; pwd')" "$(printf '1\n/tmp')"; }
case_run_user() { is "$(pod run --rm --user 1000:1000 $B id -u)" 1000; }
case_run_user_name() { is "$(pod run --rm --user u1 $B sh -c 'id -un; echo $HOME')" "$(printf 'u1\n/home/u1')"; }
case_run_group_add() { pod run --rm --user 1000 --group-add 777 $B id -G | grep -qw 777; }
case_run_read_only() { is "$(pod run --rm --read-only $B sh -c 'touch /x || echo ro; touch /tmp/x && echo rw' 2>/dev/null)" "$(printf 'ro\nrw')"; }
case_run_tmpfs() { is "$(pod run --rm --tmpfs /t:size=64k,mode=700 $B sh -c 'stat -c %a /t; df -k /t | tail -1' | awk 'NR==1{print} NR==2{print $2}')" "$(printf '700\n64')"; }
case_run_volume() {
	mkdir v
	pod run --rm -v "$PWD/v:/v" $B sh -c 'echo x >/v/f'
	is "$(cat v/f)" x
}
case_run_volume_ro() {
	mkdir v
	status 1 pod run --rm -v "$PWD/v:/v:ro" $B sh -c 'echo x >/v/f'
}
case_run_named_volume() {
	pod volume create vol
	pod run --rm -v vol:/v $B sh -c 'echo x >/v/f'
	is "$(pod run --rm -v vol:/v $B cat /v/f)" x
}
case_run_init() {
	pod run --init --rm $B sh -c 'cat /proc/$PPID/comm' >out
	cat out
	grep -qE 'catatonit|podman-init' out
}
case_run_hostname() { is "$(pod run --rm --uts private --hostname box $B hostname)" box; }
case_run_cap_drop() { is "$(pod run --rm --cap-drop all $B grep CapEff /proc/self/status | tr -s '\t' ' ')" 'CapEff: 0000000000000000'; }
case_run_no_new_privs() { pod run --rm --security-opt no-new-privileges $B grep -q 'NoNewPrivs:.1' /proc/self/status; }
case_run_seccomp_profile() {
	jq -n '{defaultAction: "SCMP_ACT_ALLOW", syscalls: [{names: ["mkdir", "mkdirat"], action: "SCMP_ACT_ERRNO", errnoRet: 1}]}' >p.json
	status 1 pod run --rm --security-opt seccomp="$PWD/p.json" $B mkdir /tmp/x
}
case_run_seccomp_unconfined() { pod run --rm --security-opt seccomp=unconfined $B true; }
case_run_ulimit() { is "$(pod run --rm --ulimit nofile=64:128 --ulimit nproc=4096 $B sh -c 'ulimit -n')" 64; }
case_run_device() { is "$(pod run --rm --device /dev/full:/dev/voll $B stat -c '%t:%T' /dev/voll)" 1:7; }
case_run_sysctl() { is "$(pod run --rm --ipc private --sysctl kernel.shmmax=65536 $B cat /proc/sys/kernel/shmmax)" 65536; }
case_run_shm_size() { is "$(pod run --rm --ipc private --shm-size 1m $B df -k /dev/shm | awk 'NR==2{print $2}')" 1024; }
case_run_entrypoint() { is "$(pod run --rm --entrypoint /bin/echo $B hi)" hi; }
case_run_no_network() { is "$(pod run --rm --network none $B echo ok)" ok; }
case_run_no_cgroups() { is "$(pod run --rm --cgroups=disabled $B echo ok)" ok; }
case_run_privileged() { is "$(pod run --rm --privileged $B echo ok)" ok; }
case_run_limits_accepted() { is "$(pod run --rm --memory 64m --pids-limit 50 --cpus 1 $B echo ok)" ok; }
case_run_dns_files() { pod run --rm --add-host peer:10.1.2.3 $B grep -q '10.1.2.3.*peer' /etc/hosts; }
case_preserve_fds() {
	echo from-three >f
	exec 3<f
	is "$(CONTAINERS_CONF=$P/containers.conf podman --root "$P/storage" --runroot "$P/run" --tmpdir "$P/tmp" --storage-driver vfs run --rm --preserve-fds 1 $B sh -c 'cat <&3')" from-three
}
case_sdnotify() {
	python3 - "$PWD/n.sock" >notified <<-'END' &
		import socket, sys
		s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
		s.bind(sys.argv[1])
		s.settimeout(20)
		while True:
		    m = s.recv(4096).decode()
		    print(m, flush=True)
		    if "READY=1" in m:
		        break
	END
	sleep 0.5
	NOTIFY_SOCKET=$PWD/n.sock pod run -d --name c --sdnotify=conmon $B sleep 100
	wait $!
	cat notified
	grep -q READY=1 notified
	grep -q "MAINPID=$(pod inspect -f '{{.State.ConmonPid}}' c)" notified
}

case_detach_logs() {
	pod run -d --name c $B sh -c 'echo one; echo two >&2; sleep 100'
	sleep 1
	is "$(pod logs c 2>&1 | sort)" "$(printf 'one\ntwo')"
}
case_logs_follow() {
	pod run -d --name c $B sh -c 'for i in 1 2 3; do echo $i; sleep 0.3; done'
	is "$(pod logs -f c)" "$(printf '1\n2\n3')"
}
case_inspect() {
	pod run -d --name c $B sleep 100
	is "$(pod inspect -f '{{.State.Status}} {{.State.Running}}' c)" "running true"
	[ -d "/proc/$(pod inspect -f '{{.State.Pid}}' c)" ]
}
case_wait() {
	pod run -d --name c $B sh -c 'sleep 0.5; exit 9'
	is "$(pod wait c)" 9
}
case_attach() {
	pod run -d -i --name c $B sh -c 'sleep 1; echo late; sleep 0.5'
	is "$(pod attach c)" late
}
case_create_start() {
	pod create --name c $B echo made
	is "$(pod start -a c)" made
	is "$(pod start -a c)" made
}
case_restart() {
	pod run -d --name c $B sleep 100
	local before
	before=$(pod inspect -f '{{.State.Pid}}' c)
	pod restart -t 1 c
	[ "$(pod inspect -f '{{.State.Pid}}' c)" != "$before" ]
	is "$(pod inspect -f '{{.State.Status}}' c)" running
}
case_stop() {
	pod run -d --name c $B sh -c 'trap "exit 5" TERM; while :; do sleep 0.1; done'
	sleep 0.5
	pod stop -t 10 c
	is "$(pod inspect -f '{{.State.ExitCode}}' c)" 5
}
case_stop_stubborn() {
	pod run -d --name c $B sh -c 'trap "" TERM; while :; do sleep 0.1; done'
	sleep 0.5
	pod stop -t 1 c
	is "$(pod inspect -f '{{.State.ExitCode}}' c)" 137
}
case_kill() {
	pod run -d --name c $B sleep 100
	pod kill c
	is "$(pod wait c)" 137
}
case_kill_signal() {
	pod run -d --name c $B sh -c 'trap "exit 6" USR1; while :; do sleep 0.1; done'
	sleep 0.5
	pod kill -s USR1 c
	is "$(pod wait c)" 6
}
case_rm_force() {
	pod run -d --name c $B sh -c 'setsid sleep 7313 & sleep 7313'
	sleep 0.3
	pod rm -f -t 0 c
	if pgrep -f 'sleep 7313'; then return 1; fi
}
case_rm_refused() {
	pod run -d --name c $B sleep 100
	if pod rm c; then return 1; fi
}
case_pause() {
	pod run -d --name c $B sh -c 'while :; do date +%s%N >/tmp/t; sleep 0.05; done'
	sleep 0.5
	pod pause c
	is "$(pod inspect -f '{{.State.Status}}' c)" paused
	pod unpause c
	is "$(pod exec c echo ok)" ok
}
case_exec() {
	pod run -d --name c $B sleep 100
	is "$(pod exec c sh -c 'echo in; echo e >&2' 2>err)" in
	is "$(cat err)" e
}
case_exec_status() {
	pod run -d --name c $B sleep 100
	status 0 pod exec c true
	status 3 pod exec c sh -c 'exit 3'
	status 137 pod exec c sh -c 'kill -9 $$'
	status 127 pod exec c no-such-program
}
case_exec_stdin() {
	pod run -d --name c $B sleep 100
	is "$(echo data | pod exec -i c cat)" data
}
case_exec_user_env_cwd() {
	pod run -d --name c $B sleep 100
	is "$(pod exec -u 1000:1000 -e A=b -w /tmp c sh -c 'id -u; echo $A; pwd')" "$(printf '1000\nb\n/tmp')"
}
case_exec_tty() {
	pod run -d --name c $B sleep 100
	pod_on_tty --size 31x77 --type 'stty size; tty; exit 4\n' -- exec -it c sh >out || status=$?
	cat out
	is "${status:-0}" 4
	grep -q '^31 77' out
	grep -q '^/dev/pts/' out
}
case_exec_sees_processes() {
	pod run -d --name c $B sh -c 'sleep 4242 & wait'
	pod exec c ps >out
	cat out
	grep -q 'sleep 4242' out
}
case_exec_detach() {
	pod run -d --name c $B sleep 100
	pod exec -d c sh -c 'echo made >/tmp/f'
	sleep 1
	is "$(pod exec c cat /tmp/f)" made
}
case_exec_kills() {
	pod run -d --name c $B sh -c 'sleep 4243; exit 9'
	pod exec c sh -c 'kill $(ps -o pid,args | awk "\$2 == \"sleep\" && \$3 == 4243 { print \$1 }")'
	is "$(pod wait c)" 9
}
case_exec_many() {
	pod run -d --name c $B sleep 100
	for i in $(seq 20); do is "$(pod exec c echo "$i")" "$i"; done
}
case_exec_end_of_container() {
	pod run -d --name c $B sh -c 'sleep 2'
	pod exec c sleep 60 || status=$?
	is "${status:-0}" 137
}
case_healthcheck() {
	pod run -d --name c --health-cmd 'test -e /tmp/well' --health-interval disable $B sh -c 'touch /tmp/well; sleep 100'
	sleep 0.5
	pod healthcheck run c
	pod exec c rm /tmp/well
	status 1 pod healthcheck run c
}
case_cp_stopped() {
	pod run --name c $B sh -c 'echo inside >/tmp/f'
	pod cp c:/tmp/f got
	is "$(cat got)" inside
}
case_commit() {
	pod run --name c $B sh -c 'echo kept >/f'
	pod commit -q c localhost/kept
	is "$(pod run --rm localhost/kept cat /f)" kept
}
case_build() {
	printf 'FROM %s\nRUN echo built >/f && id -u >/g\nCMD ["cat", "/f", "/g"]\n' $B >Containerfile
	pod build -q --network host --isolation oci -t localhost/built .
	is "$(pod run --rm localhost/built)" "$(printf 'built\n0')"
}
case_build_from_scratch() {
	cp /bin/busybox .
	printf 'FROM scratch\nCOPY busybox /busybox\nENTRYPOINT ["/busybox", "echo", "bare"]\n' >Containerfile
	pod build -q -t localhost/bare .
	is "$(pod run --rm localhost/bare)" bare
}
case_events() {
	pod run --name c $B true
	pod events --stream=false --filter container=c --format '{{.Status}}' >out
	cat out
	grep -q died out
}
case_two_at_once() {
	for i in 1 2 3 4 5 6; do
		(is "$(pod run --rm $B sh -c "sleep 0.2; echo $i")" "$i" && touch "ok$i") &
	done
	wait
	is "$(ls ok* | wc -l)" 6
}
case_restart_policy() {
	pod run -d --name c --restart on-failure:2 $B sh -c 'echo try; exit 1'
	sleep 5
	is "$(pod logs c | grep -c try)" 3
}
case_oom_flag() {
	pod run --name c $B true
	is "$(pod inspect -f '{{.State.OOMKilled}}' c)" false
}
