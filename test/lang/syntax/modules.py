# Kernels, their parameters, and the configs that autotune names.

# case: which functions are kernels
import triton
import triton.language as tl
from triton import jit
from triton.runtime import jit as compiled
import numba
@triton.jit
def a(x, B: tl.constexpr): b(x)
@jit
def b(x): pass
@triton.jit(noinline=True)
def c(x, y: "tl.constexpr" = 3): pass
@numba.jit
def no(x): pass
def make():
    @triton.jit
    def inner(x): pass
    return inner
class K:
    @triton.jit
    def method(x): pass
def run(x):
    a[(1,)](x, B=3)
# ask: functions
# want: a(x, constexpr B) launched
# want: b(x)
# want: c(x, constexpr y) launched
# want: inner(x) launched
# want: method(x) launched

# case: configs as a list
import triton
@triton.autotune(configs=[triton.Config({'B': 32}, num_warps=2), triton.Config({'B': 64, 'E': True}, num_stages=4)], key=['n'])
@triton.jit
def k(x, n, B, E): pass
# ask: configs k
# want: B=32 warps 2 stages 0
# want: B=64 E=True warps 0 stages 4

# case: configs as a comprehension
import triton
@triton.autotune([triton.Config({'M': m, 'N': n}, num_warps=w) for m in [16, 32] for n in (64,) for w in range(1, 3) if m < n], ['n'])
@triton.jit
def k(x, n, M, N): pass
# ask: configs k
# want: M=16 N=64 warps 1 stages 0
# want: M=16 N=64 warps 2 stages 0
# want: M=32 N=64 warps 1 stages 0
# want: M=32 N=64 warps 2 stages 0

# case: configs of a function with append
import triton
def configs():
    out = []
    for b in [1, 2]:
        if b == 2:
            out.append(triton.Config({'B': b}, num_warps=4))
    return out
@triton.autotune(configs=configs(), key=[])
@triton.jit
def k(x, B): pass
# ask: configs k
# want: B=2 warps 4 stages 0

# case: configs of a module-level list that grows
import triton
from itertools import product
LIST = []
for a, b in product([1, 2], [3]):
    LIST.append(triton.Config({'A': a, 'B': b}))
LIST += [triton.Config({'A': 9, 'B': 9}, num_warps=8)]
@triton.autotune(configs=LIST, key=[])
@triton.jit
def k(x, A, B): pass
# ask: configs k
# want: A=1 B=3 warps 0 stages 0
# want: A=2 B=3 warps 0 stages 0
# want: A=9 B=9 warps 8 stages 0

# case: configs that only Python can make
import triton
import somewhere
@triton.autotune(configs=somewhere.configs(), key=[])
@triton.jit
def k(x, B): pass
# ask: configs k
# want: 3:26: not supported: these configs cannot be evaluated without Python: 'somewhere.configs()' is not known
# want: help: give the constants of the kernel yourself

# case: no configs
import triton
@triton.jit
def k(x): pass
# ask: configs k
# want: no configs

# case: configs that a function of the file keeps or drops
import triton
def keep(config):
    if config.kwargs["B"] * config.num_warps > 128:
        return False
    return True
CONFIGS = [triton.Config({"B": b}, num_warps=w) for b in (16, 32) for w in (4, 8)]
@triton.autotune(list(filter(keep, CONFIGS)), key=[])
@triton.jit
def k(x, B): pass
# ask: configs k
# want: B=16 warps 4 stages 0
# want: B=16 warps 8 stages 0
# want: B=32 warps 4 stages 0
