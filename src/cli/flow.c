// SPDX-License-Identifier: Apache-2.0
/* flow: follows values of the IR's text backwards, from what is stored to loads and parameters.
 *
 *     %14 = ftrunc %13 : tile<64xf16>        the line of %14, its op and its operands
 *     %a, %b = for %0, %n .. (%i: i32) {     of a result also what the regions yield
 *     store %12, %14                         through %12, which comes from the parameter %y */
#include "cli/flow.h"
#include "cli/values.h"

#include <string.h>

struct Flow {
    Arena *arena;
    Map lines; /* "%name" -> the line that makes it; a region's argument -> the line of its op */
    VEC(const char *) stores;
};

typedef struct Line {
    Str op;
    const char *operands, *end;
} Line;

static Str name_at(const char *at) {
    int length = 1;
    while (at[length] && !strchr(" ,:()\n{}", at[length])) length++;
    return (Str){at, length};
}

static const char *line_end(const char *at) {
    const char *end = strchr(at, '\n');
    return end ? end : at + strlen(at);
}

static int indent_of(const char *line) { return (int)strspn(line, " "); }

static Line line_parts(const char *line) {
    Line parts = {.end = line_end(line)};
    const char *at = line + indent_of(line);
    const char *equals = memmem(at, (size_t)(parts.end - at), " = ", 3);
    if (*at == '%' && equals) at = equals + 3;
    parts.op = name_at(at);
    parts.operands = at + parts.op.length;
    return parts;
}

static bool is_op(const Line *line, const char *const *names, int count) {
    for (int i = 0; i < count; i++)
        if (str_is(line->op, names[i])) return true;
    return false;
}

static void index_line(Flow *flow, const char *line) {
    Line parts = line_parts(line);
    const char *at = line + indent_of(line);
    for (; at < parts.operands - parts.op.length; at++)
        if (*at == '%') map_set(&flow->lines, name_at(at), (void *)(uintptr_t)line);
    /* (%i: i32, %a: f32) of the regions */
    for (at = parts.operands; at < parts.end; at++)
        if (*at == '%' && at[name_at(at).length] == ':')
            map_set(&flow->lines, name_at(at), (void *)(uintptr_t)line);
    if (str_starts(parts.op, "store") || str_starts(parts.op, "atomic"))
        vec_push(flow->arena, &flow->stores, line);
}

Flow *flow_new(Arena *arena, const char *ir_text) {
    Flow *flow = arena_new_of(arena, Flow);
    *flow = (Flow){.arena = arena, .lines = {.arena = arena}};
    for (const char *line = ir_text; line && *line; line = strchr(line, '\n')) {
        if (*line == '\n' && !*++line) break;
        if (*line == ' ') index_line(flow, line); /* not the function's own */
    }
    return flow;
}

/* ---- walking back ---- */

typedef struct Walk {
    const Flow *flow;
    Map seen; /* line -> 1 */
    void (*visit)(struct Walk *walk, const Line *line, bool *stop);
    Str wanted; /* "%parameter" */
    bool found;
    Origin origin;
} Walk;

static void walk_names(Walk *walk, const char *from, const char *end);

static void walk_line(Walk *walk, const char *line) {
    bool stop = false;
    if (map_get_pointer(&walk->seen, line)) return;
    map_set_pointer(&walk->seen, line, (void *)(uintptr_t)1);
    Line parts = line_parts(line);
    walk->visit(walk, &parts, &stop);
    if (stop) return;
    walk_names(walk, parts.operands, parts.end);
    if (parts.end == line || parts.end[-1] != '{') return;
    /* What its regions yield: two further in, up to the '}' that stands as far out as the op. */
    int indent = indent_of(line);
    for (const char *at = parts.end; *at == '\n' && *++at; at = line_end(at)) {
        Line inner = line_parts(at);
        if (indent_of(at) == indent && at[indent] == '}' && inner.end[-1] != '{') return;
        if (indent_of(at) == indent + 2 && str_is(inner.op, "yield"))
            walk_names(walk, inner.operands, inner.end);
    }
}

