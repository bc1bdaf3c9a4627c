// SPDX-License-Identifier: Apache-2.0
/* Rings: what the parser and the verifier refuse, in words, and what they must let stand. */
#include "ir/ir.h"
#include "test.h"
#include "ir_refusal.h"

typedef struct Row {
    const char *text, *want; /* want NULL: fine */
} Row;

/* Whole: the words are all that is said, for rows of the verifier. */
static void check(const char *text, const char *want, bool whole) {
    Arena *arena = arena_new(NULL);
    const char *why = ir_refusal(arena, text);
    bool right = !want ? !why : why && (whole ? !strcmp(why, want) : strstr(why, want) != NULL);
    if (!right) printf("%s\ngot '%s', want '%s'\n", text, why ? why : "nothing", want ? want : "");
    CHECK(right);
    arena_free(arena);
}

#define VALUES                                                                                     \
    "func @f(%x: ptr<f32>, %n: i32, %m: i32, %yes: i1, %long: i64) {\n"                            \
    "%c0 = constant 0 : i32\n%c1 = constant 1 : i32\n%c2 = constant 2 : i32\n"                     \
    "%c3 = constant 3 : i32\n%below = constant -1 : i32\n"                                         \
    "%v = poison : tile<8xf32>\n%w = poison : tile<4xi32>\n%k = poison : tile<8xi1>\n"             \
    "%p = poison : tile<8xptr<f32>>\n"
#define RING "%r = ring {stages = 2} : ring<tile<8xf32>, tile<4xi32>>\n"
#define END  "yield\n}\n"

#define FILL(turn)                                                                                 \
    "acquire %r, " turn "\nfill %r, " turn ", %p {part = 0}\nput %r, " turn ", %w {part = 1}\n"
#define READY(turn)   "ready %r, " turn "\n"
#define PEEK(turn)    "%t = peek %r, " turn " {part = 0} : tile<8xf32>\n"
#define RELEASE(turn) "release %r, " turn "\n"

static const Row types[] = {
    {"%r = ring {stages = 1} : ring<tile<8xf32>>", NULL},
    {"%r = ring {stages = 64} : ring<tile<8xf32>>", NULL},
    {"%r = ring {stages = 0} : ring<tile<8xf32>>", "ring: 0 stages, expected 1 to 64"},
    {"%r = ring {stages = 65} : ring<tile<8xf32>>", "ring: 65 stages, expected 1 to 64"},
    {"%r = ring {stages = 2} : tile<8xf32>", "ring: expected a ring, not tile<8xf32>"},
    {"%r = ring {stages = 2} : ring<tile<8xi1>>", "ring: part 0 is tile<8xi1>"},
    {"%r = ring {stages = 2} : ring<tile<8xi8>, tile<3xf32>>",
     "ring: dimension 0 of tile<3xf32> is not a power of two"},
    {"%r = ring {stages = 2, offset = 16} : ring<tile<8xf32>>", "ring: offset in program form"},
    {"%r = poison : ring<tile<8xf32>>", "poison: only 'ring' makes a ring"},
    {RING "fill_box %r, %c0, %c0, %c0 {part = 0, box = 0}",
     "fill_box: stands only in what becomes text"},
    {RING "%s = hint %r {kind = divisible, values = [1]} : ring<tile<8xf32>>",
     "hint: operand 0 is a ring"},
    {RING "%q = if %yes : ring<tile<8xf32>, tile<4xi32>> {\nyield %r\n} {\nyield %r\n}",
     "yield: operand 0 is a ring"},
    {RING "acquire %c0, %r", "acquire: operand 1 is a ring"},
    {"acquire %c0, %c0", "acquire: expected a ring, not i32"},
    {RING "acquire %r, %yes", "acquire: expected the number of a turn, i32 or i64, not i1"},
    {RING "acquire %r, %w", "acquire: expected the number of a turn, i32 or i64, not tile<4xi32>"},
    {RING "fill %r, %c0, %x {part = 0}", "fill: expected a tile of pointers, not ptr<f32>"},
    {RING "fill %r, %c0, %v {part = 0}", "fill: expected a tile of pointers, not tile<8xf32>"},
    {RING "fill %r, %c0, %p {part = 1}", "fill: tile<8xf32> for part 1, tile<4xi32>"},
    {RING "fill %r, %c0, %p {part = 2}", "fill: part 2 of ring<tile<8xf32>, tile<4xi32>>"},
    {RING "fill %r, %c0, %p {part = -1}", "fill: part -1 of ring<tile<8xf32>, tile<4xi32>>"},
    {RING "fill %r, %c0, %p, %yes {part = 0}",
     "fill: expected a mask of i1 for tile<8xptr<f32>>, not i1"},
    {RING "fill %r, %c0, %p, %v {part = 0}",
     "fill: expected a mask of i1 for tile<8xptr<f32>>, not tile<8xf32>"},
    {RING "fill %r, %c0, %p, %k, %w {part = 0}", "fill: tile<4xi32> for part 0, tile<8xf32>"},
    {RING "put %r, %c0, %v {part = 1}", "put: tile<8xf32> for part 1, tile<4xi32>"},
    {RING "%t = peek %r, %c0 {part = 1} : tile<8xf32>",
     "peek: tile<8xf32> for part 1, tile<4xi32>"},
    {RING "%t = peek %r, %c0 {part = 9} : tile<8xf32>",
     "peek: part 9 of ring<tile<8xf32>, tile<4xi32>>"},
};

