// SPDX-License-Identifier: Apache-2.0
/* flame: a flame graph as one SVG file: root below, width by time; a click zooms, a word is
 * searched. The script in it is ours; nothing is fetched. With an earlier profile's folded stacks
 * (before.c) colours say what takes more time now, and what less. */
#include "prof/flame.h"

#include <math.h>
#include <stdlib.h>

enum { WIDTH = 1200, ROW = 16, MARGIN = 10 };

typedef ProfNode Node;

static Node *find_child(Arena *arena, Node *node, ProfStep step) {
    for (int i = 0; i < node->children.count; i++) {
        Node *child = node->children.data[i];
        if (child->on_device == step.on_device && !strcmp(child->name, step.name)) return child;
    }
    Node *child = arena_new_of(arena, Node);
    Buf frame = {.arena = arena};
    prof_put_step(&frame, step);
    *child = (Node){.name = step.name, .frame = buf_str(&frame), .on_device = step.on_device};
    vec_push(arena, &node->children, child);
    return child;
}

/* Most come again, with the very same name: of many children none are compared then. */
static Node *child_of(Map *known, Node *node, ProfStep step) {
    const void *key[] = {node, step.name, step.on_device ? node : NULL};
    Str bytes = {(const char *)key, (int)sizeof key};
    Node *child = map_get(known, bytes);
    if (child) return child;
    child = find_child(known->arena, node, step);
    map_set(known, str_copy(known->arena, bytes), child);
    return child;
}

/* A call's device time does not lie inside its host time: it stands beside the calls, by itself.
 * What is deeper than a drawing can be belongs to what is around it. */
static void add(Map *known, Node *root, const ProfPath *path, int64_t ns) {
    Node *node = root;
    node->ns += ns;
    for (int i = 0; i < path->count && i < PROF_MOST_ROWS; i++) {
        node = child_of(known, node, path->data[i]);
        node->ns += ns;
    }
}

static void put_xml(Buf *out, const char *text) {
    for (const char *at = text; *at; at++) {
        unsigned char c = (unsigned char)*at;
        if (c == '<')
            buf_puts(out, "&lt;");
        else if (c == '>')
            buf_puts(out, "&gt;");
        else if (c == '&')
            buf_puts(out, "&amp;");
        else if (c == '"')
            buf_puts(out, "&quot;");
        else if (c < 32)
            buf_putc(out, ' ');
        else
            buf_putc(out, (char)c);
    }
}

typedef struct Drawing {
    Buf *out;
    int64_t all;
    double scale;
    int height;
    bool is_difference;
    int64_t most; /* the largest difference */
} Drawing;

/* Warm on the host, cool on the device; the same name has the same colour everywhere. Of a
 * difference: red or blue, the more the larger it is. */
static void put_colour(const Drawing *drawing, const Node *node, int64_t more) {
    Buf *out = drawing->out;
    if (drawing->is_difference) {
        double share = drawing->most ? fabs((double)more) / (double)drawing->most : 0;
        buf_printf(out, "hsl(%d,80%%,%.0f%%)", more < 0 ? 215 : 0, 92 - 37 * share);
        return;
    }
    unsigned hash = (unsigned)hash_bytes(node->name, strlen(node->name), 7) % 60;
    buf_printf(out, "hsl(%u,70%%,%u%%)", node->on_device ? 190 + hash / 2 : hash * 5 / 6,
               62 + hash % 10);
}

static void put_node(const Drawing *drawing, const Node *node, const Node *before, double x,
                     int depth) {
    Buf *out = drawing->out;
    double width = (double)node->ns * drawing->scale;
    int64_t before_ns = before ? before->ns : 0;
    if (width < 0.1) return;
    int y = drawing->height - (depth + 2) * ROW - 2 * MARGIN;
    buf_printf(out, "<g class=\"f\" data-x=\"%.4f\" data-w=\"%.4f\"><title>", x, width);
    put_xml(out, node->name);
    buf_printf(out, "%s: %.3f us, %.2f%%", node->on_device ? " (device)" : "",
               (double)node->ns / 1e3, (double)node->ns * 100 / (double)drawing->all);
    if (drawing->is_difference)
        buf_printf(out, ", before %.3f us (%+.3f)", (double)before_ns / 1e3,
                   (double)(node->ns - before_ns) / 1e3);
    buf_printf(out, "</title><rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" fill=\"",
               x + MARGIN, y, width, ROW - 1);
    put_colour(drawing, node, node->ns - before_ns);
    buf_printf(out, "\"/><text x=\"%.2f\" y=\"%d\">", x + MARGIN + 3, y + 12);
    int room = (int)((width - 6) / (12 * 0.59)), bytes;
    if (room >= 3) {
        bool fits = prof_characters(node->name, room + 1, &bytes) <= room;
        if (!fits) prof_characters(node->name, room - 2, &bytes);
        put_xml(out, str_format(out->arena, "%.*s%s", bytes, node->name, fits ? "" : "..").data);
    }
    buf_puts(out, "</text></g>\n");
    for (int i = 0; i < node->children.count; i++) {
        const Node *child = node->children.data[i];
        put_node(drawing, child, prof_node_child(before, child->frame), x, depth + 1);
        x += (double)child->ns * drawing->scale;
    }
}

