// SPDX-License-Identifier: Apache-2.0
/* decode: the words of one instruction -> Ins. Mnemonics are matched whole (ops.def) or word by
 * word (memory, atomics); what is in neither way known is refused by its name. */
#include "device/sim/sim.h"

typedef enum TypeName {
    TYPE_NAME_none,
    TYPE_NAME_u16,
    TYPE_NAME_s16,
    TYPE_NAME_u32,
    TYPE_NAME_s32,
    TYPE_NAME_f32,
    TYPE_NAME_u64,
    TYPE_NAME_s64,
    TYPE_NAME_f64,
    TYPE_NAME_pred
} TypeName;

typedef struct LaneOp {
    const char *mnemonics;
    uint8_t types[4], class; /* result, a, b, c */
} LaneOp;

static const LaneOp lane_ops[] = {
#define SIM(name, text, d, a, b, c, class, meaning)                                                \
    {text, {TYPE_NAME_##d, TYPE_NAME_##a, TYPE_NAME_##b, TYPE_NAME_##c}, CLASS_##class},
#include "device/sim/ops.def"
#undef SIM
};

static bool refuse(Statement *s, const char *what) {
    diag_refused(s->diag, s->span, "%s in '%.*s' on device 'sim'", what, STR_ARG(s->mnemonic));
    return false;
}

static RegisterClass class_of(int type) {
    switch (type) {
    case TYPE_NAME_u16:
    case TYPE_NAME_s16: return REGISTER_16;
    case TYPE_NAME_pred: return REGISTER_PRED;
    case TYPE_NAME_u64:
    case TYPE_NAME_s64:
    case TYPE_NAME_f64: return REGISTER_64;
    default: return REGISTER_32;
    }
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

/* A source operand of a class; numbers and addresses of symbols become constants. */
static bool source(Statement *s, const Word *word, RegisterClass class, int32_t *operand) {
    if (word->in_brackets) return mismatch(s, word);
    if (word->kind == WORD_PREDICATE || word->kind == WORD_REGISTER) {
        RegisterClass is = word->kind == WORD_PREDICATE ? REGISTER_PRED : word->class;
        if (is != class || word->negated) return mismatch(s, word);
        *operand = word->place;
        return true;
    }
    bool symbol = word->kind == WORD_SYMBOL;
    if (class == REGISTER_PRED || (word->kind != WORD_NUMBER && !symbol)) return mismatch(s, word);
    if (symbol && class == REGISTER_32 && word->space == SPACE_GLOBAL) return mismatch(s, word);
    if (word->float_kind == 'f' && class != REGISTER_32) return mismatch(s, word);
    if (word->float_kind == 'd' && class != REGISTER_64) return mismatch(s, word);
    int64_t value = (int64_t)word->bits;
    if (class == REGISTER_32 && (value < INT32_MIN || value > UINT32_MAX)) return mismatch(s, word);
    if (class == REGISTER_16 && (value < INT16_MIN || value > UINT16_MAX)) return mismatch(s, word);
    *operand = constant(s, word->bits, class == REGISTER_64);
    return true;
}

static bool result(Statement *s, const Word *word, RegisterClass class, int32_t *place) {
    bool predicate = class == REGISTER_PRED;
    bool fits = predicate ? word->kind == WORD_PREDICATE
                          : word->kind == WORD_REGISTER && word->class == class;
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

static const char class_letters[] = "hrlp"; /* by RegisterClass */

/* The operands of an instruction by letters; a result if upper case. */
static bool take(Statement *s, Ins *ins, const char *letters) {
    int count = (int)strlen(letters), num_results = 0;
    if (!counted(s, count)) return false;
    int32_t *all = places(s, count);
    for (int i = 0; i < count; i++) {
        RegisterClass class =
            (RegisterClass)(strchr(class_letters, letters[i] | 32) - class_letters);
        bool is_result = !(letters[i] & 32);
        if (is_result ? !result(s, &s->words[i], class, &all[i])
                      : !source(s, &s->words[i], class, &all[i]))
            return false;
        num_results += is_result;
        if (!is_result && class == REGISTER_PRED)
            ins->predicate_operands |= (uint8_t)(1u << (i - num_results));
    }
    ins->results = all, ins->num_results = (uint8_t)num_results;
    ins->operands = all + num_results, ins->num_operands = (uint8_t)(count - num_results);
    return true;
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

static bool lane_op(Statement *s, Ins *ins, const LaneOp *op) {
    char text[5];
    int count = 0;
    for (int i = 0; i < 4 && (i == 0 || op->types[i]); i++) {
        char letter = class_letters[class_of(op->types[i])];
        text[count++] = i ? letter : (char)(letter - 32);
    }
    text[count] = 0;
    ins->op = (uint16_t)(op - lane_ops);
    ins->class = op->class;
    return take(s, ins, text);
}

static const char special_names[NUM_SPECIALS][16] = {
    "%tid.x",   "%tid.y",   "%tid.z",   "%ntid.x",   "%ntid.y",   "%ntid.z",
    "%ctaid.x", "%ctaid.y", "%ctaid.z", "%nctaid.x", "%nctaid.y", "%nctaid.z",
    "%laneid",  "%warpid",  "%smid",    "%clock",    "%clock64",  "%globaltimer",
};

static bool move_special(Statement *s, Ins *ins) {
    const Word *word = &s->words[1];
    bool wide = s->words[0].kind == WORD_REGISTER && s->words[0].class == REGISTER_64;
    for (int i = 0; i < NUM_SPECIALS; i++) {
        if (!str_is(word->text, special_names[i])) continue;
        if (wide != (i == SPECIAL_CLOCK64 || i == SPECIAL_TIMER)) return mismatch(s, word);
        int32_t *place = places(s, 1);
        if (!result(s, &s->words[0], wide ? REGISTER_64 : REGISTER_32, place)) return false;
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
    ins->op = packs ? wide ? SIM_PACK32 : SIM_PACK16 : wide ? SIM_UNPACK32 : SIM_UNPACK16;
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
                    ? word->class == REGISTER_64
                    : ins->space == SPACE_GLOBAL || ins->space == SPACE_GENERIC;
    bool may_be_narrow = ins->space == SPACE_SHARED || ins->space == SPACE_LOCAL;
    if (!wide && !may_be_narrow) return mismatch(s, word);
    if (word->kind == WORD_SYMBOL && word->space != (SimSpace)ins->space) return mismatch(s, word);
    if (word->kind == WORD_NUMBER) return mismatch(s, word);
    ins->wide_address = wide;
    ins->offset = word->offset;
    return source(s, &plain, wide ? REGISTER_64 : REGISTER_32, operand);
}

static RegisterClass element_class(const Ins *ins, const Word *word) {
    if (ins->bytes == 8) return REGISTER_64;
    if (ins->bytes == 4) return REGISTER_32;
    /* 8 and 16 bits may travel in wider registers. */
    return word->kind == WORD_REGISTER && word->class != REGISTER_64 ? word->class : REGISTER_32;
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
        return result(s, &s->words[0], element_class(ins, &s->words[0]), place);
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
        bool fine = load ? result(s, word, element_class(ins, word), &all[i])
                         : source(s, word, element_class(ins, word), &all[i + 1]);
        if (!fine) return false;
        bool wide_register = word->kind == WORD_REGISTER && word->class == REGISTER_64;
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
    if (count == 4 && !source(s, &s->words[3], REGISTER_32, &all[2])) return false;
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
    RegisterClass class = ins->bytes == 8   ? REGISTER_64
                          : ins->bytes == 4 ? REGISTER_32
                                            : REGISTER_16;
    ins->op = SIM_ATOMIC, ins->class = CLASS_MEMORY, ins->count = 1;
    note_width(s, ins);
    if (ins->acquires || ins->releases) s->program->synchronizes = true;
    if (returns && !result(s, &s->words[0], class, &all[0])) return false;
    if (!address_of(s, ins, &s->words[first], &all[first])) return false;
    for (int i = 1; i < count; i++)
        if (!source(s, &s->words[first + i], class, &all[first + i])) return false;
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
        if (!result(s, &s->words[i], REGISTER_32, &all[i])) return false;
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
    const LaneOp *op = map_get(&s->program->known_mnemonics, s->mnemonic);
    for (int i = 0; i < COUNT(lane_ops) && !op; i++)
        if (is_one_of(s->mnemonic, lane_ops[i].mnemonics) && i != SIM_PACK16 && i != SIM_PACK32)
            op = &lane_ops[i];
    if (!op) return control(s, ins);
    map_set(&s->program->known_mnemonics, s->mnemonic, (void *)(uintptr_t)op);
    return lane_op(s, ins, op);
}

bool sim_decode_call(Statement *s, Ins *ins, const char *letters) { return take(s, ins, letters); }
