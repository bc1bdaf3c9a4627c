// SPDX-License-Identifier: Apache-2.0
/* rows: reductions, what normalises rows, and running sums. Loops 0 .. outer - 1 number the rows,
 * the others run along one; a program has ROWS of them, and passes over these in tiles of COLS
 * elements. A pass combines lane by lane first and across lanes at the end, always in the same
 * order.
 *
 *     row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]        softmax, of rows that fit
 *     in_rows = row < n0                                                 a tile
 *     col = tl.arange(0, COLS)[None, :]
 *     inside = in_rows & (col < n1)
 *     a = tl.load(a_ptr + row * a_s0 + col, mask=inside)
 *     s = tl.reduce(tl.where(inside, a, float('-inf')), 1, _max_nan, keep_dims=True)
 *     t = tl.sum(tl.where(inside, tl.exp(a - s), 0.0), axis=1, keep_dims=True)
 *     y = tl.exp(a - s) / t
 *     tl.store(y_ptr + row * y_s0 + col, y, mask=inside)
 *
 * Longer rows get a loop over tiles for each pass. Where the rows lie side by side in memory, the
 * tile is turned. */
#include "tensor/tape.h"
#include "tensor/trace.h"

enum { TILE_SHORT, TILE_MIDDLE, TILE_LONG, TILE_TINY };

Tile rows_tile(const Form *form) {
    switch (form->tile) {
    case TILE_SHORT: return (Tile){32, 32, 0};
    case TILE_MIDDLE: return (Tile){8, 128, 0};
    case TILE_LONG: return (Tile){1, 1024, 0};
    case TILE_TINY: return (Tile){4, 16, 0};
    }
    BUG("rows of no known tile");
}

/* ---- the text ---- */

typedef struct RowText {
    Emitter *emitter;
    const Form *form;
    const OpRow *row;
    tern_dtype compute;
    int num_inputs, axis;
    const char *shape; /* of a tile */
} RowText;

/* index of loops [first, end) from their number `from`. */
static void emit_split(RowText *text, const char *from, int first, int end) {
    if (end - first > 1) emit_line(text->emitter, "rest = %s", from);
    for (int d = end - 1; d > first; d--) {
        emit_line(text->emitter, "i%d = rest %% n%d", d, d);
        emit_line(text->emitter, "rest = rest // n%d", d);
    }
    emit_line(text->emitter, "i%d = %s", first, end - first > 1 ? "rest" : from);
}

static void emit_product_of_sizes(RowText *text, const char *name, int first, int end) {
    Buf *out = &text->emitter->text;
    buf_printf(out, "%s%s = ", text->emitter->indent, name);
    for (int d = first; d < end; d++) buf_printf(out, "%sn%d", d > first ? " * " : "", d);
    buf_putc(out, '\n');
}

static void emit_row_index(RowText *text) {
    const Form *form = text->form;
    bool turned = form->flags & FORM_TURNED;
    emit_product_of_sizes(text, "rows", 0, form->outer);
    emit_product_of_sizes(text, "length", form->outer, form->rank);
    emit_line(text->emitter, "row = tl.program_id(0)%s * ROWS + tl.arange(0, ROWS)[%s]",
              form->flags & FORM_WIDE ? ".to(tl.int64)" : "", turned ? "None, :" : ":, None");
    emit_line(text->emitter, "in_rows = row < rows");
    emit_split(text, "row", 0, form->outer);
}

static const char *mask_of(const RowText *text, int operand) {
    const Form *form = text->form;
    bool reduced = form->flags & FORM_REDUCES && operand == text->num_inputs;
    bool cols = !reduced && (form->rank - form->outer > 1 || operand_uses(form, operand, 0));
    bool rows = form->outer > 1 || operand_uses(form, operand, 1);
    return cols && rows ? ", mask=inside" : cols ? ", mask=in_cols" : rows ? ", mask=in_rows" : "";
}

