// SPDX-License-Identifier: Apache-2.0
/* What test/lang/syntax cannot say: bytes that a text file does not hold well, limits, trees. */
#include "lang/ast.h"
#include "test.h"

static Arena *arena;

/* The printed tree of a source, or its first complaint. */
static const char *parsed_bytes(const char *text, int length) {
    static char *kept;
    Arena *old = arena;
    arena = arena_new(NULL);
    Diag diag = {.arena = arena};
    Ast *ast = ast_parse(arena, source_new(arena, STR("t"), (Str){text, length}), &diag);
    Buf out = {.arena = arena};
    if (diag.entries.count)
        buf_printf(&out, "%.*s\n", STR_ARG(diag.entries.data[0].text));
    else
        ast_print(&out, ast);
    kept = out.data;
    arena_free(old);
    return kept;
}
static const char *parsed(const char *text) { return parsed_bytes(text, (int)strlen(text)); }

/* open * n, middle, close * n */
static const char *nested(const char *open, int n, const char *middle, const char *close) {
    Buf text = {.arena = arena_new(NULL)};
    for (int i = 0; i < n; i++) buf_puts(&text, open);
    buf_puts(&text, middle);
    for (int i = 0; i < n; i++) buf_puts(&text, close);
    const char *result = parsed_bytes(text.data, (int)text.length);
    arena_free(text.arena);
    return result;
}

TEST(trees) {
    CHECK_STR(parsed("x = a + b * -c ** d\n"),
              "1:1 assign\n  name x\n  binary +\n    name a\n    binary *\n"
              "      name b\n      unary -\n        binary **\n"
              "          name c\n          name d\n");
    CHECK_STR(parsed("a - b - c"),
              "1:1 expression\n  binary -\n    binary -\n      name a\n      name b\n    name c\n");
    CHECK_STR(parsed("x[1:, None]"),
              "1:1 expression\n  subscript\n    name x\n    tuple\n      slice\n"
              "        from int 1\n        to nothing\n      None\n");
    CHECK_STR(parsed("f'a{x!r:>{w}}b' 'c'"),
              "1:1 expression\n  fstring\n    string \"a\"\n"
              "    format \"!r:>{w}\"\n      name x\n      string \">\"\n"
              "      format\n        name w\n    string \"bc\"\n");
    CHECK_STR(parsed("f'{x = }'"),
              "1:1 expression\n  fstring\n    string \"x = \"\n    format \"!r\"\n      name x\n");
    CHECK_STR(parsed("f'{{{x}}}'"), "1:1 expression\n  fstring\n    string \"{\"\n    format\n     "
                                    " name x\n    string \"}\"\n");
    CHECK_STR(parsed("'\\x41\\u00e9\\U0001F600\\101\\\n\\q' r'\\n'"),
              "1:1 expression\n  string \"A\xc3\xa9\xf0\x9f\x98\x80"
              "A\\\\q\\\\n\"\n");
    CHECK_STR(
        parsed("18446744073709551616; 0x7fffffffffffffff; 1_0"),
        "1:1 expression\n  int 18446744073709551616\n1:23 expression\n  int 0x7fffffffffffffff\n"
        "1:43 expression\n  int 1_0\n");
}

TEST(numbers_have_values) {
    Arena *a = arena_new(NULL);
    Diag diag = {.arena = a};
    static const struct {
        const char *text;
        int64_t value;
        bool too_large;
    } ints[] = {
        {"0", 0, false},
        {"0xff", 255, false},
        {"0b1_01", 5, false},
        {"0o17", 15, false},
        {"9_223_372_036_854_775_807", INT64_MAX, false},
        {"9223372036854775808", 0, true},
        {"0xffffffffffffffff", 0, true},
    };
    for (size_t i = 0; i < sizeof ints / sizeof *ints; i++) {
        Expr *expr = ast_parse_expr(a, source_new(a, STR("t"), str_of(ints[i].text)), &diag);
        CHECK(expr && expr->kind == EXPR_INT && expr->too_large == ints[i].too_large);
        CHECK(expr && (expr->too_large || expr->integer == ints[i].value));
    }
    Expr *real = ast_parse_expr(a, source_new(a, STR("t"), STR("1_0.5e-1")), &diag);
    CHECK(real && real->kind == EXPR_FLOAT && real->number == 1.05);
    CHECK(!ast_parse_expr(a, source_new(a, STR("t"), STR("1 +")), &diag));
    CHECK(!ast_parse_expr(a, source_new(a, STR("t"), STR("a b")), &diag));
    CHECK(!ast_parse_expr(a, source_new(a, STR("t"), STR("")), &diag));
    CHECK(diag.num_errors == 3);
    arena_free(a);
}

