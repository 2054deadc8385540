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
# What the one container uses, and neither nothing nor the machine.
case_stats() {
	pod
	started c 'x=$(head -c 40000000 /dev/zero | tr "\\0" x); while :; do :; done'
	sleep 3
	crictl stats -o json "$C" >out
	cat out
	is "$(jq -r '.stats[0].attributes.id' out)" "$C"
	jq -e '.stats[0].memory.workingSetBytes.value | tonumber | . > 30000000 and . < 300000000' out
	sleep 1
	crictl stats -o json "$C" >later
	jq -se '[.[] | .stats[0].cpu.usageCoreNanoSeconds.value | tonumber] | .[1] - .[0] | . > 200000000 and . < 4000000000' out later
}
case_update() {
	pod
	started c 'sleep 100' '.linux.resources = {memory_limit_in_bytes: 300000000, cpu_quota: 50000, cpu_period: 100000}'
	crictl update --cpu-share 512 --cpu-quota 20000 --cpu-period 100000 --memory 200000000 "$C"
	is "$(state)" CONTAINER_RUNNING
	is "$(state .status.resources.linux.memoryLimitInBytes)" 200000000
}
case_update_adds_memory_limit() {
	pod
	started c 'sleep 100'
	crictl update --memory 200000000 "$C"
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
# pod_address: of the pod, as everybody else sees it.
pod_address() {
	crictl inspectp -o json "$POD" | jq -r .status.network.ip
}
# fetched ADDRESS PORT: what a server there answers, within some seconds.
fetched() {
	local i
	for i in $(seq 50); do
		curl -sf "http://$1:$2/" && return
		sleep 0.1
	done
	return 1
}
case_pod_on_host_network() {
	pod 'del(.hostname) | .linux.security_context.namespace_options.network = 2'
	started c 'ip -o link | cut -d: -f2 | xargs; readlink /proc/self/ns/net'
	until_state CONTAINER_EXITED
	is "$(crictl logs "$C")" "$(ip -o link | cut -d: -f2 | xargs; readlink /proc/self/ns/net)"
}
case_pod_address() {
	pod
	started c 'ip -4 -o addr show eth0 | grep -o "inet [0-9.]*"'
	until_state CONTAINER_EXITED
	is "$(crictl logs "$C")" "inet $(pod_address)"
}
case_two_pods_on_one_port() {
	local a b
	pod
	a=$(pod_address)
	started one 'mkdir -p /w; echo one >/w/index.html; httpd -f -p 80 -h /w'
	pod '.metadata.name = "other" | .metadata.uid = "other"'
	b=$(pod_address)
	started two 'mkdir -p /w; echo two >/w/index.html; httpd -f -p 80 -h /w'
	is "$(fetched "$a" 80)" one
	is "$(fetched "$b" 80)" two
}
case_port_mapping() {
	pod '.port_mappings = [{container_port: 80, host_port: 8198}]'
	started c 'mkdir -p /w; echo mapped >/w/index.html; httpd -f -p 80 -h /w'
	is "$(fetched "$(pod_address)" 80)" mapped
	is "$(fetched 127.0.0.1 8198 || fetched 10.88.0.1 8198)" mapped
}
case_port_forward() {
	local pid
	pod
	started c 'mkdir -p /w; echo forwarded >/w/index.html; httpd -f -p 127.0.0.1:80 -h /w'
	"$DIR/crictl" --runtime-endpoint "unix://$W/sock" port-forward "$POD" 8197:80 >/dev/null 2>&1 &
	pid=$!
	is "$(fetched 127.0.0.1 8197)" forwarded
	kill "$pid"
}
case_nginx() {
	pod
	started c 'exec nginx -g "daemon off;"' '.image.image = "localhost/debian:latest"'
	fetched "$(pod_address)" 80 | grep -q 'Welcome to nginx'
	crictl exec -s "$C" curl -sf localhost | grep -q 'Welcome to nginx'
}
# System V objects: of the pod, and of no other.
case_ipcs() {
	local queues='ipcs -q | grep -c ^0x || true'
	pod
	started maker 'ipcmk -Q >/dev/null; sleep 100' '.image.image = "localhost/debian:latest"'
	sleep 1
	is "$(crictl exec -s "$C" sh -c "$queues")" 1
	started beside 'sleep 100' '.image.image = "localhost/debian:latest"'
	is "$(crictl exec -s "$C" sh -c "$queues")" 1
	pod '.metadata.name = "other" | .metadata.uid = "other"'
	started other 'sleep 100' '.image.image = "localhost/debian:latest"'
	is "$(crictl exec -s "$C" sh -c "$queues")" 0
}
case_two_containers_share_loopback() {
	pod
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
