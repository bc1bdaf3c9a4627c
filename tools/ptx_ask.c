// SPDX-License-Identifier: Apache-2.0
/* ptx_ask: does the simulator's reader take what NVIDIA's assembler takes?
 *
 *     ptx_ask PTXAS SEED COUNT FILE.ptx ..
 *
 * COUNT times one word, number or sign of one of the texts is left out, said twice, exchanged with
 * the next, with another of that text or with one of a list, and both are asked. Where they differ,
 * the changed line and what was said stand in the output: "takes" (the reader takes what ptxas
 * refuses) or "refuses" (what ptxas takes is not PTX to the reader; what is not supported does not
 * count). The last line is the count of each. TERN_KEEP_PTX=DIR makes texts of any command. */
#include "compile/compile.h"
#include "device/sim/sim.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_PIECES = 20000 };

/* What stands in PTX, but perhaps not in the text at hand. */
static const char *const others[] = {
    ".u8",     ".s8",      ".b8",        ".u16",     ".s16",       ".b16",
    ".f16",    ".bf16",    ".f16x2",     ".u32",     ".s32",       ".b32",
    ".f32",    ".u64",     ".s64",       ".b64",     ".f64",       ".pred",
    ".v2",     ".v4",      ".param",     ".reg",     ".align",     ".ptr",
    ".global", ".shared",  ".local",     ".const",   ".rn",        ".sat",
    ".ftz",    ".lo",      ".hi",        ".wide",    ".uni",       ".loc",
    ".pragma", ".func",    ".entry",     ".visible", "ret",        "exit",
    "bra",     "trap",     "call",       "nop",      "brkpt",      "pmevent",
    "0",       "1",        "-1",         "3",        "4",          "17",
    "256",     "0x10",     "0f3F800000", "1.5",      "4294967296", "99999999999999999999",
    "%tid.x",  "%clock64", "%warpid",    "WARP_SZ",  "_",          "L0:",
    "{",       "}",        "[",          "]",        "(",          ")",
    ";",       ",",        "+",          "-",        "!",          "|",
    "@",       "<1>",      "\"x\"",      ":",        "/* */",      "//\n",
    "$a",      "%",        ".",          "=",        "*",          "~"};

typedef struct Piece {
    int start, end;
} Piece;

static uint64_t state;

static int below(int count) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)count);
}

/* Words, numbers and signs, without what stands between them; the parts of a mnemonic each. */
static int pieces_of(const char *text, Piece *pieces) {
    int count = 0;
    for (int i = 0; text[i] && count < MOST_PIECES;) {
        int start = i++;
        if (isspace((unsigned char)text[start])) continue;
        if (!strncmp(&text[start], "//", 2)) {
            while (text[i] && text[i] != '\n') i++;
            continue;
        }
        if (isalnum((unsigned char)text[start]) || strchr(".%_$", text[start]))
            while (isalnum((unsigned char)text[i]) || text[i] == '_' || text[i] == '$') i++;
        pieces[count++] = (Piece){start, i};
    }
    return count;
}

/* Where the change stands: of the result. */
static Str change(Arena *arena, Str text, const Piece *pieces, int count, int *where) {
    int at = below(count - 1), kind = below(8);
    kind = kind > 5 ? 3 : kind;
    Piece one = pieces[at], next = pieces[at + 1], other = pieces[below(count)];
    for (int i = 0; i < 50 && kind == 3 && text.data[other.start] != text.data[one.start]; i++)
        other = pieces[below(count)]; /* of its kind: more of these texts are PTX */
    Str new = {text.data + other.start, other.end - other.start};
    Str old = {text.data + one.start, one.end - one.start};
    if (kind >= 4) new = str_of(others[below(COUNT(others))]);
    *where = one.start;
    switch (kind) {
    case 0: new = STR(""); break;
    case 1:
        new = str_format(arena, "%.*s%s%.*s", STR_ARG(old), *old.data == '.' ? "" : " ",
                         STR_ARG(old));
        break;
    case 2:
        new = str_format(arena, "%.*s%.*s%.*s", next.end - next.start, text.data + next.start,
                         next.start - one.end, text.data + one.end, STR_ARG(old));
        one.end = next.end;
        break;
    case 4: new = str_format(arena, "%.*s %.*s", STR_ARG(old), STR_ARG(new)); break;
    default: break;
    }
    return str_format(arena, "%.*s%.*s%s", one.start, text.data, STR_ARG(new), text.data + one.end);
}