TEST(line_ends_and_marks) {
    const char *want = "1:1 if\n  name x\n  2:3 assign\n    name y\n    int 1\n3:1 assign\n  name "
                       "z\n  string \"a\\nb\"\n";
    CHECK_STR(parsed("if x:\n  y = 1\nz = '''a\nb'''\n"), want);
    CHECK_STR(parsed("if x:\r\n  y = 1\r\nz = '''a\r\nb'''\r\n"), want);
    CHECK_STR(parsed("if x:\n\n# c\n  y = 1\n\f\nz = (1,\n# c\n2)"),
              "1:1 if\n  name x\n  4:3 assign\n    name y\n    int 1\n6:1 assign\n  name z\n  "
              "tuple\n    int 1\n    int 2\n");
    CHECK_STR(parsed("\xef\xbb\xbfx"), "1:4 expression\n  name x\n");
    CHECK_STR(parsed(""), "");
    CHECK_STR(parsed("# only this"), "");
    CHECK_STR(parsed("x = 1 + \\\n 2"), "1:1 assign\n  name x\n  binary +\n    int 1\n    int 2\n");
    CHECK_STR(parsed("if x:\n\ty\n\tz\n"),
              "1:1 if\n  name x\n  2:2 expression\n    name y\n  3:2 expression\n    name z\n");
}

TEST(texts_that_end_early) {
    static const char *const names[] = {"r", "b", "f", "u", "rb", "bR", "fr", "Rf"};
    for (int i = 0; i < COUNT(names); i++) {
        char want[64];
        snprintf(want, sizeof want, "1:1 expression\n  name %s\n", names[i]);
        CHECK_STR(parsed(names[i]), want);
    }
    CHECK_STR(parsed("'a"), "1:1 error: the string is not closed on its line\n");
    CHECK_STR(parsed("'''a'"), "1:1 error: the triple-quoted string is never closed\n");
    CHECK_STR(parsed("'a\\\r\nb'"), "1:1 expression\n  string \"ab\"\n");
    CHECK_STR(parsed("'a\\\rb'"), "1:1 expression\n  string \"ab\"\n");
    CHECK_STR(parsed("b'\\x80\\377\\0'"), "1:1 expression\n  bytes \"\x80\xff\\x00\"\n");
}

