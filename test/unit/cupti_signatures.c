// SPDX-License-Identifier: Apache-2.0
/* Our own declarations of CUPTI's functions and records against NVIDIA's headers, where there are
 * some: the same types of parameters, the same places in records, the same numbers. */
#include "test.h"

#include "prof/cupti.h"

#if defined(__has_include)
#if __has_include(<cupti_activity.h>) && __has_include(<cuda.h>)
#define HAVE_HEADER 1
#include <cuda.h>
#include <cupti_activity.h>
#include <cupti_callbacks.h>
#include <cupti_driver_cbid.h>
#include <cupti_result.h>
#include <cupti_version.h>
#endif
#endif

#ifdef HAVE_HEADER
/* Types with our names from theirs: each row then declares the function once more, and the compiler
 * refuses a declaration that differs from the header's. */
#define CudaContext                                     CUcontext
#define CuptiSubscriber                                 CUpti_SubscriberHandle
#define CuptiResult                                     CUptiResult
#define CuptiDomain                                     CUpti_CallbackDomain
#define CuptiCallback                                   CUpti_CallbackFunc
#define CuptiThreadIds                                  CUpti_ActivityThreadIdType
#define CuptiClock                                      CUpti_TimestampCallbackFunc
#define CuptiRequested                                  CUpti_BuffersCallbackRequestFunc
#define CuptiCompleted                                  CUpti_BuffersCallbackCompleteFunc
#define CuptiKind                                       CUpti_ActivityKind
#define CuptiRecord                                     CUpti_Activity
#define CuptiAttribute                                  CUpti_ActivityAttribute
#define CUPTI_CALL(name, symbol, parameters, arguments) extern CUptiResult symbol parameters;
#include "prof/cupti.def"
#undef CUPTI_CALL
#undef CuptiRecord

