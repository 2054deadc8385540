#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# alone: it looks at the System V objects of the host
# System V IPC and POSIX queues: a container has those of its pod and no others.
load ../lib/harness

setup() {
	harness_setup
	host_objects >"$T/host.before"
}

teardown() {
	harness_teardown
	# Nothing of a container may outlive it among the host's objects.
	if [ -z "${SANDLOCK_TEST_SHARED_HOST:-}" ]; then
		diff "$T/host.before" <(host_objects)
	fi
}

# The ids of everything there is on this machine, in the kernel's own words.
host_objects() {
	awk 'FNR > 1 { print FILENAME, $2 }' /proc/sysvipc/shm /proc/sysvipc/sem /proc/sysvipc/msg
}

# in_sh SCRIPT [JQ]: as sh_in, with the program that makes the calls.
in_sh() {
	with_probe "$T/b" "$1" "${2:-.}"
	run_bundle "$T/b"
	ok
}

with_probe() {
	bundle "$1" "$3"
	cp "$HELPERS/ipcprobe" "$1/rootfs/bin/i"
	jq --arg s "$2" '.process.args = ["sh", "-c", $s]' "$1/config.json" >"$1/c"
	mv "$1/c" "$1/config.json"
}

# started_with SCRIPT [JQ]: a running container $ID.
started_with() {
	new_id
	with_probe "$T/$ID" "$1" "${2:-.}"
	create "$ID" "$T/$ID"
	ok
	rt start "$ID"
	ok
}

# shares ID: a jq expression: the ipc namespace of that container's tracked process.
shares() {
	echo "(.linux.namespaces[] | select(.type == \"ipc\")).path = \"/proc/$(pid_of "$1")/ns/ipc\""
}

@test "segments, semaphores and messages work between processes of a container" {
	in_sh 'm=$(i get shm 77 4096 01600) && i write $m hello && i read $(i get shm 77 0 0)
		s=$(i get sem 77 1 01600); i semop $s -1 >/woken & sleep 0.3; test -s /woken || echo waits
		i semop $(i get sem 77 1 0) 1; wait; cat /woken
		q=$(i get msg 77 0 01600); i receive $q >/got & sleep 0.3; i send $q text; wait; cat /got'
	out_is "$(printf '%s\n' ok hello waits ok ok ok text)"
}

@test "a POSIX queue works between processes, keeps its umask and its modes" {
	in_sh 'i mq-open /q 0102 0666; i mq-open /q 0302 0600; i mq-send /q 1 0 text; i mq-receive /q
		i mq-unlink /q; i mq-open /q 2 0; i mq-unlink /q
		i mq-open /../x 0102 0600; i mq-open /a/b 0102 0600; i mq-open / 0102 0600
		umask 077; i mq-open /r 0102 0666
		su -s /bin/sh nobody -c "i mq-open /r 0 0" || true'
	out_is "$(printf 'ok\nEEXIST\nok\ntext\nok\nENOENT\nENOENT\nEACCES\nEACCES\nENOENT\nok\nEACCES')"
}

@test "errors are the kernel's: mode, size, number of semaphores, exclusive creation" {
	in_sh 'i get shm 5 4096 03600 >/dev/null; i get shm 5 4096 03600; i get shm 5 9999 0; i get shm 6 1 0
		i get sem 5 3 03600 >/dev/null; i get sem 5 4 0; i get sem 5 0 01600 | grep -c . ; i get sem 6 0 01600
		i get sem 6 -1 01600; i get shm 6 0 01600
		cp /bin/busybox /tmp/su 2>/dev/null; su -s /bin/sh nobody -c "i get shm 5 0 0600; i get shm 5 0 0 >/dev/null
		i read $(i get shm 5 0 0); i stat shm $(i get shm 5 0 0); i rm shm $(i get shm 5 0 0)
		i semop $(i get sem 5 0 0) 1"
		i set shm $(i get shm 5 0 0) 65534; su -s /bin/sh nobody -c "i write $(i get shm 5 0 0) x"' \
		'.mounts += [{destination: "/tmp", type: "tmpfs", source: "tmpfs"}]'
	out_is "$(printf '%s\n' EEXIST EINVAL ENOENT EINVAL 1 EINVAL EINVAL EINVAL \
		EACCES EACCES EACCES EPERM EACCES ok ok)"
}

