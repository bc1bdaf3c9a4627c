# SPDX-License-Identifier: Apache-2.0
# Profiles of files that run: with_stack keeps the functions that each op was called from, as CPython has them, where a stand-in
# for torch writes them down.
. test/cli/lib.sh
TERN=$(realpath "$TERN")
cat >"$work/net.py" <<'END'
import torch
from torch.profiler import profile, record_function
class Model:
    def forward(self, x):
        with record_function('forward'):
            return self.inner(x)
    def inner(self, x):
        return x + 1.0
def batches(x):
    for i in range(2):
        y = x * 2.0
        yield y
def fails(x):
    raise ValueError('no')
def train(x):
    for b in batches(x):
        Model().forward(b)
        try:
            fails(b)
        except ValueError:
            x + x
def apply(f, x): return f(x)
x = torch.ones(4)
with profile(with_stack=True) as p:
    train(x)
    apply(lambda v: v * v, x)
    class Late:
        twice = x * 2.0
        class Inner:
            more = apply(lambda v: v + v, x)
    x + 1.0
p.export_chrome_trace('net.json')
END
mkdir -p "$work/torch"
cat >"$work/torch/__init__.py" <<'END'
import os, sys
from torch import profiler
class Tensor:
    def note(self, name):
        stack, frame = [], sys._getframe(2)
        while frame:
            stack.append(f'{frame.f_code.co_qualname} ({os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno})')
            frame = frame.f_back
        profiler.seen.append(name + ' ' + ';'.join(stack))
        return self
    def __add__(self, other): return self.note('add')
    def __mul__(self, other): return self.note('mul')
def ones(n): return Tensor()
END
cat >"$work/torch/profiler.py" <<'END'
import contextlib
seen = []
@contextlib.contextmanager
def record_function(name): yield
class profile:
    def __init__(self, with_stack): pass
    def __enter__(self): return self
    def __exit__(self, *_): pass
    def export_chrome_trace(self, path):
        print('\n'.join(sorted(set(seen))))
END
cat >"$work/read.py" <<'END'
import json, sys
events = [e for e in json.load(open(sys.argv[1]))['traceEvents'] if e['ph'] == 'X' and e['name'] in ('add', 'mul')]
print('\n'.join(sorted({e['name'] + ' ' + e['args']['Call stack'] for e in events})))
END
check 'a profile with stacks' sh -c "cd '$work' && '$TERN' exec --device interp --allow-write . net.py"
check 'they are in the trace' grep -qF '"Call stack":"Model.inner (net.py:8);Model.forward (net.py:6);train (net.py:17);<module> (net.py:25)"' \
    "$work/net.json"
if command -v python3 >/dev/null && (cd "$work" && python3 net.py) >"$work/want" 2>/dev/null; then # co_qualname: 3.11
    python3 "$work/read.py" "$work/net.json" >"$work/got"
    check 'all are those of CPython' sh -c "diff '$work/want' '$work/got' && grep -q '<lambda> (net.py:26)' '$work/got'"
else skip 1 'CPython 3.11 is not here'; fi
finish
