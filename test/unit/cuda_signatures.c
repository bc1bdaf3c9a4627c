// SPDX-License-Identifier: Apache-2.0
/* Our own declarations of the driver's functions against NVIDIA's header, where there is one: the
 * same number of parameters, each of the same size, and the same numbers for the constants. */
#include "test.h"

#include "device/cuda/driver.h"

#if defined(__has_include)
#if __has_include(<cuda.h>)
#include <cuda.h>
#define HAVE_HEADER 1
#endif
#endif

#ifdef HAVE_HEADER
/* Types with our names from theirs: each row of cuda.def then declares the function once more, and
 * the compiler refuses a declaration that differs from the header's. */
#define CudaDeviceId                                   CUdevice
#define CudaPointer                                    CUdeviceptr
#define CudaContext                                    CUcontext
#define CudaModule                                     CUmodule
#define CudaFunction                                   CUfunction
#define CudaStream                                     CUstream
#define CudaEvent                                      CUevent
#define CudaGraph                                      CUgraph
#define CudaGraphExec                                  CUgraphExec
#define CudaResult                                     CUresult
#define CudaDeviceAttribute                            CUdevice_attribute
#define CudaFunctionAttribute                          CUfunction_attribute
#define CudaJitOption                                  CUjit_option
#define CudaCaptureMode                                CUstreamCaptureMode
#define CudaTensorMap                                  CUtensorMap
#define CudaMapType                                    CUtensorMapDataType
#define CudaMapInterleave                              CUtensorMapInterleave
#define CudaMapSwizzle                                 CUtensorMapSwizzle
#define CudaMapPromotion                               CUtensorMapL2promotion
#define CudaMapFill                                    CUtensorMapFloatOOBfill
#define CUDA_CALL(name, symbol, parameters, arguments) extern CUresult symbol parameters;
#include "device/cuda/cuda.def"
#undef CUDA_CALL

TEST(constants_agree) {
    const struct {
        int ours, theirs;
    } pairs[] = {
        {CUDA_OUT_OF_MEMORY, CUDA_ERROR_OUT_OF_MEMORY},
        {CUDA_NO_DEVICE, CUDA_ERROR_NO_DEVICE},
        {CUDA_DEINITIALIZED, CUDA_ERROR_DEINITIALIZED},
        {CUDA_INVALID_CONTEXT, CUDA_ERROR_INVALID_CONTEXT},
        {CUDA_ECC_UNCORRECTABLE, CUDA_ERROR_ECC_UNCORRECTABLE},
        {CUDA_INVALID_PTX, CUDA_ERROR_INVALID_PTX},
        {CUDA_UNSUPPORTED_PTX_VERSION, CUDA_ERROR_UNSUPPORTED_PTX_VERSION},
        {CUDA_NOT_READY, CUDA_ERROR_NOT_READY},
        {CUDA_ILLEGAL_ADDRESS, CUDA_ERROR_ILLEGAL_ADDRESS},
        {CUDA_LAUNCH_TIMEOUT, CUDA_ERROR_LAUNCH_TIMEOUT},
        {CUDA_CONTEXT_IS_DESTROYED, CUDA_ERROR_CONTEXT_IS_DESTROYED},
        {CUDA_ASSERT, CUDA_ERROR_ASSERT},
        {CUDA_HARDWARE_STACK_ERROR, CUDA_ERROR_HARDWARE_STACK_ERROR},
        {CUDA_ILLEGAL_INSTRUCTION, CUDA_ERROR_ILLEGAL_INSTRUCTION},
        {CUDA_MISALIGNED_ADDRESS, CUDA_ERROR_MISALIGNED_ADDRESS},
        {CUDA_INVALID_ADDRESS_SPACE, CUDA_ERROR_INVALID_ADDRESS_SPACE},
        {CUDA_INVALID_PC, CUDA_ERROR_INVALID_PC},
        {CUDA_LAUNCH_FAILED, CUDA_ERROR_LAUNCH_FAILED},
        {CUDA_CAPTURE_UNSUPPORTED, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED},
        {CUDA_MULTIPROCESSORS, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
        {CUDA_CAPABILITY_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR},
        {CUDA_CAPABILITY_MINOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR},
        {CUDA_SHARED_PER_BLOCK_OPTIN, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN},
        {CUDA_THREADS_PER_MULTIPROCESSOR, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR},
        {CUDA_L2_BYTES, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE},
        {CUDA_CLOCK_RATE_KHZ, CU_DEVICE_ATTRIBUTE_CLOCK_RATE},
        {CUDA_MEMORY_CLOCK_KHZ, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE},
        {CUDA_MEMORY_BUS_BITS, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH},
        {CUDA_FUNCTION_MAX_THREADS, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK},
        {CUDA_FUNCTION_STATIC_SHARED, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES},
        {CUDA_FUNCTION_LOCAL_BYTES, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES},
        {CUDA_FUNCTION_REGISTERS, CU_FUNC_ATTRIBUTE_NUM_REGS},
        {CUDA_FUNCTION_MAX_DYNAMIC_SHARED, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES},
        {CUDA_JIT_INFO_LOG, CU_JIT_INFO_LOG_BUFFER},
        {CUDA_JIT_INFO_LOG_BYTES, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES},
        {CUDA_JIT_ERROR_LOG, CU_JIT_ERROR_LOG_BUFFER},
        {CUDA_JIT_ERROR_LOG_BYTES, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES},
        {CUDA_JIT_LOG_VERBOSE, CU_JIT_LOG_VERBOSE},
        {CUDA_JIT_LINE_INFO, CU_JIT_GENERATE_LINE_INFO},
        {CUDA_CAPTURE_THREAD_LOCAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL},
        {CUDA_CAPTURE_RELAXED, CU_STREAM_CAPTURE_MODE_RELAXED},
        {CUDA_STREAM_NON_BLOCKING, CU_STREAM_NON_BLOCKING},
        {CUDA_HOST_DEVICEMAP, CU_MEMHOSTALLOC_DEVICEMAP},
        {CUDA_WAIT_GEQ, CU_STREAM_WAIT_VALUE_GEQ},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        CHECK(pairs[i].ours == pairs[i].theirs);
}
#else
TEST(constants_agree) { SKIP("no cuda.h to compare with"); }
#endif

TEST_MAIN()
