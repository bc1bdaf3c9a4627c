// SPDX-License-Identifier: Apache-2.0
/* promote: memory that only one thread knows becomes values.
 *
 *     %i = alloc {space = local, bytes = 4}      while %n { (%k: i32)
 *     store %i, %n                                 %2 = icmp %k, 0 ..
 *     while {                                      yield %2, %k
 *       %1 = load %i                             } do { (%k.1: i32)
 *       %2 = icmp %1, 0 ..                         %4 = div_s %k.1, 2
 *       yield %2                                   yield %4
 *     } do {                                     }
 *       %3 = load %i
 *       %4 = div_s %3, 2
 *       store %i, %4
 *       yield
 *     }
 *
 * Each place in such memory that is read or written, always with one width, is a slot. A walk in
 * program order carries what each slot holds; where paths meet, an if has a result for each slot
 * that an arm writes, and a loop carries those that it writes. What nobody wrote holds 0.
 *
 * Memory stays memory where its address is anything but the address of loads and stores at constant
 * distances: it is stored, chosen between, or an index is not constant. */
#include "opt/opt.h"

enum { MAX_BYTES = 4096, MAX_SLOTS = 4096 };

typedef struct Slot {
    const Type *type;
    Value *now; /* NULL: not written on the way here */
    int writes; /* of the region being looked at; see written_in */
} Slot;

typedef struct Memory { /* of one alloc */
    bool stays;
    int64_t bytes;
    int *slot_at; /* by byte: slot + 1 that begins there; -1: inside one; 0: nobody's */
} Memory;

typedef struct PlaceIn {
    Memory *memory; /* NULL: no address of such memory */
    int64_t offset;
} PlaceIn;

typedef struct Promote {
    PassCtx *px;
    Func *fn;
    PlaceIn *places; /* by value id: of pointers */
    int num_places;
    VEC(Slot) slots;
    VEC(Memory *) memories;
    bool changed;
} Promote;

/* ---- addresses ---- */

static PlaceIn place_of(const Promote *p, const Value *value) {
    return value->id < p->num_places ? p->places[value->id] : (PlaceIn){0};
}

/* The address that an op makes of another one; false: it makes none. */
static bool moves_address(const Promote *p, const Op *op, PlaceIn *to) {
    int64_t offset;
    if (op->kind == OP_BITCAST && op_result(op)->type->kind == TYPE_PTR) {
        *to = place_of(p, op->operands[0]);
        return true;
    }
    if (op->kind != OP_ADDPTR || !value_is_int(addptr_offset(op), &offset)) return false;
    *to = place_of(p, addptr_pointer(op));
    int64_t bytes = type_size_bytes(addptr_pointer(op)->type->elem);
    return !__builtin_mul_overflow(offset, bytes, &offset) &&
           !__builtin_add_overflow(to->offset, offset, &to->offset);
}

static void keep(Memory *memory) {
    if (memory) memory->stays = true;
}

/* An access of `type` at a place: its slot, made where nobody was before; -1: the memory stays. */
static int slot_at(Promote *p, PlaceIn place, const Type *type) {
    Memory *memory = place.memory;
    int64_t bytes = type_size_bytes(type);
    if (memory->stays || place.offset < 0 || bytes > memory->bytes - place.offset) return -1;
    int *at = memory->slot_at + place.offset;
    if (*at > 0) {
        const Type *have = p->slots.data[*at - 1].type;
        bool same = have == type || (type_bits(have) == type_bits(type) && have->kind != TYPE_PTR &&
                                     type->kind != TYPE_PTR);
        return same ? *at - 1 : -1;
    }
    for (int64_t i = 0; i < bytes; i++)
        if (at[i]) return -1;
    if (p->slots.count == MAX_SLOTS) return -1;
    vec_push(p->px->scratch, &p->slots, (Slot){.type = type});
    for (int64_t i = 0; i < bytes; i++) at[i] = -1;
    *at = p->slots.count;
    return p->slots.count - 1;
}

