# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
#
# The file view; each view's bats file has a test of each function.

files_read_write() {
	mkdir -p "$T/r"
	echo seen >"$T/r/f"
	as_user sh -c "cat $T/r/f && echo new >$T/w/control"
	is "$rc" 0
	sl_sh "cat $T/r/f && echo new >$T/w/f && cat $T/w/f" -r "$T/r" -w "$T/w"
	is "$rc" 0
	out_is "$(printf 'seen\nnew')"
	is "$(cat "$T/w/f")" new
}

files_read_only() {
	mkdir -p "$T/r"
	chmod 777 "$T/r"
	as_user sh -c ": >$T/r/f && rm $T/r/f"
	is "$rc" 0
	sl_sh "mkdir $T/r/f || mkdir $T/w/f" -r "$T/r" -r "$T/w"
	is "$rc" 1
	err_has "$T/r/f': Read-only file system"
	err_has "$T/w/f': Read-only file system"
}

files_not_granted() {
	mkdir -p "$T/other"
	echo secret >"$T/other/f"
	as_user cat "$T/other/f"
	is "$rc" 0
	sl_sh "cat $T/other/f" -w "$T/w"
	is "$rc" 1
	err_has "No such file or directory"
}

# The inner grant counts for what is below it, in both directions.
files_nested() {
	mkdir -p "$T/w/ro/rw"
	chmod 777 "$T/w/ro" "$T/w/ro/rw"
	sl_sh "cd $T/w; touch a; mkdir ro/a; touch ro/rw/a; ls ro/rw" -w "$T/w" -r "$T/w/ro" -w "$T/w/ro/rw"
	out_is a
	err_has "ro/a': Read-only file system"
	[ -e "$T/w/a" ] && [ -e "$T/w/ro/rw/a" ] && [ ! -e "$T/w/ro/a" ]
}

# Symlinks on the way to a grant are there, and one of the root directory that leads into a grant.
files_symlinks() {
	mkdir -p "$T/real/d"
	echo linked >"$T/real/d/f"
	ln -s real/d "$T/link"
	sl_sh "cat $T/link/f; readlink $T/link; readlink /lib; ls $T" -r "$T/link"
	is "$rc" 0
	out_is "$(printf 'linked\nreal/d\n%s\nlink\nreal\nw' "$(readlink /lib)")"
}

files_single() {
	mkdir -p "$T/r"
	echo one >"$T/r/one"
	echo two >"$T/r/two"
	sl_sh "cat $T/r/one; ls $T/r" -r "$T/r/one"
	out_is "$(printf 'one\none')"
}

files_devices() {
	sl_sh 'for d in null zero full random urandom tty; do [ -c /dev/$d ] || echo no $d; done
		echo x >/dev/null; head -c 4 /dev/zero | wc -c; head -c 4 /dev/urandom | wc -c
		(echo x >/dev/full) 2>&1; [ -d /dev/shm ] && touch /dev/shm/f && echo shm'
	is "$rc" 0
	[ "$(sed -n 1,2p "$T/out")" = "$(printf '4\n4')" ]
	[ "$(tail -1 "$T/out")" = shm ]
	sl run "${BASE[@]}" -r /dev/null -w /dev/null -- true
	is "$rc" 0
	sl run "${BASE[@]}" -r /dev -- true
	is "$rc" 1
	err_has "--fs-read /dev: every sandbox has its own /dev"
}

files_missing() {
	sl run "${BASE[@]}" -r "$T/nowhere" -- true
	is "$rc" 1
	err_has "--fs-read $T/nowhere: $T/nowhere: No such file or directory (--skip-missing leaves out"
	sl run "${BASE[@]}" --skip-missing -r "$T/nowhere" -- true
	is "$rc" 0
}

# By every name that leads to it; and what denies cannot be taken away.
files_denied() {
	mkdir -p "$T/w/secret" "$T/w/d"
	echo key >"$T/w/secret/key"
	echo key >"$T/w/file"
	ln -s secret "$T/w/link"
	[ "$VIEW" = tree ] || chown -R "$SOME_UID" "$T/w"
	as_user sh -c "cat $T/w/secret/key $T/w/file $T/w/link/key"
	is "$rc" 0
	sl_sh "cd $T/w
		for f in secret/key file link/key d/../file ../w/file /proc/self/cwd/file; do
			cat \$f && echo read \$f
		done
		ls secret; cp file d/; ln file d/hard; mv file d/moved; mv secret d/moved; rm -f file; rmdir secret
		chmod 777 secret file; ls d" -w "$T/w" --fs-deny "$T/w/secret" --fs-deny "$T/w/file"
	out_is ""
	is "$(grep -c 'Permission denied' "$T/err")" 8
	err_has "mv: cannot move 'file' to 'd/moved': Device or resource busy"
	err_has "rm: cannot remove 'file': Device or resource busy"
	err_has "rmdir: failed to remove 'secret': Device or resource busy"
	is "$(cat "$T/w/file" "$T/w/secret/key")" "$(printf 'key\nkey')"
}

files_denied_later() {
	sl run "${BASE[@]}" -w "$T/w" --fs-deny "$T/w/none" -- true
	is "$rc" 1
	err_has "--fs-deny $T/w/none: it could be made later, because $T/w can be written"
	err_has "No such file or directory"
	mkdir -p "$T/r"
	sl run "${BASE[@]}" -r "$T/r" --skip-missing --fs-deny "$T/r/none" -- true
	is "$rc" 0
}

files_mounted_elsewhere() {
	mkdir -p "$T/w/data"
	echo there >"$T/w/data/f"
	[ "$VIEW" = tree ] || chown -R "$SOME_UID" "$T/w"
	sl_sh 'cat /data/f; echo new >/data/g; touch /ro/h' --fs-mount "/data:$T/w/data" \
		--fs-mount "/ro:$T/w/data:ro"
	out_is there
	is "$(cat "$T/w/data/g")" new
	err_has "/ro/h': Read-only file system"
	sl run "${BASE[@]}" --fs-mount "data:$T/w/data" -- true
	err_has "--fs-mount data:$T/w/data: expected PATH:HOST[:ro|:rw]"
}

files_chroot() {
	cp -a "$(busybox_root)" "$T/image"
	echo image >"$T/image/etc/mark"
	sl run --chroot "$T/image" -r /bin -r /etc/mark -- /bin/sh -c 'cat /etc/mark; ls /; pwd; ls /etc'
	is "$rc" 0
	out_is "$(printf 'image\nbin\ndev\netc\nlinuxrc\nproc\n/\nmark')"
}

# The caller's directory stays the working directory, also where nothing of it can be seen.
files_cwd() {
	sl_sh 'pwd; ls -A'
	out_is "$T/w"
	touch "$T/w/f"
	sl_sh 'pwd; ls -A' -r .
	out_is "$(printf '%s\nf' "$T/w")"
	sl_sh 'pwd' --cwd /usr
	out_is /usr
}
