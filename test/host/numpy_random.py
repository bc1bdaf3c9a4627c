# SPDX-License-Identifier: Apache-2.0
# numpy.random draws what NumPy draws from the same seed.
import numpy as np
np.random.seed(0)
print(np.random.rand(3), np.random.rand(), np.random.random(), np.random.random_sample((2, 2)))
print(np.random.randn(5), np.random.randn(2, 2).shape, np.random.standard_normal(1))
print(np.random.randint(0, 10, 8), np.random.randint(5), np.random.randint(1, 2), np.random.randint(-7, high=100, size=(2, 3)))
print(np.random.randint(0, 2**40, 3), np.random.randint(0, 2**32, 2), np.random.randint(0, 50, 4, dtype=np.int32).dtype)
print(np.random.uniform(-1, 1, (2, 2)), np.random.uniform(), np.random.normal(2.0, 3.0, 3), np.random.normal())
print(np.random.choice(5, 3), np.random.choice([1.5, 2.5, 3.5], 4), np.random.choice(10, 4, replace=False), np.random.choice(7))
print(np.random.permutation(9), np.random.permutation(np.arange(5) * 2))
x = np.arange(6)
np.random.shuffle(x)
y = list('abcdef')
np.random.shuffle(y)
print(x, y)
one, two = np.random.RandomState(42), np.random.RandomState(42)
print(one.randn(3), two.randn(3), np.random.RandomState(7).randint(0, 1000, 5))
print(np.random.rand(4, 5).astype(np.float32).dtype, np.random.rand(1000)[-2:])
for what in (lambda: np.random.seed(-1), lambda: np.random.randint(3, 3), lambda: np.random.choice(2, 5, replace=False)):
    try:
        what()
    except ValueError as error:
        print(error)
