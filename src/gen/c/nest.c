// SPDX-License-Identifier: Apache-2.0
/* nest: one loop nest for roots of one shape: loops over rows, the last one over vectors.
 *
 *     for (int i0 = 0; i0 < 64; i0++) {
 *         float u7 = a3[i0];                          uniform in the row: computed at its level
 *         L full = 128;                               lanes for which all masks are known to hold
 *         if ((L)n - b5 < full) full = (L)n - b5;
 *         L l = 0;
 *         for (; l + W <= full; l += W) { .. }        masks are gone
 *         for (; l < 128; l += W) { .. }              masks are vectors of bits
 *     }
 *
 * A value at a position is uniform (a C scalar), linear (base + stride * l: addresses and indices
 * stay so until a vector is needed) or a vector. Each is computed at the outermost level at which
 * what it depends on is known. */
#include "gen/c/nest.h"

int depth_at(const Nest *n, int level) { return n->g->depth + 1 + level; }
int body_depth(const Nest *n) { return depth_at(n, n->num_rows) + 1; }

Str lane_index(Nest *n) { /* of the first lane of this vector */
    if (!n->fast || n->copy == 0) return STR("l");
    return text(n->g, "(l + %d)", n->copy * n->g->W);
}

static Ev uniform(Nest *n, TypeKind lane, int level, Str scalar) {
    (void)n;
    return (Ev){.kind = EV_UNIFORM, .text = scalar, .level = level, .lane = lane};
}

Str new_scalar(Nest *n, int level, const char *type, Str expression) {
    int id = new_id(n->g);
    line(n->g, &n->pre[level], depth_at(n, level), "%s u%d = %.*s;", type, id, STR_ARG(expression));
    return text(n->g, "u%d", id);
}

static Ev new_uniform(Nest *n, TypeKind lane, int level, Str expression) {
    return uniform(n, lane, level, new_scalar(n, level, scalar_type(lane), expression));
}

Ev new_vector(Nest *n, TypeKind lane, Str expression) {
    int id = new_id(n->g);
    line(n->g, n->at, body_depth(n), "%s x%d = %.*s;", vector_type(lane), id, STR_ARG(expression));
    return (Ev){
        .kind = EV_VECTOR, .text = text(n->g, "x%d", id), .level = n->num_rows + 1, .lane = lane};
}

/* A vector that does not change in the vector loop, made before it. */
Str hoisted(Nest *n, TypeKind lane, int level, Str key, Str expression) {
    for (int i = 0; i < n->splats.count; i++) {
        Splat *s = &n->splats.data[i];
        if (s->lane == lane && str_equal(s->scalar, key)) return s->vector;
    }
    Str name = text(n->g, "w%d", new_id(n->g));
    line(n->g, &n->pre[level], depth_at(n, level), "%s %.*s = %.*s;", vector_type(lane),
         STR_ARG(name), STR_ARG(expression));
    vec_push(n->g->arena, &n->splats, (Splat){key, name, lane});
    return name;
}

Str as_vector(Nest *n, Ev ev) {
    Gen *g = n->g;
    switch (ev.kind) {
    case EV_VECTOR: return ev.text;
    case EV_TRUE: return hoisted(n, TYPE_I1, 0, STR("true"), STR("t_vb_splat(1)"));
    case EV_UNIFORM: return hoisted(n, ev.lane, ev.level, ev.text, splat_text(g, ev.lane, ev.text));
    case EV_LINEAR: break;
    }
    bool wide = ev.lane != TYPE_I32;
    const char *type = vector_type(ev.lane), *scalar = scalar_type(ev.lane);
    Str key = text(g, "%.*s+%.*s", STR_ARG(ev.text), STR_ARG(ev.stride));
    Str start = hoisted(n, ev.lane, n->num_rows, key,
                        text(g, "(%s)(t_iota%s() * (%s)%.*s) + %.*s", type, wide ? "64" : "",
                             wide ? "L" : "int", STR_ARG(ev.stride), STR_ARG(ev.text)));
    Str l = lane_index(n);
    return new_vector(n, ev.lane,
                      text(g, "%.*s + (%s)(%.*s * %.*s)", STR_ARG(start), scalar, STR_ARG(l),
                           STR_ARG(ev.stride)))
        .text;
}

void bound(Nest *n, Str condition_count) { /* lanes below this count fulfil the condition */
    line(n->g, &n->pre[n->num_rows], depth_at(n, n->num_rows), "full = t_least(full, %.*s);",
         STR_ARG(condition_count));
    n->has_bounds = true;
}

/* 0 where `op` is. */
static bool is_part_of_mask(const Value *mask, const Op *op) {
    if (!mask || !mask->def) return false;
    if (mask->def == op) return true;
    OpKind kind = mask->def->kind;
    if (kind != OP_AND && kind != OP_BROADCAST && kind != OP_EXPAND_DIMS) return false;
    for (int i = 0; i < mask->def->num_operands; i++)
        if (is_part_of_mask(mask->def->operands[i], op)) return true;
    return false;
}

void bound_last(Nest *n, const Op *op, Str condition_count) {
    if (!is_part_of_mask(n->all_masked, op)) return;
    line(n->g, &n->pre[n->num_rows], depth_at(n, n->num_rows), "last = t_least(last, %.*s);",
         STR_ARG(condition_count));
    n->has_last = true;
}

Place identity_place(const Nest *n, const Type *type) {
    Place place;
    memset(&place, -1, sizeof place);
    for (int k = 0; k < n->num_loops; k++)
        if (n->loop_dim[k] < type->rank) place.loop[n->loop_dim[k]] = (int8_t)k;
    return place;
}

Str row_index(Nest *n, int loop) {
    if (loop == n->axis_down) return text(n->g, "(%d - i%d)", n->size[loop] - 1, loop);
    return text(n->g, "i%d", loop);
}

/* ---- access to arrays ---- */

/* Offset of the first lane at a place; *stride: along the vector loop; *level: where it is known.
 */
