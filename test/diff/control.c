// SPDX-License-Identifier: Apache-2.0
/* control: loops and branches, and the kernel as a whole.
 *
 * A block changes values that exist before it; what a block defines is gone after it. Only exact
 * values are changed by a block: their bound after a number of iterations is then still 0. */
#include "diff/diff.h"

#include <math.h>

const char helper_text[] = "import triton\n"
                           "import triton.language as tl\n"
                           "from triton.language.extra import libdevice\n"
                           "\n\n"
                           "@triton.jit\n"
                           "def h_mix(a, b):\n"
                           "    return (a ^ b) + (a & b) * 3\n"
                           "\n\n"
                           "@triton.jit\n"
                           "def h_larger(a, b):\n"
                           "    return tl.where(a > b, a, b)\n"
                           "\n\n"
                           "@triton.jit\n"
                           "def h_maximum(a, b):\n"
                           "    return tl.maximum(a, b)\n"
                           "\n\n"
                           "@triton.jit\n"
                           "def h_affine(a, b, c, d):\n"
                           "    return a * c, b * c + d\n"
                           "\n\n"
                           "@triton.jit\n"
                           "def h_range(a, b, c, d):\n"
                           "    return tl.minimum(a, c), tl.maximum(b, d)\n"
                           "\n\n"
                           "@triton.jit\n"
                           "def h_first(a, b, c, d):\n"
                           "    take = (a < c) | ((a == c) & (b < d))\n"
                           "    return tl.where(take, a, c), tl.where(take, b, d)\n"
                           "\n\n"
                           "@triton.jit\n"
                           "def h_steps(x, n):\n"
                           "    if n > 2:\n"
                           "        return x * 3 + 1\n"
                           "    for i in range(n):\n"
                           "        x = x ^ (x >> 1)\n"
                           "    return x\n";

static Value *at(Gen *g, int id) { return &g->kernel->values[id]; }

static void leave_block(Gen *g) {
    for (int i = 0; i < g->kernel->num_values; i++)
        if (at(g, i)->depth == g->depth) at(g, i)->is_visible = 0;
    g->depth--;
}

/* A visible exact value that a block may change: as loose as a change could make it. */
static int changeable(Gen *g) {
    int id = find_value(g, -1, NULL, EXACT);
    if (id < 0 || at(g, id)->kind >= KIND_E4) return -1;
    Value *value = at(g, id);
    if (kind_is_float(value->kind))
        value->most = INFINITY, value->is_product = 1, value->loose_zero = 1;
    return id;
}

static void change(Gen *g, int id) {
    static const char *const operators[] = {"+", "-", "*", "^", "|", "&"};
    Value *value = at(g, id);
    Kind kind = value->kind;
    Shape shape = value->shape;
    int other = find_value(g, (int)kind, &shape, EXACT);
    if (other < 0 || other == id || one_in(g, 4)) other = load_value(g, kind, &shape, EXACT);
    if (one_in(g, 5)) {
        emit(g, "v%d = v%d", id, other);
    } else if (kind_is_float(kind)) {
        emit(g, "v%d = h_larger(v%d, v%d)", id, other, id);
    } else if (kind == KIND_I1) {
        emit(g, "v%d = v%d ^ v%d", id, id, other);
    } else if (one_in(g, 3) && shape.rank) {
        int condition = want_value(g, KIND_I1, &shape, 0);
        emit(g, "v%d = tl.where(v%d, v%d, v%d)", id, condition, id, other);
    } else {
        emit(g, "v%d = (v%d %s v%d).to(%s)", id, id, operators[below(g, 6)], other,
             kinds[kind].dtype);
    }
}

static void block_body(Gen *g, int statements, const int *changes, int num_changes) {
    for (int i = 0; i < statements; i++) gen_statement(g);
    for (int i = 0; i < num_changes; i++)
        if (changes[i] >= 0) change(g, changes[i]);
}

static void gen_if(Gen *g) {
    Shape scalar = {.rank = 0};
    int changes[2] = {changeable(g), one_in(g, 2) ? changeable(g) : -1};
    if (one_in(g, 3)) {
        int condition = want_value(g, KIND_I1, &scalar, 0);
        emit(g, "if v%d:", condition);
    } else if (one_in(g, 2)) {
        emit(g, "if n%d > %d:", below(g, 2), below(g, 6));
    } else
        emit(g, "if pid %% 2 == %d:", below(g, 2));
    g->depth++;
    block_body(g, 1 + below(g, 3), changes, 2);
    leave_block(g);
    if (one_in(g, 2)) return;
    emit(g, "else:");
    g->depth++;
    block_body(g, below(g, 3), changes, 2);
    leave_block(g);
}

static void gen_for(Gen *g) {
    static const char *const heads[] = {
        "for i%d in range(%d):",           "for i%d in range(n0 // %d):",
        "for i%d in range(%d, n1):",       "for i%d in range(n1, -%d, -3):",
        "for i%d in tl.static_range(%d):", "for i%d in range(0, n0 + n1, %d):"};
    int changes[2] = {changeable(g), one_in(g, 2) ? changeable(g) : -1};
    int head = below(g, 6), number = 1 + below(g, 4), index = g->kernel->num_lines;
    emit(g, heads[head], index, number);
    g->depth++, g->in_loop++;
    Shape scalar = {.rank = 0};
    if (head != 4)
        define(g, exact_value(KIND_I32, &scalar, 100), "i%d * %d", index, 1 + below(g, 3));
    block_body(g, 1 + below(g, 3), changes, 2);
    leave_block(g);
    g->in_loop--;
}

