#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# packaging/install and packaging/uninstall, in a directory that stands for a machine's root. tests/fresh runs
# containers with what they install.

setup() {
	REPO=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	BUILD=${SANDLOCK_BUILD:-$REPO/build}
	D=$BATS_TEST_TMPDIR/machine
	OUT=$BATS_TEST_TMPDIR/out
	mkdir -p "$D/usr/local/bin" "$D/etc/containers"
	echo "somebody's" >"$D/usr/local/bin/other"
	tree >"$BATS_TEST_TMPDIR/before"
}

install() {
	"$REPO/packaging/install" --build "$BUILD" --destdir "$D" >"$OUT" 2>&1
}

uninstall() {
	"$REPO/packaging/uninstall" --destdir "$D" >"$OUT" 2>&1
}

# Names, kinds, modes, targets of links and contents.
tree() {
	(cd "$D" && find . -printf '%p %y %m %l\n' | sort && find . -type f -exec sha256sum {} + | sort)
}

same_tree() {
	tree | diff "$1" - || { cat "$OUT"; return 1; }
}

@test "what was installed is taken back, and nothing else" {
	install
	for f in sbin/sandlock-oci bin/containerd-shim-sandlock-v1 bin/containerd-shim-sandlock-v2 libexec/sandlock-oci/sandlock-proxy; do
		[ -x "$D/usr/local/$f" ]
	done
	for f in crio/crio.conf.d containers/containers.conf.d systemd/system/containerd.service.d systemd/system/crio.service.d; do
		[ -s "$D/etc/$f/50-sandlock.conf" ]
	done
	"$D/usr/local/sbin/sandlock-oci" --version
	uninstall
	same_tree "$BATS_TEST_TMPDIR/before"
}

@test "a second run changes nothing, and there is nothing to take back twice" {
	install
	tree >"$BATS_TEST_TMPDIR/first"
	install
	same_tree "$BATS_TEST_TMPDIR/first"
	uninstall
	uninstall
	grep -q "nothing to do" "$OUT"
	same_tree "$BATS_TEST_TMPDIR/before"
}

@test "a file of somebody else is not replaced, and nothing is installed beside it" {
	mkdir -p "$D/usr/local/sbin"
	echo mine >"$D/usr/local/sbin/sandlock-oci"
	ln -s /nowhere "$D/usr/local/bin/containerd-shim-sandlock-v2"
	tree >"$BATS_TEST_TMPDIR/before"
	! install || false
	grep -q "/usr/local/sbin/sandlock-oci" "$OUT"
	grep -q "/usr/local/bin/containerd-shim-sandlock-v2" "$OUT"
	same_tree "$BATS_TEST_TMPDIR/before"
	# The control: without them it installs.
	rm "$D/usr/local/sbin/sandlock-oci" "$D/usr/local/bin/containerd-shim-sandlock-v2"
	install
}

@test "what was changed below /etc stays, also without the rest" {
	install
	conf=$D/etc/crio/crio.conf.d/50-sandlock.conf
	echo '# mine' >>"$conf"
	cp "$conf" "$BATS_TEST_TMPDIR/conf"
	install
	grep -q "kept.*crio.conf.d/50-sandlock.conf" "$OUT"
	cmp "$conf" "$BATS_TEST_TMPDIR/conf"
	uninstall
	grep -q "kept.*crio.conf.d/50-sandlock.conf" "$OUT"
	cmp "$conf" "$BATS_TEST_TMPDIR/conf"
	rm -r "$D/etc/crio"
	same_tree "$BATS_TEST_TMPDIR/before"
}

@test "a program that was replaced since is somebody else's" {
	install
	echo mine >"$D/usr/local/sbin/sandlock-oci"
	tree >"$BATS_TEST_TMPDIR/replaced"
	! install || false
	grep -q "/usr/local/sbin/sandlock-oci" "$OUT"
	same_tree "$BATS_TEST_TMPDIR/replaced"
	uninstall
	[ "$(cat "$D/usr/local/sbin/sandlock-oci")" = mine ]
}

@test "an older version's files that are no more go with the next one" {
	install
	old=/usr/local/share/old/file
	mkdir -p "$D${old%/*}"
	echo old >"$D$old"
	printf 'file %s %s\ndir - %s\n' "$(sha256sum <"$D$old" | cut -d' ' -f1)" "$old" "${old%/*}" >>"$D/usr/local/share/sandlock-oci/installed"
	install
	[ ! -e "$D$old" ]
	uninstall
	same_tree "$BATS_TEST_TMPDIR/before"
}

@test "an installation that was interrupted is taken back as well" {
	install
	record=$D/usr/local/share/sandlock-oci/installed
	cp "$record" "$BATS_TEST_TMPDIR/record"
	rm "$D/usr/local/sbin/sandlock-oci" "$D/etc/crio/crio.conf.d/50-sandlock.conf"
	# As the record is while files are copied: with a line of an older version.
	sed -i 's|^file [0-9a-f]* \(/usr/local/bin/.*\)|&\nfile 00 \1|' "$record"
	uninstall
	same_tree "$BATS_TEST_TMPDIR/before"
}