TEST(bytes_that_are_no_text) {
    CHECK_STR(parsed_bytes("x = 1\0y", 7), "the source has a NUL byte\n");
    CHECK_STR(parsed("x = '\xff'"), "byte 0xff is not valid UTF-8\n");
    CHECK_STR(parsed("x = '\xc0\x80'"), "byte 0xc0 is not valid UTF-8\n");
    CHECK_STR(parsed("x = '\xed\xa0\x80'"), "byte 0xed is not valid UTF-8\n");
    CHECK_STR(parsed("x = '\xe2\x82"), "byte 0xe2 is not valid UTF-8\n");
    CHECK_STR(parsed("x \x01"), "1:1 error: control character U+0001 cannot stand here\n");
    /* The first and the last of each length, and what lies beside them. */
    static const struct {
        const char *bytes;
        bool valid;
    } rows[] = {
        {"~", true},
        {"\x80", false},
        {"\xbf", false},
        {"\xc1\xbf", false},
        {"\xc2\x7f", false},
        {"\xc2\x80", true},
        {"\xdf\xbf", true},
        {"\xdf\xc0", false},
        {"\xe0\x9f\xbf", false},
        {"\xe0\xa0\x80", true},
        {"\xe1\x80\x80", true},
        {"\xed\x9f\xbf", true},
        {"\xed\xa0\x80", false},
        {"\xee\x80\x80", true},
        {"\xef\xbf\xbf", true},
        {"\xe1\x80\x7f", false},
        {"\xe1\x7f\x80", false},
        {"\xf0\x8f\xbf\xbf", false},
        {"\xf0\x90\x80\x80", true},
        {"\xf1\x80\x80\x80", true},
        {"\xf4\x8f\xbf\xbf", true},
        {"\xf4\x90\x80\x80", false},
        {"\xf5\x80\x80\x80", false},
        {"\xf1\x80\x80", false},
        {"\xf1\x80\x80\xc0", false},
        {"\xff", false},
    };
    for (int i = 0; i < COUNT(rows); i++) {
        char text[32];
        snprintf(text, sizeof text, "'%s'", rows[i].bytes);
        const char *words = parsed(text);
        char first[40];
        snprintf(first, sizeof first, "byte 0x%02x is not valid UTF-8",
                 (unsigned char)rows[i].bytes[0]);
        CHECK(rows[i].valid == !strstr(words, first));
        if (rows[i].valid) CHECK(strstr(words, "string \"") && strstr(words, rows[i].bytes));
    }
    CHECK(strstr(parsed("\xc3\xa9t\xc3\xa9 = 1"), "name \xc3\xa9t\xc3\xa9"));
}

/* Quotes, spaces, arrows and signs that editors put where ASCII was meant: each range's ends, and
 * what lies beside them, as the second letter of a name. */
TEST(letters_that_no_name_has) {
    static const struct {
        uint32_t letter;
        bool fits;
    } rows[] = {
        {0x80, false},   {0xa9, false},    {0xaa, true},     {0xb5, true},    {0xb6, false},
        {0xb7, true},    {0xb8, false},    {0xba, true},     {0xbf, false},   {0xc0, true},
        {0xd6, true},    {0xd7, false},    {0xd8, true},     {0xf6, true},    {0xf7, false},
        {0xf8, true},    {0x1fff, true},   {0x2000, false},  {0x203e, false}, {0x203f, true},
        {0x2040, true},  {0x2041, false},  {0x2053, false},  {0x2054, true},  {0x206f, false},
        {0x2070, true},  {0x218f, true},   {0x2190, false},  {0x2bff, false}, {0x2c00, true},
        {0x2fff, true},  {0x3000, false},  {0x3004, false},  {0x3005, true},  {0x3007, true},
        {0x3008, false}, {0x3020, false},  {0x3021, true},   {0xd7ff, true},  {0xe000, false},
        {0xf8ff, false}, {0xf900, true},   {0xfefe, true},   {0xfeff, false}, {0xff00, true},
        {0xff01, false}, {0xff0f, false},  {0xff10, true},   {0xff19, true},  {0xff1a, false},
        {0xff20, false}, {0xff21, true},   {0xfffc, true},   {0xfffd, false}, {0x10000, true},
        {0x1efff, true}, {0x1f000, false}, {0x1faff, false}, {0x1fb00, true},
    };
    for (int i = 0; i < COUNT(rows); i++) {
        uint32_t c = rows[i].letter;
        char text[8] = "a", want[64];
        if (c < 0x800)
            text[1] = (char)(192 + c / 64), text[2] = (char)(128 + c % 64);
        else if (c < 0x10000)
            text[1] = (char)(224 + c / 4096), text[2] = (char)(128 + c / 64 % 64),
            text[3] = (char)(128 + c % 64);
        else
            text[1] = (char)(240 + c / 262144), text[2] = (char)(128 + c / 4096 % 64),
            text[3] = (char)(128 + c / 64 % 64), text[4] = (char)(128 + c % 64);
        snprintf(want, sizeof want, "1:1 expression\n  name %s\n", text);
        CHECK((strcmp(parsed(text), want) == 0) == rows[i].fits);
        snprintf(want, sizeof want, "(U+%04X) cannot stand here", (unsigned)c);
        CHECK((strstr(parsed(text), want) != NULL) == !rows[i].fits);
    }
}

