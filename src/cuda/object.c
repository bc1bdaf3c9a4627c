// SPDX-License-Identifier: Apache-2.0
/* object: what only functions of the host have: launches, strings, new and delete, calls of what is
 * not written in CUDA C. */
#include "cuda/front.h"

static CuVal made(const CuType *type, Value *value, CuPlace place) {
    return (CuVal){.type = type, .value = value, .place = place};
}

static bool set_span(Op *op, void *span) {
    op->span = *(const Span *)span;
    return true;
}

void cu_say_here(CuLower *l, const CuDecl *decl, Op *before, Span span) {
    const Source *source = decl->start->place.span.source;
    if (!str_starts(source->name, "<cuda/")) return;
    for (Op *op = before ? before->next : l->b.region->first; op; op = op->next) {
        set_span(op, &span);
        for (int i = 0; i < op->num_regions; i++) region_walk(op->regions[i], set_span, &span);
    }
}

/* ---- what stands before all else ---- */

CuAtTop cu_at_top(CuLower *l) {
    CuAtTop top = {l->b, l->flags};
    l->b.region = l->top->parent;
    l->b.before = l->top;
    l->flags = (CuFlags){0};
    return top;
}

void cu_at_top_end(CuLower *l, const CuAtTop *top) {
    l->b = top->here;
    l->flags = top->flags;
}

Value *cu_large(CuLower *l, const CuType *type) {
    CuPlace place = {l->b.span, NULL};
    CuAtTop top = cu_at_top(l);
    const CuType *size = cu_type(CU_ULONG);
    CuVal bytes = made(size, cu_int(l, size, cu_size(type)), place);
    CuVal at = cu_call_library(l, "__tern_array", 1, &bytes, place);
    Value *pointer = cu_offset(l, at.value, 0, type);
    cu_at_top_end(l, &top);
    return pointer;
}

/* A string is memory that begins as it is written; those that are the same are one. */
static CuVal text_of(CuLower *l, Str key, CuPlace place) {
    const CuType *letter = cu_qualified(l->arena, cu_type(CU_CHAR_TYPE), true, false);
    const CuType *type = cu_array(l->arena, letter, (int64_t)key.length + 1);
    Value *at = map_get(&l->texts, key);
    if (!at) {
        CuAtTop top = cu_at_top(l);
        at = cu_alloc(l, type, ALLOC_LOCAL, STR("a string"));
        map_set(&l->texts, key, at);
        for (int i = 0; i <= key.length; i++) {
            Value *to = cu_offset(l, at, i, letter);
            int64_t byte = i < key.length ? key.data[i] : 0;
            cu_store_to(l, to, cu_type(CU_CHAR_TYPE), cu_int(l, letter, byte));
        }
        cu_at_top_end(l, &top);
    }
    return (CuVal){.type = type, .value = at, .is_place = true, .place = place};
}

CuVal cu_text(CuLower *l) {
    CuPlace place = l->at->place;
    Buf text = {.arena = l->arena};
    buf_puts(&text, "");
    return cu_strings(l, "a string", &text) ? text_of(l, buf_str(&text), place)
                                            : cu_poison(l, place);
}

CuVal cu_list(CuLower *l) {
    enum { MOST = 8 };
    CuPlace place = l->at->place;
    CuVal *values;
    int count;
    l->at = l->at->next;
    if (!cu_arguments(l, "}", &count, &values)) return cu_poison(l, place);
    const CuDecl *decl = cu_declared(l, STR("__tern_list"), CU_DECL_TYPE);
    const CuType *type = cu_instance(l, decl, (CuArgs){0}, NULL, place), *of = cu_type(CU_LONG);
    cu_complete(l, type);
    if (count > MOST) cu_unsupported(l, place, "a list of more than %d numbers", MOST);
    if (l->panic) return cu_poison(l, place);
    Value *at = cu_alloc(l, type, ALLOC_LOCAL, STR(""));
    cu_store_to(l, cu_offset(l, at, 0, of), of, cu_int(l, of, count));
    for (int i = 0; i < count && !l->panic; i++) {
        CuVal val = cu_convert(l, values[i], of, "this number of a list");
        if (!l->panic) cu_store_to(l, cu_offset(l, at, (i + 1) * cu_size(of), of), of, val.value);
    }
    return made(type, at, place);
}

