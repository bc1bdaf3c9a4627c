// SPDX-License-Identifier: Apache-2.0
/* plan: compiled kernels by what they depend on, and their launches. A launch looks up three words,
 * fills in arguments on the stack and calls tern_launch. */
#include "tensor/plan.h"

#include <stdio.h>
#include <stdlib.h>

struct PlanTable {
    Plan **places; /* open addressing; malloc */
    int capacity, count;
};

PlanTable *plan_table_new(Arena *arena) { return arena_new_of(arena, PlanTable); }

void plan_table_free(PlanTable *table) {
    for (int i = 0; i < table->capacity; i++) {
        if (!table->places[i]) continue;
        tern_kernel_free(table->places[i]->kernel);
        free(table->places[i]);
    }
    free(table->places);
}

static bool is_same(const FormKey *a, const FormKey *b) {
    return a->words[0] == b->words[0] && a->words[1] == b->words[1] && a->words[2] == b->words[2];
}

/* The place of a key, or where it would be. */
static Plan **place_of(Plan **places, int capacity, const FormKey *key) {
    uint64_t hash = key->words[0] * 0x9e3779b97f4a7c15u;              /* 2^64 / the golden ratio */
    hash = (hash ^ hash >> 29 ^ key->words[1]) * 0xbf58476d1ce4e5b9u; /* of splitmix64 */
    hash = (hash ^ hash >> 32 ^ key->words[2]) * 0x94d049bb133111ebu;
    int at = (int)(hash >> 33) & (capacity - 1);
    while (places[at] && !is_same(&places[at]->key, key)) at = (at + 1) & (capacity - 1);
    return &places[at];
}

static bool table_grow(PlanTable *table) {
    if (table->count * 2 < table->capacity) return true;
    int capacity = table->capacity ? table->capacity * 2 : 64;
    Plan **places = calloc((size_t)capacity, sizeof *places);
    if (!places) return false;
    for (int i = 0; i < table->capacity; i++)
        if (table->places[i])
            *place_of(places, capacity, &table->places[i]->key) = table->places[i];
    free(table->places);
    table->places = places;
    table->capacity = capacity;
    return true;
}

/* ---- forms ---- */

static bool is_even(const Call *call) {
    for (int d = 0; d < call->space.rank; d++) {
        if (call->space.sizes[d] % 16) return false;
        for (int i = 0; i < call->space.num_operands; i++)
            if (call->space.strides[i][d] > 1 && call->space.strides[i][d] % 16) return false;
    }
    return true;
}

void form_describe(FormKey *key, const tern_session *session, const Call *call,
                   const int tile_dims[TILE_DIMS]) {
    Form *form = &key->form;
    form->rank = (uint8_t)call->space.rank;
    form->num_operands = (uint8_t)call->space.num_operands;
    if (!space_fits_32(&call->space)) form->flags |= FORM_WIDE;
    if (session->promises && is_even(call)) form->flags |= FORM_EVEN;
    for (int i = 0; i < call->space.num_operands; i++) {
        FormOperand *operand = &form->operands[i];
        const tern_tensor *tensor = call->operands[i].tensor;
        if (call->operands[i].kind != TERN_OPERAND_TENSOR) {
            operand->flags = OPERAND_IS_NUMBER;
            continue;
        }
        operand->dtype = (uint8_t)tensor->dtype;
        for (int k = 0; k < TILE_DIMS; k++) {
            if (tile_dims[k] < 0) continue;
            int64_t stride = call->space.strides[i][tile_dims[k]];
            StrideClass class = stride == 0 ? STRIDE_0 : stride == 1 ? STRIDE_1 : STRIDE_ANY;
            operand->classes |= (uint8_t)((int)class << (2 * k));
        }
        if (!session->promises) continue;
        uint64_t address = (uint64_t)(uintptr_t)tern_buffer_pointer(tensor->storage->buffer) +
                           (uint64_t)tensor->offset * tern_dtype_size(tensor->dtype);
        if (address % 16 == 0) operand->flags = OPERAND_IS_ALIGNED;
    }
}

/* ---- compiling ---- */

static const struct {
    Tile (*tile)(const Form *form);
    void (*emit)(Emitter *emitter);
} kinds[NUM_FORM_KINDS] = {
    [FORM_MAP] = {map_tile, emit_map},
    [FORM_ROWS] = {rows_tile, emit_rows},
    [FORM_PRODUCT] = {product_tile, emit_product},
};

static Str constants_text(Arena *arena, const Form *form) {
    Tile tile = kinds[form->kind].tile(form);
    if (tile.depth) return str_format(arena, ",%d,%d,%d", tile.rows, tile.cols, tile.depth);
    if (tile.rows) return str_format(arena, ",%d,%d", tile.rows, tile.cols);
    return str_format(arena, ",%d", tile.cols);
}

