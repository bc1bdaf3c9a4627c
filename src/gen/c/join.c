// SPDX-License-Identifier: Apache-2.0
#include "gen/c/join.h"
#include "gen/c/c.h"

static Str token_at(Str text, int at) { return (Str){text.data + at, c_token_end(text, at) - at}; }

/* The names that a prelude gives at file scope. Inside of functions generated names are one small
 * letter with a number, or plain words. */
static bool is_prelude_name(Str name) {
    static const char *const plain[] = {"L", "UL", "Wide", "UWide", "B16", "H2"};
    const char *c = name.data;
    for (int i = 0; i < COUNT(plain); i++)
        if (str_is(name, plain[i])) return true;
    if (name.length < 2) return false;
    if ((c[0] == 't' || c[0] == 'T' || c[0] == 'm' || c[0] == 'u') && c[1] == '_') return true;
    return c[0] == 'v' && strchr("bdfiqu", c[1]) &&
           (name.length == 2 || c_is_digit(c[2])); /* vb, vi32, vq64 */
}

/* The names of functions and tables that a kernel's text defines: at the depth of the file, before
 * a parameter list or a dimension. */
static void find_defined(Str text, Map *defined) {
    int braces = 0, parens = 0, at = 0;
    for (Str token, before = {0}; at < text.length; before = token, at += token.length) {
        token = token_at(text, at);
        char c = token.length == 1 ? *token.data : 0;
        bool opens = c == '(' || c == '[';
        if (opens && !braces && !parens && before.length && c_is_letter(*before.data) &&
            !str_starts(before, "__"))
            map_set(defined, before, defined);
        braces += (c == '{') - (c == '}'), parens += opens - (c == ')' || c == ']');
    }
}

static bool is_blank(Str token) { return *token.data == ' ' || *token.data == '\n'; }

/* The text with its names, and with what the shared object shows made static. */
static void put_renamed(Buf *out, Str text, const Map *defined, const char *name,
                        const char *arch) {
    static const char shown[] = "__attribute__((visibility(\"default\")))";
    Str before = {0};
    for (int at = 0, end; at < text.length; at = end) {
        Str token = token_at(text, at);
        end = at + token.length;
        bool member = before.length == 1 && *before.data == '.';
        if (str_starts((Str){token.data, text.length - at}, shown)) {
            end = at + (int)sizeof shown - 1;
            buf_puts(out, "static");
        } else {
            buf_add(out, token.data, (size_t)token.length);
            if (defined && !member && map_get(defined, token))
                buf_printf(out, "_%s_%s", name, arch);
            else if (!member && is_prelude_name(token))
                buf_printf(out, "_%s", arch);
        }
        if (!is_blank(token)) before = token;
    }
}

/* Another prelude may define the macros again; what the guard of abi.h keeps out is there once. */
static void put_undefs(Buf *out, Str prelude, const char *arch) {
    static const char define[] = "#define ";
    for (const char *at = strstr(prelude.data, define); at; at = strstr(at, define)) {
        at += sizeof define - 1;
        Str name = token_at(prelude, (int)(at - prelude.data));
        bool first = !memmem(prelude.data, (size_t)(at - prelude.data),
                             str_format(out->arena, "#define %.*s", STR_ARG(name)).data,
                             (size_t)name.length + sizeof define - 1);
        if (first && !str_starts(name, "TERN_"))
            buf_printf(out, "#undef %.*s%s%s\n", STR_ARG(name), is_prelude_name(name) ? "_" : "",
                       is_prelude_name(name) ? arch : "");
    }
}

void join_write(Buf *out, const char *arch, int count, const JoinPart *parts) {
    Arena *arena = out->arena;
    CArch of = C_GENERIC;
    if (!c_arch_find(arch, &of)) BUG("no instruction set '%s'", arch);
    Buf kernels = {.arena = arena}, prelude = {.arena = arena};
    buf_puts(&kernels, "");
    for (int i = 0; i < count; i++) buf_puts(&kernels, parts[i].text);
    prelude_write(&prelude, of, kernels.data);
    put_renamed(out, buf_str(&prelude), NULL, NULL, arch);
    for (int i = 0; i < count; i++) {
        Map defined = {.arena = arena};
        Str text = str_of(parts[i].text);
        find_defined(text, &defined);
        put_renamed(out, text, &defined, parts[i].name, arch);
    }
    put_undefs(out, buf_str(&prelude), arch);
}
