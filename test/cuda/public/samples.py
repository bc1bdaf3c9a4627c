# SPDX-License-Identifier: Apache-2.0
"""Kernels of cuda-samples (NVIDIA/cuda-samples), for tools/cuda_suite.py; what they compute is written again here."""
INTRO = "cuda-samples/Samples/0_Introduction/"
CONCEPTS = "cuda-samples/Samples/2_Concepts_and_Techniques/"
DOMAIN = "cuda-samples/Samples/5_Domain_Specific/"
SPEED = "cuda-samples/Samples/6_Performance/"

# ---- one thread a number ----
a, b = normal(2, 1000)
for kernel in [
        "vectorAdd/vectorAdd.cu:vectorAdd", "vectorAddDrv/vectorAdd_kernel.cu:VecAdd_kernel",
        "vectorAddMMAP/vectorAdd_kernel.cu:VecAdd_kernel", "vectorAdd_nvrtc/vectorAdd_kernel.cu:vectorAdd",
        "simpleDrvRuntime/vectorAdd_kernel.cu:VecAdd_kernel"
]:
    count = "numElements" if kernel.endswith("vectorAdd") else "N"
    case(INTRO + kernel, 4, 256, {"A": a, "B": b, "C": empty(1000), count: 1000}, dict(C=wide(a) + b))
case(INTRO + "simpleZeroCopy/simpleZeroCopy.cu:vectorAddGPU", 4, 256, dict(a=a, b=b, c=empty(1000), N=1000),
     dict(c=wide(a) + b))
whole = random.integers(-1000, 1000, 1024).astype(np.int32)
case(INTRO + "asyncAPI/asyncAPI.cu:increment_kernel", 4, 256, dict(g_data=whole, inc_value=26), dict(g_data=whole + 26))
case(INTRO + "cudaOpenMP/cudaOpenMP.cu:kernelAddConstant", 4, 256, dict(g_a=whole, b=3), dict(g_a=whole + 3))
case(INTRO + "simpleCallback/simpleCallback.cu:incKernel", 4, 256, dict(data=whole, N=1000),
     dict(data=whole + (np.arange(1024) < 1000)))
case(INTRO + "simpleMultiCopy/simpleMultiCopy.cu:incKernel", 4, 256,
     dict(g_out=empty(1024, np.int32), g_in=whole, N=1024, inner_reps=2), dict(g_out=whole + 1))
case(INTRO + "simpleStreams/simpleStreams.cu:init_array", 4, 256,
     dict(g_data=whole, factor=np.array([5], np.int32), num_iterations=3), dict(g_data=whole + 15))
case(INTRO + "simpleOccupancy/simpleOccupancy.cu:square",
     4,
     256,
     dict(array=whole, arrayCount=1024),
     dict(array=whole * whole),
     shared=4)
x = normal(1024)
case(INTRO + "simpleP2P/simpleP2P.cu:SimpleKernel", 4, 256, dict(src=x, dst=empty(1024)), dict(dst=wide(x) * 2))
case(INTRO + "simpleMPI/simpleMPI.cu:simpleMPIKernel", 4, 256, dict(input=np.abs(x), output=empty(1024)),
     dict(output=np.sqrt(np.abs(wide(x)))))
case(INTRO + "template/template.cu:testKernel",
     1,
     96,
     dict(g_idata=x[:96], g_odata=empty(96)),
     dict(g_odata=wide(x[:96]) * 96),
     shared=384)
for dtype, name in [(np.float32, "float"), (np.int32, "int")]:
    data = x[:64] if dtype == np.float32 else whole[:64]
    case(f"{INTRO}simpleTemplates/simpleTemplates.cu:testKernel<{name}>",
         1,
         64,
         dict(g_idata=data, g_odata=empty(64, dtype)),
         dict(g_odata=wide(data) * 64),
         shared=256)
case(SPEED + "alignedTypes/alignedTypes.cu:testKernel<float>",
     4,
     128,
     dict(d_odata=empty(1000), d_idata=x[:1000], numElements=1000),
     dict(d_odata=x[:1000]),
     tol=0)

