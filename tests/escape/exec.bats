#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Attacks of a container on processes that are exec'd into it, and what the caller may ask of an
# exec'd process.
load lib

# lying ARGS-JSON [JQ]: starts a container whose process is an attack.
lying() {
	attack_bundle "$T/b" "$1" "${2:-.}"
	new_id
	create "$ID" "$T/b"
	ok
	rt start "$ID"
	ok
}

end_of_it() {
	rt kill "$ID" KILL
	ok
	wait_state "$ID" stopped 5
	rt delete "$ID"
	ok
}

@test "the control: in a chroot with the same rights every image in sight opens" {
	local a
	export root=$T/jail caps="-all,$CONTAINER_CAPS"
	escape_root "$root"
	victim "$T/v" 1 # no more capabilities than one's own
	for a in image:exe memory:mem; do
		is "$(a=${a%:*} unshare -m --propagation private bash -c '
			mount -t proc proc "$root/proc" && exec setpriv --bounding-set "$caps" \
				chroot "$root" /attack one "watch-$a" 2' 3>&-)" \
			"$(printf 'watch-%s\t%s' "${a%:*}" "${a#*:}")"
	done
}

@test "the runtime's image is never opened while processes are exec'd" {
	local i id before
	before=$(sha256sum "$RUNTIME")
	lying '["/attack", "direct", "watch-image", "8"]'
	for i in $(seq 60); do
		rt exec "$ID" /attack one stat /
		ok
	done
	eventually 15 grep -q watch-image "$T/$ID.out"
	is "$(cat "$T/$ID.out")" "$(printf 'watch-image\tnone')"
	is "$(sha256sum "$RUNTIME")" "$before"
	wait_state "$ID" stopped 5
	rt delete "$ID"
}

# worth_of JQ: what an attacker gets that opens the memory of every process before its execve. uid 0
# may open it by design: it is a process of its own container, and /proc is complete.
worth_of() {
	local i
	lying '["/attack", "direct", "watch-worth", "6"]' "$1"
	for i in $(seq 60); do rt exec "$ID" /attack one stat /; done
	eventually 15 grep -q watch-worth "$T/$ID.out"
	cat "$T/$ID.out"
	wait_state "$ID" stopped 5
	rt delete "$ID"
}

NOTHING=$(printf 'watch-worth\tnothing')
PROFILE='{defaultAction: "SCMP_ACT_ALLOW", syscalls: [{names: ["swapon"], action: "SCMP_ACT_ERRNO"}]}'

@test "the memory of a process that is not yet executed is worth nothing: the same rights" {
	is "$(worth_of .)" "$NOTHING"
}

@test "nor with few capabilities: what it has more is fenced" {
	is "$(worth_of '.process.capabilities |= map_values(["CAP_SETUID"])')" "$NOTHING"
}

@test "without CAP_SETUID it cannot be opened at all" {
	is "$(worth_of '.process.capabilities |= map_values(["CAP_NET_BIND_SERVICE"])')" \
		"$(printf 'watch-worth\tnone')"
}

@test "nor with a profile of the bundle" {
	is "$(worth_of ".linux.seccomp = $PROFILE")" "$NOTHING"
}

@test "nor with a profile of the bundle and without no_new_privs" {
	is "$(worth_of ".linux.seccomp = $PROFILE | .process.noNewPrivileges = false")" "$NOTHING"
}

@test "nor with a profile that denies by default" {
	is "$(worth_of ".linux.seccomp = $(default_profile)")" "$NOTHING"
	is "$(worth_of ".linux.seccomp = $(default_profile) | .process.noNewPrivileges = false")" "$NOTHING"
}

