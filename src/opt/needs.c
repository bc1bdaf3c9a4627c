// SPDX-License-Identifier: Apache-2.0
/* needs: what a text takes for granted, and only a launch can tell: that ints are not negative,
 * that floats are above 0, that pointers are apart, or what a program accesses by them (views.c).
 *
 *     %first = div %pid, %in_group * 8           %pid        0 .. grid - 1
 *     %rows = min (sub %blocks, %first), 8       %blocks     as the arguments have it
 *     %row = rem %pid, %rows            ->       %first      0 .. (grid - 1) / in_group * 8
 *     %column = div %pid, %rows                  %rows       blocks - first's most .. 8: if that is
 *     fill_box .. %row * 128, %column * 64                   above 0, %column is not negative
 *
 * No signature says that a grid has no more programs than there are tiles, but each launch knows.
 * It has ranges (range.c) computed of its arguments and its grid, for the ops that the numbers are
 * made of: that takes less than a microsecond. Ranges are of all programs and turns together; where
 * they show nothing the text is not launched, though it might be right. Floats are parameters and
 * their products, which are multiplied as the text does it. */
#include "opt/facts.h"

#include <math.h>

typedef struct Need { /* low <= value <= high, and a multiple, in any program */
    const Value *value;
    const Value *end; /* more than that; or NULL */
    bool to_end;      /* .. or as much */
    int64_t low, high, multiple;
} Need;

typedef struct NeverMeet { /* what two ops of one program access is apart .. */
    const Value *a, *b;
    const Op *from, *to;
    Pair *pair;
    bool same; /* .. or the parameters are the same */
    bool near_only;
    const Op *loop;
    bool apart;
    uint64_t asked;   /* in which of the needs' launches */
    int64_t distance; /* of the last launch that came near */
    Range near;       /* of its ints */
} NeverMeet;

typedef struct IntParam {
    int index;
    uint64_t number;
} IntParam;

struct Needs {
    const Func *fn;
    int num_params; /* the kernel's; then the size of the grid, if blocks walk over it */
    Facts facts;    /* ranges alone */
    VEC(const Op *) ops;
    VEC(Need) all;
    VEC(const Value *) positives; /* f32 */
    VEC(const Op *) products;     /* that they are made of */
    VEC(Disjoint) aparts;
    VEC(NeverMeet) never;
    int num_ints;
    IntParam *ints;   /* what they were in the last launch .. */
    uint32_t grid[3]; /* .. and its grid .. */
    bool asked, held;
    uint64_t launches; /* with other ints than the one before */
    bool fails;        /* whatever the launch is: what numbers are made of has gone */
    Needs *other;      /* of another function of the same kernel; or NULL */
};

Needs *needs_new(Arena *arena, const Func *fn, int num_params) {
    Needs *needs = arena_new_of(arena, Needs);
    *needs = (Needs){.fn = fn, .num_params = num_params, .facts = {.arena = arena, .fn = fn}};
    return needs;
}

static bool add(Needs *needs, const Value *value) {
    enum { MOST_OPS = 256 };
    const Op *op = value->def ? value->def : value->region->owner;
    if (!type_is_int(value->type)) return false;
    if (!op) return true; /* a parameter */
    bool is_counter = !value->def && op->kind == OP_FOR && value->index == 0;
    bool is_plain =
        value->def && op->num_results == 1 && !op->num_regions && op_has_trait(op, PURE);
    if (!is_counter && !is_plain) return false;
    for (int i = 0; i < needs->ops.count; i++)
        if (needs->ops.data[i] == op) return true;
    for (int i = 0; i < (is_counter ? FOR_BOUNDS : op->num_operands); i++)
        if (!add(needs, op->operands[i])) return false;
    if (needs->ops.count == MOST_OPS) return false;
    vec_push(needs->facts.arena, &needs->ops, op);
    return true;
}

