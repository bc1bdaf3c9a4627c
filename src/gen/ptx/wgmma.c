// SPDX-License-Identifier: Apache-2.0
/* wgmma: products by warps in groups of four, which read both operands in shared memory: in a ring,
 * or where they are brought for the purpose, in panels either way; those of types of other than 16
 * bits in rows along K. A of 16 bits is taken from registers where it lies as sums do: so the
 * result of one product goes into the next. Of f32 in a ring the bits that tf32 has not are not
 * looked at.
 *
 * A group has 64 rows of the product at a time, and its part of the columns. Sums are variables, to
 * which the instructions add in place: those in which a loop carries them, where nobody else reads
 * them meanwhile. The block waits for a product, or goes on with `async`, until a settle: then its
 * sums may be read, and what it read may be written to again after a barrier. (PTX ISA 9.7.15.) */
#include "gen/ptx/gen.h"
#include "ir/under_way.h"

enum { K_ELEMENTS = 16, A_WORDS = 4 };                /* of A in registers, of one instruction */
enum { K_BYTES = 32, ROWS = 64, MOST_COLUMNS = 256 }; /* of one instruction */

typedef struct Operand {
    SharedTile tile;
    int dim, k_dim; /* along which its rows of up to 128 bytes go; along which K */
    TileShape shape;
    Tir first;  /* descriptor of the group's first row or column */
    Tir *words; /* A in registers, two elements each; else NULL */
} Operand;

/* ---- descriptors ---- */

static uint32_t offset_of(const Operand *o, int dim, int at) {
    uint32_t element =
        swizzle_offset(&o->tile.swizzle, (uint32_t)at << tile_bit_of_dim(&o->shape, dim));
    return element * (uint32_t)ptx_lane_bytes(o->tile.lane);
}

/* Bits 0 to 13: the address, 16 to 29: the next panel, 32 to 45: the next eight rows, all in 16
 * bytes; 62: how many bytes are swizzled. One panel has no next: any number will do. */
static void describe(Gen *g, Operand *o, Tir group_bytes) {
    Tirs *b = g->b;
    int bytes = ptx_lane_bytes(o->tile.lane), length = bytes << o->shape.log2[o->dim];
    int span = length < 128 ? length : 128;
    uint32_t panel = length > span ? offset_of(o, o->dim, span / bytes) : 16;
    uint32_t rows = offset_of(o, 1 - o->dim, 8);
    uint32_t mode = span == 128 ? 1 : span == 64 ? 2 : 3;
    if (o->dim == o->k_dim) panel = 16; /* a step along K is within a panel */
    Tir at = group_bytes;
    if (o->tile.base) at = tir_2(b, TIR_ADD32, at, o->tile.base);
    at = tir_2(b, TIR_SHR_U32, ptx_shared_address(g, o->tile.offset, at), tir_i32(b, 4));
    at = tir_2(b, TIR_ADD32, at, tir_i32(b, (int64_t)(panel >> 4) << 16));
    o->first = tir_2(b, TIR_PACK32, at, tir_i32(b, rows >> 4 | mode << 30));
}

/* By additions of 64 bits: of halves that are put together, ptxas has the next one in the same four
 * registers, and so no product begins before the one before it has read them. */
static Tir descriptor(Gen *g, const Operand *o, int other, int k) {
    uint32_t offset = offset_of(o, 1 - o->k_dim, other) + offset_of(o, o->k_dim, k);
    return tir_2(g->b, TIR_ADD64, o->first, tir_const(g->b, CLASS_B64, offset >> 4));
}

/* ---- operands ---- */

/* Where the bits of a group's number lie in an operand: in bytes, uniform over the group. */
static Tir group_bytes(Gen *g, const Operand *o, const Layout *product, bool is_a) {
    int n_bits = is_a ? product->tile_bits - o->shape.log2[0] : o->shape.log2[1];
    Tir bytes = tir_i32(g->b, 0);
    for (int i = 2; i < product->num[KIND_WARP]; i++) {
        uint32_t column = product->column[KIND_WARP][i];
        bool along_m = column >> n_bits != 0;
        if (!column || along_m != is_a) continue;
        uint32_t offset = offset_of(o, 1 - o->k_dim, (int)(along_m ? column >> n_bits : column));
        Tir bit =
            tir_2(g->b, TIR_AND32, tir_2(g->b, TIR_SHR_U32, g->warp_group, tir_i32(g->b, i - 2)),
                  tir_i32(g->b, 1));
        bytes = tir_2(g->b, TIR_ADD32, bytes, tir_2(g->b, TIR_MUL32, bit, tir_i32(g->b, offset)));
    }
    return bytes;
}