@test "an object of the host or of another pod does not exist: EINVAL by id, a new one by key" {
	key=0x$(od -An -N4 -tx4 /dev/urandom | tr -d ' ' | sed 's/^[89a-f]/7/')
	other=$("$HELPERS/ipcprobe" get shm "$key" 4096 01666)
	sem=$("$HELPERS/ipcprobe" get sem "$key" 1 01666)
	msg=$("$HELPERS/ipcprobe" get msg "$key" 0 01666)
	script="i get shm $key 0 0; i read $other; i stat shm $other; i rm shm $other; i set shm $other 0
		i semop $sem 1; i semval $sem; i rm sem $sem; i send $msg x; i rm msg $msg
		for n in \$(seq 0 200); do i any shm \$n; i at sem \$n; i any msg \$n; done | sort -u
		i used shm; i used sem; i used msg"
	# The control arm: without a sandbox, the same rights, the same calls.
	bundle "$T/c" .
	cp "$HELPERS/ipcprobe" "$T/c/rootfs/bin/i"
	chroot "$T/c/rootfs" sh -c "i write $other secret; i get shm $key 0 0; i read $other; i stat shm $other; i semop $sem 1; i semval $sem" >"$T/control"
	is "$(cat "$T/control")" "$(printf '%s\n' ok "$other" secret "$((key)) 4096 $(awk '{ print $3 }' <("$HELPERS/ipcprobe" stat shm "$other"))" ok 1)"
	in_sh "$script"
	for kind in shm:"$other" sem:"$sem" msg:"$msg"; do "$HELPERS/ipcprobe" rm "${kind%:*}" "${kind#*:}" >/dev/null; done
	out_is "$(printf '%s\n' ENOENT EINVAL EINVAL EINVAL EINVAL EINVAL EINVAL EINVAL EINVAL EINVAL EINVAL 0 0 0)"
}

@test "two pods with the same keys and names have different objects" {
	started_with 'i write $(i get shm 9 64 01600) first; i mq-send /n 0102 0600 one; i get sem 9 1 01600 >/id; sleep 1000'
	first=$ID
	eventually 5 test -s "$T/$first/rootfs/id"
	in_sh "i read \$(i get shm 9 64 01600); i mq-open /n 2 0; i semop $(cat "$T/$first/rootfs/id") 1"
	out_is "$(printf '\nENOENT\nEINVAL')"
	rt delete --force "$first"
	ok
}

@test "a namespace path makes a pod of two containers, whose objects live as long as one of them" {
	started_with 'i write $(i get shm 9 64 01600) first; i get sem 9 1 01600 >/id; i mq-send /n 0102 0600 one; sleep 1000'
	first=$ID
	eventually 5 test -s "$T/$first/rootfs/id"
	started_with "i read \$(i get shm 9 0 0); i mq-receive /n; echo up; sleep 1000" "$(shares "$first")"
	second=$ID
	eventually 5 grep -q up "$T/$second.out"
	is "$(cat "$T/$second.out")" "$(printf 'first\none\nup')"
	# A third names the second.
	rt delete --force "$first"
	ok
	in_sh 'i read $(i get shm 9 0 0); i get sem 9 0 0 | grep -vc E' "$(shares "$second")"
	out_is "$(printf 'first\n1')"
	host_objects >"$T/with"
	rt delete --force "$second"
	ok
	[ "$(host_objects | wc -l)" -lt "$(wc -l <"$T/with")" ]
}

# mine PID: the ids of host objects that the supervisor has made: segments name it.
mine() {
	awk -v p="$1" 'FNR > 1 && $5 == p { print $2 }' /proc/sysvipc/shm
}

@test "nothing is left on the host, whoever is killed" {
	local how super
	for how in main supervisor both; do
		started_with 'i get shm 1 4096 01600; i get sem 1 1 01600; i get msg 1 0 01600; i mq-open /q 0102 0600
			i hold $(i get shm 2 4096 01600) 1000 & sleep 1000'
		eventually 5 grep -q held "$T/$ID.out"
		super=$(cat "$T/$ID.pid")
		is "$(mine "$super" | wc -l)" 2
		sem=$(sed -n 2p "$T/$ID.out") msg=$(sed -n 3p "$T/$ID.out")
		[[ $("$HELPERS/ipcprobe" stat sem "$sem") == *" 1 0" ]]
		case $how in
		main) rt kill "$ID" KILL ;;
		supervisor) kill -9 "$super" ;;
		both) kill -9 "$(init_of "$ID")" "$super" ;;
		esac
		eventually 5 is_dead "$super"
		rt delete --force "$ID"
		ok
		is "$(mine "$super")" ""
		is "$("$HELPERS/ipcprobe" stat sem "$sem")" EINVAL
		is "$("$HELPERS/ipcprobe" stat msg "$msg")" EINVAL
		[ -z "$(find "$ROOT" -name '*@ipc')" ]
	done
}

is_dead() {
	! grep -qs '^State:.[^Z]' "/proc/$1/status"
}

@test "a removed segment stays for who is attached, without its key, and is not taken for another" {
	in_sh 'm=$(i get shm 3 4096 01600); i write $m text >/dev/null; i hold $m 1 & sleep 0.3
		i rm shm $m; i get shm 3 0 0; i read $m; i stat shm $m | cut -d" " -f1,2; wait; i read $m; i used shm'
	out_is "$(printf '%s\n' held ok ENOENT text '0 4096' EINVAL 0)"
}