static void walk_names(Walk *walk, const char *from, const char *end) {
    for (const char *at = from; at < end; at++) {
        if (*at != '%') continue;
        Str name = name_at(at);
        const char *line = map_get(&walk->flow->lines, name);
        if (line)
            walk_line(walk, line);
        else
            walk->found |= str_equal(name, walk->wanted);
    }
}

/* ---- what is asked of the lines ---- */

static void visit_pointer(Walk *walk, const Line *line, bool *stop) {
    (void)walk;
    *stop = str_is(line->op, "load"); /* a pointer that was loaded is nobody's */
}

/* Ops after which a float is what its operands are. */
static void visit_exact(Walk *walk, const Line *line, bool *stop) {
    static const char *const exact[] = {
        "load",  "constant", "fext",        "ftrunc", "round_even", "floor", "ceil",      "trunc_f",
        "fabs",  "fneg",     "fmax",        "fmin",   "select",     "splat", "broadcast", "reshape",
        "trans", "split",    "expand_dims", "poison", "for",        "if",    "while",     "join"};
    walk->found |= !is_op(line, exact, COUNT(exact));
    *stop = walk->found || str_is(line->op, "load");
}

static bool is_inexact(const Flow *flow, const Line *line) {
    Walk walk = {.flow = flow, .seen = {.arena = flow->arena}, .visit = visit_exact};
    walk_names(&walk, line->operands, line->end);
    return walk.found;
}

/* From a stored int back to where it was made from a float, over ops that keep a difference of 1.
 */
static void visit_int(Walk *walk, const Line *line, bool *stop) {
    static const char *const keeping[] = {"trunc",   "ext_s", "ext_u", "select", "min_s",
                                          "max_s",   "min_u", "max_u", "splat",  "broadcast",
                                          "reshape", "trans", "split", "join",   "expand_dims",
                                          "add",     "sub",   "for",   "if",     "while"};
    bool converts = str_is(line->op, "f_to_s") || str_is(line->op, "f_to_u");
    if (converts) walk->origin.rounds_to_int |= is_inexact(walk->flow, line);
    *stop = converts || !is_op(line, keeping, COUNT(keeping));
}

static int narrow_bits(tern_dtype dtype) {
    return dtype == TERN_VOID ? 1000 : (int)tern_dtype_size(dtype) * 8;
}

/* The lanes' type in ".. : tile<64xf16>" or ".. : f16". */
static tern_dtype result_dtype(const Line *line) {
    const char *end = line->end, *start;
    if (end[-1] == '>') end--;
    for (start = end; start > line->operands && !strchr(" x", start[-1]);) start--;
    return dtype_from_word((Str){start, (int)(end - start)});
}

static void visit_float(Walk *walk, const Line *line, bool *stop) {
    *stop = str_is(line->op, "load");
    if (!str_is(line->op, "ftrunc")) return;
    tern_dtype dtype = result_dtype(line);
    if (narrow_bits(dtype) < narrow_bits(walk->origin.narrowest)) walk->origin.narrowest = dtype;
}

Origin flow_origin(const Flow *flow, const char *parameter) {
    Origin origin = {0};
    Str wanted = str_format(flow->arena, "%%%s", parameter);
    for (int i = 0; i < flow->stores.count; i++) {
        Line store = line_parts(flow->stores.data[i]);
        const char *pointer = strchr(store.operands, '%');
        const char *value = pointer ? strchr(pointer + 1, '%') : NULL;
        if (!value || value > store.end) continue;
        Walk root = {
            .flow = flow, .seen = {.arena = flow->arena}, .visit = visit_pointer, .wanted = wanted};
        walk_names(&root, pointer, pointer + 1);
        if (!root.found) continue;
        Walk ints = {.flow = flow, .seen = {.arena = flow->arena}, .visit = visit_int};
        Walk floats = {.flow = flow, .seen = {.arena = flow->arena}, .visit = visit_float};
        walk_names(&ints, value, value + 1);
        walk_names(&floats, value, value + 1);
        origin.rounds_to_int |= ints.origin.rounds_to_int;
        if (narrow_bits(floats.origin.narrowest) < narrow_bits(origin.narrowest))
            origin.narrowest = floats.origin.narrowest;
    }
    return origin;
}
