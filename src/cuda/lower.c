// SPDX-License-Identifier: Apache-2.0
/* lower: building, and a kernel as a whole. */
#include "cuda/front.h"

/* ---- messages ---- */

CuVal cu_poison(CuLower *l, CuPlace place) {
    return (CuVal){.type = cu_type(CU_INT),
                   .value = build_int(&l->b, type_scalar(TYPE_I32), 0),
                   .place = place};
}

static Str formatted(CuLower *l, const char *format, va_list args) {
    Buf text = {.arena = l->arena};
    buf_vprintf(&text, format, args);
    return buf_str(&text);
}

/* Of what follows in the statement nothing is said: it may be wrong for the same reason. */
CuVal cu_bad(CuLower *l, CuPlace place, const char *format, ...) {
    va_list args;
    va_start(args, format);
    Str text = formatted(l, format, args);
    va_end(args);
    if (!l->panic) cu_error(l->diag, place, "%.*s", STR_ARG(text));
    l->panic = true;
    return cu_poison(l, place);
}

CuVal cu_unsupported(CuLower *l, CuPlace place, const char *format, ...) {
    va_list args;
    va_start(args, format);
    Str text = formatted(l, format, args);
    va_end(args);
    Str where = STR(" in a kernel");
    if (l->is_host && str_ends(text, where.data)) {
        text.length -= where.length;
        text = str_format(l->arena, "%.*s on the host", STR_ARG(text));
    }
    if (!l->panic) cu_refused(l->diag, place, "%.*s", STR_ARG(text));
    l->panic = true;
    return cu_poison(l, place);
}

/* A name that CUDA's own headers and libraries have: the text is not wrong. */
static bool is_cudas(Str name) {
    static const char *const starts[] = {
        "cuda",     "__nv_",     "nv_",        "cublas",   "cufft",      "curand",
        "cusolver", "cusparse",  "__cuda",     "__uhadd",  "__rhadd",    "__urhad",
        "__prof",   "__cluster", "__barrier_", "cyl_bess", "cluster",    "multi_g",
        "this_clu", "this_mu",   "latch",      "double4_", "longlong4_", "ulong4_"};
    static const char *const math[] = {"rhypot",     "norm",    "norm3d",   "norm4d", "rnorm",
                                       "rnorm3d",    "rnorm4d", "jn",       "yn",     "y1",
                                       "scalbn",     "ilogb",   "modf",     "remquo", "scalbln",
                                       "erfcinv",    "fdivide", "ullmin",   "ullmax", "llmin",
                                       "normcdfinv", "llmax",   "sincospi", "__tanh", "__signbit"};
    static const char *const names[] = {
        "__brkpt",       "__pm0",       "__assertfail", "memmove",        "memcmp",
        "strlen",        "strcmp",      "alloca",       "isnormal",       "fpclassify",
        "isgreater",     "isless",      "div",          "isgreaterequal", "islessequal",
        "islessgreater", "isunordered", "invoke_one",   "barrier",        "__half_raw",
        "__half2_raw",   "_Float16",    "atomic_ref",   "inclusive_scan", "exclusive_scan"};
    for (int i = 0; i < COUNT(starts); i++)
        if (str_starts(name, starts[i])) return true;
    for (int i = 0; i < COUNT(names); i++)
        if (str_is(name, names[i])) return true;
    if (name.length && name.data[name.length - 1] == 'f' && !str_is(name, "modf")) name.length--;
    for (int i = 0; i < COUNT(math); i++)
        if (str_is(name, math[i])) return true;
    return false;
}

