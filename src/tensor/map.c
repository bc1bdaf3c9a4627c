// SPDX-License-Identifier: Apache-2.0
/* map: pointwise graphs. Loops that all operands step through evenly are one; a tile covers the
 * last one or two, the program's number says where in the others it is.
 *
 *     a + b, dense                              a + b, b a column
 *     at = tl.program_id(0)                     at = tl.program_id(0)
 *     i0 = at * COLS + tl.arange(0, COLS)       i1 = at % across * COLS + arange(0, COLS)[None, :]
 *     in_cols = i0 < n0                         in_cols = i1 < n1
 *     a = tl.load(a_ptr + i0, mask=in_cols)     ..
 *     b = tl.load(b_ptr + i0, mask=in_cols)     b = tl.load(b_ptr + i0 * b_s0, mask=in_rows)
 *     y = a + b                                 y = a + b
 *     tl.store(y_ptr + i0, y, mask=in_cols)     tl.store(.., y, mask=in_rows & in_cols) */
#include "tensor/trace.h"

enum { TILE_LONG, TILE_WIDE, TILE_SQUARE, TILE_TINY };
enum {
    TINY = 64
}; /* so few elements get no tile of 1,024, in most lanes of which nothing is done */

/* 1,024 lanes: long rows; rows of up to 256; and where rows are short, or operands run along
 * different dimensions. */
Tile map_tile(const Form *form) {
    if (form->rank == 1) return (Tile){0, form->tile == TILE_TINY ? TINY : 1024, 0};
    switch (form->tile) {
    case TILE_LONG: return (Tile){1, 1024, 0};
    case TILE_WIDE: return (Tile){4, 256, 0};
    case TILE_SQUARE: return (Tile){32, 32, 0};
    }
    BUG("a map of no known tile");
}

static void map_tile_dims(int rank, int dims[TILE_DIMS]) {
    dims[0] = rank - 1;
    dims[1] = rank > 1 ? rank - 2 : -1;
    dims[2] = -1;
}

/* ---- the text ---- */

void map_write_indices(Buf *text, int rank, bool is_wide) {
    int last = rank - 1;
    buf_printf(text, "    at = tl.program_id(0)%s\n", is_wide ? ".to(tl.int64)" : "");
    if (!last) {
        buf_puts(text, "    i0 = at * COLS + tl.arange(0, COLS)\n    in_cols = i0 < n0\n");
        return;
    }
    buf_printf(text, "    across = tl.cdiv(n%d, COLS)\n", last);
    buf_printf(text, "    i%d = at %% across * COLS + tl.arange(0, COLS)[None, :]\n", last);
    buf_printf(text, "    in_cols = i%d < n%d\n    at = at // across\n", last, last);
    if (last > 1) buf_printf(text, "    down = tl.cdiv(n%d, ROWS)\n", last - 1);
    buf_printf(text, "    i%d = at %s* ROWS + tl.arange(0, ROWS)[:, None]\n", last - 1,
               last > 1 ? "% down " : "");
    buf_printf(text, "    in_rows = i%d < n%d\n", last - 1, last - 1);
    if (last > 1) buf_puts(text, "    at = at // down\n");
    for (int d = last - 2; d > 0; d--)
        buf_printf(text, "    i%d = at %% n%d\n    at = at // n%d\n", d, d, d);
    if (last > 1) buf_puts(text, "    i0 = at\n");
}

/* Of an address in which an operand's index is, and another's. */
static const char *mask_of(const Form *form, int operand, int other) {
    bool cols = operand_uses(form, operand, 0) || operand_uses(form, other, 0);
    bool rows = form->rank > 1 && (operand_uses(form, operand, 1) || operand_uses(form, other, 1));
    return cols && rows ? ", mask=in_rows & in_cols"
           : cols       ? ", mask=in_cols"
           : rows       ? ", mask=in_rows"
                        : "";
}

/* Lanes that go to one place add up there, one by one. */
static void emit_add(Emitter *emitter) {
    bool is_flat = emitter->form->rank == 1;
    const char *shape = is_flat ? "[COLS]" : "[ROWS, COLS]";
    emit_line(emitter, "y = tl.broadcast_to(y, %s)", shape);
    emit_line(emitter, "to = tl.zeros(%s, tl.int64) + b.to(tl.int64) * step", shape);
    buf_printf(&emitter->text, "%stl.atomic_add(", emitter->indent);
    emit_address(emitter, emitter->form->num_operands - 1);
    buf_printf(&emitter->text, " + to, y, mask=%s, sem=\"relaxed\")\n",
               is_flat ? "in_cols" : "in_rows & in_cols");
}