static bool add_need(Needs *needs, Need need) {
    for (int i = 0; i < needs->all.count; i++) {
        const Need *old = &needs->all.data[i];
        if (old->value == need.value && old->end == need.end && old->to_end == need.to_end &&
            old->low == need.low && old->high == need.high && old->multiple == need.multiple)
            return true;
    }
    if (!add(needs, need.value) || (need.end && !add(needs, need.end))) return false;
    vec_push(needs->facts.arena, &needs->all, need);
    return true;
}

NeedsMark needs_mark(const Needs *needs) {
    return needs ? (NeedsMark){needs->ops.count, needs->all.count} : (NeedsMark){0};
}

void needs_take_back(Needs *needs, NeedsMark to) {
    if (needs) needs->ops.count = to.ops, needs->all.count = to.all;
}

bool needs_add(Needs *needs, const Value *value) {
    return add_need(needs, (Need){value, NULL, false, 0, INT64_MAX, 1});
}

bool needs_add_most(Needs *needs, const Value *value, int64_t most) {
    return add_need(needs, (Need){value, NULL, false, 0, most, 1});
}

bool needs_add_up_to(Needs *needs, const Value *value, int64_t most) {
    return add_need(needs, (Need){value, NULL, false, INT64_MIN, most, 1});
}

bool needs_add_below(Needs *needs, const Value *value, const Value *end) {
    return add_need(needs, (Need){value, end, false, 0, INT64_MAX, 1});
}

bool needs_add_to(Needs *needs, const Value *value, const Value *end) {
    return add_need(needs, (Need){value, end, true, 0, INT64_MAX, 1});
}

bool needs_add_multiple(Needs *needs, const Value *value, int64_t of) {
    return add_need(needs, (Need){value, NULL, false, 1, INT64_MAX, of});
}

static bool add_product(Needs *needs, const Value *value, int depth) {
    enum { DEEPEST = 8 };
    const Op *op = value->def;
    if (value->type->kind != TYPE_F32 || depth == DEEPEST) return false;
    if (!op) return value->region == needs->fn->body;
    if (op->kind == OP_CONSTANT) return true;
    if (op->kind != OP_FMUL || !add_product(needs, op->operands[0], depth + 1) ||
        !add_product(needs, op->operands[1], depth + 1))
        return false;
    vec_push(needs->facts.arena, &needs->products, op);
    return true;
}

bool needs_add_positive(Needs *needs, const Value *value) {
    if (!add_product(needs, value, 0)) return false;
    vec_push(needs->facts.arena, &needs->positives, value);
    return true;
}

void needs_add_apart(Needs *needs, const Disjoint *apart) {
    vec_push(needs->facts.arena, &needs->aparts, *apart);
}

void needs_add_unequal(Needs *needs, const Value *a, const Value *b) {
    for (int i = 0; i < needs->aparts.count; i++) {
        const Disjoint *old = &needs->aparts.data[i];
        if (!old->same && ((old->a == a && old->b == b) || (old->a == b && old->b == a))) return;
    }
    needs_add_apart(needs, &(Disjoint){.a = a, .b = b});
}

static void add_never(Needs *needs, NeverMeet never) {
    enum { MOST_PAIRS = 256 };
    for (int i = 0; i < needs->never.count; i++) {
        NeverMeet *old = &needs->never.data[i];
        if (old->from == never.from && old->to == never.to && old->loop == never.loop &&
            old->near_only == never.near_only) {
            old->same &= never.same;
            return;
        }
    }
    if (needs->never.count < MOST_PAIRS)
        never.pair = pair_new(needs->facts.arena, never.from, never.to, never.loop);
    if (never.pair && never.near_only) pair_near_only(never.pair);
    vec_push(needs->facts.arena, &needs->never, never);
}

void needs_add_never_meet(Needs *needs, const Value *a, const Op *from, const Value *b,
                          const Op *to, bool same) {
    add_never(needs, (NeverMeet){.a = a, .from = from, .b = b, .to = to, .same = same});
}

