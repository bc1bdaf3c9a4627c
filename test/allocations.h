// SPDX-License-Identifier: Apache-2.0
/* allocations: a program that includes this has an allocator, and maps of memory, that are counted
 * and fail where a test says. Sanitizers have their own, and there such tests are skipped. */
#ifndef TERN_TEST_ALLOCATIONS_H
#define TERN_TEST_ALLOCATIONS_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ALLOCATIONS_ARE_OURS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ALLOCATIONS_ARE_OURS 0
#endif
#endif
#ifndef ALLOCATIONS_ARE_OURS
#define ALLOCATIONS_ARE_OURS 1
#endif

static bool allocations_counted;
static long allocations_until_failure = -1; /* that still succeed while they are counted; -1: all */
static bool allocations_fail_alone __attribute__((unused)); /* one, and not those that follow it */
static bool allocations_failed;
/* made, less freed, while they were counted */
static _Atomic long allocations_live __attribute__((unused));
/* A library's base: its allocations do not count. Not each user has one. */
static const void *allocations_exempt __attribute__((unused));

#if ALLOCATIONS_ARE_OURS
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *pointer);

static bool is_counted(const void *caller) {
    Dl_info info;
    return allocations_counted &&
           !(allocations_exempt && dladdr(caller, &info) && info.dli_fbase == allocations_exempt);
}

static bool allocation_fails(bool counted) {
    if (!counted || allocations_until_failure < 0) return false;
    if (allocations_until_failure-- > 0) return false;
    allocations_until_failure = allocations_fail_alone ? -1 : 0;
    return allocations_failed = true;
}

static void *allocation(void *pointer, bool counted) {
    if (pointer && counted) allocations_live++;
    return pointer;
}

#define COUNTED is_counted(__builtin_return_address(0))
#pragma GCC visibility push(default) /* the C library's own calls, as of strdup, come here too */
void *malloc(size_t size) {
    bool counted = COUNTED;
    return allocation_fails(counted) ? NULL : allocation(__libc_malloc(size), counted);
}
void *calloc(size_t count, size_t size) {
    bool counted = COUNTED;
    return allocation_fails(counted) ? NULL : allocation(__libc_calloc(count, size), counted);
}
void *realloc(void *old, size_t size) {
    bool counted = COUNTED;
    if (allocation_fails(counted)) return NULL;
    void *grown = __libc_realloc(old, size);
    return old ? grown : allocation(grown, counted);
}
void *aligned_alloc(size_t alignment, size_t size) {
    bool counted = COUNTED;
    if (allocation_fails(counted)) return NULL;
    return allocation(__libc_memalign(alignment, size), counted);
}
void free(void *pointer) {
    if (pointer && COUNTED) allocations_live--;
    __libc_free(pointer);
}
void *mmap(void *at, size_t size, int rights, int flags, int file, off_t offset) {
    bool counted = COUNTED;
    if (allocation_fails(counted)) return MAP_FAILED;
    void *mapped = (void *)syscall(SYS_mmap, at, size, rights, flags, file, offset);
    return mapped == MAP_FAILED ? mapped : allocation(mapped, counted);
}
int munmap(void *at, size_t size) {
    int failed = (int)syscall(SYS_munmap, at, size);
    if (!failed && COUNTED) allocations_live--;
    return failed;
}
#pragma GCC visibility pop
#undef COUNTED
#endif

#endif
