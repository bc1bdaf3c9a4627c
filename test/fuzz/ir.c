// SPDX-License-Identifier: Apache-2.0
/* Feeds broken text to the reader of the IR. What it accepts must print to text that reads back to
 * the same text, with spans and without; a program that the verifier accepts must go through every
 * pass and the facts and stay valid. */
#include "fuzz.h"
#include "opt/opt.h"

const char *const fuzz_globs[] = {"test/ir/*.tir", "test/opt/*.tir", "test/gen/*.tir",
                                  "test/fuzz/seeds/*.tir", NULL};
const char *const fuzz_tokens[] = {"%",
                                   "=",
                                   "{",
                                   "}",
                                   "(",
                                   ")",
                                   ":",
                                   ",",
                                   "->",
                                   "tile<",
                                   "x",
                                   "ptr<",
                                   ">",
                                   "i32",
                                   "i1",
                                   "f32",
                                   "f64",
                                   "bf16",
                                   "constant",
                                   "reduce",
                                   "scan",
                                   "yield\n",
                                   "for ",
                                   "while ",
                                   "if ",
                                   "else",
                                   "axis = 9",
                                   "dot",
                                   "load ",
                                   "store ",
                                   "atomic_rmw ",
                                   "reshape ",
                                   "trans ",
                                   "order = [1, 0]",
                                   "func @f(",
                                   "tile<1073741824x1073741824xf32>",
                                   "tile<0xf32>",
                                   "bits = ",
                                   "assert ",
                                   "\x00",
                                   ", #0",
                                   "#1 = {reg = [",
                                   "convert ",
                                   "], warp = [",
                                   "shared {offset = [",
                                   "form = placed",
                                   "ring {stages = ",
                                   "ring<tile<",
                                   "acquire %r, ",
                                   "fill %r, ",
                                   "ready %r, ",
                                   "peek %r, ",
                                   "release %r, ",
                                   NULL};

static void fail(const char *what, const char *detail) { BUG("%s: %s", what, detail); }

static Func *parse(Arena *arena, Str text) {
    Diag diag = {.arena = arena};
    Func *fn = func_parse(arena, source_new(arena, STR("fuzz"), text), &diag);
    Buf out = {.arena = arena};
    if (!fn) diag_print(&diag, true, &out); /* must work for any place in any text */
    return fn;
}

static void check_round_trip(Arena *arena, const Func *fn) {
    for (int with_spans = 0; with_spans < 2; with_spans++) {
        Buf once = {.arena = arena}, twice = {.arena = arena};
        func_print(&once, fn, with_spans);
        Func *again = parse(arena, buf_str(&once));
        if (!again) fail("printed text does not parse", once.data);
        func_print(&twice, again, with_spans);
        if (strcmp(once.data, twice.data)) fail("printed text changes", twice.data);
    }
}

static void check_passes(Arena *arena, Func *fn) {
    static const char *const names[] = {"fold", "shape", "cse", "licm", "fold", "dce"};
    Diag diag = {.arena = arena};
    PassCtx px = {.scratch = arena, .diag = &diag, .target = "sm_80"};
    facts_compute(arena, fn);
    for (int i = 0; i < COUNT(names); i++) {
        pass_find(str_of(names[i]))->run(&px, fn);
        const char *why = func_verify(arena, fn);
        /* Folding may show that an order which seemed to hang on data is wrong. */
        if (why && !strstr(why, " ring %")) fail(names[i], why);
        if (why) return;
    }
    facts_compute(arena, fn);
    func_renumber(fn);
    if (func_verify(arena, fn)) fail("renumber", func_verify(arena, fn));
    fn->num_warps = 4;
    pass_guard(&px, fn);
    if (func_verify(arena, fn)) fail("guard", func_verify(arena, fn));
    pass_place(&px, fn); /* or refuses */
    if (func_verify(arena, fn)) fail("place", func_verify(arena, fn));
    pass_fence(&px, fn);
    if (!diag_failed(&diag) && func_verify(arena, fn)) fail("fence", func_verify(arena, fn));
    check_round_trip(arena, fn);
}

static void check_fence(Arena *arena, Func *fn) {
    Diag diag = {.arena = arena};
    PassCtx px = {.scratch = arena, .diag = &diag};
    pass_fence(&px, fn);
    if (!diag_failed(&diag) && func_verify(arena, fn)) fail("fence", func_verify(arena, fn));
}

static void fuzz_one(const char *data, size_t size) {
    Arena *arena = arena_new(NULL);
    Func *fn = parse(arena, (Str){data, (int)size});
    if (fn) {
        check_round_trip(arena, fn);
        bool valid = !func_verify(arena, fn);
        if (valid && fn->form == FORM_PROGRAM) check_passes(arena, fn);
        if (valid && fn->form == FORM_PLACED) check_fence(arena, fn);
    }
    arena_free(arena);
}
