// SPDX-License-Identifier: Apache-2.0
/* Placed form: what the parser and the verifier refuse. */
#include "ir/layout.h"
#include "ir/ir.h"
#include "test.h"
#include "ir_refusal.h"

typedef struct Row {
    const char *text, *want; /* want NULL: fine */
} Row;

#define PLACES                                                                                     \
    "#0 = {reg = [1], lane = [2, 4, 8, 16, 32], warp = [64]}\n"                                    \
    "#1 = {reg = [64], lane = [1, 2, 4, 8, 16], warp = [32]}\n"                                    \
    "#2 = {reg = [], lane = [1, 2, 4, 8, 0], warp = [0]}\n"                                        \
    "#3 = {reg = [16], lane = [1, 2, 4, 8, 32], warp = [64]}\n"                                    \
    "#4 = shared {offset = [1, 2, 4, 8, 16, 34, 68], vector = 1}\n"                                \
    "#5 = {reg = [1], lane = [8, 16, 32, 64, 2], warp = [4]}\n"                                    \
    "#6 = {reg = [1], lane = [2, 4, 8, 16, 0], warp = [0]}\n"                                      \
    "#7 = {reg = [], lane = [1, 2, 4, 8, 16], warp = [0]}\n"                                       \
    "#8 = {reg = [8], lane = [1, 2, 4, 0, 0], warp = [0]}\n"                                       \
    "#9 = {reg = [1], lane = [0, 0, 0, 0, 0], warp = [0]}\n"                                       \
    "#10 = {reg = [], lane = [1, 0, 0, 0, 0], warp = [0]}\n"                                       \
    "#11 = {reg = [1, 128], lane = [2, 4, 16, 32, 64], warp = [8]}\n"                              \
    "#12 = {reg = [1, 2], lane = [4, 8, 16, 32, 64], warp = [128]}\n"
#define HEAD                                                                                       \
    "func @f(%x: ptr<f32>, %n: i32, %yes: i1) "                                                    \
    "{num_warps = 2, num_stages = 3, form = placed, target = \"sm_80\"} {\n"
#define VALUES                                                                                     \
    "%o = arange {start = 0, end = 128} : tile<128xi32, #0>\n"                                     \
    "%o1 = arange {start = 0, end = 128} : tile<128xi32, #1>\n"                                    \
    "%c = arange {start = 0, end = 16} : tile<16xi32, #2>\n"                                       \
    "%c8 = arange {start = 0, end = 16} : tile<16xi32, #8>\n"                                      \
    "%row = expand_dims %c {axis = 0} : tile<1x16xi32, #2>\n"                                      \
    "%m = poison : tile<8x16xi32, #3>\n"                                                           \
    "%p = splat %x : tile<128xptr<f32>, #0>\n"                                                     \
    "%k = poison : tile<128xi1, #1>\n"                                                             \
    "%v = poison : tile<128xf32, #1>\n"                                                            \
    "%pair = poison : tile<16x2xi32, #7>\n"                                                        \
    "%two = poison : tile<2xi32, #9>\n"                                                            \
    "%p1 = splat %x : tile<128xptr<f32>, #1>\n"                                                    \
    "%a = poison : tile<16x16xf16, #12>\n"                                                         \
    "%d = poison : tile<16x16xf64, #12>\n"                                                         \
    "%acc = poison : tile<16x16xf32, #11>\n"                                                       \
    "%other = poison : tile<16x16xf32, #12>\n"                                                     \
    "%double = poison : tile<16x16xf64, #11>\n"                                                    \
    "%apart = poison : tile<2xi32, #10>\n"

