// SPDX-License-Identifier: Apache-2.0
/* The simulator's reader takes what an assembler takes, and no more. Lines of PTX are made from the
 * table of instructions and from a list of forms, then broken: another type, a modifier more, less,
 * or elsewhere, another operand in each place. All that the reader takes is kept as a few long
 * texts, which NVIDIA's assembler reads where there is one (tools/assemble): a line that it refuses
 * is the reader's error. Below are lines that are marked right or wrong, with what each says. */
#include "sim_ptx.h"

#include <ctype.h>

typedef struct Collector {
    Arena *arena;
    const char *target;
    Buf taken; /* of the text now filled */
    int lines, in_text, tried, every;
} Collector;

static const char frame[] =
    ".version 8.4\n.target %s\n.address_size 64\n.visible .entry k(.param .u64 param_0)\n"
    ".reqntid 32, 1, 1\n{\n.reg .pred %%p<9>;\n.reg .b16 %%h<9>;\n.reg .b32 %%r<17>;\n"
    ".reg .b64 %%d<9>;\n.reg .u16 u16_;\n.reg .f16 f16_;\n.reg .u32 u32_;\n.reg .f32 f32_;\n"
    ".reg .s64 s64_;\n.reg .f64 f64_;\n.shared .align 16 .b8 s[64];\n.local .align 16 .b8 l[64];\n"
    "%s\nL1: ret;\n}\n";

static const char *text_of(Arena *arena, const char *target, const char *lines) {
    return str_format(arena, frame, target, lines).data;
}

/* 0: wrong, 1: right, -1: right perhaps, but not for sim. */
static int judge(const char *target, const char *line, char *words, size_t size) {
    Arena *arena = arena_new(NULL);
    Diag diag = {.arena = arena};
    Buf out = {.arena = arena};
    bool fine = sim_parse(arena, str_of(text_of(arena, target, line)), 0, &diag) != NULL;
    if (!fine) diag_print(&diag, false, &out);
    bool refused = !fine && out.data && strstr(out.data, "not supported");
    if (words) snprintf(words, size, "%s", out.data ? out.data : "");
    arena_free(arena);
    return fine ? 1 : refused ? -1 : 0;
}

static void flush(Collector *c) {
    if (c->in_text)
        keep_ptx(c->arena,
                 str_of(text_of(c->arena, c->target, str_c(c->arena, buf_str(&c->taken)))));
    c->taken = (Buf){.arena = c->arena};
    c->in_text = 0;
}

static void try_line(Collector *c, const char *line) {
    c->tried++;
    if (c->tried % c->every || judge(c->target, line, NULL, 0) <= 0) return;
    buf_printf(&c->taken, "%s\n", line);
    c->lines++;
    if (++c->in_text == 1000) flush(c);
}

/* ---- breaking ---- */

static const char *const others[] = {"%p1",
                                     "%h1",
                                     "%r1",
                                     "%d1",
                                     "u16_",
                                     "f16_",
                                     "u32_",
                                     "f32_",
                                     "s64_",
                                     "f64_",
                                     "5",
                                     "-1",
                                     "300",
                                     "70000",
                                     "4294967296",
                                     "0f3F800000",
                                     "s",
                                     "_",
                                     "0d3FF0000000000000",
                                     "%tid.x",
                                     "!%p1",
                                     "[%d1]",
                                     "{%r1, %r2}",
                                     "{%h1, %h2}",
                                     "[%d1+-4]",
                                     "[%d1-4]",
                                     "[%r1]",
                                     "[s+4]",
                                     "[l]",
                                     "0x1fU",
                                     "017",
                                     "18446744073709551615"};
static const char *const words[] = {"s16",
                                    "u16",
                                    "b16",
                                    "f16",
                                    "bf16",
                                    "s32",
                                    "u32",
                                    "b32",
                                    "f32",
                                    "s64",
                                    "u64",
                                    "b64",
                                    "f64",
                                    "b8",
                                    "u8",
                                    "pred",
                                    "f16x2",
                                    "tf32",
                                    "rn",
                                    "rz",
                                    "rzi",
                                    "ftz",
                                    "sat",
                                    "lo",
                                    "hi",
                                    "wide",
                                    "approx",
                                    "full",
                                    "NaN",
                                    "global",
                                    "shared",
                                    "local",
                                    "param",
                                    "const",
                                    "volatile",
                                    "relaxed",
                                    "acquire",
                                    "release",
                                    "acq_rel",
                                    "gpu",
                                    "cta",
                                    "sys",
                                    "ca",
                                    "cg",
                                    "cs",
                                    "cv",
                                    "wb",
                                    "wt",
                                    "lu",
                                    "nc",
                                    "v2",
                                    "v4",
                                    "v8",
                                    "add",
                                    "cas",
                                    "exch",
                                    "min",
                                    "inc",
                                    "noftz",
                                    "sync",
                                    "aligned",
                                    "trans",
                                    "x2",
                                    "x4",
                                    "L1::evict_first",
                                    "L1::no_allocate",
                                    "L2::128B",
                                    "eq",
                                    "ltu"};

