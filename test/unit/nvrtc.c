// SPDX-License-Identifier: Apache-2.0
/* One entry of a text of PTX, with what it names: the lines that stay are told by hand. */
#include "compile/nvrtc.h"
#include "test.h"

#define HEAD                                                                                       \
    ".version 8.0\n.target sm_90a\n.address_size 64\n"                                             \
    ".extern .func (.param .b32 r) vprintf(\n .param .b64 a\n)\n;\n"

static void keeps(const char *text, const char *entry, const char *want) {
    Arena *arena = arena_new(NULL);
    Str got = ptx_with_entry(arena, str_copy(arena, str_of(text)), str_of(entry));
    CHECK_STR(str_c(arena, got), want);
    arena_free(arena);
}

TEST(the_entry_that_was_asked_for) {
    static const char text[] = HEAD ".visible .entry k2(\n .param .u64 a\n)\n{\n ret;\n}\n"
                                    ".visible .entry k(\n .param .u64 a\n)\n{\n{\n ret;\n}\n}\n"
                                    ".weak .entry k_k(.param .u64 k_k_param_0)\n{\n trap;\n}\n";
    keeps(text, "k", HEAD ".visible .entry k(\n .param .u64 a\n)\n{\n{\n ret;\n}\n}\n");
    keeps(text, "k_k", HEAD ".weak .entry k_k(.param .u64 k_k_param_0)\n{\n trap;\n}\n");
    keeps(text, "k_", "");
    keeps(text, "_k", "");
    keeps("", "k", "");
}

TEST(braces_in_comments_are_of_no_body) {
    static const char other[] = ".visible .entry other()\n{\n// }\n mov.u32 %a, 1; // {\n}\n";
    static const char k[] = ".visible .entry k()\n{\n mov.u32 %a, 2/ 1; // }}\n// {{\n/// {\n"
                            " ret;\n}\n";
    char text[1000];
    snprintf(text, sizeof text, "%s%s%s", other, k, other);
    keeps(text, "k", k);
    snprintf(text, sizeof text, "%s%s%s", k, other, k);
    keeps(text, "other", other);
}

#define F  ".func (.param .b32 r) f(\n .param .b32 a\n)\n{\n ret;\n}\n"
#define FF ".func  f2()\n{\n mov.u64 %a, table;\n}\n"

static const char defined[] =
    HEAD ".global .align 4 .b8 table[4] = {1, 2, 3, 4};\n.const .align 4 .f32 one = 0f3F800000;\n"
         ".global .u32 last;\n.func f2()\n;\n" F FF;

/* What of `defined` stays with an entry of this body. */
static void stays(const char *body, const char *want) {
    char text[2000], wanted[2000];
    snprintf(text, sizeof text, "%s.entry k()\n{\n%s}\n", defined, body);
    snprintf(wanted, sizeof wanted, "%s%s.entry k()\n{\n%s}\n", HEAD, want, body);
    keeps(text, "k", wanted);
}

TEST(what_the_entry_names) {
    stays(" ret;\n", "");
    stays(" call (r), f, (a);\n", F);
    stays(" ld.const.f32 %f1, [one];\n", ".const .align 4 .f32 one = 0f3F800000;\n");
    stays(" st.global.u32 [last+4], %r1;\n", ".global .u32 last;\n");
    /* through a function that is called */
    stays(" call f2;\n", ".global .align 4 .b8 table[4] = {1, 2, 3, 4};\n.func f2()\n;\n" FF);
    /* parts of other names */
    stays(" mov.u32 %f, f_0;\n mov.u32 xf, a.f;\n mov.u32 lasting, $last;\n", "");
}

TEST(a_name_at_the_start_of_the_text) {
    keeps("\tf;\n" F ".entry k()\n{\n}\n", "k", "\tf;\n" F ".entry k()\n{\n}\n");
}

TEST_MAIN()
