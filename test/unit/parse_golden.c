// SPDX-License-Identifier: Apache-2.0
/* What the parser, the signatures and the compile-time Python say, against
 * test/lang/syntax/NAME.py. Such a file is a list of small sources:
 *
 *     # case: what it is about
 *     ..                                  the source; lines count from here
 *     # ask: sig KERNEL SIGNATURE         optional; default: parse and list the complaints
 *     # ask: value NAME, or: configs KERNEL, or: functions, or: tree
 *     # ask: heuristics KERNEL NAME=TEXT ..
 *     # want: LINE:COLUMN: error: words   or what was asked for
 *
 * With TERN_BLESS=1 the file is rewritten with what was said. test/lang/python.sh asks Python about
 * the same sources. */
#include "lang/evaluate.h"
#include "golden.h"

static const char *kind_word(DiagKind kind) {
    static const char *const words[] = {"error",  "not supported", "warning",
                                        "remark", "note",          "help"};
    return words[kind];
}

static void put_place(Buf *out, Span span, const char *kind, Str text) {
    int line = 0, column = 0;
    if (span.source) source_position(span.source, span.start, &line, &column);
    buf_printf(out, "# want: %d:%d: %s: %.*s\n", line, column, kind, STR_ARG(text));
}

static void put_diag(Buf *out, const Diag *diag) {
    for (int i = 0; i < diag->entries.count; i++) {
        const DiagEntry *entry = &diag->entries.data[i];
        if (entry->kind == DIAG_HELP)
            buf_printf(out, "# want: help: %.*s\n", STR_ARG(entry->text));
        else
            put_place(out, entry->span, kind_word(entry->kind), entry->text);
    }
}

static void ask_syntax(Arena *arena, const Source *source, Buf *out) {
    Diag diag = {.arena = arena};
    Ast *ast = ast_parse(arena, source, &diag);
    Buf tree = {.arena = arena};
    ast_print(&tree, ast);
    for (int i = 0; i < ast->body.count; i++)
        if (ast->body.stmts[i]->kind == STMT_ERROR)
            put_place(out, ast->body.stmts[i]->complaint_span, "error",
                      ast->body.stmts[i]->complaint);
    int start = (int)out->length;
    put_diag(out, &diag);
    /* A broken kernel complains at once, too: its complaint must be one of those above. */
    for (char *line = out->data ? out->data + start : NULL; line && *line;
         line = strchr(line, '\n') + 1) {
        char *end = strchr(line, '\n');
        char *first = memmem(out->data, (size_t)(end - out->data), line, (size_t)(end - line));
        if (first < line && first < out->data + start) {
            buf_puts(out, "# want: and at once\n");
            break;
        }
    }
}

static void ask_tree(Arena *arena, const Source *source, Buf *out) {
    Diag diag = {.arena = arena};
    Buf tree = {.arena = arena};
    ast_print(&tree, ast_parse(arena, source, &diag));
    for (char *line = tree.data, *end; *line; line = end + 1) {
        end = strchr(line, '\n');
        buf_printf(out, "# want: %.*s\n", (int)(end - line), line);
    }
    put_diag(out, &diag);
}

static Str next_word(Str *rest) {
    while (rest->length && rest->data[0] == ' ') rest->data++, rest->length--;
    Str word = {rest->data, 0};
    while (word.length < rest->length && word.data[word.length] != ' ') word.length++;
    *rest = (Str){rest->data + word.length, rest->length - word.length};
    while (rest->length && rest->data[0] == ' ') rest->data++, rest->length--;
    return word;
}

static void put_specs(Buf *out, const JitFunction *function, const Spec *specs) {
    buf_puts(out, "# want:");
    for (int i = 0; i < function->num_params; i++) {
        buf_printf(out, " %.*s", STR_ARG(function->params[i].name));
        if (specs[i].kind == SPEC_TYPE)
            buf_printf(out, ":%.*s/%d", STR_ARG(specs[i].type), specs[i].divisible);
        if (specs[i].kind == SPEC_CONSTANT) buf_printf(out, "=%.*s", STR_ARG(specs[i].text));
    }
    buf_putc(out, '\n');
}

static void put_configs(Arena *arena, Module *module, const JitFunction *function, Diag *diag,
                        Buf *out) {
    Config *configs;
    int count = function_configs(arena, module, function, diag, &configs);
    for (int i = 0; i < count; i++) {
        buf_puts(out, "# want:");
        for (int k = 0; k < configs[i].num_values; k++)
            buf_printf(out, " %.*s=%.*s", STR_ARG(configs[i].values[k].name),
                       STR_ARG(configs[i].values[k].text));
        buf_printf(out, " warps %d stages %d\n", configs[i].num_warps, configs[i].num_stages);
    }
    if (count == 0) buf_puts(out, "# want: no configs\n");
}

/* What heuristics make of the parameters that the caller does not give. */
static void put_heuristics(Arena *arena, Module *module, const JitFunction *function, Str given,
                           Diag *diag, Buf *out) {
    VEC(ConfigValue) values = {0};
    while (given.length) {
        Str word = next_word(&given);
        int equals = (int)((char *)memchr(word.data, '=', (size_t)word.length) - word.data);
        vec_push(arena, &values,
                 ((ConfigValue){{word.data, equals},
                                {word.data + equals + 1, word.length - equals - 1}}));
    }
    Spec *specs = arena_array(arena, Spec, function->num_params + 1);
    for (int i = 0; i < function->num_params; i++) specs[i].kind = SPEC_DEFAULT;
    if (function_heuristics(arena, module, function, values.data, values.count, specs, diag))
        put_specs(out, function, specs);
}