static tern_kernel *compile(tern_session *session, Arena *arena, Plan *plan) {
    const Form *form = &plan->key.form;
    const char *name = op_row(form->op)->name;
    Emitter emitter = {.text = {.arena = arena}, .form = form, .plan = plan, .indent = "    "};
    kinds[form->kind].emit(&emitter);
    Buf text = {.arena = arena};
    emit_helpers(&text, emitter.text.data);
    buf_add(&text, emitter.text.data, emitter.text.length);
    Str constants = constants_text(arena, form);
    Str signature = form_signature(arena, form, plan, str_c(arena, constants));
    buf_printf(&session->texts, "# %.*s\n%s\n\n", STR_ARG(signature), text.data);
    char file[80];
    snprintf(file, sizeof file, "%s.py", name);
    tern_module *module = tern_load_text(session->context, text.data, text.length, file);
    if (!module) return NULL;
    const tern_options options = {
        .size = sizeof options, .num_warps = form->kind == FORM_PRODUCT ? product_warps(form) : 0};
    tern_kernel *kernel = tern_compile(module, name, str_c(arena, signature), &options);
    tern_module_free(module);
    return kernel;
}

static tern_status plan_make(tern_session *session, const FormKey *key, Plan **made) {
    Plan *volatile plan = calloc(1, sizeof *plan);
    if (!plan || !table_grow(session->plans)) {
        free(plan);
        return session_fail(session, TERN_ERROR_NO_MEMORY, "out of memory");
    }
    plan->key = *key;
    Arena *volatile arena = NULL;
    if (setjmp(session->no_memory)) {
        arena_free(arena);
        free(plan);
        return session_fail(session, TERN_ERROR_NO_MEMORY, "out of memory");
    }
    arena = arena_new(&session->no_memory);
    plan->kernel = compile(session, arena, plan);
    arena_free(arena);
    if (!plan->kernel) {
        free(plan);
        return tern_message_status(session->context);
    }
    *place_of(session->plans->places, session->plans->capacity, key) = plan;
    session->plans->count++;
    *made = plan;
    return TERN_OK;
}

/* ---- launching ---- */

/* A number as an argument of a type: integers wrap, as a tensor's would. */
static tern_argument number_argument(const tern_operand *operand, tern_dtype dtype) {
    if (tern_dtype_is_float(dtype))
        return tern_arg_float(operand->kind == TERN_OPERAND_NUMBER ? operand->number
                                                                   : (double)operand->integer);
    if (dtype == TERN_BOOL)
        return tern_arg_int(operand->kind == TERN_OPERAND_NUMBER ? operand->number != 0
                                                                 : operand->integer != 0);
    unsigned char element[8];
    if (operand->kind == TERN_OPERAND_NUMBER)
        tern_element_set_double(dtype, element, operand->number);
    else
        tern_element_set_int(dtype, element, operand->integer);
    return tern_arg_int(tern_element_int(dtype, element));
}

tern_argument tensor_argument(const tern_tensor *tensor) {
    tern_argument argument = tern_arg_buffer(tensor->storage->buffer);
    if (tensor->numel) /* else it may lie past the end */
        argument.offset = (size_t)tensor->offset * tern_dtype_size(tensor->dtype);
    return argument;
}

static tern_argument slot_argument(const Slot *slot, const Form *form, const Call *call) {
    switch ((SlotKind)slot->kind) {
    case SLOT_OPERAND: {
        const tern_operand *operand = &call->operands[slot->operand];
        tern_dtype dtype = (tern_dtype)form->operands[slot->operand].dtype;
        if (operand->kind != TERN_OPERAND_TENSOR) return number_argument(operand, dtype);
        return tensor_argument(operand->tensor);
    }
    case SLOT_P: return tern_arg_float(call->p);
    case SLOT_Q: return tern_arg_float(call->q);
    case SLOT_STEP: return tern_arg_int(call->step);
    case SLOT_SIZE: return tern_arg_int(call->space.sizes[slot->dim]);
    case SLOT_STRIDE: return tern_arg_int(call->space.strides[slot->operand][slot->dim]);
    }
    BUG("a slot of no kind");
}

tern_status plan_run(tern_session *session, const FormKey *key, const Call *call,
                     int64_t programs) {
    PlanTable *table = session->plans;
    Plan *plan = table->count ? *place_of(table->places, table->capacity, key) : NULL;
    if (programs > INT32_MAX)
        return session_fail(session, TERN_ERROR_UNSUPPORTED,
                            "an op of %lld programs (at most 2^31 - 1)", (long long)programs);
    if (!plan) {
        tern_status status = plan_make(session, key, &plan);
        if (status) return status;
    }
    tern_argument arguments[MAX_SLOTS];
    for (int i = 0; i < plan->num_slots; i++)
        arguments[i] = slot_argument(&plan->slots[i], &key->form, call);
    uint32_t grid[3] = {(uint32_t)programs, 1, 1};
    return tern_launch(session->stream, plan->kernel, grid, arguments, plan->num_slots);
}