static const Row ops[] = {
    {"%r = add %o, %o : tile<128xi32, #0>", NULL},
    {"%r = add %o, %o : tile<128xi32>", "add: tile<128xi32> has no place"},
    {"%r = add %o, %o : tile<128xi32, #1>",
     "types differ: tile<128xi32, #0> and tile<128xi32, #1>"},
    {"%r = add %o, %o1 : tile<128xi32, #0>",
     "types differ: tile<128xi32, #0> and tile<128xi32, #1>"},
    {"%r = splat %n : tile<64xi32, #0>", "splat: #0 has 128 lanes, not those of tile<64xi32, #0>"},
    {"%r = splat %n : tile<64xi32, #4>", "splat: #4 has 128 lanes, not those of tile<64xi32, #4>"},
    {"%r = splat %n : tile<128xi32, #4>", "splat: tile<128xi32, #4> is in shared memory"},
    {"%r = select %k, %o, %o : tile<128xi32, #0>",
     "select: places differ: tile<128xi1, #1> and tile<128xi32, #0>"},
    {"%r = select %yes, %o, %o : tile<128xi32, #0>", NULL},
    {"%r = icmp %o, %o {predicate = eq} : tile<128xi1, #1>",
     "icmp: places differ: tile<128xi32, #0> and tile<128xi1, #1>"},
    {"%r = ext_s %o : tile<128xi64, #1>",
     "ext_s: places differ: tile<128xi32, #0> and tile<128xi64, #1>"},
    {"%r = addptr %p, %o1 : tile<128xptr<f32>, #0>",
     "addptr: places differ: tile<128xptr<f32>, #0> and tile<128xi32, #1>"},
    {"%r = load %p {width = 2} : tile<128xf32, #0>", NULL},
    {"%r = load %p {width = 1} : tile<128xf32, #0>", NULL},
    {"%r = load %p : tile<128xf32, #0>", "load: width = 0: expected a power of two"},
    {"%r = load %p {width = 3} : tile<128xf32, #0>", "load: width = 3: expected a power of two"},
    {"%r = load %p {width = -1} : tile<128xf32, #0>", "load: width = -1: expected a power of two"},
    {"%r = load %p {width = 8} : tile<128xf32, #0>", "width = 8: expected a power of two, at most"},
    {"%r = load %p {width = 4} : tile<128xf32, #0>", "width = 4, but a thread has 2 in a row"},
    {"%r = load %p1 {width = 2} : tile<128xf32, #1>", "width = 2, but a thread has 1 in a row"},
    {"%r = load %x {width = 1} : f32", "load: width = 1 of one lane"},
    {"%r = load %x : f32", NULL},
    {"store %p1, %v {width = 2}", "store: width = 2, but a thread has 1 in a row"},
    {"store %p1, %v {width = 1}", NULL},
    {"%r = dot %a, %a, %acc {unit = mma} : tile<16x16xf32, #11>", NULL},
    {"%r = dot %a, %a, %acc {unit = fma} : tile<16x16xf32, #11>", NULL},
    {"%r = dot %a, %a, %acc : tile<16x16xf32, #11>",
     "dot: unit is missing: placed form says who multiplies"},
    {"%r = dot %a, %a, %acc {unit = none} : tile<16x16xf32, #11>", "dot: unit is missing"},
    {"%r = dot %a, %a, %acc {unit = tcgen05} : tile<16x16xf32, #11>", "unit"},
    {"%r = dot %a, %a, %acc {unit = wgmma} : tile<16x16xf32, #11>",
     "dot: wgmma of sm_80 by 2 warps does not take tile<16x16xf16, #12> x tile<16x16xf16, #12>"},
    {"%r = dot %a, %a, %other {unit = fma} : tile<16x16xf32, #12>", NULL},
    {"%r = dot %a, %a, %other {unit = mma} : tile<16x16xf32, #12>",
     "dot: tile<16x16xf32, #12> does not lie as mma leaves it"},
    {"%r = dot %d, %d, %double {unit = mma} : tile<16x16xf64, #11>",
     "dot: mma of sm_80 does not take tile<16x16xf64, #12> x"},
    {"%r = dot %a, %a, %acc {unit = fma} : tile<16x16xf32, #12>", "types differ"},
    {"%r = load %p {width = 1, barrier = 1} : tile<128xf32, #0>", NULL},
    {"%r = add %o, %o {barrier = 1} : tile<128xi32, #0>", "add: barrier on no access"},
    {"%r = convert %o {scratch = [0], wait = [0]} : tile<128xi32, #1>", NULL},
    {"%r = convert %o {scratch = [8], wait = [0]} : tile<128xi32, #1>",
     "scratch at 8, not a multiple of 16"},
    {"%r = convert %o {scratch = [0, 512], wait = [0, 0]} : tile<128xi32, #1>",
     "convert: scratch for 2 trips, not 1"},
    {"%r = add %o, %o {scratch = [0], wait = [0]} : tile<128xi32, #0>",
     "add: scratch for 1 trips, not 0"},
    {"%r = convert %o {scratch = [166912], wait = [0]} : tile<128xi32, #1>",
     "scratch to 167424; a block of sm_80 has 166912 bytes"},
    {"%r = convert %o {scratch = [0], wait = [0]} : tile<128xi32, #1>\n"
     "%s = convert %o {scratch = [496], wait = [0]} : tile<128xi32, #1>",
     "scratch [496, 1008) may still be read: nobody waited since"},
    {"%r = convert %o {scratch = [512], wait = [0]} : tile<128xi32, #1>\n"
     "%s = convert %o {scratch = [0], wait = [0]} : tile<128xi32, #1>",
     NULL},
    {"%r = convert %o {scratch = [0], wait = [0]} : tile<128xi32, #1>\n"
     "%s = convert %o {scratch = [496], wait = [1]} : tile<128xi32, #1>",
     NULL},
    {"%r = convert %o {scratch = [0], wait = [0]} : tile<128xi32, #1>\nbarrier\n"
     "%s = convert %o {scratch = [0], wait = [0]} : tile<128xi32, #1>",
     NULL},
    {"%r = convert %o {scratch = [0], wait = [0]} : tile<128xi32, #1>\n"
     "%l = load %p {width = 1, barrier = 1} : tile<128xf32, #0>\n"
     "%s = convert %o {scratch = [0], wait = [0]} : tile<128xi32, #1>",
     NULL},
    {"for %n, %n, %n (%i: i32) {\n"
     "%r = convert %o {scratch = [0], wait = [0]} : tile<128xi32, #1>\nyield\n}",
     "scratch [0, 512) may still be read: nobody waited since"},
    {"for %n, %n, %n (%i: i32) {\nyield\n}\n"
     "%r = convert %o {scratch = [0], wait = [0]} : tile<128xi32, #1>",
     NULL},
    {"%r = convert %o {scratch = [0], wait = [0]} : tile<128xi32, #1>\n"
     "for %n, %n, %n (%i: i32) {\nbarrier\nyield\n}\n" /* no turn, no barrier */
     "%s = convert %o {scratch = [496], wait = [0]} : tile<128xi32, #1>",
     "scratch [496, 1008) may still be read: nobody waited since"},
    {"for %n, %n, %n (%i: i32) {\n"
     "%r = convert %o {scratch = [0], wait = [1]} : tile<128xi32, #1>\nyield\n}\n"
     "%s = convert %o {scratch = [1024], wait = [0]} : tile<128xi32, #1>",
     "scratch [1024, 1536) may still be read: nobody waited since"},
    {"if %yes {\nyield\n} {\nyield\n}\n"
     "%r = convert %o {scratch = [0], wait = [0]} : tile<128xi32, #1>",
     NULL},
    {"if %yes {\n%r = convert %o {scratch = [0], wait = [0]} : tile<128xi32, #1>\nyield\n} {\n"
     "yield\n}\n%s = convert %o {scratch = [496], wait = [0]} : tile<128xi32, #1>",
     "scratch [496, 1008) may still be read: nobody waited since"},
    {"if %yes {\n%r = convert %o {scratch = [0], wait = [0]} : tile<128xi32, #1>\nyield\n} {\n"
     "%t = convert %o {scratch = [1024], wait = [0]} : tile<128xi32, #1>\nyield\n}\n"
     "%s = convert %o {scratch = [1520], wait = [0]} : tile<128xi32, #1>",
     "scratch [1520, 2032) may still be read: nobody waited since"},
    {"%r = convert %o {scratch = [0], wait = [0]} : tile<128xi32, #1>\nif %yes {\nbarrier\nyield\n"
     "} {\nyield\n}\n%s = convert %o {scratch = [0], wait = [0]} : tile<128xi32, #1>",
     "scratch [0, 512) may still be read: nobody waited since"},
    {"%r = convert %o {scratch = [0], wait = [0]} : tile<128xi32, #1>\nif %yes {\n"
     "%t = convert %o {scratch = [512], wait = [0]} : tile<128xi32, #1>\nyield\n} {\n"
     "%s = convert %o {scratch = [0], wait = [0]} : tile<128xi32, #1>\nyield\n}",
     "scratch [0, 512) may still be read: nobody waited since"},
    {"if %yes {\n%r = convert %o {scratch = [0], wait = [0]} : tile<128xi32, #1>\nyield\n} {\n"
     "yield\n}\n%s = convert %o {scratch = [512], wait = [0]} : tile<128xi32, #1>",
     NULL},
    {"%r = load %p : tile<128xf32, #1>",
     "load: places differ: tile<128xptr<f32>, #0> and tile<128xf32, #1>"},
    {"%r = load %p, %k : tile<128xf32, #0>",
     "load: places differ: tile<128xptr<f32>, #0> and tile<128xi1, #1>"},
    {"store %p, %v", "store: places differ: tile<128xptr<f32>, #0> and tile<128xf32, #1>"},
    {"%r = atomic_rmw %p, %v {kind = fadd} : tile<128xf32, #1>",
     "atomic_rmw: places differ: tile<128xptr<f32>, #0> and tile<128xf32, #1>"},
    {"%r = atomic_rmw %p1, %v {kind = fadd, width = 1} : tile<128xf32, #1>", NULL},
    {"%r = atomic_rmw %p1, %v {kind = fadd, width = 2} : tile<128xf32, #1>",
     "atomic_rmw: width = 2 of an atomic that has not so many lanes at once"},
    {"assert %k, %yes {text = \"\"}", "assert: shapes differ"},
    {"%r = inline_asm %o, %o1 {text = \"\", constraints = \"=r,r,r\", pack = 1} : tile<128xi32, "
     "#0>",
     "inline_asm: places differ: tile<128xi32, #0> and tile<128xi32, #1>"},
    {"%r = convert %o : tile<128xi32, #1>", NULL},
    {"%r = convert %o : tile<128xi32, #0>", "convert: to the place where it is"},
    {"%r = convert %o : tile<128xi64, #1>", "types differ"},
    {"%r = convert %n : i32", "expected a tile, not i32"},
    {"%r = broadcast %row : tile<8x16xi32, #3>", NULL},
    {"%r = broadcast %row : tile<8x16xi32, #0>",
     "broadcast: tile<1x16xi32, #2> does not lie as the op moves it"},
    {"%r = expand_dims %c {axis = 0} : tile<1x16xi32, #8>",
     "expand_dims: tile<16xi32, #2> does not lie as the op moves it"},
    {"%r = reshape %m : tile<16x8xi32, #3>", NULL},
    {"%r = reshape %m : tile<16x8xi32, #0>",
     "reshape: tile<8x16xi32, #3> does not lie as the op moves it"},
    {"%r = reshape %n : tile<1xi32, #0>", "#0 has 128 lanes, not those of tile<1xi32, #0>"},
    {"%r = trans %m {order = [1, 0]} : tile<16x8xi32, #5>", NULL},
    {"%r = trans %m {order = [1, 0]} : tile<16x8xi32, #3>",
     "trans: tile<8x16xi32, #3> does not lie as the op moves it"},
    {"%r = join %c, %c : tile<16x2xi32, #6>", NULL},
    {"%r = join %c, %c : tile<16x2xi32, #7>",
     "join: the two of tile<16x2xi32, #7> are in different threads"},
    {"%r = join %c8, %c8 : tile<16x2xi32, #6>",
     "join: tile<16xi32, #8> does not lie as the op moves it"},
    {"%r = join %c, %c8 : tile<16x2xi32, #6>", "types differ"},
    {"%r = join %n, %n : tile<2xi32, #9>", NULL},
    {"%r = join %n, %n : tile<2xi32, #10>",
     "join: the two of tile<2xi32, #10> are in different threads"},
    {"%r, %s = split %two : i32, i32", NULL},
    {"%r, %s = split %apart : i32, i32",
     "split: the two of tile<2xi32, #10> are in different threads"},
    {"%r, %s = split %pair : tile<16xi32, #2>, tile<16xi32, #2>",
     "split: the two of tile<16x2xi32, #7> are in different threads"},
    {"%r = reduce %m {axis = 0} : tile<16xi32, #2> (%l: i32, %t: i32) {\nyield %l\n}", NULL},
    {"%r = reduce %m {axis = 0} : tile<16xi32, #8> (%l: i32, %t: i32) {\nyield %l\n}",
     "reduce: tile<16xi32, #8> does not lie as the op moves it"},
    {"%r, %s = reduce %o, %o1 {axis = 0} : i32, i32 (%l: i32, %t: i32, %y: i32, %z: i32) {\n"
     "yield %l, %t\n}",
     "reduce: places differ: tile<128xi32, #0> and tile<128xi32, #1>"},
    {"%r = scan %o {axis = 0} : tile<128xi32, #1> (%l: i32, %t: i32) {\nyield %l\n}",
     "scan: places differ: tile<128xi32, #0> and tile<128xi32, #1>"},
    {"%r = sort_step %o {mask = 1} : tile<128xi32, #1>", "types differ"},
    {"%r = gather %o, %o1 {axis = 0} : tile<128xi32, #1>", NULL},
    {"%r = gather %o, %o1 {axis = 0} : tile<128xi32, #0>",
     "gather: places differ: tile<128xi32, #1> and tile<128xi32, #0>"},
    {"%r = histogram %o1, %k {bins = 16} : tile<16xi32, #2>", NULL},
    {"%r = histogram %o, %k {bins = 16} : tile<16xi32, #2>",
     "histogram: places of values and mask differ"},
    {"%r = if %yes : tile<128xi32, #0> {\nyield %o\n} {\nyield %o1\n}", "types differ"},
    {"%r = for %n, %n, %n, %o : tile<128xi32, #0> (%i: i32, %l: tile<128xi32, #1>) {\n"
     "yield %o\n}",
     "types differ"},
};

