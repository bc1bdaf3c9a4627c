# SPDX-License-Identifier: Apache-2.0
# C++ in kernels means what g++ says it does: test/cuda/cpp.cu through both.
. test/cli/lib.sh

same() {
    g++ -std=c++17 -w -x c++ -DKERNEL="$1" -DSOURCE='"cpp.cu"' -Itest/cuda test/cuda/emulate.h \
        -o "$work/emulated" && "$work/emulated" >"$work/want" || return 1
    "$TERN" run "test/cuda/cpp.cu:$1" --device "$2" --grid 2 --block 32 \
        -a 'out=zeros(512,i32)' -a "in=@$work/in.npy" -o "out=$work/out.npy" -q || return 1
    tail -c 2048 "$work/out.npy" | cmp - "$work/want"
}

if command -v g++ >/dev/null; then
    { # in[i] = i * 7 % 50
        printf '\223NUMPY\001\000\166\000'
        printf "%-117s\n" "{'descr': '<i4', 'fortran_order': False, 'shape': (64,), }"
        i=0
        while [ $i -lt 64 ]; do
            printf "\\$(printf %03o $((i * 7 % 50)))\\000\\000\\000"
            i=$((i + 1))
        done
    } >"$work/in.npy"
    for kernel in templates classes lambdas values conditions spaces literals sizes regions strings; do
        for device in sim interp cpu; do
            check "g++ and $device agree about $kernel" same $kernel $device
        done
    done
else
    skipped=1
fi
finish