void needs_add_not_near(Needs *needs, const Value *a, const Op *from, const Value *b, const Op *to,
                        const Op *loop) {
    add_never(
        needs,
        (NeverMeet){
            .a = a, .from = from, .b = b, .to = to, .same = true, .near_only = true, .loop = loop});
}

bool needs_asks_apart(const Needs *needs) {
    for (int i = 0; i < needs->aparts.count; i++)
        if (needs->aparts.data[i].bytes) return true;
    return false;
}

bool needs_asks_positive(const Needs *needs) { return needs->positives.count > 0; }

static bool is_still_there(const Value *value, int depth) {
    const Op *op = value->def;
    if (!op) return !value->region->owner || value->region->owner->parent;
    if (!op->parent || depth == 0) return false;
    for (int i = 0; i < op->num_operands; i++)
        if (!is_still_there(op->operands[i], depth - 1)) return false;
    return true;
}

/* What pairs ask for; one of which that is not known, or gone, tells nothing. */
static void close_pairs(Needs *needs) {
    enum { DEEPEST = 12 };
    int count = 0;
    for (int i = 0; i < needs->never.count; i++) {
        NeverMeet *never = &needs->never.data[i];
        int at = 0;
        if (never->pair && !pair_is_known(never->pair)) never->pair = NULL;
        for (const Value *value; never->pair && (value = pair_asks(never->pair, &at));)
            if (!is_still_there(value, DEEPEST) || !add(needs, value)) never->pair = NULL;
        if (never->pair || !never->near_only) needs->never.data[count++] = *never;
    }
    needs->never.count = count;
}

static void find_ints(Needs *needs) {
    needs->ints = arena_array(needs->facts.arena, IntParam, needs->num_params + 1);
    for (int i = 0; i < needs->num_params; i++)
        if (type_is_int(needs->fn->params[i].value->type)) needs->ints[needs->num_ints++].index = i;
}

bool needs_close(Needs *needs) {
    find_ints(needs);
    close_pairs(needs);
    for (int i = 0; i < needs->ops.count; i++) needs->fails |= !needs->ops.data[i]->parent;
    for (int i = 0; i < needs->products.count; i++)
        needs->fails |= !needs->products.data[i]->parent;
    needs->facts.range = arena_array(needs->facts.arena, Range, needs->fn->num_values);
    return needs->all.count + needs->positives.count + needs->aparts.count + needs->never.count > 0;
}

/* ---- pointers that are made of two parameters in one way ---- */

static bool same_attrs(const Op *a, const Op *b) {
    for (int i = 0; i < MAX_ATTRS; i++) {
        const Attr *x = &a->attrs[i], *y = &b->attrs[i];
        AttrKind kind = op_infos[a->kind].attrs[i].kind;
        if (kind == ATTR_TEXT) return false;
        if (kind == ATTR_INTS) {
            size_t bytes = sizeof *x->ints.data * (size_t)x->ints.count;
            if (x->ints.count != y->ints.count || memcmp(x->ints.data, y->ints.data, bytes) != 0)
                return false;
        } else if (kind != ATTR_NONE && x->i != y->i) {
            return false;
        }
    }
    return true;
}

/* Two ints that a launch gives: it says whether they are one. */
static bool same_ints(Disjoint *apart, const Value *a, const Value *b) {
    if (!type_is_int(a->type) || a->type != b->type || a->region != apart->a->region ||
        b->region != a->region)
        return false;
    for (int i = 0; i < apart->num_equal; i++)
        if (apart->equal[i][0] == a && apart->equal[i][1] == b) return true;
    if (apart->num_equal == MOST_EQUAL) return false;
    apart->equal[apart->num_equal][0] = a, apart->equal[apart->num_equal++][1] = b;
    return true;
}

