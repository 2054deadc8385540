# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# The cases: functions case_NAME. Each runs under `set -e` in an empty directory and has passed
# when it returns 0. RT is the handler of the round, NAME the case's name as a pod's.

is() {
	[ "$1" = "$2" ] || { echo "got: $1"; echo "expected: $2"; return 1; }
}

# pod SCRIPT [JQ]: a manifest of a pod with one container c; JQ may change it. $PWD/v is its volume v.
# It asks for some processor time: else it has the lowest share, and is slow beside whatever else runs here.
pod() {
	mkdir -p v
	chmod 777 v
	jq -n --arg name "$NAME" --arg script "$1" --arg image "$IMAGE" --arg v "$PWD/v" '
		def container($name; $script): {name: $name, image: $image, imagePullPolicy: "Never", command: ["sh", "-c", $script],
			resources: {requests: {cpu: "200m"}}, volumeMounts: [{name: "v", mountPath: "/v"}]};
		{apiVersion: "v1", kind: "Pod", metadata: {name: $name, namespace: "default", labels: {case: $name}},
		spec: {terminationGracePeriodSeconds: 2, automountServiceAccountToken: false, enableServiceLinks: false,
			containers: [container("c"; $script)], volumes: [{name: "v", hostPath: {path: $v}}]}} | '"${2:-.}" >manifest
	cp manifest "$PODS/.$NAME"
	mv "$PODS/.$NAME" "$PODS/$NAME.json"
}

# status JQ: of the pod, with $c for the status of its container c.
status() {
	curl -sf "$KUBELET_URL/pods" | jq -rc --arg name "$NAME-node" '
		[.items[]? | select(.metadata.name == $name) | .status] | .[0] // empty |
		([.containerStatuses[]? | select(.name == "c")] | .[0]) as $c | '"$1"
}

# until_pod JQ [SECONDS]: until that is true.
until_pod() {
	local end=$((SECONDS + ${2:-$LIMIT}))
	while [ $SECONDS -lt $end ]; do
		[ "$(status "$1")" != true ] || return 0
		sleep 0.3
	done
	echo "not so: $1"
	status .
	return 1
}

running() {
	until_pod '$c.state.running != null'
}

ready() {
	until_pod '$c.ready'
}

# succeeded: the pod, whose restartPolicy is Never, has come to a good end.
succeeded() {
	until_pod '.phase == "Succeeded" or .phase == "Failed"'
	is "$(status .phase)" Succeeded
}

never='.spec.restartPolicy = "Never"'

# run COMMAND: in the container, by the kubelet.
run() {
	curl -sk -X POST "https://127.0.0.1:10250/run/default/$NAME-node/c?cmd=$(jq -rn --arg c "$1" '$c | @uri')"
}

logs() {
	curl -skf "https://127.0.0.1:10250/containerLogs/default/$NAME-node/c"
}

# removed: the pod ends when its manifest is gone.
removed() {
	local i
	rm "$PODS/$NAME.json"
	for i in $(seq 100); do
		[ "$(status .)$(crictl pods -q --state ready --name "$NAME-node")" != "" ] || return 0
		sleep 0.2
	done
	echo "the pod is still there"
	return 1
}

httpd='mkdir /w; echo ok >/w/index.html; exec httpd -f -p 80 -h /w'

case_life() {
	pod 'sleep 4401'
	running
	is "$(status .phase)" Running
	pgrep -f '^sleep 4401'
	removed
	if pgrep -f '^sleep 4401'; then return 1; fi
}
case_completes() {
	pod 'echo done' "$never"
	succeeded
	is "$(status '$c.state.terminated.reason')" Completed
}
case_fails() {
	pod 'exit 3' "$never"
	until_pod '.phase == "Failed"'
	is "$(status '$c.state.terminated.exitCode')" 3
	is "$(status '$c.state.terminated.reason')" Error
}
case_restart_always() {
	pod 'echo x >>/v/starts; sleep 1'
	until_pod '$c.restartCount >= 2'
	[ "$(wc -l <v/starts)" -ge 3 ]
}
case_restart_on_failure() {
	pod 'echo x >>/v/starts; [ "$(wc -l </v/starts)" -ge 2 ]' '.spec.restartPolicy = "OnFailure"'
	succeeded
	is "$(status '$c.restartCount')" 1
}
case_missing_program() {
	pod x '.spec.containers[0].command = ["no-such-program"]'
	until_pod '($c.state.waiting.message // $c.lastState.terminated.message // "") | test("executable file not found in \\$PATH")'
}
case_changed_manifest() {
	pod 'sleep 4402'
	running
	pod 'sleep 4403'
	until_pod '.phase == "Running" and $c.ready' && eventually_runs 4403
	if pgrep -f '^sleep 4402'; then return 1; fi
}
eventually_runs() {
	local i
	for i in $(seq 100); do
		! pgrep -f "^sleep $1" >/dev/null || return 0
		sleep 0.2
	done
	return 1
}

