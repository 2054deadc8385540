#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# rootfs.mode namespace: the tree is alone in a mount namespace. What programs and callers see is
# what runc gives; the host keeps its mount table.
load ../lib/harness

setup() {
	harness_setup
	echo '{"rootfs": {"mode": "namespace"}}' >"$T/node.json"
	if ours; then RT_GLOBALS=(--config "$T/node.json"); fi
}

# with_volume: a running container $ID with a volume at /app/data and a file bound at /app/file.
with_volume() {
	mkdir -p "$T/volume"
	echo bound >"$T/file"
	started "$1" '.root.readonly = false | .mounts += [
		{destination: "/app/data", type: "bind", source: "'"$T/volume"'", options: ["bind", "rw"]},
		{destination: "/app/file", type: "bind", source: "'"$T/file"'", options: ["bind", "rw"]}]'
}

# in_it COMMAND...: by exec, which joins like everything of the container.
in_it() {
	rt exec "$ID" "$@"
}

@test "mount points are busy, a bound file too, and mountinfo lists them" {
	with_volume 'exec sleep 100'
	in_it sh -c 'say() { "$@" 2>&1 | sed "s/.*: //"; }
		cd /app; echo x >y; say rmdir data; say mv data other; say rm file; say mv y file; say rm -rf /app
		awk "\$5 ~ /^.app/ { print \$5 }" /proc/self/mountinfo; ls'
	out_is "$(printf '%s\n' 'Device or resource busy' 'Device or resource busy' 'Device or resource busy' \
		'Device or resource busy' 'Device or resource busy' 'Device or resource busy' \
		/app/data /app/file data file)"
	in_it df /dev/shm
	[[ $(tail -1 "$T/out") == */dev/shm ]]
}

@test "the same without the mode: the file goes, and mountinfo is empty" {
	ours || skip "only this runtime has modes"
	RT_GLOBALS=()
	with_volume 'exec sleep 100'
	in_it sh -c 'rm /app/file && echo gone; cat /proc/self/mountinfo'
	out_is gone
}

@test "chroot works, and climbing ends at the container's root" {
	started 'exec sleep 100'
	in_it sh -c 'chroot /bin /busybox ls / | grep -c busybox; mkdir /c; cd /; chroot /c true 2>/dev/null
		chroot . sh -c "cd ../../../..; cat etc/image-name"'
	out_is "$(printf '1\nbusybox')"
}

@test "nsenter from outside gives the container's root, of the tracked process and of the workload" {
	with_volume 'exec sleep 100'
	local p
	for p in "$(pid_of "$ID")" "$(workload_of "$ID")"; do
		is "$(nsenter -m -t "$p" /bin/cat /etc/image-name)" busybox
		is "$(nsenter -m -t "$p" /bin/sh -c 'cd ../..; ls / | grep -c -e linuxrc -e app')" 2
		is "$(grep -c ' /app/' "/proc/$p/mounts")" 2
	done
	is "$(readlink "/proc/$(pid_of "$ID")/ns/mnt")" "$(readlink "/proc/$(workload_of "$ID")/ns/mnt")"
	[ "$(readlink "/proc/$(pid_of "$ID")/ns/mnt")" != "$(readlink /proc/self/ns/mnt)" ]
}

@test "two containers see nothing of each other's mounts" {
	started 'exec sleep 100'
	local first=$ID
	started 'exec sleep 100'
	nsenter -m -t "$(pid_of "$first")" /bin/mount -t tmpfs only-first /tmp
	rt exec "$first" grep -c only-first /proc/self/mountinfo
	out_is 1
	rt exec "$ID" grep -c only-first /proc/self/mountinfo
	is "$rc" 1
	! grep -q only-first /proc/self/mountinfo
}

@test "the host's mount table keeps all but the two entries of ns:empty, which go with the last container" {
	ours || skip "only this runtime has it"
	started 'exec sleep 100'
	local first=$ID
	started 'exec sleep 100'
	mount_table >"$T/during"
	is "$(grep -c " $ROOT/ns:empty " "$T/during")" 2
	grep -v " $ROOT/ns:empty " "$T/during" >"$T/others" || true
	diff "$T/mounts.before" "$T/others"
	rt delete --force "$first"
	ok
	is "$(mount_table | grep -c " $ROOT/ns:empty ")" 2
	rt delete --force "$ID"
	ok
	is "$(mount_table | grep -c " $ROOT/ns:empty ")" 0
	is "$(ls -A "$ROOT")" ""
}

@test "the empty namespace is kept on whatever processor the caller's namespace was made" {
	ours || skip "only this runtime has it"
	bundle "$T/b" '.process.args = ["sleep", "100"]'
	local theirs own cpus
	# Two are enough to have an older and a newer one.
	cpus=$(awk '/^Cpus_allowed_list/ { print $2 }' /proc/self/status | tr ',' '\n' | sed 's/^[0-9]*$/&-&/; s/-/ /' | xargs -L1 seq | head -2)
	for theirs in $cpus; do
		for own in $cpus; do
			taskset -c "$theirs" unshare -m taskset -c "$own" bash -c '
				"$2" --root "$1/root" --config "$1/node.json" create --bundle "$1/b" x >/dev/null </dev/null || exit
				grep -c " $1/root/ns:empty .* nsfs " /proc/self/mountinfo
				"$2" --root "$1/root" delete --force x' kept "$T" "$RUNTIME" >"$T/out" 2>"$T/err" 3>&- 4>&- || true
			out_is 1
		done
	done
}

