# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# redis-server in a Debian root, the client outside: throughput and latency, plain and
# pipelined. All servers are up all the time and take turns; server and client each have
# their own processor. No network namespace anywhere: the runtimes are compared, not the
# ways to reach a server.

# "ruled" is ours once more, under a network rule that names an address.
REDIS_NAMES=(bare ours ruled runc)
declare -A REDIS_PORT=([bare]=17001 [ours]=17002 [runc]=17003 [ruled]=17004)

redis_runtime() {
	local name=$1
	shift
	case $name in
	ruled) rt ours "$@" redis-ruled ;;
	*) rt "$name" "$@" redis ;;
	esac
}

redis_start() {
	local name=$1 bundle=$WORK/redis-$1 i rules=.
	local args=(/usr/bin/redis-server --port "${REDIS_PORT[$name]}" --bind 127.0.0.1
		--save "" --appendonly no --protected-mode no --daemonize no --dir /)
	if [ "$name" = bare ]; then
		# shellcheck disable=SC2046
		taskset -c 0 $(timed) chroot "$DEBIAN_ROOT" "${args[@]}" >/dev/null 2>&1 </dev/null &
		remember_pid $!
		REDIS_BARE=$!
	else
		mkdir "$bundle"
		[ "$name" != ruled ] ||
			rules='.annotations["io.sandlock.network.allow"] = "tcp://192.0.2.1:443"'
		make_config "$bundle" ".process.args = \$ARGS.positional | .process.rlimits = [] |
			.root.path = \"$DEBIAN_ROOT\" |
			.linux.namespaces |= map(select(.type != \"network\")) | $rules" "${args[@]}"
		(
			taskset -pc 0 $BASHPID >/dev/null
			redis_runtime "$name" run --detach --bundle "$bundle" >/dev/null 2>&1 </dev/null
		)
	fi
	for ((i = 0; i < 100; i++)); do
		[ "$(redis-cli -p "${REDIS_PORT[$name]}" ping 2>/dev/null)" = PONG ] && return
		sleep 0.1
	done
	echo "bench: redis under $name does not answer" >&2
	return 1
}

# redis_round NAME KIND OPTION...: adds the columns of redis-benchmark's table.
redis_round() {
	local name=$1 kind=$2 test rps p50 p99 column
	shift 2
	column=$name
	[ "$name" != ruled ] || kind=ruled-$kind column=ours
	# shellcheck disable=SC2046
	$(timed) taskset -c 1 redis-benchmark -p "${REDIS_PORT[$name]}" -t set,get -c 50 -d 256 \
		--csv "$@" >"$WORK/redis.csv"
	while IFS=, read -r test rps _ _ p50 _ p99 _; do
		add_figure "redis-$kind-$test-rate.$column" "$rps"
		add_figure "redis-$kind-$test-p50.$column" "$p50"
		add_figure "redis-$kind-$test-p99.$column" "$p99"
	done < <(tail -n +2 "$WORK/redis.csv" | tr -d '"')
}

bench_redis() {
	local round i name kind test n=${SMOKE:+1000}
	n=${n:-60000}
	debian_root
	for name in "${REDIS_NAMES[@]}"; do
		redis_start "$name"
	done
	for ((round = 0; round < ROUNDS; round++)); do
		# Everybody is first in turn: the first one has the coldest caches.
		for ((i = 0; i < 4; i++)); do
			name=${REDIS_NAMES[$(((round + i) % 4))]}
			redis_round "$name" plain -n "$n"
			redis_round "$name" piped -n $((n * 5)) -P 16
		done
	done
	for kind in plain piped; do
		for test in SET GET; do
			row_of "redis $test $kind" "1/s" "/bare 0.98" "redis-$kind-$test-rate"
			cp "$WORK/figures/redis-$kind-$test-rate.bare" \
				"$WORK/figures/redis-ruled-$kind-$test-rate.bare"
			row_of "redis $test $kind, a rule" "1/s" "/bare 0.98" "redis-ruled-$kind-$test-rate"
			row_of "redis $test $kind, p50" ms "" "redis-$kind-$test-p50"
			row_of "redis $test $kind, p99" ms "" "redis-$kind-$test-p99"
		done
	done
	kill "$REDIS_BARE"
	wait
	for name in ours ruled runc; do
		redis_runtime "$name" delete --force >/dev/null 2>&1
	done
}
