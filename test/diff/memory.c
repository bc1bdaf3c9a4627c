// SPDX-License-Identifier: Apache-2.0
/* memory: random loads, stores, atomic operations, and random numbers.
 *
 * Inputs i_* hold tame numbers (floats of at most 4), w_* any bits. Each is INPUT_LENGTH elements
 * long, so that a load at base + offsets stays inside as long as base + lanes does. Programs share
 * nothing but what atomic operations change. What a program reads after it wrote it comes after a
 * barrier: another thread may have written it. */
#include "diff/diff.h"

#include <math.h>

static Value *at(Gen *g, int id) { return &g->kernel->values[id]; }

/* An i1 tile expression over offsets, or a visible i1: each comparison, from either side, of the
 * offsets, a multiple of them or a sum, with a number or with one that is known only at run
 * time. */
static const char *mask_text(Gen *g, const Shape *shape, const char *offsets, char *out) {
    static const char *const relations[] = {"<", "<", "<=", ">", ">=", "!="};
    int known = one_in(g, 2) ? find_value(g, KIND_I1, shape, 0) : -1;
    if (known >= 0) {
        sprintf(out, "v%d", known);
        return out;
    }
    char left[LINE_SIZE], right[40];
    int times = one_in(g, 4) ? 2 + below(g, 2) : 1, lanes = shape_lanes(g->kernel, shape);
    if (times > 1)
        sprintf(left, "(%.300s) * %d", offsets, times);
    else if (one_in(g, 4))
        sprintf(left, "(%.300s) + %d", offsets, below(g, 40));
    else
        sprintf(left, "(%.300s)", offsets);
    if (one_in(g, 2))
        sprintf(right, "%d", below(g, lanes * times + 20) - (one_in(g, 8) ? 20 : 0));
    else
        sprintf(right, "n%d * %d", below(g, 2), 1 + below(g, 9));
    const char *relation = relations[below(g, 6)];
    if (one_in(g, 3))
        sprintf(out, "%s %s %s", right, relation, left);
    else
        sprintf(out, "%s %s %s", left, relation, right);
    return out;
}

/* One dimension's part of an address: `tl.arange(..)[:, None] * stride`, and how far it reaches. A
 * stride may be 0, negative, or n0 (at most 8). */
static void stride_text(Gen *g, const Shape *shape, int axis, char *out, int *low, int *high) {
    static const int strides[] = {0, 1, 1, 2, -1, -1, -3, 8, 32, -32};
    char dim[80];
    int last = dim_size(g->kernel, shape->dims[axis]) - 1;
    const char *place = shape->rank == 1 ? "" : axis ? "[None, :]" : "[:, None]";
    dim_text(shape->dims[axis], dim);
    if (one_in(g, 6)) {
        sprintf(out, "tl.arange(0, %s)%s * n0", dim, place);
        *high += 8 * last;
        return;
    }
    int stride = strides[below(g, 10)];
    sprintf(out, "tl.arange(0, %s)%s * %d", dim, place, stride);
    *(stride < 0 ? low : high) += stride * last;
}

/* A load of rows and columns with any strides. */
static int strided_load(Gen *g, Value like, const char *name, const Shape *shape) {
    char part[2][200], mask[LINE_SIZE], offsets[200];
    int low = 0, high = 0;
    if (shape->rank < 1 || shape->rank > 2) return -1;
    for (int i = 0; i < shape->rank; i++) stride_text(g, shape, i, part[i], &low, &high);
    int room = INPUT_LENGTH - 1 - high + low - 3 * 64;
    if (room < 1) return -1;
    int start = -low + below(g, room);
    const char *plus = shape->rank == 2 ? " + " : "";
    if (shape->rank == 1) part[1][0] = 0;
    if (one_in(g, 2))
        return define(g, like, "tl.load(%s + pid * 64 + %d + %s%s%s)", name, start, part[0], plus,
                      part[1]);
    int axis = shape->rank == 2 ? below(g, 2) : 0; /* a mask of rows, or of columns */
    snprintf(offsets, sizeof offsets, "%.*s", (int)(strrchr(part[axis], '*') - part[axis] - 1),
             part[axis]);
    if (shape->rank == 2) { /* as wide as the tile */
        size_t used = strlen(offsets);
        snprintf(offsets + used, sizeof offsets - used, " + 0 * %.90s", part[!axis]);
    }
    mask_text(g, shape, offsets, mask);
    return define(g, like, "tl.load(%s + pid * 64 + %d + %s%s%s, mask=%s, other=%d)", name, start,
                  part[0], plus, part[1], mask, like.kind != KIND_I1 && one_in(g, 2) ? 3 : 0);
}

