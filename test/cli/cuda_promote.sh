# SPDX-License-Identifier: Apache-2.0
# Promotions and conversions, each type with each, by value and type: g++ is the judge.
. test/cli/lib.sh
if ! g++ --version >/dev/null 2>&1 || ! python3 -c 1 2>/dev/null; then
    skip 31 'no g++ or no python3'
    finish
fi
python3 test/cli/cuda_promote.py "$work/k.cu" "$work/k.cc" >"$work/kernels"
check 'g++ takes it' g++ -w -fwrapv -O0 -std=c++17 "$work/k.cc" -o "$work/k"
"$work/k" >"$work/want"
same() { # same DEVICE NAME COUNT ARGUMENT..
    device=$1 name=$2 count=$3
    shift 3
    "$TERN" run -q "$work/k.cu:k_$name" --device "$device" --grid 1 --block 1 -a "out=zeros($count,u64)" "$@" \
        -o "out=$work/out.npy" && python3 test/cli/cuda_promote.py same "$work/out.npy" "$name" "$work/want"
}
for device in interp sim; do
    while read -r name count arguments; do
        # shellcheck disable=SC2086  # arguments are several words
        check "$name on $device" same $device "$name" "$count" $arguments </dev/null
    done <"$work/kernels"
done
finish
