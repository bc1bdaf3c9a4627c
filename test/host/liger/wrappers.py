# SPDX-License-Identifier: Apache-2.0
# Wrapper functions of Liger-Kernel, called through the package's own text, beside formulas in float64: results
# and gradients. `-- reference` prints what the formulas give, and needs no package: two evaluators of Python say the same.
import sys
import torch
import torch.nn.functional as F

ONLY_REFERENCE = sys.argv[1:] == ['reference']
DEVICE = 'cpu' if ONLY_REFERENCE else 'cuda'
if not ONLY_REFERENCE:
    import liger_kernel.transformers.functional as liger
    from liger_kernel.transformers import LigerRMSNorm, LigerLayerNorm, LigerSwiGLUMLP, LigerGEGLUMLP, LigerCrossEntropyLoss
    from liger_kernel.transformers.llama4_rope import liger_llama4_text_rotary_pos_emb
    from liger_kernel.transformers.rope import liger_rotary_pos_emb
    from liger_kernel.transformers.experimental.embedding import LigerEmbedding


class Config:
    hidden_size, intermediate_size, hidden_act = 24, 40, 'silu'


count = 0


def is_float(x):
    return isinstance(x, torch.Tensor) and x.dtype.is_floating_point


def furthest(got, want):
    got, want = got.double(), want.double()
    scale = want.abs().max().item()
    error = (got - want).abs().max().item() / (scale if scale > 0 else 1.0)
    return error if list(got.shape) == list(want.shape) else 9.0


def run(function, inputs, weights):
    results = function(*inputs)
    results = list(results) if isinstance(results, tuple) else [results]
    total = None
    for result, weight in zip(results, weights or results):
        part = (result * weight.to(result.dtype)).sum() if weights else result.sum()
        total = part if total is None else total + part
    total.backward()
    grads = [x.grad for x in inputs if is_float(x) and x.requires_grad]
    return [r.detach() for r in results] + grads


# fixed: inputs that take no gradient.
def compare(name, call, reference, *inputs, bound=2e-5, fixed=(), uses_dot=False):
    global count
    count += 1
    wide = [x.double().requires_grad_(i not in fixed) if is_float(x) else x for i, x in enumerate(inputs)]
    shaped = reference(*wide)
    shaped = list(shaped) if isinstance(shaped, tuple) else [shaped]
    torch.manual_seed(99)
    weights = [torch.randn(list(r.shape)).double() for r in shaped]
    want = run(reference, wide, weights)
    if ONLY_REFERENCE:
        print(name, ' '.join('%.4g' % w.double().abs().sum().item() for w in want))
        return
    if uses_dot and torch.cuda.get_device_capability()[0] > 0:
        bound = 5e-2  # a GPU's products of float32 have tf32's 10 bits there
    narrow = [x.clone().to(DEVICE).requires_grad_(i not in fixed) if is_float(x) else x.to(DEVICE) if isinstance(x, torch.Tensor)
              else x for i, x in enumerate(inputs)]
    got = run(call, narrow, [w.to(DEVICE) for w in weights])
    errors = [furthest(g.cpu(), w) for g, w in zip(got, want)]
    good = len(got) == len(want) and all(e <= bound for e in errors)
    print(name, 'ok' if good else 'differs', '' if good else errors)


def draw(*shape, scale=1.0):
    return torch.randn(shape) * scale


def labels(rows, classes, ignored=0):
    made = torch.randint(0, classes, (rows,))
    for i in range(ignored):
        made[3 * i] = -100
    return made


def rms(x, eps=1e-6):
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + eps)


def ce(x, target, smoothing=0.0, softcap=None, reduction='mean', square=0.0):
    if softcap is not None:
        x = softcap * torch.tanh(x / softcap)
    kept = (target != -100)
    safe = torch.where(kept, target, torch.zeros_like(target))
    most = x.max(-1, keepdim=True)[0].detach()
    norm = torch.log(torch.exp(x - most).sum(-1)) + most.squeeze(-1)
    picked = x.gather(1, safe.unsqueeze(1)).squeeze(1)
    loss = (1 - smoothing) * (norm - picked) + smoothing * (norm - x.mean(-1)) + square * norm * norm
    loss = loss * kept.to(x.dtype)
    return loss.sum() / kept.to(x.dtype).sum() if reduction == 'mean' else loss.sum()