static const Row texts[] = {
    {"%r = ring {stages = 2} : ring<i32>", "expected a tile"},
    {"%r = ring {stages = 2} : ring<>", "expected a tile"},
    {"%r = ring : ring<tile<8xf32>>", "attribute 'stages' is missing"},
    {"%r = ring {stages = 2} : ring<tile<8xi8>, tile<8xi8>, tile<8xi8>, tile<8xi8>, tile<8xi8>, "
     "tile<8xi8>, tile<8xi8>, tile<8xi8>, tile<8xi8>>",
     "ring has too many parts"},
    {"%q = poison : ptr<ring<tile<8xf32>>>", "pointer to a tile or ring"},
    {"%q = poison : tile<4xring<tile<8xf32>>>", "tile of tiles or rings"},
    {RING "acquire %r", "acquire: has 1 operands"},
    {RING "fill %r, %c0, %p", "attribute 'part' is missing"},
};

static const Row orders[] = {
    {FILL("%c0") READY("%c0") PEEK("%c0") RELEASE("%c0"), NULL},
    {"", NULL},
    /* acquire */
    {"acquire %r, %below\n", "acquire: turn -1 of ring %r is acquired: turns count from 0"},
    {FILL("%c0") "acquire %r, %c0\n", "acquire: turn 0 of ring %r is acquired twice"},
    {FILL("%c0") READY("%c0") RELEASE("%c0") "acquire %r, %c0\n",
     "acquire: turn 0 of ring %r is acquired twice"},
    {FILL("%c0") "acquire %r, %c2\n",
     "acquire: turn 2 of ring %r is acquired before turn 0, whose buffer it takes, is released"},
    {FILL("%c0") READY("%c0") FILL("%c1") "acquire %r, %c2\n",
     "acquire: turn 2 of ring %r is acquired before turn 0, whose buffer it takes, is released"},
    {FILL("%c0")
         READY("%c0") "if %yes {\n" RELEASE("%c0") "yield\n} {\nyield\n}\nacquire %r, %c2\n",
     "acquire: turn 2 of ring %r is acquired before turn 0, whose buffer it takes, is released on "
     "each path"},
    {FILL("%c0") READY("%c0") "if %yes {\n" RELEASE("%c0") "yield\n} {\n" RELEASE(
         "%c0") "yield\n}\n" FILL("%c2") READY("%c2") RELEASE("%c2"),
     NULL},
    {FILL("%n") "%a = add %n, %c2 : i32\nacquire %r, %a\n",
     "acquire: turn %n + 2 of ring %r is acquired before turn %n, whose buffer it takes, is "
     "released"},
    {FILL("%n") "%a = sub %n, %c1 : i32\n%b = add %c3, %a : i32\nacquire %r, %b\n",
     "acquire: turn %n + 2 of ring %r is acquired before turn %n, whose buffer it takes, is "
     "released"},
    /* fill, put */
    {"fill %r, %c0, %p {part = 0}\n", "fill: turn 0 of ring %r is filled before it is acquired"},
    {"put %r, %n, %w {part = 1}\n", "put: turn %n of ring %r is filled before it is acquired"},
    {"acquire %r, %c0\nfill %r, %c1, %p {part = 0}\n",
     "fill: turn 1 of ring %r is filled before it is acquired"},
    {"if %yes {\nacquire %r, %c0\nyield\n} {\nyield\n}\nfill %r, %c0, %p {part = 0}\n",
     "fill: turn 0 of ring %r is filled, but not acquired on each path"},
    {FILL("%c0") READY("%c0") "fill %r, %c0, %p {part = 0}\n",
     "fill: turn 0 of ring %r is filled after it is made ready"},
    {FILL("%c0") "fill %r, %c0, %p {part = 0}\n",
     "fill: turn 0 of ring %r is filled, but part 0 of it was filled before"},
    {FILL("%c0") "put %r, %c0, %v {part = 0}\n",
     "put: turn 0 of ring %r is filled, but part 0 of it was filled before"},
    {"acquire %r, %c0\nif %yes {\nfill %r, %c0, %p {part = 0}\nyield\n} {\nyield\n}\n"
     "fill %r, %c0, %p {part = 0}\n",
     "fill: turn 0 of ring %r is filled, but part 0 of it was filled before"},
    /* ready */
    {READY("%c0") RELEASE("%c0"), "ready: turn 0 of ring %r is made ready, but was never filled"},
    {"acquire %r, %c0\n" READY("%c0") RELEASE("%c0"),
     "ready: turn 0 of ring %r is made ready, but part 0 was never filled"},
    {"acquire %r, %n\nfill %r, %n, %p {part = 0}\n" READY("%n") RELEASE("%n"),
     "ready: turn %n of ring %r is made ready, but part 1 was never filled"},
    {"acquire %r, %c0\nput %r, %c0, %w {part = 1}\nif %yes {\nput %r, %c0, %v {part = 0}\nyield\n}"
     " {\nyield\n}\n" READY("%c0") RELEASE("%c0"),
     "ready: turn 0 of ring %r is made ready, but part 0 is not filled on each path"},
    {"acquire %r, %c0\nput %r, %c0, %w {part = 1}\nif %yes {\nput %r, %c0, %v {part = 0}\nyield\n}"
     " {\nfill %r, %c0, %p {part = 0}\nyield\n}\n" READY("%c0") RELEASE("%c0"),
     NULL},
    {FILL("%c0") READY("%c0") READY("%c0") RELEASE("%c0"),
     "ready: turn 0 of ring %r is made ready twice"},
    {FILL("%c0") READY("%c0") RELEASE("%c0") READY("%c0"),
     "ready: turn 0 of ring %r is made ready twice"},
    {"if %yes {\n" FILL("%c0") "yield\n} {\nyield\n}\n" READY("%c0") RELEASE("%c0"), NULL},
    /* peek, and what is done with the tile */
    {PEEK("%c0"), "peek: turn 0 of ring %r is peeked before it is ready"},
    {FILL("%c0") PEEK("%c0"), "peek: turn 0 of ring %r is peeked before it is ready"},
    {FILL("%c0") READY("%c0") RELEASE("%c0") PEEK("%c0"),
     "peek: turn 0 of ring %r is peeked after it is released"},
    {FILL("%c0") "if %yes {\n" READY("%c0") "yield\n} {\nyield\n}\n" PEEK("%c0") RELEASE("%c0"),
     "peek: turn 0 of ring %r is peeked, but not ready on each path"},
    {FILL("%c0") READY("%c0") PEEK("%c0") RELEASE("%c0") "%u = fadd %v, %t : tile<8xf32>\n",
     "fadd: turn 0 of ring %r is read after it is released"},
    {FILL("%c0") READY("%c0") PEEK("%c0") "%q = reshape %t : tile<2x4xf32>\n" RELEASE(
         "%c0") "%u = trans %q {order = [1, 0]} : tile<4x2xf32>\n",
     "trans: turn 0 of ring %r is read after it is released"},
    {FILL("%c0") READY("%c0") PEEK("%c0") "%u = fadd %v, %t : tile<8xf32>\n" RELEASE(
         "%c0") "%q = fadd %u, %u : tile<8xf32>\n",
     NULL},
    {FILL("%c0") READY("%c0") PEEK("%c0") "%u = if %yes : tile<8xf32> {\nyield %t\n} {\nyield %v\n"
                                          "}\n" RELEASE("%c0"),
     "yield: carries a tile that is peeked, which stays in its ring"},
    {FILL("%c0") READY("%c0") PEEK("%c0") "%u = for %c0, %n, %c1, %t : tile<8xf32> (%i: i32, "
                                          "%z: tile<8xf32>) {\nyield %v\n}\n" RELEASE("%c0"),
     "for: carries a tile that is peeked, which stays in its ring"},
    /* release */
    {RELEASE("%c0"), "release: turn 0 of ring %r is released before it is ready"},
    {FILL("%c0") RELEASE("%c0"), "release: turn 0 of ring %r is released before it is ready"},
    {FILL("%c0") READY("%c0") RELEASE("%c0") RELEASE("%c0"),
     "release: turn 0 of ring %r is released twice"},
    {FILL("%c0") "if %yes {\n" READY("%c0") "yield\n} {\nyield\n}\n" RELEASE("%c0"),
     "release: turn 0 of ring %r is released, but not ready on each path"},
    {RELEASE("%below"), NULL},
    /* the end */
    {FILL("%c0"), "ring: turn 0 of ring %r is filled, but never made ready"},
    {"acquire %r, %c0\n", "ring: turn 0 of ring %r is acquired, but never made ready"},
    {FILL("%c0") FILL("%c1") READY("%c0") RELEASE("%c0"),
     "ring: turn 1 of ring %r is filled, but never made ready"},
    {FILL("%c0") READY("%c0"), "ring: turn 0 of ring %r is never released"},
    {FILL("%c0") READY("%c0") "if %yes {\n" RELEASE("%c0") "yield\n} {\nyield\n}\n",
     "ring: turn 0 of ring %r is not released on each path"},
    {"for %c0, %n, %c1 (%i: i32) {\n%o = mul %i, %m : i32\n" FILL("%o") "yield\n}\n",
     "ring: what ring %r is filled with is never made ready"},
    {"for %c0, %n, %c1 (%i: i32) {\n%o = mul %i, %m : i32\n" FILL("%o") READY("%o") "yield\n}\n",
     "ring: ring %r is never released"},
};

