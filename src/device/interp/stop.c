// SPDX-License-Identifier: Apache-2.0
/* stop: breakpoint() in a kernel, in the manner of pdb's:
 *
 *     > add.py(9) program (1, 0, 0)
 *     -> breakpoint()
 *     (tern) x
 *     x: tile<4xf32> [1, 2.5, 3, 4]
 *     (tern) c
 *
 * The line is the user's answer (tern_set_ask); without anybody to ask, all names are shown. */
#include "device/interp/interp.h"

#include <setjmp.h>

enum { MOST_SHOWN = 1000, AT_EDGES = 3 }; /* as NumPy and PyTorch shorten */

static void put_value(Buf *out, const Type *type, uint64_t bits, bool is_unsigned) {
    if (type_is_ptr(type))
        buf_printf(out, "0x%llx", (unsigned long long)bits);
    else if (type_is_float(type))
        buf_printf(out, "%.*g",
                   type_size_bytes(type) > 4   ? 17
                   : type_size_bytes(type) > 2 ? 9
                                               : 5,
                   constant_to_double(type, bits));
    else if (type_is_bool(type))
        buf_puts(out, bits & 1 ? "True" : "False");
    else if (is_unsigned)
        buf_printf(out, "%llu", (unsigned long long)bits);
    else
        buf_printf(out, "%lld", (long long)constant_to_int(type, bits));
}

/* The lanes from `first` on that dimensions `dim`.. have. */
static void put_lanes(Buf *out, const Type *type, const Lanes *lanes, int dim, int first,
                      bool is_unsigned) {
    if (dim == type->rank) {
        put_value(out, type_lane(type), lane_get(lanes, lanes->count == 1 ? 0 : first),
                  is_unsigned);
        return;
    }
    int size = type->shape[dim], step = 1;
    for (int i = dim + 1; i < type->rank; i++) step *= type->shape[i];
    bool is_short = type->lanes > MOST_SHOWN && size > 2 * AT_EDGES;
    buf_putc(out, '[');
    for (int i = 0; i < size; i++) {
        if (i) buf_puts(out, ", ");
        if (is_short && i == AT_EDGES) {
            buf_puts(out, "..., ");
            i = size - AT_EDGES;
        }
        put_lanes(out, type, lanes, dim + 1, first + i * step, is_unsigned);
    }
    buf_putc(out, ']');
}

static void put_operand(Buf *out, Program *p, const Op *op, int k, Str name, bool with_value) {
    const Type *type = op->operands[k]->type;
    buf_printf(out, "%.*s: ", STR_ARG(name));
    type_print(out, type);
    if (with_value) {
        buf_putc(out, ' ');
        put_lanes(out, type, operand(p, op, k), 0, 0, (print_unsigned_mask(op) >> k) & 1);
    }
    buf_putc(out, '\n');
}

/* Those called `name`; all, if it is empty. False: there is none. */
static bool put_names(Buf *out, Program *p, const Op *op, Str name, bool with_values) {
    Str rest = print_text(op);
    bool found = false;
    for (int k = 0; rest.length; k++) {
        int length = 0, end = 0;
        while (rest.data[end] != '\n') end++;
        while (length < end && (k < op->num_operands || rest.data[length] != '=')) length++;
        Str called = {rest.data, length};
        if (!name.length || str_equal(name, called)) {
            found = true;
            if (k < op->num_operands)
                put_operand(out, p, op, k, called, with_values);
            else
                buf_printf(out, "%.*s: %.*s\n", STR_ARG(called), end - length - 1,
                           rest.data + length + 1);
        }
        rest.data += end + 1, rest.length -= end + 1;
    }
    return found;
}

static void put_place(Buf *out, const Program *p, const Op *op) {
    const Source *source = op->span.source;
    int line = 0, column;
    if (!source) return;
    source_position(source, op->span.start, &line, &column);
    Str text = source_line(source, line);
    while (text.length && (text.data[0] == ' ' || text.data[0] == '\t')) text.data++, text.length--;
    buf_printf(out, "> %.*s(%d) program (%u, %u, %u)\n-> %.*s\n", STR_ARG(source->name), line,
               p->id[0], p->id[1], p->id[2], STR_ARG(text));
}

static bool show(Program *p, const Buf *out) {
    if (out->length && !program_put(p, out->data, out->length)) return false;
    program_flush(p);
    return true;
}

static Str trimmed(const char *line) {
    Str text = str_of(line);
    while (text.length && text.data[text.length - 1] <= ' ') text.length--;
    while (text.length && text.data[0] <= ' ') text.data++, text.length--;
    return text;
}

static bool is_one_of(Str word, const char *const *words) {
    for (; *words; words++)
        if (str_is(word, *words)) return true;
    return false;
}

/* What a line asks for; true: the kernel goes on, or has failed. */
static bool answered(Program *p, const Op *op, Buf *out, Str word) {
    static const char *const on[] = {"c", "cont", "continue", NULL},
                             *const ends[] = {"q", "quit", "exit", NULL},
                             *const where[] = {"w", "where", "l", "list", NULL},
                             *const names[] = {"a", "args", "locals", NULL},
                             *const help[] = {"h", "help", "?", NULL};
    if (str_is(word, "clear")) p->launch->goes_on = true;
    if (str_is(word, "clear") || is_one_of(word, on)) return true;
    if (is_one_of(word, ends)) {
        program_fail(p, TERN_ERROR_KERNEL, op->span, "breakpoint(): quit");
        return true;
    }
    if (is_one_of(word, where))
        put_place(out, p, op);
    else if (is_one_of(word, names))
        put_names(out, p, op, STR(""), false);
    else if (is_one_of(word, help))
        buf_puts(out, "NAME or p NAME: its value; a: the names; w: where; c: go on; clear: go on, "
                      "and stop no more in this launch; q: end the launch\n");
    else {
        if (str_starts(word, "p ")) word = trimmed(word.data + 2);
        if (!put_names(out, p, op, word, true))
            buf_printf(out, "'%.*s' is no name here, and no command: h\n", STR_ARG(word));
    }
    return false;
}

static bool stopped(Program *p, const Op *op, Arena *arena) {
    const Device *device = p->launch->device;
    Buf out = {.arena = arena};
    put_place(&out, p, op);
    if (!device->ask) put_names(&out, p, op, STR(""), true);
    bool fine = show(p, &out), done = !device->ask;
    while (fine && !done) {
        out.length = 0;
        const char *line = device->ask(device->ask_user, "(tern) ");
        Str word = line ? trimmed(line) : STR("q");
        if (!word.length) continue;
        done = answered(p, op, &out, word);
        fine = show(p, &out);
    }
    return fine && !p->launch->failure.status;
}

bool exec_breakpoint(Program *p, const Op *op) {
    jmp_buf no_memory;
    Arena *volatile arena = NULL;
    if (p->launch->goes_on) return true;
    if (setjmp(no_memory)) {
        arena_free(arena);
        return program_fail(p, TERN_ERROR_NO_MEMORY, op->span, "out of host memory");
    }
    arena = arena_new(&no_memory);
    bool fine = stopped(p, op, arena);
    arena_free(arena);
    return fine;
}