/* A variable of the device: the host has its address alone. */
bool cu_host_symbol(CuLower *l, const CuDecl *decl, const CuType *type, CuName *name) {
    CuPlace place = decl->at->place;
    if (!type) cu_unsupported(l, place, "a variable of the device of type 'auto'");
    if (l->panic) return false;
    CuAtTop top = cu_at_top(l);
    type = cu_counted(l, type);
    cu_complete(l, type);
    CuVal text = text_of(l, decl->name, place);
    CuVal at = cu_call_library(l, "__tern_symbol", 1, &text, place);
    *name = (CuName){.name = decl->name, .val = {.type = type, .is_place = true, .place = place}};
    if (!l->panic) name->val.value = cu_offset(l, at.value, 0, type);
    cu_at_top_end(l, &top);
    return !l->panic;
}

/* ---- calls ---- */

CuVal cu_call_native(CuLower *l, const CuDecl *decl, const CuSignature *signature, int count,
                     CuVal *args, CuPlace place) {
    Value **values = arena_array(l->arena, Value *, count + 1);
    for (int i = 0; i < count && !l->panic; i++) {
        CuVal val = i < signature->num_params
                        ? cu_convert(l, args[i], signature->params[i].type, "this argument")
                        : cu_printed(l, args[i]);
        values[i] = val.value;
    }
    if (l->panic) return cu_poison(l, place);
    const Type *type = cu_ir(l->fn->types, signature->result);
    l->b.span = cu_span(place);
    Op *op = build_op(&l->b, OP_CALL, count, values, type ? 1 : 0, &type, 0, NULL);
    call_set_name(op, decl->name);
    return made(signature->result, type ? op_result(op) : NULL, place);
}

/* ---- launches ---- */

bool cu_at_launch(const CuLower *l) {
    return l->is_host && cu_is(l->at, "<<") && cu_is(l->at->next, "<");
}

typedef VEC(Value *) Values;

/* dim3, uint3, or a number: three numbers. */
static void three(CuLower *l, CuVal val, Value **values) {
    const CuType *of = cu_type(CU_UINT);
    bool is_struct =
        val.type->kind == CU_STRUCT && val.type->record->num_fields == 3 && !val.type->record->decl;
    if (!is_struct) val = cu_convert(l, val, of, "the size of a launch");
    for (int i = 0; i < 3 && !l->panic; i++)
        values[i] = !is_struct ? (i ? cu_int(l, of, 1) : val.value)
                               : cu_load_from(l, cu_offset(l, val.value, i * cu_size(of), of), of);
}

static CuVal size_written(CuLower *l) {
    if (!cu_is(l->at, "{")) return cu_assignment(l);
    CuPlace place = l->at->place;
    const CuType *type = cu_vector(l->arena, STR("dim3"));
    int count;
    CuVal *args;
    l->at = l->at->next;
    Value *at = cu_alloc(l, type, ALLOC_LOCAL, STR(""));
    if (cu_arguments(l, "}", &count, &args)) cu_construct(l, at, type, count, args, place);
    return made(type, at, place);
}

/* Is there a '>>>' before the statement ends? l->at: behind '<<<'. */
static bool is_closed(const CuLower *l) {
    CuToken *t = l->at;
    while (t->kind != CU_END && !cu_is(t, ";") && !(cu_is(t, ">>") && cu_is(t->next, ">")))
        t = cu_is(t, "(") || cu_is(t, "{") ? cu_skip(t) : t->next;
    return cu_is(t, ">>");
}

