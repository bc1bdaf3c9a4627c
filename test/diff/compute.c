// SPDX-License-Identifier: Apache-2.0
/* compute: random elementwise statements. */
#include "diff/diff.h"

#include <math.h>

static Value *at(Gen *g, int id) { return &g->kernel->values[id]; }

/* A visible value's shape, or a new one. */
static Shape some_shape(Gen *g) {
    int id = one_in(g, 4) ? -1 : find_value(g, -1, NULL, 0);
    return id >= 0 ? at(g, id)->shape : any_shape(g);
}

static int int_literal(Gen *g, Kind kind) {
    static const int small[] = {0, 1, -1, 2, 3, 7, 10, 63, 100, 127};
    int x = small[below(g, 10)];
    return x < 0 && !kind_is_signed(kind) ? 5 : x;
}

/* ---- integers ---- */

/* On the right of an operator: a known division by 0 or shift too far is an error. */
static int right_literal(Gen *g, Kind kind, const char *operator) {
    int literal = int_literal(g, kind);
    if (strchr("<>", operator[0])) return below(g, kinds[kind].bits);
    return strchr("/%", operator[0]) && literal == 0 ? 3 : literal;
}

static void int_unary(Gen *g, Kind kind, const Shape *shape) {
    int a = want_value(g, kind, shape, 0);
    Value like = exact_value(kind, shape, int_most(kind));
    switch (below(g, 5)) {
    case 0: define(g, like, "-v%d", a); return;
    case 1: define(g, like, "~v%d", a); return;
    case 2: define(g, like, "tl.abs(v%d)", a); return;
    case 3:
        if (kind != KIND_I32 && kind != KIND_I64) return;
        define(g, exact_value(KIND_I32, shape, 64), "libdevice.%s(v%d).to(tl.int32)",
               one_in(g, 2) ? "popc" : "clz", a);
        return;
    default:
        define(g, like, "tl.clamp(v%d.to(tl.float32), -100.0, 100.0).to(%s)", a, kinds[kind].dtype);
        return;
    }
}

void gen_int(Gen *g) {
    static const char *const operators[] = {"+", "-", "*",  "//", "%", "&",
                                            "|", "^", "<<", ">>", "+", "*"};
    Shape shape = some_shape(g);
    Kind kind = any_int(g);
    Value like = exact_value(kind, &shape, int_most(kind));
    if (one_in(g, 6)) {
        int_unary(g, kind, &shape);
        return;
    }
    int a = want_value(g, kind, &shape, 0);
    const char *operator= operators[below(g, 12)];
    if (one_in(g, 4)) {
        if (one_in(g, 3))
            define(g, like, "(%d %s v%d).to(%s)", int_literal(g, kind), operator, a,
                   kinds[kind].dtype);
        else
            define(g, like, "(v%d %s %d).to(%s)", a, operator, right_literal(g, kind, operator),
                   kinds[kind].dtype);
        return;
    }
    Kind other = one_in(g, 5) && !strchr("/%<>", operator[0]) ? any_int(g) : kind;
    Shape scalar = {.rank = 0};
    int b = want_value(g, other, one_in(g, 8) ? &scalar : &shape, 0);
    switch (below(g, 10)) {
    case 0:
        define(g, like, "tl.%s(v%d, v%d).to(%s)", one_in(g, 2) ? "minimum" : "maximum", a, b,
               kinds[kind].dtype);
        return;
    case 1:
        if (kind == other &&
            (kind == KIND_I32 || kind == KIND_U32 || kind == KIND_I64 || kind == KIND_U64)) {
            define(g, like, "tl.umulhi(v%d, v%d)", a, b);
            return;
        }
        break;
    case 2: define(g, like, "h_mix(v%d, v%d).to(%s)", a, b, kinds[kind].dtype); return;
    default: break;
    }
    define(g, like, "(v%d %s v%d).to(%s)", a, operator, b, kinds[kind].dtype);
}

void gen_bool(Gen *g) {
    static const char *const operators[] = {"&", "|", "^", "==", "!=", "and", "or"};
    Shape shape = some_shape(g);
    int a = want_value(g, KIND_I1, &shape, 0), b = want_value(g, KIND_I1, &shape, 0);
    Value like = exact_value(KIND_I1, &shape, 1);
    if (one_in(g, 4))
        define(g, like, "~v%d", a);
    else {
        const char *operator= operators[below(g, shape.rank ? 7 : 5)];
        if (operator[0] == 'a' || operator[0] == 'o')
            define(g, like, "tl.logical_%s(v%d, v%d)", operator, a, b);
        else
            define(g, like, "v%d %s v%d", a, operator, b);
    }
}

