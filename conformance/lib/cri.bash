# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# CONTAINERD_DIR has another containerd than the package's.
#
# A containerd of the runner's own with its CRI plugin on: one runtime handler for each runtime,
# images made from Debian's busybox-static and imported, pods' networks by the Debian package of
# the CNI plugins. Nothing is pulled.

MODULE=$CONFORMANCE/lib/cri
TOOLS=sigs.k8s.io/cri-tools
PAUSE=localhost/pause:latest
IMAGE=localhost/busybox:latest

build_cri_tools() {
	(
		cd "$MODULE" &&
			CGO_ENABLED=0 go build -o "$1/crictl" $TOOLS/cmd/crictl &&
			CGO_ENABLED=0 go build -o "$1/nnp" ./nnp &&
			CGO_ENABLED=0 go test -c -o "$1/critest" $TOOLS/cmd/critest &&
			cri_image_names "$(go list -m -f '{{.Dir}}' $TOOLS)/pkg" "$(go env GOARCH)" >"$1/images"
	)
}

# The names of critest's own images, out of its source: it creates containers from them by
# these names, whatever registry it is told to pull from.
cri_image_names() {
	local host base
	host=$(sed -n 's/.*DefaultRegistryPrefix = "\(.*\)"/\1/p' "$1/framework/test_context.go")
	grep -rhoE 'E2ETestImagesPrefix \+ "[a-z]+:[^"]+' "$1/validate" | cut -d'"' -f2 | sort -u |
		sed "s|^|$host/e2e-test-images/|"
	base=$(sed -n 's/^\tregistry *= "\(.*\)"/\1/p' "$1/validate/consts.go")
	echo "${base}hostnet-nginx-$2:latest"
}

cri_needs() {
	need busybox-static runc iproute2 python3 jq containerd containernetworking-plugins iptables \
		nginx-light apache2-bin procps util-linux
	need_go
	built cri-tools build_cri_tools
}

# program ROOT FILE...: a program of this machine's Debian packages, with its libraries.
program() {
	local root=$1 file
	shift
	for file in "$@"; do
		rm -f "$root$file"
		cp -L --parents "$file" $(ldd "$file" 2>/dev/null | grep -o '/[^ ]*') "$root/"
	done
}

# The root of all images: busybox, and real programs where a suite looks at what they do.
cri_root() {
	local modules=/usr/lib/apache2/modules
	"$REPO/tests/images/busybox" "$1"
	rm -f "$1/bin/pgrep"
	mkdir -p "$1/www" "$1/var/run" "$1/var/log/nginx" "$1/var/lib/nginx"
	program "$1" /usr/bin/pgrep /usr/bin/ipcs /usr/bin/ipcmk /usr/sbin/nginx /usr/sbin/apache2 \
		$modules/mod_mpm_event.so $modules/mod_authz_core.so $modules/mod_dir.so
	echo hi >"$1/www/index.html"
	cat >"$1/etc/nginx.conf" <<-'END'
		user nobody nogroup;
		pid /var/run/nginx.pid;
		error_log stderr;
		events { }
		http { access_log off; server { listen PORT; root /www; } }
	END
	cat >"$1/etc/httpd.conf" <<-END
		LoadModule mpm_event_module $modules/mod_mpm_event.so
		LoadModule authz_core_module $modules/mod_authz_core.so
		LoadModule dir_module $modules/mod_dir.so
		DirectoryIndex index.html
		ServerName localhost
		Listen 80
		PidFile /var/run/httpd.pid
		ErrorLog /dev/stderr
		DocumentRoot /www
	END
	cp "$DIR/nnp" "$1/nnp"
	chmod 4755 "$1/nnp"
}

# What a container of theirs does when it is given no command.
cri_nginx() {
	echo "sed s/PORT/$1/ /etc/nginx.conf >/var/run/nginx.conf; exec nginx -c /var/run/nginx.conf -e stderr -g 'daemon off;'"
}
CRI_HTTPD='exec -a httpd /usr/sbin/apache2 -D FOREGROUND -f /etc/httpd.conf'

# cri_archive FILE NAME PROGRAM...: an image of the busybox root.
cri_archive() {
	[ -d "$W/root" ] || cri_root "$W/root"
	"$REPO/tests/images/oci-archive" "$W/root" "$@"
}

# cri_image NAME PROGRAM...: imports one under that name.
cri_image() {
	cri_archive "$W/image.tar" "$@"
	ctr --address "$W/sock" -n k8s.io image import "$W/image.tar" >/dev/null
	rm -f "$W/image.tar"
}

