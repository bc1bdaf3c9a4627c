# SPDX-License-Identifier: Apache-2.0
# tern lab: each experiment runs on each device that needs no GPU, its forms agree, its files are there.
. test/cli/lib.sh
export TERN_CACHE_DIR="$work/cache"
mkdir -p "$TERN_CACHE_DIR"
"$TERN" lab all --device cpu --size 96 --save "$work/report" >"$work/got" 2>"$work/err"
check 'all of it' test $? = 0
# the address sanitizer has a word of its own for whoever switches stacks
check 'and says nothing else' test "$(grep -vc 'ASan.*swapcontext' "$work/err")" = 0
for words in 'torch.square(a) .* 10.577  *3.266$' 'a + b, us of the device .* 17.119$' '^64  ' '^CUDA C .* 1.8$' '^compiled .* 1.3$' \
    'torch.sum(x) / x.numel()' '^4  *64 ' 'optimizer  ' 'layer 3  ' 'manual_gelu_0  ' 'manual_softmax_0  '; do
    check "prints $words" grep -q "$words" "$work/got"
done
# The column "largest difference" of the forms: nothing above 1e-5.
check 'five and four forms agree' test "$(awk '/^(by hand|torch|CUDA C|Triton|compiled) / { for (i = 1; i <= NF; i++) if ($i ~ /e[-+][0-9][0-9]$/ && $i + 0 < 1e-5) n++ } END { print n }' "$work/got")" = 9
for file in square gelu softmax mean matmul; do
    check "$file.csv" test "$(wc -l <"$work/report/$file.csv")" -gt 1
    check "$file.svg" grep -q '</svg>' "$work/report/$file.svg"
done
check 'the page has all plots' test "$(grep -c '<svg ' "$work/report/index.html")" = 5
if python3 --version >/dev/null 2>&1; then
    check 'what is saved can be read' python3 -c '
import glob, json, sys, xml.dom.minidom
from html.parser import HTMLParser
folder = sys.argv[1]
traces = glob.glob(folder + "/*.trace.json")
assert len(traces) == 10, traces
for f in traces: assert json.load(open(f))["traceEvents"]
for f in glob.glob(folder + "/*.svg"): xml.dom.minidom.parse(f)
HTMLParser().feed(open(folder + "/index.html").read())' "$work/report"
else
    skip 1 'no Python'
fi
exits 0 'gelu: five ways, 8 x 8' "$TERN" lab gelu --device interp --size 8
exits 2 'one of square' "$TERN" lab nothing
exits 2 'one of square' "$TERN" lab
exits 4 'cannot make this folder' "$TERN" lab mean --device cpu --save "$work/none/deeper"
finish