@test "a recursive bind of what the state root lies in" {
	mkdir "$T/below"
	started 'exec sleep 100' ".mounts += [{destination: \"/host\", type: \"bind\", source: \"$T\", options: [\"rbind\", \"rslave\"]}]"
	sh_in 'ls -d /host/below; grep -c nsfs /proc/self/mountinfo' \
		".mounts += [{destination: \"/host\", type: \"bind\", source: \"$T\", options: [\"rbind\", \"ro\"]}]" || true
	out_is "$(printf '/host/below\n0')"
}

@test "under a shared parent nothing of a container spreads, and the entries go from all peers" {
	ours || skip "only this runtime has it"
	bundle "$T/b" '.process.args = ["sleep", "100"]'
	mkdir "$ROOT" "$T/peer"
	unshare -m --propagation private bash -c '
		mount -t tmpfs s "$1/root" && mount --make-shared "$1/root" && mount --bind "$1/root" "$1/peer" || exit
		"$2" --root "$1/root" --config "$1/node.json" create --bundle "$1/b" x >/dev/null </dev/null || exit
		grep -c -e " $1/peer/ns:empty .* nsfs " -e " $1/peer/.*/proc " /proc/self/mountinfo
		grep -c " $1/root/ns:empty .* nsfs " /proc/self/mountinfo
		"$2" --root "$1/root" delete --force x || exit
		grep -c -e " $1/.*/ns:empty " /proc/self/mountinfo' shared "$T" "$RUNTIME" >"$T/out" 2>"$T/err" 3>&- 4>&- || true
	out_is "$(printf '0\n1\n0')"
	rmdir "$T/peer"
}

@test "nothing is left after a delete --force, nor after a kill of any of the processes" {
	ours || skip "runc has other processes"
	local who
	for who in none supervisor init workload both; do
		started 'sleep 100 & exec sleep 100'
		local s i w
		s=$(pid_of "$ID") i=$(init_of "$ID") w=$(workload_of "$ID")
		case $who in
		supervisor) kill -9 "$s" ;;
		init) kill -9 "$i" ;;
		workload) kill -9 "$w" ;;
		both) kill -9 "$s" "$i" ;;
		esac
		rt delete --force "$ID"
		ok
		is "$(mount_table | grep -c ns:empty)" 0
		assert_nothing_left
	done
}

@test "a process whose root was mounted later is found when supervisor and init are gone" {
	ours || skip "runc has a cgroup to ask"
	started 'mkdir -p /late; touch /ready; while [ ! -e /late/bin/busybox ]; do sleep 0.05; done
		chroot /late /bin/busybox sleep 100 & sleep 100'
	eventually 5 test -e "$T/$ID/rootfs/ready"
	local s i
	s=$(pid_of "$ID") i=$(init_of "$ID")
	nsenter -m -t "$s" /bin/sh -c 'mount -t tmpfs late /late && mkdir /late/bin && cp /bin/busybox /late/bin/b &&
		mv /late/bin/b /late/bin/busybox'
	eventually 5 bash -c 'grep -qs /late /proc/[0-9]*/cmdline; ls -l /proc/[0-9]*/root 2>/dev/null | grep -q -- "-> /late"'
	kill -9 "$s" "$i"
	rt delete --force "$ID"
	ok
	assert_nothing_left
}

@test "hooks: createRuntime and poststop run on the host, createContainer in the container's namespace" {
	ours || skip "runc shows a createContainer hook the host's tree as well"
	mkdir -p "$T/source"
	cat >"$T/hook" <<-EOF
		#!/bin/sh
		pid=\$(jq -r .pid)
		{
			echo "\$1"
			[ "\$(readlink /proc/self/ns/mnt)" = "$(readlink /proc/self/ns/mnt)" ] && echo host
			[ "\$(readlink /proc/self/ns/mnt)" = "\$(readlink /proc/\$pid/ns/mnt)" ] && echo own
			[ -e "$T/source" ] && echo paths
			[ ! -e proc/self ] || echo tree
		} >>"$T/hook.log"
	EOF
	chmod 755 "$T/hook"
	hook() {
		echo "[{path: \"$T/hook\", args: [\"hook\", \"$1\"], env: [\"PATH=$PATH\"]}]"
	}
	created 'true' ".hooks = {createRuntime: $(hook createRuntime), createContainer: $(hook createContainer),
		poststop: $(hook poststop)}"
	rt delete "$ID"
	ok
	is "$(tr '\n' ' ' <"$T/hook.log")" 'createRuntime host paths createContainer own paths tree poststop host paths '
}

@test "what a hook mounts through the tracked process' namespace is in the container" {
	printf '#!/bin/sh\nnsenter -m -t "$(jq -r .pid)" /bin/mount -t tmpfs from-hook /tmp\n' >"$T/hook"
	chmod 755 "$T/hook"
	bundle "$T/b" '.process.args = ["grep", "-c", "from-hook", "/proc/self/mountinfo"] |
		.hooks = {createRuntime: [{path: "'"$T/hook"'", env: ["PATH='"$PATH"'"]}]}'
	mkdir -p "$T/b/rootfs/tmp"
	run_bundle "$T/b"
	if ours; then
		ok
		out_is 1
	else
		# There the root is not yet the container's.
		is "$rc" 1
	fi
}

@test "a namespace that cannot be made fails the create by its step, and leaves nothing" {
	ours || skip "only this runtime has modes"
	bundle "$T/b" '.process.args = ["true"]'
	new_id
	rc=0
	# No capability for it: unshare(2) of the short child is refused.
	setpriv --bounding-set -sys_admin "$RUNTIME" --root "$ROOT" "${RT_GLOBALS[@]}" run --bundle "$T/b" "$ID" \
		>"$T/out" 2>"$T/err" </dev/null 3>&- 4>&- || rc=$?
	[ "$rc" -ne 0 ]
	grep -q 'rootfs.mode namespace: make a mount namespace: .*Operation not permitted' "$T/err"
}
