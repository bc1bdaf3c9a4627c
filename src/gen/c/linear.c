// SPDX-License-Identifier: Apache-2.0
/* linear: values base + stride * l over the lanes of a vector loop: arithmetic on them stays
 * scalar, and addresses made of them are contiguous or strided without gathers. Comparisons and
 * remainders of them hold or count up for the first lanes of a row: these become a bound, `full`,
 * of the body without masks.
 *
 * This is not the linear form of facts (opt.h), which is a claim about a whole tile, of the IR
 * alone. Asked here is how a value goes along the one loop over vectors, while the others stand
 * still: of
 *
 *     %m = rem_s %rows, %M                                  no form: lanes turn round at M
 *     addptr %a, %m[:, None] * %stride + %k[None, :]        no form of the tile, but 1 along k
 *
 * each row is linear, and where %m itself is along the loop, so are its lanes up to `full`, in the
 * body without masks only. The base is C text at the level where it is known, of anything that is a
 * scalar there, an array's element too; what facts cannot bound is tested by the kernel. */
#include "gen/c/nest.h"

/* Linear values of 32 bits may wrap between lanes; as 64-bit addresses they would not. So widening
 * one checks the tile's last lane, and a kernel whose index wraps inside a tile is stopped. Threads
 * may count past the end of int: there `value` is linear in the body without masks, as long as no
 * lane wraps, and in the other one if facts say that none does. False: it is not linear. */
static Str wraps_text(Nest *n, Ev ev) {
    int64_t last;
    bool small = ev.stride_known && !__builtin_mul_overflow(ev.stride_value, n->N - 1, &last) &&
                 last == (int)last && last != INT32_MIN;
    if (small && last >= 0) return text(n->g, "%.*s > %d", STR_ARG(ev.text), INT32_MAX - (int)last);
    if (small) return text(n->g, "%.*s < -%d - 1", STR_ARG(ev.text), INT32_MAX + (int)last);
    return text(n->g, "t_wraps(%.*s, %.*s * %d)", STR_ARG(ev.text), STR_ARG(ev.stride), n->N - 1);
}

static bool check_no_wrap(Nest *n, const Value *value, Ev ev) {
    Gen *g = n->g;
    int64_t low, high;
    bool wraps = are_threads(g);
    if (wraps && facts_range(g->known, value, &low, &high)) return true;
    if (wraps && !n->fast) return false;
    if (ev.below_full || wraps) {
        bound(n, text(g, "%.*s ? 0 : full", STR_ARG(wraps_text(n, ev))));
        return true;
    }
    line(g, &n->pre[n->num_rows], depth_at(n, n->num_rows),
         "if (__builtin_expect(%.*s, 0)) return R->fail(R, KERNEL_WRAPS, %d);",
         STR_ARG(wraps_text(n, ev)), g->last_line);
    return true;
}

static Str long_product(Nest *n, int level, Str a, Str b) {
    return new_scalar(n, level, "L", text(n->g, "(L)%.*s * (L)%.*s", STR_ARG(a), STR_ARG(b)));
}

Ev new_linear(Nest *n, TypeKind lane, int level, Str base, Str stride, bool known, int64_t value) {
    if (known) stride = text(n->g, value < 0 ? "(%lldLL)" : "%lldLL", (long long)value);
    return (Ev){EV_LINEAR, base, level, stride, value, known, false, lane};
}

/* a + sign * b, at least one of them linear. */
static Ev linear_sum(Nest *n, TypeKind lane, Ev a, Ev b, int sign) {
    Gen *g = n->g;
    const char *s = sign > 0 ? "+" : "-";
    int level = max_int(a.level, b.level);
    Str base = new_scalar(n, level, scalar_type(lane),
                          text(g, "%.*s %s %.*s", STR_ARG(a.text), s, STR_ARG(b.text)));
    int64_t av = a.kind == EV_LINEAR ? a.stride_value : 0,
            bv = b.kind == EV_LINEAR ? b.stride_value : 0;
    bool known = (a.kind != EV_LINEAR || a.stride_known) && (b.kind != EV_LINEAR || b.stride_known);
    if (known) return new_linear(n, lane, level, base, STR(""), true, av + sign * bv);
    Str as = a.kind == EV_LINEAR ? a.stride : STR("0"),
        bs = b.kind == EV_LINEAR ? b.stride : STR("0");
    Str stride = new_scalar(n, level, "L", text(g, "%.*s %s %.*s", STR_ARG(as), s, STR_ARG(bs)));
    return new_linear(n, lane, level, base, stride, false, 0);
}

