// SPDX-License-Identifier: Apache-2.0
/* assembly: inline PTX.
 *
 *     asm("lop3.b32 %0, %1, %2, 7, 0xe8;" : "=r"(x) : "r"(a), "r"(b));
 *     x = inline_asm a, b {text = "lop3.b32 $0, $1, $2, 7, 0xe8;", constraints = "=r,r,r"}
 *
 * A place that is read and written ("+r") is a result, and, last, an operand that is moved there
 * first. What only computes has a meaning on all targets, as far as they know the instructions;
 * the rest is for GPUs. */
#include "cuda/front.h"

enum { MAX_PLACES = 64 };

typedef struct AsmValue {
    char letter; /* of its register: r l h f d; n: a number in the text */
    bool is_output, is_both;
    CuVal val; /* of an output: its place */
} AsmValue;

typedef struct Assembly {
    CuLower *l;
    CuPlace place;
    AsmValue values[MAX_PLACES]; /* as the text counts them */
    int count, num_outputs;
    bool is_volatile, has_memory;
    Buf text;
} Assembly;

/* ---- reading ---- */

static bool constraint(Assembly *a, AsmValue *value) {
    CuLower *l = a->l;
    CuPlace place = l->at->place;
    Buf text = {.arena = l->arena};
    if (cu_is(l->at, "[")) {
        cu_unsupported(l, place, "operands of inline PTX with names");
        return false;
    }
    if (!cu_strings(l, "a constraint of inline PTX", &text)) return false;
    const char *at = buf_str(&text).data;
    value->is_both = value->is_output && *at == '+';
    bool says_output = *at == '=' || *at == '+';
    if (says_output) at++;
    if (says_output == value->is_output && at[0] && !at[1] &&
        strchr(value->is_output ? "rlhfd" : "rlhfdn", *at)) {
        value->letter = *at;
        return true;
    }
    cu_unsupported(l, place, "the constraint \"%.*s\" of %s of inline PTX", STR_ARG(buf_str(&text)),
                   value->is_output ? "a result" : "an operand");
    return false;
}

/* What lies in the register; NULL: no such value does. */
static const CuType *held_as(const AsmValue *value, const CuType *type) {
    CuKind kind = type->kind;
    switch (value->letter) {
    case 'f': return kind == CU_FLOAT ? type : NULL;
    case 'd': return kind == CU_DOUBLE ? type : NULL;
    case 'n': return cu_is_integer(type) ? type : NULL;
    }
    int bytes = value->letter == 'h' ? 2 : value->letter == 'r' ? 4 : 8;
    if (kind == CU_POINTER && bytes == 8) return cu_type(CU_ULONG);
    return cu_is_integer(type) && cu_size(type) == bytes ? type : NULL;
}

static bool read_value(Assembly *a) {
    CuLower *l = a->l;
    AsmValue *value = &a->values[a->count];
    if (a->count == MAX_PLACES) {
        cu_unsupported(l, l->at->place, "more than %d operands of inline PTX", MAX_PLACES);
        return false;
    }
    *value = (AsmValue){.is_output = a->count < a->num_outputs};
    if (!constraint(a, value) || !cu_expect(l, "(", "before an operand")) return false;
    value->val = cu_expression(l);
    cu_expect(l, ")", "after an operand");
    if (l->panic) return false;
    CuVal *val = &value->val;
    bool is_written = value->is_output && val->is_place && !val->type->is_const;
    if (value->is_output && !is_written) {
        cu_bad(l, val->place, "a result of inline PTX goes into a variable");
        return false;
    }
    if (!value->is_output) {
        *val = value->letter == 'r' ? cu_promoted(l, *val) : cu_value(l, *val);
        bool widens = value->letter == 'l' && cu_is_integer(val->type) && cu_size(val->type) < 8;
        if (widens && !l->panic)
            *val = cu_convert(l, *val, cu_type(cu_is_signed(val->type) ? CU_LONG : CU_ULONG), "");
    }
    if (!l->panic && !held_as(value, val->type))
        cu_bad(l, val->place, "a value of type '%.*s' for the constraint \"%c\"",
               STR_ARG(cu_name(l->arena, val->type)), value->letter);
    if (!l->panic && value->letter == 'n' && !cu_is_written(val->value))
        cu_bad(l, val->place, "a number of inline PTX is known at compile time");
    a->count++;
    return !l->panic;
}

/* : results : operands : clobbers; "::" are two ':'. */
static bool sections(Assembly *a) {
    CuLower *l = a->l;
    for (int section = 0; !l->panic && !cu_is(l->at, ")");) {
        bool two = cu_is(l->at, "::");
        if (!two && !cu_is(l->at, ":")) break;
        l->at = l->at->next;
        section += two ? 2 : 1;
        a->num_outputs = section == 1 ? MAX_PLACES : a->num_outputs;
        while (!l->panic && !cu_is(l->at, ":") && !cu_is(l->at, "::") && !cu_is(l->at, ")")) {
            Buf clobber = {.arena = l->arena};
            if (section < 3 && !read_value(a)) return false;
            if (section >= 3 && cu_strings(l, "what inline PTX changes", &clobber))
                a->has_memory |= str_is(buf_str(&clobber), "memory");
            if (!cu_accept(l, ",")) break;
        }
        if (section == 1) a->num_outputs = a->count;
    }
    return cu_expect(l, ")", "after inline PTX");
}

