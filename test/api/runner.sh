#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The runner of run tests must see what is wrong: each file in test/run/wrong/ has one mistake in its
# case, and fails.
build=${BUILD:-build}
passed=0 failed=0
for file in test/run/wrong/*.py; do
    if "$build/test/api/run" --device interp "$file" | grep -q '^FAILED '; then
        passed=$((passed + 1))
    else
        echo "$file: the runner does not see the mistake"
        failed=$((failed + 1))
    fi
done
echo "test/api/runner.sh: $passed passed, $failed failed, 0 skipped"
[ $failed = 0 ] && [ $passed -gt 0 ]