Str view_offset(Nest *n, const View *view, const Type *type, Place place, int64_t *stride,
                int *level) {
    Buf buf = {.arena = n->g->arena};
    buf_printf(&buf, "%lld", (long long)view->offset);
    *stride = 0, *level = 0;
    for (int d = 0; d < type->rank; d++) {
        int loop = place.loop[d];
        if (loop < 0 || view->strides[d] == 0) continue;
        if (loop == n->num_rows) {
            *stride += view->strides[d];
            continue;
        }
        *level = max_int(*level, loop + 1);
        Str index = row_index(n, loop);
        buf_printf(&buf, " + %.*s * %lld", STR_ARG(index), (long long)view->strides[d]);
    }
    return buf_str(&buf);
}

static Ev read_view(Nest *n, const Value *value, Place place) {
    Gen *g = n->g;
    const View *view = info(g, value)->view;
    TypeKind lane = view->array->lane;
    int64_t stride;
    int level, id = view->array->id;
    n->held = n->held || view->array->held;
    Str offset = view_offset(n, view, value->type, place, &stride, &level);
    if (stride == 0) return new_uniform(n, lane, level, text(g, "a%d[%.*s]", id, STR_ARG(offset)));
    Str l = lane_index(n), read;
    if (stride == 1) {
        read = text(g, "*(const %s *)(a%d + %.*s + %.*s)", memory_type(lane, true), id,
                    STR_ARG(offset), STR_ARG(l));
        if (lane == TYPE_I1) read = text(g, "t_vb_from_i8(%.*s)", STR_ARG(read));
        return new_vector(n, lane, read);
    }
    Str lanes = n->N % g->W == 0 ? STR("t_vb_splat(1)")
                                 : text(g, "t_vb_first(%d - %.*s)", n->N, STR_ARG(l));
    Str zero = lane == TYPE_I1 ? STR("t_vb_splat(0)") : text(g, "(%s){}", vector_type(lane));
    return new_vector(
        n, lane,
        text(g, "t_gatheri_%s((UL)(a%d + %.*s + %.*s * %lld), t_iota() * %lld, %.*s, %.*s)",
             kind_code(lane), id, STR_ARG(offset), STR_ARG(l), (long long)stride, (long long)stride,
             STR_ARG(lanes), STR_ARG(zero)));
}

void write_view(Nest *n, const View *view, const Type *type, Place place, Ev ev) {
    Gen *g = n->g;
    TypeKind lane = view->array->lane;
    int64_t stride;
    int level, id = view->array->id;
    n->held = n->held || view->array->held;
    Str offset = view_offset(n, view, type, place, &stride, &level), v = as_vector(n, ev),
        l = lane_index(n);
    if (lane == TYPE_I1) v = text(g, "t_vb_to_i8(%.*s)", STR_ARG(v));
    if (n->num_loops == 0) stride = 1;
    /* A whole vector may run into the next row, which must then be written later. */
    if (stride == 1 && view_is_row_major(view, type) && (n->axis_down < 0 || n->N % g->W == 0)) {
        line(g, n->at, body_depth(n), "*(%s *)(a%d + %.*s + %.*s) = %.*s;", memory_type(lane, true),
             id, STR_ARG(offset), STR_ARG(l), STR_ARG(v));
        return;
    }
    line(g, n->at, body_depth(n),
         "for (int i = 0; i < W && %.*s + i < %d; i++) a%d[%.*s + (%.*s + i) * %lld] = (%.*s)[i];",
         STR_ARG(l), n->N, id, STR_ARG(offset), STR_ARG(l), (long long)stride, STR_ARG(v));
}

static bool bool_shortcut(Nest *n, Op *op, const Ev *x, Ev *r) {
    (void)n;
    if (op->kind == OP_AND && type_lane(op->results[0].type)->kind == TYPE_I1) {
        if (x[0].kind == EV_TRUE) return *r = x[1], true;
        if (x[1].kind == EV_TRUE) return *r = x[0], true;
    }
    if (op->kind == OP_OR && (x[0].kind == EV_TRUE || x[1].kind == EV_TRUE))
        return *r = x[0].kind == EV_TRUE ? x[0] : x[1], true;
    if (op->kind == OP_SELECT && x[0].kind == EV_TRUE) return *r = x[1], true;
    return false;
}

static Ev eval_elementwise(Nest *n, Op *op, Place place) {
    Gen *g = n->g;
    Ev x[4], r;
    if (exp_of_negative(n, op, place, &r)) return r;
    bool all_uniform = true;
    int level = 0;
    for (int i = 0; i < op->num_operands; i++) {
        x[i] = eval(n, op->operands[i], place);
        all_uniform = all_uniform && x[i].kind == EV_UNIFORM;
        level = max_int(level, x[i].level);
    }
    TypeKind lane = type_lane(op->results[0].type)->kind;
    Str names[4];
    if (all_uniform) {
        for (int i = 0; i < op->num_operands; i++) names[i] = x[i].text;
        return new_uniform(n, lane, level, op_text(g, op, false, names));
    }
    if (bool_shortcut(n, op, x, &r)) return r;
    if (linear_op(n, op, x, &r) || divide_by_uniform(n, op, x, &r)) return r;
    if (op->kind == OP_ICMP && n->fast && prefix_compare(n, op, x, &r)) return r;
    if (op->num_operands == 2 && prefix_remainder(n, op, x[0], x[1], &r)) return r;
    for (int i = 0; i < op->num_operands; i++) names[i] = as_vector(n, x[i]);
    return new_vector(n, lane, op_text(g, op, true, names));
}

/* ---- memory ---- */

/* The mask of an access in this body: empty text if all lanes are accessed. */
Str nest_mask(Nest *n, Value *mask, Place place, Ev *ev_out) {
    Gen *g = n->g;
    Ev ev = mask ? eval(n, mask, place) : (Ev){.kind = EV_TRUE, .lane = TYPE_I1};
    if (n->fast && ev.kind == EV_UNIFORM) {
        bound(n, text(g, "%.*s ? full : 0", STR_ARG(ev.text)));
        if (mask == n->all_masked)
            bound_last(n, mask->def, text(g, "%.*s ? last : 0", STR_ARG(ev.text)));
        ev = (Ev){.kind = EV_TRUE, .lane = TYPE_I1};
    }
    if (ev_out) *ev_out = ev;
    bool ragged = !n->fast && n->N % g->W != 0;
    if (ev.kind == EV_TRUE && !ragged) return STR("");
    Str m = ev.kind == EV_TRUE ? STR("") : as_vector(n, ev);
    if (!ragged) return m;
    Str act = new_vector(n, TYPE_I1, text(g, "t_vb_first(%d - l)", n->N)).text;
    if (m.length == 0) return act;
    return new_vector(n, TYPE_I1, text(g, "(vb)(%.*s & %.*s)", STR_ARG(m), STR_ARG(act))).text;
}

