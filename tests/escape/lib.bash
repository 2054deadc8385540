# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# The driver of the escape suite. A case file (cases/*.tsv) says for every attack what it
# gives without a sandbox and what it must give inside: both arms run, both are compared,
# to the errno. A row is
#
#   label | attack arguments… | ARM=result | result inside | flags
#
# Arms, each as real root of this machine, in a mount and a UTS namespace of their own so
# that nothing they mount or rename is seen outside:
#   chroot  in a chroot, with the 14 capabilities of a container: same rights, no sandbox
#   caps    in a chroot, with every capability
#   bare    not even in a chroot, with every capability
# Words that begin with @ are replaced: what tests/escape/victim.c says it has (@victim,
# @canary, …), @prey and @prey_tid (a process of the row's own), and @init, @init_tid,
# @fetcher, @supervisor (inside: the runtime's; in the control arm: the row's prey).
# Flags: `dead`: the control arm must have killed the row's prey, and inside it must be
# alive at the end. `needs=PATH`: where the host does not have PATH, both give ENOENT.
# `a/b` in a control result: either (a kernel with and one without the feature).

load ../lib/harness

ATTACK=$BUILD/tests/escape/attack
VICTIM=$BUILD/tests/escape/victim
CASES=$BATS_TEST_DIRNAME/cases
CONTAINER_CAPS=+chown,+dac_override,+fsetid,+fowner,+mknod,+net_raw,+setgid,+setuid
CONTAINER_CAPS+=,+setfcap,+setpcap,+net_bind_service,+sys_chroot,+kill,+audit_write

escape_setup() {
	harness_setup
	VICTIMS=()
}

setup() {
	escape_setup
	node '{}'
}

teardown() {
	local p
	for p in "${VICTIMS[@]}"; do
		kill "$p" 2>/dev/null && wait "$p" 2>/dev/null
	done
	harness_teardown
}

# node JSON: writes the node policy of this test; its rootfs.mode is SANDLOCK_TEST_MODE by default.
node() {
	jq --arg m "${SANDLOCK_TEST_MODE:-detached}" '.rootfs.mode //= $m' <<<"$1" >"$T/node.json"
	if ours; then RT_GLOBALS=(--config "$T/node.json"); fi
}

# add_caps NAME...: prints a jq expression that adds capabilities to every set.
add_caps() {
	local names
	names=$(printf '"%s",' "$@")
	echo ".process.capabilities |= map_values(. + [${names%,}])"
}

# escape_root DIR: makes a root with the attack program and device nodes.
escape_root() {
	mkdir -p "$1"/{proc,dev,sys,tmp,etc,run,m,vol}
	cp "$ATTACK" "$1/attack"
	mknod "$1/node-blk" b 7 0
	mknod "$1/node-chr" c 1 5
	chmod 666 "$1/node-blk" "$1/node-chr"
}

# victim DIR COUNT: starts a victim, which writes its targets to DIR/targets.
victim() {
	local i
	mkdir -p "$1"
	"$VICTIM" "$1" "$2" </dev/null >"$1/log" 2>&1 3>&- 4>&- &
	VICTIMS+=($!)
	for i in $(seq 100); do
		[ ! -e "$1/targets" ] || return 0
		sleep 0.02
	done
	echo "no victim:"
	cat "$1/log"
	return 1
}

# rows FILE: prints the rows without comments and without blanks around "|".
rows() {
	sed -e '/^[[:space:]]*#/d' -e '/^[[:space:]]*$/d' -e 's/[[:space:]]*|[[:space:]]*/|/g' \
		-e 's/[[:space:]]*$//' -e 's/^[[:space:]]*//' "$1"
}