/* ---- the op ---- */

static bool add_text(Assembly *a, Str text) {
    for (int i = 0; i < text.length; i++) {
        char c = text.data[i], next = i + 1 < text.length ? text.data[i + 1] : 0;
        if (c == '$') buf_putc(&a->text, '$');
        if (c == '%' && next >= '0' && next <= '9') {
            int n = next - '0';
            while (++i + 1 < text.length && text.data[i + 1] >= '0' && text.data[i + 1] <= '9' &&
                   n < MAX_PLACES)
                n = n * 10 + (text.data[i + 1] - '0');
            if (n >= a->count) {
                cu_bad(a->l, a->place, "the text names operand %d, but there are %d", n, a->count);
                return false;
            }
            buf_printf(&a->text, "$%d", n);
        } else {
            buf_putc(&a->text, c);
            i += c == '%' && next == '%';
        }
    }
    return true;
}

/* It reads its operands and gives results, and nothing else is there to see. */
static bool only_computes(const Assembly *a) {
    static const char *const others[] = {"[",     ".sync", "bar.", "barrier", "trap",
                                         "clock", "timer", "exit", "cvta",    "fence"};
    Str text = buf_str((Buf *)(uintptr_t)&a->text);
    for (int i = 0; i < COUNT(others); i++)
        if (memmem(text.data, (size_t)text.length, others[i], strlen(others[i]))) return false;
    return a->num_outputs && !a->has_memory;
}

static const char *move_of(char letter) {
    return letter == 'h'   ? "mov.b16"
           : letter == 'l' ? "mov.b64"
           : letter == 'd' ? "mov.f64"
           : letter == 'f' ? "mov.f32"
                           : "mov.b32";
}

static void build(Assembly *a) {
    CuLower *l = a->l;
    Buf constraints = {.arena = l->arena}, text = {.arena = l->arena};
    Value *operands[2 * MAX_PLACES];
    const Type *results[MAX_PLACES];
    int num_operands = 0, next = a->count;
    for (int i = 0; i < a->count; i++) {
        const AsmValue *value = &a->values[i];
        const CuType *type = held_as(value, value->val.type);
        buf_printf(&constraints, "%s%s%c", i ? "," : "", value->is_output ? "=" : "",
                   value->letter);
        if (value->is_output)
            results[i] = cu_ir(l->fn->types, type);
        else
            operands[num_operands++] = cu_cast_to(l, value->val, type).value;
    }
    for (int i = 0; i < a->num_outputs; i++) {
        const AsmValue *value = &a->values[i];
        if (!value->is_both) continue;
        CuVal old = cu_cast_to(l, cu_value(l, value->val), held_as(value, value->val.type));
        operands[num_operands++] = old.value;
        buf_printf(&constraints, ",%c", value->letter);
        buf_printf(&text, "%s $%d, $%d; ", move_of(value->letter), i, next++);
    }
    if (l->panic) return;
    buf_puts(&text, buf_str(&a->text).data);
    buf_puts(&constraints, "");
    l->b.span = cu_span(a->place);
    Op *op =
        build_op(&l->b, OP_INLINE_ASM, num_operands, operands, a->num_outputs, results, 0, NULL);
    inline_asm_set_text(op, buf_str(&text));
    inline_asm_set_constraints(op, buf_str(&constraints));
    inline_asm_set_pure(op, only_computes(a));
    inline_asm_set_pack(op, 1);
    for (int i = 0; i < a->num_outputs && !l->panic; i++) {
        const CuVal *to = &a->values[i].val;
        CuVal from = {.type = held_as(&a->values[i], to->type), .value = &op->results[i]};
        cu_store_to(l, to->value, to->type,
                    cu_cast_to(l, from, cu_plain(l->arena, to->type)).value);
    }
}

bool cu_is_assembly(const CuToken *t) {
    return cu_is(t, "asm") || cu_is(t, "__asm__") || cu_is(t, "__asm");
}

void cu_assembly(CuLower *l) {
    Assembly a = {.l = l, .place = l->at->place, .text.arena = l->arena};
    Buf text = {.arena = l->arena};
    if (l->is_host) cu_unsupported(l, a.place, "assembly of the host");
    l->at = l->at->next;
    while (cu_accept(l, "volatile") || cu_accept(l, "__volatile__")) a.is_volatile = true;
    buf_puts(&a.text, "");
    if (!cu_expect(l, "(", "after 'asm'") || !cu_strings(l, "inline PTX", &text)) return;
    if (sections(&a) && add_text(&a, buf_str(&text))) build(&a);
    cu_expect(l, ";", "after inline PTX");
}

CuVal cu_shared_address(CuLower *l, CuVal pointer, CuPlace place) {
    const Type *type = type_scalar(TYPE_I64);
    Value *generic = cu_cast_to(l, cu_value(l, pointer), cu_type(CU_ULONG)).value;
    if (l->panic) return cu_poison(l, place);
    Op *op = build_op(&l->b, OP_INLINE_ASM, 1, &generic, 1, &type, 0, NULL);
    inline_asm_set_text(op, STR("cvta.to.shared.u64 $0, $1;"));
    inline_asm_set_constraints(op, STR("=l,l"));
    inline_asm_set_pack(op, 1);
    return (CuVal){.type = cu_type(CU_ULONG), .value = op_result(op), .place = place};
}
