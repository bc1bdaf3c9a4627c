# SPDX-License-Identifier: Apache-2.0
# Modules that a kernel's file imports: beside it, of its package and of packages around it.
. test/cli/lib.sh
mkdir -p "$work/out/pack/deep/er" "$work/out/xpack" "$work/out/pack/deep/pack"
echo 'N = 7' >"$work/out/pack/values.py"
echo 'N = 8' >"$work/out/pack/deep/values.py"
echo 'N = 9' >"$work/out/pack/deep/pack/near.py"
echo 'N = 1' >"$work/out/values.py"
: >"$work/out/pack/deep/er/__init__.py"
: >"$work/out/pack/deep/__init__.py"

# gives N FILE LINE EXPRESSION: a kernel in FILE below out/ with LINE above it stores N.
gives() {
    want=$1 file=$work/out/$2
    printf '%s\n' 'import triton' 'import triton.language as tl' "$3" '@triton.jit' 'def k(x):' "    tl.store(x, $4)" >"$file"
    check "$3 in $2" sh -c "\"\$1\" run \"\$2:k\" --device interp --grid 1 -a 'x=empty(1,i32)' -p x | grep -q '\[$want\]'" - "$TERN" "$file"
}
gives 7 pack/k.py 'import pack.values as v' 'v.N'
gives 7 pack/deep/er/k.py 'import pack.values as v' 'v.N'
gives 7 pack/deep/er/k.py 'from pack.values import N' 'N'
gives 8 pack/deep/er/k.py 'import pack.deep.values as v' 'v.N'
gives 8 pack/deep/er/k.py 'from ..values import N' 'N'
gives 8 pack/deep/k.py 'from .values import N as M' 'M'
gives 8 pack/deep/k.py 'from . import values' 'values.N'
gives 1 k.py 'import values' 'values.N'
gives 9 pack/deep/pack/k.py 'from pack.near import N' 'N'
gives 7 pack/deep/pack/k.py 'import pack.values as v' 'v.N'
printf '%s\n' 'import triton' 'import triton.language as tl' 'import pack.values as v' '@triton.jit' \
    'def k(x):' '    tl.store(x, v.N)' >"$work/out/xpack/k.py"
check 'a folder whose name ends so is another' sh -c "! \"$TERN\" show '$work/out/xpack/k.py:k' --stage ir --sig '*i32'"
# As if it were installed: what a project keeps, from its tests and examples.
mkdir -p "$work/out/project/src/inner" "$work/out/project/outer" "$work/out/project/tests/more"
echo 'N = 5' >"$work/out/project/outer/__init__.py"
echo 'N = 6' >"$work/out/project/src/inner/values.py"
: >"$work/out/project/pyproject.toml"
gives 5 project/tests/more/k.py 'import outer' 'outer.N'
gives 6 project/tests/k.py 'from inner.values import N' 'N'
gives 6 project/tests/k.py 'import pytest; values = pytest.importorskip("inner.values")' 'values.N'
gives 6 project/tests/k.py 'import pytest
values = pytest.importorskip("inner.values")
M = values.N' 'M'
# A variable of the environment is what Python would read.
gives 3 k.py 'import os
M = 4 if os.environ.get("TERN_TEST_FOUR", "0") == "1" else 3' 'M'
export TERN_TEST_FOUR=1
gives 4 k.py 'import os
M = 4 if os.environ.get("TERN_TEST_FOUR", "0") == "1" else 3' 'M'
gives 6 k.py 'import os
def get(): return 5 if os.getenv("TERN_TEST_NONE") else 6
M = get()' 'M'
finish