/* grid, block[, shared[, stream]] >>> */
static bool configuration(CuLower *l, Value **values, CuPlace place) {
    if (!is_closed(l)) cu_bad(l, place, "'<<<' without '>>>'");
    if (l->panic) return false;
    CuVal stream = {.type = cu_type(CU_INT), .is_null = true, .place = l->at->place},
          bytes = stream;
    bool in_angles = l->in_angles;
    l->in_angles = true;
    CuVal grid = size_written(l);
    cu_expect(l, ",", "after the grid of a launch");
    CuVal block = l->panic ? grid : size_written(l);
    stream.value = bytes.value = cu_int(l, cu_type(CU_INT), 0);
    if (cu_accept(l, ",")) bytes = cu_assignment(l);
    if (cu_accept(l, ",")) stream = cu_assignment(l);
    l->in_angles = in_angles;
    if (!l->panic && !(cu_is(l->at, ">>") && cu_is(l->at->next, ">")))
        cu_bad(l, l->at->place, "expected '>>>' after the size of a launch, saw '%.*s'",
               STR_ARG(l->at->text));
    if (l->panic) return false;
    l->at = l->at->next->next;
    three(l, grid, values);
    three(l, block, values + 3);
    const CuType *pointer = cu_pointer(l->arena, cu_type(CU_VOID));
    if (cu_is_integer(stream.type) && !stream.is_null) pointer = cu_type(CU_INT); /* is refused */
    stream = cu_convert(l, stream, pointer, "the stream of a launch");
    values[6] = cu_convert(l, bytes, cu_type(CU_ULONG), "the bytes of a launch").value;
    values[7] = cu_cast_to(l, stream, cu_pointer(l->arena, cu_type(CU_VOID))).value;
    return !l->panic;
}

/* "reduce<float, 256>", of what the parameters of a template are in this call. */
static Str kernel_name(CuLower *l, const CuDecl *decl, const CuSignature *signature) {
    CuTemplate params;
    CuKernel at = {.name = decl->name, .span = cu_span(decl->at->place), .decl = decl};
    Str plain = cu_kernel_name(l->arena, l->module, &at);
    if (!decl->templates || !cu_template(l, decl, &params) || !params.count) return plain;
    CuArg *args = arena_array(l->arena, CuArg, params.count);
    for (int i = 0; i < params.count; i++) {
        const CuName *name = signature->scope->names;
        while (name && !str_equal(name->name, params.params[i].name)) name = name->next;
        if (!name) BUG("a parameter of a template that is not bound");
        args[i] = (CuArg){.type = name->val.type, .is_value = name->kind != NAME_TYPE};
        if (name->kind == NAME_FUNCTION)
            args[i].function = name->decl;
        else if (args[i].is_value)
            args[i].bits = constant_bits(name->val.value->def);
    }
    return cu_args_name(l->arena, plain, (CuArgs){params.count, args});
}

/* A struct is passed as its parts, as the kernel takes it. */
static void argument(CuLower *l, const CuParamDecl *param, CuVal val, Values *values) {
    const CuType *type = param->type ? cu_plain(l->arena, param->type) : NULL;
    CuParts parts = {0};
    if (!type || param->is_reference) {
        cu_unsupported(l, val.place, "an argument of a launch by reference, or of type 'auto'");
        return;
    }
    val = cu_convert(l, val, type, "this argument");
    if (l->panic || !cu_parts(l, param, &parts)) return;
    for (int k = 0; k < parts.count; k++) {
        const CuPart *part = &parts.data[k];
        Value *at = val.value;
        if (type->kind == CU_STRUCT)
            at = cu_load_from(l, cu_offset(l, val.value, part->offset, part->type), part->type);
        vec_push(l->arena, values, at);
    }
}

/* A kernel that is named and not launched: cudaFuncSetAttribute(kernel, ..) asks for no more. */
CuVal cu_kernel_value(CuLower *l, CuPlace place) {
    const CuType *type = cu_pointer(l->arena, cu_type(CU_VOID));
    return made(type, cu_int(l, type, 0), place);
}

