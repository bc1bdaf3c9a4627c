// SPDX-License-Identifier: Apache-2.0
#include "base/diag.h"

static void add(Diag *diag, DiagKind kind, Span span, const char *format, va_list args) {
    if (diag->muted) return;
    if (kind == DIAG_ERROR) diag->num_errors++;
    if (kind == DIAG_REFUSED) diag->num_refused++;
    if (diag->num_errors + diag->num_refused > DIAG_MAX_ERRORS) return;
    Buf text = {.arena = diag->arena};
    buf_vprintf(&text, format, args);
    vec_push(diag->arena, &diag->entries, (DiagEntry){kind, span, -1, buf_str(&text)});
}

void diag_add(Diag *diag, DiagKind kind, Span span, const char *format, ...) {
    va_list args;
    va_start(args, format);
    add(diag, kind, span, format, args);
    va_end(args);
}

void diag_error(Diag *diag, Span span, const char *format, ...) {
    va_list args;
    va_start(args, format);
    add(diag, DIAG_ERROR, span, format, args);
    va_end(args);
}

void diag_refused(Diag *diag, Span span, const char *format, ...) {
    va_list args;
    va_start(args, format);
    add(diag, DIAG_REFUSED, span, format, args);
    va_end(args);
}

void diag_remark(Diag *diag, Span span, const char *format, ...) {
    va_list args;
    va_start(args, format);
    add(diag, DIAG_REMARK, span, format, args);
    va_end(args);
}

void diag_note(Diag *diag, Span span, const char *format, ...) {
    va_list args;
    va_start(args, format);
    add(diag, DIAG_NOTE, span, format, args);
    va_end(args);
}

void diag_help(Diag *diag, Span span, const char *format, ...) {
    va_list args;
    va_start(args, format);
    add(diag, DIAG_HELP, span, format, args);
    va_end(args);
}

void diag_set_caret(Diag *diag, int offset) {
    if (diag->entries.count) diag->entries.data[diag->entries.count - 1].caret = offset;
}

bool diag_failed(const Diag *diag) { return diag->num_errors + diag->num_refused > 0; }

static const char *kind_word(DiagKind kind) {
    switch (kind) {
    case DIAG_ERROR: return "error";
    case DIAG_REFUSED: return "not supported";
    case DIAG_RAISED: return "exception";
    case DIAG_WARNING: return "warning";
    case DIAG_REMARK: return "remark";
    case DIAG_PRINTED: return "printed";
    case DIAG_NOTE: return "note";
    case DIAG_HELP: return "help";
    }
    BUG("bad diagnostic kind %d", (int)kind);
}

enum { WIDEST_LINE = 160 }; /* longer source lines are cut, for files that are not text */

/* Bytes that are not printable ASCII or part of UTF-8 come out as '?': the terminal is the user's.
 */
static void put_line(Buf *out, Str line) {
    for (int i = 0; i < line.length && i < WIDEST_LINE; i++) {
        unsigned char c = (unsigned char)line.data[i];
        buf_putc(out, c == '\t' ? ' ' : c < 0x20 || c == 0x7f ? '?' : (char)c);
    }
    if (line.length > WIDEST_LINE) buf_puts(out, " ...");
    buf_putc(out, '\n');
}

static void put_caret(Buf *out, const Source *source, const DiagEntry *entry, int line,
                      int column) {
    Str text = source_line(source, line);
    int end = column - 1 + (entry->span.end - entry->span.start);
    if (end > text.length) end = text.length;
    int caret = entry->caret < 0 ? column - 1 : column - 1 + entry->caret - entry->span.start;
    if (caret > WIDEST_LINE) return;
    buf_puts(out, "     | ");
    for (int i = 0; i < WIDEST_LINE && (i < end || i <= caret); i++) {
        /* A continuation byte of UTF-8 takes no column of its own. */
        if (i < text.length && ((unsigned char)text.data[i] & 0xc0) == 0x80) continue;
        buf_putc(out, i == caret ? '^' : i < column - 1 ? ' ' : '~');
    }
    buf_putc(out, '\n');
}

static void print_entry(const DiagEntry *entry, Buf *out) {
    const Source *source = entry->span.source;
    const char *kind = entry->kind == DIAG_RAISED ? "" : kind_word(entry->kind);
    const char *colon = *kind ? ": " : "";
    if (!source) {
        buf_printf(out, "%s%s%.*s\n", kind, colon, STR_ARG(entry->text));
        return;
    }
    int line, column;
    source_position(source, entry->span.start, &line, &column);
    buf_printf(out, "%.*s:%d:%d: %s%s%.*s\n", STR_ARG(source->name), line, column, kind, colon,
               STR_ARG(entry->text));
    if (entry->kind == DIAG_HELP) return;
    buf_printf(out, "%4d | ", line);
    put_line(out, source_line(source, line));
    put_caret(out, source, entry, line, column);
}

void diag_print(const Diag *diag, bool with_remarks, Buf *out) {
    for (int i = 0; i < diag->entries.count; i++) {
        const DiagEntry *entry = &diag->entries.data[i];
        if (entry->kind == DIAG_REMARK && !with_remarks) continue;
        if (entry->kind == DIAG_PRINTED) continue;
        print_entry(entry, out);
    }
    int left_out = diag->num_errors + diag->num_refused - DIAG_MAX_ERRORS;
    if (left_out > 0) buf_printf(out, "and %d more errors\n", left_out);
}

Str diag_words(Arena *arena, const Diag *diag) {
    Buf words = {.arena = arena};
    buf_puts(&words, "");
    diag_print(diag, false, &words);
    while (words.length && words.data[words.length - 1] == '\n') words.data[--words.length] = 0;
    return buf_str(&words);
}
