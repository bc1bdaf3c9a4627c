# SPDX-License-Identifier: Apache-2.0
# tools/mutate finds the tokens that it is to change, and leaves comments, strings and macros alone.
. test/cli/lib.sh

command -v python3 >/dev/null 2>&1 || { skip 7 'no python3'; finish; }
cat >"$work/f.c" <<'EOF'
#define LARGER(a, b) (a > b)
int f(int a, int b) {
    if (a < b && a) { /* a > b */
        g(a, "x < 1");
        for (;;) break;
    }
    x += 1;
    return true;
}
EOF
cat >"$work/want" <<'EOF'
3:10:< -> <=: if (a <= b && a) { /* a > b */
3:10:< -> >: if (a > b && a) { /* a > b */
3:14:&& -> ||: if (a < b || a) { /* a > b */
3:8:condition negated: if (!(a < b && a)) { /* a > b */
4:8:statement dropped: ;
5:17:break dropped: for (;;) ;
7:6:+= -> -=: x -= 1;
7:9:1 -> 2: x += 2;
7:9:1 -> 0: x += 0;
7:4:statement dropped: ;
8:11:true -> false: return false;
EOF
tools/mutate list "$work/f.c" >"$work/got"
check 'mutants of a small file' diff "$work/want" "$work/got"
exits 0 ' known' tools/mutate known

# Of 40 drawn, those that time did not allow speak for nobody; what is dropped or known is not judged.
cat >"$work/floor.py" <<'EOF'
import importlib.machinery, importlib.util
loader = importlib.machinery.SourceFileLoader("mutate", "tools/mutate")
mutate = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutate", loader))
loader.exec_module(mutate)
verdicts = ["killed"] * 19 + ["survived"] * 15 + ["unreached"] * 6
assert mutate.is_below(50, verdicts, 40) and not mutate.is_below(47.5, verdicts, 40)
assert mutate.is_below(50, verdicts + ["same", "known", "invalid"], 43)
assert mutate.is_below(50, verdicts[1:], 40) and not mutate.is_below(50, verdicts[:-1], 40)
assert not mutate.is_below(50, ["survived"], 40) and mutate.is_below(50, ["survived"], 1)
assert not mutate.is_below(50, [], 0)
EOF
check 'the floor' env PYTHONDONTWRITEBYTECODE=1 python3 "$work/floor.py"

mkdir -p "$work/tree/tools"
cp tools/mutate "$work/tree/tools/"
printf 'src/a.c\n- x < y\n+ x <= y\nthe two are never equal\n\nsrc/a.c\n- z\n+ w\n' >"$work/tree/tools/mutate.known"
exits 1 'FILE, - LINE, + LINE, REASON wanted in' "$work/tree/tools/mutate" known
printf 'src/a.c\n- x < y\n+ x <= y\nthe two are never equal\n' >"$work/tree/tools/mutate.known"
exits 0 'no such line: src/a.c: x < y' "$work/tree/tools/mutate" known
mkdir "$work/tree/src" && printf '    x < y\n' >"$work/tree/src/a.c"
exits 0 '1 known' "$work/tree/tools/mutate" known

# A library of one function from end to end: an index past its array, a leak and an overflow, which only a
# sanitizer sees, a wrong sum, one that is known, and one that nobody notices. Of the index some compilers'
# UBSan speaks before ASan does.
command -v gcov >/dev/null 2>&1 && cc -fsanitize=address,undefined -shared -xc /dev/null -o "$work/none.so" 2>/dev/null ||
    { skip 1 'no gcov or no sanitizers'; finish; }
small=$work/small
mkdir -p "$small/tools" "$small/src/opt" "$small/src/cli" "$small/test/unit"
cp tools/mutate "$small/tools/"
printf 'library-parts:\n\t@echo build/src/opt/a.o\nmutate-needs:\n' >"$small/Makefile"
echo 'int main(void) { return 0; }' >"$small/src/cli/main.c"
cat >"$small/src/opt/a.c" <<'EOF'
#include <stdlib.h>
int zeros(int count) {
    char *x = calloc(count, 1);
    int found = 0;
    for (int i = 0; i < count; i++)
        found += ((volatile char *)x)[i] == 0;
    free(x);
    volatile int largest = 2147483646;
    largest = largest + 1;
    return count > 100 ? 0 : found;
}
EOF
cat >"$small/test/unit/a.c" <<'EOF'
#include <stdio.h>
int zeros(int);
int main(void) {
    int bad = zeros(3) < 3;
    printf("a: %d passed, %d failed, 0 skipped\n", !bad, bad);
    return bad;
}
EOF
cat >"$small/tools/mutate.known" <<'EOF'
src/opt/a.c
- return count > 100 ? 0 : found;
+ return count >= 100 ? 0 : found;
nobody asks for 100
EOF
cat >"$work/small.py" <<'EOF'
import json, sys
found = {(r["was"], r["operator"]): r for r in map(json.loads, sys.stdin)}
def verdict(was, operator):
    r = found[was, operator]
    return r["verdict"], r.get("by"), r.get("words", "").split(" on ")[0].split(": ")[-1]
loop = "for (int i = 0; i < count; i++)"
past = verdict(loop, "< -> <=")
assert past[:2] == ("killed", "ASan, unit/a"), past
assert past[2] == "heap-buffer-overflow" or "with insufficient space" in past[2], past
over = verdict("largest = largest + 1;", "1 -> 2")
assert over[:2] == ("killed", "ASan, unit/a") and "signed integer overflow" in found["largest = largest + 1;", "1 -> 2"]["words"], over
assert verdict("free(x);", "statement dropped") == ("killed", "ASan, unit/a", "detected memory leaks")
assert verdict(loop, "0 -> 1") == ("killed", "unit/a", "")
last = "return count > 100 ? 0 : found;"
assert verdict(last, "> -> >=")[0] == "known" and found[last, "> -> >="]["reason"] == "nobody asks for 100"
assert verdict(last, "100 -> 101")[0] == "survived"
EOF
unset MAKEFLAGS
check 'from end to end' sh -e -c '
    "$0/tools/mutate" prepare --jobs 1 >&2
    "$0/tools/mutate" run --jobs 1 --out "$0/all" >&2
    "$0/tools/mutate" report "$0/all" | grep -q "^nobody asks for 100"
    python3 "$1" <"$0/all"' "$small" "$work/small.py"
finish
