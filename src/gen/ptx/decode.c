// SPDX-License-Identifier: Apache-2.0
/* decode: the words of one instruction -> Ins. Mnemonics are rows and forms of isa.def; what it has
 * not is refused by its name. */
#include "gen/ptx/read.h"

/* ---- whole mnemonics ---- */

static bool is_one_of(Str word, const char *list) {
    while (*list) {
        size_t length = strcspn(list, " ");
        if (length == (size_t)word.length && !memcmp(list, word.data, length)) return true;
        list += length + (list[length] == ' ');
    }
    return false;
}

/* mov.pred p, -1 */
static bool set_predicate(Statement *s, Ins *ins) {
    const Word *word = &s->words[1];
    int32_t *all = operand_places(s, 3);
    if (word->float_kind) return word_mismatch(s, word);
    ins->op = TIR_NE32;
    ins->results = all, ins->num_results = 1, ins->operands = all + 1, ins->num_operands = 2;
    all[1] = constant_place(s, word->bits != 0, false), all[2] = constant_place(s, 0, false);
    return word_result(s, &s->words[0], PTX_pred, &all[0]);
}

/* A byte of a wider register, which lies at its low end. */
static void take_narrow(Statement *s, const PtxRow *row, PtxType type) {
    Word *word = &s->words[1];
    bool narrow = ptx_type_kind(type) == PTX_BYTE && word->class == CLASS_B32;
    if (row->class == CLASS_CONVERT && s->num_words == 2 && word->kind == WORD_REGISTER && narrow &&
        word->declared != PTX_FLOAT)
        word->class = CLASS_B16;
}

/* cvt.s64.s32 of a wide register: of its low half. */
static bool extend_low(Statement *s, Ins *ins) {
    int32_t *all = operand_places(s, 4);
    ins->op = TIR_BFE_S64;
    ins->results = all, ins->num_results = 1, ins->operands = all + 1, ins->num_operands = 3;
    all[2] = constant_place(s, 0, false), all[3] = constant_place(s, 32, false);
    return word_result(s, &s->words[0], PTX_s64, &all[0]) &&
           word_source(s, &s->words[1], PTX_u64, &all[1]);
}

static bool is_since(Statement *s, int version) {
    return s->program->version >= version ||
           statement_refuse(s, "a version of PTX that is too old");
}

static bool lane_op(Statement *s, Ins *ins, const PtxRow *row) {
    PtxType types[1 + MOST_LANE_OPERANDS];
    bool first = !strncmp(row->text, s->mnemonic.data, (size_t)s->mnemonic.length);
    for (int i = 0; i <= row->num_operands; i++) {
        bool amount = row->fold == FOLD_SHR && i == 2;
        types[i] = first || amount ? (PtxType)row->types[i]
                                   : ptx_type_in(s->mnemonic, (PtxType)row->types[i]);
    }
    if (s->program->sm < row->least_sm) return statement_refuse(s, "a target that is too old");
    if (s->num_words && s->words[0].before_bar && str_starts(s->mnemonic, "setp."))
        return statement_refuse(s, "a second result");
    ins->op = (uint16_t)(row - ptx_rows);
    ins->class = row->class;
    if (!words_plain(s)) return false;
    take_narrow(s, row, types[1]);
    bool looks_up = ins->op == TIR_LOP3;
    bool extracts = ins->op == TIR_BFE_S32 || ins->op == TIR_BFE_U32 || ins->op == TIR_BFE_S64 ||
                    ins->op == TIR_BFE_U64;
    int bytes_from = extracts                                       ? 2
                     : ins->op == TIR_BFI32 || ins->op == TIR_BFI64 ? 3
                     : looks_up                                     ? 4
                                                                    : s->num_words;
    for (int i = bytes_from; i < s->num_words; i++) {
        bool is_number = s->words[i].kind == WORD_NUMBER;
        if (is_number ? s->words[i].bits > 255 : looks_up) return word_mismatch(s, &s->words[i]);
    }
    if (ins->op == TIR_SEXT && s->num_words == 2 && s->words[1].class == CLASS_B64)
        return extend_low(s, ins);
    if (row->class == CLASS_CONVERT && s->num_words == 2 && s->words[1].kind == WORD_REGISTER &&
        ptx_type_kind(types[1]) != PTX_BYTE && s->words[1].class > ptx_type_class(types[1]))
        return statement_refuse(s, "a register wider than its type");
    if (ins->op == TIR_MOVE_P && s->num_words == 2 && s->words[1].kind == WORD_NUMBER)
        return set_predicate(s, ins);
    bool copies = ins->op == TIR_MOVE32 || ins->op == TIR_MOVE64;
    if (ins->op == TIR_GENERIC_PARAM && !is_since(s, 77)) return false;
    if (copies && s->num_words == 2 && ptx_is_of_entry(s->program, &s->words[1])) {
        uint64_t map = ptx_address_of_map(s->program, &s->words[1]);
        if (!map || ins->op != TIR_MOVE64)
            return statement_refuse(s, "the address of a parameter or an entry");
        s->words[1] = (Word){.kind = WORD_NUMBER, .bits = map, .text = s->words[1].text};
    }
    if (copies && s->num_words == 2 && s->words[1].kind == WORD_SYMBOL &&
        !s->words[1].in_brackets) {
        int32_t *all = operand_places(s, 2);
        ins->results = all, ins->num_results = 1, ins->operands = all + 1, ins->num_operands = 1;
        return word_result(s, &s->words[0], types[0], &all[0]) &&
               word_symbol(s, &s->words[1], types[1], &all[1]);
    }
    return operands_take_types(s, ins, types, 1 + row->num_operands, 1);
}

