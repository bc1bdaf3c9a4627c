// SPDX-License-Identifier: Apache-2.0
// runtime: what functions for the host use of CUDA's runtime. It is evaluated behind host.cuh, and a
// C++ compiler reads it behind compiled_cuda.hpp (__TERN_COMPILED__). What has no body is in src/host.

enum cudaError {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInitializationError = 3,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInvalidPitchValue = 12,
    cudaErrorInvalidSymbol = 13,
    cudaErrorInvalidDevicePointer = 17,
    cudaErrorInsufficientDriver = 35,
    cudaErrorNoDevice = 100,
    cudaErrorInvalidDevice = 101,
    cudaErrorInvalidResourceHandle = 400,
    cudaErrorNotReady = 600,
    cudaErrorIllegalAddress = 700,
    cudaErrorLaunchOutOfResources = 701,
    cudaErrorLaunchTimeout = 702,
    cudaErrorPeerAccessAlreadyEnabled = 704,
    cudaErrorAssert = 710,
    cudaErrorLaunchFailure = 719,
    cudaErrorNotSupported = 801,
    cudaErrorUnknown = 999
};
#ifdef __TERN_COMPILED__
typedef cudaError cudaError_t;
#endif
enum cudaMemcpyKind {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4
};
static const unsigned cudaMemAttachGlobal = 1, cudaMemAttachHost = 2, cudaHostAllocDefault = 0,
                      cudaHostAllocPortable = 1, cudaHostAllocMapped = 2,
                      cudaHostAllocWriteCombined = 4, cudaHostRegisterDefault = 0, cudaHostRegisterPortable = 1,
                      cudaHostRegisterMapped = 2, cudaEventDefault = 0,
                      cudaEventBlockingSync = 1, cudaEventDisableTiming = 2, cudaStreamDefault = 0,
                      cudaStreamNonBlocking = 1, cudaDeviceScheduleAuto = 0,
                      cudaDeviceMapHost = 8,
                      cudaDeviceScheduleSpin = 1, cudaDeviceScheduleYield = 2,
                      cudaDeviceScheduleBlockingSync = 4, cudaDeviceBlockingSync = 4;
static const int cudaCpuDeviceId = -1;
struct CUstream_st {
    int number;
};
struct CUevent_st {
    int number;
};
typedef CUstream_st *cudaStream_t;
typedef CUevent_st *cudaEvent_t;

#ifdef __TERN_COMPILED__
#define __TERN_NATIVE(NAME, PARAMETERS, ...)                                                       \
    inline cudaError_t NAME PARAMETERS {                                                           \
        return (cudaError_t)::tern_host::call(#NAME __VA_OPT__(, ) __VA_ARGS__);                   \
    }
#else
#define __TERN_NATIVE(NAME, PARAMETERS, ...) cudaError_t NAME PARAMETERS;
#endif
__TERN_NATIVE(__tern_malloc, (void **at, size_t bytes, int is_managed, const char *name), at, bytes,
              is_managed, name)
__TERN_NATIVE(__tern_free, (void *at, int of_host), at, of_host)
__TERN_NATIVE(cudaMemcpy, (void *to, const void *from, size_t bytes, int kind), to, from, bytes,
              kind)
__TERN_NATIVE(cudaMemset, (void *at, int byte, size_t bytes), at, byte, bytes)
__TERN_NATIVE(cudaMemGetInfo, (size_t * free, size_t *total), free, total)
__TERN_NATIVE(cudaStreamCreate, (cudaStream_t * at), at)
__TERN_NATIVE(cudaStreamDestroy, (cudaStream_t stream), stream)
__TERN_NATIVE(cudaStreamSynchronize, (cudaStream_t stream), stream)
__TERN_NATIVE(cudaEventCreate, (cudaEvent_t * at), at)
__TERN_NATIVE(cudaEventDestroy, (cudaEvent_t event), event)
__TERN_NATIVE(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), event, stream)
__TERN_NATIVE(cudaEventSynchronize, (cudaEvent_t event), event)
__TERN_NATIVE(cudaEventElapsedTime, (float *ms, cudaEvent_t start, cudaEvent_t end), ms, start, end)
__TERN_NATIVE(cudaDeviceSynchronize, ())
__TERN_NATIVE(cudaGetLastError, ())
__TERN_NATIVE(cudaPeekAtLastError, ())
__TERN_NATIVE(__tern_error_text, (int error, int which, char *to), error, which, to)
__TERN_NATIVE(__tern_device_name, (char *to, size_t room), to, room)
#undef __TERN_NATIVE
#ifndef __TERN_COMPILED__
void *__tern_symbol(const char *name);
#endif

