# SPDX-License-Identifier: Apache-2.0
# Which overload a call means: what g++ said of the same text is kept here, and g++ is asked again
# where there is one.
. test/cli/lib.sh
want='[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 7, 7, 7, 7, 1, 8, 9, 13, 14, 13, 7, 10, 9, 8, 4, 13, 1, 1, 1, 1, 1, 3, 2, 1, 1, 1, 1, 2, 1, 2, 3, 2, 1, 2, 2, 1, 1, 2, 1, 2, 2, 2, 1, 2, 2, 1, 2, 1, 2, 1, 2, 3, 3, 4, 1, 1, 2, 3, 2, 1, 1, 2, 2, 1, 1, 2, 2, 1, 2, 0, 0, 0, 0, 0, 0, 0]'
for device in interp sim; do
    exits 0 "$want" "$TERN" run test/cuda/overloads.cu:overloads --device $device --grid 1 --block 1 \
        -a 'out=zeros(90,i32)' -a i=5 -a f=1.5 --print out
done
cat >"$work/main.cc" <<'END'
#include <cstdio>
#define __device__
#define __global__
#include "overloads.cu"
int main() {
    int out[90];
    overloads(out, 5, 1.5f);
    for (int i = 0; i < 90; i++) printf("%s%d", i ? ", " : "[", out[i]);
    printf("]\n");
}
END
if g++ --version >/dev/null 2>&1; then
    check 'g++ takes it' g++ -w -std=c++17 -Itest/cuda "$work/main.cc" -o "$work/overloads"
    exits 0 "$want" "$work/overloads"
else
    skip 2 'no g++'
fi
finish
