// SPDX-License-Identifier: Apache-2.0
/* asan: what AddressSanitizer is told of memory that is handed out here. Without it: nothing. */
#ifndef TERN_ASAN_H
#define TERN_ASAN_H

#if defined(__SANITIZE_ADDRESS__)
#define TERN_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TERN_ASAN 1
#endif
#endif
#ifdef TERN_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size)   ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#define __sanitizer_start_switch_fiber(save, bottom, size)                                         \
    ((void)(save), (void)(bottom), (void)(size))
#define __sanitizer_finish_switch_fiber(save, bottom, size)                                        \
    ((void)(save), (void)(bottom), (void)(size))
#endif

#endif