static int depth_of(const Node *node) {
    int most = 0;
    for (int i = 0; i < node->children.count; i++) {
        int depth = depth_of(node->children.data[i]);
        if (depth > most) most = depth;
    }
    return most + 1;
}

static int64_t largest_change(const Node *node, const Node *before) {
    int64_t most = llabs(node->ns - (before ? before->ns : 0));
    for (int i = 0; i < node->children.count; i++) {
        const Node *child = node->children.data[i];
        int64_t change = largest_change(child, prof_node_child(before, child->frame));
        if (change > most) most = change;
    }
    return most;
}

static const char script[] =
    "<script><![CDATA[\n"
    "var frames = [].slice.call(document.querySelectorAll('.f')), W = 1200;\n"
    "frames.forEach(function (f) { f.label = f.querySelector('title').textContent;\n"
    "  f.x = +f.dataset.x; f.w = +f.dataset.w;\n"
    "  f.addEventListener('click', function () { zoom(f); }); });\n"
    "function zoom(to) { var s = W / to.w;\n"
    "  frames.forEach(function (f) { var x = (f.x - to.x) * s, w = f.w * s;\n"
    "    var inside = x + w > 0.01 && x < W - 0.01, r = f.querySelector('rect');\n"
    "    var left = Math.max(0, x), width = Math.min(W, x + w) - left;\n"
    "    f.style.display = inside && width > 0.1 ? '' : 'none';\n"
    "    r.setAttribute('x', left + 10); r.setAttribute('width', Math.max(0, width));\n"
    "    var t = f.querySelector('text'), room = Math.floor((width - 6) / 7.08);\n"
    "    var name = f.label.replace(/( \\(device\\))?: [0-9.]+ us, [0-9.]+%(, before .*)?$/, "
    "'');\n"
    "    t.setAttribute('x', left + 13);\n"
    "    t.textContent = room < 3 ? '' : name.length <= room ? name : name.slice(0, room - 2) + "
    "'..';\n"
    "  }); }\n"
    "document.getElementById('reset').addEventListener('click', function () { zoom({x: 0, w: W}); "
    "});\n"
    "document.getElementById('search').addEventListener('click', function () {\n"
    "  find(prompt('Search for (a regular expression):') || ''); });\n"
    "function find(words) { var total = 0, rule;\n"
    "  try { rule = words && new RegExp(words); } catch (e) { rule = null; }\n"
    "  frames.forEach(function (f) { var hit = rule && rule.test(f.label);\n"
    "    f.classList.toggle('hit', !!hit); total += hit ? 1 : 0; });\n"
    "  document.getElementById('found').textContent = rule ? total + ' found' : ''; }\n"
    "]]></script>\n";

void prof_flame_svg(ProfFile *file, const tern_profile *profile) {
    Buf *out = &file->text;
    Node root = {.name = "all"};
    ProfPath path = {0};
    Map known = {.arena = profile->scratch};
    for (int i = 0; i < profile->num_events; i++) {
        const ProfEvent *event = &profile->events[i];
        int64_t ns = event->on_device ? event->device_self_ns : event->self_ns;
        if (event->is_merged || ns <= 0) continue;
        prof_path(profile->scratch, &path, profile->events, i);
        add(&known, &root, &path, ns);
    }
    int height = (depth_of(&root) + 2) * ROW + 3 * MARGIN;
    buf_printf(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 "
               "%d %d\">\n"
               "<style>text{font:12px monospace;pointer-events:none}.f{cursor:pointer}"
               ".f.hit rect{fill:#c0f}#reset,#search{cursor:pointer;pointer-events:auto;"
               "text-decoration:underline}</style>\n"
               "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
               "<text id=\"reset\" x=\"10\" y=\"20\">reset zoom</text>"
               "<text id=\"search\" x=\"110\" y=\"20\">search</text>"
               "<text id=\"found\" x=\"180\" y=\"20\"></text>\n",
               WIDTH + 2 * MARGIN, height, WIDTH + 2 * MARGIN, height);
    Drawing drawing = {.out = out, .all = root.ns, .height = height};
    drawing.scale = root.ns > 0 ? (double)WIDTH / (double)root.ns : 0;
    drawing.is_difference = profile->before != NULL;
    if (profile->before) {
        drawing.most = largest_change(&root, profile->before);
        buf_printf(out,
                   "<text x=\"400\" y=\"20\">red: more time than before, blue: less; all before: "
                   "%.3f us</text>\n",
                   (double)profile->before->ns / 1e3);
    }
    if (root.ns > 0) put_node(&drawing, &root, profile->before, 0, 0);
    buf_puts(out, script);
    buf_puts(out, "</svg>\n");
}

void prof_flame(ProfFile *file, const tern_profile *profile) {
    buf_puts(&file->text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    prof_flame_svg(file, profile);
}
