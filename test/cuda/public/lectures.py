# SPDX-License-Identifier: Apache-2.0
"""Kernels of the GPU MODE lectures, for tools/cuda_suite.py; what they compute is written again here."""



def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


LECTURES = "lectures/"


def lecture(kernel, grid, block, args, want, **more):
    case(LECTURES + kernel, grid, block, args, want, **more)


x = normal(30, 40)
lecture("lecture_001/load_inline_cuda/cuda.cu:square_matrix_kernel", (3, 2), (16, 16),
        dict(matrix=x, result=empty(x.shape), width=40, height=30), dict(result=wide(x)**2))
picture = random.integers(0, 256, (3, 20, 30)).astype(np.uint8)


def mean_filter(picture, radius):
    out = np.empty_like(picture)
    for index in np.ndindex(picture.shape):
        c, y, x = index
        area = picture[c, max(0, y - radius):y + radius + 1, max(0, x - radius):x + radius + 1].astype(int)
        out[index] = area.sum() // area.size
    return out


lecture("lecture_002/mean_filter/mean_filter_kernel.cu:mean_filter_kernel", (2, 2), (16, 16, 3),
        dict(output=empty(picture.shape, np.uint8), input=picture, width=30, height=20, radius=2),
        dict(output=mean_filter(picture, 2)))
colours = random.integers(0, 256, (20, 30, 3)).astype(np.uint8)


def grayscale(colours):
    r, g, b = (colours[..., i].astype(np.float32) for i in range(3))
    exact = np.array([0.21, 0.71, 0.07], np.float32)
    total = wide(colours) @ wide(exact)
    # Next to a whole number the order of rounding decides: those are made black.
    return np.where(np.abs(total - np.rint(total)) < 1e-3, 0, np.floor(total))


colours[np.abs(wide(colours) @ [0.21, 0.71, 0.07] % 1 - 0.5) > 0.499] = 0
lecture("lecture_002/rgb_to_grayscale/grayscale_kernel.cu:rgb_to_grayscale_kernel", (2, 2), (16, 16),
        dict(output=empty((20, 30), np.uint8), input=colours, width=30, height=20), dict(output=grayscale(colours)))
a, b = normal(2, 1000)
lecture("lecture_002/vector_addition/vector_addition.cu:vecAddKernel", 4, 256, dict(A=a, B=b, C=empty(1000), n=1000),
        dict(C=wide(a) + b))
lecture("lecture_008/coalesce.cu:copyDataCoalesced",
        4,
        256,
        dict(**{"in": a}, out=empty(1000), n=1000),
        dict(out=a),
        tol=0)
lecture("lecture_008/coalesce.cu:copyDataNonCoalesced",
        4,
        256,
        dict(**{"in": a}, out=empty(1000), n=1000),
        dict(out=a[np.arange(1000) * 2 % 1000]),
        tol=0)
lecture("lecture_008/occupancy.cu:copyDataCoalesced",
        4,
        256,
        dict(**{"in": a}, out=empty(1000), n=1000),
        dict(out=a),
        tol=0)
data = random.integers(0, 100, 1000).astype(np.int32)
for name in ["processArrayWithDivergence", "processArrayWithoutDivergence"]:
    lecture(f"lecture_008/divergence.cu:{name}", 4, 256, dict(data=data, N=1000),
            dict(data=np.where(data % 2 == 0, data * 2, data + 1)))
for name in ["vectorAdd", "vectorAddPrivatized"]:
    lecture(f"lecture_008/privatization.cu:{name}", 4, 256, dict(a=a, b=b, result=empty(1000), n=1000),
            dict(result=wide(a) + b))
a, b = normal(2, 48, 48)
lecture("lecture_008/tiling.cu:matrixMulSimple", (3, 3), (16, 16),
        dict(A=a, B=b, C=empty(a.shape), width=48),
        dict(C=wide(a) @ wide(b)),
        tol=1e-4)
