// SPDX-License-Identifier: Apache-2.0
/* The types of operations, against tables printed by Triton's own front end. Rows are the left
 * operand, columns the right; '-' is an error. */
#include "lang/lang.h"
#include "test.h"

static const char *const types[] = {"i1",  "i8",   "i16",  "i32",  "i64",  "u8",      "u16",  "u32",
                                    "u64", "fp16", "bf16", "fp32", "fp64", "fp8e4nv", "fp8e5"};
static const char *const names[] = {"int1",     "int8",    "int16",   "int32",      "int64",
                                    "uint8",    "uint16",  "uint32",  "uint64",     "float16",
                                    "bfloat16", "float32", "float64", "float8e4nv", "float8e5"};
enum { NUM = sizeof types / sizeof types[0] };

static const char *const add_table[NUM] = {
    "i1 i8 i16 i32 i64 u8 u16 u32 u64 fp16 fp32 fp32 fp64 - -",
    "i8 i8 i16 i32 i64 u8 u16 u32 u64 fp16 fp32 fp32 fp64 - -",
    "i16 i16 i16 i32 i64 i16 u16 u32 u64 fp16 fp32 fp32 fp64 - -",
    "i32 i32 i32 i32 i64 i32 i32 u32 u64 fp16 fp32 fp32 fp64 - -",
    "i64 i64 i64 i64 i64 i64 i64 i64 u64 fp16 fp32 fp32 fp64 - -",
    "u8 u8 i16 i32 i64 u8 u16 u32 u64 fp16 fp32 fp32 fp64 - -",
    "u16 u16 u16 i32 i64 u16 u16 u32 u64 fp16 fp32 fp32 fp64 - -",
    "u32 u32 u32 u32 i64 u32 u32 u32 u64 fp16 fp32 fp32 fp64 - -",
    "u64 u64 u64 u64 u64 u64 u64 u64 u64 fp16 fp32 fp32 fp64 - -",
    "fp16 fp16 fp16 fp16 fp16 fp16 fp16 fp16 fp16 fp16 fp16 fp32 fp64 fp16 fp16",
    "fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp16 bf16 fp32 fp64 fp32 fp32",
    "fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp64 fp32 fp32",
    "fp64 fp64 fp64 fp64 fp64 fp64 fp64 fp64 fp64 fp64 fp64 fp64 fp64 fp64 fp64",
    "- - - - - - - - - fp16 fp32 fp32 fp64 ? fp16",
    "- - - - - - - - - fp16 fp32 fp32 fp64 fp16 ?", /* ?: fp8 arithmetic, refused */
};

static const char *const mod_table[NUM] = {
    "i1 - - - - u8 u16 u32 u64 fp32 fp32 fp32 fp64 - -",
    "- i8 i16 i32 i64 - - - - fp32 fp32 fp32 fp64 - -",
    "- i16 i16 i32 i64 - - - - fp32 fp32 fp32 fp64 - -",
    "- i32 i32 i32 i64 - - - - fp32 fp32 fp32 fp64 - -",
    "- i64 i64 i64 i64 - - - - fp32 fp32 fp32 fp64 - -",
    "u8 - - - - u8 u16 u32 u64 fp32 fp32 fp32 fp64 - -",
    "u16 - - - - u16 u16 u32 u64 fp32 fp32 fp32 fp64 - -",
    "u32 - - - - u32 u32 u32 u64 fp32 fp32 fp32 fp64 - -",
    "u64 - - - - u64 u64 u64 u64 fp32 fp32 fp32 fp64 - -",
    "fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp64 fp32 fp32",
    "fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp64 fp32 fp32",
    "fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp32 fp64 fp32 fp32",
    "fp64 fp64 fp64 fp64 fp64 fp64 fp64 fp64 fp64 fp64 fp64 fp64 fp64 fp64 fp64",
    "- - - - - - - - - fp32 fp32 fp32 fp64 ? fp16",
    "- - - - - - - - - fp32 fp32 fp32 fp64 fp16 ?",
};

/* Literals: True, 1, 2**31, 2**40, 0.5, 1e300 on the right of +, and 0.5 of /. */
static const char *const literals[] = {"+ True", "+ 1",     "* 2147483648", "* 1099511627776",
                                       "+ 0.5",  "+ 1e300", "/ 0.5"};