static bool is_plain_access(const Op *op) {
    if (op->kind == OP_LOAD) return op->num_operands == 1 && !load_volatile(op);
    return op->kind == OP_STORE && op->num_operands == 2;
}

static const Type *accessed(const Op *op) {
    return op->kind == OP_LOAD ? op_result(op)->type : store_value(op)->type;
}

static void note_alloc(Promote *p, Op *op) {
    if (alloc_space(op) != ALLOC_LOCAL || alloc_bytes(op) > MAX_BYTES) return;
    Memory *memory = arena_new_of(p->px->scratch, Memory);
    *memory = (Memory){.bytes = alloc_bytes(op)};
    memory->slot_at = arena_array(p->px->scratch, int, memory->bytes);
    vec_push(p->px->scratch, &p->memories, memory);
    p->places[op_result(op)->id].memory = memory;
}

/* Uses come after definitions, so one walk in order knows each address before its uses. */
static bool note_op(Op *op, void *user) {
    Promote *p = user;
    PlaceIn to = {0};
    if (op->kind == OP_ALLOC) {
        note_alloc(p, op);
    } else if (moves_address(p, op, &to)) {
        p->places[op_result(op)->id] = to;
    } else if (is_plain_access(op)) {
        PlaceIn place = place_of(p, access_pointer(op));
        if (place.memory && slot_at(p, place, accessed(op)) < 0) keep(place.memory);
        if (op->kind == OP_STORE) keep(place_of(p, store_value(op)).memory);
    } else {
        for (int i = 0; i < op->num_operands; i++) keep(place_of(p, op->operands[i]).memory);
    }
    return true;
}

/* ---- the walk ---- */

/* The slot that a load or store accesses; NULL: memory that stays, or another op. */
static Slot *slot_of(const Promote *p, const Op *op) {
    if (!is_plain_access(op)) return NULL;
    PlaceIn place = place_of(p, access_pointer(op));
    if (!place.memory || place.memory->stays) return NULL;
    return &p->slots.data[place.memory->slot_at[place.offset] - 1];
}

/* The numbers of the slots that a region writes, each once. */
typedef VEC(int) SlotList;

static void written_in(Promote *p, const Region *region, SlotList *list) {
    for (const Op *op = region->first; op; op = op->next) {
        Slot *slot = op->kind == OP_STORE ? slot_of(p, op) : NULL;
        if (slot && !slot->writes++) vec_push(p->px->scratch, list, (int)(slot - p->slots.data));
        for (int i = 0; i < op->num_regions; i++) written_in(p, op->regions[i], list);
    }
}

static SlotList slots_written(Promote *p, const Op *op) {
    SlotList list = {0};
    for (int i = 0; i < op->num_regions; i++) written_in(p, op->regions[i], &list);
    for (int i = 0; i < list.count; i++) p->slots.data[list.data[i]].writes = 0;
    return list;
}

static Value *now(Promote *p, int slot, Builder *b) {
    Slot *s = &p->slots.data[slot];
    if (s->now) return s->now = value_resolve(s->now);
    return build_constant_bits(b, s->type, 0);
}

static Value *as_type(Builder *b, Value *value, const Type *type) {
    return value->type == type ? value : build_cast(b, OP_BITCAST, value, type);
}

static void access(Promote *p, Op *op, Slot *slot) {
    Builder b = {.fn = p->fn, .region = op->parent, .before = op, .span = op->span};
    if (op->kind == OP_STORE) {
        slot->now = as_type(&b, value_resolve(store_value(op)), slot->type);
    } else {
        Value *value = now(p, (int)(slot - p->slots.data), &b);
        op_result(op)->replaced = as_type(&b, value, op_result(op)->type);
    }
    op_remove(op);
    p->changed = true;
}

static void visit(Promote *p, Region *region);

