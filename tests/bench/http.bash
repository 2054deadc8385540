# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# The HTTP proxy beside nginx as a reverse proxy (proxy_pass, connections to the server kept, its
# certificate verified), which is in the column "bare", and beside mitmproxy where it is installed.
# Processor time of the proxy alone for each request is what the kernel's scheduler has counted for
# its threads; latencies are of h2load's log, each request. Server, client and proxies take the
# processors as they come; the proxies take turns.
#
# What a connection and a request cost is measured by one client without others, in the container:
# through the proxy, and by a port that is not intercepted.

HTTP_PORT=17100
HTTP_DIRECT=$((HTTP_PORT + 2))
HTTP_REQUESTS=0
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
		server { listen 127.0.0.2:$((HTTP_PORT + 1)) ssl; }
		server { listen 127.0.0.2:$HTTP_DIRECT; } server { listen 127.0.0.2:$((HTTP_DIRECT + 1)) ssl; }"
	http_nginx proxy "proxy_http_version 1.1; proxy_set_header Connection ''; proxy_buffering on;
		proxy_ssl_verify on; proxy_ssl_trusted_certificate $WORK/ca.pem; proxy_ssl_name bench;
		upstream plain { server 127.0.0.2:$HTTP_PORT; keepalive 64; }
		upstream tls { server 127.0.0.2:$((HTTP_PORT + 1)); keepalive 64; }
		server { listen 127.0.0.3:$HTTP_PORT; location / { proxy_pass http://plain; } }
		server { listen 127.0.0.3:$((HTTP_PORT + 1)) ssl; location / { proxy_pass https://tls; } }"
	HTTP_NGINX=$HTTP_PID
}

# http_mitmproxy SCHEME PORT: a reverse proxy on 127.0.0.4; HTTP_PID.
http_mitmproxy() {
	mitmdump --quiet --mode "reverse:$1://127.0.0.2:$2" --listen-host 127.0.0.4 --listen-port "$2" \
		--set confdir="$WORK/mitmproxy" --set ssl_verify_upstream_trusted_ca="$WORK/ca.pem" \
		>/dev/null 2>"$WORK/mitmproxy.err" </dev/null &
	HTTP_PID=$!
	remember_pid $!
	disown $!
}

# Sets HTTP_NAMES, the proxies; what it does not find it says.
http_mitmproxies() {
	local i
	HTTP_NAMES=(bare ours)
	command -v mitmdump >/dev/null || {
		say "mitmproxy is not installed, so it is not in the table"
		return 0
	}
	http_mitmproxy http "$HTTP_PORT"
	HTTP_MITM_http=$HTTP_PID
	http_mitmproxy https "$((HTTP_PORT + 1))"
	HTTP_MITM_https=$HTTP_PID
	for i in $(seq 300); do
		curl -sk -o "$WORK/out" "http://127.0.0.4:$HTTP_PORT/1k" &&
			curl -sk -o "$WORK/out" "https://127.0.0.4:$((HTTP_PORT + 1))/1k" && break
		sleep 0.1
	done
	HTTP_NAMES+=(mitm)
}

# The container holds the client: this machine's programs, and nothing else.
http_container() {
	local dir=$WORK/http-ours
	mkdir -p "$dir"/rootfs/{usr,proc,dev,sys,tmp,etc,mnt}
	cp "$WORK/ca.pem" "$dir/rootfs/etc/bundle"
	ln -s usr/lib usr/lib64 usr/bin usr/sbin "$dir/rootfs/"
	jq -n --arg ca "$WORK/ca.pem" '{network: {localRules: "allow"}, http: {caBundle: $ca}}' >"$WORK/node.json"
	make_config "$dir" ".process.args = [\"sleep\", \"inf\"] | .process.rlimits = [] | .root.readonly = false |
		.linux.namespaces |= map(select(.type != \"network\")) |
		.mounts += [[\"/usr\", \"/usr\"], [\"/mnt\", \"$TOOLS\"] |
			{destination: .[0], type: \"bind\", source: .[1], options: [\"rbind\", \"ro\"]}] |
		.annotations = {\"io.sandlock.http.allow\": \"GET 127.0.0.2/*\",
			\"io.sandlock.network.allow\": \"tcp://127.0.0.2:$HTTP_DIRECT,$((HTTP_DIRECT + 1))\",
			\"io.sandlock.http.ports\": \"$HTTP_PORT,$((HTTP_PORT + 1))\",
			\"io.sandlock.config.http_inject_ca\": \"/etc/bundle\"}"
	rt ours run --detach --pid-file "$WORK/http.pid" --bundle "$dir" http >/dev/null 2>"$WORK/http.err" </dev/null ||
		{
			cat "$WORK/http.err" >&2
			return 1
		}
	HTTP_OURS=$(pgrep -P "$(cat "$WORK/http.pid")" -f 'sandlock:\[proxy\]')
}

# http_cpu PID: nanoseconds of processor time of all of its threads.
http_cpu() {
	cat /proc/"$1"/task/*/schedstat | awk '{ n += $1 } END { printf "%.0f", n }'
}

# http_private PID: KiB of memory that only this process has.
http_private() {
	awk '/^Private/ { n += $2 } END { print n }' "/proc/$1/smaps_rollup"
}

# http_load N CLIENTS URL [PREFIX...]: requests; $WORK/latencies has the microseconds of each.
http_load() {
	local n=$1 clients=$2 url=$3 log=$WORK/http-ours/rootfs/tmp/log inside=$WORK/http-ours/rootfs/tmp/log
	shift 3
	[ $# -eq 0 ] || inside=/tmp/log
	rm -f "$log"
	"$@" h2load --h1 -n "$n" -c "$clients" --log-file="$inside" "$url" >"$WORK/h2load"
	grep -q "status codes: $n 2xx" "$WORK/h2load" || {
		echo "bench: $url: $(cat "$WORK/h2load")" >&2
		return 1
	}
	cut -f3 "$log" | sort -n >"$WORK/latencies"
}

# http_percentile P: of the latencies.
http_percentile() {
	awk -v p="$1" '{ v[NR] = $1 } END { print v[int((NR - 1) * p / 100) + 1] }' "$WORK/latencies"
}

# http_round NAME KIND SIZE REQUESTS: adds microseconds of processor time and the client's latencies.
http_round() {
	local name=$1 kind=$2 size=$3 n=$4 pid=$HTTP_NGINX host=127.0.0.3 port=$HTTP_PORT what=http-$2-$3
	local before mitm=HTTP_MITM_$kind client=()
	[ "$kind" = http ] || port=$((port + 1))
	case $name in
	ours)
		pid=$HTTP_OURS host=127.0.0.2 client=(rt ours exec http)
		HTTP_REQUESTS=$((HTTP_REQUESTS + n))
		;;
	mitm)
		pid=${!mitm} host=127.0.0.4 n=$((n > 600 ? n / 20 : 30))
		;;
	esac
	before=$(http_cpu "$pid")
	http_load "$n" 8 "$kind://$host:$port/$size" "${client[@]}"
	add_figure "$what-cpu.$name" "$(awk -v t=$(($(http_cpu "$pid") - before)) -v n="$n" 'BEGIN { print t / 1e3 / n }')"
	add_figure "$what-rate.$name" "$(sed -n 's/^finished in .*, \([0-9.]*\) req.*/\1/p' "$WORK/h2load")"
	add_figure "$what-p50.$name" "$(http_percentile 50)"
	add_figure "$what-p99.$name" "$(http_percentile 99)"
}

# http_added N: what the proxy adds to a request and to a connection of one client.
http_added() {
	local kind name port figures
	for kind in http https; do
		for name in direct ours; do
			port=$HTTP_PORT
			[ $name = ours ] || port=$HTTP_DIRECT
			[ $kind = http ] || port=$((port + 1))
			http_load "$1" 1 "$kind://127.0.0.2:$port/1k" rt ours exec http
			add_figure "http-$kind-one.$name" "$(http_percentile 50)"
			[ $kind = http ] || continue
			read -r -a figures < <(rt ours exec http /mnt/connect_time 127.0.0.2 $port /1k $(($1 / 4)))
			add_figure "http-connect.$name" "${figures[0]}"
		done
	done
}

# http_rows KIND SIZE
http_rows() {
	local what=http-$1-$2 name
	row_of "$1 $2, CPU of the proxy (bare: nginx)" us "/bare 1.43" "$what-cpu"
	row_of "$1 $2, p50 of 8 connections" us - "$what-p50"
	row_of "$1 $2, p99 of 8 connections" us "/bare 3" "$what-p99"
	row_of "$1 $2, one client of 8 connections" "1/s" "/bare 0.7" "$what-rate"
	[ ${#HTTP_NAMES[@]} -eq 3 ] || return 0
	for name in cpu p99; do
		cp "$WORK/figures/$what-$name.mitm" "$WORK/figures/$what-$name-mitm.bare"
		cp "$WORK/figures/$what-$name.ours" "$WORK/figures/$what-$name-mitm.ours"
	done
	row_of "$1 $2, CPU of the proxy (bare: mitmproxy)" us "/bare 0.1" "$what-cpu-mitm"
	row_of "$1 $2, p99 (bare: mitmproxy)" us - "$what-p99-mitm"
}

http_table() {
	local kind size
	for kind in http https; do
		for size in 1k 1m; do
			http_rows $kind $size
		done
	done
	for kind in http-one https-one connect; do
		mv "$WORK/figures/http-$kind.direct" "$WORK/figures/http-$kind.bare"
	done
	row_of "http 1k, one at a time (bare: no proxy)" us - http-http-one
	row_of "https 1k, one at a time (bare: no proxy)" us - http-https-one
	row_of "a new connection (bare: no proxy)" us - http-connect
	say "the HTTP proxy adds $(http_more http-one) us to a request without TLS and $(http_more https-one) us with it (aim: 150)," \
		"and $(http_more connect) us to a new connection (aim: 60)"
}

# http_more WHAT: the difference of two medians.
http_more() {
	minus "$(figure "http-$1.ours")" "$(figure "http-$1.bare")"
}

bench_http() {
	local round kind size n i idle
	http_pki
	http_servers
	http_mitmproxies
	http_container
	sleep 0.5
	idle=$(http_private "$HTTP_OURS")
	for ((round = 0; round < ROUNDS; round++)); do
		for kind in http https; do
			for size in 1k 1m; do
				n=20000
				[ "$size" = 1k ] || n=600
				[ -z "$SMOKE" ] || n=100
				for ((i = 0; i < ${#HTTP_NAMES[@]}; i++)); do
					http_round "${HTTP_NAMES[$(((round + i) % ${#HTTP_NAMES[@]}))]}" "$kind" "$size" "$n"
				done
			done
		done
		http_added $((SMOKE ? 100 : 2000))
	done
	http_table
	say "the HTTP proxy has $idle KiB of its own at its start, and $(http_private "$HTTP_OURS") KiB after $HTTP_REQUESTS requests (aim: 6144)"
	rt ours delete --force http >/dev/null 2>&1
}
