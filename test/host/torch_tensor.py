# SPDX-License-Identifier: Apache-2.0
# torch.Tensor(..) and alike, argsort, squeeze of several dimensions, layout, custom_fwd, changes in place.
import torch
print(torch.Tensor([1, 2, 3]))
print(torch.Tensor([[1, 2], [3, 4]]).dtype)
print(torch.Tensor(2, 3).shape, torch.Tensor(torch.ones(4, 5).shape).shape, torch.Tensor((4, 5)))
print(torch.Tensor().shape)
print(torch.Tensor(torch.ones(2)))
print(isinstance(torch.ones(1), torch.Tensor), type(torch.ones(1)))
print(torch.FloatTensor([1, 2]), torch.LongTensor([1, 2]), torch.IntTensor(2).shape, torch.BoolTensor([1, 0]), torch.HalfTensor([1.5]), torch.DoubleTensor([1]))
x = torch.tensor([3., 1., 2., 1.])
print(torch.argsort(x, stable=True), x.argsort(descending=True), torch.argsort(x, dim=0, stable=True))
print(torch.argsort(torch.tensor([[3, 1], [0, 5]]), dim=0))
print(torch.ones(1, 2, 1, 3, 1).squeeze([0, 2]).shape, torch.ones(1, 2, 1).squeeze((0, -1)).shape, torch.ones(1, 2).squeeze((0, 1)).shape, torch.ones(1, 2).squeeze(()).shape)
print(torch.ones(2).layout, torch.ones(2).layout == torch.strided, (x.layout, x.layout) == (torch.strided, torch.strided))
try: torch.ones(1, 2).squeeze(5)
except IndexError as e: print(e)
x = y = torch.tensor([5., 7.]); x //= 2; print(y)
x = y = torch.tensor([5., 7.]); x %= 3; print(y)
x = y = torch.tensor([5., 7.]); x **= 2; print(y)
x = y = torch.tensor([5, 7]); x <<= 1; print(y); x >>= 1; print(y); x ^= 3; print(y); x |= 8; print(y); x &= 12; print(y)
from torch.amp import custom_fwd, custom_bwd
class F(torch.autograd.Function):
    @staticmethod
    @custom_fwd(device_type="cuda", cast_inputs=torch.float16)
    def forward(ctx, x):
        return x * 2
    @staticmethod
    @custom_bwd(device_type="cuda")
    def backward(ctx, g):
        return g * 2
x = torch.ones(2, requires_grad=True)
y = F.apply(x)
y.sum().backward()
print(x.grad, y.dtype)
