#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# fast
#
# The reader of profiles against the public corpus of TOML.

@test "the public corpus: valid documents have their values, invalid ones are refused with their place" {
	corpus=/usr/share/gocode/src/github.com/BurntSushi/toml/internal/toml-test/tests
	run "$BATS_TEST_DIRNAME/toml_corpus.py" "$SANDLOCK_BUILD/tests/helpers/toml" "$corpus"
	[ "$status" -eq 0 ]
	echo "$output"
	[[ $output =~ ^([0-9]+)\ valid,\ ([0-9]+)\ invalid$ ]]
	[ "${BASH_REMATCH[1]}" -ge 90 ]
	[ "${BASH_REMATCH[2]}" -ge 200 ]
}
