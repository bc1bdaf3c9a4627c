# SPDX-License-Identifier: Apache-2.0
# The experiments of tern lab. torch is tern's own; figures in the columns "published" are those of the source that
# stands below the table, of its device.
import sys
import torch
import torch.nn as nn
import triton
import triton.language as tl
from torch.profiler import ProfilerActivity, profile, record_function
from torch.utils.cpp_extension import load_inline

name, size, folder, version, device = sys.argv[1:]
size = int(size)
is_gpu = device.startswith('cuda')
page = []

LECTURE_1 = 'notes on lecture 1 of GPU MODE: NVIDIA T4'
LECTURE_6 = "notes on lecture 6 of Stanford's CS336 of 2025: NVIDIA H100 or A100, not said which"


# ---- what is printed and kept ----


def escape(text):
    return text.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;')


def say(text):
    print(text)
    page.append('<pre>' + escape(text) + '</pre>')


def title(words):
    print(f'\n{words}\n')
    page.append('<h2>' + escape(words) + '</h2>')


def keep(file, text):
    if folder:
        with open(f'{folder}/{file}', 'w') as f:
            f.write(text)


def table(file, columns, rows, source=None):
    cells = [[str(c) for c in row] for row in [columns] + rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(columns))]
    lines = ['  '.join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))) for row in cells]
    lines.insert(1, '  '.join('-' * w for w in widths))
    if source:
        lines.append(f'published: {source}')
    say('\n'.join(line.rstrip() for line in lines))
    keep(file + '.csv', ''.join(','.join(c.replace(',', ';') for c in row) + '\n' for row in cells))


def ms(x):
    return f'{x:.4f}' if x < 10 else f'{x:.2f}'


def plot(file, label, names, values):
    """Bars, the longest as wide as the picture."""
    most, out = max(values), []
    height = 26 * len(names) + 34
    out.append(f'<svg xmlns="http://www.w3.org/2000/svg" width="640" height="{height}" font-family="sans-serif" font-size="13">')
    out.append(f'<text x="4" y="18">{escape(label)}</text>')
    for i, (n, v) in enumerate(zip(names, values)):
        y = 30 + 26 * i
        width = 360 * v / most
        out.append(f'<rect x="150" y="{y}" width="{width:.1f}" height="18" fill="#4477aa"/>')
        out.append(f'<text x="144" y="{y + 14}" text-anchor="end">{escape(n)}</text>')
        out.append(f'<text x="{156 + width:.1f}" y="{y + 14}">{v:.4g}</text>')
    out.append('</svg>')
    svg = '\n'.join(out) + '\n'
    keep(file + '.svg', svg)
    page.append(svg)


def time_of(run):
    return triton.testing.do_bench(run, warmup=10, rep=60, return_mode='median')


def profiled(file, label, run, rows=10):
    run()
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as prof:
        run()
        torch.cuda.synchronize()
    say(f'{label}:\n' + prof.key_averages().table(row_limit=rows))
    if folder:
        prof.export_chrome_trace(f'{folder}/{file}.trace.json')
    return prof


def sized(on_gpu, elsewhere):
    return size or (on_gpu if is_gpu else elsewhere)


# ---- square ----


def square():
    n = sized(10000, 1024)
    title(f'square: a squared in three forms, {n} x {n}')
    a = torch.randn(n, n, device='cuda')
    forms = [('torch.square(a)', lambda: torch.square(a), '10.577', '3.266'), ('a * a', lambda: a * a, '5.417', '3.276'),
             ('a ** 2', lambda: a ** 2, '6.183', '3.274')]
    rows, times = [], []
    for label, run, cpu, cuda in forms:
        times.append(time_of(run))
        rows.append([label, ms(times[-1]), cpu, cuda])
    table('square', ['form', 'ms here', 'ms published, CPU total', 'ms published, CUDA total'], rows, LECTURE_1)
    plot('square', 'ms, less is better', [f[0] for f in forms], times)
    for i, (label, run, _, _) in enumerate(forms):
        profiled(f'square_{i}', label, run)


# ---- add ----