static Ev linear_product(Nest *n, TypeKind lane, Ev a, Ev factor, Value *factor_value) {
    Gen *g = n->g;
    int level = max_int(a.level, factor.level);
    Str base = new_scalar(n, level, scalar_type(lane),
                          text(g, "%.*s * %.*s", STR_ARG(a.text), STR_ARG(factor.text)));
    int64_t constant, stride_value;
    if (a.stride_known && value_is_int(factor_value, &constant) &&
        !__builtin_mul_overflow(a.stride_value, constant, &stride_value))
        return new_linear(n, lane, level, base, STR(""), true, stride_value);
    Str stride = a.stride_known && a.stride_value == 1
                     ? new_scalar(n, level, "L", factor.text)
                     : long_product(n, level, a.stride, factor.text);
    return new_linear(n, lane, level, base, stride, false, 0);
}

/* Pointer + offset, which is known not to wrap: stays linear. */
static Ev linear_addptr(Nest *n, Op *op, Ev p, Ev o) {
    Gen *g = n->g;
    int size = type_size_bytes(type_lane(addptr_pointer(op)->type)->elem);
    int level = max_int(p.level, o.level);
    Str base =
        new_scalar(n, level, "UL",
                   text(g, "%.*s + (UL)((L)%.*s * %d)", STR_ARG(p.text), STR_ARG(o.text), size));
    bool known = (p.kind != EV_LINEAR || p.stride_known) && (o.kind != EV_LINEAR || o.stride_known);
    int64_t pv = p.kind == EV_LINEAR ? p.stride_value : 0,
            ov = o.kind == EV_LINEAR ? o.stride_value : 0;
    if (known) return new_linear(n, TYPE_PTR, level, base, STR(""), true, pv + ov * size);
    Str ps = p.kind == EV_LINEAR ? p.stride : STR("0LL"),
        os = o.kind == EV_LINEAR ? o.stride : STR("0LL");
    Str stride =
        new_scalar(n, level, "L", text(g, "%.*s + %.*s * %d", STR_ARG(ps), STR_ARG(os), size));
    return new_linear(n, TYPE_PTR, level, base, stride, false, 0);
}

/* An int of 32 bits that stays linear as one of 64. */
static bool widens_evenly(Nest *n, const Op *op, Ev x) {
    int64_t low, high;
    if (op->kind == OP_EXT_S) return check_no_wrap(n, op->operands[0], x);
    if (op->kind != OP_EXT_U || !are_threads(n->g)) return false;
    if (facts_range(n->g->known, op->operands[0], &low, &high) && low >= 0) return true;
    if (!n->fast) return false;
    bound(n, text(n->g, "t_wraps_u(%.*s, %.*s * %d) ? 0 : full", STR_ARG(x.text), STR_ARG(x.stride),
                  n->N - 1));
    return true;
}