/* The elements at `start`: indices, masks and the operands in the type of computing. */
static void emit_elements(RowText *text, bool with_others) {
    Emitter *emitter = text->emitter;
    const Form *form = text->form;
    bool turned = form->flags & FORM_TURNED;
    emit_line(emitter, "col = %stl.arange(0, COLS)[%s]",
              form->flags & FORM_SINGLE ? "" : "start + ", turned ? ":, None" : "None, :");
    emit_line(emitter, "in_cols = col < length");
    emit_line(emitter, "inside = in_rows & in_cols");
    emit_split(text, "col", form->outer, form->rank);
    for (int i = 0; i < (with_others ? text->num_inputs : 1); i++) {
        const char *name = operand_name(form, i);
        tern_dtype dtype = (tern_dtype)form->operands[i].dtype;
        if (form->operands[i].flags & OPERAND_IS_NUMBER) continue;
        buf_printf(&emitter->text, "%s%s = tl.load(", emitter->indent, name);
        emit_address(emitter, i);
        buf_printf(&emitter->text, "%s)\n", mask_of(text, i));
        if (dtype == text->compute) continue;
        buf_printf(&emitter->text, "%s%s = ", emitter->indent, name);
        emit_cast(&emitter->text, name, dtype, text->compute);
        buf_putc(&emitter->text, '\n');
    }
}

/* A bool's largest is whether any is true. */
static Combine combine_of(const RowText *text, int pass) {
    Combine combine = text->row->combines[pass];
    if (text->compute != TERN_BOOL) return combine;
    return combine == COMBINE_MAX ? COMBINE_ANY : combine == COMBINE_MIN ? COMBINE_ALL : combine;
}

static const char *smallest(tern_dtype dtype) {
    switch (tern_dtype_size(dtype) * (tern_dtype_is_signed(dtype) ? 1 : 0)) {
    case 0: return "0";
    case 1: return "-128";
    case 2: return "-32768";
    case 4: return "-2147483648";
    }
    return "-9223372036854775808";
}

static const char *largest(tern_dtype dtype) {
    bool is_signed = tern_dtype_is_signed(dtype);
    switch (tern_dtype_size(dtype)) {
    case 1: return is_signed ? "127" : "255";
    case 2: return "32767";
    case 4: return "2147483647";
    }
    return "9223372036854775807";
}

const char *combine_neutral(Combine combine, tern_dtype dtype) {
    bool floats = tern_dtype_is_float(dtype);
    switch (combine) {
    case COMBINE_NONE: break;
    case COMBINE_SUM: return floats ? "0.0" : "0";
    case COMBINE_PROD: return floats ? "1.0" : "1";
    case COMBINE_MAX: return floats ? "float('-inf')" : smallest(dtype);
    case COMBINE_MIN: return floats ? "float('inf')" : largest(dtype);
    case COMBINE_ANY: return "False";
    case COMBINE_ALL: return "True";
    }
    BUG("a pass that combines nothing");
}

const char *combine_function(Combine combine) {
    switch (combine) {
    case COMBINE_NONE: break;
    case COMBINE_SUM: return "_sum";
    case COMBINE_PROD: return "_product";
    case COMBINE_MAX: return "_max_nan";
    case COMBINE_MIN: return "_min_nan";
    case COMBINE_ANY: return "_either";
    case COMBINE_ALL: return "_both";
    }
    BUG("a pass that combines nothing");
}

static void begin_loop(RowText *text) {
    if (text->form->flags & FORM_SINGLE) return;
    emit_line(text->emitter, "for start in range(0, length, COLS):");
    text->emitter->indent = "        ";
}

static void end_loop(RowText *text) { text->emitter->indent = "    "; }

static void emit_pass(RowText *text, int pass) {
    Emitter *emitter = text->emitter;
    Combine combine = combine_of(text, pass);
    const char *name = pass ? "t" : "s", *none = combine_neutral(combine, text->compute);
    const char *formula = text->row->passes[pass];
    bool is_truth = combine == COMBINE_ANY || combine == COMBINE_ALL;
    if (text->form->flags & FORM_SINGLE) {
        emit_line(emitter, "%s = tl.where(inside, %s, %s)", name, formula, none);
    } else {
        emit_line(emitter, "%s = tl.full(%s, %s, %s)", name, text->shape, none,
                  is_truth ? "tl.int1" : triton_type(text->compute));
        begin_loop(text);
        emit_elements(text, false);
        emit_line(emitter, "%s = %s(%s, tl.where(inside, %s, %s))", name, combine_function(combine),
                  name, formula, none);
        end_loop(text);
    }
    emit_line(emitter, "%s = tl.reduce(%s, %d, %s, keep_dims=True)", name, name, text->axis,
              combine_function(combine));
}