typedef struct Line { /* mnemonic by its parts, operands */
    char parts[14][20];
    char operands[16][48];
    int num_parts, num_operands;
} Line;

static void print_line(char *out, size_t size, const Line *line) {
    size_t used = 0;
    for (int i = 0; i < line->num_parts; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? "." : "", line->parts[i]);
    for (int i = 0; i < line->num_operands; i++)
        used +=
            (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : " ", line->operands[i]);
    snprintf(out + used, size - used, ";");
}

static void try_parts(Collector *c, const Line *line) {
    char text[512];
    print_line(text, sizeof text, line);
    try_line(c, text);
}

static void break_line(Collector *c, const Line *line) {
    Line broken;
    try_parts(c, line);
    for (int i = 0; i < line->num_operands; i++)
        for (int k = 0; k < COUNT(others); k++) {
            broken = *line;
            snprintf(broken.operands[i], sizeof broken.operands[i], "%s", others[k]);
            try_parts(c, &broken);
        }
    for (int i = 1; i < line->num_parts; i++) {
        for (int k = 0; k < COUNT(words); k++) {
            broken = *line;
            snprintf(broken.parts[i], sizeof broken.parts[i], "%s", words[k]);
            try_parts(c, &broken);
        }
        broken = *line; /* one less */
        memmove(broken.parts[i], broken.parts[i + 1], sizeof broken.parts[i] * (size_t)(13 - i));
        broken.num_parts--;
        try_parts(c, &broken);
        broken = *line; /* two the other way round */
        memcpy(broken.parts[i], line->parts[i - 1], sizeof broken.parts[i]);
        memcpy(broken.parts[i - 1], line->parts[i], sizeof broken.parts[i]);
        if (i > 1) try_parts(c, &broken);
    }
    for (int i = 1; i <= line->num_parts && line->num_parts < 13; i++)
        for (int k = 0; k < COUNT(words); k++) { /* one more */
            broken = *line;
            memmove(broken.parts[i + 1], line->parts[i], sizeof broken.parts[i] * (size_t)(13 - i));
            snprintf(broken.parts[i], sizeof broken.parts[i], "%s", words[k]);
            broken.num_parts++;
            try_parts(c, &broken);
        }
    if (line->num_operands) {
        broken = *line;
        broken.num_operands--;
        try_parts(c, &broken);
    }
    broken = *line;
    snprintf(broken.operands[broken.num_operands++], sizeof broken.operands[0], "%%r1");
    try_parts(c, &broken);
}

static void split(Line *line, const char *mnemonic) {
    while (*mnemonic && *mnemonic != ' ') {
        size_t length = strcspn(mnemonic, ". ");
        snprintf(line->parts[line->num_parts++], 20, "%.*s", (int)length, mnemonic);
        mnemonic += length + (mnemonic[length] == '.');
    }
}

/* ---- whole instructions ---- */

static const char *register_for(uint8_t type) {
    switch (ptx_type_class((PtxType)type)) {
    case CLASS_PRED: return "%p2";
    case CLASS_B16: return "%h2";
    case CLASS_B32: return "%r2";
    case CLASS_B64: return "%d2";
    case CLASS_NONE: break;
    }
    return "";
}

static void try_row(Collector *c, const PtxRow *row) {
    if (row->fold == FOLD_PACK) return;
    for (const char *at = row->text; *at; at += *at == ' ') {
        Line line = {0};
        split(&line, at);
        for (int i = 0; i <= row->num_operands; i++)
            snprintf(line.operands[line.num_operands++], sizeof line.operands[0], "%s",
                     i == 4 && row == &ptx_rows[TIR_LOP3] ? "0x96" : register_for(row->types[i]));
        break_line(c, &line);
        at += strcspn(at, " ");
    }
}