CuVal cu_undeclared(CuLower *l, CuPlace place, const char *what, Str name) {
    bool was_said = l->panic;
    if (!l->is_host && is_cudas(name))
        return cu_unsupported(l, place, "%s'%.*s' in a kernel", what, STR_ARG(name));
    CuVal bad = l->is_host ? cu_unsupported(l, place, "%s'%.*s', which nothing here declares", what,
                                            STR_ARG(name))
                           : cu_bad(l, place, "%s'%.*s' is not declared", what, STR_ARG(name));
    for (const CuUnread *u = l->module->headers.unread; u && !was_said; u = u->next)
        diag_note(l->diag, u->at,
                  u->is_outside ? "the header '%.*s' lies outside of the file's folder and of "
                                  "those given by -I, and was not read"
                                : "the header '%.*s' was not found",
                  STR_ARG(u->name));
    if (l->module->headers.unread && !was_said)
        diag_help(l->diag, l->module->headers.unread->at, "-I FOLDER says where headers lie");
    return bad;
}

bool cu_accept(CuLower *l, const char *text) {
    if (l->panic || !cu_is(l->at, text)) return false;
    l->at = l->at->next;
    return true;
}

bool cu_expect(CuLower *l, const char *text, const char *where) {
    if (cu_accept(l, text)) return true;
    const CuToken *t = l->at;
    if (t->kind == CU_END)
        cu_bad(l, t->place, "expected '%s' %s, saw the end of the text", text, where);
    else
        cu_bad(l, t->place, "expected '%s' %s, saw '%.*s'", text, where, STR_ARG(t->text));
    return false;
}

bool cu_enter(CuLower *l) {
    if (l->panic) return false;
    if (l->nested++ < CU_MAX_NESTED) return true;
    cu_unsupported(l, l->at->place, "code that is nested more than %d deep", CU_MAX_NESTED);
    return false;
}

/* ---- regions ---- */

Region *cu_begin(CuLower *l, Builder *outer) {
    *outer = l->b;
    l->b.region = region_new(l->fn);
    l->b.before = NULL;
    if (++l->depth > CU_MAX_DEPTH)
        cu_unsupported(l, l->at->place, "control flow that is nested more than %d deep",
                       CU_MAX_DEPTH);
    if (l->fn->num_values > CU_MAX_VALUES)
        cu_unsupported(l, l->at->place, "a kernel of more than %d operations", CU_MAX_VALUES);
    return l->b.region;
}

void cu_end(CuLower *l, const Builder *outer, Value *yielded) {
    build_yield(&l->b, yielded ? 1 : 0, &yielded);
    l->b = *outer;
    l->depth--;
}

Value *cu_if(CuLower *l, Value *condition, Region *yes, Region *no, const Type *type) {
    Region *regions[] = {yes, no};
    Op *op = build_op(&l->b, OP_IF, 1, &condition, type ? 1 : 0, &type, 2, regions);
    return type ? op_result(op) : NULL;
}

/* ---- ops: what is constant is computed at once, for array sizes and the like ---- */

static Value *folded(CuLower *l, Value *value) {
    Op *op = value->def;
    uint64_t in[3], out;
    l->b.span = op->span;
    for (int i = 0; i < op->num_operands; i++) {
        const Op *def = op->operands[i]->def;
        if (!def || def->kind != OP_CONSTANT) return value;
        in[i] = constant_bits(def);
    }
    if (!op_has_trait(op, ELEMENTWISE) || op->kind == OP_ADDPTR || !eval_lane(op, in, &out))
        return value;
    const Type *type = value->type;
    op_remove(op);
    return build_constant_bits(&l->b, type, out);
}

