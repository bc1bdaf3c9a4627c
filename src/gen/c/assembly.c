// SPDX-License-Identifier: Apache-2.0
/* assembly: inline PTX as C, from the meanings of gen/ptx/isa.def: a function of 64-bit registers
 * for each piece of assembly, called for one pack of lanes after the other. Each lane-by-lane
 * instruction is a call of its row's own function, branches are gotos, memory is the host's:
 *
 *     AI int asm_0(UL *x, const int *P, KernelRuntime *R) {
 *         UL r1 = x[1], r0 = 0;
 *         r0 = row_SHF_L_WRAP(r1, r1, 0x3, 0);
 *         x[0] = r0;
 *         return 0;
 *     } */
#include "gen/c/c.h"
#include "gen/ptx/inline.h"

/* gen/ptx/number.h, as it stands. */
extern const char text_number_start[];

/* What number.h has from headers. */
static const char number_head[] = "typedef unsigned char uint8_t;\ntypedef signed char "
                                  "int8_t;\ntypedef unsigned short uint16_t;\n"
                                  "typedef short int16_t;\ntypedef unsigned uint32_t;\ntypedef int "
                                  "int32_t;\ntypedef UL uint64_t;\n"
                                  "typedef L int64_t;\ntypedef _Bool bool;\nenum { false, true };\n"
                                  "#define INT32_MIN (-0x7fffffff - 1)\n#define INT32_MAX "
                                  "0x7fffffff\n#define UINT32_MAX 0xffffffffu\n"
                                  "#define INT64_MIN (-0x7fffffffffffffffLL - 1)\n#define "
                                  "INT64_MAX 0x7fffffffffffffffLL\n#define UINT64_MAX ~0ull\n"
#define BUILTIN(name) "#define " #name " __builtin_" #name "\n"
    BUILTIN(memcpy) BUILTIN(fabsf) BUILTIN(fabs) BUILTIN(copysignf) BUILTIN(isfinite) BUILTIN(isinf)
        BUILTIN(signbit) BUILTIN(nextafterf) BUILTIN(fmaf) BUILTIN(fma) BUILTIN(sqrtf) BUILTIN(sqrt)
            BUILTIN(floorf) BUILTIN(floor) BUILTIN(ceilf) BUILTIN(ceil) BUILTIN(truncf)
                BUILTIN(trunc) BUILTIN(nearbyintf) BUILTIN(nearbyint) BUILTIN(exp2) BUILTIN(log2)
                    BUILTIN(sin) BUILTIN(cos) BUILTIN(tanh)
#undef BUILTIN
                        "#define MEM_OF(n) typedef uint##n##_t M##n __attribute__((may_alias)); "
                        "typedef M##n U##n __attribute__((aligned(1)));\n"
                        "MEM_OF(8) MEM_OF(16) MEM_OF(32) MEM_OF(64)\n";

static bool is_new(Gen *g, const char *name) {
    if (map_get(&g->known_functions, str_of(name))) return false;
    map_set(&g->known_functions, str_copy(g->arena, str_of(name)), g);
    return true;
}

static void write_number(Gen *g) {
    if (!is_new(g, "number.h")) return;
    static const char last_include[] = "#include <math.h>\n";
    const char *from = strstr(text_number_start, last_include) + sizeof last_include - 1;
    buf_puts(&g->functions, number_head);
    buf_puts(&g->functions, "#ifndef TERN_PTX_NUMBER_H\n"); /* its last line closes it */
    buf_puts(&g->functions, from);
}

/* ---- one instruction ---- */

typedef struct Text {
    Gen *g;
    Buf *out;
    const PtxProgram *program;
    int index; /* of the instruction */
    const Op *op;
} Text;

