// SPDX-License-Identifier: Apache-2.0
/* kernel: lines, values and their text. */
#include "diff/diff.h"

#include <math.h>

const KindInfo kinds[NUM_KINDS] = {
    [KIND_I1] = {"i1", "tl.int1", "i1", TERN_BOOL, 1, 0, 1},
    [KIND_I8] = {"i8", "tl.int8", "i8", TERN_INT8, 8, 0, 128},
    [KIND_I16] = {"i16", "tl.int16", "i16", TERN_INT16, 16, 0, 32768},
    [KIND_I32] = {"i32", "tl.int32", "i32", TERN_INT32, 32, 0, 0x1p31},
    [KIND_I64] = {"i64", "tl.int64", "i64", TERN_INT64, 64, 0, 0x1p63},
    [KIND_U8] = {"u8", "tl.uint8", "u8", TERN_UINT8, 8, 0, 255},
    [KIND_U16] = {"u16", "tl.uint16", "u16", TERN_UINT16, 16, 0, 65535},
    [KIND_U32] = {"u32", "tl.uint32", "u32", TERN_UINT32, 32, 0, 0x1p32},
    [KIND_U64] = {"u64", "tl.uint64", "u64", TERN_UINT64, 64, 0, 0x1p64},
    [KIND_F16] = {"f16", "tl.float16", "fp16", TERN_FLOAT16, 16, 0x1p-11, 65504},
    [KIND_BF16] = {"bf16", "tl.bfloat16", "bf16", TERN_BFLOAT16, 16, 0x1p-8, 3e38},
    [KIND_F32] = {"f32", "tl.float32", "fp32", TERN_FLOAT32, 32, 0x1p-24, 3e38},
    [KIND_F64] = {"f64", "tl.float64", "fp64", TERN_FLOAT64, 64, 0x1p-53, 1e308},
    [KIND_E4] = {"e4", "tl.float8e4nv", "fp8e4nv", TERN_FLOAT8E4M3, 8, 0x1p-4, 448},
    [KIND_E5] = {"e5", "tl.float8e5", "fp8e5", TERN_FLOAT8E5M2, 8, 0x1p-3, 57344},
};

int below(Gen *g, int limit) {
    g->random ^= g->random << 13, g->random ^= g->random >> 7, g->random ^= g->random << 17;
    return limit > 1 ? (int)((g->random >> 11) % (uint64_t)limit) : 0;
}

int one_in(Gen *g, int n) { return below(g, n) == 0; }

Kind any_int(Gen *g) {
    static const Kind usual[] = {KIND_I32, KIND_I32, KIND_I64};
    return one_in(g, 3) ? usual[below(g, 3)] : (Kind)(KIND_I8 + below(g, 8));
}

Kind any_arithmetic_float(Gen *g) {
    static const Kind usual[] = {KIND_F32, KIND_F32, KIND_F16, KIND_BF16, KIND_F64};
    return usual[below(g, 5)];
}

Kind any_kind(Gen *g) {
    if (one_in(g, 10)) return KIND_I1;
    return one_in(g, 2) ? any_int(g) : any_arithmetic_float(g);
}

/* ---- shapes ---- */

const Dim dim_one = {{0, 0, 0, 0}}, dim_two = {{0, 0, 0, 1}};

int dim_size(const Kernel *k, Dim dim) {
    int size = 1 << dim.power[NUM_CONSTS];
    for (int c = 0; c < NUM_CONSTS; c++)
        for (int i = 0; i < dim.power[c]; i++) size *= k->consts[c];
    return size;
}

Dim dim_times(Dim a, Dim b) {
    for (int i = 0; i <= NUM_CONSTS; i++) a.power[i] = (signed char)(a.power[i] + b.power[i]);
    return a;
}

int shape_lanes(const Kernel *k, const Shape *shape) {
    int lanes = 1;
    for (int i = 0; i < shape->rank; i++) lanes *= dim_size(k, shape->dims[i]);
    return lanes;
}

int same_shape(const Shape *a, const Shape *b) {
    return a->rank == b->rank && !memcmp(a->dims, b->dims, sizeof(Dim) * (size_t)a->rank);
}

