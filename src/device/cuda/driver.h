// SPDX-License-Identifier: Apache-2.0
/* cuda_driver: the NVIDIA driver's functions, found at run time.
 *
 * The declarations here are our own, of only what tern uses, so that nothing of CUDA is needed to
 * build; test/unit/cuda_signatures.c compares them with NVIDIA's header where there is one. */
#ifndef TERN_CUDA_DRIVER_H
#define TERN_CUDA_DRIVER_H

#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>

typedef int CudaDeviceId;
typedef unsigned long long CudaPointer;
typedef struct CUctx_st *CudaContext;
typedef struct CUmod_st *CudaModule;
typedef struct CUfunc_st *CudaFunction;
typedef struct CUstream_st *CudaStream;
typedef struct CUevent_st *CudaEvent;
typedef struct CUgraph_st *CudaGraph;
typedef struct CUgraphExec_st *CudaGraphExec;

/* Those results that tern treats apart; the driver has words for all. */
typedef enum CudaResult {
    CUDA_OK = 0,
    CUDA_INVALID_VALUE = 1,
    CUDA_OUT_OF_MEMORY = 2,
    CUDA_NOT_INITIALIZED = 3,
    CUDA_DEINITIALIZED = 4,
    CUDA_NO_DEVICE = 100,
    CUDA_INVALID_DEVICE = 101,
    CUDA_INVALID_CONTEXT = 201,
    CUDA_NO_BINARY_FOR_GPU = 209,
    CUDA_ECC_UNCORRECTABLE = 214,
    CUDA_INVALID_PTX = 218,
    CUDA_JIT_COMPILER_NOT_FOUND = 221,
    CUDA_UNSUPPORTED_PTX_VERSION = 222,
    CUDA_INVALID_HANDLE = 400,
    CUDA_NOT_FOUND = 500,
    CUDA_NOT_READY = 600,
    CUDA_ILLEGAL_ADDRESS = 700,
    CUDA_LAUNCH_OUT_OF_RESOURCES = 701,
    CUDA_LAUNCH_TIMEOUT = 702,
    CUDA_CONTEXT_IS_DESTROYED = 709,
    CUDA_ASSERT = 710,
    CUDA_HARDWARE_STACK_ERROR = 714,
    CUDA_ILLEGAL_INSTRUCTION = 715,
    CUDA_MISALIGNED_ADDRESS = 716,
    CUDA_INVALID_ADDRESS_SPACE = 717,
    CUDA_INVALID_PC = 718,
    CUDA_LAUNCH_FAILED = 719,
    CUDA_TOO_MANY_BLOCKS = 720, /* of a cooperative launch */
    CUDA_SYSTEM_DRIVER_MISMATCH = 803,
    CUDA_CAPTURE_UNSUPPORTED = 900,
    CUDA_UNKNOWN = 999,
} CudaResult;

typedef enum CudaDeviceAttribute {
    CUDA_MAX_THREADS_PER_BLOCK = 1,
    CUDA_REGISTERS_PER_BLOCK = 12,
    CUDA_CLOCK_RATE_KHZ = 13,
    CUDA_MULTIPROCESSORS = 16,
    CUDA_MEMORY_CLOCK_KHZ = 36,
    CUDA_MEMORY_BUS_BITS = 37,
    CUDA_L2_BYTES = 38,
    CUDA_THREADS_PER_MULTIPROCESSOR = 39,
    CUDA_CAPABILITY_MAJOR = 75,
    CUDA_CAPABILITY_MINOR = 76,
    CUDA_SHARED_PER_BLOCK_OPTIN = 97,
} CudaDeviceAttribute;

typedef enum CudaFunctionAttribute {
    CUDA_FUNCTION_MAX_THREADS = 0,
    CUDA_FUNCTION_STATIC_SHARED = 1,
    CUDA_FUNCTION_LOCAL_BYTES = 3,
    CUDA_FUNCTION_REGISTERS = 4,
    CUDA_FUNCTION_MAX_DYNAMIC_SHARED = 8,
    CUDA_FUNCTION_CLUSTER_POLICY = 15,
} CudaFunctionAttribute;

typedef enum CudaClusterPolicy {
    CUDA_CLUSTER_BALANCED = 2, /* its blocks go where there is room, several to a multiprocessor */
} CudaClusterPolicy;

typedef enum CudaJitOption {
    CUDA_JIT_INFO_LOG = 3,
    CUDA_JIT_INFO_LOG_BYTES = 4,
    CUDA_JIT_ERROR_LOG = 5,
    CUDA_JIT_ERROR_LOG_BYTES = 6,
    CUDA_JIT_LOG_VERBOSE = 12,
    CUDA_JIT_LINE_INFO = 13,
} CudaJitOption;

typedef struct CudaTensorMap {
    _Alignas(64) uint64_t opaque[16];
} CudaTensorMap;
typedef enum CudaMapType {
    CUDA_MAP_UINT8 = 0,
    CUDA_MAP_UINT16 = 1,
    CUDA_MAP_UINT32 = 2,
    CUDA_MAP_UINT64 = 4
} CudaMapType;
typedef enum CudaMapInterleave { CUDA_MAP_NO_INTERLEAVE = 0 } CudaMapInterleave;
typedef enum CudaMapSwizzle {
    CUDA_MAP_NO_SWIZZLE = 0,
    CUDA_MAP_SWIZZLE_32 = 1,
    CUDA_MAP_SWIZZLE_64 = 2,
    CUDA_MAP_SWIZZLE_128 = 3
} CudaMapSwizzle;
typedef enum CudaMapPromotion { CUDA_MAP_L2_256 = 3 } CudaMapPromotion;
typedef enum CudaMapFill { CUDA_MAP_FILL_ZERO = 0 } CudaMapFill;

typedef enum CudaCaptureMode {
    CUDA_CAPTURE_THREAD_LOCAL = 1,
    CUDA_CAPTURE_RELAXED = 2
} CudaCaptureMode;
enum {
    CUDA_STREAM_DEFAULT = 0,
    CUDA_STREAM_NON_BLOCKING = 1,
    CUDA_EVENT_DEFAULT = 0,
    CUDA_HOST_DEVICEMAP = 2,
    CUDA_WAIT_GEQ = 0, /* until (int32_t)(*word - value) >= 0 */
};

typedef struct CudaDriver {
    void *library; /* of dlopen */
#define CUDA_CALL(name, symbol, parameters, arguments) CudaResult(*name) parameters;
#include "device/cuda/cuda.def"
#undef CUDA_CALL
} CudaDriver;

/* $TERN_CUDA_DRIVER, else libcuda.so.1. On failure nothing stays open and words (at most size
 * bytes) say what is missing and how to get it. */
bool cuda_driver_open(CudaDriver *driver, char *words, size_t size);
void cuda_driver_close(CudaDriver *driver);
/* "CUDA_ERROR_OUT_OF_MEMORY: out of memory", or the number when the driver has no words for it. */
void cuda_driver_words(const CudaDriver *driver, CudaResult result, char *words, size_t size);
/* After these the driver refuses all further work of the process on this device. */
bool cuda_result_is_sticky(CudaResult result);
/* The newest target of tern's that a device of this compute capability runs; NULL: too old. */
const char *cuda_target(int major, int minor);

#endif
