// SPDX-License-Identifier: Apache-2.0
/* outside: what the tests of a kernel's accesses (gen/c/inside.c) are made against, and what is
 * said of one that is outside, or of another lane that fails. */
#include "device/cpu/cpu.h"
#include "device/window.h"

#include <stdio.h>
#include <stdlib.h>

const KernelRange *outside_ranges(const Device *device, const CompiledKernel *kernel, void **args,
                                  KernelRange *few, int most) {
    size_t count = (size_t)kernel->num_params;
    KernelRange *ranges = kernel->num_params > most ? malloc(count * sizeof *ranges) : few;
    for (int i = 0; ranges && i < kernel->num_params; i++) {
        const DeviceRange *range = window_of_param(device, kernel, args, i);
        ranges[i] = range ? (KernelRange){(uint64_t)(uintptr_t)range->base, range->size}
                          : (KernelRange){1, device->has_raw_pointers ? UINT64_MAX - 1 : 0};
    }
    return ranges;
}

int64_t outside_room(const Device *device, _Atomic int *near, uint64_t address, int size_bytes) {
    int count = device->num_ranges, first = atomic_load_explicit(near, memory_order_relaxed);
    for (int k = 0; k < count; k++) {
        int i = first + k < count ? first + k : first + k - count;
        uint64_t at = address - (uint64_t)(uintptr_t)device->ranges[i].base;
        if (at >= device->ranges[i].size) continue;
        if (i != first) atomic_store_explicit(near, i, memory_order_relaxed);
        return (int64_t)((device->ranges[i].size - at) / (uint64_t)size_bytes);
    }
    return device->has_raw_pointers && address ? INT64_MAX : 0;
}

/* An access as "LINE:COLUMN:PARAM BYTES RANK SIZE ..:WORDS" has it; line 0: of another file, which
 * is behind the words. Words of several are all there is to say. */
typedef struct AccessText {
    int line, column, param, bytes, rank, sizes[MAX_LANE_RANK];
    Str words, elsewhere;
} AccessText;

static AccessText text_read(const char *text) {
    AccessText r = {0};
    char *at;
    r.line = (int)strtol(text, &at, 10);
    r.column = (int)strtol(at + 1, &at, 10);
    r.param = (int)strtol(at + 1, &at, 10);
    r.bytes = (int)strtol(at, &at, 10);
    r.rank = (int)strtol(at, &at, 10);
    for (int i = 0; i < r.rank; i++) r.sizes[i] = (int)strtol(at, &at, 10);
    Str rest = str_of(at + 1);
    const char *end = strchr(at + 1, '\n');
    r.words = (Str){rest.data, end ? (int)(end - rest.data) : rest.length};
    if (end) r.elsewhere = str_of(end + 1);
    return r;
}

Span place_span(const Source *source, long line, long column) {
    if (!source || line <= 0 || line > source->num_lines) return (Span){0};
    int start = source->line_starts[line - 1] + (int)column - 1;
    if (start > source->text.length) start = source->text.length;
    return (Span){source, start, start};
}

Str place_words(Arena *arena, Span span, const char *said, const LanePlace *place, const int *grid,
                Str more) {
    Diag diag = {.arena = arena};
    Buf where = {.arena = arena};
    diag_add(&diag, DIAG_ERROR, span, "%s", said);
    buf_printf(&where, "in program (%d, %d, %d) of a grid of (%d, %d, %d)", place->program[0],
               place->program[1], place->program[2], grid[0], grid[1], grid[2]);
    for (int i = 0; i < place->rank; i++)
        buf_printf(&where, "%s%d%s", i ? ", " : ", lane [", place->index[i],
                   i + 1 < place->rank ? "" : "]");
    if (more.length) buf_printf(&where, "; %.*s", STR_ARG(more));
    diag_note(&diag, (Span){0}, "%s", where.data);
    return diag_words(arena, &diag);
}

static LanePlace place_of(const OutsideAccess *access, const AccessText *text) {
    LanePlace place = {.rank = text->rank};
    long long lane = access->lane;
    memcpy(place.program, access->program, sizeof place.program);
    for (int i = text->rank - 1; i >= 0; lane /= text->sizes[i--])
        place.index[i] = (int)(lane % text->sizes[i]);
    return place;
}

Str outside_words(Arena *arena, const OutsideAccess *access) {
    AccessText text = text_read(access->text);
    char said[400];
    /* The nearest buffer says nothing here, where they lie beside each other. */
    WindowFault fault = {.device = access->device,
                         .kernel = text.param >= 0 ? access->kernel : NULL,
                         .args = access->args,
                         .param = text.param,
                         .what = str_c(arena, text.words),
                         .address = access->address,
                         .bytes = text.bytes};
    if (memchr(text.words.data, ' ', (size_t)text.words.length))
        snprintf(said, sizeof said, "%s", fault.what);
    else
        window_say_outside(&fault, said, sizeof said);
    Span span = place_span(access->kernel->place.source, text.line, text.column);
    LanePlace place = place_of(access, &text);
    return place_words(arena, span, said, &place, access->grid, text.elsewhere);
}