CuVal cu_launch(CuLower *l, const CuCallee *callee) {
    enum { CONFIGURATION = 8 };
    Value *launch[CONFIGURATION];
    CuSignature signature;
    CuVal *args;
    int count;
    CuPlace place = callee->place;
    CuPlace open = l->at->place;
    l->at = l->at->next->next;
    if (!configuration(l, launch, open)) return cu_poison(l, place);
    if (!cu_expect(l, "(", "after the size of a launch")) return cu_poison(l, place);
    if (!cu_arguments(l, ")", &count, &args)) return cu_poison(l, place);
    const CuDecl *decl = cu_resolve(l, callee, count, args, &signature, false);
    if (!decl) return cu_poison(l, place);
    if (!decl->is_kernel)
        return cu_bad(l, place, "'%.*s' is launched and no kernel", STR_ARG(decl->name));
    if (count < signature.num_params)
        return cu_unsupported(l, place, "a launch that leaves arguments out");
    Values values = {0};
    for (int i = 0; i < CONFIGURATION; i++) vec_push(l->arena, &values, launch[i]);
    for (int i = 0; i < count && !l->panic; i++)
        argument(l, &signature.params[i], args[i], &values);
    if (l->panic) return cu_poison(l, place);
    l->b.span = cu_span(place);
    Op *op = build_op(&l->b, OP_CALL, values.count, values.data, 0, NULL, 0, NULL);
    call_set_name(op, kernel_name(l, decl, &signature));
    call_set_launches(op, 1);
    return made(cu_type(CU_VOID), NULL, place);
}

/* ---- new and delete: l->at is behind the word ---- */

static CuVal allocated(CuLower *l, const CuType *type, CuVal count, bool is_array, CuPlace place) {
    const CuType *size = cu_type(CU_ULONG), *flag = cu_type(CU_INT);
    CuVal args[] = {cu_convert(l, count, size, "the size of an array"),
                    made(size, cu_int(l, size, cu_size(type)), place),
                    made(flag, cu_int(l, flag, is_array), place)};
    if (l->panic) return cu_poison(l, place);
    return cu_cast_to(l, cu_call_library(l, "__tern_new", 3, args, place),
                      cu_pointer(l->arena, type));
}

/* new T, new T(1, 2), new T{1, 2}, new T[n] */
CuVal cu_new(CuLower *l, CuPlace place) {
    CuSpecifiers s;
    CuDeclarator d;
    CuVal *args;
    int count;
    if (!cu_specifiers(l, &s) || !cu_result_declarator(l, s.type, &d)) return cu_poison(l, place);
    if (!d.type) return cu_bad(l, place, "'auto' where a type must be written");
    const CuType *type = cu_plain(l->arena, d.type), *size = cu_type(CU_ULONG);
    cu_complete(l, type);
    if (cu_accept(l, "[")) {
        CuVal many = cu_value(l, cu_expression(l));
        cu_expect(l, "]", "after the size of an array");
        if (!l->panic && !cu_begins_empty(l, type))
            cu_unsupported(l, place, "an array of objects with constructors by 'new'");
        if (cu_accept(l, "(")) cu_expect(l, ")", "after 'new T[n]('"); /* zeros, which it is */
        if (cu_is(l->at, "{") && cu_is(l->at->next, "}")) l->at = l->at->next->next;
        return l->panic ? cu_poison(l, place) : allocated(l, type, many, true, place);
    }
    CuVal made_at = allocated(l, type, made(size, cu_int(l, size, 1), place), false, place);
    if (l->panic) return made_at;
    if (cu_is(l->at, "{")) {
        cu_initialize(l, made_at.value, type);
    } else if (cu_accept(l, "(")) {
        if (!cu_arguments(l, ")", &count, &args)) return made_at;
        if (type->kind == CU_STRUCT)
            cu_construct(l, made_at.value, type, count, args, place);
        else if (count == 1)
            cu_initialize_from(l, made_at.value, type, args[0], "this initial value");
        else if (count)
            cu_bad(l, place, "'%.*s' begins as %d values", STR_ARG(cu_name(l->arena, type)), count);
    } else {
        cu_initialize_empty(l, made_at.value, type);
    }
    return made_at;
}

CuVal cu_delete(CuLower *l, CuPlace place) {
    const char *name = "__tern_delete";
    if (cu_accept(l, "[")) {
        cu_expect(l, "]", "after 'delete ['");
        name = "__tern_delete_array";
    }
    CuVal at = cu_value(l, cu_unary(l));
    if (l->panic) return at;
    return cu_call_library(l, name, 1, &at, place);
}
