// SPDX-License-Identifier: Apache-2.0
/* ptx_block: runs the thread IR of a kernel, all threads of one block after another, so that
 * lowering is tested without a GPU. Warps run in a random order and as far as they can between
 * barriers, so a missing barrier shows as a wrong value. Fragments of mma are written down here
 * once more, from the PTX ISA's pictures. Pointers are addresses of this process; accesses must lie
 * in a known range. */
#ifndef TERN_TEST_PTX_BLOCK_H
#define TERN_TEST_PTX_BLOCK_H

#include "gen/ptx/gen.h"
#include "test.h"

typedef struct Range {
    char *start;
    size_t size;
} Range;

typedef struct ThreadBlock {
    const Gen *gen;
    const Tirs *b;
    int threads;
    uint64_t **values; /* [thread][instruction] */
    int *pc;
    int labels[4096];
    char *shared;
    uint64_t params[32];
    Range ranges[32];
    int num_ranges;
    uint32_t program[3], programs[3];
    uint64_t steps;
    const char *failed;
} ThreadBlock;

static void fail(ThreadBlock *k, const char *why) {
    if (!k->failed) k->failed = why;
}

static uint64_t value(ThreadBlock *k, int thread, Tir x) {
    const TirIns *ins = &k->b->list.data[x];
    return ins->op == TIR_CONST ? ins->imm : k->values[thread][x];
}

static bool allowed(ThreadBlock *k, bool global, uint64_t address, size_t size) {
    if (address % size) return false;
    if (!global) return address + size <= (uint64_t)k->gen->shared_size;
    for (int i = 0; i < k->num_ranges; i++) {
        uint64_t start = (uint64_t)(uintptr_t)k->ranges[i].start;
        if (address >= start && address + size <= start + k->ranges[i].size) return true;
    }
    return false;
}

static int element_size(const char *text) {
    const char *dot = strrchr(text, '.');
    return atoi(dot + strcspn(dot, "0123456789")) / 8;
}

static bool guard_holds(ThreadBlock *k, int thread, const TirIns *ins) {
    return !ins->guard || (value(k, thread, ins->guard) != 0) != ins->guard_negated;
}

static void access_memory(ThreadBlock *k, int thread, Tir x) {
    const TirIns *ins = &k->b->list.data[x];
    bool global = strstr(ins->text, "global") != NULL, load = ins->op == TIR_LOAD;
    int count = load ? ins->num_results : ins->num_args - 1, size = element_size(ins->text);
    for (int i = 0; load && i < ins->num_args - 1; i++)
        k->values[thread][x + 1 + i] = value(k, thread, ins->args[1 + i]);
    if (!guard_holds(k, thread, ins)) return;
    uint64_t address = value(k, thread, ins->args[0]) + ins->imm;
    if (!global) address = (uint32_t)address;
    if (address % (uint64_t)(size * count)) fail(k, "misaligned vector access");
    for (int i = 0; i < count; i++, address += (uint64_t)size) {
        if (!allowed(k, global, address, (size_t)size)) {
            fail(k, global ? "global access out of range" : "shared access out of range");
            return;
        }
        char *at = global ? (char *)(uintptr_t)address : k->shared + address;
        if (load) {
            uint64_t bits = 0;
            memcpy(&bits, at, (size_t)size);
            k->values[thread][x + 1 + i] = bits;
        } else {
            uint64_t bits = value(k, thread, ins->args[1 + i]);
            memcpy(at, &bits, (size_t)size);
        }
    }
}

static uint64_t atomic_new(ThreadBlock *k, const char *text, uint64_t old, uint64_t x, uint64_t y) {
    uint64_t args[3] = {old, x}, out = 0;
    TirOp op = TIR_CONST;
    if (strstr(text, ".cas.")) return old == x ? y : old;
    if (strstr(text, ".exch.")) return x;
    if (strstr(text, "add.noftz.bf16")) { /* widened by 16 zeros, added, rounded back */
        uint64_t wide[3] = {old << 16, x << 16}, sum[3] = {0}, rounded;
        tir_eval(TIR_ADD_F32, wide, sum), tir_eval(TIR_BF16_FROM_F32, sum, &rounded);
        return rounded;
    }
    if (strstr(text, "add.u32"))
        op = TIR_ADD32;
    else if (strstr(text, "add.u64"))
        op = TIR_ADD64;
    else if (strstr(text, "add.f32"))
        op = TIR_ADD_F32;
    else if (strstr(text, "add.f64"))
        op = TIR_ADD_F64;
    else if (strstr(text, "add.noftz.f16"))
        op = TIR_ADD_F16;
    else if (strstr(text, "and.b32"))
        op = TIR_AND32;
    else if (strstr(text, "or.b32"))
        op = TIR_OR32;
    else if (strstr(text, "max.s32"))
        op = TIR_MAX_S32;
    else if (strstr(text, "min.u32"))
        op = TIR_MIN_U32;
    if (op == TIR_CONST || !tir_eval(op, args, &out)) fail(k, "unknown atomic");
    return out;
}

