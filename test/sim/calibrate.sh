#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What sim counts for the micro-kernels is what a GPU's own counters gave (tools/sim-calibrate). Without
# measured numbers only that every kernel runs and has plausible counts is tested.
build=${BUILD:-build}
golden=test/sim/calibrate.h200
got=$(mktemp) || exit 1
trap 'rm -f "$got"' EXIT
passed=0 failed=0 skipped=0
if tools/sim-calibrate --sim "$build" >"$got" && [ "$(awk 'NF == 7' "$got" | wc -l)" = "$(grep -c '^[a-z]' test/sim/calibrate.list)" ]; then
    passed=1
else
    failed=1
    cat "$got"
fi
if [ -f $golden ]; then
    while read -r name rest; do
        case $name in '#'*) continue ;; esac
        if grep -qx "$name $rest" "$got"; then passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "FAILED: measured $name $rest"
            echo "        sim      $(grep "^$name " "$got")"
        fi
    done <$golden
else
    skipped=1
    echo "skipped: no measured numbers in $golden"
fi
echo "test/sim/calibrate.sh: $passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