static const char *const literal_table[NUM] = {
    "i1 i32 u32 i64 fp32 fp64 fp32",
    "i8 i8 - - fp32 fp64 fp32",
    "i16 i16 - - fp32 fp64 fp32",
    "i32 i32 - - fp32 fp64 fp32",
    "i64 i64 i64 i64 fp32 fp64 fp32",
    "u8 u8 - - fp32 fp64 fp32",
    "u16 u16 - - fp32 fp64 fp32",
    "u32 u32 u32 - fp32 fp64 fp32",
    "u64 u64 u64 u64 fp32 fp64 fp32",
    "fp16 fp16 fp16 fp16 fp16 fp16 fp32",
    "bf16 bf16 bf16 bf16 bf16 bf16 fp32",
    "fp32 fp32 fp32 fp32 fp32 fp32 fp32",
    "fp64 fp64 fp64 fp64 fp64 fp64 fp64",
    "? ? ? ? ? ? ?",
    "? ? ? ? ? ? ?",
};

static const char *triton_name(const char *type) {
    for (int i = 0; i < NUM; i++)
        if (!strcmp(types[i], type)) return names[i];
    return type;
}

/* Compiles `text` (a kernel k); says whether it was accepted and, if not, refused by name. */
static bool compiles(const char *text, const char *signature, bool *refused) {
    Arena *arena = arena_new(NULL);
    Diag diag = {.arena = arena};
    Module *module = module_load(arena, source_new(arena, STR("k.py"), str_of(text)), (Str){0},
                                 &(LangOptions){0}, &diag);
    const JitFunction *function = module ? module_find(module, STR("k")) : NULL;
    Func *fn = NULL;
    if (function) {
        Spec *specs = arena_array(arena, Spec, function->num_params + 1);
        if (signature_parse(arena, function, source_new(arena, STR("sig"), str_of(signature)),
                            &diag, specs))
            fn = lower_function(arena, module, function, specs,
                                &(LowerOptions){.target = "cuda:90"}, &diag);
    }
    const char *wrong = fn ? func_verify(arena, fn) : NULL;
    if (wrong) printf("verifier: %s\n%s", wrong, text);
    CHECK(!wrong);
    *refused = diag.num_refused > 0;
    if (getenv("SHOW") && !fn) {
        Buf buf = {.arena = arena};
        diag_print(&diag, false, &buf);
        puts(buf.data ? buf.data : "");
    }
    arena_free(arena);
    return fn != NULL;
}

static const char head[] = "import triton\nimport triton.language as tl\n@triton.jit\ndef k(";

static void expect(const char *params, const char *expression, const char *signature,
                   const char *want) {
    char text[800];
    bool refused, error = want[0] == '-' || want[0] == '?';
    if (error)
        snprintf(text, sizeof text, "%s%s):\n    z = %s\n", head, params, expression);
    else
        snprintf(text, sizeof text, "%s%s):\n    z = %s\n    tl.static_assert(z.dtype == tl.%s)\n",
                 head, params, expression, triton_name(want));
    bool accepted = compiles(text, signature, &refused);
    if (accepted == error || (want[0] == '?' && !refused)) {
        printf("%s of %s: want %s\n", expression, signature, want);
        CHECK(!"the type is as Triton's");
    }
}

static void word_at(const char *row, int index, char *word) {
    while (index--) row = strchr(row, ' ') + 1;
    int n = 0;
    while (row[n] && row[n] != ' ') word[n] = row[n], n++;
    word[n] = 0;
}

static void check_pairs(const char *const *table, const char *expression) {
    char want[16], signature[40];
    for (int i = 0; i < NUM; i++)
        for (int j = 0; j < NUM; j++) {
            word_at(table[i], j, want);
            snprintf(signature, sizeof signature, "%s,%s", types[i], types[j]);
            /* Arithmetic in fp8 itself is not supported; fp8 kinds meet in fp16. */
            expect("x, y", expression, signature, want);
        }
}

TEST(addition) { check_pairs(add_table, "x + y"); }
TEST(remainder) { check_pairs(mod_table, "x % y"); }

TEST(literals_are_weak) {
    char want[16], expression[60];
    for (int i = 0; i < NUM; i++)
        for (int j = 0; j < 7; j++) {
            word_at(literal_table[i], j, want);
            snprintf(expression, sizeof expression, "x %s", literals[j]);
            expect("x", expression, types[i], want);
        }
}