static void access_atomic(ThreadBlock *k, int thread, Tir x) {
    const TirIns *ins = &k->b->list.data[x];
    bool global = strstr(ins->text, "global") != NULL;
    if (!guard_holds(k, thread, ins)) return;
    uint64_t address = value(k, thread, ins->args[0]) + ins->imm;
    if (!global) address = (uint32_t)address;
    int size = element_size(ins->text);
    if (!allowed(k, global, address, (size_t)size)) {
        fail(k, "atomic out of range");
        return;
    }
    char *at = global ? (char *)(uintptr_t)address : k->shared + address;
    uint64_t old = 0, y = ins->num_args > 2 ? value(k, thread, ins->args[2]) : 0;
    memcpy(&old, at, (size_t)size);
    uint64_t next = atomic_new(k, ins->text, old, value(k, thread, ins->args[1]), y);
    memcpy(at, &next, (size_t)size);
    if (ins->num_results) k->values[thread][x + 1] = old;
}

static uint64_t special(ThreadBlock *k, int thread, const char *name) {
    if (!strcmp(name, "%tid.x")) return (uint64_t)thread;
    int axis = name[strlen(name) - 1] - 'x';
    return !strncmp(name, "%ctaid", 6) ? k->program[axis] : k->programs[axis];
}

/* ---- ops of a whole warp ---- */

static void run_shuffle(ThreadBlock *k, int warp, Tir x) {
    const TirIns *ins = &k->b->list.data[x];
    uint64_t out[32];
    for (int lane = 0; lane < 32; lane++) {
        uint64_t arg = value(k, warp * 32 + lane, ins->args[1]);
        uint64_t from = strstr(ins->text, "bfly") ? (uint64_t)lane ^ arg : arg;
        if (from > 31) fail(k, "shuffle from a lane past 31");
        out[lane] = value(k, warp * 32 + (int)(from & 31), ins->args[0]);
    }
    for (int lane = 0; lane < 32; lane++) k->values[warp * 32 + lane][x + 1] = out[lane];
}

/* PTX ISA, "ldmatrix": lanes 8 i .. 8 i + 7 point at the rows of matrix i, 8 elements of 16 bits
 * each; a lane gets two elements of row lane / 4, or of that column. */
static void run_ldmatrix(ThreadBlock *k, int warp, Tir x) {
    const TirIns *ins = &k->b->list.data[x];
    bool transposed = strstr(ins->text, ".trans") != NULL;
    for (int i = 0; i < ins->num_results; i++) {
        uint16_t rows[8][8];
        for (int r = 0; r < 8; r++) {
            uint64_t address = (uint32_t)(value(k, warp * 32 + 8 * i + r, ins->args[0]) + ins->imm);
            if (!allowed(k, false, address, 16)) {
                fail(k, "ldmatrix out of range or misaligned");
                return;
            }
            memcpy(rows[r], k->shared + address, 16);
        }
        for (int lane = 0; lane < 32; lane++) {
            int major = lane / 4, minor = 2 * (lane % 4);
            uint64_t low = transposed ? rows[minor][major] : rows[major][minor];
            uint64_t high = transposed ? rows[minor + 1][major] : rows[major][minor + 1];
            k->values[warp * 32 + lane][x + 1 + i] = low | high << 16;
        }
    }
}

static double part(uint64_t word, int i, const char *type) {
    uint64_t operands[3] = {word}, out; /* tir_eval reads three, whatever the op takes */
    float f;
    if (!strcmp(type, "s8")) return (int8_t)(word >> (8 * i));
    if (!strcmp(type, "f16")) {
        operands[0] = word >> (16 * i) & 0xffff;
        tir_eval(TIR_F32_FROM_F16, operands, &out);
    } else {
        out = !strcmp(type, "bf16") ? (word >> (16 * i) & 0xffff) << 16 : word & 0xffffe000;
    }
    uint32_t low = (uint32_t)out;
    memcpy(&f, &low, 4);
    return (double)f;
}

