#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Programs that signal process 1, write to its output, or insist on being it.
load lib

PID1='.annotations["io.sandlock.process.pid1"] = "true"'

# running SCRIPT [JQ]: a started container $ID of the image.
running() {
	new_id
	program "$T/$ID" "$1" ".mounts += [{destination: \"/run\", type: \"tmpfs\", source: \"tmpfs\"}] | ${2:-.}"
	create "$ID" "$T/$ID"
	ok
	rt start "$ID"
	ok
}

# inside SCRIPT
inside() {
	rt exec "$ID" bash -c "$1"
	ok
}

# The log names the sender, as the workers are those of the new configuration.
nginx_reloads() {
	running 'mkdir /tmp/body
		cat >/tmp/n.conf <<-END
			daemon off; pid /tmp/n.pid; error_log /tmp/log notice; worker_processes 1;
			events {}
			http { access_log off; client_body_temp_path /tmp/body; proxy_temp_path /tmp/p; fastcgi_temp_path /tmp/f;
				uwsgi_temp_path /tmp/u; scgi_temp_path /tmp/s;
				server { listen unix:/tmp/n.sock; return 200 first; } }
		END
		exec nginx -c /tmp/n.conf'
	inside 'wait_for() { for i in {1..100}; do ! "$@" || return 0; sleep 0.1; done; echo "never: $*"; }
		has_worker() { pgrep -f "nginx: worker process$" >/tmp/worker; }
		wait_for has_worker; old=$(cat /tmp/worker)
		sed -i "s/first/second/; s/worker_processes 1/worker_processes 2/" /tmp/n.conf
		kill -HUP 1
		two() { [ "$(pgrep -f "nginx: worker process$" | grep -vc "^$old$")" = 2 ]; }
		gone() { ! kill -0 $old 2>/dev/null; }
		wait_for two; wait_for gone; echo reloaded
		grep -c "signal 1 (SIGHUP) received from $$, reconfiguring" /tmp/log'
	out_is "$(printf 'reloaded\n1')"
	rt exec "$ID" bash -c 'kill -QUIT 1' # and may end with it
	wait_state "$ID" stopped
	rt delete "$ID"
}

@test "nginx reloads at kill -HUP 1 and ends at kill -QUIT 1" {
	both nginx_reloads
}

# A job's own output is mailed; what is wanted in the container's log goes there by /proc/1.
cron_logs() {
	running 'echo "@reboot root echo \"from a job of \$(id -un)\" >/proc/1/fd/1 2>/proc/1/fd/2" >/etc/cron.d/job
		exec cron -f' '.mounts += [{destination: "/etc/cron.d", type: "tmpfs", source: "tmpfs"}]'
	eventually 10 grep -qx 'from a job of root' "$T/$ID.out"
	rt delete --force "$ID"
}

@test "a cron job writes to /proc/1/fd/1, which is the container's output" {
	both cron_logs
}

# What s6-overlay does first, and then s6 with a service, which ends the container.
s6_runs() {
	running '[ $$ = 1 ] || { echo "fatal: can only run as pid 1"; exit 100; }
		mkdir -p /tmp/scan/.s6-svscan /tmp/scan/hello
		printf "#!/bin/sh\necho parent of the parent: \$(cut -d\" \" -f4 /proc/\$PPID/stat | grep -c .)\nexec sleep 1000\n" >/tmp/scan/hello/run
		printf "#!/bin/sh\necho finished as \$\$\n" >/tmp/scan/.s6-svscan/finish
		chmod +x /tmp/scan/hello/run /tmp/scan/.s6-svscan/finish
		exec s6-svscan /tmp/scan' "$PID1"
	eventually 10 grep -q 'parent of the parent' "$T/$ID.out"
	inside 's6-svstat -o up /tmp/scan/hello; s6-svc -wd -T 5000 -d /tmp/scan/hello; s6-svstat -o up /tmp/scan/hello'
	out_is "$(printf 'true\nfalse')"
	rt exec "$ID" bash -c 'kill -TERM 1' # and may end with it
	wait_state "$ID" stopped
	is "$(tail -1 "$T/$ID.out")" 'finished as 1'
	rt delete "$ID"
}

@test "s6 as process 1" {
	both s6_runs
}

# runit exits at once with 111 when getpid does not say 1.
runit_runs() {
	running 'mkdir -p /etc/runit /tmp/sv/hello
		printf "#!/bin/sh\necho stage 1\n" >/etc/runit/1
		printf "#!/bin/sh\nexec runsvdir /tmp/sv\n" >/etc/runit/2
		printf "#!/bin/sh\nsv force-stop /tmp/sv/hello; echo stage 3\n" >/etc/runit/3
		printf "#!/bin/sh\necho service; exec sleep 1000\n" >/tmp/sv/hello/run
		chmod +x /etc/runit/[123] /tmp/sv/hello/run
		touch /run/runit.stopit; chmod 100 /run/runit.stopit
		exec runit' '.mounts += [{destination: "/etc/runit", type: "tmpfs", source: "tmpfs"}] | '"$PID1"
	eventually 10 grep -qx service "$T/$ID.out"
	inside 'kill -CONT 1'
	eventually 10 grep -qx 'stage 3' "$T/$ID.out"
	rt delete --force "$ID"
}

@test "runit as process 1" {
	both runit_runs
}

@test "without the annotation they find that they are not" {
	ours || skip "they are"
	program_in 'exec runit'
	is "$rc" 111
	has "$T/err" 'must be run as process no 1'
}
