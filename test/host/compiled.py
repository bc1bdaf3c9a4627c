# SPDX-License-Identifier: Apache-2.0
# torch.compile: what a function reads besides its arguments may change between calls, and the result is
# ever that of the function. Each line that it prints would be another with a stale trace.
import torch
from dataclasses import dataclass

a = torch.tensor([1.0, 2.0, 3.0])
calls = []


def softmax(x):
    x_max = x.max(dim=1)[0]
    x = x - x_max[:, None]
    numerator = torch.exp(x)
    denominator = numerator.sum(dim=1)
    return numerator / denominator[:, None]


f = torch.compile(softmax)
for shape in ((37, 781), (5, 33), (37, 781), (1, 1)):
    x = torch.arange(shape[0] * shape[1], dtype=torch.float32).reshape(shape) / 100
    print(f(x).shape, torch.allclose(f(x), torch.softmax(x, 1)))
print(torch.allclose(f(x.to(torch.float64)), torch.softmax(x.to(torch.float64), 1)))
x = torch.arange(12, dtype=torch.float32).reshape(3, 4)
print(torch.allclose(f(x.t()), torch.softmax(x.t(), 1)))

# Globals, also of functions that it calls; numbers among the arguments; results of any kind.
k = 2.0


def times(x):
    return x * k


def several(x, s=1, flag=False):
    if flag:
        s = s * 10
    return times(x) + s, x.shape[0], {'same': x, 'list': [x + 1, None, 'text']}


h = torch.compile(several)
print(h(a))
k = 3.0
print(h(a))
print(h(a, 5), h(a, s=1.5), h(a, 5.0), h(a, True), h(a, flag=True))
print(h(a)[2]['same'] is a, h(a)[2]['list'] is h(a)[2]['list'])
times = torch.neg
print(h(a))


# Attributes, lists, dicts, tuples, cells, classes.
class Model:
    scale = 1

    def __init__(self):
        self.weight = torch.tensor([1.0, 1.0, 1.0])
        self.bias, self.names, self.options = 2, [1, 2], {'on': True}

    def forward(self, x):
        y = x * self.weight * self.scale + self.bias + sum(self.names)
        return -y if self.options['on'] else y

    def __call__(self, x):
        return self.forward(x)


m = Model()
g = torch.compile(m)
print(g(a))
m.bias = 3
print(g(a))
m.names.append(7)
print(g(a))
m.names[0] = 0
print(g(a))
m.options['on'] = False
print(g(a))
m.weight = torch.tensor([0.0, 1.0, 2.0])
print(g(a))
m.weight += 1
print(g(a))
m.scale = 2
print(g(a))
del m.scale
Model.scale = 5
print(g(a))
Model.forward = lambda self, x: x
print(g(a))


def cells():
    v, w = [1.0], 1

    def inner(x):
        return x * v[0] + w

    c = torch.compile(inner)
    print(c(a))
    v[0] = 4.0
    print(c(a))
    w = 7
    print(c(a))


cells()


@dataclass
class Config:
    alpha: float = 1.0
    beta: int = 0


config = Config()


@torch.compile
def by_config(x, other):
    return x * config.alpha + (1 if config == other else 0)


print(by_config(a, Config()), by_config(a, Config(2.0)))
config.alpha = 2.0
print(by_config(a, Config()), by_config(a, Config(2.0)))

# What is missing may come.
late = torch.compile(lambda x: x * getattr(m, 'late', 1))
print(late(a))
m.late = 9
print(late(a))


# In place; two arguments that are one; views.
def in_place(x, y):
    x += 1
    y.mul_(2)


b = torch.zeros(3)
torch.compile(in_place)(b, a[1:])
print(b, a)
add = torch.compile(lambda x, y: x + y)
print(add(a, a), add(a, b), add(b, a))


# What cannot be traced runs as it stands.
@torch.compile
def says(x):  # op by op
    y = x + 1
    print('sum', y.sum().item())
    return y


print(says(a), says(a))
count = 0


@torch.compile
def counts(x):  # op by op
    global count
    count += 1
    calls.append(count)
    return x + count


print(counts(a), counts(a), calls)


@torch.compile
def draws(x):  # op by op
    return x + torch.rand(3)


torch.manual_seed(0)
first = draws(a)
print(torch.equal(first, draws(a)))


@torch.compile
def looks(x):  # op by op
    if x.sum() > 5:
        return x - 1
    return x + 1


print(looks(a), looks(b))
try:
    torch.compile(lambda x: x + torch.ones(7))(a)
except RuntimeError as error:
    print(error)


@torch.compile
def raises(x):
    raise KeyError('mine')


try:
    raises(a)
except KeyError as error:
    print('KeyError', error)


@torch.compile(dynamic=True, mode='max-autotune')
def inner(x):
    return x * 2


print(torch.compile(lambda x: inner(x) + 1)(a), torch.compile(torch.square)(a))


# An argument that has no part in the results has no gradient, compiled or not.
def half_used(a, b):
    c = b.clone()
    c.clamp_(-1, 1)
    return a.argmax(-1) * 0.5, (b * c).sum()


for form in (half_used, torch.compile(half_used)):
    a, b = torch.arange(12.0).reshape(3, 4).requires_grad_(), torch.tensor([0.5, -3.0, 2.0], requires_grad=True)
    form(a, b)[1].backward()
    print(a.grad, b.grad)


# A result requires a gradient where the function's own does.
def mixed(x, y):
    return x * 2, y.sum(), y.detach() * 2, (x @ y).exp()


x, y = torch.ones(3), torch.ones(3, requires_grad=True)
for form in (mixed, torch.compile(mixed)):
    print([r.requires_grad for r in form(x, y)], [r.requires_grad for r in form(x, x)])
    print([r.requires_grad for r in form(y, x)])
    with torch.no_grad():
        print([r.requires_grad for r in form(x, y)])