# Init containers and sidecars
case_init_containers() {
	pod 'cat /shared/f' "$never"' | .spec.volumes += [{name: "shared", emptyDir: {}}] |
		.spec.containers[0].volumeMounts += [{name: "shared", mountPath: "/shared"}] |
		.spec.initContainers = [container("one"; "echo one >/shared/f"), container("two"; "echo two >>/shared/f")] |
		.spec.initContainers[].volumeMounts += [{name: "shared", mountPath: "/shared"}]'
	succeeded
	is "$(logs)" "$(printf 'one\ntwo')"
}
case_init_container_again() {
	pod 'sleep 100' '.spec.initContainers = [container("i"; "echo x >>/v/tries; [ $(wc -l </v/tries) -ge 2 ]")]'
	running
	is "$(wc -l <v/tries)" 2
	is "$(status '.initContainerStatuses[0].restartCount')" 1
}
case_sidecar() {
	pod 'wget -qO- http://127.0.0.1:8080/ >/v/got' "$never"' | .spec.initContainers = [
		container("side"; "trap \"echo end >/v/end; exit\" TERM; mkdir /w; echo side >/w/index.html; httpd -f -p 8080 -h /w & wait")
		+ {restartPolicy: "Always", startupProbe: {httpGet: {port: 8080, path: "/"}, periodSeconds: 1}}]'
	succeeded
	is "$(cat v/got)" side
	until_pod '.initContainerStatuses[0].state.terminated != null'
	is "$(cat v/end)" end
}
case_two_containers_share_loopback() {
	pod 'sleep 1; wget -qO- http://127.0.0.1/ >/v/got; sleep 100' '.spec.containers += [container("server"; "'"$httpd"'")]'
	running
	until_pod '[.containerStatuses[].ready] | all'
	sleep 2
	is "$(cat v/got)" ok
}
case_processes_shared() {
	pod 'sleep 2; ps >/v/ps; sleep 100' '.spec.shareProcessNamespace = true | .spec.containers += [container("other"; "sleep 4404")]'
	running
	sleep 4
	grep -q 'sleep 4404' v/ps
}

