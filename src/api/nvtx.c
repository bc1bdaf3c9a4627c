// SPDX-License-Identifier: Apache-2.0
/* nvtx: ranges and calls reach Nsight Systems and Nsight Compute, or any tool that NVTX's variable
 * NVTX_INJECTION64_PATH names, as ranges of the domain "tern" with registered strings.
 *
 * This is what NVTX 3's headers do (nvtxDetail/nvtxInit.h, nvtxTypes.h): load the library, call its
 * InitializeInjectionNvtx2 with a function that hands out tables of slots, and call what the tool
 * has put into them. Where nobody asks, nothing is loaded, and a range costs a comparison.
 *
 * The slots are the process's, not a context's: their interface has no place for a user's pointer,
 * and tools keep their addresses. A tool may ask for tables of which we use no slot, and may fill
 * its slots long after (CUPTI does, when it is told to): each is looked at when it is to be called,
 * and the domain made when there is who makes one. */
#include "api/context.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* nvtxTypes.h: NvtxCallbackModule, NvtxCallbackIdCore2, NvtxExportTableID; nvToolsExt.h. */
enum {
    MODULE_CUDA = 2,
    MODULE_CORE2 = 5,
    NUM_MODULES = 7,
    TABLE_CALLBACKS = 1,
    TABLE_VERSION = 3,
    NVTX_VERSION = 3
};
enum {
    PUSH = 4,
    POP = 5,
    NAME_CATEGORY = 8,
    REGISTER = 10,
    CREATE = 12,
    DESTROY = 14,
    NUM_SLOTS = 16
};
enum { NAME_STREAM = 5 }; /* NvtxCallbackIdCuda: nvtxNameCuStreamA */
enum { COLOR_ARGB = 1, PAYLOAD_UINT64 = 1, MESSAGE_ASCII = 1, MESSAGE_REGISTERED = 3 };

typedef void (*NvtxSlot)(void);
typedef struct NvtxAttributes { /* nvtxEventAttributes_v2 */
    uint16_t version, size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    uint64_t payload;
    int32_t message_type;
    void *message;
} NvtxAttributes;
_Static_assert(sizeof(NvtxAttributes) == 48, "nvtxEventAttributes_v2 has 48 bytes");

struct Nvtx { /* of a context */
    Arena *arena;
    jmp_buf no_memory;
    void *domain;
    Map strings; /* name -> registered string */
    int depth;   /* ranges that are open: no more are ended */
    int num_streams;
};

/* NVTX_CBID_.._SIZE of NvtxCallbackModule: core, CUDA, OpenCL, CUDA's runtime, core 2, sync. */
static const unsigned module_sizes[NUM_MODULES] = {0, 16, 9, 15, 7, NUM_SLOTS, 7};
static NvtxSlot module_slots[NUM_MODULES][NUM_SLOTS];
static NvtxSlot *module_tables[NUM_MODULES][NUM_SLOTS + 1];
static bool is_attached;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* ---- what the tool calls ---- */

static int module_table(int module, NvtxSlot ***table, unsigned *size) {
    if (module <= 0 || module >= NUM_MODULES) return 0;
    if (table) *table = module_tables[module];
    if (size) *size = module_sizes[module];
    return 1;
}

static void tool_version(uint32_t version) { (void)version; }

static const void *export_table(uint32_t table) {
    static const struct {
        size_t struct_size;
        int (*module_table)(int, NvtxSlot ***, unsigned *);
    } callbacks = {sizeof callbacks, module_table};
    static const struct {
        size_t struct_size;
        uint32_t version, reserved;
        void (*tool_version)(uint32_t);
    } versions = {sizeof versions, NVTX_VERSION, 0, tool_version};
    return table == TABLE_CALLBACKS ? (const void *)&callbacks
           : table == TABLE_VERSION ? (const void *)&versions
                                    : NULL;
}

/* As NVTX: a library that cannot be loaded, or that does not want to, is no tool. */
static void attach(void) {
    const char *path = getenv("NVTX_INJECTION64_PATH");
    void *library = path && *path ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : NULL;
    int (*initialize)(const void *(*)(uint32_t)) = NULL;
    if (library) *(void **)&initialize = dlsym(library, "InitializeInjectionNvtx2");
    for (int module = 1; module < NUM_MODULES; module++)
        for (unsigned i = 1; i < module_sizes[module]; i++)
            module_tables[module][i] = &module_slots[module][i];
    is_attached = initialize && initialize(export_table);
    if (library && !is_attached) dlclose(library);
}

/* ---- what we call ---- */

