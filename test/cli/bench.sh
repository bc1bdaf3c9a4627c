# SPDX-License-Identifier: Apache-2.0
# tern bench, cmp and peak: sweeps, marks, files, bad input. Times are not looked at: interp with
# --allow-slow takes few samples.
. test/cli/lib.sh
export TERN_DEVICE=interp
k="$work/k.py"
cat >"$k" <<'END'
import triton
import triton.language as tl

@triton.jit
def add(x, y, n, BLOCK: tl.constexpr = 8):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) + 1.0, mask=i < n)

@triton.jit
def half(x, y, n, BLOCK: tl.constexpr = 8):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n // 2)

@triton.jit
def idle(x, y, n):
    if n < 0:
        tl.store(y, 1.0)

@triton.jit
def nan(x, y, n, BLOCK: tl.constexpr = 8):
    i = tl.arange(0, BLOCK)
    tl.store(y + i, (tl.load(x + i, mask=i < n) * 0.0) / (n - n), mask=i < n)

@triton.jit
def decay(x, y, n, BLOCK: tl.constexpr = 8):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) * 1e-6, mask=i < n)
    tl.store(y + i, 1.0, mask=i < n)

@triton.jit
def staged(x, y, n, num_stages: tl.constexpr, BLOCK: tl.constexpr = 8):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, num_stages * 1.0, mask=i < n)

@triton.autotune([triton.Config({"SIZE": 8}), triton.Config({"SIZE": 16})], key=["n"])
@triton.jit
def tuned(x, y, n, SIZE: tl.constexpr):
    i = tl.program_id(0) * 8 + tl.arange(0, 8)
    tl.store(y + i, SIZE * 1.0, mask=i < n)

@triton.jit
def power(x, y, n: tl.constexpr):
    i = tl.arange(0, n)
    tl.store(y + i, tl.load(x + i))
END
cat >"$work/bench" <<END
#!/bin/sh
# bench KERNEL OPTION..
kernel=\$1
shift
exec "$TERN" bench "$k:\$kernel" --allow-slow --rep 0.2 --warmup 0 --grid 'cdiv(n,8)' -a 'x=rand(n)' -a 'y=empty(n)' "\$@"
END
chmod +x "$work/bench"
bench=$work/bench
exits 3 'says nothing about speed' $TERN bench "$k:add" --grid 1 -a 'x=rand(8)' -a 'y=empty(8)' -a n=8
exits 0 'not a speed' $bench add -a n=64
exits 0 '(512 bytes counted)' $bench add -a n=64
exits 0 '(64 operations counted)' $bench add -a n=64

# sweeps
exits 0 '4096' $bench add -x 'n=2^6..2^12'
exits 0 'n  interp (us)' $bench add -x 'n=8,16' -y us
exits 0 '7 of 7 points measured' $bench add -x 'n=2^6..2^12'
exits 0 '3 of 3 points' $bench add -x 'n=10..1000:*10'
exits 0 'BLOCK=16 (GB/s)' $bench add -x 'n=64,128' --line BLOCK=8,16
exits 0 'half (ms)' $bench add -x 'n=64' --line kernel=add,half -y ms
exits 0 'interp-max (GB/s)' $bench add -x 'n=64' --quantiles

# impossible ones
exits 2 'ends before it starts' $bench add -x 'n=9..1'
exits 2 'a step is 1 or more' $bench add -x 'n=1..9:0'
exits 2 'a step is 1 or more' $bench add -x 'n=1..9:-1'
exits 2 'a factor is 2 or more' $bench add -x 'n=1..9:*1'
exits 2 'starts from 1' $bench add -x 'n=0..9:*2'
exits 2 'does not fit 64 bits' $bench add -x 'n=2^70..2^71'
exits 2 'does not fit 64 bits' $bench add -x 'n=99999999999999999999'
exits 2 'more than 4096 points' $bench add -x 'n=1..100000'
exits 2 'expected NAME=VALUES' $bench add -x '2^4'
exits 2 'expected an integer' $bench add -x 'n='
exits 2 'expected an integer' $bench add -x 'n=1,,2'
exits 2 'they go side by side' $bench add -x n=1,2 -x m=1,2,3
exits 2 'is given twice' $bench add -x n=1,2 -x n=1,2
exits 2 'expected NAME=V,V' $bench add -a n=8 --line BLOCK
exits 2 'expected GB/s' $bench add -a n=8 -y furlongs
exits 2 'more than 0 ms' $TERN bench "$k:add" --rep 0
exits 2 'mentions it' $bench add -a n=8 -x zz=1,2

