// SPDX-License-Identifier: Apache-2.0
/* inside: where it is asked for (GenOptions.bounds), an access is tested before it is made: its
 * lanes must lie in the memory that its pointer comes from, or where that is not seen, in any that
 * the context or the program has. What the kernel does otherwise is the same.
 *
 * Lanes in a row are tested once a row: `room` is how many of them there are from the row's first
 * address to the end of that memory.
 *
 *     L u7 = t_room(u5, u6, u2, 4);
 *     if (u7 < full) return ..outside(..);       no lane below `full` is masked: one is outside
 *     for (; l + W <= full; l += W) { .. }        as without tests
 *     for (; l < 128; l += W) {
 *         if (l + W > u7 && t_beyond(..)) { .. }  where the mask has lanes there: by addresses
 *
 * Scattered lanes are compared as vectors, 32-bit offsets with the first and last that are inside.
 * Where a lane is outside, the launch ends, and `outside` keeps which: the number of a text of
 * tern_asserts (see outside_text), the program, the lane, the address. */
#include "gen/c/nest.h"

/* ---- where a pointer comes from ---- */

static int param_of(const Gen *g, const Value *base) {
    for (int i = 0; base && i < g->fn->num_params; i++)
        if (g->fn->params[i].value == base) return i;
    return -1;
}

/* As C text. */
static Memory memory_of(Gen *g, const Value *pointer) {
    const Value *base = facts_base(g->known, pointer);
    int param = param_of(g, base);
    if (param >= 0)
        return (Memory){base, text(g, "T_TESTS->ranges[%d].low", param),
                        text(g, "T_TESTS->ranges[%d].bytes", param)};
    if (base && base->def && base->def->kind == OP_ALLOC)
        return (Memory){base, scalar_name(g, base),
                        text(g, "%lldULL", (long long)alloc_bytes(base->def))};
    return (Memory){0};
}

/* Likewise, as scalars of the nest: stores might change what is read through R. */
static Memory nest_memory(Nest *n, const Value *pointer) {
    Memory memory = memory_of(n->g, pointer);
    if (!memory.base || memory.base->def) return memory;
    for (int i = 0; i < n->memories.count; i++)
        if (n->memories.data[i].base == memory.base) return n->memories.data[i];
    memory.low = new_scalar(n, 0, "UL", memory.low);
    memory.bytes = new_scalar(n, 0, "UL", memory.bytes);
    vec_push(n->g->arena, &n->memories, memory);
    return memory;
}

/* Elements from an address on to the end of the memory; below 1: the address is outside. */
static Str room_text(Gen *g, Memory memory, Str address, int size) {
    if (memory.base)
        return text(g, "t_room(%.*s, %.*s, %.*s, %d)", STR_ARG(memory.low), STR_ARG(memory.bytes),
                    STR_ARG(address), size);
    Buf out = {.arena = g->arena};
    buf_printf(&out, "(T_TESTS->room(T_TESTS, %.*s, %d)", STR_ARG(address), size);
    for (int i = 0; i < g->allocs.count; i++)
        buf_printf(
            &out, " ?: %.*s",
            STR_ARG(room_text(g, memory_of(g, op_result(g->allocs.data[i])), address, size)));
    buf_putc(&out, ')');
    return buf_str(&out);
}

/* The lanes of a mask whose addresses are outside. */
static Str out_text(Gen *g, Memory memory, Str addresses, Str mask, int size) {
    if (memory.base)
        return text(g, "t_out(%.*s, %.*s, %.*s, %.*s, %d)", STR_ARG(memory.low),
                    STR_ARG(memory.bytes), STR_ARG(addresses), STR_ARG(mask), size);
    Str out = text(g, "t_out_any(R, %.*s, %.*s, %d)", STR_ARG(addresses), STR_ARG(mask), size);
    for (int i = 0; i < g->allocs.count; i++)
        out = out_text(g, memory_of(g, op_result(g->allocs.data[i])), addresses, out, size);
    return out;
}

/* ---- what is said ---- */

