# numpy, of what files of this kind use.
import numpy as np

a = np.array([1, 2, 3])
b = np.array([[1.5, 2, 3], [4, 5, 6.25]])
print(a, b, a.dtype, b.dtype, a.shape, b.ndim, b.size, len(b))
print(repr(a), repr(b), repr(np.zeros(2, dtype=np.float32)), repr(np.array([True, False])))
print(a + 1, a * 2.5, a / 2, 2 / a, 1 - a, a ** 2, a // 2, a % 2, -a, abs(-a))
print(a == 2, a < 3, (a > 1) & (a < 3), b.T, b.reshape(3, 2), b[1], b[:, 1], b[0, 2], a[a > 1])
print(float(b.sum()), b.sum(axis=0), b.mean(axis=1), float(b.max()), int(b.argmax()), np.min(b, axis=1), a.prod())
print(np.arange(5), np.arange(1, 2, 0.25), np.zeros((2, 2)), np.ones(3, dtype=int), np.full((2,), 7), np.eye(2))
print(np.allclose(b, b + 1e-9), np.array_equal(a, [1, 2, 3]), np.concatenate([a, a]), np.stack([a, a]).shape)
print(np.where(a > 1, a, 0), np.maximum(a, 2), a @ a, b @ a, np.sqrt(np.array([4.0, 9.0])), np.exp(0.0), np.ceil(1.2))
print(a.astype(np.float32) / 3, np.array([0.1, 0.25], dtype=np.float32), np.linspace(0, 1, 5), a.tolist(), np.pi)
c = b.copy()
c[0] = 0
c[c > 5] = -1
print(c, b[0], [x for x in a.tolist()], np.std(b) > 1.5, np.asarray(a) is a, np.array([]).shape)
np.testing.assert_allclose(a, [1, 2, 3])
try:
    np.testing.assert_allclose(a, [1, 2, 4])
except AssertionError:
    print('differ')
try:
    bool(a == a)
except ValueError as error:
    print(error)

print((a * 2.5).dtype, (a + np.ones(3, dtype=np.float32)).dtype, (b / 2).dtype, (np.ones(2, dtype=np.float32) * 2.5).dtype)
s = np.array([0.1, 0.7], dtype=np.float32)
print(s.max(), f'{s.max():.3f} {s.max()}', s[0], np.float32(0.5) + 1, s.sum() > 0.7, np.zeros(1, dtype='float32').sum())

import torch

t = torch.arange(6.0).reshape(2, 3)
n = t.numpy()
n[0, 0] = 9
print(t, n.dtype, torch.from_numpy(b).dtype, np.allclose(t.numpy(), n), n.sum() == 24)
import torch as _torch
_array = np.array([1.5, 2.5])
_copy = _torch.tensor(_array)
_array[0] = 9.0
print(_copy, _torch.tensor(np.arange(3)), _torch.tensor(_array, dtype=_torch.float32, requires_grad=True))
