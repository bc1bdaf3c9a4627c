// SPDX-License-Identifier: Apache-2.0
/* read: PTX text -> PtxProgram. The grammar is that of one kernel as our back end prints it, with
 * what users' inline assembly may add (scopes with registers of their own); all else is refused
 * with its place in the text. */
#include "gen/ptx/parser.h"

#include <limits.h>

/* ---- instructions ---- */

/* PTX ISA 9.0, 4.5: 4*3, (4), ~4. Not of a float given by its bits. */
static bool refuse_expression(PtxParser *p) {
    return ptx_fail(p, DIAG_REFUSED, "an expression of constants %s", p->program->where);
}

static bool is_sign(const PtxParser *p, const char *signs) {
    return p->token.kind == TOKEN_PUNCTUATION && strchr(signs, p->token.text.data[0]);
}

static bool parse_number(PtxParser *p, bool minus, Word *word) {
    word->kind = WORD_NUMBER, word->bits = p->token.bits, word->float_kind = p->token.float_kind;
    bool is_bits = word->float_kind && word->float_kind != '.';
    if (minus && is_bits) return ptx_fail(p, DIAG_ERROR, "'-' before a number given by its bits");
    if (minus && !word->float_kind && word->bits > 1ull << 63)
        return ptx_fail(p, DIAG_ERROR, "the number is too small");
    if (minus) word->bits = word->float_kind ? word->bits ^ 1ull << 63 : 0 - word->bits;
    ptx_advance(p);
    return !p->failed;
}

static bool parse_simple_word(PtxParser *p, Word *word) {
    bool minus = ptx_accept(p, "-");
    word->text = p->token.text;
    if (p->token.kind == TOKEN_NUMBER || p->token.float_kind) return parse_number(p, minus, word);
    if (is_sign(p, minus ? "+-~(!" : "+~(") || (minus && ptx_is(p, "WARP_SZ")))
        return refuse_expression(p);
    if (minus || p->token.kind != TOKEN_WORD)
        return ptx_fail(p, DIAG_ERROR, "expected an operand, saw '%.*s'", STR_ARG(p->token.text));
    const SimSymbol *symbol;
    if (ptx_find_register(p, word->text, word)) {
    } else if (str_is(word->text, "WARP_SZ")) {
        word->kind = WORD_NUMBER, word->bits = LANES;
    } else if ((symbol = ptx_find_symbol(p, word->text))) {
        word->kind = WORD_SYMBOL, word->space = symbol->space, word->bits = symbol->address;
    } else if (ptx_has_zeros(p, word->text)) {
        return ptx_refuse(p);
    } else
        word->kind = word->text.data[0] == '%' ? WORD_SPECIAL : WORD_NAME;
    ptx_advance(p);
    return true;
}

/* One operand that is no address, and is not the start of more. */
static bool parse_operand(PtxParser *p, Word *word) {
    if (!parse_simple_word(p, word)) return false;
    bool is_number = word->kind == WORD_NUMBER && (!word->float_kind || word->float_kind == '.');
    if (is_number && (word->negated || is_sign(p, "+-*/%<>=&^?|!"))) return refuse_expression(p);
    bool is_place =
        word->kind == WORD_SYMBOL || word->kind == WORD_NAME || word->kind == WORD_REGISTER;
    if (is_place && is_sign(p, "+")) return refuse_expression(p);
    if (is_place && is_sign(p, "[")) return ptx_refuse(p);
    if (p->token.kind == TOKEN_WORD && p->token.text.data[0] == '.' && !p->token.float_kind)
        return ptx_refuse(p); /* a type of its own, which ptxas reads */
    return true;
}

/* +4, +-4 */
static bool parse_offset(PtxParser *p, Word *word) {
    bool minus = ptx_accept(p, "-");
    if (is_sign(p, "+-~(!") || ptx_is(p, "WARP_SZ")) return refuse_expression(p);
    bool is_count = p->token.kind == TOKEN_NUMBER && !p->token.float_kind;
    if (is_count && p->token.bits > INT32_MAX)
        return ptx_fail(p, DIAG_REFUSED, "an offset of %.*s bytes %s", STR_ARG(p->token.text),
                        p->program->where);
    int64_t part;
    if (!ptx_expect_int(p, INT32_MAX, &part)) return false;
    word->offset += minus ? -part : part;
    return !is_sign(p, "-*/%<>=&^?|!") || refuse_expression(p);
}

/* {a, b}] of a tensor map, each a word of its own */
static bool parse_coordinates(PtxParser *p, Statement *s, int group) {
    if (!ptx_is(p, "{"))
        return ptx_fail(p, DIAG_REFUSED, "coordinates of a texture, surface or tensor");
    ptx_advance(p);
    do {
        if (s->num_words == COUNT(s->words)) return ptx_fail(p, DIAG_ERROR, "too many operands");
        Word *word = &s->words[s->num_words++];
        *word = (Word){.group = group, .is_coordinate = true};
        if (!parse_operand(p, word)) return false;
    } while (ptx_accept(p, ","));
    return ptx_expect(p, "}") && ptx_expect(p, "]");
}

