// SPDX-License-Identifier: Apache-2.0
/* words: what is written where an instruction has its operands -> the operands: registers of the
 * right class, numbers that fit, which lie with the constants, as many of them and in such braces
 * as the form wants. */
#include "gen/ptx/read.h"

bool statement_refuse(Statement *s, const char *what) {
    diag_refused(s->diag, s->span, "%s in '%.*s' %s", what, STR_ARG(s->mnemonic),
                 s->program->where);
    return false;
}

int32_t constant_place(Statement *s, uint64_t bits, bool wide) {
    PtxProgram *p = s->program;
    char key[9];
    memcpy(key, &bits, sizeof bits);
    key[8] = (char)wide;
    uintptr_t known = (uintptr_t)map_get(&p->known_constants, (Str){key, sizeof key});
    if (known) return -(int32_t)known;
    int32_t place = p->constants.count / LANES;
    for (int i = 0; i < LANES; i++) {
        vec_push(s->arena, &p->constants, (uint32_t)bits);
        if (wide) vec_push(s->arena, &p->constants, (uint32_t)(bits >> 32));
    }
    map_set(&p->known_constants, str_copy(s->arena, (Str){key, sizeof key}),
            (void *)((uintptr_t)place + 1));
    return -1 - place;
}

bool word_mismatch(Statement *s, const Word *word) {
    diag_error(s->diag, s->span, "'%.*s' does not fit as an operand of '%.*s'", STR_ARG(word->text),
               STR_ARG(s->mnemonic));
    return false;
}

/* A number, or the address of a symbol, as an operand of a type. */
static bool number(Statement *s, const Word *word, PtxType type, int32_t *operand) {
    RegClass class = ptx_type_class(type);
    PtxKind kind = ptx_type_kind(type), is = word->float_kind ? PTX_FLOAT : PTX_INT;
    if (class == CLASS_PRED) return statement_refuse(s, "a number for a predicate");
    if (!ptx_kinds_agree(kind, is)) return word_mismatch(s, word);
    if (is == PTX_FLOAT && class == CLASS_B16) return word_mismatch(s, word);
    if (word->float_kind == '.' &&
        class == CLASS_B32) { /* 1.5: a double, rounded where it stands */
        *operand = constant_place(s, bits_of_float((float)double_of_bits(word->bits)), false);
        return kind == PTX_FLOAT || word_mismatch(s, word);
    }
    if (is == PTX_FLOAT && (word->float_kind == 'f') != (class == CLASS_B32)) {
        if (kind == PTX_FLOAT) return statement_refuse(s, "a float given in another precision");
        return word_mismatch(s, word);
    }
    if (is == PTX_INT && kind == PTX_FLOAT) return word_mismatch(s, word);
    int64_t value = (int64_t)word->bits;
    bool fits =
        class == CLASS_B64 || (class == CLASS_B32 ? value >= INT32_MIN && value <= UINT32_MAX
                                                  : value >= INT16_MIN && value <= UINT16_MAX);
    if (!fits && is == PTX_INT)
        return statement_refuse(s, "a number of more bits than its operand has");
    *operand = constant_place(s, word->bits, class == CLASS_B64);
    return true;
}

bool word_symbol(Statement *s, const Word *word, PtxType type, int32_t *operand) {
    RegClass class = ptx_type_class(type);
    bool wide = class == CLASS_B64;
    if (ptx_type_kind(type) == PTX_FLOAT || (!wide && class != CLASS_B32))
        return word_mismatch(s, word);
    if (!wide && word->space == SPACE_GLOBAL) return word_mismatch(s, word);
    *operand = constant_place(s, word->bits, wide);
    return true;
}

