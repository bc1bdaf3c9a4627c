# SPDX-License-Identifier: Apache-2.0
# What the kernels of this folder compute, for tools/cuda_suite.py.
random = np.random.default_rng(1)
x, y = random.standard_normal((2, 1000)).astype(np.float32)
wide = x.astype(np.float64)
case("kernels.cu:vectorAdd", 4, 256, dict(A=x, B=y, C=empty(1000), numElements=1000), dict(C=wide + y))
case("kernels.cu:saxpy", 2, 96, dict(n=1000, a=2.5, x=x, y=y), dict(y=2.5 * wide + y))
case("kernels.cu:block_sum", 4, 256, dict(x=np.abs(x), out=zeros(1), n=1000), dict(out=[np.abs(wide).sum()]))
a, b = x[:960].reshape(40, 24), y[:720].reshape(24, 30)
case("kernels.cu:transpose", (2, 3), (16, 16), dict(odata=empty((24, 40)), idata=a, width=24, height=40), dict(odata=a.T), tol=0)
case("kernels.cu:matmul", (2, 3), (16, 16), dict(A=a, B=b, C=empty((40, 30)), M=40, N=30, K=24), dict(C=a.astype(np.float64) @ b))
case("kernels.cu:vectorAdd", 4, 256, dict(A=x, B=y, C=empty(999), numElements=1000), dict(C=(wide + y)[:999]),
     finds=dict(interp="outside", sim="outside"), only=("interp", "sim"))


def packed(lanes, holds):
    return sum(1 << i for i, lane in enumerate(lanes) if holds(lane))


def parts(t):  # of thread t of 64: blocks, tiles of 8 and 4, those of its warp that say the same
    warp, tile = range(t // 32 * 32, t // 32 * 32 + 32), range(t // 8 * 8, t // 8 * 8 + 8)
    same, even = [u for u in warp if said[u] % 3 == said[t] % 3], [u for u in tile if said[u] % 2 == said[t] % 2]
    at = even.index(t)
    return [6400 + t, 800 + t % 8, 400 + t % 4, sum(said[u] for u in tile) if t % 8 == 0 else 0,
            sum(said) if t == 0 else 0, len(same) * 100 + same.index(t), sum(said[u] for u in same),
            len(even) * 100 + at, said[even[min(at + 1, len(even) - 1)]] * 10 + said[even[max(at - 1, 0)]],
            packed(even, lambda u: said[u] > 4) * 1000 + packed(same, lambda u: said[u] == said[t]) % 1000]


said = [t * 7 % 10 for t in range(64)]
want = np.array([parts(t) for t in range(64)])
case("library.cu:partitions", 1, 64, dict(p=np.zeros((64, 10), np.int32), **{"in": np.array(said, np.int32)}),
     dict(p=want), tol=0)