/* [a], [a+4], [a+-4]; not [a-4], which no assembler takes. [a, {b, c}] */
static bool parse_address(PtxParser *p, Statement *s, Word *word, int *groups) {
    word->in_brackets = true;
    if (!parse_simple_word(p, word)) return false;
    if (ptx_is(p, "-"))
        return ptx_fail(p, DIAG_ERROR, "a negative offset is written '+-', not '-'");
    while (ptx_accept(p, "+"))
        if (!parse_offset(p, word)) return false;
    if (ptx_is(p, ",") && !str_starts(s->mnemonic, "cp.async.bulk.tensor."))
        return ptx_fail(p, DIAG_REFUSED, "coordinates of a texture, surface or tensor");
    return ptx_accept(p, ",") ? parse_coordinates(p, s, ++*groups) : ptx_expect(p, "]");
}

static bool parse_operands(PtxParser *p, Statement *s) {
    int group = 0, groups = 0;
    while (!ptx_is(p, ";")) {
        if (s->num_words == COUNT(s->words)) return ptx_fail(p, DIAG_ERROR, "too many operands");
        Word *word = &s->words[s->num_words++];
        *word = (Word){0};
        if (!group && ptx_accept(p, "{")) group = ++groups;
        word->group = group;
        word->negated = ptx_accept(p, "!");
        if (ptx_accept(p, "[") ? !parse_address(p, s, word, &groups) : !parse_operand(p, word))
            return false;
        if (group && ptx_accept(p, "}")) group = 0;
        if (ptx_is(p, ";")) break;
        word->before_bar = s->num_words == 1 && !word->group && ptx_accept(p, "|");
        if (!word->before_bar && !ptx_expect(p, ",")) return false;
        if (ptx_is(p, ";")) return ptx_fail(p, DIAG_ERROR, "expected an operand, saw ';'");
    }
    if (group) return ptx_fail(p, DIAG_ERROR, "'{' without '}'");
    return ptx_expect(p, ";");
}

void ptx_add_ins(PtxParser *p, Ins ins, int line) {
    PtxProgram *program = p->program;
    ins.line = line, ins.file = (int16_t)p->file;
    ins.source_line = p->source_line, ins.source_column = p->source_column;
    vec_push(p->arena, &program->code, ins);
}

Word ptx_new_register(PtxParser *p, RegClass class) {
    Word word = {.kind = WORD_REGISTER,
                 .class = class,
                 .declared = PTX_BITS,
                 .place = p->program->num_places,
                 .text = STR("a part of a parameter")};
    p->program->num_places += class == CLASS_B64 ? 2 : 1;
    return word;
}

bool ptx_emit(PtxParser *p, const char *mnemonic, Word to, Word from, int line) {
    Statement s = {.mnemonic = str_of(mnemonic),
                   .words = {to, from},
                   .num_words = 2,
                   .span = {p->program->text, p->token.start, p->token.start},
                   .diag = p->diag,
                   .program = p->program,
                   .arena = p->arena};
    Ins ins = {.guard = NO_OPERAND};
    if (ptx_decode(&s, &ins))
        ptx_add_ins(p, ins, line);
    else
        p->failed = true;
    return !p->failed;
}

/* mov.f64: .. of ld.param.f64, which has 4 or 8 bytes. NULL: it has not. */
const char *ptx_move_of(Str mnemonic, bool *wide) {
    static const char *const rows[][2] = {
        {".f64", "mov.f64"}, {".b64", "mov.b64"}, {".u64", "mov.b64"}, {".s64", "mov.b64"},
        {".f32", "mov.f32"}, {".b32", "mov.b32"}, {".u32", "mov.b32"}, {".s32", "mov.b32"}};
    for (int i = 0; i < COUNT(rows); i++)
        if (str_ends(mnemonic, rows[i][0])) {
            *wide = i < 4;
            return rows[i][1];
        }
    return NULL;
}

static bool parse_branch(PtxParser *p, Ins ins, int line) {
    Str label;
    Span span = {p->program->text, p->token.start, p->token.start + p->token.text.length};
    if (!ptx_expect_word(p, &label)) return false;
    ins.op = SIM_BRANCH, ins.class = CLASS_CONTROL;
    vec_push(p->arena, &p->fixups, (Fixup){p->program->code.count, p->depth, label, span});
    ptx_add_ins(p, ins, line);
    return ptx_expect(p, ";");
}

static bool parse_guard(PtxParser *p, Ins *ins) {
    Word word = {0};
    ins->guard = NO_OPERAND;
    if (!ptx_accept(p, "@")) return true;
    ins->negated = ptx_accept(p, "!");
    if (p->token.kind != TOKEN_WORD || !ptx_find_register(p, p->token.text, &word) ||
        word.kind != WORD_PREDICATE)
        return ptx_fail(p, DIAG_ERROR, "expected a predicate after '@', saw '%.*s'",
                        STR_ARG(p->token.text));
    ins->guard = word.place;
    ptx_advance(p);
    return true;
}

