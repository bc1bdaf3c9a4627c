// SPDX-License-Identifier: Apache-2.0
/* cse: merge equal pure ops.
 *
 *     %1 = splat %n                %1 = splat %n
 *     %2 = icmp slt %i, %1         %2 = icmp slt %i, %1
 *     %3 = splat %n           ->   ..
 *     %4 = icmp slt %i, %3         %4 is %2
 *
 * An op is equal to an earlier one of the same region or one around it when kind, attributes,
 * operands and types are. Loads too, but only within one region and with no write in between: a
 * loop may be waiting for another program's store.
 *
 *     if %c { %1 = load %p ..          %1 = load %p
 *     } { %2 = load %p ..        ->    if %c { ..
 *                                      } { ..               %2 is %1
 *
 * In thread form, where each thread has a condition of its own, what both arms of an if begin with
 * is done before it: side by side they would be two. */
#include "opt/opt.h"

typedef struct Cse {
    PassCtx *px;
    Map known;     /* key -> Op; NULL when its region has ended */
    VEC(Str) keys; /* of the regions that are open, in order */
    int64_t epoch; /* counts writes */
    bool changed, for_threads;
} Cse;

static bool region_writes(const Region *region) {
    for (const Op *op = region->first; op; op = op->next) {
        if (op_writes_memory(op)) return true;
        for (int i = 0; i < op->num_regions; i++)
            if (region_writes(op->regions[i])) return true;
    }
    return false;
}

static void add_int(Buf *key, int64_t value) { buf_add(key, (const char *)&value, sizeof value); }
static void add_pointer(Buf *key, const void *p) { buf_add(key, (const char *)&p, sizeof p); }

static void add_attrs(Buf *key, const Op *op) {
    for (int i = 0; i < MAX_ATTRS; i++) {
        const Attr *attr = &op->attrs[i];
        AttrKind kind = op_infos[op->kind].attrs[i].kind;
        if (kind == ATTR_TEXT) {
            add_int(key, attr->text.length);
            buf_add(key, attr->text.data, (size_t)attr->text.length);
        } else if (kind == ATTR_INTS) {
            add_int(key, attr->ints.count);
            for (int k = 0; k < attr->ints.count; k++) add_int(key, attr->ints.data[k]);
        } else if (kind != ATTR_NONE) {
            add_int(key, attr->i);
        }
    }
}

static Str key_of(Cse *c, const Op *op) {
    Buf key = {.arena = c->px->scratch};
    add_int(&key, op->kind);
    add_int(&key, op->num_operands);
    bool swap = op_has_trait(op, COMMUTES) && op->operands[0]->id > op->operands[1]->id;
    for (int i = 0; i < op->num_operands; i++) add_pointer(&key, op->operands[swap ? 1 - i : i]);
    for (int i = 0; i < op->num_results; i++) add_pointer(&key, op->results[i].type);
    add_attrs(&key, op);
    if (op->kind == OP_LOAD) {
        add_pointer(&key, op->parent);
        add_int(&key, c->epoch);
    }
    return buf_str(&key);
}

static bool is_mergeable(const Op *op) {
    if (op->num_regions || !op->num_results) return false;
    if (op->kind == OP_LOAD) return load_volatile(op) == 0;
    return op_is_pure(op);
}

static void merge(Cse *c, Op *op) {
    Str key = key_of(c, op);
    Op *same = map_get(&c->known, key);
    if (!same) {
        map_set(&c->known, key, op);
        vec_push(c->px->scratch, &c->keys, key);
        return;
    }
    for (int i = 0; i < op->num_results; i++) op->results[i].replaced = &same->results[i];
    op_remove(op);
    c->changed = true;
}

/* ---- what both arms begin with ---- */

static bool is_same(const Op *a, const Op *b) {
    bool same = a->kind == b->kind && a->num_operands == b->num_operands && a->num_results == 1 &&
                b->num_results == 1 && op_result(a)->type == op_result(b)->type &&
                memcmp(a->attrs, b->attrs, sizeof a->attrs) == 0;
    for (int i = 0; same && i < a->num_operands; i++) same = a->operands[i] == b->operands[i];
    return same;
}

static Op *same_in(const Region *arm, const Op *wanted) {
    enum { MOST = 32 };
    Op *op = arm->first;
    for (int i = 0; i < MOST && is_mergeable(op); i++, op = op->next) {
        op_resolve_operands(op);
        if (is_same(op, wanted)) return op;
    }
    return NULL;
}

/* Up to the first op that changes something, or may end the thread. */
static void hoist_common(Cse *c, Op *branch) {
    for (Op *op = branch->regions[0]->first, *next; is_mergeable(op); op = next) {
        next = op->next;
        op_resolve_operands(op);
        Op *other = same_in(branch->regions[1], op);
        if (!other) continue;
        op_move_before(op, branch);
        op_result(other)->replaced = op_result(op);
        op_remove(other);
        merge(c, op);
        c->changed = true;
    }
}

static void visit(Cse *c, Region *region);

/* A region that sees nothing from outside must not get an outer op for one of its own. */
static void visit_isolated(Cse *c, Region *region) {
    Cse inner = {.px = c->px, .known = {.arena = c->px->scratch}};
    visit(&inner, region);
    c->changed |= inner.changed;
}

static void visit(Cse *c, Region *region) {
    int open = c->keys.count;
    for (Op *op = region->first, *next; op; op = next) {
        next = op->next;
        for (int i = 0; i < op->num_operands; i++) op->operands[i] = value_resolve(op->operands[i]);
        if (op->kind == OP_IF && c->for_threads) hoist_common(c, op);
        for (int i = 0; i < op->num_regions; i++) {
            if (op_has_trait(op, ISOLATED))
                visit_isolated(c, op->regions[i]);
            else
                visit(c, op->regions[i]);
        }
        bool writes = op_writes_memory(op);
        for (int i = 0; i < op->num_regions; i++) writes = writes || region_writes(op->regions[i]);
        if (writes) c->epoch++;
        if (is_mergeable(op)) merge(c, op);
    }
    while (c->keys.count > open) map_set(&c->known, c->keys.data[--c->keys.count], NULL);
}

bool pass_cse(PassCtx *px, Func *fn) {
    Cse c = {.px = px, .known = {.arena = px->scratch}};
    c.for_threads = fn->form == FORM_THREAD;
    visit(&c, fn->body);
    return c.changed;
}