static Str row_name(Gen *g, TirOp op) {
    const PtxRow *row = &ptx_rows[op];
    PtxMeaning meaning = ptx_meaning_text(op);
    Str name = text(g, "row_%s", row->name);
    if (!is_new(g, name.data)) return name;
    Buf *out = &g->functions;
    buf_printf(out, "AI UL %s(UL ra, UL rb, UL rc, UL rd) {\n", name.data);
    for (int i = 1; i <= row->num_operands; i++) {
        char letter = (char)('a' + i - 1);
        buf_printf(out, "    %s %c = from_%s(r%c);\n", ptx_type_c((PtxType)row->types[i]), letter,
                   meaning.types[i], letter);
    }
    buf_printf(out, "    return to_%s(%s);\n}\n", meaning.types[0], meaning.text);
    return name;
}

static Str operand_text(const Text *t, const Ins *ins, int k, bool wide) {
    int32_t place = ins->operands[k];
    if (ins->predicate_operands >> k & 1) return text(t->g, "p%d", place);
    if (place >= 0) return text(t->g, "r%d", place);
    const uint32_t *words = t->program->constants.data + (size_t)(-1 - place) * LANES;
    return text(t->g, "0x%llxull",
                (unsigned long long)(wide ? words[0] | (uint64_t)words[1] << 32 : words[0]));
}

static void write_row(Text *t, const Ins *ins) {
    TirOp op = (TirOp)ins->op;
    const PtxRow *row = &ptx_rows[op];
    Str args[MOST_LANE_OPERANDS];
    for (int k = 0; k < MOST_LANE_OPERANDS; k++) {
        RegClass class = ptx_type_class((PtxType)row->types[1 + k]);
        args[k] = k < ins->num_operands ? operand_text(t, ins, k, class == CLASS_B64) : STR("0");
    }
    buf_printf(t->out, "%c%d = %.*s(%.*s, %.*s, %.*s, %.*s);",
               row->types[0] == PTX_pred ? 'p' : 'r', ins->results[0], STR_ARG(row_name(t->g, op)),
               STR_ARG(args[0]), STR_ARG(args[1]), STR_ARG(args[2]), STR_ARG(args[3]));
}

static void write_special(Text *t, const Ins *ins) {
    int kind = ins->kind;
    Str value = STR("R->clock(R)");
    if (kind >= SPECIAL_CTAID_X && kind <= SPECIAL_NCTAID_Z)
        value = text(t->g, "P[%d]", kind - SPECIAL_CTAID_X);
    if (kind == SPECIAL_SM) value = STR("0");
    bool high = kind == SPECIAL_TIMER_HIGH, wide = kind == SPECIAL_CLOCK64 || kind == SPECIAL_TIMER;
    buf_printf(t->out, "r%d = (%s)(%.*s%s);", ins->results[0], wide ? "UL" : "uint32_t",
               STR_ARG(value), high ? " >> 32" : "");
}

static void write_move(Text *t, const Ins *ins) {
    bool packs = ins->op == SIM_PACK8, wide = ins->op == SIM_UNPACK32;
    int bits = packs || ins->op == SIM_UNPACK8 ? 8 : wide ? 32 : 16;
    Str from = operand_text(t, ins, 0, wide);
    buf_puts(t->out, "{ UL from = ");
    if (!packs) buf_printf(t->out, "%.*s", STR_ARG(from));
    for (int k = 0; packs && k < ins->num_operands; k++)
        buf_printf(t->out, "%s(%.*s & 255) << %d", k ? " | " : "",
                   STR_ARG(operand_text(t, ins, k, false)), 8 * k);
    buf_putc(t->out, ';');
    for (int k = 0; k < ins->num_results; k++)
        buf_printf(t->out, packs ? " r%d = from;" : " r%d = (uint%d_t)(from >> %d);",
                   ins->results[k], bits, bits * k);
    buf_puts(t->out, " }");
}

enum { C_RELAXED = 0, C_ACQUIRE = 2, C_RELEASE = 3, C_SEQ_CST = 5 }; /* __ATOMIC_.. */