# Probes, on the pod's own address
case_probe_http() {
	pod "$httpd" '.spec.containers[0].readinessProbe = {httpGet: {port: 80, path: "/"}, periodSeconds: 1}'
	ready
}
case_probe_http_fails() {
	pod "$httpd" '.spec.containers[0].readinessProbe = {httpGet: {port: 80, path: "/absent"}, periodSeconds: 1}'
	running
	sleep 4
	is "$(status '$c.ready')" false
	is "$(status '$c.restartCount')" 0
}
case_probe_tcp() {
	pod "$httpd" '.spec.containers[0].readinessProbe = {tcpSocket: {port: 80}, periodSeconds: 1}'
	ready
}
case_probe_tcp_fails() {
	pod 'sleep 100' '.spec.containers[0].readinessProbe = {tcpSocket: {port: 80}, periodSeconds: 1}'
	running
	sleep 3
	is "$(status '$c.ready')" false
}
case_probe_exec() {
	pod 'touch /tmp/well; sleep 100' '.spec.containers[0].readinessProbe = {exec: {command: ["cat", "/tmp/well"]}, periodSeconds: 1}'
	ready
	run 'rm /tmp/well'
	until_pod '$c.ready | not'
}
case_probe_exec_timeout() {
	pod 'sleep 100' '.spec.containers[0].readinessProbe = {exec: {command: ["sleep", "4405"]}, periodSeconds: 1, timeoutSeconds: 1}'
	running
	sleep 5
	is "$(status '$c.ready')" false
	rm "$PODS/$NAME.json"
	sleep 4
	if pgrep -f '^sleep 4405'; then return 1; fi
}
case_probe_liveness() {
	pod "sleep 5 && rm /w/index.html & $httpd" '.spec.containers[0].livenessProbe = {httpGet: {port: 80, path: "/"}, periodSeconds: 1, failureThreshold: 2}'
	ready
	until_pod '$c.restartCount >= 1'
	is "$(status '$c.lastState.terminated.exitCode')" 137 || is "$(status '$c.lastState.terminated.exitCode')" 143
}
case_probe_liveness_holds() {
	pod "$httpd" '.spec.containers[0].livenessProbe = {httpGet: {port: 80, path: "/"}, periodSeconds: 1, failureThreshold: 1}'
	ready
	sleep 6
	is "$(status '$c.restartCount')" 0
}
case_probe_startup() {
	pod 'sleep 3; touch /tmp/up; sleep 100' '.spec.containers[0] += {
		startupProbe: {exec: {command: ["cat", "/tmp/up"]}, periodSeconds: 1, failureThreshold: 30},
		livenessProbe: {exec: {command: ["cat", "/tmp/up"]}, periodSeconds: 1, failureThreshold: 1}}'
	until_pod '$c.started'
	sleep 2
	is "$(status '$c.restartCount')" 0
}

# Hooks
case_hook_post_start() {
	pod 'sleep 100' '.spec.containers[0].lifecycle.postStart.exec.command = ["sh", "-c", "echo started >/v/f"]'
	running
	is "$(cat v/f)" started
}
case_hook_post_start_fails() {
	pod 'sleep 100' '.spec.containers[0].lifecycle.postStart.exec.command = ["false"]'
	until_pod '$c.restartCount >= 1'
}
case_hook_pre_stop() {
	pod 'trap "echo term >>/v/f; exit" TERM; while :; do sleep 0.1; done' '.spec.terminationGracePeriodSeconds = 10 |
		.spec.containers[0].lifecycle.preStop.exec.command = ["sh", "-c", "echo hook >>/v/f"]'
	running
	removed
	is "$(cat v/f)" "$(printf 'hook\nterm')"
}
case_hook_pre_stop_http() {
	pod 'mkdir -p /w/cgi-bin; printf "#!/bin/sh\necho hook >/v/f; echo; echo ok" >/w/cgi-bin/stop; chmod 755 /w/cgi-bin/stop; exec httpd -f -p 80 -h /w' \
		'.spec.terminationGracePeriodSeconds = 10 | .spec.containers[0].lifecycle.preStop.httpGet = {port: 80, path: "/cgi-bin/stop"} |
		.spec.containers[0].readinessProbe = {tcpSocket: {port: 80}, periodSeconds: 1}'
	ready
	removed
	is "$(cat v/f)" hook
}
case_hook_stop_signal_ignored() {
	pod 'trap "" TERM; sleep 4406' '.spec.terminationGracePeriodSeconds = 2'
	running
	removed
	if pgrep -f '^sleep 4406'; then return 1; fi
}