static int wild_load(Gen *g, Value like, const char *name, const Shape *shape) {
    int index = find_value(g, one_in(g, 2) ? KIND_I32 : KIND_I64, shape, 0);
    if (index < 0) return -1;
    if (one_in(g, 2))
        return define(g, like, "tl.load(%s + (v%d & %d))", name, index, INPUT_LENGTH - 1);
    if (like.kind == KIND_I1) return -1;
    return define(g, like, "tl.load(%s + v%d, mask=(v%d >= 0) & (v%d < %d), other=%d)", name, index,
                  index, index, INPUT_LENGTH, below(g, 4));
}

int load_value(Gen *g, Kind kind, const Shape *shape, int must) {
    int is_float = kind_is_float(kind), wild = is_float && !(must & FINITE) && one_in(g, 4);
    Value like = exact_value(kind, shape, is_float ? wild ? INFINITY : 4 : int_most(kind));
    char name[16], offsets[LINE_SIZE], base[40], mask[LINE_SIZE];
    snprintf(name, sizeof name, "%s_%s", wild ? "w" : "i", kinds[kind].text);
    if (one_in(g, 2) && kind < KIND_E4) {
        int id = one_in(g, 3) ? wild_load(g, like, name, shape) : -1;
        if (id >= 0) return id;
    }
    if (one_in(g, 5) && kind < KIND_E4) {
        int id = strided_load(g, like, name, shape);
        if (id >= 0) return id;
    }
    int lanes = shape_lanes(g->kernel, shape), start = below(g, INPUT_LENGTH / 2 - lanes);
    if (one_in(g, 2)) start &= ~15;
    if (one_in(g, 3))
        snprintf(base, sizeof base, "%d", start);
    else
        snprintf(base, sizeof base, "pid * %d + %d", one_in(g, 2) ? 64 : 37, start);
    if (shape->rank == 0) return define(g, like, "tl.load(%s + %s)", name, base);
    offsets_text(g, shape, offsets);
    if (shape->rank == 1 && one_in(g, 6)) {
        char dim[80], turned[LINE_SIZE];
        snprintf(turned, sizeof turned, "(%s - 1 - %.200s)", dim_text(shape->dims[0], dim),
                 offsets);
        strcpy(offsets, turned);
    } else if (one_in(g, 8) && strlen(offsets) < 200) {
        strcat(offsets, " * 2");
        if (shape->rank > 1) sprintf(offsets + strlen(offsets), " + 1");
    }
    int width = (int)strlen(offsets);
    if (one_in(g, 2) || width > 150)
        return define(g, like, "tl.load(%s + %s + %s)", name, base, offsets);
    mask_text(g, shape, offsets, mask);
    if (one_in(g, 3))
        return define(g, like, "tl.load(%s + %s + %s, mask=%s)", name, base, offsets, mask);
    const char *other = kind == KIND_I1            ? "0"
                        : kind >= KIND_E4          ? "0.0"
                        : one_in(g, 3)             ? "1"
                        : is_float && one_in(g, 2) ? "-0.5"
                                                   : "3";
    return define(g, like, "tl.load(%s + %s + %s, mask=%s, other=%s)", name, base, offsets, mask,
                  other);
}

