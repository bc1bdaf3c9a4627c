// SPDX-License-Identifier: Apache-2.0
#include "lang/object.h"
#include "test.h"

/* Parses `text` against kernel(x, n, BLOCK: constexpr, eps=1e-5) and writes what came out. */
static const char *parsed(const char *text) {
    static char out[2000];
    Arena *arena = arena_new(NULL);
    Diag diag = {.arena = arena};
    JitParam params[] = {{.name = STR("x")},
                         {.name = STR("n")},
                         {.name = STR("BLOCK"), .is_constexpr = true},
                         {.name = STR("eps"), .has_default = true}};
    JitFunction function = {.name = STR("kernel"), .num_params = 4, .params = params};
    Spec specs[4];
    Buf buf = {.arena = arena};
    buf_puts(&buf, "");
    if (signature_parse(arena, &function, source_new(arena, STR("sig"), str_of(text)), &diag,
                        specs)) {
        for (int i = 0; i < 4; i++) {
            if (i) buf_puts(&buf, " | ");
            if (specs[i].kind == SPEC_TYPE)
                buf_printf(&buf, "%.*s/%d", STR_ARG(specs[i].type), specs[i].divisible);
            else if (specs[i].kind == SPEC_CONSTANT)
                buf_printf(&buf, "=%.*s", STR_ARG(specs[i].text));
            else
                buf_puts(&buf, "-");
        }
    } else {
        diag_print(&diag, false, &buf);
    }
    snprintf(out, sizeof out, "%s", buf.data);
    arena_free(arena);
    return out;
}

TEST(types_hints_and_constants) {
    CHECK_STR(parsed("*fp32:16,i32:16,1024,fp64"), "*fp32/16 | i32/16 | =1024 | fp64/1");
    CHECK_STR(parsed(" *bf16 , i64 : 1, 'a,b', 1e-6"), "*bf16/1 | =1 | ='a,b' | =1e-6");
    CHECK_STR(parsed("**i8,u1"), "**i8/1 | u1/1 | - | -");
    CHECK_STR(parsed(""), "- | - | - | -");
    CHECK_STR(parsed("*fp32,i32,(1, [2, ')']),None"), "*fp32/1 | i32/1 | =(1, [2, ')']) | =None");
}

TEST(names) {
    CHECK_STR(parsed("*fp32,BLOCK=fp16,n=i32:16"), "*fp32/1 | i32/16 | =fp16 | -");
    CHECK_STR(parsed("x=*fp32, BLOCK=a == b"), "*fp32/1 | - | =a == b | -");
}

TEST(errors_have_places) {
    CHECK_STR(parsed("*fp33"),
              "sig:1:1: error: unknown type '*fp33' of parameter 'x'\n"
              "   1 | *fp33\n     | ^~~~~\n"
              "sig:1:1: help: a type is like i32, u8, fp16, bf16, *fp32 or *fp32:16; "
              "a constant like 1024 or 'text'\n");
    CHECK_STR(parsed("*fp32,i32,*fp32:16"),
              "sig:1:11: error: parameter 'BLOCK' is a constexpr: it needs a value, not the type "
              "'*fp32:16'\n"
              "   1 | *fp32,i32,*fp32:16\n     |           ^~~~~~~~\n");
    CHECK(strstr(parsed("i32:8"), "sig:1:5: error: expected the hint 16"));
    CHECK(strstr(parsed("i32,,4"), "sig:1:5: error: expected a type or a constant, saw ','"));
    CHECK(strstr(parsed("i32,i32,1,f32,5"), "sig:1:11: error: unknown type 'f32'"));
    CHECK(strstr(parsed("i32,i32,1,2,5"),
                 "sig:1:13: error: 'kernel' has 4 parameters, and this is one more"));
    CHECK(strstr(parsed("i32,x=i32"), "sig:1:5: error: parameter 'x' is given twice"));
    CHECK(strstr(parsed("x=i32,i32"), "sig:1:7: error: an entry without a name"));
    CHECK(strstr(parsed("y=i32"), "sig:1:1: error: 'kernel' has no parameter 'y'"));
    CHECK(strstr(parsed("i32,(1"), "sig:1:5: error: '(' is not closed"));
    CHECK(strstr(parsed("i32,'a"), "sig:1:5: error: the string is not closed"));
    CHECK(strstr(parsed("i32,1)"), "sig:1:6: error: ')' does not close anything"));
    CHECK(strstr(parsed("fp32:16"), "only integers and pointers can be divisible"));
    CHECK(strstr(parsed("x="), "expected a value after '='"));
}

TEST_MAIN()
