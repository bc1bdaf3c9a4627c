# SPDX-License-Identifier: Apache-2.0
"""The works of tools/bench_gpu.py for the classes of memory-bound kernels: a kernel of
test/run/classes.py each, at a size that people use, with one setting, or a few."""
import torch

FILE = "test/run/classes.py"


def works(Work, Call, randn):
    """name -> function that makes the Work; Work, Call and randn are those of bench_gpu."""
    made = {}

    def work(name, moved, outputs, reference, calls, tolerance=1e-5, eager=None, compiled=None):
        if isinstance(calls, Call):
            calls = {f"warps={calls.warps}": calls}
        return Work(name, moved, {k: [c] for k, c in calls.items()}, outputs, reference, tolerance,
                    eager, compiled or eager)

    def add(key):
        def keep(function):
            made[key] = function
            return function
        return keep

    def by_warps(function, values, constants, grid, warps):
        return {f"warps={w}": Call(FILE, function, values, constants, grid, w) for w in warps}

    @add("tanh")
    def tanh():
        x = randn(1 << 26, dtype=torch.bfloat16)
        out, n = torch.empty_like(x), x.numel()
        return work("tanh bf16 2^26", 2 * x.nbytes, [out], lambda rows: [torch.tanh(x.double())],
                    {f"BLOCK={b} warps={w}": Call(FILE, "tanh_kernel", [x, out, n], {"BLOCK": b}, (n // b,), w)
                     for b, w in ((1024, 4), (2048, 8), (4096, 8))}, 1e-2, lambda: torch.tanh(x))

    def rowwise(key, title, function, shape, dtype, tensors, reference, tolerance, warps, rest=()):
        @add(key)
        def rows():
            rows_, columns = shape
            inputs = [randn(*s, dtype=dtype) for s in tensors]
            out = torch.empty(rows_, columns, dtype=dtype, device="cuda")
            block = 1 << (columns - 1).bit_length()
            moved = out.nbytes + sum(t.nbytes for t in inputs)
            return work(f"{title} {rows_}x{columns}", moved, [out],
                        lambda rows: [reference(*inputs)],
                        by_warps(function, [*inputs, out, columns, *rest], {"BLOCK": block}, (rows_,), warps),
                        tolerance, lambda: reference_in(dtype, reference, inputs))

    def reference_in(dtype, reference, inputs):
        return reference(*inputs, to=lambda t: t)

    def double(t):
        return t.double()

    def swiglu(a, b, to=double):
        return torch.nn.functional.silu(to(a)) * to(b)

    def rms(x, w, to=double):
        x = to(x)
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6) * to(w)

    def poly(x, w, to=double):
        x, w = to(x), to(w)

        def norm(t):
            return t * torch.rsqrt(t.square().mean(-1, keepdim=True) + 1e-6)
        return w[0] * norm(x ** 3) + w[1] * norm(x ** 2) + w[2] * norm(x)

    rowwise("swiglu", "swiglu bf16", "swiglu_kernel", (4096, 11008), torch.bfloat16,
            [(4096, 11008), (4096, 11008)], swiglu, 2e-2, (8, 16, 32))
    rowwise("rms", "rms norm bf16", "rms_norm_kernel", (8192, 4096), torch.bfloat16,
            [(8192, 4096), (4096,)], rms, 2e-2, (4, 8, 16), (1e-6,))
    rowwise("poly", "poly norm bf16", "poly_norm_kernel", (8192, 4096), torch.bfloat16,
            [(8192, 4096), (3,)], poly, 3e-2, (4, 8, 16), (1e-6,))

    def entropy(key, block, warps):
        @add(key)
        def cross_entropy():
            rows_, columns = 4096, 32000
            logits = randn(rows_, columns, dtype=torch.bfloat16)
            x = logits.clone()
            target = torch.randint(0, columns, (rows_,), device="cuda")
            loss = torch.empty(rows_, device="cuda")
            f = torch.nn.functional.cross_entropy
            call = Call(FILE, "cross_entropy_kernel", [x, target, loss, columns, 1.0 / rows_],
                        {"BLOCK": block}, (rows_,), warps)
            # x changes from launch to launch: only the first loss is that of the logits.
            made = work(f"cross entropy bf16 {rows_}x{columns} BLOCK={block}", 3 * x.nbytes, [loss],
                        lambda rows: [f(logits.double(), target, reduction="none")], call, 1e-4,
                        lambda: f(logits.float(), target, reduction="none"))
            made.before = lambda: x.copy_(logits)
            return made

    entropy("entropy", 32768, 32)
    entropy("entropy4096", 4096, 8)

    @add("kl")
    def kl():
        y = torch.log_softmax(randn(4096, 32000), -1)
        t = torch.softmax(randn(4096, 32000).flip(0), -1)
        out = torch.empty(4096, device="cuda")
        f = torch.nn.functional.kl_div
        return work("kl div f32 4096x32000", 2 * y.nbytes, [out],
                    lambda rows: [f(y.double(), t.double(), reduction="none").sum(-1)],
                    {f"BLOCK={b} warps={w}": Call(FILE, "kl_div_kernel", [y, t, out, 32000], {"BLOCK": b}, (4096,), w)
                     for b, w in ((4096, 16), (8192, 16), (32768, 32))}, 1e-4,
                    lambda: f(y, t, reduction="none").sum(-1))

    @add("sparsemax")
    def sparsemax():
        o = torch.relu(randn(8192, 4096))
        g = randn(8192, 4096).flip(0)
        out = torch.empty_like(o)

        def reference(rows, to=double):
            support = (o > 0).to(to(g).dtype)
            total = (to(g) * support).sum(-1, keepdim=True)
            return [(to(g) - total / support.sum(-1, keepdim=True)) * support]
        return work("sparsemax backward f32 8192x4096", 3 * o.nbytes, [out], reference,
                    by_warps("sparsemax_backward_kernel", [o, g, out, 4096], {"BLOCK": 4096}, (8192,), (4, 8, 16)),
                    1e-4, lambda: reference(None, lambda t: t))

    def reduction(key, title, function, outputs, reference, eager, tiles, dtype=torch.float32, vector=False):
        @add(key)
        def reduce():
            rows_, columns = 8192, 8192
            x = randn(rows_, columns, dtype=dtype)
            inputs = [x, randn(columns, dtype=dtype)] if vector else [x]
            outs = [torch.empty(rows_, dtype=d, device="cuda") for d in outputs]
            return work(f"{title} {rows_}x{columns}", x.nbytes, outs, lambda rows: reference(*inputs),
                        {f"{r}x{b} warps={w}": Call(FILE, function, [*inputs, *outs, rows_, columns],
                                                    {"ROWS": r, "BLOCK": b}, (rows_ // r,), w)
                         for r, b, w in tiles}, 2e-3, lambda: eager(*inputs))

    for tile in ((1, 1024, 4), (4, 1024, 4), (8, 4096, 4)):
        reduction(f"max{tile[0]}x{tile[1]}", f"max with indices f32 by {tile[0]}x{tile[1]}", "max_kernel",
                  [torch.float32, torch.int32], lambda x: [t for t in x.double().max(1)],
                  lambda x: x.max(1), [tile])
    reduction("any", "any f32", "any_kernel", [torch.int32], lambda x: [(x != 0).any(1)],
              lambda x: x.any(1), [(1, 1024, 4), (4, 1024, 4), (8, 512, 4)])
    for tile in ((1, 128, 4), (8, 128, 4)):
        reduction(f"mv{tile[0]}x{tile[1]}", f"matrix-vector f16 by {tile[0]}x{tile[1]}", "mv_kernel",
                  [torch.float32], lambda a, v: [a.double() @ v.double()], lambda a, v: a @ v, [tile],
                  torch.float16, True)

    def rows_of(key, title, function, shape, reference, tolerance, warps, eager):
        @add(key)
        def rows():
            x = randn(*shape)
            out = torch.empty_like(x)
            return work(f"{title} f32 {shape[0]}x{shape[1]}", 2 * x.nbytes, [out], lambda rows: [reference(x[rows])],
                        by_warps(function, [x, out, shape[1]], {"BLOCK": shape[1]}, (shape[0],), warps),
                        tolerance, lambda: eager(x))

    rows_of("cumsum", "cumulative sums", "cumsum_kernel", (16384, 4096), lambda x: x.double().cumsum(-1), 1e-4,
            (4, 8), lambda x: x.cumsum(-1))
    rows_of("sort", "sort", "sort_kernel", (16384, 512), lambda x: x.double().sort(-1, True)[0], 1e-6, (1, 4),
            lambda x: x.sort(-1, True)[0])

    @add("outer")
    def outer():
        x = randn(4096, 8192)
        out = torch.empty_like(x)
        return work("softmax over the outer dimension f32 4096x8192", 3 * x.nbytes, [out],
                    lambda rows: [torch.softmax(x.double(), 0)],
                    {f"{r}x{b} warps={w}": Call(FILE, "outer_softmax_kernel", [x, out, 4096, 8192],
                                                {"ROWS": r, "BLOCK": b}, (8192 // b,), w)
                     for r, b, w in ((64, 32, 8), (128, 32, 8))}, 1e-4, lambda: torch.softmax(x, 0))

    for dtype, word in ((torch.float32, "f32"), (torch.float16, "f16"), (torch.bfloat16, "bf16")):
        @add(f"embedding-{word}")
        def embedding(dtype=dtype, word=word):
            count, width, names = 16384, 1024, 32000
            g = (randn(count, width) * 0.1).to(dtype)
            index = torch.randperm(names, device="cuda")[:count].to(torch.int32)
            out = torch.zeros(names, width, dtype=dtype, device="cuda")
            wanted = torch.zeros(names, width, dtype=torch.float64, device="cuda")
            wanted.index_add_(0, index.long(), g.double())
            made = work(f"embedding backward {word} {count}x{width}", 3 * g.nbytes, [out],
                        lambda rows: [wanted],
                        Call(FILE, "embedding_backward_kernel", [g, index, out, count, width],
                             {"ROWS": 8, "BLOCK": 256}, (count // 8, width // 256), 4), 1e-2,
                        lambda: out.index_add_(0, index, g))
            made.before = lambda: out.zero_()
            return made

    # Tiles that the registers do not hold.
    for columns, warps in ((32768, 4), (65536, 8), (262144, 32)):
        @add(f"softmax{columns}w{warps}")
        def softmax(columns=columns, warps=warps):
            x = randn((1 << 28) // columns, columns)
            out = torch.empty_like(x)
            return work(f"softmax f32 {x.shape[0]}x{columns} by {warps} warps", 2 * x.nbytes, [out],
                        lambda rows: [torch.softmax(x[rows].double(), -1)],
                        Call("kernels/softmax.py", "softmax_kernel", [x, out, columns, columns, columns],
                             {"BLOCK": columns}, (x.shape[0],), warps), 1e-5, lambda: torch.softmax(x, -1))
    return made