/* A loop over %i with the ops in it, and over %turn, which goes from 0 to %next. */
#define FOR "for %c0, %n, %c1 (%i: i32) {\n"
#define FORT                                                                                       \
    "%last = for %c0, %n, %c1, %c0 : i32 (%i: i32, %turn: i32) {\n%next = add %turn, %c1 : i32\n"
#define DONE "yield\n}\n"
#define NEXT "yield %next\n}\n"

static const Row loops[] = {
    {FOR FILL("%i") READY("%i") RELEASE("%i") DONE, NULL},
    {FORT FILL("%turn") READY("%turn") RELEASE("%turn") NEXT, NULL},
    /* the next is filled before this is read */
    {FILL("%c0") FOR "%a = add %i, %c1 : i32\n" FILL("%a") READY("%i") RELEASE("%i")
         DONE READY("%n") RELEASE("%n"),
     NULL},
    {FILL("%c0") FORT FILL("%next") READY("%turn") RELEASE("%turn") NEXT READY("%last")
         RELEASE("%last"),
     NULL},
    {FILL("%c0") FORT FILL("%next") READY("%turn") RELEASE("%turn") NEXT,
     "ring: turn %last of ring %r is filled, but never made ready"},
    {FILL("%c0") FORT FILL("%next") READY("%turn") RELEASE("%turn") NEXT READY("%last"),
     "ring: turn %last of ring %r is never released"},
    {FILL("%c0") FORT READY("%turn") PEEK("%next") RELEASE("%turn") FILL("%next") NEXT,
     "peek: turn %turn + 1 of ring %r is peeked before it is ready"},
    /* found in the second turn of the loop, in the third */
    {FORT "acquire %r, %c0\n" NEXT, "acquire: turn 0 of ring %r is acquired twice"},
    {FORT FILL("%turn") NEXT,
     "acquire: turn %turn of ring %r is acquired before turn %turn - 2, whose buffer it takes, is "
     "released"},
    {FORT FILL("%turn") READY("%turn") NEXT,
     "acquire: turn %turn of ring %r is acquired before turn %turn - 2, whose buffer it takes, is "
     "released"},
    {FOR FILL("%i") READY("%i") "if %yes {\n" RELEASE("%i") "yield\n} {\nyield\n}\n" DONE,
     "acquire: turn %i of ring %r is acquired before turn %i - 2, whose buffer it takes, is "
     "released on each path"},
    /* constant bounds: as often as they say */
    {"for %c0, %c2, %c1 (%i: i32) {\n" FILL("%i") "yield\n}\n" READY("%c0") RELEASE("%c0")
         READY("%c1") RELEASE("%c1"),
     NULL},
    {"for %c0, %c3, %c1 (%i: i32) {\n" FILL("%i") "yield\n}\n",
     "acquire: turn %i of ring %r is acquired before turn %i - 2, whose buffer it takes, is "
     "released"},
    {"for %c0, %c2, %c1 (%i: i32) {\n" FILL("%i") "yield\n}\n" READY("%c0") RELEASE("%c0"),
     "ring: turn 1 of ring %r is filled, but never made ready"},
    {"for %c2, %c0, %below (%i: i32) {\n" FILL("%i") "yield\n}\n" READY("%c1") RELEASE("%c1")
         READY("%c2") RELEASE("%c2"),
     NULL},
    {"for %c2, %c2, %c1 (%i: i32) {\n" FILL("%i") READY("%i") "yield\n}\n",
     "ring: ring %r is never released"},
    /* released a turn late: turn -1 never was */
    {FORT FILL("%turn") READY("%turn") "%b = sub %turn, %c1 : i32\n" RELEASE("%b") NEXT
     "%l = sub %last, %c1 : i32\n" RELEASE("%l"),
     NULL},
    {FORT FILL("%turn") READY("%turn") "%b = sub %turn, %c1 : i32\n" RELEASE("%b") NEXT,
     "ring: turn %last - 1 of ring %r is not released on each path"},
    {"%last = for %c0, %n, %c1, %m : i32 (%i: i32, %turn: i32) {\n%next = add %turn, %c1 : i32\n"
     "%b = sub %turn, %c1 : i32\n" FILL("%turn") READY("%turn") RELEASE("%b") NEXT,
     "release: turn %turn - 1 of ring %r is released before it is ready"},
    /* a turn whose number is not told: what is wrong for each is found, the rest is let stand */
    {FOR "%o = mul %i, %m : i32\n" FILL("%o") READY("%o") RELEASE("%o") DONE, NULL},
    {FOR "%o = mul %i, %m : i32\n" FILL("%o") RELEASE("%o") READY("%o") DONE,
     "release: turn %o of ring %r is released before it is ready"},
    {FILL("%n") READY("%m") RELEASE("%n"), NULL},
    {FILL("%n") READY("%m") RELEASE("%m") RELEASE("%n"), NULL},
    /* while */
    {"%last = while %c0 : i32 (%turn: i32) {\n%go = icmp %turn, %n {predicate = slt} : i1\n"
     "yield %go, %turn\n} (%t: i32) {\n%next = add %t, %c1 : i32\n" FILL("%t") READY("%t")
         RELEASE("%t") "yield %next\n}\n",
     NULL},
    {"%last = while %c0 : i32 (%turn: i32) {\n%go = icmp %turn, %n {predicate = slt} : i1\n"
     "yield %go, %turn\n} (%t: i32) {\n%next = add %t, %c1 : i32\n" FILL("%t")
         READY("%t") "yield %next\n}\n",
     "acquire: turn %t of ring %r is acquired before turn %t - 2, whose buffer it takes, is "
     "released"},
    {FILL("%c0") "%last = while %c0 : i32 (%turn: i32) {\n"
                 "%go = icmp %turn, %n {predicate = slt} : i1\n"
                 "yield %go, %turn\n} (%t: i32) {\n%next = add %t, %c1 : i32\n" FILL("%next")
                     READY("%t") RELEASE("%t") "yield %next\n}\n",
     "ring: turn %last of ring %r is filled, but never made ready"},
    /* loops in loops, one count of turns through both */
    {"%all = for %c0, %n, %c1, %c0 : i32 (%i: i32, %first: i32) {\n%last = for %c0, %m, %c1, "
     "%first : i32 (%j: i32, %turn: i32) {\n%next = add %turn, %c1 : i32\n" FILL("%turn")
         READY("%turn") RELEASE("%turn") "yield %next\n}\nyield %last\n}\n",
     NULL},
    {"%all = for %c0, %n, %c1, %c0 : i32 (%i: i32, %first: i32) {\n%last = for %c0, %m, %c1, "
     "%first : i32 (%j: i32, %turn: i32) {\n%next = add %turn, %c1 : i32\n" FILL("%turn")
         READY("%turn") "yield %next\n}\nyield %last\n}\n",
     "acquire: turn %turn of ring %r is acquired before turn %turn - 2, whose buffer it takes, is "
     "released"},
    /* in 64 bits, the count of a loop in 32 */
    {FOR "%o = ext_s %i : i64\n" FILL("%i") READY("%o") RELEASE("%o") DONE, NULL},
    {FOR "%o = ext_s %i : i64\n" FILL("%i") RELEASE("%o") DONE,
     "release: turn %i of ring %r is released before it is ready"},
};

