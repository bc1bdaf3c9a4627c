// SPDX-License-Identifier: Apache-2.0
/* test/opt/NAME.tir: a function, `# passes: ..` and after `# want:` the text that these passes make
 * of it, and their remarks. Without `# want:` the function itself is expected. TERN_BLESS=1
 * rewrites what is wanted: read the difference before you commit it. */
#include "opt/opt.h"
#include "golden.h"

static Str line_after(Str text, const char *marker) {
    const char *at = memmem(text.data, (size_t)text.length, marker, strlen(marker));
    if (!at) return (Str){"", -1};
    at += strlen(marker);
    int left = (int)(text.data + text.length - at), length = 0;
    while (length < left && at[length] != '\n') length++;
    return (Str){at, length};
}

static bool run_passes(Arena *arena, Func *fn, Str names, const char *file, Diag *diag) {
    PassCtx px = {.scratch = arena, .diag = diag, .target = "sm_90a"};
    px.needs = needs_new(arena, fn, fn->num_params);
    char words[200];
    snprintf(words, sizeof words, "%.*s", STR_ARG(names));
    for (char *name = strtok(words, " "); name; name = strtok(NULL, " ")) {
        const Pass *pass = pass_find(str_of(name));
        if (!pass) return printf("%s: no pass '%s'\n", file, name), false;
        Buf before = {.arena = arena}, after = {.arena = arena};
        func_print(&before, fn, false);
        bool changed = pass->run(&px, fn);
        func_print(&after, fn, false);
        /* A pass says that it changed something when it did, and only then. */
        if (changed != (strcmp(before.data, after.data) != 0))
            return printf("%s: %s says %s\n", file, name, changed ? "changed" : "unchanged"), false;
        const char *why = func_verify(arena, fn);
        if (why) return printf("%s: after %s: %s\n", file, name, why), false;
    }
    return true;
}

static void check_file(Arena *arena, const char *path) {
    Str text, why;
    Diag diag = {.arena = arena};
    if (!file_read(arena, path, 1 << 20, &text, &why)) {
        printf("%.*s\n", STR_ARG(why));
        CHECK(false);
        return;
    }
    const char *want = memmem(text.data, (size_t)text.length, "# want:\n", 8);
    Str input = {text.data, want ? (int)(want - text.data) : text.length};
    Func *fn = func_parse(arena, source_new(arena, str_of(path), input), &diag);
    Buf out = {.arena = arena};
    if (!fn) {
        diag_print(&diag, false, &out);
        printf("%s", out.data);
        CHECK(false);
        return;
    }
    const char *invalid = func_verify(arena, fn);
    if (invalid) printf("%s: %s\n", path, invalid);
    CHECK(!invalid);
    if (invalid) return;
    CHECK(run_passes(arena, fn, line_after(text, "# passes:"), path, &diag));
    func_print(&out, fn, false);
    diag_print(&diag, true, &out);
    const char *wanted = want ? want + 8 : memmem(text.data, (size_t)text.length, "\n#0 = ", 6);
    if (!want && wanted) wanted++;
    if (!wanted) wanted = memmem(text.data, (size_t)text.length, "func @", 6);
    if (getenv("TERN_BLESS") && strcmp(out.data, wanted)) {
        Str blessed = str_format(arena, "%.*s# want:\n%s", STR_ARG(input), out.data);
        CHECK(file_write(arena, path, blessed.data, (size_t)blessed.length, &why));
        return;
    }
    if (strcmp(out.data, wanted)) printf("%s:\n", path);
    CHECK_STR(out.data, wanted);
}

TEST(passes_make_what_is_wanted) { CHECK(golden_each("test/opt", ".tir", check_file) >= 7); }

TEST_MAIN()