static bool is_contiguous(Ev p, int size) {
    return p.kind == EV_LINEAR && p.stride_known && p.stride_value == size;
}

/* All lanes read one address: a scalar load at its level, if mask and other are uniform too. */
static bool uniform_load(Nest *n, Op *op, Place place, Ev p, Ev *r) {
    Gen *g = n->g;
    if (p.kind != EV_UNIFORM) return false;
    TypeKind lane = type_lane(op->results[0].type)->kind;
    Str mask = STR(""), other = lane == TYPE_PTR || lane == TYPE_I64
                                    ? STR("0")
                                    : text(g, "(%s)0", scalar_type(lane));
    int level = p.level;
    if (load_mask(op)) {
        Ev m = eval(n, load_mask(op), place);
        if (m.kind != EV_UNIFORM) return false;
        mask = m.text, level = max_int(level, m.level);
    }
    if (load_other(op)) {
        Ev o = eval(n, load_other(op), place);
        if (o.kind != EV_UNIFORM) return false;
        other = o.text, level = max_int(level, o.level);
    }
    inside_uniform(n, op, place, level, p.text, mask);
    Str read = text(g, "*(const %s%s *)%.*s%s", load_volatile(op) ? "volatile " : "",
                    memory_type(lane, false), STR_ARG(p.text), lane == TYPE_I1 ? " != 0" : "");
    if (mask.length)
        read = text(g, "%.*s ? %.*s : %.*s", STR_ARG(mask), STR_ARG(read), STR_ARG(other));
    *r = new_uniform(n, lane, level, read);
    return true;
}

enum { MOST_AHEAD = 4, LEAST_AHEAD_BYTES = 2048, NEAR_BYTES = 16384 /* several fit into L1 */ };

static void note_ahead(Nest *n, Ev p, int size) {
    Gen *g = n->g;
    bool row = n->num_rows == 0 && g->depth == 1 && n->fast && n->copy == 0 &&
               n->N * size >= LEAST_AHEAD_BYTES;
    if (!row || n->loads_ahead || g->num_ahead == MOST_AHEAD) return;
    n->loads_ahead = true;
    int k = g->num_ahead++;
    line(g, &g->decls, 1, "UL next%d;", k);
    line(g, &n->pre[0], depth_at(n, 0),
         "next%d = H[%d] ? %.*s + (%.*s - H[%d]) : %.*s, H[%d] = %.*s;", k, k, STR_ARG(p.text),
         STR_ARG(p.text), k, STR_ARG(p.text), k, STR_ARG(p.text));
    n->ahead_size = size;
}

/* All programs read the same addresses, which after the first are near: as weights of a row are. */
static bool is_near(const Nest *n, const Value *pointer, int size) {
    return n->num_rows == 0 && n->N * size <= NEAR_BYTES && is_same_in_programs(pointer);
}

/* In a loop the address will move on as it did the last time, which may be far. */
static Str step_of(Nest *n, Str base) {
    Gen *g = n->g;
    for (int i = 0; i < n->steps.count; i++)
        if (str_equal(n->steps.data[i].base, base)) return n->steps.data[i].step;
    int id = new_id(g);
    Str step = text(g, "step%d", id);
    line(g, &g->decls, 1, "UL last%d = 0;", id);
    line(g, &n->pre[0], depth_at(n, 0), "UL step%d = last%d ? %.*s - last%d : 0; last%d = %.*s;",
         id, id, STR_ARG(base), id, id, STR_ARG(base));
    vec_push(g->arena, &n->steps, (Step){base, step});
    return step;
}

/* Once a line of 64 bytes, if the copies of the body tell the lines apart. Rows in a loop are left
 * to the processor. */
static void fetch_line(Nest *n, const Value *pointer, Ev p, Str at, int size) {
    Gen *g = n->g;
    bool in_loop = g->depth > 1;
    if (n->copy * g->W * size % 64 != 0 || is_near(n, pointer, size)) return;
    if (in_loop && n->num_rows > 0) return;
    Str ahead = in_loop ? step_of(n, p.text) : STR("T_AHEAD");
    line(g, n->at, body_depth(n), "__builtin_prefetch((const char *)%.*s + %.*s);", STR_ARG(at),
         STR_ARG(ahead));
}

static void fetch_ahead(Nest *n) {
    Gen *g = n->g;
    if (!n->fetches_ahead || n->copy * g->W * g->ahead_size % 64 != 0) return;
    Str l = lane_index(n);
    line(g, n->at, body_depth(n), "__builtin_prefetch((const char *)(next%d + %.*s * %d));",
         g->num_ahead - 1, STR_ARG(l), g->ahead_size);
}