/* What one lane can do by itself where there are no threads, and no memory that only they share.
 * Barriers: the lanes of a program have all done what stands before. */
static bool runs_anywhere(const Ins *ins) {
    if (ins_row(ins)) return true;
    switch ((SimOp)ins->op) {
    case SIM_LOAD:
    case SIM_STORE:
    case SIM_ATOMIC: return ins->space == SPACE_GLOBAL || ins->space == SPACE_GENERIC;
    case SIM_SPECIAL:
        return ins->kind >= SPECIAL_CTAID_X && ins->kind != SPECIAL_LANE &&
               ins->kind != SPECIAL_WARP && ins->kind < SPECIAL_CLUSTER_RANK;
    case SIM_PACK8:
    case SIM_UNPACK8:
    case SIM_UNPACK16:
    case SIM_UNPACK32:
    case SIM_FENCE:
    case SIM_BARRIER:
    case SIM_WARP_SYNC:
    case SIM_BRANCH:
    case SIM_END: return true;
    case SIM_LOAD_PARAM:
    case SIM_PRINT:
    case SIM_ASSERT:
    case SIM_RETURN:
    case SIM_TRAP:
    case SIM_REGISTERS:
    case SIM_CLUSTER_ADDRESS:
    case SIM_CLUSTER:
    case SIM_COPIES:
    case SIM_ACROSS: return false;
    }
    return false;
}

/* The registers of a vector that is loaded or stored are of one width; one alone may stand in
 * braces, too, as Triton has it. */
static bool is_even(PtxParser *p, Statement *s) {
    const Word *one = NULL;
    bool loads = str_starts(s->mnemonic, "ld.");
    if (!loads && !str_starts(s->mnemonic, "st.")) return true;
    if (s->num_words == 2) s->words[!loads].group = 0;
    for (int i = 0; i < s->num_words; i++) {
        const Word *word = &s->words[i];
        if (word->kind != WORD_REGISTER || !word->group) continue;
        if (one && one->class != word->class)
            return ptx_fail(p, DIAG_ERROR, "'%.*s' and '%.*s' in one vector", STR_ARG(one->text),
                            STR_ARG(word->text));
        one = word;
    }
    return true;
}

/* st.u32 and cvt.u64.u32 of a register of 64 bits, cvt.s32.s16 of one of 32: its lower part. */
static bool narrow_sources(PtxParser *p, Statement *s, int line) {
    bool wide = true, converts = str_starts(s->mnemonic, "cvt.");
    bool is_8 = str_ends(s->mnemonic, ".s8") || str_ends(s->mnemonic, ".u8") ||
                str_ends(s->mnemonic, ".b8");
    bool is_16 = is_8 || str_ends(s->mnemonic, ".s16") || str_ends(s->mnemonic, ".u16") ||
                 str_ends(s->mnemonic, ".b16");
    bool is_32 = ptx_move_of(s->mnemonic, &wide) && !wide && !str_ends(s->mnemonic, ".f32");
    bool stores = str_starts(s->mnemonic, "st.") && !str_starts(s->mnemonic, "st.async.");
    if (!(is_16 || is_32) || !(converts || stores)) return true;
    for (int i = 1; i < s->num_words; i++) {
        Word *word = &s->words[i];
        RegClass to = is_16 ? CLASS_B16 : CLASS_B32;
        if (word->kind != WORD_REGISTER || word->class <= to || word->in_brackets) continue;
        if (is_8 && word->class == CLASS_B32) continue;
        if (word->class == CLASS_B64 && str_starts(s->mnemonic, "cvt.rn.bf16."))
            continue; /* as ptxas */
        const char *how = to == CLASS_B32            ? "cvt.u32.u64"
                          : word->class == CLASS_B32 ? "cvt.u16.u32"
                                                     : "cvt.u16.u64";
        if (str_is(s->mnemonic, how)) continue;
        Word part = ptx_new_register(p, to), whole = *word;
        *word = part;
        word->group = whole.group;
        whole.group = 0;
        if (!ptx_emit(p, how, part, whole, line)) return false;
    }
    return true;
}

/* ld.u32 into a register of 64 bits: through one of 32, which is widened. */
typedef struct Widened {
    Word from, to;
    bool is_signed;
} Widened;

static int widen_results(PtxParser *p, Statement *s, Widened *widened, int most) {
    static const char *const types[] = {".u8",  ".s8",  ".b8",  ".u16", ".s16",
                                        ".b16", ".u32", ".s32", ".b32"};
    bool is_narrow = false;
    int count = 0;
    for (int i = 0; i < COUNT(types); i++) is_narrow |= str_ends(s->mnemonic, types[i]);
    if (!is_narrow || !str_starts(s->mnemonic, "ld.")) return 0;
    for (int i = 0; i + 1 < s->num_words && count < most; i++) {
        Word *word = &s->words[i];
        if (word->kind != WORD_REGISTER || word->class != CLASS_B64) continue;
        Widened *w = &widened[count++];
        *w = (Widened){ptx_new_register(p, CLASS_B32), *word,
                       str_ends(s->mnemonic, ".s8") || str_ends(s->mnemonic, ".s16") ||
                           str_ends(s->mnemonic, ".s32")};
        *word = w->from;
        word->group = w->to.group;
        w->to.group = 0;
    }
    return count;
}

