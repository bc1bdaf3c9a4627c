// SPDX-License-Identifier: Apache-2.0
/* view_page: what the page shows, as JSON. Lines of the texts carry the place of the source that
 * they come from, [text, file, line], where one is known; files are those of tern_kernel_sources.
 * IR says it by loc(..), PTX by .loc, SASS by comments. */
#include "cli/view.h"

extern const char text_view_start[], text_view_end[];

typedef struct Place {
    int file, line; /* file -1: not known */
} Place;
#define NOWHERE ((Place){-1, 0})

typedef struct Panes {
    Json *json;
    Arena *arena;
    const tern_source *sources;
    Source **texts;         /* of these */
    const char **ptx_names; /* what PTX calls them */
    int num_sources;
    VEC(int) by_number; /* of PTX's files, from 1: the source, or -1 */
} Panes;

static int source_named(const Panes *p, Str name) {
    int i = 0;
    while (i < p->num_sources && !str_is(name, p->sources[i].name)) i++;
    return i < p->num_sources ? i : -1;
}

/* -1 also where several have that name. */
static int source_in_ptx(const Panes *p, Str name) {
    int found = -1;
    for (int i = 0; i < p->num_sources; i++) {
        if (!str_is(name, p->ptx_names[i])) continue;
        if (found >= 0) return -1;
        found = i;
    }
    return found;
}

/* PTX has no way to write some characters: they are '_' there. */
static const char *ptx_name(Arena *arena, const char *name) {
    char *out = (char *)(uintptr_t)str_c(arena, str_of(name));
    for (char *c = out; *c; c++)
        if (*c < ' ' || *c > '~' || *c == '"' || *c == '\\') *c = '_';
    return out;
}

static void take_sources(Panes *p, tern_kernel *kernel) {
    p->num_sources = tern_kernel_sources(kernel, &p->sources);
    p->texts = arena_array(p->arena, Source *, p->num_sources + 1);
    p->ptx_names = arena_array(p->arena, const char *, p->num_sources + 1);
    for (int i = 0; i < p->num_sources; i++) {
        p->ptx_names[i] = ptx_name(p->arena, p->sources[i].name);
        p->texts[i] = source_new(p->arena, str_of(p->sources[i].name),
                                 (Str){p->sources[i].text, (int)p->sources[i].length});
    }
}

/* The number at a place of a line, which moves behind it; -1: there is none. */
static int number_at(Str line, int *at) {
    int value = -1;
    while (*at < line.length && line.data[*at] == ' ') ++*at;
    for (; *at < line.length && line.data[*at] >= '0' && line.data[*at] <= '9'; ++*at)
        value = (value < 0 ? 0 : value) * 10 + (line.data[*at] - '0');
    return value;
}

/* The next line of a text, which moves on; false: there is none. */
static bool next_line(Str *rest, Str *line) {
    if (!rest->length) return false;
    const char *end = memchr(rest->data, '\n', (size_t)rest->length);
    *line = (Str){rest->data, end ? (int)(end - rest->data) : rest->length};
    int past = line->length + (end != NULL);
    rest->data += past, rest->length -= past;
    return true;
}

static void put_line(Json *json, Str line, Place place) {
    json_open(json, '[');
    json_str(json, line);
    if (place.file >= 0) json_int(json, place.file), json_int(json, place.line);
    json_close(json, ']');
}

/* ---- IR ---- */

