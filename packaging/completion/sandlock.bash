# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Completion for sandlock(1), for bash-completion 2. Verbs, options and what their values are come from --help of
# the program; behind -- the command completes its own arguments.
_sandlock() {
	local cur prev words cword split
	_init_completion -s || return
	local i help value
	for ((i = 2; i < cword; i++)); do
		if [[ ${words[i]} == -- ]]; then
			_command_offset $((i + 1))
			return
		fi
	done
	if ((cword == 1)); then
		mapfile -t COMPREPLY < <(compgen -W "--help --version $("$1" --help | sed -n '/^verbs:/,/^$/s/^   \([a-z]\{1,\}\) .*/\1/p')" -- "$cur")
		return
	fi
	help=$("$1" "${words[1]}" --help 2>/dev/null)
	# An option is alone on its line, with the kind of its value: "  -r, --fs-read PATH".
	value=
	if [[ $prev =~ ^-[A-Za-z0-9-]+$ ]]; then
		value=$(grep -E -e "^ *(-., )?$prev( |\$)|^ *$prev, " <<<"$help" | sed 's/^ *\(-., \)\{0,1\}--[a-z0-9-]* \{0,1\}//')
	fi
	case $prev,$value in
	-*,PATH* | -*,FILE*) _filedir ;;
	-*,DIR) _filedir -d ;;
	-*,[a-z]*\|[a-z]*) mapfile -t COMPREPLY < <(compgen -W "${value//|/ }" -- "$cur") ;;
	-*,?*) ;;
	*) mapfile -t COMPREPLY < <(compgen -W "$(sed -n 's/^  \(-., \|    \)\(--[a-z0-9-]*\).*/\2/p' <<<"$help")" -- "$cur") ;;
	esac
} && complete -F _sandlock sandlock
