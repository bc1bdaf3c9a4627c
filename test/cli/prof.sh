# SPDX-License-Identifier: Apache-2.0
# tern prof: the table, and files that the tools they are for read.
. test/cli/lib.sh
add="$TERN prof kernels/vector_add.py --device interp --grid 4 -a x_ptr=randn(4096) -a y_ptr=randn(4096) -a out_ptr=empty(4096) -a n=4096 -a BLOCK=1024"
exits 0 'vector_add_kernel' $add
check 'launches are counted' sh -c "$(printf %s "$add" | sed 's/(/\\(/g; s/)/\\)/g') -n 7 --style csv | grep -q '^\"vector_add_kernel\",host,7,'"
exits 0 'Self CPU time total: ' $add --style torch
exits 2 "--style is own, torch or csv, not 'wide'" $add --style wide
exits 2 "there is no column 'fastest'" $add --sort fastest
exits 2 "--unit is auto, s, ms or us, not 'h'" $add --unit h
exits 0 'Input Shapes' $add --style torch --shapes
exits 0 '[[4096], [4096], [4096], []]' $add --style csv --shapes
exits 0 'only display top-level' $add --style torch --top --unit ms
exits 2 'one FILE[:KERNEL], not 0' "$TERN" prof
exits 4 'cannot write' $add --flame /nonexistent/x.svg
# A disk that is full, as a limit on files has it: it is said, and nothing is left behind.
mkdir "$work/full"
for kind in trace speedscope folded flame html; do
    exits 0 "cannot write $work/full/x: File too large code 4" sh -c "(trap '' XFSZ; ulimit -f 0; $(printf %s "$add" | sed 's/(/\\(/g; s/)/\\)/g') --$kind $work/full/x 2>&1; echo code \$?) | tr '\\n' ' '"
done
check 'nothing is left of them' sh -c "[ -z \"\$(ls -A '$work/full')\" ]"
check 'files are written' $add --trace "$work/t.json" --speedscope "$work/s.json" --folded "$work/f.txt" --flame "$work/f.svg" --html "$work/r.html"
check 'and held against those before' $add --before "$work/f.txt" --flame "$work/d.svg" --html "$work/d.html"
check 'which both have' grep -q ', before [0-9.]* us (' "$work/d.svg" "$work/d.html"
exits 2 "t.json:1: expected 'root;child;leaf NANOSECONDS'" $add --before "$work/t.json"
exits 4 'No such file' $add --before /nonexistent/f.txt
check 'folded stacks' grep -q '^vector_add_kernel [0-9]*$' "$work/f.txt"
exits 0 'C functions by addresses: libdw.so.1 is not here' env TERN_LIBDW=/nonexistent $add --frames
if ldconfig -p 2>/dev/null | grep -qF libdw.so.1; then
    check 'C functions are in folded stacks' $add --frames --folded "$work/c.txt" --trace "$work/c.json" --flame "$work/c.svg"
    check 'from main on' grep -q '^main.*;command_prof.*;vector_add_kernel [0-9]*$\|;main.*;command_prof.*;vector_add_kernel [0-9]*$' "$work/c.txt"
    check 'and in traces' grep -q '"Call stack":"[^"]*main' "$work/c.json"