static Operand operand_of(Gen *g, const Op *op, int index) {
    const Value *value = op->operands[index];
    int bytes = type_size_bytes(value->type);
    Operand o = {.shape = tile_shape(value->type), .k_dim = 1 - index};
    if (index == 0 && dot_a_in_registers(op)) {
        int count = layout_regs(type_layout(value->type)) / 2;
        o.tile.lane = type_lane(value->type);
        o.words = ptx_new_regs(g, count);
        for (int i = 0; i < count; i++)
            o.words[i] = ptx_pack_lanes(g, o.tile.lane, ptx_regs_of(g, value) + 2 * i, 2);
        return o;
    }
    if (value->type->place->shared) {
        o.tile = ptx_peeked(g, value);
        o.dim = tile_panel_dim(value->type);
        return o;
    }
    o.dim = wgmma_panel_dim(op, index);
    o.tile = (SharedTile){.swizzle = tile_panels(value->type, o.dim, bytes),
                          .lane = type_lane(value->type),
                          .bytes = bytes * value->type->lanes};
    return o;
}

/* Brings what lies in registers to shared memory. */
static void stage(Gen *g, const Op *op, Operand *operands) {
    int bytes = dot_scratch(op);
    if (!bytes) return;
    int at = (ptx_shared_begin(g, bytes) + PANEL_BYTES - 1) & -PANEL_BYTES;
    for (int i = 0; i < 2; i++) {
        const Value *value = op->operands[i];
        Operand *o = &operands[i];
        if (value->type->place->shared || o->words) continue;
        o->tile.offset = at;
        at += o->tile.bytes;
        ptx_shared_store(g, &o->tile, type_layout(value->type), ptx_regs_of(g, value));
    }
    tir_plain(g->b, "fence.proxy.async.shared::cta;");
    ptx_barrier(g);
}

/* ---- sums ---- */

/* Registers that hold what is added to; `zero`: it is 0, and they hold nothing yet. Those of the
 * value that carries the sums around a loop, those of the product before, or new ones. */
static Tir *sums_of(Gen *g, const Op *op, bool *zero) {
    const Value *acc = dot_acc(op), *home = dot_sums_home(op);
    const Op *before = dot_added_to(op);
    int count = layout_regs(type_layout(acc->type));
    Tir *from = ptx_tile_as(g, acc, dot_sum_type(op)), *sums = ptx_new_regs(g, count);
    uint64_t bits;
    *zero = true;
    for (int r = 0; r < count; r++) *zero = *zero && tir_is_const(g->b, from[r], &bits) && !bits;
    if (before && type_lane(acc->type) == dot_sum_type(op)) return from;
    for (int r = 0; r < count; r++)
        sums[r] = home ? ptx_regs_of(g, home)[r] : tir_var(g->b, CLASS_B32);
    if (!*zero) ptx_assign(g, count, sums, from);
    return sums;
}

/* ---- all ---- */

/* Before any loop: where it is used, it is one more instruction to wait for. */
void ptx_wgmma_begin(Gen *g) {
    if (!g->has_wgmma || g->threads <= 128) return;
    Tir group = tir_2(g->b, TIR_SHR_U32, ptx_thread_id(g), tir_i32(g->b, 7));
    g->warp_group = ptx_shuffle(g, "idx", group, tir_i32(g->b, 0)); /* for all to see: uniform */
}

void ptx_settle(Gen *g, int64_t pending) {
    tir_plain(g->b, str_format(g->arena, "wgmma.wait_group.sync.aligned %d;", (int)pending).data);
}

/* The words behind the number of columns, and the flags: neither is negated, which of 16 bits is
 * transposed. */
