#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One command as several ranks: by mpirun of Open MPI and of MPICH where they are installed, by what srun
# says in the environment, and by --devices. What they find together is what one finds alone; ranks that
# die, and what cannot be shared, are said.
. test/cli/lib.sh
# shellcheck disable=SC2086,SC2317
command -v cc >/dev/null 2>&1 || { skip 50 'no C compiler'; finish; }
unset SLURM_PROCID SLURM_STEP_NUM_TASKS SLURM_LOCALID PMI_RANK PMI_SIZE OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE TERN_JOB
TERN_CACHE_DIR=$work/cache OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export TERN_CACHE_DIR OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
whole() { "$@" || { cat "$work/out"; return 1; }; } # what was said, where it is not as wanted
has() { check "$1" whole grep -q -e "$2" "$work/out"; }
hasnt() { check "$1" whole sh -c '! grep -q -e "$0" "$1"' "$2" "$work/out"; }
ends() { check "exit code $1" whole [ "$code" = "$1" ]; }
nothing_left() { check 'no folder of ranks is left' rmdir "$work/cache/ranks"; }
until_there() { # until_there WORDS FILE: the file has them
    i=0
    while ! grep -qs -e "$1" $2 && [ $i -lt 600 ]; do sleep 0.1; i=$((i + 1)); done
}
softmax="kernels/softmax.py --grid 4 -a x_ptr=randn(4,300) -a out_ptr=empty(4,300) -a x_stride=300 -a out_stride=300 -a columns=300"
tune="$TERN tune --device cpu --hot $softmax -x BLOCK=256,512,1024,2048"
add="kernels/vector_add.py --grid cdiv(n,BLOCK) -a x_ptr=rand(n) -a y_ptr=rand(n) -a out_ptr=empty(n) -a BLOCK=256"
bench="$TERN bench --device cpu --no-peak --rep 1 --warmup 0 $add -x n=100,200,300,400,500"
checks="$TERN check kernels/softmax.py kernels/softmax.py --grid rows -x rows=2 -a columns=20 -a x_ptr=randn(rows,columns) -a out_ptr=empty(rows,columns) -a x_stride=stride(x_ptr,0) -a out_stride=stride(out_ptr,0) -a BLOCK=16"
$checks --json >"$work/alone" 2>&1

together() { # together LAUNCHER..
    "$@" $tune >"$work/out" 2>&1; code=$?
    ends 1
    has 'the wrong one, by the majority of all ranks' "^wrong *BLOCK=256 .*not as 3 others: 1200 of 1200 elements of 'out_ptr'"
    has 'one of the others wins' '^winner: BLOCK=\(512\|1024\|2048\), decided'
    check 'each candidate once' [ "$(grep -c '^\(won\|lost\|wrong\|equal\) *BLOCK' "$work/out")" = 4 ]
    check 'it is kept' sh -c '"$0" run --device cpu $1 2>&1 | grep -q ", tuned: BLOCK="' "$TERN" "$softmax"
    rm -r "$work/cache/tune"
    "$@" $bench >"$work/out" 2>&1; code=$?
    ends 0
    check 'all points, in order' [ "$(sed -n 's/^ *\([1-5]00\)  .*/\1/p' "$work/out" | tr '\n' ' ')" = '100 200 300 400 500 ' ]
    has 'which device' '^ *100 .*  cpu$'
    "$@" $checks --json >"$work/out" 2>/dev/null; code=$?
    ends 1
    check 'the findings are those of one rank alone' python3 - "$work" <<'END'
import re, sys
alone, out = (sorted(re.findall(r'"(?:kind":"[^"]*|launches":[0-9]*)', open(f"{sys.argv[1]}/{n}").read())) for n in ("alone", "out"))
sys.exit(alone != out or not alone)
END
    nothing_left
}

for mpi in openmpi mpich; do
    if command -v mpirun.$mpi >/dev/null 2>&1; then
        together mpirun.$mpi $([ $mpi = openmpi ] && echo --oversubscribe --bind-to none) -n 2
    else
        skip 12 "no mpirun.$mpi"
    fi