template <typename T> cudaError_t cudaMalloc(T **at, size_t bytes) {
    return __tern_malloc((void **)at, bytes, 0, "cudaMalloc");
}
template <typename T> cudaError_t cudaMallocManaged(T **at, size_t bytes, unsigned flags = 1) {
    return __tern_malloc((void **)at, bytes, 1, "cudaMallocManaged");
}
template <typename T> cudaError_t cudaMallocHost(T **at, size_t bytes, unsigned flags = 0) {
    return __tern_malloc((void **)at, bytes, 1, "cudaMallocHost");
}
template <typename T> cudaError_t cudaHostAlloc(T **at, size_t bytes, unsigned flags = 0) {
    return __tern_malloc((void **)at, bytes, 1, "cudaHostAlloc");
}
template <typename T, typename U>
cudaError_t cudaHostGetDevicePointer(T **to, U *from, unsigned flags = 0) {
    *to = (T *)from;
    return cudaSuccess;
}
inline cudaError_t cudaFree(void *at) { return __tern_free(at, 0); }
inline cudaError_t cudaFreeHost(void *at) { return __tern_free(at, 1); }
inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind,
                                   cudaStream_t stream = 0) {
    return cudaMemcpy(to, from, bytes, kind);
}
inline cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                size_t width, size_t height, int kind) {
    cudaError_t error = width > to_pitch || width > from_pitch ? cudaErrorInvalidPitchValue : cudaSuccess;
    for (size_t i = 0; i < height && error == cudaSuccess; i++)
        error = cudaMemcpy((char *)to + i * to_pitch, (const char *)from + i * from_pitch, width,
                           kind);
    return error;
}
template <typename T>
cudaError_t cudaMallocPitch(T **at, size_t *pitch, size_t width, size_t height) {
    *pitch = (width + 511) / 512 * 512;
    return __tern_malloc((void **)at, *pitch * height, 0, "cudaMallocPitch");
}
inline cudaError_t cudaMalloc3D(cudaPitchedPtr *at, cudaExtent extent) {
    at->xsize = extent.width, at->ysize = extent.height;
    at->pitch = (extent.width + 511) / 512 * 512;
    return __tern_malloc(&at->ptr, at->pitch * extent.height * extent.depth, 0, "cudaMalloc3D");
}
struct cudaArray {
    int none; // there are no arrays for textures
};
typedef cudaArray *cudaArray_t;
struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    cudaPos srcPos;
    cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    cudaPos dstPos;
    cudaPitchedPtr dstPtr;
    cudaExtent extent;
    cudaMemcpyKind kind;
};
inline cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *p) {
    const cudaPitchedPtr &to = p->dstPtr, &from = p->srcPtr;
    if (p->srcArray || p->dstArray || !to.ptr || !from.ptr) return cudaErrorInvalidValue;
    if (p->dstPos.x + p->extent.width > to.pitch || p->srcPos.x + p->extent.width > from.pitch ||
        p->dstPos.y + p->extent.height > to.ysize || p->srcPos.y + p->extent.height > from.ysize)
        return cudaErrorInvalidValue;
    for (size_t z = 0; z < p->extent.depth; z++)
        for (size_t y = 0; y < p->extent.height; y++) {
            size_t there = ((p->dstPos.z + z) * to.ysize + p->dstPos.y + y) * to.pitch + p->dstPos.x;
            size_t here = ((p->srcPos.z + z) * from.ysize + p->srcPos.y + y) * from.pitch + p->srcPos.x;
            cudaError_t error = cudaMemcpy((char *)to.ptr + there, (const char *)from.ptr + here,
                                           p->extent.width, p->kind);
            if (error != cudaSuccess) return error;
        }
    return cudaSuccess;
}
inline cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *p, cudaStream_t stream = 0) {
    return cudaMemcpy3D(p);
}
inline cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device,
                                  size_t bytes) {
    if (to_device != 0 || from_device != 0) return cudaErrorInvalidDevice;
    return cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}
