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