/* A source operand of a type. */
bool word_source(Statement *s, const Word *word, PtxType type, int32_t *operand) {
    if (word->in_brackets) return word_mismatch(s, word);
    if (word->kind == WORD_NUMBER) return number(s, word, type, operand);
    RegClass class = ptx_type_class(type);
    if (word->kind == WORD_SPECIAL) return statement_refuse(s, "a special register");
    if (word->kind == WORD_PREDICATE) {
        if (class != CLASS_PRED) return word_mismatch(s, word);
        if (word->negated) return statement_refuse(s, "a negated predicate");
    } else if (word->kind != WORD_REGISTER || word->negated || word->class != class ||
               !ptx_kinds_agree(word->declared, ptx_type_kind(type))) {
        return word_mismatch(s, word);
    }
    *operand = word->place;
    return true;
}

bool word_result(Statement *s, const Word *word, PtxType type, int32_t *place) {
    if (str_is(word->text, "_")) return statement_refuse(s, "'_' for a result");
    RegClass class = ptx_type_class(type);
    bool fits = class == CLASS_PRED ? word->kind == WORD_PREDICATE
                                    : word->kind == WORD_REGISTER && word->class == class &&
                                          ptx_kinds_agree(word->declared, ptx_type_kind(type));
    if (ptx_type_kind(type) == PTX_BYTE) fits = fits && word->declared == PTX_BYTE;
    if (!fits || word->in_brackets || word->negated) return word_mismatch(s, word);
    *place = word->place;
    return true;
}

bool words_counted(Statement *s, int want) {
    if (s->num_words == want) return true;
    diag_error(s->diag, s->span, "'%.*s' takes %d operands, not %d", STR_ARG(s->mnemonic), want,
               s->num_words);
    return false;
}

int32_t *operand_places(Statement *s, int count) {
    return arena_array(s->arena, int32_t, count ? count : 1);
}

bool words_grouped(Statement *s, int first, int count, bool braces) {
    int group = s->words[first].group;
    for (int i = 0; i < s->num_words; i++) {
        bool inside = i >= first && i < first + count;
        bool fits = inside ? s->words[i].group == group && (group != 0) == braces
                           : !group || s->words[i].group != group;
        if (!fits) return word_mismatch(s, &s->words[i]);
    }
    return true;
}

bool words_grouped_as(Statement *s, const char *sizes) {
    int first = 0;
    for (; *sizes; sizes++) {
        bool braces = *sizes == '{';
        int count = braces ? *++sizes - '0' : 1;
        if (first + count > s->num_words) return words_counted(s, first + count);
        if (!words_grouped(s, first, count, braces)) return false;
        first += count;
    }
    return true;
}

bool words_plain(Statement *s) {
    for (int i = 0; i < s->num_words; i++)
        if (s->words[i].group || s->words[i].before_bar) return word_mismatch(s, &s->words[i]);
    return true;
}

bool operands_take_types(Statement *s, Ins *ins, const PtxType *types, int count, int num_results) {
    if (!words_counted(s, count)) return false;
    int32_t *all = operand_places(s, count);
    for (int i = 0; i < count; i++) {
        bool is_result = i < num_results;
        if (is_result ? !word_result(s, &s->words[i], types[i], &all[i])
                      : !word_source(s, &s->words[i], types[i], &all[i]))
            return false;
        if (!is_result && types[i] == PTX_pred)
            ins->predicate_operands |= (uint8_t)(1u << (i - num_results));
    }
    ins->results = all, ins->num_results = (uint8_t)num_results;
    ins->operands = all + num_results, ins->num_operands = (uint8_t)(count - num_results);
    return true;
}

bool operands_take(Statement *s, Ins *ins, const char *letters) {
    PtxType types[32];
    int count = (int)strlen(letters), num_results = 0;
    for (int i = 0; i < count; i++) {
        char letter = (char)(letters[i] | 32);
        types[i] = letter == 'p'   ? PTX_pred
                   : letter == 'h' ? PTX_b16
                   : letter == 'r' ? PTX_b32
                   : letter == 'u' ? PTX_u32
                                   : PTX_b64;
        num_results += !(letters[i] & 32);
    }
    return operands_take_types(s, ins, types, count, num_results);
}