# Volumes
mounted() {
	echo ".spec.volumes += [{name: \"m\"} + $1] | .spec.containers[0].volumeMounts += [{name: \"m\", mountPath: \"/m\"}]"
}
case_empty_dir() {
	pod 'echo x >>/m/f; wc -l </m/f >/v/n; sleep 1' "$(mounted '{emptyDir: {}}')"
	until_pod '$c.restartCount >= 1 and $c.state.running != null'
	sleep 1
	is "$(cat v/n)" 2
	removed
}
case_empty_dir_memory() {
	pod 'df /m | tail -1 >/v/df; dd if=/dev/zero of=/m/f bs=1M count=20 2>/v/err; wc -c </m/f >/v/n; rm /m/f; sleep 100' \
		"$(mounted '{emptyDir: {medium: "Memory", sizeLimit: "10Mi"}}')"
	running
	sleep 2
	cat v/df
	is "$(awk '{ print $1, $2 }' v/df)" 'tmpfs 10240'
	is "$(cat v/n)" 10485760
}
case_host_path_file() {
	echo before >f
	pod 'cat /m; echo after >/m; sleep 100' "$(mounted '{hostPath: {path: "'"$PWD/f"'", type: "File"}}')"
	running
	sleep 1
	is "$(logs)" before
	is "$(cat f)" after
}
case_host_path_created() {
	pod 'echo x >/m/f; sleep 100' "$(mounted '{hostPath: {path: "'"$PWD/new"'", type: "DirectoryOrCreate"}}')"
	running
	sleep 1
	is "$(cat new/f)" x
}
case_sub_path() {
	mkdir -p v/a
	echo a >v/a/f
	pod 'cat /s/f /t; sleep 100' '.spec.containers[0].volumeMounts += [{name: "v", mountPath: "/s", subPath: "a"}, {name: "v", mountPath: "/t", subPath: "a/f"}]'
	running
	sleep 1
	is "$(logs)" "$(printf 'a\na')"
}
case_read_only_volume() {
	pod 'touch /m/f || echo refused; sleep 100' "$(mounted '{hostPath: {path: "'"$PWD"'"}}') | .spec.containers[0].volumeMounts[1].readOnly = true"
	running
	sleep 1
	logs | grep -q refused
}
case_fs_group() {
	pod 'stat -c "%g %A" /m; id -G; touch /m/f; stat -c %g /m/f' "$never | $(mounted '{emptyDir: {}}') |
		.spec.securityContext = {fsGroup: 4567, runAsUser: 1000, runAsGroup: 1000}"
	succeeded
	is "$(logs)" "$(printf '4567 drwxrwsrwx\n1000 4567\n4567')"
}
case_downward_env() {
	pod 'echo "$NAME $IP $MEMORY $CPU"; hostname -i' "$never"' | .spec.containers[0] += {resources: {limits: {memory: "64Mi", cpu: "1"}}, env: [
		{name: "NAME", valueFrom: {fieldRef: {fieldPath: "metadata.name"}}},
		{name: "IP", valueFrom: {fieldRef: {fieldPath: "status.podIP"}}},
		{name: "MEMORY", valueFrom: {resourceFieldRef: {resource: "limits.memory"}}},
		{name: "CPU", valueFrom: {resourceFieldRef: {resource: "limits.cpu"}}}]}'
	succeeded
	logs >out
	cat out
	is "$(sed -n 1p out)" "$NAME-node $(status .podIP) 67108864 1"
	is "$(sed -n 2p out)" "$(status .podIP)"
}
case_downward_volume() {
	pod 'cat /m/labels; echo; cat /m/memory' "$never | $(mounted '{downwardAPI: {items: [
		{path: "labels", fieldRef: {fieldPath: "metadata.labels"}},
		{path: "memory", resourceFieldRef: {containerName: "c", resource: "limits.memory"}}]}}')"' |
		.spec.containers[0].resources.limits.memory = "64Mi"'
	succeeded
	is "$(logs)" "$(printf 'case="%s"\n67108864' "$NAME")"
}

