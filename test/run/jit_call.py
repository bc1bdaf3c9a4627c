# SPDX-License-Identifier: Apache-2.0
# triton.jit as a call, before and after other names are bound; a module that importlib gives.
# case: x = fp32[64] uniform, n = 40
# want: x == where(arange(64) < n, 2 * tanh(x) + 1, x)
# tolerance: 1e-6 1e-6
import importlib
import triton
import triton.language as tl

libdevice = importlib.import_module("triton.language.extra.libdevice")


def twice(x):
    return libdevice.tanh(x) * 2


def body(x, n):
    i = tl.arange(0, 64)
    v = tl.load(x + i, mask=i < n)
    tl.store(x + i, helper(v) + one(v), mask=i < n)


def make(k):

    def inner(x):
        return tl.zeros_like(x) + k

    return triton.jit(inner)


helper = triton.jit(do_not_specialize=[])(twice)
one = make(1)
jit_call = triton.jit(body, do_not_specialize=["n"])