static int access_size(const Op *op) {
    return type_size_bytes(type_lane(access_pointer(op)->type)->elem);
}

/* "LINE:COLUMN:PARAM BYTES RANK SIZE ..:WORDS" of an access; the same for the same. */
static int outside_text(Gen *g, const Op *op, Str what, const Type *type, int bytes,
                        const Value *base) {
    Buf out = {.arena = g->arena};
    int row = 0, column = 0;
    if (op->span.source && op->span.source == g->fn->span.source)
        source_position(op->span.source, op->span.start, &row, &column);
    buf_printf(&out, "%d:%d:%d %d %d", row, column, param_of(g, base), bytes, type->rank);
    for (int i = 0; i < type->rank; i++) buf_printf(&out, " %d", type->shape[i]);
    buf_printf(&out, ":%.*s", STR_ARG(what));
    if (base && base->def) {
        Str name = base->name.length ? base->name : STR("memory of the block");
        buf_printf(&out, " of %d bytes outside '%.*s', which has %lld bytes", bytes, STR_ARG(name),
                   (long long)alloc_bytes(base->def));
    }
    if (!row && op->span.source)
        buf_printf(&out, "\n%.*s, line %d", STR_ARG(op->span.source->name), op_line(op));
    return new_text(g, buf_str(&out));
}

static int which_of(Gen *g, const Op *op) {
    const Value *pointer = access_pointer(op);
    bool is_atomic = op->kind == OP_ATOMIC_RMW || op->kind == OP_ATOMIC_CAS;
    return outside_text(g, op, str_of(is_atomic ? "atomic" : op_info(op->kind)->name),
                        pointer->type, access_size(op), facts_base(g->known, pointer));
}

/* The number in the tile of the first lane of a vector, or of a row, as far as loops below `level`
 * say it; *step: to the next lane. */
static Str lane_number(Nest *n, const Type *type, Place place, int level, bool of_row,
                       int64_t *step) {
    Buf out = {.arena = n->g->arena};
    int64_t stride = 1;
    buf_puts(&out, "(0");
    *step = 0;
    for (int d = type->rank - 1; d >= 0; stride *= type->shape[d--]) {
        int loop = place.loop[d];
        if (loop < 0 || (loop < n->num_rows && loop >= level)) continue;
        if (loop == n->num_rows) *step = stride;
        if (loop == n->num_rows && of_row) continue;
        Str index = loop == n->num_rows ? lane_index(n) : row_index(n, loop);
        buf_printf(&out, " + %.*s * %lldLL", STR_ARG(index), (long long)stride);
    }
    buf_putc(&out, ')');
    return buf_str(&out);
}

/* ---- accesses of one lane ---- */

static void write_one(Gen *g, Buf *out, int depth, const Op *op, Memory memory, Str address,
                      Str mask, Str lane) {
    Str also = mask.length ? text(g, "%.*s && ", STR_ARG(mask)) : STR("");
    line(g, out, depth,
         "if (%.*s__builtin_expect(%.*s < 1, 0)) return T_TESTS->outside(T_TESTS, %d, P, "
         "%.*s, %.*s);",
         STR_ARG(also), STR_ARG(room_text(g, memory, address, access_size(op))), which_of(g, op),
         STR_ARG(lane), STR_ARG(address));
}

void inside_scalar(Gen *g, const Op *op, Str address, Str mask) {
    if (g->bounds)
        write_one(g, g->out, g->depth, op, memory_of(g, access_pointer(op)), address, mask,
                  STR("0"));
}

void inside_uniform(Nest *n, const Op *op, Place place, int level, Str address, Str mask) {
    if (!n->g->bounds) return;
    int64_t step;
    Str lane = lane_number(n, access_pointer(op)->type, place, level, true, &step);
    write_one(n->g, &n->pre[level], depth_at(n, level), op, nest_memory(n, access_pointer(op)),
              address, mask, lane);
}

