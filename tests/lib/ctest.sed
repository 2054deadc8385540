# SPDX-License-Identifier: Apache-2.0
# ctest's own lines as TAP (sed -nE -f); a test that was skipped or not run has failed.
s/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: ([^ ]+) \.* +Passed .*/ok - \1/p
t
s/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: ([^ ]+) \.*(.*)/not ok - \1 (\2)/p
t
s/^No tests were found.*/not ok - &/p
t
/^(Test project|Internal ctest| +Start|The following|Errors while|Total Test|[0-9]+% tests|Label Time|unit +=|$)/d
s/^/# /p
