// SPDX-License-Identifier: Apache-2.0
/* fields: the attributes and operands of an op by name. Each row of ops.def below an op gives
 *
 *     ATTR(LOAD, load, volatile, OPT_INT)      load_volatile(op), load_set_volatile(op, 1)
 *     OPERAND(LOAD, load, mask, 1)             load_mask(op); NULL where this load has none
 *
 * An op of another kind is a BUG. Ops that a reader treats alike share names by hand:
 * access_mask(op) is of any op on memory, for_init(op, k) the k-th of as many as there are. */
#ifndef TERN_IR_FIELDS_H
#define TERN_IR_FIELDS_H

#include "ir/ir.h"

/* LOAD_cache = 0, LOAD_evict ..: where each op keeps its attributes. */
enum {
#define OP(kind, ...)              kind##_ATTRS = -1,
#define ATTR(kind, op, name, type) kind##_##name,
#include "ir/ops.def"
};

static inline const Attr *op_attr(const Op *op, OpKind kind, int index) {
    if (op->kind != kind)
        BUG("'%s' where '%s' is meant", op_infos[op->kind].name, op_infos[kind].name);
    return &op->attrs[index];
}

static inline Value *op_operand(const Op *op, OpKind kind, int index) {
    if (op->kind != kind)
        BUG("'%s' where '%s' is meant", op_infos[op->kind].name, op_infos[kind].name);
    return index < op->num_operands ? op->operands[index] : NULL;
}

#define FIELD(kind_, noun, name, type, member)                                                     \
    static inline type noun##_##name(const Op *op) {                                               \
        return op_attr(op, OP_##kind_, kind_##_##name)->member;                                    \
    }                                                                                              \
    static inline void noun##_set_##name(Op *op, type value) {                                     \
        op_attr(op, OP_##kind_, kind_##_##name);                                                   \
        op->attrs[kind_##_##name].member = value;                                                  \
    }
#define ATTR(kind, noun, name, type) FIELD(kind, noun, name, int64_t, i)
#define BITS(kind, noun, name)       FIELD(kind, noun, name, uint64_t, bits)
#define INTS(kind, noun, name)       FIELD(kind, noun, name, Ints, ints)
#define TEXT(kind, noun, name)       FIELD(kind, noun, name, Str, text)
#define OPERAND(kind_, noun, name, index)                                                          \
    static inline Value *noun##_##name(const Op *op) { return op_operand(op, OP_##kind_, index); }
#include "ir/ops.def"
#undef FIELD

/* ---- shared by several kinds ---- */

/* Of load, store, atomic_rmw, atomic_cas and fill; NULL where there is none, and for other ops. */
Value *access_pointer(const Op *op);
Value *access_value(const Op *op);
Value *access_mask(const Op *op);
bool op_only_tests(const Op *op); /* assume, or an assert that is no user's: it says no program */
enum { ENDS_MASKED = 1, ENDS_TESTED }; /* of loads, stores and fills; of stores */
static inline bool store_tests(const Op *op) { return store_ends(op) == ENDS_TESTED; }
bool access_ends(const Op *op); /* the mask may leave off the last lanes of one access */
Value *access_other(const Op *op);

static inline int fold_axis(const Op *op) { /* of reduce and scan */
    return (int)(op->kind == OP_SCAN ? scan_axis(op) : reduce_axis(op));
}
static inline int grid_axis(const Op *op) { /* of program_id, num_programs and thread_id */
    return (int)(op->kind == OP_NUM_PROGRAMS ? num_programs_axis(op)
                 : op->kind == OP_THREAD_ID  ? thread_id_axis(op)
                                             : program_id_axis(op));
}
static inline bool func_has_threads(const Func *fn) { /* and with them `block` and `alloc` */
    return fn->form == FORM_THREAD || fn->form == FORM_SPREAD;
}
static inline int func_threads(const Func *fn) { /* of thread and spread form: in a block */
    return fn->block[0] * fn->block[1] * fn->block[2];
}
static inline int64_t atomic_sem(const Op *op) {
    return op->kind == OP_ATOMIC_CAS ? atomic_cas_sem(op) : atomic_rmw_sem(op);
}
static inline int64_t atomic_scope(const Op *op) {
    return op->kind == OP_ATOMIC_CAS ? atomic_cas_scope(op) : atomic_rmw_scope(op);
}
static inline bool min_max_nan(const Op *op) { /* of fmin and fmax: a NaN wins */
    return (op->kind == OP_FMAX ? fmax_nan(op) : fmin_nan(op)) != 0;
}

/* The ops of class ASYNC that name a ring. */
bool is_turn_op(const Op *op);
/* One of these, the ring itself, or what begins or waits for its copies. */
bool is_ring_op(const Op *op);
static inline Value *turn_ring(const Op *op) { return op->operands[0]; }
static inline Value *turn_number(const Op *op) { return op->operands[1]; }
static inline int64_t turn_part(const Op *op) { /* of fill, fill_box, put and peek */
    if (op->kind == OP_FILL_BOX) return fill_box_part(op);
    return op->kind == OP_FILL ? fill_part(op) : op->kind == OP_PUT ? put_part(op) : peek_part(op);
}

/* for lower, upper, step, inits..: region (index, args..) yields next..; results: args at the end
 */
enum { FOR_BOUNDS = 3 }; /* operands before the inits */
static inline int for_count(const Op *op) { return op->num_operands - FOR_BOUNDS; }
static inline Value *for_init(const Op *op, int k) { return op->operands[FOR_BOUNDS + k]; }
static inline Region *for_body(const Op *op) { return op->regions[0]; }
static inline Value *for_index(const Op *op) { return op->regions[0]->args[0]; }
static inline Value *for_arg(const Op *op, int k) { return op->regions[0]->args[1 + k]; }
static inline Value *for_next(const Op *op, int k) {
    return region_yield(op->regions[0])->operands[k];
}

/* while inits..: region 0 (args..) yields condition, passed..; region 1 (given..) yields next..;
 * results: passed at the end. There may be other than as many args as passed. */
static inline Value *while_init(const Op *op, int k) { return op->operands[k]; }
static inline Region *while_test(const Op *op) { return op->regions[0]; }
static inline Region *while_body(const Op *op) { return op->regions[1]; }
static inline Value *while_arg(const Op *op, int k) { return op->regions[0]->args[k]; }
static inline Value *while_condition(const Op *op) {
    return region_yield(op->regions[0])->operands[0];
}
static inline Value *while_passed(const Op *op, int k) {
    return region_yield(op->regions[0])->operands[1 + k];
}
static inline Value *while_given(const Op *op, int k) { return op->regions[1]->args[k]; }
static inline Value *while_next(const Op *op, int k) {
    return region_yield(op->regions[1])->operands[k];
}

#endif