static void words_of(Gen *g, const Operand *o, const char **types, const char **flags) {
    TypeKind kind = o->tile.lane->kind;
    bool ints = kind == TYPE_I8;
    const char *name = kind == TYPE_BF16     ? "bf16"
                       : kind == TYPE_F16    ? "f16"
                       : kind == TYPE_F8E4M3 ? "e4m3"
                       : kind == TYPE_F8E5M2 ? "e5m2"
                       : ints                ? "s8"
                                             : "tf32";
    int k = K_BYTES / ptx_lane_bytes(o->tile.lane);
    *types = str_format(g->arena, "k%d.%s.%s.%s", k, ints ? "s32" : "f32", name, name).data;
    *flags = ints      ? ""
             : k != 16 ? ", 1, 1"
                       : str_format(g->arena, ", 1, 1%s, %d",
                                    o->words             ? ""
                                    : o->dim != o->k_dim ? ", 1"
                                                         : ", 0",
                                    o[1].dim != o[1].k_dim)
                             .data;
}

/* A at a row and step along K: a descriptor, or the words of a thread; how many. */
static int words_of_a(Gen *g, const Operand *a, int row, int rows, int k, Tir *args) {
    if (!a->words) {
        args[0] = descriptor(g, a, row, k);
        return 1;
    }
    int at = row / rows * (1 << a->shape.log2[1]) + k;
    memcpy(args, a->words + at / K_ELEMENTS * A_WORDS, sizeof *args * A_WORDS);
    return A_WORDS;
}

/* rows: of all groups. */
static void multiply(Gen *g, const Operand *o, int columns, int row, int rows, int column,
                     Tir *sums, bool zero) {
    int sums_count = columns / 2, depth = 1 << o[0].shape.log2[1];
    const char *types, *flags;
    Tir args[MOST_COLUMNS / 2 + A_WORDS + 2];
    words_of(g, o, &types, &flags);
    memcpy(args, sums, sizeof *sums * (size_t)sums_count);
    for (int k = 0; k < depth; k += K_BYTES / ptx_lane_bytes(o->tile.lane)) {
        int of_a = words_of_a(g, o, row, rows, k, args + sums_count), count = sums_count + of_a;
        args[count++] = descriptor(g, &o[1], column, k);
        args[count++] = tir_bool(g->b, !(zero && k == 0));
        const char *text =
            str_format(g->arena, "wgmma.mma_async.sync.aligned.m64n%d%s", columns, types).data;
        TirIns *ins = tir_ins(g->b, TIR_WGMMA, text, count, args, NULL);
        ins->text2 = flags, ins->imm = (uint64_t)of_a;
    }
}

void ptx_wgmma(Gen *g, const Op *op) {
    const Type *product = op_result(op)->type, *lane = type_lane(product);
    const Layout *layout = type_layout(product);
    int warps_m, warps_n;
    bool zero;
    Operand o[2] = {operand_of(g, op, 0), operand_of(g, op, 1)};
    wgmma_warps(product, g->fn->num_warps, &warps_m, &warps_n);
    stage(g, op, o);
    for (int i = 0; i < 2; i++)
        if (!o[i].words) describe(g, &o[i], group_bytes(g, &o[i], layout, i == 0));
    Tir *sums = sums_of(g, op, &zero);
    int all = product->shape[1] >> warps_n, columns = all < MOST_COLUMNS ? all : MOST_COLUMNS;
    int at = 0, rows = 16 << warps_m; /* of all groups */
    tir_plain(g->b, "wgmma.fence.sync.aligned;");
    for (int row = 0; row < product->shape[0]; row += rows)
        for (int column = 0; column < all; column += columns, at += columns / 2)
            multiply(g, o, columns, row, rows, column, sums + at, zero);
    tir_plain(g->b, "wgmma.commit_group.sync.aligned;");
    if (!dot_async(op)) ptx_settle(g, 0);
    if (at != layout_regs(layout)) BUG("wgmma of %d registers, not %d", at, layout_regs(layout));
    if (lane == dot_sum_type(op)) {
        ptx_define(g, op_result(op), sums);
        return;
    }
    Tir *regs = ptx_new_regs(g, at);
    for (int r = 0; r < at; r++) regs[r] = ptx_lane_as(g, dot_sum_type(op), lane, sums[r]);
    ptx_define(g, op_result(op), regs);
}

static bool is_no_wgmma(Op *op, void *user) {
    (void)user;
    return op->kind != OP_DOT || dot_unit(op) != UNIT_WGMMA;
}

bool region_has_wgmma(Region *region) { return !region_walk(region, is_no_wgmma, NULL); }
