#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Root of a user namespace with its own pid namespace, on a machine whose root has containers too.
load lib

@test "the files of interfaces that the machine's root has made are no obstacle" {
	local rules='.annotations["io.sandlock.network.allow"] = "udp://127.0.0.0/8"'
	net_in "udp://127.0.0.0/8" "true"
	bundle "$T/u" "$rules | .process.args = [\"ip\", \"-o\", \"link\"]"
	chown -R 100000:100000 "$T"
	"$BATS_TEST_DIRNAME/userns.py" unshare -mpf --mount-proc --propagation private \
		sh -c '"$@"; exit' sh "$RUNTIME" "${RT_GLOBALS[@]}" --root "$T/other" run --bundle "$T/u" "u$$" >"$T/u.out" 2>"$T/u.err" 3>&- </dev/null
	is "$(head -1 "$T/u.out" | cut -d' ' -f2)" lo:
	# With a pid namespace it can mount a procfs. It cannot make devices.
	is "$(cut -d: -f1,2 "$T/u.err")" 'warning: devices'
}
