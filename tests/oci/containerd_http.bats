#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# alone: it looks at the sockets of all shims of the machine
# The annotations of a pod through containerd: one method, one path of a server whose certificate is
# of an authority of its own, and a key that the node gives to pods of one Kubernetes namespace.
export NEED_DEBIAN=1
load ../http/lib
load ../lib/ctr

pod_teardown() {
	[ -z "${SERVER:-}" ] || kill "$SERVER" 2>/dev/null || true
	unset SERVER
}

# served SCRIPT NAMESPACE [FLAGS...]: the script in a container of a pod of that namespace. The key is
# in the file $T/key, and in the environment of the runtime; SOURCE says from where the node takes it.
served() {
	pki
	echo "sk-$RANDOM$RANDOM" >"$T/key"
	jq -n --arg t "$T" --arg source "${SOURCE:-file:$T/key}" '{network: {localRules: "allow"}, http: {caBundle: ($t + "/ca.pem"), credentials: [{name: "model",
		source: $source, hosts: ["127.0.0.2"], namespaces: ["agents"]}]}}' >"$T/node.json"
	printf '#!/bin/sh\nMODEL_KEY=%s exec "%s" --config "%s" "$@"\n' "$(cat "$T/key")" "$RUNTIME" "$T/node.json" >"$T/with-policy"
	chmod +x "$T/with-policy"
	touch "$T/seen"
	"$REPO/tests/http/server.py" "$T/seen" "$T/srv.pem" "$T/srv.key" "127.0.0.2:$PORT" >"$T/server.log" 2>&1 3>&- &
	SERVER=$!
	eventually 5 grep -q ready "$T/seen"
	local a flags=()
	for a in "http.allow=POST 127.0.0.2/v1/*" "http.ports=$PORT" "config.http_inject_ca=/tmp/certs/bundle.crt" \
		"config.http_ca_env=true" "config.credential=model" "http.auth=POST 127.0.0.2/v1/* bearer model"; do
		flags+=(--annotation "io.sandlock.$a")
	done
	flags+=("${@:3}")
	RUNTIME=$T/with-policy ctr_run "$DEBIAN" "$MARK" --rm "${flags[@]}" --annotation "io.kubernetes.cri.sandbox-namespace=$2" \
		--mount "type=bind,src=$T/certs,dst=/tmp/certs,options=rbind:ro" -- bash -c "$1"
	pod_teardown
}

@test "a pod's request gets the key that the pod does not have; others are 403" {
	ours || skip "HTTP rules are this runtime's"
	local at=https://127.0.0.2:$PORT
	served "$(status -d x=1 $at/v1/chat); $(status -d x=1 $at/admin); $(status $at/v1/chat); env | grep -c sk-" agents
	is "$(cat "$T/out")" "$(printf '%s\n' 200 403 403 0)"
	is "$(seen)" "POST /v1/chat Bearer $(cat "$T/key") -"
}

@test "an agent in Python: its call has the key of the runtime's environment, which it cannot find" {
	ours || skip "HTTP rules are this runtime's"
	SOURCE=env:MODEL_KEY served "python3 - <<'END'
import os, urllib.error, urllib.request

def ask(method, path):
    request = urllib.request.Request('https://127.0.0.2:$PORT' + path, b'{}', method=method)
    try:
        return urllib.request.urlopen(request, timeout=10).status
    except urllib.error.HTTPError as e:
        return e.code

print(ask('POST', '/v1/chat/completions'), ask('GET', '/v1/chat/completions'), ask('POST', '/v1/../admin/keys'))
print('MODEL_KEY' in os.environ)
END" agents --env MODEL_KEY=placeholder
	is "$(cat "$T/out")" "$(printf '200 403 403\nFalse')"
	is "$(seen)" "POST /v1/chat/completions Bearer $(cat "$T/key") -"
}

@test "a pod of another namespace does not get the key: create says so" {
	ours || skip "HTTP rules are this runtime's"
	served true others
	[ "$rc" -ne 0 ]
	has "$T/err" 'the node policy gives this container no credential of that name'
	is "$(seen)" ""
}

@test "the sandbox of a pod, which has no bundle of certificates: it starts, and no request leaves it" {
	ours || skip "HTTP rules are this runtime's"
	served "$(status -k -d x=1 "https://127.0.0.2:$PORT/v1/chat"); curl -sk https://127.0.0.2:$PORT/ || echo \$?" agents \
		--annotation io.kubernetes.cri.container-type=sandbox --annotation "io.sandlock.network.allow=tcp://127.0.0.2" \
		--annotation io.sandlock.config.http_inject_ca=/nowhere/bundle.crt
	is "$(cat "$T/out")" "$(printf '%s\n' 000 7)"
	is "$(seen)" ""
}
