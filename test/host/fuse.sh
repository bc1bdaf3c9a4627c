# SPDX-License-Identifier: Apache-2.0
# tern fuse: the file that comes out is Python: it runs by tern exec and, where they are, by PyTorch and
# Triton, and gives what the function gives; the function's own lines stand in it.
. test/cli/lib.sh
python=${PYTHON:-python3}
cat >"$work/functions.py" <<'END'
import torch
print('loaded as', __name__)
scale = 0.79788456


def manual_softmax(x):
    x_max = x.max(dim=1)[0]
    x = x - x_max[:, None]  # a comment of mine
    numerator = torch.exp(x)
    denominator = numerator.sum(dim=1)
    return numerator / denominator[:, None]


def manual_gelu(x):
    return 0.5 * x * (1 + torch.tanh(scale * (x + 0.044715 * x * x * x)))


def layer(x, w, b):
    return torch.relu(x @ w + b)


def looks(x):
    return x - 1 if x.sum() > 0 else x


if __name__ == '__main__':
    print('wrong')
END
cat >"$work/drive.py" <<'END'
import sys
import torch
import functions as f
import fused_manual_softmax as s, fused_manual_gelu as g, fused_layer as l
x = torch.arange(37 * 64, dtype=torch.float32).reshape(37, 64).sin() * 3
w, b = torch.arange(64 * 48, dtype=torch.float32).reshape(64, 48).cos(), torch.arange(48, dtype=torch.float32)
# Triton's interpreter knows no function of libdevice's, and so no tanh.
print(torch.allclose(s.manual_softmax(x), f.manual_softmax(x)),
      'skip' in sys.argv or torch.allclose(g.manual_gelu(x), f.manual_gelu(x), atol=1e-6),
      torch.allclose(l.layer(x, w, b), f.layer(x, w, b), rtol=1e-4, atol=1e-4))
END
fuse() { # FUNCTION ARGUMENT..
    function=$1
    shift
    "$TERN" fuse --device cpu "$work/functions.py:$function" "$@" -o "$work/fused_$function.py" >"$work/said" 2>&1
    check "$function" test $? = 0
    check "$function: the file ran, not as a program" test "$(cat "$work/said")" = 'loaded as file'
}
fuse manual_softmax -a 'x=randn(37,64)'
fuse manual_gelu -a 'x=randn(37,64)'
fuse layer -a 'x=randn(37,64)' -a 'w=randn(64,48)' -a 'b=randn(48)'
for line in '# x = x - x_max\[:, None\]  # a comment of mine' '# numerator = torch.exp(x)' 'numerator = tl.exp(' '@triton.jit'; do
    check "softmax has $line" grep -q "$line" "$work/fused_manual_softmax.py"
done
check 'one kernel' test "$(grep -c '@triton.jit' "$work/fused_manual_gelu.py")" = 1
check 'nothing runs that nobody wants' sh -c '! grep -q argmax "$0"' "$work/fused_manual_softmax.py"
for device in cpu interp; do
    exits 0 'True True True' "$TERN" exec --device $device "$work/drive.py"
done
if "$python" -P -c 'import torch, triton' 2>"$work/.out"; then
    cat >"$work/turns.py" <<'END'
import torch, triton, triton.language as tl
@triton.jit
def turns(out, n):
    for i in range(0, n):
        tl.store(out + i, i)
out = torch.zeros(4, dtype=torch.int32)
turns[(1,)](out, 4)
print(out.tolist())
END
    # Triton 3.6 beside NumPy 2.4 has no loops to a value that a launch gives.
    if TRITON_INTERPRET=1 "$python" "$work/turns.py" 2>&1 | grep -q '^\[0, 1, 2, 3\]$'; then
        TRITON_INTERPRET=1 "$python" "$work/drive.py" skip >"$work/got" 2>&1
        check "Triton's interpreter" grep -q '^True True True$' "$work/got"
    else
        skip 1 "this Triton's interpreter runs no loop to a value of the launch"
    fi
    cat >"$work/front.py" <<'END'
import sys, triton
from triton.compiler import ASTSource
from triton.backends.compiler import GPUTarget
for name in sys.argv[1:]:
    text = open('fused_' + name + '.py').read()
    module = __import__('fused_' + name)
    signature = text.split('# ' + name + '_0: ')[1].split('\n')[0].split(',')
    kernel = getattr(module, name + '_0')
    names = kernel.arg_names
    constants = {n: int(s) for n, s in zip(names, signature) if s.isdigit()}
    types = {n: 'constexpr' if s.isdigit() else s.split(':')[0] for n, s in zip(names, signature)}
    made = triton.compile(ASTSource(kernel, types, constants), target=GPUTarget('cuda', 90, 32))
    print(name, 'ptx' in made.asm)
END
    (cd "$work" && "$python" front.py manual_softmax manual_gelu layer) >"$work/got" 2>&1
    check "Triton's compiler, to PTX" test "$(grep -c ' True$' "$work/got")" = 3
else
    skip 2 'no PyTorch and Triton'
fi
exits 0 'rows, 5 programs' "$TERN" fuse --device cpu "$work/functions.py:manual_softmax" -a 'x=randn(37,64)' --plan
exits 3 "looking at a tensor's value while a function is compiled" "$TERN" fuse --device cpu "$work/functions.py:looks" -a 'x=randn(4)'
exits 1 "NameError: the file has no 'nothing'" "$TERN" fuse --device cpu "$work/functions.py:nothing" -a 'x=randn(4)'
exits 1 "missing 1 required positional argument: 'x'" "$TERN" fuse --device cpu "$work/functions.py:looks"
exits 1 'The size of tensor a' "$TERN" fuse --device cpu "$work/functions.py:layer" -a 'x=randn(3,4)' -a 'w=randn(4,5)' -a 'b=randn(3)'
exits 2 'one FILE.py:FUNCTION' "$TERN" fuse "$work/functions.py"
exits 2 'No such file' "$TERN" fuse --device cpu "$work/none.py:f"
exits 4 'No such file' "$TERN" fuse --device cpu "$work/functions.py:manual_gelu" -a 'x=randn(4)' -o "$work/none/x.py"
# A reader of the file that was there before sees all of it.
echo before >"$work/there.py"
ln "$work/there.py" "$work/read.py"
"$TERN" fuse --device cpu "$work/functions.py:manual_gelu" -a 'x=randn(4)' -o "$work/there.py" >"$work/.out" 2>&1
check 'the file is replaced as a whole' sh -c "[ \"\$(cat '$work/read.py')\" = before ] && grep -q 'def manual_gelu' '$work/there.py'"
finish
