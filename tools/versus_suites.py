# SPDX-License-Identifier: Apache-2.0
"""The programs that tools/versus.py runs: operators of public projects, at sizes that models have.

Each suite is a function of the tool and a folder that holds the project's checkout (of the tutorials:
their own folder). versus.call(NAME, FUNCTION) runs a step; versus.wanted are configs of autotuners,
the first that one has is taken."""
import importlib.util
import os
import sys
import tempfile
import types

import torch

HALF, BRAIN, FLOAT = torch.float16, torch.bfloat16, torch.float32


def random(*shape, dtype=BRAIN, grad=False):
    return torch.randn(*shape, device="cuda", dtype=dtype).requires_grad_(grad)


def backward(*outputs):
    outputs = [y for y in outputs if isinstance(y, torch.Tensor) and y.requires_grad]
    torch.autograd.backward(outputs, [torch.randn_like(y) for y in outputs])


# ---- Triton's tutorials ----

def tutorial(folder, name):
    """The tutorial as a module, without what it runs itself."""
    with open(os.path.join(folder, name)) as file:
        text = file.read()
    for cut in ("# Unit Test", "@pytest.mark", "@triton.testing.perf_report", "if __name__", "def bench_fn"):
        text = text.split(cut)[0]
    text = text.replace("import pytest", "").replace("import triton.profiler as proton", "")
    made = os.path.join(tempfile.mkdtemp(), "tutorial" + name[:2] + ".py")
    with open(made, "w") as file:
        file.write(text)
    spec = importlib.util.spec_from_file_location("tutorial" + name[:2], made)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def tile(m, n, k, warps, stages):
    return {"BLOCK_SIZE_M": m, "BLOCK_SIZE_N": n, "BLOCK_SIZE_K": k, "num_warps": warps,
            "num_stages": stages}


def keys(m, n, warps, stages):
    return {"BLOCK_M": m, "BLOCK_N": n, "num_warps": warps, "num_stages": stages}


def products(versus, folder):
    t3, t9 = tutorial(folder, "03-matrix-multiplication.py"), tutorial(folder, "09-persistent-matmul.py")
    for size, wanted in ((1024, tile(64, 128, 32, 4, 4)), (2048, tile(128, 256, 64, 8, 3)),
                         (4096, tile(128, 256, 64, 8, 3)), (8192, tile(128, 256, 64, 8, 3)),
                         (4096, tile(128, 128, 32, 4, 4))):
        versus.wanted = [wanted]
        a, b = random(size, size, dtype=HALF), random(size, size, dtype=HALF)
        versus.call(f"tutorial03.{size}", lambda a=a, b=b: t3.matmul(a, b))
    for size in (2048, 4096, 8192):
        a, b = random(size, size, dtype=HALF), random(size, size, dtype=HALF)
        for wanted in (tile(128, 256, 64, 8, 3), tile(128, 128, 64, 4, 4)):
            versus.wanted = [wanted]
            name = f"tutorial09.{size}"
            versus.call(name, lambda: t9.matmul(a, b))
            versus.call(name, lambda: t9.matmul_persistent(a, b))
            versus.call(name, lambda: t9.matmul_tma(a, b, False))
            versus.call(name, lambda: t9.matmul_tma_persistent(a, b, False))
            versus.call(name, lambda: t9.matmul_descriptor_persistent(a, b, False))


def attention(versus, folder):
    t6 = tutorial(folder, "06-fused-attention.py")
    for depth in (128, 64):
        for causal in (False, True):
            for wanted in (keys(128, 64, 4, 3), keys(128, 128, 8, 3)):
                versus.wanted = [wanted]
                q, k, v = (random(1, 32, 4096, depth, dtype=HALF, grad=True) for _ in range(3))
                name = f"tutorial06.d{depth}.{'causal' if causal else 'full'}"
                versus.call(name, lambda: t6.attention(q, k, v, causal, 0.5, False))
            versus.call(name + ".backward",
                        lambda: backward(t6.attention(q, k, v, causal, 0.5, False)))


def grouped(versus, folder):
    t8 = tutorial(folder, "08-grouped-gemm.py")
    versus.wanted = [tile(128, 128, 64, 8, 3)]
    a = [random(1024, 1024, dtype=HALF) for _ in range(4)]
    b = [random(1024, 1024, dtype=HALF) for _ in range(4)]
    versus.call("tutorial08", lambda: t8.group_gemm_fn(a, b))


def tutorials(versus, folder):
    products(versus, folder)
    attention(versus, folder)
    grouped(versus, folder)


# ---- flash-linear-attention ----

BATCH, LENGTH, HEADS, DEPTH = 2, 4096, 16, 128


