#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Attention forward (f16, with a kernel written as Triton's tutorial 06 is, in this file) on an NVIDIA
GPU: is it right, and how fast, beside Triton with the same kernel and settings, and PyTorch's
scaled_dot_product_attention by cuDNN and by FlashAttention, each asked for by its name.

    tools/bench_attention.py [--lib build/libtern.so] [--samples N] [--context 4096] [--batch 4]

The implementations take turns sample by sample; the L2 cache is overwritten before each. TFLOP/s of
the median, as text; causal ones are counted as half.
"""
import argparse
import os
import sys

import torch
import triton
import triton.language as tl
from torch.nn.attention import SDPBackend, sdpa_kernel

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import bench_matmul  # noqa: E402
import tern_ctypes  # noqa: E402

# BM, BN, warps, stages
SETTINGS = [(128, 128, 8, 3), (128, 128, 8, 2), (128, 64, 8, 3), (128, 64, 8, 4), (128, 64, 4, 3), (64, 64, 4, 3)]
HEADS = 32
PEERS = {"cudnn": SDPBackend.CUDNN_ATTENTION, "flash": SDPBackend.FLASH_ATTENTION}


@triton.jit
def turns(x, keys, values, most, total, acc, first, end, row, key, scale, D: tl.constexpr, BN: tl.constexpr,
          MASK: tl.constexpr):
    for at in range(first, end, BN):
        s = tl.dot(x, tl.load(keys))
        if MASK:
            s = s * scale + tl.where(row[:, None] >= at + key[None, :], 0, -1.0e6)
            new = tl.maximum(most, tl.max(s, 1))
            p = tl.math.exp2(s - new[:, None])
        else:
            new = tl.maximum(most, tl.max(s, 1) * scale)
            p = tl.math.exp2(s * scale - new[:, None])
        less = tl.math.exp2(most - new)
        total = total * less + tl.sum(p, 1)
        acc = tl.dot(p.to(tl.float16), tl.load(values), acc * less[:, None])
        most = new
        keys += BN * D
        values += BN * D
    return most, total, acc, keys, values


# As the tutorial has it: the scale goes into the exponent, and where it is causal what lies before the
# diagonal has no mask.
@triton.jit
def attention(q, k, v, out, scale, context, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
              CAUSAL: tl.constexpr):
    start = tl.program_id(0) * BM
    base = tl.program_id(1).to(tl.int64) * context * D
    row = start + tl.arange(0, BM)
    key = tl.arange(0, BN)
    depth = tl.arange(0, D)
    x = tl.load(q + base + row[:, None] * D + depth[None, :])
    keys = k + base + key[None, :] * D + depth[:, None]
    values = v + base + key[:, None] * D + depth[None, :]
    most = tl.zeros([BM], dtype=tl.float32) - float("inf")
    total = tl.zeros([BM], dtype=tl.float32) + 1.0
    acc = tl.zeros([BM, D], dtype=tl.float32)
    scale *= 1.44269504
    full = start if CAUSAL else context
    most, total, acc, keys, values = turns(x, keys, values, most, total, acc, 0, full, row, key, scale, D, BN, False)
    if CAUSAL:
        keys = k + base + (start + key[None, :]) * D + depth[:, None]
        values = v + base + (start + key[:, None]) * D + depth[None, :]
        most, total, acc, keys, values = turns(x, keys, values, most, total, acc, start, start + BM, row, key, scale,
                                               D, BN, True)
    tl.store(out + base + row[:, None] * D + depth[None, :], (acc / total[:, None]).to(tl.float16))


def calls_of(tern, q, k, v, causal):
    """What is timed, by name and setting; and how many were wrong."""
    heads, context, depth = q.shape[0] * q.shape[1], q.shape[2], q.shape[3]
    scale, wrong = depth ** -0.5, 0

    def sdpa(backend):
        with sdpa_kernel(backend):
            return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal, scale=scale)

    want = sdpa(SDPBackend.FLASH_ATTENTION).float()
    calls = {(name, None): lambda backend=backend: sdpa(backend) for name, backend in PEERS.items()}
    for setting in SETTINGS:
        bm, bn, warps, stages = setting
        grid, out = [context // bm, heads], torch.zeros_like(q)
        signature = ",".join(["*fp16:16"] * 4 + ["fp32", bench_matmul.integer(context), str(depth),
                                                 str(bm), str(bn), str(causal)])
        kernel = tern.compile(os.path.abspath(__file__), "attention", signature, num_warps=warps,
                              num_stages=stages)
        made = {"tern": tern.launcher(kernel, grid, [q, k, v, out, scale, context]),
                "triton": lambda grid=grid, out=out, bm=bm, bn=bn, warps=warps, stages=stages:
                attention[tuple(grid)](q, k, v, out, scale, context, depth, bm, bn, causal,
                                       num_warps=warps, num_stages=stages)}
        for who, call in made.items():
            out.zero_()
            call()
            torch.cuda.synchronize()
            error = (out.float() - want).abs().max().item()
            if not error <= 0.004:
                wrong += 1
                print("wrong:", who, setting, depth, causal, error)
            calls[who, setting] = call
    return calls, wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lib", default=os.path.join(bench_matmul.ROOT, "build", "libtern.so"))
    parser.add_argument("--samples", type=int, default=9)
    parser.add_argument("--context", type=int, default=4096)
    parser.add_argument("--batch", type=int, default=4)
    options = parser.parse_args()
    tern = tern_ctypes.Tern(options.lib, "cuda")
    tern.adopt_stream(torch.cuda.current_stream().cuda_stream)
    print(tern.description(), "torch", torch.__version__, "triton", triton.__version__)
    flush = torch.empty(256 << 20, dtype=torch.uint8, device="cuda")
    all_wrong = 0
    for depth, causal in ((128, False), (64, False), (128, True), (64, True)):
        shape = (options.batch, HEADS, options.context, depth)
        q, k, v = (torch.randn(shape, device="cuda", dtype=torch.float16) for _ in range(3))
        calls, wrong = calls_of(tern, q, k, v, causal)
        all_wrong += wrong
        work = 4e-9 * options.batch * HEADS * options.context ** 2 * depth * (0.5 if causal else 1)
        taken = bench_matmul.times(calls, options.samples, flush)
        print(f"b{options.batch} {depth}{' causal' if causal else ''}:",
              ", ".join(f"{name} {work / taken[name, None]:.0f}" for name in PEERS))
        for setting in SETTINGS:
            print("  %dx%d w%d s%d:" % setting, ", ".join(f"{who} {work / taken[who, setting]:.0f}"
                                                          for who in ("tern", "triton")))
        sys.stdout.flush()
    return all_wrong > 0


if __name__ == "__main__":
    sys.exit(main())