TEST(single_types) {
    static const struct {
        const char *signature, *expression, *want;
    } rows[] = {
        {"i64", "x / x", "fp32"},
        {"i32", "x / 2", "fp32"},
        {"fp16", "x * 1e-8", "fp16"},
        {"fp16", "tl.maximum(x, 0.0)", "fp32"},
        {"fp16", "tl.maximum(x, 0)", "fp16"},
        {"bf16", "tl.maximum(x, x)", "fp32"},
        {"fp16", "x == 0.1", "i1"},
        {"fp16", "tl.where(x > 0, x, 0.0)", "fp16"},
        {"i1", "-x", "i1"},
        {"i8", "x >> 1", "i8"},
        {"i32", "tl.sum(tl.full([16], x, tl.int8))", "i32"},
        {"i32", "tl.sum(tl.full([16], x, tl.uint8))", "u32"},
        {"i32", "tl.sum(tl.full([16], x, tl.int1))", "u32"},
        {"fp32", "tl.sum(tl.full([16], x, tl.bfloat16))", "bf16"},
        {"fp32", "tl.sum(tl.full([16], x, tl.float16))", "fp16"},
        {"fp32", "tl.max(tl.full([16], x, tl.float16), 0)", "fp32"},
        {"i32", "tl.max(tl.full([16], x, tl.uint8), 0)", "i32"},
        {"fp32", "tl.max(tl.full([16], x, tl.float16), 0, return_indices=True)[0]", "fp16"},
        {"fp32", "tl.max(tl.full([16], x, tl.bfloat16), 0, return_indices=True)[0]", "fp32"},
        {"fp32", "tl.argmax(tl.full([16], x, tl.bfloat16), 0)", "i32"},
        {"fp32", "tl.cumsum(tl.full([16], x, tl.bfloat16), 0)", "fp32"},
        {"i32", "tl.cumsum(tl.full([16], x, tl.int16), 0)", "i32"},
        {"i32", "tl.cumprod(tl.full([16], x, tl.int16), 0)", "i16"},
        {"fp32", "tl.dot(tl.full([16, 16], x, tl.float16), tl.full([16, 16], x, tl.float16))",
         "fp32"},
        {"fp32",
         "tl.dot(tl.full([16, 16], x, tl.float16), tl.full([16, 16], x, tl.float16), "
         "out_dtype=tl.float16)",
         "fp16"},
        {"i32", "tl.dot(tl.full([32, 32], x, tl.int8), tl.full([32, 32], x, tl.int8))", "i32"},
        {"i32", "tl.histogram(tl.full([16], x, tl.int32), 8)", "i32"},
        {"fp32", "tl.sort(tl.full([16], x, tl.float16))", "fp16"},
        {"fp32", "tl.topk(tl.full([16], x, tl.float32), 4)", "fp32"},
        {"fp32", "tl.flip(tl.full([4, 8], x, tl.bfloat16), 0)", "bf16"},
        {"i32", "tl.rand(x, tl.arange(0, 16))", "fp32"},
        {"i64", "tl.randint(x, tl.arange(0, 16))", "u32"},
        {"i32", "tl.randn4x(x, tl.arange(0, 16))[3]", "fp32"},
        {"fp32", "tl.softmax(tl.full([16], x, tl.float32))", "fp32"},
        {"fp32", "tl.sigmoid(x)", "fp32"},
        {"i32", "tl.cdiv(x, 3)", "i32"},
        {"i32", "tl.swizzle2d(x, x, 5, 7, 3)[0]", "i32"},
        {"*fp16", "tl.load(x)", "fp16"},
        {"*i1", "tl.load(x)", "i1"},
        {"*fp32", "tl.atomic_max(x, 1.0)", "fp32"},
        {"*i32", "tl.atomic_cas(x, 0, 1)", "i32"},
        {"fp32", "tl.clamp(x.to(tl.bfloat16), 0.0, 1.0)", "fp32"},
        {"i32", "min(x, 3)", "i32"},
        {"fp32", "tl.extra.libdevice.pow(x, 2)", "fp32"},
        {"fp32", "tl.extra.cuda.libdevice.isnan(x)", "i1"},
        {"fp32", "tl.extra.libdevice.atan2(x, x)", "fp32"},
        {"fp32", "tl.math.tanh(x)", "fp32"},
        {"i32", "1 if x > 0 else 2", "i32"},
        {"i32", "x.to(tl.int64) + 1", "i64"},
        {"i64", "tl.full((), 1, x.dtype)", "i64"},
        {"fp32", "tl.join(x, x).split()[0]", "fp32"},
        {"fp32", "tl.interleave(tl.full([4], x, tl.float32), tl.zeros([4], tl.float32))", "fp32"},
        {"fp32", "tl.cat(tl.full([4], x, tl.float32), tl.zeros([4], tl.float32), can_reorder=True)",
         "fp32"},
        {"fp32", "tl.gather(tl.full([4], x, tl.float32), tl.arange(0, 8), 0)", "fp32"},
    };
    for (int i = 0; i < COUNT(rows); i++)
        expect("x", rows[i].expression, rows[i].signature, rows[i].want);
}

TEST_MAIN()