/* PTX ISA, "Matrix fragments for mma.m16n8k16" and its neighbours: group = lane / 4, t = lane % 4.
 */
static void run_mma(ThreadBlock *k, int warp, Tir x) {
    const TirIns *ins = &k->b->list.data[x];
    const char *type = strstr(ins->text, ".s8")    ? "s8"
                       : strstr(ins->text, "bf16") ? "bf16"
                       : strstr(ins->text, "tf32") ? "tf32"
                                                   : "f16";
    int per = !strcmp(type, "s8")     ? 4
              : !strcmp(type, "tf32") ? 1
                                      : 2,
        num_a = (int)(ins->imm & 255), num_b = (int)(ins->imm >> 8);
    int depth = 4 * per * num_b;
    double a[16][32] = {{0}}, b[32][8] = {{0}};
    for (int lane = 0; lane < 32; lane++)
        for (int r = 0; r < num_a + num_b; r++)
            for (int i = 0; i < per; i++) {
                double v = part(value(k, warp * 32 + lane, ins->args[r]), i, type);
                int q = r < num_a ? r : r - num_a;
                if (r < num_a)
                    a[lane / 4 + 8 * (q & 1)][lane % 4 * per + i + 4 * per * (q >> 1)] = v;
                else
                    b[lane % 4 * per + i + 4 * per * q][lane / 4] = v;
            }
    for (int lane = 0; lane < 32; lane++)
        for (int r = 0; r < 4; r++) {
            int row = lane / 4 + 8 * (r >> 1), column = lane % 4 * 2 + (r & 1);
            uint64_t c = value(k, warp * 32 + lane, ins->args[num_a + num_b + r]);
            double sum = 0;
            for (int i = 0; i < depth; i++) sum += a[row][i] * b[i][column];
            if (per == 4) {
                c = (uint32_t)((int32_t)c + (int32_t)sum);
            } else {
                uint32_t low = (uint32_t)c;
                float f;
                memcpy(&f, &low, 4);
                f = (float)((double)f + sum);
                memcpy(&low, &f, 4);
                c = low;
            }
            k->values[warp * 32 + lane][x + 1 + r] = c;
        }
}

/* ---- threads ---- */

static bool is_ldmatrix(const TirIns *ins) {
    return ins->op == TIR_LOAD && !strncmp(ins->text, "ldmatrix", 8);
}

static bool stops(const TirIns *ins) {
    return ins->live && (is_ldmatrix(ins) || ins->op == TIR_SHUFFLE || ins->op == TIR_MMA ||
                         ins->op == TIR_PLAIN);
}

static void step(ThreadBlock *k, int thread) {
    Tir x = k->pc[thread]++;
    const TirIns *ins = &k->b->list.data[x];
    uint64_t args[3] = {0}, out;
    if (!ins->live) return;
    switch ((int)ins->op) {
    case TIR_CONST:
    case TIR_VAR:
    case TIR_RESULT:
    case TIR_LABEL: break;
    case TIR_SPECIAL: k->values[thread][x] = special(k, thread, ins->text); break;
    case TIR_PARAM: k->values[thread][x] = k->params[ins->imm]; break;
    case TIR_ADDRESS: k->values[thread][x] = 0; break;
    case TIR_LOAD:
    case TIR_STORE: access_memory(k, thread, x); break;
    case TIR_ATOM: access_atomic(k, thread, x); break;
    case TIR_SET: k->values[thread][ins->args[0]] = value(k, thread, ins->args[1]); break;
    case TIR_BRANCH:
        if (guard_holds(k, thread, ins)) k->pc[thread] = k->labels[ins->imm];
        break;
    case TIR_READ:
    case TIR_ASM:
    case TIR_CALL: fail(k, "not simulated here"); break;
    default:
        for (int i = 0; i < ins->num_args; i++) args[i] = value(k, thread, ins->args[i]);
        if (!tir_eval((TirOp)ins->op, args, &out))
            fail(k, "undefined operation");
        else
            k->values[thread][x] = out;
        /* What was claimed of its bits must hold. */
        if ((ins->zeros & k->values[thread][x]) && ins->class != CLASS_PRED)
            fail(k, "a bit known to be 0 is 1");
    }
}

