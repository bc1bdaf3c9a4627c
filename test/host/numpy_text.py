# SPDX-License-Identifier: Apache-2.0
# Arrays as text: lines of 75 characters, of more than 1000 elements those at the ends.
import numpy as np
for x in (np.arange(2000), np.arange(100), np.arange(2000).reshape(40, 50), np.linspace(0, 1, 30), np.zeros((100, 100)),
          np.array([[1.5, 2.25], [100.125, 4.0]]), np.arange(30).reshape(2, 15).astype(np.int32), np.ones((2, 2, 2)),
          np.arange(3000).reshape(3, 10, 100), np.arange(40).astype(np.float32), np.array([True, False] * 30),
          np.arange(2400).reshape(2, 1200), np.arange(24).reshape(1, 24) * 1000003, np.zeros((0,)), np.zeros((2, 0)),
          np.arange(1001).astype(np.float32), np.linspace(0, 1, 12).reshape(1, 1, 12),
          np.arange(18).astype(np.int32) * 1000, np.arange(8008).reshape(7, 8, 11, 13)):
    print(x)
    print(repr(x))
for d in (np.float64, np.float32):
    for v in ([1e-5, 1.0, 1e6], [1e-5], [-1e10, 2.5e9], [0.1, 1e9, -3.25], [1/3, 1e-7, 0.0], [float('nan'), 1e20, float('-inf')], [1e100, 1.5], [123456789.123, 1e-3], [2e8], [-0.0, 1e12]):
        if d is np.float32 and v[0] == 1e100: continue
        print(np.array(v, dtype=d)); print(repr(np.array(v, dtype=d)))
print(np.array([[1e-5, 2], [3e7, -4.5]]))