static const Row functions[] = {
    {"#1 = {reg = [1], lane = [], warp = []}\nfunc @f() {\nyield\n}", "places are numbered from 0"},
    {"#0 = {lane = []}\nfunc @f() {\nyield\n}", "expected 'reg'"},
    {"#0 = {reg = [1048576], lane = [], warp = []}\nfunc @f() {\nyield\n}", "out of range"},
    {"#0 = {reg = [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1], lane = [], warp = []}\n"
     "func @f() {\nyield\n}",
     "list is too long"},
    {"#0 = shared {offset = [1, 1], vector = 0}\nfunc @f() {\nyield\n}",
     "the offsets do not tell the tile's lanes apart"},
    {"#0 = shared {offset = [4], vector = 0}\nfunc @f() {\nyield\n}",
     "the offsets do not tell the tile's lanes apart"},
    {"#0 = shared {offset = [1], vector = 2}\nfunc @f() {\nyield\n}", "out of range"},
    {"#0 = shared {offset = [1], size = 2}\nfunc @f() {\nyield\n}", "expected 'vector'"},
    {"#0 = shared {offset = [2, 1], vector = 1}\n#1 = shared {offset = [2, 1], vector = 1}\n"
     "func @f() {\nyield\n}",
     "the same place as #0"},
    {PLACES "func @f() {\nyield\n}", "places in program form"},
    {"func @f() {form = block} {\nyield\n}", "expected 'placed', 'thread' or 'spread'"},
    {"func @f() {target = \"sm_80\"} {\nyield\n}", "a target in program form"},
    {"func @f(%t: tile<4xi32, #0>) {\nyield\n}", "there is no such place"},
    {"func @f() {\n%t = poison : tile<4xi32>\n%u = convert %t : tile<4xi32>\nyield\n}",
     "convert: in program form"},
    {"func @f(%p: ptr<f32>) {\n%t = load %p {width = 1} : f32\nyield\n}",
     "load: width in program form"},
    {"func @f(%p: ptr<f32>) {\n%t = load %p {barrier = 1} : f32\nyield\n}",
     "load: fences in program form"},
    {"func @f(%n: i32) {num_warps = 1, form = placed, target = \"sm_80\"} {\n"
     "%x, %y = meet %n {blocks = 2} : i32, i32\nyield\n}",
     "meet: sm_80 has no clusters"},
    {"func @f(%p: ptr<f32>) {\n%t = load %p {barrier = 0} : f32\nyield\n}", "out of range"},
    {"func @f(%p: ptr<f32>) {\n%t = load %p {scratch = [0]} : f32\nyield\n}",
     "'scratch' and 'wait' are of the same trips"},
    {"func @f(%p: ptr<f32>) {\n%t = load %p {scratch = [-1], wait = [0]} : f32\nyield\n}",
     "out of range"},
    {"func @f(%p: ptr<f32>) {\n%t = load %p {scratch = [0], wait = [2]} : f32\nyield\n}",
     "out of range"},
    {"func @f() {\n%t = poison : tile<16x16xf16>\n"
     "%u = dot %t, %t, %t {unit = fma} : tile<16x16xf16>\nyield\n}",
     "dot: unit in program form"},
    {"func @f() {num_warps = 4, form = placed} {\nyield\n}", "there is no GPU target ''"},
    {"func @f() {num_warps = 4, form = placed, target = \"sm_1\"} {\nyield\n}",
     "there is no GPU target 'sm_1'"},
    {"func @f() {num_warps = 3, form = placed, target = \"sm_80\"} {\nyield\n}",
     "num_warps = 3 in placed form"},
    {"func @f() {num_warps = 64, form = placed, target = \"sm_80\"} {\nyield\n}",
     "num_warps = 64 in placed form"},
    {"func @f() {form = placed, target = \"sm_80\"} {\nyield\n}", "num_warps = 0 in placed form"},
    {"#0 = {reg = [], lane = [1, 2, 4, 8], warp = [0]}\n" HEAD "yield\n}",
     "#0 has 4 bits of a lane, not 5"},
    {"#0 = {reg = [], lane = [1, 2, 4, 8, 16], warp = []}\n" HEAD "yield\n}",
     "#0 has 0 bits of a warp; num_warps = 2 has 1"},
    {"#0 = {reg = [0], lane = [1, 2, 4, 8, 16], warp = [0]}\n" HEAD "yield\n}",
     "#0 holds lanes twice in one thread"},
    {"#0 = {reg = [], lane = [1, 2, 4, 8, 8], warp = [0]}\n" HEAD "yield\n}",
     "#0 does not hold each bit of the tile's index once"},
    {"#0 = {reg = [3], lane = [1, 2, 4, 8, 16], warp = [0]}\n" HEAD "yield\n}",
     "#0 does not hold each bit of the tile's index once"},
    {"#0 = {reg = [], lane = [1, 2, 4, 8, 32], warp = [0]}\n" HEAD "yield\n}",
     "#0 does not hold each bit of the tile's index once"},
};

