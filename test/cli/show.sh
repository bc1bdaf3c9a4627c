# SPDX-License-Identifier: Apache-2.0
# tern show: every stage, and what it says to misuse.
. test/cli/lib.sh
k=kernels/softmax.py
sig='*fp32:16,*fp32:16,i32,i32,i32,1024'

exits 0 'function softmax_kernel' $TERN show $k --stage ast
exits 0 'has no @triton.autotune' $TERN show $k --stage configs
exits 0 'func @softmax_kernel' $TERN show $k --stage ir --target interp --sig "$sig"
exits 0 'reduce' $TERN show $k --stage ir --target interp --sig "$sig"
exits 0 'tile<64xf32>' $TERN show $k --stage ir --target interp --sig '*fp32:16,*fp32:16,i32,i32,i32,BLOCK=64'
exits 0 'splat %7' $TERN show $k:softmax_kernel --stage ir:lower --target interp --sig "$sig"
exits 0 'func @softmax_kernel' $TERN show $k:softmax_kernel --stage ir:dce --target interp --sig "$sig"
exits 0 'form = placed, target = "sm_90a"' $TERN show $k --stage ir:place --sig "$sig"
exits 0 '{width = 1} : tile<1024xf32, #0>' $TERN show $k --stage ir:place --target sm_80 --sig "$sig"
exits 0 'scratch = [0], wait = [0]' $TERN show $k --stage ir:fence --sig "$sig"
exits 2 "no pass 'place' runs for target" $TERN show $k --stage ir:place --target cpu --sig "$sig"
exits 0 '"stage":"ir"' $TERN show $k --stage ir --target interp --json --sig "$sig"
exits 0 '"text":"func @softmax_kernel' $TERN show $k --stage ir --target interp --json --sig "$sig"
cat >"$work/k.py" <<'END'
import triton
import triton.language as tl
@triton.autotune(configs=[triton.Config({'B': b}, num_warps=w) for b in (64, 128) for w in (2, 4)], key=[])
@triton.jit
def f(x, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), 0.0)
END
exits 0 '3: B=128 num_warps=2' $TERN show "$work/k.py" --stage configs
exits 0 '"num_warps":4' $TERN show "$work/k.py" --stage configs --json
exits 0 'tile<128x' $TERN show "$work/k.py" --stage ir --target interp --config 3 --sig '*fp32'

# Text that was unrolled 64 times, of five kinds of nests, is written once, and called, by a loop over
# what was unrolled; a short text has no calls.
unrolled='*fp32:16,*fp32:16,*fp32:16,*i32:16,*fp32:16,i32,i32:16'
$TERN show test/run/unrolled.py --stage c --target cpu:generic --sig "$unrolled,64" >"$work/64.c"
$TERN show test/run/unrolled.py --stage c --target cpu:generic --sig "$unrolled,1" >"$work/1.c"
check 'copies of a nest are calls' grep -q '^ *\(if (\)\?piece[0-9]*(' "$work/64.c"
check 'which are a loop again' test "$(grep -c '^ *\(if (\)\?piece[0-9]*(' "$work/64.c")" -le 12
check 'a nest is written once' test "$(grep -c 'static [a-z]* piece[0-9]*(' "$work/64.c")" -le 5
check 'the text does not grow with its copies' test "$(wc -c <"$work/64.c")" -lt 40000
blocks='*fp32:16,*fp32:16,*fp32:16,*i32:16,i32,i32,*i32:16'
$TERN show test/run/unrolled_blocks.py --stage c --target cpu:generic --sig "$blocks,48" >"$work/48.c"
check 'ifs and loops are written once' test "$(wc -c <"$work/48.c")" -lt 40000
sed -n '/^static int program/,/^}/p' "$work/48.c" >"$work/program.c"
check 'with what is in them' test "$(grep -c 'for (\|} else' "$work/program.c")" -le 8
steps='*i32:16,*i32:16,*fp32:16,*i32:16,i32'
$TERN show test/run/unrolled_steps.py --stage c --target cpu:generic --sig "$steps,96" >"$work/96.c"
check 'steps are loops again' test "$(grep -c 'for (int r[0-9]* = 0; r[0-9]* < 95' "$work/96.c")" = 8
check 'with little text' test "$(wc -c <"$work/96.c")" -lt 42000
check 'a short text stays as it is' sh -c '! grep -q "piece[0-9]" "$0"' "$work/1.c"

# Each step once, in order; shares of all.
steps() { $TERN show $k --stage times --target "$1" --sig "$sig" | awk '$1 != "step" && $1 != "all" {
    sub(/ +[0-9.]+ +[0-9.]+%$/, ""); printf "%s%s", n++ ? " " : "", $0 } END { print "" }'; }
check 'the steps for interp' test "$(steps interp)" = 'front end fold cse dce load'
check 'the steps for a cpu' test "$(steps cpu:generic)" = \
    'front end dots fold cse shape fold shape licm fold cse dce carry generate'
