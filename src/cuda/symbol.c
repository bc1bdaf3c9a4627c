// SPDX-License-Identifier: Apache-2.0
/* symbol: `__device__` and `__constant__` variables of a file. They are memory of the module, and
 * each kernel that names one has a parameter for its address, behind those of the source: so to
 * passes and targets they are what other buffers are.
 *
 * What they begin as is lowered as a local variable's initial values, into a function of its own,
 * which is then executed here: no kernel has to run before the first one. */
#include "cuda/front.h"

/* ---- executing what was lowered ---- */

typedef struct Cell { /* what a value is; of a pointer: bits bytes into `memory` */
    uint64_t bits;
    unsigned char *memory;
    int64_t size;
} Cell;

typedef struct Machine {
    Arena *arena;
    Map cells; /* -> Cell, by Value */
} Machine;

static void set(Machine *m, const Value *value, Cell cell) {
    Cell *kept = arena_new_of(m->arena, Cell);
    *kept = cell;
    map_set_pointer(&m->cells, value, kept);
}

/* NULL: it is not known. */
static const Cell *get(Machine *m, const Value *value) {
    if (value->def && value->def->kind == OP_CONSTANT)
        set(m, value, (Cell){.bits = constant_bits(value->def)});
    return map_get_pointer(&m->cells, value);
}

/* Where `bytes` bytes lie; NULL: outside of the variable. */
static unsigned char *bytes_at(const Cell *pointer, int64_t bytes) {
    int64_t at = (int64_t)pointer->bits;
    bool inside =
        pointer->memory && at >= 0 && bytes <= pointer->size && at <= pointer->size - bytes;
    return inside ? pointer->memory + at : NULL;
}

static bool access(Machine *m, const Op *op) {
    bool loads = op->kind == OP_LOAD;
    const Value *value = loads ? op_result(op) : op->operands[1];
    const Cell *pointer = get(m, op->operands[0]), *stored = loads ? NULL : get(m, value);
    int64_t bytes = type_size_bytes(value->type);
    unsigned char *at = pointer ? bytes_at(pointer, bytes) : NULL;
    if (!at || (!loads && (!stored || stored->memory))) return false;
    Cell loaded = {0};
    if (loads) {
        memcpy(&loaded.bits, at, (size_t)bytes);
        set(m, value, loaded);
    } else {
        memcpy(at, &stored->bits, (size_t)bytes);
    }
    return true;
}

static bool advance(Machine *m, const Op *op) {
    const Cell *pointer = get(m, op->operands[0]), *index = get(m, op->operands[1]);
    if (!pointer || !index) return false;
    Cell moved = *pointer;
    int64_t by = constant_to_int(op->operands[1]->type, index->bits);
    moved.bits += (uint64_t)(by * type_size_bytes(op->operands[0]->type->elem));
    set(m, op_result(op), moved);
    return true;
}

static bool compute(Machine *m, const Op *op) {
    Cell result = {0};
    uint64_t in[3];
    if (!op_has_trait(op, ELEMENTWISE) || op->num_operands > COUNT(in)) return false;
    for (int i = 0; i < op->num_operands; i++) {
        const Cell *cell = get(m, op->operands[i]);
        if (!cell) return false;
        if (cell->memory && op->kind != OP_BITCAST) return false;
        in[i] = cell->bits;
        if (cell->memory) result = *cell;
    }
    bool done = result.memory || eval_lane(op, in, &result.bits);
    if (done) set(m, op_result(op), result);
    return done;
}

static bool step(Machine *m, const Op *op) {
    if (op->kind == OP_CONSTANT || op->kind == OP_YIELD) return true;
    if (op->kind == OP_LOAD || op->kind == OP_STORE) return access(m, op);
    if (op->kind == OP_ADDPTR) return advance(m, op);
    if (op->kind != OP_ALLOC) return compute(m, op);
    Cell cell = {.memory = arena_array(m->arena, unsigned char, alloc_bytes(op)),
                 .size = alloc_bytes(op)};
    memset(cell.memory, 0, (size_t)cell.size);
    set(m, op_result(op), cell);
    return true;
}

/* ---- a variable ---- */

static const CuDecl *defined(const CuDecl *decl) {
    const CuDecl *found = decl;
    for (; decl; decl = decl->overload)
        if (decl->kind == CU_DECL_VARIABLE && !cu_is(decl->start, "extern")) found = decl;
    return found;
}

