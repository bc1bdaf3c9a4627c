# SPDX-License-Identifier: Apache-2.0
# torch.nn, gradients, torch.autograd.Function, optimisers: printed as PyTorch prints them, from the same seed.
import torch
import torch.nn as nn
import torch.nn.functional as F
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = (x * x).sum()
y.backward()
print(x.grad, y, x)
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.LayerNorm(8), nn.Linear(8, 3, bias=False), nn.Dropout(0.0))
print(m[0], m[1], m[3], m[4])  # of LayerNorm, PyTorch 2.11 and 2.15 print different things
print(m[0].weight)
inp = torch.randn(5, 4)
print(m(inp))
print([n for n, _ in m.named_parameters()], sum(p.numel() for p in m.parameters()))
target = torch.tensor([0, 1, 2, 0, 1])
for opt in (torch.optim.SGD(m.parameters(), lr=0.1, momentum=0.9, weight_decay=0.01), torch.optim.AdamW(m.parameters(), lr=1e-2), torch.optim.Adam(m.parameters(), lr=1e-2)):
    for step in range(3):
        opt.zero_grad()
        loss = F.cross_entropy(m(inp), target)
        loss.backward()
        opt.step()
        print(f'{loss.item():.5f}')
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.save_for_backward(x)
        ctx.k = k
        return x ** 3 * k
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 3 * x * x * ctx.k, None, None, None
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = Cube.apply(x, 2.0)
print(y)
y.sum().backward()
print(x.grad)
with torch.no_grad():
    z = x * 2
print(z.requires_grad, (x * 2).requires_grad, torch.autograd.grad((x ** 2).sum(), x)[0])
@torch.no_grad()
def f(x): return x * 3
print(f(x).requires_grad, isinstance(m[0].weight, nn.Parameter), isinstance(x, torch.Tensor), m[0].weight.grad.shape)
sd = m.state_dict(); print(list(sd)); m.load_state_dict(sd)
m.to(torch.float64); print(m[0].weight.dtype); m.float(); m.eval(); print(m.training, m[1].training)
class Net(nn.Module):
    def __init__(self, d, n):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(d, d) for _ in range(n)])
        self.scale = nn.Parameter(torch.ones(1))
        self.register_buffer('b', torch.zeros(2))
    def forward(self, x):
        for l in self.layers:
            x = torch.relu(l(x)) * self.scale
        return x.mean()
net = Net(4, 2)
print(net)
print(net(inp).item(), [n for n, p in net.named_parameters()])
c = torch.compile(net)
print(c(inp).item() == net(inp).item())
c(inp).backward(); g1 = net.scale.grad.clone(); net.zero_grad(); net(inp).backward(); print(torch.allclose(g1, net.scale.grad))
print(torch.std(inp), inp.var(dim=1), inp.chunk(2)[0].shape, torch.topk(inp, 2, dim=1)[1], inp.repeat(2, 1).shape, torch.eye(2), torch.linspace(0, 1, 5), F.one_hot(target, 3)[1])
try:
    net.nothing
except AttributeError as e: print(e)
c(inp).backward()
net.zero_grad()
loss = c(inp) * 2
with torch.no_grad():
    print(c(inp).requires_grad, loss.requires_grad)
loss.backward()
print(net.layers[0].weight.grad.shape, net.scale.grad)
class Two(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        ctx.set_materialize_grads(False)
        return a * b, a + b
    @staticmethod
    def backward(ctx, g, h):
        a, b = ctx.saved_tensors
        print(ctx.needs_input_grad, g is None, h is None)
        return g * b if ctx.needs_input_grad[0] else None, g * a
a, b = torch.ones(2, requires_grad=True), torch.full((2,), 3.0, requires_grad=True)
p, q = Two.apply(a, b)
p.sum().backward()
print(a.grad, b.grad, p.is_leaf, a.is_leaf, p.grad_fn is None)
a.grad = None
print(Two.apply(a, b.detach())[0].requires_grad, a.grad, a.detach().requires_grad)
try:
    Two.apply(a, b)[1].sum().backward()
except TypeError as error:
    print('TypeError')
try:
    a.sum().backward(); (a * 2).backward()
except RuntimeError as error:
    print(error)
x = torch.ones(3, requires_grad=True)
y = x * x
y.sum().backward()
try:
    y.sum().backward()
except RuntimeError as error:
    print(str(error)[:60])
z = torch.ones(3, requires_grad=True)
w = z.exp()
w.mul_(2)
try:
    w.sum().backward()
except RuntimeError as error:
    print(str(error)[:90])
emb = nn.Embedding(5, 3)
emb(torch.tensor([1, 1, 4])).sum().backward()
print(emb.weight.grad)
x = torch.arange(6.0).reshape(2, 3).requires_grad_()
F.layer_norm(x, (3,)).square().sum().backward()
print(x.grad.abs().max() < 1e-4, torch.autograd.grad(F.softmax(x, 1)[0, 0], [x], retain_graph=True)[0])
x.grad = None
g, = torch.autograd.grad((x ** 3).sum(), x, create_graph=True)
g.sum().backward()
print(x.grad)
nn.utils.clip_grad_norm_([x], 1.0)
print(x.grad.norm())
for wrong, classes in (([1, 5], 3), ([-1, 0], 3), ([], -1), ([0.5], 2), ([1], 0)):
    try:
        F.one_hot(torch.tensor(wrong) if wrong else torch.empty(0, dtype=torch.int64), classes)
    except RuntimeError as error:
        print(error)
print(F.one_hot(torch.empty(0, dtype=torch.int64), 3).shape, F.one_hot(torch.tensor([2, 0])).tolist())
