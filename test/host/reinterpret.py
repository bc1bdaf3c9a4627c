# SPDX-License-Identifier: Apache-2.0
# triton.reinterpret: kernels that load and store a tensor as another type.
import torch
import triton
import triton.language as tl
@triton.jit
def k(x, y, n, B: tl.constexpr):
    o = tl.arange(0, B)
    tl.store(y + o, tl.load(x + o, mask=o < n, other=0.0).to(tl.float32), mask=o < n)
x = torch.tensor([0, 60, 64, 72, 184, 255], dtype=torch.uint8)
y = torch.zeros(6)
for d in (tl.float8e5, tl.float8e4nv, torch.float8_e5m2, tl.int8):
    w = triton.reinterpret(x, d)
    k[(1,)](w, y, 6, 8)
    print(d, w.dtype, w.shape, w.element_size(), y.tolist())
print(triton.reinterpret(w, torch.uint8) is w.base, w.base is x, w.data_ptr() == x.data_ptr(), isinstance(w, triton.TensorWrapper), str(w)[:24])
@triton.jit
def put(y, B: tl.constexpr): tl.store(y + tl.arange(0, B), (tl.arange(0, B) * 0.75).to(tl.float8e5))
z = torch.zeros(8, dtype=torch.int8)
put[(1,)](triton.reinterpret(z, tl.float8e5), 8)
print(z.tolist(), z.view(torch.float8_e5m2).float().tolist())
try: triton.reinterpret(3, tl.int8)
except TypeError as e: print(e)
class Reversed: # a view that PyTorch cannot make: what has data_ptr() and dtype is an argument, too
    def __init__(self, base): self.base, self.dtype = base, base.dtype
    def data_ptr(self): return self.base.data_ptr() + 4 * (self.base.numel() - 1)
@triton.jit
def turn(x, y, n, B: tl.constexpr):
    o = tl.arange(0, B)
    tl.store(y + o, tl.load(x - o, mask=o < n), mask=o < n)
y = torch.zeros(5)
turn[(1,)](Reversed(torch.arange(5.)), y, 5, 8)
print(y.tolist())
class Nowhere(Reversed):
    def data_ptr(self): return 64
try: turn[(1,)](Nowhere(y), y, 5, 8)
except ValueError as e: print(e)
