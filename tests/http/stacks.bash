# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Two network namespaces with a link between them, so that a test can choose addresses, names and
# ports: the server has 192.0.2.1, the runtime and its containers have 192.0.2.2 and resolve the
# names of $NAMES.

stacks() {
	FAR=$(stack far) NEAR=$(stack near)
	nsenter --net="/proc/$NEAR/ns/net" ip link add near type veth peer name far netns "$FAR"
	stack_up "$FAR" far 192.0.2.1/24
	stack_up "$NEAR" near 192.0.2.2/24
	printf '192.0.2.1 %s\n' $NAMES >"$T/hosts"
	cat >"$T/in-near" <<END
#!/bin/sh
exec nsenter --net=/proc/$NEAR/ns/net unshare --mount sh -c 'mount --bind "$T/hosts" /etc/hosts; exec "$RUNTIME" "\$@"' - "\$@"
END
	chmod +x "$T/in-near"
	RUNTIME=$T/in-near
}

stacks_end() {
	local pid
	for pid in ${FAR_SERVERS:-} ${FAR:-} ${NEAR:-}; do kill "$pid" 2>/dev/null || true; done
}

# stack NAME: starts a process with a network namespace of its own, and prints its pid.
stack() {
	env -u SANDLOCK_TEST_MARK unshare --net sh -c 'ip link set lo up; echo up; exec sleep 300' >"$T/$1" 2>&1 3>&- &
	eventually 5 grep -q up "$T/$1"
	echo $!
}

stack_up() {
	nsenter --net="/proc/$1/ns/net" sh -c "ip addr add $3 dev $2; ip link set $2 up"
}

# far COMMAND...: runs it in the server's network namespace.
far() {
	nsenter --net="/proc/$FAR/ns/net" "$@"
}

# serve_far COMMAND...: starts a server there, and waits until it answers on port 80.
serve_far() {
	env -u SANDLOCK_TEST_MARK nsenter --net="/proc/$FAR/ns/net" "$@" >"$T/server.log" 2>&1 3>&- &
	FAR_SERVERS="${FAR_SERVERS:-} $!"
	eventually 10 far curl -s -o /dev/null http://192.0.2.1/ready
	eventually 5 grep -q ready "$T/served"
	: >"$T/served"
}

# nginx_far SERVERS: nginx with these server blocks; $T/served has "host method path" of each request.
nginx_far() {
	cat >"$T/nginx.conf" <<END
daemon off; master_process off; pid $T/nginx.pid; error_log $T/nginx.err;
events {}
http {
	log_format uri '\$host \$request_method \$uri';
	access_log $T/served uri;
	client_body_temp_path $T/nb; proxy_temp_path $T/np; fastcgi_temp_path $T/nf; uwsgi_temp_path $T/nu; scgi_temp_path $T/ns;
	$1
}
END
	serve_far nginx -c "$T/nginx.conf" -e "$T/nginx.err"
}
