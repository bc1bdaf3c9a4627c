#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tern tune on the cpu: candidates that are wrong, crash, hang or do not compile are survived and listed, the
# answer is kept and found again. How a race is decided, test/unit/contest.c asks.
. test/cli/lib.sh
# shellcheck disable=SC2086,SC2317
command -v cc >/dev/null 2>&1 || { skip 20 'no C compiler'; finish; }
TERN_CACHE_DIR=$work/cache
export TERN_CACHE_DIR
says() { $tune "$@" >"$work/out" 2>&1; code=$?; }
tune="$TERN tune --device cpu --hot"
has() { check "$1" grep -q -e "$2" "$work/out"; }
ends() { check "exit code $1" [ "$code" = "$1" ]; }

# ---- a given space: 256 columns are too few for 300 ----
softmax="kernels/softmax.py --grid 4 -a x_ptr=randn(4,300) -a out_ptr=empty(4,300) -a x_stride=300 -a out_stride=300 -a columns=300"
says $softmax -x BLOCK=256,512,1024,2048
ends 1
has 'the wrong one is named, with a place' "^wrong *BLOCK=256 .*not as 3 others: 1200 of 1200 elements of 'out_ptr': \[0\] is"
has 'it does not win' '^winner: BLOCK=\(512\|1024\|2048\), '
"$TERN" run --device cpu $softmax >"$work/out" 2>&1
has 'run takes the answer' ', tuned: BLOCK='
exits 2 "argument 'BLOCK' of kernel 'softmax_kernel' is missing" "$TERN" run --device cpu $(echo "$softmax" | sed 's/=300/=301/g; s/,300/,301/g')
says $softmax -x BLOCK=256,512
ends 1
has 'two results, and nobody knows' '2 different results, and no majority'
"$TERN" run --device interp $softmax -a BLOCK=512 --out "out_ptr=$work/want.npy" -q >/dev/null
says $softmax -x BLOCK=256,512 --check "out_ptr=@$work/want.npy" --json
ends 1
has 'what is right can be said' '"winner": *"BLOCK=512"'

# ---- the configs of the source ----
cat >"$work/k.py" <<'END'
import triton
import triton.language as tl
@triton.autotune(configs=[triton.Config({'B': b, 'HOW': h}, num_warps=w) for b, h, w in
                          [(64, 0, 4), (128, 0, 2), (256, 1, 4), (256, 2, 4), (256, 3, 4), (512, 4, 4)]],
                 key=['n'], reset_to_zero=['count'], restore_value=['y'])
