#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A mount point can be neither removed nor renamed, nor can anything be renamed over it.
load ../lib/harness

# in_volume SCRIPT [JQ]: with a volume at /app/data and a file bound at /app/file.
in_volume() {
	mkdir -p "$T/volume"
	echo kept >"$T/volume/kept"
	echo bound >"$T/file"
	sh_in "$1" '.root.readonly = false | .mounts += [
		{destination: "/app/data", type: "bind", source: "'"$T/volume"'", options: ["bind", "rw"]},
		{destination: "/app/file", type: "bind", source: "'"$T/file"'", options: ["bind", "rw"]}]'"${2:-}"
}

@test "the mount point of a volume stays, by every spelling; its neighbours go" {
	in_volume 'say() { "$@" 2>&1 | sed "s/.*: //"; }
		cd /app; mkdir plain plain/data
		say rm -rf /app/data; say rmdir data; say rmdir data/; say rmdir ../app/data
		say mv data other; say mv /app/data /app/other; ls
		rmdir plain/data; mv plain other; rmdir other; ls
		echo new >data/new'
	out_is "$(printf '%s\n' 'Device or resource busy' 'Device or resource busy' 'Device or resource busy' \
		'Device or resource busy' 'Device or resource busy' 'Device or resource busy' data file plain data file)"
	is "$(cat "$T/volume/new")" new
}

@test "nothing is moved over a bound file, and sed -i on it fails" {
	in_volume 'cd /app; echo x >y
		mv y file 2>&1 | sed "s/.*: //"; sed -i s/bound/edited/ file 2>&1 | sed "s/.*: //"
		mv file z 2>&1 | sed "s/.*: //"; cat file; echo written >file'
	out_is "$(printf '%s\n' 'Device or resource busy' 'Device or resource busy' 'Device or resource busy' bound)"
	is "$(cat "$T/file")" written
}

@test "also below a directory that only its owner may search" {
	in_volume 'mkdir -p /own/v; chown -R 1000:1000 /own; chmod 700 /own'
	jq '.process.user = {uid: 1000, gid: 1000} | .process.args = ["sh", "-c",
		"cd /own; rmdir v 2>&1 | sed \"s/.*: //\"; mkdir w; rmdir w && echo gone"] |
		.mounts += [{destination: "/own/v", type: "tmpfs", source: "tmpfs", options: ["nosuid"]}]' \
		"$T/b/config.json" >"$T/c"
	mv "$T/c" "$T/b/config.json"
	run_bundle "$T/b"
	ok
	out_is "$(printf 'Device or resource busy\ngone')"
}

@test "in a staged tree, where no names are known" {
	ours || skip "only this runtime has assemblies"
	echo '{"rootfs": {"assembly": "staged"}}' >"$T/node.json"
	RT_GLOBALS=(--config "$T/node.json")
	in_volume 'cd /app; rmdir data 2>&1 | sed "s/.*: //"; mkdir q; mv q r; rmdir r; ls'
	out_is "$(printf 'Device or resource busy\ndata\nfile')"
}