TEST(limits) {
    CHECK(strstr(nested("(", 90, "x", ")"), "name x"));
    CHECK(strstr(nested("(", 5000, "x", ")"), "nested more than"));
    CHECK(strstr(nested("[", 100000, "", ""), "nested more than"));
    CHECK(strstr(nested("-", 5000, "x", ""), "nested more than"));
    CHECK(strstr(nested("not ", 5000, "x", ""), "nested more than"));
    CHECK(strstr(nested("lambda: ", 5000, "x", ""), "nested more than"));
    CHECK(strstr(nested("a if b else ", 5000, "x", ""), "nested more than"));
    CHECK(strstr(nested("2 ** ", 5000, "x", ""), "nested more than"));
    CHECK(strstr(nested("a + ", 900, "x", ""), "name x"));
    CHECK(strstr(nested("a + ", 5000, "x", ""), "in a chain"));
    CHECK(strstr(nested("a.", 5000, "x", ""), "in a chain"));
    CHECK(strstr(nested("", 5000, "x", "()"), "in a chain"));
    CHECK(strstr(nested("a, ", 5000, "x", ""), "name x"));
    CHECK(strstr(nested("f'{", 60, "x", "}'"), "nested more than"));
    CHECK(strstr(nested("if x: pass\nelif y: pass\n", 1, "elif z: pass\n", ""), "name z"));
    CHECK(strstr(nested("elif y: pass\n", 0, "if x: pass\n", "elif y: pass\n"), "name x"));
    Buf blocks = {.arena = arena_new(NULL)};
    for (int i = 0; i < 150; i++) {
        for (int k = 0; k < i; k++) buf_putc(&blocks, ' ');
        buf_puts(&blocks, "if x:\n");
    }
    CHECK(strstr(parsed(blocks.data), "blocks are nested more than"));
    Buf chain = {.arena = blocks.arena};
    buf_puts(&chain, "if x: pass\n");
    for (int i = 0; i < 3000; i++) buf_puts(&chain, "elif x: pass\n");
    CHECK(strstr(parsed(chain.data), "'elif' in a row"));
    arena_free(blocks.arena);
}

/* "LINE:COLUMN+LENGTH words" of the first complaint, or "" */
static const char *complaint(Arena *a, Str text) {
    Diag diag = {.arena = a};
    Ast *ast = ast_parse(a, source_new(a, STR("t"), text), &diag);
    Span span = {0};
    Str words = {0};
    for (int i = 0; i < ast->body.count && !span.source; i++)
        if (ast->body.stmts[i]->kind == STMT_ERROR)
            span = ast->body.stmts[i]->complaint_span, words = ast->body.stmts[i]->complaint;
    if (!span.source) return "";
    int line, column;
    source_position(span.source, span.start, &line, &column);
    return str_format(a, "%d:%d+%d %.*s", line, column, span.end - span.start, STR_ARG(words)).data;
}

/* open * n, middle, close * n */
static Str repeated(Arena *a, const char *open, const char *middle, const char *close, int n) {
    Buf text = {.arena = a};
    for (int k = 0; k < n; k++) buf_puts(&text, open);
    buf_puts(&text, middle);
    for (int k = 0; k < n; k++) buf_puts(&text, close);
    buf_putc(&text, '\n');
    return buf_str(&text);
}

