# SPDX-License-Identifier: Apache-2.0
# --builder nvrtc: with a library that compiles nothing, and with NVIDIA's where there is one.
. test/cli/lib.sh
cc=${CC:-cc}
unset CUDA_HOME
export TERN_CACHE_DIR= # the mock gives what it is told, whatever the text
source=test/cuda/nvrtc.cu
# Of the element 0: 2 * (0 + 3 + 0.5) * 2, and 63, the index of the thread opposite.
cat >"$work/mixed" <<END
#!/bin/sh
"$TERN" run "$source:mixed<float>" --builder nvrtc --device "\$1" --grid 2 --block 64 --shared 256 \\
    -a 'task=(100,true,arange(100))' -a 'y=zeros(100)' -a add=3 --print y
END
chmod +x "$work/mixed"
want='[77, 80, 83, 86, 89,'

cat >"$work/wrong.cu" <<'END'
__global__ void wrong(float *y) {
    y[0] = unknown;
}
END

# ---- a library that is not there, or not as it should be ----
exits 3 "builder 'nvrtc': there is no NVRTC here: $work/none.so" env TERN_NVRTC="$work/none.so" \
    "$TERN" show "$source:bounded" --builder nvrtc --device sim --block 64 --stage ptx
exits 3 "TERN_NVRTC names the library's file" env TERN_NVRTC="$work/none.so" \
    "$TERN" show "$source:bounded" --builder nvrtc --device sim --block 64 --stage ptx
exits 2 "no builder 'gcc': there is 'nvrtc'" \
    "$TERN" show "$source:bounded" --builder gcc --device sim --block 64 --stage ptx
for device in cpu interp; do
    exits 3 'NVRTC makes PTX: devices cuda and sim' \
        "$TERN" run "$source:bounded" --builder nvrtc --device $device --grid 1 --block 64 -a 'y=zeros(64)'
done
exits 3 'for devices cuda and sim NVRTC compiles it: --builder nvrtc' \
    "$TERN" run "$source:recurses" --device interp --grid 1 --block 1 -a 'y=zeros(1,f64)'

if $cc -shared -fPIC -Isrc test/mock/libnvrtc_mock.c -o "$work/mock.so" 2>/dev/null; then
    export TERN_NVRTC="$work/mock.so" MOCK_NVRTC_SEEN="$work/seen"
    exits 3 "$work/mock.so is NVRTC 11.1; 11.2 or newer is needed" env MOCK_NVRTC_VERSION=111 \
        "$TERN" show "$source:bounded" --builder nvrtc --device sim --block 64 --stage ptx
    exits 3 "$work/mock.so is NVRTC 0.0; 11.2 or newer is needed" env MOCK_NVRTC_VERSION=0 \
        "$TERN" show "$source:bounded" --builder nvrtc --device sim --block 64 --stage ptx
    for version in 112 120; do
        exits 2 'NVRTC: no words of mine' env MOCK_NVRTC_VERSION=$version \
            MOCK_NVRTC_LOG='no words of mine' \
            "$TERN" show "$source:bounded" --builder nvrtc --device sim --block 64 --stage ptx
    done
    printf 'int nvrtcVersion(int *a, int *b) { return *a = 13, *b = 0; }' >"$work/part.c"
    $cc -shared -fPIC "$work/part.c" -o "$work/part.so"
    exits 3 "$work/part.so has no nvrtcCreateProgram" env TERN_NVRTC="$work/part.so" \
        "$TERN" show "$source:bounded" --builder nvrtc --device sim --block 64 --stage ptx
    exits 2 'wrong.cu:2:5: error: NVRTC: identifier "unknown" is undefined' env \
        MOCK_NVRTC_LOG="$work/wrong.cu(2): error: identifier \"unknown\" is undefined
      y[0] = unknown;
