// SPDX-License-Identifier: Apache-2.0
/* prelude: the C helpers that generated kernels call, each a named piece of text. A kernel gets
 * only the pieces its text mentions (names start with t_), in the order of the table, so that the
 * C compiler reads little. A piece may exist once for each instruction set: the first that fits is
 * taken. Vectors have W lanes of any type; vb is the truth of W lanes: a bit mask on AVX-512, else
 * lanes of 0 or -1. f16, bf16 and f8 are kept as bits. */
#include "gen/c/c.h"

/* What follows are tables, one row a piece of text. */
// clang-format off

/* Where a piece is valid. */
enum { AAMX = 16, ABF16 = 32 | AAMX, AVNNI = 8 | ABF16, A512 = 1 | AVNNI, A2 = 2, AGEN = 4, NOT512 = A2 | AGEN, ALL = A512 | NOT512 };

typedef struct Piece {
    const char *name;
    int archs;
    const char *text;
} Piece;

/* Blend and masked access by lanes; used where no instruction is named below. */
#define LANES_OF(code, vector, scalar)                                                            \
    {"t_sel_" code, ALL, "SELECT(t_sel_" code ", " vector ", t_vb_lanes(m))\n"},                  \
    {"t_ldm_" code, ALL, "LOAD_LANES(t_ldm_" code ", " vector ", " scalar ")\n"},                 \
    {"t_stm_" code, ALL, "STORE_LANES(t_stm_" code ", " vector ", " scalar ")\n"},                \
    {"t_gather_" code, ALL, "GATHER(t_gather_" code ", " vector ", " scalar ")\n"},               \
    {"t_gatheri_" code, ALL, "GATHER_INDEX(t_gatheri_" code ", " vector ", " scalar ")\n"},       \
    {"t_scatter_" code, ALL, "SCATTER(t_scatter_" code ", " vector ", " scalar ")\n"},

#define COMPARES_OF(code, vector, mask, scalar)                                                   \
    {"t_eq_" code, ALL, "COMPARE(t_eq_" code ", " vector ", " scalar ", ==)\n"},                  \
    {"t_ne_" code, ALL, "COMPARE(t_ne_" code ", " vector ", " scalar ", !=)\n"},                  \
    {"t_lt_" code, ALL, "COMPARE(t_lt_" code ", " vector ", " scalar ", <)\n"},                   \
    {"t_le_" code, ALL, "COMPARE(t_le_" code ", " vector ", " scalar ", <=)\n"},                  \
    {"t_gt_" code, ALL, "COMPARE(t_gt_" code ", " vector ", " scalar ", >)\n"},                   \
    {"t_ge_" code, ALL, "COMPARE(t_ge_" code ", " vector ", " scalar ", >=)\n"},

#define CMP512(code, vector, f)                                                                   \
    {"t_eq_" code, A512, "AI vb t_eq_" code "(" vector " a, " vector " b) { return " f(0) "; }\n"},   \
    {"t_ne_" code, A512, "AI vb t_ne_" code "(" vector " a, " vector " b) { return " f(4) "; }\n"},   \
    {"t_lt_" code, A512, "AI vb t_lt_" code "(" vector " a, " vector " b) { return " f(1) "; }\n"},   \
    {"t_le_" code, A512, "AI vb t_le_" code "(" vector " a, " vector " b) { return " f(2) "; }\n"},   \
    {"t_gt_" code, A512, "AI vb t_gt_" code "(" vector " a, " vector " b) { return " f(6) "; }\n"},   \
    {"t_ge_" code, A512, "AI vb t_ge_" code "(" vector " a, " vector " b) { return " f(5) "; }\n"},
#define CMPD(p)  "__builtin_ia32_cmpd512_mask((vi32)a, (vi32)b, " #p ", -1)"
#define CMPUD(p) "__builtin_ia32_ucmpd512_mask((vi32)a, (vi32)b, " #p ", -1)"
#define CMPQ(p)                                                                                   \
    "TWO(__builtin_ia32_cmpq512_mask(LO(a), LO(b), " #p ", -1), "                                 \
    "__builtin_ia32_cmpq512_mask(HI(a), HI(b), " #p ", -1))"
