// SPDX-License-Identifier: Apache-2.0
/* types: scalar types are constants of the program; pointers and tiles are interned by content, so
 * that equal types of one compilation are the same pointer. */
#include "ir/ir.h"

static const Type scalar_types[] = {
#define TYPE(kind_, text, bits, class) [TYPE_##kind_] = {.kind = TYPE_##kind_, .lanes = 1},
#include "ir/types.def"
#undef TYPE
};

static const struct TypeInfo {
    const char *text;
    int bits;
    TypeClass class;
} type_infos[NUM_TYPE_KINDS] = {
#define TYPE(kind, text, bits, class) [TYPE_##kind] = {text, bits, class},
#include "ir/types.def"
#undef TYPE
    [TYPE_PTR] = {"ptr", 64, TYPE_CLASS_PTR},
    [TYPE_TILE] = {"tile", 0, TYPE_CLASS_TILE},
};

struct TypeTable {
    Arena *arena;
    Map types; /* bytes of a TypeKey -> Type */
};

typedef struct TypeKey {
    const Type *elem;
    int rank;                /* 0: pointer */
    int shape[MAX_RANK + 1]; /* one more: no padding */
} TypeKey;
_Static_assert(sizeof(TypeKey) == sizeof(void *) + (MAX_RANK + 2) * sizeof(int), "no padding");

TypeTable *types_new(Arena *arena) {
    TypeTable *types = arena_new_of(arena, TypeTable);
    *types = (TypeTable){.arena = arena, .types = {.arena = arena}};
    return types;
}

const Type *type_scalar(TypeKind kind) {
    if (kind >= TYPE_PTR) BUG("not a scalar type: %d", (int)kind);
    return &scalar_types[kind];
}

static const Type *type_intern(TypeTable *types, Type wanted) {
    TypeKey key = {.elem = wanted.elem, .rank = wanted.rank};
    memcpy(key.shape, wanted.shape, sizeof wanted.shape);
    Str text = {(const char *)&key, (int)sizeof key};
    Type *found = map_get(&types->types, text);
    if (found) return found;
    found = arena_new_of(types->arena, Type);
    *found = wanted;
    map_set(&types->types, str_copy(types->arena, text), found);
    return found;
}

const Type *type_ptr(TypeTable *types, const Type *elem) {
    return type_intern(types, (Type){.kind = TYPE_PTR, .elem = elem, .lanes = 1});
}

const Type *type_tile(TypeTable *types, const Type *elem, int rank, const int *shape) {
    if (rank == 0) return elem;
    if (rank < 0 || rank > MAX_RANK || elem->kind == TYPE_TILE) BUG("not a tile: rank %d", rank);
    Type type = {.kind = TYPE_TILE, .elem = elem, .rank = rank, .lanes = 1};
    for (int i = 0; i < rank; i++) {
        if (shape[i] < 1 || shape[i] > MAX_LANES / type.lanes) BUG("tile of too many lanes");
        type.shape[i] = shape[i];
        type.lanes *= shape[i];
    }
    return type_intern(types, type);
}

const Type *type_with_elem(TypeTable *types, const Type *like, const Type *elem) {
    return type_tile(types, elem, like->rank, like->shape);
}

bool type_is_tile(const Type *type) { return type->kind == TYPE_TILE; }

const Type *type_lane(const Type *type) { return type->kind == TYPE_TILE ? type->elem : type; }

static const struct TypeInfo *lane_info(const Type *type) {
    return &type_infos[type_lane(type)->kind];
}

bool type_is_int(const Type *type) { return lane_info(type)->class == TYPE_CLASS_INT; }
bool type_is_float(const Type *type) { return lane_info(type)->class == TYPE_CLASS_FLOAT; }
bool type_is_ptr(const Type *type) { return lane_info(type)->class == TYPE_CLASS_PTR; }
bool type_is_bool(const Type *type) { return type_lane(type)->kind == TYPE_I1; }
int type_bits(const Type *type) { return lane_info(type)->bits; }
int type_size_bytes(const Type *type) { return (type_bits(type) + 7) / 8; }

bool type_same_shape(const Type *a, const Type *b) {
    return a->rank == b->rank && !memcmp(a->shape, b->shape, sizeof(int) * (size_t)a->rank);
}

bool float_kind_of(const Type *type, FloatKind *kind) {
    switch (type_lane(type)->kind) {
    case TYPE_F8E4M3: *kind = FLOAT_E4M3; return true;
    case TYPE_F8E5M2: *kind = FLOAT_E5M2; return true;
    case TYPE_F8E4B15: *kind = FLOAT_E4B15; return true;
    case TYPE_F16: *kind = FLOAT_F16; return true;
    case TYPE_BF16: *kind = FLOAT_BF16; return true;
    case TYPE_F32: *kind = FLOAT_F32; return true;
    case TYPE_F64: *kind = FLOAT_F64; return true;
    case TYPE_I1:
    case TYPE_I8:
    case TYPE_I16:
    case TYPE_I32:
    case TYPE_I64:
    case TYPE_PTR:
    case TYPE_TILE:
    case NUM_TYPE_KINDS: return false;
    }
    return false;
}

bool float_holds(const Type *wide, const Type *narrow) {
    TypeKind w = type_lane(wide)->kind, n = type_lane(narrow)->kind;
    if (w == n) return true;
    bool is_f8 = n == TYPE_F8E4M3 || n == TYPE_F8E5M2 || n == TYPE_F8E4B15;
    if (w == TYPE_F16 || w == TYPE_BF16) return is_f8;
    if (w == TYPE_F32) return is_f8 || n == TYPE_F16 || n == TYPE_BF16;
    return w == TYPE_F64;
}

void type_print(Buf *out, const Type *type) {
    if (type->kind == TYPE_PTR) {
        buf_puts(out, "ptr<");
        type_print(out, type->elem);
        buf_putc(out, '>');
    } else if (type->kind == TYPE_TILE) {
        buf_puts(out, "tile<");
        for (int i = 0; i < type->rank; i++) buf_printf(out, "%dx", type->shape[i]);
        type_print(out, type->elem);
        buf_putc(out, '>');
    } else {
        buf_puts(out, type_infos[type->kind].text);
    }
}

Str type_str(Arena *arena, const Type *type) {
    Buf out = {.arena = arena};
    type_print(&out, type);
    return buf_str(&out);
}