/* clang-format off */
static const char special_names[NUM_SPECIALS][20] = {
    "%tid.x", "%tid.y", "%tid.z", "%ntid.x", "%ntid.y", "%ntid.z", "%ctaid.x", "%ctaid.y",
    "%ctaid.z", "%nctaid.x", "%nctaid.y", "%nctaid.z", "%laneid", "%warpid", "%smid", "%clock",
    "%clock64", "%globaltimer", "%globaltimer_lo", "%globaltimer_hi", "%cluster_ctarank", "%cluster_nctarank", "%clusterid.x", "%nclusterid.x",
};
/* clang-format on */

static bool move_workspace(Statement *s, Ins *ins, bool upper) {
    int32_t *all = operand_places(s, 2);
    uint64_t address = ptx_grid_workspace(s);
    ins->op = TIR_MOVE32, ins->class = CLASS_MOVE;
    ins->results = all, ins->num_results = 1, ins->operands = all + 1, ins->num_operands = 1;
    all[1] = constant_place(s, upper ? address >> 32 : (uint32_t)address, false);
    return word_result(s, &s->words[0], PTX_u32, &all[0]) && words_plain(s);
}

static bool move_special(Statement *s, Ins *ins, bool wide) {
    const Word *word = &s->words[1];
    bool upper = str_is(word->text, "%envreg1");
    if (!wide && !s->program->is_inline && (upper || str_is(word->text, "%envreg2")))
        return move_workspace(s, ins, upper);
    for (int i = 0; i < NUM_SPECIALS; i++) {
        if (!str_is(word->text, special_names[i])) continue;
        if (wide != (i == SPECIAL_CLOCK64 || i == SPECIAL_TIMER)) return word_mismatch(s, word);
        bool of_clusters = i >= SPECIAL_CLUSTER_RANK;
        if (of_clusters && s->program->sm < 90)
            return statement_refuse(s, "a target that is too old");
        if (of_clusters && !is_since(s, 78)) return false;
        int32_t *place = operand_places(s, 1);
        if (!word_result(s, &s->words[0], wide ? PTX_u64 : PTX_u32, place)) return false;
        ins->op = SIM_SPECIAL, ins->kind = (uint8_t)i, ins->class = CLASS_MOVE;
        ins->results = place, ins->num_results = 1;
        return words_plain(s);
    }
    diag_refused(s->diag, s->span, "special register '%.*s' %s", STR_ARG(word->text),
                 s->program->where);
    return false;
}

/* mov.b32 r, {b, b, b, b} and back. */
static int bytes(Statement *s, Ins *ins, bool unpacks) {
    static const PtxType types[][5] = {{PTX_b32, PTX_u8, PTX_u8, PTX_u8, PTX_u8},
                                       {PTX_u8, PTX_u8, PTX_u8, PTX_u8, PTX_b32}};
    for (int i = 0; i < 4; i++) {
        const Word *word = &s->words[unpacks ? i : i + 1];
        if (word->kind != WORD_REGISTER || word->declared != PTX_BYTE) {
            word_mismatch(s, word);
            return -1;
        }
    }
    ins->class = CLASS_MOVE;
    ins->op = unpacks ? SIM_UNPACK8 : SIM_PACK8;
    return words_grouped_as(s, unpacks ? "{41" : "1{4") &&
                   operands_take_types(s, ins, types[unpacks], 5, unpacks ? 4 : 1)
               ? 1
               : -1;
}

/* mov.b32 r, {h, h} and back; mov of a special register. 1: done, 0: not such, -1: refused. */
static int move_special_form(Statement *s, Ins *ins) {
    bool wide = is_one_of(s->mnemonic, "mov.b64 mov.u64 mov.s64");
    if (!wide && !is_one_of(s->mnemonic, "mov.b32 mov.u32 mov.s32")) return 0;
    if (s->num_words == 2 && s->words[1].kind == WORD_SPECIAL)
        return move_special(s, ins, wide) ? 1 : -1;
    bool unpacks = s->num_words > 0 && s->words[0].group != 0;
    if (s->num_words == 5 && is_one_of(s->mnemonic, "mov.b32")) return bytes(s, ins, unpacks);
    if (s->num_words != 3 || !is_one_of(s->mnemonic, "mov.b32 mov.b64")) return 0;
    if (!words_grouped_as(s, unpacks ? "{21" : "1{2")) return -1;
    ins->class = CLASS_MOVE;
    ins->op = (uint16_t)(!unpacks ? wide ? TIR_PACK32 : TIR_PACK16
                         : wide   ? SIM_UNPACK32
                                  : SIM_UNPACK16);
    return operands_take(s, ins, !unpacks ? wide ? "Lrr" : "Rhh" : wide ? "RRl" : "HHr") ? 1 : -1;
}

/* ---- forms ---- */

/* What a form's words say of the instruction. */
static void read_values(Statement *s, Ins *ins, const PtxMatch *match) {
    uint8_t order = match->values[FIELD_order], type = match->values[FIELD_type];
    ins->class = (uint8_t)match->class;
    ins->space = match->values[FIELD_space];
    ins->kind = match->values[FIELD_kind];
    ins->count = match->values[FIELD_count] ? match->values[FIELD_count] : 1;
    ins->bytes = type >> 4, ins->number = type & 15;
    ins->is_volatile = order != ORDER_NONE;
    ins->acquires = order == ORDER_ACQUIRE || order == ORDER_BOTH;
    ins->releases = order == ORDER_RELEASE || order == ORDER_BOTH;
    if (ins->acquires || ins->releases) s->program->synchronizes = true;
}

