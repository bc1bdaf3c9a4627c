# SPDX-License-Identifier: Apache-2.0
# Functions of torch that turn, pick and multiply dimensions, and losses; the .out file is PyTorch 2.15's.
import torch
import torch.nn.functional as F


def show(name, f):
    try:
        made = f()
        for r in made if isinstance(made, (tuple, list)) else (made,):
            r = r.float()
            print(name, list(r.shape), [round(v, 3) for v in r.flatten()[:6].tolist()], round(r.sum().item(), 2))
    except Exception as e:
        print(name, type(e).__name__, str(e).split('\n')[0])


def grid(*sizes):
    count = 1
    for n in sizes:
        count *= n
    return torch.sin(torch.arange(float(count)) * 1.3).view(*sizes)


x, m, v, r = grid(2, 3, 4), grid(3, 4), grid(5), grid
for number, f in enumerate((
        lambda: x.flip(0), lambda: x.flip(0, 2), lambda: torch.flip(x, dims=[1]), lambda: x.flip(0, -3),
        lambda: torch.fliplr(m), lambda: m.flipud(), lambda: x.flip(5), lambda: torch.roll(x, 1), lambda: x.roll(1, 0),
        lambda: x.roll((1, -5), (1, 2)), lambda: x.roll(1, (0, 1)), lambda: m.diagonal(), lambda: m.diagonal(1),
        lambda: m.diagonal(-2), lambda: m.diagonal(9), lambda: x.diagonal(0, 1, 2), lambda: x.diagonal(1, 0, 2),
        lambda: x.diagonal(0, 1, 1), lambda: x.diagonal(dim1=-1, dim2=0), lambda: m.T.diagonal(1), lambda: torch.diag(v),
        lambda: torch.diag(v, 2), lambda: torch.diag(v, -1), lambda: m.diag(), lambda: torch.diag(x), lambda: m.trace(),
        lambda: m.tile(2), lambda: m.tile((2, 1, 3)), lambda: torch.tile(v, (2, 2)), lambda: v.repeat_interleave(3),
        lambda: m.repeat_interleave(2, 0), lambda: torch.repeat_interleave(x, 2, dim=-1), lambda: m.repeat_interleave(2),
        lambda: torch.broadcast_to(v, (2, 5)), lambda: torch.column_stack((v, r(5, 2), v)),
        lambda: torch.meshgrid(v, r(3), indexing='ij'), lambda: torch.meshgrid(v, r(3), indexing='xy'),
        lambda: torch.meshgrid([v, r(3), r(2)], indexing='ij'), lambda: v.diff(), lambda: torch.diff(m, 2, 0),
        lambda: torch.diff(m > 0), lambda: r(1).diff(), lambda: torch.logaddexp(v, v * 90),
        lambda: torch.logaddexp(v, torch.full((5,), float('-inf'))),
        lambda: torch.xlogy(torch.tensor([0., 1, 0, 2]), torch.tensor([0., 2, float('nan'), 3])),
        lambda: torch.isin(torch.arange(5), torch.tensor([1, 3])), lambda: torch.unique(torch.tensor([3, 1, 3, 2, 1])),
        lambda: torch.var_mean(m, 1), lambda: torch.std_mean(m), lambda: torch.var_mean(m, 0, keepdim=True),
        lambda: torch.einsum('ij,jk->ik', m, m.T), lambda: torch.einsum('bij,bjk->bik', x, x.mT),
        lambda: torch.einsum('bij,kj->bki', x, m), lambda: torch.einsum('ij->j', m), lambda: torch.einsum('ii->i', r(3, 3)),
        lambda: torch.einsum('ii', r(3, 3)), lambda: torch.einsum('i,i->', v, v), lambda: torch.einsum('i,i', v, v),
        lambda: torch.einsum('bhqd,bhkd->bhqk', r(2, 2, 3, 4), r(2, 2, 5, 4)), lambda: torch.einsum('ij,jk,kl->il', m, m.T, m),
        lambda: torch.einsum('ij,ij->i', m, m), lambda: torch.einsum('ba', m), lambda: torch.einsum('ij,jk', m, m.T),
        lambda: torch.einsum('ijk,il->jl', x, r(2, 5)), lambda: torch.einsum('i,->i', v, torch.tensor(2.)),
        lambda: torch.einsum('ij,jk->iq', m, m.T), lambda: torch.einsum('ijk,j', m, v), lambda: torch.einsum('i', m),
        lambda: torch.einsum('ij,jk', m), lambda: torch.einsum('ij,j->i', m, r(4)),
        lambda: torch.tensordot(x, x, dims=([1], [1])), lambda: torch.tensordot(m, m, dims=([0, 1], [0, 1])),
        lambda: torch.inner(m, m), lambda: torch.inner(v, v), lambda: torch.inner(torch.tensor(2.), v), lambda: x.mT,
        lambda: v.mT, lambda: m.mH, lambda: F.binary_cross_entropy(m.sigmoid(), (m > 0).float()),
        lambda: F.binary_cross_entropy(torch.tensor([0., 1]), torch.tensor([1., 1])),
        lambda: F.binary_cross_entropy_with_logits(m * 9, (m > 0).float(), reduction='none'),
        lambda: F.binary_cross_entropy_with_logits(m, m * m, pos_weight=torch.tensor(3.)),
        lambda: F.binary_cross_entropy_with_logits(m, v), lambda: F.smooth_l1_loss(m * 3, m),
        lambda: F.smooth_l1_loss(m * 3, m, beta=0.5, reduction='sum'), lambda: F.huber_loss(m * 3, m, delta=.7),
        lambda: F.cosine_similarity(m, m.flip(0)), lambda: F.cosine_similarity(x, x * 0, dim=-1), lambda: F.glu(m),
        lambda: F.glu(m, 0), lambda: F.mish(m * 30), lambda: F.hardtanh(m * 3), lambda: F.relu6(m * 9),
        lambda: F.hardsigmoid(m * 4), lambda: F.hardswish(m * 4), lambda: F.selu(m), lambda: F.softmin(m, 1),
        lambda: F.softsign(m), lambda: F.threshold(m, .1, 7), lambda: F.prelu(m, torch.tensor([.3])),
        lambda: F.prelu(m, torch.tensor([.3, .1, .2, .4])))):
    show(number, f)
g = m.clone().requires_grad_()
loss = F.binary_cross_entropy_with_logits(g, (m > 0).float())
(torch.einsum('ij,jk->ik', g, m.T).diagonal().sum() + g.flip(1).roll(1, 0).mul(m).sum() + loss).backward()
print([round(q, 3) for q in g.grad.flatten().tolist()])
print(torch.compile(lambda a, b: torch.einsum('ij,kj->ik', a, b).relu())(m, m))
# Ops that floats do not have, compiled.
bits = torch.compile(lambda i: (((i >> 1) & 3) | 8, i ^ 5, ~(i > 4), i % 3))
print(*bits(torch.arange(9)))
print(x.flatten(1), x.unflatten(2, (2, -1)).shape, torch.nn.Flatten(0, 1)(x).shape, torch.where((m > 0).to(torch.uint8), m, 0.0))
