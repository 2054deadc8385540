#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Each file of packaging/dropins is read by the program that it is for. docker's is in tests/engines.

setup() {
	REPO=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	BUILD=${SANDLOCK_BUILD:-$REPO/build}
	DROPINS=$REPO/packaging/dropins
	T=$BATS_TEST_TMPDIR
}

# configured NAME: the file with the directory of the build in the place of where it is installed.
configured() {
	sed "s|@[A-Z]*DIR@|$BUILD/bin|" "$DROPINS/$1.in" >"$T/$1"
}

@test "containerd 1" {
	containerd --config "$DROPINS/containerd-1.toml" config dump >"$T/dump"
	grep -qF 'containerd.runtimes.runc]' "$T/dump"
	grep -A12 -F 'containerd.runtimes.sandlock]' "$T/dump" >"$T/handler"
	grep -qF 'runtime_type = "io.containerd.sandlock.v1"' "$T/handler"
	grep -qF 'container_annotations = ["io.sandlock.*"]' "$T/handler"
	grep -qF 'pod_annotations = ["io.sandlock.*"]' "$T/handler"
	# Why the entry of runc is there: without it the built-in one is gone.
	sed '/runtimes.runc\]/,/^$/d' "$DROPINS/containerd-1.toml" >"$T/without.toml"
	containerd --config "$T/without.toml" config dump >"$T/dump"
	grep -qF 'containerd.runtimes.sandlock]' "$T/dump"
	! grep -qF 'containerd.runtimes.runc]' "$T/dump" || false
}

# A containerd 2 is not among Debian 12's packages: its file says what that of version 1 says.
@test "the handler of containerd 2 is that of containerd 1" {
	python3 - "$DROPINS/containerd-1.toml" "$DROPINS/containerd-2.toml" <<-'END'
		import sys, tomllib
		one, two = (tomllib.load(open(path, "rb")) for path in sys.argv[1:])
		assert (one["version"], two["version"]) == (2, 3)
		one = one["plugins"]["io.containerd.grpc.v1.cri"]["containerd"]["runtimes"]
		two = two["plugins"]["io.containerd.cri.v1.runtime"]["containerd"]["runtimes"]
		assert list(two) == ["sandlock"]
		assert one["sandlock"] == two["sandlock"]
	END
}

@test "podman" {
	configured podman.conf
	podman() {
		command podman --storage-driver vfs --root "$T/store" --runroot "$T/run" --runtime sandlock info --format '{{.Host.OCIRuntime.Path}}'
	}
	[ "$(CONTAINERS_CONF=$T/podman.conf podman)" = "$BUILD/bin/sandlock-oci" ]
	# The control: nothing else on this machine has the name.
	: >"$T/empty.conf"
	! CONTAINERS_CONF=$T/empty.conf podman || false
}

# CRI-O's own rules, as its documentation has them: a path for each handler, which of type vm ends in
# containerd-shim-NAME-v2; allowed_annotations with a name that is not CRI-O's is an error.
@test "CRI-O" {
	configured crio.conf
	python3 - "$T/crio.conf" <<-'END'
		import os, re, sys, tomllib
		handlers = tomllib.load(open(sys.argv[1], "rb"))["crio"]["runtime"]["runtimes"]
		assert set(handlers) == {"sandlock", "sandlock-vm"}
		for handler in handlers.values():
		    assert os.access(handler["runtime_path"], os.X_OK)
		    assert handler["runtime_type"] in ("oci", "vm")
		    assert set(handler) <= {"runtime_path", "runtime_type", "runtime_root"}
		assert re.search(r"/containerd-shim-\w+-v2$", handlers["sandlock-vm"]["runtime_path"])
	END
}

@test "systemd" {
	local root
	root=$("$REPO/tests/images/programs")/rootfs
	mkdir -p "$T/units/containerd.service.d"
	printf '[Service]\nExecStart=/bin/true\n' >"$T/units/containerd.service"
	verify() {
		unshare -m --propagation private sh -c 'mount --bind "$1" "$2/mnt" && mount -t tmpfs tmpfs "$2/run" &&
			exec chroot "$2" env SYSTEMD_UNIT_PATH=/mnt: systemd-analyze verify containerd.service' - "$T/units" "$root" 2>&1
	}
	cp "$DROPINS/service.conf" "$T/units/containerd.service.d/50-sandlock.conf"
	verify >"$T/out" || { cat "$T/out"; false; }
	! grep -i 50-sandlock "$T/out" || false
	# The control: a mistake in it is found.
	sed -i 's/TasksMax/TaskMax/' "$T/units/containerd.service.d/50-sandlock.conf"
	verify >"$T/out" || true
	grep -q "50-sandlock.*TaskMax" "$T/out"
}

@test "the RuntimeClass names the handler of containerd and CRI-O" {
	python3 - "$DROPINS/runtimeclass.yaml" <<-'END'
		import sys, yaml
		c = yaml.safe_load(open(sys.argv[1]))
		assert (c["apiVersion"], c["kind"], c["handler"]) == ("node.k8s.io/v1", "RuntimeClass", "sandlock")
		assert set(c) == {"apiVersion", "kind", "metadata", "handler", "overhead", "scheduling"}
		assert set(c["overhead"]["podFixed"]) == {"cpu", "memory"}
	END
	grep -q 'runtimes.sandlock\]' "$DROPINS/containerd-1.toml" "$DROPINS/containerd-2.toml" "$DROPINS/crio.conf.in"
}