/* [register or symbol + offset] */
static bool address_of(Statement *s, Ins *ins, const Word *word, int32_t *operand) {
    Word plain = *word;
    if (!word->in_brackets) return word_mismatch(s, word);
    plain.in_brackets = false;
    bool wide = word->kind == WORD_REGISTER
                    ? word->class == CLASS_B64
                    : ins->space == SPACE_GLOBAL || ins->space == SPACE_GENERIC;
    if (word->kind == WORD_NUMBER && ins->space == SPACE_LOCAL)
        return statement_refuse(s, "a number for an address");
    if (word->kind == WORD_REGISTER && word->class == CLASS_B16)
        return statement_refuse(s, "an address of 16 bits");
    bool of_cluster = ins->space == SPACE_CLUSTER;
    bool may_be_narrow = ins->space == SPACE_SHARED || ins->space == SPACE_LOCAL || of_cluster;
    if (!wide && !may_be_narrow) return word_mismatch(s, word);
    PtxSpace declared = of_cluster ? SPACE_SHARED : (PtxSpace)ins->space;
    if (word->kind == WORD_SYMBOL && word->space != declared) return word_mismatch(s, word);
    if (word->kind == WORD_NUMBER) return word_mismatch(s, word);
    ins->wide_address = wide;
    ins->offset = word->offset;
    PtxType type = wide ? PTX_u64 : PTX_u32;
    return word->kind == WORD_SYMBOL ? word_symbol(s, &plain, type, operand)
                                     : word_source(s, &plain, type, operand);
}

static RegClass element_class(const Ins *ins, const Word *word) {
    if (ins->bytes == 8) return CLASS_B64;
    if (ins->bytes == 4) return CLASS_B32;
    /* 8 and 16 bits may travel in wider registers. */
    return word->kind == WORD_REGISTER && word->class != CLASS_B64 ? word->class : CLASS_B32;
}

static PtxType element_type_of(const Ins *ins, const Word *word) {
    return ptx_type_of(element_class(ins, word), (PtxNumber)ins->number);
}

static void note_width(Statement *s, const Ins *ins) {
    PtxProgram *p = s->program;
    bool shared = ins->space == SPACE_SHARED || ins->space == SPACE_CLUSTER;
    if (shared && ins->bytes < p->smallest_shared) p->smallest_shared = ins->bytes;
    if (!shared && ins->bytes < p->smallest_global) p->smallest_global = ins->bytes;
}

/* A part of a parameter that is several bytes; all of one that is a number. */
static bool load_param(Statement *s, Ins *ins) {
    if (!words_counted(s, ins->count + 1) || !words_grouped(s, 0, ins->count, ins->count > 1))
        return false;
    const Word *word = &s->words[ins->count];
    int32_t *all = operand_places(s, ins->count);
    int bytes = ins->bytes * ins->count;
    for (int i = 0; i < s->program->params.count; i++) {
        const SimParam *param = &s->program->params.data[i];
        if (!str_equal(param->name, word->text) || !word->in_brackets) continue;
        bool fits = param->is_array ? word->offset >= 0 && word->offset % bytes == 0 &&
                                          word->offset <= param->bytes - bytes
                                    : word->offset == 0 && param->bytes == bytes;
        if (!fits) return statement_refuse(s, "a part of a parameter, or more than one");
        ins->op = SIM_LOAD_PARAM, ins->offset = i, ins->from_offset = word->offset;
        ins->sign_extends = ins->number == NUMBER_SIGNED && ins->bytes < 4;
        ins->results = all, ins->num_results = ins->count;
        for (int k = 0; k < ins->count; k++)
            if (!word_result(s, &s->words[k], element_type_of(ins, &s->words[k]), &all[k]))
                return false;
        return true;
    }
    if (word->kind == WORD_REGISTER && word->in_brackets)
        return statement_refuse(s, "a parameter's address in a register");
    diag_error(s->diag, s->span, "'%.*s' is not a parameter of the entry", STR_ARG(word->text));
    return false;
}

static bool access(Statement *s, Ins *ins, bool load) {
    bool sign = ins->number == NUMBER_SIGNED && ins->bytes < 4;
    if (ins->bytes * ins->count > 16) return statement_refuse(s, "a vector of more than 16 bytes");
    if (!words_counted(s, ins->count + 1)) return false;
    int address = load ? ins->count : 0;
    int32_t *all = operand_places(s, ins->count + 1);
    if (!words_grouped(s, load ? 0 : 1, ins->count, ins->count > 1)) return false;
    ins->op = load ? SIM_LOAD : SIM_STORE;
    note_width(s, ins);
    if (!address_of(s, ins, &s->words[address], &all[load ? ins->count : 0])) return false;
    ins->sign_extends = load && sign;
    for (int i = 0; i < ins->count; i++) {
        const Word *word = &s->words[load ? i : i + 1];
        bool fine = load ? word_result(s, word, element_type_of(ins, word), &all[i])
                         : word_source(s, word, element_type_of(ins, word), &all[i + 1]);
        if (!fine) return false;
        bool is_wide = word->class == CLASS_B64;
        if (word->kind == WORD_REGISTER && is_wide != (ins->bytes == 8))
            return word_mismatch(s, word);
    }
    ins->results = all, ins->num_results = load ? ins->count : 0;
    ins->operands = all + ins->num_results,
    ins->num_operands = (uint8_t)(ins->count + 1 - ins->num_results);
    return true;
}

/* How many groups may be under way. */
static bool group_wait(Statement *s, Ins *ins, SimOp op) {
    if (!words_counted(s, 1)) return false;
    const Word *word = &s->words[0];
    if (word->kind != WORD_NUMBER || word->float_kind || word->bits > INT32_MAX)
        return word_mismatch(s, word);
    ins->op = (uint16_t)op, ins->offset = (int64_t)word->bits;
    return words_plain(s);
}

