# SPDX-License-Identifier: Apache-2.0
# Templates with any number of parameters, by what g++ says of the same text.
. test/cli/lib.sh
want='[6, 15, 9, 392, 1, 42, 456, 2, 4, 6, 105, 3, 13, 129, 8, 12, 5]'
for device in interp sim; do
    exits 0 "$want" "$TERN" run test/cuda/packs.cu:packs --device $device --grid 1 --block 1 -a 'p=zeros(17,i32)' --print p
done
cat >"$work/main.cc" <<'END'
#include <cstdio>
#include <utility>
#define __device__
#define __global__
static struct { int x; } threadIdx;
#include "packs.cu"
int main() {
    int p[17];
    packs(p);
    for (int i = 0; i < 17; i++) printf("%s%d", i ? ", " : "[", p[i]);
    printf("]\n");
}
END
if g++ --version >/dev/null 2>&1; then
    check 'g++ takes it' g++ -w -std=c++17 -Itest/cuda "$work/main.cc" -o "$work/packs"
    exits 0 "$want" "$work/packs"
else
    skip 2 'no g++'
fi
cat >"$work/k.cu" <<'END'
template <typename... R> __device__ int sum(R... r) { return (r + ...); }
template <typename T, typename... R> __device__ int two(T t, R... r) { return sizeof...(r); }
__global__ void none(int *p) { p[0] = sum(); }
__global__ void few(int *p) { p[0] = two(); }
END
exits 2 "k.cu:4:38: error: no function 'two' takes ()" "$TERN" show "$work/k.cu:few" --block 1 --device sim --stage ptx
exits 2 "no function 'sum' takes ()" "$TERN" show "$work/k.cu:none" --block 1 --device sim --stage ptx
finish