static void check_rows(const char *before, const Row *rows, int count, bool whole) {
    Arena *arena = arena_new(NULL);
    for (int i = 0; i < count; i++)
        check(str_format(arena, "%s%s\n%s", before, rows[i].text, END).data, rows[i].want, whole);
    arena_free(arena);
}

TEST(types_of_rings_are_checked) {
    check(VALUES END, NULL, true); /* else the rows would prove nothing */
    check_rows(VALUES, types, COUNT(types), true);
    check_rows(VALUES, texts, COUNT(texts), false);
    check("func @f(%r: ring<tile<8xf32>>) {\nyield\n}", "only 'ring' makes a ring", true);
}

TEST(ops_on_a_turn_are_in_order) { check_rows(VALUES RING, orders, COUNT(orders), true); }

TEST(loops_are_followed_turn_by_turn) { check_rows(VALUES RING, loops, COUNT(loops), true); }

#define PLACES                                                                                     \
    "#0 = {reg = [], lane = [1, 2, 4, 8, 16], warp = []}\n"                                        \
    "#1 = shared {offset = [1, 2, 4, 8, 16], vector = 0}\n"                                        \
    "#2 = {reg = [], lane = [2, 1, 4, 8, 16], warp = []}\n"                                        \
    "func @f(%yes: i1) {num_warps = 1, num_stages = 3, form = placed, target = \"sm_80\"} {\n"     \
    "%c0 = constant 0 : i32\n%v = poison : tile<32xf32, #0>\n%p = poison : tile<32xptr<f32>, #0>"  \
    "\n%k = poison : tile<32xi1, #2>\n"
