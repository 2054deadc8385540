#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The view tree, as root.
load lib
load check
load files
load network
load process
load manage
load seeds

setup() {
	sandlock_setup tree
}

@test "granted files are read and written at their own place" { files_read_write; }
@test "a file that is granted for reading cannot be written" { files_read_only; }
@test "what is not granted is not there" { files_not_granted; }
@test "the inner of two grants counts" { files_nested; }
@test "symlinks on the way to a grant are made again" { files_symlinks; }
@test "a single file can be granted" { files_single; }
@test "/dev has what programs need" { files_devices; }
@test "a path that is missing is an error that names the way out" { files_missing; }
@test "a denied file is denied by every name, and stays" { files_denied; }
@test "what does not exist cannot be denied where it could be made" { files_denied_later; }
@test "another directory is mounted at a path" { files_mounted_elsewhere; }
@test "--chroot: paths are below the directory" { files_chroot; }
@test "the working directory" { files_cwd; }

@test "the status is passed on, also to --status-fd" { process_status; }
@test "a timeout ends all of it with 124" { process_timeout; }
@test "no descendant survives" { process_no_descendants; }
@test "all end with a supervisor that is killed, and the name is free" { process_dies_with_supervisor; }
@test "stdin ends, and much output comes through" { process_stdio; }
@test "the environment" { process_environment; }
@test "no rights, and no way to get some" { process_rights; }
@test "--user" { process_user; }
@test "processes of the same user are out of reach" { process_cannot_reach_others; }
@test "limits" { process_limits; }
@test "the name is the host name" { process_name; }
@test "a terminal of its own, with job control" { process_terminal; }
@test "what is not there is refused by its name" { process_refusals; }
@test "--exec-shell" { process_shell; }

@test "a unix socket behind a grant for reading is out of reach" { network_unix_read_only; }
@test "unix datagrams do not go around that" { network_unix_datagrams; }
@test "unix sockets of its own" { network_unix_own; }
@test "no network without an option" { network_tcp; }
@test "no port without an option" { network_bind; }

@test "check and --explain say which view" { check_says_which_view; }
@test "--explain says what would be done" { explain_says_what_would_be_done; }
@test "a build as its users write it" { seed_make; }
@test "an agent with one endpoint and no key" { seed_agent; }

@test "ps lists what runs" { manage_list; }
@test "ps shows the ports" { manage_ports; }
@test "inspect prints a profile that gives the same sandbox" { manage_inspect; }
@test "kill ends a sandbox by its name" { manage_kill; }
@test "what a killed supervisor has left is removed" { manage_stale; }
@test "ps does not send a command's characters to the terminal" { manage_escapes; }
