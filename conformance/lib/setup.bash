# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What every runner here loads. Order: install and build with the network as it is, then
# `isolate`, then run the foreign suite. Rules that must hold:
# - a foreign suite never runs in the host's mount, UTS, IPC, network or pid namespace: what it
#   mounts, renames, leaves behind or forks ends with the runner;
# - /bin/true and /bin/false run as the runtime too: what they "pass" proves nothing;
# - what differs from runc, or from what the suite wants, is in the file `expected`, each line
#   with its reason; a runner fails when the file and the run disagree.

CONFORMANCE=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)
REPO=$(cd "$CONFORMANCE/.." && pwd)
SUITE=$(cd "${0%/*}" && pwd)
MODULE=$SUITE
BUILD=${SANDLOCK_BUILD:-$REPO/build}
OURS=${RUNTIME:-$BUILD/bin/sandlock-oci}
CACHE=${SANDLOCK_CONFORMANCE_CACHE:-/var/cache/sandlock-oci-conformance}
export LC_ALL=C.UTF-8 GOFLAGS="${GOFLAGS:-} -modcacherw"

# need PACKAGE...: Debian packages; no network is touched when they are there.
need() {
	local p missing=()
	for p in "$@"; do
		[ "$(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null || true)" = installed ] ||
			missing+=("$p")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	local policy=/usr/sbin/policy-rc.d made=
	# Daemons that come along are not started: a runner starts its own.
	[ -e "$policy" ] || { made=1; printf '#!/bin/sh\nexit 101\n' >"$policy"; chmod 755 "$policy"; }
	apt-get -qq update >/dev/null 2>&1 || true
	DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o Dpkg::Use-Pty=0 install \
		--no-install-recommends "${missing[@]}" >"/tmp/conformance-apt.$$" 2>&1 </dev/null ||
		{ cat "/tmp/conformance-apt.$$" >&2; rm -f "/tmp/conformance-apt.$$"; exit 1; }
	rm -f "/tmp/conformance-apt.$$"
	[ -z "$made" ] || rm -f "$policy"
}

# need_go: a Go that is new enough for the suite's go.mod. Debian's may be older; there is no
# package of a newer one, so it has to be there already.
need_go() {
	local wants has
	command -v go >/dev/null || [ ! -x /usr/local/go/bin/go ] || PATH=$PATH:/usr/local/go/bin
	command -v go >/dev/null || need golang-go
	wants=$(sed -n 's/^go //p' "$MODULE/go.mod")
	has=$(GOTOOLCHAIN=local go env GOVERSION | sed 's/^go//')
	if [ "$(printf '%s\n' "$wants" "$has" | sort -V | head -1)" != "$wants" ]; then
		echo "$0: needs Go $wants or newer, and $(command -v go) is $has: put a newer one first on PATH" >&2
		exit 1
	fi
}

# built NAME COMMAND...: runs COMMAND in a fresh directory and keeps the result in $CACHE
# under a name that changes with $MODULE/go.{mod,sum} and the command; sets DIR.
built() {
	local name=$1 key tmp
	shift
	key=$({ cat "$MODULE"/go.mod "$MODULE"/go.sum 2>/dev/null; declare -f "$1"; go version; } |
		sha256sum | cut -c1-12)
	DIR=$CACHE/$name-$key
	[ ! -d "$DIR" ] || return 0
	mkdir -p "$CACHE"
	tmp=$(mktemp -d "$CACHE/$name.XXXXXX")
	if ! "$@" "$tmp"; then
		rm -rf "$tmp"
		echo "$name: could not be built" >&2
		exit 1
	fi
	chmod 755 "$tmp"
	mv -T "$tmp" "$DIR" 2>/dev/null || rm -rf "$tmp"
}

# isolate ARGS...: from here on in namespaces of its own. Called with the script's arguments
# after everything that needs the network.
isolate() {
	if [ -z "${CONFORMANCE_ISOLATED:-}" ]; then
		[ "$(id -u)" -eq 0 ] || { echo "$0: needs root" >&2; exit 1; }
		[ -x "$OURS" ] || { echo "$0: no runtime at $OURS: build first" >&2; exit 1; }
		export CONFORMANCE_ISOLATED=1
		exec unshare --mount --uts --ipc --net --pid --fork --kill-child --mount-proc \
			--propagation private -- "$0" "$@"
	fi
	ip link set lo up
	echo conformance >/proc/sys/kernel/hostname
	mount -t tmpfs -o mode=755 tmpfs /run
	W=$(mktemp -d /tmp/conformance.XXXXXX)
	trap 'leave' EXIT
	cd "$W" || exit 1
}

leave() {
	cd /
	grep -F " $W/" /proc/self/mountinfo | cut -d' ' -f5 | sort -r | while read -r m; do
		umount "$m" 2>/dev/null || umount -l "$m" 2>/dev/null
	done
	rm -rf "$W"
}

# wrapper NAME PROGRAM ARGS...: a program of that name that starts PROGRAM with the
# arguments before its own.
wrapper() {
	local name=$1
	shift
	mkdir -p "$W/bin"
	{
		echo '#!/bin/sh'
		printf 'exec'
		printf " '%s'" "$@"
		echo ' "$@"'
	} >"$W/bin/$name"
	chmod 755 "$W/bin/$name"
}

# verdict_table FILE [EXPECTED]: compares lines "case<TAB>runtime<TAB>verdict" with a file of the
# suite's directory. With PARTIAL, what did not run was not asked for.
verdict_table() {
	"$CONFORMANCE/lib/compare.py" "$SUITE/${2:-expected}" "$1" "${PARTIAL:-}"
}