Value *cu_op1(CuLower *l, OpKind kind, Value *a) { return folded(l, build_1(&l->b, kind, a)); }
Value *cu_op2(CuLower *l, OpKind kind, Value *a, Value *b) {
    return folded(l, build_2(&l->b, kind, a, b));
}
Value *cu_op3(CuLower *l, OpKind kind, Value *a, Value *b, Value *c) {
    return folded(l, build_3(&l->b, kind, a, b, c));
}
/* A quotient, or a root if b is NULL, correctly rounded. */
Value *cu_exact(CuLower *l, Value *a, Value *b) {
    Value *value = b ? build_2(&l->b, OP_FDIV, a, b) : build_1(&l->b, OP_SQRT, a);
    if (b)
        fdiv_set_exact(value->def, 1);
    else
        sqrt_set_exact(value->def, 1);
    return folded(l, value);
}
Value *cu_icmp(CuLower *l, int predicate, Value *a, Value *b) {
    return folded(l, build_icmp(&l->b, predicate, a, b));
}
Value *cu_fcmp(CuLower *l, int predicate, Value *a, Value *b) {
    return folded(l, build_fcmp(&l->b, predicate, a, b));
}
Value *cu_cast(CuLower *l, OpKind kind, Value *a, const Type *to) {
    return folded(l, build_cast(&l->b, kind, a, to));
}
Value *cu_select(CuLower *l, Value *condition, Value *a, Value *b) {
    return folded(l, build_select(&l->b, condition, a, b));
}
Value *cu_int(CuLower *l, const CuType *type, int64_t value) {
    return build_int(&l->b, cu_ir(l->fn->types, type), value);
}

/* ---- memory ---- */

Value *cu_alloc(CuLower *l, const CuType *type, int space, Str name) {
    int64_t size = cu_size(type);
    if (size > MAX_ALLOC_BYTES && size < INT32_MAX && l->is_host) return cu_large(l, type);
    const Type *pointer = type_ptr(l->fn->types, cu_ir_pointee(l->fn->types, type));
    Builder b = {.fn = l->fn, .region = l->fn->body, .before = l->top, .span = l->b.span};
    Op *op = build_op(&b, OP_ALLOC, 0, NULL, 1, &pointer, 0, NULL);
    if (size > MAX_ALLOC_BYTES) {
        cu_unsupported(l, (CuPlace){l->b.span, NULL}, "a variable of %lld bytes", (long long)size);
        size = 1;
    }
    alloc_set_space(op, space);
    alloc_set_bytes(op, size ? size : 1);
    /* Some read an array of bytes or ints as wider numbers; NVIDIA's compiler lets them. */
    bool may_be_cast = space == ALLOC_LOCAL && type->kind == CU_ARRAY && size >= 8;
    int64_t align = cu_align(type);
    alloc_set_align(op, may_be_cast && align < 8 ? 8 : align);
    op_result(op)->name = name;
    return op_result(op);
}

/* The address `bytes` further on, of what has type `of`. */
Value *cu_offset(CuLower *l, Value *pointer, int64_t bytes, const CuType *of) {
    const Type *want = type_ptr(l->fn->types, cu_ir_pointee(l->fn->types, of));
    if (bytes) {
        const Type *byte = type_ptr(l->fn->types, type_scalar(TYPE_I8));
        int64_t size = type_size_bytes(pointer->type->elem);
        if (bytes % size) {
            if (pointer->type != byte) pointer = build_cast(&l->b, OP_BITCAST, pointer, byte);
            size = 1;
        }
        pointer =
            build_addptr(&l->b, pointer, build_int(&l->b, type_scalar(TYPE_I64), bytes / size));
    }
    return pointer->type == want ? pointer : build_cast(&l->b, OP_BITCAST, pointer, want);
}

/* ---- what is known of variables ----
 *
 * A number's variable that was given a constant, in the region that is being built, is that
 * constant until something else is stored there: so that what functions compute from constants can
 * size arrays and be arguments of templates. */

typedef struct Known {
    Value *value; /* NULL: nothing is */
    const Region *region;
    bool escaped; /* its address may be anywhere */
} Known;

static Known *known_of(CuLower *l, const Value *pointer) {
    const Op *def = pointer->def;
    bool whole = def && def->kind == OP_ALLOC && alloc_space(def) == ALLOC_LOCAL &&
                 alloc_bytes(def) == type_size_bytes(pointer->type->elem);
    bool is_at_top = l->b.before == l->top; /* what is known, was stored behind it */
    if (!whole || is_at_top) return NULL;
    Known *known = map_get_pointer(&l->known, pointer);
    if (known) return known;
    known = arena_new_of(l->arena, Known);
    map_set_pointer(&l->known, pointer, known);
    return known;
}

