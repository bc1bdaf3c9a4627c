// SPDX-License-Identifier: Apache-2.0
/* Operators on compile-time values where Python's answer is easy to get wrong; the wanted texts are
 * Python's own repr. test/lang/syntax/values.py has more, checked against Python itself. */
#include "lang/object.h"
#include "test.h"

static Arena *arena;

static Object *integer(long long value) { return object_int(arena, value); }
static Object *real(double value) { return object_float(arena, value); }

static const char *text_of(const Object *object, const char *why) {
    Buf out = {.arena = arena};
    if (object)
        object_repr(&out, object);
    else
        buf_puts(&out, "refused: "), buf_puts(&out, why);
    return out.data;
}
static const char *binary(Operator op, Object *a, Object *b) {
    const char *why = "no reason";
    Object *result = object_binary(arena, op, a, b, &why);
    return text_of(result, why);
}
static const char *compare(Operator op, Object *a, Object *b) {
    const char *why = "no reason";
    Object *result = object_compare(arena, op, a, b, &why);
    return text_of(result, why);
}

TEST(integers) {
    arena = arena_new(NULL);
    int128 most = (int128)(~(uint128)0 >> 1), least = -most - 1;
    CHECK_STR(binary(OPERATOR_FLOORDIV, integer(-7), integer(2)), "-4");
    CHECK_STR(binary(OPERATOR_MOD, integer(-7), integer(2)), "1");
    CHECK_STR(binary(OPERATOR_MOD, integer(7), integer(-2)), "-1");
    CHECK_STR(binary(OPERATOR_DIV, integer(1), integer(3)), "0.3333333333333333");
    CHECK_STR(binary(OPERATOR_DIV, integer(9007199254740993), integer(1)), "9007199254740992.0");
    CHECK_STR(binary(OPERATOR_DIV, integer(9007199254740995), integer(3)), "3002399751580331.5");
    CHECK_STR(binary(OPERATOR_POW, integer(2), integer(100)), "1267650600228229401496703205376");
    CHECK_STR(binary(OPERATOR_POW, integer(2), integer(-2)), "0.25");
    CHECK_STR(binary(OPERATOR_SHR, integer(-5), integer(200)), "-1");
    CHECK_STR(text_of(object_int(arena, least), ""), "-170141183460469231731687303715884105728");
    CHECK_STR(binary(OPERATOR_AND, object_bool(arena, true), object_bool(arena, true)), "True");
    CHECK_STR(binary(OPERATOR_ADD, object_bool(arena, true), object_bool(arena, true)), "2");
    const char *too_wide = "refused: the integer result needs more than 128 bits";
    CHECK_STR(binary(OPERATOR_ADD, object_int(arena, most), integer(1)), too_wide);
    CHECK_STR(binary(OPERATOR_MUL, object_int(arena, most), integer(2)), too_wide);
    CHECK_STR(binary(OPERATOR_POW, integer(3), integer(90)), too_wide);
    CHECK_STR(binary(OPERATOR_POW, integer(-1), object_int(arena, most)), "-1");
    CHECK_STR(binary(OPERATOR_SHL, integer(1), integer(127)), too_wide);
    CHECK_STR(binary(OPERATOR_SHL, integer(1), object_int(arena, most)), too_wide);
    CHECK_STR(binary(OPERATOR_SHL, integer(-1), integer(126)),
              "-85070591730234615865843651857942052864");
    CHECK_STR(binary(OPERATOR_FLOORDIV, object_int(arena, least), integer(-1)), too_wide);
    CHECK_STR(binary(OPERATOR_MOD, object_int(arena, least), integer(-1)), "0");
    CHECK_STR(binary(OPERATOR_SHL, integer(1), integer(-1)), "refused: a negative shift count");
    CHECK_STR(binary(OPERATOR_MOD, integer(1), integer(0)), "refused: division by zero");
    arena_free(arena);
}

TEST(floats) {
    arena = arena_new(NULL);
    CHECK_STR(binary(OPERATOR_MOD, real(-1e-20), real(3)), "3.0");
    CHECK_STR(binary(OPERATOR_MOD, real(5.5), real(-2)), "-0.5");
    CHECK_STR(binary(OPERATOR_FLOORDIV, real(0.7), real(0.1)), "6.0");
    CHECK_STR(binary(OPERATOR_FLOORDIV, real(-0.5), real(1)), "-1.0");
    CHECK_STR(binary(OPERATOR_POW, integer(10), real(2)), "100.0");
    CHECK_STR(binary(OPERATOR_POW, real(-8), real(1.0 / 3)),
              "refused: a negative number to a fractional power is complex");
    CHECK_STR(binary(OPERATOR_POW, real(1e200), integer(2)), "refused: the result is too large");
    CHECK_STR(binary(OPERATOR_DIV, integer(1), real(0)), "refused: division by zero");
    CHECK_STR(text_of(real(0.1 + 0.2), ""), "0.30000000000000004");
    CHECK_STR(text_of(real(1e23), ""), "1e+23");
    CHECK_STR(text_of(real(123456789012345680.0), ""), "1.2345678901234568e+17");
    CHECK_STR(text_of(real(-0.00012), ""), "-0.00012");
    CHECK_STR(text_of(real(-INFINITY), ""), "-inf");
    arena_free(arena);
}