/* [to], [from], 4|8|16{, bytes to copy} */
static bool copy(Statement *s, Ins *ins, bool large_only) {
    int count = s->num_words == 4 ? 4 : 3;
    if (!words_counted(s, count) || !words_plain(s)) return false;
    uint64_t bytes = s->words[2].kind == WORD_NUMBER ? s->words[2].bits : 0;
    if (count == 4 && s->words[3].kind == WORD_NUMBER && s->words[3].bits > bytes)
        return word_mismatch(s, &s->words[3]);
    if (bytes != 16 && (large_only || (bytes != 4 && bytes != 8)))
        return word_mismatch(s, &s->words[2]);
    int32_t *all = operand_places(s, 3);
    ins->op = SIM_COPY, ins->bytes = 4, ins->count = (uint8_t)(bytes / 4);
    ins->space = SPACE_GLOBAL;
    note_width(s, ins);
    if (!address_of(s, ins, &s->words[1], &all[1])) return false;
    ins->from_offset = ins->offset;
    ins->space = SPACE_SHARED;
    note_width(s, ins);
    if (!address_of(s, ins, &s->words[0], &all[0])) return false;
    if (count == 4 && !word_source(s, &s->words[3], PTX_u32, &all[2])) return false;
    ins->operands = all, ins->num_operands = (uint8_t)(count - 1);
    return true;
}

static bool atomic(Statement *s, Ins *ins, bool returns) {
    bool cas = ins->kind == ATOMIC_CAS;
    int first = returns ? ins->count : 0, count = cas ? 3 : 1 + ins->count;
    if (!words_counted(s, first + count)) return false;
    bool vector = ins->count > 1;
    if (vector && returns && !words_grouped(s, 0, first, true)) return false;
    if (vector ? !words_grouped(s, first + 1, ins->count, true) : !words_plain(s)) return false;
    int32_t *all = operand_places(s, first + count);
    RegClass class = ins->bytes == 8 ? CLASS_B64 : ins->bytes == 4 ? CLASS_B32 : CLASS_B16;
    PtxType type = ptx_type_of(class, (PtxNumber)ins->number);
    ins->op = SIM_ATOMIC;
    ins->is_volatile = false;
    note_width(s, ins);
    for (int i = 0; i < first; i++)
        if (!word_result(s, &s->words[i], type, &all[i])) return false;
    if (!address_of(s, ins, &s->words[first], &all[first])) return false;
    for (int i = 1; i < count; i++)
        if (!word_source(s, &s->words[first + i], type, &all[first + i])) return false;
    ins->results = all, ins->num_results = (uint8_t)first;
    ins->operands = all + first, ins->num_operands = (uint8_t)count;
    return true;
}

/* ---- mbarriers ---- */

static bool has_word(Str mnemonic, const char *word) {
    Str w = str_of(word);
    for (int i = 0; i + w.length <= mnemonic.length; i++)
        if (str_starts((Str){mnemonic.data + i, mnemonic.length - i}, word)) return true;
    return false;
}

/* [object], and operands behind it. PTX ISA 9.7.13.15; the versions are those of ptxas. */
static bool mbarrier(Statement *s, Ins *ins, SimMbarrier kind) {
    static const struct {
        const char *word;
        int version;
    } since[] = {{".shared::cta", 78}, {".release", 80},   {".acquire", 80},
                 {".parity", 71},      {".expect_tx", 80}, {".try_wait", 78}};
    for (int i = 0; i < COUNT(since); i++)
        if (has_word(s->mnemonic, since[i].word) && !is_since(s, since[i].version)) return false;
    ins->op = SIM_MBARRIER, ins->kind = (uint8_t)kind;
    ins->bytes = 8, ins->count = 1;
    return words_plain(s);
}

/* The operands from the object on. */
static bool at_mbarrier(Statement *s, Ins *ins, int first, int count, PtxType second) {
    int32_t *all = operand_places(s, 2);
    if (!words_counted(s, first + count) || !address_of(s, ins, &s->words[first], &all[0]))
        return false;
    if (count > 1 && !word_source(s, &s->words[first + 1], second, &all[1])) return false;
    ins->operands = all, ins->num_operands = (uint8_t)count;
    return true;
}

static bool mbarrier_alone(Statement *s, Ins *ins, SimMbarrier kind, bool has_count) {
    return mbarrier(s, ins, kind) && at_mbarrier(s, ins, 0, 1 + has_count, PTX_u32);
}

static bool mbarrier_arrive_with(Statement *s, Ins *ins, bool bytes) {
    if (!mbarrier(s, ins, MBARRIER_ARRIVE)) return false;
    bool counts = s->num_words == 3;
    if (counts && s->program->sm < 90) return statement_refuse(s, "a target that is too old");
    if (counts && !is_since(s, 78)) return false;
    if (counts && !bytes && s->words[2].kind == WORD_NUMBER && !s->words[2].bits)
        return word_mismatch(s, &s->words[2]);
    int32_t *state = operand_places(s, 1);
    bool drops = s->num_words && str_is(s->words[0].text, "_");
    if (drops ? !is_since(s, 71) : s->num_words && !word_result(s, &s->words[0], PTX_b64, state))
        return false;
    ins->results = state, ins->num_results = !drops;
    return at_mbarrier(s, ins, 1, counts ? 2 : 1, PTX_u32);
}

static bool mbarrier_arrive_bytes(Statement *s, Ins *ins) {
    ins->number = 1;
    return words_counted(s, 3) && mbarrier_arrive_with(s, ins, true);
}

/* Of a box: words `first` .. of a statement, and nothing else in it is in braces. */
static bool coordinates(Statement *s, int first, int dims, int32_t *operands) {
    for (int i = 0; i < s->num_words; i++)
        if (s->words[i].is_coordinate != (i >= first && i < first + dims) ||
            (!s->words[i].is_coordinate && s->words[i].group))
            return word_mismatch(s, &s->words[i]);
    for (int d = 0; d < dims; d++)
        if (!word_source(s, &s->words[first + d], PTX_s32, &operands[d])) return false;
    return true;
}

static bool map_address(Statement *s, Ins *ins, const Word *map, int32_t *operand) {
    ins->space = SPACE_GENERIC;
    if (map->kind != WORD_REGISTER || map->offset) return word_mismatch(s, map);
    return address_of(s, ins, map, operand);
}

