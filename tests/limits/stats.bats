#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# events --stats: the figures agree with the kernel's, and contain what ended processes have used.
load lib

setup() {
	harness_setup
	ours || skip "runc counts by its cgroup"
}

@test "processor time of processes that have ended stays" {
	loaded 'load spin 300; (load spin 200); echo ended; exec sleep 100'
	eventually 20 has "$T/$ID.out" ended
	between 480000000 "$(stat_of .cpu.usage.total)" 800000000
	is "$(stat_of '.cpu.usage | .total == .user + .kernel')" true
}

@test "processor time of a process that was put under another one stays" {
	loaded '(load spin 300 & exec true); sleep 2; echo ended; exec sleep 100'
	eventually 20 has "$T/$ID.out" ended
	between 290000000 "$(stat_of .cpu.usage.total)" 600000000
}

@test "a process that nobody waits for is counted as it was last seen" {
	mkfifo "$T/gate"
	sleep 100 >"$T/gate" 3>&- &
	STDIN=$T/gate loaded 'load unwaited 300'
	eventually 20 has "$T/$ID.out" spun
	first=$(stat_of .cpu.usage.total)
	between 290000000 "$first" 600000000
	is "$(stat_of .pids.current)" 2
	kill %1
	eventually 5 one_less
	second=$(stat_of .cpu.usage.total)
	between "$first" "$second" $((first + 100000000))
}

one_less() {
	[ "$(stat_of .pids.current)" -eq 1 ]
}

@test "a zombie's time is there once" {
	loaded '(load spin 300; echo spun) & exec sleep 100'
	eventually 20 has "$T/$ID.out" spun
	for i in 1 2 3; do
		between 290000000 "$(stat_of .cpu.usage.total)" 600000000
	done
}

@test "threads are counted as tasks" {
	loaded 'exec load tasks thread 7'
	eventually 5 has "$T/$ID.out" '7 ok'
	is "$(stat_of .pids.current)" 8
}

@test "memory is what each process holds, and what they share is counted once" {
	loaded 'load hold cow 32 5'
	eventually 5 has "$T/$ID.out" held
	between 33554432 "$(stat_of .memory.raw.anon)" 42000000
	is "$(stat_of '[.sandlock.processes[] | select(.rss > 33554432)] | length')" 5
}

@test "a process whose first thread has ended has its memory" {
	loaded 'exec load hold leaderless 32'
	eventually 5 has "$T/$ID.out" held
	between 33554432 "$(stat_of .memory.raw.anon)" 42000000
}

@test "shared memory is told apart from anonymous memory" {
	loaded 'load hold memfd 32'
	eventually 5 has "$T/$ID.out" held
	between 33554432 "$(stat_of .memory.raw.shmem)" 35000000
	between 0 "$(stat_of .memory.raw.anon)" 5000000
}

@test "bytes written to storage stay when the writer has ended" {
	loaded 'dd if=/dev/zero of=/file bs=1M count=8 conv=fsync 2>/dev/null; echo ended; exec sleep 100'
	eventually 20 has "$T/$ID.out" ended
	written=$(stat_of '[.blkio.ioServiceBytesRecursive[] | select(.op == "Write") | .value] | add')
	# Below the bundle there may be a file system without storage.
	if [ "$(stat -f -c %T "$T/$ID/rootfs")" = tmpfs ]; then
		is "$written" 0
	else
		between 8388608 "$written" 12000000
	fi
}
