# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# The HTTP proxy beside nginx as a reverse proxy (proxy_pass, connections to the server kept, its
# certificate verified), which is in the column "bare": processor time of the proxy alone for each
# request, and what a client sees. Server, client and proxies take the processors as they come; the
# proxies take turns.

HTTP_PORT=17100
declare -A HTTP_FILE=([1k]=1024 [1m]=1048576)

http_pki() {
	local key=(-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes)
	openssl req -x509 "${key[@]}" -keyout "$WORK/ca.key" -out "$WORK/ca.pem" -subj /CN=bench -days 2
	openssl req "${key[@]}" -keyout "$WORK/srv.key" -out "$WORK/srv.csr" -subj /CN=bench
	openssl x509 -req -in "$WORK/srv.csr" -CA "$WORK/ca.pem" -CAkey "$WORK/ca.key" -CAcreateserial \
		-extfile <(echo subjectAltName=IP:127.0.0.2,DNS:bench) -out "$WORK/srv.pem" -days 2
} 2>/dev/null

# http_nginx NAME TEXT: one process; HTTP_PID.
http_nginx() {
	local dir=$WORK/nginx-$1
	mkdir "$dir"
	cat >"$dir/conf" <<END
worker_processes 1; daemon off; master_process off; pid $dir/pid; error_log $dir/log;
events { worker_connections 1024; }
http {
	access_log off; keepalive_requests 1000000000;
	client_body_temp_path $dir/1; proxy_temp_path $dir/2; fastcgi_temp_path $dir/3;
	uwsgi_temp_path $dir/4; scgi_temp_path $dir/5;
	ssl_certificate $WORK/srv.pem; ssl_certificate_key $WORK/srv.key;
	$2
}
END
	nginx -p "$dir" -c "$dir/conf" >/dev/null 2>&1 &
	HTTP_PID=$!
	remember_pid $!
	disown $!
}

http_servers() {
	local size
	mkdir "$WORK/www"
	for size in "${!HTTP_FILE[@]}"; do
		head -c "${HTTP_FILE[$size]}" /dev/zero >"$WORK/www/$size"
	done
	http_nginx server "root $WORK/www; server { listen 127.0.0.2:$HTTP_PORT; }
		server { listen 127.0.0.2:$((HTTP_PORT + 1)) ssl; }"
	http_nginx proxy "proxy_http_version 1.1; proxy_set_header Connection ''; proxy_buffering on;
		proxy_ssl_verify on; proxy_ssl_trusted_certificate $WORK/ca.pem; proxy_ssl_name bench;
		upstream plain { server 127.0.0.2:$HTTP_PORT; keepalive 64; }
		upstream tls { server 127.0.0.2:$((HTTP_PORT + 1)); keepalive 64; }
		server { listen 127.0.0.3:$HTTP_PORT; location / { proxy_pass http://plain; } }
		server { listen 127.0.0.3:$((HTTP_PORT + 1)) ssl; location / { proxy_pass https://tls; } }"
	HTTP_NGINX=$HTTP_PID
}

# The container holds the client: this machine's programs, and nothing else.
http_container() {
	local dir=$WORK/http-ours
	mkdir -p "$dir/rootfs/usr" "$dir/rootfs/proc" "$dir/rootfs/dev" "$dir/rootfs/sys" "$dir/rootfs/tmp" "$dir/rootfs/etc"
	cp "$WORK/ca.pem" "$dir/rootfs/etc/bundle"
	ln -s usr/lib usr/lib64 usr/bin usr/sbin "$dir/rootfs/"
	jq -n --arg ca "$WORK/ca.pem" '{network: {localRules: "allow"}, http: {caBundle: $ca}}' >"$WORK/node.json"
	make_config "$dir" ".process.args = [\"sleep\", \"inf\"] | .process.rlimits = [] |
		.linux.namespaces |= map(select(.type != \"network\")) |
		.mounts += [{destination: \"/usr\", type: \"bind\", source: \"/usr\", options: [\"rbind\", \"ro\"]}] |
		.annotations = {\"io.sandlock.http.allow\": \"GET 127.0.0.2/*\",
			\"io.sandlock.http.ports\": \"$HTTP_PORT,$((HTTP_PORT + 1))\",
			\"io.sandlock.config.http_inject_ca\": \"/etc/bundle\"}"
	rt ours run --detach --pid-file "$WORK/http.pid" --bundle "$dir" http >/dev/null 2>"$WORK/http.err" </dev/null ||
		{ cat "$WORK/http.err" >&2; return 1; }
	HTTP_OURS=$(pgrep -P "$(cat "$WORK/http.pid")" -f 'sandlock:\[proxy\]')
}

http_ticks() {
	awk '{ print $14 + $15 }' "/proc/$1/stat"
}

# http_round NAME KIND SIZE REQUESTS: adds microseconds of processor time and the client's latencies.
http_round() {
	local name=$1 kind=$2 size=$3 n=$4 pid=$HTTP_NGINX host=127.0.0.3 port=$HTTP_PORT scheme=http
	local before client=()
	[ "$kind" = http ] || { scheme=https; port=$((port + 1)); }
	if [ "$name" = ours ]; then
		pid=$HTTP_OURS host=127.0.0.2
		client=(rt ours exec http)
	fi
	before=$(http_ticks "$pid")
	"${client[@]}" h2load --h1 -n "$n" -c 8 "$scheme://$host:$port/$size" >"$WORK/h2load"
	grep -q "status codes: $n 2xx" "$WORK/h2load" ||
		{ echo "bench: $name $kind $size: $(cat "$WORK/h2load")" >&2; return 1; }
	add_figure "http-$kind-$size-cpu.$name" \
		"$(awk -v t=$(($(http_ticks "$pid") - before)) -v n="$n" -v hz="$(getconf CLK_TCK)" \
			'BEGIN { print t * 1e6 / hz / n }')"
	add_figure "http-$kind-$size-rate.$name" "$(sed -n 's/^finished in .*, \([0-9.]*\) req.*/\1/p' "$WORK/h2load")"
}

bench_http() {
	local round kind size n i
	local -a names=(bare ours)
	http_pki
	http_servers
	http_container
	sleep 0.5
	for ((round = 0; round < ROUNDS; round++)); do
		for kind in http https; do
			for size in 1k 1m; do
				n=20000
				[ "$size" = 1k ] || n=600
				[ -z "$SMOKE" ] || n=100
				for i in 0 1; do
					http_round "${names[$(((round + i) % 2))]}" "$kind" "$size" "$n"
				done
			done
		done
	done
	for kind in http https; do
		for size in 1k 1m; do
			row_of "$kind $size, CPU of the proxy (bare: nginx)" us "/bare 1.43" "http-$kind-$size-cpu"
			row_of "$kind $size, one client of 8 connections" "1/s" "/bare 0.7" "http-$kind-$size-rate"
		done
	done
	say "the HTTP proxy holds $(awk '/^RssAnon/ { print $2 }' "/proc/$HTTP_OURS/status") KiB of its own after $(((SMOKE ? 100 : 41200) * ROUNDS)) requests"
	rt ours delete --force http >/dev/null 2>&1
}
