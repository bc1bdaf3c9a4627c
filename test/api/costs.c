// SPDX-License-Identifier: Apache-2.0
/* What generated texts cost, against test/gen/costs.txt, whose lines say
 *
 *     FILE.tir TARGET: lines 40, ld.global 2, .., text 5bd1e995      of IR in test/gen
 *     FILE.py:KERNEL SIGNATURE TARGET: lines 61, helpers 12, ..   of Triton's
 *     FILE.cu:KERNEL TARGET: lines 61, helpers 12, ..             of CUDA's, for blocks of 32 x 2
 *
 * counts what takes time or memory, and ends in a digest of the whole text: no change goes unseen.
 * One that is not meant to change what is generated leaves the file alone; one that is shows here
 * what it costs, and `make gen-diff` the texts. TERN_BLESS=1 rewrites the file: read the
 * difference. */
#include "api/context.h"
#include "gen/c/piece.h"
#include "test.h"

typedef struct Count {
    Str word;
    int count;
} Count;

typedef VEC(Count) Counts;

static void count(Arena *arena, Counts *counts, Str word) {
    for (int i = 0; i < counts->count; i++)
        if (str_equal(counts->data[i].word, word)) {
            counts->data[i].count++;
            return;
        }
    vec_push(arena, counts, ((Count){word, 1}));
}

static int by_word(const void *a, const void *b) {
    Str x = ((const Count *)a)->word, y = ((const Count *)b)->word;
    int order = memcmp(x.data, y.data, (size_t)(x.length < y.length ? x.length : y.length));
    return order ? order : x.length - y.length;
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }

/* Of PTX the first two words of each instruction: ld.global, mma.sync. Of C the calls and loops. */
static void count_line(Arena *arena, Counts *counts, Str line, bool is_ptx) {
    int at = 0;
    while (at < line.length && strchr(" \t", line.data[at])) at++;
    if (is_ptx) {
        if (at < line.length && line.data[at] == '@')
            while (at < line.length && line.data[at++] != ' ') {
            }
        int end = at, dots = 0;
        while (end < line.length && (is_letter(line.data[end]) || (line.data[end] == '.' && !dots)))
            dots += line.data[end++] == '.';
        if (end > at && is_letter(line.data[at]) && line.data[line.length - 1] == ';')
            count(arena, counts, (Str){line.data + at, end - at});
        return;
    }
    for (int i = at; i < line.length; i++) {
        int end = i;
        while (end < line.length && is_letter(line.data[end])) end++;
        Str word = {line.data + i, end - i};
        if (str_starts(word, "t_")) count(arena, counts, STR("helpers"));
        if (str_is(word, "for") || str_is(word, "while")) count(arena, counts, STR("loops"));
        if (str_is(word, "__builtin_prefetch")) count(arena, counts, STR("prefetches"));
        if (word.length) i = end - 1;
    }
}

static void describe(Arena *arena, Buf *out, const char *text, bool is_ptx) {
    Counts counts = {0};
    int lines = 0;
    const char *facts = strstr(text, "tern_facts[] = {"), *kernel = text;
    if (!is_ptx && strstr(text, "static int program("))
        kernel = strstr(text, "static int program(");
    const char *pieces = strstr(text, C_PIECE_START);
    if (pieces) kernel = pieces;
    for (const char *at = text; *at;) {
        const char *end = strchr(at, '\n');
        if (!end) end = at + strlen(at);
        if (at >= kernel) {
            count_line(arena, &counts, (Str){at, (int)(end - at)}, is_ptx);
            lines++;
        }
        at = *end ? end + 1 : end;
    }
    if (counts.count) qsort(counts.data, (size_t)counts.count, sizeof *counts.data, by_word);
    buf_printf(out, "lines %d", lines);
    for (int i = 0; i < counts.count; i++)
        buf_printf(out, ", %.*s %d", STR_ARG(counts.data[i].word), counts.data[i].count);
    if (facts)
        buf_printf(out, ", scratch and stored %.*s", (int)strcspn(facts + 16, "}"), facts + 16);
    buf_printf(out, ", text %08x\n", (unsigned)hash_bytes(text, strlen(text), 0));
}

/* FILE.py:KERNEL SIGNATURE, FILE.cu:KERNEL or FILE.tir. */
static tern_kernel *compiled(Arena *arena, tern_context *context, Str what, const char *target) {
    tern_options options = {.size = sizeof options, .target = target, .debug = true};
    char file[200], kernel[200], signature[800] = "";
    const char *words = str_c(arena, what);
    if (sscanf(words, "%199[^:]:%199s %799s", file, kernel, signature) >= 2) {
        if (strstr(file, ".cu"))
            options.block[0] = 32, options.block[1] = 2, options.shared_bytes = 4096;
        tern_module *module = tern_load_file(context, file);
        tern_kernel *made = module ? tern_compile(module, kernel, signature, &options) : NULL;
        tern_module_free(module);
        return made;
    }
    Str text, why;
    if (!file_read(arena, words, 1 << 20, &text, &why)) return NULL;
    return kernel_from_ir(context, str_c(arena, text), &options);
}

TEST(texts_cost_what_they_did) {
    static const char path[] = "test/gen/costs.txt";
    Arena *arena = arena_new(NULL);
    tern_status status;
    char words[512];
    tern_context *context = tern_open(&(tern_open_options){.device = "interp", .cache_dir = ""},
                                      &status, words, sizeof words);
    Str text, why;
    CHECK(context && file_read(arena, path, 1 << 20, &text, &why));
    Buf out = {.arena = arena};
    for (int at = 0; at < text.length;) {
        int end = at;
        while (end < text.length && text.data[end] != '\n') end++;
        const char *line = str_c(arena, (Str){text.data + at, end - at});
        at = end + 1;
        const char *colon = strstr(line, ": ");
        int start = (int)out.length;
        if (*line == '#' || !colon) {
            buf_printf(&out, "%s\n", line);
            continue;
        }
        Str head = {line, (int)(colon - line)}, what = head;
        while (what.data[what.length - 1] != ' ') what.length--;
        const char *target =
            str_c(arena, (Str){head.data + what.length, head.length - what.length});
        what.length--;
        tern_kernel *kernel = compiled(arena, context, what, target);
        bool is_ptx = !strncmp(target, "sm_", 3);
        buf_printf(&out, "%.*s: ", STR_ARG(head));
        if (kernel)
            describe(arena, &out, tern_kernel_text(kernel, is_ptx ? TERN_STAGE_PTX : TERN_STAGE_C),
                     is_ptx);
        else
            buf_printf(&out, "%s\n", tern_message(context));
        tern_kernel_free(kernel);
        Str got = {out.data + start, (int)out.length - start - 1};
        if (!getenv("TERN_BLESS") && !str_is(got, line)) CHECK_STR(str_c(arena, got), line);
    }
    if (getenv("TERN_BLESS")) CHECK(file_write(arena, path, out.data, out.length, &why));
    tern_close(context);
    arena_free(arena);
}

TEST_MAIN()