done

# ---- as srun starts them ----
together srun
SLURM_PROCID=0 SLURM_NTASKS=2 SLURM_LOCALID=0 $bench >"$work/out" 2>&1; code=$?
ends 0 # a batch script, which is alone

# ---- on this machine, without a launcher ----
"$TERN" tune --devices cpu,cpu --hot $softmax -x BLOCK=256,512,1024,2048 >"$work/out" 2>&1; code=$?
ends 1
has 'the wrong one' '^wrong *BLOCK=256 .*not as 3 others'
nothing_left
"$TERN" tune --devices cpu,interp --hot --allow-slow $softmax -x BLOCK=512,1024 >"$work/out" 2>&1; code=$?
ends 2
has 'devices that are not alike' "rank 1 runs on '.*', rank 0 on '"

# ---- checks on several devices; the compiler of one has a fault ----
sums="$TERN check $add -a n=1000"
$sums --devices cpu,cpu >"$work/out" 2>&1; code=$?
ends 0
has 'devices that agree' '^kernels/vector_add.py: 0 findings'
nothing_left
cat >"$work/bad-cc" <<'END'
#!/bin/sh
for word; do case $word in *.c) sed -i 's/= \(x[0-9]*\) + \(x[0-9]*\);/= \1 - \2;/' "$word" ;; esac; done
exec cc "$@"
END
chmod +x "$work/bad-cc"
(task 1 2 env TERN_CC="$work/bad-cc" $sums --device cpu >"$work/other" 2>&1) &
(task 0 2 $sums --device cpu) >"$work/out" 2>&1; code=$?
wait $!
ends 1
has 'one that does not' "'out_ptr' depends on where the kernel runs: element .* on interp .*\[disagreement\]"
has 'where' 'on cpu, with the arguments given'
$sums --devices cpu,cuda:77 >"$work/out" 2>&1; code=$?
ends 4
has 'a device that is not there' 'rank 1: tern check: .*'
has 'its part is not checked' 'the device of rank 1, which has ended'
exits 2 'one of them, please' $sums --device cpu --devices cpu,cpu

