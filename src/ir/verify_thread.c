// SPDX-License-Identifier: Apache-2.0
/* verify_thread: thread form and spread form. A block of at most 1024 threads; memory is
 * allocated at the top of the function, once for each launch of a thread or block. In thread form
 * there are no tiles and no ops on them, in spread form no threads. */
#include "ir/verify.h"
#include "base/format.h"

enum {
    MAX_BLOCK_Z = 64,        /* CUDA programming guide, "Technical specifications" */
    MAX_ALLOC_ALIGN = 1 << 8 /* of memory of tern_alloc, too */
};

bool verify_thread_form(Verifier *v) {
    const int *block = v->fn->block;
    for (int i = 0; i < 3; i++) {
        int most = i == 2 ? MAX_BLOCK_Z : MAX_BLOCK_THREADS;
        if (block[i] < 1 || block[i] > most)
            return verify_bad(v, NULL, "a block of %d threads along axis %d, expected 1 to %d",
                              block[i], i, most);
    }
    if (func_threads(v->fn) > MAX_BLOCK_THREADS)
        return verify_bad(v, NULL, "a block of %d threads; at most %d", func_threads(v->fn),
                          MAX_BLOCK_THREADS);
    return !v->fn->target.length || verify_bad(v, NULL, "a target in %s form",
                                               v->fn->form == FORM_SPREAD ? "spread" : "thread");
}

bool verify_alloc(Verifier *v, const Op *op) {
    int64_t bytes = alloc_bytes(op), align = alloc_align(op);
    if (op_result(op)->type->kind != TYPE_PTR)
        return verify_bad(v, op, "expected a pointer, not %s",
                          verify_text_of(v, op_result(op)->type));
    if (bytes < 1 || bytes > MAX_ALLOC_BYTES)
        return verify_bad(v, op, "%lld bytes, expected 1 to %d", (long long)bytes, MAX_ALLOC_BYTES);
    if (v->fn->form == FORM_SPREAD && alloc_space(op) != ALLOC_SHARED)
        return verify_bad(v, op, "memory of a thread in spread form");
    if (align < 1 || align > MAX_ALLOC_ALIGN || (align & (align - 1)))
        return verify_bad(v, op, "an alignment of %lld", (long long)align);
    return op->parent == v->fn->body || verify_bad(v, op, "not at the top of the function");
}

bool verify_warp(Verifier *v, const Op *op) {
    for (int i = 0; i < op->num_operands; i++)
        if (op->operands[i]->type->kind != TYPE_I32)
            return verify_bad(v, op, "expected i32, not %s",
                              verify_text_of(v, op->operands[i]->type));
    return !op->num_results || op_result(op)->type->kind == TYPE_I32 ||
           verify_bad(v, op, "expected a result of i32");
}

/* A value for each conversion; in spread form, where lanes print, tiles, and their mask. */
bool verify_printf(Verifier *v, const Op *op) {
    int count = 0;
    Str rest = printf_text(op);
    bool has_mask = v->fn->form == FORM_SPREAD && op->num_operands &&
                    type_is_tile(op->operands[op->num_operands - 1]->type);
    const Value *mask = has_mask ? op->operands[op->num_operands - 1] : NULL;
    for (FormatPiece piece; format_next(&rest, &piece); count += piece.converts)
        if (piece.converts && (!piece.conversion.letter || piece.conversion.letter == 's'))
            return verify_bad(v, op, "a conversion that kernels do not have");
    if (count != op->num_operands - has_mask)
        return verify_bad(v, op, "%d values for %d conversions", op->num_operands - has_mask,
                          count);
    if (mask && !type_is_bool(type_lane(mask->type)))
        return verify_bad(v, op, "expected a mask, not %s", verify_text_of(v, mask->type));
    for (int i = 0; i < count; i++) {
        const Type *type = op->operands[i]->type;
        TypeKind kind = type_lane(type)->kind;
        if (kind != TYPE_I32 && kind != TYPE_I64 && kind != TYPE_F64)
            return verify_bad(v, op, "expected i32, i64 or f64, not %s", verify_text_of(v, type));
        if (mask ? !type_same_shape(type, mask->type) : type_is_tile(type))
            return verify_bad(v, op, "%s without a mask of its shape", verify_text_of(v, type));
    }
    return op_result(op)->type->kind == TYPE_I32 || verify_bad(v, op, "expected a result of i32");
}

bool verify_call(Verifier *v, const Op *op) {
    static const TypeKind launch[] = {TYPE_I32, TYPE_I32, TYPE_I32, TYPE_I32,
                                      TYPE_I32, TYPE_I32, TYPE_I64, TYPE_PTR};
    bool launches = call_launches(op) != 0;
    if (!call_name(op).length) return verify_bad(v, op, "a function without a name");
    if (op->num_results > (launches ? 0 : 1))
        return verify_bad(v, op, "%d results", op->num_results);
    if (launches && op->num_operands < COUNT(launch))
        return verify_bad(v, op, "%d operands of a launch", op->num_operands);
    for (int i = 0; launches && i < COUNT(launch); i++)
        if (op->operands[i]->type->kind != launch[i])
            return verify_bad(v, op, "operand %d of a launch is %s", i,
                              verify_text_of(v, op->operands[i]->type));
    for (int i = 0; i < op->num_results; i++)
        if (type_is_tile(op->results[i].type)) return verify_bad(v, op, "expected a scalar");
    return true;
}

/* What there is in thread form only, and what there is not. */
bool verify_thread_op(Verifier *v, const Op *op) {
    bool is_thread = v->fn->form == FORM_THREAD;
    bool is_of_cluster = op->kind == OP_RANK || op->kind == OP_MEET;
    if (is_of_cluster && func_has_threads(v->fn))
        return verify_bad(v, op, "in thread or spread form");
    switch (op->kind) {
#define BLOCK(kind, ...) case OP_##kind:
#include "ir/ops.def"
        return func_has_threads(v->fn) || verify_bad(v, op, "not in thread or spread form");
#define THREAD(kind, ...) case OP_##kind:
#include "ir/ops.def"
        return is_thread || verify_bad(v, op, "not in thread form");
    case OP_ARANGE:
    case OP_PRINT:
#define SHAPE(kind, ...)  case OP_##kind:
#define ASYNC(kind, ...)  case OP_##kind:
#define ACROSS(kind, ...) case OP_##kind:
#include "ir/ops.def"
        return !is_thread || verify_bad(v, op, "in thread form");
    case OP_CONSTANT:
    case OP_POISON:
    case OP_PROGRAM_ID:
    case OP_NUM_PROGRAMS:
    case OP_RANK:
    case OP_ASSUME:
    case OP_ASSERT:
    case OP_CLOCK:
    case OP_INLINE_ASM:
#define LANE(kind, ...)    case OP_##kind:
#define MEMORY(kind, ...)  case OP_##kind:
#define CONTROL(kind, ...) case OP_##kind:
#include "ir/ops.def"
    case NUM_OP_KINDS: break;
    }
    return true;
}
