// SPDX-License-Identifier: Apache-2.0
/* declare: what has a name in PTX text: registers, and variables in memory. */
#include "gen/ptx/parser.h"

/* ---- names ---- */

/* Whether a scope with this number is open, and what it declares seen: not from inside a function
 * that stands elsewhere. */
static bool is_seen(const PtxParser *p, int scope) {
    for (int d = p->depth - 1; d >= 0; d--) {
        if (p->scopes[d].id == scope) return true;
        if (p->scopes[d].is_function) break;
    }
    return scope == 0;
}

static SimSymbol *symbol_named(const PtxProgram *program, Str name) {
    for (int i = 0; i < program->symbols.count; i++)
        if (str_equal(program->symbols.data[i].name, name)) return &program->symbols.data[i];
    return NULL;
}

const SimSymbol *ptx_find_symbol(const PtxParser *p, Str name) {
    const SimSymbol *symbol = symbol_named(p->program, name);
    return symbol && is_seen(p, symbol->scope) ? symbol : NULL;
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

/* Whether a row of `count` registers has one that is declared by itself. */
static bool row_meets(const Map *names, Str name, int64_t count) {
    for (int i = 0, index; i < names->capacity; i++) {
        Str key = names->slots[i].key;
        if (!names->slots[i].used || key.length <= name.length ||
            memcmp(key.data, name.data, (size_t)name.length))
            continue;
        index = 0;
        int at = name.length;
        while (at < key.length && ptx_digit_of(key.data[at]) < 10 && index <= count)
            index = index * 10 + ptx_digit_of(key.data[at++]);
        if (at == key.length && index < count) return true;
    }
    return false;
}

static int scope_id(const PtxParser *p) { return p->depth ? p->scopes[p->depth - 1].id : 0; }

bool ptx_is_free(PtxParser *p, Str name) {
    const Scope *scope = p->depth ? &p->scopes[p->depth - 1] : NULL;
    const SimSymbol *symbol = symbol_named(p->program, name);
    bool is_taken = symbol && symbol->scope == scope_id(p);
    int index;
    if (scope) {
        is_taken = is_taken || register_named(&scope->names, name, &index) ||
                   map_get(&scope->labels, name);
        for (int i = scope->num_arguments; i < p->num_arguments; i++)
            is_taken = is_taken || str_equal(p->arguments[i].formal.name, name);
    }
    for (int i = 0; p->depth == 1 && i < p->program->params.count; i++)
        is_taken = is_taken || str_equal(p->program->params.data[i].name, name);
    return !is_taken || ptx_fail(p, DIAG_ERROR, "'%.*s' is declared twice", STR_ARG(name));
}

bool ptx_find_register(const PtxParser *p, Str name, Word *word) {
    for (int d = p->depth - 1, index; d >= 0; d--) {
        const Register *r = register_named(&p->scopes[d].names, name, &index);
        if (!r && p->scopes[d].is_function) return false;
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

/* %r01: what an assembler takes it for is written nowhere. */
bool ptx_has_zeros(const PtxParser *p, Str name) {
    int start = name.length;
    while (start > 1 && ptx_digit_of(name.data[start - 1]) < 10) start--;
    if (start + 1 >= name.length || name.data[start] != '0') return false;
    for (int d = p->depth - 1; d >= 0; d--)
        if (map_get(&p->scopes[d].names, (Str){name.data, start})) return true;
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
    if (ptx_accept(p, ";")) return true; /* as ptxas */
    do {
        Str name;
        int64_t count = -1;
        const Map *names = &p->scopes[p->depth - 1].names;
        if (!ptx_expect_name(p, &name)) return false;
        if (ptx_accept(p, "<") && (!ptx_expect_int(p, INT32_MAX, &count) || !ptx_expect(p, ">")))
            return false;
        const Register *known = map_get(names, name);
        if (known && (known->count < 0) != (count < 0))
            return ptx_fail(p, DIAG_REFUSED, "'%.*s' and a row of that name %s", STR_ARG(name),
                            p->program->where);
        if (known || row_meets(names, name, count))
            return ptx_fail(p, DIAG_ERROR, "'%.*s' is declared twice", STR_ARG(name));
        if (count < 0 && !ptx_is_free(p, name)) return false;
        if (count > MOST_REGISTERS)
            return ptx_fail(p, DIAG_REFUSED, "more than %d registers %s", MOST_REGISTERS,
                            program->where);
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
static bool initial_values(PtxParser *p, Str name, Str type, int64_t count, unsigned char *data) {
    int bytes = ptx_type_bytes(type);
    if (count >= 0 && !ptx_expect(p, "{")) return false;
    for (int64_t i = 0; i == 0 || ptx_accept(p, ","); i++) {
        bool minus = ptx_accept(p, "-");
        if (i >= count && count >= 0)
            return ptx_fail(p, DIAG_ERROR, "more values than '%.*s' has elements", STR_ARG(name));
        if (p->token.kind != TOKEN_NUMBER || p->token.float_kind == '.') return ptx_refuse(p);
        if (!p->token.float_kind && (type.data[1] == 'f' || type.data[2] == 'f'))
            return ptx_fail(p, DIAG_ERROR, "an integer for '%.*s'", STR_ARG(name));
        uint64_t value = minus ? 0 - p->token.bits : p->token.bits;
        if (!minus && bytes < 8 && value >> (8 * bytes))
            return ptx_fail(p, DIAG_REFUSED, "'%.*s' in %d bytes %s", STR_ARG(p->token.text), bytes,
                            p->program->where);
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

/* (.managed): all memory is the host's here. */
static bool skip_attribute(PtxParser *p) {
    if (!ptx_expect(p, "(")) return false;
    if (!ptx_accept(p, ".managed")) return ptx_refuse(p);
    return ptx_expect(p, ")");
}

/* name, name[n], name[] */
static bool size_of(PtxParser *p, bool is_extern, int64_t *count, bool *open) {
    bool is_array = ptx_accept(p, "[");
    *count = is_array ? 0 : -1;
    *open = is_array && ptx_is(p, "]");
    if (*open && !is_extern)
        return ptx_fail(p, DIAG_REFUSED, "a size that is not said %s", p->program->where);
    if (is_array && !*open && !ptx_expect_int(p, 1 << 24, count)) return false;
    if (is_array && !ptx_expect(p, "]")) return false;
    if (!*count && !*open) return ptx_fail(p, DIAG_ERROR, "an array of no elements");
    return (!ptx_is(p, "[") && !ptx_is(p, ",")) ||
           ptx_fail(p, DIAG_REFUSED, "%s %s",
                    ptx_is(p, "[") ? "an array of arrays" : "two variables in one declaration",
                    p->program->where);
}

/* Where memory of a block or thread lies. */
static bool place_symbol(PtxParser *p, SimSymbol *symbol, int64_t align, bool is_extern) {
    PtxProgram *program = p->program;
    int *used = symbol->space == SPACE_SHARED ? &program->shared_bytes : &program->local_bytes;
    int64_t place = (*used + align - 1) & -align, end = place + (int64_t)symbol->size;
    if (symbol->space == SPACE_SHARED && !is_extern && end > STATIC_SHARED)
        return ptx_fail(p, DIAG_REFUSED,
                        "shared memory that is declared with its size: at most %d bytes",
                        STATIC_SHARED);
    if (end > 1 << 24)
        return ptx_fail(p, DIAG_REFUSED, "more than 16 MB of shared or local memory %s",
                        program->where);
    symbol->address = (uint64_t)place + (symbol->space == SPACE_SHARED ? SHARED_BASE : 0);
    *used = (int)end;
    return true;
}

/* .align 16 .b8 name[n] */
bool ptx_declare_memory(PtxParser *p, PtxSpace space, bool is_extern) {
    PtxProgram *program = p->program;
    int64_t align = 1, count;
    bool open;
    Str name, type;
    if (ptx_accept(p, ".attribute") && !skip_attribute(p)) return false;
    if (ptx_accept(p, ".align") && !ptx_expect_align(p, 1024, &align)) return false;
    int bytes = ptx_type_bytes(type = p->token.text);
    if (!bytes) return ptx_refuse(p);
    ptx_advance(p);
    if (!ptx_expect_name(p, &name) || !size_of(p, is_extern, &count, &open)) return false;
    uint64_t size =
        open ? (uint64_t)p->dynamic_shared : (uint64_t)((count < 0 ? 1 : count) * bytes);
    SimSymbol *known = symbol_named(program, name);
    if (known && space == SPACE_LOCAL && ptx_in_function(p) && known->scope != scope_id(p) &&
        known->size == size) { /* of a function that is read again */
        known->scope = scope_id(p);
        return ptx_expect(p, ";");
    }
    if (!ptx_is_free(p, name)) return false;
    if (known)
        return ptx_fail(p, DIAG_REFUSED, "a second '%.*s' %s", STR_ARG(name), program->where);
    SimSymbol symbol = {.name = name, .space = space, .size = size, .scope = scope_id(p)};
    if (space == SPACE_GLOBAL) {
        unsigned char *data = arena_alloc(p->arena, (size_t)symbol.size + 16);
        symbol.address = (uint64_t)(uintptr_t)data;
        if (ptx_accept(p, "=") && !initial_values(p, name, type, count, data)) return false;
    } else if (!place_symbol(p, &symbol, align, is_extern))
        return false;
    vec_push(p->arena, &program->symbols, symbol);
    return ptx_expect(p, ";");
}

/* ---- addresses ---- */

/* Where the blocks of a cooperative launch meet: %envreg1 and 2 are the halves of its address, as
 * CUDA's cooperative_groups has them (details/driver_abi.h). */
uint64_t ptx_grid_workspace(Statement *s) {
    PtxProgram *p = s->program;
    for (int i = 0; i < p->symbols.count; i++)
        if (str_is(p->symbols.data[i].name, PTX_GRID_WORKSPACE)) return p->symbols.data[i].address;
    uint64_t *memory = arena_array(s->arena, uint64_t, 4);
    SimSymbol symbol = {.name = STR(PTX_GRID_WORKSPACE),
                        .space = SPACE_GLOBAL,
                        .address = (uint64_t)(uintptr_t)memory,
                        .size = 8,
                        .is_writable = true};
    vec_push(s->arena, &p->symbols, symbol);
    return symbol.address;
}

uint64_t ptx_address_of_map(const PtxProgram *p, const Word *word) {
    for (int i = 0; i < p->params.count; i++)
        if (str_equal(word->text, p->params.data[i].name) && param_is_map(&p->params.data[i]))
            return param_address(i);
    return 0;
}

bool ptx_is_of_entry(const PtxProgram *p, const Word *word) {
    bool is = str_equal(word->text, p->name);
    for (int i = 0; i < p->params.count; i++)
        is = is || str_equal(word->text, p->params.data[i].name);
    return is && word->kind == WORD_NAME;
}