/* [to], [map, {coordinates}], [mbarrier]. PTX ISA 9.7.9.25.5.2. */
static bool bulk_tensor(Statement *s, Ins *ins, int version) {
    int dims = ins->count;
    if (!is_since(s, version) || !words_counted(s, 3 + dims)) return false;
    int32_t *all = operand_places(s, 3 + dims);
    const Word *to = &s->words[0], *map = &s->words[1], *barrier = &s->words[2 + dims];
    if ((to->kind == WORD_REGISTER && to->class == CLASS_B64) ||
        (barrier->kind == WORD_REGISTER && barrier->class == CLASS_B64))
        return statement_refuse(s, "an address of 64 bits");
    ins->op = SIM_BULK, ins->bytes = 16, ins->number = (uint8_t)dims, ins->count = 1;
    if (!coordinates(s, 2, dims, all + 3) || !map_address(s, ins, map, &all[1])) return false;
    ins->space = SPACE_SHARED;
    if (!address_of(s, ins, barrier, &all[2])) return false;
    ins->from_offset = ins->offset;
    if (!address_of(s, ins, to, &all[0])) return false;
    ins->operands = all, ins->num_operands = (uint8_t)(3 + dims);
    s->program->has_bulk = true;
    return true;
}

/* [map, {coordinates}], [from]. PTX ISA 9.7.9.25.5.2. */
static bool bulk_store(Statement *s, Ins *ins) {
    int dims = ins->count;
    if (!is_since(s, 80) || !words_counted(s, 2 + dims)) return false;
    int32_t *all = operand_places(s, 2 + dims);
    const Word *map = &s->words[0], *from = &s->words[1 + dims];
    if (from->kind == WORD_REGISTER && from->class == CLASS_B64)
        return statement_refuse(s, "an address of 64 bits");
    ins->op = SIM_BULK_STORE, ins->bytes = 16, ins->number = (uint8_t)dims, ins->count = 1;
    if (!coordinates(s, 1, dims, all + 2) || !map_address(s, ins, map, &all[1])) return false;
    ins->space = SPACE_SHARED;
    if (!address_of(s, ins, from, &all[0])) return false;
    ins->operands = all, ins->num_operands = (uint8_t)(2 + dims);
    s->program->has_bulk = true;
    return true;
}

static bool map_prefetch(Statement *s, Ins *ins) {
    int32_t *all = operand_places(s, 1);
    if (!is_since(s, 80) || !words_counted(s, 1) || !words_plain(s)) return false;
    ins->op = SIM_BULK, ins->kind = 1, ins->space = SPACE_GENERIC;
    ins->operands = all, ins->num_operands = 1;
    return address_of(s, ins, &s->words[0], &all[0]);
}

static bool mbarrier_wait(Statement *s, Ins *ins, bool may_give_up, bool by_parity) {
    ins->acquires = ins->kind != 0;
    if (!mbarrier(s, ins, MBARRIER_WAIT)) return false;
    int32_t *done = operand_places(s, 1), limit;
    bool limits = may_give_up && s->num_words == 4; /* time is not simulated */
    if (limits && !word_source(s, &s->words[3], PTX_u32, &limit)) return false;
    s->num_words -= limits;
    const Word *what = &s->words[2];
    if (by_parity && s->num_words == 3 && what->kind == WORD_NUMBER && what->bits > 1)
        return word_mismatch(s, what);
    ins->number = by_parity, ins->count = may_give_up;
    ins->results = done, ins->num_results = 1;
    return s->num_words && word_result(s, &s->words[0], PTX_pred, done) &&
           at_mbarrier(s, ins, 1, 2, by_parity ? PTX_u32 : PTX_b64);
}

static bool copy_arrive(Statement *s, Ins *ins, bool is_counted) {
    ins->number = is_counted;
    return mbarrier_alone(s, ins, MBARRIER_COPIES, false);
}

/* ---- across lanes ---- */

static bool shuffle(Statement *s, Ins *ins) {
    bool tells = s->num_words == 6; /* whether the lane was there */
    for (int i = 0; i < s->num_words; i++)
        if (s->words[i].group || s->words[i].before_bar != (tells && i == 0))
            return word_mismatch(s, &s->words[i]);
    ins->op = SIM_SHUFFLE;
    return operands_take(s, ins, tells ? "RPrrru" : "Rrrru");
}

static bool reduce(Statement *s, Ins *ins) {
    bool bits = ins->number == NUMBER_BITS;
    ins->op = SIM_REDUX;
    return words_plain(s) && operands_take(s, ins, bits ? "Rru" : "Uuu");
}

static bool ldmatrix(Statement *s, Ins *ins) {
    if (!words_counted(s, ins->count + 1) || !words_grouped(s, 0, ins->count, true)) return false;
    int32_t *all = operand_places(s, ins->count + 1);
    ins->op = SIM_LDMATRIX, ins->bytes = 16;
    for (int i = 0; i < ins->count; i++)
        if (!word_result(s, &s->words[i], PTX_b32, &all[i])) return false;
    if (!address_of(s, ins, &s->words[ins->count], &all[ins->count])) return false;
    ins->results = all, ins->num_results = ins->count;
    ins->operands = all + ins->count, ins->num_operands = 1;
    return true;
}

static bool stmatrix(Statement *s, Ins *ins) {
    if (!words_counted(s, ins->count + 1) || !words_grouped(s, 1, ins->count, true)) return false;
    int32_t *all = operand_places(s, ins->count + 1);
    ins->op = SIM_STMATRIX, ins->bytes = 16;
    if (!address_of(s, ins, &s->words[0], &all[0])) return false;
    for (int i = 0; i < ins->count; i++)
        if (!word_source(s, &s->words[1 + i], PTX_b32, &all[1 + i])) return false;
    ins->operands = all, ins->num_operands = (uint8_t)(ins->count + 1);
    return true;
}

