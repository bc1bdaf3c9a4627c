// SPDX-License-Identifier: Apache-2.0
/* declare: what has a name in PTX text: registers, and variables in memory. */
#include "gen/ptx/parser.h"

/* ---- names ---- */

const SimSymbol *ptx_find_symbol(const PtxProgram *program, Str name) {
    for (int i = 0; i < program->symbols.count; i++)
        if (str_equal(program->symbols.data[i].name, name)) return &program->symbols.data[i];
    return NULL;
}

/* A name itself, or one of a row: %r12 is the 12th of `.reg .b32 %r<13>`. */
static const Register *register_named(const Map *names, Str name, int *index) {
    const Register *r = map_get(names, name);
    int start = name.length;
    *index = 0;
    if (r && r->count < 0) return r;
    while (ptx_digit_of(name.data[start - 1]) < 10) start--;
    int digits = name.length - start;
    if (!digits || digits > MOST_DIGITS || (digits > 1 && name.data[start] == '0')) return NULL;
    for (int i = start; i < name.length; i++) *index = *index * 10 + ptx_digit_of(name.data[i]);
    r = map_get(names, (Str){name.data, start});
    return r && *index < r->count ? r : NULL;
}

bool ptx_find_register(const PtxParser *p, Str name, Word *word) {
    for (int d = p->depth - 1, index; d >= 0; d--) {
        const Register *r = register_named(&p->scopes[d].names, name, &index);
        if (!r) continue;
        if (r->class == CLASS_NONE) {
            word->kind = WORD_NUMBER, word->bits = r->bits;
            return true;
        }
        word->kind = r->class == CLASS_PRED ? WORD_PREDICATE : WORD_REGISTER;
        word->class = r->class, word->declared = r->declared;
        word->place = r->place + index * (r->class == CLASS_B64 ? 2 : 1);
        return true;
    }
    return false;
}

int ptx_type_bytes(Str type) {
    static const char *const names[] = {".b8 .u8 .s8", ".b16 .u16 .s16 .f16 .bf16",
                                        ".b32 .u32 .s32 .f32", ".b64 .u64 .s64 .f64"};
    for (int i = 0; i < COUNT(names); i++) {
        const char *at = names[i];
        while (*at) {
            size_t length = strcspn(at, " ");
            if ((size_t)type.length == length && !memcmp(at, type.data, length)) return 1 << i;
            at += length + (at[length] == ' ');
        }
    }
    return 0;
}

bool ptx_declare_registers(PtxParser *p) {
    PtxProgram *program = p->program;
    RegClass class = CLASS_PRED;
    PtxKind declared = PTX_BITS;
    if (!ptx_is(p, ".pred")) {
        int bytes = ptx_type_bytes(p->token.text);
        if (!bytes) return ptx_refuse(p);
        class = bytes <= 2 ? CLASS_B16 : bytes == 4 ? CLASS_B32 : CLASS_B64;
        char letter = p->token.text.data[p->token.text.length > 4 ? 2 : 1]; /* .bf16 */
        declared = bytes == 1      ? PTX_BYTE
                   : letter == 'b' ? PTX_BITS
                   : letter == 'f' ? PTX_FLOAT
                                   : PTX_INT;
    }
    ptx_advance(p);
    do {
        Str name;
        int64_t count = -1;
        if (!ptx_expect_name(p, &name)) return false;
        if (ptx_accept(p, "<") &&
            (!ptx_expect_int(p, MOST_REGISTERS, &count) || !ptx_expect(p, ">")))
            return false;
        if (map_get(&p->scopes[p->depth - 1].names, name))
            return ptx_fail(p, DIAG_ERROR, "'%.*s' is declared twice", STR_ARG(name));
        int *total = class == CLASS_PRED ? &program->num_predicates : &program->num_places;
        Register *r = arena_new_of(p->arena, Register);
        *r = (Register){class, 0, declared, *total, (int)count};
        *total += (int)(count < 0 ? 1 : count) * (class == CLASS_B64 ? 2 : 1);
        if (*total > 2 * MOST_REGISTERS)
            return ptx_fail(p, DIAG_REFUSED, "more than %d registers %s", MOST_REGISTERS,
                            program->where);
        map_set(&p->scopes[p->depth - 1].names, name, r);
    } while (ptx_accept(p, ","));
    return ptx_expect(p, ";");
}