static const char *const forms[] = {
    "mov.b32 %r1 {%h1, %h2}",
    "mov.b64 {%r1, %r2} %d1",
    "mov.u32 %r1 %tid.x",
    "ld.global.u32 %r1 [%d1]",
    "ld.global.ca.v4.b32 {%r1, %r2, %r3, %r4} [%d1]",
    "ld.global.L1::evict_last.v2.u16 {%h1, %h2} [%d1]",
    "ld.global.cv.b64 %d2 [%d1]",
    "ld.volatile.global.u8 %r1 [%d1]",
    "ld.relaxed.gpu.global.u32 %r1 [%d1]",
    "ld.acquire.sys.global.u64 %d1 [%d2]",
    "ld.shared.v2.b32 {%r1, %r2} [%r3]",
    "ld.local.f32 %r1 [l]",
    "ld.param.u64 %d1 [param_0]",
    "ld.u16 %h1 [%d1]",
    "st.global.f32 [%d1] %r1",
    "st.global.wt.v2.b64 [%d1] {%d2, %d3}",
    "st.shared.u8 [s+4] %r1",
    "st.release.gpu.global.b32 [%d1] %r1",
    "st.volatile.shared.b32 [%r2] 5",
    "atom.relaxed.gpu.global.add.u32 %r1 [%d1] %r2",
    "atom.acq_rel.cta.shared.cas.b64 %d1 [%r1] %d2 %d3",
    "atom.global.add.noftz.f16 %h1 [%d1] %h2",
    "atom.add.f64 %d1 [%d2] %d3",
    "atom.relaxed.gpu.global.add.v4.f32 {%r1, %r2, %r3, %r4} [%d1] {%r5, %r6, %r7, %r8}",
    "red.relaxed.gpu.global.add.noftz.v2.bf16 [%d1] {%h1, %h2}",
    "red.release.sys.global.max.s64 [%d1] %d2",
    "red.shared.add.u32 [%r1] 1",
    "shfl.sync.bfly.b32 %r1 %r2 1 31 -1",
    "shfl.sync.idx.b32 %r1|%p1 %r2 %r3 31 -1",
    "vote.sync.ballot.b32 %r1 %p1 -1",
    "vote.sync.any.pred %p1 %p2 -1",
    "redux.sync.add.s32 %r1 %r2 -1",
    "activemask.b32 %r1",
    "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4} [%r5]",
    "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%r1} [s]",
    "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%r1, %r2, %r3, %r4} {%r5, %r6} {%r7} {%r1, "
    "%r2, %r3, %r4}",
    "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%r1, %r2, %r3, %r4} {%r5, %r6, %r7, %r8} "
    "{%r7, %r9} {%r1, %r2, %r3, %r4}",
    "mma.sync.aligned.m16n8k16.row.col.s32.u8.u8.s32 {%r1, %r2, %r3, %r4} {%r5, %r6} {%r7} {%r1, "
    "%r2, %r3, %r4}",
    "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d1, %d2} {%d3} {%d4} {%d1, %d2}",
    "cp.async.ca.shared.global [%r1] [%d1] 4",
    "cp.async.cg.shared.global.L2::128B [%r1] [%d1] 16 %r2",
    "cp.async.commit_group",
    "cp.async.wait_group 1",
    "cp.async.wait_all",
    "fence.proxy.async.shared::cta",
    "wgmma.fence.sync.aligned",
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r1, %r2, %r3, %r4} %d1 %d2 %p1 1 1 0 1",
    "wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8} "
    "%d1 %d2 %p1 1 1 1 0",
    "wgmma.commit_group.sync.aligned",
    "wgmma.wait_group.sync.aligned 1",
    "fence.acq_rel.gpu",
    "fence.sc.cta",
    "membar.gl",
    "bar.sync 0",
    "bar.sync 1 32",
    "barrier.sync.aligned 0",
    "bar.warp.sync -1",
    "trap",
};

/* Operands of a form are separated by blanks outside of braces. */
static void try_form(Collector *c, const char *form) {
    Line line = {0};
    split(&line, form);
    for (const char *at = strchr(form, ' '); at;) {
        at++;
        size_t length = *at == '{' ? strcspn(at, "}") + 1 : strcspn(at, " ");
        snprintf(line.operands[line.num_operands++], sizeof line.operands[0], "%.*s", (int)length,
                 at);
        at = at[length] ? at + length : NULL;
    }
    break_line(c, &line);
}