def add():
    n = sized(2048, 2048)
    title(f'add: a + b, {n} x {n}: the op and its kernel')
    a, b = torch.randn(n, n, device='cuda'), torch.randn(n, n, device='cuda')
    took = time_of(lambda: a + b)
    moved = 3 * a.numel() * a.element_size()
    table('add', ['what', 'here', 'published'],
          [['a + b, us of the device', f'{took * 1e3:.2f}', '17.119'], ['aten::add, us of the CPU', '', '1392 (98 %)'],
           ['GB/s', f'{moved / took * 1e-6:.1f}', '']], LECTURE_6)
    profiled('add', 'a + b', lambda: a + b)


# ---- matmul ----


def matmul():
    most = sized(8192, 512)
    title('matmul: a @ b of square matrices, float32 in IEEE precision')
    rows, names, values, n = [], [], [], 64
    while n <= most:
        a, b = torch.randn(n, n, device='cuda'), torch.randn(n, n, device='cuda')
        took = time_of(lambda: a @ b)
        rate = 2 * n ** 3 / took * 1e-9
        rows.append([n, ms(took), f'{rate:.3f}'])
        names.append(str(n))
        values.append(rate)
        n *= 2
    table('matmul', ['size', 'ms', 'TFLOP/s'], rows)
    say('published: up to 1024 to 2048 the time of small products is a constant overhead\n' + LECTURE_6)
    plot('matmul', 'TFLOP/s, more is better', names, values)


# ---- gelu ----


@triton.jit
def gelu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    a = 0.79788456 * (x + 0.044715 * x * x * x)
    e = tl.exp(2 * a)
    tl.store(y_ptr + at, 0.5 * x * (1 + (e - 1) / (e + 1)), mask=at < n)


CUDA_GELU = '''
__global__ void gelu_kernel(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 0.5f * x[i] * (1.0f + tanhf(0.79788456f * (x[i] + 0.044715f * x[i] * x[i] * x[i])));
}
torch::Tensor gelu(torch::Tensor x) {
    TORCH_CHECK(x.is_contiguous());
    torch::Tensor y = torch::empty_like(x);
    int n = x.numel();
    gelu_kernel<<<(n + 1023) / 1024, 1024>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
    return y;
}
'''


def manual_gelu(x):
    return 0.5 * x * (1 + torch.tanh(0.79788456 * (x + 0.044715 * x * x * x)))


def triton_gelu(x):
    y = torch.empty_like(x)
    gelu_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
    return y


def compare(file, forms, x, source, unit):
    want, rows, times = forms[1][1](x), [], []
    for label, run, published in forms:
        error = (run(x) - want).abs().max().item()
        times.append(time_of(lambda: run(x)))
        rows.append([label, ms(times[-1]), f'{error:.1e}', published])
    best = min(times)
    for row, took in zip(rows, times):
        row.insert(2, f'{took / best:.2f}')
    table(file, ['form', 'ms here', 'of the fastest', 'largest difference', f'{unit} published'], rows, source)
    plot(file, 'ms, less is better', [f[0] for f in forms], times)


def gelu():
    n = sized(16384, 1024)
    title(f'gelu: five ways, {n} x {n}')
    x = torch.randn(n, n, device='cuda')
    in_cuda = load_inline(name='gelu', cpp_sources='torch::Tensor gelu(torch::Tensor x);', cuda_sources=CUDA_GELU,
                          functions=['gelu']).gelu
    compiled = torch.compile(manual_gelu)
    compare('gelu', [('by hand', manual_gelu, '8.1'),
                     ('torch', lambda x: nn.functional.gelu(x, approximate='tanh'), '1.1'), ('CUDA C', in_cuda, '1.8'),
                     ('Triton', triton_gelu, '1.8'), ('compiled', compiled, '1.47')], x, LECTURE_6, 'ms')
    profiled('gelu_by_hand', 'by hand', lambda: manual_gelu(x))
    profiled('gelu_compiled', 'compiled', lambda: compiled(x))


# ---- softmax ----


@triton.jit
def softmax_kernel(x_ptr, y_ptr, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride + at, mask=at < n, other=float('-inf'))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * stride + at, e / tl.sum(e, axis=0), mask=at < n)


