// SPDX-License-Identifier: Apache-2.0
/* ops: the tables behind ops.def and enums.def, and what they say of an op. */
#include "ir/ir.h"

const OpInfo op_infos[NUM_OP_KINDS] = {
#define OP(kind, name, least, most, results, regions, rule, traits, meaning, ...)                  \
    [OP_##kind] = {name, least, most, results, regions, rule, traits, meaning, {__VA_ARGS__}},
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
    if (op->kind == OP_INLINE_ASM) return op->attrs[attr_index(op->kind, "pure")].i != 0;
    if (op_has_trait(op, PURE)) return true;
    if (op->kind == OP_FOR && (!value_is_int(op->operands[2], &step) || step == 0)) return false;
    if (op->kind != OP_FOR && op->kind != OP_IF) return false; /* a while may never end */
    for (int i = 0; i < op->num_regions; i++)
        if (!region_is_pure(op->regions[i])) return false;
    return true;
}

int attr_index(OpKind kind, const char *name) {
    for (int i = 0; i < MAX_ATTRS && op_infos[kind].attrs[i].name; i++)
        if (!strcmp(op_infos[kind].attrs[i].name, name)) return i;
    return -1;
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