@test "an object that the host has removed is gone, also when its number comes back" {
	started_with 'i get sem 3 1 01600; while [ ! -e /go ]; do sleep 0.05; done; i semop $(cat /id) 1; i get sem 3 0 0; i get sem 3 1 01600 | grep -vc E; sleep 1000'
	eventually 5 test -s "$T/$ID.out"
	id=$(cat "$T/$ID.out")
	"$HELPERS/ipcprobe" rm sem "$id"
	# The same number for an object of the host, where this kernel lets one be chosen.
	if [ -e /proc/sys/kernel/sem_next_id ]; then
		echo "$id" >/proc/sys/kernel/sem_next_id
		is "$("$HELPERS/ipcprobe" get sem 0 1 0666)" "$id"
		is "$("$HELPERS/ipcprobe" semop "$id" 1)" ok
	fi
	echo "$id" >"$T/$ID/rootfs/id"
	touch "$T/$ID/rootfs/go"
	eventually 5 grep -q '^1$' "$T/$ID.out"
	"$HELPERS/ipcprobe" rm sem "$id"
	is "$(cat "$T/$ID.out")" "$(printf '%s\n' "$id" EINVAL ENOENT 1)"
	rt delete --force "$ID"
}

@test "what a pod may have is bounded by the node's ipc, with the kernel's errors" {
	echo '{"ipc": {"shmSegments": 3, "shmBytes": 65536, "semaphoreSets": 2, "semaphores": 10,
		"messageQueues": 1, "posixQueues": 4, "posixQueueBytes": 200000}}' >"$T/node.json"
	RT_GLOBALS=(--config "$T/node.json")
	in_sh 'i many shm 5; i many sem 5; i many msg 5; i used shm; i mq-many /q 9; i mq-open /x 0102 0600; i mq-unlink /q0
		i mq-open /x 0102 0600; i mq-unlink /q1; i mq-open /y 0102 0600; i mq-unlink /q2; i mq-open /z 0102 0600'
	out_is "$(printf '%s\n' '3 ENOSPC' '2 ENOSPC' '1 ENOSPC' 3 '4 ENOSPC' ENOSPC ok ok ok ok ok EMFILE)"
	in_sh 'i get shm 1 65537 01600; i get sem 1 11 01600; i get shm 1 65536 01600 | grep -vc E; i get shm 2 1 01600'
	out_is "$(printf '%s\n' ENOSPC ENOSPC 1 ENOSPC)"
}

@test "objects cannot be made faster than numbers may come back" {
	in_sh 'i many sem -5000'
	grep -Eq '^4[0-9]{3} ENOSPC$' "$T/out"
}

@test "a bundle without an ipc namespace is refused unless the node opens the host's objects" {
	bundle "$T/b" 'del(.linux.namespaces[] | select(.type == "ipc"))'
	run_bundle "$T/b"
	fails 'ipc.sysv = true or ipc.mqueue = true accepts it'
	echo '{"ipc": {"sysv": true}}' >"$T/node.json"
	RT_GLOBALS=(--config "$T/node.json")
	id=$("$HELPERS/ipcprobe" get shm 0 64 0666)
	"$HELPERS/ipcprobe" write "$id" host
	in_sh "i read $id; i mq-open /q 0102 0600; grep -c . /proc/sysvipc/shm | grep -vc '^1$'" \
		'del(.linux.namespaces[] | select(.type == "ipc"))'
	out_is "$(printf 'host\nEPERM\n1')"
	# What asks for a namespace gets one also there.
	in_sh "i read $id"
	out_is EINVAL
	# The path of a container that has the host's, and the host's own.
	RT_GLOBALS=()
	bundle "$T/b" '(.linux.namespaces[] | select(.type == "ipc")).path = "/proc/self/ns/ipc"'
	run_bundle "$T/b"
	fails 'ipc.sysv = true or ipc.mqueue = true accepts it'
	"$HELPERS/ipcprobe" rm shm "$id"
}

@test "proc tells nothing of the host's objects, locks and timers" {
	id=$("$HELPERS/ipcprobe" get shm 0 64 0666)
	exec 8>"$T/lock"
	flock 8
	grep -q ":$(stat -c %i "$T/lock") " /proc/locks
	in_sh 'ls -A /proc/sysvipc; cat /proc/locks; cat /proc/timer_list 2>/dev/null; echo x >/proc/locks; rm -r /proc/sysvipc; echo end' \
		'.linux.maskedPaths = [] | .linux.readonlyPaths = []'
	exec 8>&-
	"$HELPERS/ipcprobe" rm shm "$id"
	out_is end
}