void inside_assembly(Gen *g, Buf *out, const Op *op, Str address, int bytes, const char *what) {
    if (!g->bounds) return;
    buf_printf(out, " if (%.*s < 1) return T_TESTS->outside(T_TESTS, %d, P, 0, %.*s);",
               STR_ARG(room_text(g, (Memory){0}, address, bytes)),
               outside_text(g, op, str_of(what), type_scalar(TYPE_I64), bytes, NULL),
               STR_ARG(address));
}

/* ---- accesses of vectors ---- */

static void write_failure(Nest *n, int depth, const Op *op, Place place, Str out, Str addresses) {
    int64_t step;
    Str lane = lane_number(n, access_pointer(op)->type, place, n->num_rows, false, &step);
    line(n->g, n->at, depth,
         "if (__builtin_expect(t_vb_any(%.*s), 0)) return t_outside(R, %d, P, %.*s, %.*s, %.*s, "
         "%lldLL);",
         STR_ARG(out), which_of(n->g, op), STR_ARG(out), STR_ARG(addresses), STR_ARG(lane),
         (long long)step);
}

static void limit(Nest *n, Str count, Str condition, Str least) {
    line(n->g, &n->pre[n->num_rows], depth_at(n, n->num_rows),
         "%.*s = t_least(%.*s, %.*s ? %.*s : "
         "%d);",
         STR_ARG(count), STR_ARG(count), STR_ARG(condition), STR_ARG(least), n->N);
}

/* Lowers `count` to where a part of a mask, a comparison of l + base, is 0 from there on. */
static void limit_by_compare(Nest *n, const Op *op, Place place, Str count) {
    int predicate = (int)icmp_predicate(op);
    bool is_swapped = predicate == ICMP_SGT || predicate == ICMP_SGE;
    if (!is_swapped && predicate != ICMP_SLT && predicate != ICMP_SLE) return;
    Ev a = eval(n, op->operands[is_swapped], place), b = eval(n, op->operands[!is_swapped], place);
    if (a.kind != EV_LINEAR || b.kind != EV_UNIFORM || a.below_full || a.lane == TYPE_PTR ||
        !a.stride_known || a.stride_value != 1)
        return;
    Str least = text(n->g, "t_distance(%.*s, %.*s)", STR_ARG(b.text), STR_ARG(a.text));
    if (predicate == ICMP_SLE || predicate == ICMP_SGE)
        least = text(n->g, "t_after(%.*s)", STR_ARG(least));
    limit(n, count,
          a.lane == TYPE_I32 ? text(n->g, "!t_wraps(%.*s, %d)", STR_ARG(a.text), n->N - 1)
                             : STR("1"),
          least);
}

/* Likewise, of all its parts that say so. */
static void limit_by_mask(Nest *n, Value *mask, Place place, Str count) {
    const Op *op = mask->def;
    if (!type_is_tile(mask->type)) {
        limit(n, count, text(n->g, "!%.*s", STR_ARG(scalar_name(n->g, mask))), STR("0"));
        return;
    }
    if (!op || info(n->g, mask)->view) return; /* what it is made of is not in this nest */
    Place from = place;
    if (op->kind == OP_EXPAND_DIMS)
        for (int d = (int)expand_dims_axis(op); d + 1 < mask->type->rank; d++)
            from.loop[d] = place.loop[d + 1];
    if (op->kind == OP_ICMP) limit_by_compare(n, op, place, count);
    if (op->kind == OP_AND || op->kind == OP_BROADCAST || op->kind == OP_EXPAND_DIMS ||
        op->kind == OP_SPLAT)
        for (int i = 0; i < op->num_operands; i++) limit_by_mask(n, op->operands[i], from, count);
}

enum { LONG_ROW = 8 }; /* vectors: of a shorter one the test of each vector costs less */

/* Of a row whose first address is the scalar `base`: no less than there are lanes, where the mask
 * has none that is outside. */
