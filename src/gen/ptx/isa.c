// SPDX-License-Identifier: Apache-2.0
/* isa: the table of PTX as data, and its meanings on numbers; see isa.def. */
#include "gen/ptx/isa.h"

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
#define PTX_LANE4(name, text, r, a, b, c, d, class, sm, meaning)                                   \
    {#name, text, {PTX_##r, PTX_##a, PTX_##b, PTX_##c, PTX_##d}, 4, CLASS_##class, FOLD_NONE, sm},
#include "gen/ptx/isa.def"
};

static const struct {
    const char *c;
    RegClass class;
    PtxKind kind;
} types[] = {
#define TYPE(name, c, class, kind) {#c, CLASS_##class, PTX_##kind},
    PTX_TYPES(TYPE)
#undef TYPE
};

RegClass ptx_type_class(PtxType type) { return types[type].class; }
PtxKind ptx_type_kind(PtxType type) { return types[type].kind; }
const char *ptx_type_c(PtxType type) { return types[type].c; }

bool ptx_kinds_agree(PtxKind one, PtxKind other) {
    if (one == PTX_BYTE) return other == PTX_BYTE;
    if (other == PTX_BYTE) return one != PTX_FLOAT;
    return one == other || one == PTX_BITS || other == PTX_BITS;
}

PtxType ptx_type_in(Str mnemonic, PtxType type) {
    static const struct {
        const char *name;
        PtxType type;
    } names[] = {{".b16", PTX_b16}, {".u16", PTX_u16}, {".s16", PTX_s16}, {".b32", PTX_b32},
                 {".u32", PTX_u32}, {".s32", PTX_s32}, {".f32", PTX_f32}, {".b64", PTX_b64},
                 {".u64", PTX_u64}, {".s64", PTX_s64}, {".f64", PTX_f64}};
    if (mnemonic.length < 4) return type;
    Str suffix = {mnemonic.data + mnemonic.length - 4, 4};
    for (int i = 0; i < COUNT(names); i++)
        if (str_is(suffix, names[i].name))
            return ptx_type_class(names[i].type) == ptx_type_class(type) ? names[i].type : type;
    return type;
}

PtxType ptx_type_of(RegClass class, PtxNumber number) {
    static const PtxType by_class[][3] = {[CLASS_PRED] = {PTX_pred, PTX_pred, PTX_pred},
                                          [CLASS_B16] = {PTX_b16, PTX_u16, PTX_f16},
                                          [CLASS_B32] = {PTX_b32, PTX_u32, PTX_f32},
                                          [CLASS_B64] = {PTX_b64, PTX_u64, PTX_f64}};
    return by_class[class][number == NUMBER_BITS                             ? 0
                           : number == NUMBER_FLOAT || number == NUMBER_BF16 ? 2
                                                                             : 1];
}

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

static bool is_said(const PtxRow *row, const uint64_t *args) {
    if (row->fold != FOLD_DIV && row->fold != FOLD_REM) return true;
    bool wide = ptx_type_class((PtxType)row->types[1]) == CLASS_B64;
    bool is_signed = row->types[1] == PTX_s32 || row->types[1] == PTX_s64;
    uint64_t mask = wide ? UINT64_MAX : UINT32_MAX, a = args[0] & mask, b = args[1] & mask;
    return b && !(is_signed && b == mask && a == mask / 2 + 1);
}

#define SET(A, B, C, D)                                                                            \
    C_##A a = from_##A(args[0]);                                                                   \
    C_##B b = from_##B(args[1]);                                                                   \
    C_##C c = from_##C(args[2]);                                                                   \
    C_##D d = from_##D(args[3]);                                                                   \
    (void)a, (void)b, (void)c, (void)d
uint64_t ptx_meaning(TirOp op, const uint64_t args[MOST_LANE_OPERANDS]) {
    switch (op) {
#define PTX_LANE(name, text, R, A, B, C, class, sm, fold, meaning)                                 \
    case TIR_##name: {                                                                             \
        SET(A, B, C, none);                                                                        \
        return to_##R(meaning);                                                                    \
    }
#define PTX_LANE4(name, text, R, A, B, C, D, class, sm, meaning)                                   \
    case TIR_##name: {                                                                             \
        SET(A, B, C, D);                                                                           \
        return to_##R(meaning);                                                                    \
    }
#include "gen/ptx/isa.def"
    case NUM_TIR_OPS: break;
    }
    BUG("no such instruction");
}

bool ptx_eval(TirOp op, const uint64_t args[MOST_LANE_OPERANDS], uint64_t *result) {
    if (!is_said(&ptx_rows[op], args)) return false;
    *result = ptx_meaning(op, args);
    return true;
}

PtxMeaning ptx_meaning_text(TirOp op) {
    static const PtxMeaning texts[] = {
#define PTX_LANE(name, text, r, a, b, c, class, sm, fold, meaning)                                 \
    {{#r, #a, #b, #c, "none"}, #meaning},
#define PTX_LANE4(name, text, r, a, b, c, d, class, sm, meaning) {{#r, #a, #b, #c, #d}, #meaning},
#include "gen/ptx/isa.def"
    };
    return texts[op];
}