void gen_load(Gen *g) {
    Shape shape = any_shape(g);
    Kind kind = one_in(g, 12) ? one_in(g, 2) ? KIND_E4 : KIND_E5 : any_kind(g);
    load_value(g, kind, &shape, 0);
}

/* Stores lanes in another order to the program's own scratch, then loads them. */
static void store_and_load(Gen *g) {
    Shape shape = any_shape(g);
    if (!shape.rank) return;
    Kind kind = any_kind(g);
    int a = want_value(g, kind, &shape, EXACT), lanes = shape_lanes(g->kernel, &shape),
        where = below(g, SLOT_LENGTH - lanes + 1);
    Value like = *at(g, a);
    char to[LINE_SIZE], from[LINE_SIZE], mask[LINE_SIZE];
    offsets_text(g, &shape, to), offsets_text(g, &shape, from);
    const char *name = kinds[kind].text;
    if (strlen(to) + strlen(from) > 280) return;
    if (one_in(g, 2)) {
        emit(g, "tl.store(t_%s + pid * %d + %d + (%s ^ %d), v%d)", name, SLOT_LENGTH, where, to,
             below(g, lanes), a);
    } else { /* other lanes keep what was there before: an exact value too */
        mask_text(g, &shape, strlen(to) < 120 ? to : "n0", mask);
        emit(g, "tl.store(t_%s + pid * %d + %d + %s, v%d, mask=%s)", name, SLOT_LENGTH, where, to,
             a, mask);
        if (kind_is_float(kind)) like.most = INFINITY, like.is_product = 1;
        like.loose_zero = 1;
    }
    emit(g, "tl.debug_barrier()");
    define(g, like, "tl.load(t_%s + pid * %d + %d + %s)", name, SLOT_LENGTH, where, from);
    emit(g, "tl.debug_barrier()");
}

/* A loop that reads what it wrote: one place, or one that moves; loads first, or stores first. */
static void turns(Gen *g) {
    Shape scalar = {.rank = 0}, shape = one_in(g, 3) ? scalar : any_shape(g);
    Kind kind = any_int(g);
    int lanes = shape_lanes(g->kernel, &shape), index = g->kernel->num_lines;
    int a = want_value(g, kind, &shape, EXACT), b = want_value(g, kind, &shape, EXACT);
    int where = below(g, (SLOT_LENGTH - lanes) / 2 + 1), far = below(g, 3);
    char offsets[LINE_SIZE];
    const char *name = kinds[kind].text, *dtype = kinds[kind].dtype;
    offsets_text(g, &shape, offsets);
    if (strlen(offsets) > 200 || where + 6 * far + lanes > SLOT_LENGTH) return;
    for (int i = 0; i <= 6 * far; i += far ? far : 1)
        emit(g, "tl.store(t_%s + pid * %d + %d + %s, v%d)", name, SLOT_LENGTH, where + i, offsets,
             a);
    emit(g, "tl.debug_barrier()");
    Value like = exact_value(kind, &shape, int_most(kind));
    int sum = define(g, like, "v%d", b);
    emit(g, one_in(g, 2) ? "for k%d in range(%d):" : "for k%d in range(n0 // 2 + %d):", index,
         1 + below(g, 2));
    g->depth++;
    int stores_first = one_in(g, 2);
    for (int turn = 0; turn < 2; turn++) {
        if (turn == stores_first)
            emit(g, "v%d = (v%d * 3 + tl.load(t_%s + pid * %d + %d + %s)).to(%s)", sum, sum, name,
                 SLOT_LENGTH, where, offsets, dtype);
        else
            emit(g, "tl.store(t_%s + pid * %d + %d + k%d * %d + %s, (v%d + k%d).to(%s))", name,
                 SLOT_LENGTH, where, index, far, offsets, sum, index, dtype);
        emit(g, "tl.debug_barrier()");
    }
    g->depth--;
    define(g, like, "tl.load(t_%s + pid * %d + %d + %s)", name, SLOT_LENGTH, where, offsets);
    emit(g, "tl.debug_barrier()");
}

