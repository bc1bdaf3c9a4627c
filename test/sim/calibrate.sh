#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What sim counts for the micro-kernels is what a GPU's own counters gave (tools/sim-calibrate). Without
# measured numbers only that every kernel runs and has all its counts is tested.
build=${BUILD:-build}
golden=test/sim/calibrate.h200
got=$(mktemp) || exit 1
trap 'rm -f "$got"' EXIT
passed=0 failed=0 skipped=0
kernels=$(grep -c '^[a-z]' test/sim/calibrate.list)
if tools/sim-calibrate --sim "$build" >"$got" && [ "$(wc -l <"$got")" = "$kernels" ] &&
    ! grep -q 'missing' "$got" && [ "$(awk 'NF == 17' "$got" | wc -l)" = "$kernels" ]; then
    passed=1
else
    failed=1
    cat "$got"
fi
if [ -f $golden ]; then
    # Numbers that only one of the two has are passed over.
    awk '
        /^#/ { next }
        {
            for (i = 2; i <= NF; i++) {
                split($i, part, "=")
                if (FILENAME != "-") measured[$1, part[1]] = part[2]
                else if (($1, part[1]) in measured) {
                    compared++
                    if (measured[$1, part[1]] == part[2]) same++
                    else printf "FAILED: %s: %s: measured %s, sim %s\n", $1, part[1], measured[$1, part[1]], part[2]
                }
            }
        }
        END { print compared + 0, same + 0 }' $golden - <"$got" >"$got.compared"
    grep FAILED "$got.compared"
    same=$(tail -n 1 "$got.compared" | cut -d ' ' -f 2)
    compared=$(tail -n 1 "$got.compared" | cut -d ' ' -f 1)
    rm -f "$got.compared"
    [ "$compared" -gt 0 ] || { compared=1 && echo "FAILED: $golden has nothing to compare"; }
    passed=$((passed + same)) failed=$((failed + compared - same))
else
    skipped=1
    echo "skipped: no measured numbers in $golden"
fi
echo "test/sim/calibrate.sh: $passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
