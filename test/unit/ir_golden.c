// SPDX-License-Identifier: Apache-2.0
/* The tables of doc/ir.md are what ops.def and enums.def say. TERN_BLESS=1 rewrites them. */
#include "document.h"
#include "ir/ir.h"

static const char *trait_words(Arena *arena, int traits) {
    static const struct {
        int trait;
        const char *word;
    } words[] = {
        {PURE, "pure"},     {ELEMENTWISE, "elementwise"},  {COMMUTES, "commutes"}, {READS, "reads"},
        {WRITES, "writes"}, {TERMINATOR, "ends a region"}, {ISOLATED, "isolated"},
    };
    Buf out = {.arena = arena};
    buf_puts(&out, "");
    for (int i = 0; i < COUNT(words); i++)
        if (traits & words[i].trait)
            buf_printf(&out, "%s%s", out.length ? ", " : "", words[i].word);
    return out.data;
}

static void put_escaped(Buf *out, const char *text) {
    for (; *text; text++) {
        if (*text == '|' || *text == '*' || *text == '<' || *text == '_') buf_putc(out, '\\');
        buf_putc(out, *text);
    }
}

static void put_ops(Arena *arena, Buf *out) {
    buf_puts(
        out,
        "| Op | Operands | Attributes | Meaning | Traits |\n| --- | --- | --- | --- | --- |\n");
    for (int i = 0; i < NUM_OP_KINDS; i++) {
        const OpInfo *info = op_info((OpKind)i);
        buf_printf(out, "| `%s` | ", info->name);
        if (info->least_operands == info->most_operands)
            buf_printf(out, "%d | ", info->least_operands);
        else if (info->most_operands < 0)
            buf_printf(out, "%d.. | ", info->least_operands);
        else
            buf_printf(out, "%d to %d | ", info->least_operands, info->most_operands);
        for (int k = 0; k < MAX_ATTRS && info->attrs[k].name; k++) {
            AttrKind kind = info->attrs[k].kind;
            bool is_optional = kind == ATTR_OPT_INT || kind == ATTR_ROUNDING ||
                               kind == ATTR_CACHE || kind == ATTR_EVICT || kind == ATTR_SEM ||
                               kind == ATTR_SCOPE || kind == ATTR_PRECISION || kind == ATTR_UNIT;
            if (kind != ATTR_BITS)
                buf_printf(out, "%s`%s`%s", k ? ", " : "", info->attrs[k].name,
                           is_optional ? "?" : "");
        }
        buf_puts(out, " | ");
        put_escaped(out, info->meaning);
        buf_printf(out, " | %s |\n", trait_words(arena, info->traits));
    }
}

/* `name` of `op`, `op` .. */
static void put_owners(Buf *out, AttrKind kind) {
    int owners = 0;
    for (int i = 0; i < NUM_OP_KINDS; i++) {
        const OpInfo *info = op_info((OpKind)i);
        for (int k = 0; k < MAX_ATTRS && info->attrs[k].name; k++) {
            if (info->attrs[k].kind != kind) continue;
            if (owners++ == 0)
                buf_printf(out, "`%s` of `%s`", info->attrs[k].name, info->name);
            else
                buf_printf(out, ", `%s`", info->name);
        }
    }
}

static void put_words(Buf *out) {
    buf_puts(out, "\n| Attribute | Words |\n| --- | --- |\n");
    for (int kind = ATTR_ICMP; kind < NUM_ATTR_KINDS; kind++) {
        buf_puts(out, "| ");
        put_owners(out, (AttrKind)kind);
        buf_puts(out, " | ");
        for (int i = 0; attr_word((AttrKind)kind, i); i++)
            buf_printf(out, "%s`%s`", i ? " " : "", attr_word((AttrKind)kind, i));
        buf_puts(out, " |\n");
    }
}

TEST(the_document_has_the_tables) {
    Arena *arena = arena_new(NULL);
    Buf want = {.arena = arena};
    put_ops(arena, &want);
    put_words(&want);
    check_document("doc/ir.md", "ops:", buf_str(&want).data);
    arena_free(arena);
}

TEST_MAIN()