static Ev eval_load(Nest *n, Op *op, Place place) {
    Gen *g = n->g;
    TypeKind lane = type_lane(op->results[0].type)->kind;
    int size = type_size_bytes(type_lane(op->results[0].type));
    Value *pointer = load_pointer(op);
    Op *add = pointer->def && pointer->def->kind == OP_ADDPTR && !info(g, pointer)->view
                  ? pointer->def
                  : NULL;
    Ev base = {0}, offset = {0}, p = eval(n, pointer, place), r;
    if (uniform_load(n, op, place, p, &r)) return r;
    Str mask = nest_mask(n, load_mask(op), place, NULL);
    Str other = lane == TYPE_I1 ? STR("t_vb_splat(0)") : text(g, "(%s){}", vector_type(lane));
    if (load_other(op) && mask.length) other = as_vector(n, eval(n, load_other(op), place));
    Str l = lane_index(n);
    if (is_contiguous(p, size)) {
        inside_row(n, op, place, p.text, mask);
        Str at = text(g, "(%.*s + %.*s * %d)", STR_ARG(p.text), STR_ARG(l), size);
        if (n->fast) fetch_line(n, pointer, p, at, size);
        if (n->fast && !is_near(n, pointer, size)) note_ahead(n, p, size);
        if (n->fast && !mask.length && n->roots[0].rows && n->roots[0].value == op_result(op))
            n->in_place = p.text;
        if (mask.length)
            return new_vector(n, lane,
                              text(g, "t_ldm_%s((const void *)%.*s, %.*s, %.*s)", kind_code(lane),
                                   STR_ARG(at), STR_ARG(mask), STR_ARG(other)));
        Str read = text(g, "*(const %s *)%.*s", memory_type(lane, true), STR_ARG(at));
        return new_vector(n, lane,
                          lane == TYPE_I1 ? text(g, "t_vb_from_i8(%.*s)", STR_ARG(read)) : read);
    }
    if (!mask.length) mask = STR("t_vb_splat(1)");
    if (add)
        base = eval(n, addptr_pointer(add), place), offset = eval(n, addptr_offset(add), place);
    if (add && base.kind == EV_UNIFORM && offset.kind == EV_VECTOR && offset.lane == TYPE_I32 &&
        inside_offsets(n, op, place, base, offset.text, mask))
        return new_vector(n, lane,
                          text(g, "t_gatheri_%s(%.*s, %.*s, %.*s, %.*s)", kind_code(lane),
                               STR_ARG(base.text), STR_ARG(offset.text), STR_ARG(mask),
                               STR_ARG(other)));
    Str addresses = as_vector(n, p);
    inside_lanes(n, op, place, addresses, mask);
    return new_vector(n, lane,
                      text(g, "t_gather_%s(%.*s, %.*s, %.*s)", kind_code(lane), STR_ARG(addresses),
                           STR_ARG(mask), STR_ARG(other)));
}

/* Whether to store past the caches, asked once for each pointer. */
static void ask_stream(Nest *n, const Value *pointer, Ev p, int bytes, int size) {
    for (int i = 0; i < n->streamed.count; i++)
        if (n->streamed.data[i] == pointer) return;
    vec_push(n->g->arena, &n->streamed, pointer);
    line(n->g, &n->pre[n->num_rows], depth_at(n, n->num_rows), "int nt%d = nt && !(%.*s & %d);",
         pointer->id, STR_ARG(p.text), bytes - 1);
    n->g->stored_bytes += (int64_t)pointer->type->lanes * size;
}

static void write_store(Nest *n, const Root *root) {
    Gen *g = n->g;
    Op *op = root->op;
    Value *pointer = store_pointer(op), *value = store_value(op);
    Place place = identity_place(n, pointer->type);
    TypeKind lane = type_lane(value->type)->kind;
    int size = type_size_bytes(type_lane(pointer->type)->elem);
    Ev p = eval(n, pointer, place);
    if (root->only_rows) {
        Str mask = nest_mask(n, store_mask(op), place, NULL);
        if (n->fast && !mask.length && is_contiguous(p, size)) n->in_place = p.text;
        return;
    }
    Value *two = is_contiguous(p, size) ? pair_source(n, op) : NULL;
    Ev v = eval(n, two ? two : value, place);
    Str mask = nest_mask(n, store_mask(op), place, NULL);
    if (mask.length && two) v = eval(n, value, place), two = NULL;
    Str vector = as_vector(n, v), l = lane_index(n);
    if (!is_contiguous(p, size)) {
        Str addresses = as_vector(n, p);
        if (!mask.length) mask = STR("t_vb_splat(1)");
        inside_lanes(n, op, place, addresses, mask);
        line(g, n->at, body_depth(n), "t_scatter_%s(%.*s, %.*s, %.*s);", kind_code(lane),
             STR_ARG(addresses), STR_ARG(vector), STR_ARG(mask));
        return;
    }
    inside_row(n, op, place, p.text, mask);
    Str at = text(g, "(%.*s + %.*s * %d)", STR_ARG(p.text), STR_ARG(l), size);
    if (mask.length) {
        line(g, n->at, body_depth(n), "t_stm_%s((void *)%.*s, %.*s, %.*s);", kind_code(lane),
             STR_ARG(at), STR_ARG(vector), STR_ARG(mask));
        return;
    }
    if (lane == TYPE_I1) vector = text(g, "t_vb_to_i8(%.*s)", STR_ARG(vector));
    int bytes = size * g->W * (two ? 2 : 1);
    if (two && !(vector = pair_of(n, op, vector)).length) return;
    if (two) lane = TYPE_F32, at = text(g, "(%.*s + l * %d)", STR_ARG(p.text), size);
    const Value *base = facts_base(g->known, pointer);
    /* Memory of the program is read again; what is loaded, too, is in the caches already. */
    bool leaves = !base || (!base->def && !info(g, base)->is_read);
    if (n->fast && leaves && (bytes == 64 || bytes == 32)) {
        ask_stream(n, pointer, p, bytes, size);
        line(g, n->at, body_depth(n), "if (nt%d) t_stream%d((void *)%.*s, (%s)%.*s); else",
             store_pointer(op)->id, bytes, STR_ARG(at), bytes == 64 ? "t_v64" : "t_v32",
             STR_ARG(vector));
    }
    line(g, n->at, body_depth(n), "*(%s *)%.*s = %.*s;", memory_type(lane, true), STR_ARG(at),
         STR_ARG(vector));
}

/* ---- values ---- */

static Place place_of_reshape(const Nest *n, const Type *from, const Type *to, Place place) {
    (void)n;
    Place r;
    memset(&r, -1, sizeof r);
    for (int i = 0, j = 0; i < from->rank; i++) {
        if (from->shape[i] == 1) continue;
        while (to->shape[j] == 1) j++;
        r.loop[i] = place.loop[j++];
    }
    return r;
}

