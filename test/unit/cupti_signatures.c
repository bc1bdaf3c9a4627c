// SPDX-License-Identifier: Apache-2.0
/* Our own declarations of CUPTI's functions and records against NVIDIA's headers, where there are
 * some: the same types of parameters, the same places in records, the same numbers. */
#include "test.h"

#include "base/asan.h"
#include "base/base.h"

#include "prof/counters.h"

#include <dlfcn.h>
#include <string.h>

#if defined(__has_include)
#if __has_include(<cupti_activity.h>) && __has_include(<cuda.h>)
#define HAVE_HEADER 1
#include <cuda.h>
#include <cupti_activity.h>
#include <cupti_callbacks.h>
#include <cupti_driver_cbid.h>
#include <cupti_result.h>
#include <cupti_version.h>
#if __has_include(<cupti_range_profiler.h>) && __has_include(<cupti_profiler_host.h>)
#define HAVE_RANGES 1
#include <cupti_profiler_host.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#endif
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
#undef CuptiResult

/* Of records that grew from version to version, the newest that this header has. */
#if CUPTI_API_VERSION >= 130500
typedef CUpti_ActivityKernel13 TheirKernel;
typedef CUpti_ActivityMemcpy7 TheirMemcpy;
typedef CUpti_ActivityMemset5 TheirMemset;
typedef CUpti_ActivityOverhead3 TheirOverhead;
#elif CUPTI_API_VERSION >= 130000
typedef CUpti_ActivityKernel10 TheirKernel;
typedef CUpti_ActivityMemcpy6 TheirMemcpy;
typedef CUpti_ActivityMemset4 TheirMemset;
typedef CUpti_ActivityOverhead3 TheirOverhead;
#elif CUPTI_API_VERSION >= 22 /* CUDA 12.4 */
typedef CUpti_ActivityKernel9 TheirKernel;
typedef CUpti_ActivityMemcpy5 TheirMemcpy;
typedef CUpti_ActivityMemset4 TheirMemset;
typedef CUpti_ActivityOverhead3 TheirOverhead;
#else
typedef CUpti_ActivityKernel8 TheirKernel;
typedef CUpti_ActivityMemcpy5 TheirMemcpy;
typedef CUpti_ActivityMemset4 TheirMemset;
typedef CUpti_ActivityOverhead TheirOverhead;
#endif

