#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A process that init has forked and that has executed nothing yet is within reach of the
# container's root, who may stop it before its first instruction and use what it holds. So it
# holds what it gets and nothing of init's.
load lib

# held_at_birth TID COMMAND...: kinds of what the next child of a thread holds, sorted.
held_at_birth() {
	timeout -k 5 60 "$BUILD/tests/helpers/birth" list "$@" </dev/null >"$T/held" 2>"$T/err" \
		3>&- 4>&- || { cat "$T/err"; return 1; }
	sed -e 's/^[0-9]* //' -e 's/\[[0-9]*\]$//' -e 's/ (deleted)$//' "$T/held" | sort
}

@test "the control: a child of another program holds all that its parent holds" {
	local shell
	mkfifo "$T/go"
	echo >"$T/secret"
	bash -c 'exec 9<"$1"; read -r <"$2"; /bin/true; :' - "$T/secret" "$T/go" \
		</dev/null >/dev/null 2>&1 3>&- 4>&- &
	shell=$!
	sleep 0.3
	held_at_birth "$shell" bash -c 'echo >"$1"' - "$T/go" >"$T/kinds"
	wait "$shell"
	has "$T/kinds" "$T/secret"
}

@test "init's thread in the domain holds nothing between two children" {
	bundle "$T/b" '.process.args = ["sleep", "100"]'
	new_id
	create "$ID" "$T/b"
	ok
	threads_of "$ID"
	is "$(readlink "/proc/${INIT%:*}/task/${INIT#*:}"/fd/* | sort | uniq -c | tr -s ' ')" \
		" 3 /dev/null"
	rt start "$ID"
	ok
	rt exec "$ID" true
	ok
	is "$(readlink "/proc/${INIT%:*}/task/${INIT#*:}"/fd/* | sort | uniq -c | tr -s ' ')" \
		" 3 /dev/null"
	rt delete --force "$ID"
	ok
}

@test "a process that is exec'd holds at its birth its stdio, its description and one socket" {
	bundle "$T/b" '.process.args = ["sleep", "100"]'
	new_id
	create "$ID" "$T/b"
	ok
	rt start "$ID"
	ok
	threads_of "$ID"
	touch "$T/one" "$T/two" "$T/three"
	held_at_birth "${INIT#*:}" bash -c '"$1" --root "$2" exec "$3" true <"$4/one" >"$4/two" 2>&1' \
		- "$RUNTIME" "$ROOT" "$ID" "$T" >"$T/kinds"
	is "$(cat "$T/kinds")" "$(printf '%s\n' /dev/null /dev/null /dev/null \
		/memfd:sandlock-process "$T/one" "$T/two" "$T/two" 'socket:' | sort)"
	held_at_birth "${INIT#*:}" bash -c '"$1" --root "$2" exec --preserve-fds 1 "$3" true \
		<"$4/one" >"$4/two" 2>&1 3<"$4/three"' - "$RUNTIME" "$ROOT" "$ID" "$T" >"$T/kinds"
	is "$(cat "$T/kinds")" "$(printf '%s\n' /dev/null /dev/null /dev/null \
		/memfd:sandlock-process "$T/one" "$T/two" "$T/two" "$T/three" 'socket:' | sort)"
	rt delete --force "$ID"
	ok
}