/* Of each lane the best so far and where it is, then of all lanes. */
static void emit_arg(RowText *text) {
    Emitter *emitter = text->emitter;
    Combine combine = text->row->combines[0];
    const char *choose = combine == COMBINE_MAX ? "_arg_max" : "_arg_min";
    const char *none = combine_neutral(combine, text->compute);
    const char *index = text->form->flags & FORM_WIDE ? "tl.int64" : "tl.int32";
    emit_line(emitter, "s = tl.full(%s, %s, %s)", text->shape, none, triton_type(text->compute));
    emit_line(emitter, "at = tl.full(%s, 0, %s) + length", text->shape, index);
    begin_loop(text);
    emit_elements(text, false);
    emit_line(emitter, "s, at = %s(s, at, tl.where(inside, a, %s), tl.where(inside, col, length))",
              choose, none);
    end_loop(text);
    emit_line(emitter, "s, at = tl.reduce((s, at), %d, %s, keep_dims=True)", text->axis, choose);
}

static void emit_store(RowText *text, const char *formula, tern_dtype from) {
    Emitter *emitter = text->emitter;
    tern_dtype result = (tern_dtype)text->form->operands[text->num_inputs].dtype;
    emit_line(emitter, "y = %s", formula);
    if (from != result) {
        buf_printf(&emitter->text, "%sy = ", emitter->indent);
        emit_cast(&emitter->text, "y", from, result);
        buf_putc(&emitter->text, '\n');
    }
    buf_printf(&emitter->text, "%stl.store(", emitter->indent);
    emit_address(emitter, text->num_inputs);
    buf_printf(&emitter->text, ", y%s)\n", mask_of(text, text->num_inputs));
}

/* What came before a tile is carried into it. */
static void emit_scan(RowText *text) {
    Combine combine = text->row->combines[0];
    bool sums = combine == COMBINE_SUM;
    const char *none = combine_neutral(combine, text->compute);
    emit_line(text->emitter, "before = tl.full(%s, %s, %s)",
              text->form->flags & FORM_TURNED ? "[1, ROWS]" : "[ROWS, 1]", none,
              triton_type(text->compute));
    begin_loop(text);
    emit_elements(text, false);
    emit_line(text->emitter, "s = tl.where(inside, a, %s)", none);
    const char *formula =
        sums ? text->axis ? "tl.cumsum(s, axis=1) + before" : "tl.cumsum(s, axis=0) + before"
        : text->axis ? "tl.cumprod(s, axis=1) * before"
                     : "tl.cumprod(s, axis=0) * before";
    emit_store(text, formula, text->compute);
    if (!(text->form->flags & FORM_SINGLE))
        emit_line(text->emitter, "before = %s(before, tl.reduce(s, %d, %s, keep_dims=True))",
                  combine_function(combine), text->axis, combine_function(combine));
    end_loop(text);
}

static void emit_result(RowText *text) {
    const OpRow *row = text->row;
    bool each = row->kind == ROW_ALONG || row->kind == ROW_NORM;
    tern_dtype from = row->kind == ROW_ARG ? text->form->flags & FORM_WIDE ? TERN_INT64 : TERN_INT32
                      : row->rule == RULE_TRUTH ? TERN_BOOL
                                                : text->compute;
    if (formula_names(row->formulas[0], "n") ||
        (row->passes[1] && formula_names(row->passes[1], "n")))
        emit_line(text->emitter, "n = length.to(%s)", triton_type(text->compute));
    if (row->kind == ROW_ARG)
        emit_arg(text);
    else
        for (int pass = 0; pass < 2 && row->combines[pass] != COMBINE_NONE; pass++)
            emit_pass(text, pass);
    if (each) begin_loop(text);
    if (each && !(text->form->flags & FORM_SINGLE)) emit_elements(text, true);
    emit_store(text, row->kind == ROW_ARG ? "at" : row->formulas[0], from);
    end_loop(text);
}

