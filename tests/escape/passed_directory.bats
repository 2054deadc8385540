#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A container hands its root directory to another one, through a socket in a shared volume.
load ../lib/harness

# taken FILE: what each act gave, on one line.
taken() {
	tr '\n' ' ' <"$1"
}

# giver JQ: a container $GIVER that hands out its root at /vol/s.
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
	# As root of the host, which no Landlock rule holds; above a detached root is nothing for it either.
	timeout 20 "$HELPERS/dirpass" take "$T/vol/s" >"$T/taken"
	is "$(taken "$T/taken")" "stat ok chmod ok chown ok utimes ok setxattr ok connect ok \
open ok open_magic ok create ok list ok mkdir ok symlink ok fifo ok link ok truncate ok execute ok \
rename ok unlink ok climb EXDEV end "
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
link EACCES truncate EACCES execute EACCES rename EACCES unlink EACCES climb EXDEV end "
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
