# SPDX-License-Identifier: Apache-2.0
# tools/corpus_triton.py: a name that only a failed import would give is no refusal of Triton's.
. test/cli/lib.sh
python=${PYTHON:-python3}
cat >"$work/k.py" <<'EOF'
import triton
import triton.language as tl
from not_there import helper, CONST


@triton.jit
def unknown(x):
    tl.store(x, helper(CONST))


@triton.jit
def good(x):
    tl.store(x, 1)


@triton.jit
def bad(x):
    tl.store(x, nothing)
EOF
{
    printf 'compiled %s:12:good: \tx=*fp32:16\n' "$work/k.py"
    printf 'error %s:7:unknown: error: one\tx=*fp32:16\n' "$work/k.py"
    printf 'error %s:12:good: error: two\tx=*fp32:16\n' "$work/k.py"
    printf 'error %s:17:bad: error: three\tx=*fp32:16\n' "$work/k.py"
} >"$work/list"
if "$python" -c 'import triton' 2>/dev/null; then
    "$python" tools/corpus_triton.py --seconds 300 "$work/list" >"$work/said" 2>&1
    check 'what Triton refuses, cannot tell, and compiles' grep -q \
        '^1 compiled, 1 refused by tern alone, 1 by Triton too, 1 Triton cannot tell: 50.0 %' "$work/said"
    check 'which of them' grep -q 'cannot tell .*k.py:7:unknown' "$work/said"
else
    skip 2 'a python with triton'
fi
finish