#define CLUSTER                                                                                    \
    "#0 = {reg = [], lane = [1, 2, 4, 8, 16], warp = [32]}\n"                                      \
    "#1 = shared {offset = [1, 2, 4, 8, 16, 32], vector = 0}\n"                                    \
    "func @f(%n: i32) {num_warps = 2, form = placed, target = \"sm_90a\"} {\n"                     \
    "%t = poison : tile<64xi32, #0>\n"                                                             \
    "%s = reduce %t {axis = 0, scratch = [0], wait = [0]} : i32 (%a: i32, %b: i32) {\n"            \
    "%c = add %a, %b : i32\nyield %c\n}\n"

static const Row clusters[] = {
    {"%x, %y = meet %s {blocks = 2} : i32, i32", NULL},
    {"%x, %y = meet %s {blocks = 2, offset = 16} : i32, i32", NULL},
    {"%x, %y = meet %s {blocks = 2, offset = 16} : i32, i32\n"
     "%z, %w = meet %x {blocks = 2, offset = 48} : i32, i32",
     NULL},
    {"%x, %y = meet %s {blocks = 2, offset = 16} : i32, i32\n" /* where the other's mbarrier is */
     "%z, %w = meet %x {blocks = 2, offset = 32} : i32, i32",
     "lies where there is something else"},
    {"%x, %y = meet %s {blocks = 2, offset = 16} : i32, i32\n"
     "%z, %w = meet %x {blocks = 2, offset = 16} : i32, i32",
     "lies where there is something else"},
    {"%x, %y = meet %s {blocks = 2, offset = 16} : i32, i32\n"
     "%u = reduce %t {axis = 0, scratch = [16], wait = [0]} : i32 (%d: i32, %e: i32) {\n"
     "%f = add %d, %e : i32\nyield %f\n}",
     "lies where there is something else"},
    {"%x, %y = meet %s {blocks = 2, offset = 16} : i32, i32\n"
     "%r = ring {stages = 1, offset = 0} : ring<tile<64xi32, #1>>",
     "lies where there is something else"},
    {"%x, %y = meet %s {blocks = 2, offset = 20} : i32, i32", "offset = 20"},
    {"%x, %y = meet %s {blocks = 2, offset = 232448} : i32, i32", "offset = 232448"},
};

