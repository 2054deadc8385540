#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Symbolic links of the image at places where the runtime mounts, masks or makes something
# (CVE-2021-30465, CVE-2019-19921, CVE-2025-31133, CVE-2025-52565, CVE-2025-52881).
load lib

# A host directory with a canary, a volume, and a root.
stage() {
	mkdir -p "$T/host/dir" "$T/volume"
	echo host-secret >"$T/host/canary"
	echo volume >"$T/volume/file"
	rm -rf "$T/b"
	escape_root "$T/b/rootfs"
	host_before=$(snapshot)
}

snapshot() {
	find "$T/host" -printf '%p %y %m %U %s %T@\n' | sort
	cat "$T/host/canary"
}

untouched() {
	is "$(snapshot)" "$host_before"
}

volume_at() {
	echo ".mounts += [{destination: \"$1\", type: \"bind\", source: \"$T/volume\",
		options: [\"rbind\", \"rw\"]}]"
}

@test "the control: a mount by path follows the image's link to the host" {
	stage
	ln -s "$T/host" "$T/b/rootfs/link"
	export root=$T/b/rootfs T
	unshare -m --propagation private bash -c '
		mkdir -p "$root/link/new" && mount --bind "$T/volume" "$root/link/new" &&
			[ -e "$T/host/new/file" ]'
	[ -d "$T/host/new" ]
}

@test "mount targets through links stay below the root" {
	local link target
	for link in "$T/host" "../../../../../../../../../..$T/host"; do
		for target in /link/dir /link/new /link/new/deep/er; do
			stage
			ln -s "$link" "$T/b/rootfs/link"
			config "$T/b" "$(volume_at "$target") |
				.process.args = [\"/attack\", \"one\", \"read\", \"$T/host/canary\"]"
			run_bundle "$T/b"
			ok
			out_is "$(printf 'read\tENOENT')"
			untouched
		done
	done
}

@test "a mount target through a magic link is refused" {
	local target
	for target in /link/dir /link/new /link/new/deep/er; do
		stage
		ln -s "/proc/self/root$T/host" "$T/b/rootfs/link"
		config "$T/b" "$(volume_at "$target")"
		run_bundle "$T/b"
		fails "Too many levels of symbolic links"
		untouched
	done
}

@test "a bind onto a link that is swapped all the time never lands on the host" {
	local i good=0
	stage
	mkdir -p "$T/b/rootfs/a/dir"
	ln -s "$T/host" "$T/b/rootfs/b"
	config "$T/b" "$(volume_at /a/dir) |
		.process.args = [\"/attack\", \"one\", \"read\", \"$T/host/canary\"]"
	"$HELPERS/raceswap" "$T/b/rootfs/a" "$T/b/rootfs/b" 3>&- 4>&- &
	VICTIMS+=($!)
	for i in $(seq 100); do
		run_bundle "$T/b"
		if [ "$rc" -ne 0 ]; then rt delete --force "$ID"; continue; fi
		out_is "$(printf 'read\tENOENT')"
		good=$((good + 1))
	done
	[ "$good" -gt 0 ]
	untouched
}

@test "masks and read-only paths that are links of the image do not touch the host" {
	stage
	ln -s "$T/host/canary" "$T/b/rootfs/mask"
	ln -s "$T/host/dir" "$T/b/rootfs/maskdir"
	ln -s "$T/host" "$T/b/rootfs/ro"
	config "$T/b" ".linux.maskedPaths += [\"/mask\", \"/maskdir\"] | .linux.readonlyPaths += [\"/ro\"] |
		.process.args = [\"/attack\", \"one\", \"read\", \"$T/host/canary\"]"
	run_bundle "$T/b"
	ok
	out_is "$(printf 'read\tENOENT')"
	untouched
	[ -w "$T/host/dir" ] && touch "$T/host/dir/still-writable"
}

@test "the mask is not what the image says /dev/null is" {
	local n
	for n in null zero console ptmx; do
		stage
		echo unmasked >"$T/b/rootfs/secret"
		rm -rf "$T/b/rootfs/dev/$n"
		ln -s "$T/host/canary" "$T/b/rootfs/dev/$n"
		# Without a mount at /dev the image's own directory is what the runtime finds.
		config "$T/b" '.linux.maskedPaths += ["/secret"]
			| .mounts |= map(select(.destination | startswith("/dev") | not))
			| .process.args = ["/attack", "one", "read", "/secret"]'
		run_bundle "$T/b"
		ok
		out_is "$(printf 'read\tempty')"
		untouched
	done
}

@test "a link swapped with /dev/null while the mask is laid" {
	local i good=0
	stage
	echo unmasked >"$T/b/rootfs/secret"
	: >"$T/b/rootfs/dev/null"
	ln -s "$T/host/canary" "$T/b/rootfs/dev/other"
	config "$T/b" '.linux.maskedPaths += ["/secret"]
		| .mounts |= map(select(.destination | startswith("/dev") | not))
		| .process.args = ["/attack", "one", "read", "/secret"]'
	"$HELPERS/raceswap" "$T/b/rootfs/dev/null" "$T/b/rootfs/dev/other" 3>&- 4>&- &
	VICTIMS+=($!)
	for i in $(seq 100); do
		run_bundle "$T/b"
		if [ "$rc" -ne 0 ]; then rt delete --force "$ID"; continue; fi
		out_is "$(printf 'read\tempty')"
		good=$((good + 1))
	done
	[ "$good" -gt 0 ]
	untouched
}

@test "/proc that the image made a link is refused, and nothing is mounted where it leads" {
	stage
	rmdir "$T/b/rootfs/proc"
	mkdir -p "$T/b/rootfs/fake/sys/kernel"
	echo fake >"$T/b/rootfs/fake/sys/kernel/core_pattern"
	ln -s /fake "$T/b/rootfs/proc"
	config "$T/b" '.process.args = ["/attack", "one", "open", "/proc/sys/kernel/core_pattern", "wo"]'
	run_bundle "$T/b"
	fails 'filesystem "proc" must be mounted on ordinary directory'
	is "$(cat "$T/b/rootfs/fake/sys/kernel/core_pattern")" fake
	# The control arm: with a directory in its place the program runs, and meets the masks.
	rm "$T/b/rootfs/proc"
	mkdir "$T/b/rootfs/proc"
	run_bundle "$T/b"
	ok
	out_is "$(printf 'open\tEROFS')"
}
