# SPDX-License-Identifier: Apache-2.0
# tern why: kernels of which it is known what bounds them, on a GPU that is not here; letters; refusals.
# What it says on cpu is in bench.sh, which has the ceilings.
. test/cli/lib.sh
export TERN
why="$TERN why"
chains="$why test/cli/why.py:chains --device sim --grid cdiv(n,BLOCK) -a x=randn(n) -a y=empty(n) -a BLOCK=4096"
add="$why kernels/vector_add.py --grid cdiv(n,1024) -a x_ptr=randn(n) -a y_ptr=randn(n) -a out_ptr=empty(n) -a BLOCK=1024"
strided="$why test/sim/lesson.py:copy_strided --device sim --grid cdiv(n,1024) -a x=randn(n) -a y=empty(n) -a STRIDE=32 -a BLOCK=1024"
turns="$why test/cli/why.py:turns --device sim --grid 264 -a x=randn(264*1024) -a y=empty(264*1024) -a N=32"
cat >"$work/matmul" <<'END'
"$TERN" why kernels/matmul.py --device sim --execute no --grid 'cdiv(m,BM)*cdiv(n,BN)' -a 'a=randn(m,k,f16)' \
    -a 'b=randn(k,n,f16)' -a 'c=empty(m,n,f32)' -a "m=${1:-16}*128" -a "n=${2:-16}*128" -a k=2048 -a 'am=stride(a,0)' \
    -a 'ak=stride(a,1)' -a 'bk=stride(b,0)' -a 'bn=stride(b,1)' -a 'cm=stride(c,0)' -a 'cn=stride(c,1)' \
    -a BM=128 -a BN=128 -a BK=64 -a GROUP=8 --num-stages ${3:-4} --num-warps ${4:-4}
END

exits 0 'bound by MEMORY: 12 MB take 2.5 us at least' $add --device sim -a n=1000000
exits 0 '; 0.0 to 7.5 % idle at the end' $add --device sim -a n=1000000
exits 0 '12 MB of global memory moved for 12 MB used [x]' $add --device sim -a n=1000000
exits 0 'memory         12 MB             37.5 us     100.0 %   320 GB/s             [c]/[p]' $add --device sim:t4 -a n=1000000
exits 0 'bound by LAUNCH: ' $add --device sim -a n=4096
exits 0 'bound by ARITHMETIC: 2.16 GFLOP take 32.2 us at least' $chains --execute no -a n=4194304
exits 0 'are not known [?]' $chains --execute no -a n=4194304
# Where several blocks fit a multiprocessor, one more of them may take no time.
exits 0 'bound by ARITHMETIC: ' $chains --execute no -a n=133*4096
exits 0 '0.0 to 49.6 % idle at the end' $chains --execute no -a n=133*4096
exits 0 'bound by TAIL: at most 50 % of the multiprocessors' sh "$work/matmul" 7 19 6 8
exits 0 'line 12 moves 8.0 times the bytes that would do [x]' $strided -a n=1048576
# A number for a whole warp moves a sector, and no access is wasted: there is nothing beside it to have.
"$TERN" why test/cli/why.py:held --device sim --grid 4 -a 'x=randn(16384)' -a 'y=empty(16384)' -a 't=zeros(16,i32)' -a BLOCK=4096 -a N=64 \
    --num-warps 1 >"$work/held"
check 'loads of a number are not called uncoalesced' sh -c "grep -q 'executed' '$work/held' && ! grep -q 'moves .* times' '$work/held'"
exits 0 '"moved_bytes":2097152,"least_moved_bytes":262144,"useful_bytes":262144' $strided -a n=32768 --json
exits 0 'bound by BANK CONFLICTS: ' $turns -a TIMES=32
exits 0 'line 26 has bank conflicts: 6.0 times' $turns -a TIMES=32
exits 0 'bound by TENSOR CORES: 17.2 GFLOP take 17.4 us at least' sh "$work/matmul"
exits 0 'limited by shared memory' sh "$work/matmul"
if command -v ptxas >/dev/null; then
    exits 0 'bound by TAIL: at most 50 %' $why test/cli/why.py:chains --device sim --execute no --grid 133 -a 'x=randn(n)' \
        -a 'y=empty(n)' -a n=133*32768 -a BLOCK=32768 --num-warps 32
    exits 0 'spills of ' $why test/cli/why.py:wide --device sim --execute no --grid 1 -a 'x=randn(65536,f16)' -a 'y=empty(65536)' -a N=256
    exits 0 'registers, no spills [a]' $add --device sim -a n=4096
else skip 3 'ptxas is not on PATH'; fi
PATH=/nonexistent "$TERN" why kernels/vector_add.py --device sim --grid 4 -a 'x_ptr=randn(n)' -a 'y_ptr=randn(n)' \
    -a 'out_ptr=empty(n)' -a n=4096 -a BLOCK=1024 >"$work/none"
check 'registers are not known without ptxas' grep -qF 'registers and spills not known [?]' "$work/none"
tail="$why test/cli/why.py:chains --device sim --execute no --grid 265 -a x=empty(n) -a y=empty(n) -a n=265*16384 -a BLOCK=16384 --num-warps 16"
# Four blocks fit at most: the last 133 beside the others; or by twos one alone in a second wave.
exits 0 '528 at a time on 132 multiprocessors; 0.0 to 49.6 % idle' env PATH=/nonexistent $tail
check 'and none is printed' sh -c "! grep -q '[0-9] registers' '$work/none'"
exits 2 '--execute is auto, yes or no' $add --device sim --execute maybe -a n=4096
exits 2 'only of GPUs' $add --device cpu --execute yes -a n=4096
exits 2 'only where time is measured' $add --device sim --bytes 1 -a n=4096
exits 0 'measured 3 times: ' $add --device cpu --rep 2 --times 3 -a n=4096
exits 2 '--times: only where time is measured' $add --device sim:h100 --times 3 -a n=4096
exits 2 '--counters is auto or no' $add --device cpu --counters maybe -a n=4096
exits 2 'only where time is measured' $add --device sim --counters no -a n=4096
exits 3 'nothing bounds it' $add --device interp -a n=4096
exits 2 'one FILE[:KERNEL], not 0' $why
exits 0 '"bound":"MEMORY","second":null,"gain":2.5' $add --device sim -a n=1000000 --json
exits 0 '"time_s":null' $add --device sim -a n=4096 --json
finish