static Ev eval_gather(Nest *n, Op *op, Place place) {
    Gen *g = n->g;
    const Type *data = gather_source(op)->type;
    const View *view = info(g, gather_source(op))->view;
    TypeKind lane = view->array->lane;
    int axis = (int)gather_axis(op), level;
    int64_t stride;
    Place rest = place;
    rest.loop[axis] = -1;
    Str offset = view_offset(n, view, data, rest, &stride, &level), l = lane_index(n);
    Str index = as_vector(n, eval(n, gather_indices(op), place));
    TypeKind kind = type_lane(gather_indices(op)->type)->kind;
    Str i32 = kind == TYPE_I32
                  ? index
                  : new_vector(n, TYPE_I32,
                               text(g, "__builtin_convertvector(%.*s, vi32)", STR_ARG(index)))
                        .text;
    const char *limit = kind == TYPE_I64 ? "vi64" : "vi32";
    Str in = new_vector(n, TYPE_I1,
                        text(g, "(vb)(t_ge_%s(%.*s, (%s){}) & t_lt_%s(%.*s, (%s){} + %d))",
                             limit + 1, STR_ARG(kind == TYPE_I64 ? index : i32), limit, limit + 1,
                             STR_ARG(kind == TYPE_I64 ? index : i32), limit, data->shape[axis]))
                 .text;
    if (n->N % g->W)
        in =
            new_vector(n, TYPE_I1,
                       text(g, "(vb)(%.*s & t_vb_first(%d - %.*s))", STR_ARG(in), n->N, STR_ARG(l)))
                .text;
    Str where = new_vector(n, TYPE_I32,
                           text(g, "%.*s * %lld + (t_iota() + (int)%.*s) * %lld", STR_ARG(i32),
                                (long long)view->strides[axis], STR_ARG(l), (long long)stride))
                    .text;
    Str zero = lane == TYPE_I1 ? STR("t_vb_splat(0)") : text(g, "(%s){}", vector_type(lane));
    return new_vector(n, lane,
                      text(g, "t_gatheri_%s((UL)(a%d + %.*s), %.*s, %.*s, %.*s)", kind_code(lane),
                           view->array->id, STR_ARG(offset), STR_ARG(where), STR_ARG(in),
                           STR_ARG(zero)));
}

static Ev eval_sort_step(Nest *n, Op *op, Place place) {
    Gen *g = n->g;
    const View *view = info(g, op->operands[0])->view;
    TypeKind lane = view->array->lane;
    long long mask = (long long)sort_step_mask(op);
    int64_t stride;
    int level;
    Str offset = view_offset(n, view, op->operands[0]->type, place, &stride, &level),
        l = lane_index(n);
    if (stride == 1 && mask % g->W == 0) {
        Str read = text(g, "*(const %s *)(a%d + ((%.*s + %.*s) ^ %lld))", memory_type(lane, true),
                        view->array->id, STR_ARG(offset), STR_ARG(l), mask);
        return new_vector(n, lane,
                          lane == TYPE_I1 ? text(g, "t_vb_from_i8(%.*s)", STR_ARG(read)) : read);
    }
    Str lanes = n->N % g->W == 0 ? STR("t_vb_splat(1)")
                                 : text(g, "t_vb_first(%d - %.*s)", n->N, STR_ARG(l));
    Str zero = lane == TYPE_I1 ? STR("t_vb_splat(0)") : text(g, "(%s){}", vector_type(lane));
    return new_vector(n, lane,
                      text(g,
                           "t_gatheri_%s((UL)a%d, ((t_iota() + (int)%.*s) * %lld + (int)(%.*s)) ^ "
                           "%lld, %.*s, %.*s)",
                           kind_code(lane), view->array->id, STR_ARG(l), (long long)stride,
                           STR_ARG(offset), mask, STR_ARG(lanes), STR_ARG(zero)));
}

static Ev eval_op(Nest *n, Op *op, Place place) {
    Gen *g = n->g;
    const Type *type = op->results[0].type;
    TypeKind lane = type_lane(type)->kind;
    switch (op->kind) {
    case OP_CONSTANT:
        return uniform(n, lane, 0, constant_text(g, type_lane(type), constant_bits(op)));
    case OP_POISON: return new_uniform(n, lane, 0, STR("0"));
    case OP_ARANGE: {
        long long start = (long long)arange_start(op);
        int loop = place.loop[0];
        if (loop < 0) return uniform(n, TYPE_I32, 0, text(g, "(%lld)", start));
        if (loop == n->num_rows)
            return new_linear(n, TYPE_I32, 0, text(g, "(%lld)", start), STR(""), true, 1);
        Str index = row_index(n, loop);
        return new_uniform(n, TYPE_I32, loop + 1, text(g, "%lld + %.*s", start, STR_ARG(index)));
    }
    case OP_SPLAT: return eval(n, op->operands[0], place);
    case OP_BROADCAST: {
        Place from = place;
        for (int d = 0; d < type->rank; d++)
            if (op->operands[0]->type->shape[d] == 1) from.loop[d] = -1;
        return eval(n, op->operands[0], from);
    }
    case OP_EXPAND_DIMS: {
        Place from = place;
        int axis = (int)expand_dims_axis(op);
        for (int d = axis; d + 1 < type->rank; d++) from.loop[d] = place.loop[d + 1];
        return eval(n, op->operands[0], from);
    }
    case OP_RESHAPE:
        return eval(n, op->operands[0], place_of_reshape(n, op->operands[0]->type, type, place));
    case OP_TRANS: {
        Place from = place;
        for (int d = 0; d < type->rank; d++) from.loop[trans_order(op).data[d]] = place.loop[d];
        return eval(n, op->operands[0], from);
    }
    case OP_LOAD: return eval_load(n, op, place);
    case OP_GATHER: return eval_gather(n, op, place);
    case OP_SORT_STEP: return eval_sort_step(n, op, place);
#define LANE(kind, ...) case OP_##kind:
#include "ir/ops.def"
        return eval_elementwise(n, op, place);
#define ASYNC(kind, ...)   case OP_##kind:
#define THREAD(kind, ...)  case OP_##kind:
#define BLOCK(kind, ...)   case OP_##kind:
#define CONTROL(kind, ...) case OP_##kind:
#include "ir/ops.def"
    case OP_PROGRAM_ID:
    case OP_NUM_PROGRAMS:
    case OP_RANK:
    case OP_JOIN:
    case OP_SPLIT:
    case OP_CONVERT:
    case OP_STORE:
    case OP_ATOMIC_RMW:
    case OP_ATOMIC_CAS:
    case OP_BARRIER:
    case OP_MEET:
    case OP_STOW:
    case OP_FETCH:
    case OP_REDUCE:
    case OP_SCAN:
    case OP_HISTOGRAM:
    case OP_DOT:
    case OP_ASSUME:
    case OP_ASSERT:
    case OP_PRINT:
    case OP_CLOCK:
    case OP_INLINE_ASM:
    case NUM_OP_KINDS: break;
    }
    BUG("'%s' is not computed in a nest", op_info(op->kind)->name);
}