/* l->at: behind the declarator. */
static bool begun(CuLower *l, const CuType *type, CuSymbol *symbol) {
    Func *fn = l->fn;
    Machine m = {.arena = l->arena, .cells.arena = l->arena};
    bool called = cu_is(l->at, "("), written = called || cu_is(l->at, "=") || cu_is(l->at, "{");
    bool made = type->kind == CU_STRUCT && cu_has_constructor(l, type->record);
    if (!written && !made) return true;
    CuPlace place = l->at->place;
    Value *at = cu_alloc(l, type, ALLOC_LOCAL, STR(""));
    if (called && (type->kind == CU_STRUCT || type->kind == CU_ARRAY)) {
        cu_unsupported(l, place, "an initial value of '%.*s' in parentheses", STR_ARG(fn->name));
        return false;
    }
    if (!cu_accept(l, "=") && called) cu_accept(l, "(");
    if (written)
        cu_initialize(l, at, type);
    else
        cu_initialize_empty(l, at, type);
    if (l->panic) return false;
    for (const Op *op = fn->body->first; op; op = op->next) {
        if (step(&m, op)) continue;
        cu_unsupported(l, place, "an initial value of '%.*s' that is not known at compile time",
                       STR_ARG(fn->name));
        return false;
    }
    symbol->initial = get(&m, at)->memory;
    return true;
}

/* Its own names: nothing of it is left where the kernel is built. */
static bool evaluated(Arena *arena, const CuModule *module, const CuModule *library,
                      const CuDecl *decl, CuSymbol *symbol, Diag *diag) {
    CuScope *globals = arena_new_of(arena, CuScope);
    *globals = (CuScope){0};
    CuLower l = {.arena = arena,
                 .diag = diag,
                 .module = module,
                 .library = library,
                 .fn = func_new(arena, types_new(arena), decl->name),
                 .scope = globals,
                 .globals = globals,
                 .shared.arena = arena,
                 .known.arena = arena,
                 .unpacked.arena = arena,
                 .texts.arena = arena};
    CuSpecifiers s;
    CuDeclarator d;
    decl = defined(decl);
    l.b = (Builder){.fn = l.fn, .region = l.fn->body, .span = cu_span(decl->at->place)};
    l.top = build_int(&l.b, type_scalar(TYPE_I32), 0)->def;
    if (!cu_variable_at(&l, decl, &s, &d) || cu_is_number_here(&l, &s, &d)) return false;
    const CuType *type = d.type ? cu_plain(arena, cu_counted(&l, d.type)) : NULL;
    if (!type || d.is_reference || s.is_shared)
        cu_unsupported(&l, decl->at->place, "the way in which '%.*s' is declared",
                       STR_ARG(decl->name));
    if (!l.panic) cu_complete(&l, type);
    if (l.panic) return false;
    *symbol = (CuSymbol){.bytes = cu_size(type), .is_constant = s.is_constant};
    return begun(&l, type, symbol);
}

bool cu_symbol(Arena *arena, const CuModule *module, const char *name, CuSymbol *symbol,
               Diag *diag) {
    bool is_own = str_starts(str_of(name), "__tern_");
    if (is_own) module = cu_library(arena, false);
    const CuDecl *decl = map_get(&module->decls.names, str_of(name));
    while (decl && !cu_is_symbol(decl)) decl = decl->overload;
    return decl && evaluated(arena, module, NULL, decl, symbol, diag);
}

/* Its declaration says where it lies. */
bool cu_is_symbol(const CuDecl *decl) {
    if (decl->kind != CU_DECL_VARIABLE || decl->owner) return false;
    for (const CuToken *t = decl->start; t != decl->at && t->kind != CU_END; t = t->next)
        if (cu_is(t, "__device__") || cu_is(t, "__constant__") || cu_is(t, "__managed__"))
            return true;
    return false;
}

bool cu_symbol_named(CuLower *l, const CuDecl *decl, CuName *name) {
    CuSymbol symbol;
    CuSpecifiers s;
    CuDeclarator d;
    if (!evaluated(l->arena, l->module, l->library, decl, &symbol, l->diag)) {
        l->panic = true;
        return false;
    }
    if (!cu_variable_at(l, defined(decl), &s, &d)) return false;
    const CuType *type = cu_counted(l, d.type);
    if (symbol.is_constant) type = cu_qualified(l->arena, type, true, false);
    Value *at = map_get_pointer(&l->shared, decl);
    if (!at && !l->top) {
        cu_unsupported(l, decl->at->place, "'%.*s' here", STR_ARG(decl->name));
        return false;
    }
    if (!at) {
        const Type *pointer = type_ptr(l->fn->types, cu_ir_pointee(l->fn->types, type));
        at = func_add_param(l->fn, pointer, decl->name, -1);
        Param *param = &l->fn->params[l->fn->num_params - 1];
        param->is_symbol = true;
        param->divisible = 16; /* buffers are aligned to 256 bytes */
        map_set_pointer(&l->shared, decl, at);
    }
    *name = (CuName){.name = decl->name, .val = {.type = type, .value = at, .is_place = true}};
    return !l->panic;
}