void emit_rows(Emitter *emitter) {
    const Form *form = emitter->form;
    const OpRow *row = op_row(form->op);
    bool turned = form->flags & FORM_TURNED, scans = row->kind == ROW_SCAN;
    RowText text = {.emitter = emitter,
                    .form = form,
                    .row = row,
                    .compute = (tern_dtype)form->compute,
                    .num_inputs = form->num_operands - 1,
                    .axis = turned ? 0 : 1,
                    .shape = turned ? "[COLS, ROWS]" : "[ROWS, COLS]"};
    emitter->tile_dims[0] = form->rank - 1;
    emitter->tile_dims[1] = form->outer - 1;
    emitter->tile_dims[2] = -1;
    emit_head(emitter, row->name, formula_names(row->formulas[0], "p"), false,
              "ROWS: tl.constexpr, COLS: tl.constexpr");
    emit_row_index(&text);
    if (scans)
        emit_scan(&text);
    else {
        if (form->flags & FORM_SINGLE && row->kind != ROW_ARG) emit_elements(&text, true);
        emit_result(&text);
    }
}

/* ---- calls ---- */

/* A loop over the dimension d of x, which is the result's `kept`th. */
static void add_loop(const RowCall *row_call, int d, int kept, const tern_tensor *out,
                     int num_inputs, const tern_tensor *const *inputs, Space *space) {
    const tern_tensor *x = row_call->x;
    bool along = row_call->in_row[d];
    int at = space->rank++, to = row_call->keeps ? d : kept;
    space->sizes[at] = x->shape[d];
    for (int i = 0; i < num_inputs; i++) {
        int from = d - (x->rank - inputs[i]->rank);
        space->strides[i][at] = from < 0 ? 0 : inputs[i]->strides[from];
    }
    space->strides[num_inputs][at] = row_call->keeps || !along ? out->strides[to] : 0;
}

/* Loops over the rows first, then over those along them, in x's order. */
static int make_space(const RowCall *row_call, const tern_tensor *out, int num_inputs,
                      const tern_tensor *const *inputs, Space *space) {
    const tern_tensor *x = row_call->x;
    space->rank = 0;
    space->num_operands = num_inputs + 1;
    int outer = 0, last = 0;
    for (int along = 0; along < 2; along++) {
        int kept = 0;
        for (int d = 0; d < x->rank; d++) {
            if (row_call->in_row[d] == (bool)along)
                add_loop(row_call, d, kept, out, num_inputs, inputs, space);
            kept += !row_call->in_row[d];
        }
        /* An index, and a running sum, is of the row as it stands. */
        const OpRow *row = op_row(row_call->op);
        bool free_order = row->kind != ROW_ARG && row->kind != ROW_SCAN;
        if (!along || free_order) space_sort(space, last, space->rank, 0);
        space_merge(space, last);
        if (!along) outer = space->rank;
        last = space->rank;
    }
    return outer;
}

void rows_choose_shape(Form *form, const Space *space, int main) {
    int64_t length = space_count(space, form->outer, space->rank);
    int last = space->rank - 1, last_row = form->outer - 1;
    form->tile = length <= 32 ? TILE_SHORT : length <= 128 ? TILE_MIDDLE : TILE_LONG;
    if (space->strides[main][last] != 1 && space->strides[main][last_row] == 1) {
        form->flags |= FORM_TURNED;
        form->tile = TILE_SHORT;
    }
    if (length <= 16 && space_count(space, 0, form->outer) <= 16) form->tile = TILE_TINY;
    if (length <= rows_tile(form).cols) form->flags |= FORM_SINGLE;
}