# what goes wrong is marked, and the rest goes on
exits 2 '2 of 3 points measured' $bench power -x 'n=4,5,8'
exits 2 'failed  n=5 interp: ' $bench power -x 'n=4,5,8'
exits 1 'changed none of its 2 tensors' $bench idle -a n=8
$TERN run "$k:add" --grid 1 -a 'x=ones(8)' -a 'y=empty(8)' -a n=8 --out "y=$work/there.npy" -q >/dev/null
exits 0 'outputs written' $TERN bench "$k:add" --allow-slow --no-peak --rep 1 --warmup 0 --grid 1 -a 'x=ones(8)' -a "y=@$work/there.npy" -a n=8
exits 0 'y: 8 of 16 never written' $bench half -a n=16
exits 0 'y has NaN' $bench nan -a n=8
exits 0 'checked' $bench add -a n=8 --check interp
exits 1 'wrong result: 8 of 8 elements' $bench add -a n=8 --check 'y=zeros(8)'
exits 2 'has 8 elements, the reference 4' $bench add -a n=8 --check 'y=zeros(4)'
exits 2 'expected interp, or NAME=VALUE' $bench add -a n=8 --check n=3
exits 0 'bytes declared as 128, counted as 64' $bench add -a n=8 --bytes 'n*16'
exits 2 'expected a number above 0' $bench add -a n=8 --bytes 0

# what the data does to the time
exits 0 'x: 100 % denormal, which are many times slower' $TERN bench "$k:add" --allow-slow --rep 0.2 --warmup 0 \
    --grid 1 -a 'x=full(8,1e-40)' -a 'y=empty(8)' -a n=8
exits 0 'x changes from run to run: 100 % of it zero after all, 0 % after the first' $bench decay -a n=8
check 'an output that is the same each time is not' sh -c "! '$bench' add -a n=8 | grep -q 'from run to run'"

# each thing that speaks against points is said once
$bench half -x n=8,16,32 >"$work/.trust" 2>&1
check 'doubts are gathered' grep -qxF 'trust   y: 4 of 8 never written (all 3 points)' "$work/.trust"
check 'no point has a line of its own' sh -c "! grep -q '^trust   n=' '$work/.trust'"

# lines of options of the launch
exits 0 'num_warps=8 (ms)' $bench add -a n=8 --line num_warps=4,8 -y ms
exits 2 'failed  num_warps=99: --num-warps: expected a number' $bench add -a n=8 --line num_warps=4,99
exits 2 'failed  num_stages=99: --num-stages: expected a number' $bench add -a n=8 --line num_stages=1,99
exits 0 '2 of 2 points measured' $bench add -a n=8 --line num-stages=1,2
exits 2 "failed  config=3: --config 3: kernel 'tuned' has 2" $bench tuned -a n=8 --line config=1,2,3
exits 0 '2 of 2 points measured' $bench staged -a n=8 --line num_stages=2,99
exits 0 'num_warps  interp' $bench add -a n=8 -x num_warps=1,2,4

# progress, also into a pipe
exits 0 'tern bench: add  1/2  n=' env TERN_PROGRESS=0.001 $bench add -x n=64,128
exits 0 'tern run: launch ' env TERN_PROGRESS=0.001 "$TERN" run "$k:add" --grid 64 -a 'x=rand(512)' \
    -a 'y=empty(512)' -a n=512 --repeat 300
check 'none is wanted' sh -c "! TERN_PROGRESS=0 '$bench' add -x n=64,128 2>&1 | grep -q '1/2'"