void cu_escapes(CuLower *l, Value *pointer) {
    Known *known = known_of(l, pointer);
    if (known) known->escaped = true;
}

Value *cu_load_from(CuLower *l, Value *pointer, const CuType *type) {
    const Known *known = type->is_volatile ? NULL : known_of(l, pointer);
    if (known && known->value && !known->escaped && known->region == l->b.region)
        return build_constant_bits(&l->b, known->value->type, constant_bits(known->value->def));
    Value *value = build_load(&l->b, pointer, NULL, NULL);
    if (type->is_volatile) load_set_volatile(value->def, 1);
    return value;
}

static Op *stored(CuLower *l, Value *pointer, const CuType *type, Value *value) {
    Known *known = known_of(l, pointer);
    if (known) known->value = value->def && value->def->kind == OP_CONSTANT ? value : NULL;
    if (known) known->region = l->b.region;
    Op *store = build_store(&l->b, pointer, value, NULL);
    if (type->is_volatile) store_set_volatile(store, 1);
    return store;
}

void cu_store_to(CuLower *l, Value *pointer, const CuType *type, Value *value) {
    stored(l, pointer, type, value);
}

/* What is in a struct, one behind the other. */
typedef struct Leaves {
    const CuType *type; /* of all of them; NULL: they differ */
    int count;
    int64_t bytes;
} Leaves;

static void add_leaves(Leaves *leaves, int64_t at, const CuType *type) {
    if (type->kind == CU_STRUCT) {
        for (int i = 0; i < type->record->num_fields; i++) {
            const CuField *f = &type->record->fields[i];
            add_leaves(leaves, at + f->offset, f->type);
        }
    } else if (type->kind == CU_ARRAY && type->count <= MAX_WIDE_LANES) {
        for (int64_t i = 0; i < type->count; i++)
            add_leaves(leaves, at + i * cu_size(type->of), type->of);
    } else {
        bool is_number = cu_is_number(type) && type->kind != CU_BOOL && !type->is_volatile;
        bool same = leaves->count == 0 || (leaves->type && cu_same(leaves->type, type));
        bool fits = at == leaves->bytes && same;
        leaves->type = is_number && fits ? type : NULL;
        leaves->count++;
        leaves->bytes += cu_size(type);
    }
}

/* A struct that is aligned as a whole, as float4 is, is one access of `count` numbers: all are read
 * before the first is written. */
static bool copy_at_once(CuLower *l, Value *to, Value *from, const CuType *type) {
    Leaves leaves = {0};
    Value *values[MAX_WIDE_LANES];
    int64_t size = cu_size(type);
    bool is_access = (size == 4 || size == 8 || size == 16) && cu_align(type) == size;
    if (l->is_host || !is_access || type->is_volatile) return false;
    add_leaves(&leaves, 0, type);
    if (!leaves.type || leaves.count < 2 || leaves.bytes != size) return false;
    for (int i = 0; i < leaves.count; i++) {
        Value *at = cu_offset(l, from, i * cu_size(leaves.type), leaves.type);
        values[i] = cu_load_from(l, at, leaves.type);
        if (i == 0 && values[i]->def->kind == OP_LOAD) load_set_width(values[i]->def, leaves.count);
    }
    for (int i = 0; i < leaves.count; i++) {
        Value *at = cu_offset(l, to, i * cu_size(leaves.type), leaves.type);
        Op *store = stored(l, at, leaves.type, values[i]);
        if (i == 0) store_set_width(store, leaves.count);
    }
    return true;
}