/* What a hint to the second cache refers to, the last operand: it says nothing of values. */
static bool drop_policy(PtxParser *p, Statement *s) {
    bool accesses = str_starts(s->mnemonic, "ld.") || str_starts(s->mnemonic, "st.") ||
                    str_starts(s->mnemonic, "cp.async.c");
    if (!accesses || !strstr(str_c(p->arena, s->mnemonic), ".L2::cache_hint")) return true;
    const Word *last = s->num_words ? &s->words[s->num_words - 1] : NULL;
    if (!last || last->kind != WORD_REGISTER || last->class != CLASS_B64 || last->in_brackets ||
        last->group || last->negated)
        return ptx_fail(p, DIAG_ERROR, "'%.*s' needs a policy in a register of 64 bits",
                        STR_ARG(s->mnemonic));
    s->num_words--;
    return true;
}

static bool parse_instruction(PtxParser *p) {
    Ins ins = {0};
    int line = p->token.line, start = p->token.start;
    if (!parse_guard(p, &ins)) return false;
    Str mnemonic;
    if (!ptx_expect_word(p, &mnemonic)) return false;
    int end = (int)(mnemonic.data + mnemonic.length - p->program->text->text.data);
    if (ins.guard == NO_OPERAND && ptx_accept(p, ":")) {
        Map *labels = &p->scopes[p->depth - 1].labels;
        if (map_get(labels, mnemonic))
            return ptx_fail(p, DIAG_ERROR, "label '%.*s' stands twice", STR_ARG(mnemonic));
        Word reg;
        if (ptx_find_register(p, mnemonic, &reg))
            return ptx_fail(p, DIAG_REFUSED, "label '%.*s', which is a register, too, %s",
                            STR_ARG(mnemonic), p->program->where);
        if (!ptx_is_free(p, mnemonic)) return false;
        map_set(labels, mnemonic, (void *)((uintptr_t)p->program->code.count + 1));
        return true;
    }
    while (p->token.kind == TOKEN_WORD && p->token.text.data[0] == '.' && !p->token.float_kind) {
        mnemonic = str_format(p->arena, "%.*s%.*s", STR_ARG(mnemonic), STR_ARG(p->token.text));
        ptx_advance(p);
    }
    if (p->program->code.count >= MOST_INSTRUCTIONS)
        return ptx_fail(p, DIAG_REFUSED, "so long a kernel %s", p->program->where);
    if (str_is(mnemonic, "bra") || str_is(mnemonic, "bra.uni")) return parse_branch(p, ins, line);
    bool calls = !p->program->is_inline;
    if (calls && (str_is(mnemonic, "call") || str_is(mnemonic, "call.uni")))
        return ptx_parse_call(p, ins, line);
    Statement s = {.mnemonic = mnemonic, .diag = p->diag, .program = p->program, .arena = p->arena};
    if (!parse_operands(p, &s)) return false;
    s.span = (Span){p->program->text, start, p->at < start ? start : end};
    if (str_starts(mnemonic, "st.param.")) return ptx_store_argument(p, &s, line);
    const Word *last = &s.words[s.num_words ? s.num_words - 1 : 0];
    CallArgument *argument =
        s.num_words > 1 && str_starts(mnemonic, "ld.param.") && last->in_brackets
            ? ptx_find_argument(p, last->text)
            : NULL;
    if (argument) return ptx_load_argument(p, &s, argument, line);
    if (str_is(mnemonic, "ret") && ptx_in_function(p)) {
        ins.op = SIM_BRANCH, ins.class = CLASS_CONTROL;
        vec_push(p->arena, &p->fixups,
                 (Fixup){p->program->code.count, p->depth, STR("ret"), s.span});
        ptx_add_ins(p, ins, line);
        return true;
    }
    if (!drop_policy(p, &s) || !is_even(p, &s) || !narrow_sources(p, &s, line)) return false;
    Widened widened[4];
    int num_widened = widen_results(p, &s, widened, COUNT(widened));
    if (!ptx_decode(&s, &ins)) {
        p->failed = true;
        return false;
    }
    if (p->program->is_inline && !runs_anywhere(&ins)) {
        Str what = ins.op == SIM_SPECIAL ? s.words[1].text : mnemonic;
        return ptx_fail(p, DIAG_REFUSED, "'%.*s' %s", STR_ARG(what), p->program->where);
    }
    ptx_add_ins(p, ins, line);
    for (int i = 0; i < num_widened; i++) {
        const Widened *w = &widened[i];
        if (!ptx_emit(p, w->is_signed ? "cvt.s64.s32" : "cvt.u64.u32", w->to, w->from, line))
            return false;
        Ins *added = &p->program->code.data[p->program->code.count - 1];
        added->guard = ins.guard, added->negated = ins.negated;
    }
    return true;
}