1 error detected in the compilation of \"$work/wrong.cu\"." \
        "$TERN" show "$work/wrong.cu:wrong" --builder nvrtc --device sim --block 64 --stage ptx
    cp "$work/.out" "$work/said"
    check 'what it says ends with its line' sh -c "! grep -q 'y\[0\] = \$' '$work/said'"
    exits 2 'error: NVRTC: nvrtc: error: invalid value for --gpu-architecture (-arch)' env \
        MOCK_NVRTC_LOG='nvrtc: error: invalid value for --gpu-architecture (-arch)' \
        "$TERN" show "$work/wrong.cu:wrong" --builder nvrtc --device sim --block 64 --stage ptx
    exits 2 'NVRTC: a log in other words' env MOCK_NVRTC_LOG='a log in other words' \
        "$TERN" show "$work/wrong.cu:wrong" --builder nvrtc --device sim --block 64 --stage ptx

    # ---- what it is given, and what becomes of what it gives ----
    rm -f "$work/seen"
    export MOCK_NVRTC_PTX=test/cuda/nvrtc.ptx MOCK_NVRTC_ENTRY=_ZN2ns5mixedIfEEv4TaskPT_h
    exits 0 "$want" "$work/mixed" sim
    for seen in 'name: test/cuda/nvrtc.cu' '#line 1 "test/cuda/nvrtc.cu"' 'kernel: ns::mixed<float>' \
        'option: --gpu-architecture=compute_90a' 'option: --include-path=test/cuda/' 'header: iostream' \
        'header: torch/extension.h' '#include <cuda/std/limits>' 'template <int N, typename... Ts>' \
        '__device__ const float table[] = {0.5f, 2};' 'destroyed: once'; do
        check "it is given '$seen'" grep -qF -e "$seen" "$work/seen"
    done
    for hidden in of_the_host wrapper 'int main' 'header: cooperative_groups.h'; do
        check "'$hidden' is kept from it" sh -c "! grep -qF -e '$hidden' '$work/seen'"
    done
    check 'one entry is left' sh -c "'$TERN' show '$source:mixed<float>' --builder nvrtc --device sim \
        --block 64 --stage ptx | grep -c '\.entry' | grep -qx 1"
    exits 2 "NVRTC: its PTX has no entry 'mixed'" env MOCK_NVRTC_ENTRY=mixed \
        "$TERN" show "$source:mixed<float>" --builder nvrtc --device sim --block 64 --stage ptx
    exits 3 'the PTX has other parameters than the source' env MOCK_NVRTC_ENTRY=_Z7boundedPf \
        "$TERN" show "$source:mixed<float>" --builder nvrtc --device sim --block 64 --stage ptx
    exits 3 'a block of 65 threads; the source allows at most 64' env MOCK_NVRTC_ENTRY=_Z7boundedPf \
        "$TERN" run "$source:bounded" --builder nvrtc --device sim --grid 1 --block 65 -a 'y=zeros(65)'
    exits 3 "a variable that kernels share, 'outside'" env MOCK_NVRTC_ENTRY=_Z6sharesPf \
        "$TERN" show "$source:shares" --builder nvrtc --device sim --block 64 --stage ptx

    # A variable is known by the last of the names in its name.
    printf '%s\n' 'namespace ns { __device__ int counter; }' 'namespace counter7 { __device__ int of_it; }' \
        '__global__ void counts(int *y) {}' >"$work/counts.cu"
    for name in counter _ZN2ns7counterE _ZL7counter _ZN2ns3ten7counterE 'counter2 _Z8counter2' \
        'local _ZZ6countsPiE7counter' 'of_ns _ZN7counter2nsE' 'cut _ZN2ns9counter'; do
        printf '%s\n' '.version 8.0' '.target sm_90a' '.address_size 64' ".global .align 4 .u32 ${name#* } = 1;" \
            '.visible .entry _Z6countsPi(' ' .param .u64 p' ')' '{' ' .reg .b64 %a;' \
            " mov.u64 %a, ${name#* };" ' ret;' '}' >"$work/counts.ptx"
        case $name in
        *' '*) want_code=0 want_words='.entry _Z6countsPi' ;;
        *) want_code=3 want_words="a variable that kernels share, 'counter'" ;;
        esac
        exits $want_code "$want_words" env MOCK_NVRTC_PTX="$work/counts.ptx" MOCK_NVRTC_ENTRY=_Z6countsPi \
            "$TERN" show "$work/counts.cu:counts" --builder nvrtc --device sim --block 1 --stage ptx
    done
else
    skip 40 'no C compiler for the mock'
fi
unset TERN_NVRTC