static bool linear_result(Nest *n, Op *op, const Ev *x, Ev *r) {
    TypeKind lane = type_lane(op->results[0].type)->kind;
    if (op->kind == OP_ADDPTR) {
        bool widens = x[1].kind == EV_LINEAR && x[1].lane != TYPE_I64;
        if (widens && !check_no_wrap(n, addptr_offset(op), x[1])) return false;
        return *r = linear_addptr(n, op, x[0], x[1]), true;
    }
    if (op->kind == OP_HINT) return *r = x[0], true;
    if (lane != TYPE_I32 && lane != TYPE_I64) return false;
    if (op->kind == OP_ADD) return *r = linear_sum(n, lane, x[0], x[1], 1), true;
    if (op->kind == OP_SUB) return *r = linear_sum(n, lane, x[0], x[1], -1), true;
    if (op->kind == OP_MUL) {
        if (x[0].kind == EV_LINEAR && x[1].kind == EV_LINEAR) return false;
        *r = x[0].kind == EV_LINEAR ? linear_product(n, lane, x[0], x[1], op->operands[1])
                                    : linear_product(n, lane, x[1], x[0], op->operands[0]);
        return true;
    }
    if (x[0].lane != TYPE_I32 || !widens_evenly(n, op, x[0])) return false;
    const char *cast = op->kind == OP_EXT_U ? "(L)(unsigned)" : "";
    *r = x[0];
    r->text = new_scalar(n, x[0].level, "L", text(n->g, "%s%.*s", cast, STR_ARG(x[0].text)));
    r->lane = lane;
    return true;
}

bool linear_op(Nest *n, Op *op, const Ev *x, Ev *r) {
    bool below_full = false;
    for (int i = 0; i < op->num_operands; i++) {
        if (x[i].kind != EV_UNIFORM && x[i].kind != EV_LINEAR) return false;
        below_full = below_full || x[i].below_full;
    }
    if (!linear_result(n, op, x, r)) return false;
    r->below_full = below_full;
    return true;
}

/* Without masks: (l + base) % size counts up until it comes to the size: a bound of lanes, as a
 * mask is. So loads through `offsets % M` stay contiguous but for the vector that wraps round. */
bool prefix_remainder(Nest *n, const Op *op, Ev a, Ev b, Ev *r) {
    Gen *g = n->g;
    if (!n->fast || (op->kind != OP_REM_S && op->kind != OP_REM_U) || a.kind != EV_LINEAR ||
        b.kind != EV_UNIFORM || !a.stride_known || a.stride_value != 1 ||
        (a.lane != TYPE_I32 && a.lane != TYPE_I64))
        return false;
    int level = max_int(a.level, b.level);
    /* Neither the dividend nor the remainder, had it gone on counting, wraps in these lanes. */
    Str most = text(g, "%s - %d", a.lane == TYPE_I32 ? "0x7fffffff" : "0x7fffffffffffffffLL", n->N);
    Str holds = new_scalar(n, level, "int",
                           text(g, "%.*s >= 0 && %.*s > 0 && %.*s <= %.*s && %.*s <= %.*s",
                                STR_ARG(a.text), STR_ARG(b.text), STR_ARG(a.text), STR_ARG(most),
                                STR_ARG(b.text), STR_ARG(most)));
    Str first = new_scalar(
        n, level, scalar_type(a.lane),
        text(g, "%.*s ? %.*s %% %.*s : 0", STR_ARG(holds), STR_ARG(a.text), STR_ARG(b.text)));
    bound(n, text(g, "%.*s ? (L)%.*s - %.*s : 0", STR_ARG(holds), STR_ARG(b.text), STR_ARG(first)));
    *r = new_linear(n, a.lane, level, first, STR(""), true, 1);
    r->below_full = true;
    return true;
}

/* Made of scalars alone, so that it can be computed again wherever it is read. */
static bool is_index(Nest *n, const Value *value, int depth) {
    if (!type_is_tile(value->type)) return true;
    const Op *op = value->def;
    if (depth == 0 || !op || info(n->g, value)->view) return false;
    if (op->kind != OP_ARANGE && op->kind != OP_SPLAT && op->kind != OP_CONSTANT &&
        op->kind != OP_ADD && op->kind != OP_HINT)
        return false;
    for (int i = 0; i < op->num_operands; i++)
        if (!is_index(n, op->operands[i], depth - 1)) return false;
    return true;
}

/* A remainder in memory is read as a count too. */
bool stored_remainder(Nest *n, const Value *value, Place place, Ev *r) {
    const Op *op = value->def;
    if (!n->fast || !op || (op->kind != OP_REM_S && op->kind != OP_REM_U) ||
        value->type->rank != 1 || place.loop[0] != n->num_rows ||
        !is_index(n, op->operands[0], 4) || !is_index(n, op->operands[1], 4))
        return false;
    return prefix_remainder(n, op, eval(n, op->operands[0], place), eval(n, op->operands[1], place),
                            r);
}