typedef struct Place {
    int32_t file, line, column;
} Place;

static bool parse_place(PtxParser *p, Place *place) {
    int64_t file = 0, line = 0, column = 0;
    bool fine = ptx_expect_int(p, INT32_MAX, &file) && ptx_expect_int(p, INT32_MAX, &line) &&
                ptx_expect_int(p, INT32_MAX, &column);
    if (fine && file > INT16_MAX)
        return ptx_fail(p, DIAG_REFUSED, "file %lld %s", (long long)file, p->program->where);
    *place = (Place){(int32_t)file, (int32_t)line, (int32_t)column};
    return fine;
}

/* .loc 1 24 5, function_name $L__info_string0+8, inlined_at 1 30 9: of an inlined function, where
 * it is called, which an earlier .loc has named. */
static bool parse_loc(PtxParser *p) {
    Str name;
    int64_t offset;
    Place place, outer;
    if (!parse_place(p, &place)) return false;
    Str key = str_copy(p->arena, (Str){(const char *)&place, sizeof place});
    map_set(&p->places, key, p);
    p->file = place.file, p->source_line = place.line, p->source_column = place.column;
    if (!ptx_accept(p, ",")) return true;
    if (!ptx_expect(p, "function_name") || !ptx_expect_word(p, &name)) return false;
    if (ptx_accept(p, "+") && !ptx_expect_int(p, INT32_MAX, &offset)) return false;
    if (!ptx_expect(p, ",") || !ptx_expect(p, "inlined_at") || !parse_place(p, &outer))
        return false;
    if (!map_get(&p->places, (Str){(const char *)&outer, sizeof outer}))
        return ptx_fail(p, DIAG_ERROR, "no .loc before this says %d %d %d", outer.file, outer.line,
                        outer.column);
    p->file = outer.file, p->source_line = outer.line, p->source_column = outer.column;
    return true;
}

void ptx_open_scope(PtxParser *p) {
    if (p->depth == DEEPEST_SCOPE)
        ptx_fail(p, DIAG_REFUSED, "scopes nested so deep %s", p->program->where);
    else
        p->scopes[p->depth++] = (Scope){.names.arena = p->arena,
                                        .labels.arena = p->arena,
                                        .num_arguments = p->num_arguments,
                                        .id = ++p->num_scopes};
}

/* Branches to the scope's labels find them; the others look in the scope around it. */
bool ptx_close_scope(PtxParser *p) {
    const Scope *scope = &p->scopes[p->depth - 1];
    for (int i = 0; i < p->fixups.count && !p->failed; i++) {
        Fixup *fixup = &p->fixups.data[i];
        if (fixup->depth != p->depth) continue;
        uintptr_t target = (uintptr_t)map_get(&scope->labels, fixup->label);
        if (target) p->program->code.data[fixup->ins].offset = (int64_t)target - 1;
        fixup->depth = target ? 0 : p->depth - 1;
        if (target || (p->depth > 1 && !scope->is_function)) continue;
        diag_error(p->diag, fixup->span, "there is no label '%.*s'", STR_ARG(fixup->label));
        p->failed = true;
    }
    p->num_arguments = scope->num_arguments;
    p->depth--;
    return !p->failed;
}

/* "nounroll", ..; */
static bool skip_strings(PtxParser *p) {
    do {
        if (p->token.kind != TOKEN_STRING) return ptx_refuse(p);
        ptx_advance(p);
    } while (ptx_accept(p, ","));
    return ptx_expect(p, ";");
}

void ptx_parse_in_body(PtxParser *p) {
    bool is_directive = p->token.kind == TOKEN_WORD && p->token.text.data[0] == '.';
    if (ptx_accept(p, "{"))
        ptx_open_scope(p);
    else if (ptx_accept(p, "}"))
        ptx_close_scope(p);
    else if (str_starts(p->token.text, ".reg.")) { /* .reg.b32 f; as cuda_fp16.hpp has it */
        p->token.text = (Str){p->token.text.data + 4, p->token.text.length - 4};
        ptx_declare_registers(p);
    } else if (ptx_accept(p, ".reg"))
        ptx_declare_registers(p);
    else if (is_directive && p->program->is_inline)
        ptx_refuse(p);
    else if (ptx_accept(p, ".shared"))
        ptx_declare_memory(p, SPACE_SHARED, false);
    else if (ptx_accept(p, ".local"))
        ptx_declare_memory(p, SPACE_LOCAL, false);
    else if (ptx_accept(p, ".loc"))
        parse_loc(p);
    else if (ptx_accept(p, ".pragma"))
        skip_strings(p);
    else if (ptx_accept(p, ".param"))
        ptx_declare_argument(p);
    else if (p->token.kind == TOKEN_END)
        ptx_fail(p, DIAG_ERROR, "the body of the entry has no end");
    else if (is_directive)
        ptx_refuse(p);
    else if (ptx_is(p, ";"))
        ptx_fail(p, DIAG_ERROR, "expected an instruction, saw ';'");
    else
        parse_instruction(p);
}

