// SPDX-License-Identifier: Apache-2.0
/* cupti: a libcupti without a GPU, for tests; these functions steer it.
 *
 * The shared object is made from the rows of src/prof/cupti.def and counters.def. A test says what
 * is recorded; whether it is depends on who is attached and what he asked for. Records are longer
 * than those declared, as of a newer CUPTI, and full buffers come on another thread. A call out of
 * order aborts the test. */
#ifndef TERN_MOCK_CUPTI_H
#define TERN_MOCK_CUPTI_H

#include "prof/counters.h"

typedef struct CuptiMock {
    void (*reset)(void);                          /* API 130001, nothing fails */
    void (*fail)(const char *symbol, int result); /* from now on; NULL: nothing */
    void (*set_version)(uint32_t api); /* 18: that records no copies from one GPU to another */
    void (*record)(const void *record, size_t size);
    void (*complete)(void);       /* hands over a buffer that is not full */
    void (*drop)(size_t records); /* as if there had been no buffer */
    bool (*is_attached)(void);
    int (*num_kinds)(void);             /* that are recorded */
    uint64_t (*now)(void);              /* by the user's clock */
    void (*set_chip)(const char *name); /* of which counters are */
    int (*num_open)(void);              /* of what counts, and was not closed */
} CuptiMock;

extern const CuptiMock *mock_cupti(void);

#endif
