# SPDX-License-Identifier: Apache-2.0
# tern exec of a program with streams, events, printf, assert and clock64, as its user expects them,
# waiting for each launch or not.
. test/cli/lib.sh
file=test/cuda/programs/streams.cu
for device in ${DEVICES:-cpu interp sim cuda}; do
    "$TERN" devices | grep -q "^$device[: ].*here" || { skip 7 "no $device here"; continue; }
    for blocking in 0 1; do
        export CUDA_LAUNCH_BLOCKING=$blocking
        exits 0 'wrong 0, time there, ticks there, query cudaSuccess' "$TERN" exec --device "$device" "$file"
        exits 3 'then: device-side assert triggered' "$TERN" exec --device "$device" "$file" -- 1
        exits 3 'then: no error' "$TERN" exec --device "$device" "$file" -- 1 2
    done
    "$TERN" exec --device "$device" "$file" >"$work/said" 2>&1
    check "both launches print on $device" test "$(grep -c '^block 0 of 4$' "$work/said")" = 2
done
finish
