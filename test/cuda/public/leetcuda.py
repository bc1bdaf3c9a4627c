# SPDX-License-Identifier: Apache-2.0
"""Kernels of LeetCUDA (xlite-dev/LeetCUDA), for tools/cuda_suite.py; what they compute is written again here."""


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


LEET = "LeetCUDA/kernels/"

# One number each, in 5 ways of packing them; only the first looks at each index.
ACTIVATIONS = {
    "relu": lambda x: np.maximum(x, 0),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "swish": lambda x: x / (1 + np.exp(-x)),
    "gelu": gelu,
    "elu": lambda x: np.where(x > 0, x,
                              np.exp(x) - 1),
    "hardshrink": lambda x: np.where(np.abs(x) > 0.5, x, 0),
    "hardswish": lambda x: x * np.clip(x + 3, 0, 6) / 6
}
for name, function in ACTIVATIONS.items():
    for pack, block, count in [("f32", 256, 1000), ("f32x4", 64, 1020), ("f16", 256, 1001), ("f16x2", 128, 1024),
                               ("f16x8", 32, 2048), ("f16x8_pack", 32, 2048)]:
        # exp of twice a half GELU's inner value overflows above 3.
        x = normal(count, dtype=np.float16 if "f16" in pack else np.float32) * 3
        x = np.clip(x, -3, 3) if (name, pack[:3]) == ("gelu", "f16") else x
        if pack == "f32x4":
            x = np.resize(x, 1024)
        y = empty(len(x), x.dtype)
        # The half kernels round each step to 11 bits, where exp(x) - 1 and x + x^3 cancel.
        case(f"{LEET}{name}/{name}.cu:{name}_{pack}_kernel",
             -(-len(x) // 256),
             block,
             dict(x=x, y=y, N=len(x)),
             dict(y=function(wide(x))),
             tol=1e-2 if "f16" in pack else None)

for pack, block, dtype in [("f32", 256, np.float32), ("f32x4", 64, np.float32), ("f16", 256, np.float16),
                           ("f16x2", 128, np.float16), ("f16x8", 32, np.float16), ("f16x8_pack", 32, np.float16)]:
    a, b = normal(1024, dtype=dtype), normal(1024, dtype=dtype)
    case(f"{LEET}elementwise/elementwise.cu:elementwise_add_{pack}_kernel", 4, block,
         dict(a=a, b=b, c=empty(1024, dtype), N=1024), dict(c=wide(a) + b))

rows = random.integers(0, 40, 24).astype(np.int32)
for pack, block, dtype in [("f32", 128, np.float32), ("f32x4", 32, np.float32), ("f32x4_pack", 32, np.float32),
                           ("f16", 128, np.float16), ("f16x8", 16, np.float16), ("f16x8_pack", 16, np.float16)]:
    weight = normal(40, 128, dtype=dtype)
    case(f"{LEET}embedding/embedding.cu:embedding_{pack}_kernel",
         24,
         block,
         dict(idx=rows, weight=weight, output=empty((24, 128), dtype), n=24, emb_size=128),
         dict(output=weight[rows]),
         tol=0)

values = random.integers(0, 50, 2048).astype(np.int32)
for pack, block in [("i32", 256), ("i32x4", 64)]:
    case(f"{LEET}histogram/histogram.cu:histogram_{pack}_kernel", 8, block, dict(a=values,
                                                                                 y=zeros(50, np.int32),
                                                                                 N=2048),
         dict(y=np.bincount(values, minlength=50)))

for pack, dtype, threads in [("f32_f32", np.float32, 256), ("f32x4_f32", np.float32, 64), ("f16_f32", np.float16, 256),
                             ("f16x2_f32", np.float16, 128), ("f16x8_pack_f32", np.float16, 32)]:
    a, b = np.abs(normal(2, 2048, dtype=dtype))
    case(f"{LEET}dot-product/dot_product.cu:dot_prod_{pack}_kernel<{threads}>",
         8,
         threads,
         dict(a=a, b=b, y=zeros(1), N=2048),
         dict(y=[wide(a) @ wide(b)]),
         tol=3e-3 if "f16" in pack else 1e-5)

for pack, make, threads, tol in [("f32_f32", "f32", 256, 1e-5), ("f32x4_f32", "f32", 64, 1e-5),
                                 ("f16_f16", "f16", 256, 1e-2), ("f16_f32", "f16", 256, 1e-5),
                                 ("f16x2_f32", "f16", 128, 1e-3), ("f16x2_f16", "f16", 128, 1e-2),
                                 ("f16x8_pack_f16", "f16", 32, 1e-2), ("f16x8_pack_f32", "f16", 32, 1e-2),
                                 ("bf16_bf16", "bf16", 256, 5e-2), ("bf16_f32", "bf16", 256, 1e-5),
                                 ("bf16x2_bf16", "bf16", 128, 5e-2), ("bf16x2_f32", "bf16", 128, 1e-2),
                                 ("bf16x8_pack_bf16", "bf16", 32, 5e-2), ("bf16x8_pack_f32", "bf16", 32, 5e-2)]:
    # Eighths in [0, 2): exact in each type, so that only sums round.
    exact = random.integers(0, 16, 2048) / 8
    a = bf16(exact.astype(np.float32)) if make == "bf16" else exact.astype(np.float16 if make == "f16" else np.float32)
    case(f"{LEET}reduce/block_all_reduce.cu:block_all_reduce_sum_{pack}_kernel<{threads}>",
         8,
         threads,
         dict(a=a, y=zeros(1), N=2048),
         dict(y=[exact.sum()]),
         tol=tol)
a = random.integers(-100, 100, 4096).astype(np.int8)
# Blocks of 16 threads shuffle across all 32 lanes.
for pack, threads, finds in [("i8_i32", 256, {}), ("i8x16_pack_i32", 16, dict(sim="which does not take part"))]:
    case(f"{LEET}reduce/block_all_reduce.cu:block_all_reduce_sum_{pack}_kernel<{threads}>",
         16,
         threads,
         dict(a=a, y=zeros(1, np.int32), N=4096),
         dict(y=[wide(a).sum()]),
         finds=finds,
         only=("cpu", "interp", "sim") if finds else None)

x = normal(12, 256) * 2 + 1
half = x.astype(np.float16)
for pack, threads in [("f32", 256), ("f32x4", 64), ("f16_f16", 256), ("f16x2_f16", 128), ("f16x8_f16", 32),
                      ("f16_f32", 256), ("f16x8_pack_f16", 32), ("f16x8_pack_f32", 32)]:
    data = half if "f16" in pack else x
    hat = (wide(data) - wide(data).mean(1, keepdims=True)) / np.sqrt(wide(data).var(1, keepdims=True) + 1e-5)
    case(f"{LEET}layer-norm/layer_norm.cu:layer_norm_{pack}_kernel<{threads}>",
         12,
         threads,
         dict(x=data, y=empty((12, 256), data.dtype), g=1.5, b=0.25, N=12, K=256),
         dict(y=hat * 1.5 + 0.25),
         tol=2e-2 if pack.endswith("f16") else 5e-3 if "f16" in pack else None)
for pack, threads in [("f32", 256), ("f32x4", 64), ("f16_f16", 256), ("f16x2_f16", 128), ("f16x8_f16", 32),
                      ("f16x8_f32", 32), ("f16_f32", 256), ("f16x8_pack_f16", 32), ("f16x8_pack_f32", 32)]:
    data = half if "f16" in pack else x
    hat = wide(data) / np.sqrt((wide(data)**2).mean(1, keepdims=True) + 1e-5)
    case(f"{LEET}rms-norm/rms_norm.cu:rms_norm_{pack}_kernel<{threads}>",
         12,
         threads,
         dict(x=data, y=empty((12, 256), data.dtype), g=1.5, N=12, K=256),
         dict(y=hat * 1.5),
         tol=2e-2 if pack.endswith("f16") else 5e-3 if "f16" in pack else None)

x = normal(6, 256)
half = x.astype(np.float16)
for name, threads in [("softmax_f32", 256), ("softmax_f32x4", 64), ("safe_softmax_f32", 256),
                      ("safe_softmax_f32x4", 64), ("safe_softmax_f16_f32", 256), ("safe_softmax_f16x2_f32", 128),
                      ("safe_softmax_f16x8_pack_f32", 32)]:
    data = half if "f16" in name else x
    case(f"{LEET}softmax/softmax.cu:{name}_per_token_kernel<{threads}>", 6, threads,
         dict(x=data, y=empty((6, 256), data.dtype), N=6 * 256), dict(y=softmax(wide(data))))
for name, threads in [("online_safe_softmax_f32", 256), ("online_safe_softmax_f32x4_pack", 64)]:
    # Threads of a warp read an array of one element a warp.
    case(f"{LEET}softmax/softmax.cu:{name}_per_token_kernel<{threads}>",
         6,
         threads,
         dict(x=x, y=empty((6, 256)), N=6 * 256),
         dict(y=softmax(wide(x))),
         finds=dict(sim="outside", interp="outside"))

x = normal(20, 64)


def rope(x):
    pairs = wide(x).reshape(len(x), -1, 2)
    angle = np.arange(len(x))[:, None] / 10000.0**(np.arange(pairs.shape[1]) * 2 / (2.0 * pairs.shape[1]))
    first, second = pairs[..., 0], pairs[..., 1]
    return np.stack([first * np.cos(angle) - second * np.sin(angle), first * np.sin(angle) + second * np.cos(angle)],
                    -1)


for name, grid, block, count in [("rope_f32", 5, 128, 32), ("rope_f32_v2", 20, 32, 32), ("rope_f32x4_pack", 5, 64, 16)]:
    case(f"{LEET}rope/rope.cu:{name}_kernel",
         grid,
         block,
         dict(x=x, out=empty((20, 64)), seq_len=20, N=count),
         dict(out=rope(x)),
         tol=1e-4)

x = normal(64, 48)
for name, grid, block in [("f32_col2row", 12, 256), ("f32_row2col", 12, 256), ("f32x4_col2row", 3, 256),
                          ("f32x4_row2col", 3, 256), ("f32_col2row2d", (3, 4), (16, 16)),
                          ("f32_row2col2d", (3, 4), (16, 16)), ("f32x4_col2row2d", (1, 4), (16, 16)),
                          ("f32x4_row2col2d", (3, 1), (16, 16))]:
    case(f"{LEET}mat-transpose/mat_transpose.cu:mat_transpose_{name}_kernel",
         grid,
         block,
         dict(x=x, y=empty((48, 64)), row=64, col=48),
         dict(y=x.T),
         tol=0)
x = normal(128, 192)
for name, grid in [("shared_col2row2d", (3, 8)), ("shared_row2col2d", (12, 2)), ("shared_bcf_col2row2d", (3, 8)),
                   ("shared_bcf_row2col2d", (12, 2)), ("shared_bcf_merge_write_row2col2d", (12, 2))]:
    case(f"{LEET}mat-transpose/mat_transpose.cu:mat_transpose_f32x4_{name}_kernel",
         grid, (16, 16),
         dict(x=x, y=empty((192, 128)), row=128, col=192),
         dict(y=x.T),
         tol=0)
x = normal(64, 64)
case(f"{LEET}mat-transpose/mat_transpose.cu:mat_transpose_f32_diagonal2d_kernel", (4, 4), (16, 16),
     dict(x=x, y=empty((64, 64)), row=64, col=64),
     dict(y=x.T),
     tol=0)

for file, name, dtype, k, block, rows in [("sgemv/sgemv", "sgemv_k32_f32_kernel", np.float32, 96, (32, 4), 4),
                                          ("sgemv/sgemv", "sgemv_k128_f32x4_kernel", np.float32, 256, (32, 4), 4),
                                          ("sgemv/sgemv", "sgemv_k16_f32_kernel<2>", np.float32, 16, (32, 4), 8),
                                          ("hgemv/hgemv", "hgemv_k32_f16_kernel", np.float16, 96, (32, 4), 4),
                                          ("hgemv/hgemv", "hgemv_k128_f16x4_kernel", np.float16, 256, (32, 4), 4),
                                          ("hgemv/hgemv", "hgemv_k16_f16_kernel<2>", np.float16, 16, (32, 4), 8)]:
    a, x = np.abs(normal(37, k, dtype=dtype)), np.abs(normal(k, dtype=dtype))
    if name.startswith(("sgemv_k16", "hgemv_k16")):
        a = a[:32]
    matrix = "A" if "k16" in name else "a"
    case(f"{LEET}{file}.cu:{name}",
         -(-len(a) // rows),
         block, {
             matrix: a,
             "x": x,
             "y": empty(len(a), dtype),
             "M": len(a),
             "K": k
         },
         dict(y=wide(a) @ wide(x)),
         tol=2e-2 if dtype == np.float16 else None)


def products(kernel, m, n, k, grid, block, **more):
    a, b = normal(m, k), normal(k, n)
    case(f"{LEET}{kernel}",
         grid,
         block,
         dict(a=a, b=b, c=empty((m, n)), M=m, N=n, K=k),
         dict(c=wide(a) @ wide(b)),
         tol=1e-4,
         **more)


products("sgemm/sgemm.cu:sgemm_naive_f32_kernel", 70, 45, 33, (3, 5), (16, 16))
products("sgemm/sgemm.cu:sgemm_sliced_k_f32_kernel<32, 32, 32>", 64, 96, 64, (3, 2), (32, 32))
for name in [
        "sgemm_t_8x8_sliced_k_f32x4_kernel<128, 128, 8, 8, 8>",
        "sgemm_t_8x8_sliced_k_f32x4_bcf_kernel<128, 128, 8, 8, 8, 0>",
        "sgemm_t_8x8_sliced_k_f32x4_bcf_dbuf_kernel<128, 128, 8, 8, 8, 0>"
]:
    products(f"sgemm/sgemm.cu:{name}", 128, 256, 32, (2, 1), (16, 16))
for name, n, m, block in [("8x4_sliced_k16_f32x4_bcf_dbuf{}<64, 64, 16, 8, 4, 0>", 64, 64, (16, 8)),
                          ("8x8_sliced_k16_f32x4_bcf_dbuf{}<128, 128, 16, 8, 8, 0>", 128, 128, (16, 16)),
                          ("8x16_sliced_k16_f32x4_bcf_dbuf{}<128, 256, 16, 8, 16, 0>", 256, 128, (16, 16))]:
    for kind in ["_kernel", "_async_kernel"]:
        # cp.async is PTX, which cpu and interp refuse by name.
        copies = "async" in kind or name.startswith("8x8")
        products(f"sgemm/sgemm_async.cu:sgemm_t_{name.format(kind)}", m * 2, n, 64, (1, 2), block,
                 only=("sim", "cuda") if copies else None)

boxes = np.abs(normal(70, 4)) * 10
boxes[:, 2:] += boxes[:, :2] + 1


def suppressed(boxes, most):
    keep = []
    for box in wide(boxes):
        others = [wide(boxes)[i] for i, kept in enumerate(keep) if kept]

        def over(other):
            inner = np.clip(np.minimum(box[2:], other[2:]) - np.maximum(box[:2], other[:2]), 0, None).prod()
            return inner / ((box[2:] - box[:2]).prod() + (other[2:] - other[:2]).prod() - inner)

        keep.append(not any(over(other) > most for other in others))
    return keep


# One thread a block: what a thread reads of the others' answers is there.
case(f"{LEET}nms/nms.cu:nms_kernel", 1, 1,
     dict(boxes=boxes[:1], scores=normal(1), keep=empty(1, np.int32), num_boxes=1, iou_threshold=0.5), dict(keep=[1]))
case(f"{LEET}nms/nms.cu:nms_kernel",
     70,
     1,
     dict(boxes=boxes, scores=normal(70), keep=zeros(70, np.int32), num_boxes=70, iou_threshold=0.3),
     dict(keep=suppressed(boxes, 0.3)),
     only=("interp", "cpu"))
