# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# The cases: functions case_NAME. Each runs under `set -e` in an empty directory and has passed
# when it returns 0. RT is the handler of the round.

is() {
	[ "$1" = "$2" ] || { echo "got: $1"; echo "expected: $2"; return 1; }
}

# pod [JQ]: a pod; its id in POD.
pod() {
	mkdir -p logs
	jq -n --arg logs "$PWD/logs" '{metadata: {name: "pod", namespace: "default", uid: "uid", attempt: 1},
		hostname: "podname", log_directory: $logs,
		linux: {security_context: {namespace_options: {network: 0}}}} | '"${1:-.}" >pod.json
	POD=$(crictl runp --runtime "$RT" pod.json)
}

# container NAME SCRIPT [JQ]: created in the pod; its id in C.
container() {
	jq -n --arg name "$1" --arg script "$2" --arg image "$IMAGE" '{metadata: {name: $name, attempt: 1},
		image: {image: $image}, command: ["sh", "-c", $script], log_path: ($name + ".log"), linux: {}} | '"${3:-.}" >"$1.json"
	C=$(crictl create "$POD" "$1.json" pod.json)
}

started() {
	container "$@"
	crictl start "$C" >/dev/null
}

state() {
	crictl inspect -o json "$C" | jq -r "${1:-.status.state}"
}

# until_state WORD
until_state() {
	local i
	for i in $(seq 100); do
		[ "$(state)" != "$1" ] || return 0
		sleep 0.1
	done
	echo "state is $(state), not $1"
	return 1
}