#define SAME(ours, mine, theirs, other)                                                            \
    _Static_assert(offsetof(ours, mine) == offsetof(theirs, other) &&                              \
                       sizeof(((ours *)0)->mine) == sizeof(((theirs *)0)->other),                  \
                   #theirs "." #other)

SAME(CuptiKernel, kind, CUpti_ActivityKernel10, kind);
SAME(CuptiKernel, registers, CUpti_ActivityKernel10, registersPerThread);
SAME(CuptiKernel, start_ns, CUpti_ActivityKernel10, start);
SAME(CuptiKernel, end_ns, CUpti_ActivityKernel10, end);
SAME(CuptiKernel, device, CUpti_ActivityKernel10, deviceId);
SAME(CuptiKernel, stream, CUpti_ActivityKernel10, streamId);
SAME(CuptiKernel, grid[0], CUpti_ActivityKernel10, gridX);
SAME(CuptiKernel, grid[2], CUpti_ActivityKernel10, gridZ);
SAME(CuptiKernel, block[0], CUpti_ActivityKernel10, blockX);
SAME(CuptiKernel, block[2], CUpti_ActivityKernel10, blockZ);
SAME(CuptiKernel, static_shared, CUpti_ActivityKernel10, staticSharedMemory);
SAME(CuptiKernel, dynamic_shared, CUpti_ActivityKernel10, dynamicSharedMemory);
SAME(CuptiKernel, local_bytes, CUpti_ActivityKernel10, localMemoryPerThread);
SAME(CuptiKernel, correlation, CUpti_ActivityKernel10, correlationId);
SAME(CuptiKernel, name, CUpti_ActivityKernel10, name);
SAME(CuptiMemcpy, direction, CUpti_ActivityMemcpy6, copyKind);
SAME(CuptiMemcpy, from, CUpti_ActivityMemcpy6, srcKind);
SAME(CuptiMemcpy, to, CUpti_ActivityMemcpy6, dstKind);
SAME(CuptiMemcpy, bytes, CUpti_ActivityMemcpy6, bytes);
SAME(CuptiMemcpy, start_ns, CUpti_ActivityMemcpy6, start);
SAME(CuptiMemcpy, end_ns, CUpti_ActivityMemcpy6, end);
SAME(CuptiMemcpy, device, CUpti_ActivityMemcpy6, deviceId);
SAME(CuptiMemcpy, stream, CUpti_ActivityMemcpy6, streamId);
SAME(CuptiMemcpy, correlation, CUpti_ActivityMemcpy6, correlationId);
SAME(CuptiMemset, bytes, CUpti_ActivityMemset4, bytes);
SAME(CuptiMemset, start_ns, CUpti_ActivityMemset4, start);
SAME(CuptiMemset, end_ns, CUpti_ActivityMemset4, end);
SAME(CuptiMemset, device, CUpti_ActivityMemset4, deviceId);
SAME(CuptiMemset, stream, CUpti_ActivityMemset4, streamId);
SAME(CuptiMemset, correlation, CUpti_ActivityMemset4, correlationId);
SAME(CuptiMemset, memory, CUpti_ActivityMemset4, memoryKind);
SAME(CuptiCall, call, CUpti_ActivityAPI, cbid);
SAME(CuptiCall, start_ns, CUpti_ActivityAPI, start);
SAME(CuptiCall, end_ns, CUpti_ActivityAPI, end);
SAME(CuptiCall, thread, CUpti_ActivityAPI, threadId);
SAME(CuptiCall, correlation, CUpti_ActivityAPI, correlationId);
SAME(CuptiOverhead, what, CUpti_ActivityOverhead3, overheadKind);
SAME(CuptiOverhead, start_ns, CUpti_ActivityOverhead3, start);
SAME(CuptiOverhead, end_ns, CUpti_ActivityOverhead3, end);
_Static_assert(sizeof(CuptiCall) == sizeof(CUpti_ActivityAPI), "the smallest record");

TEST(constants_agree) {
    const struct {
        int ours, theirs;
    } pairs[] = {
        {CUPTI_OK, CUPTI_SUCCESS},
        {CUPTI_MAX_LIMIT_REACHED, CUPTI_ERROR_MAX_LIMIT_REACHED},
        {CUPTI_NOT_INITIALIZED, CUPTI_ERROR_NOT_INITIALIZED},
        {CUPTI_MULTIPLE_SUBSCRIBERS, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED},
        {CUPTI_DRIVER_CALLS, CUPTI_CB_DOMAIN_DRIVER_API},
        {CUPTI_RUNTIME_CALLS, CUPTI_CB_DOMAIN_RUNTIME_API},
        {CUPTI_SYSTEM_THREADS, CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM},
        {CUPTI_BUFFERS_ARE_ZEROED, CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER},
        {CUPTI_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY},
        {CUPTI_MEMSET, CUPTI_ACTIVITY_KIND_MEMSET},
        {CUPTI_DRIVER, CUPTI_ACTIVITY_KIND_DRIVER},
        {CUPTI_RUNTIME, CUPTI_ACTIVITY_KIND_RUNTIME},
        {CUPTI_KERNEL, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL},
        {CUPTI_OVERHEAD, CUPTI_ACTIVITY_KIND_OVERHEAD},
        {CUPTI_FLUSH_FORCED, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED},
        {CUPTI_CTX_SET_CURRENT, CUPTI_DRIVER_TRACE_CBID_cuCtxSetCurrent},
        {CUPTI_CTX_GET_CURRENT, CUPTI_DRIVER_TRACE_CBID_cuCtxGetCurrent},
        {4 << 16, CUPTI_ACTIVITY_OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING},
        {5 << 16, CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING},
        {6 << 16, CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        CHECK(pairs[i].ours == pairs[i].theirs);
}
#else
TEST(constants_agree) { SKIP("no cupti_activity.h to compare with"); }
#endif

/* What is on this machine is loaded or refused with words, and nothing stays attached. */
TEST(what_is_here_is_opened_or_refused) {
    Cupti cupti;
    char words[256] = "";
    if (cupti_open(&cupti, words, sizeof words)) {
        cupti_close(&cupti);
        CHECK(!cupti.subscriber && cupti.api >= 17);
    } else
        CHECK(words[0] && !cupti.subscriber);
    CHECK(!cupti_next(&cupti, NULL));
}

TEST_MAIN()