#define SHARED(name, offset) "%" name " = ring {stages = 2" offset "} : ring<tile<32xf32, #1>>\n"
#define USE(name)                                                                                  \
    "acquire %" name ", %c0\nput %" name ", %c0, %v {part = 0}\nready %" name ", %c0\n"            \
    "release %" name ", %c0\n"

/* Through 128 bytes of scratch. */
#define GATHER(from, wait)                                                                         \
    "%i = poison : tile<32xi32, #0>\n%g = gather %v, %i {axis = 0, scratch = [" from               \
    "], wait = [" wait "]} : tile<32xf32, #0>\n"

static const Row placed[] = {
    {SHARED("r", "") USE("r"), NULL},
    /* scratch where a ring is */
    {SHARED("r", "") GATHER("256", "0") USE("r"), NULL},
    {SHARED("r", "") GATHER("0", "0") USE("r"),
     "gather: scratch from byte 0 on is that of ring %r too"},
    {SHARED("r", "") GATHER("240", "0") USE("r"),
     "gather: scratch from byte 240 on is that of ring %r too"},
    {SHARED("r", ", offset = 256") GATHER("128", "0") USE("r"), NULL},
    {SHARED("r", ", offset = 256") GATHER("144", "0") USE("r"),
     "gather: scratch from byte 144 on is that of ring %r too"},
    {SHARED("r", "") "if %yes {\n" GATHER("128", "1") "yield\n} {\nyield\n}\n" USE("r"),
     "gather: scratch from byte 128 on is that of ring %r too"},
    {GATHER("0", "0") SHARED("r", "") USE("r"), NULL},
    {SHARED("r", "") USE("r") GATHER("0", "1"), NULL},
    {SHARED("r", "") USE("r") GATHER("0", "0"),
     "gather: scratch [0, 128) may still be read: nobody waited since"},
    {SHARED("r", "") "acquire %r, %c0\nfill %r, %c0, %p {part = 0}\nready %r, %c0\n"
                     "%t = peek %r, %c0 {part = 0} : tile<32xf32, #1>\n"
                     "%u = convert %t : tile<32xf32, #0>\nrelease %r, %c0\n"
                     "%w = fadd %u, %u : tile<32xf32, #0>\n",
     NULL},
    {"%r = ring {stages = 2} : ring<tile<32xf32>>", "ring: tile<32xf32> has no place"},
    {"%r = ring {stages = 2} : ring<tile<32xf32, #0>>",
     "ring: part 0, tile<32xf32, #0>, is not in shared memory"},
    {"%r = ring {stages = 2} : ring<tile<16xf32, #1>>",
     "ring: #1 has 32 lanes, not those of tile<16xf32, #1>"},
    {SHARED("r", "") "%t = peek %r, %c0 {part = 0} : tile<32xf32, #0>",
     "peek: types differ: tile<32xf32, #0> and tile<32xf32, #1>"},
    {SHARED("r", "") "fill %r, %c0, %p, %k {part = 0}",
     "fill: places differ: tile<32xptr<f32>, #0> and tile<32xi1, #2>"},
    {SHARED("r", "") "acquire %r, %c0\nfill %r, %c0, %p {part = 0}\nready %r, %c0\n"
                     "%t = peek %r, %c0 {part = 0} : tile<32xf32, #1>\n"
                     "%u = fadd %t, %t : tile<32xf32, #1>\n",
     "fadd: tile<32xf32, #1> is in shared memory"},
    {"%t = convert %v : tile<32xf32, #1>",
     "convert: to shared memory, where only the tiles of rings are"},
    {SHARED("r", ", offset = 8"), "ring: offset 8 is not a multiple of 16"},
    {SHARED("r", ", offset = -16"), "ring: offset -16 is not a multiple of 16"},
    {SHARED("r", ", offset = 166656"), NULL},
    {SHARED("r", ", offset = 166672"),
     "ring: 256 bytes from byte 166672 on; sm_80 has 166912 of shared memory"},
    {SHARED("r", ", offset = 9223372036854775792"),
     "ring: 256 bytes from byte 9223372036854775792 on; sm_80 has 166912 of shared memory"},
    /* bytes in use twice at a time */
    {SHARED("r", "") SHARED("s", ", offset = 256") USE("r") USE("s"), NULL},
    {SHARED("r", "") SHARED("s", ", offset = 240") USE("r") USE("s"),
     "ring: bytes 240 to 495 are those of ring %r too, which is still in use"},
    {SHARED("s", ", offset = 240") SHARED("r", "") USE("r") USE("s"),
     "ring: bytes 0 to 255 are those of ring %s too, which is still in use"},
    {SHARED("r", "") USE("r") SHARED("s", ", offset = 240") USE("s"), NULL},
    {SHARED("r", "") "if %yes {\n" USE("r") SHARED("s", "") USE("s") "yield\n} {\nyield\n}\n",
     "ring: bytes 0 to 255 are those of ring %r too, which is still in use"},
    {"if %yes {\n" SHARED("r", "") USE("r") "yield\n} {\n" SHARED("s", "") USE("s") "yield\n}\n",
     NULL},
};