void cu_copy(CuLower *l, Value *to, Value *from, const CuType *type) {
    if (type->kind == CU_STRUCT && copy_at_once(l, to, from, type)) return;
    if (type->kind == CU_STRUCT) {
        for (int i = 0; i < type->record->num_fields; i++) {
            const CuField *f = &type->record->fields[i];
            cu_copy(l, cu_offset(l, to, f->offset, f->type), cu_offset(l, from, f->offset, f->type),
                    f->type);
        }
    } else if (type->kind == CU_ARRAY) {
        for (int64_t i = 0; i < type->count; i++) {
            int64_t bytes = i * cu_size(type->of);
            cu_copy(l, cu_offset(l, to, bytes, type->of), cu_offset(l, from, bytes, type->of),
                    type->of);
        }
    } else {
        cu_store_to(l, to, type, cu_load_from(l, from, type));
    }
}

/* ---- a kernel ---- */

const CuType *cu_result_held(CuLower *l, const CuCall *call) {
    return call->is_reference ? cu_pointer(l->arena, call->result)
                              : cu_plain(l->arena, call->result);
}

const CuScope *cu_kernel_scope(CuLower *l, const CuKernel *kernel, const CuDecl **written) {
    CuTemplate params;
    CuArgs args;
    const CuDecl *decl = *written = kernel->decl;
    if (!decl->templates || cu_is_full(decl)) return l->globals;
    if (!kernel->args) {
        cu_bad(l, decl->at->place, "kernel '%.*s' is a template: with which arguments?",
               STR_ARG(decl->name));
        diag_help(l->diag, kernel->span, "name them: '%.*s<float>'", STR_ARG(decl->name));
        return NULL;
    }
    Str text = str_of(kernel->args);
    l->at = cu_lex(l->arena, source_new(l->arena, STR("<arguments>"), text), l->diag);
    CuScope *scope = arena_new_of(l->arena, CuScope);
    *scope = (CuScope){.outer = l->globals};
    if (!cu_template_args(l, &args)) return NULL;
    if (l->at->kind != CU_END)
        cu_bad(l, l->at->place, "expected the end of the name, saw '%.*s'", STR_ARG(l->at->text));
    *written = cu_without_pack(l, decl, args.count, -1);
    if (!*written) {
        cu_bad(l, decl->at->place, "%d argument%s for the template '%.*s'", args.count,
               args.count == 1 ? "" : "s", STR_ARG(decl->name));
        return NULL;
    }
    bool fine = cu_template(l, *written, &params);
    return fine && cu_bind_args(l, &params, &args, scope, decl->at->place) ? scope : NULL;
}

void cu_add_params(CuLower *l, const CuSignature *signature) {
    for (int i = 0; i < signature->num_params; i++) {
        const CuParamDecl *param = &signature->params[i];
        const CuType *type = param->type ? param->type : cu_type(CU_VOID);
        if (type->kind == CU_VOID || param->is_reference) {
            cu_unsupported(l, param->place, "a kernel's parameter of type '%.*s'%s",
                           STR_ARG(cu_name(l->arena, type)),
                           param->is_reference ? " by reference" : "");
            l->panic = false;
            continue;
        }
        CuParts parts = {0};
        if (!cu_parts(l, param, &parts)) return;
        Value *at = cu_alloc(l, type, ALLOC_LOCAL, param->name);
        for (int k = 0; k < parts.count; k++) {
            const CuPart *part = &parts.data[k];
            Value *value = func_add_param(l->fn, cu_ir(l->fn->types, part->type), part->name, i);
            const CuType *number = part->type->kind == CU_POINTER ? part->type->of : part->type;
            l->fn->params[l->fn->num_params - 1].is_unsigned =
                cu_is_integer(number) && !cu_is_signed(number);
            cu_store_to(l, cu_offset(l, at, part->offset, part->type), part->type, value);
        }
        cu_bind(
            l, (CuName){.name = param->name, .val = {.type = type, .value = at, .is_place = true}});
    }
}

