#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tern build: what it writes is compiled by the compilers that are here, with hard warnings, and
# used by programs that know nothing of tern.
. test/cli/lib.sh
# shellcheck disable=SC2086
out=$work/out
hard='-std=c11 -Wall -Wextra -Wpedantic -Wshadow -Werror'
signature='*{fp32,fp16}:16?,*{0}:16?,i32:16?,i32:16?,i32:16?,{1024,4096}'
matmul='*fp32,*fp32,*fp32,i32,i32,i32,i32,i32:1,i32,i32:1,i32,i32:1,32,32,32,8'

check 'softmax is built' "$TERN" build kernels/softmax.py --name softmax -o "$out" \
    --require 'columns <= BLOCK' --sig "$signature"
check 'matmul is built' "$TERN" build kernels/matmul.py:matmul_kernel --name matmul -o "$out" --sig "$matmul"
if command -v python3 >/dev/null; then
    check 'the description is JSON' python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); assert len(d["functions"][0]["forms"]) == 4' "$out/softmax.json"
else skip 1 'python3 is not here'; fi

have() { command -v "$1" >/dev/null 2>&1; }
for cc in gcc clang; do
    have $cc || { skip 6 "$cc is not here"; continue; }
    rm -f "$work/softmax" "$work/matmul" "$out"/*.o
    for kernel in softmax matmul; do
            check "$cc compiles $kernel.c" $cc $hard -O2 -fPIC -c "$out/$kernel.c" -o "$out/$kernel.o"
    done
    check "$cc: only the kernel's names" sh -c "nm '$out/softmax.o' | grep ' [A-TV-Z] ' | grep -v ' U ' | grep -qv ' softmax_'; [ \$? = 1 ]"
    $cc -std=gnu11 -O1 -I"$out" test/build/softmax.c "$out/softmax.o" -o "$work/softmax" -pthread -ldl -lm
    check "$cc: softmax" "$work/softmax"
    check "$cc: softmax on one thread" env SOFTMAX_CPU=1 "$work/softmax" 1
    check "$cc: softmax for any CPU" env SOFTMAX_CPU=0 "$work/softmax"
    if [ "${TERN_TEST_DEVICE:-}" = cuda ]; then check "$cc: softmax on the GPU" "$work/softmax" cuda; fi
    $cc -std=gnu11 -O1 -I"$out" test/build/matmul.c "$out/matmul.o" "$out/softmax.o" -o "$work/matmul" \
        -pthread -ldl -lm
    check "$cc: matmul beside softmax" "$work/matmul"
done
# ---- C++, and all in the header ----
"$TERN" build kernels/softmax.py --name softmax -o "$work/header" --require 'columns <= BLOCK' --sig "$signature" --header-only -q
check 'header only: no source' test ! -e "$work/header/softmax.c"
for language in c11 c++17; do
    printf '#include "softmax.h"\n#define SOFTMAX_IMPLEMENTATION\n#include "softmax.h"\n' >"$work/late.$language"
    printf '#define SOFTMAX_IMPLEMENTATION\n#include "softmax.h"\n' >"$work/whole.$language"
done
strict='-Wall -Wextra -Wpedantic -Wshadow -Werror'
for cc in gcc clang g++ clang++; do
    case $cc in *++) language=c++17 as=c++ ;; *) language=c11 as=c ;; esac
    have $cc || { skip 3 "$cc is not here"; continue; }
    check "$cc -std=$language takes all of it in the header" \
        $cc -std=$language $strict -O1 -I"$work/header" -x $as -c "$work/whole.$language" -o "$work/whole.o"
    cc -std=gnu11 -O1 -I"$work/header" -c test/build/softmax.c -o "$work/user.o"
    cc "$work/user.o" "$work/whole.o" -o "$work/whole" -pthread -ldl -lm
    check "$cc: softmax out of its header" "$work/whole"
    case $cc in
    gcc) exits 1 'define _GNU_SOURCE before the first #include' \
        gcc -std=c11 -I"$work/header" -x c -c "$work/late.c11" -o "$work/late.o" ;;
    clang) skip 1 'gcc has said it' ;;
    *) for kernel in softmax matmul; do
            check "$cc takes $kernel.c" $cc -std=c++17 $strict -O1 -x c++ -c "$out/$kernel.c" -o "$work/$kernel.o"
        done ;;
    esac
done

# ---- how others find it ----
if have pkg-config; then
    cc -std=c11 -O1 -c "$out/softmax.c" -o "$work/softmax.o" && ar rcs "$out/libsoftmax.a" "$work/softmax.o"
    flags=$(PKG_CONFIG_PATH=$out pkg-config --cflags --libs softmax)
    cc -std=gnu11 test/build/softmax.c $flags -o "$work/found"
    check 'pkg-config names what is needed' "$work/found"
else skip 1 'pkg-config is not here'; fi
if have cmake; then
    printf '%s\n' 'cmake_minimum_required(VERSION 3.13)' 'project(user C)' 'find_package(softmax REQUIRED)' 'find_package(softmax REQUIRED)' \
        "add_executable(user $PWD/test/build/softmax.c)" 'target_link_libraries(user softmax::softmax)' >"$work/CMakeLists.txt"
    for shared in OFF ON; do
        check "CMake builds it, shared $shared" sh -c "cmake -S '$work' -B '$work/cmake$shared' -DCMAKE_PREFIX_PATH='$out' -DBUILD_SHARED_LIBS=$shared && cmake --build '$work/cmake$shared'"
        check "and it runs, shared $shared" "$work/cmake$shared/user"
    done
else skip 4 'cmake is not here'; fi

# ---- products of int8: a text for VNNI, which other kernels have no use for ----
cat >"$work/bytes.py" <<'END'
import triton
import triton.language as tl
@triton.jit
def bytes_kernel(a, b, c):
    i = tl.arange(0, 32)
    at = i[:, None] * 32 + i[None, :]
    tl.store(c + at, tl.dot(tl.load(a + at), tl.load(b + at)))
END
check 'a product of int8 is built' "$TERN" build "$work/bytes.py" --name bytes -o "$work" -q --sig '*i8,*i8,*i32'
check 'it has a text for VNNI' grep -q 'tern_kernel_0_avx512vnni' "$work/bytes.c"
check 'softmax has none' sh -c "! grep -q 'tern_kernel_0_avx512vnni' '$out/softmax.c'"
check 'and asks for no tiles' sh -c "! grep -q 'tern_has_tiles\|amx' '$work/bytes.c'"
sed 's/32/64/g' "$work/bytes.py" >"$work/tiles.py"
check 'a larger product is built' "$TERN" build "$work/tiles.py" --name tiles -o "$work" -q --sig '*i8,*i8,*i32'
check 'it has a text for AMX' grep -q 'tern_kernel_0_amx' "$work/tiles.c"
check 'for processes that may have tiles' grep -q 'there\[\] = .*tern_has_tiles()' "$work/tiles.c"
for cc in gcc clang; do
    have $cc || { skip 6 "$cc is not here"; continue; }
    check "$cc compiles tiles.c" $cc $hard -O2 -I"$work" -c "$work/tiles.c" -o "$work/tiles.o"
    check "$cc compiles bytes.c" $cc $hard -O2 -I"$work" test/build/bytes.c "$work/bytes.c" -o "$work/bytes" -pthread -ldl
    for cpu in 0 1 2 3; do check "$cc: on CPUs of level $cpu" env BYTES_CPU=$cpu "$work/bytes"; done
done

# ---- size: two BLOCKs, with and without divisibility, for four targets ----
"$TERN" build kernels/softmax.py --name small -o "$work" -q --sig '*fp32:16?,*fp32:16?,i32:16?,i32:16?,i32:16?,{1024,4096}' \
    --target cpu:generic --target cpu:avx2 --target cpu:avx512 --target sm_80
cc -O2 -c "$work/small.c" -o "$work/small.o"
check 'the object has at most 100 KB' sh -c "[ \$(size '$work/small.o' | awk 'NR == 2 { print \$4 }') -le 102400 ]"

# Python's rules for // and %, on both sides of 0.
check 'a requirement with // and %' "$TERN" build kernels/softmax.py --name ruled -o "$out" --sig '*fp32,*fp32,i32,i32,i32,1024' \
    --require 'x_stride // 3 == -2 and x_stride % 3 == 2 and not (out_stride < columns <= BLOCK)' --target cpu:generic
cc -std=c11 -I"$out" test/build/ruled.c "$out/ruled.c" -o "$work/ruled" -pthread -ldl -lm
check 'it holds where Python says so' "$work/ruled"

# ---- sanitizers ----
if cc -fsanitize=thread test/build/ruled.c -I"$out" -c -o "$work/none.o" 2>/dev/null; then
    for sanitizer in thread address,undefined; do
        cc -std=gnu11 -O1 -g -fsanitize=$sanitizer -fno-sanitize-recover=all -I"$out" test/build/softmax.c "$out/softmax.c" \
            -o "$work/sanitized" -pthread -ldl -lm
        check "softmax under $sanitizer" env TSAN_OPTIONS=die_after_fork=0 "$work/sanitized"
    done
else skip 2 'cc has no sanitizers'; fi

# ---- a GPU's driver, in its place a library that writes down what it is asked ----
driver=$work/driver.so log=$work/log
cc -shared -fPIC test/build/driver.c -o "$driver"
cc -std=c11 -I"$out" test/build/on_driver.c "$out/softmax.c" -o "$work/on_driver" -pthread -ldl -lm
on="$work/on" # on VARIABLE=VALUE ..: runs with that driver
cat >"$on" <<END
#!/bin/sh
rm -f "$log"
exec env SOFTMAX_LIBCUDA="$driver" DRIVER_LOG="$log" DRIVER_ARGS=ppiii "\$@" "$work/on_driver"
END
chmod +x "$on"
launches() { "$on" "$@" >/dev/null && grep -qF "$words" "$log"; }
words='launch softmax_kernel grid 3 1 1 threads 128 shared some stream 5: 4096 8192 32 48 1000'
check 'a launch has the grid, the stream and the arguments' launches A=b
check 'each form is loaded once' sh -c "[ \$(grep -c load '$log') = 2 ]"
check 'also with contexts that have no number' launches DRIVER_OLD=1
words='.target sm_75'
check 'the text for the least device' launches DRIVER_CAPABILITY=120
exits 1 'cpu -1 softmax: a stream is given' "$on" DRIVER_CAPABILITY=70
exits 1 "cuda -5 softmax: the driver says 'made up' (999) when it should load the kernel" "$on" DRIVER_FAIL=cuModuleLoadDataEx
exits 1 'ptxas says no' "$on" DRIVER_FAIL=cuModuleLoadDataEx
exits 1 'when it should launch the kernel' "$on" DRIVER_FAIL=cuLaunchKernel
exits 1 'when it should prepare the kernel' "$on" DRIVER_FAIL=cuModuleGetFunction
exits 1 'there is no CUDA driver' env SOFTMAX_LIBCUDA=/nonexistent "$work/on_driver" cuda
# Machine code, where an assembler is here: of the same major capability; else, and where the driver is
# too old for it, the text.
if have ptxas; then
    mkdir "$work/ptx" && mv "$work/on_driver" "$work/ptx/"
    check 'softmax is built with machine code' "$TERN" build kernels/softmax.py --name softmax -o "$work/cubin" -q \
        --require 'columns <= BLOCK' --sig "$signature" --cubin sm_80 --cubin sm_90a
    cc -std=c11 -I"$work/cubin" test/build/on_driver.c "$work/cubin/softmax.c" -o "$work/on_driver" -pthread -ldl -lm
    words='load machine code'
    check 'machine code is loaded' launches A=b
    check 'and no text' sh -c "! grep -q .target '$log'"
    check 'of the same major capability' launches DRIVER_CAPABILITY=86
    exits 0 'cuda 0' "$on" DRIVER_CAPABILITY=75
    check 'not of another' sh -c "! grep -q 'machine code' '$log' && grep -q '.target sm_75' '$log'"
    exits 0 'cuda 0' "$on" DRIVER_OLD=1
    check 'a driver that is too old gets the text' sh -c "grep -q 'machine code' '$log' && grep -q '.target sm_75' '$log'"
    mv "$work/ptx/on_driver" "$work/on_driver"
    exits 2 "there is no GPU target 'sm_1'" $TERN build kernels/softmax.py -o "$work/no" --sig '*fp32,*fp32,i32,i32,i32,1024' --cubin sm_1
else skip 9 'ptxas is not here'; fi
exits 4 "there is no 'ptxas' on PATH" env PATH=/nonexistent "$TERN" build kernels/softmax.py -o "$work/no" \
    --sig '*fp32,*fp32,i32,i32,i32,1024' --cubin sm_80
for symbol in cuInit cuDeviceGetCount cuDeviceGet; do
    exits 1 'cpu -1' "$on" DRIVER_FAIL=$symbol
done

# ---- what is refused ----
build="$TERN build kernels/softmax.py -o $work/no"
p='*fp32,*fp32,i32,i32,i32'
exits 2 '--sig is missing' $build
exits 2 "a '{' without '}'" $build --sig "$p,{1024"
exits 2 'an empty alternative' $build --sig "$p,{1024,}"
exits 2 'braces inside of braces' $build --sig "$p,{1024,{2048}}"
exits 2 "unexpected at '?" $build --sig "$p?,1024"
exits 2 'stands for more than 256 signatures' $build --sig "$p,{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17}{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}"
exits 2 "'a-b' cannot be a name in C" $build --sig "$p,1024" --name a-b
exits 2 "names 'rows', which is no parameter" $build --sig "$p,1024" --require 'rows < BLOCK'
exits 2 "names 'x_ptr', which is no integer" $build --sig "$p,1024" --require 'x_ptr > 0'
exits 3 'a divisor in a requirement is an integer above 0' $build --sig "$p,1024" --require 'columns % 0 == 0'
exits 3 'a requirement is made of' $build --sig "$p,1024" --require 'f(columns)'
exits 3 'may not fit 128 bits' $build --sig "$p,1024" --require 'columns * columns * columns > 0'
exits 2 "there is no CPU target 'cpu:mmx'" $build --sig "$p,1024" --target cpu:mmx
exits 2 "machine code is made for a GPU" $build --sig "$p,1024" --cubin cpu:avx2
printf '%s\n' 'import triton' 'import triton.language as tl' '@triton.jit' 'def k(x, B: tl.constexpr):' '    i = tl.arange(0, B)' \
    '    a = tl.inline_asm_elementwise("not.b32 $0, $1;", "=r,r", [tl.load(x + i)], dtype=tl.int32, is_pure=True, pack=1)' \
    '    tl.store(x + i, a)' >"$work/asm.py"
exits 3 'inline assembly, on a CPU' "$TERN" build "$work/asm.py" -o "$work/no" --sig '*i32,64' --target cpu:generic
exits 3 'the target has no text' $build --sig "$p,1024" --target interp
check 'nothing was written' sh -c "[ ! -e '$work/no' ]"
finish