inline cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                       size_t bytes, cudaStream_t stream = 0) {
    return cudaMemcpyPeer(to, to_device, from, from_device, bytes);
}
#ifndef __TERN_COMPILED__
template <typename T>
cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                               int kind = 1) {
    return cudaMemcpy((char *)&symbol + offset, from, bytes, kind);
}
template <typename T>
cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                 int kind = 2) {
    return cudaMemcpy(to, (const char *)&symbol + offset, bytes, kind);
}
template <typename T> cudaError_t cudaGetSymbolAddress(void **to, const T &symbol) {
    *to = (void *)&symbol;
    return cudaSuccess;
}
#endif
template <typename T>
cudaError_t cudaMallocAsync(T **at, size_t bytes, cudaStream_t stream = 0) {
    return __tern_malloc((void **)at, bytes, 0, "cudaMallocAsync");
}
inline cudaError_t cudaFreeAsync(void *at, cudaStream_t stream) { return __tern_free(at, 0); }
inline cudaError_t cudaHostRegister(void *at, size_t bytes, unsigned flags = 0) {
    return cudaSuccess; // copies from it are right; a kernel that is given it says so
}
inline cudaError_t cudaHostUnregister(void *at) { return cudaSuccess; }
inline cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                                     size_t width, size_t height, int kind,
                                     cudaStream_t stream = 0) {
    return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}
inline cudaError_t cudaMemset2D(void *at, size_t pitch, int byte, size_t width, size_t height) {
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; i < height && error == cudaSuccess; i++)
        error = cudaMemset((char *)at + i * pitch, byte, width);
    return error;
}
inline cudaError_t cudaMemset2DAsync(void *at, size_t pitch, int byte, size_t width, size_t height,
                                     cudaStream_t stream = 0) {
    return cudaMemset2D(at, pitch, byte, width, height);
}
inline cudaError_t cudaMemset3D(cudaPitchedPtr at, int byte, cudaExtent extent) {
    cudaError_t error = cudaSuccess;
    for (size_t z = 0; z < extent.depth && error == cudaSuccess; z++)
        error = cudaMemset2D((char *)at.ptr + z * at.pitch * at.ysize, at.pitch, byte, extent.width,
                             extent.height);
    return error;
}
inline cudaError_t cudaMemsetAsync(void *at, int byte, size_t bytes, cudaStream_t stream = 0) {
    return cudaMemset(at, byte, bytes);
}
template <typename T>
cudaError_t cudaMemPrefetchAsync(const T *at, size_t bytes, int device, cudaStream_t stream = 0) {
    return cudaSuccess;
}
enum cudaMemLocationType {
    cudaMemLocationTypeInvalid = 0,
    cudaMemLocationTypeDevice = 1,
    cudaMemLocationTypeHost = 2
};
struct cudaMemLocation {
    cudaMemLocationType type;
    int id;
};
template <typename T>
cudaError_t cudaMemPrefetchAsync(const T *at, size_t bytes, cudaMemLocation where, unsigned flags,
                                 cudaStream_t stream = 0) {
    return cudaSuccess;
}
enum cudaMemoryAdvise { // hints
    cudaMemAdviseSetReadMostly = 1,
    cudaMemAdviseUnsetReadMostly = 2,
    cudaMemAdviseSetPreferredLocation = 3,
    cudaMemAdviseUnsetPreferredLocation = 4,
    cudaMemAdviseSetAccessedBy = 5,
    cudaMemAdviseUnsetAccessedBy = 6
};
template <typename T>
cudaError_t cudaMemAdvise(const T *at, size_t bytes, int advice, int device) {
    return cudaSuccess;
}
template <typename T>
cudaError_t cudaMemAdvise(const T *at, size_t bytes, int advice, cudaMemLocation where) {
    return cudaSuccess;
}
struct CUmemPoolHandle_st {
    int number;
};
typedef CUmemPoolHandle_st *cudaMemPool_t; // all allocations are one's, which keeps nothing
enum cudaMemPoolAttr {
    cudaMemPoolReuseFollowEventDependencies = 1,
    cudaMemPoolReuseAllowOpportunistic = 2,
    cudaMemPoolReuseAllowInternalDependencies = 3,
    cudaMemPoolAttrReleaseThreshold = 4
};
inline cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
    *pool = nullptr;
    return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}