/* Runs a warp to its next barrier or its end; false at the end. */
static bool run_warp(ThreadBlock *k, int warp) {
    for (;;) {
        for (int t = warp * 32; t < warp * 32 + 32; t++)
            while (!k->failed && !stops(&k->b->list.data[k->pc[t]])) {
                step(k, t);
                if (++k->steps > 2000000000u) fail(k, "no end");
            }
        Tir x = k->pc[warp * 32];
        for (int t = warp * 32; t < warp * 32 + 32; t++)
            if (k->pc[t] != x) fail(k, "threads of a warp meet at different places");
        if (k->failed) return false;
        const TirIns *ins = &k->b->list.data[x];
        if (ins->op == TIR_SHUFFLE) run_shuffle(k, warp, x);
        if (ins->op == TIR_MMA) run_mma(k, warp, x);
        if (is_ldmatrix(ins)) run_ldmatrix(k, warp, x);
        if (ins->op == TIR_PLAIN && !strcmp(ins->text, "ret;")) return false;
        if (ins->op == TIR_PLAIN && !strncmp(ins->text, "bar.sync", 8)) return true;
        for (int t = warp * 32; t < warp * 32 + 32; t++)
            k->pc[t] += 1 + (ins->op == TIR_PLAIN ? 0 : ins->num_results);
    }
}

static uint64_t block_random = 88172645463325252u;

static void run_block(ThreadBlock *k) {
    int warps = k->threads / 32;
    for (int t = 0; t < k->threads; t++) k->pc[t] = 1;
    for (int i = 0; i < k->gen->shared_size; i++) k->shared[i] = (char)0xa5;
    while (!k->failed) {
        int waiting = 0;
        Tir at = 0;
        block_random ^= block_random << 13, block_random ^= block_random >> 7,
            block_random ^= block_random << 17;
        int first = (int)(block_random % (uint64_t)warps),
            stride = block_random >> 20 & 1 ? 1 : warps - 1;
        if (!stride) stride = 1;
        for (int w = 0; w < warps && !k->failed; w++) {
            int warp = (first + w * stride) % warps;
            bool waits = run_warp(k, warp);
            waiting += waits;
            if (waits && at && k->pc[warp * 32] != at) fail(k, "warps wait at different barriers");
            if (waits) at = k->pc[warp * 32];
        }
        if (waiting && waiting < warps) fail(k, "some warps wait, others end");
        if (!waiting) return;
        for (int t = 0; t < k->threads; t++) k->pc[t]++;
    }
}

/* Lowers the IR text for an arch and warps; NULL after printing why not. */
__attribute__((unused)) static ThreadBlock *block_of(Arena *arena, const char *text,
                                                     const char *arch, int num_warps) {
    Diag diag = {.arena = arena};
    GenFacts *facts = arena_new_of(arena, GenFacts);
    GenOptions *options = arena_new_of(arena, GenOptions);
    options->arch = arch;
    Func *fn = func_parse(arena, source_new(arena, STR("test"), str_of(text)), &diag);
    if (fn) fn->num_warps = num_warps;
    const char *wrong = fn ? func_verify(arena, fn) : NULL;
    if (wrong) printf("verify: %s\n", wrong);
    Gen *gen = fn && !wrong ? ptx_lower_kernel(fn, options, &diag, facts) : NULL;
    if (!gen) {
        Buf out = {.arena = arena};
        diag_print(&diag, false, &out);
        printf("%s\n", out.data ? out.data : "nothing lowered");
        return NULL;
    }
    ThreadBlock *k = arena_new_of(arena, ThreadBlock);
    *k = (ThreadBlock){.gen = gen, .b = gen->b, .threads = gen->threads, .programs = {1, 1, 1}};
    k->values = arena_array(arena, uint64_t *, k->threads);
    for (int t = 0; t < k->threads; t++)
        k->values[t] = arena_array(arena, uint64_t, gen->b->list.count);
    k->pc = arena_array(arena, int, k->threads);
    k->shared = arena_array(arena, char, gen->shared_size + 16);
    for (Tir x = 1; x < gen->b->list.count; x++)
        if (gen->b->list.data[x].op == TIR_LABEL) k->labels[gen->b->list.data[x].imm & 4095] = x;
    return k;
}

__attribute__((unused)) static void block_buffer(ThreadBlock *k, int param, void *data,
                                                 size_t size) {
    k->params[param] = (uint64_t)(uintptr_t)data;
    k->ranges[k->num_ranges++] = (Range){data, size};
}

__attribute__((unused)) static void run_grid(ThreadBlock *k, uint32_t programs) {
    k->programs[0] = programs;
    for (uint32_t p = 0; p < programs && !k->failed; p++) {
        k->program[0] = p;
        run_block(k);
    }
    if (k->failed) printf("block: %s\n", k->failed);
}

#endif