TEST(placed_rings_lie_in_shared_memory) { check_rows(PLACES, placed, COUNT(placed), true); }

#define PRODUCTS                                                                                   \
    "#0 = {reg = [128], lane = [1, 2, 4, 8, 16], warp = [32, 64]}\n"                               \
    "#1 = shared {offset = [1, 2, 4, 8, 16, 32, 64, 128], vector = 0}\n"                           \
    "#2 = {reg = [], lane = [1, 2, 4, 8, 16], warp = [32, 64]}\n"                                  \
    "#3 = shared {offset = [1, 2, 4, 8, 16, 32, 64], vector = 0}\n"                                \
    "#4 = {reg = [1, 64], lane = [2, 4, 8, 16, 32], warp = [0, 0]}\n"                              \
    "func @f() {num_warps = 4, num_stages = 3, form = placed, target = \"sm_90a\"} {\n"            \
    "%n = constant 0 : i32\n%ra = poison : tile<16x16xf16, #0>\n"                                  \
    "%rb = poison : tile<16x8xf16, #2>\n%acc = poison : tile<16x8xf32, #4>\n"
/* a and b are put into a ring and peeked as %a, %b. */
#define OF(a, in_registers_a, b, in_registers_b)                                                   \
    "%r = ring {stages = 1} : ring<" a ", " b ">\n%va = poison : " in_registers_a "\n"             \
    "%vb = poison : " in_registers_b "\nacquire %r, %n\nput %r, %n, %va {part = 0}\n"              \
    "put %r, %n, %vb {part = 1}\nready %r, %n\n%a = peek %r, %n {part = 0} : " a "\n"              \
    "%b = peek %r, %n {part = 1} : " b "\n"