/* ---- the module ---- */

/* .ptr .global .align 4: what the compiler knows of it. */
static bool pointer_of_param(PtxParser *p) {
    int64_t align;
    if (!ptx_accept(p, ".ptr")) return true;
    if (ptx_is(p, ".global") || ptx_is(p, ".shared") || ptx_is(p, ".local") || ptx_is(p, ".const"))
        ptx_advance(p);
    return !ptx_accept(p, ".align") || ptx_expect_int(p, 1 << 20, &align);
}

static bool parse_params(PtxParser *p) {
    if (!ptx_expect(p, "(")) return false;
    if (ptx_accept(p, ")")) return true;
    do {
        SimParam param = {0};
        int64_t align, count = 1;
        if (!ptx_expect(p, ".param")) return false;
        bool aligns = ptx_accept(p, ".align");
        if (aligns && !ptx_expect_align(p, 128, &align)) return false;
        param.bytes = ptx_type_bytes(p->token.text);
        param.align = aligns ? (int)align : param.bytes;
        if (!param.bytes) return ptx_refuse(p);
        ptx_advance(p);
        if (!pointer_of_param(p) || !ptx_expect_name(p, &param.name)) return false;
        param.is_array = ptx_accept(p, "[");
        if (param.is_array && (!ptx_expect_int(p, MOST_PARAM_BYTES, &count) || !ptx_expect(p, "]")))
            return false;
        param.bytes *= (int)count;
        for (int i = 0; i < p->program->params.count; i++)
            if (str_equal(p->program->params.data[i].name, param.name))
                return ptx_fail(p, DIAG_ERROR, "'%.*s' is declared twice", STR_ARG(param.name));
        vec_push(p->arena, &p->program->params, param);
    } while (ptx_accept(p, ","));
    return ptx_expect(p, ")");
}

/* .explicitcluster .reqnctapercluster 4, 1, 1: each launch is of such clusters. */
static bool parse_cluster(PtxParser *p) {
    PtxProgram *program = p->program;
    if (p->version < 78 || program->sm < 90)
        return ptx_fail(p, DIAG_ERROR, "clusters need version 7.8 of PTX and sm_90");
    program->has_clusters = true;
    if (ptx_accept(p, ".explicitcluster")) return program->is_explicit = true;
    ptx_advance(p);
    for (int i = 0; i < 3; i++) {
        int64_t size;
        if (!ptx_expect_int(p, INT32_MAX, &size)) return false;
        if (size < 1 || size > (i ? 1 : MOST_CLUSTER))
            return ptx_fail(p, DIAG_REFUSED, "a cluster other than of 1 to %d blocks along x %s",
                            MOST_CLUSTER, program->where);
        if (!i) program->cluster = (int)size;
        if (!ptx_accept(p, ",")) break;
    }
    return true;
}

/* Both words or none: what one alone means depends on the launch. */
static bool check_cluster(PtxParser *p) {
    const PtxProgram *program = p->program;
    if (program->is_explicit != (program->cluster > 0))
        return ptx_fail(p, DIAG_REFUSED, "'.explicitcluster' or '.reqnctapercluster' alone %s",
                        program->where);
    if (program->cluster && (program->has_wgmma || program->has_bulk))
        return ptx_fail(p, DIAG_REFUSED, "clusters with bulk copies or products of warpgroups %s",
                        program->where);
    return true;
}

static bool parse_entry(PtxParser *p) {
    PtxProgram *program = p->program;
    if (program->code.count)
        return ptx_fail(p, DIAG_REFUSED, "a second entry %s", p->program->where);
    if (!ptx_expect_name(p, &program->name)) return false;
    if (map_get(&p->functions, program->name) || ptx_find_symbol(p, program->name))
        return ptx_fail(p, DIAG_ERROR, "'%.*s' is declared twice", STR_ARG(program->name));
    if (ptx_is(p, "(") && !parse_params(p)) return false;
    while (!ptx_is(p, "{")) {
        bool is_blocks = ptx_is(p, ".minnctapersm");
        if (is_blocks || ptx_is(p, ".maxnreg")) { /* no register runs out here */
            int64_t number;
            ptx_advance(p);
            if (!ptx_expect_int(p, is_blocks ? LANES : 255, &number)) return false;
            *(is_blocks ? &program->least_blocks : &program->most_registers) = (int)number;
            continue;
        }
        if (ptx_is(p, ".reqnctapercluster") || ptx_is(p, ".explicitcluster")) {
            if (!parse_cluster(p)) return false;
            continue;
        }
        bool is_most = ptx_is(p, ".maxntid");
        if (!is_most && !ptx_is(p, ".reqntid")) return ptx_refuse(p);
        ptx_advance(p);
        for (int i = 0; i < 3; i++) {
            int64_t size;
            if (!ptx_expect_int(p, LANES * MAX_WARPS, &size)) return false;
            if (size < 1) return ptx_fail(p, DIAG_ERROR, "a block of no threads");
            program->threads[i] = (uint32_t)size;
            if (!ptx_accept(p, ",")) break;
        }
        if (is_most)
            program->most_threads =
                (int)(program->threads[0] * program->threads[1] * program->threads[2]);
    }
    uint64_t threads = (uint64_t)program->threads[0] * program->threads[1] * program->threads[2];
    if (threads > LANES * MAX_WARPS)
        return ptx_fail(p, DIAG_REFUSED, "a block of %llu threads; at most %d",
                        (unsigned long long)threads, LANES * MAX_WARPS);
    ptx_advance(p);
    ptx_open_scope(p);
    while (p->depth > 0 && !p->failed) ptx_parse_in_body(p);
    if (p->failed || !check_cluster(p)) return false;
    Ins end = {.op = SIM_END, .class = CLASS_CONTROL, .guard = NO_OPERAND};
    ptx_add_ins(p, end, p->line);
    return true;
}

