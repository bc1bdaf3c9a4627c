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

# write FILE LINE EXPRESSION, into $file.
write() {
    file=$work/out/$1
    printf '%s\n' 'import triton' 'import triton.language as tl' "$2" '@triton.jit' 'def k(x):' "    tl.store(x, $3)" >"$file"
}
# gives N FILE LINE EXPRESSION: a kernel in FILE below out/ with LINE above it stores N.
gives() {
    want=$1
    write "$2" "$3" "$4"
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
# What a package gives: with conditions on versions and vendors, by `import *`, under other names.
package=$work/out/pieces
mkdir -p "$package/vendor"
: >"$package/vendor/__init__.py"
cat >"$package/__init__.py" <<'END'
import triton
from packaging import version
if version.parse(triton.__version__) >= version.parse("3.0.0"):
    from .shapes import other as renamed
    from .new import *
else:
    from .old import *
try:
    import torch_npu
    VENDOR = "npu"
except ImportError:
    VENDOR = "nvidia"
if VENDOR == "nvidia":
    from .vendor.nvidia import factor
elif VENDOR == "npu":
    from .vendor.npu import factor
N = 1
from .late import *
END
echo 'from .vendor import nvidia as other' >"$package/shapes.py"
printf '%s\n' '__all__ = ["kept", "_under"]' 'kept = 11' '_under = 12' 'left = 13' >"$package/new.py"
printf '%s\n' 'kept = 14' 'left = 15' >"$package/old.py"
printf '%s\n' 'from .late_too import *' 'N = 16' '_hidden = 17' >"$package/late.py"
printf '%s\n' 'from .late import *' 'M = 18' >"$package/late_too.py"
echo 'factor = 19' >"$package/vendor/nvidia.py"
echo 'factor = 20' >"$package/vendor/npu.py"
gives 11 p.py 'from pieces import *' 'kept'
gives 12 p.py 'from pieces.new import *' '_under'
gives 19 p.py 'from pieces import factor' 'factor'
gives 19 p.py 'from pieces import renamed as r' 'r.factor'
gives 16 p.py 'import pieces' 'pieces.N'
gives 18 p.py 'from pieces import *' 'M'
gives 13 p.py 'left = 13
from pieces import *' 'left'
gives 16 p.py 'N = 13
from pieces import *' 'N'
gives 13 p.py 'from pieces import *
N = 13' 'N'
gives 21 p.py '_hidden = 21
from pieces.late import *' '_hidden'
# What only a run would tell is not guessed: refused WORDS LINES EXPRESSION.
refused() {
    write u.py "$2" "$3"
    exits 2 "$1" "$TERN" run "$file:k" --device interp --grid 1 -a 'x=empty(1,i32)'
}
refused "'N', bound on line 4 or line 6 (only a run tells which), is not known" 'if unknown():
    N = 1
else:
    N = 2' 'N'
refused "'N', bound on line 3 or line 4 (only a run tells which), is not known" 'N = 3
if unknown(): N = 1' 'N'
refused "'kept', bound on line 4 or line 6 (only a run tells which), is not known" 'if unknown():
    from pieces.new import *
else:
    from pieces.old import *' 'kept'
refused 'help: --global HAS=VALUE gives it one' 'try:
    import not_here
    HAS = True
except ImportError:
    HAS = False' '1 if HAS else 2'
gives 3 u.py 'N = tl.constexpr(3) if unknown() else 3' 'N'
refused "'(1, 2)[7] if unknown() else 3'" 'N = (1, 2)[7] if unknown() else 3' 'N'
refused "'tl.constexpr(3) if unknown() else 4'" 'N = tl.constexpr(3) if unknown() else 4' 'N'
gives 3 u.py 'if unknown(): N = 3
else: N = 3' 'N'
# Functions that conditions call: try, imports within, comparisons by operator, other devices.
gives 1 u.py 'import importlib, operator
from packaging.version import Version
def newer(package, compare, version):
    try:
        found = importlib.import_module(package)
    except ImportError:
        return False
    return compare(Version(found.__version__), Version(version))
def other_device():
    try:
        from transformers.utils import is_torch_npu_available
        return is_torch_npu_available()
    except Exception:
        return False
def vendor():
    try:
        import torch_npu
        return 2
    except ImportError:
        return 1
if newer("triton", operator.ge, "3.0.0") and not other_device():
    N = vendor()
else:
    N = 3' 'N'
gives 3 u.py 'import importlib, operator
from packaging.version import Version
def newer(package, compare, version):
    return compare(Version(importlib.import_module(package).__version__), Version(version))
N = 3 if newer("triton", operator.lt, "3.0.0") is False else 4' 'N'
refused "'N', bound on line 10 or line 12 (only a run tells which), is not known" 'def either():
    try:
        import not_here
        return 1
    except ImportError:
        return 2
if either() == 1:
    N = 1
else:
    N = 2' 'N'
finish
