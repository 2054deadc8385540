# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# In the container, with the scheme as the argument: each program asks for something below /pub,
# which a rule allows, and for the same below /private. A line each: program, what it got from
# /pub, what it made of /private.
set -u
scheme=$1
at=$scheme://server.example
export HOME=/tmp/home PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore npm_config_update_notifier=false
mkdir -p $HOME

echo "curl $(curl -s "$at/pub/file.txt") $(curl -s -o /dev/null -w '%{http_code}' "$at/private/file.txt")"
echo "wget $(wget -qO- "$at/pub/file.txt") $(wget -SO /dev/null "$at/private/file.txt" 2>&1 | grep -o -m 1 ' 403 ' | tr -d ' ')"
echo "go $(/usr/bin/goclient "$at/pub/file.txt") $(/usr/bin/goclient "$at/private/file.txt" | grep -c policy)"
python3 /programs/client.py "$at/pub/file.txt" "$at/private/file.txt"
node /programs/client.mjs "$at/pub/file.txt" "$at/private/file.txt"

git clone -q "$at/pub/repo.git" "/tmp/git-$scheme" 2>&1
echo "git $(cat "/tmp/git-$scheme/file.txt") $(git ls-remote "$at/private/repo.git" 2>&1 | grep -o 403)"

pip() {
	python3 -m pip install -q --no-deps --trusted-host server.example --target "$1" --index-url "$2" hello 2>&1
}
pip "/tmp/pip-$scheme" "$at/pub/simple"
echo "pip $(PYTHONPATH=/tmp/pip-$scheme python3 -c 'import hello; print(hello.text)') $(pip /tmp/none "$at/private/simple" | grep -c 'No matching')"

npm() {
	command npm install --silent --no-audit --no-fund --prefix "$1" --registry "$2" @scope/hello 2>&1
}
npm "/tmp/npm-$scheme" "$at/pub/npm/"
echo "npm $(node -p "require('/tmp/npm-$scheme/node_modules/@scope/hello')") $(
	npm /tmp/none "$at/private/npm/"
	echo $?
)"
[ "$scheme" = http ] || echo "curl-h2 $(curl -s -o /dev/null -w '%{http_version} %{http_code}' --http2 "$at/pub/file.txt") $(curl -s -o /dev/null -w '%{http_code}' --http2 "$at/private/file.txt")"