static tern_status note(const RowCall *row_call, const tern_tensor *out) {
    Run run = {.kind = RUN_ROWS,
               .op = row_call->op,
               .compute = row_call->compute,
               .num_operands = op_row(row_call->op)->kind == ROW_NORM ? 3 : 1,
               .operands = {tern_of((tern_tensor *)row_call->x),
                            tern_of((tern_tensor *)row_call->weight),
                            tern_of((tern_tensor *)row_call->bias)},
               .p = row_call->p,
               .keeps = row_call->keeps};
    memcpy(run.in_row, row_call->in_row, sizeof run.in_row);
    return trace_run(row_call->session->trace, &run, out);
}

tern_status rows_run(const RowCall *row_call, tern_tensor *out) {
    const OpRow *row = op_row(row_call->op);
    const tern_tensor *inputs[MAX_INPUTS] = {row_call->x, row_call->weight, row_call->bias};
    int num_inputs = row->kind == ROW_NORM ? 3 : 1;
    Call call;
    FormKey key = {.words = {0, 0, 0}};
    if (!out->numel) return TERN_OK;
    tern_status status;
    if (rows_split(row_call, out, &status)) return status;
    if (row_call->session->trace) return note(row_call, out);
    call.p = row_call->p;
    tern_tensor scalar = {.rank = 0};
    const tern_tensor *laid[MAX_INPUTS];
    for (int i = 0; i < num_inputs; i++) laid[i] = inputs[i] ? inputs[i] : &scalar;
    key.form.outer = (uint8_t)make_space(row_call, out, num_inputs, laid, &call.space);
    key.form.op = (uint16_t)row_call->op;
    key.form.kind = FORM_ROWS;
    key.form.compute = (uint8_t)row_call->compute;
    if (!row_call->keeps) key.form.flags |= FORM_REDUCES;
    rows_choose_shape(&key.form, &call.space, 0);
    for (int i = 0; i < num_inputs; i++)
        call.operands[i] = inputs[i] ? tern_of((tern_tensor *)inputs[i]) : tern_number(i == 1);
    call.operands[num_inputs] = tern_of(out);
    form_describe(&key, row_call->session, &call,
                  (int[TILE_DIMS]){call.space.rank - 1, key.form.outer - 1, -1});
    FormOperand *result = &key.form.operands[num_inputs];
    for (int shift = 0; shift < 4; shift += 2) /* a tile has its elements, also where it is one */
        if ((result->classes >> shift & 3) == STRIDE_0) result->classes &= (uint8_t) ~(3 << shift);
    for (int i = 1; i < num_inputs; i++)
        if (!inputs[i]) key.form.operands[i].dtype = (uint8_t)row_call->compute;
    int64_t rows = space_count(&call.space, 0, key.form.outer), tile = rows_tile(&key.form).rows;
    return plan_run(row_call->session, &key, &call, rows / tile + (rows % tile != 0));
}

static tern_tensor *run_into_new(const RowCall *row_call, tern_dtype result, int rank,
                                 const int64_t *shape) {
    const OpRow *row = op_row(row_call->op);
    const tern_operand operands[] = {tern_of((tern_tensor *)row_call->x),
                                     tern_of((tern_tensor *)row_call->weight),
                                     tern_of((tern_tensor *)row_call->bias)};
    op_begin(row_call->session, row->name, operands, row->kind == ROW_NORM ? 3 : 1);
    tern_tensor *out = tern_empty(row_call->session, result, rank, shape);
    bool failed = out && rows_run(row_call, out);
    if (failed) {
        tern_drop(out);
        out = NULL;
    }
    int count = row->kind == ROW_NORM ? 3 : 1;
    if (out && tape_wants(row_call->session, operands, count)) {
        Attributes attributes = {.p = row_call->p};
        memcpy(attributes.in_row, row_call->in_row, sizeof attributes.in_row);
        out = tape_row(out, row_call->op, operands, count, &attributes);
    }
    tern_range_pop(row_call->session->context);
    return out;
}

/* ---- types ---- */

