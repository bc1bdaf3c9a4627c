// SPDX-License-Identifier: Apache-2.0
/* Attributes and operands by name: each against the IR text that has it, and against the table. */
#include "ir/ir.h"
#include "test.h"

/* Each row of attributes: what is set is read, in the place where the printer looks for the name.
 */
TEST(each_attribute_is_read_where_it_is_set) {
    static const int64_t order[] = {2, 0, 1};
#define ATTR(KIND, noun, name_, type)                                                              \
    {                                                                                              \
        Op op = {.kind = OP_##KIND};                                                               \
        noun##_set_##name_(&op, 77);                                                               \
        CHECK(noun##_##name_(&op) == 77 && op.attrs[KIND##_##name_].i == 77);                      \
        CHECK_STR(op_infos[OP_##KIND].attrs[KIND##_##name_].name, #name_);                         \
        CHECK(op_infos[OP_##KIND].attrs[KIND##_##name_].kind == ATTR_##type);                      \
    }
#define BITS(KIND, noun, name_)                                                                    \
    {                                                                                              \
        Op op = {.kind = OP_##KIND};                                                               \
        noun##_set_##name_(&op, UINT64_MAX);                                                       \
        CHECK(noun##_##name_(&op) == UINT64_MAX);                                                  \
        CHECK(op_infos[OP_##KIND].attrs[KIND##_##name_].kind == ATTR_BITS);                        \
    }
#define INTS(KIND, noun, name_)                                                                    \
    {                                                                                              \
        Op op = {.kind = OP_##KIND};                                                               \
        noun##_set_##name_(&op, (Ints){3, order});                                                 \
        CHECK(noun##_##name_(&op).count == 3 && noun##_##name_(&op).data == order);                \
        CHECK(op_infos[OP_##KIND].attrs[KIND##_##name_].kind == ATTR_INTS);                        \
    }
#define TEXT(KIND, noun, name_)                                                                    \
    {                                                                                              \
        Op op = {.kind = OP_##KIND};                                                               \
        noun##_set_##name_(&op, STR("words"));                                                     \
        CHECK(str_is(noun##_##name_(&op), "words"));                                               \
        CHECK(op_infos[OP_##KIND].attrs[KIND##_##name_].kind == ATTR_TEXT);                        \
    }
#include "ir/ops.def"
}

/* Operands that may be absent are NULL, never what lies behind. */
TEST(each_operand_is_the_one_or_null) {
    Value values[8], *operands[COUNT(values)];
    for (int i = 0; i < COUNT(values); i++) operands[i] = &values[i];
#define OPERAND(KIND, noun, name, index)                                                           \
    {                                                                                              \
        const OpInfo *info = &op_infos[OP_##KIND];                                                 \
        CHECK(info->most_operands < 0 || (index) < info->most_operands);                           \
        Op op = {.kind = OP_##KIND, .operands = operands, .num_operands = (index)};                \
        CHECK(noun##_##name(&op) == NULL);                                                         \
        op.num_operands++;                                                                         \
        CHECK(noun##_##name(&op) == operands[index]);                                              \
    }
#include "ir/ops.def"
}

static Op *nth(Func *fn, OpKind kind, int n) {
    for (Op *op = fn->body->first; op; op = op->next)
        if (op->kind == kind && n-- == 0) return op;
    return NULL;
}

static Func *parsed(Arena *arena, const char *text) {
    Diag diag = {.arena = arena};
    Func *fn = func_parse(arena, source_new(arena, STR("t.tir"), str_of(text)), &diag);
    Buf words = {.arena = arena};
    diag_print(&diag, false, &words);
    if (!fn) BUG("%s", words.data);
    return fn;
}

static bool is_named(const Value *value, const char *name) {
    return name ? value && str_is(value->name, name) : !value;
}

static bool accesses(const Op *op, const char *pointer, const char *value, const char *mask,
                     const char *other) {
    return is_named(access_pointer(op), pointer) && is_named(access_value(op), value) &&
           is_named(access_mask(op), mask) && is_named(access_other(op), other);
}

TEST(accesses_by_name) {
    Arena *arena = arena_new(NULL);
    Func *fn = parsed(
        arena, "func @f(%p: ptr<i32>, %m: i1, %v: i32, %w: i32) {\n"
               "  %a = load %p : i32\n"
               "  %b = load %p, %m {cache = cg} : i32\n"
               "  %c = load %p, %m, %v {volatile = 1} : i32\n"
               "  store %p, %v\n"
               "  store %p, %v, %m\n"
               "  %d = atomic_rmw %p, %v, %m {kind = add, sem = relaxed, scope = sys} : i32\n"
               "  %e = atomic_cas %p, %v, %w {sem = acquire, scope = cta} : i32\n"
               "  barrier\n"
               "  yield\n}\n");
    const Op *rmw = nth(fn, OP_ATOMIC_RMW, 0), *cas = nth(fn, OP_ATOMIC_CAS, 0);
    CHECK(accesses(nth(fn, OP_LOAD, 0), "p", NULL, NULL, NULL));
    CHECK(accesses(nth(fn, OP_LOAD, 1), "p", NULL, "m", NULL));
    CHECK(accesses(nth(fn, OP_LOAD, 2), "p", NULL, "m", "v"));
    CHECK(load_volatile(nth(fn, OP_LOAD, 2)) == 1 && load_volatile(nth(fn, OP_LOAD, 1)) == 0);
    CHECK(load_cache(nth(fn, OP_LOAD, 1)) == CACHE_CG);
    CHECK(accesses(nth(fn, OP_STORE, 0), "p", "v", NULL, NULL));
    CHECK(accesses(nth(fn, OP_STORE, 1), "p", "v", "m", NULL));
    CHECK(accesses(rmw, "p", "v", "m", NULL));
    CHECK(accesses(cas, "p", "w", NULL, NULL) && is_named(atomic_cas_compare(cas), "v"));
    CHECK(atomic_sem(rmw) == SEM_RELAXED && atomic_scope(rmw) == SCOPE_SYS);
    CHECK(atomic_sem(cas) == SEM_ACQUIRE && atomic_scope(cas) == SCOPE_CTA);
    CHECK(accesses(nth(fn, OP_BARRIER, 0), NULL, NULL, NULL, NULL));
    CHECK(accesses(nth(fn, OP_YIELD, 0), NULL, NULL, NULL, NULL));
    arena_free(arena);
}

TEST(loops_by_name) {
    Arena *arena = arena_new(NULL);
    Func *fn = parsed(
        arena, "func @f(%lo: i32, %hi: i32, %by: i32, %x: f32, %y: i32, %c: i1) {\n"
               "  %r, %s = for %lo, %hi, %by, %x, %y : f32, i32 (%i: i32, %u: f32, %w: i32) {\n"
               "    %n = add %w, %i : i32\n"
               "    yield %u, %n\n  }\n"
               "  %q = while %x, %y : i32 (%a: f32, %b: i32) {\n"
               "    yield %c, %b\n  } (%g: i32) {\n"
               "    yield %x, %g\n  }\n"
               "  yield\n}\n");
    const Op *loop = nth(fn, OP_FOR, 0), *until = nth(fn, OP_WHILE, 0);
    CHECK(is_named(for_lower(loop), "lo") && is_named(for_upper(loop), "hi"));
    CHECK(is_named(for_step(loop), "by") && for_count(loop) == 2);
    CHECK(is_named(for_init(loop, 0), "x") && is_named(for_init(loop, 1), "y"));
    CHECK(is_named(for_index(loop), "i") && for_body(loop) == loop->regions[0]);
    CHECK(is_named(for_arg(loop, 0), "u") && is_named(for_arg(loop, 1), "w"));
    CHECK(is_named(for_next(loop, 0), "u") && is_named(for_next(loop, 1), "n"));
    CHECK(is_named(while_init(until, 0), "x") && is_named(while_init(until, 1), "y"));
    CHECK(is_named(while_arg(until, 0), "a") && is_named(while_arg(until, 1), "b"));
    CHECK(is_named(while_condition(until), "c") && is_named(while_passed(until, 0), "b"));
    CHECK(is_named(while_given(until, 0), "g"));
    CHECK(is_named(while_next(until, 0), "x") && is_named(while_next(until, 1), "g"));
    CHECK(while_test(until) == until->regions[0] && while_body(until) == until->regions[1]);
    arena_free(arena);
}

TEST_MAIN()
