# SPDX-License-Identifier: Apache-2.0
# tern view: the page's JSON against what is known of the kernels (view.py), hostile names and texts, limits,
# and the page itself in a browser (view_page.js), where a Chromium is found.
. test/cli/lib.sh
lesson=test/sim/lesson.py page="$work/page.html"
says() { # says WHAT: what view.py knows of it
    if command -v python3 >/dev/null; then check "the page: $*" python3 test/cli/view.py "$page" "$@"
    else skip 1 'no python3'; fi
}
strided="$TERN view $lesson:copy_strided --grid 4 -a x=randn(4096) -a y=empty(4096) -a n=4096 -a STRIDE=32 -a BLOCK=1024"
exits 0 'of 4 of 4 programs' $strided -o "$page"
says strided
cp "$page" "$work/strided.html"
exits 0 '80 accesses of warps, of 1 of 1 programs' $TERN view $lesson:transpose_gather --grid 1 -a 'x=randn(1024)' -a 'y=empty(1024)' -a N=32 -o "$page"
says gather
exits 0 'of 1 of 1 programs' $TERN view $lesson:transpose --grid 1 -a 'x=randn(1024)' -a 'y=empty(1024)' -a N=32 -o "$page"
says turned
exits 0 'of 3 of 3 programs' $TERN view test/cli/view.cu:turn --grid 3 --block 64 -a 'in=randn(192)' -a 'out=empty(192)' -o "$page"
says cuda
exits 0 '"programs":2,"programs_shown":2' $TERN view kernels/softmax.py --grid 2 -a 'x_ptr=randn(2,200)' -a 'out_ptr=empty(2,200)' -a x_stride=200 -a out_stride=200 -a columns=200 -a BLOCK=256 -o "$page" --json
says ir "$TERN"
exits 0 'of 16 of 16 programs' $TERN view kernels/matmul.py --grid 16 -a 'a=randn(64,64,f16)' -a 'b=randn(64,64,f16)' -a 'c=empty(64,64,f32)' -a m=64 -a n=64 -a k=64 \
    -a am=64 -a ak=1 -a bk=64 -a bn=1 -a cm=64 -a cn=1 -a BM=16 -a BN=16 -a BK=16 -a GROUP=1 --requests 100000 -o "$page"
says

# Programs are there whole or not at all.
exits 0 'of 3 of 4 programs' $strided -o "$page" --requests 230
says limited
exits 3 'the first program alone makes more than 63 accesses' $strided -o "$page" --requests 63
exits 2 '--requests' $strided --requests 0

# Names and texts that would end a string, a script, a line.
hostile="$work/a'\"</script><b>é.py"
mkdir "${hostile%/*}" # its '/' is one of the path
{
    sed -n '3,6p' $lesson
    printf '# "</script><img src=x>\001 <!-- \\ \n%s\n' '@triton.jit'
    printf 'def copy(x, y, n, B: tl.constexpr):\n    i = tl.arange(0, B)  # </script>\n    tl.device_print("</script> loc(\\"", i)\n    tl.store(y + i, tl.load(x + tl.minimum(i, 30)))\n'
} >"$hostile"
exits 0 'of 1 of 1 programs' $TERN view "$hostile" --grid 1 -a 'x=randn(32)' -a 'y=empty(32)' -a n=32 -a B=32 --num-warps 1 -o "$page"
says hostile

# Machine code, where there are programs for it.
mkdir "$work/empty" "$work/bin" "$work/readonly"
exits 0 "without SASS: there is no 'ptxas' on PATH" env PATH="$work/empty" "$(command -v $TERN)" view $lesson:copy --grid 1 -a 'x=randn(64)' -a 'y=empty(64)' -a n=64 -a BLOCK=64 -o "$page"
printf '#!/bin/sh\n: >"$5"\n' >"$work/bin/ptxas" && chmod +x "$work/bin/ptxas"
exits 0 "without SASS: needs 'cuobjdump' or 'nvdisasm' on PATH" env PATH="$work/bin" "$(command -v $TERN)" view $lesson:copy --grid 1 -a 'x=randn(64)' -a 'y=empty(64)' -a n=64 -a BLOCK=64 -o "$page"
with_triton=$(python3 -c 'import importlib.util as u; print(u.find_spec("triton").submodule_search_locations[0])' 2>/dev/null)
tools_path=$PATH:/usr/local/cuda/bin:$with_triton/backends/nvidia/bin
if (PATH=$tools_path; command -v ptxas && command -v nvdisasm && command -v python3) >"$work/.out" 2>&1; then
    exits 0 'programs; ' env PATH="$tools_path" $TERN view $lesson:copy --grid 1 -a 'x=randn(64)' -a 'y=empty(64)' -a n=64 -a BLOCK=64 -o "$page"
    says sass
else
    skip 2 'no ptxas with nvdisasm'
fi

exits 2 'one FILE[:KERNEL], not 0' $TERN view
exits 3 'device cpu does not tell which thread touches what; sim does' $strided --device cpu
exits 4 'No such file' $strided -o /nonexistent/x.html
exits 1 'outside the buffer' $TERN view $lesson:copy --grid 5 -a 'x=randn(64)' -a 'y=empty(64)' -a n=64 -a BLOCK=64 -o "$work/none.html"
check 'what fails leaves nothing' sh -c "! ls '$work' | grep -q none"
exits 0 "'tern view' draws which lane touches what" $TERN why $lesson:copy_strided --device sim --grid 4 -a 'x=randn(4096)' -a 'y=empty(4096)' -a n=4096 -a STRIDE=32 -a BLOCK=1024

# TERN_CHROMIUM: a browser that is not on PATH.
chromium=${TERN_CHROMIUM:-$(command -v chromium-headless-shell || command -v chromium || command -v chromium-browser || command -v google-chrome)}
if [ -n "$chromium" ]; then
    { cat "$work/strided.html"; echo '<script>'; cat test/cli/view_drawn.js test/cli/view_page.js; echo '</script>'; } >"$work/browser.html"
    exits 0 'of 1 of 1 programs' $TERN view test/cli/why.py:turns --grid 1 -a 'x=randn(1024)' -a 'y=empty(1024)' -a N=32 -a TIMES=2 -o "$page"
    { cat "$page"; echo '<script>'; cat test/cli/view_drawn.js test/cli/view_banks.js; echo '</script>'; } >"$work/banks.html"
    browse="timeout 100 $chromium --headless --no-sandbox --disable-gpu --enable-logging=stderr --user-data-dir=$work/profile --window-size=1600,1200"
    $browse --dump-dom "file://$work/browser.html" >"$work/dom" 2>"$work/browser.err"
    check "in a browser: $(sed -n 's/.*data-test="\([^"]*\)".*/\1/p' "$work/dom" | head -n 1)" grep -q 'data-test="fine"' "$work/dom"
    $browse --dump-dom "file://$work/banks.html" >"$work/dom" 2>"$work/browser.err"
    check "banks in a browser: $(sed -n 's/.*data-test="\([^"]*\)".*/\1/p' "$work/dom" | head -n 1)" grep -q 'data-test="fine"' "$work/dom"
    check 'and nothing on its console' sh -c "! grep CONSOLE '$work/browser.err'"
    $browse --screenshot="$work/page.png" "file://$work/strided.html" >"$work/browser.err" 2>&1
    check 'and a picture of it' test "$(wc -c <"$work/page.png")" -gt 50000
else
    skip 3 'no Chromium (TERN_CHROMIUM names one)'
fi
finish
