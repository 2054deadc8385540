# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What the two files about podman share: its configuration, and the wrapper by which our runtime
# gets the node's.

stay() {
	exec sleep 3600
}

# podman_conf OPTION...: containers.conf and the programs `ours` and `pod`; the options are podman's.
podman_conf() {
	mkdir -p "$E/bin"
	node_json
	printf '#!/bin/sh\nexec "%s/sandlock-oci" --config "%s/node.json" "$@"\n' "$E" "$E" >"$E/bin/ours"
	printf '#!/bin/sh\nexec podman %s --runtime "$R" "$@"\n' "$*" >"$E/bin/pod"
	chmod 755 "$E"/bin/*
	cat >"$E/containers.conf" <<-END
		[containers]
		log_driver = "k8s-file"
		[network]
		network_backend = "cni"
		cni_plugin_dirs = ["/usr/lib/cni"]
		[engine]
		cgroup_manager = "cgroupfs"
		events_logger = "file"
		image_default_transport = "containers-storage:"
		init_path = "/usr/bin/catatonit"
		runtime_supports_json = ["ours", "runc"]
		runtime_supports_nocgroups = ["ours", "runc"]
		[engine.runtimes]
		ours = ["$E/bin/ours"]
		runc = ["$(command -v runc)"]
	END
	export CONTAINERS_CONF=$E/containers.conf PATH=$E/bin:$PATH
}

# build DIR: an image by the runtime of the case, and what its commands have left in it.
script_start+='
build() {
	mkdir -p "$1"; cd "$1"; echo copied >f
	printf "FROM localhost/bb\nCOPY f /f\nRUN cat /f >/g && id -u 1>&2\nUSER 1000\nRUN id -u >/tmp/u\n" >Dockerfile
	pod build -q --runtime "$([ $R = runc ] && command -v runc || echo $R)" -t built.$R . >/dev/null
	pod run --rm localhost/built.$R cat /g /tmp/u
	rm -r "$1"
}
'