# ---- NVIDIA's own ----
cat >"$work/program.cu" <<'END'
#include <cstdio>
template <typename... T> __device__ float total(T... t) { return (t + ...); }
template <typename T> __global__ void sums(T *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = total(i, 0.5f, (T)2); }
int main() {
    float *p, h[100];
    cudaMalloc(&p, sizeof h);
    sums<float><<<2, 64>>>(p, 100);
    printf("%s ", cudaGetErrorString(cudaDeviceSynchronize()));
    cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
    printf("%g %g\n", h[0], h[99]);
}
END
exits 3 'NVRTC makes PTX: devices cuda and sim' "$TERN" exec "$work/program.cu" --builder nvrtc --device cpu
exits 2 "no builder 'none': there is 'nvrtc'" "$TERN" exec "$work/program.cu" --builder none --device cpu
if "$TERN" show "$source:bounded" --builder nvrtc --device sim --block 64 --stage ptx >/dev/null 2>&1; then
    devices=sim
    "$TERN" run "$source:bounded" --builder nvrtc --device cuda --grid 1 --block 64 -a 'y=zeros(64)' \
        >/dev/null 2>&1 && devices='sim cuda'
    for device in $devices; do
        exits 0 "$want" "$work/mixed" $device
        exits 0 "sum 192" "$TERN" run "$source:bounded" --builder nvrtc --device $device --grid 1 \
            --block 64 -a 'y=zeros(64)'
        exits 0 'no error 2.5 101.5' "$TERN" exec "$work/program.cu" --builder nvrtc --device $device
        # By g++: steps(i), steps(i) + 1e12 * steps(i + 1), i * 0.5 - (i + 0.5), i^3 + floor(1000 * sin(i * 1e5))
        exits 0 '[0, 1000000000000, -1, 36, 1, 7000000000001, -1.5, -64, 7, 2000000000007, -2, 134,' "$TERN" run "$source:calls" \
            --builder nvrtc --device $device --grid 1 --block 32 -a 'y=zeros(128,f64)' --print y
        exits 0 '[1, 0, 0, 2, 1, 0]' "$TERN" run "$source:directed" --builder nvrtc --device $device --grid 1 \
            --block 1 -a 'y=zeros(6)' -a x=1.0 --print y
        "$TERN" run "$source:meet" --builder nvrtc --device $device --grid 6 --block 32 \
            -a 'x=arange(192,i32)' -a 'y=zeros(192,i32)' -a n=192 | grep '^[xy]:' >"$work/meet.$device"
        "$TERN" run "$source:meet" --device interp --grid 6 --block 32 \
            -a 'x=arange(192,i32)' -a 'y=zeros(192,i32)' -a n=192 | grep '^[xy]:' >"$work/meet.own"
        check "blocks meet on $device" cmp "$work/meet.$device" "$work/meet.own"
        check 'there is what was compared' test -s "$work/meet.own"
    done
    exits 3 "not supported: scopes nested so deep on device 'sim'" "$TERN" run "$source:recurses" --builder nvrtc \
        --device sim --grid 1 --block 1 -a 'y=zeros(1,f64)'
    exits 1 "not supported: this instruction or form in 'wmma.load" "$TERN" exec test/cuda/wmma.cu --builder nvrtc --device sim
    # A function that is called has tables of its own, which stay.
    "$TERN" show "$source:sines" --builder nvrtc --target sm_90a --block 64 --stage ptx >"$work/sines.ptx"
    check 'a table of a function stays' grep -q '^\.global .* __cudart_i2opi_d' "$work/sines.ptx"
    exits 2 'wrong.cu:2:5: error: NVRTC: identifier "unknown" is undefined' \
        "$TERN" show "$work/wrong.cu:wrong" --builder nvrtc --device sim --block 64 --stage ptx
    exits 3 "a variable that kernels share, 'outside'" \
        "$TERN" show "$source:shares" --builder nvrtc --device sim --block 64 --stage ptx
    # Functions of the host that a macro makes are blanked with its arguments; a header may come twice.
    cat >"$work/uses.cu" <<'EOF'
#include <stdio.h>
#include <stdio.h>
#include <cublas_v2.h>
#include "helper_cuda.h"
#define WRAPPER(name, type)                                                                        \
    torch::Tensor name##_wrapped(torch::Tensor x) { return launch<type>(x, #name); }
__global__ void twice(float *y) { y[threadIdx.x] *= 2; }
WRAPPER(twice, float)
WRAPPER(twice2, (float))
__global__ void thrice(float *y) { y[threadIdx.x] *= 3; }
EOF
    exits 0 'sum 192' "$TERN" run "$work/uses.cu:thrice" --builder nvrtc --device sim --grid 1 --block 64 \
        -a 'y=ones(64)' --print y
# Its PTX is kept, by all that it comes of.
mkdir "$work/cache"
printf '#define BY 2\n' >"$work/by.h"
printf '#include "by.h"\n__global__ void k(int *p) { *p = BY; }\n' >"$work/kept.cu"
kept() { # kept WANTED ENTRIES: what the kernel writes, how many texts there are
    exits 0 "[$1]" env TERN_CACHE_DIR="$work/cache" "$TERN" run "$work/kept.cu:k" --builder nvrtc --device sim \
        --grid 1 --block 1 -a 'p=zeros(1,i32)' --print p
    check "$2 texts are kept" test "$(find "$work/cache" -name '*.so' | wc -l)" = "$2"
}
kept 2 1
kept 2 1
printf '#define BY 3\n' >"$work/by.h"
kept 3 2
for text in "$work"/cache/*.so; do sed 's/, 3;/, 7;/' "$text" >"$work/other" && cp "$work/other" "$text"; done
kept 3 2
printf '#define BY __CUDACC_RTC__\n' >"$work/by.h"
kept 1 2
else
    skip 24 'no NVRTC'
fi
finish
