// SPDX-License-Identifier: Apache-2.0
/* libc: functions of C. What they read and write is checked as all memory of a program is. */
#include "host/host.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

/* ---- the end ---- */

bool native_exit(Host *h, Call *call) {
    h->exit_code = (int)(call->args[0] & 255);
    h->has_ended = true;
    return true;
}

bool native_abort(Host *h, Call *call) {
    (void)call;
    return host_fail(h, "the program aborts");
}

/* ---- memory ---- */

static bool allocate(Host *h, Call *call, uint64_t count, uint64_t size, const char *name) {
    uint64_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes >= (uint64_t)1 << 40) {
        call->result = 0;
        return true;
    }
    Range *range = memory_add(h, RANGE_HEAP, bytes, str_of(name));
    if (range) call->result = range->start;
    return range != NULL;
}

bool native_malloc(Host *h, Call *call) { return allocate(h, call, call->args[0], 1, "malloc"); }

bool native_calloc(Host *h, Call *call) {
    return allocate(h, call, call->args[0], call->args[1], "calloc");
}

bool native___tern_array(Host *h, Call *call) {
    return allocate(h, call, call->args[0], 1, "an array");
}

bool native___tern_new(Host *h, Call *call) {
    if (!allocate(h, call, call->args[0], call->args[1], "new")) return false;
    if (!call->result) return host_fail(h, "'new' of too many objects");
    memory_find(h, call->result)->is_array = call->args[2] != 0;
    return true;
}

/* What a program gives to free: must be what malloc gave, once. */
static Range *owned(Host *h, uint64_t address, const char *does, bool from_new) {
    Range *range = memory_find(h, address);
    bool is_new = range && str_is(range->name, "new");
    if (!range || range->kind != RANGE_HEAP || range->start != address) {
        host_fail(h, "'%s' of an address that no allocation gave", does);
        return NULL;
    }
    if (range->is_freed) {
        host_fail(h, "'%s' of memory that was freed before", does);
        diag_note(&h->diag, range->freed_at, "it was freed here");
        return NULL;
    }
    if (is_new == from_new) return range;
    host_fail(h, "'%s' of memory that '%.*s' gave", does, STR_ARG(range->name));
    return NULL;
}

bool native_free(Host *h, Call *call) {
    if (!call->args[0]) return true;
    Range *range = owned(h, call->args[0], "free", false);
    if (range) memory_free(h, range);
    return range != NULL;
}

static bool deleted(Host *h, Call *call, bool is_array) {
    if (!call->args[0]) return true;
    Range *range = owned(h, call->args[0], is_array ? "delete[]" : "delete", true);
    if (!range) return false;
    if (range->is_array != is_array)
        return host_fail(h, "'%s' of what '%s' made", is_array ? "delete[]" : "delete",
                         range->is_array ? "new[]" : "new");
    memory_free(h, range);
    return true;
}

bool native___tern_delete(Host *h, Call *call) { return deleted(h, call, false); }
bool native___tern_delete_array(Host *h, Call *call) { return deleted(h, call, true); }

bool native_realloc(Host *h, Call *call) {
    uint64_t old = call->args[0], bytes = call->args[1];
    Range *range = old ? owned(h, old, "realloc", false) : NULL;
    if (old && !range) return false;
    if (!allocate(h, call, bytes, 1, "malloc")) return false;
    if (!call->result || !range) return true;
    memcpy((void *)(uintptr_t)call->result, (void *)(uintptr_t)old,
           (size_t)(bytes < range->size ? bytes : range->size));
    memory_free(h, range);
    return true;
}

static bool copied(Host *h, Call *call, bool may_overlap) {
    uint64_t to = call->args[0], from = call->args[1], bytes = call->args[2];
    call->result = to;
    if (!bytes) return true;
    const char *source = memory_at(h, from, bytes, false, NULL);
    char *target = source ? memory_at(h, to, bytes, true, NULL) : NULL;
    if (!target) return false;
    bool overlaps = to < from + bytes && from < to + bytes && to != from;
    if (overlaps && !may_overlap) return host_fail(h, "memcpy between places that overlap");
    memmove(target, source, bytes);
    return true;
}

bool native_memcpy(Host *h, Call *call) { return copied(h, call, false); }
bool native_memmove(Host *h, Call *call) { return copied(h, call, true); }

bool native_memset(Host *h, Call *call) {
    call->result = call->args[0];
    if (!call->args[2]) return true;
    char *at = memory_at(h, call->args[0], call->args[2], true, NULL);
    if (at) memset(at, (int)call->args[1], call->args[2]);
    return at != NULL;
}

static uint64_t sign_of(int order) { return (uint32_t)(order < 0 ? -1 : order > 0); }

bool native_memcmp(Host *h, Call *call) {
    if (!call->args[2]) return true;
    const char *a = memory_at(h, call->args[0], call->args[2], false, NULL);
    const char *b = a ? memory_at(h, call->args[1], call->args[2], false, NULL) : NULL;
    if (b) call->result = sign_of(memcmp(a, b, call->args[2]));
    return b != NULL;
}

/* ---- text ---- */

bool native_strlen(Host *h, Call *call) { return memory_text(h, call->args[0], &call->result); }

static bool two(Host *h, const Call *call, const char **a, const char **b) {
    uint64_t length;
    *a = memory_text(h, call->args[0], &length);
    *b = *a ? memory_text(h, call->args[1], &length) : NULL;
    return *b != NULL;
}

