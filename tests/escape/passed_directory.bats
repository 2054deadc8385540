#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A container hands its root directory to another one, through a socket in a shared volume.
load ../lib/harness

# taken FILE: prints the result of each attempt on one line.
taken() {
	tr '\n' ' ' <"$1"
}

# giver JQ: starts a container $GIVER that passes its root directory on at /vol/s.
giver() {
	mkdir -p "$T/vol"
	new_id
	GIVER=$ID
	bundle "$T/$ID" ".process.args = [\"/bin/dirpass\", \"give\", \"/vol/s\"] | $VOLUME"
	cp "$HELPERS/dirpass" "$T/$ID/rootfs/bin/"
	echo secret >"$T/$ID/rootfs/etc/secret"
	echo victim >"$T/$ID/rootfs/etc/victim"
	mkdir -p "$T/$ID/rootfs/run"
	create "$ID" "$T/$ID"
	ok
	rt start "$ID"
	ok
	eventually 10 grep -q ready "$T/$ID.out"
}

setup() {
	harness_setup
	VOLUME=".mounts += [{destination: \"/vol\", type: \"bind\", source: \"$T/vol\", options: [\"rbind\", \"rw\"]}]"
}

@test "without the sandbox a directory that was handed over gives everything below it" {
	giver
	# Root of the host has no Landlock rule, and does not find anything above a detached root either.
	timeout 20 "$HELPERS/dirpass" take "$T/vol/s" >"$T/taken"
	is "$(taken "$T/taken")" "stat ok chmod ok chown ok utimes ok setxattr ok connect ok \
open ok open_magic ok create ok list ok mkdir ok symlink ok fifo ok link ok truncate ok execute ok \
rename ok unlink ok mknod_socket ok bind ok bind_from_a_jail ok climb EXDEV end "
	rt delete --force "$GIVER"
	ok
}

# within: the taker in a container of its own.
within() {
	giver
	new_id
	bundle "$T/$ID" ".process.args = [\"/bin/dirpass\", \"take\", \"/vol/s\"] | $VOLUME"
	cp "$HELPERS/dirpass" "$T/$ID/rootfs/bin/"
	rt run --bundle "$T/$ID" "$ID"
	ok
	is "$(taken "$T/out")" "stat ok chmod ok chown ok utimes ok setxattr ok connect ok \
open EACCES open_magic EACCES create EACCES list EACCES mkdir EACCES symlink EACCES fifo EACCES \
link EACCES truncate EACCES execute EACCES rename EACCES unlink EACCES \
mknod_socket EACCES bind EACCES bind_from_a_jail EACCES climb EXDEV end "
	is "$(cat "$T/$GIVER/rootfs/etc/secret")" secret
	rt delete --force "$GIVER"
	ok
}

@test "with it nothing is opened, made, renamed, executed: metadata and path sockets are what is left" {
	within
}

@test "the same between two mount namespaces: the host is not above the other's root either" {
	ours || skip "only this runtime has modes"
	echo '{"rootfs": {"mode": "namespace"}}' >"$T/node.json"
	RT_GLOBALS=(--config "$T/node.json")
	within
}

# fled HOW: starts a container $ID. One of its processes has its root in the tree of $GIVER, so that
# the mounts do not show it as a process of $ID. It has a lock as long as a descendant of it runs.
fled() {
	giver
	new_id
	bundle "$T/$ID" ".process.args = [\"/bin/dirpass\", \"flee\", \"/vol/s\", \"/vol/lock\", \"$1\"] | $VOLUME"
	cp "$HELPERS/dirpass" "$T/$ID/rootfs/bin/"
	create "$ID" "$T/$ID"
	ok
	rt start "$ID"
	ok
	eventually 10 grep -q fled "$T/$ID.out"
	INIT=
	if ours; then INIT=$(init_of "$ID"); fi
	SUPERVISOR=$(pid_of "$ID")
}

lives() {
	! flock -n "$T/vol/lock" true
}

# all_gone: no such process runs one second after the container was removed.
all_gone() {
	rt delete --force "$ID"
	ok
	flock -w 1 "$T/vol/lock" true || { echo "something of $ID lives"; return 1; }
	lives && return 1
	is "$(state_word "$GIVER")" running
	rt delete --force "$GIVER"
	ok
}

@test "what has fled into another container's tree ends with its own container" {
	local how
	for how in forks headless; do
		fled "$how"
		lives
		all_gone
	done
}

@test "the same when init is killed: it is the supervisor's child then" {
	local how
	ours || skip "another runtime has no init of its own"
	for how in forks headless; do
		fled "$how"
		lives
		kill -9 "$INIT"
		all_gone
	done
}

@test "the same when the supervisor is killed: init ends it" {
	local how
	ours || skip "another runtime has no supervisor"
	for how in forks headless; do
		fled "$how"
		lives
		kill -9 "$SUPERVISOR"
		all_gone
	done
}

@test "a process of the caller that is older than a run in the foreground is left alone when init is killed" {
	local run
	ours || skip "another runtime has no init of its own"
	bundle "$T/b" '.process.args = ["sleep", "100"]'
	new_id
	bash -c 'sleep 50 & echo $! >"$1/older"; exec "$2" --root "$3" run --bundle "$1/b" "$4"' \
		- "$T" "$RUNTIME" "$ROOT" "$ID" </dev/null >"$T/out" 2>&1 3>&- 4>&- &
	run=$!
	wait_state "$ID" running 10
	kill -9 "$(init_of "$ID")"
	wait "$run" || true
	kill -0 "$(cat "$T/older")"
	kill "$(cat "$T/older")"
}