inline cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) {
    return cudaDeviceGetDefaultMemPool(pool, device);
}
inline cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, int which, void *value) {
    return cudaSuccess; // when what is free goes back: there is nothing that is kept
}
inline cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes) { return cudaSuccess; }
template <typename T>
cudaError_t cudaMallocFromPoolAsync(T **at, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
    return __tern_malloc((void **)at, bytes, 0, "cudaMallocFromPoolAsync");
}
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t *at, unsigned flags) {
    return cudaStreamCreate(at);
}
inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t *at, unsigned flags, int priority) {
    return cudaStreamCreate(at);
}
inline cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    *least = 0, *greatest = -5;
    return cudaSuccess;
}
inline cudaError_t cudaStreamQuery(cudaStream_t stream) { return cudaStreamSynchronize(stream); }
inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t *at, unsigned flags) {
    return cudaEventCreate(at);
}
inline cudaError_t cudaEventCreate(cudaEvent_t *at, unsigned flags) { return cudaEventCreate(at); }
inline cudaError_t cudaEventRecord(cudaEvent_t event) { return cudaEventRecord(event, nullptr); }
inline cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }
inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0) {
    return cudaEventSynchronize(event);
}
inline cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
inline cudaError_t cudaThreadExit() { return cudaDeviceSynchronize(); }
inline cudaError_t cudaDeviceReset() { return cudaDeviceSynchronize(); }
inline cudaError_t cudaSetDevice(int device) {
    return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}