static bool types(RowCall *row_call, tern_dtype *result) {
    const OpRow *row = op_row(row_call->op);
    tern_dtype dtype = row_call->x->dtype;
    tern_session *session = row_call->session;
    bool floats = tern_dtype_is_float(dtype);
    *result = dtype;
    if (row->rule == RULE_SUM && !floats) *result = TERN_INT64;
    if (row->rule == RULE_FLOAT && !floats) *result = TERN_FLOAT32;
    row_call->compute = compute_type(*result);
    if (row->rule == RULE_TRUTH && dtype != TERN_UINT8) *result = TERN_BOOL;
    if (row->kind == ROW_ARG) *result = TERN_INT64;
    if (row->rule == RULE_ONLY_FLOAT && !floats) {
        if (row_call->op == TERN_OP_mean)
            session_fail(session, TERN_ERROR_ARGUMENT,
                         "mean(): could not infer output dtype. Input dtype must be either a "
                         "floating point or complex dtype. Got: %s",
                         torch_type_name(dtype));
        else if (row->kind == ROW_REDUCE_1)
            session_fail(session, TERN_ERROR_ARGUMENT,
                         "std and var only support floating point and complex dtypes");
        else if (row_call->op == TERN_OP_norm)
            session_fail(session, TERN_ERROR_ARGUMENT,
                         "linalg.vector_norm: Expected a floating point or complex tensor as "
                         "input. Got %s",
                         torch_type_name(dtype));
        else
            session_fail(session, TERN_ERROR_UNSUPPORTED, "\"%s\" not implemented for '%s'",
                         row->name, torch_type_name(dtype));
        return false;
    }
    if (row->kind == ROW_ARG && dtype == TERN_BOOL) {
        session_fail(session, TERN_ERROR_ARGUMENT, "%s(): does not support bool input", row->name);
        return false;
    }
    if (!dtype_is_computed(dtype)) {
        session_fail(session, TERN_ERROR_UNSUPPORTED, "\"%s\" not implemented for '%s'", row->name,
                     torch_type_name(dtype));
        return false;
    }
    return true;
}

/* The largest of nothing is an error. */
static bool check_empty(const RowCall *row_call, bool over_all) {
    const OpRow *row = op_row(row_call->op);
    const tern_tensor *x = row_call->x;
    if (x->numel || (row->rule != RULE_SAME) || !x->rank) return true;
    if (over_all) {
        bool is_arg = row->kind == ROW_ARG;
        session_fail(row_call->session, TERN_ERROR_ARGUMENT,
                     "%s(): Expected reduction dim to be specified for input.numel() == 0.%s",
                     row->name,
                     is_arg ? "" : " Specify the reduction dim with the 'dim' argument.");
        return false;
    }
    for (int d = 0; d < x->rank; d++)
        if (row_call->in_row[d] && !x->shape[d]) {
            session_fail(row_call->session, TERN_ERROR_ARGUMENT,
                         "%s(): Expected reduction dim %d to have non-zero size.", row->name, d);
            return false;
        }
    return true;
}

static tern_tensor *reduce(int op, tern_tensor *x, const int *dims, int num_dims, bool keepdim,
                           double p) {
    if (!tensor_is_live(x)) return NULL;
    RowCall row_call = {.session = x->session, .op = op, .x = x, .p = p};
    tern_dtype result;
    for (int i = 0; i < num_dims; i++) {
        int dim;
        if (!dim_wrap(x->session, x->rank, dims[i], &dim)) return NULL;
        if (row_call.in_row[dim])
            return session_fail_null(x->session, TERN_ERROR_ARGUMENT,
                                     "dim %d appears multiple times in the list of dims", dim);
        row_call.in_row[dim] = true;
    }
    for (int d = 0; d < x->rank && num_dims <= 0; d++) row_call.in_row[d] = true;
    if (!types(&row_call, &result) || !check_empty(&row_call, num_dims <= 0)) return NULL;
    int64_t shape[TERN_MAX_RANK];
    int rank = 0;
    for (int d = 0; d < x->rank; d++)
        if (!row_call.in_row[d]) shape[rank++] = x->shape[d];
    tern_tensor *out = run_into_new(&row_call, result, rank, shape);
    if (!keepdim || !out) return out;
    for (int d = 0; d < x->rank; d++) shape[d] = row_call.in_row[d] ? 1 : x->shape[d];
    tern_tensor *kept = tern_view(out, x->rank, shape);
    tern_drop(out);
    return kept;
}

