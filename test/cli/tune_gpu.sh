#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tern tune on GPUs, as far as a driver without a GPU shows it: candidates run in processes of their own
# there, too; what spills is not timed; two GPUs share the work. Kernels do nothing here, so all agree.
. test/cli/lib.sh
# shellcheck disable=SC2086
TERN_CACHE_DIR=$work/cache TERN_CUDA_DRIVER=$BUILD/test/mock/libcuda_mock.so TERN_MOCK_DEVICES=2
export TERN_CACHE_DIR TERN_CUDA_DRIVER TERN_MOCK_DEVICES
case $TERN_CUDA_DRIVER in /*) ;; *) TERN_CUDA_DRIVER=$PWD/$TERN_CUDA_DRIVER ;; esac
[ -e "$TERN_CUDA_DRIVER" ] || { skip 19 'no mock driver'; finish; }
says() { "$TERN" "$@" >"$work/out" 2>&1; code=$?; }
has() { check "$1" grep -q -e "$2" "$work/out"; }
ends() { check "exit code $1" [ "$code" = "$1" ]; }

cat >"$work/k.py" <<'END'
import triton
import triton.language as tl
@triton.jit
def k(y, n, B: tl.constexpr, HOW: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.static_assert(HOW != 1, 'not this one')
    x = i
    if HOW == 2:
        x = tl.inline_asm_elementwise('mov.u32 $0, $1; /* local_bytes=64 */', '=r,r', [i], tl.int32, True, 1)
    if HOW == 3:
        x = tl.inline_asm_elementwise('mov.u32 $0, $1; /* many_registers */', '=r,r', [i], tl.int32, True, 1)
    tl.store(y + x, 1.0, mask=i < n)
@triton.jit
def stops_trap(y, n, B: tl.constexpr):
    tl.store(y + tl.arange(0, B), 1.0)
@triton.jit
def one_record(y, n, B: tl.constexpr):
    tl.store(y + tl.arange(0, B), 1.0)
@triton.jit
def never_hang(y, n, B: tl.constexpr):
    tl.store(y + tl.arange(0, B), 1.0)
END
given="--grid cdiv(n,B) -a n=5000 -a y=empty(n)"
says tune --device cuda "$work/k.py:k" $given -x B=256,512 -x HOW=0..3 --num-warps 4,16
ends 0
has 'what does not compile' '^refused *B=256 HOW=1 .*not this one'
has 'what spills is not timed' '^pruned *B=512 HOW=2 num_warps=4  spills 64 bytes a thread, with 32 registers'
has 'what has too many registers' '^refused *B=512 HOW=3 num_warps=16 .*can run at most 256'
has 'the others are' '^\(won\|equal\|lost\) *B=256 HOW=0 num_warps=4  0.00'
says tune --device cuda "$work/k.py:k" $given -x B=256,512 -a HOW=2 --spills
has 'unless that is asked for' '^winner: B='
says tune --device cuda "$work/k.py:k" $given -x B=256,512 -a HOW=2
ends 3
has 'where all spill' 'no candidate is left: --spills'

# A kernel that stops one process does not stop the command.
says tune --device cuda "$work/k.py:stops_trap" --grid 1 -a n=5 -a 'y=empty(4096)' -x B=256,512,1024,2048
ends 1
check 'each is named' [ "$(grep -c '^failed *B=' "$work/out")" = 4 ]
TERN_TIMEOUT_MS=86400000
export TERN_TIMEOUT_MS
says tune --device cuda "$work/k.py:never_hang" --grid 1 -a n=5 -a 'y=empty(4096)' -x B=256,512,1024 --limit 2
check 'what never ends is ended' [ "$(grep -c '^hung *B=.*no end within 2 s' "$work/out")" = 3 ]
unset TERN_TIMEOUT_MS

# Two GPUs.
says tune --devices cuda:0,cuda:1 "$work/k.py:k" $given -x B=128,256,512,1024 -a HOW=0
ends 0
check 'each candidate once' [ "$(grep -c '^\(won\|lost\|equal\) *B=' "$work/out")" = 4 ]
says bench --devices cuda:0,cuda:1 "$work/k.py:one_record" --grid 1 -a B=256 -a 'y=empty(n)' -x n=1000,2000,3000 --no-peak
ends 0
check 'all points' [ "$(grep -c '^ *[123]000 ' "$work/out")" = 3 ]
# As two ranks of a launcher, each with the GPU whose turn it is: what counts the GPUs leaves the driver to
# the processes that try candidates.
TERN_JOB=two PMI_RANK=1 PMI_SIZE=2 "$TERN" tune "$work/k.py:k" $given -x B=128,256,512,1024 -a HOW=0 >/dev/null 2>&1 &
TERN_JOB=two PMI_RANK=0 PMI_SIZE=2; export TERN_JOB PMI_RANK PMI_SIZE
says tune "$work/k.py:k" $given -x B=128,256,512,1024 -a HOW=0
ends 0
has 'ranks take GPUs' '^device: cuda:0'
check 'candidates are tried apart' sh -c '! grep -q "cannot start the driver" "$1"' _ "$work/out"
wait
unset TERN_JOB PMI_RANK PMI_SIZE
says tune --devices cuda:0,cuda:2 "$work/k.py:k" $given -x B=128,256 -a HOW=0
has 'a GPU that is not there' 'there is no device cuda:2'
finish