static void scalar_store(Gen *g) {
    Shape scalar = {.rank = 0};
    int a = want_value(g, any_kind(g), &scalar, 0);
    emit_store(g, a, 0);
}

void gen_memory(Gen *g) {
    switch (below(g, 5)) {
    case 0: scalar_store(g); return;
    case 1: store_and_load(g); return;
    case 2: turns(g); return;
    default: gen_load(g); return;
    }
}

/* The final value does not depend on the order; what the operation gives is used only where every
 * lane has an address of its own. */
void gen_atomic(Gen *g) {
    static const char *const operations[] = {"add", "add", "max", "min", "and", "or", "xor"};
    static const Kind possible[] = {KIND_I32, KIND_I64, KIND_U32, KIND_U64};
    Kernel *k = g->kernel;
    Shape shape = any_shape(g);
    Kind kind = possible[below(g, 4)];
    const char *operation = operations[below(g, 7)], *name = kinds[kind].text;
    if (k->num_atomics == MOST_SLOTS) return;
    int value = want_value(g, kind, &shape, 0), index = want_value(g, KIND_I32, &shape, 0);
    char mask[LINE_SIZE] = "";
    int condition = one_in(g, 3) ? find_value(g, KIND_I1, &shape, 0) : -1;
    if (condition >= 0) sprintf(mask, ", mask=v%d", condition);
    if (one_in(g, 6)) { /* whole numbers so small that floats add them in any order */
        static const Kind floats[] = {KIND_F32, KIND_F64};
        kind = floats[below(g, 2)];
        emit(g, "tl.atomic_add(a_%s + %d + (v%d & %d), (v%d & 15).to(%s)%s)", kinds[kind].text,
             k->num_atomics++ * ATOMIC_LENGTH, index, ATOMIC_LENGTH - 1, index, kinds[kind].dtype,
             mask);
        return;
    }
    if (one_in(g, 8)) { /* one program's own memory: the old values are known */
        char offsets[LINE_SIZE];
        offsets_text(g, &shape, offsets);
        if (shape_lanes(k, &shape) > SLOT_LENGTH) return;
        emit(g, "tl.store(t_%s + pid * %d + %s, v%d)", name, SLOT_LENGTH, offsets,
             want_value(g, kind, &shape, 0));
        emit(g, "tl.debug_barrier()");
        define(g, exact_value(kind, &shape, int_most(kind)),
               "tl.atomic_%s(t_%s + pid * %d + %s, v%d%s)", operation, name, SLOT_LENGTH, offsets,
               value, mask);
        emit(g, "tl.debug_barrier()");
        return;
    }
    int slot = k->num_atomics++;
    emit(g, "tl.atomic_%s(a_%s + %d + (v%d & %d), v%d%s)", operation, name, slot * ATOMIC_LENGTH,
         index, ATOMIC_LENGTH - 1, value, mask);
}

void gen_random(Gen *g) {
    Shape shape = any_shape(g);
    int offsets = want_value(g, one_in(g, 4) ? KIND_I64 : KIND_I32, &shape, 0);
    int seed = 1 + below(g, 1000);
    switch (below(g, 3)) {
    case 0:
        define(g, exact_value(KIND_U32, &shape, 0x1p32), "tl.randint(%d + n0, v%d)", seed, offsets);
        return;
    case 1: {
        Value like = exact_value(KIND_F32, &shape, 1);
        like.is_product = 1;
        define(g, like, "tl.rand(%d, v%d)", seed, offsets);
        return;
    }
    default:
        define(g, exact_value(KIND_U32, &shape, 0x1p32), "tl.randint4x(n1, v%d)[%d]", offsets,
               below(g, 4));
        return;
    }
}