check 'the steps for a GPU' test "$(steps sm_90a)" = \
    'front end dots bounds fold cse shape fold shape licm fold cse dce carry contract shape sink together dce backwards bare pieces sums longest unmask lanes guard rotate place keep bring rings behind hold early share soon waits scaled fence apart generate'
check 'the times sum up' sh -c '$0 show $1 --stage times --sig "$2" | awk "
    NR == 1 || !NF { next } \$1 == \"all\" { ok = \$2 > sum - 1 && \$2 < sum + 1 && share > 99 && share < 101 }
    { sum += \$(NF - 1); share += \$NF } END { exit !ok }"' $TERN $k "$sig"

# A ring of 128 KB has room for one block on a multiprocessor, one of 96 for two: by four warps.
ring_of() { $TERN show kernels/matmul.py:matmul_kernel --stage facts --target sm_90a --num-stages "$2" --num-warps "$1" --sig \
    "*fp16:16,*fp16:16,*fp16:16,i32:16,i32:16,i32:16,i32:16,1,i32:16,1,i32:16,1,128,128,64,8,'ieee'" | grep -c "a ring of $3 turns"; }
check 'two blocks by four warps' test "$(ring_of 4 4 3)" = 1
check 'as many turns as are asked for where they fit' test "$(ring_of 4 3 3)" = 1
check 'or where one block has the multiprocessor' test "$(ring_of 8 4 4)" = 1
# Attention's keys and values are copied ahead where its queries wait in a ring of their own.
keys='*fp16:16,*fp16:16,*fp16:16,*fp16:16,fp32,i32:16,128,128,64,0'
check 'a ring beside the one around its loop' sh -c '$0 show tools/bench_attention.py:attention --stage facts \
    --target sm_90a --num-warps 4 --num-stages 3 --sig "$1" | grep -q "a ring of 2 turns of 32768 bytes"' $TERN "$keys"

# What Triton's PTX has, and what is precise.
cat >"$work/p.py" <<'END'
import triton
import triton.language as tl
from triton.language.extra import libdevice
@triton.jit
def f(x):
    v = tl.load(x)
    tl.store(x, tl.exp2(v) * v + libdevice.exp(v))
    tl.store(x + 1, tl.rsqrt(v))
END
numbers() { $TERN show "$work/p.py" --stage ptx --target sm_90a --sig '*fp32:16' "$@" |
    sed -n 's/^\t\(ex2\|fma\|rsqrt\)\([a-z0-9.]*\) .*/\1\2/p' | tr '\n' ' '; }
check 'fast numbers' test "$(numbers)" = \
    'ex2.approx.ftz.f32 fma.rn.sat.f32 fma.rn.f32 fma.rn.f32 fma.rn.f32 ex2.approx.ftz.f32 fma.rn.f32 rsqrt.approx.ftz.f32 '
check 'precise numbers' test "$(numbers --precise)" = \
    'fma.rn.sat.f32 fma.rn.f32 ex2.approx.ftz.f32 fma.rn.sat.f32 fma.rn.f32 fma.rn.f32 fma.rn.f32 ex2.approx.ftz.f32 rsqrt.approx.f32 '

# The C text is for this machine's instructions, as `tern run` has it; others by name.
exits 0 'target: cpu:avx2' $TERN show $k --stage facts --target cpu:avx2 --sig "$sig"
exits 0 'target: cpu:generic' $TERN show $k --stage facts --target cpu:generic --sig "$sig"
best=$($TERN devices | sed -n 's/^cpu .*, \([a-z0-9]*\)$/cpu:\1/p')
if [ -n "$best" ]; then
    exits 0 "target: $best" $TERN show $k --stage facts --sig "$sig"
    exits 0 "target: $best" $TERN show $k --stage facts --target cpu --sig "$sig"
    $TERN show $k --stage c --target "$best" --sig "$sig" >"$work/best.c"
    check 'the text is that of this machine' sh -c '$0 show $1 --stage c --target cpu --sig "$2" | cmp - $3' \
        $TERN $k "$sig" "$work/best.c"
    [ "$best" = cpu:generic ] || check 'generic text is another' sh -c '! $0 show $1 --stage c --target cpu:generic --sig "$2" | cmp -s - $3' \
        $TERN $k "$sig" "$work/best.c"
else
    skip 4 'no cpu device'
fi

