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