void emit_map(Emitter *emitter) {
    const Form *form = emitter->form;
    const OpRow *row = op_row(form->op);
    tern_dtype compute = (tern_dtype)form->compute, inputs[MAX_INPUTS];
    int num_inputs = form->num_operands - 1, result = num_inputs;
    const char *formula = row_formula(row, compute);
    bool takes = row->kind == ROW_TAKE, puts = row->kind == ROW_PUT;
    bool gives_bool =
        row->rule == RULE_CLOSE || row->rule == RULE_COMPARE || row->rule == RULE_TRUTH;
    Node node = {.formula = formula,
                 .num_operands = takes || puts ? 1 : num_inputs,
                 .compute = gives_bool ? TERN_BOOL : compute,
                 .dtype = (tern_dtype)form->operands[result].dtype};
    for (int i = 0; i < num_inputs; i++) {
        inputs[i] = (tern_dtype)form->operands[i].dtype;
        node.operands[i] = i;
        node.types[i] = row->rule == RULE_WHERE && i == 0 ? TERN_BOOL : compute;
    }
    Graph graph = {num_inputs, inputs, &node, 1};
    map_tile_dims(form->rank, emitter->tile_dims);
    emit_head(emitter, row->name, formula_names(formula, "p"), formula_names(formula, "q"),
              form->rank > 1 ? "ROWS: tl.constexpr, COLS: tl.constexpr" : "COLS: tl.constexpr");
    map_write_indices(&emitter->text, form->rank, form->flags & FORM_WIDE);
    for (int k = 0; k < num_inputs; k++) {
        int i = takes ? num_inputs - 1 - k : k; /* the index first, of which the place is made */
        if (form->operands[i].flags & OPERAND_IS_NUMBER) continue;
        buf_printf(&emitter->text, "%s%s = tl.load(", emitter->indent, operand_name(form, i));
        emit_address(emitter, i);
        if (takes && i == 0) buf_puts(&emitter->text, " + b.to(tl.int64) * step");
        buf_printf(&emitter->text, "%s)\n", mask_of(form, i, takes && i == 0 ? 1 : i));
    }
    emit_graph(emitter, &graph, "y");
    if (puts) {
        emit_add(emitter);
        return;
    }
    buf_printf(&emitter->text, "%stl.store(", emitter->indent);
    emit_address(emitter, result);
    buf_printf(&emitter->text, ", y%s)\n", mask_of(form, result, result));
}

/* ---- the call ---- */

int map_choose_tile(const Space *space) {
    int last = space->rank - 1;
    if (!last) return space->sizes[0] <= TINY ? TILE_TINY : TILE_LONG;
    for (int i = 0; i < space->num_operands; i++)
        if (space->strides[i][last] > 1 && space->strides[i][last - 1] == 1) return TILE_SQUARE;
    return space->sizes[last] <= 32    ? TILE_SQUARE
           : space->sizes[last] <= 256 ? TILE_WIDE
                                       : TILE_LONG;
}

static int64_t cut(int64_t size, int64_t by) { return size / by + (size % by != 0); }

int64_t map_count_programs(const Space *space, Tile tile) {
    int last = space->rank - 1;
    int64_t count = cut(space->sizes[last], tile.cols);
    if (last) count *= cut(space->sizes[last - 1], tile.rows) * space_count(space, 0, last - 1);
    return count;
}

