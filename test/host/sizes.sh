# SPDX-License-Identifier: Apache-2.0
# Files that are made for a large GPU, made small: --points and --scale leave values of x out, and the table says so;
# --set gives names other values than the file does.
. test/cli/lib.sh
TERN=$(realpath "$TERN")
cat >"$work/s.py" <<'END'
import triton
HEADS, (ROWS, _) = 32, (8, 9)
WIDE: int = 100
if HEADS > 4:
    KIND = 'many'
else:
    KIND = 'few'
def bench(k, reps=10000, *, step):
    m = n = 8192
    match k:
        case 1: found = 'one'
        case _: found = 'other'
    return k, reps, step, m, n, found
def twice():
    m = 5
    def inner(): return m
    return inner()
class Model:
    width = 7
    def size(self, n): return self.width * n
@triton.jit
def kernel(x, n):
    m = 4
print(HEADS, ROWS, WIDE, KIND, bench(1, step=2), bench(2, 3, step=4), twice(), Model().size(2))
END
plain="32 8 100 many (1, 10000, 2, 8192, 8192, 'one') (2, 3, 4, 8192, 8192, 'other') 5 14"
sets() { # WORDS OPTION..: what the file prints
    words=$1
    shift
    "$TERN" exec --device cpu "$@" "$work/s.py" >"$work/got" 2>"$work/err"
    check "$words" test "$(cat "$work/got")" = "$words"
}
sets "$plain"
check 'nothing is said' test ! -s "$work/err"
sets "2 8 100 few (1, 10000, 2, 8192, 8192, 'one') (2, 3, 4, 8192, 8192, 'other') 5 14" --set HEADS=2
check 'it is said' grep -q '^tern exec: not what the file says: HEADS=2$' "$work/err"
sets "32 3 50 many (1, 10000, 2, 8192, 8192, 'one') (2, 3, 4, 8192, 8192, 'other') 5 14" --set ROWS=3 --set WIDE=HEADS+18
sets "32 8 100 many (1, 5, 6, 96, 8192, 'one') (2, 5, 6, 96, 8192, 'other') 5 14" \
    --set bench.reps=5 --set bench.step=2*3 --set bench.m=96
sets "32 8 100 many (1, 10000, 2, 8192, 8192, 'set') (2, 3, 4, 8192, 8192, 'set') 9 40" \
    --set "bench.found='set'" --set twice.m=9 --set Model.width=4 --set Model.size.n=10
# bad CODE WORDS OPTION..
bad() {
    code=$1 words=$2
    shift 2
    exits "$code" "$words" "$TERN" exec --device cpu "$@" "$work/s.py"
    check 'before the file has run' test "$("$TERN" exec --device cpu "$@" "$work/s.py" 2>/dev/null | wc -l)" = 0
}
bad 2 "--set 'LENGTH=3': no assignment and no parameter has this name" --set LENGTH=3
bad 2 "--set 'bench.HEADS=3': no assignment" --set bench.HEADS=3
bad 2 "--set 'nobody.m=3': no assignment" --set nobody.m=3
bad 2 "--set 'm': expected NAME=VALUE" --set m
bad 2 "--set 'a..=1': expected NAME=VALUE" --set a..=1
bad 2 "--set HEADS:1:3: error: expected" --set 'HEADS=3+'
bad 2 "'kernel' is a kernel: its values are those of its launch" --set kernel.m=3
bad 2 "--scale: expected a number above 0 and up to 1 (0.1, 1/8), got '2'" --scale 2
bad 2 "got '1/0'" --scale 1/0
bad 2 "got 'nan'" --scale nan
bad 2 "got '1/8x'" --scale 1/8x
exits 1 "NameError: name 'nowhere' is not defined" "$TERN" exec --device cpu --set HEADS=nowhere "$work/s.py"

cat >"$work/t.py" <<'END'
import triton
@triton.testing.perf_report([
    triton.testing.Benchmark(x_names=['n'], x_vals=[2**i for i in range(4, 10)], line_arg='kind', line_vals=['a'],
                             line_names=['A'], plot_name='one', args={}, ylabel='y'),
    triton.testing.Benchmark(x_names=['n', 'm'], x_vals=[(8, 1000), (64, 1), (16, 250), (32, 10)], line_arg='kind',
                             line_vals=['a'], line_names=['A'], plot_name='two', args={}, ylabel='y')])
def bench(n, kind, m=0):
    return n + m
bench.run(print_data=True, save_path='.')
END
tables() { # WORDS OPTION..
    words=$1
    shift
    (cd "$work" && "$TERN" exec --device cpu --allow-write . "$@" t.py) >"$work/got" 2>"$work/err"
    check "tables: $words" test "$(grep -v '(y)' "$work/got" | tr -s ' \n' ' ')" = "$words "
}
tables 'one: 0 16.0 16.0 1 32.0 32.0 2 64.0 64.0 3 128.0 128.0 4 256.0 256.0 5 512.0 512.0 two: 0 8.0 1000.0 1008.0 1 64.0 1.0 65.0 2 16.0 250.0 266.0 3 32.0 10.0 42.0'
check 'nothing is cut' test "$(grep -c cut "$work/err")" = 0
tables 'one: 0 16.0 16.0 1 32.0 32.0 2 64.0 64.0 (cut: 3 of 6 points) two: 0 8.0 1000.0 1008.0 (cut: 1 of 4 points)' --scale 1/8
check 'of the csv, too' test "$(grep -c '^tern exec: one is cut: 3 of 6 points$' "$work/err")" = 1
check 'rows of the csv' test "$(wc -l <"$work/one.csv")" = 4
tables 'one: 0 16.0 16.0 (cut: 1 of 6 points) two: 0 16.0 250.0 266.0 (cut: 1 of 4 points)' --scale 0.5 --points 1
tables 'one: 0 16.0 16.0 (cut: 1 of 6 points) two: 0 8.0 1000.0 1008.0 (cut: 1 of 4 points)' --scale 1e-9
finish
