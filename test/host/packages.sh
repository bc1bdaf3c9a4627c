# SPDX-License-Identifier: Apache-2.0
# Packages of kernels through their own text: how they look for their parts, and what their wrapper
# functions give. kit/ is a stand-in; with a checkout of linkedin/Liger-Kernel (ead96b61) in $TERN_LIGER its own
# wrappers run, beside formulas in float64.
. test/cli/lib.sh
python=${PYTHON:-python3}
cat >"$work/parts.py" <<'END'
import pkgutil
import kit.ops
import kit.ops.backends.registry as registry
import math
print(kit.ops.seen)
print(kit.ops.deep)
print(sorted(registry.REGISTRY), kit.ops.__package__, registry.__package__, registry.__name__)
print([tuple(m)[1:] for m in pkgutil.iter_modules(kit.ops.__path__, 'x.')], len(kit.ops.__path__), hasattr(registry, '__path__'))
print(list(pkgutil.iter_modules(['/nowhere/at/all'] if False else [])))
print([math.isqrt(n) for n in (0, 1, 3, 4, 99, 100, 2**62 - 1, 2**62)], math.isfinite(math.inf), math.copysign(2, -0.0))


class Kept:
    def __delattr__(self, name):
        print('not', name)
        if name == 'b':
            object.__delattr__(self, name)


kept = Kept()
kept.a, kept.b = 1, 2
del kept.a, kept.b
print(kept.a, hasattr(kept, 'b'))
try:
    del kept.c
    object.__delattr__(kept, 'c')
except AttributeError as error:
    print(error)
END
"$TERN" exec --device cpu -I test/host "$work/parts.py" >"$work/got" 2>"$work/err"
check 'the parts of a package' test $? = 0
cat "$work/err"
check 'are found' grep -q "('scale', False)" "$work/got"
if "$python" -c 'import torch, triton' 2>"$work/.out"; then
    PYTHONPATH=test/host "$python" -B "$work/parts.py" >"$work/want" 2>&1
    check 'as in Python' diff "$work/want" "$work/got"
else
    skip 1 'no Python with torch and triton'
fi
printf '%s\n' 'import pkgutil' 'list(pkgutil.iter_modules(["/usr/lib"]))' >"$work/out.py"
exits 3 "modules of '/usr/lib', which imports do not reach" "$TERN" exec --device cpu "$work/out.py"
cat >"$work/scale.py" <<'END'
import torch
from kit.ops.scale import scale
torch.manual_seed(1)
x = torch.randn(7, 33, device='cuda').t().requires_grad_()
y = scale(x, 1.7)
w = torch.randn(33, 7, device='cuda')
(y * w).sum().backward()
print((y.double() - x.double() * 1.7).abs().max().item() < 1e-6, (x.grad.double() - w.double() * 1.7).abs().max().item() < 1e-6)
END
exits 0 'True True' "$TERN" exec --device cpu -I test/host "$work/scale.py"

"$TERN" exec --device cpu test/host/liger/wrappers.py -- reference >"$work/got" 2>&1
check 'the formulas end well' test $? = 0
if "$python" -c 'import torch' 2>"$work/.out"; then
    "$python" -B test/host/liger/wrappers.py reference >"$work/want" 2>&1
    check 'the formulas give what they give in PyTorch' diff "$work/want" "$work/got"
else
    skip 1 'no Python with torch'
fi
if [ -f "${TERN_LIGER:-/none}/src/liger_kernel/transformers/functional.py" ]; then
    "$TERN" exec --device cpu -I "$TERN_LIGER/src" test/host/liger/wrappers.py >"$work/got" 2>"$work/err"
    check 'the wrappers end well' test $? = 0
    cat "$work/err"
    check '37 wrappers' grep -q '^37 wrappers' "$work/got"
    check 'agree with float64' test "$(grep -c ' ok ' "$work/got")" = 37
    grep ' differs ' "$work/got"
else
    skip 3 'no $TERN_LIGER'
fi
finish
