// SPDX-License-Identifier: Apache-2.0
/* Each pointwise op of the table in a compiled function, of floats, integers and bool, is what it
 * is alone: also those that have no formula for some of these types. */
#include "tensor_fixture.h"

#include <math.h>

typedef struct Asked {
    tern_op_id op;
    int count;
} Asked;

static tern_tensor *ask(const Asked *asked, tern_tensor *const *in) {
    bool first_is_mask = asked->op == TERN_OP_where;
    const tern_operand operands[] = {tern_of(in[first_is_mask ? 2 : 0]), tern_of(in[1]),
                                     tern_of(in[0])};
    return tern_op(asked->op, operands, asked->count, 0.5, 0.25);
}

static tern_status body(tern_tensor *const *in, tern_tensor **out, void *user) {
    out[0] = tern_keep(ask(user, in));
    return out[0] ? TERN_OK : TERN_ERROR_ARGUMENT;
}

static bool are_same(tern_tensor *a, tern_tensor *b) {
    double of_a[35], of_b[35];
    if (tern_tensor_dtype(a) != tern_tensor_dtype(b) || tern_numel(a) != 35) return false;
    if (tern_to_host(tern_to(a, TERN_FLOAT64), of_a, sizeof of_a) ||
        tern_to_host(tern_to(b, TERN_FLOAT64), of_b, sizeof of_b))
        return false;
    for (int i = 0; i < 35; i++)
        if (!(fabs(of_a[i] - of_b[i]) <= 1e-5 * fabs(of_b[i])) &&
            memcmp(&of_a[i], &of_b[i], sizeof of_a[i]) && !(isnan(of_a[i]) && isnan(of_b[i])))
            return false;
    return true;
}

/* How many ran. */
static int check_op(const char *name, Asked asked, tern_dtype dtype) {
    int ran = 0;
    tern_scope_open(session);
    tern_tensor *x = tern_view(tern_arange(session, TERN_FLOAT32, -17, 18, 1), SHAPE(5, 7));
    tern_tensor *y = tern_add_number(tern_remainder_number(tern_mul(x, x), 3), 1);
    tern_tensor *in[] = {tern_to(x, dtype), tern_to(y, dtype), tern_gt_number(x, 2)}, *out = NULL;
    tern_tensor *alone = ask(&asked, in);
    tern_fused *function = tern_fuse(session, name, body, 3, 1, &asked);
    if (!alone) /* not of this type */
        CHECK(tern_fused_call(function, in, &out));
    else if (!tern_fused_call(function, in, &out)) {
        if (!are_same(out, alone)) test_check_str(__FILE__, __LINE__, name, "the same");
        ran = 1;
    } else
        CHECK(tern_message_status(context) == TERN_ERROR_UNSUPPORTED);
    tern_drop(out);
    tern_fused_free(function);
    tern_scope_close(session);
    return ran;
}

TEST(each_op_in_a_compiled_function) {
    static const struct {
        const char *name;
        Asked asked;
    } ops[] = {
#define TERN_UNARY(name, ...)    {#name, {TERN_OP_##name, 1}},
#define TERN_UNARY_1(name, ...)  {#name, {TERN_OP_##name, 1}},
#define TERN_UNARY_2(name, ...)  {#name, {TERN_OP_##name, 1}},
#define TERN_BINARY(name, ...)   {#name, {TERN_OP_##name, 2}},
#define TERN_BINARY_2(name, ...) {#name, {TERN_OP_##name, 2}},
#define TERN_TERNARY(name, ...)  {#name, {TERN_OP_##name, 3}},
#include "tern_tensor_ops.def"
    };
    static const tern_dtype types[] = {TERN_FLOAT32, TERN_INT64, TERN_UINT8, TERN_BOOL};
    if (!begin("interp")) return;
    int ran = 0;
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        for (size_t k = 0; k < sizeof types / sizeof *types; k++)
            ran += check_op(ops[i].name, ops[i].asked, types[k]);
    CHECK(ran > 200);
    end();
}

TEST_MAIN()
