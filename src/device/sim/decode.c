// SPDX-License-Identifier: Apache-2.0
/* decode: the words of one instruction -> Ins. Mnemonics are matched whole (isa.def) or word by
 * word (memory, atomics); what is in neither way known is refused by its name. */
#include "device/sim/sim.h"

static bool refuse(Statement *s, const char *what) {
    diag_refused(s->diag, s->span, "%s in '%.*s' on device 'sim'", what, STR_ARG(s->mnemonic));
    return false;
}

/* ---- words ---- */

static int32_t constant(Statement *s, uint64_t bits, bool wide) {
    Program *p = s->program;
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

static bool mismatch(Statement *s, const Word *word) {
    diag_error(s->diag, s->span, "'%.*s' does not fit as an operand of '%.*s'", STR_ARG(word->text),
               STR_ARG(s->mnemonic));
    return false;
}

static bool kinds_agree(PtxKind one, PtxKind other) {
    return one == other || one == PTX_BITS || other == PTX_BITS;
}

/* A number, or the address of a symbol, as an operand of a type. */
static bool number(Statement *s, const Word *word, PtxType type, int32_t *operand) {
    RegClass class = ptx_type_class(type);
    PtxKind kind = ptx_type_kind(type), is = word->float_kind ? PTX_FLOAT : PTX_INT;
    if (class == CLASS_PRED) return refuse(s, "a number for a predicate");
    if (!kinds_agree(kind, is)) return mismatch(s, word);
    if (is == PTX_FLOAT && (word->float_kind == 'f') != (class == CLASS_B32)) {
        if (kind == PTX_FLOAT && class != CLASS_B16)
            return refuse(s, "a float given in another precision");
        return mismatch(s, word);
    }
    if (is == PTX_INT && kind == PTX_FLOAT) return mismatch(s, word);
    int64_t value = (int64_t)word->bits;
    bool fits =
        class == CLASS_B64 || (class == CLASS_B32 ? value >= INT32_MIN && value <= UINT32_MAX
                                                  : value >= INT16_MIN && value <= UINT16_MAX);
    if (!fits && is == PTX_INT) return refuse(s, "a number of more bits than its operand has");
    *operand = constant(s, word->bits, class == CLASS_B64);
    return true;
}

static bool symbol(Statement *s, const Word *word, PtxType type, int32_t *operand) {
    RegClass class = ptx_type_class(type);
    bool wide = class == CLASS_B64;
    if (ptx_type_kind(type) == PTX_FLOAT || (!wide && class != CLASS_B32)) return mismatch(s, word);
    if (!wide && word->space == SPACE_GLOBAL) return mismatch(s, word);
    *operand = constant(s, word->bits, wide);
    return true;
}

/* A source operand of a type. */
static bool source(Statement *s, const Word *word, PtxType type, int32_t *operand) {
    if (word->in_brackets) return mismatch(s, word);
    if (word->kind == WORD_NUMBER) return number(s, word, type, operand);
    RegClass class = ptx_type_class(type);
    if (word->kind == WORD_PREDICATE) {
        if (class != CLASS_PRED) return mismatch(s, word);
        if (word->negated) return refuse(s, "a negated predicate");
    } else if (word->kind != WORD_REGISTER || word->negated || word->class != class ||
               !kinds_agree(word->declared, ptx_type_kind(type))) {
        return mismatch(s, word);
    }
    *operand = word->place;
    return true;
}

static bool result(Statement *s, const Word *word, PtxType type, int32_t *place) {
    RegClass class = ptx_type_class(type);
    bool fits = class == CLASS_PRED ? word->kind == WORD_PREDICATE
                                    : word->kind == WORD_REGISTER && word->class == class &&
                                          kinds_agree(word->declared, ptx_type_kind(type));
    if (!fits || word->in_brackets || word->negated) return mismatch(s, word);
    *place = word->place;
    return true;
}

static bool counted(Statement *s, int want) {
    if (s->num_words == want) return true;
    diag_error(s->diag, s->span, "'%.*s' takes %d operands, not %d", STR_ARG(s->mnemonic), want,
               s->num_words);
    return false;
}

static int32_t *places(Statement *s, int count) {
    return arena_array(s->arena, int32_t, count ? count : 1);
}

/* The operands of an instruction by their types, results first. */
static bool take_types(Statement *s, Ins *ins, const PtxType *types, int count, int num_results) {
    if (!counted(s, count)) return false;
    int32_t *all = places(s, count);
    for (int i = 0; i < count; i++) {
        bool is_result = i < num_results;
        if (is_result ? !result(s, &s->words[i], types[i], &all[i])
                      : !source(s, &s->words[i], types[i], &all[i]))
            return false;
        if (!is_result && types[i] == PTX_pred)
            ins->predicate_operands |= (uint8_t)(1u << (i - num_results));
    }
    ins->results = all, ins->num_results = (uint8_t)num_results;
    ins->operands = all + num_results, ins->num_operands = (uint8_t)(count - num_results);
    return true;
}

/* The same by letters, a result in upper case: p, h 16 bits, r 32, l 64. */
static bool take(Statement *s, Ins *ins, const char *letters) {
    PtxType types[32];
    int count = (int)strlen(letters), num_results = 0;
    for (int i = 0; i < count; i++) {
        char letter = (char)(letters[i] | 32);
        types[i] = letter == 'p'   ? PTX_pred
                   : letter == 'h' ? PTX_b16
                   : letter == 'r' ? PTX_b32
                                   : PTX_b64;
        num_results += !(letters[i] & 32);
    }
    return take_types(s, ins, types, count, num_results);
}

/* ---- whole mnemonics ---- */

static bool is_one_of(Str word, const char *list) {
    while (*list) {
        size_t length = strcspn(list, " ");
        if (length == (size_t)word.length && !memcmp(list, word.data, length)) return true;
        list += length + (list[length] == ' ');
    }
    return false;
}

/* selp.f32 and selp.b32 are one row, but what they take is not the same. */
static PtxType type_in(Str mnemonic, PtxType type) {
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

static bool lane_op(Statement *s, Ins *ins, const PtxRow *row) {
    PtxType types[4];
    bool first = !strncmp(row->text, s->mnemonic.data, (size_t)s->mnemonic.length);
    for (int i = 0; i <= row->num_operands; i++)
        types[i] = first ? (PtxType)row->types[i] : type_in(s->mnemonic, (PtxType)row->types[i]);
    if (s->program->sm < row->least_sm) return refuse(s, "a target that is too old");
    ins->op = (uint16_t)(row - ptx_rows);
    ins->class = row->class;
    if (row->class == CLASS_CONVERT && s->num_words == 2 && s->words[1].kind == WORD_REGISTER &&
        ptx_type_kind(types[1]) == PTX_INT && s->words[1].class > ptx_type_class(types[1]))
        return refuse(s, "a register wider than its type");
    bool copies = ins->op == TIR_MOVE32 || ins->op == TIR_MOVE64;
    if (copies && s->num_words == 2 && s->words[1].kind == WORD_SYMBOL &&
        !s->words[1].in_brackets) {
        int32_t *all = places(s, 2);
        ins->results = all, ins->num_results = 1, ins->operands = all + 1, ins->num_operands = 1;
        return result(s, &s->words[0], types[0], &all[0]) &&
               symbol(s, &s->words[1], types[1], &all[1]);
    }
    return take_types(s, ins, types, 1 + row->num_operands, 1);
}

static const char special_names[NUM_SPECIALS][16] = {
    "%tid.x",   "%tid.y",   "%tid.z",   "%ntid.x",   "%ntid.y",   "%ntid.z",
    "%ctaid.x", "%ctaid.y", "%ctaid.z", "%nctaid.x", "%nctaid.y", "%nctaid.z",
    "%laneid",  "%warpid",  "%smid",    "%clock",    "%clock64",  "%globaltimer",
};

static bool move_special(Statement *s, Ins *ins) {
    const Word *word = &s->words[1];
    bool wide = s->words[0].kind == WORD_REGISTER && s->words[0].class == CLASS_B64;
    for (int i = 0; i < NUM_SPECIALS; i++) {
        if (!str_is(word->text, special_names[i])) continue;
        if (wide != (i == SPECIAL_CLOCK64 || i == SPECIAL_TIMER)) return mismatch(s, word);
        int32_t *place = places(s, 1);
        if (!result(s, &s->words[0], wide ? PTX_u64 : PTX_u32, place)) return false;
        ins->op = SIM_SPECIAL, ins->kind = (uint8_t)i, ins->class = CLASS_MOVE;
        ins->results = place, ins->num_results = 1;
        return true;
    }
    diag_refused(s->diag, s->span, "special register '%.*s' on device 'sim'", STR_ARG(word->text));
    return false;
}

/* mov.b32 r, {h, h} and back; mov of a special register. 1: done, 0: not such, -1: refused. */
static int move_special_form(Statement *s, Ins *ins) {
    if (!str_starts(s->mnemonic, "mov.")) return 0;
    int last = s->num_words - 1;
    if (s->num_words == 2 && s->words[1].kind == WORD_SPECIAL) return move_special(s, ins) ? 1 : -1;
    if (s->num_words != 3) return 0;
    bool wide = str_is(s->mnemonic, "mov.b64");
    if (!wide && !str_is(s->mnemonic, "mov.b32")) return 0;
    bool packs = s->words[1].group && s->words[last].group,
         unpacks = s->words[0].group && s->words[1].group;
    if (packs == unpacks) return 0;
    ins->class = CLASS_MOVE;
    ins->op = (uint16_t)(packs  ? wide ? TIR_PACK32 : TIR_PACK16
                         : wide ? SIM_UNPACK32
                                : SIM_UNPACK16);
    return take(s, ins, packs ? wide ? "Lrr" : "Rhh" : wide ? "RRl" : "HHr") ? 1 : -1;
}

/* ---- mnemonics word by word ---- */

typedef struct Suffixes {
    Str words[12];
    int count, at;
} Suffixes;

static Suffixes split(Str mnemonic) {
    Suffixes x = {0};
    int start = 0;
    for (int i = 0; i <= mnemonic.length && x.count < 12; i++) {
        if (i < mnemonic.length && mnemonic.data[i] != '.') continue;
        x.words[x.count++] = (Str){mnemonic.data + start, i - start};
        start = i + 1;
    }
    return x;
}

static bool next_is(Suffixes *x, const char *word) {
    if (x->at >= x->count || !str_is(x->words[x->at], word)) return false;
    x->at++;
    return true;
}

static bool element_type(Suffixes *x, Ins *ins) {
    static const struct {
        const char *name;
        uint8_t bytes, number;
    } types[] = {
        {"b8", 1, NUMBER_BITS},      {"u8", 1, NUMBER_UNSIGNED},  {"s8", 1, NUMBER_SIGNED},
        {"b16", 2, NUMBER_BITS},     {"u16", 2, NUMBER_UNSIGNED}, {"s16", 2, NUMBER_SIGNED},
        {"f16", 2, NUMBER_FLOAT},    {"bf16", 2, NUMBER_BF16},    {"b32", 4, NUMBER_BITS},
        {"u32", 4, NUMBER_UNSIGNED}, {"s32", 4, NUMBER_SIGNED},   {"f32", 4, NUMBER_FLOAT},
        {"b64", 8, NUMBER_BITS},     {"u64", 8, NUMBER_UNSIGNED}, {"s64", 8, NUMBER_SIGNED},
        {"f64", 8, NUMBER_FLOAT}};
    for (int i = 0; i < COUNT(types); i++)
        if (next_is(x, types[i].name)) {
            ins->bytes = types[i].bytes, ins->number = types[i].number;
            return true;
        }
    return false;
}

static void space_of(Suffixes *x, Ins *ins) {
    static const char *const names[] = {"", "global", "shared", "local"};
    for (int i = 1; i < COUNT(names); i++)
        if (next_is(x, names[i])) ins->space = (uint8_t)i;
    if (next_is(x, "shared::cta")) ins->space = SPACE_SHARED;
}

/* [register or symbol + offset] */
static bool address_of(Statement *s, Ins *ins, const Word *word, int32_t *operand) {
    Word plain = *word;
    if (!word->in_brackets) return mismatch(s, word);
    plain.in_brackets = false;
    bool wide = word->kind == WORD_REGISTER
                    ? word->class == CLASS_B64
                    : ins->space == SPACE_GLOBAL || ins->space == SPACE_GENERIC;
    bool may_be_narrow = ins->space == SPACE_SHARED || ins->space == SPACE_LOCAL;
    if (!wide && !may_be_narrow) return mismatch(s, word);
    if (word->kind == WORD_SYMBOL && word->space != (SimSpace)ins->space) return mismatch(s, word);
    if (word->kind == WORD_NUMBER) return mismatch(s, word);
    ins->wide_address = wide;
    ins->offset = word->offset;
    PtxType type = wide ? PTX_u64 : PTX_u32;
    return word->kind == WORD_SYMBOL ? symbol(s, &plain, type, operand)
                                     : source(s, &plain, type, operand);
}

static PtxType type_of(RegClass class, SimNumber number) {
    static const PtxType types[][3] = {[CLASS_PRED] = {PTX_pred, PTX_pred, PTX_pred},
                                       [CLASS_B16] = {PTX_b16, PTX_u16, PTX_f16},
                                       [CLASS_B32] = {PTX_b32, PTX_u32, PTX_f32},
                                       [CLASS_B64] = {PTX_b64, PTX_u64, PTX_f64}};
    return types[class][number == NUMBER_BITS                             ? 0
                        : number == NUMBER_FLOAT || number == NUMBER_BF16 ? 2
                                                                          : 1];
}

static RegClass element_class(const Ins *ins, const Word *word) {
    if (ins->bytes == 8) return CLASS_B64;
    if (ins->bytes == 4) return CLASS_B32;
    /* 8 and 16 bits may travel in wider registers. */
    return word->kind == WORD_REGISTER && word->class != CLASS_B64 ? word->class : CLASS_B32;
}

static PtxType element_type_of(const Ins *ins, const Word *word) {
    return type_of(element_class(ins, word), (SimNumber)ins->number);
}

static void note_width(Statement *s, const Ins *ins) {
    Program *p = s->program;
    if (ins->space == SPACE_SHARED && ins->bytes < p->smallest_shared)
        p->smallest_shared = ins->bytes;
    if (ins->space != SPACE_SHARED && ins->bytes < p->smallest_global)
        p->smallest_global = ins->bytes;
}

static bool load_param(Statement *s, Ins *ins, Suffixes *x) {
    if (!element_type(x, ins) || x->at != x->count) return refuse(s, "this form");
    if (!counted(s, 2)) return false;
    const Word *word = &s->words[1];
    int32_t *place = places(s, 1);
    for (int i = 0; i < s->program->params.count; i++) {
        if (!str_equal(s->program->params.data[i].name, word->text) || word->offset ||
            !word->in_brackets)
            continue;
        if (s->program->params.data[i].bytes != ins->bytes) return mismatch(s, word);
        ins->op = SIM_LOAD_PARAM, ins->class = CLASS_MEMORY, ins->offset = i;
        ins->results = place, ins->num_results = 1;
        return result(s, &s->words[0], element_type_of(ins, &s->words[0]), place);
    }
    diag_error(s->diag, s->span, "'%.*s' is not a parameter of the entry", STR_ARG(word->text));
    return false;
}

static bool access(Statement *s, Ins *ins) {
    Suffixes x = split(s->mnemonic);
    bool load = next_is(&x, "ld");
    if (!load) next_is(&x, "st");
    if (load && next_is(&x, "param")) return load_param(s, ins, &x);
    ins->is_volatile = next_is(&x, "volatile");
    if (!ins->is_volatile) {
        ins->acquires = load && next_is(&x, "acquire"),
        ins->releases = !load && next_is(&x, "release");
        ins->is_volatile = ins->acquires || ins->releases || next_is(&x, "relaxed");
        if (ins->is_volatile && !next_is(&x, "cta") && !next_is(&x, "gpu") && !next_is(&x, "sys"))
            return refuse(s, "this form of memory access");
        if (ins->acquires || ins->releases) s->program->synchronizes = true;
    }
    space_of(&x, ins);
    static const char *const hints[] = {"ca",
                                        "cg",
                                        "cs",
                                        "lu",
                                        "cv",
                                        "wb",
                                        "wt",
                                        "nc",
                                        "L1::evict_first",
                                        "L1::evict_last",
                                        "L1::no_allocate"}; /* about caches only */
    for (int i = 0; i < COUNT(hints); i++) next_is(&x, hints[i]);
    ins->count = next_is(&x, "v2") ? 2 : next_is(&x, "v4") ? 4 : 1;
    if (!element_type(&x, ins) || x.at != x.count) return refuse(s, "this form of memory access");
    bool sign = ins->number == NUMBER_SIGNED && ins->bytes < 4;
    if (ins->bytes * ins->count > 16) return refuse(s, "a vector of more than 16 bytes");
    if (!counted(s, ins->count + 1)) return false;
    int address = load ? ins->count : 0;
    int32_t *all = places(s, ins->count + 1);
    ins->op = load ? SIM_LOAD : SIM_STORE, ins->class = CLASS_MEMORY;
    note_width(s, ins);
    if (!address_of(s, ins, &s->words[address], &all[load ? ins->count : 0])) return false;
    ins->sign_extends = load && sign;
    for (int i = 0; i < ins->count; i++) {
        const Word *word = &s->words[load ? i : i + 1];
        bool fine = load ? result(s, word, element_type_of(ins, word), &all[i])
                         : source(s, word, element_type_of(ins, word), &all[i + 1]);
        if (!fine) return false;
        bool wide_register = word->kind == WORD_REGISTER && word->class == CLASS_B64;
        if (wide_register != (ins->bytes == 8)) return mismatch(s, word);
    }
    ins->results = all, ins->num_results = load ? ins->count : 0;
    ins->operands = all + ins->num_results,
    ins->num_operands = (uint8_t)(ins->count + 1 - ins->num_results);
    return true;
}

/* cp.async.{ca,cg}.shared.global{.L2::..} [to], [from], 4|8|16{, bytes to copy}; commit_group;
 * wait_group N; wait_all */
static bool copy(Statement *s, Ins *ins) {
    Suffixes x = split(s->mnemonic);
    if (s->program->sm < 80) return refuse(s, "a target that is too old");
    bool fine = next_is(&x, "cp") && next_is(&x, "async");
    ins->class = CLASS_MEMORY;
    if (fine && x.at + 1 == x.count && next_is(&x, "commit_group")) {
        ins->op = SIM_COPY_COMMIT;
        return counted(s, 0);
    }
    if (fine && x.at + 1 == x.count && next_is(&x, "wait_all")) {
        ins->op = SIM_COPY_WAIT, ins->offset = ALL_COPIES;
        return counted(s, 0);
    }
    if (fine && x.at + 1 == x.count && next_is(&x, "wait_group")) {
        if (!counted(s, 1)) return false;
        if (s->words[0].kind != WORD_NUMBER || s->words[0].bits > INT32_MAX)
            return mismatch(s, &s->words[0]);
        ins->op = SIM_COPY_WAIT, ins->offset = (int64_t)s->words[0].bits;
        return true;
    }
    bool large_only = !next_is(&x, "ca");
    fine = fine && (!large_only || next_is(&x, "cg")) &&
           (next_is(&x, "shared") || next_is(&x, "shared::cta")) && next_is(&x, "global");
    static const char *const hints[] = {"L2::64B", "L2::128B", "L2::256B"};
    for (int i = 0; i < COUNT(hints); i++) next_is(&x, hints[i]);
    if (!fine || x.at != x.count) return refuse(s, "this form");
    int count = s->num_words == 4 ? 4 : 3;
    if (!counted(s, count)) return false;
    uint64_t bytes = s->words[2].kind == WORD_NUMBER ? s->words[2].bits : 0;
    if (bytes != 16 && (large_only || (bytes != 4 && bytes != 8))) return mismatch(s, &s->words[2]);
    int32_t *all = places(s, 3);
    ins->op = SIM_COPY, ins->bytes = 4, ins->count = (uint8_t)(bytes / 4);
    ins->space = SPACE_GLOBAL;
    note_width(s, ins);
    if (!address_of(s, ins, &s->words[1], &all[1])) return false;
    ins->from_offset = ins->offset;
    ins->space = SPACE_SHARED;
    note_width(s, ins);
    if (!address_of(s, ins, &s->words[0], &all[0])) return false;
    if (count == 4 && !source(s, &s->words[3], PTX_u32, &all[2])) return false;
    ins->operands = all, ins->num_operands = (uint8_t)(count - 1);
    return true;
}

/* membar.gl, fence.acq_rel.gpu ..: among threads. Those between proxies are for what is not here.
 */
static bool fence(Statement *s, Ins *ins) {
    Suffixes x = split(s->mnemonic);
    bool old = next_is(&x, "membar");
    if (!old) next_is(&x, "fence");
    if (!old && !next_is(&x, "acq_rel")) next_is(&x, "sc");
    bool fine = next_is(&x, "cta") || next_is(&x, "sys") || next_is(&x, old ? "gl" : "gpu");
    if (!fine || x.at != x.count) return refuse(s, "this form");
    ins->op = SIM_FENCE, ins->class = CLASS_MEMORY;
    s->program->has_fences = s->program->synchronizes = true;
    return counted(s, 0);
}

static bool atomic_kind(Suffixes *x, Ins *ins) {
    static const char *const names[] = {"add", "and", "or",  "xor", "exch",
                                        "cas", "min", "max", "inc", "dec"};
    for (int i = 0; i < COUNT(names); i++)
        if (next_is(x, names[i])) {
            ins->kind = (uint8_t)i;
            return true;
        }
    return false;
}

/* What the machine has: PTX ISA 9.7.13.5. */
static bool atomic_exists(const Ins *ins) {
    bool is_float = ins->number == NUMBER_FLOAT || ins->number == NUMBER_BF16;
    switch ((SimAtomic)ins->kind) {
    case ATOMIC_AND:
    case ATOMIC_OR:
    case ATOMIC_XOR:
    case ATOMIC_EXCHANGE: return ins->bytes >= 4 && ins->number == NUMBER_BITS;
    case ATOMIC_CAS: return ins->bytes >= 2 && ins->number == NUMBER_BITS;
    case ATOMIC_ADD: return is_float || (ins->bytes >= 4 && ins->number != NUMBER_BITS);
    case ATOMIC_MIN:
    case ATOMIC_MAX: return ins->bytes >= 4 && !is_float && ins->number != NUMBER_BITS;
    case ATOMIC_INC:
    case ATOMIC_DEC: return ins->bytes == 4 && ins->number == NUMBER_UNSIGNED;
    }
    return false;
}

static bool atomic(Statement *s, Ins *ins) {
    Suffixes x = split(s->mnemonic);
    bool returns = next_is(&x, "atom");
    if (!returns) next_is(&x, "red");
    bool both = next_is(&x, "acq_rel");
    ins->acquires = both || next_is(&x, "acquire");
    ins->releases = both || (!ins->acquires && next_is(&x, "release"));
    if (!ins->acquires && !ins->releases) next_is(&x, "relaxed");
    if (!next_is(&x, "gpu") && !next_is(&x, "cta")) next_is(&x, "sys");
    space_of(&x, ins);
    if (!atomic_kind(&x, ins)) return refuse(s, "this operation");
    next_is(&x, "noftz");
    if (!element_type(&x, ins) || x.at != x.count || !atomic_exists(ins))
        return refuse(s, "this type");
    if (ins->space == SPACE_LOCAL) return refuse(s, "local memory");
    if (ins->number == NUMBER_BF16 && s->program->sm < 90) return refuse(s, "bf16 below sm_90");
    bool cas = ins->kind == ATOMIC_CAS;
    int first = returns ? 1 : 0, count = cas ? 3 : 2;
    if (!counted(s, first + count)) return false;
    int32_t *all = places(s, first + count);
    RegClass class = ins->bytes == 8 ? CLASS_B64 : ins->bytes == 4 ? CLASS_B32 : CLASS_B16;
    PtxType type = type_of(class, (SimNumber)ins->number);
    ins->op = SIM_ATOMIC, ins->class = CLASS_MEMORY, ins->count = 1;
    note_width(s, ins);
    if (ins->acquires || ins->releases) s->program->synchronizes = true;
    if (returns && !result(s, &s->words[0], type, &all[0])) return false;
    if (!address_of(s, ins, &s->words[first], &all[first])) return false;
    for (int i = 1; i < count; i++)
        if (!source(s, &s->words[first + i], type, &all[first + i])) return false;
    ins->results = all, ins->num_results = (uint8_t)first;
    ins->operands = all + first, ins->num_operands = (uint8_t)count;
    return true;
}

/* ---- across lanes ---- */

static bool shuffle(Statement *s, Ins *ins) {
    static const char *const names[] = {"shfl.sync.up.b32", "shfl.sync.down.b32",
                                        "shfl.sync.bfly.b32", "shfl.sync.idx.b32"};
    for (int i = 0; i < COUNT(names); i++) {
        if (!str_is(s->mnemonic, names[i])) continue;
        ins->op = SIM_SHUFFLE, ins->kind = (uint8_t)i, ins->class = CLASS_ACROSS;
        return take(s, ins, s->num_words == 6 ? "RPrrrr" : "Rrrrr");
    }
    return refuse(s, "this form");
}

static bool vote(Statement *s, Ins *ins) {
    static const char *const votes[] = {"vote.sync.all.pred", "vote.sync.any.pred",
                                        "vote.sync.uni.pred", "vote.sync.ballot.b32"};
    static const char *const reductions[] = {
        "add.s32", "and.b32", "or.b32", "xor.b32", "", "", "min.s32", "max.s32", "",
        "",        "add.u32", "",       "",        "", "", "",        "min.u32", "max.u32"};
    ins->class = CLASS_ACROSS;
    for (int i = 0; i < COUNT(votes); i++) {
        if (!str_is(s->mnemonic, votes[i])) continue;
        ins->op = SIM_VOTE, ins->kind = (uint8_t)i;
        return take(s, ins, i == VOTE_BALLOT ? "Rpr" : "Ppr");
    }
    for (int i = 0; i < COUNT(reductions); i++) {
        if (!reductions[i][0] || !str_starts(s->mnemonic, "redux.sync.")) continue;
        if (!str_is((Str){s->mnemonic.data + 11, s->mnemonic.length - 11}, reductions[i])) continue;
        ins->op = SIM_REDUX, ins->kind = (uint8_t)(i % 10),
        ins->number = i < 10 ? NUMBER_SIGNED : NUMBER_UNSIGNED;
        return take(s, ins, "Rrr");
    }
    if (str_is(s->mnemonic, "activemask.b32")) {
        ins->op = SIM_ACTIVE;
        return take(s, ins, "R");
    }
    return refuse(s, "this form");
}

/* ldmatrix.sync.aligned.m8n8.x4{.trans}.shared.b16 */
static bool ldmatrix(Statement *s, Ins *ins) {
    Suffixes x = split(s->mnemonic);
    bool fine = next_is(&x, "ldmatrix") && next_is(&x, "sync") && next_is(&x, "aligned") &&
                next_is(&x, "m8n8");
    ins->count = next_is(&x, "x4") ? 4 : next_is(&x, "x2") ? 2 : 1;
    fine = fine && (ins->count > 1 || next_is(&x, "x1"));
    ins->kind = next_is(&x, "trans");
    space_of(&x, ins);
    fine = fine && ins->space == SPACE_SHARED && next_is(&x, "b16") && x.at == x.count;
    if (!fine) return refuse(s, "this form");
    if (!counted(s, ins->count + 1)) return false;
    int32_t *all = places(s, ins->count + 1);
    ins->op = SIM_LDMATRIX, ins->class = CLASS_MEMORY, ins->bytes = 16;
    for (int i = 0; i < ins->count; i++)
        if (!result(s, &s->words[i], PTX_b32, &all[i])) return false;
    if (!address_of(s, ins, &s->words[ins->count], &all[ins->count])) return false;
    ins->results = all, ins->num_results = ins->count;
    ins->operands = all + ins->count, ins->num_operands = 1;
    return true;
}

static bool mma(Statement *s, Ins *ins) {
    static const struct {
        const char *name;
        int a, b, least_sm;
    } forms[] = {{"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 2, 1, 75},
                 {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 80},
                 {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2, 80},
                 {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 80},
                 {"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 4, 2, 80}};
    for (int i = 0; i < COUNT(forms); i++) {
        if (!str_is(s->mnemonic, forms[i].name)) continue;
        if (s->program->sm < forms[i].least_sm) return refuse(s, "a target that is too old");
        ins->op = SIM_MMA, ins->kind = (uint8_t)i, ins->class = CLASS_MMA;
        return take(s, ins, forms[i].a == 2 ? "RRRRrrrrrrr" : "RRRRrrrrrrrrrr");
    }
    return refuse(s, "this shape or type");
}

/* ---- control ---- */

static bool barrier(Statement *s, Ins *ins) {
    ins->op = SIM_BARRIER, ins->class = CLASS_CONTROL;
    if (s->num_words < 1 || s->num_words > 2) return refuse(s, "this form");
    for (int i = 0; i < s->num_words; i++)
        if (s->words[i].kind != WORD_NUMBER)
            return refuse(s, "a barrier whose number is in a register");
    uint64_t id = s->words[0].bits, count = s->num_words == 2 ? s->words[1].bits : 0;
    if (id >= MAX_BARRIERS || count > LANES * MAX_WARPS || count % LANES) {
        diag_error(s->diag, s->span,
                   "a block has barriers 0 to 15, each for a multiple of 32 threads");
        return false;
    }
    ins->offset = (int64_t)id, ins->count = (uint8_t)(count / LANES);
    return true;
}

static bool control(Statement *s, Ins *ins) {
    ins->class = CLASS_CONTROL;
    if (str_is(s->mnemonic, "ret") || str_is(s->mnemonic, "exit")) {
        ins->op = SIM_RETURN;
        return counted(s, 0);
    }
    if (str_is(s->mnemonic, "trap")) {
        ins->op = SIM_TRAP;
        return counted(s, 0);
    }
    if (str_is(s->mnemonic, "bar.warp.sync")) {
        ins->op = SIM_WARP_SYNC;
        return take(s, ins, "r");
    }
    if (is_one_of(s->mnemonic, "bar.sync barrier.sync.aligned bar.cta.sync"))
        return barrier(s, ins);
    return refuse(s, "an instruction outside the subset,");
}

bool sim_decode(Statement *s, Ins *ins) {
    int special = move_special_form(s, ins);
    if (special) return special > 0;
    Suffixes x = split(s->mnemonic);
    Str base = x.words[0];
    if (is_one_of(base, "ld st")) return access(s, ins);
    if (is_one_of(base, "atom red")) return atomic(s, ins);
    if (str_is(base, "shfl")) return shuffle(s, ins);
    if (is_one_of(base, "vote redux activemask")) return vote(s, ins);
    if (str_is(base, "mma")) return mma(s, ins);
    if (str_is(base, "ldmatrix")) return ldmatrix(s, ins);
    if (str_is(base, "cp")) return copy(s, ins);
    if (is_one_of(base, "fence membar")) return fence(s, ins);
    const PtxRow *row = map_get(&s->program->known_mnemonics, s->mnemonic);
    for (int i = 0; i < NUM_TIR_OPS && !row; i++)
        if (ptx_rows[i].fold != FOLD_PACK && is_one_of(s->mnemonic, ptx_rows[i].text))
            row = &ptx_rows[i];
    if (!row) return control(s, ins);
    map_set(&s->program->known_mnemonics, s->mnemonic, (void *)(uintptr_t)row);
    return lane_op(s, ins, row);
}

bool sim_decode_call(Statement *s, Ins *ins, const char *letters) { return take(s, ins, letters); }