static void gen_while(Gen *g) {
    int changes[2] = {changeable(g), -1}, index = g->kernel->num_lines, step = 1 + below(g, 3);
    emit(g, "w%d = n%d", index, below(g, 2));
    emit(g, "while w%d > 0:", index);
    g->depth++, g->in_loop++;
    emit(g, "w%d -= %d", index, step);
    block_body(g, 1 + below(g, 2), changes, 2);
    leave_block(g);
    g->in_loop--;
}

/* A sum over a run-time number of masked tiles: the loop that most kernels have. */
static void gen_sum_loop(Gen *g) {
    Shape shape = any_shape(g);
    if (shape.rank != 1) return;
    char dim[80];
    dim_text(shape.dims[0], dim);
    int index = g->kernel->num_lines, lanes = shape_lanes(g->kernel, &shape);
    Kind kind = one_in(g, 2) ? KIND_F32 : KIND_I32;
    Value like = exact_value(kind, &shape,
                             kind_is_float(kind) ? 4.0 * (INPUT_LENGTH / lanes) : int_most(kind));
    if (kind_is_float(kind))
        like.error = 0x1p-24 * like.most * (INPUT_LENGTH / lanes), like.loose_zero = 1;
    int limit = below(g, INPUT_LENGTH / 4);
    int acc = define(g, like, "tl.zeros((%s, ), %s)", dim, kinds[kind].dtype);
    at(g, acc)->is_visible = 0;
    emit(g, "for k%d in range(0, %d + n0, %s):", index, limit, dim);
    g->depth++, g->in_loop++;
    emit(g,
         "v%d += tl.load(i_%s + k%d + tl.arange(0, %s), mask=k%d + tl.arange(0, %s) < %d + n0, "
         "other=0)",
         acc, kinds[kind].text, index, dim, index, dim, limit);
    leave_block(g);
    g->in_loop--;
    at(g, acc)->is_visible = 1;
    Shape scalar = {.rank = 0};
    Value total = like;
    total.shape = scalar;
    if (kind_is_float(kind))
        total.most *= lanes, total.error = lanes * like.error + 0x1p-24 * (lanes + 8) * total.most;
    define(g, total, "tl.sum(v%d, 0)", acc);
}

static void gen_call(Gen *g) {
    Shape scalar = {.rank = 0}, shape = any_shape(g);
    Kind kind = one_in(g, 2) ? KIND_I32 : KIND_I64;
    int a = want_value(g, kind, one_in(g, 3) ? &scalar : &shape, 0);
    define(g, *at(g, a), "h_steps(v%d, n%d)", a, below(g, 2));
}

static void gen_return(Gen *g) {
    if (g->depth || !one_in(g, 4)) return;
    emit(g, one_in(g, 2) ? "if pid > n0:" : "if n1 == 3:");
    g->depth++;
    emit(g, "return");
    g->depth--;
}

void gen_statement(Gen *g) {
    if (g->budget-- <= 0 || g->kernel->num_lines > MOST_LINES - 60) return;
    if (g->depth < 2 && one_in(g, 14)) {
        switch (below(g, 8)) {
        case 0:
        case 1: gen_if(g); return;
        case 2:
        case 3: gen_for(g); return;
        case 4: gen_while(g); return;
        case 5: gen_sum_loop(g); return;
        case 6: gen_call(g); return;
        default: gen_return(g); return;
        }
    }
    static void (*const makers[])(Gen *) = {
        gen_int,   gen_int,       gen_int,   gen_int,    gen_float,  gen_float,   gen_float,
        gen_math,  gen_wild_math, gen_cast,  gen_cast,   gen_cast,   gen_compare, gen_compare,
        gen_where, gen_bool,      gen_shape, gen_shape,  gen_shape,  gen_reduce,  gen_reduce,
        gen_scan,  gen_order,     gen_dot,   gen_memory, gen_memory, gen_atomic,  gen_random,
    };
    int before = g->kernel->num_values;
    makers[below(g, (int)(sizeof makers / sizeof *makers))](g);
    for (int i = before; i < g->kernel->num_values; i++)
        if (at(g, i)->is_visible && one_in(g, g->depth ? 4 : 2) && at(g, i)->kind < KIND_E4 &&
            !g->in_loop)
            emit_store(g, i, 0);
}

void gen_kernel(Kernel *kernel, uint64_t seed, int size, int fuses_halves) {
    static const int sizes[] = {1, 2, 4, 8, 16, 32};
    *kernel = (Kernel){.seed = seed, .fuses_halves = fuses_halves};
    Gen gen = {
        .kernel = kernel, .random = seed * 0x9e3779b97f4a7c15u + 0x1234567, .budget = 3 * size};
    Gen *g = &gen;
    for (int i = 0; i < 8; i++) below(g, 2);
    for (int i = 0; i < NUM_CONSTS; i++)
        kernel->consts[i] = sizes[one_in(g, 3) ? below(g, 6) : 3 + below(g, 3)];
    kernel->num_programs = 1 + below(g, 3);
    kernel->num_warps = 1 << below(g, 4);
    kernel->scalars[0] = below(g, 9), kernel->scalars[1] = below(g, 9);
    kernel->is_aligned = one_in(g, 2);
    gen_load(g), gen_load(g);
    for (int i = 0; i < size; i++) gen_statement(g);
    for (int i = 0, n = 0; i < kernel->num_values && n < 20; i++)
        if (at(g, i)->is_visible && !one_in(g, 3) && at(g, i)->kind < KIND_E4)
            emit_store(g, i, 0), n++;
}
