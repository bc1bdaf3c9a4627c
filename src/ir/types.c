// SPDX-License-Identifier: Apache-2.0
/* types: scalar types are constants of the program; pointers and tiles are interned by content, so
 * that equal types of one compilation are the same pointer. */
#include "ir/layout.h"

#include "ir/ir.h"

static const Type scalar_types[] = {
#define TYPE_INT(kind_, ...)   [TYPE_##kind_] = {.kind = TYPE_##kind_, .lanes = 1},
#define TYPE_FLOAT(kind_, ...) [TYPE_##kind_] = {.kind = TYPE_##kind_, .lanes = 1},
#include "base/dtypes.def"
};

static const struct TypeInfo {
    const char *text;
    int bits;
    TypeClass class;
    int format; /* FloatKind; -1: not a float */
} type_infos[NUM_TYPE_KINDS] = {
#define TYPE_INT(kind, text, bits, ...) [TYPE_##kind] = {text, bits, TYPE_CLASS_INT, -1},
#define TYPE_FLOAT(kind, text, bits, ...)                                                          \
    [TYPE_##kind] = {text, bits, TYPE_CLASS_FLOAT, FLOAT_##kind},
#include "base/dtypes.def"
    [TYPE_PTR] = {"ptr", 64, TYPE_CLASS_PTR, -1},
    [TYPE_TILE] = {"tile", 0, TYPE_CLASS_TILE, -1},
    [TYPE_RING] = {"ring", 0, TYPE_CLASS_RING, -1},
};

struct TypeTable {
    Arena *arena;
    Map types; /* bytes of a TypeKey and a shape, or of a ring's parts -> Type */
    VEC(const Place *) places;
};

/* Of a pointer or a tile; the shape follows it in the bytes of the key. */
typedef struct TypeKey {
    const Type *elem;
    const Place *place;
} TypeKey;

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
    TypeKey key = {.elem = wanted.elem, .place = wanted.place};
    char bytes[sizeof key + sizeof wanted.shape];
    size_t shape_bytes = sizeof *wanted.shape * (size_t)wanted.rank;
    memcpy(bytes, &key, sizeof key);
    memcpy(bytes + sizeof key, wanted.shape, shape_bytes);
    Str text = {bytes, (int)(sizeof key + shape_bytes)};
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
    if (rank < 0 || rank > MAX_RANK || elem->kind >= TYPE_TILE) BUG("not a tile: rank %d", rank);
    Type type = {.kind = TYPE_TILE, .elem = elem, .rank = rank, .lanes = 1};
    for (int i = 0; i < rank; i++) {
        if (shape[i] < 1 || shape[i] > MAX_LANES / type.lanes) BUG("tile of too many lanes");
        type.shape[i] = shape[i];
        type.lanes *= shape[i];
    }
    return type_intern(types, type);
}

const Type *type_with_elem(TypeTable *types, const Type *like, const Type *elem) {
    return type_placed(types, type_tile(types, elem, like->rank, like->shape), like->place);
}

/* The key has a byte more than its pointers: it is as long as no other type's. */
const Type *type_ring(TypeTable *types, int num_parts, const Type *const *parts) {
    Buf key = {.arena = types->arena};
    if (num_parts < 1 || num_parts > MAX_PARTS) BUG("a ring of %d parts", num_parts);
    buf_add(&key, (const char *)parts, sizeof *parts * (size_t)num_parts);
    buf_putc(&key, 'r');
    Type *found = map_get(&types->types, buf_str(&key));
    if (found) return found;
    const Type **copy = arena_array(types->arena, const Type *, num_parts);
    memcpy(copy, parts, sizeof *parts * (size_t)num_parts);
    found = arena_new_of(types->arena, Type);
    *found = (Type){.kind = TYPE_RING, .lanes = 1, .num_parts = num_parts, .parts = copy};
    map_set(&types->types, buf_str(&key), found);
    return found;
}

/* ---- places ---- */

const Type *type_placed(TypeTable *types, const Type *type, const Place *place) {
    if (type->kind != TYPE_TILE || type->place == place) return type;
    Type placed = *type;
    placed.place = place;
    return type_intern(types, placed);
}

static bool same_words(const uint32_t *a, const uint32_t *b, int count) {
    return !memcmp(a, b, sizeof *a * (size_t)count);
}

static bool same_place(const Place *a, const Place *b) {
    const Layout *x = &a->layout, *y = &b->layout;
    const Swizzle *s = &a->swizzle, *t = &b->swizzle;
    bool same = a->shared == b->shared && x->tile_bits == y->tile_bits && s->bits == t->bits &&
                s->vector == t->vector && same_words(s->image, t->image, s->bits);
    for (int kind = 0; kind < NUM_KINDS; kind++)
        same = same && x->num[kind] == y->num[kind] &&
               same_words(x->column[kind], y->column[kind], x->num[kind]);
    return same;
}

static const Place *place_intern(TypeTable *types, const Place *wanted) {
    for (int i = 0; i < types->places.count; i++)
        if (same_place(types->places.data[i], wanted)) return types->places.data[i];
    Place *place = arena_new_of(types->arena, Place);
    *place = *wanted;
    place->number = types->places.count;
    vec_push(types->arena, &types->places, place);
    return place;
}

const Place *place_registers(TypeTable *types, const Layout *layout) {
    return place_intern(types, &(Place){.layout = *layout});
}

const Place *place_shared(TypeTable *types, const Swizzle *swizzle) {
    return place_intern(types, &(Place){.shared = true, .swizzle = *swizzle});
}

const Place *place_at(const TypeTable *types, int number) {
    return number >= 0 && number < types->places.count ? types->places.data[number] : NULL;
}

const Layout *type_layout(const Type *type) {
    if (type->kind != TYPE_TILE) return NULL;
    if (!type->place || type->place->shared) BUG("a tile that is not in registers");
    return &type->place->layout;
}

/* ---- looking ---- */

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
    int format = lane_info(type)->format;
    if (format >= 0) *kind = (FloatKind)format;
    return format >= 0;
}

bool float_holds(const Type *wide, const Type *narrow) {
    FloatKind w, n;
    return float_kind_of(wide, &w) && float_kind_of(narrow, &n) && format_holds(w, n);
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
        if (type->place) buf_printf(out, ", #%d", type->place->number);
        buf_putc(out, '>');
    } else if (type->kind == TYPE_RING) {
        for (int i = 0; i < type->num_parts; i++) {
            buf_puts(out, i ? ", " : "ring<");
            type_print(out, type->parts[i]);
        }
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