bool native_strcmp(Host *h, Call *call) {
    const char *a, *b;
    if (!two(h, call, &a, &b)) return false;
    call->result = sign_of(strcmp(a, b));
    return true;
}

bool native_strncmp(Host *h, Call *call) {
    const char *a, *b;
    if (!two(h, call, &a, &b)) return false;
    call->result = sign_of(strncmp(a, b, call->args[2]));
    return true;
}

bool native_strcpy(Host *h, Call *call) {
    uint64_t length;
    const char *from = memory_text(h, call->args[1], &length);
    char *to = from ? memory_at(h, call->args[0], length + 1, true, NULL) : NULL;
    if (to) memmove(to, from, length + 1);
    call->result = call->args[0];
    return to != NULL;
}

bool native_strchr(Host *h, Call *call) {
    uint64_t length;
    const char *text = memory_text(h, call->args[0], &length);
    if (text) call->result = (uint64_t)(uintptr_t)strchr(text, (int)call->args[1]);
    return text != NULL;
}

bool native_strstr(Host *h, Call *call) {
    const char *a, *b;
    if (!two(h, call, &a, &b)) return false;
    call->result = (uint64_t)(uintptr_t)strstr(a, b);
    return true;
}

/* strtod; args[1]: where the end is stored, or 0. */
static bool ended(Host *h, const Call *call, const char *end) {
    if (!call->args[1]) return true;
    char *to = memory_at(h, call->args[1], sizeof end, true, NULL);
    if (to) memcpy(to, &end, sizeof end);
    return to != NULL;
}

bool native___tern_number(Host *h, Call *call) {
    uint64_t length;
    char *end;
    const char *text = memory_text(h, call->args[0], &length);
    if (!text) return false;
    call->result = double_bits(strtod(text, &end));
    return ended(h, call, end);
}

bool native___tern_integer(Host *h, Call *call) {
    uint64_t length;
    char *end;
    const char *text = memory_text(h, call->args[0], &length);
    if (!text) return false;
    int base = (int)call->args[2];
    if (base < 0 || base == 1 || base > 36) return host_fail(h, "a number of base %d", base);
    int saved = errno;
    call->result = (uint64_t)strtoll(text, &end, base);
    errno = saved;
    return ended(h, call, end);
}

bool native_getenv(Host *h, Call *call) { /* a program has no environment */
    uint64_t length;
    call->result = 0;
    return memory_text(h, call->args[0], &length) != NULL;
}

/* ---- random numbers: those of glibc, of which programs print results ---- */

void random_seed(Host *h, uint32_t seed) {
    int32_t word = seed ? (int32_t)seed : 1;
    for (int i = 0; i < NUM_RANDOM; i++) {
        if (i > 30)
            h->random[i] = h->random[i - 31];
        else if (i > 0)
            word = (int32_t)((16807 * (int64_t)word) % 2147483647),
            word += word < 0 ? 2147483647 : 0;
        if (i <= 30) h->random[i] = (uint32_t)word;
    }
    h->random_at = NUM_RANDOM;
    Call call = {0};
    for (int i = 0; i < 310; i++) native_rand(h, &call);
}

/* r[i] = r[i - 3] + r[i - 31] */
bool native_rand(Host *h, Call *call) {
    uint32_t *r = h->random;
    int at = h->random_at++;
    r[at % NUM_RANDOM] = r[(at - 3) % NUM_RANDOM] + r[(at - 31) % NUM_RANDOM];
    if (h->random_at == NUM_RANDOM * 1000) h->random_at = NUM_RANDOM; /* the same remainders */
    call->result = r[at % NUM_RANDOM] >> 1;
    return true;
}

bool native_srand(Host *h, Call *call) {
    random_seed(h, (uint32_t)call->args[0]);
    return true;
}

/* ---- time ---- */

bool native___tern_clock(Host *h, Call *call) {
    (void)h;
    call->result = (uint64_t)clock_ns();
    return true;
}

bool native_time(Host *h, Call *call) {
    int64_t now = (int64_t)time(NULL);
    call->result = (uint64_t)now;
    if (!call->args[0]) return true;
    char *to = memory_at(h, call->args[0], sizeof now, true, NULL);
    if (to) memcpy(to, &now, sizeof now);
    return to != NULL;
}

/* ---- functions of doubles, by number: host.cuh has the names ---- */

bool native___tern_math(Host *h, Call *call) {
    static double (*const of_one[])(double) = {tan,   asin,  acos,   atan,   sinh,  cosh,
                                               asinh, acosh, atanh,  cbrt,   log10, log1p,
                                               expm1, round, lgamma, tgamma, erfc};
    static double (*const of_two[])(double, double) = {pow,  atan2,    hypot,
                                                       fmod, copysign, remainder};
    uint64_t which = call->args[0];
    double x = bits_double(call->args[1]), y = bits_double(call->args[2]);
    int saved = errno;
    if (which < COUNT(of_one))
        call->result = double_bits(of_one[which](x));
    else if (which >= 100 && which - 100 < COUNT(of_two))
        call->result = double_bits(of_two[which - 100](x, y));
    else
        return host_fail(h, "no function of numbers has the number %d", (int)which);
    errno = saved;
    return true;
}