# replace WORDS PREY INIT SUPERVISOR: replaces the words that begin with @, by the array TARGET.
replace() {
	local w out=() key
	local -A more=([prey]=${2%:*} [prey_tid]=${2#*:} [init]=${3%:*} [init_tid]=${3#*:}
		[supervisor]=$4 [route]=$ROUTE [fetcher]=${FETCHER:-${2#*:}})
	for w in $1; do
		# At most one target in a word, perhaps with text around it.
		while [[ $w =~ @([a-z0-9_]+) ]]; do
			key=${BASH_REMATCH[1]}
			w=${w/@$key/${more[$key]-${TARGET[$key]-UNKNOWN}}}
		done
		out+=("$w")
	done
	echo "${out[*]}"
}

# batch FILE VICTIM_DIR ARM OUT [INIT:TID SUPERVISOR]: writes the rows of one arm, ready to run. The
# arm `inside` has every row.
batch() {
	local line key value prey=() n=0 label attack control rest init=${5:-} super=${6:-}
	declare -gA TARGET=()
	while IFS='=' read -r key value; do
		case $key in
		prey) prey+=("$value") ;;
		stranger) TARGET[stranger]=${value%:*} ;;
		*) TARGET[$key]=$value ;;
		esac
	done <"$2/targets"
	: >"$4"
	: >"$4.prey"
	while IFS='|' read -r label attack control rest; do
		if [ "$3" = inside ] || [ "${control%%=*}" = "$3" ]; then
			echo "$label $(replace "$attack" "${prey[n]}" "${init:-${prey[n]}}" \
				"${super:-${prey[n]%:*}}")" >>"$4"
		fi
		echo "$label ${prey[n]%:*}" >>"$4.prey"
		n=$((n + 1))
	done < <(rows "$1")
}

# control FILE ARM OUT: runs the rows of one control arm.
control() {
	local file=$1 arm=$2 out=$3 dir=$T/control.$2 isolate= root=$T/control.$2/rootfs
	ROUTE=private
	FETCHER=
	mkdir -p "$dir"
	escape_root "$root"
	victim "$dir/v" "$(rows "$file" | wc -l)"
	batch "$file" "$dir/v" "$arm" "$root/batch"
	[ -s "$root/batch" ] || { : >"$out"; return 0; }
	mknod "$root/vol/node-chr" c 1 5
	[ "$arm" = chroot ] || isolate=-p
	export arm root isolate caps="-all,$CONTAINER_CAPS"
	rc=0
	# Descriptor 9, the victim's directory, stays open, as a careless runtime would leave it.
	DIR9=$dir/v timeout -k 5 120 unshare -m -u --propagation private bash -c '
		mount --bind "$root" "$root" && mount -t proc proc "$root/proc" &&
			mount --rbind /dev "$root/dev" && mount --rbind /sys "$root/sys" || exit 126
		exec 9<"$DIR9"
		case $arm in
		chroot) exec setpriv --bounding-set "$caps" chroot "$root" /attack batch $isolate /batch ;;
		caps) exec chroot "$root" /attack batch $isolate /batch ;;
		bare) exec "$root/attack" batch $isolate "$root/batch" ;;
		esac' >"$out" 2>"$out.err" </dev/null 3>&- 4>&- || rc=$?
	ok_status "$rc" "$out.err"
	sleep 0.1
	cp "$root/batch.prey" "$out.prey"
	alive "$out.prey" >"$out.alive"
	cp "$dir/v/counts" "$out.counts"
	end_victim
}

# Ends the victim that was started last, because its queues count against a limit of the user.
end_victim() {
	kill "${VICTIMS[-1]}" && wait "${VICTIMS[-1]}" || true
	unset 'VICTIMS[-1]'
}

ok_status() {
	[ "$1" -eq 0 ] || { echo "status $1"; cat "$2"; return 1; }
}

# alive FILE: prints the labels of the rows whose prey still runs.
alive() {
	local label pid
	while read -r label pid; do
		if grep -qs '^State:.[^ZX]' "/proc/$pid/status"; then echo "$label"; fi
	done <"$1"
}

# threads_of ID: sets SUPERVISOR, INIT (leader:thread inside the domain) and FETCHER, init's third.
threads_of() {
	local t
	SUPERVISOR=$(pid_of "$1")
	INIT=1:1 FETCHER=1
	ours || return 0
	INIT=$(init_of "$1")
	for t in /proc/"$INIT"/task/*; do
		if grep -q '^Seccomp:.2' "$t/status"; then
			INIT=${INIT%:*}:${t##*/}
		elif [ "${t##*/}" != "${INIT%:*}" ]; then
			FETCHER=${t##*/}
		fi
	done
}

