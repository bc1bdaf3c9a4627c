// SPDX-License-Identifier: Apache-2.0
/* isa: the table of PTX as data, and its meanings on numbers; see isa.def. */
#include "gen/ptx/isa.h"

#include "gen/ptx/number.h"

#define GIVEN(type) (PTX_##type != PTX_none)

const PtxRow ptx_rows[NUM_TIR_OPS] = {
#define PTX_LANE(name, text, d, a, b, c, class, sm, fold, meaning)                                 \
    {#name,                                                                                        \
     text,                                                                                         \
     {PTX_##d, PTX_##a, PTX_##b, PTX_##c},                                                         \
     GIVEN(a) + GIVEN(b) + GIVEN(c),                                                               \
     CLASS_##class,                                                                                \
     FOLD_##fold,                                                                                  \
     sm},
#include "gen/ptx/isa.def"
};

static const struct {
    RegClass class;
    PtxKind kind;
} types[] = {
#define TYPE(name, c, class, kind) {CLASS_##class, PTX_##kind},
    PTX_TYPES(TYPE)
#undef TYPE
};

RegClass ptx_type_class(PtxType type) { return types[type].class; }
PtxKind ptx_type_kind(PtxType type) { return types[type].kind; }

/* ---- forms ---- */

static const struct {
    const char *forms;
    PtxClass class;
    int least_sm;
} forms[NUM_PTX_FORMS] = {
#define PTX_FORM(name, forms, class, sm) {forms, CLASS_##class, sm},
#include "gen/ptx/isa.def"
};

static const struct {
    const char *place, *word;
    uint8_t field, value;
} mods[] = {
#define PTX_MOD(place, word, field, value) {#place, word, FIELD_##field, value},
#include "gen/ptx/mods.def"
};

/* The text to the next of the signs, taken from the front of `text`. */
static Str take_part(Str *text, const char *signs) {
    int length = 0;
    while (length < text->length && !strchr(signs, text->data[length])) length++;
    Str part = {text->data, length};
    text->data += length, text->length -= length;
    return part;
}

static void skip(Str *text, char sign) {
    while (text->length && *text->data == sign) text->data++, text->length--;
}

static bool match_place(Str place, Str word, PtxMatch *match) {
    for (int i = 0; i < COUNT(mods); i++) {
        if (!str_equal(place, str_of(mods[i].place)) || !str_equal(word, str_of(mods[i].word)))
            continue;
        match->values[mods[i].field] = mods[i].value;
        return true;
    }
    return false;
}

/* Each place takes the next word if it can; none needs to look further ahead. */
static bool match_form(Str form, Str mnemonic, PtxMatch *match) {
    Str word = take_part(&mnemonic, ".");
    memset(match->values, 0, sizeof match->values);
    for (skip(&form, ' '); form.length; skip(&form, ' ')) {
        Str place = take_part(&form, " ");
        bool optional = place.data[place.length - 1] == '?';
        place.length -= optional;
        bool is_place = place.data[0] >= 'A' && place.data[0] <= 'Z';
        bool fits =
            word.length && (is_place ? match_place(place, word, match) : str_equal(place, word));
        if (!fits && !optional) return false;
        if (!fits) continue;
        bool more = mnemonic.length > 0;
        skip(&mnemonic, '.');
        word = take_part(&mnemonic, ".");
        if (more && !word.length) return false; /* a dot, and nothing behind it */
    }
    return !word.length && !mnemonic.length;
}

bool ptx_match(Str mnemonic, PtxMatch *match) {
    for (int i = 0; i < NUM_PTX_FORMS; i++) {
        *match = (PtxMatch){(PtxForm)i, forms[i].class, forms[i].least_sm, {0}};
        Str all = str_of(forms[i].forms);
        while (all.length) {
            Str form = take_part(&all, ";");
            skip(&all, ';');
            if (match_form(form, mnemonic, match)) return true;
        }
    }
    return false;
}

/* ---- meanings ---- */

/* Of a number as it lies in a register. */
#define from_none(bits)   ((void)(bits), 0)
#define from_pred(bits)   ((bits) != 0)
#define from_b16(bits)    (uint16_t)(bits)
#define from_u16(bits)    (uint16_t)(bits)
#define from_s16(bits)    (int16_t)(bits)
#define from_f16(bits)    (uint16_t)(bits)
#define from_bf16(bits)   (uint16_t)(bits)
#define from_b32(bits)    (uint32_t)(bits)
#define from_u32(bits)    (uint32_t)(bits)
#define from_s32(bits)    (int32_t)(bits)
#define from_f32(bits)    float_of_bits((uint32_t)(bits))
#define from_tf32(bits)   (uint32_t)(bits)
#define from_bits32(bits) (uint32_t)(bits)
#define from_b64(bits)    (bits)
#define from_u64(bits)    (bits)
#define from_s64(bits)    (int64_t)(bits)
#define from_f64(bits)    double_of_bits(bits)

static uint64_t to_pred(bool x) { return x; }
static uint64_t to_u16(uint16_t x) { return x; }
static uint64_t to_u32(uint32_t x) { return x; }
static uint64_t to_u64(uint64_t x) { return x; }
static uint64_t to_f32(float x) { return x == x ? bits_of_float(x) : 0x7fffffff; }
static uint64_t to_f64(double x) { return x == x ? bits_of_double(x) : 0x7fffffffffffffff; }
#define to_b16    to_u16
#define to_f16    to_u16
#define to_bf16   to_u16
#define to_b32    to_u32
#define to_bits32 to_u32
#define to_tf32   to_u32
#define to_b64    to_u64

static bool is_said(const PtxRow *row, const uint64_t *args) {
    if (row->fold != FOLD_DIV && row->fold != FOLD_REM) return true;
    bool wide = ptx_type_class((PtxType)row->types[1]) == CLASS_B64;
    bool is_signed = row->types[1] == PTX_s32 || row->types[1] == PTX_s64;
    uint64_t mask = wide ? UINT64_MAX : UINT32_MAX, a = args[0] & mask, b = args[1] & mask;
    return b && !(is_signed && b == mask && a == mask / 2 + 1);
}

bool ptx_eval(TirOp op, const uint64_t *args, uint64_t *result) {
    if (!is_said(&ptx_rows[op], args)) return false;
    switch (op) {
#define PTX_LANE(name, text, d, A, B, C, class, sm, fold, meaning)                                 \
    case TIR_##name: {                                                                             \
        C_##A a = from_##A(args[0]);                                                               \
        C_##B b = from_##B(args[1]);                                                               \
        C_##C c = from_##C(args[2]);                                                               \
        (void)a, (void)b, (void)c;                                                                 \
        *result = to_##d(meaning);                                                                 \
        return true;                                                                               \
    }
#include "gen/ptx/isa.def"
    case NUM_TIR_OPS: break;
    }
    BUG("no such instruction");
}