static void check(const char *text, const char *want) {
    Arena *arena = arena_new(NULL);
    const char *why = ir_refusal(arena, text);
    bool right = want ? why && strstr(why, want) : !why;
    if (!right) printf("%s\ngot '%s', want '%s'\n", text, why ? why : "nothing", want ? want : "");
    CHECK(right);
    arena_free(arena);
}

TEST(ops_fit_their_places) {
    Arena *arena = arena_new(NULL);
    check(PLACES HEAD VALUES "yield\n}", NULL); /* else the rows would prove nothing */
    for (int i = 0; i < COUNT(ops); i++)
        check(str_format(arena, "%s%s%s%s\nyield\n}\n", PLACES, HEAD, VALUES, ops[i].text).data,
              ops[i].want);
    arena_free(arena);
}

TEST(what_blocks_tell_each_other_lies_apart) {
    Arena *arena = arena_new(NULL);
    for (int i = 0; i < COUNT(clusters); i++)
        check(str_format(arena, "%s%s\nyield\n}\n", CLUSTER, clusters[i].text).data,
              clusters[i].want);
    arena_free(arena);
}

TEST(places_are_well_formed) {
    for (int i = 0; i < COUNT(functions); i++) check(functions[i].text, functions[i].want);
}

/* ---- what mma takes ---- */

