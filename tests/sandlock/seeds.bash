# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
#
# Commands as the users of the reference write them; each view's bats file has a test of each function.

seed_make() {
	printf 'all: out.o\nout.o: out.c\n\tcc -c -O1 out.c\n' >Makefile
	echo 'int answer(void) { return 42; }' >out.c
	[ "$VIEW" = tree ] || chown -R "$SOME_UID" .
	sl run -w . -r /usr -r /lib -r /bin -r /etc -m 4G -P 64 -t 1800 -- make -j4
	is "$rc" 0
	[ -s out.o ]
}

seed_agent() {
	cat >agent.py <<-'E'
		import os, socket
		print("key" if "OPENAI_API_KEY" in os.environ else "no key")
		for path in ("/etc/passwd", "/root", "/home", "/var"):
		    print(path, os.path.exists(path))
		try: socket.create_connection(("192.0.2.7", 443), 2)
		except OSError as e: print(e.strerror)
	E
	export OPENAI_API_KEY=secret
	sl run --http-allow "POST 192.0.2.8/v1/chat/completions" --http-deny "* */admin/*" \
		--http-inject-ca /etc/ssl/certs/ca-certificates.crt --credential openai=env:OPENAI_API_KEY \
		--http-auth "POST 192.0.2.8/v1/* bearer openai" -r /usr -r /lib -r /etc -w "$T/w" \
		-m 1G -P 32 -t 600 -- /usr/bin/python3 agent.py
	is "$rc" 0
	out_is "$(printf 'no key\n/etc/passwd True\n/root False\n/home False\n/var False\nConnection refused')"
}