typedef enum Answer { ASSEMBLES, IS_REFUSED, DIED } Answer;

static Answer takes(const char *ptxas, Str text, Str *said) {
    char path[] = "/tmp/ptx_ask.XXXXXX", command[256];
    static char words[512];
    int file = mkstemp(path);
    const char *target = strstr(text.data, ".target ");
    int length = target ? (int)strcspn(target + 8, ",\n \r/") : 0;
    bool fine = file >= 0 && write(file, text.data, (size_t)text.length) == text.length;
    close(file);
    for (int i = 0; i < length; i++)
        fine = fine && (isalnum((unsigned char)target[8 + i]) || target[8 + i] == '_');
    snprintf(command, sizeof command, "%s -arch=%.*s %s -o /dev/null 2>&1", ptxas, length,
             target ? target + 8 : "", path);
    words[0] = '\0';
    FILE *out = fine && length ? popen(command, "r") : NULL;
    if (out) words[fread(words, 1, sizeof words - 1, out)] = '\0';
    int status = out ? pclose(out) : -1;
    unlink(path);
    *said = str_of(words);
    return status == 0                                      ? ASSEMBLES
           : WIFEXITED(status) && WEXITSTATUS(status) < 128 ? IS_REFUSED
                                                            : DIED;
}

static void tell(const char *what, const char *file, Str text, int where, const char *said) {
    int start = where, end = where;
    while (start > 0 && text.data[start - 1] != '\n') start--;
    while (text.data[end] && text.data[end] != '\n') end++;
    printf("%s %s: %.*s\n    %.300s\n", what, file, end - start, text.data + start, said);
    fflush(stdout);
}

static Str read_whole(Arena *arena, const char *path) {
    FILE *file = fopen(path, "rb");
    Buf all = {.arena = arena};
    char part[4096];
    for (size_t n; file && (n = fread(part, 1, sizeof part, file)) > 0;)
        buf_add(&all, part, (int)n);
    if (file) fclose(file);
    buf_puts(&all, "");
    return buf_str(&all);
}

int main(int argc, char **argv) {
    if (argc < 5) return 2;
    static Piece pieces[MOST_PIECES];
    int asked = 0, taken = 0, wrongly_taken = 0, not_ptx = 0, wrongly_refused = 0;
    state = strtoull(argv[2], NULL, 10);
    for (int i = 0; i < atoi(argv[3]); i++) {
        Arena *arena = arena_new(NULL);
        const char *path = argv[4 + below(argc - 4)];
        Str text = read_whole(arena, path), said;
        int count = pieces_of(text.data, pieces), where = 0;
        if (count < 2) continue;
        Str changed = change(arena, text, pieces, count, &where);
        Diag diag = {.arena = arena};
        Buf out = {.arena = arena};
        bool fine = sim_parse(arena, changed, 0, &diag) != NULL;
        if (!fine) diag_print(&diag, false, &out);
        asked++;
        if (fine || !out.data || !strstr(out.data, "not supported")) {
            Answer answer = takes(argv[1], changed, &said);
            bool right = answer == ASSEMBLES;
            taken += fine, not_ptx += !fine;
            if (fine && answer == IS_REFUSED)
                wrongly_taken++, tell("takes", path, changed, where, said.data);
            if (!fine && right)
                wrongly_refused++, tell("refuses", path, changed, where, out.data ? out.data : "");
        }
        arena_free(arena);
    }
    printf("%d asked: %d taken, of which ptxas refuses %d; %d not PTX, of which ptxas takes %d\n",
           asked, taken, wrongly_taken, not_ptx, wrongly_refused);
    return wrongly_taken || wrongly_refused;
}