# files
exits 0 'wrote' $bench add -x 'n=2^4..2^6' --save "$work/a" --format ''
check 'the short CSV has a header and a row a point' test "$(wc -l <"$work/a/add.csv")" = 4
check 'its header is as Triton writes it' grep -qx 'n,interp (GB/s)' "$work/a/add.csv"
check 'its x is as pandas writes it' grep -q '^16.000000,[0-9]*\.[0-9]\{6\}$' "$work/a/add.csv"
check 'a run file has a first, three points and an end' test "$(wc -l <"$work/a/run.jsonl")" = 5
check 'it ends with its end' sh -c "tail -n 1 '$work/a/run.jsonl' | grep -qx '{\"end\":true}'"
exits 0 '"tern_run":1' $bench add -a n=8 --json
: >"$work/file"
exits 4 'cannot make the folder' $bench add -a n=8 --save "$work/file/x"
mkdir "$work/full"
ln -s /dev/full "$work/full/run.jsonl"
exits 4 'No space left on device; what follows is only printed' $bench add -x n=8,16 --save "$work/full" --format ''
cp "$work/.out" "$work/.printed"
check 'the points are printed all the same' grep -q '2 of 2 points measured' "$work/.printed"
if command -v gnuplot >/dev/null; then
    exits 0 'add.png' $bench add -x 'n=2^4..2^6' --save "$work/b" --format png
    check 'a plot is a PNG' sh -c "head -c 4 '$work/b/add.png' | grep -q PNG"
else
    skip 2 'no gnuplot'
fi
# In gnuplot's place: it runs in the folder, whatever that is called, and its failure is seen.
mkdir "$work/bin" "$work/elsewhere" "$work/elsewhere/-p"
printf '#!/bin/sh\npwd >>%s; echo "$@" >>%s\n[ -e "$3" ] || exit 9\n[ ! -e %s ] || exit 1\necho made >"${3%%.gp}.png"\n' \
    "$work/was" "$work/was" "$work/fails" >"$work/bin/gnuplot"
chmod +x "$work/bin/gnuplot"
self=$(realpath "$TERN") file=$(realpath "${k%%:*}")
small="--allow-slow --rep 0.2 --warmup 0 --grid 1 -a x=rand(n) -a y=empty(n) -x n=4,8 --format png"
exits 0 'add.png' sh -c "cd '$work' && mkdir cd && cd cd && CDPATH='$work/elsewhere' PATH='$work/bin:$PATH' \"\$@\"" sh \
    "$self" bench "$file:add" $small --save ./-p
check 'it ran in its folder' test "$(head -n 1 "$work/was")" = "$(realpath "$work/cd/-p")"
check 'with these arguments' test "$(sed -n 2p "$work/was")" = "-e FORMAT='png' add.gp"
check 'the plot is there' grep -qx made "$work/cd/-p/add.png"
exits 0 'add.png' sh -c "cd '$work/cd' && CDPATH='$work/elsewhere' PATH='$work/bin:$PATH' \"\$@\"" sh \
    "$self" bench "$file:add" $small --save -p
check 'CDPATH does not lead it away' test "$(sed -n 3p "$work/was")" = "$(realpath "$work/cd/-p")"
: >"$work/fails"
rm "$work/cd/-p/add.png"
exits 4 'gnuplot made no png' sh -c "cd '$work/cd' && PATH='$work/bin:$PATH' \"\$@\"" sh "$self" bench "$file:add" $small --save ./-p

exits 0 'gnuplot is not installed' env PATH=/nowhere "$TERN" bench "$k:add" --allow-slow --rep 0.2 --warmup 0 \
    --grid 1 -a 'x=rand(n)' -a 'y=empty(n)' -x n=4,8 --save "$work/c"

# a crash takes its point alone with it
cat >"$work/wild.py" <<'END'
import triton
import triton.language as tl

@triton.jit
def wild(x, y, n, far, BLOCK: tl.constexpr = 8):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i + far.to(tl.int64) * 1000000, tl.load(x + i, mask=i < n), mask=i < n)
END
wild() { $TERN bench "$work/wild.py" --device cpu --hot --rep 1 --warmup 0 --no-peak --grid 1 -a 'x=rand(8)' -a 'y=empty(8)' -a n=8 "$@"; }
wild -x far=0,40000000,0 --save "$work/w" --format '' >"$work/.wild" 2>&1
check 'a sweep survives the crash of a kernel' grep -q '2 of 3 points measured' "$work/.wild"
check 'the point that crashed is named' grep -q '^failed  far=40000000 cpu: the kernel' "$work/.wild"
check 'and the run file has its end' sh -c "tail -n 1 '$work/w/run.jsonl' | grep -qx '{\"end\":true}'"

# roofline
exits 2 'without --no-peak and --allow-slow' $bench add -a n=8 --roofline
exits 2 'of several devices' $TERN bench "$k:add" --grid 1 -a 'x=rand(n)' -a 'y=empty(n)' -a n=8 --roofline --line device=cpu,interp
$TERN bench "$k:add" --device cpu --hot --rep 1 --warmup 0 --grid 'cdiv(n,8)' -a 'x=rand(n)' -a 'y=empty(n)' -x n=512,1024 \
    --roofline --save "$work/r" --format '' >"$work/.roof" 2>&1
