#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The ops of tern_tensor.h beside PyTorch, where $PYTHON has it: random shapes, layouts and types of each row of the table,
# gradients, functions that are no rows; printing, DLPack and .npy files; random programs, op by op and compiled. TORCH_COUNT: how many of each;
# TORCH_DEVICE: not interp; TORCH_SEED: not 1.
: "${PYTHON:=python3}" "${BUILD:=build}" "${TORCH_COUNT:=2}" "${TORCH_DEVICE:=interp}" "${TORCH_SEED:=1}"
passed=0 failed=0 skipped=0

add() { # output of a tool, whose last line is its summary
    printf '%s\n' "$1" | sed '$d'
    set -- $(printf '%s\n' "$1" | sed -n '$s/[^0-9 ]//gp')
    if [ $# = 3 ]; then
        passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
    else
        failed=$((failed + 1))
    fi
}

if [ -f "$BUILD/libtern.so" ] && "$PYTHON" -c 'import torch' 2>/dev/null; then
    for tool in 'torch-tensors --count '"$TORCH_COUNT" 'torch-tensors --gradients --count '"$TORCH_COUNT" \
        'torch-functions --count '"$TORCH_COUNT" 'torch-exchange --count '"$TORCH_COUNT"0; do
        add "$("$PYTHON" tools/$tool --library "$BUILD/libtern.so" --device "$TORCH_DEVICE" --seed "$TORCH_SEED" 2>&1)"
    done
    # Each property of each op: what is printed is a table.
    [ "$TORCH_COUNT" -lt 20 ] ||
        add "$("$PYTHON" tools/torch-tensors --table --library "$BUILD/libtern.so" --device "$TORCH_DEVICE" --seed "$TORCH_SEED" 2>&1)"
    add "$("$PYTHON" tools/torch-programs --tern "$BUILD/tern" --device "$TORCH_DEVICE" --count "$TORCH_COUNT" --seed "$TORCH_SEED" 2>&1)"
else
    echo "skipped: no PyTorch for $PYTHON, or no libtern.so (a sanitizer is on)"
    skipped=1
fi
echo "test/api/torch.sh: $passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