void gen_compare(Gen *g) {
    static const char *const operators[] = {"<", "<=", ">", ">=", "==", "!="};
    Shape shape = some_shape(g);
    Kind kind = one_in(g, 3) ? any_arithmetic_float(g) : any_int(g);
    int a = want_value(g, kind, &shape, EXACT);
    Value like = exact_value(KIND_I1, &shape, 1);
    const char *operator= operators[below(g, 6)];
    if (one_in(g, 4))
        define(g, like, "v%d %s %d", a, operator, int_literal(g, kind));
    else if (kind_is_float(kind) && one_in(g, 6))
        define(g, like, "v%d != v%d", a, a);
    else
        define(g, like, "v%d %s v%d", a, operator, want_value(g, kind, &shape, EXACT));
}

void gen_where(Gen *g) {
    Shape shape = some_shape(g);
    Kind kind = any_kind(g);
    int c = want_value(g, KIND_I1, &shape, 0), a = want_value(g, kind, &shape, 0);
    Value like = *at(g, a);
    if (one_in(g, 4) && kind != KIND_I1) {
        like.most = fmax(like.most, 127);
        define(g, like, "tl.where(v%d, v%d, %d).to(%s)", c, a, int_literal(g, kind),
               kinds[kind].dtype);
        return;
    }
    int b = want_value(g, kind, &shape, 0);
    Value other = *at(g, b);
    like.most = fmax(like.most, other.most), like.error = fmax(like.error, other.error);
    like.is_product |= other.is_product, like.loose_zero |= other.loose_zero;
    define(g, like, "tl.where(v%d, v%d, v%d)", c, a, b);
}

/* ---- exact float operations, and those with a bound ---- */

static int fuses(const Kernel *k, Kind kind) {
    return kind == KIND_F32 || kind == KIND_F64 || k->fuses_halves;
}

static void float_add(Gen *g, Kind kind, const Shape *shape, const char *operator) {
    int a = want_value(g, kind, shape, 0), b = want_value(g, kind, shape, 0);
    Value x = *at(g, a), y = *at(g, b), like = exact_value(kind, shape, x.most + y.most);
    if (x.error > 0 || y.error > 0 || x.is_product || y.is_product) {
        if (!(like.most < kinds[kind].largest / 8)) return;
        like.error = x.error + y.error + 3 * kinds[kind].unit * like.most;
    }
    like.loose_zero = x.loose_zero || y.loose_zero;
    define(g, like, "v%d %s v%d", a, operator, b);
}

static void float_mul(Gen *g, Kind kind, const Shape *shape) {
    int a = want_value(g, kind, shape, 0), b = want_value(g, kind, shape, 0);
    Value x = *at(g, a), y = *at(g, b), like = exact_value(kind, shape, x.most * y.most);
    if (!(like.most >= 0)) like.most = INFINITY; /* 0 times infinity */
    if (x.error > 0 || y.error > 0) {
        if (!(like.most < kinds[kind].largest / 8)) return;
        like.error = x.most * y.error + y.most * x.error + x.error * y.error +
                     2 * kinds[kind].unit * like.most;
    }
    like.is_product = fuses(g->kernel, kind);
    like.loose_zero = x.loose_zero || y.loose_zero;
    define(g, like, "v%d * v%d", a, b);
}

/* Operations whose result moves with an operand: same bounds. */
static void float_follow(Gen *g, Kind kind, const Shape *shape) {
    int a = want_value(g, kind, shape, 0);
    Value like = *at(g, a);
    if (one_in(g, 3)) {
        define(g, like, one_in(g, 2) ? "-v%d" : "tl.abs(v%d)", a);
        return;
    }
    int b = want_value(g, kind, shape, 0);
    Value other = *at(g, b);
    like.most = fmax(like.most, other.most), like.error = fmax(like.error, other.error);
    like.is_product |= other.is_product, like.loose_zero = 1;
    const char *nan = one_in(g, 2) ? ", propagate_nan=tl.PropagateNan.ALL" : "";
    define(g, like, "tl.%s(v%d, v%d%s).to(%s)", one_in(g, 2) ? "minimum" : "maximum", a, b, nan,
           kinds[kind].dtype);
}