static bool is_identity(const Nest *n, const Type *type, Place place) {
    int k = 0;
    for (int d = 0; d < type->rank; d++) {
        if (type->shape[d] == 1) continue;
        if (place.loop[d] != k++) return false;
    }
    return k == n->num_loops;
}

static bool is_kept(const Nest *n, const Value *value) {
    for (int i = 0; i < n->kept.count; i++)
        if (n->kept.data[i] == value) return true;
    return false;
}

Ev eval(Nest *n, Value *value, Place place) {
    Gen *g = n->g;
    TypeKind lane = type_lane(value->type)->kind;
    if (!type_is_tile(value->type)) return uniform(n, lane, 0, scalar_name(g, value));
    for (int d = 0; d < value->type->rank; d++)
        if (value->type->shape[d] == 1) place.loop[d] = -1;
    for (int d = value->type->rank; d < MAX_RANK; d++) place.loop[d] = -1;
    for (int i = 0; i < n->memos.count; i++) {
        Memo *memo = &n->memos.data[i];
        if (memo->value == value &&
            (memo->copy == -1 || memo->copy == n->copy || (memo->copy == -2 && n->fast)) &&
            !memcmp(&memo->place, &place, sizeof place)) {
            /* What rests on masks that hold holds only in the bodies without masks. */
            if (memo->copy != -1 && memo->ev.kind != EV_VECTOR) n->has_bounds = true;
            return memo->ev;
        }
    }
    bool bounds_before = n->has_bounds;
    n->has_bounds = false;
    Ev ev;
    if (!info(g, value)->view || is_kept(n, value))
        ev = eval_op(n, value->def, place);
    else if (!stored_remainder(n, value, place, &ev))
        ev = read_view(n, value, place);
    bool own_bounds = n->has_bounds;
    n->has_bounds = own_bounds || bounds_before;
    bool same = !own_bounds && (ev.kind == EV_UNIFORM || ev.kind == EV_LINEAR);
    vec_push(g->arena, &n->memos,
             (Memo){value, place,
                    same                                                      ? -1
                    : ev.kind == EV_TRUE || (ev.kind == EV_LINEAR && n->fast) ? -2
                                                                              : n->copy,
                    ev});
    if (is_kept(n, value) && is_identity(n, value->type, place)) {
        n->memos.data[n->memos.count - 1].copy = n->copy;
        write_view(n, info(g, value)->view, value->type, place, ev);
    }
    return ev;
}

/* ---- what is evaluated in a nest ---- */

static void need_stored(Nest *n, Value *value) {
    (void)n;
    force(n->g, value);
}

/* Walks what a root needs; forces what cannot or should not be computed here. With `collect` all of
 * that is stored already, and the ops that will be evaluated are listed. */
static void prepare(Nest *n, Value *value, Place place, bool collect) {
    Gen *g = n->g;
    if (!type_is_tile(value->type) || info(g, value)->view) return;
    for (int d = 0; d < value->type->rank; d++)
        if (value->type->shape[d] == 1) place.loop[d] = -1;
    Op *op = value->def;
    if (!op) BUG("a tile argument has no storage");
    bool cheap = is_cheap(g, value), identity = is_identity(n, value->type, place);
    bool shape_only = op->kind == OP_BROADCAST || op->kind == OP_EXPAND_DIMS ||
                      op->kind == OP_TRANS || op->kind == OP_SPLAT ||
                      (op->kind == OP_RESHAPE && is_cheap_kind(op));
    if (!cheap && !identity && !shape_only) {
        need_stored(n, value);
        return;
    }
    if (identity) {
        if (info(g, value)->walk == n->stamp) return;
        info(g, value)->walk = n->stamp;
        if (!cheap && collect) vec_push(g->arena, &n->ops, op);
    }
    Place from = place;
    switch (op->kind) {
    case OP_BROADCAST:
        for (int d = 0; d < value->type->rank; d++)
            if (op->operands[0]->type->shape[d] == 1) from.loop[d] = -1;
        break;
    case OP_EXPAND_DIMS:
        for (int d = (int)expand_dims_axis(op); d + 1 < value->type->rank; d++)
            from.loop[d] = place.loop[d + 1];
        break;
    case OP_TRANS:
        for (int d = 0; d < value->type->rank; d++)
            from.loop[trans_order(op).data[d]] = place.loop[d];
        break;
    case OP_RESHAPE:
        if (!is_cheap_kind(op)) BUG("a reshape was not made a view");
        from = place_of_reshape(n, op->operands[0]->type, value->type, place);
        break;
#define PERMUTE(kind, ...) case OP_##kind:
#include "ir/ops.def"
        need_stored(n, op->operands[0]);
        return;
    case OP_GATHER:
        need_stored(n, gather_source(op));
        prepare(n, gather_indices(op), place, collect);
        return;
    case OP_SPLAT:
    case OP_JOIN:
    case OP_SPLIT:
    case OP_CONVERT:
    case OP_REDUCE:
    case OP_SCAN:
    case OP_HISTOGRAM:
    case OP_DOT:
#define OP(kind, ...) case OP_##kind:
#define SHAPE(...)
#define ACROSS(...)
#include "ir/ops.def"
    case NUM_OP_KINDS: break;
    }
    for (int i = 0; i < op->num_operands; i++) prepare(n, op->operands[i], from, collect);
}

static void root_operands(Nest *n, const Root *root, bool collect) {
    if (!root->op) {
        Value *value = root->value;
        prepare(n, value, identity_place(n, value->type), collect);
        return;
    }
    for (int i = 0; i < root->op->num_operands; i++)
        if (!root->only_rows || root->op->operands[i] != store_value(root->op))
            prepare(n, root->op->operands[i], identity_place(n, root->op->operands[i]->type),
                    collect);
}

static bool user_is_here(Nest *n, const Value *value, const Op *user) {
    if (is_done(n->g, user)) return true;
    for (int i = 0; i < n->num_roots; i++) {
        if (n->roots[i].op == user) return true;
        /* A carried value is stored for the loop, which reads it there. */
        bool carried = user->kind == OP_YIELD || user->kind == OP_FOR || user->kind == OP_WHILE;
        if (!n->roots[i].op && n->roots[i].value == value && carried) return true;
    }
    for (int i = 0; i < n->ops.count; i++)
        if (n->ops.data[i] == user) return true;
    return false;
}