static bool parse_file(PtxParser *p) {
    int64_t number;
    if (!ptx_expect_int(p, INT16_MAX, &number)) return false;
    if (p->token.kind != TOKEN_STRING || number != p->program->files.count + 1)
        return ptx_refuse(p);
    Str quoted = p->token.text;
    vec_push(p->arena, &p->program->files, (Str){quoted.data + 1, quoted.length - 2});
    ptx_advance(p);
    int64_t time, size;
    return !ptx_accept(p, ",") || (ptx_expect_int(p, INT64_MAX, &time) && ptx_expect(p, ",") &&
                                   ptx_expect_int(p, INT64_MAX, &size));
}

/* .b8 1, 2   .b32 label+4, other-label */
static bool skip_data(PtxParser *p) {
    Str name;
    bool is_byte = ptx_is(p, ".b8");
    if (!is_byte && !ptx_is(p, ".b16") && !ptx_is(p, ".b32") && !ptx_is(p, ".b64"))
        return ptx_refuse(p);
    ptx_advance(p);
    do {
        (void)ptx_accept(p, "-");
        if (p->token.kind == TOKEN_NUMBER)
            ptx_advance(p);
        else if (is_byte)
            return ptx_fail(p, DIAG_ERROR, "expected a number, saw '%.*s'", STR_ARG(p->token.text));
        else {
            if (!ptx_expect_word(p, &name)) return false;
            if (ptx_accept(p, "+") || ptx_accept(p, "-")) ptx_advance(p);
        }
    } while (!p->failed && ptx_accept(p, ","));
    return !p->failed;
}

/* What debuggers read: .section .debug_str { .. } */
static bool skip_section(PtxParser *p) {
    Str name;
    if (!ptx_expect_word(p, &name) || !ptx_expect(p, "{")) return false;
    while (!ptx_is(p, "}") && p->token.kind != TOKEN_END && !p->failed) {
        if (p->token.kind == TOKEN_WORD && p->token.text.data[0] == '.')
            skip_data(p);
        else
            (void)(ptx_expect_word(p, &name) && ptx_expect(p, ":"));
    }
    return ptx_expect(p, "}");
}

/* 8.4 */
static bool parse_version(PtxParser *p) {
    if (p->version) return ptx_fail(p, DIAG_ERROR, "a second '.version'");
    static const int last_minor[] = {0, 5, 3, 2, 3, 0, 5, 8, 8, 9}; /* of each major; 9: so far */
    Str text = p->token.text;
    int minor = text.length == 3 && text.data[1] == '.' ? ptx_digit_of(text.data[2]) : 10;
    int major = ptx_digit_of(text.data[0]);
    if (major < 1 || major > 9 || minor > last_minor[major])
        return ptx_fail(p, DIAG_ERROR, "there is no version '%.*s' of PTX", STR_ARG(text));
    p->version = p->program->version = major * 10 + minor;
    ptx_advance(p);
    return true;
}

/* Which version brought the target (PTX ISA 9.0, 11.1.2). */
static bool version_has(const PtxParser *p, Str target) {
    static const struct {
        const char *target;
        int version;
    } since[] = {{"sm_75", 63}, {"sm_80", 70}, {"sm_86", 71}, {"sm_87", 74},
                 {"sm_89", 78}, {"sm_90", 78}, {"sm_90a", 80}};
    for (int i = 0; i < COUNT(since); i++)
        if (str_is(target, since[i].target)) return p->version >= since[i].version;
    return true;
}

static bool parse_target(PtxParser *p) {
    Str name = p->token.text;
    if (p->program->sm) return ptx_fail(p, DIAG_ERROR, "a second '.target'");
    if (!version_has(p, name))
        return ptx_fail(p, DIAG_ERROR, "version %d.%d of PTX has no target '%.*s'", p->version / 10,
                        p->version % 10, STR_ARG(name));
    ptx_advance(p);
    if (!str_starts(name, "sm_"))
        return ptx_fail(p, DIAG_ERROR, "expected a target such as sm_90a");
    for (int i = 3; i < name.length && ptx_digit_of(name.data[i]) < 10 && p->program->sm < 1000;
         i++)
        p->program->sm = p->program->sm * 10 + ptx_digit_of(name.data[i]);
    p->program->is_special = str_ends(name, "a");
    return true;
}

