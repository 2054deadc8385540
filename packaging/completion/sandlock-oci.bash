# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Completion for sandlock-oci(8), for bash-completion 2. Commands and options are those that --help of the
# program prints, so this file names none; container ids are asked for below the --root that is on the line.

# The options that take a value, one line for each: its long name, and its letter when it has one.
_sandlock_oci_with_value() {
	sed -n 's/^   \(--[a-z0-9-]*\)\(, \(-.\)\)\{0,1\} value .*/\1 \3/p' <<<"$1"
}

# What the value of the option $1 may be. Values of another kind are for the user to write.
_sandlock_oci_value() {
	case $1 in
	--bundle | --root) _filedir -d ;;
	--config | --console-socket | --log | --pid-file | --pidfd-socket | --process | --resources) _filedir ;;
	--log-format) mapfile -t COMPREPLY < <(compgen -W 'text json' -- "$cur") ;;
	--format) mapfile -t COMPREPLY < <(compgen -W 'table json' -- "$cur") ;;
	--markdown) mapfile -t COMPREPLY < <(compgen -W 'fields annotations capabilities syscalls' -- "$cur") ;;
	esac
}

# The $2-th argument of the command $1, whose help is $3.
_sandlock_oci_argument() {
	case $1,$2,$3 in
	create,* | run,*) ;;
	policy,1,*) mapfile -t COMPREPLY < <(compgen -W explain -- "$cur") ;;
	kill,2,*) mapfile -t COMPREPLY < <(compgen -W "$(compgen -A signal SIG | sed 's/^SIG//')" -- "$cur") ;;
	*,1,*'<container-id>'*)
		mapfile -t COMPREPLY < <(compgen -W "$("${program[@]}" list --quiet 2>/dev/null)" -- "$cur")
		;;
	esac
}

_sandlock_oci() {
	local cur prev words cword split
	_init_completion -s || return
	local program=("$1") command='' arguments=0 option='' help with_value line i
	help=$("$1" --help 2>/dev/null)
	with_value=$(_sandlock_oci_with_value "$help")
	for ((i = 1; i <= cword; i++)); do
		if [ -n "$option" ]; then
			# The word behind an option that takes a value.
			if ((i == cword)); then
				_sandlock_oci_value "$option"
				return
			fi
			[ "$option" != --root ] || program+=(--root "${words[i]}")
			option=
		elif ((i == cword)); then
			break
		elif [[ ${words[i]} == -* ]]; then
			line=$(grep -wF -e "${words[i]}" <<<"$with_value")
			option=${line%% *}
		elif [ -z "$command" ]; then
			command=${words[i]}
			help=$("$1" "$command" --help 2>/dev/null)
			with_value=$(_sandlock_oci_with_value "$help")
		else
			arguments=$((arguments + 1))
			# What follows is of the program that exec runs, or of ps.
			[ "$command" != exec ] || ((arguments < 2)) || return
		fi
	done
	if $split; then
		# --option=value: _init_completion has put the option into prev.
		line=$(grep -wF -e "$prev" <<<"$with_value")
		_sandlock_oci_value "${line%% *}"
	elif [[ $cur == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(sed -n 's|^   \(--[a-z0-9-]*\).*|\1|p' <<<"$help")" -- "$cur")
	elif [ -z "$command" ]; then
		mapfile -t COMPREPLY < <(compgen -W "$(sed -n 's/^   \([a-z]\{1,\}\) .*/\1/p' <<<"$help")" -- "$cur")
	else
		_sandlock_oci_argument "$command" $((arguments + 1)) "$help"
	fi
} && complete -F _sandlock_oci sandlock-oci
