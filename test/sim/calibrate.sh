#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What sim counts for the micro-kernels is what a GPU's own counters gave (tools/sim-calibrate). Without
# measured numbers only that every kernel runs and has all its counts is tested.
#
# NVIDIA's assembler makes vectors of accesses to neighbouring words, and drops loads whose value is not needed
# or already there. Sim counts the PTX. Where that was seen, in `fewer`, the GPU's numbers must be the smaller ones.
build=${BUILD:-build}
golden=test/sim/calibrate.h200
got=$(mktemp) || exit 1
trap 'rm -f "$got"' EXIT
fewer='gathered1:shared_store gathered1:shared_load gathered2:shared_store gathered8:shared_store
    gathered32_f16:shared_store summed:shared_load counted_same:shared_load counted_spread:shared_load
    product64_f32:shared_load'
passed=0 failed=0 skipped=0
kernels=$(grep -c '^[a-z]' test/sim/calibrate.list)
if tools/sim-calibrate --sim "$build" >"$got" && [ "$(wc -l <"$got")" = "$kernels" ] &&
    ! grep -q 'missing' "$got" && [ "$(awk 'NF == 21' "$got" | wc -l)" = "$kernels" ]; then
    passed=1
else
    failed=1
    cat "$got"
fi
if [ -f $golden ]; then
    # Numbers that only one of the two has are passed over.
    awk -v fewer="$fewer" '
        BEGIN { for (i = split(fewer, word, " "); i > 0; i--) may[word[i]] = 1 }
        /^#/ { next }
        {
            for (i = 2; i <= NF; i++) {
                split($i, part, "=")
                if (FILENAME != "-") measured[$1, part[1]] = part[2]
                else if (($1, part[1]) in measured) {
                    compared++
                    kind = part[1]
                    sub(/_[a-z]*$/, "", kind)
                    if (($1 ":" kind) in may) {
                        less = part[1] ~ /requests/ ? measured[$1, part[1]] < part[2] : measured[$1, part[1]] <= part[2]
                        if (less) same++
                        else printf "FAILED: %s: %s: measured %s, not less than sim, %s\n", $1, part[1], measured[$1, part[1]], part[2]
                    } else if (measured[$1, part[1]] == part[2]) same++
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