/* Ordered quiet predicates; != is unordered. */
#define CMPPS(code, op, p)                                                                        \
    {"t_" code "_f32", A512, "AI vb t_" code "_f32(vf32 a, vf32 b) { return "                     \
     "__builtin_ia32_cmpps512_mask(a, b, " #p ", -1, 4); }\n"},

/* An integer op of the tile IR, from its row in ops.def: one lane, and W lanes one by one. Pieces
 * before these in the table are found first. */
#define INT_MAP_1(name, vs)  "MAP1(t_" name ", " vs ", " vs ", t_s_" name ")\n"
#define INT_MAP_2(name, vs)  "MAP2(t_" name ", " vs ", t_s_" name ")\n"
#define INT_LANE_1(name, S, U, bits, lane)                                                        \
    "AI " S " t_s_" name "(" S " sa) { typedef " U " U; const U a = (U)sa, width = " bits         \
    "; (void)a, (void)width; return (" S ")(" lane "); }\n"
#define INT_LANE_2(name, S, U, bits, lane)                                                        \
    "AI " S " t_s_" name "(" S " sa, " S " sb) { typedef " U " U; const U a = (U)sa, b = (U)sb, " \
    "width = " bits "; (void)a, (void)b, (void)width; return (" S ")(" lane "); }\n"
#define INT_PIECES(text, n, lane, code, S, U, bits, vs)                                           \
    {"t_s_" text "_" code, ALL, INT_LANE_##n(text "_" code, S, U, bits, lane)},                   \
    {"t_" text "_" code, ALL, INT_MAP_##n(text "_" code, vs)},
#define INT(kind, text, n, traits, meaning, form, lane)                             \
    INT_PIECES(text, n, #lane, "i8", "signed char", "unsigned char", "8", "vi8")                  \
    INT_PIECES(text, n, #lane, "i16", "short", "unsigned short", "16", "vi16")                    \
    INT_PIECES(text, n, #lane, "i32", "int", "unsigned", "32", "vi32")                            \
    INT_PIECES(text, n, #lane, "i64", "L", "UL", "64", "vi64")

/* A float op, from its row in ops.def, likewise: what prelude_float.inc has no text for. */
#define FLOAT_MAP_1(name, vs) "MAP1(t_" name ", " vs ", " vs ", t_s_" name ")\n"
#define FLOAT_MAP_2(name, vs) "MAP2(t_" name ", " vs ", t_s_" name ")\n"
#define FLOAT_LANE_1(name, S, lane) "AI " S " t_s_" name "(" S " a) { return " lane "; }\n"
#define FLOAT_LANE_2(name, S, lane) "AI " S " t_s_" name "(" S " a, " S " b) { return " lane "; }\n"
#define FLOAT_PIECES(text, n, lane)                                                               \
    {"t_s_" text "_f32", ALL, FLOAT_LANE_##n(text "_f32", "float", "(float)(" lane ")")},         \
    {"t_" text "_f32", ALL, FLOAT_MAP_##n(text "_f32", "vf32")},                                  \
    {"t_s_" text "_f64", ALL, FLOAT_LANE_##n(text "_f64", "double", lane)},                       \
    {"t_" text "_f64", ALL, FLOAT_MAP_##n(text "_f64", "vf64")},

/* What W lanes do better at once. */
#define INT_VECTORS(code, bits, vs, vu)                                                           \
    {"t_shl_" code, ALL, "AI " vs " t_shl_" code "(" vs " a, " vs " b) { " vu " in = (" vu ")((" vu ")b < " bits "); " \
     "return (" vs ")(((" vu ")a << ((" vu ")b & (" bits " - 1))) & in); }\n"},                     \
    {"t_shr_u_" code, ALL, "AI " vs " t_shr_u_" code "(" vs " a, " vs " b) { " vu " in = (" vu ")((" vu ")b < " bits "); " \
     "return (" vs ")(((" vu ")a >> ((" vu ")b & (" bits " - 1))) & in); }\n"},                     \
    {"t_shr_s_" code, ALL, "AI " vs " t_shr_s_" code "(" vs " a, " vs " b) { " vu " in = (" vu ")((" vu ")b < " bits "); " \
     "return a >> (" vs ")(((" vu ")b & in) | ((" bits " - 1) & ~in)); }\n"},                       \
    {"t_min_s_" code, ALL, "AI " vs " t_min_s_" code "(" vs " a, " vs " b) { " vs " m = (" vs ")(a < b); return (a & m) | (b & ~m); }\n"}, \
    {"t_max_s_" code, ALL, "AI " vs " t_max_s_" code "(" vs " a, " vs " b) { " vs " m = (" vs ")(a > b); return (a & m) | (b & ~m); }\n"}, \
    {"t_min_u_" code, ALL, "AI " vs " t_min_u_" code "(" vs " a, " vs " b) { " vs " m = (" vs ")((" vu ")a < (" vu ")b); return (a & m) | (b & ~m); }\n"}, \
    {"t_max_u_" code, ALL, "AI " vs " t_max_u_" code "(" vs " a, " vs " b) { " vs " m = (" vs ")((" vu ")a > (" vu ")b); return (a & m) | (b & ~m); }\n"},

static const Piece pieces[] = {
    /* ---- truth of W lanes ---- */
    {"t_vb_get", A512, "AI int t_vb_get(vb m, int i) { return m >> i & 1; }\n"},
    {"t_vb_get", NOT512, "AI int t_vb_get(vb m, int i) { return m[i] & 1; }\n"},
    {"t_vb_not", A512, "AI vb t_vb_not(vb m) { return (vb)~m; }\n"},
    {"t_vb_not", NOT512, "AI vb t_vb_not(vb m) { return ~m; }\n"},
    {"t_vb_splat", A512, "AI vb t_vb_splat(int c) { return (vb)(c ? 0xffff : 0); }\n"},
    {"t_vb_splat", NOT512, "AI vb t_vb_splat(int c) { return (vb){} - (c != 0); }\n"},
    {"t_vb_first", A512, /* lanes below n */
     "AI vb t_vb_first(L n) { return (vb)(n >= W ? 0xffff : n <= 0 ? 0 : (1u << n) - 1); }\n"},
    {"t_vb_first", NOT512,
     "AI vb t_vb_first(L n) { int k = n >= W ? W : n <= 0 ? 0 : (int)n; return t_iota() < k - (vi32){}; }\n"},
    {"t_vb_any", A512, "AI int t_vb_any(vb m) { return m != 0; }\n"},
    {"t_vb_any", A2, "AI int t_vb_any(vb m) { return __builtin_ia32_movmskps256((vf32)m) != 0; }\n"},
    {"t_vb_any", AGEN, "AI int t_vb_any(vb m) { int r = 0; LANES r |= m[i]; return r; }\n"},
    {"t_vb_of", A512, "AI vb t_vb_of(vi32 m) { return (vb)__builtin_ia32_cvtd2mask512(m); }\n"},
    {"t_vb_of", NOT512, "AI vb t_vb_of(vi32 m) { return m; }\n"},
    {"t_vb_lanes", A512, "AI vi32 t_vb_lanes(vb m) { return __builtin_ia32_cvtmask2d512(m); }\n"},
    {"t_vb_lanes", NOT512, "AI vi32 t_vb_lanes(vb m) { return m; }\n"},
    {"t_vb_to_i8", A512, "AI vi8 t_vb_to_i8(vb m) { return (vi8)__builtin_ia32_cvtmask2b128(m) & 1; }\n"},
    {"t_vb_to_i8", NOT512, "AI vi8 t_vb_to_i8(vb m) { return __builtin_convertvector(m & 1, vi8); }\n"},
    {"t_vb_from_i8", A512, "AI vb t_vb_from_i8(vi8 v) { return (vb)__builtin_ia32_cvtb2mask128((B16)(v != 0)); }\n"},
    {"t_vb_from_i8", NOT512, "AI vb t_vb_from_i8(vi8 v) { return __builtin_convertvector(v, vi32) != 0; }\n"},
    {"t_sel_i1", ALL, "AI vb t_sel_i1(vb m, vb a, vb b) { return (vb)((m & a) | (t_vb_not(m) & b)); }\n"},

    /* ---- bits ---- */
#define TO_BITS(code, T, from)                                                                    \
    {"t_s_bits_" code, ALL, "AI " T " t_s_bits_" code "(" from " a) { " T " r; __builtin_memcpy(&r, &a, sizeof r); return r; }\n"},
    TO_BITS("f32", "float", "unsigned") TO_BITS("f64", "double", "UL")
    TO_BITS("i32", "int", "float") TO_BITS("i64", "L", "double")

    /* ---- lanes ---- */
    {"t_iota", ALL, "AI vi32 t_iota(void) { return (vi32)IOTA; }\n"},
    {"t_iota64", ALL, "AI vi64 t_iota64(void) { return (vi64)IOTA; }\n"},

    /* ---- bounds of loops ---- */
    {"t_least", ALL, "AI L t_least(L a, L b) { return a < b ? a : b; }\n"},
    {"t_distance", ALL, /* upper - lower, or the nearest there is */
     "AI L t_distance(L upper, L lower) { L r; return __builtin_sub_overflow(upper, lower, &r) ? (upper < lower ? -0x7fffffffffffffffLL : 0x7fffffffffffffffLL) : r; }\n"},
    {"t_after", ALL, "AI L t_after(L a) { return a == 0x7fffffffffffffffLL ? a : a + 1; }\n"},
    {"t_wraps_u", ALL, "AI int t_wraps_u(int first, L distance) { L last; return __builtin_add_overflow((L)(unsigned)first, distance, &last) || last != (L)(unsigned)last; }\n"},
    {"t_wraps", ALL, "AI int t_wraps(L first, L distance) { L last; return __builtin_add_overflow(first, distance, &last) || last != (int)last; }\n"},
    {"t_v64", A512, "typedef vf32 t_v64;\n"},
    {"t_v32", A512, "typedef float t_v32 __attribute__((vector_size(32)));\n"},
    {"t_v32", A2, "typedef vf32 t_v32;\n"},
    {"t_v64", NOT512, "typedef float t_v64 __attribute__((vector_size(64)));\n"},
    {"t_v32", AGEN, "typedef float t_v32 __attribute__((vector_size(32)));\n"},
    {"t_stream64", A512, "AI void t_stream64(void *p, t_v64 v) { PICK(__builtin_ia32_movntps512((float *)p, v), __builtin_nontemporal_store(v, (t_v64 *)p)); }\n"},
    {"t_stream32", A512 | A2, "AI void t_stream32(void *p, t_v32 v) { PICK(__builtin_ia32_movntps256((float *)p, v), __builtin_nontemporal_store(v, (t_v32 *)p)); }\n"},
    {"t_stream64", NOT512, "AI void t_stream64(void *p, t_v64 v) { __builtin_memcpy(p, &v, 64); }\n"},
    {"t_stream32", AGEN, "AI void t_stream32(void *p, t_v32 v) { __builtin_memcpy(p, &v, 32); }\n"},

    /* ---- tests of accesses: see inside.c ---- */
    {"t_room", ALL, "AI L t_room(UL low, UL bytes, UL p, int size) { UL at = p - low; return at <= bytes ? (L)((bytes - at) / (UL)size) : 0; }\n"},
    {"t_row", ALL, "AI vu64 t_row(UL p, int size) { return (vu64)(t_iota64() * (L)size) + p; }\n"},
    {"t_at", ALL, "AI vu64 t_at(UL p, vi32 k, int size) { return (vu64)(__builtin_convertvector(k, vi64) * (L)size) + p; }\n"},
    {"t_out", ALL, "AI vb t_out(UL low, UL bytes, vu64 p, vb m, int size) { UL count = bytes < (UL)size ? 0 : bytes - (UL)size + 1; "
     "return (vb)(m & t_ge_u64(p - low, count - (vu64){})); }\n"},
    {"t_out_any", ALL, "COLD vb t_out_any(KernelRuntime *R, vu64 p, vb m, int size) { vi8 r = {}; "
     "LANES if (t_vb_get(m, i)) r[i] = T_TESTS->room(T_TESTS, p[i], size) < 1; return t_vb_from_i8(r); }\n"},
    {"t_beyond", ALL, "AI int t_beyond(vb m, L room) { return __builtin_expect(t_vb_any((vb)(m & t_vb_not(t_vb_first(room)))), 0); }\n"},
    /* the least and the largest offset inside; 1 and 0: there is none */
    {"t_has_offsets", ALL, "AI int t_has_offsets(UL low, UL bytes, UL p, int size, L *first, L *last) { L d = (L)(low - p), e = (L)(low + bytes - p) - size; "
     "*first = d > 0 ? (d + size - 1) / size : -(-d / size); *last = e < 0 ? -((-e + size - 1) / size) : e / size; "
     "if (*first < -0x7fffffffLL - 1) *first = -0x7fffffffLL - 1; if (*last > 0x7fffffffLL) *last = 0x7fffffffLL; return *first <= *last; }\n"},
    {"t_first", ALL, "AI int t_first(UL low, UL bytes, UL p, int size) { L first, last; return t_has_offsets(low, bytes, p, size, &first, &last) ? (int)first : 1; }\n"},
    {"t_last", ALL, "AI int t_last(UL low, UL bytes, UL p, int size) { L first, last; return t_has_offsets(low, bytes, p, size, &first, &last) ? (int)last : 0; }\n"},
    {"t_out_offsets", ALL, "AI vb t_out_offsets(vi32 k, int first, int last, vb m) { return (vb)(m & (t_lt_i32(k, first - (vi32){}) | t_gt_i32(k, last - (vi32){}))); }\n"},
    {"t_outside", ALL, "COLD int t_outside(KernelRuntime *R, int which, const int *P, vb m, vu64 p, L lane, L step) { int i = 0; "
     "while (!t_vb_get(m, i)) i++; return T_TESTS->outside(T_TESTS, which, P, lane + i * step, p[i]); }\n"},

    /* ---- atomics; all sequentially consistent: at least what the op asks for ---- */
#define ATOMIC_INT(code, T, UT)                                                                   \
    RMW_FETCH("add", code, T, "add") RMW_FETCH("and", code, T, "and") RMW_FETCH("or", code, T, "or") RMW_FETCH("xor", code, T, "xor") \
    {"t_atomic_xchg_" code, ALL, "AI " T " t_atomic_xchg_" code "(UL p, " T " v) { return __atomic_exchange_n((" T " *)p, v, 5); }\n"},   \
    RMW_LOOP("max_s", code, T, "old > v ? old : v") RMW_LOOP("min_s", code, T, "old < v ? old : v")                                     \
    RMW_LOOP("max_u", code, T, "(" UT ")old > (" UT ")v ? old : v") RMW_LOOP("min_u", code, T, "(" UT ")old < (" UT ")v ? old : v")       \
    {"t_atomic_cas_" code, ALL, "AI " T " t_atomic_cas_" code "(UL p, " T " c, " T " v) { __atomic_compare_exchange_n((" T " *)p, &c, v, 0, 5, 5); return c; }\n"},
#define RMW_FETCH(name, code, T, c) {"t_atomic_" name "_" code, ALL, "AI " T " t_atomic_" name "_" code "(UL p, " T " v) { return __atomic_fetch_" c "((" T " *)p, v, 5); }\n"},
#define RMW_LOOP(name, code, T, next)                                                             \
    {"t_atomic_" name "_" code, ALL, "AI " T " t_atomic_" name "_" code "(UL p, " T " v) { " T " old = __atomic_load_n((" T " *)p, 0); " \
     "while (!__atomic_compare_exchange_n((" T " *)p, &old, (" T ")(" next "), 1, 5, 5)) {} return old; }\n"},
    ATOMIC_INT("i8", "signed char", "unsigned char") ATOMIC_INT("i16", "short", "unsigned short")
    ATOMIC_INT("i32", "int", "unsigned") ATOMIC_INT("i64", "L", "UL")
#define ATOMIC_REAL(code, T)                                                                      \
    {"t_atomic_xchg_" code, ALL, "AI " T " t_atomic_xchg_" code "(UL p, " T " v) { " T " r; __atomic_exchange((" T " *)p, &v, &r, 5); return r; }\n"}, \
    {"t_atomic_cas_" code, ALL, "AI " T " t_atomic_cas_" code "(UL p, " T " c, " T " v) { __atomic_compare_exchange((" T " *)p, &c, &v, 0, 5, 5); return c; }\n"},
#define TYPE_FLOAT(kind, ir, bits, e, m, bias, most, nan, inf, sat, V, T, ...) ATOMIC_REAL(ir, T)
#include "base/dtypes.def"
    ATOMIC_REAL("ptr", "UL")
#define REAL_LOOP(name, code, T, next)                                                            \
    {"t_atomic_" name "_" code, ALL, "AI " T " t_atomic_" name "_" code "(UL p, " T " v) { " T " old, sum; __atomic_load((" T " *)p, &old, 0); " \
     "do sum = " next "; while (!__atomic_compare_exchange((" T " *)p, &old, &sum, 1, 5, 5)); return old; }\n"},
    REAL_LOOP("fadd", "f32", "float", "old + v") REAL_LOOP("fadd", "f64", "double", "old + v")
    REAL_LOOP("fadd", "f16", "unsigned short", "t_s_f32_to_f16(t_s_f16_to_f32(old) + t_s_f16_to_f32(v))")
    REAL_LOOP("fadd", "bf16", "unsigned short", "t_s_f32_to_bf16(t_s_bf16_to_f32(old) + t_s_bf16_to_f32(v))")

    /* ---- AVX-512: blend, masked access, compare ---- */
#define SEL512(code, v, gcc, clang, as)                                                           \
    {"t_sel_" code, A512, "AI " v " t_sel_" code "(vb m, " v " a, " v " b) { return (" v ")PICK("     \
     "__builtin_ia32_" gcc "((" as ")a, (" as ")b, m), __builtin_ia32_" clang "(m, (" as ")a, (" as ")b)); }\n"},
    SEL512("f32", "vf32", "movdqa32_512_mask", "selectd_512", "vi32")
    SEL512("i32", "vi32", "movdqa32_512_mask", "selectd_512", "vi32")
    SEL512("i16", "vi16", "movdquhi256_mask", "selectw_256", "vi16")
    SEL512("f16", "vu16", "movdquhi256_mask", "selectw_256", "vi16")
    SEL512("bf16", "vu16", "movdquhi256_mask", "selectw_256", "vi16")
#define MEM512(code, v, load, store, as, scalar)                                                  \
    {"t_ldm_" code, A512, "AI " v " t_ldm_" code "(const void *p, vb m, " v " other) { return (" v        \
     ")__builtin_ia32_" load "((const " scalar " *)p, (" as ")other, m); }\n"},                     \
    {"t_stm_" code, A512, "AI void t_stm_" code "(void *p, " v " v, vb m) { __builtin_ia32_" store        \
     "((" scalar " *)p, (" as ")v, m); }\n"},
    MEM512("f32", "vf32", "loaddqusi512_mask", "storedqusi512_mask", "vi32", "int")
    MEM512("i32", "vi32", "loaddqusi512_mask", "storedqusi512_mask", "vi32", "int")
    MEM512("i16", "vi16", "loaddquhi256_mask", "storedquhi256_mask", "vi16", "PICK(short, vi16)")
    MEM512("f16", "vu16", "loaddquhi256_mask", "storedquhi256_mask", "vi16", "PICK(short, vi16)")
    MEM512("bf16", "vu16", "loaddquhi256_mask", "storedquhi256_mask", "vi16", "PICK(short, vi16)")
    MEM512("i8", "vi8", "loaddquqi128_mask", "storedquqi128_mask", "B16", "PICK(char, B16)")
    MEM512("f8e4m3", "vu8", "loaddquqi128_mask", "storedquqi128_mask", "B16", "PICK(char, B16)")
    MEM512("f8e5m2", "vu8", "loaddquqi128_mask", "storedquqi128_mask", "B16", "PICK(char, B16)")
#define MEM512Q(code, v, as_scalar)                                                               \
    {"t_ldm_" code, A512, "AI " v " t_ldm_" code "(const void *p, vb m, " v " other) { const L *q = (const L *)p; "  \
     "H2 r; r.h[0] = __builtin_ia32_loaddqudi512_mask(q, LO(other), (unsigned char)m); "          \
     "r.h[1] = __builtin_ia32_loaddqudi512_mask(q + 8, HI(other), (unsigned char)(m >> 8)); return (" v ")r.v; }\n"}, \
    {"t_sel_" code, A512, "AI " v " t_sel_" code "(vb m, " v " a, " v " b) { H2 r; "                      \
     "r.h[0] = SELQ(LO(a), LO(b), (unsigned char)m); "                                            \
     "r.h[1] = SELQ(HI(a), HI(b), (unsigned char)(m >> 8)); return (" v ")r.v; }\n"},             \
    {"t_stm_" code, A512, "AI void t_stm_" code "(void *p, " v " v, vb m) { L *q = (L *)p; "                   \
     "__builtin_ia32_storedqudi512_mask(q, LO(v), (unsigned char)m); "                            \
     "__builtin_ia32_storedqudi512_mask(q + 8, HI(v), (unsigned char)(m >> 8)); }\n"},
    MEM512Q("i64", "vi64", "L") MEM512Q("f64", "vf64", "double") MEM512Q("ptr", "vu64", "UL")
    {"t_gatheri_f32", A512, "AI vf32 t_gatheri_f32(UL p, vi32 i, vb m, vf32 other) { return "
     "(vf32)__builtin_ia32_gathersiv16si((vi32)other, (const void *)p, i, (short)m, 4); }\n"},
    {"t_gatheri_i32", A512, "AI vi32 t_gatheri_i32(UL p, vi32 i, vb m, vi32 other) { return "
     "__builtin_ia32_gathersiv16si(other, (const void *)p, i, (short)m, 4); }\n"},
    CMP512("i32", "vi32", CMPD) CMP512("u32", "vu32", CMPUD) CMP512("i64", "vi64", CMPQ)
    CMPPS("eq", "==", 0) CMPPS("ne", "!=", 4) CMPPS("lt", "<", 17) CMPPS("le", "<=", 18)
    CMPPS("gt", ">", 30) CMPPS("ge", ">=", 29)
    {"t_ldm_f32", A2, "AI vf32 t_ldm_f32(const void *p, vb m, vf32 other) { "
     "vf32 r = __builtin_ia32_maskloadps256((const vf32 *)p, m); return (vf32)(((vi32)r & m) | ((vi32)other & ~m)); }\n"},
    {"t_stm_f32", A2, "AI void t_stm_f32(void *p, vf32 v, vb m) { __builtin_ia32_maskstoreps256((vf32 *)p, m, v); }\n"},
    {"t_ldm_i32", A2, "AI vi32 t_ldm_i32(const void *p, vb m, vi32 other) { "
     "vi32 r = __builtin_ia32_maskloadd256((const vi32 *)p, m); return (r & m) | (other & ~m); }\n"},
    {"t_stm_i32", A2, "AI void t_stm_i32(void *p, vi32 v, vb m) { __builtin_ia32_maskstored256((vi32 *)p, m, v); }\n"},

    {"t_ldm_i1", ALL, "AI vb t_ldm_i1(const void *p, vb m, vb other) { return t_vb_from_i8(t_ldm_i8(p, m, t_vb_to_i8(other))); }\n"},
    {"t_stm_i1", ALL, "AI void t_stm_i1(void *p, vb v, vb m) { t_stm_i8(p, t_vb_to_i8(v), m); }\n"},
    {"t_gather_i1", ALL, "AI vb t_gather_i1(vu64 p, vb m, vb other) { return t_vb_from_i8(t_gather_i8(p, m, t_vb_to_i8(other))); }\n"},
    {"t_gatheri_i1", ALL, "AI vb t_gatheri_i1(UL p, vi32 k, vb m, vb other) { return t_vb_from_i8(t_gatheri_i8(p, k, m, t_vb_to_i8(other))); }\n"},
    {"t_scatter_i1", ALL, "AI void t_scatter_i1(vu64 p, vb v, vb m) { t_scatter_i8(p, t_vb_to_i8(v), m); }\n"},
#define TYPE_INT(kind, ir, bits, V, T, ...)                              LANES_OF(ir, V, T)
#define TYPE_FLOAT(kind, ir, bits, e, m, bias, most, nan, inf, sat, V, T, ...) LANES_OF(ir, V, T)
#include "base/dtypes.def"
    LANES_OF("ptr", "vu64", "UL")

    COMPARES_OF("i8", "vi8", "", "signed char") COMPARES_OF("i16", "vi16", "", "short")
    COMPARES_OF("i32", "vi32", "", "int") COMPARES_OF("i64", "vi64", "", "L")
    COMPARES_OF("u8", "vu8", "", "unsigned char") COMPARES_OF("u16", "vu16", "", "unsigned short")
    COMPARES_OF("u32", "vu32", "", "unsigned") COMPARES_OF("u64", "vu64", "", "UL")
    COMPARES_OF("f32", "vf32", "", "float") COMPARES_OF("f64", "vf64", "", "double")

    INT_VECTORS("i8", "8", "vi8", "vu8") INT_VECTORS("i16", "16", "vi16", "vu16")
    INT_VECTORS("i32", "32", "vi32", "vu32") INT_VECTORS("i64", "64", "vi64", "vu64")
    {"t_s_mulhi_u_i32", ALL, /* in 64 bits: compilers make vectors of that */
     "AI int t_s_mulhi_u_i32(int a, int b) { return (int)((UL)(unsigned)a * (unsigned)b >> 32); }\n"},
    {"t_mulhi_u_i32", A512, /* even and odd lanes by vpmuludq */
     "AI vi32 t_mulhi_u_i32(vi32 a, vi32 b) {\n"
     "    vq64 e = (vq64)a & 0xffffffff, f = (vq64)b & 0xffffffff, g = (vq64)a >> 32, h = (vq64)b >> 32;\n"
     "    vq64 even = (vq64)__builtin_ia32_pmuludq512_ANY(e, f) >> 32;\n"
     "    vq64 odd = (vq64)__builtin_ia32_pmuludq512_ANY(g, h) & ~0xffffffffull;\n"
     "    return (vi32)(even | odd);\n}\n"},
#include "ir/ops.def"

    /* ---- products of pairs of i16 or fours of i8, summed in i32; a's i8 have no sign ---- */
    {"t_dot2", A512, "typedef short t_pairs __attribute__((vector_size(64)));\n"
     "AI vi32 t_dot2(vi32 c, vi32 a, vi32 b) { return c + (vi32)PICK(__builtin_ia32_pmaddwd512_mask((t_pairs)a, (t_pairs)b, (vi32){}, -1), "
     "__builtin_ia32_pmaddwd512((t_pairs)a, (t_pairs)b)); }\n"},
    {"t_dot2", A2, "typedef short t_pairs __attribute__((vector_size(32)));\n"
     "AI vi32 t_dot2(vi32 c, vi32 a, vi32 b) { return c + (vi32)__builtin_ia32_pmaddwd256((t_pairs)a, (t_pairs)b); }\n"},
    {"t_dot2", AGEN, "typedef short t_pairs __attribute__((vector_size(16)));\n"
     "AI vi32 t_dot2(vi32 c, vi32 a, vi32 b) {\n#ifdef __SSE2__\n    return c + (vi32)__builtin_ia32_pmaddwd128((t_pairs)a, (t_pairs)b);\n"
     "#else\n    return c + (a << 16 >> 16) * (b << 16 >> 16) + (a >> 16) * (b >> 16);\n#endif\n}\n"},
    {"t_dot_i8", AGEN, /* of fours that have a sign; the even bytes and the odd ones */
     "typedef short t_pairs __attribute__((vector_size(16)));\n"
     "AI vi32 t_dot_i8(vi32 c, vi32 a, vi32 b) {\n#ifdef __ARM_FEATURE_DOTPROD\n"
     "    __asm__(\"sdot %0.4s, %1.16b, %2.16b\" : \"+w\"(c) : \"w\"(a), \"w\"(b)); return c;\n#else\n"
     "    t_pairs a0 = (t_pairs)a << 8 >> 8, a1 = (t_pairs)a >> 8, b0 = (t_pairs)b << 8 >> 8, b1 = (t_pairs)b >> 8;\n"
     "#ifdef __SSE2__\n    return c + (vi32)__builtin_ia32_pmaddwd128(a0, b0) + (vi32)__builtin_ia32_pmaddwd128(a1, b1);\n"
     "#elif defined(__aarch64__)\n    t_pairs x = a0 * b0, y = a1 * b1;\n"
     "    __asm__(\"sadalp %0.4s, %1.8h\\n\\tsadalp %0.4s, %2.8h\" : \"+&w\"(c) : \"w\"(x), \"w\"(y)); return c;\n"
     "#else\n    vi32 x = (vi32)(a0 * b0), y = (vi32)(a1 * b1);\n"
     "    return c + (x << 16 >> 16) + (x >> 16) + (y << 16 >> 16) + (y >> 16);\n#endif\n#endif\n}\n"},
    {"t_dot4", AVNNI, "AI vi32 t_dot4(vi32 c, vi32 a, vi32 b) { return PICK(__builtin_ia32_vpdpbusd_v16si(c, a, b), __builtin_ia32_vpdpbusd512(c, a, b)); }\n"},
    {"t_dot_bf16", ABF16, /* as text, as t_narrow is */
     "AI vf32 t_dot_bf16(vf32 c, vi32 a, vi32 b) { __asm__(\"vdpbf16ps %2, %1, %0\" : \"+v\"(c) : \"v\"(a), \"v\"(b)); return c; }\n"},
    {"t_u8_to_u32", AGEN, "AI vu32 t_u8_to_u32(vu8 a) { return __builtin_convertvector(a, vu32); }\n"},
    {"t_u8_to_u32", AVNNI, "AI vu32 t_u8_to_u32(vu8 a) { return (vu32)PICK(__builtin_ia32_pmovzxbd512_mask((B16)a, (vi32){}, -1), __builtin_convertvector(a, vu32)); }\n"},

    /* ---- AMX: 8 tiles of 16 rows of 64 bytes; as bytes, for what assemblers do not know. The
     * address is in rax, the distance of rows in bytes in rcx. ---- */
    {"t_tiles_begin", AAMX, /* ldtilecfg */
     "static const unsigned char t_tiles[64] __attribute__((aligned(64))) = {1, [16] = 64, [18] = 64, [20] = 64, [22] = 64, "
     "[24] = 64, [26] = 64, [28] = 64, [30] = 64, [48] = 16, 16, 16, 16, 16, 16, 16, 16};\n"
     "#define t_tiles_begin() __asm__ volatile(\".byte 0xc4, 0xe2, 0x78, 0x49, 0\" : : \"a\"(t_tiles), \"m\"(t_tiles))\n"},
    {"t_tiles_end", AAMX, /* tilerelease */
     "#define t_tiles_end() __asm__ volatile(\".byte 0xc4, 0xe2, 0x78, 0x49, 0xc0\")\n"},
    {"t_tile_load", AAMX, /* tileloadd */
     "#define t_tile_load(t, p, step) __asm__ volatile(\".byte 0xc4, 0xe2, 0x7b, 0x4b, 8 * \" #t \" + 4, 8\" : : \"a\"(p), \"c\"((L)(step)) : \"memory\")\n"},
    {"t_tile_store", AAMX, /* tilestored */
     "#define t_tile_store(t, p, step) __asm__ volatile(\".byte 0xc4, 0xe2, 0x7a, 0x4b, 8 * \" #t \" + 4, 8\" : : \"a\"(p), \"c\"((L)(step)) : \"memory\")\n"},
    {"t_tile_zero", AAMX, /* tilezero */
     "#define t_tile_zero(t) __asm__ volatile(\".byte 0xc4, 0xe2, 0x7b, 0x49, 0xc0 + 8 * \" #t)\n"},
#define TILE_DOT(code, form, opcode)                                                              \
    {"t_tile_dot_" code, AAMX, "#define t_tile_dot_" code "(c, a, b) __asm__ volatile(\".byte 0xc4, 0xe2, 8 * (15 - \" #b \") + " form \
     ", " opcode ", 0xc0 + 8 * \" #c \" + \" #a)\n"},
    TILE_DOT("bf16", "2", "0x5c") /* tdpbf16ps */
    TILE_DOT("i8", "3", "0x5e")   /* tdpbssd */

#include "gen/c/prelude_float.inc"
#define FLOAT1(kind, text, rule, meaning, lane, f32, f64) FLOAT_PIECES(text, 1, #lane)
#define FLOAT2(kind, text, traits, meaning, lane, f32, f64) FLOAT_PIECES(text, 2, #lane)
#include "ir/ops.def"
};

/* What all pieces stand on. */
static const char head[] =
    "#define AI static inline __attribute__((always_inline, unused))\n"
    "typedef __int128 Wide;\ntypedef unsigned __int128 UWide;\n"
    "#define COLD static __attribute__((noinline, cold, unused))\n"
    "#define LANES for (int i = 0; i < W; i++)\n"
    "#define VEC(T, name, size) typedef T name __attribute__((vector_size((size) * W)));\n"
    "VEC(signed char, vi8, 1) VEC(unsigned char, vu8, 1) VEC(short, vi16, 2) VEC(unsigned short, vu16, 2)\n"
    "VEC(int, vi32, 4) VEC(unsigned, vu32, 4) VEC(L, vi64, 8) VEC(UL, vu64, 8) VEC(float, vf32, 4) VEC(double, vf64, 8)\n"
    "#define MEM(T, name, of) typedef T name __attribute__((aligned(1), may_alias));\n"
    "MEM(vi8, m_i8, 1) MEM(vu8, m_u8, 1) MEM(vi16, m_i16, 2) MEM(vu16, m_u16, 2) MEM(vi32, m_i32, 4) MEM(vi64, m_i64, 8)\n"
    "MEM(vu64, m_u64, 8) MEM(vf32, m_f32, 4) MEM(vf64, m_f64, 8)\n"
    "MEM(signed char, u_i8, 1) MEM(unsigned char, u_u8, 1) MEM(short, u_i16, 2) MEM(unsigned short, u_u16, 2) MEM(int, u_i32, 4)\n"
    "MEM(L, u_i64, 8) MEM(UL, u_u64, 8) MEM(float, u_f32, 4) MEM(double, u_f64, 8)\n"
    "#ifdef __clang__\n#define PICK(gcc, clang) clang\n#else\n#define PICK(gcc, clang) gcc\n#endif\n"
    "#define MAP1(name, R, A, f) AI R name(A a) { R r; LANES r[i] = f(a[i]); return r; }\n"
    "#define MAP2(name, T, f) AI T name(T a, T b) { T r; LANES r[i] = f(a[i], b[i]); return r; }\n"
    "#define SELECT(name, V, lanes) AI V name(vb m, V a, V b) { typedef __typeof__(a == b) M; "
    "M k = __builtin_convertvector(lanes, M); return (V)(((M)a & k) | ((M)b & ~k)); }\n"
    "#define LOAD_LANES(name, V, T) AI V name(const void *p, vb m, V other) { const char *q = (const char *)p; "
    "LANES if (t_vb_get(m, i)) { T x; __builtin_memcpy(&x, q + i * sizeof(T), sizeof(T)); other[i] = x; } return other; }\n"
    "#define STORE_LANES(name, V, T) AI void name(void *p, V v, vb m) { char *q = (char *)p; "
    "LANES if (t_vb_get(m, i)) { T x = v[i]; __builtin_memcpy(q + i * sizeof(T), &x, sizeof(T)); } }\n"
    "#define GATHER(name, V, T) AI V name(vu64 p, vb m, V other) { "
    "LANES if (t_vb_get(m, i)) { T x; __builtin_memcpy(&x, (const void *)p[i], sizeof(T)); other[i] = x; } return other; }\n"
    "#define GATHER_INDEX(name, V, T) AI V name(UL p, vi32 k, vb m, V other) { "
    "LANES if (t_vb_get(m, i)) { T x; __builtin_memcpy(&x, (const char *)p + (L)k[i] * (L)sizeof(T), sizeof(T)); other[i] = x; } return other; }\n"
    "#define SCATTER(name, V, T) AI void name(vu64 p, V v, vb m) { "
    "LANES if (t_vb_get(m, i)) { T x = v[i]; __builtin_memcpy((void *)p[i], &x, sizeof(T)); } }\n";

/* gen/c/abi.h, what the library and a kernel agree on, as it stands. */
extern const char text_abi_start[], text_abi_end[], text_tests_start[], text_tests_end[];

static const char head_512[] =
    "#define W 16\ntypedef unsigned short vb;\n"
    "#define IOTA {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}\n"
    "typedef char B16 __attribute__((vector_size(16)));\n"
    "typedef L vq __attribute__((vector_size(64)));\ntypedef UL vq64 __attribute__((vector_size(64)));\n"
    "typedef double vd8 __attribute__((vector_size(64)));\n"
    "typedef union { L __attribute__((vector_size(128))) v; vq h[2]; } H2;\n"
    "#define LO(x) (((H2){.v = (L __attribute__((vector_size(128))))(x)}).h[0])\n"
    "#define HI(x) (((H2){.v = (L __attribute__((vector_size(128))))(x)}).h[1])\n"
    "#define SELQ(a, b, m) PICK(__builtin_ia32_movdqa64_512_mask(a, b, m), __builtin_ia32_selectq_512(m, a, b))\n"
    "#define TWO(lo, hi) ((vb)((unsigned char)(lo) | (unsigned char)(hi) << 8))\n"
    "#define __builtin_ia32_pmuludq512_ANY(a, b) PICK(__builtin_ia32_pmuludq512_mask((vi32)(a), (vi32)(b), (vq){}, -1), "
    "__builtin_ia32_pmuludq512((vi32)(a), (vi32)(b)))\n"
    "#define __builtin_ia32_minps512_ANY(a, b) PICK(__builtin_ia32_minps512_mask(a, b, a, -1, 4), __builtin_ia32_minps512(a, b, 4))\n"
    "#define __builtin_ia32_maxps512_ANY(a, b) PICK(__builtin_ia32_maxps512_mask(a, b, a, -1, 4), __builtin_ia32_maxps512(a, b, 4))\n"
    "#define COMPARE(name, V, T, op) AI vb name(V a, V b) { unsigned r = 0; LANES r |= (unsigned)(a[i] op b[i]) << i; return (vb)r; }\n";
static const char head_vector[] =
    "typedef int vb __attribute__((vector_size(4 * W)));\n"
    "#define COMPARE(name, V, T, op) AI vb name(V a, V b) { return __builtin_convertvector(a op b, vb); }\n";

static const struct {
    int width, bit; /* lanes, and which pieces are for it */
} arch_rows[] = {[C_GENERIC] = {4, AGEN},
                 [C_AVX2] = {8, A2},
                 [C_AVX512] = {16, A512 & ~AVNNI},
                 [C_AVX512VNNI] = {16, AVNNI & ~ABF16},
                 [C_AVX512BF16] = {16, ABF16 & ~AAMX},
                 [C_AMX] = {16, AAMX}};

int prelude_width(CArch arch) { return arch_rows[arch].width; }

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The piece that defines name[0..length), or -1. */
static int piece_find(const char *name, int length, int bit) {
    for (int i = 0; i < COUNT(pieces); i++) {
        if (!(pieces[i].archs & bit)) continue;
        if ((int)strlen(pieces[i].name) == length && !memcmp(pieces[i].name, name, (size_t)length))
            return i;
    }
    return -1;
}

/* What a small float's bits m are, where they are not a number; it ends the function. */
static void put_special(Buf *out, const FloatFormat *f, int sign) {
    const char *first = f->has_infinity ? "0x7f800000u" : "0x7fc00000u";
    unsigned long long infinity = (unsigned long long)f->largest + 1;
    if (!f->nan) return;
    buf_printf(out, f->has_infinity ? "if (m >= 0x%llx) { " : "if (m == 0x%llx) { ",
               f->has_infinity ? infinity : (unsigned long long)f->nan);
    if (f->has_infinity)
        buf_printf(out, "unsigned u = (unsigned)(x >> %d) << 31 | %s | (m & 0x%x) << %d | "
                   "(m > 0x%llx ? 0x400000u : 0); ",
                   sign, first, (1u << f->mantissa_bits) - 1, 23 - f->mantissa_bits, infinity);
    else
        buf_printf(out, "unsigned u = %s | (unsigned)(x >> %d) << 31; ", first, sign);
    buf_puts(out, "__builtin_memcpy(&r, &u, 4); return r; }");
}

/* $f16_bias in a text is a number of the format f16. */
static void put_word(Buf *out, Str word) {
    const char *bar = memchr(word.data, '_', (size_t)word.length);
    Str name = {word.data, bar ? (int)(bar - word.data) : 0};
    Str what = {word.data + name.length + 1, word.length - name.length - 1};
    FloatKind kind = NUM_FLOAT_KINDS;
    for (int i = 0; i < TYPE_PTR; i++)
        if (str_is(name, kind_code((TypeKind)i))) float_kind_of(type_scalar((TypeKind)i), &kind);
    if (kind == NUM_FLOAT_KINDS) BUG("$%.*s is of no format", STR_ARG(word));
    const FloatFormat *f = float_format(kind);
    unsigned long long largest = f->largest, nan = float_nan(kind);
    int sign = f->exponent_bits + f->mantissa_bits;
    if (str_is(what, "sign"))
        buf_printf(out, "%d", sign);
    else if (str_is(what, "mantissa"))
        buf_printf(out, "%d", f->mantissa_bits);
    else if (str_is(what, "bias"))
        buf_printf(out, "%d", f->bias);
    else if (str_is(what, "largest"))
        buf_printf(out, "0x%llx", largest);
    else if (str_is(what, "most"))
        buf_printf(out, "0x%llx", f->saturates ? largest : largest + 1);
    else if (str_is(what, "nan"))
        buf_printf(out, "0x%llx", nan);
    else if (str_is(what, "special"))
        put_special(out, f, sign);
    else
        BUG("$%.*s is no number of a format", STR_ARG(word));
}

static void piece_put(Buf *out, const char *text) {
    for (const char *at = text; *at;) {
        int n = 1;
        while (*at == '$' && is_word(at[n])) n++;
        if (*at == '$')
            put_word(out, (Str){at + 1, n - 1});
        else
            buf_putc(out, *at);
        at += n;
    }
}

/* Puts the pieces that text mentions before `piece`'s own text, dependencies first; each name once.
 */
static void pieces_add(Buf *out, const char *text, int bit, Map *seen) {
    const char *end = text + strlen(text);
    for (const char *at = text; (at = memmem(at, (size_t)(end - at), "t_", 2)) != NULL;) {
        int n = 0;
        while (is_word(at[n])) n++;
        Str name = {at, n};
        if ((at == text || !is_word(at[-1])) && !map_get(seen, name)) {
            map_set(seen, name, seen);
            int found = piece_find(at, n, bit);
            if (found >= 0) {
                pieces_add(out, pieces[found].text, bit, seen);
                piece_put(out, pieces[found].text);
            }
        }
        at += n;
    }
}

void prelude_write(Buf *out, CArch arch, const char *text) {
    Map seen = {.arena = out->arena};
    buf_puts(out, "typedef long long L;\ntypedef unsigned long long UL;\n");
    int width = prelude_width(arch), bit = arch_rows[arch].bit;
    buf_puts(out, width == 16 ? head_512
                  : width == 8 ? "#define W 8\n#define IOTA {0, 1, 2, 3, 4, 5, 6, 7}\n"
                               : "#define W 4\n#define IOTA {0, 1, 2, 3}\n");
    if (width != 16) buf_puts(out, head_vector);
    buf_puts(out, head);
    buf_add(out, text_abi_start, (size_t)(text_abi_end - text_abi_start));
    if (strstr(text, "T_TESTS"))
        buf_add(out, text_tests_start, (size_t)(text_tests_end - text_tests_start));
    buf_puts(out, "enum { T_AHEAD = 4096 };\n");
    pieces_add(out, "t_vb_get t_iota", bit, &seen); /* the macros of the head use these */
    pieces_add(out, text, bit, &seen);
}