handler() {
	cat <<-END
		[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.$1]
		runtime_type = "io.containerd.runc.v2"
		pod_annotations = ["io.sandlock.*"]
		container_annotations = ["io.sandlock.*"]
		[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.$1.options]
		BinaryName = "$2"
		Root = "$W/rr-$1"
	END
}

# shim_handler NAME LINE...: our own shim, without a program of the command line.
shim_handler() {
	echo "[plugins.\"io.containerd.grpc.v1.cri\".containerd.runtimes.$1]"
	shift
	printf '%s\n' 'runtime_type = "io.containerd.sandlock.v1"' 'pod_annotations = ["io.sandlock.*"]' \
		'container_annotations = ["io.sandlock.*"]' "$@"
}

# cri_start [HANDLER]: containerd up, images in; `crictl` and `critest` talk to it. HANDLER is what a
# pod gets that asks for none.
cri_start() {
	mkdir -p "$W/cni" "$W/opt"
	echo 'timeout: 50' >"$W/crictl.yaml"
	cat >"$W/cni/10-net.conflist" <<-END
		{"cniVersion": "0.4.0", "name": "net", "plugins": [
			{"type": "bridge", "bridge": "cni0", "isGateway": true, "promiscMode": true,
			 "ipam": {"type": "host-local", "dataDir": "$W/ipam",
			  "ranges": [[{"subnet": "10.88.0.0/16"}]], "routes": [{"dst": "0.0.0.0/0"}]}},
			{"type": "portmap", "capabilities": {"portMappings": true}}
		]}
	END
	{
		cat <<-END
			version = 2
			root = "$W/root-containerd"
			state = "$W/state-containerd"
			disabled_plugins = ["io.containerd.internal.v1.opt", "io.containerd.internal.v1.tracing",
				"io.containerd.tracing.processor.v1.otlp"]
			[grpc]
			address = "$W/sock"
			[plugins."io.containerd.grpc.v1.cri"]
			sandbox_image = "$PAUSE"
			restrict_oom_score_adj = true
			disable_apparmor = true
			[plugins."io.containerd.grpc.v1.cri".cni]
			bin_dir = "/usr/lib/cni"
			conf_dir = "$W/cni"
			[plugins."io.containerd.grpc.v1.cri".containerd]
			default_runtime_name = "${1:-runc}"
			snapshotter = "overlayfs"
		END
		handler runc "$(command -v runc)"
		handler ours "$W/bin/ours"
		handler namespace "$W/bin/namespace"
		shim_handler shim "options = { ConfigPath = \"$W/node.json\" }"
		# Without a pause container: containerd 2 and later, by CONTAINERD_DIR. It takes no options
		# for it before 2.3 (containerd issue 12986).
		shim_handler pod 'sandboxer = "shim"'
		handler true /bin/true
		handler false /bin/false
	} >"$W/containerd.toml"
	echo '{}' >"$W/node.json"
	wrapper ours "$OURS" --config "$W/node.json"
	echo '{"rootfs": {"mode": "namespace"}}' >"$W/namespace.json"
	wrapper namespace "$OURS" --config "$W/namespace.json"
	cri_up || return
	cri_image "$PAUSE" sh -c 'trap exit TERM; while :; do sleep 3600 & wait $!; done'
	cri_image "$IMAGE" sh
}

# cri_up: containerd runs, and answers.
cri_up() {
	local i
	PATH="$BUILD/bin:${CONTAINERD_DIR:+$CONTAINERD_DIR:}$PATH" containerd --config "$W/containerd.toml" >>"$W/containerd.log" 2>&1 </dev/null &
	echo $! >"$W/containerd.pid"
	for i in $(seq 300); do
		crictl info >/dev/null 2>&1 && return 0
		sleep 0.1
	done
	tail -20 "$W/containerd.log" >&2
	return 1
}

crictl() {
	timeout -k 5 60 "$DIR/crictl" --config "$W/crictl.yaml" --timeout 50s --runtime-endpoint "unix://$W/sock" \
		--image-endpoint "unix://$W/sock" "$@"
}

# ended PID: waits for that, not without a limit: a thread may be held up in the kernel.
ended() {
	local i
	for i in $(seq 200); do
		kill -0 "$1" 2>/dev/null || return 0
		sleep 0.05
	done
}

# cri_stop: everything of it ends with the namespace at the latest.
cri_stop() {
	local pid
	crictl rmp -fa >/dev/null 2>&1
	pid=$(cat "$W/containerd.pid")
	kill "$pid"
	ended "$pid"
	find /sys/fs/cgroup -depth -type d -path '*/k8s.io/*' -exec rmdir {} + 2>/dev/null
}
