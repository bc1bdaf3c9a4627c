# SPDX-License-Identifier: Apache-2.0
# Which cache modifiers and eviction policies a load and a store take; they change no value.
# case: x = i32[32] small, y = i32[32]
# kernel: words
# want: y == x * 15
# case: x = i32[1], y = i32[1]
# kernel: load_wb
# refuses: unknown cache modifier '.wb' of a load: '.ca', '.cg', '.cs', '.cv' are possible
# case: x = i32[1], y = i32[1]
# kernel: load_wt
# refuses: unknown cache modifier '.wt' of a load: '.ca', '.cg', '.cs', '.cv' are possible
# case: x = i32[1], y = i32[1]
# kernel: load_ab
# refuses: unknown cache modifier '.ab' of a load: '.ca', '.cg', '.cs', '.cv' are possible
# case: x = i32[1], y = i32[1]
# kernel: loadca
# refuses: unknown cache modifier 'ca' of a load: '.ca', '.cg', '.cs', '.cv' are possible
# case: x = i32[1], y = i32[1]
# kernel: store_ca
# refuses: unknown cache modifier '.ca' of a store: '.wb', '.cg', '.cs', '.wt' are possible
# case: x = i32[1], y = i32[1]
# kernel: store_cv
# refuses: unknown cache modifier '.cv' of a store: '.wb', '.cg', '.cs', '.wt' are possible
# case: x = i32[1], y = i32[1]
# kernel: store_x
# refuses: unknown cache modifier '.x' of a store: '.wb', '.cg', '.cs', '.wt' are possible
# case: x = i32[1], y = i32[1]
# kernel: policy
# refuses: unknown eviction policy 'evict': 'evict_first' and 'evict_last' are possible
import triton
import triton.language as tl


@triton.jit
def words(x, y):
    i = tl.arange(0, 32)
    v = tl.zeros((32, ), tl.int32)
    v += tl.load(x + i, cache_modifier='', eviction_policy='')
    v += tl.load(x + i, cache_modifier='', eviction_policy='evict_first')
    v += tl.load(x + i, cache_modifier='', eviction_policy='evict_last')
    v += tl.load(x + i, cache_modifier='.ca', eviction_policy='')
    v += tl.load(x + i, cache_modifier='.ca', eviction_policy='evict_first')
    v += tl.load(x + i, cache_modifier='.ca', eviction_policy='evict_last')
    v += tl.load(x + i, cache_modifier='.cg', eviction_policy='')
    v += tl.load(x + i, cache_modifier='.cg', eviction_policy='evict_first')
    v += tl.load(x + i, cache_modifier='.cg', eviction_policy='evict_last')
    v += tl.load(x + i, cache_modifier='.cs', eviction_policy='')
    v += tl.load(x + i, cache_modifier='.cs', eviction_policy='evict_first')
    v += tl.load(x + i, cache_modifier='.cs', eviction_policy='evict_last')
    v += tl.load(x + i, cache_modifier='.cv', eviction_policy='')
    v += tl.load(x + i, cache_modifier='.cv', eviction_policy='evict_first')
    v += tl.load(x + i, cache_modifier='.cv', eviction_policy='evict_last')
    tl.store(y + i, v, cache_modifier='', eviction_policy='evict_first')
    tl.store(y + i, v, cache_modifier='.wb', eviction_policy='evict_first')
    tl.store(y + i, v, cache_modifier='.cg', eviction_policy='evict_first')
    tl.store(y + i, v, cache_modifier='.cs', eviction_policy='evict_first')
    tl.store(y + i, v, cache_modifier='.wt', eviction_policy='evict_first')


@triton.jit
def load_wb(x, y):
    tl.load(x, cache_modifier='.wb')


@triton.jit
def load_wt(x, y):
    tl.load(x, cache_modifier='.wt')


@triton.jit
def load_ab(x, y):
    tl.load(x, cache_modifier='.ab')


@triton.jit
def loadca(x, y):
    tl.load(x, cache_modifier='ca')


@triton.jit
def store_ca(x, y):
    tl.store(y, 1, cache_modifier='.ca')


@triton.jit
def store_cv(x, y):
    tl.store(y, 1, cache_modifier='.cv')


@triton.jit
def store_x(x, y):
    tl.store(y, 1, cache_modifier='.x')


@triton.jit
def policy(x, y):
    tl.load(x, eviction_policy='evict')
