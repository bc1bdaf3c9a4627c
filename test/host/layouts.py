# SPDX-License-Identifier: Apache-2.0
# Where what is picked, made and turned lies, as PyTorch lays it; tensors where numbers and indices are wanted; numbers that a type has no room for.
import math
import torch

z = torch.arange(24).reshape(2, 3, 4)
t = z.transpose(0, 2)
for x in (z[:, [2, 0]], z[..., [2, 0]], z[:, [0, 1], :], z[:, torch.tensor([[0, 1], [2, 0]])], t[:, [0, 1]], z.transpose(1, 2)[:, [0, 1]],
          z.permute(2, 0, 1)[:, [0, 1], :], z[:, [0, 1], [1, 2]], z[[0, 1], :, [1, 2]], z[:, torch.tensor([True, False, True])], t[[1, 0]],
          t[:, torch.tensor([[0, 2], [1, 1]]).t()]):
    print(x.stride(), x.tolist())
print(z[:, [0, 1]].view(-1), torch.nonzero(z > 21).stride(), torch.nonzero(z > 21))
for x in (torch.empty_like(t, dtype=torch.float32), torch.zeros_like(t, dtype=torch.int8), torch.ones_like(t), torch.full_like(t, 3),
          torch.full_like(t, 2.5, dtype=torch.float64), torch.rand_like(t.float()), torch.flip(t, [0]), torch.zeros_like(z[:, :, ::2].transpose(0, 1), dtype=torch.int8)):
    print(x.stride(), x.dtype)
torch.manual_seed(3)
print(torch.rand_like(t.float()), torch.flip(t, [0, 1]).tolist())
for x in (t.sort(0)[0], t.sort(-3, descending=True)[1], t.argsort(1), z[:, ::2].transpose(0, 1).sort(0)[0], t.masked_fill(t > 3, 0), torch.zeros_like(z[..., ::2].permute(2, 0, 1)),
          torch.empty_like(z[0, :, ::2].t())):
    print(x.stride(), x.shape, x.sum().item() if x.dim() == 3 else '')
a = torch.tensor([-1.0, 2.5, 0.5, -7.0, 1000.0])
print(a.half() % 1e-3, torch.fmod(a.half(), 1e-3), a.bfloat16() % 1e-2, a.half().remainder_(0.3), 1e-3 % a.half(), a % 1e-3)
print((a > 0).max(0), (a > 0).view(5, 1).min(1, keepdim=True))
print(z.float().max(2), [z[0].sort(1, descending=True)], z[0, 0].topk(2))

print(int(torch.tensor(3.7)), float(torch.tensor([2])), int(torch.tensor(True)), math.sqrt(torch.tensor(4)), math.floor(torch.tensor(4.7)), '%d %.2f' % (torch.tensor(3.7), torch.tensor(3)))
print([0, 1, 2][torch.tensor(1)], list(range(torch.tensor(3))), 'abc'[:torch.tensor(2)], z[0, :torch.tensor(1)], torch.zeros(torch.tensor(2), 3).shape, [4, 5].pop(torch.tensor(0)))
print(torch.arange(torch.tensor(3)), torch.full((2,), torch.tensor(3)), torch.full((1,), torch.tensor(2.5)), torch.full((1,), torch.tensor(True)))


class Odd:
    def __int__(self): return 2.5
    def __float__(self): return 3


class Index:
    def __index__(self): return 4


print(int(Index()), float(Index()), math.sqrt(Index()))
nan, inf = float('nan'), float('inf')


def put(x, value):
    x[0] = value
    return x


for f in (lambda: int(Odd()), lambda: [0, 1, 2][torch.tensor(1.0)], lambda: int(torch.tensor(nan)), lambda: int(torch.tensor(inf)), lambda: range(torch.tensor([1, 2])),
          lambda: torch.full((1,), 1e300), lambda: torch.tensor(2 ** 63), lambda: torch.tensor([300], dtype=torch.uint8), lambda: torch.tensor([2 ** 31], dtype=torch.int32),
          lambda: torch.zeros(2, dtype=torch.int8).fill_(128), lambda: put(torch.zeros(2, dtype=torch.int16), -32769), lambda: torch.full((1,), -2.5, dtype=torch.uint8),
          lambda: a[:0].max(), lambda: z[:, :0].min(1), lambda: a[:0].argmax(), lambda: z[:, :0].argmin(dim=-2), lambda: z[:, :0].amax(1), lambda: torch.full((1,), nan, dtype=torch.int64), lambda: put(torch.zeros(2, dtype=torch.int32), 2 ** 31)):
    try:
        print(f())
    except Exception as error:
        print(type(error).__name__, error)
most = 2 ** 60 + 1
print(torch.full((2,), most), torch.zeros(2, dtype=torch.int64).fill_(most), torch.full_like(z[0, 0], -most), put(torch.zeros(2, dtype=torch.int64), most))
for dtype in (torch.bool, torch.uint8, torch.int8, torch.int64, torch.float16, torch.float32):
    for value in (-1, 2.75, True, 0):
        print(torch.full((1,), value, dtype=dtype), torch.tensor([value], dtype=dtype), put(torch.zeros(1, dtype=dtype), value))