static int hex(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* From behind a quote to the one that ends it; the words between them. -1: it does not end. */
static int quoted(Arena *arena, Str line, int at, Str *words) {
    Buf out = {.arena = arena};
    buf_puts(&out, "");
    for (; at < line.length && line.data[at] != '"'; at++) {
        char c = line.data[at];
        if (c == '\\' && at + 1 < line.length) {
            c = line.data[++at];
            int high = hex(c), low = at + 1 < line.length ? hex(line.data[at + 1]) : -1;
            if (c != '"' && c != '\\' && high >= 0 && low >= 0) c = (char)(high * 16 + low), at++;
        }
        buf_putc(&out, c);
    }
    *words = buf_str(&out);
    return at < line.length ? at : -1;
}

/* Takes loc("FILE", FIRST, END) out of a line of IR; strings before it are passed over. */
static Str without_loc(const Panes *p, Str line, Place *place) {
    static const char mark[] = " loc(\"";
    const int length = (int)sizeof mark - 1;
    Str words;
    for (int at = 0; at < line.length; at++) {
        if (line.length - at >= length && !memcmp(line.data + at, mark, (size_t)length)) {
            int end = quoted(p->arena, line, at + length, &words), past = end + 2, column;
            int first = end < 0 ? -1 : number_at(line, &past);
            while (past < line.length && line.data[past] != ')') past++;
            if (first < 0 || past >= line.length) return line;
            place->file = source_named(p, words);
            if (place->file >= 0)
                source_position(p->texts[place->file], first, &place->line, &column);
            return str_format(p->arena, "%.*s%.*s", at, line.data, line.length - past - 1,
                              line.data + past + 1);
        }
        if (line.data[at] == '"' && (at = quoted(p->arena, line, at + 1, &words)) < 0) return line;
    }
    return line;
}

static void put_ir(const Panes *p, const char *text) {
    Str rest = str_of(text ? text : ""), line;
    while (next_line(&rest, &line)) {
        Place place = NOWHERE;
        Str shown = without_loc(p, line, &place);
        put_line(p->json, shown, place);
    }
}

/* ---- PTX and SASS ---- */

/* .file NUMBER "NAME" */
static void note_file(Panes *p, Str line) {
    int at = 5, number = number_at(line, &at);
    Str name;
    if (number != p->by_number.count + 1 || quoted(p->arena, line, at + 2, &name) < 0) return;
    vec_push(p->arena, &p->by_number, source_in_ptx(p, name));
}

/* .loc FILE LINE COLUMN */
static Place loc_of(const Panes *p, Str line) {
    int at = 5, file = number_at(line, &at), number = number_at(line, &at);
    bool is_known = file >= 1 && file <= p->by_number.count && number > 0;
    return is_known ? (Place){p->by_number.data[file - 1], number} : NOWHERE;
}

static void put_ptx(Panes *p, Str rest) {
    Place place = NOWHERE;
    Str line;
    while (next_line(&rest, &line)) {
        bool is_loc = str_starts(line, "\t.loc ");
        if (str_starts(line, ".file ")) note_file(p, line);
        if (str_starts(line, "}")) place = NOWHERE;
        if (is_loc) place = loc_of(p, line);
        put_line(p->json, line, is_loc ? NOWHERE : place);
    }
}

static int find(Str line, const char *words) {
    const char *found = memmem(line.data, (size_t)line.length, words, strlen(words));
    return found ? (int)(found - line.data) : -1;
}

/* //## File "NAME", line NUMBER stands before the instructions that it is about, the name as PTX
 * has it. */
static void put_sass(Panes *p, const Sass *sass) {
    static const char mark[] = "//## File \"", line_mark[] = "\", line ";
    Place place = NOWHERE;
    Str rest = sass->text, line;
    while (next_line(&rest, &line)) {
        int at = find(line, mark), middle = find(line, line_mark);
        if (at < 0) {
            if (find(line, ".section") >= 0) place = NOWHERE;
            put_line(p->json, line, find(line, "/*") >= 0 ? place : NOWHERE);
            continue;
        }
        place = NOWHERE;
        at += (int)sizeof mark - 1;
        if (middle < at) continue;
        Str name = {line.data + at, middle - at};
        middle += (int)sizeof line_mark - 1;
        place = (Place){source_in_ptx(p, name), number_at(line, &middle)};
    }
}

static void put_panes(Panes *p, const View *view) {
    Json *json = p->json;
    tern_kernel *kernel = view->bound.kernel;
    static const char *const names[] = {"before", "after", "ptx", "sass"};
    for (int i = 0; i < COUNT(names); i++) {
        json_key(json, names[i]), json_open(json, '[');
        if (i == 0) put_ir(p, tern_kernel_text(kernel, TERN_STAGE_IR_AFTER));
        if (i == 1) put_ir(p, tern_kernel_text(kernel, TERN_STAGE_IR));
        if (i == 2) put_ptx(p, str_of(tern_kernel_text(kernel, TERN_STAGE_PTX)));
        if (i == 3) put_sass(p, &view->sass);
        json_close(json, ']');
    }
    json_key(json, "without_sass");
    json_str(json, view->sass.code ? view->sass.why
                   : view->sass.has_lines
                       ? STR("")
                       : STR("its lines are not known: there is no 'nvdisasm' on PATH"));
}

static void put_sources(const Panes *p) {
    json_key(p->json, "files"), json_open(p->json, '[');
    for (int i = 0; i < p->num_sources; i++) {
        Str rest = p->texts[i]->text, line;
        json_open(p->json, '{');
        json_key(p->json, "name"), json_text(p->json, p->sources[i].name);
        json_key(p->json, "ptx"), json_text(p->json, p->ptx_names[i]);
        json_key(p->json, "lines"), json_open(p->json, '[');
        while (next_line(&rest, &line)) json_str(p->json, line);
        json_close(p->json, ']');
        json_close(p->json, '}');
    }
    json_close(p->json, ']');
}

/* ---- what was touched ---- */

static void put_list(Json *json, const char *key, const int64_t *items, int count) {
    json_key(json, key), json_open(json, '[');
    for (int i = 0; i < count; i++) json_int(json, items[i]);
    json_close(json, ']');
}

static void put_tensors(Json *json, const Bound *bound) {
    json_key(json, "tensors"), json_open(json, '[');
    for (int i = 0; i < bound->num_args; i++) {
        const LaunchArg *arg = &bound->args[i];
        if (!arg->buffer || arg->is_shared) continue;
        const Tensor *tensor = arg->value->tensor;
        json_open(json, '{');
        json_key(json, "name"), json_text(json, arg->parameter->name);
        json_key(json, "dtype"), json_text(json, tern_dtype_name(tensor->dtype));
        json_key(json, "size"), json_int(json, (int64_t)tern_dtype_size(tensor->dtype));
        put_list(json, "shape", tensor->shape, tensor->rank);
        put_list(json, "strides", tensor->strides, tensor->rank);
        json_key(json, "offset"), json_int(json, tensor->offset);
        json_key(json, "bytes"), json_int(json, (int64_t)tensor->storage_bytes);
        json_close(json, '}');
    }
    json_close(json, ']');
}

typedef struct Home { /* what an address is counted from */
    int tensor;       /* -1: shared memory, or of no one argument */
    uint64_t base;
} Home;

static Home home_of(const Bound *bound, uint64_t address) {
    int number = 0;
    for (int i = 0; i < bound->num_args; i++) {
        const LaunchArg *arg = &bound->args[i];
        if (!arg->buffer || arg->is_shared) continue;
        uint64_t base = (uint64_t)(uintptr_t)tern_buffer_pointer(arg->buffer);
        if (address >= base && address - base < tern_buffer_size(arg->buffer))
            return (Home){number, base};
        number++;
    }
    return (Home){-1, 0};
}

/* Of all lanes; where they differ, the start of a line of memory before the first of them. */
static Home home_of_all(const Bound *bound, const tern_access *access) {
    Home home = {-1, 0};
    uint64_t least = UINT64_MAX;
    bool is_one = true, is_first = true;
    for (int i = 0; i < 32 && !access->is_shared; i++) {
        if (!(access->lanes >> i & 1)) continue;
        Home other = home_of(bound, access->addresses[i]);
        if (access->addresses[i] < least) least = access->addresses[i];
        is_one = other.tensor >= 0 && is_one && (is_first || other.tensor == home.tensor);
        home = other, is_first = false;
    }
    if (access->is_shared || is_one) return home;
    return (Home){-1, least & ~(uint64_t)127};
}

/* The lanes' addresses: of a row first and step; else a list. */
static void put_addresses(Json *json, const tern_access *access, uint64_t base) {
    int first = __builtin_ctz(access->lanes);
    uint64_t start = access->addresses[first], step = 0;
    bool is_row = true;
    if (access->lanes & (access->lanes - 1)) {
        int second = __builtin_ctz(access->lanes & (access->lanes - 1));
        is_row = (access->addresses[second] - start) % (uint64_t)(second - first) == 0 &&
                 access->addresses[second] >= start;
        step = is_row ? (access->addresses[second] - start) / (uint64_t)(second - first) : 0;
    }
    for (int i = first; i < 32 && is_row; i++)
        if (access->lanes >> i & 1)
            is_row = access->addresses[i] == start + step * (uint64_t)(i - first);
    if (is_row) {
        json_int(json, (int64_t)(start - base)), json_int(json, (int64_t)step);
        return;
    }
    json_open(json, '[');
    for (int i = 0; i < 32; i++)
        if (access->lanes >> i & 1) json_int(json, (int64_t)(access->addresses[i] - base));
    json_close(json, ']');
}

/* A site is an instruction; one that copies has two, of global and of shared memory. */
static void put_sites(Json *json, const tern_accesses *accesses, int *numbers) {
    static const char *const kinds[] = {"load", "store", "atomic", "copy"};
    int count = 0;
    json_key(json, "sites"), json_open(json, '[');
    for (int i = 0; i < accesses->count; i++) {
        const tern_access *access = &accesses->data[i];
        int *number = &numbers[2 * access->ptx_line + access->is_shared];
        if (*number || access->program >= accesses->num_whole) continue;
        *number = ++count;
        json_open(json, '{');
        json_key(json, "ptx"), json_int(json, access->ptx_line);
        json_key(json, "kind"), json_text(json, kinds[access->kind]);
        json_key(json, "shared"), json_bool(json, access->is_shared);
        json_key(json, "bytes"), json_int(json, access->bytes);
        json_close(json, '}');
    }
    json_close(json, ']');
}

/* [site, program, warp, lanes, cost, least, tensor, first, step], or the list for both. */
static void put_requests(Json *json, const View *view, const int *numbers) {
    const tern_accesses *accesses = &view->accesses;
    json_key(json, "requests"), json_open(json, '[');
    for (int i = 0; i < accesses->count; i++) {
        const tern_access *access = &accesses->data[i];
        if (access->program >= accesses->num_whole || !access->lanes) continue;
        Home home = home_of_all(&view->bound, access);
        const int64_t row[] = {numbers[2 * access->ptx_line + access->is_shared] - 1,
                               (int64_t)access->program,
                               access->warp,
                               access->lanes,
                               access->cost,
                               access->least_cost,
                               home.tensor};
        json_open(json, '[');
        for (int k = 0; k < COUNT(row); k++) json_int(json, row[k]);
        put_addresses(json, access, home.base);
        json_close(json, ']');
    }
    json_close(json, ']');
}

static int count_lines(const char *text) {
    int lines = 1;
    for (; *text; text++) lines += *text == '\n';
    return lines;
}

static void put_launch(Json *json, const View *view) {
    const Bound *bound = &view->bound;
    const tern_accesses *accesses = &view->accesses;
    json_key(json, "kernel"), json_text(json, bound->function->name);
    json_key(json, "device"), json_text(json, tern_device_name(bound->context));
    json_key(json, "signature"), json_text(json, bound->signature.data);
    json_key(json, "warps"), json_int(json, tern_kernel_num_warps(bound->kernel));
    const int64_t grid[] = {bound->grid[0], bound->grid[1], bound->grid[2]};
    put_list(json, "grid", grid, 3);
    json_key(json, "programs_shown"), json_int(json, (int64_t)accesses->num_whole);
    json_key(json, "other"), json_int(json, (int64_t)accesses->num_other);
}

bool view_data(const View *view, Json *json) {
    Arena *arena = view->bound.cli->arena;
    tern_kernel *kernel = view->bound.kernel;
    Panes p = {.json = json, .arena = arena};
    take_sources(&p, kernel);
    char *counters = tern_kernel_counters(kernel, true);
    if (!counters) return false;
    int *numbers =
        arena_array(arena, int, 2 * (count_lines(tern_kernel_text(kernel, TERN_STAGE_PTX)) + 1));
    json_open(json, '{');
    put_launch(json, view);
    put_sources(&p);
    put_panes(&p, view);
    put_tensors(json, &view->bound);
    put_sites(json, &view->accesses, numbers);
    put_requests(json, view, numbers);
    json_key(json, "counters"), json_raw(json, counters);
    json_close(json, '}');
    tern_free(counters);
    return true;
}

/* JSON inside of a <script>: no '<' may end it, and none stands outside of a string. */
void view_page(Buf *out, const Json *json) {
    static const char mark[] = "<!--DATA-->";
    const char *at = strstr(text_view_start, mark);
    if (!at) BUG("view.html has no %s", mark);
    buf_add(out, text_view_start, (size_t)(at - text_view_start));
    for (size_t i = 0; i < json->out.length; i++) {
        if (json->out.data[i] == '<')
            buf_puts(out, "\\u003c");
        else
            buf_putc(out, json->out.data[i]);
    }
    at += sizeof mark - 1;
    buf_add(out, at, (size_t)(text_view_end - at));
}