static bool is_same(Disjoint *apart, const Value *a, const Value *b, int *budget) {
    if (a == b || (a == apart->a && b == apart->b)) return true;
    if ((*budget)-- <= 0) return false;
    const Op *x = a->def, *y = b->def;
    if (!x && !y) return same_ints(apart, a, b);
    if (!x || !y || x->kind != y->kind || x->num_operands != y->num_operands) return false;
    if (x->num_results != 1 || x->num_regions || !op_has_trait(x, PURE) || !same_attrs(x, y))
        return false;
    if (x->kind == OP_CONSTANT && a->type != b->type) return false;
    for (int i = 0; i < x->num_operands; i++)
        if (!is_same(apart, x->operands[i], y->operands[i], budget)) return false;
    return true;
}

bool disjoint_same(Disjoint *apart, const Value *a, const Value *b) {
    enum { MOST_COMPARED = 100 };
    int budget = MOST_COMPARED;
    const Type *x = type_lane(a->type), *y = type_lane(b->type);
    return type_size_bytes(x->elem) == type_size_bytes(y->elem) && is_same(apart, a, b, &budget);
}

Needs *needs_both(Needs *one, Needs *other) {
    if (!one) return other;
    one->other = other;
    return one;
}

/* ---- at launch ---- */

static Range of_grid(const Needs *needs, const Op *op, const uint32_t grid[3]) {
    bool walks = needs->fn->num_params > needs->num_params;
    int axis = op->kind == OP_PROGRAM_ID ? program_id_axis(op) : num_programs_axis(op);
    Wide blocks = walks ? (Wide)grid[0] * grid[1] * grid[2] : grid[axis];
    if (blocks > INT32_MAX) blocks = INT32_MAX;
    if (op->kind == OP_PROGRAM_ID) return (Range){0, (int64_t)blocks - 1};
    return (Range){walks ? 1 : (int64_t)blocks, (int64_t)blocks};
}

static bool is_another(Needs *needs, const uint64_t *args, const uint32_t grid[3]) {
    bool other = !needs->asked || memcmp(needs->grid, grid, sizeof needs->grid) != 0;
    for (int i = 0; i < needs->num_ints; i++) {
        IntParam *param = &needs->ints[i];
        other |= param->number != args[param->index];
        param->number = args[param->index];
    }
    return other;
}

/* The ranges of parameters; false: they are those of the last launch, and so is its grid. */
static bool take_launch(Needs *needs, const uint64_t *args, const uint32_t grid[3]) {
    if (!is_another(needs, args, grid)) return false;
    for (int i = 0; i < needs->fn->num_params; i++) {
        const Value *param = needs->fn->params[i].value;
        if (!type_is_int(param->type)) continue;
        int64_t number = i < needs->num_params ? (int64_t)args[i] : grid[i - needs->num_params];
        Range type = range_of_type(param->type), *range = &needs->facts.range[param->id];
        bool fits = number >= type.low && number <= type.high;
        *range = fits ? (Range){number, number} : type;
    }
    memcpy(needs->grid, grid, sizeof needs->grid);
    needs->asked = true;
    return true;
}

static bool is_met(const Needs *needs, const Need *need) {
    const Range *range = needs->facts.range;
    Range r = range[need->value->id];
    if (r.low < need->low || r.high > need->high) return false;
    if (need->end && r.high - need->to_end >= range[need->end->id].low) return false;
    return need->multiple == 1 || (r.low == r.high && r.low % need->multiple == 0);
}