/* upper - lower, as numbers without a sign, of threads: where no lane passes the end of the
 * type. */
static Str distance_unsigned(Nest *n, Ev lower, Ev upper) {
    Gen *g = n->g;
    const char *cast = lower.lane == TYPE_I32 ? "(unsigned)" : "";
    return text(g, "t_distance(%s%.*s, %s%.*s)", cast, STR_ARG(upper.text), cast,
                STR_ARG(lower.text));
}

/* Whether a comparison of all lanes is one of the first and a count of the others. */
static Str compares_evenly(Nest *n, Ev a, Ev b, bool is_unsigned) {
    Gen *g = n->g;
    if (a.lane == TYPE_I32)
        return text(g, "!t_wraps%s(%.*s, %d)", is_unsigned ? "_u" : "", STR_ARG(a.text), n->N - 1);
    return is_unsigned ? text(g, "%.*s >= 0 && %.*s >= 0", STR_ARG(a.text), STR_ARG(b.text))
                       : STR("1");
}

/* The lanes below `count` fulfil the condition, and where they are even no others. What is counted
 * only below `full` may fulfil it again behind that. */
static void prefix_bound(Nest *n, const Op *op, Ev a, Str even, Str count) {
    bound(n, count);
    if (!a.below_full)
        bound_last(n, op, text(n->g, "%.*s ? %.*s : last", STR_ARG(even), STR_ARG(count)));
}

/* Without masks: a comparison of l + base with a bound becomes a count of lanes. */
bool prefix_compare(Nest *n, Op *op, const Ev *x, Ev *r) {
    Gen *g = n->g;
    int predicate = (int)icmp_predicate(op);
    Ev a = x[0], b = x[1];
    if (a.kind == EV_UNIFORM && b.kind == EV_LINEAR) { /* b < a is a > b */
        static const int swapped[] = {ICMP_EQ,  ICMP_NE,  ICMP_SGT, ICMP_SGE, ICMP_SLT,
                                      ICMP_SLE, ICMP_UGT, ICMP_UGE, ICMP_ULT, ICMP_ULE};
        predicate = swapped[predicate];
        Ev t = a;
        a = b, b = t;
    }
    bool is_unsigned = predicate >= ICMP_ULT;
    if (a.kind != EV_LINEAR || b.kind != EV_UNIFORM || !a.stride_known || a.stride_value != 1 ||
        a.lane == TYPE_PTR || predicate < ICMP_SLT || (is_unsigned && !are_threads(g)))
        return false;
    Str distance = is_unsigned
                       ? distance_unsigned(n, a, b)
                       : text(g, "t_distance(%.*s, %.*s)", STR_ARG(b.text), STR_ARG(a.text));
    Str even = compares_evenly(n, a, b, is_unsigned);
    switch (is_unsigned ? predicate - ICMP_ULT + ICMP_SLT : predicate) {
    case ICMP_SLT: prefix_bound(n, op, a, even, distance); break;
    case ICMP_SLE: prefix_bound(n, op, a, even, text(g, "t_after(%.*s)", STR_ARG(distance))); break;
    case ICMP_SGE: bound(n, text(g, "%.*s <= 0 ? full : 0", STR_ARG(distance))); break;
    case ICMP_SGT: bound(n, text(g, "%.*s < 0 ? full : 0", STR_ARG(distance))); break;
    default: return false;
    }
    if (is_unsigned)
        bound(n, text(g, "%.*s ? full : 0", STR_ARG(even)));
    else if (a.lane == TYPE_I32)
        bound(n, text(g, "t_wraps(%.*s, %d) ? 0 : full", STR_ARG(a.text), n->N - 1));
    *r = (Ev){.kind = EV_TRUE, .lane = TYPE_I1};
    return true;
}