static bool mma(Statement *s, Ins *ins, SimMma kind) {
    bool small = kind == MMA_F16_K8 || kind == MMA_S8_K16 || kind == MMA_U8_K16;
    ins->op = SIM_MMA, ins->kind = (uint8_t)kind;
    for (int i = 0; i < s->num_words; i++)
        if (str_is(s->words[i].text, "WARP_SZ"))
            return statement_refuse(s, "WARP_SZ");
        else if (s->words[i].kind == WORD_NUMBER)
            return word_mismatch(s, &s->words[i]);
    if (kind == MMA_F64_K4)
        return words_grouped_as(s, "{2{1{1{2") && operands_take(s, ins, "LLllll");
    return words_grouped_as(s, small ? "{4{2{1{4" : "{4{4{2{4") &&
           operands_take(s, ins, small ? "RRRRrrrrrrr" : "RRRRrrrrrrrrrr");
}

/* {sums}, a, b, scale-d, 1, 1, 0|1, 0|1: descriptors, then what is added to, negated (not of
 * integers), transposed (of 16 bits only). */
/* A of 16-bit elements may be in four registers, in braces; then only B may be transposed. */
static bool wgmma(Statement *s, Ins *ins, SimMma kind) {
    bool halves = kind == MMA_F16_K16 || kind == MMA_BF16_K16;
    int sums = 4 * ins->count, of_a = halves && s->num_words == sums + A_WORDS + 5 ? A_WORDS : 1;
    int flags = of_a > 1 ? 3 : halves ? 4 : kind == MMA_S8_K32 ? 0 : 2;
    int count = sums + of_a + 2 + flags;
    PtxType sum = kind == MMA_S8_K32 ? PTX_u32 : PTX_f32;
    if (!words_counted(s, count) || !words_grouped(s, 0, sums, true) ||
        !words_grouped(s, sums, of_a, of_a > 1))
        return false;
    int32_t *all = operand_places(s, sums + of_a + 2), *operands = all + sums;
    for (int i = 0; i < sums; i++)
        if (!word_result(s, &s->words[i], sum, &all[i])) return false;
    for (int i = 0; i < of_a; i++)
        if (!word_source(s, &s->words[sums + i], of_a > 1 ? PTX_b32 : PTX_u64,
                         &operands[i ? i + 2 : 0]))
            return false;
    const Word *rest = &s->words[sums + of_a];
    if (!word_source(s, &rest[0], PTX_u64, &operands[1]) ||
        !word_source(s, &rest[1], PTX_pred, &operands[2]))
        return false;
    ins->number = 0;
    for (int i = 0; i < flags; i++) {
        const Word *word = &rest[2 + i];
        if (word->kind != WORD_NUMBER || word->float_kind || word->bits > 1)
            return word_mismatch(s, word);
        if (i < 2 && !word->bits) return word_mismatch(s, word);
        if (i >= 2) ins->number |= (uint8_t)(word->bits << (of_a > 1 ? 1 : i - 2));
    }
    ins->op = SIM_WGMMA, ins->kind = (uint8_t)kind, ins->predicate_operands = 4;
    ins->results = all, ins->num_results = (uint8_t)sums;
    ins->operands = operands, ins->num_operands = (uint8_t)(of_a + 2);
    s->program->has_wgmma = true;
    return true;
}

/* ---- control ---- */

static bool barrier(Statement *s, Ins *ins) {
    ins->op = SIM_BARRIER;
    if (s->num_words < 1 || s->num_words > 2) return statement_refuse(s, "this form");
    bool is_named = s->words[0].kind == WORD_REGISTER; /* by a register */
    for (int i = 0; i < s->num_words; i++) {
        if (s->words[i].float_kind) return word_mismatch(s, &s->words[i]);
        if (s->words[i].kind != WORD_NUMBER && (i || !is_named))
            return statement_refuse(s, "a barrier whose number of threads is in a register");
    }
    if (is_named) {
        int32_t *operand = operand_places(s, 1);
        if (!word_source(s, &s->words[0], PTX_u32, operand)) return false;
        ins->operands = operand, ins->num_operands = 1;
    }
    uint64_t id = is_named ? 0 : s->words[0].bits, count = s->num_words == 2 ? s->words[1].bits : 0;
    if (id >= MAX_BARRIERS || count > LANES * MAX_WARPS || count % LANES) {
        diag_error(s->diag, s->span,
                   "a block has barriers 0 to 15, each for a multiple of 32 threads");
        return false;
    }
    ins->offset = (int64_t)id, ins->count = (uint8_t)(count / LANES);
    return words_plain(s);
}

static bool barrier_arrive(Statement *s, Ins *ins) {
    ins->kind = 1;
    return words_counted(s, 2) && (!has_word(s->mnemonic, ".cta") || is_since(s, 78)) &&
           barrier(s, ins);
}

/* PTX ISA 9.7.20.5: a multiple of 8. */
static bool registers(Statement *s, Ins *ins) {
    if (!words_counted(s, 1) || !is_since(s, 80)) return false;
    if (!s->program->is_special) return statement_refuse(s, "a target that is not sm_90a");
    const Word *word = &s->words[0];
    bool fits = word->kind == WORD_NUMBER && !word->float_kind && word->bits % 8 == 0 &&
                word->bits >= 24 && word->bits <= 256;
    if (!fits) return word_mismatch(s, word);
    ins->op = SIM_REGISTERS, ins->offset = (int64_t)word->bits;
    return words_plain(s);
}

/* One without operands. */
static bool alone(Statement *s, Ins *ins, SimOp op) {
    ins->op = (uint16_t)op;
    return words_counted(s, 0);
}

static bool bulk_group(Statement *s, Ins *ins, BulkGroup kind) {
    ins->kind = (uint8_t)kind;
    s->program->has_bulk = true;
    if (!is_since(s, 80)) return false;
    return kind == BULK_COMMIT ? alone(s, ins, SIM_BULK_GROUP) : group_wait(s, ins, SIM_BULK_GROUP);
}

static bool plain_take(Statement *s, Ins *ins, SimOp op, const char *letters) {
    ins->op = (uint16_t)op;
    return words_plain(s) && operands_take(s, ins, letters);
}

