// SPDX-License-Identifier: Apache-2.0
/* tirprint: drops what nobody reads, then prints the thread IR as the body of a PTX entry. */
#include "gen/ptx/tir.h"

/* ---- what is live ---- */

typedef struct Marker {
    Tirs *b;
    VEC(Tir) todo;
} Marker;

static void mark(Marker *m, Tir x) {
    if (!x || m->b->list.data[x].live) return;
    m->b->list.data[x].live = true;
    vec_push(m->b->arena, &m->todo, x);
}

static bool is_root(const TirIns *ins) {
    bool acts = ins->kind == TIR_STORE || ins->kind == TIR_COPY || ins->kind == TIR_ATOM ||
                ins->kind == TIR_LABEL || ins->kind == TIR_BRANCH || ins->kind == TIR_PLAIN ||
                ins->kind == TIR_CALL || ins->kind == TIR_WGMMA;
    return acts || ins->pinned;
}

/* No instruction takes a number for two halves. */
static bool is_number_type(PtxType type) {
    RegClass class = ptx_type_class(type);
    return type != PTX_pair32 && (class == CLASS_B32 || class == CLASS_B64);
}

/* Constants that an instruction cannot carry itself get a register. */
static bool takes_number(const TirIns *ins, int arg) {
    if (ins->kind == TIR_SET) return true;
    if (ins->kind == TIR_LOAD || ins->kind == TIR_SHUFFLE) return arg > 0;
    if (ins->kind != TIR_PURE) return false;
    const PtxRow *row = &ptx_rows[ins->op];
    return row->fold != FOLD_PACK && is_number_type((PtxType)row->types[1 + arg]);
}

static void mark_operands(Marker *m, TirIns *ins) {
    Tirs *b = m->b;
    for (int i = 0; i < ins->num_args; i++) {
        if (ins->kind == TIR_SET && i == 0) continue;
        TirIns *arg = &b->list.data[ins->args[i]];
        bool number = takes_number(ins, i) && arg->class != CLASS_PRED;
        if (arg->kind == TIR_CONST && !number) arg->in_register = true;
        if (arg->readers < 2) arg->readers++;
        if (ins->kind == TIR_PURE && ptx_rows[ins->op].class == CLASS_FLOAT16 && ins->num_args > 1)
            arg->mate = ins->args[i == 0];
        mark(m, ins->args[i]);
    }
    if (ins->guard) {
        if (b->list.data[ins->guard].kind == TIR_CONST) b->list.data[ins->guard].in_register = true;
        mark(m, ins->guard);
    }
}

void tir_mark(Tirs *b) {
    Marker m = {.b = b};
    /* The sets of each variable, as a chain through `next`, which only pure instructions use. */
    for (Tir x = 1; x < b->list.count; x++) {
        TirIns *ins = &b->list.data[x];
        ins->readers = 0, ins->mate = 0;
        if (ins->kind == TIR_SET) {
            ins->next = b->list.data[ins->args[0]].next;
            b->list.data[ins->args[0]].next = x;
        }
    }
    for (Tir x = 1; x < b->list.count; x++)
        if (is_root(&b->list.data[x])) mark(&m, x);
    while (m.todo.count) {
        Tir x = m.todo.data[--m.todo.count];
        TirIns *ins = &b->list.data[x];
        for (int i = 0; i < ins->num_results; i++) mark(&m, x + 1 + i);
        if (ins->kind == TIR_VAR)
            for (Tir set = ins->next; set; set = b->list.data[set].next) mark(&m, set);
        mark_operands(&m, ins);
    }
}

/* ---- printing ---- */

typedef struct Printer {
    Tirs *b;
    Buf *out;
    int file, line, column;
} Printer;

static const char *const class_names[] = {"pred", "b16", "b32", "b64"};
static const char class_letters[] = "phrd";