# Resources
case_oom_killed() {
	pod 'x=$(head -c 200000000 /dev/zero | tr "\\0" x); sleep 100' "$never"' | .spec.containers[0].resources.limits.memory = "64Mi"'
	until_pod '.phase == "Failed"'
	is "$(status '$c.state.terminated.reason')" OOMKilled
	is "$(status '$c.state.terminated.exitCode')" 137
}
case_oom_killed_child() {
	pod 'sh -c '\''x=$(head -c 200000000 /dev/zero | tr "\\0" x)'\''; echo "child: $?" >/v/f; sleep 100' "$never"' | .spec.containers[0].resources.limits.memory = "64Mi"'
	running
	local i
	for i in $(seq $LIMIT); do
		[ ! -s v/f ] || break
		sleep 1
	done
	is "$(cat v/f)" 'child: 137'
}
case_oom_restarts() {
	pod 'sleep 1; x=$(head -c 200000000 /dev/zero | tr "\\0" x)' '.spec.containers[0].resources.limits.memory = "64Mi"'
	until_pod '$c.restartCount >= 1 and $c.lastState.terminated.reason == "OOMKilled"'
}
case_cpu_limit() {
	pod 'sleep 1; while :; do :; done' '.spec.containers[0].resources.limits.cpu = "300m"'
	running
	sleep 2
	local a b
	a=$(spent)
	sleep 6
	b=$(spent)
	echo "ticks in 6 s: $((b - a))"
	[ $((b - a)) -gt 15 ]
	[ $((b - a)) -lt 300 ]
}
# spent: processor time of the container's processes so far, in hundredths of a second.
spent() {
	pgrep -f '^sh -c sleep 1; while :' | while read -r p; do cut -d' ' -f14,15 "/proc/$p/stat"; done | awk '{ n += $1 + $2 } END { print n + 0 }'
}
case_metrics_resource() {
	pod 'x=$(head -c 40000000 /dev/zero | tr "\\0" x); while :; do :; done' '.spec.containers[0].resources.limits.memory = "500Mi"'
	running
	local i
	for i in $(seq 40); do
		sleep 1
		metric container_memory_working_set_bytes >memory
		metric container_cpu_usage_seconds_total >cpu
		if awk -v m="$(cat memory)" -v c="$(cat cpu)" 'BEGIN { exit !(m > 30e6 && m < 300e6 && c > 0.5 && c < 100) }'; then
			[ "$(metric pod_memory_working_set_bytes)" != "" ]
			return
		fi
	done
	curl -sf "$KUBELET_URL/metrics/resource" | grep -v '^#'
	return 1
}
metric() {
	curl -sf "$KUBELET_URL/metrics/resource" | grep "^$1{.*pod=\"$NAME-node\"" | awk '{ print $2 }'
}
case_stats_summary() {
	pod 'x=$(head -c 40000000 /dev/zero | tr "\\0" x); echo x >/written; while :; do sleep 1; done'
	running
	local i
	for i in $(seq 40); do
		sleep 1
		curl -sf "$KUBELET_URL/stats/summary" | jq --arg name "$NAME-node" '.pods[] | select(.podRef.name == $name)' >out
		! jq -e '.containers[0] | .memory.workingSetBytes > 30000000 and .memory.workingSetBytes < 300000000 and .rootfs.usedBytes > 0' out || return 0
	done
	cat out
	return 1
}

# What a container is
case_logs() {
	pod 'echo out; echo err >&2' "$never"
	succeeded
	is "$(logs | sort)" "$(printf 'err\nout')"
}
case_exec() {
	pod 'sleep 100'
	running
	is "$(run 'echo hello')" hello
}
case_termination_message() {
	pod 'echo why >/dev/termination-log; exit 1' "$never"
	until_pod '.phase == "Failed"'
	is "$(status '$c.state.terminated.message')" why
}
case_termination_message_of_log() {
	pod 'echo last words; exit 1' "$never"' | .spec.containers[0].terminationMessagePolicy = "FallbackToLogsOnError"'
	until_pod '.phase == "Failed"'
	is "$(status '$c.state.terminated.message')" 'last words'
}
case_hosts_and_dns() {
	pod 'grep alias /etc/hosts; hostname; cat /etc/resolv.conf' "$never"' | .spec += {hostname: "given",
		hostAliases: [{ip: "192.0.2.7", hostnames: ["alias"]}], dnsPolicy: "None", dnsConfig: {nameservers: ["192.0.2.1"], searches: ["a.test"]}}'
	succeeded
	logs >out
	cat out
	is "$(sed -n 1p out | tr '\t' ' ')" '192.0.2.7 alias'
	is "$(sed -n 2p out)" given
	grep -q 'nameserver 192.0.2.1' out
	grep -q 'search a.test' out
}
case_user() {
	pod 'id -u; id -g; id -G; touch /x || echo refused' "$never"' | .spec.securityContext = {runAsUser: 1000, runAsGroup: 1001, supplementalGroups: [7]} |
		.spec.containers[0].securityContext = {readOnlyRootFilesystem: true, allowPrivilegeEscalation: false, capabilities: {drop: ["ALL"]}}'
	succeeded
	is "$(logs | grep -v touch:)" "$(printf '1000\n1001\n1001 7\nrefused')"
}
case_seccomp() {
	pod 'grep Seccomp: /proc/self/status' "$never"' | .spec.securityContext.seccompProfile.type = "RuntimeDefault"'
	succeeded
	logs | grep -q '2$'
}
case_sysctl() {
	pod 'cat /proc/sys/net/ipv4/ip_unprivileged_port_start' "$never"' |
		.spec.securityContext.sysctls = [{name: "net.ipv4.ip_unprivileged_port_start", value: "81"}]'
	succeeded
	is "$(logs)" 81
}
case_host_network() {
	pod 'readlink /proc/self/ns/net' "$never | .spec.hostNetwork = true"
	succeeded
	is "$(logs)" "$(readlink /proc/self/ns/net)"
}
case_host_port() {
	pod "$httpd" '.spec.containers[0] += {ports: [{containerPort: 80, hostPort: 8190}], readinessProbe: {tcpSocket: {port: 80}, periodSeconds: 1}}'
	ready
	is "$(curl -sf http://10.88.0.1:8190/)" ok
}
case_deadline() {
	pod 'sleep 4407' '.spec.activeDeadlineSeconds = 4'
	running
	until_pod '.reason == "DeadlineExceeded"'
	sleep 4
	if pgrep -f '^sleep 4407'; then return 1; fi
}
case_main_process_killed() {
	pod 'sleep 4408'
	running
	pkill -9 -f '^sleep 4408'
	until_pod '$c.restartCount == 1 and $c.state.running != null'
	is "$(status '$c.lastState.terminated.exitCode')" 137
}
case_privileged() {
	pod 'mkdir -p /mnt; mount -t tmpfs none /mnt && echo mounted' "$never"' | .spec.containers[0].securityContext.privileged = true'
	succeeded
	is "$(logs)" mounted
}

