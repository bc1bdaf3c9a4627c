# torch: making, views, operators, reductions, printing, in place; drawn numbers are torch's.
import torch

torch.manual_seed(0)
print(torch.rand(5), torch.rand(2, 3), torch.rand(3, dtype=torch.float64))
torch.manual_seed(42)
print(torch.randint(0, 10, (8,)), torch.randint(3, (2, 2)))
torch.manual_seed(7)
print((torch.randn(40) * 100).to(torch.int32).tolist(), (torch.randn(5) * 100).int())
x = torch.arange(12, dtype=torch.float32).reshape(3, 4)
print(x, x.shape, x.dtype, x.device, x.stride(), x.stride(0), x.size(1), x.numel(), x.dim(), len(x))
print(x[1], x[:, 1], x[0, 2], x[..., -1], x[1:, ::2], x[:, None].shape, x.T.shape, x.t().is_contiguous())
print(x + 1, 1 - x, x * x, x / 2, x // 5, x % 5, x**2, -x, 2**x[0], x @ x.T)
print(x > 5, (x > 2) & (x < 7), ~(x > 5), x == x, (x != x).any(), (x == x).all())
print(x.sum(), x.sum(0), x.sum(dim=1, keepdim=True), x.mean(), x.max(), x.max(dim=1).values, x.max(1)[1], x.argmax())
print(torch.exp(x[0]), x[0].exp().sum().item(), torch.softmax(x, dim=1), torch.where(x > 5, x, torch.zeros_like(x)))
y = torch.empty_like(x)
y.copy_(x)
y += 10
y[0] = -1
y[:, 1] = 7.5
y[2, 3] = 99
print(y, x[2, 3].item(), y.view(-1)[:3], y.flatten().shape, torch.add(x, 1, out=y) is y, y[0])
z = x
z *= 2
print(x[0], z is x, x.clone() is x, x.float() + 0 is x)
print(torch.tensor([1, 2, 3]), torch.tensor([[1.5, 2], [3, 4]]), torch.tensor(3.5), torch.tensor([True, False]))
print(torch.tensor([1, 2]) + 0.5, torch.tensor([1, 2]) / 2, (torch.tensor([1, 2]) + torch.tensor([0.5, 1])).dtype)
print(torch.zeros(2, 3), torch.ones((2,), dtype=torch.int64), torch.full((2, 2), 3.0), torch.full((2,), 7))
print(torch.cat([x[0], x[1]]), torch.stack([x[0], x[1]], dim=1).shape, x.unsqueeze(0).shape, x[None].squeeze().shape)
print(x.permute(1, 0).shape, x.transpose(0, 1)[1], torch.zeros(1, 3).expand(2, 3).shape)
print(torch.allclose(x, x + 1e-9), torch.equal(x, x), torch.allclose(x, x + 1), x.tolist()[0])
print(f"{x.max()} {x.sum():.2f} {x[0]}", x.half().dtype, x.to(torch.int64)[0], x.to("cpu") is not None)
print(torch.float32, torch.int64.itemsize, x.element_size(), torch.float16 == torch.half, isinstance(x, torch.Tensor))
for row in x[:2]:
    print("row", row)
if (x[0, 1] > 1):
    print("true")
for wrong in (
    lambda: x + torch.zeros(5),
    lambda: bool(x),
    lambda: x.view(5),
    lambda: x.size(7),
    lambda: torch.cat([torch.zeros(2, 2), torch.zeros(2, 3)]).shape,
    lambda: x @ torch.zeros(3),
    lambda: len(torch.tensor(1)),
):
    try:
        print("got", wrong())
    except (RuntimeError, IndexError, TypeError) as error:
        print(type(error).__name__, str(error).split("\n")[0])
print(torch.arange(2000), torch.rand(0), torch.zeros(2, 0), torch.tensor(1e-8), torch.tensor([1e10, 1.0]))
torch.testing.assert_close(x, x.clone())
print(torch.nn.functional.gelu(x[0]), torch.nn.functional.relu(-x[0]), torch.sigmoid(x[0] / 10), x.softmax(-1).sum(-1))
odd = torch.tensor([-1.0, float('nan'), 3.0])
print(odd.clamp(min=0), torch.clamp(odd, max=1), odd.clamp(0, 2), odd.clamp(None, 1.0), torch.tensor([1, 5]).clamp(max=2.5))
try:
    odd.clamp()
except RuntimeError as error:
    print(error)

# A value that is filled in is of the tensor's own type.
i = torch.tensor([1, 2])
m = i > 1
for t in (i, m, i.half(), i.to(torch.uint8)):
    for v in (0.5, 2, True, torch.tensor(0.5), torch.tensor(2)):
        print(t.masked_fill(m, v), t.clone().masked_fill_(m, v))
print(torch.addcmul(i, i, i, value=0.5), torch.addcmul(i.float(), i, i, value=0.5), torch.addcdiv(i.float(), i.float(), i, value=0.5))
for t in (torch.int8, torch.uint8, torch.int32):
    for v in (127.5, 128, -129, -1, -0.25, 255.5, -256, 1e10):
        try:
            print(i.to(t).masked_fill(m, v))
        except RuntimeError as error:
            print(t, v, error)
for f in (lambda: i.masked_fill(i, 2), lambda: i.masked_fill(m, i), lambda: torch.addcdiv(i.float(), i, i)):
    try:
        f()
    except RuntimeError as error:
        print(str(error)[:100])


# x + alpha * y, in the result's type, rounded once.
def say(f, *args, **named):
    try:
        r = f(*args, **named)
        print(r.dtype, r.tolist())
    except (RuntimeError, TypeError) as e:
        print(type(e).__name__, e)


x, i, b = torch.tensor([1.5, -2.0]), torch.tensor([3, -4]), torch.tensor([True, False])
h = torch.tensor([2049.0, 0.1]).half()
for f in (torch.add, torch.sub, torch.rsub):
    for y in (x, i, 3, 2.5, h, x.double()):
        for alpha in (2, 0.3, True):
            say(f, x, y, alpha=alpha)
            say(f, i, y, alpha=alpha)
say(torch.add, h, h, alpha=2)
say(torch.add, b, b, alpha=2)
say(torch.add, b, True, alpha=True)
say(torch.add, b, b, alpha=0)
say(x.add, x, alpha='2')
say(x.clone().add_, x, alpha=2)
say(x.clone().sub_, i, alpha=0.5)
say(h.clone().add_, h, alpha=2)
say(i.clone().add_, x, alpha=2)
say(torch.add, x, i, alpha=2, out=torch.empty(2))
w = x.clone().requires_grad_()
torch.sub(w * w, w, alpha=3).sum().backward()
print(w.grad.tolist())


# Strides of what is like a tensor; sizes of 1 keep theirs.
for f in (torch.isfinite, torch.isinf, torch.isnan):
    for dtype in (torch.float32, torch.int32, torch.bool):
        for size, stride in (((33, 1, 33), (33, 1089, 1)), ((1, 3), (7, 1)), ((4, 1, 3), (1, 4, 4)), ((4, 3), (6, 1))):
            print(f(torch.empty_strided(size, stride, dtype=dtype).zero_()).stride(), end=' ')
        print()


# Losses of two types.
def loss(f, a, b):
    try:
        print(f(torch.tensor([1, 0, 1]).to(a), torch.tensor([1, 1, 0]).to(b)))
    except RuntimeError as e:
        print(e)


for a in (torch.bool, torch.int64, torch.float32, torch.float64):
    for b in (torch.bool, torch.int64, torch.float32):
        loss(torch.nn.functional.mse_loss, a, b)
        loss(torch.nn.functional.l1_loss, a, b)


# index_select where there is nothing.
def select(size, dim, index):
    try:
        print(torch.zeros(size).index_select(dim, torch.tensor(index, dtype=torch.int64)).shape)
    except (RuntimeError, IndexError) as e:
        print(e)


for size in ((0, 3), (3, 0), (3, 2), (3,), (), (0,), (0, 2, 3)):
    for dim in (0, 1):
        for index in ([0], [], [3], [-1], [0, 1], 0):
            select(size, dim, index)