/* A number as an operand of a type. */
static void number(Buf *out, PtxType type, uint64_t bits) {
    RegClass class = ptx_type_class(type);
    int64_t value = class == CLASS_B64 ? (int64_t)bits : (int32_t)(uint32_t)bits;
    if (ptx_type_kind(type) == PTX_FLOAT && class == CLASS_B32)
        buf_printf(out, "0f%08X", (unsigned)bits);
    else if (ptx_type_kind(type) == PTX_FLOAT && class == CLASS_B64)
        buf_printf(out, "0d%016llX", (unsigned long long)bits);
    else if (class == CLASS_B16)
        buf_printf(out, "0x%04x", (unsigned)bits);
    else if (value > INT32_MIN && value <= INT32_MAX)
        buf_int(out, value);
    else
        buf_printf(out, "0x%llx", (unsigned long long)(class == CLASS_B64 ? bits : (uint32_t)bits));
}

static void reg_name(Printer *p, Tir x) {
    const TirIns *ins = &p->b->list.data[x];
    if (ins->class == CLASS_NONE) BUG("operand %d has no value", x);
    buf_add(p->out, (const char[]){'%', class_letters[ins->class]}, 2);
    buf_int(p->out, ins->reg);
}

static void operand(Printer *p, Tir x, PtxType type) {
    const TirIns *ins = &p->b->list.data[x];
    if (ins->kind == TIR_CONST && is_number_type(type))
        number(p->out, type, ins->imm);
    else
        reg_name(p, x);
}

static PtxType bits_of(RegClass class) {
    return class == CLASS_B64 ? PTX_b64 : class == CLASS_B32 ? PTX_b32 : PTX_b16;
}

static void move(Printer *p, Tir to, Tir from) {
    RegClass class = tir_class(p->b, to);
    uint64_t bits;
    buf_puts(p->out, "\t");
    if (class == CLASS_PRED && tir_is_const(p->b, from, &bits)) {
        buf_puts(p->out, "setp.ne.s32 ");
        reg_name(p, to);
        buf_printf(p->out, ", %d, 0;\n", (int)bits);
        return;
    }
    buf_printf(p->out, "mov.%s ", class_names[class]);
    reg_name(p, to);
    buf_puts(p->out, ", ");
    if (tir_is_const(p->b, from, &bits))
        number(p->out, bits_of(class), bits);
    else
        reg_name(p, from);
    buf_puts(p->out, ";\n");
}

static void guard(Printer *p, const TirIns *ins) {
    buf_puts(p->out, "\t");
    if (!ins->guard) return;
    buf_puts(p->out, ins->guard_negated ? "@!" : "@");
    reg_name(p, ins->guard);
    buf_puts(p->out, " ");
}

/* {a, b}, or a when there is one; of mma always {a}. */
static void group_of(Printer *p, const Tir *args, int count, Tir first_result) {
    for (int i = 0; i < count; i++) {
        buf_puts(p->out, i ? ", " : "{");
        reg_name(p, args ? args[i] : first_result + i);
    }
    buf_puts(p->out, "}");
}

static void group(Printer *p, const Tir *args, int count, Tir first_result) {
    if (count == 1)
        reg_name(p, args ? args[0] : first_result);
    else
        group_of(p, args, count, first_result);
}

static void address_of(Printer *p, Tir base, int64_t offset) {
    buf_puts(p->out, "[");
    reg_name(p, base);
    if (offset) buf_printf(p->out, "+%lld", (long long)offset);
    buf_puts(p->out, "]");
}

static void address(Printer *p, const TirIns *ins) {
    address_of(p, ins->args[0], (int64_t)ins->imm);
}

static void print_copy(Printer *p, const TirIns *ins) {
    guard(p, ins);
    buf_printf(p->out, "%s ", ins->text);
    address_of(p, ins->args[0], (int32_t)(ins->imm & UINT32_MAX));
    buf_puts(p->out, ", ");
    address_of(p, ins->args[1], (int32_t)(ins->imm >> 32));
    buf_printf(p->out, ", %s", ins->text2);
    for (int i = 2; i < ins->num_args; i++) buf_puts(p->out, ", "), reg_name(p, ins->args[i]);
    buf_puts(p->out, ";\n");
}