# Machine code: by the toolkit's programs, or by those that come with Triton.
mkdir "$work/bin" "$work/empty"
printf '#!/bin/sh\n: >"$5"\n' >"$work/bin/ptxas" && chmod +x "$work/bin/ptxas"
exits 4 "stage sass: there is no 'ptxas' on PATH" env PATH="$work/empty" "$(command -v $TERN)" show $k --stage sass --target sm_90a --sig "$sig"
exits 4 "needs 'cuobjdump' or 'nvdisasm' on PATH" env PATH="$work/bin" "$(command -v $TERN)" show $k --stage sass --target sm_90a --sig "$sig"
exits 0 "registers, spills: not known: there is no 'ptxas' on PATH" env PATH="$work/empty" "$(command -v $TERN)" show $k --stage facts --target sm_90a --sig "$sig"
with_triton=$(python3 -c 'import importlib.util as u; print(u.find_spec("triton").submodule_search_locations[0])' 2>/dev/null)
tools_path=$PATH:/usr/local/cuda/bin:$with_triton/backends/nvidia/bin
if (PATH=$tools_path; command -v ptxas && command -v cuobjdump) >"$work/.out" 2>&1; then
    exits 0 'MUFU.EX2' env PATH="$tools_path" $TERN show $k --stage sass --target sm_90a --sig "$sig"
else
    skip 1 'no ptxas with cuobjdump'
fi
if (PATH=$tools_path; command -v ptxas) >"$work/.out" 2>&1; then
    exits 0 ' a thread' env PATH="$tools_path" $TERN show $k --stage facts --target sm_90a --sig "$sig"
    exits 0 'spills: 0 bytes stored, 0 loaded a thread' env PATH="$tools_path" $TERN show $k --stage facts --target sm_90a --sig "$sig"
else
    skip 2 'no ptxas'
fi
if (PATH=$tools_path; command -v ptxas && command -v nvdisasm) >"$work/.out" 2>&1; then
    for tool in ptxas nvdisasm; do ln -sf "$(PATH=$tools_path; command -v $tool)" "$work/bin/$tool"; done
    exits 0 'MUFU.EX2' env PATH="$work/bin" "$(command -v $TERN)" show $k --stage sass --target sm_90a --sig "$sig"
else
    skip 1 'no ptxas with nvdisasm'
fi

exits 2 'no stage' $TERN show $k --stage dance --sig "$sig"
exits 2 'no pass' $TERN show $k --stage ir:dance --sig "$sig"
exits 2 'needs --sig' $TERN show $k --stage ir
exits 2 'signature' $TERN show $k --stage ir --target interp --sig '*fp33'
exits 2 'signature' $TERN show $k --stage ir --target interp --sig "$sig,1,2,3"
exits 2 "has no stage 'c'" $TERN show $k --stage c --target interp --sig "$sig"
exits 2 "'abacus'" $TERN show $k --stage ir --target abacus --sig "$sig"
exits 2 "no @triton.jit function 'g'" $TERN show $k:g --stage ast
exits 2 'No such file' $TERN show "$work/none.py" --stage ast
printf 'import triton\nimport triton.language as tl\n@triton.jit\ndef f(x):\n    y = tl.extern_elementwise(x)\n' >"$work/bad.py"
exits 3 'bad.py:5:9: not supported' $TERN show "$work/bad.py" --stage ir --target interp --sig '*fp32'
# how many turns of a loop may be under way
cat >"$work/stages.py" <<'EOF'
import triton
import triton.language as tl
@triton.jit
def k(y, n, S: tl.constexpr):
    for i in tl.range(0, n, num_stages=S):
        tl.store(y + i, i)
EOF
exits 0 'for %0, %n, %1 {stages = 3} (%i: i32)' "$TERN" show "$work/stages.py" --stage ir --sig '*i32,i32,3'
exits 0 'for %0, %n, %1 {stages = 1} (%i: i32)' "$TERN" show "$work/stages.py" --stage ir --sig '*i32,i32,1'
exits 0 'for %0, %n, %1 (%i: i32)' "$TERN" show "$work/stages.py" --stage ir --sig '*i32,i32,None'

# Sums in memory go there several at once.
for row in 'fp32 add.v4.f32' 'bf16 add.noftz.v8.bf16' 'fp16 add.noftz.v8.f16'; do
    t="*${row% *}:16"
    exits 0 "${row#* }" $TERN show test/run/atomic_packed.py --stage ptx --target sm_90a --sig "$t,$t,$t,i32:16,False"
done

# What a launch by tern gets has tensor maps, which no other launcher makes.
sig='*fp16:16,*fp16:16,*fp16:16,*fp32:16,i32,i32,64,128,128'
a='test/run/dot_attention.py --num-warps 8'
exits 0 'b8 map_0[128]' $TERN show $a --stage ptx --sig "$sig"
exits 0 "tensor map: map_0, of 'k': boxes of 128 x 64 elements of 2 bytes, swizzle of 128" $TERN show $a --stage facts -t sm_90a --sig "$sig"
$TERN show $a --stage ptx --plain --sig "$sig" >"$work/plain.ptx"
check 'a plain text has the parameters of the source' grep -q 'param_5)' "$work/plain.ptx"
check '.. and no maps' test "$(grep -c 'map_\|bulk' "$work/plain.ptx")" = 0
$TERN build $a -t sm_90a -o "$work/built" --sig "$sig" >/dev/null
check 'nor has what is built' test "$(cat "$work"/built/* | grep -c 'map_0\|bulk')" = 0
finish