/* reduce<float, 256>: reduce_float_256 */
static Str plain_name(Arena *arena, Str name) {
    Buf text = {.arena = arena};
    bool gap = false;
    for (int i = 0; i < name.length; i++) {
        char c = name.data[i];
        bool is_plain =
            c == '_' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
        if (is_plain && gap) buf_putc(&text, '_');
        gap = !is_plain;
        if (is_plain) buf_putc(&text, c);
    }
    return buf_str(&text);
}

/* __launch_bounds__(256, 2): a block may have 256 threads. */
static void check_bounds(CuLower *l, const CuDecl *decl, const CuScope *scope) {
    const int *block = l->launch->block;
    CuToken *t = decl->start;
    int64_t most, threads = (int64_t)block[0] * block[1] * block[2];
    while (t != decl->at && t->kind != CU_END && !cu_is(t, "__launch_bounds__")) t = t->next;
    if (!cu_is(t, "__launch_bounds__") || !cu_is(t->next, "(")) return;
    const CuScope *outer = l->scope;
    l->scope = scope;
    l->at = t->next->next;
    if (cu_constant(l, "the number of threads in '__launch_bounds__'", &most) && threads > most)
        cu_bad(l, t->place, "a block of %lld threads; '%.*s' is written for at most %lld",
               (long long)threads, STR_ARG(decl->name), (long long)most);
    l->scope = outer;
}

CuLower cu_lowering(Arena *arena, const CuModule *module, Func *fn, const CuLaunch *launch,
                    CuScope *globals, Diag *diag) {
    CuLower l = {.arena = arena,
                 .diag = diag,
                 .module = module,
                 .launch = launch,
                 .fn = fn,
                 .scope = globals,
                 .globals = globals,
                 .shared.arena = arena,
                 .known.arena = arena,
                 .unpacked.arena = arena,
                 .texts.arena = arena,
                 .b = {.fn = fn, .region = fn->body, .span = fn->span}};
    fn->form = FORM_THREAD;
    for (int i = 0; i < 3; i++) fn->block[i] = launch->block[i];
    l.top = build_int(&l.b, type_scalar(TYPE_I32), 0)->def;
    return l;
}

Value *cu_not_returned(CuLower *l) {
    Value *returned = cu_alloc(l, cu_type(CU_BOOL), ALLOC_LOCAL, STR(""));
    cu_store_to(l, returned, cu_type(CU_BOOL), build_int(&l->b, type_scalar(TYPE_I1), 0));
    return returned;
}

Func *cu_lower(Arena *arena, const CuModule *module, const CuKernel *kernel, const CuLaunch *launch,
               Diag *diag) {
    const CuDecl *decl = kernel->decl;
    Func *fn = func_new(arena, types_new(arena),
                        kernel->args ? plain_name(arena, kernel->name) : kernel->name);
    fn->span = kernel->span;
    CuScope globals = {0}, locals = {0};
    CuLower l = cu_lowering(arena, module, fn, launch, &globals, diag);
    CuCall call = {0};
    CuSignature signature;
    locals.outer = cu_kernel_scope(&l, kernel, &decl);
    if (!locals.outer || !cu_signature(&l, decl, locals.outer, &signature)) return NULL;
    if (signature.result && signature.result->kind != CU_VOID)
        cu_error(diag, decl->at->place, "a kernel returns void, not '%.*s'",
                 STR_ARG(cu_name(arena, signature.result)));
    check_bounds(&l, decl, locals.outer);
    l.scope = &locals;
    call.decl = decl;
    call.result = signature.result;
    call.returned = cu_not_returned(&l);
    l.call = &call;
    cu_add_params(&l, &signature);
    l.at = decl->body;
    if (!diag_failed(diag)) cu_body(&l);
    build_yield(&l.b, 0, NULL);
    return diag_failed(diag) ? NULL : fn;
}