static void write_memory(Text *t, const Ins *ins) {
    int bits = 8 * ins->bytes;
    bool wide = ins->bytes == 8, loads = ins->op == SIM_LOAD;
    buf_printf(t->out, "{ UL at = %.*s + %lldll;", STR_ARG(operand_text(t, ins, 0, true)),
               (long long)ins->offset);
    inside_assembly(t->g, t->out, t->op, STR("at"), ins->bytes * ins->count,
                    loads ? "load" : "store");
    for (int k = 0; k < ins->count; k++) {
        Str at = text(t->g, "at + %d", k * ins->bytes);
        if (loads) {
            buf_printf(t->out,
                       ins->sign_extends ? " r%d = (uint32_t)(int32_t)(int%d_t)" : " r%d = ",
                       ins->results[k], bits);
            if (ins->is_volatile)
                buf_printf(t->out, "__atomic_load_n((M%d *)(%.*s), %d);", bits, STR_ARG(at),
                           ins->acquires ? C_ACQUIRE : C_RELAXED);
            else
                buf_printf(t->out, "*(const U%d *)(%.*s);", bits, STR_ARG(at));
            continue;
        }
        Str value = operand_text(t, ins, 1 + k, wide);
        if (ins->is_volatile)
            buf_printf(t->out, " __atomic_store_n((M%d *)(%.*s), (M%d)%.*s, %d);", bits,
                       STR_ARG(at), bits, STR_ARG(value), ins->releases ? C_RELEASE : C_RELAXED);
        else
            buf_printf(t->out, " *(U%d *)(%.*s) = (M%d)%.*s;", bits, STR_ARG(at), bits,
                       STR_ARG(value));
    }
    buf_puts(t->out, " }");
}

static void write_atomic_element(Text *t, const Ins *ins, Str address, Str value, int element) {
    int bits = 8 * ins->bytes;
    Str other = ins->kind == ATOMIC_CAS ? operand_text(t, ins, 2, ins->bytes == 8) : STR("0");
    Str to = text(t->g, "(%.*s + %lldll)", STR_ARG(address),
                  (long long)ins->offset + element * ins->bytes);
    buf_puts(t->out, "{");
    inside_assembly(t->g, t->out, t->op, to, ins->bytes, "atomic");
    buf_printf(t->out,
               " M%d *at = (M%d *)%.*s, old = __atomic_load_n(at, %d), new; do new = "
               "(M%d)ptx_atomic_value(%d, %d, %d, old, (M%d)%.*s, (M%d)%.*s); while "
               "(!__atomic_compare_exchange_n(at, &old, new, 0, %d, %d));",
               bits, bits, STR_ARG(to), C_RELAXED, bits, ins->kind, ins->number, ins->bytes, bits,
               STR_ARG(value), bits, STR_ARG(other), C_SEQ_CST, C_SEQ_CST);
    if (ins->num_results) buf_printf(t->out, " r%d = old;", ins->results[element]);
    buf_puts(t->out, " }");
}

static void write_atomic(Text *t, const Ins *ins) {
    Str address = operand_text(t, ins, 0, true);
    if (ins->count == 1) {
        write_atomic_element(t, ins, address, operand_text(t, ins, 1, ins->bytes == 8), 0);
        return;
    }
    /* All operands are read before the first result is written, which may be one of them. */
    buf_printf(t->out, "{ UL to = %.*s, x[%d] = {", STR_ARG(address), ins->count);
    for (int i = 0; i < ins->count; i++)
        buf_printf(t->out, "%.*s, ", STR_ARG(operand_text(t, ins, 1 + i, false)));
    buf_puts(t->out, "}; ");
    for (int i = 0; i < ins->count; i++)
        write_atomic_element(t, ins, STR("to"), str_format(t->g->arena, "x[%d]", i), i);
    buf_puts(t->out, " }");
}