# ---- devices that disagree: the memory of one has a bit that is not as it was written ----
for name in one two; do mkdir "$work/$name"; done
cp kernels/vector_add.py "$work/one" && cp kernels/vector_add.py "$work/two"
python3 - "$work" <<'END'
import struct, sys
def npy(path, values):
    head = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % len(values)
    head += " " * (-(len(head) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack(f"<{len(values)}f", *values))
for name, seventh in (("one", 6.0), ("two", 7.0)):
    npy(f"{sys.argv[1]}/{name}/x.npy", [float(i) if i != 6 else seventh for i in range(1000)])
END
pair() { # pair FOLDER OPTION..: rank 1 in this folder, rank 0 in "one"
    other=$1
    shift
    set -- tune --device cpu --hot vector_add.py --grid 'cdiv(n,BLOCK)' -a n=1000 -a x_ptr=@x.npy -a 'y_ptr=zeros(n)' -a 'out_ptr=empty(n)' -x BLOCK=64,128,256,512 "$@"
    (cd "$work/$other" && task 1 2 "$tern" "$@" >"$work/second" 2>&1) &
    (cd "$work/one" && task 0 2 "$tern" "$@" >"$work/out" 2>&1)
    code=$?
    wait $!
}
tern=$(cd "$(dirname "$TERN")" && pwd)/$(basename "$TERN")
pair one
ends 0
has 'devices that agree have a winner' '^winner: '
rm -rf "$work/cache/tune"
pair two
ends 1
has 'devices that disagree are a finding' "rank 1's device computes 'BLOCK=128' otherwise than cpu: 1 of 1000 elements of 'out_ptr': \[6\] is 7, not 6"
hasnt 'and have no winner' '^winner'
check 'all of them' [ "$(grep -c '^wrong *BLOCK' "$work/out")" = 4 ]
check 'nothing is kept' sh -c '! ls "$1"/cache/tune/* >/dev/null 2>&1' - "$work"
nothing_left
pair two --check interp
ends 0
has 'each as its own memory has it' '^winner: '

# ---- ranks that die ----
cat >"$work/k.py" <<'END'
import triton
import triton.language as tl
@triton.jit
def k(y, n, B: tl.constexpr, HOW: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    if HOW == 1:
        while tl.load(y) < 7:
            tl.store(y, 0.0)
    tl.store(y + i, 1.0, mask=i < n)
END
hangs="$TERN tune --device cpu --hot $work/k.py --grid cdiv(n,B) -a y=zeros(256) -a n=256 -a B=64"
(task 1 2 $hangs -x HOW=0,1,2,3 --limit 5 >/dev/null 2>&1) &
pid=$!
(task 0 2 $hangs -x HOW=0,1,2,3 --limit 5 >"$work/out" 2>&1) &
zero=$!
until_there . "$work/cache/ranks/*/alive.1"
kill -9 $pid
wait $zero; code=$?
ends 0
has 'a rank that dies is said' 'rank 1 has ended: its 2 candidates are tried here'
has 'and what was its is done' '^hung *HOW=1 .*no end within 5 s'
has 'all of it' '^\(won\|lost\|equal\) *HOW=3'
nothing_left

races="$TERN tune --device cpu --hot $work/k.py --grid cdiv(n,B) -a n=4000000 -a y=zeros(n) -a B=64 -x HOW=0,2,3,4 --margin 0.000000001 --max-time 2"
(task 1 2 $races >/dev/null 2>&1) &
pid=$!
(task 0 2 $races >"$work/out" 2>&1) &
zero=$!
i=0
while ! ls "$work"/cache/ranks/*/tried.1 >/dev/null 2>&1 && [ $i -lt 600 ]; do sleep 0.05; i=$((i + 1)); done
kill -9 $pid
wait $zero; code=$?
ends 0
has 'one that dies in the race' 'rank 1 has ended: its candidates are timed here\|rank 1 has ended: its 2 candidates'
has 'its candidates race, too' '^\(won\|lost\|equal\) *HOW=4  [0-9]'

(task 1 2 $hangs -x HOW=1,2 --limit 60 >"$work/out" 2>&1) &
pid=$!
(task 0 2 $hangs -x HOW=1,2 --limit 60 >/dev/null 2>&1) &
zero=$!
i=0
while ! ls "$work"/cache/ranks/*/tried.1 >/dev/null 2>&1 && [ $i -lt 600 ]; do sleep 0.05; i=$((i + 1)); done
kill -9 $zero
wait $pid; code=$?
ends 4
has 'without rank 0 there is no answer' 'rank 1: tern tune: rank 0 has ended'

# ---- what cannot be ----
exits 2 'nothing says which job this is' env PMI_RANK=0 PMI_SIZE=2 $tune
exits 1 'winner: ' env TERN_RANKS=off PMI_RANK=0 PMI_SIZE=2 $tune
exits 2 'there is none: TERN_CACHE_DIR' env TERN_CACHE_DIR= TERN_JOB=j PMI_RANK=0 PMI_SIZE=2 $tune
exits 2 'cannot read standard input' env TERN_JOB=j PMI_RANK=0 PMI_SIZE=2 "$TERN" check - --grid 1
exits 2 '--devices is for one process' env TERN_JOB=j PMI_RANK=0 PMI_SIZE=2 "$TERN" tune --devices cpu,cpu $softmax -x BLOCK=512
exits 2 'one of them, please' $tune --devices cpu,cpu
exits 2 '--devices: expected 1 to 64 names' "$TERN" tune --devices , $softmax -x BLOCK=512
exits 2 '--devices shares a sweep' "$TERN" bench --devices cpu,cpu $add --vs BLOCK=512
finish