inline cudaError_t cudaGetDevice(int *device) {
    *device = 0;
    return cudaSuccess;
}
inline cudaError_t cudaGetDeviceCount(int *count) {
    *count = 1;
    return cudaSuccess;
}
inline cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int other) {
    *can = 0;
    return cudaSuccess;
}
inline cudaError_t cudaDeviceEnablePeerAccess(int other, unsigned flags) {
    return cudaErrorInvalidDevice; // there is one
}
inline cudaError_t cudaDeviceDisablePeerAccess(int other) { return cudaErrorInvalidDevice; }
enum cudaLimit {
    cudaLimitStackSize = 0,
    cudaLimitPrintfFifoSize = 1,
    cudaLimitMallocHeapSize = 2
};
inline cudaError_t cudaDeviceSetLimit(int limit, size_t value) { return cudaSuccess; }
enum cudaSharedMemConfig {
    cudaSharedMemBankSizeDefault = 0,
    cudaSharedMemBankSizeFourByte = 1,
    cudaSharedMemBankSizeEightByte = 2
};
inline cudaError_t cudaDeviceSetSharedMemConfig(int config) { return cudaSuccess; }
inline cudaError_t cudaSetDeviceFlags(unsigned flags) { return cudaSuccess; }
inline const char *cudaGetErrorName(int error) {
    static char text[80];
    __tern_error_text(error, 0, text);
    return text;
}
inline const char *cudaGetErrorString(int error) {
    static char text[80];
    __tern_error_text(error, 1, text);
    return text;
}
struct cudaDeviceProp { // of an H100, but for its name and how much memory there is
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock, totalConstMem, sharedMemPerMultiprocessor,
        sharedMemPerBlockOptin, memPitch, textureAlignment;
    int major, minor, multiProcessorCount, warpSize, maxThreadsPerBlock,
        maxThreadsPerMultiProcessor, regsPerBlock, clockRate, memoryClockRate, memoryBusWidth,
        l2CacheSize, maxThreadsDim[3], maxGridSize[3], concurrentKernels, unifiedAddressing,
        managedMemory, concurrentManagedAccess, canMapHostMemory, asyncEngineCount, integrated,
        deviceOverlap, cooperativeLaunch, computeMode, ECCEnabled, maxBlocksPerMultiProcessor,
        pageableMemoryAccess, regsPerMultiprocessor, streamPrioritiesSupported,
        globalL1CacheSupported, localL1CacheSupported, computePreemptionSupported,
        hostNativeAtomicSupported, kernelExecTimeoutEnabled, isMultiGpuBoard, tccDriver, pciBusID,
        pciDeviceID, pciDomainID;
};
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device) {
    if (device != 0) return cudaErrorInvalidDevice;
    memset(p, 0, sizeof(cudaDeviceProp));
    __tern_device_name(p->name, 256);
    size_t free;
    cudaError_t error = cudaMemGetInfo(&free, &p->totalGlobalMem);
    p->sharedMemPerBlock = 48 << 10, p->totalConstMem = 64 << 10;
    p->sharedMemPerMultiprocessor = 228 << 10, p->sharedMemPerBlockOptin = 227 << 10;
    p->memPitch = 2147483647, p->textureAlignment = 512;
    p->major = 9, p->minor = 0, p->multiProcessorCount = 132, p->warpSize = 32;
    p->maxThreadsPerBlock = 1024, p->maxThreadsPerMultiProcessor = 2048, p->regsPerBlock = 65536;
    p->clockRate = 1980000, p->memoryClockRate = 2619000, p->memoryBusWidth = 5120;
    p->l2CacheSize = 50 << 20;
    p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024, p->maxThreadsDim[2] = 64;
    p->maxGridSize[0] = 2147483647, p->maxGridSize[1] = p->maxGridSize[2] = 65535;
    p->concurrentKernels = p->unifiedAddressing = p->managedMemory = 1;
    p->concurrentManagedAccess = p->canMapHostMemory = p->asyncEngineCount = p->deviceOverlap = 1;
    p->regsPerMultiprocessor = 65536, p->streamPrioritiesSupported = 1;
    p->globalL1CacheSupported = p->localL1CacheSupported = p->computePreemptionSupported = 1;
    p->maxBlocksPerMultiProcessor = 32, p->cooperativeLaunch = 1;
    return error;
}
enum cudaDeviceAttr { // CUDA runtime API: the numbers
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxBlockDimX = 2,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrTotalConstantMemory = 9,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrMaxRegistersPerBlock = 12,
    cudaDevAttrClockRate = 13,
    cudaDevAttrGpuOverlap = 15,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrMemoryClockRate = 36,
    cudaDevAttrGlobalMemoryBusWidth = 37,
    cudaDevAttrIntegrated = 18,
    cudaDevAttrComputeMode = 20,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaDevAttrL2CacheSize = 38,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrManagedMemory = 83,
    cudaDevAttrConcurrentManagedAccess = 89,
    cudaDevAttrCooperativeLaunch = 95,
    cudaDevAttrMemoryPoolsSupported = 115,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
};
enum cudaComputeMode { cudaComputeModeDefault = 0, cudaComputeModeProhibited = 2 };
inline cudaError_t cudaDeviceGetAttribute(int *value, int which, int device) {
    cudaDeviceProp p;
    cudaError_t error = cudaGetDeviceProperties(&p, device);
    if (error != cudaSuccess) return error;
    *value = which == cudaDevAttrMaxThreadsPerBlock             ? p.maxThreadsPerBlock
             : which == cudaDevAttrMaxBlockDimX                 ? p.maxThreadsDim[0]
             : which == cudaDevAttrMaxSharedMemoryPerBlock      ? (int)p.sharedMemPerBlock
             : which == cudaDevAttrTotalConstantMemory          ? (int)p.totalConstMem
             : which == cudaDevAttrWarpSize                     ? p.warpSize
             : which == cudaDevAttrMaxRegistersPerBlock         ? p.regsPerBlock
             : which == cudaDevAttrClockRate                    ? p.clockRate
             : which == cudaDevAttrGpuOverlap                   ? p.deviceOverlap
             : which == cudaDevAttrMultiProcessorCount          ? p.multiProcessorCount
             : which == cudaDevAttrMemoryClockRate              ? p.memoryClockRate
             : which == cudaDevAttrGlobalMemoryBusWidth         ? p.memoryBusWidth
             : which == cudaDevAttrIntegrated                   ? 0
             : which == cudaDevAttrComputeMode                  ? cudaComputeModeDefault
             : which == cudaDevAttrMaxThreadsPerMultiProcessor  ? p.maxThreadsPerMultiProcessor
             : which == cudaDevAttrL2CacheSize                  ? p.l2CacheSize
             : which == cudaDevAttrComputeCapabilityMajor       ? p.major
             : which == cudaDevAttrComputeCapabilityMinor       ? p.minor
             : which == cudaDevAttrManagedMemory                ? p.managedMemory
             : which == cudaDevAttrConcurrentManagedAccess      ? p.concurrentManagedAccess
             : which == cudaDevAttrCooperativeLaunch            ? p.cooperativeLaunch
             : which == cudaDevAttrMemoryPoolsSupported         ? 1
             : which == cudaDevAttrMaxSharedMemoryPerBlockOptin ? (int)p.sharedMemPerBlockOptin
                                                                : -1;
    return *value == -1 ? cudaErrorInvalidValue : cudaSuccess;
}
enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9
};
enum cudaFuncCache {
    cudaFuncCachePreferNone = 0,
    cudaFuncCachePreferShared = 1,
    cudaFuncCachePreferL1 = 2,
    cudaFuncCachePreferEqual = 3
};
#ifndef __TERN_COMPILED__
inline cudaError_t cudaFuncSetAttribute(const void *kernel, int which, int value) {
    return cudaSuccess;
}
inline cudaError_t cudaFuncSetCacheConfig(const void *kernel, int config) { return cudaSuccess; }
#endif
inline cudaError_t cudaDeviceSetCacheConfig(int config) { return cudaSuccess; }
inline cudaError_t cudaProfilerStart() { return cudaSuccess; }
inline cudaError_t cudaProfilerStop() { return cudaSuccess; }
inline cudaError_t cudaRuntimeGetVersion(int *version) {
    *version = 12000;
    return cudaSuccess;
}
inline cudaError_t cudaDriverGetVersion(int *version) { return cudaRuntimeGetVersion(version); }