static tern_tensor *along(int op, tern_tensor *x, int dim) {
    if (!tensor_is_live(x) || !dim_wrap(x->session, x->rank, dim, &dim)) return NULL;
    RowCall row_call = {.session = x->session, .op = op, .x = x, .keeps = true};
    tern_dtype result;
    if (x->rank) row_call.in_row[dim] = true;
    if (!types(&row_call, &result)) return NULL;
    return run_into_new(&row_call, result, x->rank, x->shape);
}

static bool check_parameter(const tern_tensor *x, int num_dims, const tern_tensor *parameter,
                            const char *name) {
    const int64_t *normalized = x->shape + x->rank - num_dims;
    if (!parameter) return true;
    if (!tensor_is_live(parameter)) return false;
    bool same = parameter->rank == num_dims;
    for (int d = 0; d < num_dims && same; d++) same = parameter->shape[d] == normalized[d];
    if (same && parameter->session == x->session && tern_dtype_is_float(parameter->dtype) &&
        dtype_is_computed(parameter->dtype))
        return true;
    session_fail(x->session, TERN_ERROR_ARGUMENT,
                 "Expected %s to be of same shape as normalized_shape, but got %s of shape %s and "
                 "normalized_shape = %s",
                 name, name, sizes_text(parameter->shape, parameter->rank).text,
                 sizes_text(normalized, num_dims).text);
    return false;
}

static tern_tensor *normalize(int op, tern_tensor *x, int num_dims, tern_tensor *weight,
                              tern_tensor *bias, double eps) {
    if (!tensor_is_live(x)) return NULL;
    if (num_dims < 1 || num_dims > x->rank)
        return session_fail_null(x->session, TERN_ERROR_ARGUMENT,
                                 "%s: a normalized shape of %d dimensions, of input of size %s",
                                 op_row(op)->name, num_dims, sizes_text(x->shape, x->rank).text);
    RowCall row_call = {.session = x->session,
                        .op = op,
                        .x = x,
                        .weight = weight,
                        .bias = bias,
                        .keeps = true,
                        .p = eps};
    tern_dtype result;
    for (int d = x->rank - num_dims; d < x->rank; d++) row_call.in_row[d] = true;
    if (!check_parameter(x, num_dims, weight, "weight") ||
        !check_parameter(x, num_dims, bias, "bias") || !types(&row_call, &result))
        return NULL;
    return run_into_new(&row_call, result, x->rank, x->shape);
}

/* ---- the functions of the header ---- */

#define TERN_REDUCE(name, ...)                                                                     \
    tern_tensor *tern_##name(tern_tensor *x, const int *dims, int num_dims, bool keepdim) {        \
        return reduce(TERN_OP_##name, x, dims, num_dims, keepdim, 0);                              \
    }
#define TERN_REDUCE_1(name, ...)                                                                   \
    tern_tensor *tern_##name(tern_tensor *x, const int *dims, int num_dims, bool keepdim,          \
                             double p) {                                                           \
        return reduce(TERN_OP_##name, x, dims, num_dims, keepdim, p);                              \
    }
#define TERN_ARG(name, ...)                                                                        \
    tern_tensor *tern_##name(tern_tensor *x, int dim, bool keepdim) {                              \
        return reduce(TERN_OP_##name, x, &dim, 1, keepdim, 0);                                     \
    }
#define TERN_ALONG(name, ...)                                                                      \
    tern_tensor *tern_##name(tern_tensor *x, int dim) { return along(TERN_OP_##name, x, dim); }
#define TERN_SCAN(name, ...)                                                                       \
    tern_tensor *tern_##name(tern_tensor *x, int dim) { return along(TERN_OP_##name, x, dim); }
#define TERN_NORM(name, ...)                                                                       \
    tern_tensor *tern_##name(tern_tensor *x, int num_dims, tern_tensor *weight, tern_tensor *bias, \
                             double eps) {                                                         \
        return normalize(TERN_OP_##name, x, num_dims, weight, bias, eps);                          \
    }
#include "tern_tensor_ops.def"