typedef struct Product {
    const char *target, *a, *b, *acc, *precision;
    int m, k, n;
    const char *want; /* NULL: fine */
} Product;

/* From the PTX ISA's table of mma.sync: types and, for m16n8, the k of each target. */
static const Product products[] = {
    {"sm_75", "f16", "f16", "f32", "ieee", 16, 8, 8, NULL},
    {"sm_75", "f16", "f16", "f32", "ieee", 16, 4, 8, "at least 16x8 by 8x8"},
    {"sm_75", "f8e5m2", "f8e5m2", "f16", "ieee", 16, 8, 8, "mma of sm_75 does not take"},
    {"sm_75", "bf16", "bf16", "f32", "ieee", 16, 16, 8, "mma of sm_75 does not take"},
    {"sm_75", "i8", "i8", "i32", "ieee", 16, 32, 8, "mma of sm_75 does not take"},
    {"sm_75", "f32", "f32", "f32", "tf32", 16, 8, 8, "mma of sm_75 does not take"},
    {"sm_80", "f16", "f16", "f32", "ieee", 16, 16, 8, NULL},
    {"sm_80", "f16", "f16", "f32", "ieee", 16, 8, 8, "at least 16x16 by 16x8"},
    {"sm_80", "f16", "f16", "f32", "ieee", 8, 16, 8, "at least 16x16 by 16x8"},
    {"sm_80", "f16", "f16", "f32", "ieee", 16, 16, 4, "at least 16x16 by 16x8"},
    {"sm_80", "f16", "f16", "f64", "ieee", 16, 16, 8, "mma of sm_80 does not take"},
    {"sm_80", "bf16", "bf16", "f32", "ieee", 64, 16, 32, NULL},
    {"sm_80", "bf16", "bf16", "f32", "ieee", 16, 8, 8, "at least 16x16 by 16x8"},
    {"sm_80", "f8e4m3", "f8e5m2", "f32", "ieee", 16, 16, 8, "mma of sm_80 does not take"},
    {"sm_80", "i8", "i8", "i32", "ieee", 16, 32, 8, NULL},
    {"sm_80", "i8", "i8", "i32", "ieee", 16, 16, 8, "at least 16x32 by 32x8"},
    {"sm_80", "i8", "i8", "i64", "ieee", 16, 32, 8, "mma of sm_80 does not take"},
    {"sm_80", "i16", "i16", "i32", "ieee", 16, 32, 8, "mma of sm_80 does not take"},
    {"sm_80", "f32", "f32", "f32", "tf32", 16, 8, 8, NULL},
    {"sm_80", "f32", "f32", "f32", "tf32", 16, 4, 8, "at least 16x8 by 8x8"},
    {"sm_80", "f32", "f32", "f32", "ieee", 16, 8, 8, "mma of sm_80 does not take"},
    {"sm_80", "f32", "f32", "f32", "tf32x3", 16, 8, 8, "mma of sm_80 does not take"},
    {"sm_90a", "f64", "f64", "f64", "ieee", 16, 16, 8, "mma of sm_90a does not take"},
};

