#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times fused functions on the cpu device beside torch.compile's (Inductor's): GELU, softmax and a norm
written by hand, layer norm, cross entropy and an MLP at sizes of lectures.

    tools/bench_fused.py [--library build/libtern.so] [--threads 1,2] [--samples N] [--only WORD]
                         [--max-autotune]

All in one process, taking turns sample by sample. Results are compared with float64; a wrong one is
said and not timed. A row has the least of the samples, which other work on the machine touches least,
the medians' ratio, and the median of the turns' own ratios.
"""
import argparse
import ctypes
import importlib.machinery
import importlib.util
import os
import statistics
import sys
import time

import torch

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
F = torch.nn.functional


def load(name):
    loader = importlib.machinery.SourceFileLoader(name.replace('-', '_'), os.path.join(ROOT, 'tools', name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    sys.modules[loader.name] = module  # where torch.compile looks for what a function of its reads
    loader.exec_module(module)
    return module


sys.dont_write_bytecode = True
fused = load('torch-fused')
Traced = fused.Traced


def manual_norm(x):
    centred = x - x.mean(1, True)
    return centred / (centred.square().mean(1, True) + 1e-5).sqrt()


def layer_norm(x, w, b):
    return x.layer_norm(w, b)


def cross_entropy(x, y):
    if isinstance(x, Traced):
        return x.call('cross_entropy', y, None, None)
    return F.cross_entropy(x, y)


def mlp(x, w1, b1, w2, b2):
    return x.linear(w1, b1).gelu().linear(w2, b2)


def rows():
    for shape in ((1024, 1024), (2048, 2048)):
        yield fused.manual_gelu, [shape]
    for shape in ((1823, 781), (2048, 2048)):
        yield fused.softmax, [shape]
        yield manual_norm, [shape]
    for size, cols in ((1823, 781), (512, 8192)):
        yield layer_norm, [(size, cols), (cols,), (cols,)]
    for shape in ((1024, 4096), (256, 32000)):
        yield cross_entropy, [shape, 'index']
    yield mlp, [(512, 512), (2048, 512), (2048,), (512, 2048), (512,)]


class Fused:
    """A function of tern's that is compiled, as a call of no arguments."""

    def __init__(self, library, function, inputs):
        self.lib, self.library = library.lib, library
        body = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_void_p),
                                ctypes.c_void_p)

        def trace(given, results, user):
            try:
                results[0] = function(*[Traced(ctypes.c_void_p(given[i])) for i in range(len(inputs))]).handle.value
            except RuntimeError:
                return 2
            return 0

        self.body = body(trace)
        self.lib.tern_fuse.restype = ctypes.c_void_p
        self.handle = ctypes.c_void_p(self.lib.tern_fuse(library.session, function.__name__.encode(), self.body,
                                                         len(inputs), 1, None))
        self.sent = (ctypes.c_void_p * 8)(*[library.send(x).value for x in inputs])
        self.out = (ctypes.c_void_p * 1)()

    def __call__(self):
        if self.out[0]:
            self.lib.tern_drop(ctypes.c_void_p(self.out[0]))
        if self.lib.tern_fused_call(self.handle, self.sent, self.out) or \
                self.lib.tern_synchronize(self.library.context):
            sys.exit(self.library.message())

    def result(self):
        return self.library.receive(ctypes.c_void_p(self.out[0]))[0]


def draw(shapes):
    torch.manual_seed(1)
    scale = 0.05 if len(shapes) == 5 else 1  # of an MLP's weights
    return [torch.randint(0, shapes[0][1], (shapes[0][0],)) if s == 'index' else torch.randn(s) * scale for s in shapes]


def timed_ms(call):
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1e3


def run(library, function, shapes, options):
    inputs = draw(shapes)
    name = f'{function.__name__} ' + 'x'.join(map(str, shapes[0]))
    compiled = torch.compile(function, mode='max-autotune-no-cudagraphs' if options.max_autotune else None)
    with torch.no_grad():
        calls = {'tern': Fused(library, function, inputs), 'eager': lambda: function(*inputs),
                 'inductor': lambda: compiled(*inputs)}
        for call in calls.values():
            call()
        wrong = fused.difference(calls['tern'].result(), fused.exact(function, inputs))
        if wrong:
            print(f'{name:26} wrong: {wrong}', flush=True)
            return
        for call in calls.values():
            call(), call()
        got = {who: [] for who in calls}
        for turn in range(options.samples):
            for who in list(calls) if turn % 2 else reversed(list(calls)):
                got[who].append(timed_ms(calls[who]))
    least = {who: min(times) for who, times in got.items()}
    median = {who: statistics.median(times) for who, times in got.items()}
    turns = statistics.median(a / b for a, b in zip(got['tern'], got['inductor']))
    print(f"{name:26} tern {least['tern']:8.3f} ms  inductor {least['inductor']:8.3f} ms  eager {least['eager']:8.3f} ms  "
          f"{least['tern'] / least['inductor']:5.2f}x  medians {median['tern'] / median['inductor']:5.2f}x  "
          f"turns {turns:5.2f}x", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    parser.add_argument('--library', default=os.path.join(ROOT, 'build', 'libtern.so'))
    parser.add_argument('--threads', default='1,2')
    parser.add_argument('--samples', type=int, default=60)
    parser.add_argument('--only', default='')
    parser.add_argument('--max-autotune', action='store_true')
    options = parser.parse_args()
    for threads in map(int, options.threads.split(',')):
        torch.set_num_threads(threads)
        library = Traced.library = fused.tensors.Library(options.library, 'cpu', threads)
        print(f'\n{threads} threads; PyTorch {torch.__version__}, {torch.backends.cpu.get_cpu_capability()}; '
              f'of {options.samples} samples')
        for function, shapes in rows():
            if options.only in function.__name__:
                torch._dynamo.reset()
                run(library, function, shapes, options)


if __name__ == '__main__':
    main()
