// SPDX-License-Identifier: Apache-2.0
/* owner: of each element that a launch touches, which program stored to it, which changed it and
 * which read it. On the interpreter programs run one after another, so that a kernel whose programs
 * disturb each other gives one answer of many; here it shows all the same:
 *   - an element that one program changes and another one reads, or that two change: a race;
 *   - one that two programs store, the same value: no race, but done twice.
 * Programs that wait for each other by atomics order their accesses; who did is not followed here
 * (device sim does), so such kernels are not judged. */
#include "device/interp/interp.h"

#include <stdio.h>
#include <stdlib.h>

enum { SEVERAL = -1 };

typedef struct Owner {
    int32_t stored, changed, read; /* by which program, from 1; 0: none; SEVERAL */
    const Op *store, *load;        /* where */
} Owner;

#define MOST_OWNERS ((size_t)1 << 22)

struct Owners {
    const Device *device;
    const char *not_checked; /* why; NULL: all is */
    int granule;             /* bytes of the narrowest access */
    int num_ranges, last;
    Owner **by_range;
};

/* Whether programs can order each other's accesses; and the narrowest access. */
static bool can_order(const Region *region, int *granule) {
    bool orders = false;
    for (const Op *op = region->first; op; op = op->next) {
        const Value *pointer =
            op_has_trait(op, READS) || op_has_trait(op, WRITES) ? access_pointer(op) : NULL;
        if (pointer) {
            int size = type_size_bytes(type_lane(pointer->type)->elem);
            if (size < *granule) *granule = size;
        }
        orders |= op->kind == OP_ATOMIC_CAS || op->kind == OP_ATOMIC_RMW ||
                  (op->kind == OP_LOAD && load_volatile(op)) ||
                  (op->kind == OP_INLINE_ASM && !op_is_pure(op));
        for (int i = 0; i < op->num_regions; i++) orders |= can_order(op->regions[i], granule);
    }
    return orders;
}

bool owners_begin(Launch *launch, Owners **result) {
    const Device *device = launch->device;
    Owners *o = *result = calloc(1, sizeof *o);
    size_t total = 0;
    if (!o) return false;
    *o = (Owners){.device = device, .granule = 8, .num_ranges = device->num_ranges};
    bool orders = can_order(launch->loaded->kernel->ir->body, &o->granule);
    for (int i = 0; i < device->num_ranges; i++)
        total += device->ranges[i].size / (size_t)o->granule + 1;
    uint64_t programs = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    if (orders)
        o->not_checked =
            "races between programs on interp, and what they write twice: the kernel "
            "has atomics or volatile loads, which may order them; device sim follows that";
    else if (total > MOST_OWNERS || programs >= INT32_MAX)
        o->not_checked = "races between programs on interp, and what they write twice: the tensors "
                         "or the grid are too large";
    if (o->not_checked) return true;
    o->by_range = calloc((size_t)device->num_ranges + 1, sizeof *o->by_range);
    for (int i = 0; i < device->num_ranges; i++) {
        size_t count = device->ranges[i].size / (size_t)o->granule + 1;
        if (!o->by_range || !(o->by_range[i] = calloc(count, sizeof(Owner)))) return false;
    }
    return o->by_range != NULL;
}

void owners_end(Owners *o) {
    for (int i = 0; o && o->by_range && i < o->num_ranges; i++) free(o->by_range[i]);
    if (o) free(o->by_range);
    free(o);
}

void owners_note(Owners *o, Findings *findings) {
    if (!o || !o->not_checked) return;
    Finding *found = finding_add(findings, TERN_NOT_CHECKED, (Span){0});
    if (found) snprintf(found->text, sizeof found->text, "%s", o->not_checked);
}

/* The first of the owners that an access covers; NULL: it is in no buffer, or nothing is kept. */
static Owner *owners_at(Owners *o, const char *memory) {
    if (o->not_checked) return NULL;
    for (int i = 0; i < o->num_ranges; i++) {
        int k = (o->last + i) % o->num_ranges;
        const DeviceRange *range = &o->device->ranges[k];
        if (memory < range->base || memory >= range->base + range->size) continue;
        o->last = k;
        return &o->by_range[k][(size_t)(memory - range->base) / (size_t)o->granule];
    }
    return NULL;
}

static int32_t number_of(const Program *p) {
    const uint32_t *grid = p->launch->grid;
    return (int32_t)(1 + p->id[0] + (uint64_t)grid[0] * (p->id[1] + (uint64_t)grid[1] * p->id[2]));
}

static void say_element(Program *p, const Op *op, const char *memory, char *text, size_t size) {
    WindowFault fault = {.device = p->launch->device,
                         .kernel = p->launch->loaded->kernel,
                         .args = p->launch->args,
                         .param = p->launch->loaded->params[access_pointer(op)->id],
                         .address = (uint64_t)(uintptr_t)memory};
    window_say_element(&fault, text, size);
}

static void say(Program *p, const Op *op, int lane, tern_finding_kind kind, const char *memory,
                const char *what, int32_t other, const Op *by) {
    Finding *found = finding_add(watch_list(p->launch), kind, op->span);
    char element[160], lanes[128];
    if (!found) return;
    say_element(p, op, memory, element, sizeof element);
    int used = snprintf(found->text, sizeof found->text, "%s %s", element, what);
    if (other == SEVERAL)
        snprintf(found->text + used, sizeof found->text - (size_t)used,
                 " several other programs (line %d)", span_line(by->span));
    else {
        const uint32_t *grid = p->launch->grid;
        uint32_t n = (uint32_t)other - 1;
        snprintf(found->text + used, sizeof found->text - (size_t)used,
                 " program (%u, %u, %u) (line %d)", n % grid[0], n / grid[0] % grid[1],
                 n / grid[0] / grid[1], span_line(by->span));
    }
    program_say_program(p, found->where, 120);
    lane_words(p, access_pointer(op)->type, lane, lanes, sizeof lanes);
    strcat(found->where, lanes);
}

void owner_read(Program *p, const Op *op, int lane, const char *memory, int size) {
    Owners *o = watch_owners(p->launch);
    Owner *owner = owners_at(o, memory);
    int32_t me = number_of(p);
    for (int i = 0; owner && i < size; i += o->granule, owner++) {
        if (owner->changed && owner->changed != me)
            say(p, op, lane, TERN_FOUND_RACE, memory,
                "is read here and, unordered with that, changed by", owner->changed, owner->store);
        owner->read = !owner->read || owner->read == me ? me : SEVERAL;
        owner->load = op;
    }
}

void owner_write(Program *p, const Op *op, int lane, const char *memory, int size, bool changes) {
    Owners *o = watch_owners(p->launch);
    Owner *owner = owners_at(o, memory);
    int32_t me = number_of(p);
    for (int i = 0; owner && i < size; i += o->granule, owner++) {
        if (changes && owner->stored && owner->stored != me)
            say(p, op, lane, TERN_FOUND_RACE, memory,
                "is written here and, another value, unordered with that, by", owner->stored,
                owner->store);
        else if (changes && owner->read && owner->read != me)
            say(p, op, lane, TERN_FOUND_RACE, memory,
                "is changed here and, unordered with that, read by", owner->read, owner->load);
        else if (!changes && owner->stored && owner->stored != me)
            say(p, op, lane, TERN_FOUND_TWICE, memory,
                "is written here and, with the same value, by", owner->stored, owner->store);
        owner->stored = me;
        owner->store = op;
        if (changes) owner->changed = me;
    }
}