def manual_softmax(x):
    shifted = x - x.max(dim=1)[0][:, None]
    numerator = torch.exp(shifted)
    return numerator / numerator.sum(dim=1)[:, None]


def triton_softmax(x):
    y = torch.empty_like(x)
    softmax_kernel[(x.shape[0],)](x, y, x.stride(0), x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    return y


def softmax():
    n = sized(16384, 1024)
    title(f'softmax: four ways, {n} x {n}')
    x = torch.randn(n, n, device='cuda')
    compiled = torch.compile(manual_softmax)
    compare('softmax', [('by hand', manual_softmax, '3.7'), ('torch', lambda x: torch.softmax(x, dim=1), ''),
                        ('Triton', triton_softmax, '1.9'), ('compiled', compiled, '1.3')], x, LECTURE_6, 's')
    say(f'By hand reads 5MN + M and writes 3MN + 2M elements, where MN each would do: {(5 * n * n + n + 3 * n * n + 2 * n) / (2 * n * n):.2f} '
        'times as many.')
    profiled('softmax_by_hand', 'by hand', lambda: manual_softmax(x))
    profiled('softmax_compiled', 'compiled', lambda: compiled(x))


# ---- mean ----


def mean():
    n = sized(10000, 1024)
    title(f'mean: three forms, {n} x {n}')
    x = torch.randn(n, n, device='cuda')
    exact = x.double().mean().item()
    forms = [('torch.mean(x)', lambda: torch.mean(x)), ('x.mean()', lambda: x.mean()),
             ('torch.sum(x) / x.numel()', lambda: torch.sum(x) / x.numel())]
    rows, times = [], []
    for label, run in forms:
        times.append(time_of(run))
        rows.append([label, ms(times[-1]), f'{run().item():.9e}', f'{abs(run().item() - exact):.1e}'])
    table('mean', ['form', 'ms', 'mean', 'from that in float64'], rows)
    plot('mean', 'ms, less is better', [f[0] for f in forms], times)
    profiled('mean', 'torch.mean(x)', forms[0][1])


# ---- mlp ----


class MLP(nn.Module):
    def __init__(self, dim, layers):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(dim, dim, device='cuda') for _ in range(layers)])

    def forward(self, x):
        for i, layer in enumerate(self.layers):
            with torch.cuda.nvtx.range(f'layer {i}'):
                x = nn.functional.gelu(layer(x))
        return x


def step(model, optimizer, x):
    with torch.cuda.nvtx.range('forward'):
        y = model(x).mean()
    with torch.cuda.nvtx.range('backward'):
        y.backward()
    with torch.cuda.nvtx.range('optimizer'):
        optimizer.step()
        optimizer.zero_grad()


def mlp():
    dim, batch = sized(2048, 256), 128 if is_gpu else 32
    title(f'mlp: layers of {dim} x {dim}, batches of {batch}, AdamW')
    rows = []
    for layers in (2, 4):
        for b in (batch, 2 * batch):
            torch.manual_seed(0)
            model = MLP(dim, layers)
            optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
            x = torch.randn(b, dim, device='cuda')
            rows.append([layers, b, ms(time_of(lambda: step(model, optimizer, x)))])
    table('mlp', ['layers', 'batch', 'ms a step'], rows)
    profiled('mlp', f'a step of {layers} layers, by ranges', lambda: step(model, optimizer, x), 40)


EXPERIMENTS = {'square': square, 'add': add, 'matmul': matmul, 'gelu': gelu, 'softmax': softmax, 'mean': mean, 'mlp': mlp}
head = f'tern {version} on {device}; torch here is tern\'s own: no time is PyTorch\'s'
print(head)
for key, experiment in EXPERIMENTS.items():
    if name in (key, 'all'):
        experiment()
keep('index.html', '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>tern lab</title>\n'
     '<style>body{font-family:sans-serif;margin:2em;max-width:60em}pre{background:#f4f4f4;padding:.6em;overflow-x:auto}</style>\n'
     f'</head><body><h1>tern lab</h1><p>{escape(head)}</p>\n' + '\n'.join(page) + '\n</body></html>\n')