@triton.jit
def k(x, y, count, n, B: tl.constexpr, HOW: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.static_assert(HOW != 1, 'not this one')
    if HOW == 2:
        while tl.load(count) >= 0:
            tl.store(count, 0)
    if HOW == 3:
        tl.store(y + i.to(tl.int64) * 1000000000000, 1.0)
    if tl.program_id(0) == 0:
        tl.atomic_add(count, 1)
    tl.store(y + i, tl.load(y + i, mask=i < n) + tl.load(x + i, mask=i < n) + (HOW == 4), mask=i < n)
def prune(configs, named, **kwargs):
    return [c for c in configs if c.kwargs['B'] > named['n']]
@triton.autotune(configs=[triton.Config({'B': b}) for b in (64, 128, 256)], key=['n'], prune_configs_by={'early_config_prune': prune})
@triton.jit
def pruned(y, n, B: tl.constexpr):
    tl.store(y + tl.arange(0, B), 1.0)
END
given="--grid cdiv(n,B) -a x=rand(1000) -a y=rand(1000) -a count=zeros(1,i32)"
says "$work/k.py:k" $given -a n=1000 --limit 8
ends 1
has 'what does not compile' '^refused *B=256 HOW=1 num_warps=4 .*not this one'
has 'what hangs' '^hung *B=256 HOW=2 num_warps=4 .*no end within 8 s'
has 'what crashes' '^failed *B=256 HOW=3 num_warps=4 .*crashed'
has 'what is wrong' "^wrong *B=512 HOW=4 num_warps=4 .*not as 2 others"
has 'one of the others wins' '^winner: B=\(64\|128\) HOW=0 num_warps=[24], '
"$TERN" run --device cpu "$work/k.py:k" $given -a n=1000 >"$work/out" 2>&1
has 'run takes it' 'tuned: B=[0-9]* HOW=0'
"$TERN" run --device cpu "$work/k.py:k" $given -a n=999 >"$work/out" 2>&1
has 'for another key it does not' 'config 1 of 6'
"$TERN" run --device cpu "$work/k.py:k" $given -a n=1000 --config 2 >"$work/out" 2>&1
has 'nor when one is named' 'config 2 of 6'
for file in "$work"/cache/tune/*; do printf x >>"$file"; done
"$TERN" run --device cpu "$work/k.py:k" $given -a n=1000 >"$work/out" 2>&1
has 'a damaged file is named' 'a damaged file of a tuning'
has 'and not taken' 'config 1 of 6'

# prune_configs_by says which are tried.
says "$work/k.py:pruned" --grid 1 -a 'y=empty(256)' -a n=100 --check 'y=full(256,1.0)'
check 'two of three are left' [ "$(grep -c '^\(won\|lost\|equal\|wrong\|failed\) *B=' "$work/out")" = 2 ]
has 'not those that are pruned' '^wrong *B=128'

# A value with blanks is kept whole.
cat >"$work/tuple.py" <<'END'
import triton
import triton.language as tl
@triton.autotune(configs=[triton.Config({'T': (64, 2)}, num_warps=2)], key=[])
@triton.jit
def t(y, T: tl.constexpr):
    tl.store(y + tl.arange(0, T[0]), 1.0 * T[1])
END
says "$work/tuple.py" --grid 1 -a 'y=empty(64)'
ends 0
"$TERN" run --device cpu "$work/tuple.py" --grid 1 -a 'y=empty(64)' >"$work/out" 2>&1
has 'a tuple is found again' 'tuned: T=(64, *2) num_warps=2'
has 'and taken' 'sum 128 '

# Each sample begins with zeros, and with what was there: else the third launch stores far outside.
cat >"$work/reset.py" <<'END'
import triton
import triton.language as tl
@triton.autotune(configs=[triton.Config({'B': 64}), triton.Config({'B': 128})], key=[], reset_to_zero=['count'], restore_value=['five'])
@triton.jit
def r(y, count, five, B: tl.constexpr):
    far = (tl.load(count) + tl.load(five) - 5).to(tl.int64) * 1000000000000
    tl.store(y + far + tl.arange(0, B), 1.0)
    tl.store(count, 1)
    tl.store(five, 7)
END
says "$work/reset.py" --grid 1 -a 'y=zeros(128)' -a 'count=zeros(1,i32)' -a 'five=full(1,i32,5)' --check 'five=full(1,i32,7)'
ends 0
has 'tensors are reset and restored' '^winner: B='

# ---- who reads the answer: run above, exec, build; and exec keeps what it finds ----
cat >"$work/shared.py" <<'END'
import torch
import triton
import triton.language as tl
@triton.autotune(configs=[triton.Config({'B': b}) for b in (64, 128, 256)], key=['n'])
@triton.jit
def k(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)
x, y = torch.zeros(1000), torch.zeros(1000)
k[lambda meta: (triton.cdiv(1000, meta['B']),)](x, y, 1000)
print('B is', k.best_config.kwargs['B'], 'raced', len(k.configs_timings), 'sum', y.sum().item())
END
shared="$work/shared.py --grid cdiv(n,B) -a x=zeros(1000) -a y=zeros(1000) -a n=1000"
built() { "$TERN" build --device cpu "$work/shared.py" --sig '*fp32:16?,*fp32:16?,i32:16?' --target cpu:generic -o "$work/built" "$@" >"$work/out" 2>&1; code=$?; }
for config in 3:256 1:64; do
    says $shared --config ${config%:*}
    "$TERN" exec --device cpu "$work/shared.py" >"$work/out" 2>&1
    has 'exec takes it' "^B is ${config#*:} raced 0 sum 1000"
    built --tuned n=1000
    ends 0
    check 'build takes it, for both forms' grep -q "i32:16,B=${config#*:}.*i32,B=${config#*:}\"" "$work/built/k.json"
done
built --tuned n=1001
ends 2
has 'for another value it does not' "'tern tune' has kept nothing for k and these arguments on cpu"
built --tuned 1000
has 'a value has a name' "expected NAME=VALUE, saw '1000'"
built --tuned ''
has 'and there must be one' "'n' of kernel 'k' is tuned for by its value, which is not given"
check 'the file has the evidence' grep -q '"state":.*"won"' $(grep -l '^kernel k$' "$work"/cache/tune/* | head -n 1)
for file in "$work"/cache/tune/*; do printf x >>"$file"; done
"$TERN" exec --device cpu "$work/shared.py" >"$work/out" 2>&1
has 'exec names a damaged file' 'tern exec: .*a damaged file of a tuning'
has 'and tunes anew' 'raced 3 sum 1000'
"$TERN" run --device cpu $shared >"$work/out" 2>&1
has 'what exec found, run takes' ', tuned: B='

cat >"$work/hook.py" <<'END'
import triton
import triton.language as tl
@triton.autotune(configs=[triton.Config({'B': b}, pre_hook=lambda nargs: nargs['y'].zero_()) for b in (64, 128)], key=['n'])
@triton.jit
def config_hook(y, n, B: tl.constexpr):
    tl.store(y, 1.0)
@triton.autotune(configs=[triton.Config({'B': b}) for b in (64, 128)], key=['n'], post_hook=print)
@triton.jit
def tuner_hook(y, n, B: tl.constexpr):
    tl.store(y, 1.0)
END
exits 3 'pre_hook of @triton.autotune is Python' $tune "$work/hook.py:config_hook" --grid 1 -a 'y=empty(9)' -a n=9
exits 3 'post_hook of @triton.autotune is Python' $tune "$work/hook.py:tuner_hook" --grid 1 -a 'y=empty(9)' -a n=9

# ---- Ctrl-C keeps what is known ----
: >"$work/err"
TERN_PROGRESS=0.1 "$TERN" tune --device cpu --hot $softmax -x BLOCK=512,1024 --margin 0.000000001 --max-time 600 >"$work/out" 2>"$work/err" &
pid=$!
i=0
while ! grep -q 'round [5-9]' "$work/err" && kill -0 $pid 2>/dev/null && [ $i -lt 600 ]; do sleep 0.1; i=$((i + 1)); done
kill -INT $pid 2>/dev/null
wait $pid
has 'there is a winner' '^winner: BLOCK='

# ---- what is refused ----
sed "s/named\['n'\]/named['y'].numel()/" "$work/k.py" >"$work/torch.py"
exits 3 'early_config_prune of prune_configs_by cannot be evaluated without Python' $tune "$work/torch.py:pruned" --grid 1 -a 'y=empty(256)' -a n=100
exits 2 'prune_configs_by leaves no config' $tune "$work/k.py:pruned" --grid 1 -a 'y=empty(256)' -a n=1000
exits 2 'has no @triton.autotune' $tune $softmax
exits 2 "has no parameter 'BLOK'" $tune $softmax -x BLOK=1,2
exits 2 "is given twice" $tune $softmax -x BLOCK=512 -x BLOCK=1024
exits 2 'expected an integer' $tune $softmax -x BLOCK=a
exits 2 'more than 1024 candidates' $tune $softmax -x BLOCK=1..2000
exits 2 '--limit is in seconds' $tune $softmax -x BLOCK=512 --limit 0
exits 2 '--margin is a part' $tune $softmax -x BLOCK=512 --margin 2
exits 3 'says nothing about speed' "$TERN" tune --device interp $softmax -x BLOCK=512
exits 3 'no candidate is left' $tune $softmax -x BLOCK=300,301
finish