const char *dim_text(Dim dim, char *out) {
    static const char *const names[] = {"A", "B", "C", "2"};
    size_t used = 0;
    out[0] = 0;
    for (int i = 0; i <= NUM_CONSTS; i++)
        for (int n = 0; n < dim.power[i]; n++)
            used += (size_t)sprintf(out + used, "%s%s", used ? " * " : "", names[i]);
    if (!used) strcpy(out, "1");
    return out;
}

const char *shape_text(const Shape *shape, char *out) {
    size_t used = (size_t)sprintf(out, "(");
    char dim[80];
    for (int i = 0; i < shape->rank; i++)
        used += (size_t)sprintf(out + used, "%s%s", dim_text(shape->dims[i], dim),
                                shape->rank == 1 || i + 1 < shape->rank ? ", " : "");
    strcpy(out + used, ")");
    return out;
}

Shape any_shape(Gen *g) {
    Shape shape = {.rank = 1 + below(g, 3)};
    int first = below(g, NUM_CONSTS);
    for (int i = 0; i < shape.rank; i++) {
        shape.dims[i] = dim_one;
        if (!one_in(g, 8)) shape.dims[i].power[(first + i) % NUM_CONSTS] = 1;
    }
    while (shape_lanes(g->kernel, &shape) > SLOT_LENGTH) shape.rank--;
    return shape;
}

/* ---- values ---- */

double int_most(Kind kind) { return kinds[kind].largest; }

Value exact_value(Kind kind, const Shape *shape, double most) {
    Value value = {.kind = kind, .shape = *shape, .most = most};
    return value;
}

static int fits(const Value *value, int kind, const Shape *shape, int must) {
    if (!value->is_visible || (kind >= 0 && (int)value->kind != kind)) return 0;
    if (shape && !same_shape(&value->shape, shape)) return 0;
    if ((must & EXACT) && value->error > 0) return 0;
    if ((must & FINITE) && !(value->most < 1e30)) return 0;
    if ((must & NO_PRODUCT) && value->is_product) return 0;
    return !((must & NO_LOOSE_ZERO) && value->loose_zero);
}

int find_value(Gen *g, int kind, const Shape *shape, int must) {
    int found[2] = {-1, -1}, count = 0;
    for (int i = 0; i < g->kernel->num_values; i++) {
        if (!fits(&g->kernel->values[i], kind, shape, must)) continue;
        count++;
        for (int n = 0; n < 2; n++)
            if (below(g, count) == 0) found[n] = i;
    }
    return found[0] > found[1] ? found[0] : found[1]; /* rather a late one: chains get long */
}

int want_value(Gen *g, Kind kind, const Shape *shape, int must) {
    int found = one_in(g, 6) ? -1 : find_value(g, (int)kind, shape, must);
    return found >= 0 ? found : load_value(g, kind, shape, must);
}

/* ---- lines ---- */

static Line *new_line(Gen *g) {
    Kernel *k = g->kernel;
    if (k->num_lines == MOST_LINES) fprintf(stderr, "diff: a kernel of too many lines\n"), exit(2);
    Line *line = &k->lines[k->num_lines++];
    *line = (Line){.indent = 1 + g->depth, .defines = -1};
    return line;
}

void emit(Gen *g, const char *format, ...) {
    Line *line = new_line(g);
    va_list args;
    va_start(args, format);
    if (vsnprintf(line->text, sizeof line->text, format, args) >= LINE_SIZE) abort();
    va_end(args);
}

int define(Gen *g, Value like, const char *format, ...) {
    Kernel *k = g->kernel;
    Line *line = new_line(g);
    if (k->num_values == MOST_VALUES)
        fprintf(stderr, "diff: a kernel of too many values\n"), exit(2);
    int id = k->num_values++;
    size_t used = (size_t)sprintf(line->text, "v%d = ", id);
    va_list args;
    va_start(args, format);
    if (vsnprintf(line->text + used, sizeof line->text - used, format, args) >= LINE_SIZE - 10)
        abort();
    va_end(args);
    line->defines = id;
    like.line = k->num_lines - 1, like.depth = g->depth, like.is_visible = 1;
    if (!kind_is_float(like.kind)) like.is_product = like.loose_zero = 0, like.error = 0;
    k->values[id] = like;
    return id;
}