lecture("lecture_008/tiling.cu:matrixMulTiled", (3, 3), (16, 16),
        dict(A=a, B=b, C=empty(a.shape), width=48),
        dict(C=wide(a) @ wide(b)),
        tol=1e-4)
x = normal(1000)
# The window stops at the block's end in the second.
window = [wide(x)[max(0, i - 3):i + 4].sum() for i in range(1000)]
lecture("lecture_008/privatization2.cu:windowSumDirect", 4, 256, dict(input=x, output=empty(1000), n=1000,
                                                                      windowSize=7), dict(output=window))
window = [wide(x)[max(i // 256 * 256, i - 3):min(i // 256 * 256 + 256, i + 4)].sum() for i in range(1000)]
lecture("lecture_008/privatization2.cu:windowSumPrivatized",
        4,
        256,
        dict(input=x, output=empty(1000), n=1000, windowSize=7),
        dict(output=window),
        finds=dict(sim="divergent"),
        only=("cpu", "interp", "sim"))
a, b = normal(2, 1024)
lecture("lecture_008/coarsening.cu:VecAdd", 4, 256, dict(A=a, B=b, C=empty(1024)), dict(C=wide(a) + b))
lecture("lecture_008/coarsening.cu:VecAddCoarsened", 2, 256, dict(A=a, B=b, C=empty(1024)), dict(C=wide(a) + b))
positive = np.abs(normal(4096))
total = [wide(positive).sum()]
for name in ["multistream-reduce", "reduce_coarsening"]:
    lecture(f"lecture_009/{name}.cu:CoarsenedReduction", 2, 1024, dict(input=positive[:4000],
                                                                       output=zeros(1),
                                                                       size=4000),
            dict(output=[wide(positive[:4000]).sum()]))
lecture("lecture_009/segment_reduce.cu:SharedMemoryReduction", 4, 1024, dict(input=positive, output=zeros(1), n=4096),
        dict(output=total))
lecture("lecture_009/shared_reduce.cu:SharedMemoryReduction", 1, 1024, dict(input=positive[:2048], output=empty(1)),
        dict(output=[wide(positive[:2048]).sum()]))
lecture("lecture_009/control_divergence_reduce.cu:FixDivergenceKernel", 1, 512,
        dict(input=positive[:1024], output=empty(1)), dict(output=[wide(positive[:1024]).sum()]))
lecture("lecture_009/simple_reduce.cu:SimpleSumReductionKernel", 1, 512, dict(input=positive[:1024], output=empty(1)),
        dict(output=[wide(positive[:1024]).sum()]))
q, k, v = normal(3, 64, 128)
scores = wide(q) @ wide(k).T / np.sqrt(128)
lecture("lecture_012/flash_attention.cu:flash_attention_k",
        8, (128, 8),
        dict(out=empty(q.shape), out_l=empty(64), Q=q, K=k, V=v, scaling=1 / np.sqrt(128), n=64, T_r=8, T_c=2),
        dict(out=softmax(scores) @ wide(v), out_l=np.log(np.exp(scores).sum(1))),
        tol=1e-4,
        finds=dict(sim="race"),
        # A warp loads the next tile where another one still reads this one: on an H100, 96 of 8192 numbers were wrong.
        only=("cpu", "interp", "sim"))
a, b, c = normal(3, 1000)
lecture("lecture_018/kernels/src/fused_kernels_lora_on_mlp.cu:fused_add_mul_relu_kernel", 4, 256,
        dict(dense_in_out_ptr=a, scalar_ptr=b[:40], dense_ptr=c, num_weights=40, xnumel=1000, multiplier=0.5),
        dict(dense_in_out_ptr=np.maximum(0, 0.5 * wide(c) + a + np.resize(b[:40], 1000))))
lecture("lecture_018/kernels/src/pointwise_add_relu_fused.cu:add_relu_fusion_kernel", 4, 256,
        dict(in_out_ptr0=a, in_ptr0=b[:256], xnumel=1000, XBLOCK=256),
        dict(in_out_ptr0=np.maximum(0,
                                    wide(a) + np.resize(b[:256], 1000))))
