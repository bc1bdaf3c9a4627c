// SPDX-License-Identifier: Apache-2.0
/* ops: the tables behind ops.def and enums.def, and what they say of an op. */
#include "ir/ir.h"

const OpInfo op_infos[NUM_OP_KINDS] = {
#define OP(kind, text_, least, most, results, regions, rule_, traits_, meaning_)                   \
    [OP_##kind].name = text_, [OP_##kind].least_operands = least,                                  \
    [OP_##kind].most_operands = most, [OP_##kind].num_results = results,                           \
    [OP_##kind].num_regions = regions, [OP_##kind].rule = rule_, [OP_##kind].traits = traits_,     \
    [OP_##kind].meaning = meaning_,
#define ATTR(kind, noun, name, type) [OP_##kind].attrs[kind##_##name] = {#name, ATTR_##type},
#include "ir/ops.def"
};

static const char *const *const attr_words[NUM_ATTR_KINDS] = {
#define WORDS(kind)          [kind] = (const char *const[]) {
#define WORD(constant, text) text,
#define WORDS_END                                                                                  \
    NULL                                                                                           \
    }                                                                                              \
    ,
#include "ir/enums.def"
#undef WORDS
#undef WORD
#undef WORDS_END
};

const OpInfo *op_info(OpKind kind) { return &op_infos[kind]; }

bool op_has_trait(const Op *op, int trait) { return (op_infos[op->kind].traits & trait) != 0; }

static bool region_is_pure(const Region *region) {
    for (const Op *op = region->first; op; op = op->next)
        if (op->kind != OP_YIELD && !op_is_pure(op)) return false;
    return true;
}

bool op_is_pure(const Op *op) {
    int64_t step;
    if (op->kind == OP_INLINE_ASM) return inline_asm_pure(op) != 0;
    if (op_has_trait(op, PURE)) return true;
    if (op->kind == OP_FOR && (!value_is_int(for_step(op), &step) || step == 0)) return false;
    if (op->kind != OP_FOR && op->kind != OP_IF) return false; /* a while may never end */
    for (int i = 0; i < op->num_regions; i++)
        if (!region_is_pure(op->regions[i])) return false;
    return true;
}

bool value_is_inside(const Value *value, const Region *region) {
    const Region *at = value->def ? value->def->parent : value->region;
    while (at && at != region) at = at->owner ? at->owner->parent : NULL;
    return at != NULL;
}

bool region_has(const Region *region, OpKind kind) {
    for (const Op *op = region->first; op; op = op->next) {
        if (op->kind == kind) return true;
        for (int i = 0; i < op->num_regions; i++)
            if (region_has(op->regions[i], kind)) return true;
    }
    return false;
}

void op_note_operands(const Op *op, bool *is_read) {
    for (int i = 0; i < op->num_operands; i++) is_read[op->operands[i]->id] = true;
    for (int i = 0; i < op->num_regions; i++)
        for (const Op *in = op->regions[i]->first; in; in = in->next) op_note_operands(in, is_read);
}

const Op *op_outermost_loop(const Op *op) {
    const Op *loop = NULL;
    for (const Op *at = op->parent->owner; at; at = at->parent->owner)
        if (at->kind == OP_FOR || at->kind == OP_WHILE) loop = at;
    return loop;
}

bool op_is_before(const Op *op, const Op *other) {
    while (op && op != other) op = op->next;
    return op != NULL;
}

typedef struct Waiting {
    const Op *loop;
    const Value *seen[32];
    int count;
} Waiting;

static bool is_inside(const Op *loop, const Op *op) {
    while (op && op != loop) op = op->parent->owner;
    return op != NULL;
}

/* Is the value made of what a turn of the loop has read? What is not plain, is. */
static bool is_of_reads(Waiting *w, const Value *value) {
    const Op *op = value->def, *loop = w->loop;
    for (int i = 0; i < w->count; i++)
        if (w->seen[i] == value) return false;
    if (w->count == COUNT(w->seen)) return true;
    w->seen[w->count++] = value;
    if (!op && value->region == while_test(loop))
        return is_of_reads(w, while_next(loop, value->index));
    if (!op && value->region == while_body(loop))
        return is_of_reads(w, while_passed(loop, value->index));
    if (!op) return value->region->owner && is_inside(loop, value->region->owner);
    if (!is_inside(loop, op)) return false;
    if (op->num_regions || !op_has_trait(op, PURE)) return true;
    for (int i = 0; i < op->num_operands; i++)
        if (is_of_reads(w, op->operands[i])) return true;
    return false;
}

bool while_waits(const Op *op) {
    Waiting w = {.loop = op};
    return is_of_reads(&w, while_condition(op));
}

bool op_is_in_loop(const Op *op) {
    const Op *owner = op->parent->owner;
    while (owner && owner->kind != OP_FOR && owner->kind != OP_WHILE) owner = owner->parent->owner;
    return owner != NULL;
}

typedef Value *Operand(const Op *op);

static Value *none(const Op *op) {
    (void)op;
    return NULL;
}

static Value *access_operand(const Op *op, Operand *load, Operand *store, Operand *rmw,
                             Operand *cas, Operand *fill) {
    switch (op->kind) {
    case OP_LOAD: return load(op);
    case OP_STORE: return store(op);
    case OP_ATOMIC_RMW: return rmw(op);
    case OP_ATOMIC_CAS: return cas(op);
    case OP_FILL: return fill(op);
#define OP(kind, ...) case OP_##kind:
#define MEMORY(...)
#define ASYNC(...)
#include "ir/ops.def"
    case OP_BARRIER:
    case OP_MEET:
    case OP_STOW:
    case OP_FETCH:
    case OP_RING:
    case OP_ACQUIRE:
    case OP_FILL_BOX:
    case OP_COMMIT:
    case OP_PUT:
    case OP_READY:
    case OP_PEEK:
    case OP_SETTLE:
    case OP_RELEASE: return NULL;
    case NUM_OP_KINDS: break;
    }
    return NULL;
}

Value *access_pointer(const Op *op) {
    return access_operand(op, load_pointer, store_pointer, atomic_rmw_pointer, atomic_cas_pointer,
                          fill_pointer);
}

Value *access_value(const Op *op) {
    return access_operand(op, none, store_value, atomic_rmw_value, atomic_cas_value, none);
}

Value *access_mask(const Op *op) {
    return access_operand(op, load_mask, store_mask, atomic_rmw_mask, atomic_cas_mask, fill_mask);
}

bool op_only_tests(const Op *op) {
    return op->kind == OP_ASSUME || (op->kind == OP_ASSERT && assert_always(op));
}

bool access_ends(const Op *op) {
    return (op->kind == OP_LOAD && load_ends(op)) || (op->kind == OP_FILL && fill_ends(op)) ||
           (op->kind == OP_STORE && store_ends(op) == ENDS_MASKED);
}

Value *access_other(const Op *op) {
    return access_operand(op, load_other, none, none, none, fill_other);
}

bool is_ring_op(const Op *op) {
    return is_turn_op(op) || op->kind == OP_RING || op->kind == OP_COMMIT || op->kind == OP_SETTLE;
}

bool is_turn_op(const Op *op) {
    switch (op->kind) {
    case OP_ACQUIRE:
    case OP_FILL:
    case OP_FILL_BOX:
    case OP_PUT:
    case OP_READY:
    case OP_PEEK:
    case OP_RELEASE: return true;
#define OP(kind, ...) case OP_##kind:
#define ASYNC(...)
#include "ir/ops.def"
    case OP_RING:
    case OP_COMMIT:
    case OP_SETTLE:
    case NUM_OP_KINDS: break;
    }
    return false;
}

const char *attr_word(AttrKind kind, int64_t value) {
    const char *const *words = attr_words[kind];
    if (!words || value < 0) return NULL;
    for (int64_t i = 0; words[i]; i++)
        if (i == value) return words[i];
    return NULL;
}

int attr_from_word(AttrKind kind, Str word) {
    const char *const *words = attr_words[kind];
    for (int i = 0; words && words[i]; i++)
        if (str_is(word, words[i])) return i;
    return -1;
}
