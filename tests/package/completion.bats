#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What bash offers behind `sandlock-oci` and `sandlock`: the words of the program's own --help, and ids of containers.

setup() {
	REPO=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	BUILD=${SANDLOCK_BUILD:-$REPO/build}
	T=$BATS_TEST_TMPDIR
	mkdir -p "$T/share/bash-completion/completions" "$T/root"
	PROGRAM=sandlock-oci
	for p in sandlock sandlock-oci; do
		cp "$REPO/packaging/completion/$p.bash" "$T/share/bash-completion/completions/$p"
	done
}

# offers WORD...: what an interactive bash offers for the last word of `$PROGRAM WORD...`, one a line, sorted.
offers() {
	(cd "$T" && env -i PATH="$BUILD/bin:$PATH" HOME="$T" XDG_DATA_DIRS="$T/share" P="$PROGRAM" bash --norc -c '
		source /usr/share/bash-completion/bash_completion
		_completion_loader "$P"
		complete -p "$P" >&2 || exit 1
		COMP_WORDS=("$P")
		# Readline splits at = as well.
		for word; do
			case $word in
			--*=*) COMP_WORDS+=("${word%%=*}" = "${word#*=}") ;;
			*) COMP_WORDS+=("$word") ;;
			esac
		done
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		COMP_LINE="$P $*" COMP_POINT=$((${#P} + 1 + $(printf %s "$*" | wc -c)))
		[ -n "${COMP_WORDS[COMP_CWORD]}" ] || COMP_WORDS[COMP_CWORD]=
		COMPREPLY=()
		"_${P//-/_}" "$P" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
		printf "%s\n" "${COMPREPLY[@]}"' - "$@" 2>"$T/err") | sed 's/ *$//' | sort
}

# A container that list shows: a record is all that it needs.
container() {
	local bundle=$T/bundle
	mkdir -p "$bundle"
	"$REPO/tests/images/busybox" "$bundle/rootfs"
	jq '.process.args = ["/bin/true"]' "$REPO/tests/lib/config.json" >"$bundle/config.json"
	"$BUILD/bin/sandlock-oci" --root "$T/root" create --bundle "$bundle" "$1" </dev/null >/dev/null 3>&-
}

@test "commands are those of --help, all of them" {
	"$BUILD/bin/sandlock-oci" --help | sed -n '/^commands/,/^$/s/^   \([a-z]*\) .*/\1/p' | sort >"$T/want"
	[ "$(wc -l <"$T/want")" -gt 15 ]
	offers "" | diff "$T/want" -
	[ "$(offers pa)" = pause ]
	# Behind an option with its value too.
	[ "$(offers --log-format json --debug res)" = "$(printf 'restore\nresume')" ]
}

@test "options are those of --help, for every command" {
	options() {
		"$BUILD/bin/sandlock-oci" "$@" --help | grep -o '^   --[a-z0-9-]*' | tr -d ' ' | sort
	}
	offers -- | diff <(options) -
	local command
	for command in $("$BUILD/bin/sandlock-oci" --help | sed -n '/^commands/,/^$/s/^   \([a-z]*\) .*/\1/p' | grep -v 'checkpoint\|restore'); do
		offers "$command" -- | diff <(options "$command") - || { echo "$command"; false; }
	done
}

@test "values of options" {
	mkdir "$T/dir"
	touch "$T/dir.json"
	[ "$(offers --log-format '')" = "$(printf 'json\ntext')" ]
	[ "$(offers --log-format=j)" = json ]
	[ "$(offers policy --markdown f)" = fields ]
	[ "$(offers create -b di)" = dir ]
	[ "$(offers update -r di)" = "$(printf 'dir\ndir.json')" ]
	[ -z "$(offers exec --user '')" ]
}

@test "ids of the state root that is on the line, where a container has to be there" {
	container there
	[ "$(offers --root "$T/root" kill t)" = there ]
	[ "$(offers --root "$T/root" kill there TER)" = TERM ]
	[ -z "$(offers --root "$T/root" create t)" ]
	[ -z "$(offers --root "$T/root" list t)" ]
	[ -z "$(offers --root "$T/root" exec there ls t)" ]
	[ "$(offers policy '')" = explain ]
	"$BUILD/bin/sandlock-oci" --root "$T/root" delete --force there
	[ -z "$(offers --root "$T/root" kill t)" ]
}

@test "sandlock: verbs, options, values, and the arguments of the command" {
	PROGRAM=sandlock
	[ "$(offers r)" = run ]
	"$BUILD/bin/sandlock" run --help | sed -n 's/^ \{2,6\}\(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p' | sort >"$T/want"
	[ "$(wc -l <"$T/want")" -gt 20 ]
	offers run -- | diff "$T/want" -
	[ "$(offers run --view t)" = tree ]
	mkdir "$T/dir"
	touch "$T/dir.json"
	[ "$(offers run -r di)" = "$(printf 'dir\ndir.json')" ]
	[ "$(offers run --cwd di)" = dir ]
	[ -z "$(offers run --name di)" ]
	# cat(1) has no completion of its own here, so it is offered files.
	[ "$(offers run -r /usr -- cat dir.)" = dir.json ]
}
