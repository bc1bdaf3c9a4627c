// SPDX-License-Identifier: Apache-2.0
/* The honesty tests of test/gpu on the mock driver: gate, stray work, waiting inside, floors,
 * poison, slow clocks. Its time is made up but passes, so that all but the accuracy of a GPU is
 * tested. */
#include "test.h"

static void use_mock(void) __attribute__((constructor));
static void use_mock(void) { setenv("TERN_CUDA_DRIVER", MOCK_DRIVER, 1); }

#include "gpu/honesty.h"

TEST_MAIN()
