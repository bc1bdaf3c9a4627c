// SPDX-License-Identifier: Apache-2.0
/* The value language of -a and --grid: what it gives, and what it complains about. */
#include "cli/values.h"
#include "test.h"

typedef struct Fixture {
    Diag diag;
    Env env;
} Fixture;

static Fixture *fixture_new(void) {
    Arena *arena = arena_new(NULL);
    Fixture *fixture = arena_new_of(arena, Fixture);
    fixture->diag.arena = arena;
    fixture->env = (Env){.arena = arena, .diag = &fixture->diag};
    return fixture;
}

static void fixture_free(Fixture *fixture) {
    env_free(&fixture->env);
    arena_free(fixture->env.arena);
}

/* The literal of a value, or the first line of what was complained about. */
static const char *evaluated(Fixture *fixture, const char *text) {
    Buf out = {.arena = fixture->env.arena};
    ArgValue *value = env_evaluate(&fixture->env, "x", str_of(text));
    if (value && value->kind == ARG_TENSOR)
        tensor_type(&out, value->tensor);
    else if (value)
        value_literal(&out, value);
    else
        diag_print(&fixture->diag, false, &out);
    char *line = strchr(out.data, '\n');
    if (line) *line = 0;
    return out.data;
}

static void check_value(const char *text, const char *want) {
    Fixture *fixture = fixture_new();
    CHECK(env_bind(&fixture->env, "n=1000"));
    CHECK(env_bind(&fixture->env, "m=randn(4,781,f16,strides=(1024,1),offset=3)"));
    CHECK_STR(evaluated(fixture, text), want);
    fixture_free(fixture);
}

TEST(literals) {
    check_value("42", "42");
    check_value("-7", "-7");
    check_value("0x10", "16");
    check_value("1_000", "1000");
    check_value("9223372036854775807", "9223372036854775807");
    check_value("1e-5", "1e-05");
    check_value("0.1", "0.1");
    check_value("2.0", "2.0");
    check_value("true", "True");
    check_value("False", "False");
    check_value("none", "None");
    check_value("fp16", "fp16");
    check_value("f32", "fp32");
    check_value("\"tanh\"", "'tanh'");
    check_value("'it\\'s'", "'it\\'s'");
    check_value("(1, 2.5, none)", "(1, 2.5, None)");
    check_value("(3,)", "(3,)");
    check_value("(3)", "3");
}

TEST(arithmetic) {
    check_value("1+2*3", "7");
    check_value("(1+2)*3", "9");
    check_value("-7//2", "-4");
    check_value("-7%2", "1");
    check_value("7%-2", "-1");
    check_value("7/2", "3.5");
    check_value("2**10", "1024");
    check_value("-2**2", "-4");
    check_value("2**-1", "0.5");
    check_value("2**3**2", "512");
    check_value("n//3", "333");
    check_value("9223372036854775807//-1", "-9223372036854775807");
}

TEST(functions) {
    check_value("cdiv(n,256)", "4");
    check_value("next_power_of_2(n)", "1024");
    check_value("next_power_of_2(1)", "1");
    check_value("min(n,3)+max(n,2000)", "2003");
    check_value("size(m,0)", "4");
    check_value("size(m,-1)", "781");
    check_value("stride(m,0)", "1024");
    check_value("numel(m)", "3124");
    check_value("randn(4,781)", "fp32[4, 781]");
    check_value("zeros((2,3),i64)", "i64[2, 3]");
    check_value("empty(0,5,bf16)", "bf16[0, 5]");
    check_value("randint(7,i8,low=-3,high=3)", "i8[7]");
}