/* Up to which depth each form is taken, and what is said, where, of the next one. */
TEST(limits_are_where_they_are) {
    static const struct {
        const char *open, *middle, *close;
        int most;
        const char *words;
    } rows[] = {
        {"(", "x", ")", 99, "1:101+1 expressions are nested more than 200 deep"},
        {"[", "x", "]", 99, "1:101+1 expressions are nested more than 200 deep"},
        {"{", "x", "}", 99, "1:101+1 expressions are nested more than 200 deep"},
        {"-", "x", "", 198, "1:200+1 expressions are nested more than 200 deep"},
        {"not ", "x", "", 198, "1:797+1 expressions are nested more than 200 deep"},
        {"lambda: ", "x", "", 198, "1:1593+1 expressions are nested more than 200 deep"},
        {"a if b else ", "x", "", 198, "1:2389+1 expressions are nested more than 200 deep"},
        {"2 ** ", "x", "", 198, "1:996+1 expressions are nested more than 200 deep"},
        {"f(", "x", ")", 99, "1:201+1 expressions are nested more than 200 deep"},
        {"x[", "y", "]", 99, "1:201+1 expressions are nested more than 200 deep"},
        {"a + ", "x", "", 1000, "1:1+4005 the expression has more than 1000 operations in a chain"},
        {"a * ", "x", "", 1000, "1:1+4005 the expression has more than 1000 operations in a chain"},
        {"a.", "x", "", 1000, "1:1+2003 the expression has more than 1000 operations in a chain"},
        {"", "x", "()", 1000, "1:1+2003 the expression has more than 1000 operations in a chain"},
        {"", "x", "[0]", 1000, "1:1+3004 the expression has more than 1000 operations in a chain"},
        {"f'{", "x", "}'", 50, "1:152+1 f-strings are nested more than 50 deep"},
        {"(a := ", "x", ")", 99, "1:596+1 expressions are nested more than 200 deep"},
        {"[*", "x", "]", 198, "1:399+1 expressions are nested more than 200 deep"},
        {"a and (", "x", ")", 99, "1:701+1 expressions are nested more than 200 deep"},
        {"lambda a=", "0", ": a", 198, "1:1792+1 expressions are nested more than 200 deep"},
        {"[a for b in c if ", "x", "]", 197, "1:3351+1 expressions are nested more than 200 deep"},
        {"[", "x", " for b in c]", 99, "1:101+1 expressions are nested more than 200 deep"},
        {"{a: ", "x", "}", 99, "1:398+1 expressions are nested more than 200 deep"},
    };
    for (int i = 0; i < COUNT(rows); i++) {
        Arena *a = arena_new(NULL);
        int low = 1, high = 1500; /* low is taken, high is not */
        while (high - low > 1) {
            int n = (low + high) / 2;
            Str text = repeated(a, rows[i].open, rows[i].middle, rows[i].close, n);
            *(*complaint(a, text) ? &high : &low) = n;
        }
        const char *words =
            complaint(a, repeated(a, rows[i].open, rows[i].middle, rows[i].close, high));
        if (low != rows[i].most) printf("\"%s\": %d\n", rows[i].open, low);
        CHECK(low == rows[i].most);
        CHECK_STR(words, rows[i].words);
        arena_free(a);
    }
}

/* One slip costs one statement. */
TEST(goes_on_after_an_error) {
    CHECK_STR(parsed("a = (1\nb = 2\ndef f():\n  x ==\n  y\nclass C: pass\n"),
              "1:1 error: expected ',' or ')' after the expression in parentheses, saw 'b'\n"
              "2:1 assign\n  name b\n  int 2\n3:1 error: expected an expression, saw newline\n6:1 "
              "class C\n  6:10 pass\n");
    CHECK_STR(parsed("x = '\ny = 1\n"),
              "1:1 error: the string is not closed on its line\n2:1 assign\n  name y\n  int 1\n");
    CHECK_STR(parsed("if x:\ny = 1\nelse:\n  z = 2\nw"),
              "1:1 error: expected an indented block after 'if' condition, saw 'y'\n2:1 assign\n  "
              "name y\n  int 1\n"
              "3:1 error: 'else' belongs to no statement before it\n5:1 expression\n  name w\n");
}

TEST(a_broken_kernel_is_an_error_at_once) {
    CHECK_STR(parsed("@triton.jit\ndef k(x:\n  pass\n"), "expected an expression, saw 'pass'\n");
    CHECK(strstr(parsed("def host(x:\n  pass\n"), "1:1 error: "));
    CHECK_STR(parsed("class A:\n  @jit\n  def k(x):\n    return = 1\n"),
              "expected an expression, saw '='\n");
    CHECK(strstr(parsed("@my_jitter\ndef k(x:\n  pass\n"), "1:1 error: "));
}

TEST_MAIN()