else skip 3 'libdw.so.1 is not here'; fi
exits 0 'layer 2 ' env TERN_DEVICE=interp LAB_LARGEST=32 "$BUILD/examples/lab/profile" "$work"
check 'the example writes its files' test -s "$work/network.html" -a -s "$work/network.svg" -a -s "$work/matmul_128.json"
# A program that knows nothing of it: what it says and its code are its own; reports of two contexts;
# one that profiles itself, one that fails, one that closes nothing.
program="$BUILD/examples/vector_add"
TERN_DEVICE=interp "$program" >"$work/plain"
exits 0 'add ' "$TERN" prof --device interp --into "$work/out" -- "$program"
"$TERN" prof --device interp --into "$work/said" -- "$program" >"$work/whole"
check 'says what it says' sh -c "[ -s '$work/plain' ] && head -n 1 '$work/whole' | cmp - '$work/plain'"
check 'writes files' test -s "$work/out/1.html" -a -s "$work/out/1.json" -a -s "$work/out/1.folded" -a -s "$work/out/1.svg"
# The same where a program's reports go: it ends as it would, and what is not there is said.
exits 4 '/1.html was not written' sh -c "trap '' XFSZ; ulimit -f 8; exec '$TERN' prof --device interp --into '$work/small' -- '$program'"
check 'what fits is there' test -s "$work/small/1.json" -a -s "$work/small/1.svg" -a ! -e "$work/small/1.html"
check 'the table says why' grep -qx "cannot write .*/small/1.html: File too large" "$work/small/1.txt"
exits 0 'code 4' sh -c "(trap '' XFSZ; ulimit -f 0; '$TERN' prof --device interp --into '$work/none_fits' -- '$program' 2>&1; echo code \$?) | tee '$work/said_none'"
check 'which says so' grep -q '/1.txt could not be written' "$work/said_none"
check 'and left nothing but its place' sh -c "[ \"\$(ls -A '$work/none_fits')\" = 1.txt ]"
exits 2 'has reports already' "$TERN" prof --into "$work/out" -- "$program"
exits 0 'wrote 2 profiles' "$TERN" prof --device interp --into "$work/two" -- sh -c "'$program' && cd / && '$(realpath "$program")'"
exits 0 'layer 2 ' env LAB_LARGEST=16 "$TERN" prof --device interp --into "$work/own" -- "$BUILD/examples/lab/profile" "$work"
# Of a program that is interpreted they are its own functions; a C program's are C's.
printf 'import torch\n\n\ndef layer(x):\n    return torch.relu(x)\n\n\nprint(layer(torch.ones(4)).sum())\n' >"$work/net.py"
check 'with functions' "$TERN" prof --frames --device interp --into "$work/net" -- "$TERN" exec "$work/net.py"
check "a script's" grep -q '^<module>_(net.py:8);layer_(net.py:5);relu[; ]' "$work/net/1.folded"
check 'and no others' sh -c "! grep -v '^<module>_(net.py:8);' '$work/net/1.folded'"
"$TERN" prof --frames --device interp --into "$work/net_c" -- "$program" >/dev/null 2>&1
check "a C program's" grep -q ';.*;add [0-9]*$' "$work/net_c/1.folded"
exits 2 '--frames is not for --cuda' "$TERN" prof --cuda --frames -- true
exits 4 'ended with code 7' "$TERN" prof --into "$work/seven" -- sh -c 'exit 7'
exits 4 'closed no context of tern' "$TERN" prof --into "$work/none" -- true
# One of CUDA: the driver would load the library, and call it.
exits 4 'began no CUDA, or ended without an exit' "$TERN" prof --cuda --into "$work/none" -- true
exits 2 "only of '-- PROGRAM'" $add --cuda
cat >"$work/driver.c" <<'END'
#include <dlfcn.h>
#include <stdlib.h>
int main(void) {
    void *library = dlopen(getenv("CUDA_INJECTION64_PATH"), RTLD_NOW);
    int (*begin)(void) = library ? (int (*)(void))dlsym(library, "InitializeInjection") : 0;
    return begin ? !begin() : 2;
}
END
# A library under a sanitizer wants a program under it.
san=$(sed -n 's/.*\(-fsanitize=[a-z,]*\).*/\1/p' "$BUILD/flags")
if ${CC:-cc} -w $san "$work/driver.c" -o "$work/driver" -ldl 2>/dev/null; then
    exits 0 'nothing was recorded: libcupti.so is not here' env TERN_CUPTI=/nonexistent "$TERN" prof --cuda --into "$work/cuda" -- "$work/driver"
