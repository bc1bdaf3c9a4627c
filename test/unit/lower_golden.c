// SPDX-License-Identifier: Apache-2.0
/* Messages and acceptance of the front end, against test/lang/kernels/NAME.py. In such a file
 *
 *     # case: KERNEL SIGNATURE
 *     # want: error 'TEXT OF THE SPAN': words
 *     # want: help: words
 *
 * compiles KERNEL and compares what is said; `# want: ok` means nothing is. After `# ir: ` in place
 * of `# case: ` the IR is wanted, too, as the front end makes it. With TERN_BLESS=1 in the
 * environment the file is rewritten with what was said. */
#include "lang/lang.h"
#include "golden.h"

#include <unistd.h>

static const char *const words[] = {"error",   "refused", "warning", "remark",
                                    "printed", "note",    "help"};

static void say(Buf *out, const DiagEntry *entry) {
    if (entry->kind == DIAG_REMARK) return;
    buf_printf(out, "# want: %s", words[entry->kind]);
    if (entry->span.source && entry->kind != DIAG_HELP) {
        Str text = {entry->span.source->text.data + entry->span.start,
                    entry->span.end - entry->span.start};
        for (int i = 0; i < text.length; i++)
            if (text.data[i] == '\n') text.length = i;
        buf_printf(out, " '%.*s'", STR_ARG(text));
    }
    buf_puts(out, ": ");
    for (int i = 0; i < entry->text.length; i++)
        buf_printf(out, entry->text.data[i] == '\n' ? "\\n" : "%c", entry->text.data[i]);
    buf_putc(out, '\n');
}

static void put_ir(Arena *arena, const Func *fn, Buf *out) {
    Buf text = {.arena = arena};
    func_print(&text, fn, false);
    for (char *line = text.data, *end; *line; line = end + 1) {
        end = strchr(line, '\n');
        buf_printf(out, "# want: %.*s\n", (int)(end - line), line);
    }
}

static void run_case(Arena *arena, const Source *source, Str line, bool with_ir, Buf *out) {
    Diag diag = {.arena = arena};
    Str name = line, signature = {0};
    for (int i = 0; i < line.length; i++)
        if (line.data[i] == ' ') {
            name.length = i;
            signature = (Str){line.data + i + 1, line.length - i - 1};
            break;
        }
    Module *module = module_load(arena, source, source->name, &(LangOptions){0}, &diag);
    const JitFunction *function = module ? module_find(module, name) : NULL;
    Func *fn = NULL;
    if (function) {
        Spec *specs = arena_array(arena, Spec, function->num_params + 1);
        if (signature_parse(arena, function, source_new(arena, STR("<signature>"), signature),
                            &diag, specs))
            fn = lower_function(arena, module, function, specs,
                                &(LowerOptions){.target = "cuda:90", .debug = true}, &diag);
    } else
        buf_puts(out, "# want: no such kernel\n");
    for (int i = 0; i < diag.entries.count; i++) say(out, &diag.entries.data[i]);
    if (!fn != diag_failed(&diag)) buf_puts(out, "# want: result and diagnostics disagree\n");
    if (!fn) return;
    const char *wrong = func_verify(arena, fn);
    if (wrong)
        buf_printf(out, "# want: the verifier says: %s\n", wrong);
    else if (with_ir)
        put_ir(arena, fn, out);
    else
        buf_puts(out, "# want: ok\n");
}

static void run_file(Arena *arena, const char *path) {
    Str text, why;
    if (!file_read(arena, path, 1 << 20, &text, &why)) {
        CHECK(!"the file can be read");
        return;
    }
    Source *source = source_new(arena, str_of(path), text);
    Buf rewritten = {.arena = arena}, got = {.arena = arena};
    int line_number = 0, at = 0;
    while (at < text.length) {
        int end = at;
        while (end < text.length && text.data[end] != '\n') end++;
        Str line = {text.data + at, end - at};
        at = end + 1, line_number++;
        if (str_starts(line, "# want:")) continue;
        buf_printf(&rewritten, "%.*s\n", STR_ARG(line));
        bool with_ir = str_starts(line, "# ir: ");
        int head = with_ir ? 6 : 8;
        if (!with_ir && !str_starts(line, "# case: ")) continue;
        got = (Buf){.arena = arena};
        buf_puts(&got, "");
        run_case(arena, source, (Str){line.data + head, line.length - head}, with_ir, &got);
        buf_puts(&rewritten, got.data);
        Buf want = {.arena = arena};
        buf_puts(&want, "");
        for (int from = at; from < text.length;) {
            int stop = from;
            while (stop < text.length && text.data[stop] != '\n') stop++;
            Str next = {text.data + from, stop - from};
            if (!str_starts(next, "# want:")) break;
            buf_printf(&want, "%.*s\n", STR_ARG(next));
            from = stop + 1;
        }
        if (strcmp(got.data, want.data)) {
            printf("%s:%d: %.*s\n", path, line_number, STR_ARG(line));
            if (!getenv("TERN_BLESS")) CHECK_STR(got.data, want.data);
        }
    }
    if (getenv("TERN_BLESS")) file_write(arena, path, rewritten.data, rewritten.length, &why);
}

TEST(messages) { CHECK(golden_each("test/lang/kernels", ".py", run_file) >= 4); }

TEST_MAIN()
