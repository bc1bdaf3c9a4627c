// SPDX-License-Identifier: Apache-2.0
/* cupti: loads CUPTI, attaches to the process, and gathers the buffers of records.
 *
 * CUPTI allows one subscriber in a process: being it is what makes the buffers ours. They come on a
 * thread of CUPTI's, through functions that have no place for a user's pointer, so that the list
 * of those that are full is the process's. The library is never unloaded: its thread may still
 * run. */
#include "prof/cupti.h"

#include "base/base.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct CuptiBuffer {
    struct CuptiBuffer *next;
    size_t valid_bytes;
    uint64_t data[];
} CuptiBuffer;

enum { BUFFER_BYTES = 4 << 20 };     /* NVIDIA's advice is 1 to 10 MB */
enum { MOST_BUFFERS = 256 };         /* 1 GiB that waits to be taken */
enum { OLDEST_API = 17 };            /* CUDA 11.6: the first with a clock of the user's */
enum { RECORD_BYTES_AT_LEAST = 40 }; /* CUpti_ActivityAPI, the smallest that is asked for */

static CuptiBuffer *full;  /* newest first */
static int num_full;       /* about */
static int64_t lost_bytes; /* of buffers beyond the most */

/* ---- what CUPTI calls, on threads of its own and of the user's ---- */

static uint64_t now(void) { return (uint64_t)clock_ns(); }

static void callback(void *user, CuptiDomain domain, uint32_t call, const void *data) {
    (void)user, (void)domain, (void)call, (void)data;
}

static void give_buffer(uint8_t **buffer, size_t *bytes, size_t *most_records) {
    CuptiBuffer *fresh = calloc(1, sizeof *fresh + BUFFER_BYTES);
    *buffer = fresh ? (uint8_t *)fresh->data : NULL;
    *bytes = fresh ? BUFFER_BYTES : 0;
    *most_records = 0; /* as many as there is room for */
}