/* What is tried: every so many lines. */
static void try_all(const char *target, int every) {
    Collector c = {.arena = arena_new(NULL), .target = target, .every = every};
    flush(&c);
    for (int r = 0; r < NUM_TIR_OPS; r++) try_row(&c, &ptx_rows[r]);
    int rows = c.lines;
    CHECK(rows > NUM_TIR_OPS / every);
    for (int i = 0; i < COUNT(forms); i++) try_form(&c, forms[i]);
    flush(&c);
    CHECK(c.lines > rows + COUNT(forms) / every && c.tried > 10 * c.lines);
    printf("%s: %d of %d lines are taken\n", target, c.lines, c.tried / every);
    arena_free(c.arena);
}

/* The targets differ in few lines. */
TEST(lines_for_sm_75) { try_all("sm_75", 11); }
TEST(lines_for_sm_80) { try_all("sm_80", 7); }
TEST(lines_for_sm_90a) { try_all("sm_90a", 2); }

/* ---- marked ---- */

/* What ptxas 13.0 said: right from that sm on, or wrong (0). Where sim refuses what is right, `sim`
 * is -1. */
static const struct {
    const char *line;
    int right_from, sim;
} marked[] = {
    {"add.s32 %r1, %r2, 017;", 75, 1},
    {"add.s32 %r1, %r2, 0b101;", 75, 1},
    {"add.s32 %r1, %r2, 4U;", 75, 1},
    {"add.s32 %r1, %r2, 0x4u;", 0, 0},
    {"add.s32 %r1, %r2, 089;", 0, 0},
    {"add.s32 %r1, %r2, 4294967296;", 75, -1},
    {"add.s32 %r1, %r2, s;", 0, 0},
    {"add.s32 %r1|%r2, %r3;", 0, 0},
    {"add.f32 %r1, %r2, 5;", 0, 0},
    {"add.f32 %r1, %r2, 0d3FF0000000000000;", 75, -1},
    {"add.f16 %h1, %h2, 0x3c00;", 0, 0},
    {"mov.u32 %r1, 0f3F800000;", 0, 0},
    {"mov.f32 %r1, 0f3F800000;", 75, 1},
    {"mov.f32 %r1, u32_;", 0, 0},
    {"mov.b32 f32_, u32_;", 75, 1},
    {"mov.u32 %r1, {%h1, %h2};", 0, 0},
    {"mov.u64 %d1, %tid.x;", 0, 0},
    {"cvt.u32.u16 %r1, %r2;", 75, 1},
    {"cvt.u16.u32 %h1, %h2;", 0, 0},
    {"cvt.rn.bf16.f32 %h1, %r2;", 80, 1},
    {"cvt.rn.f16.s32 %h1, %d2;", 75, 1},
    {"cvt.rn.bf16.s32 %h1, %d2;", 0, -1},
    {"cvt.f32.bf16 %r1, %h2;", 90, 1},
    {"cvt.rna.tf32.f32 %r1, %r2;", 80, 1},
    {"cvt.rna.tf32.f32 f32_, %r2;", 0, 0},
    {"min.NaN.f32 %r1, %r2, %r3;", 80, 1},
    {"bfe.u32 %r1, %r2, %r3, 300;", 0, 0},
    {"shr.b32 %r1, %r2, f32_;", 0, 0},
    {"and.pred %p1, %p2, !%p3;", 75, -1},
    {"ld.global.u32 %r1, [%d1+-4];", 75, 1},
    {"ld.global.u32 %r1, [%d1-4];", 0, 0},
    {"ld.global.u32 %r1, [%d1+4+4];", 75, 1},
    {"ld.global.u32 %r1, [%r1];", 0, 0},
    {"ld.global.u32 f32_, [%d1];", 0, 0},
    {"ld.global.f16 %h1, [%d1];", 0, -1},
    {"ld.global.nc.u32 %r1, [%d1];", 75, 1},
    {"ld.shared.nc.u32 %r1, [s];", 0, -1},
    {"ld.global.v2.u32 %r1, %r2, [%d1];", 0, 0},
    {"ld.volatile.global.ca.u32 %r1, [%d1];", 0, -1},
    {"ld.global.ca.L1::evict_last.u32 %r1, [%d1];", 0, -1},
    {"st.global.ca.u32 [%d1], %r1;", 0, -1},
    {"st.global.f32 [%d1], 5;", 0, 0},
    {"atom.global.add.noftz.bf16 %h1, [%d1], %h2;", 90, 1},
    {"atom.global.add.f16 %h1, [%d1], %h2;", 0, -1},
    {"atom.global.add.v2.f32 {%r1, %r2}, [%d1], {%r2, %r1};", 90, 1},
    {"atom.global.add.v8.f32 {%r1, %r2}, [%d1], {%r1, %r2};", 0, -1},
    {"red.shared.add.v2.f32 [s], {%r1, %r2};", 0, -1},
    {"atom.global.add.s64 %d1, [%d2], %d3;", 0, -1},
    {"red.acquire.gpu.global.add.u32 [%d1], %r2;", 0, -1},
    {"redux.sync.add.s32 %r1, %r2, -1;", 80, 1},
    {"redux.sync.min.b32 %r1, %r2, -1;", 0, -1},
    {"shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, -1;", 75, 1},
    {"shfl.sync.bfly.b32 %r1, %p1, %r2, 1, 31, -1;", 0, 0},
    {"cp.async.wait_group 1;", 80, 1},
    {"cp.async.cg.shared.global [%r1], [%d1], 8;", 0, 0},
    {"cp.async.cg.shared.global [%r1], [%d1], 16, 31;", 0, 0},
    {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 %r1, [s];", 0, 0},
    {"ld.global.v2.b32 {%r1, %d1}, [%d2];", 0, 0},
    {"ld.global.v2.b32 {%r1, _}, [%d2];", 75, -1},
    {"st.global.v2.b32 [%d2], {%d1, %r1};", 0, 0},
    {"st.global.v2.b64 [%d2], {%d1, %d3};", 75, 1},
    {"mov.u32 %r1, 1;;", 0, 0},
    {";", 0, 0},
    {"{ mov.u32 %r1, 1; };", 0, 0},
    {"L2: ; mov.u32 %r1, 1;", 0, 0},
    {"{}", 75, 1},
    {".pragma \"nounroll\";", 75, 1},
    {".pragma \"nounroll\"", 0, 0},
    {"{ .param .b64 a; st.param.b64 [a], %d1; }", 75, 1},
    {"{ .param .b64 a; st.param.b64.b64 [a], %d1; }", 0, -1},
    {"add.s32 %r1, %r2, 4*3;", 75, -1},
    {"add.s32 %r1, %r2, ~(4);", 75, -1},
    {"add.s32 %r1, %r2, - -4;", 75, -1},
    {"add.s32 %r1, %r2, 1 | 2;", 75, -1},
    {"mov.u64 %d1, s+4;", 75, -1},
    {"mov.u64 %d1, s-4;", 0, 0},
    {"mov.u64 %d1, param_0;", 75, -1},
    {"mov.u64 %d1, k;", 75, -1},
    {"add.f32 %r1, %r2, 1e-5;", 75, 1},
    {"add.f32 %r1, %r2, .5;", 75, 1},
    {"add.f32 %r1, %r2, 1.5e;", 0, 0},
    {"add.f64 %d1, %d2, 1.5e400;", 0, 0},
    {"ld.global.u32 %r1, [%d1+ +4];", 75, -1},
    {"ld.global.u32 %r1, [%d1+4-2];", 75, -1},
    {"ld.global.u32 %r1, [%d1+4294967296];", 75, -1},
    {"ld.shared.u32 %r1, s[4];", 75, -1},
    {"ld.local.u32 %r1, [4];", 75, -1},
    {"ld.shared.u32 %r1, [4];", 0, 0},
    {"ld.global.u32 {%r1}, [%d1];", 75, 1},
    {"st.shared.b16 [s], {%h1};", 75, 1},
    {"add.s32 {%r1}, %r2, %r3;", 0, 0},
    {"ld.param.b8 %r1, [param_0+3];", 75, -1},
    {"st.global.b64 [%d1], 17;", 75, 1},
    {"st.global.u32 [%d1], %warpid;", 0, -1},
    {"st.global.v2.u32 [%d1], {%r1, %warpid};", 75, -1},
    {"mul /* as */ .rn .f32 %r1, %r2, %r3;", 75, 1},
    {"mul. rn.f32 %r1, %r2, %r3;", 0, 0},
    {"setp.lt.s32 %p1|%p2, %r1, %r2;", 75, -1},
    {"add.s32 %r1, %r2, %r3,;", 0, 0},
    {"ld.global.v2.u32 {%r1| %r2}, [%d1];", 0, 0},
    {".pragma \"nounroll\", \"nounroll\";", 75, 1},
    {".reg .b64 %d1;", 0, 0},
    {".reg .b64 s;", 0, 0},
    {".reg .b64 param_0;", 0, 0},
    {".reg .b64 L1;", 0, -1},
    {".reg .b32 x.y;", 0, 0},
    {".reg .b32 _;", 0, 0},
    {".reg .b32 WARP_SZ;", 0, 0},
    {".reg .b32 x3; .reg .b32 x<9>;", 0, 0},
    {".reg .b32 x<9>; mov.b32 x<9>, 1;", 0, 0},
    {".reg .b32 y<9>; mov.b32 %r1, y01;", 75, -1},
    {"{ .reg .b64 s; mov.b64 s, 1; }", 75, 1},
    {"{ .shared .b8 s[4]; }", 75, -1},
    {"{ .shared .b8 y[4]; } mov.u32 %r1, y;", 0, 0},
    {"{ L3: ret; } bra L3;", 0, 0},
    {"s: ret;", 0, 0},
    {"%r1: ret;", 75, -1},
    {".local .b8 x[0];", 0, 0},
    {".shared .align 4 .b8 x[4][4];", 75, -1},
    {".shared .b8 xa[4], xb[4];", 75, -1},
    {".shared .align 3 .b8 x[4];", 0, 0},
    {"{ .param .align 32 .b8 a[4]; }", 75, 1},
    {"{ .param .align 3 .b8 a[4]; }", 0, 0},
    {"{ .param .b64 a; .param .b64 a; }", 0, 0},
    {"{ .param .b64 a; st.param.b64 [a], s; }", 0, 0},
    {"{ .param .b64 a; st.param.b64 [a], %r1; }", 0, 0},
    {"{ .param .b32 a; st.param.f32 [a], u32_; }", 0, 0},
    {".loc 1 2 3, function_name a, inlined_at 1 2 4", 0, 0},
    {"cvt.rn.f16.f32 %h1, %d1;", 75, -1},
    {"cvt.f32.f16 %r1, %r2;", 75, -1},
    {"cvt.f32.f16 %r1, %p2;", 0, 0},
    {"setp.lt.s64 _, %d1, %d2;", 75, -1},
    {"ld.param.b64 %d2, [%r5];", 75, -1},
    {"shfl.sync.bfly.b32 %r1, %r2, 1, 31, -WARP_SZ;", 75, -1},
    {".loc 1 2 WARP_SZ", 75, -1},
    {".loc 40000 2 3", 75, -1},
    {"st.shared.v2.b32 [s], {%r1 .b64, %r2};", 75, -1},
    {"st.param.u32 [%d1], %r1;", 75, -1},
    {"bar.sync 16;", 0, 0},
    {"bar.sync 0, 33;", 0, 0},
};

/* A line that is right for a target is kept too, so that the assembler says it of this list. */
TEST(marked_lines) {
    static const int targets[] = {75, 80, 90};
    Arena *arena = arena_new(NULL);
    for (int t = 0; t < COUNT(targets); t++) {
        const char *target = targets[t] == 90 ? "sm_90a" : targets[t] == 80 ? "sm_80" : "sm_75";
        Buf right = {.arena = arena};
        for (int i = 0; i < COUNT(marked); i++) {
            char said[512];
            bool fits = marked[i].right_from && targets[t] >= marked[i].right_from;
            int want = fits ? marked[i].sim : marked[i].right_from ? -1 : marked[i].sim;
            int got = judge(target, marked[i].line, said, sizeof said);
            if (targets[t] < 80 && !fits && got == -1) want = -1; /* too old besides */
            if (got != want)
                printf("%s: %s: %d, not %d\n%s", target, marked[i].line, got, want, said);
            CHECK(got == want);
            if (fits) buf_printf(&right, "%s\n", marked[i].line);
        }
        keep_ptx(arena, str_of(text_of(arena, target, str_c(arena, buf_str(&right)))));
    }
    arena_free(arena);
}

/* ---- whole texts ---- */

/* Heads of texts: the version, the target, the entry's name; 1: right. */
TEST(heads) {
    static const struct {
        const char *version, *target, *name;
        int right;
    } heads[] = {
        {"8.4", "sm_90a", "k", 1},  {"8.0", "sm_90a", "k", 1},    {"7.8", "sm_90a", "k", 0},
        {"7.0", "sm_80", "k", 1},   {"6.5", "sm_80", "k", 0},     {"6.3", "sm_75", "k", 1},
        {"6.2", "sm_75", "k", 0},   {"8.9", "sm_75", "k", 0},     {"0.0", "sm_75", "k", 0},
        {"256.0", "sm_75", "k", 0}, {"8.4.4", "sm_75", "k", 0},   {".4", "sm_75", "k", 0},
        {"8.4", "sm_75", ".k", 0},  {"8.4", "sm_75", ".sync", 0},
    };
    Arena *arena = arena_new(NULL);
    for (int i = 0; i < COUNT(heads); i++) {
        Diag diag = {.arena = arena};
        Str text = str_format(arena,
                              ".version %s\n.target %s\n.address_size 64\n.visible .entry %s()\n"
                              "{\nret;\n}\n",
                              heads[i].version, heads[i].target, heads[i].name);
        bool is_right = sim_parse(arena, text, 0, &diag) != NULL;
        if (is_right != heads[i].right) printf("%s", text.data);
        CHECK(is_right == heads[i].right);
        if (heads[i].right) keep_ptx(arena, text);
    }
    arena_free(arena);
}

/* What stands before an entry, and in it; 1: right, -1: right, but not for sim. */
TEST(calls_and_what_stands_outside) {
    static const char call[] = "{ .param .b64 x; .param .b32 z; st.param.b64 [x], %d1;\n"
                               "call.uni (z), vprintf, (x, x); }";
    static const struct {
        const char *before, *body;
        int right;
    } texts[] = {
        {".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);", call, 1},
        {".extern .func (.param .s32 r) vprintf(.param .f64 a, .param .u64 b)", call, 1},
        {".extern .func (.param .b32 r) vprintf(.param .b32 a, .param .b64 b);", call, 0},
        {".extern .func (.param .b64 r) vprintf(.param .b64 a, .param .b64 b);", call, 0},
        {".extern .func (.param .b32 r) vprintf(.param .b64 a);", call, 0},
        {".extern .func vprintf(.param .b64 a, .param .b64 b);", call, 0},
        {".extern .func (.param .b32 r) vprintf(.reg .b64 a, .reg .b64 b);", call, -1},
        {"", call, 0},
        {".func (.param .b64 r) f(.param .b64 a) { ret; }",
         "{ .param .b64 x; st.param.b64 [x], %d1; call.uni f, (x); }", 0},
        {".func f(.param .b64 a) { ret; }",
         "{ .param .b32 x; st.param.b32 [x], 1; call.uni f, (x); }", 0},
        {".func f(.param .b64 a) { mov.b64 %d2, 1; ret; }",
         "{ .param .b64 x; st.param.b64 [x], %d1; call.uni f, (x); }", 0},
        {".func f(.param .b64 a, ) { ret; }", "", 0},
        {".func f();", "", 0},
        {".func k() { ret; }", "", 0},
        {".func () f() { ret; }", "", 1},
        {".global .b32 k;", "", 0},
        {".global .f32 g = 5;", "", 0},
        {".global .b8 g = 256;", "", -1},
        {".global .b8 g[] = {1, 2};", "", -1},
        {".global .attribute(.managed) .b32 g;", "", 1},
        {".global .attribute(.other) .b32 g;", "", 0},
        {".address_size 64", "", 0},
        {".target sm_80", "", 0},
        {".version 8.4", "", 0},
        {".file 1 \"a", "", 0},
        {".section .debug_str { a: .b8 1, 2\n.b32 a+4\n.b64 a\n}", "", 1},
        {".section .debug_str { .b8 a }", "", 0},
    };
    Arena *arena = arena_new(NULL);
    for (int i = 0; i < COUNT(texts); i++) {
        Diag diag = {.arena = arena};
        Buf out = {.arena = arena};
        Str text =
            str_format(arena,
                       ".version 8.4\n.target sm_80\n.address_size 64\n%s\n.visible .entry k()\n"
                       "{\n.reg .b32 %%r<9>;\n.reg .b64 %%d<9>;\n%s\nret;\n}\n",
                       texts[i].before, texts[i].body);
        bool takes = sim_parse(arena, text, 0, &diag) != NULL;
        if (!takes) diag_print(&diag, false, &out);
        int got = takes ? 1 : strstr(out.data, "not supported") ? -1 : 0;
        bool is_so = got == texts[i].right || (got < 0 && !texts[i].right);
        if (!is_so) printf("%d: %s\n%s", got, text.data, takes ? "" : out.data);
        CHECK(is_so);
        if (texts[i].right) keep_ptx(arena, text);
    }
    arena_free(arena);
}

typedef struct Piece {
    int start, end;
} Piece;

/* Words, numbers and signs, without what stands between them. */
static int pieces_of(const char *text, Piece *pieces, int most) {
    int count = 0;
    for (int i = 0; text[i] && count < most;) {
        int start = i++;
        if (isspace((unsigned char)text[start])) continue;
        if (isalnum((unsigned char)text[start]) || strchr(".%_$", text[start]))
            while (isalnum((unsigned char)text[i]) || text[i] == '_') i++;
        pieces[count++] = (Piece){start, i};
    }
    return count;
}

/* One piece of a kernel left out, said twice, exchanged with the next, or with another of the text:
 * what is still taken, ptxas must take, too. */
TEST(a_word_of_a_kernel_changed) {
    enum { MOST = 1024, TRIES = 2500 };
    static const char lines[] =
        "ld.param.u64 %d1, [param_0];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %d2, %r1, 16;\n"
        "add.s64 %d3, %d1, %d2;\nld.global.v4.b32 {%r2, %r3, %r4, %r5}, [%d3];\n"
        "ld.global.v2.f32 {%r6, %r7}, [%d3+-8];\nsetp.lt.s32 %p1, %r2, 7;\n@!%p1 bra L2;\n"
        "fma.rn.f32 %r6, %r6, %r7, 0f3F800000;\nL2:\nselp.b32 %r8, %r3, 5, %p1;\n"
        "st.shared.v2.b32 [s+8], {%r8, %r6};\nbar.sync 0;\nld.shared.b64 %d4, [s];\n"
        "mov.b64 {%r9, %r10}, %d4;\nshfl.sync.bfly.b32 %r11, %r9, 16, 31, -1;\n"
        "cvt.rn.f16.f32 %h1, %r6;\nadd.rn.f16 %h2, %h1, %h1;\ncvt.f32.f16 %r12, %h2;\n"
        "{\n.reg .b32 %q<3>;\nmov.b32 %q1, %r12;\nadd.u32 %r13, %q1, %r10;\n}\n"
        ".pragma \"nounroll\";\natom.global.add.u32 %r14, [%d1+4], %r13;\n"
        "@%p1 st.global.v2.b32 [%d3], {%r14, %r11};\n";
    static Piece pieces[MOST];
    Arena *arena = arena_new(NULL);
    Str text = str_of(text_of(arena, "sm_80", lines));
    int count = pieces_of(text.data, pieces, MOST), taken = 0;
    uint32_t state = 12345;
    for (int i = 0; i < TRIES; i++) {
        state = state * 1664525 + 1013904223;
        int at = (int)(state >> 8) % (count - 1), kind = (int)(state >> 4) % 4;
        Piece one = pieces[at], next = pieces[at + 1];
        state = state * 1664525 + 1013904223;
        Piece other = pieces[(int)(state >> 8) % count];
        int end = kind == 2 ? next.end : one.end;
        const char *first = text.data + (kind == 2   ? next.start
                                         : kind == 3 ? other.start
                                                     : one.start);
        int length = kind == 0   ? 0
                     : kind == 2 ? next.end - next.start
                     : kind == 3 ? other.end - other.start
                                 : one.end - one.start;
        bool is_same = length == one.end - one.start && kind == 3 &&
                       !memcmp(first, text.data + one.start, (size_t)length);
        if (is_same || (kind == 3 && *first != text.data[one.start])) continue;
        Str changed = str_format(arena, "%.*s%.*s%s%.*s%s", one.start, text.data, length, first,
                                 kind == 1 && *first != '.' ? " " : "",
                                 kind == 1 || kind == 2 ? one.end - one.start : 0,
                                 text.data + one.start, text.data + end);
        Diag diag = {.arena = arena};
        if (!sim_parse(arena, changed, 0, &diag)) continue;
        keep_ptx(arena, changed);
        taken++;
    }
    printf("%d of %d changed texts are taken\n", taken, TRIES);
    CHECK(taken > 20);
    arena_free(arena);
}

TEST_MAIN()