/* {1, 2}, or one number (count -1); bits of floats, too. Addresses of others are not known. */
static bool initial_values(PtxParser *p, Str name, int bytes, int64_t count, unsigned char *data) {
    if (count >= 0 && !ptx_expect(p, "{")) return false;
    for (int64_t i = 0; i == 0 || ptx_accept(p, ","); i++) {
        bool minus = ptx_accept(p, "-");
        if (i >= count && count >= 0)
            return ptx_fail(p, DIAG_ERROR, "more values than '%.*s' has elements", STR_ARG(name));
        if (p->token.kind != TOKEN_NUMBER || p->token.float_kind == '.') return ptx_refuse(p);
        uint64_t value = minus ? 0 - p->token.bits : p->token.bits;
        if (!minus && bytes < 8 && value >> (8 * bytes))
            return ptx_fail(p, DIAG_ERROR, "'%.*s' has more than %d bytes", STR_ARG(p->token.text),
                            bytes);
        memcpy(data + i * bytes, &value, (size_t)bytes);
        ptx_advance(p);
        if (count < 0) return !p->failed;
    }
    return ptx_expect(p, "}");
}

bool ptx_in_function(const PtxParser *p) {
    for (int d = 0; d < p->depth; d++)
        if (p->scopes[d].is_function) return true;
    return false;
}

/* .align 16 .b8 name[n] */
bool ptx_declare_memory(PtxParser *p, PtxSpace space, bool is_extern) {
    PtxProgram *program = p->program;
    int64_t align = 1, count = 0;
    Str name;
    if (ptx_accept(p, ".attribute")) { /* (.managed): all memory is the host's here */
        while (!ptx_is(p, ")") && p->token.kind != TOKEN_END) ptx_advance(p);
        if (!ptx_expect(p, ")")) return false;
    }
    if (ptx_accept(p, ".align") && !ptx_expect_int(p, 1024, &align)) return false;
    if (align < 1 || (align & (align - 1)))
        return ptx_fail(p, DIAG_ERROR, "an alignment is a power of two");
    int bytes = ptx_type_bytes(p->token.text);
    if (!bytes) return ptx_refuse(p);
    ptx_advance(p);
    if (!ptx_expect_name(p, &name)) return false;
    bool is_array = ptx_accept(p, "["), open = is_array && is_extern && ptx_accept(p, "]");
    if (!is_array)
        count = 1;
    else if (!open && (!ptx_expect_int(p, 1 << 24, &count) || !ptx_expect(p, "]")))
        return false;
    const SimSymbol *known = ptx_find_symbol(program, name);
    if (known && space == SPACE_LOCAL && ptx_in_function(p) &&
        known->size == (uint64_t)(count * bytes)) /* of a function that is read again */
        return ptx_expect(p, ";");
    if (known) return ptx_fail(p, DIAG_ERROR, "'%.*s' is declared twice", STR_ARG(name));
    SimSymbol symbol = {.name = name,
                        .space = space,
                        .size = open ? (uint64_t)p->dynamic_shared : (uint64_t)(count * bytes)};
    int *used = space == SPACE_SHARED ? &program->shared_bytes : &program->local_bytes;
    if (space == SPACE_GLOBAL) {
        unsigned char *data = arena_alloc(p->arena, (size_t)symbol.size + 16);
        symbol.address = (uint64_t)(uintptr_t)data;
        if (ptx_accept(p, "=") && !initial_values(p, name, bytes, is_array ? count : -1, data))
            return false;
    } else {
        int64_t place = (*used + align - 1) & -align;
        if (space == SPACE_SHARED && !is_extern && place + (int64_t)symbol.size > STATIC_SHARED)
            return ptx_fail(p, DIAG_ERROR,
                            "shared memory that is declared with its size: at most %d bytes",
                            STATIC_SHARED);
        if (place + (int64_t)symbol.size > 1 << 24)
            return ptx_fail(p, DIAG_REFUSED, "more than 16 MB of shared or local memory %s",
                            program->where);
        symbol.address = (uint64_t)place + (space == SPACE_SHARED ? SHARED_BASE : 0);
        *used = (int)(place + (int64_t)symbol.size);
    }
    vec_push(p->arena, &program->symbols, symbol);
    return ptx_expect(p, ";");
}