/* NULL: the tool has none, or none yet. */
static NvtxSlot slot_of(int module, int which) {
    return __atomic_load_n(&module_slots[module][which], __ATOMIC_ACQUIRE);
}
static NvtxSlot slot(int which) { return slot_of(MODULE_CORE2, which); }

static const struct {
    const char *name;
    uint32_t color;
} categories[] = {
    [TERN_CALL_RANGE] = {"range", 0xff9aa0a6},     [TERN_CALL_OP] = {"op", 0xff4285f4},
    [TERN_CALL_LAUNCH] = {"launch", 0xff34a853},   [TERN_CALL_GRAPH] = {"graph", 0xff188038},
    [TERN_CALL_WRITE] = {"write", 0xfffbbc04},     [TERN_CALL_READ] = {"read", 0xfff29900},
    [TERN_CALL_FILL] = {"fill", 0xfffde293},       [TERN_CALL_WAIT] = {"wait", 0xffea4335},
    [TERN_CALL_COMPILE] = {"compile", 0xffa142f4},
};

static void name_categories(const Nvtx *nvtx) {
    void (*name)(void *, uint32_t, const char *) =
        (void (*)(void *, uint32_t, const char *))slot(NAME_CATEGORY);
    for (int i = 0; name && i < COUNT(categories); i++)
        name(nvtx->domain, (uint32_t)i + 1, categories[i].name);
}

static void open_domain(Nvtx *nvtx) {
    void *(*create)(const char *) = (void *(*)(const char *))slot(CREATE);
    if (nvtx->domain || !create) return;
    nvtx->domain = create("tern");
    name_categories(nvtx);
}

Nvtx *nvtx_open(void) {
    pthread_once(&once, attach);
    if (!is_attached) return NULL;
    Nvtx *nvtx = calloc(1, sizeof *nvtx);
    if (!nvtx) return NULL;
    if (setjmp(nvtx->no_memory)) {
        free(nvtx);
        return NULL;
    }
    nvtx->arena = nvtx->strings.arena = arena_new(&nvtx->no_memory);
    open_domain(nvtx);
    return nvtx;
}

void nvtx_close(Nvtx *nvtx) {
    if (!nvtx) return;
    void (*destroy)(void *) = (void (*)(void *))slot(DESTROY);
    if (destroy && nvtx->domain) destroy(nvtx->domain);
    arena_free(nvtx->arena);
    free(nvtx);
}

static void *registered(Nvtx *nvtx, const char *name) {
    Str key = str_of(name);
    void *string = map_get(&nvtx->strings, key);
    void *(*make)(void *, const char *) = (void *(*)(void *, const char *))slot(REGISTER);
    if (string || !make || setjmp(nvtx->no_memory)) return string;
    string = make(nvtx->domain, name);
    map_set(&nvtx->strings, str_copy(nvtx->arena, key), string);
    return string;
}

void nvtx_stream(Nvtx *nvtx, void *handle) {
    void (*name)(void *, const char *) =
        (void (*)(void *, const char *))slot_of(MODULE_CUDA, NAME_STREAM);
    char words[32];
    snprintf(words, sizeof words, "tern %d", ++nvtx->num_streams);
    if (name && handle) name(handle, words);
}

/* The payload: bytes that are copied, or programs that are launched. */
static uint64_t payload_of(const tern_call *call) {
    if (call->kind != TERN_CALL_LAUNCH) return call->bytes;
    return (uint64_t)call->grid[0] * call->grid[1] * call->grid[2];
}

void nvtx_call(Nvtx *nvtx, const tern_call *call, bool begins) {
    int (*push)(void *, const NvtxAttributes *) =
        (int (*)(void *, const NvtxAttributes *))slot(PUSH);
    int (*pop)(void *) = (int (*)(void *))slot(POP);
    if (!push || !pop) return;
    if (begins) {
        open_domain(nvtx);
        uint64_t payload = payload_of(call);
        void *string = registered(nvtx, call->name);
        NvtxAttributes attributes = {.version = NVTX_VERSION,
                                     .size = sizeof attributes,
                                     .category = (uint32_t)call->kind + 1,
                                     .color_type = COLOR_ARGB,
                                     .color = categories[call->kind].color,
                                     .payload_type = payload ? PAYLOAD_UINT64 : 0,
                                     .payload = payload,
                                     .message_type = string ? MESSAGE_REGISTERED : MESSAGE_ASCII,
                                     .message = string ? string : (void *)(uintptr_t)call->name};
        push(nvtx->domain, &attributes);
        nvtx->depth++;
    } else if (nvtx->depth > 0) {
        pop(nvtx->domain);
        nvtx->depth--;
    }
}