static void write_branch(Text *t, const Ins *ins) {
    if (ins->offset > t->index) {
        buf_printf(t->out, "goto L%lld;", (long long)ins->offset);
        return;
    }
    t->g->facts->may_spin = true;
    buf_printf(t->out, "{ if (R->yield(R)) return 1; goto L%lld; }", (long long)ins->offset);
}

static void write_ins(Text *t, const Ins *ins) {
    buf_puts(t->out, "    ");
    if (ins->guard != NO_OPERAND)
        buf_printf(t->out, "if (%sp%d) ", ins->negated ? "!" : "", ins->guard);
    if (ins_row(ins))
        write_row(t, ins);
    else
        switch ((SimOp)ins->op) {
        case SIM_SPECIAL: write_special(t, ins); break;
        case SIM_PACK8:
        case SIM_UNPACK8:
        case SIM_UNPACK16:
        case SIM_UNPACK32: write_move(t, ins); break;
        case SIM_LOAD:
        case SIM_STORE: write_memory(t, ins); break;
        case SIM_ATOMIC: write_atomic(t, ins); break;
        case SIM_FENCE: buf_printf(t->out, "__atomic_thread_fence(%d);", C_SEQ_CST); break;
        case SIM_BRANCH: write_branch(t, ins); break;
        case SIM_BARRIER: /* of one thread */
        case SIM_WARP_SYNC:
        case SIM_END: buf_putc(t->out, ';'); break;
        case SIM_LOAD_PARAM:
        case SIM_PRINT:
        case SIM_ASSERT:
        case SIM_RETURN:
        case SIM_TRAP:
        case SIM_REGISTERS:
        case SIM_CLUSTER_ADDRESS:
        case SIM_CLUSTER:
        case SIM_COPIES:
        case SIM_ACROSS: BUG("read where there is no GPU");
        }
    buf_putc(t->out, '\n');
}

/* ---- a piece of assembly ---- */

/* Its registers as C variables: those that are named, and those that it is given. */
static void declare_places(Gen *g, Buf *out, const InlineAsm *read) {
    const PtxProgram *program = read->program;
    bool *used = arena_array(g->arena, bool, program->num_places + 1);
    for (int i = 0; i < read->num_registers; i++) used[read->at[i].place] = true;
    for (int i = 0; i < program->code.count; i++) {
        const Ins *ins = &program->code.data[i];
        const PtxRow *row = ins_row(ins);
        bool sets_predicate = row && row->types[0] == PTX_pred;
        for (int k = 0; k < ins->num_results && !sets_predicate; k++) used[ins->results[k]] = true;
        for (int k = 0; k < ins->num_operands; k++)
            if (ins->operands[k] >= 0 && !(ins->predicate_operands >> k & 1))
                used[ins->operands[k]] = true;
    }
    for (int i = 0; i < program->num_places; i++)
        if (used[i]) buf_printf(out, "    UL r%d = 0;\n", i);
    for (int i = 0; i < program->num_predicates; i++) buf_printf(out, "    UL p%d = 0;\n", i);
}

static Str write_function(Gen *g, const Op *op, const InlineAsm *read) {
    const PtxProgram *program = read->program;
    Buf body = {.arena = g->arena};
    Str name = text(g, "asm_%d", new_id(g));
    bool *labels = arena_array(g->arena, bool, program->code.count + 1);
    write_number(g);
    for (int i = 0; i < program->code.count; i++)
        if (program->code.data[i].op == SIM_BRANCH) labels[program->code.data[i].offset] = true;
    declare_places(g, &body, read);
    for (int i = 0; i < read->num_registers; i++)
        if (read->at[i].class != CLASS_NONE)
            buf_printf(&body, "    r%d = x[%d];\n", read->at[i].place, i);
    for (int i = 0; i < program->code.count; i++) {
        if (labels[i]) buf_printf(&body, "L%d:\n", i);
        write_ins(&(Text){g, &body, program, i, op}, &program->code.data[i]);
    }
    int outputs = 0;
    for (int i = 0; i < read->num_results; i++) outputs += read->operands[i].registers;
    for (int i = 0; i < outputs; i++) buf_printf(&body, "    x[%d] = r%d;\n", i, read->at[i].place);
    buf_printf(&g->functions,
               "AI int %s(UL *x, const int *P, KernelRuntime *R) {\n%s    return 0;\n}\n",
               name.data, body.data);
    return name;
}