#define OF_F16                                                                                     \
    OF("tile<16x16xf16, #1>", "tile<16x16xf16, #0>", "tile<16x8xf16, #3>", "tile<16x8xf16, #2>")
#define DOT(operands) DOT_BY(operands, "unit = mma")
#define DOT_BY(operands, attributes)                                                               \
    "%d = dot " operands " {" attributes "} : tile<16x8xf32, #4>\nrelease %r, %n\n"

static const Row products[] = {
    {OF_F16 DOT("%a, %b, %acc"), NULL},
    {OF_F16 DOT("%ra, %b, %acc"), NULL},
    {OF_F16 DOT("%ra, %rb, %acc"), NULL},
    {OF_F16 DOT_BY("%ra, %rb, %acc", "unit = fma"), NULL},
    {OF_F16 DOT_BY("%a, %b, %acc", "unit = fma"),
     "dot: fma multiplies what is in registers, not tile<16x16xf16, #1>"},
    {OF_F16 DOT_BY("%ra, %b, %acc", "unit = fma"),
     "dot: fma multiplies what is in registers, not tile<16x8xf16, #3>"},
    {OF_F16 DOT_BY("%a, %b, %acc", "unit = none"),
     "dot: unit is missing: placed form says who multiplies"},
    {OF_F16 DOT("%a, %rb, %acc"), "dot: a is in shared memory and b, tile<16x8xf16, #2>, is not"},
    {OF_F16 "release %r, %n\n%d = dot %a, %b, %acc {unit = mma} : tile<16x8xf32, #4>\n",
     "dot: turn 0 of ring %r is read after it is released"},
    {OF("tile<16x16xf32, #1>", "tile<16x16xf32, #0>", "tile<16x8xf32, #3>", "tile<16x8xf32, #2>")
         DOT("%a, %b, %acc"),
     "dot: mma of sm_90a does not take tile<16x16xf32, #1> x tile<16x8xf32, #3> + "
     "tile<16x8xf32, #4>"},
    {OF("tile<16x16xf32, #1>", "tile<16x16xf32, #0>", "tile<16x8xf32, #3>", "tile<16x8xf32, #2>")
         DOT_BY("%a, %b, %acc", "precision = tf32, unit = mma"),
     NULL},
    {OF("tile<16x16xi8, #1>", "tile<16x16xi8, #0>", "tile<16x8xi8, #3>",
        "tile<16x8xi8, #2>") "%s = poison : tile<16x8xi32, #4>\n%d = dot %a, %b, %s "
                             "{unit = mma} : tile<16x8xi32, #4>\n"
                             "release %r, %n\n",
     "dot: mma takes at least 16x32 by 32x8, without a batch, not tile<16x16xi8, #1> x "
     "tile<16x8xi8, #3>"},
    {OF("tile<8x16xf16, #3>", "tile<8x16xf16, #2>", "tile<16x16xf16, #1>",
        "tile<16x16xf16, #0>") "%s = poison : tile<8x16xf32, #2>\n%d = dot %a, %b, %s "
                               "{unit = mma} : tile<8x16xf32, #2>\n"
                               "release %r, %n\n",
     "dot: mma takes at least 16x16 by 16x8, without a batch, not tile<8x16xf16, #3> x "
     "tile<16x16xf16, #1>"},
    {OF("tile<1x16x16xf16, #1>", "tile<1x16x16xf16, #0>", "tile<1x16x8xf16, #3>",
        "tile<1x16x8xf16, #2>") "%s = poison : tile<1x16x8xf32, #2>\n%d = dot %a, %b, %s "
                                "{unit = mma} : tile<1x16x8xf32, #2>\n"
                                "release %r, %n\n",
     "dot: mma takes at least 16x16 by 16x8, without a batch, not tile<1x16x16xf16, #1> x "
     "tile<1x16x8xf16, #3>"},
    {OF_F16 "%s = convert %a : tile<16x16xf16, #0>\n%d = dot %s, %b, %acc {unit = mma} : "
            "tile<16x8xf32, #4>\nrelease %r, %n\n",
     NULL},
};

