# SPDX-License-Identifier: Apache-2.0
# What tutorials 06, 08 and 09 of Triton use beside kernels: TensorDescriptors as arguments, sessions of
# triton.profiler with launch_metadata, and their tree.
. test/cli/lib.sh
cat >"$work/descriptors.py" <<'END'
import torch, triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


def hook(nargs):
    nargs['y'].block_shape = [nargs['M'], nargs['N']]
    nargs['x'].block_shape = [nargs['M'], nargs['N']]


@triton.autotune([triton.Config({'M': m, 'N': 16}, pre_hook=hook) for m in (8, 16)], key=['rows'])
@triton.jit
def twice(x, y, rows, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.program_id(0) * M, tl.program_id(1) * N
    y.store([i, j], x.load([i, j]) * 2)


# Names of the language are asked for, too.
assert hasattr(tl, 'make_tensor_descriptor') and not hasattr(tl, 'nothing') and getattr(tl, 'nothing', 1) == 1
x = torch.randn(37, 40, device='cuda')
y = torch.zeros_like(x)
dx, dy = TensorDescriptor.from_tensor(x, [1, 1]), TensorDescriptor(y, list(y.shape), list(y.stride()), [1, 1])
twice[lambda m: (triton.cdiv(37, m['M']), triton.cdiv(40, m['N']))](dx, dy, 37)
print(torch.equal(y, x * 2) and triton.tools.tensor_descriptor.TensorDescriptor is TensorDescriptor)
@triton.jit
def part(x, y, M: tl.constexpr, N: tl.constexpr):
    y.store([0, 0], x.load([3, 32]))
z = torch.ones(8, 16, device='cuda')
part[(1,)](TensorDescriptor.from_tensor(x[8:], [8, 16], padding='nan'), TensorDescriptor.from_tensor(z, [8, 16]), 8, 16)
print(torch.equal(z[:, :8], x[11:19, 32:]), z[:, 8:].isnan().all().item())
try:
    part[(1,)](TensorDescriptor.from_tensor(x, [8, 3]), TensorDescriptor.from_tensor(z, [8, 16]), 8, 16)
except ValueError as error:
    print(error)
END
cat >"$work/addresses.py" <<'END'
import torch, triton
import triton.language as tl
import triton.tools.experimental_descriptor as experimental


@triton.jit
def twice(x, y, z, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.program_id(0) * M, tl.program_id(1) * N
    a = tl._experimental_descriptor_load(x, [i, j], [M, N], tl.float16)
    tl._experimental_descriptor_store(y, a * 2, [i, j])
    tl._experimental_descriptor_store(z, tl.sum(a.to(tl.float32), axis=1), [i])


x = torch.randn(40, 48, device='cuda', dtype=torch.float16)
y = torch.zeros(8, 48, device='cuda', dtype=torch.float16)
z = torch.zeros(7, device='cuda')
make = experimental.create_2d_tma_descriptor
dx = make(x[4:].data_ptr(), 8, 48, 4, 64, x.element_size())
dz = experimental.create_1d_tma_descriptor(z.data_ptr(), 7, 4, 4)
twice[(2, 1)](dx, make(y.data_ptr(), 8, 48, 4, 64, 2), dz, 4, 64)
print(torch.equal(y, x[4:12] * 2), torch.allclose(z, x[4:11].float().sum(1), atol=1e-2))
for bad in (lambda: twice[(2, 1)](dx, make(16, 8, 48, 4, 64, 2), dz, 4, 64),
            lambda: make(x.data_ptr(), 8, 48, 4, 64, 8)):
    try:
        bad()
    except ValueError as error:
        print(error)
END
cat >"$work/session.py" <<'END'
import torch, triton
import triton.language as tl
import triton.profiler as proton
import triton.profiler.viewer as viewer
from triton._C.libtriton import nvidia


def said(grid, kernel, args):
    return {'name': f'{kernel.name} [n={args["n"]}, grid={grid}]', 'flops32': 2.0 * args['n'], 'bytes': 8 * args['n']}


@triton.jit(launch_metadata=said)
def twice(x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


x = torch.ones(1000, device='cuda')
twice[(8,)](x, 1000, 128)
session = proton.start('mine', hook='triton')
proton.deactivate()
twice[(8,)](x, 1000, 128)
proton.activate(session)
for _ in range(3):
    twice[(8,)](x, 1000, 128)
with proton.scope('outer'):
    with proton.scope('inner', {'flops32': 7.0}):
        x + 1
    twice[(8,)](x, 1000, 128)
proton.finalize()
twice[(8,)](x, 1000, 128)
tree, metrics = viewer.parse(['gbyte/s', 'count'], 'mine.hatchet')
print([(path, row.count, row.ms > 0, row.metrics) for path, row in tree.items()])
viewer.print_tree(tree, ['count'])
print(*metrics)
try:
    viewer.parse(['count'], 'other.hatchet')
except FileNotFoundError:
    print(True)
a, b, c = torch.randn(5, 7), torch.randn(6, 7), torch.empty(5, 6)
nvidia.cublas.CublasLt(torch.empty(4)).matmul(a, b, c)
print(torch.allclose(c, a @ b.t()), x[0].item())
END
for device in cpu interp; do
    "$TERN" exec --device $device "$work/descriptors.py" >"$work/got" 2>"$work/err"
    check "$device: descriptors end well" test $? = 0
    printf '%s\n' True 'True True' 'a TensorDescriptor: its block is not of powers of two' >"$work/want"
    check "$device: descriptors" diff "$work/want" "$work/got"
    cat "$work/err"
    "$TERN" exec --device $device "$work/addresses.py" >"$work/got" 2>"$work/err"
    printf '%s\n' 'True True' "a descriptor's address is in no tensor's memory" 'elementSize must be 1, 2, or 4' >"$work/want"
    check "$device: descriptors of addresses" diff "$work/want" "$work/got"
    cat "$work/err"
done
"$TERN" exec --device cpu "$work/session.py" >"$work/got" 2>"$work/err"
check 'a session ends well' test $? = 0
check 'two lines say whose times' test "$(grep -c '^tern exec: ' "$work/err")" = 2
cat >"$work/want" <<'END'
[(('twice [n=1000, grid=(8, 1, 1)]',), 3, True, {'flops32': 6000.0, 'bytes': 24000.0}), (('outer',), 1, True, {}), (('outer', 'inner'), 1, True, {'flops32': 7.0}), (('outer', 'twice [n=1000, grid=(8, 1, 1)]'), 1, True, {'flops32': 2000.0, 'bytes': 8000.0})]
count
ROOT
├─ 3.000 twice [n=1000, grid=(8, 1, 1)]
└─ 1.000 outer
   ├─ 1.000 inner
   └─ 1.000 twice [n=1000, grid=(8, 1, 1)]
gbyte/s count
True
True 128.0
END
check 'the session' diff "$work/want" "$work/got"
for line in 'viewer.parse(["time/x"], "mine.hatchet"); viewer.print_tree(viewer.rows_of("mine"), ["time/x"])' 'proton.start("a"); proton.start("b")'; do
    { sed '/^tree, metrics/,$d' "$work/session.py"; printf '%s\n' "$line"; } >"$work/s.py"
    exits 3 'not supported: ' "$TERN" exec --device cpu "$work/s.py"
done
finish
