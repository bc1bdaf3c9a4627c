#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tern build of what tern_fused_text gives: functions of tensors as plain C, by gcc alone and by g++ alone.
. test/cli/lib.sh
have() { command -v "$1" >/dev/null 2>&1; }
for name in layer_norm mlp; do
    env TERN_DEVICE=interp "$BUILD/examples/fused" $name >"$work/printed"
    # The file begins after the plan; above each kernel there is its signature.
    sed -n '/^import torch/,$p' "$work/printed" >"$work/$name.py"
    sed -n "s|^# \(${name}_[0-9]*\): \(.*\)|$work/$name.py:\1 --sig '\2'|p" "$work/$name.py" >>"$work/ship"
done
check 'three kernels' test "$(wc -l <"$work/ship")" = 3
check 'they are built' "$TERN" build --from "$work/ship" -o "$work/out"
for kernel in layer_norm_0 mlp_0 mlp_1; do
    check "$kernel is for GPUs, too" grep -q '"sm_90a"' "$work/out/$kernel.json"
done
strict='-Wall -Wextra -Wpedantic -Wshadow -Werror -O1'
for cc in 'gcc -std=c11' 'g++ -std=c++17 -x c++' 'clang -std=c11'; do
    have "${cc%% *}" || { skip 2 "${cc%% *} is not here"; continue; }
    rm -f "$work/fused"
    check "$cc takes it" $cc $strict -I"$work/out" test/build/fused.c "$work/out"/*.c -o "$work/fused" -pthread -ldl -lm
    # Its arrays are the host's: not on a GPU that is here.
    check 'it computes the same' env LAYER_NORM_0_LIBCUDA=/nonexistent MLP_0_LIBCUDA=/nonexistent \
        MLP_1_LIBCUDA=/nonexistent "$work/fused"
done
finish