#ifdef __TERN_COMPILED__ // what is written otherwise for the evaluator, or not at all
namespace tern_host {
inline char *symbol(const char *name) { // as it is written, perhaps in quotes
    char plain[200];
    int length = 0;
    for (; *name && length < 199; name++)
        if (*name != '"' && *name != '&' && *name != ' ') plain[length++] = *name;
    plain[length] = 0;
    const char *last = plain;
    for (const char *at = plain; *at; at++)
        if (*at == ':') last = at + 1;
    return (char *)call("__tern_symbol", last);
}
inline cudaError_t to_symbol(const char *name, const void *from, size_t bytes, size_t offset = 0,
                             int kind = 1, cudaStream_t stream = nullptr) {
    return cudaMemcpy(symbol(name) + offset, from, bytes, kind);
}
inline cudaError_t from_symbol(void *to, const char *name, size_t bytes, size_t offset = 0,
                               int kind = 2, cudaStream_t stream = nullptr) {
    return cudaMemcpy(to, symbol(name) + offset, bytes, kind);
}
template <typename T> inline cudaError_t symbol_address(T **to, const char *name) {
    *to = (T *)symbol(name);
    return cudaSuccess;
}
} // namespace tern_host
#define __TERN_AT(CALL) (::tern_host::at(__LINE__, __FILE__), CALL)
#define cudaMemcpyToSymbol(SYMBOL, ...) __TERN_AT(::tern_host::to_symbol(#SYMBOL, __VA_ARGS__))
#define cudaMemcpyToSymbolAsync cudaMemcpyToSymbol
#define cudaMemcpyFromSymbol(TO, SYMBOL, ...)                                                      \
    __TERN_AT(::tern_host::from_symbol(TO, #SYMBOL, __VA_ARGS__))
#define cudaMemcpyFromSymbolAsync cudaMemcpyFromSymbol
#define cudaGetSymbolAddress(TO, SYMBOL) __TERN_AT(::tern_host::symbol_address(TO, #SYMBOL))

template <typename T> cudaError_t cudaFuncSetAttribute(T kernel, int which, int value) {
    return cudaSuccess;
}
template <typename T> cudaError_t cudaFuncSetCacheConfig(T kernel, int config) {
    return cudaSuccess;
}
// The kernel's stub takes its arguments from the array: what it is called with is not looked at.
template <typename T>
cudaError_t cudaLaunchKernel(T kernel, dim3 grid, dim3 block, void **arguments, size_t bytes = 0,
                             cudaStream_t stream = nullptr) {
    ::tern_host::Configure()(grid, block, bytes, stream);
    ::tern_host::next_arguments = arguments;
    ((void (*)())kernel)();
    ::tern_host::entered();
    return cudaPeekAtLastError();
}
template <typename T>
cudaError_t cudaLaunchCooperativeKernel(T kernel, dim3 grid, dim3 block, void **arguments,
                                        size_t bytes = 0, cudaStream_t stream = nullptr) {
    return cudaLaunchKernel(kernel, grid, block, arguments, bytes, stream);
}
// Threads, shared memory and blocks of an H100's multiprocessor; registers are not asked for.
template <typename T>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T kernel, int threads,
                                                          size_t bytes) {
    if (threads < 1 || threads > 1024 || bytes > 227 << 10) {
        *blocks = 0;
        return threads < 1 ? cudaErrorInvalidValue : cudaSuccess;
    }
    int by_threads = 2048 / ((threads + 31) / 32 * 32), by_memory = (int)((228 << 10) / (bytes + 1024));
    *blocks = by_threads < by_memory ? by_threads : by_memory;
    if (*blocks > 32) *blocks = 32;
    return cudaSuccess;
}
template <typename T>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, T kernel, size_t bytes = 0,
                                               int most = 0) {
    int blocks;
    *block = most > 0 && most < 1024 ? most : 1024;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, *block, bytes);
    *grid = blocks * 132;
    return cudaSuccess;
}
typedef void (*cudaHostFn_t)(void *);
inline cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *with) {
    cudaError_t error = cudaStreamSynchronize(stream);
    if (error == cudaSuccess) function(with);
    return error;
}
typedef void (*cudaStreamCallback_t)(cudaStream_t, cudaError_t, void *);
inline cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function,
                                         void *with, unsigned flags) {
    function(stream, cudaStreamSynchronize(stream), with);
    return cudaSuccess;
}