def sequence(depth=DEPTH, **options):
    return random(BATCH, LENGTH, HEADS, depth, grad=True, **options)


def unit(dtype=BRAIN):
    x = torch.nn.functional.normalize(torch.randn(BATCH, LENGTH, HEADS, DEPTH, device="cuda"), dim=-1)
    return x.to(dtype).requires_grad_(True)


def decay(*shape):
    return torch.nn.functional.logsigmoid(torch.randn(*shape, device="cuda")).to(BRAIN).requires_grad_(True)


def share(dtype=BRAIN):
    return torch.rand(BATCH, LENGTH, HEADS, device="cuda").to(dtype).requires_grad_(True)


def fla(versus, folder):
    for name in ("fla", "fla.ops"):  # as packages, without what theirs import: all models and operators
        sys.modules[name] = types.ModuleType(name)
        sys.modules[name].__path__ = [os.path.join(folder, *name.split("."))]
        sys.modules[name].__version__ = "0"
    versus.wanted = [{"num_warps": 4, "num_stages": 3}, {"num_warps": 4, "num_stages": 2}, {"num_warps": 4}]
    heads, deep = (BATCH, LENGTH, HEADS), (BATCH, LENGTH, HEADS, DEPTH)

    def step(name, module, function, *arguments, **options):
        def run():
            made = getattr(__import__("fla.ops." + module, fromlist=[function]), function)
            out = made(*[x() for x in arguments], **options)
            backward(*(out if isinstance(out, tuple) else (out,)))
        versus.call("fla." + name, run)

    step("linear_attn", "linear_attn", "chunk_linear_attn", sequence, sequence, sequence, normalize=False)
    step("retention", "retention", "chunk_retention", sequence, sequence, sequence)
    step("simple_gla", "simple_gla", "chunk_simple_gla", sequence, sequence, sequence, lambda: decay(*heads))
    step("gla", "gla", "chunk_gla", sequence, sequence, sequence, lambda: decay(*deep))
    step("delta_rule", "delta_rule", "chunk_delta_rule", unit, unit, sequence, share)
    step("gated_delta_rule", "gated_delta_rule", "chunk_gated_delta_rule", unit, unit, sequence,
         lambda: decay(*heads), share)
    step("kda", "kda", "chunk_kda", unit, unit, sequence, lambda: decay(*deep), share)
    step("attn", "attn", "parallel_attn", sequence, sequence, sequence)
    step("forgetting_attn", "forgetting_attn", "parallel_forgetting_attn", sequence, sequence, sequence,
         lambda: decay(*heads))
    step("path_attn", "path_attn", "parallel_path_attn", unit, unit, sequence,
         lambda: unit(FLOAT), lambda: share(FLOAT))
    step("rwkv6", "rwkv6", "chunk_rwkv6", sequence, sequence, sequence, lambda: decay(*deep),
         lambda: random(HEADS, DEPTH, grad=True))
    step("gsa", "gsa", "chunk_gsa", sequence, sequence, sequence, lambda: sequence(64),
         lambda: decay(BATCH, LENGTH, HEADS, 64))
    step("comba", "comba", "chunk_comba", unit, unit, sequence, unit, lambda: decay(*heads), share)


# ---- Liger-Kernel ----

def liger(versus, folder):
    sys.path.insert(0, os.path.join(folder, "src"))

    def step(name, module, function, *arguments):
        def run():
            made = getattr(__import__("liger_kernel.ops." + module, fromlist=[function]), function)
            out = made.apply(*[x() if callable(x) else x for x in arguments])
            backward(*(out if isinstance(out, tuple) else (out,)))
        versus.call("liger." + name, run)

    def rows(columns=4096, **options):
        return lambda: random(16384, columns, grad=True, **options)

    def vector(**options):
        return lambda: random(4096, grad=True, **options)

    def odds():
        return torch.log_softmax(random(4096, 32000, dtype=FLOAT), -1).requires_grad_(True)

    def chances():
        return torch.softmax(random(4096, 32000, dtype=FLOAT), -1)

    step("rms_norm", "rms_norm", "LigerRMSNormFunction", rows(), vector(), 1e-6)
    step("layer_norm", "layer_norm", "LigerLayerNormFunction", rows(), vector(), vector(), 1e-6)
    step("swiglu", "swiglu", "LigerSiLUMulFunction", rows(11008), rows(11008))
    step("geglu", "geglu", "LigerGELUMulFunction", rows(11008), rows(11008))
    step("cross_entropy", "cross_entropy", "LigerCrossEntropyFunction",
         lambda: random(8192, 32000, grad=True),
         lambda: torch.randint(0, 32000, (8192,), device="cuda"), None)
    step("kl_div", "kl_div", "LigerKLDivLossFunction", odds, chances)
    step("jsd", "jsd", "LigerJSDFunction", odds, odds)
    step("tvd", "tvd", "LigerTVDLossFunction", chances, chances)
    # Triton branches around the exponent of tanh: .5 is what training begins with, by .1 few take it.
    for alpha in (0.5, 0.1):
        step(f"dyt.{alpha}", "dyt", "LigerDyTFunction", rows(),
             lambda alpha=alpha: torch.full((1,), alpha, device="cuda", dtype=HALF, requires_grad=True),
             vector(), vector())
    step("fused_add_rms_norm", "fused_add_rms_norm", "LigerFusedAddRMSNormFunction", rows(), rows(),
         vector(), 1e-6)
    step("poly_norm", "poly_norm", "LigerPolyNormFunction", rows(), lambda: random(3, grad=True),
         lambda: random(1, grad=True), 1e-6)
    step("softmax", "softmax", "LigerSoftmaxFunction", rows())
    step("sparsemax", "sparsemax", "LigerSparsemaxFunction",
         lambda: random(4096, 4096, dtype=FLOAT, grad=True), -1)


