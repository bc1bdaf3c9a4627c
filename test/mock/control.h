// SPDX-License-Identifier: Apache-2.0
/* control: steers the mock driver (mock.h) from a test. */
#ifndef TERN_MOCK_CONTROL_H
#define TERN_MOCK_CONTROL_H

#include "mock/mock.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const Mock *mock(void) {
    static void *library;
    if (!library) library = dlopen(MOCK_DRIVER, RTLD_NOW | RTLD_LOCAL);
    if (!library) return fprintf(stderr, "%s\n", dlerror()), exit(1), NULL;
    const Mock *(*control)(void);
    void *found = dlsym(library, "mock_control");
    memcpy(&control, &found, sizeof control);
    return control();
}

#endif