const char *offsets_text(Gen *g, const Shape *shape, char *out) {
    char dim[80], all[200];
    if (shape->rank == 0) return strcpy(out, "0");
    if (shape->rank == 1) {
        sprintf(out, "tl.arange(0, %s)", dim_text(shape->dims[0], dim));
        return out;
    }
    Dim lanes = dim_one;
    for (int i = 0; i < shape->rank; i++) lanes = dim_times(lanes, shape->dims[i]);
    if (one_in(g, 6)) {
        sprintf(out, "tl.reshape(tl.arange(0, %s), %s)", dim_text(lanes, dim),
                shape_text(shape, all));
        return out;
    }
    size_t used = 0;
    for (int i = 0; i < shape->rank; i++) {
        Dim stride = dim_one;
        for (int n = i + 1; n < shape->rank; n++) stride = dim_times(stride, shape->dims[n]);
        used += (size_t)sprintf(out + used, "%stl.arange(0, %s)[", i ? " + " : "",
                                dim_text(shape->dims[i], dim));
        for (int n = 0; n < shape->rank; n++)
            used += (size_t)sprintf(out + used, "%s%s", n ? ", " : "", n == i ? ":" : "None");
        used += (size_t)sprintf(out + used, "]");
        if (i + 1 < shape->rank)
            used += (size_t)sprintf(out + used, " * (%s)", dim_text(stride, dim));
    }
    return out;
}

void emit_store(Gen *g, int id, double relative) {
    Kernel *k = g->kernel;
    Value *value = &k->values[id];
    if (k->num_slots == MOST_SLOTS || shape_lanes(k, &value->shape) > SLOT_LENGTH) return;
    Slot *slot = &k->slots[k->num_slots++];
    *slot =
        (Slot){value->kind, k->slots_of[value->kind]++, value->error, relative, value->loose_zero};
    char offsets[LINE_SIZE], mask[80] = "";
    offsets_text(g, &value->shape, offsets);
    int condition =
        value->shape.rank && one_in(g, 6) ? find_value(g, KIND_I1, &value->shape, 0) : -1;
    if (condition >= 0) sprintf(mask, ", mask=v%d", condition);
    emit(g, "tl.store(o_%s + (pid * %s_SLOTS + %d) * %d + %s, v%d%s)", kinds[value->kind].text,
         kinds[value->kind].text, slot->index, SLOT_LENGTH, offsets, id, mask);
}

/* ---- text ---- */

/* Whether a line has the name as a whole word. */
int kernel_uses(const Kernel *k, const char *name) {
    size_t length = strlen(name);
    for (int i = 0; i < k->num_lines; i++)
        for (const char *at = k->lines[i].text; (at = strstr(at, name)); at += length) {
            char before = at == k->lines[i].text ? ' ' : at[-1], after = at[length];
            if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789",
                        before) &&
                (!after ||
                 !strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789", after)))
                return 1;
        }
    return 0;
}

static void parameters_text(const Kernel *k, int all, FILE *out) {
    static const char *const heads[] = {"i", "w", "o", "t", "a"};
    for (int h = 0; h < 5; h++)
        for (int kind = 0; kind < NUM_KINDS; kind++) {
            char name[16];
            snprintf(name, sizeof name, "%s_%s", heads[h], kinds[kind].text);
            if (all || kernel_uses(k, name)) fprintf(out, "%s, ", name);
        }
    fprintf(out, "n0, n1, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr");
    for (int kind = 0; kind < NUM_KINDS; kind++) {
        char name[16];
        snprintf(name, sizeof name, "%s_SLOTS", kinds[kind].text);
        if (all || kernel_uses(k, name)) fprintf(out, ", %s: tl.constexpr", name);
    }
}

void source_text(const Kernel *k, int all_parameters, FILE *out) {
    fprintf(out, "%s\n\n@triton.jit\ndef kernel(", helper_text);
    parameters_text(k, all_parameters, out);
    fprintf(out, "):\n    pid = tl.program_id(0)\n");
    for (int i = 0; i < k->num_lines; i++) {
        const Line *line = &k->lines[i];
        fprintf(out, "%*s%s\n", 4 * line->indent, "", line->text);
        int next = i + 1 < k->num_lines ? k->lines[i + 1].indent : 1;
        if (line->text[strlen(line->text) - 1] == ':' && next <= line->indent)
            fprintf(out, "%*spass\n", 4 * line->indent + 4, "");
    }
}