# ---- products ----
a, b = normal(64, 96), normal(96, 128)
want = wide(a) @ wide(b)
for kernel, side in [("matrixMul/matrixMul.cu:MatrixMulCUDA<16>", 16), ("matrixMul/matrixMul.cu:MatrixMulCUDA<32>", 32),
                     ("matrixMul_nvrtc/matrixMul_kernel.cu:matrixMulCUDA_block16", 16),
                     ("matrixMul_nvrtc/matrixMul_kernel.cu:matrixMulCUDA_block32", 32),
                     ("matrixMulDrv/matrixMul_kernel.cu:matrixMul_bs8_64bit", 8),
                     ("matrixMulDrv/matrixMul_kernel.cu:matrixMul_bs16_64bit", 16),
                     ("matrixMulDrv/matrixMul_kernel.cu:matrixMul_bs32_64bit", 32)]:
    case(INTRO + kernel, (128 // side, 64 // side), (side, side),
         dict(C=empty((64, 128)), A=a, B=b, wA=96, wB=128),
         dict(C=want),
         tol=1e-4)
a, b = normal(2, 64, 64)
case(SPEED + "UnifiedMemoryPerf/matrixMultiplyPerf.cu:matrixMultiplyKernel", (2, 2), (32, 32),
     dict(C=empty((64, 64)), A=a, B=b, matrixDim=64),
     dict(C=wide(a) @ wide(b)),
     tol=1e-4)

# ---- transposes of tiles of 32x32, 16 rows of threads ----
x = normal(96, 64)
for name, want in [("copy", x), ("transposeNaive", x.T), ("transposeCoalesced", x.T), ("transposeNoBankConflicts", x.T),
                   ("transposeDiagonal", x.T)]:
    case(f"{SPEED}transpose/transpose.cu:{name}", (2, 3), (32, 16),
         dict(odata=empty(want.shape), idata=x, width=64, height=96),
         dict(odata=want),
         tol=0)
x = normal(64, 64)
tiles = x.reshape(2, 32, 2, 32)
# copySharedMem looks whether a row is within the width.
for name, want in [("copySharedMem", x), ("transposeFineGrained", tiles.transpose(0, 3, 2, 1)),
                   ("transposeCoarseGrained", tiles.transpose(2, 1, 0, 3))]:
    case(f"{SPEED}transpose/transpose.cu:{name}", (2, 2), (32, 16),
         dict(odata=empty((64, 64)), idata=x, width=64, height=64),
         dict(odata=want),
         tol=0)

# ---- reductions ----
x = np.abs(normal(4096))
total = wide(x).reshape(-1, 256).sum(1)
for name, block, grid in [("reduce0<float>", 256, 16), ("reduce1<float>", 256, 16), ("reduce2<float>", 256, 16),
                          ("reduce3<float>", 128, 16), ("reduce4<float, 128>", 128, 16),
                          ("reduce5<float, 128>", 128, 16)]:
    case(f"{CONCEPTS}reduction/reduction_kernel.cu:{name}",
         grid,
         block,
         dict(g_idata=x, g_odata=empty(16), n=4096),
         dict(g_odata=total),
         shared=block * 4)
halves = wide(x).reshape(-1, 8, 256)
for name in ["reduce6<float, 128, true>", "reduce7<float, 128, true>"]:
    # Blocks take pairs of 128 in turn.
    case(f"{CONCEPTS}reduction/reduction_kernel.cu:{name}",
         8,
         128,
         dict(g_idata=x, g_odata=empty(8), n=4096),
         dict(g_odata=[halves[:, i].sum() for i in range(8)]),
         shared=512,
         finds=dict(sim="which does not take part") if "7" in name else {})
case(INTRO + "simpleMultiGPU/simpleMultiGPU.cu:reduceKernel", 4, 64, dict(d_Result=empty(256), d_Input=x, N=4096),
     dict(d_Result=wide(x).reshape(-1, 256).sum(0)))
a, b = normal(2, 20, 1000)
case(CONCEPTS + "scalarProd/scalarProd_kernel.cuh:scalarProdGPU",
     7,
     128,
     dict(d_C=empty(20), d_A=a, d_B=b, vectorN=20, elementN=1000),
     dict(d_C=(wide(a) * b).sum(1)),
     tol=1e-4)

# ---- scans, histograms, sorting ----
words = random.integers(0, 1000, 4096).astype(np.uint32)
sums = np.cumsum(words.reshape(4, 1024), 1).astype(np.uint32)
case(CONCEPTS + "scan/scan.cu:scanExclusiveShared", 4, 256, dict(d_Dst=empty(4096, np.uint32), d_Src=words, size=1024),
     dict(d_Dst=sums - words.reshape(4, 1024)))
case(CONCEPTS + "scan/scan.cu:uniformUpdate", 4, 256, dict(d_Data=words, d_Buffer=np.arange(4, dtype=np.uint32)),
     dict(d_Data=words.reshape(4, 1024) + np.arange(4)[:, None]))
packed = random.integers(0, 2**32, 4096, dtype=np.uint32)
counts = np.bincount(packed.view(np.uint8), minlength=256)
parts = random.integers(0, 50, (10, 256)).astype(np.uint32)
case(CONCEPTS + "histogram/histogram256.cu:histogram256Kernel", 1, 192,
     dict(d_PartialHistograms=empty(256, np.uint32), d_Data=packed, dataCount=4096), dict(d_PartialHistograms=counts))
case(CONCEPTS + "histogram/histogram256.cu:mergeHistogram256Kernel", 256, 256,
     dict(d_Histogram=empty(256, np.uint32), d_PartialHistograms=parts, histogramCount=10),
     dict(d_Histogram=parts.sum(0)))
keys, values = random.permutation(4096).astype(np.uint32), np.arange(4096, dtype=np.uint32)
for file, name, grid, block in [("sortingNetworks/bitonicSort.cu", "bitonicSortShared", 4, 512),
                                ("sortingNetworks/oddEvenMergeSort.cu", "oddEvenMergeSortShared", 4, 512)]:
    order = np.argsort(keys.reshape(4, 1024), 1)
    case(
        f"{CONCEPTS}{file}:{name}", grid, block,
        dict(d_DstKey=empty(4096, np.uint32),
             d_DstVal=empty(4096, np.uint32),
             d_SrcKey=keys,
             d_SrcVal=values,
             arrayLength=1024,
             dir=1),
        dict(d_DstKey=np.sort(keys.reshape(4, 1024), 1), d_DstVal=np.take_along_axis(values.reshape(4, 1024), order,
                                                                                     1)))
order = np.argsort(keys.reshape(4, 1024), 1)
case(
    INTRO + "mergeSort/bitonic.cu:bitonicSortSharedKernel", 4, 512,
    dict(d_DstKey=empty(4096, np.uint32),
         d_DstVal=empty(4096, np.uint32),
         d_SrcKey=keys,
         d_SrcVal=values,
         arrayLength=1024,
         sortDir=1),
    dict(d_DstKey=np.sort(keys.reshape(4, 1024), 1), d_DstVal=np.take_along_axis(values.reshape(4, 1024), order, 1)))
case(
    INTRO + "mergeSort/mergeSort.cu:mergeSortSharedKernel<1>", 4, 512,
    dict(d_DstKey=empty(4096, np.uint32),
         d_DstVal=empty(4096, np.uint32),
         d_SrcKey=keys,
         d_SrcVal=values,
         arrayLength=1024),
    dict(d_DstKey=np.sort(keys.reshape(4, 1024), 1), d_DstVal=np.take_along_axis(values.reshape(4, 1024), order, 1)))

# ---- votes ----
flags = random.integers(0, 2, 64).astype(np.uint32)
flags[32:] = 1
case(INTRO + "simpleVoteIntrinsics/simpleVote_kernel.cuh:VoteAnyKernel1", 1, 64,
     dict(input=flags * (np.arange(64) < 32).astype(np.uint32), result=empty(64, np.uint32), size=64),
     dict(result=np.arange(64) < 32))
case(INTRO + "simpleVoteIntrinsics/simpleVote_kernel.cuh:VoteAllKernel2", 1, 64,
     dict(input=flags, result=empty(64, np.uint32), size=64), dict(result=np.arange(64) >= 32))
lanes = np.arange(96)
case(INTRO + "simpleVoteIntrinsics/simpleVote_kernel.cuh:VoteAnyKernel3", 1, 96,
     dict(info=zeros(288, np.bool_), warp_size=32), dict(info=np.stack([lanes >= 32, lanes >= 48, lanes >= 64], 1)))


# ---- transforms, options ----
def walsh(x, log2):
    for i in range(log2):
        x = x.reshape(-1, 2, 1 << i)
        x = np.stack([x[:, 0] + x[:, 1], x[:, 0] - x[:, 1]], 1).reshape(-1)
    return x


x = normal(3, 512)
case(DOMAIN + "fastWalshTransform/fastWalshTransform_kernel.cuh:fwtBatch1Kernel",
     3,
     128,
     dict(d_Output=empty((3, 512)), d_Input=x, log2N=9),
     dict(d_Output=[walsh(row, 9) for row in wide(x)]),
     shared=2048,
     tol=1e-4)
a, b = normal(2, 1000)
case(DOMAIN + "fastWalshTransform/fastWalshTransform_kernel.cuh:modulateKernel", 2, 128, dict(d_A=a, d_B=b, N=1000),
     dict(d_A=wide(a) * b / 1000))
stock, strike, years = random.uniform(5, 30, 400), random.uniform(1, 100, 400), random.uniform(0.25, 10, 400)
stock, strike, years = (v.astype(np.float32) for v in (stock, strike, years))


def normal_below(d):
    k = 1 / (1 + 0.2316419 * np.abs(d))
    poly = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = 0.39894228040143267794 * np.exp(-0.5 * d * d) * poly
    return np.where(d > 0, 1 - tail, tail)


s, k, t = wide(stock), wide(strike), wide(years)
d1 = (np.log(s / k) + (0.02 + 0.5 * 0.3 * 0.3) * t) / (0.3 * np.sqrt(t))
d2 = d1 - 0.3 * np.sqrt(t)
discount = np.exp(-0.02 * t)
case(DOMAIN + "BlackScholes/BlackScholes_kernel.cuh:BlackScholesGPU",
     2,
     128,
     dict(d_CallResult=empty(400),
          d_PutResult=empty(400),
          d_StockPrice=stock,
          d_OptionStrike=strike,
          d_OptionYears=years,
          Riskfree=0.02,
          Volatility=0.3,
          optN=400),
     dict(d_CallResult=s * normal_below(d1) - k * discount * normal_below(d2),
          d_PutResult=k * discount * (1 - normal_below(d2)) - s * (1 - normal_below(d1))),
     tol=1e-4)