static void print_pure(Printer *p, Tir x) {
    const TirIns *ins = &p->b->list.data[x];
    const PtxRow *row = &ptx_rows[ins->op];
    buf_putc(p->out, '\t');
    buf_add(p->out, row->text, strcspn(row->text, " "));
    buf_putc(p->out, ' ');
    reg_name(p, x);
    bool packs = row->fold == FOLD_PACK;
    buf_puts(p->out, packs ? ", {" : ", ");
    for (int i = 0; i < ins->num_args; i++) {
        if (i) buf_puts(p->out, ", ");
        if (packs)
            reg_name(p, ins->args[i]);
        else
            operand(p, ins->args[i], (PtxType)row->types[1 + i]);
    }
    buf_puts(p->out, packs ? "};\n" : ";\n");
}

static const TirIns *pure_at(const Tirs *b, int at, TirOp op) {
    const TirIns *ins = at < b->order_count ? &b->list.data[b->order[at]] : NULL;
    return ins && ins->kind == TIR_PURE && ins->op == op ? ins : NULL;
}

/* Both halves of a word, one after the other: by one instruction, of which ptxas knows that they
 * lie there; what is made of them it then makes of words. Where one number is for both, as a row's
 * is for its lanes, that would first have to be doubled, in a register more.
 *
 *     cvt.u16.u32 %h0, %r0;  shr.u32 %r1, %r0, 16;  cvt.u16.u32 %h1, %r1;
 *     mov.b32 {%h0, %h1}, %r0; */
static bool are_halves(const Tirs *b, int at) {
    const TirIns *low = pure_at(b, at, TIR_LOW16), *shifted = pure_at(b, at + 1, TIR_SHR_U32),
                 *high = pure_at(b, at + 2, TIR_LOW16);
    uint64_t by;
    if (!low || !shifted || !high || low->mate == high->mate) return false;
    return high->args[0] == b->order[at + 1] && shifted->readers == 1 &&
           shifted->args[0] == low->args[0] && tir_is_const(b, shifted->args[1], &by) && by == 16;
}

static void print_halves(Printer *p, int at) {
    const Tir *order = p->b->order, halves[] = {order[at], order[at + 2]};
    buf_puts(p->out, "\tmov.b32 ");
    group_of(p, halves, 2, 0);
    buf_puts(p->out, ", ");
    reg_name(p, p->b->list.data[order[at]].args[0]);
    buf_puts(p->out, ";\n");
}

static void print_mma(Printer *p, Tir x) {
    const TirIns *ins = &p->b->list.data[x];
    int num_a = (int)(ins->imm & 255), num_b = (int)(ins->imm >> 8 & 255);
    buf_printf(p->out, "\t%s ", ins->text);
    group_of(p, NULL, ins->num_results, x + 1);
    buf_puts(p->out, ", ");
    group_of(p, ins->args, num_a, 0);
    buf_puts(p->out, ", ");
    group_of(p, ins->args + num_a, num_b, 0);
    buf_puts(p->out, ", ");
    group_of(p, ins->args + num_a + num_b, ins->num_args - num_a - num_b, 0);
    buf_puts(p->out, ";\n");
}

static void print_wgmma(Printer *p, const TirIns *ins) {
    int of_a = (int)ins->imm, sums = ins->num_args - of_a - 2;
    buf_printf(p->out, "\t%s ", ins->text);
    group_of(p, ins->args, sums, 0);
    buf_puts(p->out, ", ");
    group(p, ins->args + sums, of_a, 0);
    for (int i = 0; i < 2; i++) buf_puts(p->out, ", "), reg_name(p, ins->args[sums + of_a + i]);
    buf_printf(p->out, "%s;\n", ins->text2);
}

