// SPDX-License-Identifier: Apache-2.0
/* mock: a CUDA driver without a GPU, for tests; these functions steer it.
 *
 * The shared object is made from the rows of src/device/cuda/cuda.def, so it has exactly the
 * symbols that tern looks for. Memory is the host's, what a kernel writes is there when it is
 * enqueued, and every handle is checked: one that was freed or belongs to another context aborts
 * the test. Only time passes as on a GPU: work takes its time on its queue, waits last until then,
 * events say when their turn came, and behind a gate nothing starts. All blocking streams are one
 * queue with the default one, which alone may be gated; a non-blocking stream is a queue of its
 * own. A kernel is any PTX text with an .entry; what it does depends on its name:
 *     *_record  writes a MockRecord to its first parameter, an address
 *     *_trap    makes the next wait, and all later calls, return CUDA_ERROR_ILLEGAL_ADDRESS
 *     *_hang    never ends: queries say not ready, and waiting aborts the test
 *     *_spin    takes as many nanoseconds as its first parameter says
 *     *_cycles  takes as many cycles of the clock (1980 MHz)
 *     tern_clock  writes time, cycles and processor to its first parameter
 *     others    nothing
 * and each takes 2 us besides. What the driver says of it depends on words in its text:
 * many_registers, bad_ptx, static_shared=BYTES, local_bytes=BYTES, registers=NUMBER; a second
 * number, behind a comma, is of texts with .minnctapersm. $TERN_MOCK_DEVICES: how many there are,
 * all with one name. */
#ifndef TERN_MOCK_H
#define TERN_MOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MOCK_RECORD_PARAMS = 24 };

typedef struct MockRecord {
    uint32_t launches; /* how many there have been into this memory */
    uint32_t grid[3], block, shared_bytes, num_params;
    uint64_t params[MOCK_RECORD_PARAMS]; /* zero-extended */
} MockRecord;

typedef struct Mock {
    void (*reset)(void); /* one device of capability 9.0, driver for CUDA 13.0, nothing fails */
    void (*set_devices)(int count);
    void (*set_capability)(int major, int minor);
    void (*set_version)(int version); /* PTX newer than this CUDA's is refused */
    void (*set_memory)(size_t bytes);
    /* The call-th call from now (from 1) returns `result`; 0: none. A sticky result stays. */
    void (*fail)(int call, int result);
    int (*calls)(void);               /* since reset */
    const char *(*failed_call)(void); /* the symbol that failed, or NULL */
    int (*live)(void);                /* contexts, streams, events, modules, graphs, blocks */
    /* The calls since it was asked last, one a line with what they were given; things are numbered
     * by kind in the order of their making. */
    const char *(*trace)(void);
    /* Called before and after each call; NULL: nothing is. */
    void (*watch)(void (*told)(const char *symbol, bool begins));
} Mock;

extern const Mock *mock_control(void);

#endif