# Alone: what the others would feel
case_alone_kubelet_restart() {
	pod "$httpd" '.spec.containers[0] += {readinessProbe: {httpGet: {port: 80, path: "/"}, periodSeconds: 1},
		livenessProbe: {exec: {command: ["true"]}, periodSeconds: 1}}'
	ready
	local id
	id=$(status '$c.containerID')
	down kubelet
	kubelet_up
	ready
	sleep 3
	is "$(status '$c.containerID')" "$id"
	is "$(status '$c.restartCount')" 0
	is "$(run 'echo hello')" hello
	removed
}
case_alone_exit_while_kubelet_is_away() {
	pod 'echo x >>/v/starts; sleep 4; exit 5' '.spec.restartPolicy = "OnFailure"'
	running
	down kubelet
	sleep 5
	kubelet_up
	until_pod '$c.restartCount >= 1'
	[ "$(wc -l <v/starts)" -ge 2 ]
}
case_alone_containerd_restart() {
	pod "$httpd" '.spec.containers[0] += {readinessProbe: {httpGet: {port: 80, path: "/"}, periodSeconds: 1},
		livenessProbe: {exec: {command: ["true"]}, periodSeconds: 1}}'
	ready
	local id
	id=$(status '$c.containerID')
	down containerd
	cri_up
	sleep 5
	ready
	is "$(status '$c.containerID')" "$id"
	is "$(status '$c.restartCount')" 0
	is "$(run 'echo hello')" hello
	removed
}
case_alone_exit_while_containerd_is_away() {
	pod 'echo x >>/v/starts; sleep 4; exit 5' "$never"
	running
	down containerd
	sleep 5
	cri_up
	until_pod '.phase == "Failed"'
	is "$(status '$c.state.terminated.exitCode')" 5
}
case_alone_shim_killed() {
	pod 'sleep 4409'
	running
	local shim
	shim=$(pgrep -f "containerd-shim.* -address $W/sock")
	kill -9 $shim
	until_pod '$c.restartCount >= 1 and $c.state.running != null'
	is "$(pgrep -cf '^sleep 4409')" 1
}
case_alone_twenty_pods() {
	local i name=$NAME
	for i in $(seq 20); do
		NAME=$name-$i
		pod "$httpd" '.spec.containers[0] |= (.readinessProbe = {httpGet: {port: 80, path: "/"}, periodSeconds: 2} | del(.resources))'
	done
	for i in $(seq 20); do
		NAME=$name-$i
		ready
	done
	for i in $(seq 20); do
		NAME=$name-$i
		removed
	done
}