static void note_kept(Nest *n, Value *value) {
    for (int i = 0; i < n->kept.count; i++)
        if (n->kept.data[i] == value) return;
    vec_push(n->g->arena, &n->kept, value);
}

/* One or two instructions a vector: less than a store and a load of the result. */
static bool is_light(const Op *op) {
    OpKind kind = op->kind;
    if (kind == OP_FADD || kind == OP_FSUB || kind == OP_FMUL || kind == OP_FNEG ||
        kind == OP_FABS || kind == OP_SELECT)
        return type_bits(op->results[0].type) >= 32;
    if (kind == OP_FEXT) return type_bits(op->operands[0]->type) == 16;
    return is_cheap_kind(op);
}

/* If all that later nests need of the value is that it is rounded to a narrower type: that op. */
static Op *only_narrowed(Nest *n, const Value *value) {
    Op *narrow = NULL;
    const ValueInfo *in = info(n->g, value);
    for (int i = 0; i < in->users.count; i++) {
        Op *user = in->users.data[i];
        if (user == narrow || user_is_here(n, value, user)) continue;
        if (narrow || user->kind != OP_FTRUNC || user->parent != value->def->parent) return NULL;
        narrow = user;
    }
    return narrow;
}

/* Later nests need the value: it is kept, or, if it is light, what it is made of. */
static void need_later(Nest *n, Value *value, int depth) {
    Gen *g = n->g;
    if (!type_is_tile(value->type) || info(g, value)->view || is_cheap(g, value)) return;
    Op *op = value->def;
    bool recompute =
        depth > 0 && is_light(op) && is_identity(n, value->type, identity_place(n, value->type));
    int tiles = 0;
    for (int i = 0; i < op->num_operands && recompute; i++) {
        Value *x = op->operands[i];
        if (!type_is_tile(x->type) || (is_cheap(g, x) && !info(g, x)->view)) continue;
        /* All of one shape, so that it is evaluated here; and one array, not two: the operand's,
         * which may be there already. */
        recompute = ++tiles == 1 && type_same_shape(x->type, value->type);
    }
    Op *narrow = recompute && tiles ? NULL : only_narrowed(n, value);
    if (narrow && is_identity(n, value->type, identity_place(n, value->type))) {
        vec_push(g->arena, &n->ops, narrow); /* computed here, and kept if need be */
        return;
    }
    if (!recompute || tiles == 0) {
        note_kept(n, value);
        return;
    }
    vec_push(g->arena, &n->again, op);
    for (int i = 0; i < op->num_operands; i++) need_later(n, op->operands[i], depth - 1);
}

static bool is_again(const Nest *n, const Op *op) {
    for (int i = 0; i < n->again.count; i++)
        if (n->again.data[i] == op) return true;
    return false;
}

static void choose_kept(Nest *n) {
    Gen *g = n->g;
    n->stamp = ++g->walk;
    for (int i = 0; i < n->num_roots; i++) root_operands(n, &n->roots[i], true);
    for (int i = 0; i < n->ops.count; i++) {
        Value *value = op_result(n->ops.data[i]);
        ValueInfo *in = info(g, value);
        bool all_here = true, carried = false;
        for (int k = 0; k < in->users.count; k++) {
            all_here = all_here && user_is_here(n, value, in->users.data[k]);
            carried = carried || in->users.data[k]->kind == OP_YIELD;
        }
        for (int k = 0; k < n->num_roots; k++)
            if (n->roots[k].is_home && n->roots[k].value == value) all_here = true;
        if (!all_here) need_later(n, value, carried ? 0 : 4);
    }
    for (int i = 0; i < n->kept.count; i++) {
        Value *value = n->kept.data[i];
        bool dedicated = false;
        for (int k = 0; k < info(g, value)->users.count; k++)
            dedicated = dedicated || info(g, value)->users.data[k]->kind == OP_YIELD;
        value_store_in(g, value,
                       view_row_major(g, array_new(g, value->type, dedicated), value->type));
    }
    for (int i = 0; i < n->ops.count; i++)
        if (!is_again(n, n->ops.data[i])) set_done(g, n->ops.data[i]);
}

/* ---- the nest ---- */

static void nest_shape(Nest *n, const Type *type) {
    for (int d = 0; d < type->rank; d++)
        if (type->shape[d] > 1)
            n->loop_dim[n->num_loops] = d, n->size[n->num_loops++] = type->shape[d];
    n->num_rows = n->num_loops > 0 ? n->num_loops - 1 : 0;
    n->N = n->num_loops > 0 ? n->size[n->num_rows] : 1;
}

static const Type *root_type(const Root *root) {
    return root->op ? root->op->operands[0]->type : root->value->type;
}

static void write_root(Nest *n, const Root *root) {
    Gen *g = n->g;
    if (!root->op) {
        Place place = identity_place(n, root->value->type);
        write_view(n, root->view, root->value->type, place, eval(n, root->value, place));
        return;
    }
    g->last_line = op_line(root->op);
    if (root->op->kind == OP_STORE)
        write_store(n, root);
    else
        write_across(n, root->op);
}

static void write_body(Nest *n, bool fast, int copy) {
    n->fast = fast, n->copy = fast ? copy : COPY_SLOW, n->at = &n->body[fast ? 0 : 1];
    if (fast) fetch_ahead(n);
    for (int i = 0; i < n->num_roots; i++) write_root(n, &n->roots[i]);
    /* A user that is the same in all bodies is computed in the first, and so is what it is made of:
     * what is kept of that is stored in each. */
    for (int i = 0; i < n->kept.count; i++) {
        Place place = identity_place(n, n->kept.data[i]->type);
        if (is_identity(n, n->kept.data[i]->type, place)) eval(n, n->kept.data[i], place);
    }
}

static void emit_slow(Nest *n, int d) {
    Gen *g = n->g;
    if (n->down)
        line(g, g->out, d, "for (L k = %d; k >= 0 && (l = k, 1); k -= W) {",
             (n->N - 1) / g->W * g->W);
    else
        line(g, g->out, d, "for (; l < %.*s; l += W) {",
             STR_ARG(n->has_last ? STR("last") : text(g, "%d", n->N)));
    buf_add(g->out, n->body[1].data, n->body[1].length);
    line(g, g->out, d, "}");
}