/* The yield of a region with further operands behind. */
static void yield_more(Promote *p, Region *region, const SlotList *list) {
    Op *yield = region_yield(region);
    Builder b = {.fn = p->fn, .region = region, .before = yield, .span = yield->span};
    int count = yield->num_operands;
    Value **values = arena_array(p->fn->arena, Value *, count + list->count);
    for (int i = 0; i < count; i++) values[i] = yield->operands[i];
    for (int i = 0; i < list->count; i++) values[count + i] = now(p, list->data[i], &b);
    yield->operands = values;
    yield->num_operands = count + list->count;
}

/* The op again, with further operands and results; its regions move there. */
static void widen(Promote *p, Op *op, int num_inits, Value *const *inits, const SlotList *list) {
    Arena *arena = p->px->scratch;
    int count = op->num_operands, results = op->num_results;
    Value **operands = arena_array(arena, Value *, count + num_inits);
    const Type **types = arena_array(arena, const Type *, results + list->count);
    for (int i = 0; i < count; i++) operands[i] = op->operands[i];
    for (int i = 0; i < num_inits; i++) operands[count + i] = inits[i];
    for (int i = 0; i < results; i++) types[i] = op->results[i].type;
    for (int i = 0; i < list->count; i++) types[results + i] = p->slots.data[list->data[i]].type;
    Builder b = {.fn = p->fn, .region = op->parent, .before = op, .span = op->span};
    Op *made = build_op(&b, op->kind, count + num_inits, operands, results + list->count, types,
                        op->num_regions, op->regions);
    memcpy(made->attrs, op->attrs, sizeof made->attrs);
    for (int i = 0; i < results; i++) {
        made->results[i].name = op->results[i].name;
        op->results[i].replaced = &made->results[i];
    }
    op_remove(op);
    for (int i = 0; i < list->count; i++)
        p->slots.data[list->data[i]].now = &made->results[results + i];
}

static void visit_if(Promote *p, Op *op) {
    SlotList list = slots_written(p, op);
    Value **before = arena_array(p->px->scratch, Value *, list.count);
    for (int i = 0; i < list.count; i++) before[i] = p->slots.data[list.data[i]].now;
    for (int r = 0; r < 2; r++) {
        for (int i = 0; i < list.count; i++) p->slots.data[list.data[i]].now = before[i];
        visit(p, op->regions[r]);
        yield_more(p, op->regions[r], &list);
    }
    if (list.count) widen(p, op, 0, NULL, &list);
}

static void add_args(Promote *p, Region *region, const SlotList *list) {
    for (int i = 0; i < list->count; i++) {
        Slot *slot = &p->slots.data[list->data[i]];
        slot->now = region_add_arg(p->fn, region, slot->type);
    }
}

static void visit_loop(Promote *p, Op *op) {
    SlotList list = slots_written(p, op);
    Builder b = {.fn = p->fn, .region = op->parent, .before = op, .span = op->span};
    Value **inits = arena_array(p->px->scratch, Value *, list.count);
    for (int i = 0; i < list.count; i++) inits[i] = now(p, list.data[i], &b);
    for (int r = 0; r < op->num_regions; r++) {
        add_args(p, op->regions[r], &list);
        visit(p, op->regions[r]);
        yield_more(p, op->regions[r], &list);
    }
    if (list.count) widen(p, op, list.count, inits, &list);
}

static void visit(Promote *p, Region *region) {
    for (Op *op = region->first, *next; op; op = next) {
        next = op->next;
        for (int i = 0; i < op->num_operands; i++) op->operands[i] = value_resolve(op->operands[i]);
        Slot *slot = slot_of(p, op);
        if (slot)
            access(p, op, slot);
        else if (op->kind == OP_IF)
            visit_if(p, op);
        else if (op->kind == OP_FOR || op->kind == OP_WHILE)
            visit_loop(p, op);
    }
}

bool pass_promote(PassCtx *px, Func *fn) {
    Promote p = {.px = px, .fn = fn, .num_places = fn->num_values};
    if (fn->form != FORM_THREAD) return false;
    p.places = arena_array(px->scratch, PlaceIn, fn->num_values);
    region_walk(fn->body, note_op, &p);
    visit(&p, fn->body);
    func_resolve(fn);
    return p.changed;
}