def logits(x):
    return x - torch.log(torch.exp(x).sum(-1, keepdim=True))


def jsd(x, y, beta=0.5):
    p, q = torch.exp(y), torch.exp(x)
    m = beta * p + (1 - beta) * q
    return (beta * p * (y - torch.log(m)) + (1 - beta) * q * (x - torch.log(m))).sum() / x.shape[0]


def layer_norm(x, w, b, eps=1e-5):
    centered = x - x.mean(-1, keepdim=True)
    return centered * torch.rsqrt((centered * centered).mean(-1, keepdim=True) + eps) * w + b


def gelu(x):
    return 0.5 * x * (1 + torch.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))


def silu(x):
    return x * torch.sigmoid(x)


def halves(x):
    half = x.shape[-1] // 2
    return torch.cat([-x[..., half:], x[..., :half]], -1)


def rope(q, k, cos, sin):
    cos, sin = cos.unsqueeze(1), sin.unsqueeze(1)
    return q * cos + halves(q) * sin, k * cos + halves(k) * sin


def angles(rows, dim):
    base = torch.arange(rows).float()[:, None] * torch.exp(-torch.arange(dim // 2).float() / dim * 4)[None, :]
    return torch.cat([base, base], -1)


def mrope(q, k, cos, sin):
    sections = [2, 3, 3] * 2
    parts, at = [[], []], 0
    for i, size in enumerate(sections):
        for which, table in enumerate((cos, sin)):
            parts[which].append(table[i % 3, :, :, at:at + size])
        at += size
    return rope(q, k, torch.cat(parts[0], -1), torch.cat(parts[1], -1))


def group_norm(x, w, b):
    rows, channels, width = x.shape
    grouped = x.reshape(rows, 3, channels // 3 * width)
    centered = grouped - grouped.mean(-1, keepdim=True)
    normed = centered * torch.rsqrt((centered * centered).mean(-1, keepdim=True) + 1e-5)
    return normed.reshape(rows, channels, width) * w[None, :, None] + b[None, :, None]


def poly_norm(x, w, b):
    def part(i, y):
        return w[i:i + 1] * rms(y)
    return part(0, x * x * x) + part(1, x * x) + part(2, x) + b


def neighborhood(q, k, v):
    n = q.shape[2]
    distance = (torch.arange(n)[:, None] - torch.arange(n)[None, :]).abs()
    scores = (q @ k.transpose(-2, -1)) / q.shape[-1] ** 0.5
    scores = scores + torch.where(distance <= 3, 0.0, -1e30).double()[None, None, :, :].to(q.device)
    return torch.softmax(scores, -1) @ v


def sparsemax(x):
    z, _ = x.sort(dim=-1, descending=True)
    sums = z.cumsum(-1)
    ranks = torch.arange(1, x.shape[-1] + 1).double()
    support = (1 + ranks * z > sums).double()
    size = support.sum(-1, keepdim=True)
    tau = ((z * support).sum(-1, keepdim=True) - 1) / size
    return torch.relu(x - tau)


def attn_res(v, query, norm):
    scores = (rms(v) * norm * query).sum(-1, keepdim=True)
    return (torch.softmax(scores, 0) * v).sum(0)


def mhc_coeffs(x, phi, b, pre, post, res):
    rows, width = x.shape[0], x.shape[1] * x.shape[2]
    flat, n = x.reshape(rows, width), x.shape[1]
    mix = (flat @ phi) * torch.rsqrt((flat * flat).mean(-1, keepdim=True) + 1e-6)
    h_pre = torch.sigmoid(pre * mix[:, :n] + b[:n])
    h_post = 2 * torch.sigmoid(post * mix[:, n:2 * n] + b[n:2 * n])
    matrix = torch.softmax((res * mix[:, 2 * n:] + b[2 * n:]).reshape(rows, n, n), -1) + 1e-6
    matrix = matrix / (matrix.sum(1, keepdim=True) + 1e-6)
    for _ in range(19):
        matrix = matrix / (matrix.sum(2, keepdim=True) + 1e-6)
        matrix = matrix / (matrix.sum(1, keepdim=True) + 1e-6)
    return h_pre, h_post, matrix


def mhc_pre(x, h):
    return (x * h.unsqueeze(-1)).sum(-2)


def mhc_post(x, f, h_post, h_res):
    return f.unsqueeze(-2) * h_post.unsqueeze(-1) + h_res @ x


def mhc_forward(x, phi, b, pre, post, res):
    h_pre, h_post, h_res = mhc_coeffs(x, phi, b, pre, post, res)
    return mhc_post(x, mhc_pre(x, h_pre) * 0.5, h_post, h_res)


def module(make, names, *args):
    def call(x, *values):
        made = make(*args).to(x.device)
        for name, value in zip(names, values):
            holder = made
            *path, last = name.split('.')
            for step in path:
                holder = getattr(holder, step)
            delattr(holder, last)
            setattr(holder, last, value)
        return made(x)
    return call


def of(name):
    return None if ONLY_REFERENCE else getattr(liger, name)


torch.manual_seed(0)
x, y = draw(9, 48), draw(9, 48)
w, b = draw(48), draw(48)
three, one = draw(3), draw(1)
compare('rms_norm', lambda x, w: liger.liger_rms_norm(x, w, 1e-6), lambda x, w: rms(x) * w, x, w)
compare('rms_norm gemma', lambda x, w: liger.liger_rms_norm(x, w, 1e-6, 1.0, 'gemma', False), lambda x, w: rms(x) * (1 + w), x, w)
compare('layer_norm', lambda x, w, b: liger.liger_layer_norm(x, w, b, 1e-5), layer_norm, x, w, b)
compare('fused_add_rms_norm', lambda x, r, w: liger.liger_fused_add_rms_norm(x, r, w, 1e-6),
        lambda x, r, w: (rms(x + r) * w, x + r), x, y, w)
compare('modulated_rms_norm', lambda x, w, s, t: liger.liger_modulated_rms_norm(x, w, s, t),
        lambda x, w, s, t: rms(x) * w * (1 + s) + t, x, w, draw(9, 48), draw(9, 48))
compare('poly_norm', lambda x, w, b: liger.liger_poly_norm(x, w, b), poly_norm, x, three, torch.tensor(0.3))
compare('group_norm', lambda x, w, b: liger.liger_group_norm(x, w, b, 6, 3, 1e-5), group_norm, draw(4, 6, 20), draw(6), draw(6))
compare('geglu', of('liger_geglu'), lambda a, b: gelu(a) * b, x, y)
compare('swiglu', of('liger_swiglu'), lambda a, b: silu(a) * b, x, y)
compare('relu_squared', of('liger_relu_squared'), lambda x: torch.relu(x) * torch.relu(x), x)
compare('softmax', of('liger_softmax'), lambda x: torch.softmax(x, -1), x)
compare('sparsemax', of('liger_sparsemax'), sparsemax, x)
compare('dyt', of('liger_dyt'), lambda x, a, g, b: g * torch.tanh(a * x) + b, x, one, w, b, bound=1e-4)
compare('cross_entropy', of('liger_cross_entropy'), ce, x, labels(9, 48, 2))
# Of a power of two of classes: the package's softcap makes its padding's -inf a number.
compare('cross_entropy smoothed', lambda x, t: liger.liger_cross_entropy(x, t, label_smoothing=0.1, reduction='sum', softcap=5.0),
        lambda x, t: ce(x, t, 0.1, 5.0, 'sum'), draw(9, 64), labels(9, 64))
compare('cross_entropy z', lambda x, t: liger.liger_cross_entropy(x, t, lse_square_scale=1e-2),
        lambda x, t: ce(x, t, square=1e-2), x, labels(9, 48))
compare('fused_linear_cross_entropy', of('liger_fused_linear_cross_entropy'), lambda x, w, t: ce(x @ w.t(), t),
        x, draw(70, 48, scale=0.3), labels(9, 70, 1))
compare('fused_linear_jsd', lambda a, b, c, d: liger.liger_fused_linear_jsd(a, b, c, d),
        lambda a, b, c, d: jsd(logits(a @ b.t()), logits(c @ d.t())), x, draw(70, 48, scale=0.3), y, draw(70, 48, scale=0.3),
        bound=1e-4, fixed=(2, 3))
p, q = logits(x).clone(), logits(y).clone()
compare('jsd', of('liger_jsd'), jsd, p, q, fixed=(1,))
compare('jsd forward', lambda a, b: liger.liger_jsd(a, b, beta=0.0), lambda a, b: (torch.exp(b) * (b - a)).sum() / 9, p, q, fixed=(1,))
compare('kl_div', lambda a, b: liger.liger_kl_div(a, b, reduction='batchmean'),
        lambda a, b: (b * (torch.log(b) - a)).sum() / 9, p, torch.exp(q), fixed=(1,))
compare('tvd', lambda a, b: liger.liger_tvd(a, b, reduction='batchmean'), lambda a, b: 0.5 * (a - b).abs().sum() / 9,
        torch.exp(p), torch.exp(q), fixed=(1,))
compare('fused_neighborhood_attention', of('liger_fused_neighborhood_attention'), neighborhood, draw(2, 3, 20, 16),
        draw(2, 3, 20, 16), draw(2, 3, 20, 16), bound=1e-4, uses_dot=True)
at = angles(10, 16)
compare('rope', lambda q, k, c, s: liger.liger_rope(q, k, c, s), rope, draw(2, 4, 10, 16), draw(2, 2, 10, 16), at.cos()[None],
        at.sin()[None], fixed=(2, 3))
compare('rotary_pos_emb', lambda *a: liger_rotary_pos_emb(*a), rope, draw(1, 3, 10, 16), draw(1, 3, 10, 16), at.cos()[None],
        at.sin()[None], fixed=(2, 3))
at = torch.stack([angles(10, 16), angles(10, 16) * 0.5, angles(10, 16) * 2])[:, None]
compare('qwen2vl_mrope', lambda q, k, c, s: liger.liger_qwen2vl_mrope(q, k, c, s, [2, 3, 3]), mrope, draw(1, 4, 10, 16),
        draw(1, 2, 10, 16), at.cos(), at.sin(), fixed=(2, 3))
compare('attn_res', of('liger_attn_res'), attn_res, draw(5, 2, 3, 32), draw(32), draw(32), bound=1e-4)
n, c = 4, 16
state, phi = draw(6, n, c), draw(n * c, n * n + 2 * n, scale=0.1)
bias, alphas = draw(n * n + 2 * n), [torch.tensor(0.5), torch.tensor(0.7), torch.tensor(0.9)]
compare('mhc_coeffs', lambda *a: liger.liger_mhc_coeffs(*a, allow_fp32=True), mhc_coeffs, state, phi, bias, *alphas, bound=1e-3, uses_dot=True)
compare('mhc_pre', of('liger_mhc_pre'), mhc_pre, state, draw(6, n))
compare('mhc_post_res', of('liger_mhc_post_res'), mhc_post, state, draw(6, c), draw(6, n), draw(6, n, n))
compare('mhc_apply', of('liger_mhc_apply'), lambda x, f, a, b, c: mhc_post(x, f, b, c), state, draw(6, c), draw(6, n), draw(6, n),
        draw(6, n, n), fixed=(2,))
compare('mhc_forward', lambda x, *a: liger.liger_mhc_forward(x, lambda y: y * 0.5, *a, allow_fp32=True), mhc_forward, state, phi, bias,
        *alphas, bound=1e-3, uses_dot=True)
if ONLY_REFERENCE:
    LigerRMSNorm = LigerLayerNorm = LigerCrossEntropyLoss = LigerSwiGLUMLP = LigerGEGLUMLP = LigerEmbedding = None
compare('RMSNorm', module(LigerRMSNorm, ['weight'], 48), lambda x, w: rms(x) * w, x, w)
compare('LayerNorm', module(LigerLayerNorm, ['weight', 'bias'], 48, 1e-5), layer_norm, x, w, b)
gates = [draw(40, 24, scale=0.3), draw(40, 24, scale=0.3), draw(24, 40, scale=0.3)]
parts = ['gate_proj.weight', 'up_proj.weight', 'down_proj.weight']
compare('SwiGLUMLP', module(LigerSwiGLUMLP, parts, Config()),
        lambda x, g, u, d: (silu(x @ g.t()) * (x @ u.t())) @ d.t(), draw(7, 24), *gates, bound=1e-4)
Config.hidden_act = 'gelu_pytorch_tanh'
compare('GEGLUMLP', module(LigerGEGLUMLP, parts, Config()),
        lambda x, g, u, d: (gelu(x @ g.t()) * (x @ u.t())) @ d.t(), draw(7, 24), *gates, bound=1e-4)
compare('Embedding', lambda i, w: module(LigerEmbedding, ['weight'], 30, 12)(i, w),
        lambda i, w: w.index_select(0, i), labels(9, 30), draw(30, 12))
print(count, 'wrappers')