case_pod_life() {
	pod
	is "$(crictl pods -q --no-trunc)" "$POD"
	is "$(crictl inspectp -o json "$POD" | jq -r .status.state)" SANDBOX_READY
	crictl stopp "$POD"
	is "$(crictl inspectp -o json "$POD" | jq -r .status.state)" SANDBOX_NOTREADY
	crictl rmp "$POD"
	is "$(crictl pods -q)" ""
}
case_container_life() {
	pod
	container c 'sleep 100'
	is "$(state)" CONTAINER_CREATED
	crictl start "$C"
	is "$(state)" CONTAINER_RUNNING
	is "$(crictl ps -q --no-trunc)" "$C"
	crictl stop -t 1 "$C"
	is "$(state)" CONTAINER_EXITED
	crictl rm "$C"
}
case_exit_code() {
	pod
	started c 'exit 42'
	until_state CONTAINER_EXITED
	is "$(state .status.exitCode)" 42
}
case_logs() {
	pod
	started c 'echo out; echo err >&2'
	until_state CONTAINER_EXITED
	is "$(crictl logs "$C" 2>err)" out
	is "$(cat err)" err
}
case_stop_graceful() {
	pod
	started c 'trap "exit 3" TERM; while :; do sleep 0.1; done'
	sleep 0.5
	crictl stop -t 10 "$C"
	is "$(state .status.exitCode)" 3
}
case_stop_killed() {
	pod
	started c 'trap "" TERM; while :; do sleep 0.1; done'
	sleep 0.3
	crictl stop -t 1 "$C"
	is "$(state .status.exitCode)" 137
}
case_restart() {
	pod
	started c 'exit 1'
	until_state CONTAINER_EXITED
	started d 'sleep 100' '.metadata.attempt = 2'
	is "$(state)" CONTAINER_RUNNING
}
case_exec() {
	pod
	started c 'sleep 100'
	is "$(crictl exec "$C" echo streamed)" streamed
	is "$(crictl exec -s "$C" echo synced)" synced
	local s=0
	crictl exec -s "$C" sh -c 'exit 7' || s=$?
	[ "$s" -ne 0 ]
}
case_exec_stdin() {
	pod
	started c 'sleep 100'
	is "$(printf 'one\ntwo\n' | crictl exec -i "$C" cat)" "$(printf 'one\ntwo')"
}
case_exec_tty() {
	pod
	started c 'sleep 100'
	"$CONFORMANCE/lib/on_tty.py" --size 31x77 --type 'tty; echo $((6*7))\n' --type 'exit\n' -- \
		"$DIR/crictl" --runtime-endpoint "unix://$W/sock" exec -it "$C" sh >out
	cat out
	grep -q '^42' out
	grep -q '^/dev/pts/' out
}
case_exec_timeout() {
	pod
	started c 'sleep 100'
	local s=0
	crictl exec -s --timeout 1 "$C" sleep 4321 || s=$?
	[ "$s" -ne 0 ]
	sleep 0.5
	if pgrep -f '^sleep 4321'; then return 1; fi
}
case_attach() {
	pod
	started c 'while read -r l; do echo "got $l"; done' '.stdin = true'
	(sleep 1; echo word; sleep 1) | timeout 20 "$DIR/crictl" --runtime-endpoint "unix://$W/sock" attach -i "$C" >out || true
	cat out
	grep -q 'got word' out
}
case_stats() {
	pod
	started c 'sleep 100'
	is "$(crictl stats -o json "$C" | jq -r '.stats[0].attributes.id')" "$C"
}
case_update() {
	pod
	started c 'sleep 100'
	crictl update --cpu-share 512 --memory 200000000 "$C"
	is "$(state)" CONTAINER_RUNNING
}
case_ps_in_container() {
	pod
	started c 'sleep 4322 & wait'
	crictl exec -s "$C" ps >out
	cat out
	grep -q 'sleep 4322' out
}
case_user_and_groups() {
	pod
	started c 'id -u; id -g; id -G' '.linux.security_context = {run_as_user: {value: 1000},
		run_as_group: {value: 1001}, supplemental_groups: [7]}'
	until_state CONTAINER_EXITED
	is "$(crictl logs "$C")" "$(printf '1000\n1001\n1001 7')"
}
case_read_only_root() {
	pod
	started c 'touch /x || echo ro' '.linux.security_context = {readonly_rootfs: true}'
	until_state CONTAINER_EXITED
	is "$(crictl logs "$C" 2>/dev/null)" ro
}
case_volume() {
	mkdir v
	pod
	started c 'echo written >/v/f' '.mounts = [{host_path: "'"$PWD"'/v", container_path: "/v"}]'
	until_state CONTAINER_EXITED
	is "$(cat v/f)" written
}
case_hostname() {
	pod
	started c 'hostname; cat /etc/hostname'
	until_state CONTAINER_EXITED
	crictl logs "$C" >out
	cat out
	is "$(sed -n 1p out)" "$(sed -n 2p out)"
}
case_hostname_of_pod() {
	pod
	started c 'hostname'
	until_state CONTAINER_EXITED
	is "$(crictl logs "$C")" podname
}
case_pod_on_host_network() {
	pod 'del(.hostname) | .linux.security_context.namespace_options.network = 2'
	started c 'echo ok'
	until_state CONTAINER_EXITED
	is "$(crictl logs "$C")" ok
}
case_two_containers_share_loopback() {
	pod '.annotations = {"io.sandlock.network.allow": "*:8199", "io.sandlock.network.allow_bind": "8199"}'
	started server 'mkdir -p /w; echo hello >/w/index.html; httpd -f -p 127.0.0.1:8199 -h /w'
	sleep 0.5
	started client 'sleep 100'
	is "$(crictl exec -s "$C" wget -qO- http://127.0.0.1:8199/)" hello
}
case_default_seccomp() {
	pod
	started c 'grep Seccomp: /proc/self/status' '.linux.security_context = {seccomp: {profile_type: 0}}'
	until_state CONTAINER_EXITED
	crictl logs "$C" | grep -q '2$'
}
case_missing_program() {
	pod
	container c x '.command = ["no-such-program"]'
	crictl start "$C" 2>err && return 1
	cat err
	grep -q 'executable file not found in $PATH' err
}
case_unknown_handler() {
	pod
	jq '.metadata.name = "other"' pod.json >other.json
	if crictl runp --runtime no-such-handler other.json 2>err; then return 1; fi
	cat err
	grep -q 'no runtime for .*no-such-handler.* is configured' err
}
case_annotation_reaches_runtime() {
	pod '.annotations = {"io.sandlock.no-such-key": "x"}' 2>err && return 1
	cat err
	grep -q 'io.sandlock.no-such-key' err
}
case_leftovers() {
	pod
	started c 'setsid sleep 4323 & sleep 4323'
	sleep 0.3
	crictl rmp -f "$POD"
	if pgrep -f '^sleep 4323'; then return 1; fi
}