static bool parse_top(PtxParser *p) {
    if (ptx_accept(p, ".version")) return parse_version(p);
    if (!p->version) return ptx_fail(p, DIAG_ERROR, "expected '.version' first");
    if (ptx_accept(p, ".target"))
        return parse_target(p) && (!ptx_accept(p, ".address_size") || ptx_expect(p, "64"));
    if (!p->program->sm) return ptx_fail(p, DIAG_ERROR, "expected '.target' after '.version'");
    if (ptx_accept(p, ".file")) return parse_file(p);
    if (ptx_accept(p, ".section")) return skip_section(p);
    (void)(ptx_accept(p, ".visible") || ptx_accept(p, ".weak"));
    if (ptx_accept(p, ".func")) return ptx_parse_function(p, false);
    if (ptx_accept(p, ".global") || ptx_accept(p, ".const"))
        return ptx_declare_memory(p, SPACE_GLOBAL, false);
    if (ptx_accept(p, ".shared")) return ptx_declare_memory(p, SPACE_SHARED, false);
    if (ptx_accept(p, ".extern")) {
        if (ptx_accept(p, ".shared")) return ptx_declare_memory(p, SPACE_SHARED, true);
        return ptx_accept(p, ".func") ? ptx_parse_function(p, true) : ptx_refuse(p);
    }
    if (ptx_accept(p, ".entry")) return parse_entry(p);
    return ptx_refuse(p);
}

static PtxParser *parser_new(Arena *arena, Str text, int dynamic_shared, const char *where,
                             Diag *diag) {
    PtxProgram *program = arena_new_of(arena, PtxProgram);
    *program = (PtxProgram){.arena = arena,
                            .where = where,
                            .text = source_new(arena, STR("<ptx>"), text),
                            .threads = {1, 1, 1},
                            .known_constants.arena = arena,
                            .known_mnemonics.arena = arena,
                            .smallest_shared = 4,
                            .smallest_global = 4};
    PtxParser *p = arena_new_of(arena, PtxParser);
    *p = (PtxParser){.arena = arena,
                     .program = program,
                     .diag = diag,
                     .functions.arena = arena,
                     .places.arena = arena,
                     .line = 1,
                     .dynamic_shared = dynamic_shared};
    ptx_advance(p);
    return p;
}

/* Bodies may stand behind the entry that calls them. */
static void find_functions(PtxParser *p) {
    bool is_extern = false;
    while (!p->failed && p->token.kind != TOKEN_END) {
        if (!ptx_accept(p, ".func")) {
            is_extern = ptx_is(p, ".extern");
            ptx_advance(p);
        } else if (!ptx_parse_function(p, is_extern))
            p->failed = true;
    }
    p->at = 0, p->line = 1;
    if (!p->failed) ptx_advance(p);
}

PtxProgram *ptx_read(Arena *arena, Str text, int dynamic_shared, Diag *diag) {
    PtxParser *p = parser_new(arena, text, dynamic_shared, "on device 'sim'", diag);
    PtxProgram *program = p->program;
    program->joins_returns = str_starts(text, "//\n// Generated by NVIDIA NVVM Compiler");
    find_functions(p);
    while (!p->failed && p->token.kind != TOKEN_END)
        if (!parse_top(p)) p->failed = true;
    if (!p->failed && !program->code.count) ptx_fail(p, DIAG_ERROR, "no entry in the text");
    if (program->num_places == 0) program->num_places = 1;
    return p->failed || diag_failed(diag) ? NULL : program;
}

static void give_registers(PtxParser *p, PtxGiven *given, int count) {
    PtxProgram *program = p->program;
    ptx_open_scope(p);
    for (int i = 0; i < count; i++) {
        Register *r = arena_new_of(p->arena, Register);
        *r = (Register){given[i].class, given[i].bits, PTX_BITS, program->num_places, -1};
        given[i].place = program->num_places;
        program->num_places += given[i].class == CLASS_B64 ? 2 : 1;
        map_set(&p->scopes[0].names, str_format(p->arena, "$%d", i), r);
    }
}

PtxProgram *ptx_read_inline(Arena *arena, Str text, PtxGiven *given, int count, Diag *diag) {
    PtxParser *p = parser_new(arena, text, 0, "where there is no GPU", diag);
    p->program->is_inline = true;
    p->program->sm = p->program->version = INT_MAX;
    give_registers(p, given, count);
    while (!p->failed && p->token.kind != TOKEN_END) {
        ptx_parse_in_body(p);
        if (!p->depth) ptx_fail(p, DIAG_ERROR, "'}' without '{'");
    }
    if (!p->failed && p->depth > 1) ptx_fail(p, DIAG_ERROR, "'{' without '}'");
    if (p->failed || !ptx_close_scope(p)) return NULL;
    Ins end = {.op = SIM_END, .class = CLASS_CONTROL, .guard = NO_OPERAND};
    ptx_add_ins(p, end, p->line);
    return p->program;
}
