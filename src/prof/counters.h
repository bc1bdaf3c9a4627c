// SPDX-License-Identifier: Apache-2.0
/* counters: what the hardware counts while something runs: a GPU by CUPTI's range profiler
 * (range.c), the CPU by perf events (perf.c). Not where the library, the driver or the machine
 * refuses: then words say why.
 *
 * The declarations of CUPTI's functions are our own, of CUDA 12.8 on;
 * test/unit/cupti_signatures.c compares them with NVIDIA's headers where there are some. */
#ifndef TERN_COUNTERS_H
#define TERN_COUNTERS_H

#include "prof/cupti.h"
#include "tern.h"

#include <sys/types.h>

/* ---- CUPTI ---- */

#define COUNTERS_HEAD                                                                              \
    size_t size;                                                                                   \
    void *reserved /* NULL */
typedef struct CountersInitialize {
    COUNTERS_HEAD;
} CountersInitialize;
typedef struct CountersChip {
    COUNTERS_HEAD;
    size_t device;
    const char *chip; /* "GH100" */
} CountersChip;
typedef struct CountersAvailability {
    COUNTERS_HEAD;
    CudaContext context;
    size_t image_bytes;
    uint8_t *image; /* NULL: only the size is asked for */
} CountersAvailability;
typedef struct CountersHost {
    COUNTERS_HEAD;
    int type;
    const char *chip;
    const uint8_t *availability;
    void *host;
} CountersHost;
typedef struct CountersHostEnd {
    COUNTERS_HEAD;
    void *host;
} CountersHostEnd;
typedef struct CountersMetrics {
    COUNTERS_HEAD;
    void *host;
    const char **names;
    size_t count;
} CountersMetrics;
typedef struct CountersConfigSize {
    COUNTERS_HEAD;
    void *host;
    size_t bytes;
} CountersConfigSize;
typedef struct CountersConfig {
    COUNTERS_HEAD;
    void *host;
    size_t bytes;
    uint8_t *image;
} CountersConfig;
typedef struct CountersPasses {
    COUNTERS_HEAD;
    size_t bytes;
    uint8_t *image;
    size_t passes;
} CountersPasses;
typedef struct CountersValues {
    COUNTERS_HEAD;
    void *host;
    const uint8_t *data;
    size_t data_bytes, range;
    const char **names;
    size_t count;
    double *values;
} CountersValues;
typedef struct CountersEnable {
    COUNTERS_HEAD;
    CudaContext context;
    void *object;
} CountersEnable;
typedef struct CountersObject {
    COUNTERS_HEAD;
    void *object;
} CountersObject;
typedef struct CountersDataSize {
    COUNTERS_HEAD;
    void *object;
    const char **names;
    size_t count, ranges;
    uint32_t nodes;
    size_t bytes;
} CountersDataSize;
typedef struct CountersData {
    COUNTERS_HEAD;
    void *object;
    size_t bytes;
    uint8_t *image;
} CountersData;
typedef struct CountersSet {
    COUNTERS_HEAD;
    void *object;
    size_t config_bytes;
    const uint8_t *config;
    size_t data_bytes;
    uint8_t *data;
    int range, replay;
    size_t ranges;
    uint16_t levels, first_level;
    size_t pass;
    uint16_t target_level;
} CountersSet;
typedef struct CountersStop {
    COUNTERS_HEAD;
    void *object;
    size_t pass, target_level;
    uint8_t is_all;
} CountersStop;
typedef struct CountersPush {
    COUNTERS_HEAD;
    void *object;
    const char *name;
} CountersPush;
typedef struct CountersDecode {
    COUNTERS_HEAD;
    void *object;
    size_t dropped;
} CountersDecode;
enum { COUNTERS_RANGE_PROFILER = 0, COUNTERS_USER_RANGE = 2, COUNTERS_USER_REPLAY = 3 };

typedef struct CountersCalls {
    CuptiResult (*words)(CuptiResult result, const char **words);
#define COUNTERS_CALL(name, symbol, type, last) CuptiResult (*name)(type *);
#include "prof/counters.def"
#undef COUNTERS_CALL
} CountersCalls;
/* False: libcupti.so is not here or lacks them, as `words` say. */
bool counters_load(CountersCalls *calls, char *words, size_t size);

/* What is asked for, the most important first. Of the names of each the first that a chip knows is
 * taken; one that it knows none of is left out, and so are the last where all need several passes:
 * a kernel is run once. */
typedef enum CountersMetric {
    COUNTERS_READ,
    COUNTERS_WRITTEN,
    COUNTERS_ACTIVE,
    COUNTERS_BUSIEST,
    COUNTERS_WARPS,
    COUNTERS_ISSUE,
    COUNTERS_TENSOR,
    COUNTERS_CACHE,
    COUNTERS_FMA,
    COUNTERS_METRICS
} CountersMetric;
typedef struct CountersPlan {
    void *host; /* CUPTI's; counters_plan_end */
    const char *names[COUNTERS_METRICS];
    CountersMetric metrics[COUNTERS_METRICS];
    int count;
    uint8_t *config;
    size_t config_bytes;
} CountersPlan;
/* For a chip, of which `availability` may be NULL. */
CuptiResult counters_plan(const CountersCalls *calls, const char *chip, const uint8_t *availability,
                          CountersPlan *plan);
void counters_plan_end(const CountersCalls *calls, CountersPlan *plan);

typedef struct CountersRange CountersRange;
/* Of the device that has this context. NULL: `words` say why not. */
CountersRange *counters_range_open(CudaContext context, int device, char *words, size_t size);
void counters_range_close(CountersRange *range);
/* Around work that has ended when it ends. */
bool counters_range_begin(CountersRange *range, char *words, size_t size);
bool counters_range_end(CountersRange *range, tern_hardware *hardware, char *words, size_t size);

/* ---- perf events ---- */

typedef struct PerfCalls { /* of the kernel, or of a test */
    int (*open)(void *user, uint32_t type, uint64_t config, pid_t thread); /* below 0: -errno */
    bool (*read)(void *user, int file, uint64_t values[3]); /* value, time enabled, time running */
    void (*close)(void *user, int file);
    void *user;
} PerfCalls;
typedef struct PerfCount PerfCount;
/* Of all threads of the process as they are now; NULL `calls`: the kernel's. NULL: no memory. */
PerfCount *perf_open(const PerfCalls *calls);
void perf_close(PerfCount *perf);
void perf_begin(PerfCount *perf);
/* Fills what the CPU counted. `words`: what it did not, and why; "" where it counted all. */
void perf_end(PerfCount *perf, tern_hardware *hardware, char *words, size_t size);

#endif