/* ---- its calls ---- */

/* Copies lanes between a value and its registers: one register's at a time where there are enough
 * lanes; a pack larger than the tile repeats the last. */
static void copy_lanes(Gen *g, const AsmOperand *operand, const View *view, int pack, bool out) {
    int size = type_size_bytes(operand->lane), lanes = operand->value->type->lanes,
        d = g->depth + 1;
    bool is_tile = view != NULL, whole = is_tile && lanes >= pack;
    int step = whole ? operand->each : 1, last = out && lanes < pack ? lanes : pack;
    Str from = text(g, "v%d", operand->value->id);
    if (is_tile) {
        from = text(g, "a%d[%lld", view->array->id, (long long)view->offset);
    } else if (!out) {
        from = text(g, "s%d", operand->first);
        line(g, g->out, d, "%s %.*s = %.*s;", scalar_type(operand->lane->kind), STR_ARG(from),
             STR_ARG(scalar_name(g, operand->value)));
    }
    for (int j = 0; j < last; j += step) {
        int lane = j < lanes ? j : lanes - 1;
        Str memory = !is_tile ? text(g, "&%.*s", STR_ARG(from))
                              : text(g, "&%.*s + i + %d]", STR_ARG(from), lane);
        Str reg = text(g, "(char *)&x[%d] + %d", operand->first + j / operand->each,
                       j % operand->each * size);
        line(g, g->out, d, "__builtin_memcpy(%.*s, %.*s, %d);", STR_ARG(out ? memory : reg),
             STR_ARG(out ? reg : memory), size * step);
    }
}

static void make_result(Gen *g, Value *r) {
    if (!type_is_tile(r->type)) {
        declare_scalar(g, r, STR("0"));
        return;
    }
    bool dedicated = false;
    for (int k = 0; k < info(g, r)->users.count; k++)
        dedicated = dedicated || info(g, r)->users.data[k]->kind == OP_YIELD;
    value_store_in(g, r, view_row_major(g, array_new(g, r->type, dedicated), r->type));
}

void assembly_write(Gen *g, Op *op) {
    InlineAsm read;
    if (!asm_read(g->arena, op, &read, g->diag)) return;
    flush(g);
    before_write(g, op);
    const View **views = arena_array(g->arena, const View *, read.num_operands);
    for (int i = 0; i < op->num_operands; i++)
        if (type_is_tile(op->operands[i]->type))
            views[op->num_results + i] = row_major(g, op->operands[i]);
    for (int i = 0; i < op->num_results; i++) {
        make_result(g, &op->results[i]);
        views[i] = info(g, &op->results[i])->view;
    }
    Str name = write_function(g, op, &read);
    int d = g->depth, lanes = op_result(op)->type->lanes;
    line(g, g->out, d, "for (L i = 0; i < %d; i += %d) {", lanes, read.pack);
    line(g, g->out, d + 1, "UL x[%d] = {0};", read.num_registers);
    for (int i = read.num_results; i < read.num_operands; i++)
        if (read.operands[i].letter != 'n')
            copy_lanes(g, &read.operands[i], views[i], read.pack, false);
    line(g, g->out, d + 1, "if (%.*s(x, P, R)) return 1;", STR_ARG(name));
    for (int i = 0; i < read.num_results; i++)
        copy_lanes(g, &read.operands[i], views[i], read.pack, true);
    line(g, g->out, d, "}");
    set_done(g, op);
}
