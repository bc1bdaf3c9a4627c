# SPDX-License-Identifier: Apache-2.0
# Functions of lectures, compiled and op by op, and what a call costs the host: by tern
# (tern exec --device cuda bench/lecture.py -- tern cuda) and by PyTorch (python3 bench/lecture.py torch cuda);
# with cpu for cuda, on the CPU, at smaller sizes. A third argument: only rows whose name has it.
import sys
import time
import torch
import torch.nn.functional as F
import triton

who, device = sys.argv[1], sys.argv[2]
only = sys.argv[3] if len(sys.argv) > 3 else ''
on_gpu = device == 'cuda'


def manual_gelu(x):
    return 0.5 * x * (1 + torch.tanh(0.79788456 * (x + 0.044715 * x * x * x)))


def manual_softmax(x):
    x_max = x.max(dim=1)[0]
    x = x - x_max[:, None]
    numerator = torch.exp(x)
    denominator = numerator.sum(dim=1)
    return numerator / denominator[:, None]


def manual_norm(x):
    mean = x.mean(dim=1, keepdim=True)
    d = x - mean
    var = (d * d).mean(dim=1, keepdim=True)
    return d / torch.sqrt(var + 1e-5)


def layer_norm(x, w, b):
    return F.layer_norm(x, (x.shape[1],), w, b)


def cross_entropy(x, y):
    return F.cross_entropy(x, y)


def mlp(x, w1, b1, w2, b2):
    return F.linear(F.gelu(F.linear(x, w1, b1)), w2, b2)


def wait():
    if on_gpu:
        torch.cuda.synchronize()


def median_ms(f):
    if on_gpu:
        return triton.testing.do_bench(f, warmup=5, rep=30, return_mode='median')
    times = []
    for _ in range(3):
        f()
    end = time.perf_counter() + 0.5
    while len(times) < 9 or time.perf_counter() < end:
        t = time.perf_counter()
        f()
        times.append(time.perf_counter() - t)
    return sorted(times)[len(times) // 2] * 1e3


def row(name, f, *args, mode=None):
    if only not in name:
        return
    c = torch.compile(f, mode=mode)
    ok = torch.allclose(c(*args).float(), f(*args).float(), rtol=1e-2, atol=1e-3 if args[0].dtype == torch.float32 else 3e-2)
    print(f'{who:5} {name:30} {"" if ok else "WRONG"} compiled {median_ms(lambda: c(*args)):9.4f} ms, '
          f'op by op {median_ms(lambda: f(*args)):9.4f} ms', flush=True)


def randn(*shape, dtype=torch.float32):
    return torch.randn(*shape, device=device).to(dtype)


n = 16384 if on_gpu else 2048
x = randn(n, n)
for f in (manual_gelu, manual_softmax, manual_norm):
    row(f'{f.__name__} {n} x {n}', f, x)
del x
for rows, cols in ((4096, 8192), (2048, 32768), (512, 131072)) if on_gpu else ((1823, 781), (512, 8192)):
    row(f'layer_norm {rows} x {cols}', layer_norm, randn(rows, cols), randn(cols), randn(cols))
for rows, cols in ((4096, 32000), (4096, 50257), (2048, 128256)) if on_gpu else ((1024, 4096), (256, 32000)):
    row(f'cross_entropy {rows} x {cols}', cross_entropy, randn(rows, cols), torch.arange(0, rows, device=device))
for dtype in (torch.float32, torch.float16, torch.bfloat16) if on_gpu else (torch.float32,):
    m, d, h = (4096, 1024, 4096) if on_gpu else (512, 512, 2048)
    args = [randn(m, d, dtype=dtype), randn(h, d, dtype=dtype) * 0.02, randn(h, dtype=dtype),
            randn(d, h, dtype=dtype) * 0.02, randn(d, dtype=dtype)]
    row(f'mlp {m} x {d} x {h} {str(dtype)[6:]}', mlp, *args)
    if who == 'tern':  # what PyTorch's tries takes minutes
        row(f'mlp {str(dtype)[6:]} max-autotune', mlp, *args, mode='max-autotune')

small = torch.ones(64, 64, device=device)
c = torch.compile(manual_gelu)
c(small)
for name, f in (('compiled call', lambda: c(small)), ('eager op', lambda: small + small),
                ('five ops', lambda: manual_softmax(small))):
    for _ in range(200):
        f()
    wait()
    t = time.perf_counter()
    for _ in range(2000):
        f()
    d = time.perf_counter() - t
    wait()
    print(f'{who:5} {name:30} {d / 2000 * 1e6:9.2f} us of host time', flush=True)