static void put_functions(const Module *module, Buf *out) {
    for (int i = 0; i < module_num_functions(module); i++) {
        const JitFunction *function = module_function(module, i);
        buf_printf(out, "# want: %.*s(", STR_ARG(function->name));
        for (int k = 0; k < function->num_params; k++)
            buf_printf(out, "%s%s%.*s", k ? ", " : "",
                       function->params[k].is_constexpr ? "constexpr " : "",
                       STR_ARG(function->params[k].name));
        buf_printf(out, ")%s\n", function->is_launched ? " launched" : "");
    }
}

static void ask_module(Arena *arena, const Source *source, Str question, Buf *out) {
    Diag diag = {.arena = arena};
    Module *module =
        module_load(arena, source, STR("test/lang/syntax/case.py"), &(LangOptions){0}, &diag);
    Str what = next_word(&question), name = next_word(&question);
    const JitFunction *function = module ? module_find(module, name) : NULL;
    if (!module) {
        buf_puts(out, "# want: not loaded\n");
    } else if (str_is(what, "functions")) {
        put_functions(module, out);
    } else if (str_is(what, "value")) {
        Object *value = module_lookup(arena, module, name, &diag);
        Buf text = {.arena = arena};
        if (value && value->kind != OBJECT_ERROR) object_repr(&text, value);
        if (value)
            buf_printf(out, "# want: %s\n", text.data ? text.data : "error");
        else
            buf_puts(out, "# want: not defined\n");
    } else if (!function) {
        buf_puts(out, "# want: no such kernel\n");
    } else if (str_is(what, "sig")) {
        Spec *specs = arena_array(arena, Spec, function->num_params + 1);
        if (signature_parse(arena, function, source_new(arena, STR("<signature>"), question), &diag,
                            specs))
            put_specs(out, function, specs);
    } else if (str_is(what, "configs")) {
        put_configs(arena, module, function, &diag, out);
    } else if (str_is(what, "heuristics")) {
        put_heuristics(arena, module, function, question, &diag, out);
    }
    put_diag(out, &diag);
}

static Str next_line(Str text, int *at) {
    int end = *at;
    while (end < text.length && text.data[end] != '\n') end++;
    Str line = {text.data + *at, end - *at};
    *at = end + 1;
    return line;
}

typedef struct Case {
    int line;   /* of "# case:" */
    Str source; /* without directives */
    Str want;   /* its lines */
    VEC(Str) questions;
} Case;

/* The case that starts at *at, which is left behind it. */
static Case read_case(Arena *arena, Str text, int *at) {
    Case c = {0};
    Buf source = {.arena = arena}, want = {.arena = arena};
    buf_puts(&source, ""), buf_puts(&want, "");
    while (*at < text.length) {
        int here = *at;
        Str line = next_line(text, at);
        if (str_starts(line, "# case:")) {
            *at = here;
            break;
        }
        if (str_starts(line, "# want:"))
            buf_printf(&want, "%.*s\n", STR_ARG(line));
        else if (str_starts(line, "# ask: "))
            vec_push(arena, &c.questions, (Str){line.data + 7, line.length - 7});
        else
            buf_printf(&source, "%.*s\n", STR_ARG(line));
    }
    while (source.length > 1 && source.data[source.length - 1] == '\n' &&
           source.data[source.length - 2] == '\n')
        source.length--;
    c.source = buf_str(&source), c.want = buf_str(&want);
    return c;
}

static int num_cases;

static void run_file(Arena *arena, const char *path) {
    Str text, why;
    if (!file_read(arena, path, 1 << 20, &text, &why)) {
        CHECK(!"the file can be read");
        return;
    }
    Buf rewritten = {.arena = arena};
    for (int at = 0; at < text.length;) {
        Str line = next_line(text, &at);
        buf_printf(&rewritten, "%.*s\n", STR_ARG(line));
        if (!str_starts(line, "# case:")) continue;
        Case c = read_case(arena, text, &at);
        Buf got = {.arena = arena};
        buf_puts(&got, "");
        Source *source = source_new(arena, STR("case"), c.source);
        if (!c.questions.count) ask_syntax(arena, source, &got);
        for (int i = 0; i < c.questions.count; i++)
            if (str_is(c.questions.data[i], "tree"))
                ask_tree(arena, source, &got);
            else
                ask_module(arena, source, c.questions.data[i], &got);
        if (!got.length) buf_puts(&got, "# want: ok\n");
        buf_add(&rewritten, c.source.data, (size_t)c.source.length);
        for (int i = 0; i < c.questions.count; i++)
            buf_printf(&rewritten, "# ask: %.*s\n", STR_ARG(c.questions.data[i]));
        buf_printf(&rewritten, "%s%s", got.data, at < text.length ? "\n" : "");
        num_cases++;
        if (str_is(c.want, got.data) || getenv("TERN_BLESS")) continue;
        printf("%s: %.*s\n", path, STR_ARG(line));
        CHECK_STR(got.data, str_c(arena, c.want));
    }
    if (getenv("TERN_BLESS")) file_write(arena, path, rewritten.data, rewritten.length, &why);
}

TEST(sources) {
    golden_each("test/lang/syntax", ".py", run_file);
    CHECK(num_cases >= 80);
}

TEST_MAIN()