/* Time is not simulated: a branch to what follows. */
static bool sleeps(Statement *s, Ins *ins) {
    if (!plain_take(s, ins, SIM_BRANCH, "u")) return false;
    ins->offset = s->program->code.count + 1, ins->num_operands = 0;
    return true;
}

static bool elect(Statement *s, Ins *ins) {
    if (!is_since(s, 80) || !words_counted(s, 3)) return false;
    for (int i = 0; i < 3; i++)
        if (s->words[i].group || s->words[i].before_bar != (i == 0))
            return word_mismatch(s, &s->words[i]);
    int32_t *all = operand_places(s, 3);
    bool drops = str_is(s->words[0].text, "_");
    ins->op = SIM_ELECT;
    ins->results = all + drops, ins->num_results = (uint8_t)(2 - drops);
    ins->operands = all + 2, ins->num_operands = 1;
    return (drops || word_result(s, &s->words[0], PTX_b32, &all[0])) &&
           word_result(s, &s->words[1], PTX_pred, &all[1]) &&
           word_source(s, &s->words[2], PTX_u32, &all[2]);
}

/* ---- clusters ---- */

/* to, [variable or] address, rank */
static bool cluster_address(Statement *s, Ins *ins) {
    s->program->has_clusters = true;
    if (!is_since(s, 78) || !words_counted(s, 3) || !words_plain(s)) return false;
    int32_t *all = operand_places(s, 3);
    const Word *from = &s->words[1];
    bool is_symbol = from->kind == WORD_SYMBOL && !from->in_brackets;
    if (is_symbol && from->space != SPACE_SHARED) return word_mismatch(s, from);
    ins->op = SIM_CLUSTER_ADDRESS;
    ins->results = all, ins->num_results = 1, ins->operands = all + 1, ins->num_operands = 2;
    return word_result(s, &s->words[0], PTX_u32, &all[0]) &&
           (is_symbol ? word_symbol(s, from, PTX_u32, &all[1])
                      : word_source(s, from, PTX_u32, &all[1])) &&
           word_source(s, &s->words[2], PTX_u32, &all[2]);
}

static bool cluster_access(Statement *s, Ins *ins, bool load) {
    s->program->has_clusters = true;
    return is_since(s, 78) && access(s, ins, load);
}

/* The words of order came with PTX 8.0. */
static bool cluster_barrier(Statement *s, Ins *ins, SimOp op) {
    s->program->has_clusters = true;
    bool ordered = has_word(s->mnemonic, ".release") || has_word(s->mnemonic, ".relaxed") ||
                   has_word(s->mnemonic, ".acquire");
    return is_since(s, ordered ? 80 : 78) && alone(s, ins, op);
}

/* [to], values, [mbarrier]. PTX ISA 9.7.9.12. */
static bool send(Statement *s, Ins *ins) {
    int count = ins->count;
    int32_t *all = operand_places(s, count + 2);
    const Word *to = &s->words[0], *barrier = &s->words[count + 1];
    if (ins->bytes < 4) return statement_refuse(s, "this instruction or form");
    if (!is_since(s, 81) || !words_counted(s, count + 2)) return false;
    if (to->class == CLASS_B64 || barrier->class == CLASS_B64)
        return statement_refuse(s, "an address of 64 bits");
    if (barrier->kind != WORD_REGISTER || barrier->group) return word_mismatch(s, barrier);
    if (!address_of(s, ins, barrier, &all[count + 1])) return false;
    ins->from_offset = ins->offset, s->num_words--;
    if (!cluster_access(s, ins, false)) return false;
    if (to->kind != WORD_REGISTER) return word_mismatch(s, to);
    memcpy(all, ins->operands, sizeof *all * (size_t)(count + 1));
    ins->op = SIM_SEND, ins->operands = all, ins->num_operands++;
    return true;
}

/* For the engine of bulk copies, and for other blocks of the cluster. */
static bool mbarrier_fence(Statement *s, Ins *ins) {
    ins->kind = 1;
    return is_since(s, 80) && alone(s, ins, SIM_PROXY_FENCE);
}

static bool fence(Statement *s, Ins *ins) {
    s->program->has_fences = s->program->synchronizes = true;
    return alone(s, ins, SIM_FENCE);
}