static float product_of(const Value *value, const uint64_t *args) {
    const Op *op = value->def;
    if (op && op->kind == OP_FMUL)
        return product_of(op->operands[0], args) * product_of(op->operands[1], args);
    uint32_t bits = (uint32_t)(op ? constant_bits(op) : args[value->index]);
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static bool are_positive(const Needs *needs, const uint64_t *args) {
    for (int i = 0; i < needs->positives.count; i++) {
        float number = product_of(needs->positives.data[i], args);
        if (!(number > 0 && number < INFINITY)) return false;
    }
    return true;
}

static bool are_in_one_room(const uint64_t *rooms, const Value *a, const Value *b) {
    const uint64_t *x = &rooms[2 * a->index], *y = &rooms[2 * b->index];
    return x[0] < y[1] && y[0] < x[1];
}

static bool is_apart(const Disjoint *apart, const uint64_t *args) {
    uint64_t a = args[apart->a->index], b = args[apart->b->index];
    if (!a || !b) return true; /* nobody reads there */
    if (a == b) {
        bool same = apart->same;
        for (int i = 0; i < apart->num_equal; i++)
            same &= args[apart->equal[i][0]->index] == args[apart->equal[i][1]->index];
        return same;
    }
    uint64_t reach = (uint64_t)apart->bytes;
    if (apart->count) {
        int64_t count = (int64_t)args[apart->count->index], most = apart->bytes / apart->each;
        reach = count <= 0 ? 0 : (uint64_t)((count < most ? count : most) * apart->each);
    }
    return (a < b ? b - a : a - b) >= reach;
}

static bool are_apart(const Needs *needs, const uint64_t *args) {
    for (int i = 0; i < needs->aparts.count; i++)
        if (!is_apart(&needs->aparts.data[i], args)) return false;
    return true;
}

/* Pointers tell nothing, or only with the numbers of the launch. */
static bool is_asked(const NeverMeet *never, const uint64_t *args, const uint64_t *rooms) {
    uint64_t a = args[never->a->index], b = args[never->b->index];
    return a && b && are_in_one_room(rooms, never->a, never->b) && !(a == b && never->same);
}

/* The first pair for which the numbers of the launch are needed; or as many as there are. */
static int first_asked(const Needs *needs, const uint64_t *args, const uint64_t *rooms) {
    int i = 0;
    while (i < needs->never.count && !is_asked(&needs->never.data[i], args, rooms)) i++;
    return i;
}

static bool is_never(Needs *needs, NeverMeet *never, const uint64_t *args) {
    int64_t distance = (int64_t)(args[never->a->index] - args[never->b->index]);
    if (!never->pair) return false; /* anywhere */
    if (never->asked == needs->launches &&
        (distance == never->distance || distance < never->near.low || distance > never->near.high))
        return distance != never->distance || never->apart;
    never->apart = pair_is_apart(never->pair, needs->facts.range, distance, &never->near);
    never->asked = needs->launches, never->distance = distance;
    return never->apart;
}

static bool never_meet(Needs *needs, int from, const uint64_t *args, const uint64_t *rooms) {
    for (int i = from; i < needs->never.count; i++) {
        NeverMeet *never = &needs->never.data[i];
        if (is_asked(never, args, rooms) && !is_never(needs, never, args)) return false;
    }
    return true;
}

static void take_ranges(Needs *needs, const uint32_t grid[3]) {
    Range *range = needs->facts.range;
    for (int i = 0; i < needs->ops.count; i++) {
        const Op *op = needs->ops.data[i];
        if (op->kind == OP_FOR)
            range[for_index(op)->id] = range_of_counter(&needs->facts, op);
        else if (op->kind == OP_PROGRAM_ID || op->kind == OP_NUM_PROGRAMS)
            range[op_result(op)->id] = of_grid(needs, op, grid);
        else
            range[op_result(op)->id] = range_of_result(&needs->facts, op);
    }
    needs->held = true;
    for (int i = 0; i < needs->all.count; i++)
        needs->held = needs->held && is_met(needs, &needs->all.data[i]);
}

static bool holds(Needs *needs, const uint64_t *args, const uint64_t *rooms,
                  const uint32_t grid[3]) {
    if (needs->fails || !are_positive(needs, args) || !are_apart(needs, args)) return false;
    int first = first_asked(needs, args, rooms);
    if (!needs->all.count && first == needs->never.count) return true;
    if (take_launch(needs, args, grid)) needs->launches++, take_ranges(needs, grid);
    return needs->held && never_meet(needs, first, args, rooms);
}

bool needs_hold(Needs *needs, const uint64_t *args, const uint64_t *rooms, const uint32_t grid[3]) {
    return holds(needs, args, rooms, grid) &&
           (!needs->other || holds(needs->other, args, rooms, grid));
}