static tern_status run(tern_session *session, int op, const tern_operand *operands, int count,
                       tern_dtype compute, const Call *with, tern_tensor *out) {
    Call call;
    FormKey key = {.words = {0, 0, 0}};
    int tile_dims[TILE_DIMS];
    if (!out->numel) return TERN_OK;
    if (session->trace) {
        RowKind kind = op_row(op)->kind;
        Run noted = {.kind = kind == ROW_TAKE  ? RUN_TAKE
                             : kind == ROW_PUT ? RUN_PUT
                                               : RUN_MAP,
                     .op = op,
                     .compute = compute,
                     .num_operands = count,
                     .p = with->p,
                     .q = with->q,
                     .step = with->step};
        memcpy(noted.operands, operands, (size_t)count * sizeof *operands);
        return trace_run(session->trace, &noted, out);
    }
    call.p = with->p;
    call.q = with->q;
    call.step = with->step;
    call.space.rank = out->rank;
    call.space.num_operands = count + 1;
    memcpy(call.space.sizes, out->shape, sizeof out->shape);
    for (int i = 0; i <= count; i++) {
        call.operands[i] = i < count ? operands[i] : tern_of(out);
        if (call.operands[i].kind == TERN_OPERAND_TENSOR)
            broadcast_strides(call.operands[i].tensor, out->rank, out->shape,
                              call.space.strides[i]);
        else
            memset(call.space.strides[i], 0, sizeof call.space.strides[i]);
    }
    if (!out->is_contiguous) space_sort(&call.space, 0, out->rank, count);
    space_merge(&call.space, 0);
    map_tile_dims(call.space.rank, tile_dims);
    key.form.op = (uint16_t)op;
    key.form.kind = FORM_MAP;
    key.form.compute = (uint8_t)compute;
    key.form.tile = (uint8_t)map_choose_tile(&call.space);
    form_describe(&key, session, &call, tile_dims);
    for (int i = 0; i < count; i++) {
        bool is_condition = op_row(op)->rule == RULE_WHERE && i == 0;
        if (operands[i].kind != TERN_OPERAND_TENSOR)
            key.form.operands[i].dtype = (uint8_t)(is_condition ? TERN_BOOL : compute);
    }
    return plan_run(session, &key, &call, map_count_programs(&call.space, map_tile(&key.form)));
}

/* Powers that other rows have, as PyTorch takes them: x ** 2 is x * x. */
static int simple_power(const tern_operand *exponent, tern_dtype compute) {
    if (exponent->kind == TERN_OPERAND_TENSOR || compute == TERN_BOOL) return TERN_OP_pow;
    double number =
        exponent->kind == TERN_OPERAND_NUMBER ? exponent->number : (double)exponent->integer;
    if (number == 2) return TERN_OP_square;
    if (!tern_dtype_is_float(compute)) return TERN_OP_pow;
    return number == 0.5    ? TERN_OP_sqrt
           : number == -0.5 ? TERN_OP_rsqrt
           : number == -1   ? TERN_OP_reciprocal
                            : TERN_OP_pow;
}

/* Remainders take a number as the tensor's type has it, as PyTorch's do; all else as it is. */
static void round_numbers(tern_operand *own, const tern_operand *operands) {
    unsigned char element[8];
    for (int i = 0; i < 2; i++) {
        const tern_operand *other = &operands[!i];
        own[i] = operands[i];
        if (own[i].kind != TERN_OPERAND_NUMBER || other->kind != TERN_OPERAND_TENSOR) continue;
        tern_dtype dtype = other->tensor->dtype;
        if (!tern_dtype_is_float(dtype)) continue;
        tern_element_set_double(dtype, element, own[i].number);
        own[i].number = tern_element_double(dtype, element);
    }
}

tern_status map_run(tern_session *session, int op, const tern_operand *operands, int count,
                    tern_dtype compute, double p, double q, tern_tensor *out) {
    Call with;
    tern_operand own[2];
    if (op == TERN_OP_remainder || op == TERN_OP_fmod) {
        round_numbers(own, operands);
        operands = own;
    }
    if (op == TERN_OP_pow) {
        op = simple_power(&operands[1], compute);
        if (op != TERN_OP_pow) count = 1;
    }
    with.p = p;
    with.q = q;
    with.step = 0;
    return run(session, op, operands, count, compute, &with, out);
}

tern_status take_run(tern_session *session, int op, const tern_tensor *x, const tern_tensor *index,
                     int64_t step, tern_tensor *out) {
    const tern_operand operands[] = {tern_of((tern_tensor *)x), tern_of((tern_tensor *)index)};
    Call with;
    with.p = with.q = 0;
    with.step = step;
    return run(session, op, operands, 2, x->dtype, &with, out);
}

tern_status put_run(tern_session *session, int op, const tern_tensor *source,
                    const tern_tensor *index, int64_t step, tern_tensor *out) {
    const tern_operand operands[] = {tern_of((tern_tensor *)source), tern_of((tern_tensor *)index)};
    Call with;
    with.p = with.q = 0;
    with.step = step;
    return run(session, op, operands, 2, out->dtype, &with, out);
}