TEST(comparisons_are_exact) {
    arena = arena_new(NULL);
    CHECK_STR(compare(OPERATOR_EQ, integer(9007199254740993), real(9007199254740992.0)), "False");
    CHECK_STR(compare(OPERATOR_GT, integer(9007199254740993), real(9007199254740992.0)), "True");
    CHECK_STR(compare(OPERATOR_LT, real(0.5), integer(1)), "True");
    CHECK_STR(compare(OPERATOR_LT, real(-0.5), integer(0)), "True");
    CHECK_STR(compare(OPERATOR_LT, integer(1), real(INFINITY)), "True");
    CHECK_STR(compare(OPERATOR_NE, real(NAN), real(NAN)), "True");
    CHECK_STR(compare(OPERATOR_GE, real(NAN), integer(0)), "False");
    CHECK_STR(compare(OPERATOR_EQ, object_bool(arena, true), integer(1)), "True");
    CHECK_STR(compare(OPERATOR_IS, object_bool(arena, true), integer(1)), "False");
    CHECK_STR(compare(OPERATOR_IS, object_none(arena), object_none(arena)), "True");
    CHECK_STR(compare(OPERATOR_EQ, object_str(arena, STR("1")), integer(1)), "False");
    CHECK_STR(compare(OPERATOR_LT, object_str(arena, STR("1")), integer(1)),
              "refused: '<' does not work on str and int");
    CHECK_STR(compare(OPERATOR_IN, object_str(arena, STR("bc")), object_str(arena, STR("abcd"))),
              "True");
    Object *opaque = object_new(arena, OBJECT_OPAQUE);
    CHECK_STR(compare(OPERATOR_IS, opaque, object_none(arena)),
              "refused: an operand is not known at compile time");
    Object *holds = object_tuple(arena, 1, &opaque);
    CHECK_STR(compare(OPERATOR_EQ, holds, holds),
              "refused: an operand is not known at compile time");
    arena_free(arena);
}

TEST(sequences) {
    arena = arena_new(NULL);
    Object *items[] = {integer(1), object_str(arena, STR("a'b"))};
    Object *pair = object_tuple(arena, 2, items), *one = object_tuple(arena, 1, items);
    CHECK_STR(text_of(one, ""), "(1,)");
    CHECK_STR(binary(OPERATOR_ADD, pair, one), "(1, \"a'b\", 1)");
    CHECK_STR(binary(OPERATOR_MUL, one, integer(3)), "(1, 1, 1)");
    CHECK_STR(binary(OPERATOR_MUL, integer(-2), one), "()");
    CHECK_STR(binary(OPERATOR_MUL, object_str(arena, STR("ab")), integer(2)), "'abab'");
    CHECK(strstr(binary(OPERATOR_MUL, one, integer(1LL << 40)), "more than 1048576 items"));
    CHECK_STR(binary(OPERATOR_ADD, one, integer(1)), "refused: '+' does not work on tuple and int");
    CHECK_STR(text_of(object_str(arena, STR("\n\\\x01\"'")), ""), "'\\n\\\\\\x01\"\\''");
    arena_free(arena);
}

TEST(types) {
    arena = arena_new(NULL);
    static const struct {
        const char *signature, *printed;
    } types[] = {
        {"i32", "int32"},
        {"u1", "int1"},
        {"i1", "int1"},
        {"fp16", "fp16"},
        {"bf16", "bf16"},
        {"u64", "uint64"},
        {"fp8e4nv", "fp8e4nv"},
        {"*fp32", "pointer<fp32>"},
        {"**i64", "pointer<pointer<int64>>"},
        {"*kbf16", "const_pointer<bf16>"},
        {"float32", "fp32"},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        LType type;
        Buf out = {.arena = arena};
        bool known = ltype_from_signature(str_of(types[i].signature), &type);
        CHECK(known);
        if (known) ltype_print(&out, type), CHECK_STR(out.data, types[i].printed);
    }
    static const char *const bad[] = {"",     "*",     "f32",     "int",  "i128",
                                      "i32*", "kfp32", "fp8e4b8", "void", "* fp32"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        LType type;
        CHECK(!ltype_from_signature(str_of(bad[i]), &type));
    }
    DType dtype;
    CHECK(dtype_from_name(STR("bfloat16"), &dtype) && dtype == DTYPE_BFLOAT16);
    CHECK(!dtype_from_name(STR("bf16"), &dtype));
    CHECK_STR(text_of(object_dtype(arena, (LType){DTYPE_FLOAT8E4M3, 0, false}), ""),
              "triton.language.float8e4nv");
    arena_free(arena);
}

TEST_MAIN()
