# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
#
# A directory that is made once and kept, for the scripts beside this one. Whoever sources it has
# set $here and defines make_root, which fills $dir; failing, it has said why on its output.

cache=${SANDLOCK_TEST_CACHE:-/var/cache/sandlock-oci-tests}

# once NAME FILE...: $dir, whose key is the script, these files and $inputs: a changed list makes a
# new one. Nobody else makes one until this process ends.
once() {
	name=$1
	shift
	key=$({ cat "$0" "$here/once.sh" "$@"; echo "${inputs:-}"; } | sha256sum | cut -c1-12)
	dir=$cache/$name-$key
	mkdir -p "$cache"
	exec 9>"$cache/lock"
	flock 9
}

# Prints $dir, made where it is not there.
made() {
	if [ ! -e "$dir/done" ]; then
		rm -rf "$dir"
		mkdir -p "$dir"
		if ! make_root >"$dir/log" 2>&1 </dev/null; then
			tail -20 "$dir/log" >&2
			echo "images/$name: failed" >&2
			exit 1
		fi
		touch "$dir/done"
	fi
	echo "$dir"
}