static void print_asm(Printer *p, Tir x) {
    const TirIns *ins = &p->b->list.data[x];
    buf_puts(p->out, "\t{ ");
    for (const char *c = ins->text; *c; c++) {
        if (*c != '$') {
            buf_putc(p->out, *c);
        } else if (c[1] == '$') {
            buf_putc(p->out, *++c);
        } else {
            int n = 0;
            while (c[1] >= '0' && c[1] <= '9') n = n * 10 + (*++c - '0');
            reg_name(p, n < ins->num_results ? x + 1 + n : ins->args[n - ins->num_results]);
        }
    }
    buf_puts(p->out, " }\n");
}

static void print_call(Printer *p, const TirIns *ins) {
    bool returns = ins->text2 != NULL;
    buf_puts(p->out, "\t{\n");
    for (int i = 0; i < ins->num_args; i++) {
        const char *type = tir_class(p->b, ins->args[i]) == CLASS_B64 ? "b64" : "b32";
        buf_printf(p->out, "\t.param .%s arg%d;\n\tst.param.%s [arg%d], ", type, i, type, i);
        reg_name(p, ins->args[i]);
        buf_puts(p->out, ";\n");
    }
    if (returns) buf_printf(p->out, "\t.param .%s result;\n", ins->text2);
    buf_printf(p->out, "\tcall %s%s, (", returns ? "(result), " : "", ins->text);
    for (int i = 0; i < ins->num_args; i++) buf_printf(p->out, i ? ", arg%d" : "arg%d", i);
    buf_puts(p->out, ");\n\t}\n");
}

static void print_memory(Printer *p, Tir x) {
    const TirIns *ins = &p->b->list.data[x];
    int count = ins->num_results, num_args = ins->num_args - ins->has_policy;
    for (int i = 1; ins->kind == TIR_LOAD && i < num_args; i++) move(p, x + i, ins->args[i]);
    guard(p, ins);
    buf_printf(p->out, "%s ", ins->text);
    if (ins->kind == TIR_STORE) {
        address(p, ins);
        buf_puts(p->out, ", ");
        group(p, ins->args + 1, num_args - 1, 0);
    } else {
        if (count)
            (ins->in_braces ? group_of : group)(p, NULL, count, x + 1), buf_puts(p->out, ", ");
        address(p, ins);
        if (ins->kind == TIR_ATOM && ins->in_braces) {
            buf_puts(p->out, ", ");
            group_of(p, ins->args + 1, ins->num_args - 1, 0);
        }
        for (int i = 1; ins->kind == TIR_ATOM && !ins->in_braces && i < ins->num_args; i++) {
            buf_puts(p->out, ", ");
            reg_name(p, ins->args[i]);
        }
    }
    if (ins->has_policy) buf_puts(p->out, ", "), reg_name(p, ins->args[num_args]);
    buf_puts(p->out, ";\n");
}

static void print_leaf(Printer *p, Tir x) {
    const TirIns *ins = &p->b->list.data[x];
    if (ins->kind == TIR_CONST) {
        if (ins->in_register) move(p, x, x);
        return;
    }
    bool wide = ins->class == CLASS_B64;
    if (ins->kind == TIR_PARAM) {
        buf_printf(p->out, "\tld.param.%s ", ins->text);
        reg_name(p, x);
        buf_printf(p->out, ", [param_%d];\n", (int)ins->imm);
        return;
    }
    buf_printf(p->out, "\tmov.%s ", wide ? "u64" : "u32");
    reg_name(p, x);
    buf_printf(p->out, ", %s;\n", ins->text);
    if (ins->kind == TIR_ADDRESS && wide) {
        buf_printf(p->out, "\tcvta.%s.u64 ",
                   ins->imm == SPACE_LOCAL   ? "local"
                   : ins->imm == SPACE_PARAM ? "param"
                                             : "global");
        reg_name(p, x), buf_puts(p->out, ", ");
        reg_name(p, x), buf_puts(p->out, ";\n");
    }
}