check 'a point is placed below its ceiling' grep -q '^roof    n=512 cpu: 0.125 FLOP/byte, .* % of the .* that the caches allow there' "$work/.roof"
# From here on copies are used: of all, as the folder can hold those of other builds and machines.
mkdir "$work/peaks" "$work/cache"
cp "$TERN_CACHE_DIR"/peak-*.txt "$work/peaks"
TERN_CACHE_DIR=$work/cache
plant() { # plant SCALE DOUBTFUL: ceilings that a neighbour left
    for peak in "$work"/peaks/*; do
        awk -v s="$1" -v d="$2" 'NR > 1 && NR < 6 { $2 *= s } /^doubtful/ { $2 = d } { print }' "$peak" \
            >"$TERN_CACHE_DIR/${peak##*/}"
    done
}
copy() {
    $TERN bench "$k:add" --device cpu --rep 1 --warmup 0 --grid 'cdiv(n,BLOCK)' -a 'x=rand(n)' -a 'y=empty(n)' \
        -a BLOCK=1024 -x n=8192,16384 --hot "$@"
}
plant 1 1
copy >"$work/.copy" 2>&1
check 'doubtful ceilings are said' grep -q '^trust   doubtful ceilings: .*tern peak --refresh' "$work/.copy"
plant 1e-5 0
copy >"$work/.copy" 2>&1
check 'a result that beats the ceilings is not rejected' grep -q '^trust   2 of 2 points' "$work/.copy"
check 'they are measured again' grep -q '^trust   beat the ceilings, which were measured again' "$work/.copy"
check 'and kept' awk 'FNR == 2 && $2 >= 1e8 { kept = 1 } END { exit !kept }' "$TERN_CACHE_DIR"/peak-*.txt
cp "$work"/peaks/* "$TERN_CACHE_DIR"
copy --bytes 'n*1e9' >"$work/.copy" 2>&1
check 'what cannot be names both suspects' grep -q 'impossible: .*either that is wrong (tern peak --refresh.* or --bytes' "$work/.copy"
# tern why divides by them, too
why="$TERN why $k:add --device cpu --rep 5 --grid 1 -a x=rand(8) -a y=empty(8) -a n=8"
exits 0 '"ceiling_from":"m"' $why --json
exits 0 ' samples [m]' $why
exits 0 '  counters   ' $why
$why --counters no >"$work/.copy"
check 'no counters where none are wanted' sh -c "grep -q 'bound by' '$work/.copy' && ! grep -q '  counters   ' '$work/.copy'"
copy --cold flush --no-peak >"$work/.copy" 2>&1
check 'one way to make caches cold' grep -q -e '--cold and --hot' "$work/.copy"
$TERN bench "$k:add" --device cpu --rep 1 --warmup 0 --grid 1 -a 'x=rand(8)' -a 'y=empty(8)' -a n=8 --no-peak >"$work/.copy" 2>&1
if [ "$(uname -m)" = x86_64 ]; then
    check 'the tensors are flushed, and what that costs is said' \
        grep -q 'cold caches (0 KiB flushed, [0-9.e-]* ms a sample)' "$work/.copy"
else
    skip 1 'lines are flushed on x86-64'
fi
check 'and plotted' grep -q '^0.125 ' "$work/r/add-roofline.gp"
exits 2 'expected read, fill or flush' $bench add -a n=8 --cold boiled
exits 2 '--cold and --hot' $bench add -a n=8 --cold read --hot
exits 0 'debug: the kernel' $bench add -a n=8 --debug

# comparison
line() { printf '{"point":{"n":%s},"line":"cpu","process":%s,"device":"cpu","status":"ok","median_ms":%s}\n' "$1" "$2" "$3"; }
run() { # run FILE MEDIAN..: a run file with a process for each median
    file=$1
    shift
    : >"$file"
    for median; do
        echo '{"tern_run":1,"version":"0.1.0","interleaved":true}' >>"$file"
        line 8 0 "$median" >>"$file"
        echo '{"end":true}' >>"$file"
    done
}
run "$work/p.jsonl" 1.001 1.002 1.003 1.000 0.999 1.001 1.002
run "$work/q.jsonl" 1.101 1.102 1.103 1.100 1.099 1.101 1.102
run "$work/r.jsonl" 1.0 1.1
if $TERN cmp "$work/p.jsonl" "$work/p.jsonl" 2>&1 | grep -q 'without jansson'; then
    skip 19 'no jansson'
else
    exits 0 'SAME' $TERN cmp "$work/p.jsonl" "$work/p.jsonl"
    exits 10 'SLOWER by 10.0 %' $TERN cmp "$work/p.jsonl" "$work/q.jsonl"
    exits 0 'FASTER by 9.1 %' $TERN cmp "$work/q.jsonl" "$work/p.jsonl"
    exits 11 'a verdict takes 4 processes' $TERN cmp "$work/p.jsonl" "$work/r.jsonl"
    exits 10 '"verdict":"SLOWER"' $TERN cmp --json "$work/p.jsonl" "$work/q.jsonl"
    exits 0 'SAME' $TERN cmp --margin 20% "$work/p.jsonl" "$work/q.jsonl"
    exits 2 'expected a part' $TERN cmp --margin x "$work/p.jsonl" "$work/q.jsonl"
    exits 2 'No such file' $TERN cmp "$work/none.jsonl" "$work/q.jsonl"
    exits 2 'no run file' $TERN cmp "$work/a/add.csv" "$work/q.jsonl"
    sed 's/"tern_run":1/"tern_run":7/' "$work/p.jsonl" >"$work/future.jsonl"
    exits 2 'run file of format 7' $TERN cmp "$work/future.jsonl" "$work/q.jsonl"
    head -c -30 "$work/p.jsonl" >"$work/cut.jsonl"
    exits 0 'is cut' $TERN cmp "$work/cut.jsonl" "$work/p.jsonl"
    exits 2 'no point in common' $TERN cmp "$work/p.jsonl" "$work/a/run.jsonl"
    exits 0 'over 2 processes' $bench add -a n=8 --processes 2
    $bench add -a n=8 --vs "$k:add" --processes 4 --margin 90% --save "$work/v" >"$work/.vs" 2>&1
    check 'interleaved processes are compared' grep -q '1 compared, 4 and 4 processes, interleaved' "$work/.vs"
    check 'what speaks against them is said once' grep -q '^trust   not a speed: .* (all 2 points)' "$work/.vs"
    exits 1 'the two do not compute the same: no verdict' $bench add -a n=8 --vs "$k:half" --processes 4
    exits 1 "wrong result: 8 of 8 elements of 'y' differ" $bench add -a n=8 --vs "$k:half" --processes 4
    # Whatever the verdict is: a busy machine gives none.
    for other in BLOCK=16 num_warps=8; do
        $bench add -a n=8 -a BLOCK=8 --vs $other --processes 4 --margin 90% >"$work/.vs" 2>&1
        check "beside $other" grep -qF "k.py:add with $other" "$work/.vs"
        check "a verdict on $other" grep -Eq '^interp .* (SAME|FASTER|SLOWER|UNSURE)' "$work/.vs"
    done
    exits 1 'failed: --num-warps: expected a number' $bench add -a n=8 --vs num_warps=none --processes 1
    exits 1 'do not compute the same' $bench staged -a n=8 -a num_stages=2 --vs num_stages=3 --processes 1
    check 'each side has its run file' test -s "$work/v/run.jsonl" -a -s "$work/v/vs.jsonl"
fi

# Ctrl-C keeps what is done
$TERN bench "$k:add" --allow-slow --rep 30 --warmup 0 --grid 'cdiv(n,8)' -a 'x=rand(n)' -a 'y=empty(n)' \
    -x n=8..4096:8 --save "$work/i" --format '' >"$work/.int" 2>&1 &
pid=$!
i=0 # a busy machine takes its time to begin
while kill -0 $pid 2>/dev/null && [ $i -lt 600 ]; do
    [ -s "$work/i/run.jsonl" ] && [ "$(wc -l <"$work/i/run.jsonl")" -gt 2 ] && break
    sleep 0.1; i=$((i + 1))
done
kill -INT $pid
wait $pid
check 'an interrupted sweep says so' grep -q 'interrupted: ' "$work/.int"
check 'and writes its table' test -s "$work/i/add.csv"

exits 3 'has no ceilings' $TERN peak
exits 2 "what is 'x'" $TERN peak x
finish
