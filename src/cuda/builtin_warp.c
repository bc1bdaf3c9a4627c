// SPDX-License-Identifier: Apache-2.0
/* builtin_warp: what the threads of a warp do together, fences, clocks. A value of 8 bytes is
 * shuffled in two halves, a smaller one in 4. */
#include "cuda/front.h"

typedef enum Family { SHUFFLES, VOTES, OTHERS } Family;

static const struct WarpRow {
    const char *name;
    Family family;
    int mode, least, most; /* arguments */
    bool has_mask;
} rows[] = {
    {"__shfl_sync", SHUFFLES, LANES_IDX, 3, 4, true},
    {"__shfl_up_sync", SHUFFLES, LANES_UP, 3, 4, true},
    {"__shfl_down_sync", SHUFFLES, LANES_DOWN, 3, 4, true},
    {"__shfl_xor_sync", SHUFFLES, LANES_XOR, 3, 4, true},
    {"__shfl", SHUFFLES, LANES_IDX, 2, 3, false},
    {"__shfl_up", SHUFFLES, LANES_UP, 2, 3, false},
    {"__shfl_down", SHUFFLES, LANES_DOWN, 2, 3, false},
    {"__shfl_xor", SHUFFLES, LANES_XOR, 2, 3, false},
    {"__any_sync", VOTES, VOTES_ANY, 2, 2, true},
    {"__all_sync", VOTES, VOTES_ALL, 2, 2, true},
    {"__ballot_sync", VOTES, VOTES_BALLOT, 2, 2, true},
    {"__any", VOTES, VOTES_ANY, 1, 1, false},
    {"__all", VOTES, VOTES_ALL, 1, 1, false},
    {"__ballot", VOTES, VOTES_BALLOT, 1, 1, false},
    {"__activemask", OTHERS, 0, 0, 0, false},
    {"__syncwarp", OTHERS, 0, 0, 1, false},
    {"__threadfence", OTHERS, SCOPE_GPU, 0, 0, false},
    {"__threadfence_block", OTHERS, SCOPE_CTA, 0, 0, false},
    {"__threadfence_system", OTHERS, SCOPE_SYS, 0, 0, false},
    {"clock", OTHERS, 0, 0, 0, false},
    {"clock64", OTHERS, 0, 0, 0, false},
};

static const struct WarpRow *row_of(Str name) {
    for (int i = 0; i < COUNT(rows); i++)
        if (str_is(name, rows[i].name)) return &rows[i];
    return NULL;
}

bool cu_warp_arguments(Str name, int *least, int *most) {
    const struct WarpRow *row = row_of(name);
    if (!row) return false;
    *least = row->least, *most = row->most;
    return true;
}

/* ---- parts ---- */

static Value *word(CuLower *l, int64_t value) {
    return build_int(&l->b, type_scalar(TYPE_I32), value);
}

static Value *warp_op(CuLower *l, OpKind kind, int count, Value **operands) {
    const Type *type = type_scalar(TYPE_I32);
    Op *op = build_op(&l->b, kind, count, operands, 1, &type, 0, NULL);
    return op_result(op);
}

static Value *active(CuLower *l) { return warp_op(l, OP_ACTIVE, 0, NULL); }

/* ---- shuffles ---- */

typedef struct Shuffle {
    CuLower *l;
    int mode;
    Value *index, *clamp, *threads;
} Shuffle;

static Value *shuffle_word(const Shuffle *s, Value *value) {
    Value *operands[] = {value, s->index, s->clamp, s->threads};
    Value *result = warp_op(s->l, OP_SHUFFLE, 4, operands);
    shuffle_set_mode(result->def, s->mode);
    return result;
}

static Value *shuffle_bits(const Shuffle *s, Value *value) {
    CuLower *l = s->l;
    const Type *type = value->type, *i32 = type_scalar(TYPE_I32), *i64 = type_scalar(TYPE_I64);
    int bits = type_bits(type);
    const Type *as = bits == 64   ? i64
                     : bits == 32 ? i32
                     : bits == 16 ? type_scalar(TYPE_I16)
                     : bits == 8  ? type_scalar(TYPE_I8)
                                  : type;
    if (as != type) value = build_cast(&l->b, OP_BITCAST, value, as);
    if (bits == 64) {
        Value *half = build_int(&l->b, i64, 32);
        Value *low = build_cast(&l->b, OP_TRUNC, value, i32), *high = value;
        high = build_cast(&l->b, OP_TRUNC, build_2(&l->b, OP_SHR_U, high, half), i32);
        low = build_cast(&l->b, OP_EXT_U, shuffle_word(s, low), i64);
        high = build_cast(&l->b, OP_EXT_U, shuffle_word(s, high), i64);
        value = build_2(&l->b, OP_OR, low, build_2(&l->b, OP_SHL, high, half));
    } else if (bits == 32) {
        value = shuffle_word(s, value);
    } else {
        value = shuffle_word(s, build_cast(&l->b, OP_EXT_U, value, i32));
        value = build_cast(&l->b, OP_TRUNC, value, as);
    }
    return as != type ? build_cast(&l->b, OP_BITCAST, value, type) : value;
}