TEST(complaints) {
    check_value("", "x:1:1: error: expected a value, saw the end");
    check_value("1+", "x:1:3: error: expected a value, saw the end");
    check_value("1 2", "x:1:3: error: expected the end of the value, saw '2'");
    check_value("tanh", "x:1:1: error: unknown name 'tanh'");
    check_value("sin(1)", "x:1:1: error: unknown function 'sin'");
    check_value("'abc", "x:1:1: error: the string has no end");
    check_value("18446744073709551616",
                "x:1:1: error: 18446744073709551616 does not fit in 64 bits");
    check_value("9223372036854775808", "9223372036854775808");
    check_value("9223372036854775807+1", "x:1:1: error: the result does not fit in 64 bits");
    check_value("1/0", "x:1:1: error: division by zero");
    check_value("5%0", "x:1:1: error: division by zero");
    check_value("2^3", "x:1:2: error: '^' is no operator here");
    check_value("1+none", "x:1:1: error: arithmetic on a none");
    check_value("12abc", "x:1:1: error: not a number: '12abc'");
    check_value("randn(-1)", "x:1:7: error: randn: size -1 is negative");
    check_value("randn(1.5)", "x:1:7: error: randn: a size is an int, saw float");
    check_value("randn(4,i32)",
                "x:1:1: error: randn: i32 has no fractions; use randint(.., low=0, high=10)");
    check_value("randn()", "x:1:1: error: randn: expected a shape");
    check_value("randn(4,colour=1)", "x:1:9: error: randn: no parameter 'colour' with this value");
    check_value("zeros(4,4,strides=(1,))", "x:1:1: error: zeros: 1 strides for 2 dimensions");
    check_value("zeros(1,1,1,1,1,1,1,1,1)", "x:1:23: error: zeros: more than 8 dimensions");
    check_value("zeros(4000000000,4000000000,4000000000)",
                "x:1:1: error: zeros: the tensor is too large to address");
    check_value("size(m,2)", "x:1:8: error: size: expected a dimension of a tensor that has 2");
    check_value("size(n,0)", "x:1:6: error: size: expected a tensor, saw int");
    check_value("cdiv(4)", "x:1:1: error: cdiv: expected 2 arguments, got 1");
    check_value("cdiv(4,0)",
                "x:1:1: error: cdiv: expected a divisor above 0 and a dividend not below 0");
    check_value("full(3,f32)", "x:1:1: error: full: expected a shape");
    check_value("full(3,i8,128)", "x:1:1: error: full: 128 does not fit in i8");
    check_value("full(3,i8,-128)", "i8[3]");
    check_value("full(3,u8,-1)", "x:1:1: error: full: -1 does not fit in u8");
    check_value("full(3,u64,-1)", "x:1:1: error: full: -1 does not fit in u64");
    check_value("full(3,i1,2)", "x:1:1: error: full: 2 does not fit in i1");
    check_value("arange(3,43,i8)", "x:1:1: error: arange: 128 does not fit in i8");
    check_value("arange(128,i8)", "i8[128]");
    check_value("arange(99999999999,99999999,i8)",
                "x:1:1: error: arange: the tensor is too large to address");
    check_value("randint(3,u8,low=-1,high=3)", "x:1:1: error: randint: -1 does not fit in u8");
    check_value("randn(3,seed=1,seed=2)", "x:1:16: error: randn: 'seed' is given twice");
    check_value("randn(4", "x:1:8: error: expected ',' or ')', saw the end");
}

TEST(deep_nesting_is_refused) {
    char text[5000];
    memset(text, '(', 4000);
    strcpy(text + 4000, "1");
    Fixture *fixture = fixture_new();
    CHECK(strstr(evaluated(fixture, text), "expected less nesting") != NULL);
    fixture_free(fixture);
    memset(text, '-', 4000);
    fixture = fixture_new();
    CHECK(strstr(evaluated(fixture, text), "expected less nesting") != NULL);
    fixture_free(fixture);
}