static Str row_room(Nest *n, Memory memory, Str base, int size, Value *mask, Place place) {
    Gen *g = n->g;
    for (int i = 0; i < n->rooms.count; i++) {
        const Room *room = &n->rooms.data[i];
        if (room->size == size && room->of == memory.base && room->mask == mask &&
            str_equal(room->base, base))
            return room->name;
    }
    Str name = new_scalar(n, n->num_rows, "L", room_text(g, memory, base, size));
    if (mask && n->N >= LONG_ROW * g->W) {
        Str count = new_scalar(n, n->num_rows, "L", text(g, "%d", n->N));
        limit_by_mask(n, mask, place, count);
        name = new_scalar(n, n->num_rows, "L",
                          text(g, "%.*s >= %.*s ? %d + W : %.*s", STR_ARG(name), STR_ARG(count),
                               n->N, STR_ARG(name)));
    }
    vec_push(g->arena, &n->rooms, (Room){base, memory.base, mask, size, name});
    return name;
}

void inside_row(Nest *n, const Op *op, Place place, Str base, Str mask) {
    Gen *g = n->g;
    if (!g->bounds) return;
    int size = access_size(op), depth = body_depth(n);
    Memory memory = nest_memory(n, access_pointer(op));
    Str room = row_room(n, memory, base, size, access_mask(op), place), l = lane_index(n);
    int64_t step;
    if (n->fast && !mask.length) {
        if (n->copy > 0) return;
        Str lane = lane_number(n, access_pointer(op)->type, place, n->num_rows, true, &step);
        line(g, &n->pre[n->num_rows], depth_at(n, n->num_rows),
             "if (__builtin_expect(%.*s < full, 0)) return T_TESTS->outside(T_TESTS, %d, P, %.*s + "
             "%.*s * "
             "%lldLL, %.*s + (UL)%.*s * %d);",
             STR_ARG(room), which_of(g, op), STR_ARG(lane), STR_ARG(room), (long long)step,
             STR_ARG(base), STR_ARG(room), size);
        return;
    }
    if (!mask.length) mask = STR("t_vb_splat(1)");
    Str at = text(g, "x%d", new_id(g)), out = text(g, "x%d", new_id(g));
    line(g, n->at, depth, "if (%.*s + W > %.*s && t_beyond(%.*s, %.*s - %.*s)) {", STR_ARG(l),
         STR_ARG(room), STR_ARG(mask), STR_ARG(room), STR_ARG(l));
    line(g, n->at, depth + 1, "vu64 %.*s = t_row(%.*s + (UL)(%.*s * %d), %d);", STR_ARG(at),
         STR_ARG(base), STR_ARG(l), size, size);
    line(g, n->at, depth + 1, "vb %.*s = %.*s;", STR_ARG(out),
         STR_ARG(out_text(g, memory, at, mask, size)));
    write_failure(n, depth + 1, op, place, out, at);
    line(g, n->at, depth, "}");
}

void inside_lanes(Nest *n, const Op *op, Place place, Str addresses, Str mask) {
    if (!n->g->bounds) return;
    Memory memory = nest_memory(n, access_pointer(op));
    Str out = new_vector(n, TYPE_I1, out_text(n->g, memory, addresses, mask, access_size(op))).text;
    write_failure(n, body_depth(n), op, place, out, addresses);
}

bool inside_offsets(Nest *n, const Op *op, Place place, Ev base, Str offsets, Str mask) {
    Gen *g = n->g;
    if (!g->bounds) return true;
    Memory memory = nest_memory(n, access_pointer(op));
    int size = access_size(op);
    if (!memory.base) return false;
    Str ends[2];
    for (int i = 0; i < 2; i++)
        ends[i] =
            new_scalar(n, base.level, "int",
                       text(g, "%s(%.*s, %.*s, %.*s, %d)", i ? "t_last" : "t_first",
                            STR_ARG(memory.low), STR_ARG(memory.bytes), STR_ARG(base.text), size));
    Str out = new_vector(n, TYPE_I1,
                         text(g, "t_out_offsets(%.*s, %.*s, %.*s, %.*s)", STR_ARG(offsets),
                              STR_ARG(ends[0]), STR_ARG(ends[1]), STR_ARG(mask)))
                  .text;
    write_failure(n, body_depth(n), op, place, out,
                  text(g, "t_at(%.*s, %.*s, %d)", STR_ARG(base.text), STR_ARG(offsets), size));
    return true;
}