# ---- FlagGems ----

def flaggems(versus, folder):
    """Kernels without products, some of its generated ones among them."""
    sys.path.insert(0, os.path.join(folder, "src"))
    try:
        import flag_gems
    except Exception as error:  # it wants packages of its own
        print("flaggems:", repr(error)[:300])
        return
    tuner = sys.modules["flag_gems.utils.libentry"].LibTuner
    tuner.run = lambda tuner, *args, **kwargs: versus.tuned(tuner, args, kwargs)
    ops = flag_gems.ops

    def step(name, *arguments, **named):
        def run():
            getattr(ops, name)(*[x() if callable(x) else x for x in arguments], **named)
        versus.call("flaggems." + name, run)

    def tile(rows=4096, columns=4096, **options):
        return lambda: random(rows, columns, **options)

    def vector():
        return random(4096)

    def places(*shape, below=4096):
        return lambda: torch.randint(0, below, shape, device="cuda")

    half = tile(dtype=HALF)
    step("softmax", half, -1)
    step("softmax", half, 0)
    step("softmax_backward", half, half, -1, HALF)
    step("log_softmax", half, -1)
    step("log_softmax_backward", half, half, -1, HALF)
    step("layer_norm", half, (4096,), lambda: random(4096, dtype=HALF), lambda: random(4096, dtype=HALF))
    step("rms_norm", tile(), (4096,), vector)
    step("group_norm", lambda: random(16, 64, 64, 64), lambda: random(64), lambda: random(64), 16, 64, 4096, 8)
    for name in ("sum_dim", "mean_dim", "amax", "prod_dim", "var_mean", "vector_norm"):
        step(name, half, *((2,) if name == "vector_norm" else ()), -1 if name == "prod_dim" else [-1])
    for name in ("argmax", "argmin", "max_dim", "min_dim", "all_dim", "any_dim", "cumsum", "normed_cumsum"):
        step(name, tile(), -1)
        step(name, tile(), 0)
    for name in ("sum", "max", "argmax", "mean", "all", "any", "count_nonzero"):
        step(name, tile())
    for name in ("gelu", "silu", "tanh", "sigmoid", "exp", "relu", "log_sigmoid"):
        step(name, half)
    for name in ("gelu_backward", "silu_backward", "tanh_backward", "add", "mul", "lt"):
        step(name, half, half)
    step("dropout", half, 0.5)
    step("embedding", tile(), places(8192))
    step("embedding_backward", tile(8192), places(8192), 4096)
    step("index_select", tile(), 0, places(2048))
    step("gather", tile(), 1, places(4096, 2048))
    step("index_add", tile(), 0, lambda: torch.randperm(4096, device="cuda")[:2048], tile(2048))
    step("masked_fill", tile(), lambda: random(4096, 4096) > 0, 1.5)
    step("nll_loss_forward", tile(), places(4096))
    step("mv", tile(), vector)
    step("topk", tile(256), 16)
    step("sort", tile(256, 1024))
    step("flip", tile(), [0, 1])
    step("triu", tile())
    step("cat", lambda: [random(2048, 4096), random(2048, 4096)])
    step("stack", lambda: [random(2048, 4096), random(2048, 4096)])
    step("repeat", tile(1024), (2, 2))
    step("outer", vector, vector)


SUITES = {"tutorials": tutorials, "products": products, "attention": attention, "grouped": grouped,
          "fla": fla, "liger": liger, "flaggems": flaggems}