@test "/proc/self/exe is not what exec runs" {
	local p before
	before=$(sha256sum "$RUNTIME")
	lying '["/attack", "direct", "pester", "100", "0"]' || true
	ln -s /proc/self/exe "$T/b/rootfs/link"
	printf '#!/proc/self/exe\n' >"$T/b/rootfs/script"
	chmod 755 "$T/b/rootfs/script"
	for p in /proc/self/exe /proc/thread-self/exe /link /script; do
		rt exec "$ID" "$p" direct end-with 42
		[ "$rc" -ne 0 ] && [ "$rc" -ne 42 ]
		grep -qi 'permission denied\|no such file\|symbolic links' "$T/err" ||
			{ cat "$T/err"; return 1; }
	done
	is "$(sha256sum "$RUNTIME")" "$before"
	rt kill "$ID" KILL
	wait_state "$ID" stopped 5
	rt delete "$ID"
}

@test "exec --cwd to every descriptor number is rejected" {
	local n
	mkdir -p "$T/host"
	echo secret >"$T/host/canary"
	attack_bundle "$T/b" '["/attack", "direct", "pester", "100", "0"]'
	new_id
	create "$ID" "$T/b" 9<"$T/host"
	ok
	rt start "$ID"
	ok
	rt exec --cwd / "$ID" /attack one stat attack 9<"$T/host"
	ok
	out_is "$(printf 'stat\tok')"
	for n in $(seq 3 40); do
		rt exec --cwd "/proc/self/fd/$n" "$ID" /attack one stat canary 9<"$T/host"
		[ "$rc" -ne 0 ] || { echo "fd $n:"; cat "$T/out"; return 1; }
	done
	end_of_it
}

@test "an exec'd process has no descriptor but its three, and no directory among them" {
	mkdir -p "$T/host"
	echo secret >"$T/host/canary"
	lying '["/attack", "direct", "pester", "100", "0"]'
	rt exec "$ID" /attack one descriptors 9<"$T/host"
	ok
	out_is "$(printf 'descriptors\tnone')"
	STDIN=$T/host rt exec "$ID" /attack one inherited 0 canary
	[ "$rc" -ne 0 ]
	has "$T/err" directory
	end_of_it
}

@test "whatever is brought in is stopped at once: the operator is not" {
	local i
	lying '["/attack", "direct", "pester", "30", "STOP"]'
	for i in 1 2 3; do
		timeout -k 1 3 "$RUNTIME" --root "$ROOT" exec "$ID" /attack one stat / \
			</dev/null >"$T/o" 2>&1 3>&- 4>&- || true
		is "$(state_word "$ID")" running
	done
	end_of_it
}

@test "whatever is brought in is killed at once: exec says so, the end is the true one" {
	local i
	lying '["/attack", "direct", "pester", "3", "KILL"]'
	for i in $(seq 10); do
		rt exec "$ID" /attack one pester 1 0
		[ "$rc" -ne 0 ]
		is "$(state_word "$ID")" running
	done
	eventually 10 grep -q pester "$T/$ID.out"
	is "$(cat "$T/$ID.out")" "$(printf 'pester\tdone')"
	wait_state "$ID" stopped 5
	rt delete "$ID"
	ok
}

@test "the attacks on init from an exec'd process" {
	lying '["/attack", "direct", "pester", "100", "0"]'
	threads_of "$ID"
	local a
	for a in "kill ${INIT%:*} KILL" "tkill ${INIT#*:} KILL" "kill $SUPERVISOR STOP" \
		"sigqueue ${INIT%:*} KILL" "prlimit-write $SUPERVISOR" "ptrace-seize ${INIT#*:}" \
		"affinity ${INIT#*:} 0" "mount-tmpfs /m" "unshare user" "kcmp $SUPERVISOR"; do
		rt exec "$ID" /attack one $a
		ok
		out_is "$(printf '%s\tEPERM' "${a%% *}")"
	done
	for a in "clone3 none" io-uring; do
		rt exec "$ID" /attack one $a
		out_is "$(printf '%s\tENOSYS' "${a%% *}")"
	done
	end_of_it
}