static void float_exact(Gen *g, Kind kind, const Shape *shape) {
    static const char *const roundings[] = {"tl.floor", "tl.ceil", "libdevice.trunc",
                                            "libdevice.rint"};
    int a = want_value(g, kind, shape, EXACT), b = want_value(g, kind, shape, EXACT);
    Value like = exact_value(kind, shape, INFINITY);
    like.loose_zero = at(g, a)->loose_zero || at(g, b)->loose_zero;
    int wide = kind == KIND_F32 || kind == KIND_F64;
    switch (below(g, 5)) {
    case 0:
        if (!wide) return;
        like.most = at(g, a)->most + 1;
        define(g, like, "%s(v%d)", roundings[below(g, 4)], a);
        return;
    case 1:
        if (kind != KIND_F32 || like.loose_zero) return;
        define(g, like, "tl.sqrt_rn(v%d)", a);
        return;
    case 2:
        if (!wide || like.loose_zero) return;
        define(g, like, kind == KIND_F32 ? "tl.div_rn(v%d, v%d)" : "v%d / v%d", a, b);
        return;
    case 3:
        if (!wide) return;
        define(g, like, "tl.fma(v%d, v%d, v%d)", a, b, want_value(g, kind, shape, EXACT));
        return;
    default:
        if (!wide || like.loose_zero) return;
        define(g, like, "v%d %% v%d", a, b);
        return;
    }
}

void gen_float(Gen *g) {
    Shape shape = some_shape(g);
    Kind kind = any_arithmetic_float(g);
    switch (below(g, 6)) {
    case 0: float_add(g, kind, &shape, "+"); return;
    case 1: float_add(g, kind, &shape, "-"); return;
    case 2: float_mul(g, kind, &shape); return;
    case 3: float_exact(g, kind, &shape); return;
    case 4: {
        int a = want_value(g, kind, &shape, 0);
        Value like = *at(g, a);
        like.most *= 2, like.error = like.error * 2;
        if (like.error > 0 && !(like.most < kinds[kind].largest / 8)) return;
        like.is_product = fuses(g->kernel, kind);
        define(g, like, one_in(g, 2) ? "v%d * 2" : "v%d * 0.5", a);
        return;
    }
    default: float_follow(g, kind, &shape); return;
    }
}

/* ---- mathematics ---- */

/* Functions that change by at most `slope` times what the argument changes by, where the argument
 * is made safe first. */
void gen_math(Gen *g) {
    static const struct {
        const char *text;
        double slope, most;
    } functions[] = {
        {"tl.sin(v%d)", 1, 1},
        {"tl.cos(v%d)", 1, 1},
        {"tl.erf(v%d)", 1.2, 1},
        {"libdevice.tanh(v%d)", 1, 1},
        {"tl.sigmoid(v%d)", 1, 1},
        {"tl.log(tl.abs(v%d) + 1)", 1, 80},
        {"tl.log2(tl.abs(v%d) + 1)", 1.5, 120},
        {"tl.exp(-tl.abs(v%d))", 1, 1},
        {"tl.exp2(-tl.abs(v%d))", 1, 1},
        {"tl.rsqrt(tl.abs(v%d) + 1)", 1, 1},
        {"tl.sqrt(tl.abs(v%d) + 1)", 1, 0},
        {"1.0 / (tl.abs(v%d) + 1)", 1, 1},
        {"tl.exp(tl.minimum(v%d, 2.0))", 7.4, 7.4},
    };
    Shape shape = some_shape(g);
    Kind kind = one_in(g, 5) ? KIND_F64 : KIND_F32;
    int a = want_value(g, kind, &shape, FINITE),
        f = below(g, (int)(sizeof functions / sizeof *functions));
    Value x = *at(g, a), like = exact_value(kind, &shape, functions[f].most);
    if (like.most == 0) like.most = sqrt(x.most + 1);
    /* sin and cos of large arguments are their own test. */
    if (!(x.most < 1e6) || !(x.error < 1e3)) return;
    /* The argument's own rounding (|x| + 1), and 4 ulp of the function. */
    like.error = functions[f].slope * (x.error + 2 * kinds[kind].unit * (x.most + 1)) +
                 16 * kinds[kind].unit * like.most;
    like.loose_zero = 1;
    define(g, like, functions[f].text, a);
}

