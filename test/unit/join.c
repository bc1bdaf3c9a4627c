// SPDX-License-Identifier: Apache-2.0
/* Texts of kernels in one file of C: which names are told apart, and which tokens stay as they
 * are. */
#include "gen/c/join.h"
#include "test.h"

static const char first[] =
    "static const float table[4] = {1};\n"
    "/* help( */\n"
    "AI void help(L n) { vf32 x9; g.help = 1; help_er(inner(n)); }\n"
    "__attribute__((visibility(\"default\"))) int tern_kernel(UL a, vb v, v3 q, vz4 r, Wide z) {\n"
    "    return help(a) + t_add(T_X, m_y, u_z) + \"help(\\\"help\" + 'h' + x.table + vi64x + t + "
    "v;\n"
    "}\n"
    "AI int last(int (*inner)(int), int help[2]) { return table[help[0]] + M_Z + H2 + B16; }\n";

/* By hand, by the rule: what the file defines gets the kernel's name, what a prelude gives the
 * instruction set's; members, texts, comments and names of functions' insides stay. */
static const char first_joined[] =
    "static const float table_k_generic[4] = {1};\n"
    "/* help( */\n"
    "AI void help_k_generic(L_generic n) { vf32_generic x9; g.help = 1; help_er(inner(n)); }\n"
    "static int tern_kernel_k_generic(UL_generic a, vb_generic v, v3 q, vz4 r, Wide_generic z) {\n"
    "    return help_k_generic(a) + t_add_generic(T_X_generic, m_y_generic, u_z_generic) + "
    "\"help(\\\"help\" + 'h' + x.table + vi64x_generic + t + v;\n"
    "}\n"
    "AI int last_k_generic(int (*inner)(int), int help_k_generic[2]) { return "
    "table_k_generic[help_k_generic[0]] + M_Z + H2_generic + B16_generic; }\n";

static const char second[] = "static int help(UWide w) { return table(w); }\n";
static const char second_joined[] =
    "static int help_other_generic(UWide_generic w) { return table(w); }\n";

static int count_of(const char *text, const char *what) {
    int count = 0;
    for (const char *at = strstr(text, what); at; at = strstr(at + 1, what)) count++;
    return count;
}

TEST(names_of_two_kernels_are_told_apart) {
    Arena *arena = arena_new(NULL);
    Buf out = {.arena = arena};
    join_write(&out, "generic", 2, (JoinPart[]){{first, "k"}, {second, "other"}});
    const char *at = strstr(out.data, "static const float table");
    CHECK(at && at > out.data);
    if (at) {
        CHECK(!strncmp(at, first_joined, sizeof first_joined - 1));
        if (strncmp(at, first_joined, sizeof first_joined - 1)) CHECK_STR(at, first_joined);
        const char *then = strstr(at, "static int help");
        CHECK(then == at + sizeof first_joined - 1);
        CHECK(then && !strncmp(then, second_joined, sizeof second_joined - 1));
    }
    arena_free(arena);
}

/* Two files of one instruction set may follow each other: no macro is left but abi.h's. */
TEST(macros_end_with_their_part) {
    static const char *const sets[] = {
#define CPU(kind, name, ...) name,
#include "base/cpus.def"
    };
    for (int i = 0; i < COUNT(sets); i++) {
        Arena *arena = arena_new(NULL);
        Buf out = {.arena = arena};
        join_write(&out, sets[i], 1, (JoinPart[]){{first, "k"}});
        int macros = 0;
        for (const char *at = strstr(out.data, "#define "); at; at = strstr(at + 1, "#define ")) {
            char name[100], line[120];
            CHECK(sscanf(at, "#define %99[A-Za-z0-9_]", name) == 1);
            snprintf(line, sizeof line, "#undef %s\n", name);
            CHECK(count_of(out.data, line) == (strncmp(name, "TERN_", 5) != 0));
            macros++;
        }
        CHECK(macros > 10 && count_of(out.data, "#undef ") <= macros);
        CHECK(count_of(out.data, "tern_kernel_k_") == 1);
        arena_free(arena);
    }
}

TEST_MAIN()
