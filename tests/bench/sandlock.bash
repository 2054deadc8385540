# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# The start of a command in a sandbox, as root and as an ordinary user, with three and with forty
# granted directories, beside bubblewrap and firejail with the same grants. What the ordinary user
# calls is started by setpriv(1), the bare command too.

SANDLOCK=$SANDLOCK_BUILD/bin/sandlock
SANDLOCK_UID=64231

# sandlock_grants N: the three directories that every program needs, and more up to N.
sandlock_grants() {
	local i
	echo -n "-r /usr -r /lib -r /etc"
	for ((i = 3; i < $1; i++)); do
		echo -n " -r $WORK/grants/$i"
	done
}

bwrap_grants() {
	local i link
	echo -n "--ro-bind /usr /usr --ro-bind /etc /etc"
	for link in bin lib lib64 sbin; do
		[ ! -L "/$link" ] || echo -n " --symlink $(readlink "/$link") /$link"
	done
	for ((i = 3; i < $1; i++)); do
		echo -n " --ro-bind $WORK/grants/$i $WORK/grants/$i"
	done
}

sandlock_prepare() {
	local i
	chmod 755 "$WORK"
	mkdir -p "$WORK/grants" "$WORK/run.root" "$WORK/run.user"
	for ((i = 3; i < 40; i++)); do
		mkdir -p "$WORK/grants/$i"
	done
	chmod 700 "$WORK/run.root" "$WORK/run.user"
	chown "$SANDLOCK_UID" "$WORK/run.user"
	# A build directory below /root is closed to others.
	install -m 755 "$SANDLOCK" "$WORK/sandlock"
}

bench_sandlock() {
	local round runs=${SMOKE:+2} n user
	local true=/usr/bin/true
	runs=${runs:-25}
	DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends \
		bubblewrap firejail >/dev/null
	sandlock_prepare
	user="setpriv --reuid $SANDLOCK_UID --regid $SANDLOCK_UID --clear-groups env"
	for ((round = 0; round < ROUNDS; round++)); do
		for n in 3 40; do
			hyperfine_round "$runs" "sandlock$n" "bare=$true" "exec=$WORK/sandlock --version" \
				"tree=env XDG_RUNTIME_DIR=$WORK/run.root $WORK/sandlock run $(sandlock_grants $n) -- $true" \
				"env=env $true" "user=$user $true" \
				"userns=$user XDG_RUNTIME_DIR=$WORK/run.user $WORK/sandlock run $(sandlock_grants $n) -- $true" \
				"bwrap=$user bwrap $(bwrap_grants $n) --unshare-user --unshare-pid --unshare-net --proc /proc --dev /dev $true"
		done
		hyperfine_round "$runs" firejail "firejail=firejail --quiet --noprofile --net=none $true"
	done
	say "a fork and exec of sandlock itself: $(figure sandlock3.exec) ms, which every start contains;" \
		"the view userns executes it twice"
	for n in 3 40; do
		say "$n grants, ms over the bare command (best of all):" \
			"tree $(minus "$(figure "sandlock$n.tree")" "$(figure "sandlock$n.env")")" \
			"($(minus "$(figure "sandlock$n.tree" best)" "$(figure "sandlock$n.env" best)"))," \
			"userns $(minus "$(figure "sandlock$n.userns")" "$(figure "sandlock$n.user")")" \
			"($(minus "$(figure "sandlock$n.userns" best)" "$(figure "sandlock$n.user" best)"))," \
			"bwrap $(minus "$(figure "sandlock$n.bwrap")" "$(figure "sandlock$n.user")")" \
			"($(minus "$(figure "sandlock$n.bwrap" best)" "$(figure "sandlock$n.user" best)"))"
	done
	say "firejail without a profile: $(minus "$(figure firejail.firejail)" "$(figure sandlock3.bare)") ms" \
		"($(minus "$(figure firejail.firejail best)" "$(figure sandlock3.bare best)"))"
}