TEST(bindings) {
    Fixture *fixture = fixture_new();
    Env *env = &fixture->env;
    CHECK(env_bind(env, "b=a*2"));
    CHECK(env_bind(env, "a=21"));
    CHECK(env_get(env, STR("b"))->integer == 42);
    CHECK(!env_bind(env, "a=3"));
    CHECK(!env_bind(env, "novalue"));
    CHECK(!env_bind(env, "1x=3"));
    CHECK(!env_bind(env, "=3"));
    CHECK(env_get(env, STR("c")) == NULL);
    CHECK(env_bind(env, "p=q+1") && env_bind(env, "q=p+1"));
    CHECK(env_get(env, STR("p")) == NULL);
    CHECK(diag_failed(&fixture->diag));
    fixture_free(fixture);
}

TEST(lists) {
    Fixture *fixture = fixture_new();
    ArgValue *values[3];
    CHECK(env_evaluate_list(&fixture->env, "--grid", "cdiv(10,4),2", values, 3) == 2);
    CHECK(values[0]->integer == 3 && values[1]->integer == 2);
    CHECK(env_evaluate_list(&fixture->env, "--grid", "1,2,3,4", values, 3) == -1);
    CHECK(env_evaluate_list(&fixture->env, "--grid", "1,,2", values, 3) == -1);
    fixture_free(fixture);
}

static double element(const Tensor *tensor, int64_t index) {
    return tern_element_double(tensor->dtype,
                               tensor->storage + (size_t)tensor_place(tensor, index) *
                                                     tern_dtype_size(tensor->dtype));
}

TEST(contents) {
    Fixture *fixture = fixture_new();
    Env *env = &fixture->env;
    Tensor *ramp = env_evaluate(env, "x", STR("arange(2,3,i32)"))->tensor;
    for (int i = 0; i < 6; i++) CHECK(element(ramp, i) == i);
    Tensor *full = env_evaluate(env, "x", STR("full(5,f16,-1.5)"))->tensor;
    for (int i = 0; i < 5; i++) CHECK(element(full, i) == -1.5);
    Tensor *empty = env_evaluate(env, "x", STR("empty(5,f32)"))->tensor;
    CHECK(tensor_stats(empty).num_poison == 5 && tensor_stats(empty).num_nan == 5);
    Tensor *normal = env_evaluate(env, "x", STR("randn(100000,f64,seed=3)"))->tensor;
    TensorStats stats = tensor_stats(normal);
    CHECK(fabs(stats.sum / 1e5) < 0.02 && stats.high > 3.5 && stats.high < 7 && stats.low < -3.5);
    double squares = 0;
    for (int i = 0; i < 100000; i++) squares += element(normal, i) * element(normal, i);
    CHECK(fabs(squares / 1e5 - 1) < 0.03);
    Tensor *uniform = env_evaluate(env, "x", STR("rand(100000,f32)"))->tensor;
    stats = tensor_stats(uniform);
    CHECK(fabs(stats.sum / 1e5 - 0.5) < 0.01 && stats.low >= 0 && stats.high <= 1);
    Tensor *ints = env_evaluate(env, "x", STR("randint(1000,i64,low=-2,high=2)"))->tensor;
    stats = tensor_stats(ints);
    CHECK(stats.low == -2 && stats.high == 1);
    fixture_free(fixture);
}

TEST(seeds) {
    Fixture *fixture = fixture_new();
    Env *env = &fixture->env;
    CHECK(env_bind(env, "a=randn(64)") && env_bind(env, "b=randn(64)"));
    CHECK(env_bind(env, "c=randn(64,seed=1)") && env_bind(env, "d=randn(8,8,seed=1)"));
    uint64_t a = tensor_stats(env_get(env, STR("a"))->tensor).hash;
    uint64_t b = tensor_stats(env_get(env, STR("b"))->tensor).hash;
    uint64_t c = tensor_stats(env_get(env, STR("c"))->tensor).hash;
    uint64_t d = tensor_stats(env_get(env, STR("d"))->tensor).hash;
    CHECK(a != b && a != c && c == d);
    fixture_free(fixture);
}

