# SPDX-License-Identifier: Apache-2.0
# numpy.random.default_rng: whole, uniform and shuffled numbers, as NumPy draws them.
import numpy as np
for seed in (0, 1, 42, 2**31, 2**33 + 5, 10**19, 2**100 + 3):
    r = np.random.default_rng(seed)
    print(seed, r.random(3).tolist(), r.integers(0, 10, 5).tolist(), r.uniform(-1, 1, 2).tolist(), r.integers(0, 2**40, 3).tolist(), int(r.integers(5)), float(r.random()), r.permutation(6).tolist(), r.choice(10, 4).tolist(), r.integers(0, 7, 3, dtype=np.int32).tolist(), r.random(2, dtype=np.float32).tolist())
    x = np.arange(8); r.shuffle(x); y = list('abcdef'); r.shuffle(y)
    print(x.tolist(), y, int(r.integers(1, 6, endpoint=True)), int(r.integers(0, 2**32)), int(r.integers(0, 2**32 - 1)), r.integers(-5, 5, (2, 3)).tolist(), r.integers(3, 4), r.random((2, 2)).shape, r.permutation([5, 6, 7]).tolist(), r.choice([1.5, 2.5]) in (1.5, 2.5))
    print(r.integers(0, 1000, 300).sum(), round(float(r.random(1000).sum()), 9), r.integers(0, 3 * 2**61, 4).tolist())
a, b = np.random.default_rng(3), np.random.default_rng(3)
print(a.random() == b.random(), np.random.default_rng(a) is a, isinstance(a, np.random.Generator), np.random.default_rng().random() < 1)
for f in (lambda: a.integers(3, 3), lambda: np.random.default_rng(-1)):
    try: f()
    except ValueError as e: print(str(e)[:11])
