# SPDX-License-Identifier: Apache-2.0
# Functions of lectures, compiled and op by op: by tern (tern exec --device cuda bench/lecture.py -- tern) and by PyTorch
# (python3 bench/lecture.py torch); and what a call costs the host.
import sys
import torch
import triton


def manual_gelu(x):
    return 0.5 * x * (1 + torch.tanh(0.79788456 * (x + 0.044715 * x * x * x)))


def manual_softmax(x):
    x_max = x.max(dim=1)[0]
    x = x - x_max[:, None]
    numerator = torch.exp(x)
    denominator = numerator.sum(dim=1)
    return numerator / denominator[:, None]


def layer_norm(x):
    mean = x.mean(dim=1, keepdim=True)
    d = x - mean
    var = (d * d).mean(dim=1, keepdim=True)
    return d / torch.sqrt(var + 1e-5)


who = sys.argv[1]
n = 16384
x = torch.randn(n, n, device='cuda') if who == 'torch' else torch.ones(n, n, device='cuda') * 0.3
for f in (manual_gelu, manual_softmax, layer_norm):
    c = torch.compile(f)
    ok = torch.allclose(c(x), f(x), atol=1e-5)
    a = triton.testing.do_bench(lambda: c(x), warmup=10, rep=60)
    b = triton.testing.do_bench(lambda: f(x), warmup=10, rep=60)
    print(who, f.__name__, ok, 'compiled', round(a, 4), 'ms, op by op', round(b, 4), 'ms')
small = torch.ones(64, 64, device='cuda')
c = torch.compile(manual_gelu)
c(small)
import time
for name, f in (('compiled call', lambda: c(small)), ('eager op', lambda: small + small), ('five ops', lambda: manual_softmax(small))):
    for _ in range(200): f()
    torch.cuda.synchronize()
    t = time.perf_counter()
    for _ in range(2000): f()
    d = time.perf_counter() - t
    torch.cuda.synchronize()
    print(who, name, round(d / 2000 * 1e6, 2), 'us of host time')