else skip 1 'no C compiler'; fi
# A device, a pipe, a link: it is written to, and still is one.
if [ -w /dev/full ]; then
    ln -s /dev/full "$work/full.json"
    exits 4 'full.json: No space left' $add -q --trace "$work/full.json"
    check 'the link is one still' test -L "$work/full.json"
else skip 2 'no /dev/full'; fi
mkfifo "$work/pipe" && { timeout 20 cat "$work/pipe" >"$work/piped" & }
$add -q --folded "$work/pipe" >/dev/null
wait
check 'a pipe is written to' grep -q '^vector_add_kernel [0-9]*$' "$work/piped"
exits 4 'cannot run /nonexistent/x' "$TERN" prof --into "$work/gone" -- /nonexistent/x
exits 4 'cannot make /nonexistent/x' "$TERN" prof --into /nonexistent/x -- true
exits 2 "--rows is not for '-- PROGRAM'" "$TERN" prof --rows 3 -- true
exits 2 "expected '-- PROGRAM" "$TERN" prof x.py -- true
exits 2 "expected '-- PROGRAM" "$TERN" prof --
if command -v python3 >/dev/null; then
    cat >"$work/lint.py" <<'END'
# What this profile's trace has; speedscope's events balance in time.
import json, sys
sys.path.insert(0, "test/prof")
import lint
slices = []
lint.lint(sys.argv[1], slices.append)
assert len(slices) >= 11
for e in slices:
    if e["name"] == "vector_add_kernel":
        assert e["args"]["Input Dims"] == [[4096], [4096], [4096], []] and e["args"]["grid"] == [4, 1, 1]
# What speedscope's schema asks for (file-format-spec.ts), and that frames are those that there are.
scope = json.load(open(sys.argv[2]))
assert scope["$schema"] == "https://www.speedscope.app/file-format-schema.json"
assert all(type(f["name"]) is str and f.keys() <= {"name", "file", "line", "col"} for f in scope["shared"]["frames"])
for profile in scope["profiles"]:
    assert profile["type"] == "evented" and profile["unit"] == "nanoseconds" and type(profile["name"]) is str
    stack, at = [], profile["startValue"]
    assert profile["startValue"] <= profile["endValue"]
    for e in profile["events"]:
        assert e["at"] >= at and e["type"] in "OC" and 0 <= e["frame"] < len(scope["shared"]["frames"])
        at = e["at"]
        if e["type"] == "O":
            stack.append(e["frame"])
        else:
            assert stack.pop() == e["frame"]
    assert not stack and at <= profile["endValue"]
# The flame graph: XML, and the widths of what lies on the root's row make it up.
import xml.etree.ElementTree
svg = xml.etree.ElementTree.parse(sys.argv[3])
frames = [g for g in svg.iter("{http://www.w3.org/2000/svg}g")]
root = float(frames[0].get("data-w"))
assert root == 1200 and len(frames) >= 2
y = {g[1].get("y") for g in frames}
level = [float(g.get("data-w")) for g in frames if g[1].get("y") == sorted(y, key=float)[-2]]
assert abs(sum(level) - root) < 1
# The page: its data parse, and nothing in it would be fetched.
import re
page = open(sys.argv[4]).read()
data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.S).group(1))
assert [r["calls"] for r in data["rows"] if r["name"] == "vector_add_kernel"] == [10]
assert data["shown"] == data["events_all"] == len(data["events"]) == 11
assert all(0 <= e[2] <= e[3] <= data["wall"] and e[1] < len(data["tracks"]) for e in data["events"])
assert not re.search(r"""\b(src|href)=|url\(|@import|fetch\(|XMLHttpRequest""", page) and set(re.findall(r"https?://[^\s\"']*", page)) == {"http://www.w3.org/2000/svg"}
END
    cat >"$work/tree.py" <<'END'
