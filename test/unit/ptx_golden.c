// SPDX-License-Identifier: Apache-2.0
/* The tables of doc/ptx.md are what isa.def and mods.def say. TERN_BLESS=1 rewrites them. */
#include "document.h"
#include "gen/ptx/isa.h"

static const char *const classes[NUM_CLASSES] = {
    [CLASS_INTEGER] = "integer", [CLASS_FLOAT32] = "f32",      [CLASS_FLOAT64] = "f64",
    [CLASS_FLOAT16] = "f16",     [CLASS_SPECIAL] = "special",  [CLASS_CONVERT] = "conversion",
    [CLASS_MOVE] = "move",       [CLASS_COMPARE] = "compare",  [CLASS_MEMORY] = "memory",
    [CLASS_ACROSS] = "lanes",    [CLASS_MMA] = "tensor cores", [CLASS_CONTROL] = "control",
};

static const char *type_name(int type) {
    static const char *const names[] = {
#define TYPE(name, c, class, kind) #name,
        PTX_TYPES(TYPE)
#undef TYPE
    };
    return type == PTX_bits32   ? "f32"
           : type == PTX_pair16 ? "b16"
           : type == PTX_pair32 ? "b32"
           : type == PTX_pair64 ? "b64"
                                : names[type];
}

/* `add.s32` `add.u32`, from "add.s32 add.u32": each part between the signs. */
static void put_parts(Buf *out, const char *text, const char *signs, const char *between) {
    for (int parts = 0; *text; parts++) {
        int length = (int)strcspn(text, signs);
        buf_printf(out, "%s`%.*s`", parts ? between : "", length, text);
        text += length;
        text += strspn(text, signs);
    }
}

static void put_sm(Buf *out, int sm) {
    if (sm) buf_printf(out, "sm_%d", sm);
    buf_puts(out, " |\n");
}

static void put_rows(Buf *out) {
    buf_puts(out, "| Of one lane | Result | Operands | Counted as | From |\n"
                  "| --- | --- | --- | --- | --- |\n");
    for (int i = 0; i < NUM_TIR_OPS; i++) {
        const PtxRow *row = &ptx_rows[i];
        buf_puts(out, "| ");
        put_parts(out, row->text, " ", " ");
        buf_printf(out, " | %s | ", type_name(row->types[0]));
        for (int k = 0; k < row->num_operands; k++)
            buf_printf(out, "%s%s", k ? ", " : "", type_name(row->types[1 + k]));
        buf_printf(out, " | %s | ", classes[row->class]);
        put_sm(out, row->least_sm);
    }
}

static void put_forms(Buf *out) {
    static const struct {
        const char *forms;
        PtxClass class;
        int sm;
    } rows[] = {
#define PTX_FORM(name, forms, class, sm) {forms, CLASS_##class, sm},
#include "gen/ptx/isa.def"
    };
    buf_puts(out, "\n| Form | Counted as | From |\n| --- | --- | --- |\n");
    for (int i = 0; i < COUNT(rows); i++) {
        buf_puts(out, "| ");
        for (const char *form = rows[i].forms; *form;) {
            int length = (int)strcspn(form, ";");
            Str text = str_format(out->arena, "%.*s", length, form);
            for (char *c = (char *)text.data; *c; c++) *c = *c == ' ' ? '.' : *c;
            buf_printf(out, "`%s`", text.data);
            form += length;
            if (*form) buf_puts(out, "<br>"), form += 2;
        }
        buf_printf(out, " | %s | ", classes[rows[i].class]);
        put_sm(out, rows[i].sm);
    }
}

static void put_places(Buf *out) {
    static const struct {
        const char *place, *word;
    } rows[] = {
#define PTX_MOD(place, word, field, value) {#place, word},
#include "gen/ptx/mods.def"
    };
    buf_puts(out, "\n| Place | Words |\n| --- | --- |\n");
    for (int i = 0; i < COUNT(rows); i++) {
        bool first = i == 0 || strcmp(rows[i].place, rows[i - 1].place) != 0;
        if (first) buf_printf(out, "| `%s` |", rows[i].place);
        buf_printf(out, " `%s`", rows[i].word);
        if (i + 1 == COUNT(rows) || strcmp(rows[i].place, rows[i + 1].place)) buf_puts(out, " |\n");
    }
}

TEST(the_document_has_the_tables) {
    Arena *arena = arena_new(NULL);
    Buf want = {.arena = arena};
    put_rows(&want);
    put_forms(&want);
    put_places(&want);
    check_document("doc/ptx.md", "instructions:", buf_str(&want).data);
    arena_free(arena);
}

TEST_MAIN()
