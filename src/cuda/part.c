// SPDX-License-Identifier: Apache-2.0
/* part: what a kernel's parameter is passed as. A number or pointer is passed as it is; a struct
 * or an array, as the numbers and pointers in it, one argument for each:
 *
 *     struct In { int *p; float m[2]; };    in: in.0 (a pointer), in.1.0, in.1.1
 *
 * So they are to all devices what other parameters are; named and counted as a tuple's items. */
#include "cuda/front.h"

enum { MAX_PASSED = 1024 }; /* of one parameter; as many as CUDA allows floats, 4 KB */

typedef struct Walk {
    CuLower *l;
    const CuParamDecl *param;
    CuParts *parts;
} Walk;

static void add(const Walk *w, Str name, const CuType *type, int64_t offset) {
    CuLower *l = w->l;
    int64_t end = 0;
    if (type->kind == CU_STRUCT) cu_complete(l, type);
    if (l->panic) return;
    if (type->kind == CU_ARRAY) {
        for (int64_t i = 0; i < type->count && !l->panic; i++)
            add(w, str_format(l->arena, "%.*s.%d", STR_ARG(name), (int)i), type->of,
                offset + i * cu_size(type->of));
    } else if (type->kind == CU_STRUCT) {
        for (int i = 0; i < type->record->num_fields && !l->panic; i++) {
            const CuField *f = &type->record->fields[i];
            const CuType *of = f->is_reference ? cu_pointer(l->arena, f->type) : f->type;
            if (f->offset < end)
                cu_unsupported(l, w->param->place, "a kernel's parameter with a union, '%.*s'",
                               STR_ARG(cu_name(l->arena, type)));
            end = f->offset + cu_size(of);
            add(w, str_format(l->arena, "%.*s.%d", STR_ARG(name), i), of, offset + f->offset);
        }
    } else if (w->parts->count == MAX_PASSED) {
        cu_unsupported(l, w->param->place, "a kernel's parameter of more than %d numbers",
                       MAX_PASSED);
    } else {
        CuPart part = {name, cu_plain(l->arena, type), offset};
        vec_push(l->arena, w->parts, part);
    }
}

bool cu_parts(CuLower *l, const CuParamDecl *param, CuParts *parts) {
    add(&(Walk){l, param, parts}, param->name, param->type, 0);
    return !l->panic;
}
