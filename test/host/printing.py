# SPDX-License-Identifier: Apache-2.0
# torch.set_printoptions, x.view(dtype), torch.Size, randn of float64, errors of sizes and types.
import torch
x = torch.arange(35.).reshape(5, 7) / 8 - 1.3; y = torch.arange(40, dtype=torch.float64).reshape(2, 20).t() / 7; w = torch.arange(2000.) / 7
big = torch.tensor([1e-5, 1.0, 1e6]); ints = torch.arange(30); whole = torch.tensor([1., 2., 3000.]); v = (torch.arange(12000.) / 3).reshape(3, 2000, 2)
for kw in (dict(), dict(precision=2), dict(precision=0), dict(precision=8), dict(sci_mode=True), dict(sci_mode=False), dict(threshold=10), dict(threshold=10, edgeitems=1), dict(edgeitems=2), dict(linewidth=40), dict(linewidth=200), dict(profile='short'), dict(profile='full', precision=3, threshold=50), dict(profile='default'), dict(threshold=0)):
    torch.set_printoptions(**kw)
    print(kw, x, y, w, big, ints, whole, v, torch.tensor(2.5), torch.tensor([]), torch.tensor([float('nan'), 1.0]), torch.tensor([float('inf')]), sep='\n')
torch.set_printoptions(profile='default')
torch.manual_seed(0)
for n in (1, 5, 15, 16, 17, 40): print(n, [round(z, 12) for z in torch.randn(n, dtype=torch.float64).tolist()])
try: torch.zeros(2, dtype='x')
except Exception as e: print(type(e).__name__, str(e)[:300])
try: torch.empty(2, dtype=3)
except Exception as e: print(type(e).__name__, str(e)[:300])
try: torch.zeros(2.5)
except Exception as e: print(type(e).__name__, str(e)[:300])
try: torch.zeros('a')
except Exception as e: print(type(e).__name__, str(e)[:300])
try: torch.full((2,), 1, dtype='x')
except Exception as e: print(type(e).__name__, str(e)[:300])
try: torch.tensor([1], dtype='x')
except Exception as e: print(type(e).__name__, str(e)[:300])
try: torch.zeros(2**62)
except Exception as e: print(type(e).__name__, str(e)[:300])
x = torch.arange(6, dtype=torch.int32)
for d in (torch.float32, torch.int16, torch.int64, torch.uint8, torch.float64):
    try: print(x.view(d), x.view(d).shape)
    except Exception as e: print(type(e).__name__, str(e)[:300])
y = torch.arange(12, dtype=torch.int16).reshape(3, 4)
for d in (torch.int32, torch.int64, torch.uint8):
    for z in (y, y.t(), y[:, :2], y[1:], y[:, 1:3], y[0, 0]):
        try: print(z.view(d).tolist(), z.view(d).shape, z.view(d).stride())
        except Exception as e: print(type(e).__name__, str(e)[:300])
s = torch.Size([2, 3]); print(s, s[0], tuple(s), torch.Size((1,)), torch.Size(), s == (2, 3), s.numel(), isinstance(s, tuple), isinstance(torch.zeros(2).shape, torch.Size), type(s), len(s), s + (4,), s[1:], torch.zeros(s).shape == s, list(s), [*s], torch.Size([]) .numel(), hash(s) == hash((2, 3)))
print(type(s + (1,)).__name__, type(s[:1]).__name__, type(s * 2).__name__, isinstance((1, 2), torch.Size), torch.zeros(2, 3).size() == torch.Size([2, 3]))
try: torch.Size([1.5])
except Exception as e: print(type(e).__name__, str(e)[:300])
try: torch.Size(3)
except Exception as e: print(type(e).__name__, str(e)[:300])
