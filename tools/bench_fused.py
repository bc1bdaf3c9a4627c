#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times fused functions on the cpu device beside torch.compile's (Inductor's) and PyTorch's eager ops: GELU,
softmax and a norm written by hand, layer norm, cross entropy and an MLP at sizes of lectures.

    tools/bench_fused.py [--library build/libtern.so] [--threads 1,2] [--samples N] [--only WORD]
                         [--max-autotune] [--wait FILE]

Each side is a process of its own, so that no two pools of threads share one; they take turns of several
calls, and whoever waits is asleep. Results are compared with float64; a wrong one is said and not timed.
A row has the least of the samples, which other work on the machine touches least, and the medians. Where
compiling is long and the machine is somebody else's, --wait times once the file is there.
"""
import argparse
import ctypes
import importlib.machinery
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
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
    """And how many cores it had: processor time over time."""
    start, cpu = time.perf_counter(), time.process_time()
    call()
    took = time.perf_counter() - start
    return took * 1e3, (time.process_time() - cpu) / took


# ---- a side: prepares all rows, then times those that it is asked for ----


def prepare(options, library, function, shapes):
    """The calls of this side by name, and what is wrong with a result."""
    inputs = draw(shapes)
    if library:
        call = Fused(library, function, inputs)
        call()
        return {'tern': call}, fused.difference(call.result(), fused.exact(function, inputs))
    compiled = torch.compile(function, dynamic=False,
                             mode='max-autotune-no-cudagraphs' if options.max_autotune else None)
    wrong = fused.difference(compiled(*inputs), fused.exact(function, inputs))
    return {'inductor': lambda: compiled(*inputs), 'eager': lambda: function(*inputs)}, wrong


@torch.no_grad()
def side(options):
    threads, library = int(options.threads), None
    torch.set_num_threads(1 if options.side == 'tern' else threads)
    if options.side == 'tern':
        library = Traced.library = fused.tensors.Library(options.library, 'cpu', threads)
    made = []
    for function, shapes in rows():
        if options.only in function.__name__:
            calls, wrong = prepare(options, library, function, shapes)
            made.append(calls)
            print(json.dumps([f'{function.__name__} ' + 'x'.join(map(str, shapes[0])), wrong]), flush=True)
    print('null', flush=True)
    for line in sys.stdin:
        row, who, count = json.loads(line)
        call = made[row][who]
        call(), call()
        print(json.dumps([timed_ms(call) for _ in range(count)]), flush=True)


# ---- the turns ----

ROUNDS = 5
IDLE_S = 0.03  # a pool's threads look for work for some milliseconds before they sleep


class Side:

    def __init__(self, options, name, threads):
        words = [sys.executable, os.path.abspath(__file__), '--side', name, '--threads', str(threads), '--only',
                 options.only, '--library', options.library] + ['--max-autotune'] * options.max_autotune
        cache = os.environ.get('TORCHINDUCTOR_CACHE_DIR', os.path.join(tempfile.gettempdir(), f'inductor-{os.getuid()}'))
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env=dict(os.environ, OMP_NUM_THREADS=str(threads),
                                                 TORCHINDUCTOR_CACHE_DIR=f'{cache}-{threads}'))  # its code says how many

    def read(self):
        line = self.process.stdout.readline()
        return json.loads(line) if line else sys.exit('a side ended')

    def rows(self):
        return list(iter(self.read, None))

    def samples(self, row, who, count):
        print(json.dumps([row, who, count]), file=self.process.stdin, flush=True)
        return self.read()

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def take_turns(name, row, sides, count):
    got, cores = {who: [] for who in sides}, {who: [] for who in sides}
    for turn in range(ROUNDS):
        for who in list(sides) if turn % 2 else reversed(list(sides)):
            time.sleep(IDLE_S)
            for took, used in sides[who].samples(row, who, -(-count // ROUNDS)):
                got[who].append(took), cores[who].append(used)
    least = {who: min(times) for who, times in got.items()}
    median = {who: statistics.median(times) for who, times in got.items()}
    line = ''.join(f'  {who} {least[who]:8.3f} {median[who]:8.3f} {statistics.median(cores[who]):4.1f}' for who in sides)
    print(f"{name:26}{line}  {least['tern'] / least['inductor']:5.2f}x {median['tern'] / median['inductor']:5.2f}x",
          flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    parser.add_argument('--library', default=os.path.join(ROOT, 'build', 'libtern.so'))
    parser.add_argument('--threads', default='1,2')
    parser.add_argument('--samples', type=int, default=60)
    parser.add_argument('--only', default='')
    parser.add_argument('--max-autotune', action='store_true')
    parser.add_argument('--wait', metavar='FILE')
    parser.add_argument('--side', help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.side:
        return side(options)
    prepared = []
    for threads in map(int, options.threads.split(',')):
        torch_side, tern_side = (Side(options, name, threads) for name in ('torch', 'tern'))
        prepared.append((threads, tern_side, torch_side, tern_side.rows(), torch_side.rows()))
    while options.wait and not os.path.exists(options.wait):
        time.sleep(0.1)
    for threads, tern_side, torch_side, names, others in prepared:
        print(f'\n{threads} threads; PyTorch {torch.__version__}, {torch.backends.cpu.get_cpu_capability()}; '
              f'of {options.samples} samples least and median, ms, and cores; load {os.getloadavg()[0]:.1f}')
        for row, ((name, wrong), (_, other)) in enumerate(zip(names, others)):
            if wrong or other:
                print(f'{name:26} wrong: {wrong or other}', flush=True)
                continue
            take_turns(name, row, {'tern': tern_side, 'inductor': torch_side, 'eager': torch_side}, options.samples)
        tern_side.close(), torch_side.close()


if __name__ == '__main__':
    main()