# inside FILE JQ OUT: runs all rows in a container of the given configuration.
inside() {
	local file=$1 expr=$2 out=$3 dir=$T/inside
	ROUTE=host
	mkdir -p "$dir/vol"
	mknod "$dir/vol/node-chr" c 1 5
	escape_root "$dir/rootfs"
	victim "$dir/v" "$(rows "$file" | wc -l)"
	config "$dir" ".process.args = [\"/attack\", \"batch\", \"/batch\"]
		| .mounts += [{destination: \"/vol\", type: \"bind\", source: \"$dir/vol\",
			options: [\"rbind\", \"rw\"]}] | $expr"
	new_id
	create "$ID" "$dir" 9<"$dir/v"
	ok
	threads_of "$ID"
	batch "$file" "$dir/v" inside "$dir/rootfs/batch" "$INIT" "$SUPERVISOR"
	"$VICTIM" snapshot $(cut -d' ' -f2 "$dir/rootfs/batch.prey") "${VICTIMS[-1]}" \
		"$SUPERVISOR" "${INIT%:*}" "${INIT#*:}" >"$out.before"
	rt start "$ID"
	ok
	eventually 60 grep -q '^end' "$T/$ID.out" || true
	wait_state "$ID" stopped 5 || true
	cp "$T/$ID.out" "$out"
	cp "$dir/rootfs/batch.prey" "$out.prey"
	alive "$out.prey" >"$out.alive"
	"$VICTIM" snapshot $(cut -d' ' -f2 "$dir/rootfs/batch.prey") "${VICTIMS[-1]}" >"$out.after"
	cp "$dir/v/counts" "$out.counts"
	rt delete "$ID"
	ok
}

result_of() {
	awk -F'\t' -v l="$2" '$1 == l { print $2 }' "$1"
}

# judge FILE: compares both arms with the table; prints every difference.
judge() {
	local label attack control expected flags arm want got bad=0
	while IFS='|' read -r label attack control expected flags; do
		arm=${control%%=*}
		want=${control#*=}
		if [[ $flags =~ needs=([^ ]+) ]] && [ ! -e "${BASH_REMATCH[1]}" ]; then
			want=ENOENT expected=ENOENT
		fi
		got=$(result_of "$T/$arm.out" "$label")
		if [[ "/$want/" != *"/$got/"* || -z $got ]]; then
			echo "$label: control arm ($arm) gave '$got', expected '$want'   [$attack]"
			bad=1
		fi
		got=$(result_of "$T/inside.out" "$label")
		if [ "$got" != "$expected" ]; then
			echo "$label: inside gave '$got', expected '$expected'   [$attack]"
			bad=1
		fi
		if [[ $flags == *dead* ]] && grep -qx -- "$label" "$T/$arm.out.alive"; then
			echo "$label: the control arm did not kill its prey   [$attack]"
			bad=1
		fi
		if ! grep -qx -- "$label" "$T/inside.out.alive"; then
			echo "$label: the prey died   [$attack]"
			bad=1
		fi
	done < <(rows "$1")
	[ "$(result_of "$T/inside.out" end)" = ok ] || { echo "the batch did not end"; bad=1; }
	return $bad
}

# attack_cases NAME [JQ]: everything above, and nothing outside may have changed.
attack_cases() {
	local file=$CASES/$1.tsv expr=${2:-.} arm bad=0
	for arm in chroot caps bare; do
		control "$file" "$arm" "$T/$arm.out"
	done
	inside "$file" "$expr" "$T/inside.out"
	judge "$file" || bad=1
	# The supervisor and init are gone by now; the others must look as before.
	grep -Fxf "$T/inside.out.after" "$T/inside.out.before" >"$T/same" || true
	if ! diff "$T/inside.out.after" "$T/same"; then
		echo "a host process was changed"
		bad=1
	fi
	if grep -v '=0$' "$T/inside.out.counts"; then
		echo "something reached a socket of the host"
		bad=1
	fi
	return $bad
}

# attack_bundle DIR ARGS-JSON [JQ]: a bundle whose process is an attack.
attack_bundle() {
	escape_root "$1/rootfs"
	config "$1" ".process.args = $2 | ${3:-.}"
}

# attack_run ARGS-JSON [JQ]: runs it to its end; status in $rc.
attack_run() {
	rm -rf "$T/b"
	attack_bundle "$T/b" "$1" "${2:-.}"
	run_bundle "$T/b"
}

# bystander: a host process that has to survive.
bystander() {
	sleep 1000 </dev/null >/dev/null 2>&1 3>&- 4>&- &
	VICTIMS+=($!)
	BYSTANDER=$!
}

still_there() {
	grep -q '^State:.S' "/proc/$BYSTANDER/status" || { echo "the bystander was hit"; return 1; }
}