static int log2_of(int x) { return x > 1 ? 1 + log2_of(x / 2) : 0; }

static void add_place(Buf *text, int number, const Layout *layout) {
    static const char *const kinds[] = {"reg", "lane", "warp"};
    buf_printf(text, "#%d = {", number);
    for (int kind = 0; kind < 3; kind++) {
        buf_printf(text, "%s%s = [", kind ? ", " : "", kinds[kind]);
        for (int i = 0; i < layout->num[kind]; i++)
            buf_printf(text, "%s%u", i ? ", " : "", layout->column[kind][i]);
        buf_puts(text, "]");
    }
    buf_puts(text, "}\n");
}

/* Places #0 to #6 are of tiles of 5 to 11 bits, row by row; #7 is mma's, where it has one. */
TEST(mma_takes_what_the_instructions_take) {
    for (int i = 0; i < COUNT(products); i++) {
        const Product *p = &products[i];
        int m = log2_of(p->m), k = log2_of(p->k), n = log2_of(p->n);
        int at = m + n - LANE_BITS;
        Arena *arena = arena_new(NULL);
        Buf text = {.arena = arena};
        for (int bits = LANE_BITS; bits < 12; bits++) {
            Layout rows = layout_blocked(&(TileShape){1, {bits}}, (int[]){0}, (int[]){0}, 0);
            add_place(&text, bits - LANE_BITS, &rows);
        }
        Layout product = layout_mma(m, n, 0, 0);
        if (m >= 4 && n >= 3) add_place(&text, at = 7, &product);
        buf_printf(&text,
                   "func @f() {num_warps = 1, form = placed, target = \"%s\"} {\n"
                   "%%a = poison : tile<%dx%dx%s, #%d>\n%%b = poison : tile<%dx%dx%s, #%d>\n"
                   "%%c = poison : tile<%dx%dx%s, #%d>\n"
                   "%%r = dot %%a, %%b, %%c {precision = %s, unit = mma} : tile<%dx%dx%s, #%d>\n"
                   "yield\n}\n",
                   p->target, p->m, p->k, p->a, m + k - LANE_BITS, p->k, p->n, p->b,
                   k + n - LANE_BITS, p->m, p->n, p->acc, at, p->precision, p->m, p->n, p->acc, at);
        check(buf_str(&text).data, p->want);
        arena_free(arena);
    }
}