static void keep_buffer(CudaContext context, uint32_t stream, uint8_t *data, size_t bytes,
                        size_t valid_bytes) {
    (void)context, (void)stream, (void)bytes;
    if (!data) return;
    CuptiBuffer *buffer = (CuptiBuffer *)(void *)(data - offsetof(CuptiBuffer, data));
    if (!valid_bytes || __atomic_load_n(&num_full, __ATOMIC_RELAXED) >= MOST_BUFFERS) {
        __atomic_fetch_add(&lost_bytes, (int64_t)valid_bytes, __ATOMIC_RELAXED);
        free(buffer);
        return;
    }
    buffer->valid_bytes = valid_bytes;
    __atomic_fetch_add(&num_full, 1, __ATOMIC_RELAXED);
    buffer->next = __atomic_load_n(&full, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&full, &buffer->next, buffer, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
        ;
}

/* ---- loading ---- */

static bool find(void *library, const char *symbol, void *slot) {
    void *found = dlsym(library, symbol);
    memcpy(slot, &found, sizeof found); /* ISO C has no cast from object to function pointer */
    return found != NULL;
}

static void *open_in(const char *folder, const char *below) {
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/%s/libcupti.so", folder, below);
    return length < (int)sizeof path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
}

/* One that is loaded already comes first: two of them in a process are one too many. */
void *cupti_library(void) {
    static const char *const names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};
    static const char *const below[] = {"lib64", "lib", "extras/CUPTI/lib64"};
    const char *path = getenv("TERN_CUPTI"), *home = getenv("CUDA_HOME");
    if (path && *path) return dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *library = NULL;
    for (int i = 0; i < COUNT(names) && !library; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    for (int i = 0; i < COUNT(names) && !library; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    for (int i = 0; i < COUNT(below) && !library; i++) {
        if (home && *home) library = open_in(home, below[i]);
        if (!library) library = open_in("/usr/local/cuda", below[i]);
    }
    return library;
}

static bool load(Cupti *cupti, char *words, size_t size) {
    *cupti = (Cupti){.library = cupti_library()};
    if (!cupti->library)
        return snprintf(words, size, "libcupti.so is not here; TERN_CUPTI may name it"), false;
    const char *missing = NULL;
#define CUPTI_CALL(name, symbol, parameters, arguments)                                            \
    if (!find(cupti->library, #symbol, &cupti->name) && !missing) missing = #symbol;
#define CUPTI_OPTIONAL(name, symbol, parameters, arguments)                                        \
    find(cupti->library, #symbol, &cupti->name);
#include "prof/cupti.def"
#undef CUPTI_CALL
    if (!missing && cupti->version(&cupti->api) == CUPTI_OK && cupti->api >= OLDEST_API)
        return true;
    if (missing)
        snprintf(words, size, "libcupti.so is too old: it lacks %s; CUDA 11.6's has it", missing);
    else
        snprintf(words, size, "libcupti.so is too old: its API is %u, CUDA 11.6's is %d",
                 cupti->api, OLDEST_API);
    return false;
}

/* ---- attaching ---- */

static const CuptiKind kinds[] = {CUPTI_KERNEL, CUPTI_MEMCPY,  CUPTI_MEMSET,
                                  CUPTI_DRIVER, CUPTI_RUNTIME, CUPTI_OVERHEAD};

static CuptiResult attach(Cupti *cupti, const char **doing) {
    uint8_t zeroed = 1;
    size_t size = sizeof zeroed;
    *doing = "attach";
    CuptiResult result = cupti->subscribe(&cupti->subscriber, callback, NULL);
    if (result != CUPTI_OK) {
        cupti->subscriber = NULL;
        cupti->is_taken = result == CUPTI_MULTIPLE_SUBSCRIBERS;
        return result;
    }
    *doing = "set it up";
    if (cupti->set_attribute) cupti->set_attribute(CUPTI_BUFFERS_ARE_ZEROED, &size, &zeroed);
    result = cupti->thread_ids(CUPTI_SYSTEM_THREADS);
    if (result == CUPTI_OK) result = cupti->clock(now);
    if (result == CUPTI_OK) result = cupti->buffers(give_buffer, keep_buffer);
    for (int i = 0; i < COUNT(kinds) && result == CUPTI_OK; i++) {
        *doing = "record";
        result = cupti->enable(kinds[i]);
    }
    cupti->has_no_peers = result == CUPTI_OK && cupti->enable(CUPTI_PEER_COPY) != CUPTI_OK;
    if (result == CUPTI_OK && cupti->record_driver) {
        cupti->record_driver(CUPTI_CTX_SET_CURRENT, 0);
        cupti->record_driver(CUPTI_CTX_GET_CURRENT, 0);
    }
    return result;
}

bool cupti_open(Cupti *cupti, char *words, size_t size) {
    const char *doing, *text = NULL;
    if (!load(cupti, words, size)) return false;
    CuptiResult result = attach(cupti, &doing);
    if (result == CUPTI_OK) return true;
    if (result == CUPTI_MULTIPLE_SUBSCRIBERS)
        snprintf(words, size, "another profiler is attached to this process");
    else if (cupti->words(result, &text) == CUPTI_OK && text)
        snprintf(words, size, "CUPTI cannot %s: %s%s", doing, text,
                 result == CUPTI_NOT_INITIALIZED ? "; is it newer than the driver?" : "");
    else
        snprintf(words, size, "CUPTI cannot %s: error %d", doing, (int)result);
    cupti_close(cupti);
    return false;
}

static void free_buffers(CuptiBuffer **list) {
    while (*list) {
        CuptiBuffer *buffer = *list;
        *list = buffer->next;
        free(buffer);
    }
}

void cupti_close(Cupti *cupti) {
    if (cupti->subscriber) {
        for (int i = 0; i < COUNT(kinds); i++) cupti->disable(kinds[i]);
        cupti->disable(CUPTI_PEER_COPY);
        cupti_take(cupti);
        cupti->unsubscribe(cupti->subscriber);
        cupti->subscriber = NULL;
    }
    free_buffers(&cupti->taken);
}

/* ---- records ---- */

int64_t cupti_take(Cupti *cupti) {
    size_t dropped = 0;
    free_buffers(&cupti->taken);
    cupti->flush(CUPTI_FLUSH_FORCED);
    if (cupti->dropped(NULL, 0, &dropped) != CUPTI_OK) dropped = 0;
    CuptiBuffer *buffer = __atomic_exchange_n(&full, NULL, __ATOMIC_ACQUIRE);
    while (buffer) { /* oldest first */
        CuptiBuffer *next = buffer->next;
        buffer->next = cupti->taken;
        cupti->taken = buffer;
        buffer = next;
        __atomic_fetch_sub(&num_full, 1, __ATOMIC_RELAXED);
    }
    int64_t bytes = __atomic_exchange_n(&lost_bytes, 0, __ATOMIC_RELAXED);
    return (int64_t)dropped + (bytes + RECORD_BYTES_AT_LEAST - 1) / RECORD_BYTES_AT_LEAST;
}

const CuptiRecord *cupti_next(Cupti *cupti, const CuptiRecord *record) {
    while (cupti->taken) {
        CuptiBuffer *buffer = cupti->taken;
        CuptiRecord *next = (CuptiRecord *)(uintptr_t)record;
        if (cupti->next((uint8_t *)buffer->data, buffer->valid_bytes, &next) == CUPTI_OK)
            return next;
        cupti->taken = buffer->next;
        free(buffer);
        record = NULL;
    }
    return NULL;
}

const char *cupti_call_name(const Cupti *cupti, const CuptiCall *call) {
    const char *name = NULL;
    CuptiDomain domain = call->kind == CUPTI_RUNTIME ? CUPTI_RUNTIME_CALLS : CUPTI_DRIVER_CALLS;
    return cupti->call_name(domain, call->call, &name) == CUPTI_OK && name ? name : "CUDA call";
}