#define SAME(ours, mine, theirs, other)                                                            \
    _Static_assert(offsetof(ours, mine) == offsetof(theirs, other) &&                              \
                       sizeof(((ours *)0)->mine) == sizeof(((theirs *)0)->other),                  \
                   #theirs "." #other)

SAME(CuptiKernel, kind, TheirKernel, kind);
SAME(CuptiKernel, registers, TheirKernel, registersPerThread);
SAME(CuptiKernel, start_ns, TheirKernel, start);
SAME(CuptiKernel, end_ns, TheirKernel, end);
SAME(CuptiKernel, device, TheirKernel, deviceId);
SAME(CuptiKernel, stream, TheirKernel, streamId);
SAME(CuptiKernel, grid[0], TheirKernel, gridX);
SAME(CuptiKernel, grid[2], TheirKernel, gridZ);
SAME(CuptiKernel, block[0], TheirKernel, blockX);
SAME(CuptiKernel, block[2], TheirKernel, blockZ);
SAME(CuptiKernel, static_shared, TheirKernel, staticSharedMemory);
SAME(CuptiKernel, dynamic_shared, TheirKernel, dynamicSharedMemory);
SAME(CuptiKernel, local_bytes, TheirKernel, localMemoryPerThread);
SAME(CuptiKernel, correlation, TheirKernel, correlationId);
SAME(CuptiKernel, name, TheirKernel, name);
SAME(CuptiMemcpy, direction, TheirMemcpy, copyKind);
SAME(CuptiMemcpy, from, TheirMemcpy, srcKind);
SAME(CuptiMemcpy, to, TheirMemcpy, dstKind);
SAME(CuptiMemcpy, bytes, TheirMemcpy, bytes);
SAME(CuptiMemcpy, start_ns, TheirMemcpy, start);
SAME(CuptiMemcpy, end_ns, TheirMemcpy, end);
SAME(CuptiMemcpy, device, TheirMemcpy, deviceId);
SAME(CuptiMemcpy, stream, TheirMemcpy, streamId);
SAME(CuptiMemcpy, correlation, TheirMemcpy, correlationId);
SAME(CuptiPeerCopy, direction, CUpti_ActivityMemcpyPtoP4, copyKind);
SAME(CuptiPeerCopy, from, CUpti_ActivityMemcpyPtoP4, srcKind);
SAME(CuptiPeerCopy, to, CUpti_ActivityMemcpyPtoP4, dstKind);
SAME(CuptiPeerCopy, bytes, CUpti_ActivityMemcpyPtoP4, bytes);
SAME(CuptiPeerCopy, start_ns, CUpti_ActivityMemcpyPtoP4, start);
SAME(CuptiPeerCopy, end_ns, CUpti_ActivityMemcpyPtoP4, end);
SAME(CuptiPeerCopy, device, CUpti_ActivityMemcpyPtoP4, deviceId);
SAME(CuptiPeerCopy, stream, CUpti_ActivityMemcpyPtoP4, streamId);
SAME(CuptiPeerCopy, from_device, CUpti_ActivityMemcpyPtoP4, srcDeviceId);
SAME(CuptiPeerCopy, to_device, CUpti_ActivityMemcpyPtoP4, dstDeviceId);
SAME(CuptiPeerCopy, correlation, CUpti_ActivityMemcpyPtoP4, correlationId);
SAME(CuptiMemset, bytes, TheirMemset, bytes);
SAME(CuptiMemset, start_ns, TheirMemset, start);
SAME(CuptiMemset, end_ns, TheirMemset, end);
SAME(CuptiMemset, device, TheirMemset, deviceId);
SAME(CuptiMemset, stream, TheirMemset, streamId);
SAME(CuptiMemset, correlation, TheirMemset, correlationId);
SAME(CuptiMemset, memory, TheirMemset, memoryKind);
SAME(CuptiCall, call, CUpti_ActivityAPI, cbid);
SAME(CuptiCall, start_ns, CUpti_ActivityAPI, start);
SAME(CuptiCall, end_ns, CUpti_ActivityAPI, end);
SAME(CuptiCall, thread, CUpti_ActivityAPI, threadId);
SAME(CuptiCall, correlation, CUpti_ActivityAPI, correlationId);
SAME(CuptiOverhead, what, TheirOverhead, overheadKind);
SAME(CuptiOverhead, start_ns, TheirOverhead, start);
SAME(CuptiOverhead, end_ns, TheirOverhead, end);
_Static_assert(sizeof(CuptiCall) == sizeof(CUpti_ActivityAPI), "the smallest record");

#ifdef HAVE_RANGES
#define THEIRS_CountersInitialize   CUpti_Profiler_Initialize_Params
#define THEIRS_CountersChip         CUpti_Device_GetChipName_Params
#define THEIRS_CountersAvailability CUpti_Profiler_GetCounterAvailability_Params
#define THEIRS_CountersHost         CUpti_Profiler_Host_Initialize_Params
#define THEIRS_CountersHostEnd      CUpti_Profiler_Host_Deinitialize_Params
#define THEIRS_CountersMetrics      CUpti_Profiler_Host_ConfigAddMetrics_Params
#define THEIRS_CountersConfigSize   CUpti_Profiler_Host_GetConfigImageSize_Params
#define THEIRS_CountersConfig       CUpti_Profiler_Host_GetConfigImage_Params
#define THEIRS_CountersPasses       CUpti_Profiler_Host_GetNumOfPasses_Params
#define THEIRS_CountersValues       CUpti_Profiler_Host_EvaluateToGpuValues_Params
#define THEIRS_CountersEnable       CUpti_RangeProfiler_Enable_Params
#define THEIRS_CountersObject       CUpti_RangeProfiler_Start_Params
#define THEIRS_CountersDataSize     CUpti_RangeProfiler_GetCounterDataSize_Params
#define THEIRS_CountersData         CUpti_RangeProfiler_CounterDataImage_Initialize_Params
#define THEIRS_CountersSet          CUpti_RangeProfiler_SetConfig_Params
#define THEIRS_CountersStop         CUpti_RangeProfiler_Stop_Params
#define THEIRS_CountersPush         CUpti_RangeProfiler_PushRange_Params
#define THEIRS_CountersDecode       CUpti_RangeProfiler_DecodeData_Params
/* Of their last member, its place: with those before it, the size that a call is given. */
#define LAST(ours, mine, other) SAME(ours, mine, THEIRS_##ours, other)
LAST(CountersInitialize, reserved, pPriv);
LAST(CountersChip, chip, pChipName);
LAST(CountersChip, device, deviceIndex);
LAST(CountersAvailability, image, pCounterAvailabilityImage);
LAST(CountersAvailability, image_bytes, counterAvailabilityImageSize);
LAST(CountersHost, type, profilerType);
LAST(CountersHost, chip, pChipName);
LAST(CountersHost, availability, pCounterAvailabilityImage);
LAST(CountersHost, host, pHostObject);
LAST(CountersHostEnd, host, pHostObject);
LAST(CountersMetrics, names, ppMetricNames);
LAST(CountersMetrics, count, numMetrics);
LAST(CountersConfigSize, bytes, configImageSize);
LAST(CountersConfig, bytes, configImageSize);
LAST(CountersConfig, image, pConfigImage);
LAST(CountersPasses, image, pConfigImage);
LAST(CountersPasses, passes, numOfPasses);
LAST(CountersValues, data, pCounterDataImage);
LAST(CountersValues, range, rangeIndex);
LAST(CountersValues, names, ppMetricNames);
LAST(CountersValues, values, pMetricValues);
LAST(CountersEnable, context, ctx);
LAST(CountersEnable, object, pRangeProfilerObject);
LAST(CountersObject, object, pRangeProfilerObject);
LAST(CountersDataSize, names, pMetricNames);
LAST(CountersDataSize, ranges, maxNumOfRanges);
LAST(CountersDataSize, nodes, maxNumRangeTreeNodes);
LAST(CountersDataSize, bytes, counterDataSize);
LAST(CountersData, bytes, counterDataSize);
LAST(CountersData, image, pCounterData);
LAST(CountersSet, config, pConfig);
LAST(CountersSet, data, pCounterDataImage);
LAST(CountersSet, range, range);
LAST(CountersSet, replay, replayMode);
LAST(CountersSet, levels, numNestingLevels);
LAST(CountersSet, first_level, minNestingLevel);
LAST(CountersSet, pass, passIndex);
LAST(CountersSet, target_level, targetNestingLevel);
LAST(CountersStop, target_level, targetNestingLevel);
LAST(CountersStop, is_all, isAllPassSubmitted);
LAST(CountersPush, name, pRangeName);
LAST(CountersDecode, dropped, numOfRangeDropped);
_Static_assert((int)COUNTERS_RANGE_PROFILER == (int)CUPTI_PROFILER_TYPE_RANGE_PROFILER &&
                   (int)COUNTERS_USER_RANGE == (int)CUPTI_UserRange &&
                   (int)COUNTERS_USER_REPLAY == (int)CUPTI_UserReplay,
               "numbers");
#endif

TEST(constants_agree) {
    const struct {
        int ours, theirs;
    } pairs[] = {
        {CUPTI_OK, CUPTI_SUCCESS},
        {CUPTI_MAX_LIMIT_REACHED, CUPTI_ERROR_MAX_LIMIT_REACHED},
        {CUPTI_NOT_INITIALIZED, CUPTI_ERROR_NOT_INITIALIZED},
        {CUPTI_OUT_OF_MEMORY, CUPTI_ERROR_OUT_OF_MEMORY},
        {CUPTI_HARDWARE_BUSY, CUPTI_ERROR_HARDWARE_BUSY},
        {CUPTI_NOT_SUPPORTED, CUPTI_ERROR_NOT_SUPPORTED},
        {CUPTI_INSUFFICIENT_PRIVILEGES, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES},
        {CUPTI_VIRTUAL_PRIVILEGES, CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES},
        {CUPTI_MULTIPLE_SUBSCRIBERS, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED},
        {CUPTI_DRIVER_CALLS, CUPTI_CB_DOMAIN_DRIVER_API},
        {CUPTI_RUNTIME_CALLS, CUPTI_CB_DOMAIN_RUNTIME_API},
        {CUPTI_SYSTEM_THREADS, CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM},
        {CUPTI_BUFFERS_ARE_ZEROED, CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER},
        {CUPTI_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY},
        {CUPTI_MEMSET, CUPTI_ACTIVITY_KIND_MEMSET},
        {CUPTI_PEER_COPY, CUPTI_ACTIVITY_KIND_MEMCPY2},
        {CUPTI_DRIVER, CUPTI_ACTIVITY_KIND_DRIVER},
        {CUPTI_RUNTIME, CUPTI_ACTIVITY_KIND_RUNTIME},
        {CUPTI_KERNEL, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL},
        {CUPTI_OVERHEAD, CUPTI_ACTIVITY_KIND_OVERHEAD},
        {CUPTI_FLUSH_FORCED, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED},
        {CUPTI_CTX_SET_CURRENT, CUPTI_DRIVER_TRACE_CBID_cuCtxSetCurrent},
        {CUPTI_CTX_GET_CURRENT, CUPTI_DRIVER_TRACE_CBID_cuCtxGetCurrent},
#if CUPTI_API_VERSION >= 22
        {4 << 16, CUPTI_ACTIVITY_OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING},
        {5 << 16, CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING},
        {6 << 16, CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL},
#endif
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

/* CUPTI says without a GPU which counters a chip has, and in how many passes they are counted. */
typedef struct Chips { /* of cuptiProfilerHostGetSupportedChips */
    COUNTERS_HEAD;
    size_t count;
    const char *const *names;
} Chips;

/* Those that are part of a system on a chip have no memory of their own to count. */
static bool has_own_memory(const char *chip) {
    static const char *const none[] = {"GA10B", "GB10B", "GB20B"};
    for (int i = 0; i < COUNT(none); i++)
        if (!strcmp(chip, none[i])) return false;
    return true;
}

static bool is_whole(const CountersPlan *plan, const char *chip) {
    bool has[COUNTERS_METRICS] = {0};
    for (int i = 0; i < plan->count; i++) has[plan->metrics[i]] = true;
    bool memory = has[COUNTERS_READ] && has[COUNTERS_WRITTEN];
    return has[COUNTERS_ACTIVE] && has[COUNTERS_BUSIEST] && has[COUNTERS_WARPS] &&
           has[COUNTERS_ISSUE] && memory == has_own_memory(chip);
}

TEST(each_chip_is_counted_in_one_pass) {
#ifdef TERN_ASAN
    const bool is_refused = true; /* it loads its tables with RTLD_DEEPBIND */
#else
    const bool is_refused = false;
#endif
    CountersCalls calls;
    CuptiResult (*supported)(Chips *);
    char words[256];
    Chips chips = {.size = sizeof chips};
    void *library = cupti_library(),
         *found = library ? dlsym(library, "cuptiProfilerHostGetSupportedChips") : NULL;
    memcpy(&supported, &found, sizeof found);
    if (is_refused || !found || !counters_load(&calls, words, sizeof words)) {
        SKIP(is_refused ? "AddressSanitizer refuses CUPTI" : "no libcupti.so of CUDA 12.8");
        return;
    }
    CuptiResult asked = supported(&chips);
    if (asked != CUPTI_OK && !dlopen("libcuda.so.1", RTLD_LAZY)) { /* 13.5's does */
        SKIP("this libcupti.so wants a driver to say it");
        return;
    }
    CHECK(asked == CUPTI_OK && chips.count > 0);
    int planned = 0;
    for (size_t i = 0; i < chips.count; i++) {
        CountersPlan plan;
        CuptiResult result = counters_plan(&calls, chips.names[i], NULL, &plan);
        if (result == CUPTI_NOT_SUPPORTED) continue;
        CHECK(result == CUPTI_OK && is_whole(&plan, chips.names[i]));
        if (!is_whole(&plan, chips.names[i])) printf("%s\n", chips.names[i]);
        planned++;
        if (!strcmp(chips.names[i], "GH100") || !strcmp(chips.names[i], "GA100"))
            CHECK(plan.count == COUNTERS_METRICS);
        counters_plan_end(&calls, &plan);
    }
    CHECK(planned >= 18); /* CUDA 12.6's; later ones know more */
}

TEST_MAIN()