/* Functions of any bits; the result is compared relative to itself and goes nowhere else. */
void gen_wild_math(Gen *g) {
    static const struct {
        const char *text;
        int ulps;
    } functions[] = {
        {"tl.sin(v%d)", 4},   {"tl.cos(v%d)", 4},  {"tl.erf(v%d)", 8}, {"libdevice.tanh(v%d)", 8},
        {"tl.log(v%d)", 6},   {"tl.log2(v%d)", 6}, {"tl.exp(v%d)", 8}, {"tl.exp2(v%d)", 8},
        {"tl.rsqrt(v%d)", 4}, {"tl.sqrt(v%d)", 4}, {"1.0 / v%d", 6},
    };
    Shape shape = some_shape(g);
    Kind kind = one_in(g, 5) ? KIND_F64 : KIND_F32;
    int a = want_value(g, kind, &shape, EXACT | NO_LOOSE_ZERO),
        f = below(g, (int)(sizeof functions / sizeof *functions));
    Value like = exact_value(kind, &shape, INFINITY);
    like.error = 1e-300; /* not exact */
    int id = define(g, like, functions[f].text, a);
    at(g, id)->is_visible = 0;
    at(g, id)->error = 0;
    g->kernel->is_precise = 1;
    emit_store(g, id, 4 * functions[f].ulps * kinds[kind].unit);
}

/* ---- casts ---- */

static void bitcast(Gen *g, const Shape *shape) {
    static const Kind pairs[][2] = {
        {KIND_F32, KIND_I32}, {KIND_F32, KIND_U32}, {KIND_F16, KIND_I16}, {KIND_BF16, KIND_U16},
        {KIND_F64, KIND_I64}, {KIND_I32, KIND_U32}, {KIND_E4, KIND_I8},   {KIND_E5, KIND_U8}};
    int p = below(g, 8), back = one_in(g, 2);
    Kind from = pairs[p][back], to = pairs[p][!back];
    /* A NaN has more than one pattern, so has a zero whose sign is loose. */
    int a = want_value(g, from, shape, EXACT | NO_LOOSE_ZERO | (kind_is_float(from) ? FINITE : 0));
    Value like = exact_value(to, shape, kind_is_float(to) ? INFINITY : int_most(to));
    define(g, like, "v%d.to(%s, bitcast=True)", a, kinds[to].dtype);
}

void gen_cast(Gen *g) {
    Shape shape = some_shape(g);
    if (one_in(g, 5)) {
        bitcast(g, &shape);
        return;
    }
    Kind from = (Kind)below(g, NUM_KINDS), to = (Kind)below(g, NUM_KINDS);
    int f = kind_is_float(from), t = kind_is_float(to);
    if (one_in(g, 2)) from = any_kind(g), f = kind_is_float(from);
    if ((from >= KIND_E4 && !t) || (to >= KIND_E4 && !f) || from == to) return;
    int a = want_value(g, from, &shape, f && !t ? EXACT : 0);
    Value x = *at(g, a), like = exact_value(to, &shape, t ? x.most : int_most(to));
    if (t && f) {
        like.error = x.error, like.loose_zero = x.loose_zero;
        if (kinds[to].unit > kinds[from].unit || (from == KIND_BF16 && to == KIND_F16)) {
            if (x.error > 0 && !(x.most < kinds[to].largest / 8)) return;
            if (x.error > 0)
                like.error += 2 * kinds[to].unit * x.most + (to >= KIND_E4    ? 0.01
                                                             : to == KIND_F16 ? 1e-7
                                                                              : 0);
        }
    }
    if (t && !f) like.most = int_most(from) * 1.01;
    if (t && like.most > kinds[to].largest / 2) like.most = INFINITY;
    /* A product in one rounding less: an addition may take it in. */
    like.is_product = t && f && x.is_product;
    const char *rounding = t && f && kinds[to].bits < kinds[from].bits && to < KIND_E4 &&
                                   x.error == 0 && one_in(g, 6) && from == KIND_F32
                               ? ", fp_downcast_rounding=\"rtz\""
                               : "";
    define(g, like, "v%d.to(%s%s)", a, kinds[to].dtype, rounding);
}