/* The loop over vectors; of one vector, there is none. */
static void emit_row(Nest *n, bool with_fast, bool with_slow, int unroll) {
    Gen *g = n->g;
    int d = depth_at(n, n->num_rows);
    bool one = with_fast && n->N == g->W && unroll == 1 && !n->down;
    line(g, g->out, d, "%sL l = 0;", one ? "const " : "");
    if (one)
        line(g, g->out, d, "if (full == %d) {", n->N);
    else if (with_fast) {
        if (n->held) line(g, g->out, d, "#pragma GCC unroll %d", n->N / g->W);
        line(g, g->out, d, "for (; l + %d <= full; l += %d) {", g->W * unroll, g->W * unroll);
    }
    if (with_fast) {
        buf_add(g->out, n->body[0].data, n->body[0].length);
        line(g, g->out, d, "}");
    }
    if (one && with_slow) {
        line(g, g->out, d, "else%s {", n->has_last ? " if (last > 0)" : "");
        buf_add(g->out, n->body[1].data, n->body[1].length);
        line(g, g->out, d, "}");
    } else if (with_slow)
        emit_slow(n, d);
}

/* A row that the body without masks would copy as a whole is left where it is. */
static void begin_in_place(Nest *n) {
    Gen *g = n->g;
    int d = depth_at(n, n->num_rows);
    const Root *root = &n->roots[0];
    line(g, g->out, d, "a%d[i0] = full == %d ? (L)%.*s : (L)(a%d + i0 * %d);", root->rows->id, n->N,
         STR_ARG(n->in_place), root->view->array->id, n->N);
    if (!root->only_rows) line(g, g->out, d, "if (full < %d) {", n->N);
}

static void emit(Nest *n, bool with_fast, bool with_slow, int unroll) {
    Gen *g = n->g;
    Buf *out = g->out;
    int start = (int)out->length;
    line(g, out, g->depth, "{");
    for (int k = 0; k < n->num_rows; k++) {
        buf_add(out, n->pre[k].data, n->pre[k].length);
        if (n->held) line(g, out, depth_at(n, k), "#pragma GCC unroll %d", n->size[k]);
        line(g, out, depth_at(n, k), "for (int i%d = 0; i%d < %d; i%d++) {", k, k, n->size[k], k);
    }
    int d = depth_at(n, n->num_rows);
    if (with_fast) line(g, out, d, "L full = %d;", n->N / g->W * g->W);
    if (n->has_last) line(g, out, d, "L last = %d;", n->N);
    buf_add(out, n->pre[n->num_rows].data, n->pre[n->num_rows].length);
    bool one = with_fast && with_slow && unroll == 1 && one_body_is_enough(n);
    const Root *root = &n->roots[0];
    if (n->in_place.length) begin_in_place(n);
    if (root->early) line(g, out, d, "if (%.*s) {", STR_ARG(early_remains(g, root->early)));
    if (!root->only_rows) emit_row(n, with_fast && !one, with_slow, unroll);
    if ((n->in_place.length && !root->only_rows) || root->early) line(g, out, d, "}");
    buf_add(out, n->post[n->num_rows].data, n->post[n->num_rows].length);
    for (int k = n->num_rows - 1; k >= 0; k--) {
        line(g, out, depth_at(n, k), "}");
        buf_add(out, n->post[k].data, n->post[k].length);
    }
    line(g, out, g->depth, "}");
    vec_push(g->arena, &g->blocks, (Block){BLOCK_NEST, start, (int)out->length});
}

/* Of threads, which come in blocks of few lanes: what is left behind a mask should cost nothing. */
static const Value *mask_of_all(const Nest *n) {
    const Value *mask = NULL;
    for (int i = 0; i < n->num_roots; i++) {
        const Op *op = n->roots[i].op;
        if (!op || op->kind != OP_STORE || !store_mask(op)) return NULL;
        if (mask && store_mask(op) != mask) return NULL;
        mask = store_mask(op);
    }
    return are_threads(n->g) && n->kept.count == 0 && mask->def ? mask : NULL;
}

/* An operand of a product as it lies in memory: a load and a store for each vector, of bytes
 * perhaps + 128 (widen.c). */
static bool is_copy(const Nest *n) {
    const Value *value = n->roots[0].value;
    const Op *op = value ? value->def : NULL;
    if (op && op->kind == OP_XOR) op = op->operands[0]->def;
    return n->num_roots == 1 && n->num_rows > 0 && op && op->kind == OP_LOAD &&
           n->kept.count == 0 && n->N % (4 * n->g->W) == 0;
}

bool nest_write(Gen *g, const Root *roots, int num_roots) {
    Nest *n = arena_new_of(g->arena, Nest);
    n->g = g, n->roots = roots, n->num_roots = num_roots, n->axis_down = -1;
    for (int k = 0; k <= MAX_RANK; k++) n->pre[k].arena = n->post[k].arena = g->arena;
    n->body[0].arena = n->body[1].arena = g->arena;
    nest_shape(n, root_type(&roots[0]));
    for (int i = 0; i < num_roots; i++) n->stamp = ++g->walk, root_operands(n, &roots[i], false);
    choose_kept(n);
    n->all_masked = mask_of_all(n);
    across_begin(n);
    bool fast = n->N >= g->W && !across_needs_slow(n);
    n->fetches_ahead = n->num_rows == 0 && g->depth == 1 && g->ahead_lanes == n->N;
    int unroll = n->unroll = !fast ? 1 : is_copy(n) ? 4 : has_pairs(n) ? 2 : across_unroll(n);
    for (int u = 0; u < unroll && fast; u++) write_body(n, true, u);
    bool slow = (!fast || n->has_bounds || n->N % (g->W * unroll) != 0) && !roots[0].only_rows;
    if (slow) write_body(n, false, 0);
    across_end(n);
    if (n->loads_ahead)
        g->ahead_lanes = n->N, g->ahead_size = n->ahead_size;
    else if (n->fetches_ahead)
        g->ahead_lanes = 0;
    emit(n, fast, slow, unroll);
    for (int i = 0; i < num_roots; i++)
        if (roots[i].op && !roots[i].only_rows) set_done(g, roots[i].op);
    return n->in_place.length > 0;
}
