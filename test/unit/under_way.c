// SPDX-License-Identifier: Apache-2.0
/* Products under way: of what the pass `waits` makes, each settle is needed, and as early as it is:
 * without it, or if it left one more under way, the verifier refuses the function. What else it
 * refuses, in words. */
#include "opt/opt.h"
#include "test.h"
#include "ir_refusal.h"

static const char *const files[] = {"test/opt/rings_matmul.tir", "test/opt/waits_chained.tir"};

/* What a golden file wants. */
static const char *wanted(Arena *arena, const char *path) {
    Str text, why;
    if (!file_read(arena, path, 1 << 20, &text, &why)) return NULL;
    const char *want = strstr(str_c(arena, text), "# want:\n");
    return want ? want + strlen("# want:\n") : NULL;
}

/* The text with `old`, from byte `at` on, replaced. */
static const char *changed(Arena *arena, const char *text, const char *at, const char *old,
                           const char *by) {
    Buf out = {.arena = arena};
    buf_add(&out, text, (int)(at - text));
    buf_puts(&out, by);
    buf_puts(&out, at + strlen(old));
    return out.data;
}

static void check_refused(Arena *arena, const char *text, const char *word) {
    const char *why = ir_refusal(arena, text);
    if (!why || !strstr(why, word)) printf("%s\nwant '%s', got '%s'\n", text, word, why ? why : "");
    CHECK(why && strstr(why, word));
}

TEST(each_settle_is_needed) {
    for (int f = 0; f < COUNT(files); f++) {
        Arena *arena = arena_new(NULL);
        const char *text = wanted(arena, files[f]), *at;
        int count = 0;
        if (!text) {
            SKIP("run from the project's folder");
            return;
        }
        CHECK(!ir_refusal(arena, text));
        for (at = strstr(text, "settle"); at; at = strstr(at + 1, "settle"), count++) {
            bool one = !strncmp(at, "settle {pending = 1}", 20);
            const char *all = one ? "settle {pending = 1}" : "settle";
            check_refused(arena, changed(arena, text, at, all, ""), "is missing");
            check_refused(arena,
                          changed(arena, text, at, all,
                                  one ? "settle {pending = 2}" : "settle {pending = 1}"),
                          "is missing");
        }
        CHECK(count == 2);
        arena_free(arena);
    }
}

TEST(what_products_may_not_do) {
    static const struct {
        int file;
        const char *old, *by, *word;
    } rows[] = {
        {0, "settle {pending = 1}", "settle {pending = 9}",
         "9 products under way, expected 0 to 8"},
        {0, "settle {pending = 1}", "settle {pending = -1}", "-1 products under way"},
        /* what is added to need not be what the loop carries */
        {1, "%acc.3 = fmul %acc.2, %89", "%acc.3 = fmul %s, %89", NULL},
        /* the loop's value, read behind products that are added up in its registers */
        {1, "yield %acc.5, %116",
         "%x.9 = fadd %acc.2, %acc.2 : tile<64x64xf32, #7>\n"
         "yield %acc.5, %116",
         "settle {pending = 0} is missing"},
        /* the first of two that add up, read between */
        {1, "%acc.5 = dot", "%x.9 = fadd %acc.4, %acc.4 : tile<64x64xf32, #7>\n%acc.5 = dot",
         "settle {pending = 0} is missing"},
        /* not async: all have ended */
        {1, "%acc.3 {unit = wgmma, async = 1}", "%acc.3 {unit = wgmma}", NULL},
    };
    for (int i = 0; i < COUNT(rows); i++) {
        Arena *arena = arena_new(NULL);
        const char *text = wanted(arena, files[rows[i].file]);
        const char *at = text ? strstr(text, rows[i].old) : NULL;
        CHECK(at);
        if (!at) return;
        text = changed(arena, text, at, rows[i].old, rows[i].by);
        if (rows[i].word)
            check_refused(arena, text, rows[i].word);
        else
            CHECK(!ir_refusal(arena, text));
        arena_free(arena);
    }
}

/* Turns that are counted from what each turn of the loop makes anew are not told apart. */
TEST(turns_of_one_value_may_be_others) {
    Arena *arena = arena_new(NULL);
    const char *text = wanted(arena, files[0]), *at;
    static const char *const edits[][2] = {
        {"ready %47, %111 {pending = 1}",
         "%one = constant 1 : i32\n%q = mul %111, %one : i32\nready %47, %q"},
        {"peek %47, %111 {part = 0}", "peek %47, %q {part = 0}"},
        {"peek %47, %111 {part = 1}", "peek %47, %q {part = 1}"},
        {"%118 = sub %111, %117", "%118 = sub %q, %117"},
    };
    for (int i = 0; text && i < COUNT(edits); i++) {
        at = strstr(text, edits[i][0]);
        CHECK(at);
        if (at) text = changed(arena, text, at, edits[i][0], edits[i][1]);
    }
    at = text ? strstr(text, "settle {pending = 1}") : NULL;
    CHECK(at && !ir_refusal(arena, text));
    static const char order[] = "settle {pending = 1}\n    release %47, %118";
    if (at)
        check_refused(
            arena, changed(arena, text, at, order, "release %47, %118\n    settle {pending = 1}"),
            "settle {pending = 1} is missing");
    arena_free(arena);
}

TEST(only_wgmma_in_placed_form) {
    Arena *arena = arena_new(NULL);
    check_refused(arena, "func @f() {\nsettle\nyield\n}\n", "products under way in program form");
    check_refused(arena,
                  "func @f() {\n%a = poison : tile<16x16xf16>\n%c = poison : tile<16x16xf32>\n"
                  "%d = dot %a, %a, %c {async = 1} : tile<16x16xf32>\nyield\n}\n",
                  "products under way in program form");
    arena_free(arena);
}

TEST_MAIN()