TEST(strided) {
    Fixture *fixture = fixture_new();
    Tensor *tensor =
        env_evaluate(&fixture->env, "x", STR("arange(2,3,i32,strides=(8,2),offset=1)"))->tensor;
    CHECK(tensor->storage_bytes == (1 + 8 + 4 + 1) * 4);
    const int32_t *data = (const int32_t *)(const void *)tensor->storage;
    CHECK(data[1] == 0 && data[3] == 1 && data[5] == 2 && data[9] == 3 && data[13] == 5);
    CHECK((uint32_t)data[0] == 0xa5a5a5a5u && (uint32_t)data[2] == 0xa5a5a5a5u);
    fixture_free(fixture);
}

/* Large tensors are made in parts, by threads: each element is what it is when it is made alone. */
TEST(parts) {
    enum { COUNT = 1100003 };
    static const char *const calls[] = {"randn(%d,f32,seed=1%s)", "rand(%d,f32,seed=1%s)",
                                        "arange(%d,dtype=f32%s)",
                                        "randint(%d,low=0,high=9,seed=1%s)"};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        Fixture *fixture = fixture_new();
        char parts[100], alone[100];
        snprintf(parts, sizeof parts, calls[i], COUNT, "");
        snprintf(alone, sizeof alone, calls[i], COUNT, ",strides=(1,)");
        ArgValue *a = env_evaluate(&fixture->env, "x", str_of(parts));
        ArgValue *b = env_evaluate(&fixture->env, "x", str_of(alone));
        CHECK(a && b && a->tensor->storage_bytes == b->tensor->storage_bytes);
        if (a && b)
            CHECK(!memcmp(a->tensor->storage, b->tensor->storage, a->tensor->storage_bytes));
        fixture_free(fixture);
    }
}

/* Numbers that were drawn before are copied: the same, of all that differs others, also where the
 * tensor that they were drawn for has changed. */
TEST(draws) {
    static const char *const texts[] = {"randn(50,f32,seed=1)",
                                        "randn(50,f32,seed=2)",
                                        "randn(50,f64,seed=1)",
                                        "rand(50,f32,seed=1)",
                                        "randn(49,f32,seed=1)",
                                        "randint(50,low=0,high=9,seed=1)",
                                        "randint(50,low=1,high=9,seed=1)",
                                        "randint(50,low=0,high=8,seed=1)",
                                        "randn(50,f32,seed=1,offset=2)",
                                        "randn(5,10,f32,strides=(1,5),seed=1)"};
    Fixture *plain = fixture_new(), *again = fixture_new();
    Draws draws = {.arena = again->env.arena};
    again->env.draws = &draws;
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
            Tensor *want = env_evaluate(&plain->env, "x", str_of(texts[i]))->tensor;
            Tensor *got = env_evaluate(&again->env, "x", str_of(texts[i]))->tensor;
            CHECK(got->storage_bytes == want->storage_bytes);
            CHECK(!memcmp(got->storage, want->storage, want->storage_bytes));
            memset(got->storage, 7, got->storage_bytes);
        }
    CHECK(draws.rows.count == 8);
    fixture_free(plain);
    fixture_free(again);
}

TEST(printing) {
    Fixture *fixture = fixture_new();
    Buf out = {.arena = fixture->env.arena};
    tensor_print(&out, env_evaluate(&fixture->env, "x", STR("arange(2,3,i32)"))->tensor);
    CHECK_STR(out.data, "[[0, 1, 2],\n [3, 4, 5]]");
    out = (Buf){.arena = fixture->env.arena};
    tensor_print(&out, env_evaluate(&fixture->env, "x", STR("arange(1000)"))->tensor);
    CHECK_STR(out.data, "[0, 1, 2, ..., 997, 998, 999]");
    out = (Buf){.arena = fixture->env.arena};
    tensor_print(&out, env_evaluate(&fixture->env, "x", STR("zeros(0)"))->tensor);
    CHECK_STR(out.data, "[]");
    fixture_free(fixture);
}

TEST_MAIN()