# Folded stacks and the flame graph of one profile are the same tree: each node's time, where it is wide enough to be drawn.
import sys, xml.etree.ElementTree
folded, drawn, path = {}, {}, {}
for line in open(sys.argv[1]):
    stack, ns = line.rsplit(" ", 1)
    parts = ("all", *stack.split(";"))
    for i in range(len(parts)):
        folded[parts[:i + 1]] = folded.get(parts[:i + 1], 0) + int(ns)
svg = "{http://www.w3.org/2000/svg}"
for g in xml.etree.ElementTree.parse(sys.argv[2]).iter(svg + "g"):
    name, rest = g.find(svg + "title").text.rsplit(": ", 1)
    y = float(g.find(svg + "rect").get("y"))
    above = [at for at in path if at > y]
    path = {at: path[at] for at in above}
    path[y] = name.replace(" (device)", "_[device]").replace(" ", "_").replace(";", "_")
    drawn[tuple(path[at] for at in sorted(path, reverse=True))] = round(float(rest.split(" us")[0]) * 1000)
least = folded[("all",)] * 0.1 / 1200
assert len(drawn) >= 6 and all(folded[at] == ns for at, ns in drawn.items())
assert all(at in drawn for at, ns in folded.items() if ns > 1.01 * least)
END
    check 'they are what the tools read' python3 "$work/lint.py" "$work/t.json" "$work/s.json" "$work/f.svg" "$work/r.html"
    for trace in t network; do
        ${PYTHON:-python3} test/prof/readers.py "$work/$trace.json" >"$work/readers" 2>&1
        code=$?
        case $code in
        77) skip 1 'neither torch_tb_profiler with Chromium nor Perfetto' ;;
        *) check "viewers read $trace: $(tail -n 1 "$work/readers")" test $code = 0 ;;
        esac
    done
    if [ -s "$work/c.svg" ]; then check 'one tree in both' python3 "$work/tree.py" "$work/c.txt" "$work/c.svg"
    else skip 1 'libdw.so.1 is not here'; fi
    $add -q --trace "$work/t.json.gz" >/dev/null
    if [ $? = 3 ]; then skip 1 'libz.so.1 is not here'
    else check 'and compressed' python3 "$work/lint.py" "$work/t.json.gz" "$work/s.json" "$work/f.svg" "$work/r.html"; fi
else skip 1 'python3 is not here'; fi
# In a browser, where there is one (TERN_CHROMIUM: one that is not on PATH): zoom and search are clicked.
chromium=${TERN_CHROMIUM:-$(command -v chromium-headless-shell || command -v chromium || command -v chromium-browser || command -v google-chrome)}
if [ -n "$chromium" ]; then
    TERN_DEVICE=interp LAB_LARGEST=32 "$BUILD/examples/lab/profile" "$work" >/dev/null
    { sed '$s,</svg>$,,' "$work/network.svg"; echo '<script><![CDATA['; cat test/cli/prof_flame.js; echo ']]></script></svg>'; } >"$work/browser.svg"
    { cat "$work/network.html"; for file in prof_flame prof_page; do echo '<script>'; cat test/cli/$file.js; echo '</script>'; done; } >"$work/browser.html"
    browse="timeout 100 $chromium --headless --no-sandbox --disable-gpu --enable-logging=stderr --user-data-dir=$work/profile --window-size=1400,1200 --dump-dom"
    said() { sed -n "s/.*$1=\"\([^\"]*\)\".*/\1/p" "$work/dom" | head -n 1; }
    $browse "file://$work/browser.svg" >"$work/dom" 2>"$work/browser.err"
    check "a flame graph in a browser: $(said data-test)" grep -q 'data-test="fine"' "$work/dom"
    $browse "file://$work/browser.html" >"$work/dom" 2>"$work/browser.err"
    check "one in a page: $(said data-test)" grep -q 'data-test="fine"' "$work/dom"
    check "the page: $(said data-page)" grep -q 'data-page="fine"' "$work/dom"
    check 'and nothing on its console' sh -c "! grep CONSOLE '$work/browser.err'"
else skip 4 'no Chromium (TERN_CHROMIUM names one)'; fi
finish