static bool decode_form(Statement *s, Ins *ins, const PtxMatch *match) {
    if (s->program->sm < match->least_sm) return statement_refuse(s, "a target that is too old");
    read_values(s, ins, match);
    switch (match->form) {
    case INS_LOAD_PARAM: return load_param(s, ins);
    case INS_LOAD: return access(s, ins, true);
    case INS_STORE: return access(s, ins, false);
    case INS_ATOM:
    case INS_ATOM_VECTOR:
    case INS_ATOM_BF16: return atomic(s, ins, true);
    case INS_RED:
    case INS_RED_VECTOR:
    case INS_RED_BF16: return atomic(s, ins, false);
    case INS_COPY: return copy(s, ins, false);
    case INS_COPY_16: return copy(s, ins, true);
    case INS_COPY_COMMIT: return alone(s, ins, SIM_COPY_COMMIT);
    case INS_COPY_WAIT: return group_wait(s, ins, SIM_COPY_WAIT);
    case INS_COPY_WAIT_ALL: ins->offset = ALL_COPIES; return alone(s, ins, SIM_COPY_WAIT);
    case INS_FENCE: return fence(s, ins);
    case INS_PROXY_FENCE: return alone(s, ins, SIM_PROXY_FENCE);
    case INS_MBARRIER_INIT: return mbarrier_alone(s, ins, MBARRIER_INIT, true);
    case INS_MBARRIER_INVAL: return mbarrier_alone(s, ins, MBARRIER_INVAL, false);
    case INS_MBARRIER_ARRIVE: return mbarrier_arrive_with(s, ins, false);
    case INS_MBARRIER_TEST: return mbarrier_wait(s, ins, false, false);
    case INS_MBARRIER_TEST_PARITY: return mbarrier_wait(s, ins, false, true);
    case INS_MBARRIER_TRY: return mbarrier_wait(s, ins, true, false);
    case INS_MBARRIER_TRY_PARITY: return mbarrier_wait(s, ins, true, true);
    case INS_COPY_ARRIVE: return copy_arrive(s, ins, false);
    case INS_COPY_ARRIVE_COUNTED: return copy_arrive(s, ins, true);
    case INS_CLUSTER_ADDRESS: return cluster_address(s, ins);
    case INS_CLUSTER_LOAD: return cluster_access(s, ins, true);
    case INS_CLUSTER_STORE: return cluster_access(s, ins, false);
    case INS_SEND: return send(s, ins);
    case INS_CLUSTER_ARRIVE: return cluster_barrier(s, ins, SIM_CLUSTER_ARRIVE);
    case INS_CLUSTER_WAIT: return cluster_barrier(s, ins, SIM_CLUSTER_WAIT);
    case INS_MBARRIER_FENCE: return mbarrier_fence(s, ins);
    case INS_MBARRIER_ARRIVE_BYTES: return mbarrier_arrive_bytes(s, ins);
    case INS_MBARRIER_BYTES: return mbarrier_alone(s, ins, MBARRIER_BYTES, true);
    case INS_BULK_TENSOR: return bulk_tensor(s, ins, 80);
    case INS_BULK_TENSOR_CTA: return bulk_tensor(s, ins, 86);
    case INS_BULK_STORE: return bulk_store(s, ins);
    case INS_BULK_COMMIT: return bulk_group(s, ins, BULK_COMMIT);
    case INS_BULK_WAIT: return bulk_group(s, ins, BULK_WAIT);
    case INS_BULK_WAIT_READ: return bulk_group(s, ins, BULK_WAIT_READ);
    case INS_MAP_PREFETCH: return map_prefetch(s, ins);
    case INS_LDMATRIX:
    case INS_LDMATRIX_TURNED: return ldmatrix(s, ins);
    case INS_STMATRIX: return stmatrix(s, ins);
    case INS_SHUFFLE: return shuffle(s, ins);
    case INS_VOTE: return plain_take(s, ins, SIM_VOTE, "Ppu");
    case INS_VOTE_BALLOT: return plain_take(s, ins, SIM_VOTE, "Rpu");
    case INS_REDUX: return reduce(s, ins);
    case INS_ELECT: return elect(s, ins);
    case INS_ACTIVE: return plain_take(s, ins, SIM_ACTIVE, "R");
    case INS_MMA_F16_K8: return mma(s, ins, MMA_F16_K8);
    case INS_MMA_F16_K16: return mma(s, ins, MMA_F16_K16);
    case INS_MMA_BF16_K16: return mma(s, ins, MMA_BF16_K16);
    case INS_MMA_TF32_K8: return mma(s, ins, MMA_TF32_K8);
    case INS_MMA_S8_K32: return mma(s, ins, MMA_S8_K32);
    case INS_MMA_S8_K16: return mma(s, ins, MMA_S8_K16);
    case INS_MMA_U8_K16: return mma(s, ins, MMA_U8_K16);
    case INS_MMA_F64_K4: return mma(s, ins, MMA_F64_K4);
    case INS_WGMMA_F16: return wgmma(s, ins, MMA_F16_K16);
    case INS_WGMMA_BF16: return wgmma(s, ins, MMA_BF16_K16);
    case INS_WGMMA_E4M3: return wgmma(s, ins, MMA_E4M3_K32);
    case INS_WGMMA_E5M2: return wgmma(s, ins, MMA_E5M2_K32);
    case INS_WGMMA_S8: return wgmma(s, ins, MMA_S8_K32);
    case INS_WGMMA_TF32: return wgmma(s, ins, MMA_TF32_K8);
    case INS_WGMMA_FENCE: return alone(s, ins, SIM_WGMMA_FENCE);
    case INS_WGMMA_COMMIT: return alone(s, ins, SIM_WGMMA_COMMIT);
    case INS_WGMMA_WAIT: return group_wait(s, ins, SIM_WGMMA_WAIT);
    case INS_BARRIER: return barrier(s, ins);
    case INS_BARRIER_ARRIVE: return barrier_arrive(s, ins);
    case INS_REGISTERS: return registers(s, ins);
    case INS_WARP_SYNC: return plain_take(s, ins, SIM_WARP_SYNC, "u");
    case INS_SLEEP: return sleeps(s, ins);
    case INS_RETURN: return alone(s, ins, SIM_RETURN);
    case INS_TRAP: return alone(s, ins, SIM_TRAP);
    case NUM_PTX_FORMS: break;
    }
    BUG("no such form");
}

typedef struct Mnemonic { /* of a mnemonic: a row, or a form */
    const PtxRow *row;
    PtxMatch match;
} Mnemonic;

static const Mnemonic *find(Statement *s) {
    Mnemonic *known = map_get(&s->program->known_mnemonics, s->mnemonic);
    if (known) return known;
    known = arena_new_of(s->arena, Mnemonic);
    for (int i = 0; i < NUM_TIR_OPS && !known->row; i++)
        if (ptx_rows[i].fold != FOLD_PACK && is_one_of(s->mnemonic, ptx_rows[i].text))
            known->row = &ptx_rows[i];
    if (!known->row && !ptx_match(s->mnemonic, &known->match)) return NULL;
    map_set(&s->program->known_mnemonics, s->mnemonic, known);
    return known;
}

bool ptx_decode(Statement *s, Ins *ins) {
    int special = move_special_form(s, ins);
    if (special) return special > 0;
    const Mnemonic *known = find(s);
    if (!known) return statement_refuse(s, "this instruction or form");
    return known->row ? lane_op(s, ins, known->row) : decode_form(s, ins, &known->match);
}
