// SPDX-License-Identifier: Apache-2.0
/* op: one elementwise op as a C expression, on scalars or on vectors. Operands are atoms (names or
 * constants), so that no parentheses are needed round them. Small floats compute in f32. */
#include "gen/c/c.h"

#include <stdio.h>

Str text(Gen *g, const char *format, ...) {
    va_list args;
    va_start(args, format);
    Str result = str_vformat(g->arena, format, args);
    va_end(args);
    return result;
}

void line(Gen *g, Buf *out, int depth, const char *format, ...) {
    (void)g;
    for (int i = 0; i < depth; i++) buf_puts(out, "    ");
    va_list args;
    va_start(args, format);
    buf_vprintf(out, format, args);
    va_end(args);
    buf_putc(out, '\n');
}

int new_id(Gen *g) { return g->next_id++; }

static const struct {
    const char *code, *vector, *scalar, *array, *memory;
} kinds[NUM_TYPE_KINDS] = {
#define TYPE_INT(kind, text, bits, vector, scalar, element, memory, ptx)                           \
    [TYPE_##kind] = {text, vector, scalar, element, memory},
#define TYPE_FLOAT(kind, text, bits, e, m, b, l, n, i, s, vector, scalar, element, memory, ptx)    \
    [TYPE_##kind] = {text, vector, scalar, element, memory},
#include "base/dtypes.def"
    [TYPE_PTR] = {"ptr", "vu64", "UL", "UL", "u64"},
    [TYPE_TILE] = {"tile", "tile", "tile", "tile", "tile"},
};

const char *kind_code(TypeKind kind) { return kinds[kind].code; }
const char *vector_type(TypeKind kind) { return kinds[kind].vector; }
const char *scalar_type(TypeKind kind) { return kinds[kind].scalar; }
const char *unsigned_type(int bits) {
    return bits == 64   ? "UL"
           : bits == 32 ? "unsigned"
           : bits == 16 ? "unsigned short"
                        : "unsigned char";
}
const char *array_type(TypeKind kind) { return kinds[kind].array; }
const char *memory_type(TypeKind kind, bool vec) {
    static const char *const names[][2] = {
        {"u_i8", "m_i8"},   {"u_u8", "m_u8"},   {"u_i16", "m_i16"},
        {"u_u16", "m_u16"}, {"u_i32", "m_i32"}, {"u_i64", "m_i64"},
        {"u_u64", "m_u64"}, {"u_f32", "m_f32"}, {"u_f64", "m_f64"}};
    for (int i = 0; i < COUNT(names); i++)
        if (!strcmp(names[i][0] + 2, kinds[kind].memory)) return names[i][vec];
    BUG("no memory type for %s", kinds[kind].code);
}

static bool is_small_float(TypeKind kind) {
    return kind != TYPE_PTR && type_is_float(type_scalar(kind)) &&
           type_bits(type_scalar(kind)) < 32;
}

static bool is_f8(TypeKind kind) {
    return type_is_float(type_scalar(kind)) && type_bits(type_scalar(kind)) == 8;
}

Str constant_text(Gen *g, const Type *lane, uint64_t bits) {
    TypeKind kind = lane->kind;
    if (kind == TYPE_F32 || kind == TYPE_F64) {
        const char *suffix = kind == TYPE_F32 ? "f" : "";
        double x = constant_to_double(lane, bits);
        if (x != x) {
            if (kind == TYPE_F32) return text(g, "t_s_bits_f32(0x%xu)", (unsigned)bits);
            return text(g, "t_s_bits_f64(0x%llxull)", (unsigned long long)bits);
        }
        if (x - x != 0) return text(g, "(%s__builtin_inf%s())", x < 0 ? "-" : "", suffix);
        char number[64];
        snprintf(number, sizeof number, kind == TYPE_F32 ? "%.9g" : "%.17g", x);
        bool plain = strpbrk(number, ".en") == NULL;
        return text(g, *number == '-' ? "(%s%s%s)" : "%s%s%s", number, plain ? ".0" : "", suffix);
    }
    if (is_small_float(kind))
        return text(g, "((%s)0x%llx)", scalar_type(kind), (unsigned long long)bits);
    if (kind == TYPE_PTR) return text(g, "0x%llxull", (unsigned long long)bits);
    int64_t value = constant_to_int(lane, bits);
    if (kind == TYPE_I64) {
        if (value == INT64_MIN) return STR("(-0x7fffffffffffffffLL - 1)");
        return text(g, value < 0 ? "(%lldLL)" : "%lldLL", (long long)value);
    }
    if (kind == TYPE_I32) {
        if (value == INT32_MIN) return STR("(-0x7fffffff - 1)");
        return text(g, value < 0 ? "(%lld)" : "%lld", (long long)value);
    }
    if (kind == TYPE_I1) return text(g, "%d", (int)value);
    return text(g, "((%s)%lld)", scalar_type(kind), (long long)value);
}

Str splat_text(Gen *g, TypeKind kind, Str scalar) {
    if (kind == TYPE_I1) return text(g, "t_vb_splat(%.*s)", STR_ARG(scalar));
    /* x - 0 is x for all floats; x + 0 is not for -0, and compilers keep that addition. */
    return text(g, "%.*s - (%s){}", STR_ARG(scalar), vector_type(kind));
}

static Str call(Gen *g, bool vec, const char *name, const char *code, const Str *x, int n) {
    Buf buf = {.arena = g->arena};
    buf_printf(&buf, "t_%s%s_%s(", vec ? "" : "s_", name, code);
    for (int i = 0; i < n; i++) buf_printf(&buf, "%s%.*s", i ? ", " : "", STR_ARG(x[i]));
    buf_putc(&buf, ')');
    return buf_str(&buf);
}

static Str widen(Gen *g, bool vec, TypeKind kind, Str x) { /* a small float to f32 */
    return text(g, "t_%s%s_to_f32(%.*s)", vec ? "" : "s_", kind_code(kind), STR_ARG(x));
}

static Str narrow(Gen *g, bool vec, TypeKind from, TypeKind to, Str x, bool toward_zero) {
    const char *source = !vec && toward_zero ? "f64" : kind_code(from);
    return text(g, "t_%s%s_to_%s%s(%.*s)", vec ? "" : "s_", source, kind_code(to),
                toward_zero ? "_rtz" : "", STR_ARG(x));
}

/* What C and its vectors have an operator for, of ints and of f32 and f64. */
static const char operators[NUM_OP_KINDS] = {
    [OP_ADD] = '+', [OP_SUB] = '-',  [OP_MUL] = '*',  [OP_AND] = '&',  [OP_OR] = '|',
    [OP_XOR] = '^', [OP_FADD] = '+', [OP_FSUB] = '-', [OP_FMUL] = '*', [OP_FDIV] = '/',
};

static Str float_op(Gen *g, const Op *op, bool vec, TypeKind kind, const Str *x) {
    const char *code = kind_code(kind), *name = op_info(op->kind)->name;
    const char *suffix = kind == TYPE_F32 ? "f" : "";
    Str a = x[0];
    if (operators[op->kind])
        return text(g, "%.*s %c %.*s", STR_ARG(a), operators[op->kind], STR_ARG(x[1]));
    if (op->kind == OP_FMIN || op->kind == OP_FMAX)
        return call(g, vec, text(g, min_max_nan(op) ? "%s_nan" : "%s", name).data, code, x, 2);
    if (op->kind == OP_FMA && !vec)
        return text(g, "__builtin_fma%s(%.*s, %.*s, %.*s)", suffix, STR_ARG(a), STR_ARG(x[1]),
                    STR_ARG(x[2]));
    if (op->kind == OP_FNEG) return text(g, "-%.*s", STR_ARG(a));
    if (op->kind == OP_FABS && !vec) return text(g, "__builtin_fabs%s(%.*s)", suffix, STR_ARG(a));
    if (op->kind == OP_FABS)
        return kind == TYPE_F32 ? text(g, "(vf32)((vi32)%.*s & 0x7fffffff)", STR_ARG(a))
                                : text(g, "(vf64)((vi64)%.*s & 0x7fffffffffffffffLL)", STR_ARG(a));
    return call(g, vec, name, code, x, op->num_operands);
}

static Str any_float_op(Gen *g, const Op *op, bool vec, const Str *x) {
    TypeKind kind = type_lane(op->operands[0]->type)->kind;
    if (!is_small_float(kind)) return float_op(g, op, vec, kind, x);
    const char *type = vec ? vector_type(kind) : scalar_type(kind);
    if (op->kind == OP_FNEG)
        return text(g, "(%s)(%.*s ^ %s)", type, STR_ARG(x[0]), is_f8(kind) ? "0x80" : "0x8000");
    if (op->kind == OP_FABS)
        return text(g, "(%s)(%.*s & %s)", type, STR_ARG(x[0]), is_f8(kind) ? "0x7f" : "0x7fff");
    Str wide[3];
    for (int i = 0; i < op->num_operands; i++) wide[i] = widen(g, vec, kind, x[i]);
    return narrow(g, vec, TYPE_F32, kind, float_op(g, op, vec, TYPE_F32, wide), false);
}

/* i1 is a truth value: an op on it is one of the functions of two truth values, here by its value
 * for (a, b) = (0, 0), (0, 1), (1, 0), (1, 1), in bits 0 to 3. */
static Str bool_op(Gen *g, const Op *op, bool vec, const Str *x) {
    static const char functions[16][4] = {"a^a", "A&B", "A&b", "A",   "a&B", "B",   "a^b", "A|B",
                                          "a&b", "A^b", "b",   "A|b", "a",   "a|B", "a|b", "a|A"};
    unsigned truth = 0;
    for (unsigned i = 0; i < 4; i++) {
        uint64_t in[2] = {i >> 1, i & 1}, out;
        eval_lane(op, in, &out);
        truth |= (unsigned)out << i;
    }
    Str terms[2];
    const char *function = functions[truth];
    for (int i = 0; i < 2 && function[2 * i]; i++) {
        bool is_negated = function[2 * i] < 'a';
        Str term = x[(function[2 * i] | 32) - 'a'];
        const char *format = !is_negated ? "%.*s" : vec ? "t_vb_not(%.*s)" : "!%.*s";
        terms[i] = text(g, format, STR_ARG(term));
    }
    if (!function[1]) return terms[0];
    return text(g, "%s(%.*s %c %.*s)", vec ? "(vb)" : "", STR_ARG(terms[0]), function[1],
                STR_ARG(terms[1]));
}

/* A vector divided by a power of two; empty: it is not. Toward 0: numbers below it are moved up. */
static Str divided(Gen *g, const Op *op, TypeKind kind, const Str *x) {
    int64_t number;
    bool rest = op->kind == OP_REM_S || op->kind == OP_REM_U;
    bool is_signed = op->kind == OP_DIV_S || op->kind == OP_REM_S;
    if (!rest && op->kind != OP_DIV_S && op->kind != OP_DIV_U) return STR("");
    if (!value_is_constant(op->operands[1], (uint64_t *)&number)) return STR("");
    int bits = type_bits(type_scalar(kind));
    if (number < 1 || number & (number - 1) || number >= (int64_t)1 << (bits - 2)) return STR("");
    int shift = __builtin_ctzll((uint64_t)number);
    long long ones = (long long)number - 1;
    /* A long text has such numbers as parameters, ints, which no vector of fewer bits takes. */
    const char *as = bits < 32 ? text(g, "(%s)", scalar_type(kind)).data : "";
    const char *as_unsigned = bits < 32 ? text(g, "(%s)", unsigned_type(bits)).data : "";
    if (!is_signed && rest) return text(g, "%.*s & %s%lld", STR_ARG(x[0]), as, ones);
    if (!is_signed)
        return text(g, "(%s)((vu%d)%.*s >> %s%d)", vector_type(kind), bits, STR_ARG(x[0]),
                    as_unsigned, shift);
    Str up = text(g, "(%.*s + ((%.*s >> %d) & %s%lld))", STR_ARG(x[0]), STR_ARG(x[0]), bits - 1, as,
                  ones);
    if (rest)
        return text(g, "%.*s - (%.*s & %s%lld)", STR_ARG(x[0]), STR_ARG(up), as,
                    -(long long)number);
    return text(g, "%.*s >> %s%d", STR_ARG(up), as, shift);
}

static Str int_op(Gen *g, const Op *op, bool vec, const Str *x) {
    TypeKind kind = type_lane(op->operands[0]->type)->kind;
    if (kind == TYPE_I1) return bool_op(g, op, vec, x);
    Str by_power = vec ? divided(g, op, kind, x) : STR("");
    if (by_power.length) return by_power;
    if (!operators[op->kind])
        return call(g, vec, op_info(op->kind)->name, kind_code(kind), x, op->num_operands);
    bool cast = !vec && (kind == TYPE_I8 || kind == TYPE_I16);
    return text(g, cast ? "(%s)(%.*s %c %.*s)" : "%.0s%.*s %c %.*s", scalar_type(kind),
                STR_ARG(x[0]), operators[op->kind], STR_ARG(x[1]));
}

static Str compare(Gen *g, const Op *op, bool vec, const Str *x) {
    static const char *const words[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    static const char *const signs[] = {"==", "!=", "<", "<=", ">", ">="};
    TypeKind kind = type_lane(op->operands[0]->type)->kind;
    int predicate = (int)(op->kind == OP_ICMP ? icmp_predicate(op) : fcmp_predicate(op));
    bool is_unsigned = op->kind == OP_ICMP && predicate >= ICMP_ULT;
    if (is_unsigned) predicate = predicate - ICMP_ULT + 2;
    Str a = x[0], b = x[1];
    if (is_small_float(kind))
        a = widen(g, vec, kind, a), b = widen(g, vec, kind, b), kind = TYPE_F32;
    if (kind == TYPE_I1 && vec)
        a = text(g, "t_vb_to_i8(%.*s)", STR_ARG(a)), b = text(g, "t_vb_to_i8(%.*s)", STR_ARG(b)),
        kind = TYPE_I8;
    int bits = kind == TYPE_PTR ? 64 : type_bits(type_scalar(kind));
    if (vec) {
        if (kind == TYPE_PTR) is_unsigned = true;
        if (is_unsigned)
            return text(g, "t_%s_u%d((vu%d)%.*s, (vu%d)%.*s)", words[predicate], bits, bits,
                        STR_ARG(a), bits, STR_ARG(b));
        return text(g, "t_%s_%s(%.*s, %.*s)", words[predicate], kind_code(kind), STR_ARG(a),
                    STR_ARG(b));
    }
    const char *cast = is_unsigned ? text(g, "(%s)", unsigned_type(bits)).data : "";
    return text(g, "%s%.*s %s %s%.*s", cast, STR_ARG(a), signs[predicate], cast, STR_ARG(b));
}

/* One or nothing: gcc converts bytes to what is four times as long or longer lane by lane. */
static Str bit_select(Gen *g, TypeKind to, Str mask, const char *one) {
    const char *vector = vector_type(to);
    return text(g, "t_sel_%s(%.*s, %s - (%s){}, (%s){})", kind_code(to), STR_ARG(mask), one, vector,
                vector);
}

static Str extend(Gen *g, const Op *op, bool vec, Str a) {
    TypeKind from = type_lane(op->operands[0]->type)->kind,
             to = type_lane(op->results[0].type)->kind;
    bool is_signed = op->kind == OP_EXT_S;
    int bits = type_bits(type_scalar(from));
    if (!vec) {
        if (from == TYPE_I1)
            return text(g, "(%s)%s%.*s", scalar_type(to), is_signed ? "-" : "", STR_ARG(a));
        const char *mid = is_signed ? "" : text(g, "(%s)", unsigned_type(bits)).data;
        return text(g, "(%s)%s%.*s", scalar_type(to), mid, STR_ARG(a));
    }
    if (from == TYPE_I1 && to == TYPE_I32)
        return text(g, is_signed ? "t_vb_lanes(%.*s)" : "(t_vb_lanes(%.*s) & 1)", STR_ARG(a));
    if (from == TYPE_I1 && to == TYPE_I64) return bit_select(g, to, a, is_signed ? "-1LL" : "1LL");
    if (from == TYPE_I1) {
        a = text(g, "%st_vb_to_i8(%.*s)", is_signed ? "-" : "", STR_ARG(a));
        return to == TYPE_I8
                   ? a
                   : text(g, "__builtin_convertvector(%.*s, %s)", STR_ARG(a), vector_type(to));
    }
    if (is_signed) return text(g, "__builtin_convertvector(%.*s, %s)", STR_ARG(a), vector_type(to));
    return text(g, "(%s)__builtin_convertvector((vu%d)%.*s, vu%d)", vector_type(to), bits,
                STR_ARG(a), type_bits(type_scalar(to)));
}

static Str truncate_int(Gen *g, const Op *op, bool vec, Str a) {
    TypeKind from = type_lane(op->operands[0]->type)->kind,
             to = type_lane(op->results[0].type)->kind;
    if (to == TYPE_I1)
        return vec ? text(g, "t_ne_%s(%.*s & 1, (%s){})", kind_code(from), STR_ARG(a),
                          vector_type(from))
                   : text(g, "(int)(%.*s & 1)", STR_ARG(a));
    return vec ? text(g, "__builtin_convertvector(%.*s, %s)", STR_ARG(a), vector_type(to))
               : text(g, "(%s)%.*s", scalar_type(to), STR_ARG(a));
}

static Str float_cast(Gen *g, const Op *op, bool vec, Str a) {
    TypeKind from = type_lane(op->operands[0]->type)->kind,
             to = type_lane(op->results[0].type)->kind;
    bool toward_zero = op->kind == OP_FTRUNC && ftrunc_rounding(op) == ROUND_RTZ;
    if (from == to) return a;
    if (is_small_float(from)) a = widen(g, vec, from, a), from = TYPE_F32;
    if (from == to) return a;
    if (to == TYPE_F64 || (to == TYPE_F32 && !toward_zero))
        return vec ? text(g, "__builtin_convertvector(%.*s, %s)", STR_ARG(a), vector_type(to))
                   : text(g, "(%s)%.*s", scalar_type(to), STR_ARG(a));
    return narrow(g, vec, from, to, a, toward_zero);
}

static Str int_to_float(Gen *g, const Op *op, bool vec, Str a) {
    TypeKind from = type_lane(op->operands[0]->type)->kind,
             to = type_lane(op->results[0].type)->kind;
    bool is_unsigned = op->kind == OP_U_TO_F || from == TYPE_I1;
    if (from == TYPE_I1 && vec && (to == TYPE_F32 || to == TYPE_F64))
        return bit_select(g, to, a, "1.0f");
    if (from == TYPE_I1) {
        if (vec) a = text(g, "t_vb_to_i8(%.*s)", STR_ARG(a));
        from = TYPE_I8;
    }
    int bits = type_bits(type_scalar(from));
    if (is_unsigned)
        a = vec ? text(g, "(vu%d)%.*s", bits, STR_ARG(a))
                : text(g, "(%s)%.*s", unsigned_type(bits), STR_ARG(a));
    bool direct = to == TYPE_F32 || to == TYPE_F64;
    /* Exact in f32, or beyond the largest f16 anyway. */
    bool by_f32 = bits < 32 || (to == TYPE_F16 && bits == 32);
    TypeKind mid = direct ? to : TYPE_F32;
    if (direct || by_f32) {
        Str r = vec ? text(g, "__builtin_convertvector(%.*s, %s)", STR_ARG(a), vector_type(mid))
                    : text(g, "(%s)%.*s", scalar_type(mid), STR_ARG(a));
        return direct ? r : narrow(g, vec, TYPE_F32, to, r, false);
    }
    if (vec && bits < 64)
        a = text(g, "__builtin_convertvector(%.*s, %s)", STR_ARG(a), is_unsigned ? "vu64" : "vi64");
    a = text(g, "t_%ssticky%s(%.*s)", vec ? "" : "s_", is_unsigned ? "_u" : "", STR_ARG(a));
    return narrow(g, vec, TYPE_F64, to, a, false);
}

static Str float_to_int(Gen *g, const Op *op, bool vec, Str a) {
    TypeKind from = type_lane(op->operands[0]->type)->kind,
             to = type_lane(op->results[0].type)->kind;
    if (is_small_float(from)) a = widen(g, vec, from, a), from = TYPE_F32;
    const char *name = op_info(op->kind)->name;
    TypeKind mid = to == TYPE_I1 ? TYPE_I8 : to;
    Str r = vec ? text(g, "t_%s_%s_%s(%.*s)", name, kind_code(from), kind_code(mid), STR_ARG(a))
                : text(g, "t_s_%s_%s(%.*s)", name, kind_code(mid), STR_ARG(a));
    if (to != TYPE_I1) return r;
    return vec ? text(g, "t_vb_from_i8(%.*s)", STR_ARG(r)) : text(g, "(%.*s != 0)", STR_ARG(r));
}

static Str bitcast(Gen *g, const Op *op, bool vec, Str a) {
    TypeKind from = type_lane(op->operands[0]->type)->kind,
             to = type_lane(op->results[0].type)->kind;
    if (!strcmp(vector_type(from), vector_type(to))) return a;
    if (vec) return text(g, "(%s)%.*s", vector_type(to), STR_ARG(a));
    bool real = from == TYPE_F32 || from == TYPE_F64 || to == TYPE_F32 || to == TYPE_F64;
    if (!real) return text(g, "(%s)%.*s", scalar_type(to), STR_ARG(a));
    return text(g, "t_s_bits_%s(%.*s)", kind_code(to), STR_ARG(a));
}

static Str addptr(Gen *g, const Op *op, bool vec, const Str *x) {
    int size = type_size_bytes(type_lane(addptr_pointer(op)->type)->elem);
    bool wide = type_lane(addptr_offset(op)->type)->kind == TYPE_I64;
    if (!vec) return text(g, "%.*s + (UL)((L)%.*s * %d)", STR_ARG(x[0]), STR_ARG(x[1]), size);
    if (wide) return text(g, "%.*s + (vu64)%.*s * %d", STR_ARG(x[0]), STR_ARG(x[1]), size);
    return text(g, "%.*s + (vu64)__builtin_convertvector(%.*s, vi64) * %d", STR_ARG(x[0]),
                STR_ARG(x[1]), size);
}

Str op_text(Gen *g, const Op *op, bool vec, const Str *x) {
    switch (op->kind) {
    case OP_ICMP:
    case OP_FCMP: return compare(g, op, vec, x);
    case OP_SELECT:
        if (!vec) return text(g, "%.*s ? %.*s : %.*s", STR_ARG(x[0]), STR_ARG(x[1]), STR_ARG(x[2]));
        return text(g, "t_sel_%s(%.*s, %.*s, %.*s)",
                    kind_code(type_lane(op->results[0].type)->kind), STR_ARG(x[0]), STR_ARG(x[1]),
                    STR_ARG(x[2]));
    case OP_EXT_S:
    case OP_EXT_U: return extend(g, op, vec, x[0]);
    case OP_TRUNC: return truncate_int(g, op, vec, x[0]);
    case OP_FEXT:
    case OP_FTRUNC: return float_cast(g, op, vec, x[0]);
    case OP_S_TO_F:
    case OP_U_TO_F: return int_to_float(g, op, vec, x[0]);
    case OP_F_TO_S:
    case OP_F_TO_U: return float_to_int(g, op, vec, x[0]);
    case OP_BITCAST: return bitcast(g, op, vec, x[0]);
    case OP_ADDPTR: return addptr(g, op, vec, x);
    case OP_HINT: return x[0];
    case OP_FMIN:
    case OP_FMAX:
    case OP_FMA:
    case OP_FNEG:
    case OP_FABS:
#define FLOAT1(kind, ...) case OP_##kind:
#define FLOAT2(kind, ...) case OP_##kind:
#include "ir/ops.def"
        return any_float_op(g, op, vec, x);
#define INT(kind, ...) case OP_##kind:
#include "ir/ops.def"
        return int_op(g, op, vec, x);
#define OP(kind, ...) case OP_##kind:
#define LANE(...)
#include "ir/ops.def"
    case NUM_OP_KINDS: break;
    }
    BUG("'%s' is not lane by lane", op_info(op->kind)->name);
}

Str identity_text(Gen *g, const Op *op, TypeKind kind) {
    const Type *lane = type_scalar(kind);
    int bits = type_bits(lane);
    uint64_t all = bits == 64 ? ~0ull : (1ull << bits) - 1, top = 1ull << (bits - 1);
    OpKind op_kind = op->kind;
    if (op_kind == OP_ADD || op_kind == OP_OR || op_kind == OP_XOR || op_kind == OP_MAX_U)
        return constant_text(g, lane, 0);
    if (op_kind == OP_AND || op_kind == OP_MIN_U) return constant_text(g, lane, all);
    if (op_kind == OP_MUL) return constant_text(g, lane, 1);
    if (op_kind == OP_MIN_S) return constant_text(g, lane, kind == TYPE_I1 ? 1 : all ^ top);
    if (op_kind == OP_MAX_S) return constant_text(g, lane, kind == TYPE_I1 ? 0 : top);
    if (op_kind == OP_FADD) return constant_text(g, lane, constant_from_double(lane, -0.0));
    if (op_kind == OP_FMUL) return constant_text(g, lane, constant_from_double(lane, 1.0));
    if (op_kind != OP_FMIN && op_kind != OP_FMAX) return STR("");
    /* Where a NaN loses, NaN is the identity: some formats have neither NaN nor infinity. */
    FloatKind format;
    if (!float_kind_of(lane, &format) || !float_format(format)->has_infinity) return STR("");
    double infinity = op_kind == OP_FMIN ? (double)__builtin_inff() : -(double)__builtin_inff();
    double identity = min_max_nan(op) ? infinity : (double)__builtin_nanf("");
    return constant_text(g, lane, constant_from_double(lane, identity));
}