TEST(equal_places_are_one_pointer) {
    Arena *arena = arena_new(NULL);
    TypeTable *types = types_new(arena);
    const Type *tile = type_tile(types, type_scalar(TYPE_F32), 1, (int[]){64});
    Layout layout = layout_blocked(&(TileShape){1, {6}}, (int[]){0}, (int[]){1}, 0);
    Layout other = layout_blocked(&(TileShape){1, {6}}, (int[]){0}, (int[]){0}, 0);
    const Place *a = place_registers(types, &layout), *b = place_registers(types, &other);
    CHECK(a == place_registers(types, &layout) && a != b && a->number == 0 && b->number == 1);
    CHECK(place_at(types, 1) == b && !place_at(types, 2) && !place_at(types, -1));
    const Type *placed = type_placed(types, tile, a);
    CHECK(placed != tile && placed == type_placed(types, tile, a) && placed->place == a);
    CHECK(type_placed(types, placed, NULL) == tile && type_placed(types, placed, b) != placed);
    CHECK(type_with_elem(types, placed, type_scalar(TYPE_I1))->place == a);
    CHECK(type_placed(types, type_scalar(TYPE_I1), a) == type_scalar(TYPE_I1));
    CHECK(type_layout(placed) == &a->layout && !type_layout(type_scalar(TYPE_I1)));
    CHECK_STR(type_str(arena, placed).data, "tile<64xf32, #0>");
    arena_free(arena);
}

TEST_MAIN()
