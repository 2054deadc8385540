#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What package managers and editors do to the places where a volume or a file is mounted: they
# remove, replace and rename them, with the tools of Debian.
load lib

# in_app SCRIPT: /app is a directory of the host with a volume at node_modules and two files bound.
in_app() {
	rm -rf "$T/app" "$T/modules"
	mkdir -p "$T/app/node_modules" "$T/modules/left/over"
	echo setting >"$T/conf"
	echo fixed >"$T/lock"
	touch "$T/app/conf" "$T/app/lock"
	program_in 'cd /app; say() { "$@" 2>&1 | sed "s/.*: //"; return "${PIPESTATUS[0]}"; }
		'"$1" ".mounts += [
		{destination: \"/app\", type: \"bind\", source: \"$T/app\", options: [\"bind\", \"rw\"]},
		{destination: \"/app/node_modules\", type: \"bind\", source: \"$T/modules\", options: [\"bind\", \"rw\"]},
		{destination: \"/app/conf\", type: \"bind\", source: \"$T/conf\", options: [\"bind\", \"rw\"]},
		{destination: \"/app/lock\", type: \"bind\", source: \"$T/lock\", options: [\"bind\", \"ro\"]}]"
	ok
}

installs() {
	in_app 'say rm -rf node_modules || echo failed; ls -A node_modules | wc -l
		say mkdir node_modules || echo there
		say mv node_modules .ignored_node_modules || echo failed
		mkdir node_modules/.tmp; echo x >node_modules/.tmp/package; mv node_modules/.tmp/package node_modules/package
		say rmdir node_modules || echo failed; cat node_modules/package
		say python3 -c "import shutil; shutil.rmtree(\"node_modules\")" >/tmp/tree || sed -n \$p /tmp/tree'
	out_is "$(printf '%s\n' 'Device or resource busy' failed 0 'File exists' there 'Device or resource busy' failed \
		'Device or resource busy' failed x "'node_modules'")"
	is "$(ls -A "$T/modules" "$T/app/node_modules")" "$(printf '%s:\n\n%s:' "$T/app/node_modules" "$T/modules")"
}

@test "an installer cannot remove, rename or replace the volume, and what it writes is in it" {
	both installs
}

edits() {
	in_app 'say sed -i s/setting/edited/ conf || echo failed
		say sed -i s/fixed/edited/ lock || echo failed
		echo other >other; say mv other conf || echo failed; say mv lock elsewhere || echo failed; say cp other lock || echo failed
		say ln -f other conf || echo failed
		python3 -c "import os
try: os.replace(\"other\", \"lock\")
except OSError as e: print(e.strerror)"
		cat conf lock; sed s/setting/written/ conf >/tmp/c; cat /tmp/c >conf; cat conf; ls -A'
	out_is "$(printf '%s\n' 'Device or resource busy' failed 'Device or resource busy' failed 'Device or resource busy' failed \
		'Device or resource busy' failed 'Read-only file system' failed 'Device or resource busy' failed \
		'Device or resource busy' setting fixed written conf lock node_modules other)"
	is "$(cat "$T/conf" "$T/lock")" "$(printf 'written\nfixed')"
}

@test "an editor cannot put another file in the place of a bound one, and can write it" {
	both edits
}