static void print_shuffle(Printer *p, Tir x) {
    const TirIns *ins = &p->b->list.data[x];
    buf_printf(p->out, "\t%s ", ins->text);
    reg_name(p, x + 1);
    buf_puts(p->out, ", ");
    reg_name(p, ins->args[0]);
    if (ins->num_args > 1) {
        buf_puts(p->out, ", ");
        operand(p, ins->args[1], PTX_b32);
        /* The last lane that is read from; upwards from below, the first one. */
        buf_puts(p->out, strstr(ins->text, ".up.") ? ", 0" : ", 31");
    }
    buf_puts(p->out, ", -1;\n");
}

static void print_one(Printer *p, Tir x) {
    const TirIns *ins = &p->b->list.data[x];
    switch ((TirKind)ins->kind) {
    case TIR_PURE: print_pure(p, x); break;
    case TIR_CONST:
    case TIR_SPECIAL:
    case TIR_PARAM:
    case TIR_ADDRESS: print_leaf(p, x); break;
    case TIR_LOAD:
    case TIR_STORE:
    case TIR_ATOM: print_memory(p, x); break;
    case TIR_COPY: print_copy(p, ins); break;
    case TIR_SHUFFLE: print_shuffle(p, x); break;
    case TIR_MMA: print_mma(p, x); break;
    case TIR_WGMMA: print_wgmma(p, ins); break;
    case TIR_SET: move(p, ins->args[0], ins->args[1]); break;
    case TIR_LABEL: buf_printf(p->out, "L%d:\n", (int)ins->imm); break;
    case TIR_BRANCH:
        guard(p, ins);
        buf_printf(p->out, "bra L%d;\n", (int)ins->imm);
        break;
    case TIR_PLAIN: buf_printf(p->out, "\t%s\n", ins->text); break;
    case TIR_READ:
        buf_printf(p->out, "\t%s ", ins->text);
        reg_name(p, x + 1);
        buf_printf(p->out, ", %s;\n", ins->text2);
        break;
    case TIR_ASM: print_asm(p, x); break;
    case TIR_CALL: print_call(p, ins); break;
    case TIR_NONE:
    case TIR_VAR:
    case TIR_RESULT: break;
    }
}

void tir_print(Tirs *b, Buf *out) {
    Printer p = {.b = b, .out = out};
    int counts[4] = {0};
    for (int i = 0; i < b->order_count; i++)
        if (are_halves(b, i)) b->list.data[b->order[i + 1]].live = false;
    for (Tir x = 1; x < b->list.count; x++) {
        TirIns *ins = &b->list.data[x];
        if (!ins->live || ins->class == CLASS_NONE) continue;
        if (ins->kind == TIR_CONST && !ins->in_register) continue;
        ins->reg = counts[ins->class]++;
    }
    for (int class = 0; class < 4; class ++)
        if (counts[class])
            buf_printf(out, "\t.reg .%s %%%c<%d>;\n", class_names[class], class_letters[class],
                       counts[class]);
    for (int i = 0; i < b->order_count; i++) {
        const TirIns *ins = &b->list.data[b->order[i]];
        bool moved = ins->file != p.file || ins->line != p.line || ins->column != p.column;
        if (b->file && ins->kind != TIR_LABEL && ins->line && moved) {
            p.file = ins->file, p.line = ins->line, p.column = ins->column;
            buf_puts(out, "\t.loc ");
            buf_int(out, p.file), buf_putc(out, ' ');
            buf_int(out, p.line), buf_putc(out, ' ');
            buf_int(out, p.column), buf_putc(out, '\n');
        }
        if (are_halves(b, i))
            print_halves(&p, i), i += 2;
        else
            print_one(&p, b->order[i]);
    }
}