TEST(products_read_tiles_where_they_lie) { check_rows(PRODUCTS, products, COUNT(products), true); }

/* Much text is given up on, not looked at for ever; each ring is fine, or said to be. */
TEST(loops_in_loops_end) {
    Arena *arena = arena_new(NULL);
    Buf text = {.arena = arena};
    buf_puts(&text, VALUES RING);
    for (int i = 0; i < 40; i++)
        buf_printf(&text, "for %%c0, %%n, %%c1 (%%i%d: i32) {\n%%a%d = add %%i%d, %%m : i32\n", i,
                   i, i);
    buf_puts(&text, FILL("%a39") READY("%a39") RELEASE("%a39"));
    for (int i = 0; i < 40; i++) buf_puts(&text, "yield\n}\n");
    buf_puts(&text, END);
    check(text.data, NULL, true);
    Buf many = {.arena = arena};
    buf_puts(&many, VALUES);
    for (int i = 0; i < 65; i++)
        buf_printf(&many, "%%r%d = ring {stages = 1} : ring<tile<8xf32>>\n", i);
    buf_puts(&many, END);
    check(many.data, "ring: more than 64 rings in a function", true);
    arena_free(arena);
}

/* The label of a value is the one that the text has. */
TEST(values_are_named_as_they_print) {
    Arena *arena = arena_new(NULL);
    check("func @f(%n: i32) {\n%0 = constant 0 : i32\n%1 = add %n, %n : i32\n"
          "%2 = ring {stages = 1} : ring<tile<8xf32>>\n%n.1 = add %n, %1 : i32\n"
          "acquire %2, %n.1\nyield\n}",
          "ring: turn %n.1 of ring %2 is acquired, but never made ready", true);
    arena_free(arena);
}

/* A ring that is filled two turns ahead; where `commit` stands, and how many groups may be under
 * way. */
static const char *groups(Arena *arena, const char *first, const char *in_arm, const char *behind,
                          const char *ready) {
    return str_format(
               arena,
               "#0 = {reg = [], lane = [1, 2, 4, 8, 16], warp = []}\n"
               "#1 = shared {offset = [1, 2, 4, 8, 16], vector = 0}\n"
               "func @f(%%x: ptr<f32>, %%n: i32) {num_warps = 1, num_stages = 3, form = placed, "
               "target = \"sm_90a\"} {\n"
               "%%c0 = constant 0 : i32\n%%c1 = constant 1 : i32\n%%c2 = constant 2 : i32\n"
               "%%p = splat %%x : tile<32xptr<f32>, #0>\n"
               "%%r = ring {stages = 3} : ring<tile<32xf32, #1>>\n"
               "%%a = icmp %%c0, %%n {predicate = slt} : i1\n"
               "if %%a {\nacquire %%r, %%c0\nfill %%r, %%c0, %%p {part = 0}\nyield\n} {\nyield\n}\n"
               "%s%%b = icmp %%c1, %%n {predicate = slt} : i1\n"
               "if %%b {\nacquire %%r, %%c1\nfill %%r, %%c1, %%p {part = 0}\nyield\n} {\nyield\n}\n"
               "commit\nfor %%c0, %%n, %%c1 (%%i: i32) {\nready %%r, %%i%s\n"
               "%%t = add %%i, %%c2 : i32\n%%c = icmp %%t, %%n {predicate = slt} : i1\n"
               "if %%c {\nacquire %%r, %%t\nfill %%r, %%t, %%p {part = 0}\n%syield\n} {\nyield\n}\n"
               "%srelease %%r, %%i\nyield\n}\nyield\n}\n",
               first, ready, in_arm, behind)
        .data;
}

TEST(groups_of_copies_are_counted) {
    Arena *arena = arena_new(NULL);
    const char *one =
        "ready: turn %i of ring %r is made ready with 1 groups under way, of which it "
        "may be one";
    check(groups(arena, "commit\n", "", "commit\n", " {pending = 1}"), NULL, true);
    check(groups(arena, "", "", "", ""), NULL, true);
    check(groups(arena, "", "", "commit\n", " {pending = 1}"), one, true);
    check(groups(arena, "commit\n", "", "", " {pending = 1}"), one, true);
    check(groups(arena, "commit\n", "commit\n", "", " {pending = 1}"), one, true);
    check(groups(arena, "commit\n", "", "commit\n", " {pending = 2}"),
          "ready: turn %i of ring %r is made ready with 2 groups under way, of which it may be one",
          true);
    check(groups(arena, "commit\n", "", "commit\n", " {pending = 65}"),
          "ready: 65 groups under way, expected 0 to 64", true);
    check("func @f() {\ncommit\nyield\n}\n", "commit: groups of copies in program form", true);
    arena_free(arena);
}

TEST_MAIN()