/* PTX ISA, "shfl.sync": bits 8 to 12 of clamp cut the warp into parts, the low ones are the last
 * index in a part (0 for up). */
static CuVal shuffle(CuLower *l, const struct WarpRow *row, int count, CuVal *args, CuPlace place) {
    const CuType *whole = cu_type(CU_INT), *mask = cu_type(CU_UINT);
    int first = row->has_mask ? 1 : 0;
    CuVal value = cu_value(l, args[first]);
    Shuffle s = {.l = l, .mode = row->mode};
    int64_t width = 32;
    if (l->panic) return value;
    if (!cu_is_number(value.type))
        return cu_bad(l, value.place, "'%s' of '%.*s'", row->name,
                      STR_ARG(cu_name(l->arena, value.type)));
    s.threads = row->has_mask ? cu_convert(l, args[0], mask, "this mask").value : active(l);
    s.index = cu_convert(l, args[first + 1], whole, "this argument").value;
    Value *last = word(l, row->mode == LANES_UP ? 0 : 31);
    if (count > first + 2) {
        Value *given = cu_convert(l, args[first + 2], whole, "this width").value;
        if (l->panic) return value;
        bool known = value_is_int(given, &width);
        if (known && (width < 1 || width > 32 || (width & (width - 1))))
            return cu_bad(l, args[first + 2].place, "a width of %lld threads: 1, 2, 4 .. 32",
                          (long long)width);
        Value *parts = cu_op2(l, OP_SUB, word(l, 32), given);
        s.clamp = cu_op2(l, OP_OR, cu_op2(l, OP_SHL, parts, word(l, 8)), last);
    } else {
        s.clamp = last;
    }
    if (l->panic) return value;
    return (CuVal){.type = value.type, .value = shuffle_bits(&s, value.value), .place = place};
}

/* ---- the others ---- */

static CuVal vote(CuLower *l, const struct WarpRow *row, CuVal *args, CuPlace place) {
    const CuType *mask = cu_type(CU_UINT);
    Value *threads = row->has_mask ? cu_convert(l, args[0], mask, "this mask").value : active(l);
    Value *truth = cu_condition(l, args[row->has_mask ? 1 : 0]);
    if (l->panic) return cu_poison(l, place);
    Value *operands[] = {cu_cast(l, OP_EXT_U, truth, type_scalar(TYPE_I32)), threads};
    Value *result = warp_op(l, OP_VOTE, 2, operands);
    vote_set_mode(result->def, row->mode);
    const CuType *type = cu_type(row->mode == VOTES_BALLOT ? CU_UINT : CU_INT);
    return (CuVal){.type = type, .value = result, .place = place};
}

static CuVal other(CuLower *l, const struct WarpRow *row, int count, CuVal *args, CuPlace place) {
    CuVal nothing = {.type = cu_type(CU_VOID), .place = place};
    Str name = str_of(row->name);
    if (str_is(name, "__activemask"))
        return (CuVal){.type = cu_type(CU_UINT), .value = active(l), .place = place};
    if (str_is(name, "__syncwarp")) {
        Value *threads =
            count ? cu_convert(l, args[0], cu_type(CU_UINT), "this mask").value : word(l, -1);
        if (!l->panic) build_op(&l->b, OP_WARP_SYNC, 1, &threads, 0, NULL, 0, NULL);
        return nothing;
    }
    if (str_starts(name, "clock")) {
        const CuType *type = cu_type(str_is(name, "clock") ? CU_LONG : CU_LLONG);
        const Type *ir = type_scalar(TYPE_I64);
        Op *op = build_op(&l->b, OP_CLOCK, 0, NULL, 1, &ir, 0, NULL);
        clock_set_kind(op, STR("clock"));
        return (CuVal){.type = type, .value = op_result(op), .place = place};
    }
    Op *op = build_op(&l->b, OP_FENCE, 0, NULL, 0, NULL, 0, NULL);
    fence_set_scope(op, row->mode);
    return nothing;
}

CuVal cu_warp_builtin(CuLower *l, Str name, CuPlace place, int count, CuVal *args) {
    const struct WarpRow *row = row_of(name);
    switch (row->family) {
    case SHUFFLES: return shuffle(l, row, count, args, place);
    case VOTES: return vote(l, row, args, place);
    case OTHERS: return other(l, row, count, args, place);
    }
    BUG("builtin %s", row->name);
}
