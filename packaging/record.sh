# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
#
# What packaging/install has put where, for itself and packaging/uninstall. The record has a line for
# each thing; paths are those of the target machine, without --destdir:
#
#   file SHA256 PATH
#   link TARGET PATH
#   dir - PATH           a directory that was not there before

die() {
	echo "packaging/${0##*/}: $*" >&2
	exit 1
}

# describe FILE: the first two words of its line; nothing when it is neither file nor link.
describe() {
	if [ -L "$1" ]; then
		echo "link $(readlink "$1")"
	elif [ -f "$1" ]; then
		echo "file $(sha256sum <"$1" | cut -d' ' -f1)"
	fi
}

# is_ours PATH: it is there as one of its lines in the record says.
is_ours() {
	[ -e "$record" ] && grep -qxF "$(describe "$destdir$1") $1" "$record"
}

# was_ours PATH: the record has a line for it.
was_ours() {
	[ -e "$record" ] && awk -v p="$1" '$3 == p { found = 1 } END { exit !found }' "$record"
}

# remove_recorded FILE: removes what is in this list of lines and still as it says. What somebody has
# changed stays, and so do directories that are not empty.
remove_recorded() {
	# A path may have two lines after an installation that was interrupted.
	awk '$1 != "dir" { print $3 }' "$1" | sort -u | while read -r path; do
		if [ ! -e "$destdir$path" ] && [ ! -L "$destdir$path" ]; then
			continue
		elif is_ours "$path"; then
			rm "$destdir$path"
		else
			echo "kept, because it was changed: $path"
		fi
	done
	# The deepest first.
	awk '$1 == "dir" { print $3 }' "$1" | sort -ur | while read -r path; do
		rmdir "$destdir$path" 2>/dev/null || true
	done
}