// ---- the way into a program ----
#ifdef __TERN_PROGRAM__
extern "C" [[noreturn]] inline void __attribute__((used)) __wrap_exit(int code) {
    ::tern_host::table->leave(::tern_host::table->host, code);
    __builtin_unreachable();
}
namespace tern_host {
inline int enter(int (*program)(), const Table *of, int count, char **arguments) {
    table = of;
    return program();
}
template <typename A>
inline int enter(int (*program)(int, A), const Table *of, int count, char **arguments) {
    table = of;
    return program(count, (A)arguments);
}
template <typename A>
inline int enter(int (*program)(int, A **, A **), const Table *of, int count, char **arguments) {
    static char *nothing[] = {nullptr};
    table = of;
    return program(count, (A **)arguments, (A **)nothing);
}
} // namespace tern_host
#endif

// So that what is wrong with these is said at their line.
#define cudaMemcpy(...) __TERN_AT(cudaMemcpy(__VA_ARGS__))
#define cudaMemcpyAsync(...) __TERN_AT(cudaMemcpyAsync(__VA_ARGS__))
#define cudaMemcpy2D(...) __TERN_AT(cudaMemcpy2D(__VA_ARGS__))
#define cudaMemcpy3D(...) __TERN_AT(cudaMemcpy3D(__VA_ARGS__))
#define cudaMemset(...) __TERN_AT(cudaMemset(__VA_ARGS__))
#define cudaMemsetAsync(...) __TERN_AT(cudaMemsetAsync(__VA_ARGS__))
#define cudaFree(...) __TERN_AT(cudaFree(__VA_ARGS__))
#define cudaFreeHost(...) __TERN_AT(cudaFreeHost(__VA_ARGS__))
#define cudaStreamSynchronize(...) __TERN_AT(cudaStreamSynchronize(__VA_ARGS__))
#define cudaStreamDestroy(...) __TERN_AT(cudaStreamDestroy(__VA_ARGS__))
#define cudaEventRecord(...) __TERN_AT(cudaEventRecord(__VA_ARGS__))
#define cudaEventSynchronize(...) __TERN_AT(cudaEventSynchronize(__VA_ARGS__))
#define cudaEventElapsedTime(...) __TERN_AT(cudaEventElapsedTime(__VA_ARGS__))
#define cudaEventDestroy(...) __TERN_AT(cudaEventDestroy(__VA_ARGS__))
#endif
