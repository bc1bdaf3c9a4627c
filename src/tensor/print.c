// SPDX-License-Identifier: Apache-2.0
/* print: a tensor as PyTorch prints it: all numbers of one width, in the shortest of three forms
 * that shows four digits of each; of more than 1,000 elements three at each end of each
 * dimension. */
#include "tensor/tensor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NUMBER_SIZE = 352, MOST_DIGITS = 30 };

void print_options_fill(tern_print_options *to, const tern_print_options *from) {
    tern_print_options given = from ? *from : (tern_print_options){0};
    int digits = given.precision > MOST_DIGITS ? MOST_DIGITS : given.precision;
    *to = (tern_print_options){
        .size = sizeof *to,
        .precision = !digits      ? 4
                     : digits < 0 ? 0
                                  : digits,
        .threshold = !given.threshold      ? 1000
                     : given.threshold < 0 ? 0
                                           : given.threshold,
        .edge_items = given.edge_items > 0 ? given.edge_items : 3,
        .line_width = given.line_width > 0 ? given.line_width : 80,
        .exponents = given.exponents,
    };
}

void tern_set_print_options(tern_session *session, const tern_print_options *options) {
    print_options_fill(&session->print, options);
}

typedef enum NumberForm { FORM_INTEGER, FORM_WHOLE, FORM_FIXED, FORM_EXPONENT } NumberForm;

typedef struct Printer {
    Buf out;
    const tern_tensor *tensor;
    tern_print_options options;
    bool is_cut[TERN_MAX_RANK];   /* this dimension is shown at its ends only */
    int64_t shape[TERN_MAX_RANK]; /* of what is shown */
    int64_t count;                /* of its elements */
    const unsigned char *data;    /* row-major */
    NumberForm form;
    int width;
} Printer;

static const unsigned char *element_at(const Printer *printer, int64_t index) {
    return printer->data + (size_t)index * tern_dtype_size(printer->tensor->dtype);
}

/* Of the locale's decimal point a point. */
static void number_text(const Printer *printer, int64_t index, char text[NUMBER_SIZE]) {
    tern_dtype dtype = printer->tensor->dtype;
    const unsigned char *element = element_at(printer, index);
    if (dtype == TERN_BOOL) {
        snprintf(text, NUMBER_SIZE, "%s", *element ? "True" : "False");
        return;
    }
    if (printer->form == FORM_INTEGER) {
        int64_t value = tern_element_int(dtype, element);
        if (dtype == TERN_UINT64)
            snprintf(text, NUMBER_SIZE, "%llu", (unsigned long long)value);
        else
            snprintf(text, NUMBER_SIZE, "%lld", (long long)value);
        return;
    }
    double value = tern_element_double(dtype, element);
    if (isnan(value))
        snprintf(text, NUMBER_SIZE, "nan");
    else if (isinf(value))
        snprintf(text, NUMBER_SIZE, value > 0 ? "inf" : "-inf");
    else if (printer->form == FORM_EXPONENT)
        snprintf(text, NUMBER_SIZE, "%.*e", printer->options.precision, value);
    else if (printer->form == FORM_FIXED)
        snprintf(text, NUMBER_SIZE, "%.*f", printer->options.precision, value);
    else
        snprintf(text, NUMBER_SIZE, "%.0f.", value);
    for (char *c = text; *c; c++)
        if (*c == ',') *c = '.';
}

/* ---- which elements are shown ---- */

static void choose_shown(Printer *printer) {
    const tern_tensor *tensor = printer->tensor;
    int64_t edges = 2 * (int64_t)printer->options.edge_items;
    printer->count = 1;
    for (int d = 0; d < tensor->rank; d++) {
        printer->is_cut[d] = tensor->numel > printer->options.threshold && tensor->shape[d] > edges;
        printer->shape[d] = printer->is_cut[d] ? edges : tensor->shape[d];
        printer->count *= printer->shape[d];
    }
}

/* Reads what is shown, from a dimension on, and no more: there may be no memory for all of it. */
static tern_status read_shown(const Printer *printer, int dim, int64_t offset, unsigned char **to) {
    const tern_tensor *tensor = printer->tensor;
    bool is_last = dim == tensor->rank - 1, is_cut = printer->is_cut[dim];
    int64_t size = tensor->shape[dim], stride = tensor->strides[dim];
    int64_t edge = printer->options.edge_items, step = !is_last ? 1 : is_cut ? edge : size;
    tern_status status = TERN_OK;
    for (int64_t i = 0; i < size && !status; i += step) {
        if (is_cut && i == edge) i = size - edge;
        if (!is_last) {
            status = read_shown(printer, dim + 1, offset + i * stride, to);
            continue;
        }
        tern_tensor part = *tensor;
        part.rank = 1;
        part.shape[0] = part.numel = step;
        part.strides[0] = stride;
        part.offset = offset + i * stride;
        part.is_contiguous = stride == 1 || step == 1;
        status = tensor_read(&part, *to);
        *to += (size_t)step * tern_dtype_size(tensor->dtype);
    }
    return status;
}

typedef struct Range {
    double low, high; /* of the absolute values of what is finite and not 0 */
    bool is_whole, any;
} Range;

static void widen_range(const Printer *printer, int64_t index, Range *range) {
    double value = tern_element_double(printer->tensor->dtype, element_at(printer, index));
    if (!isfinite(value) || value == 0) return;
    double size = fabs(value);
    range->is_whole = range->is_whole && value == ceil(value);
    range->low = range->any ? fmin(range->low, size) : size;
    range->high = range->any ? fmax(range->high, size) : size;
    range->any = true;
}

static void widen_column(Printer *printer, int64_t index, bool all) {
    char text[NUMBER_SIZE];
    double value = tern_element_double(printer->tensor->dtype, element_at(printer, index));
    if (!all && (!isfinite(value) || value == 0)) return;
    number_text(printer, index, text);
    int length = (int)strlen(text);
    if (length > printer->width) printer->width = length;
}

static void choose_form(Printer *printer) {
    bool all = !tern_dtype_is_float(printer->tensor->dtype);
    printer->width = 1;
    printer->form = FORM_INTEGER;
    if (!all) {
        Range range = {.is_whole = true};
        for (int64_t i = 0; i < printer->count; i++) widen_range(printer, i, &range);
        bool far_apart = range.any && (range.high / range.low > 1000 || range.high > 1e8 ||
                                       (!range.is_whole && range.low < 1e-4));
        int exponents = printer->options.exponents;
        if (exponents && range.any) far_apart = exponents > 0;
        printer->form = far_apart ? FORM_EXPONENT : range.is_whole ? FORM_WHOLE : FORM_FIXED;
    }
    for (int64_t i = 0; i < printer->count; i++) widen_column(printer, i, all);
}

/* ---- layout ---- */

static void print_vector(Printer *printer, int64_t first, int indent) {
    int last = printer->tensor->rank - 1;
    int per_line = (printer->options.line_width - indent) / (printer->width + 2), on_line = 0;
    bool has_gap = printer->is_cut[last];
    if (per_line < 1) per_line = 1;
    buf_putc(&printer->out, '[');
    for (int64_t i = 0; i < printer->shape[last]; on_line++) {
        if (on_line == per_line) {
            buf_printf(&printer->out, ",\n%*s", indent + 1, "");
            on_line = 0;
        } else if (i)
            buf_puts(&printer->out, ", ");
        if (has_gap && i == printer->options.edge_items) {
            buf_puts(&printer->out, " ...");
            has_gap = false;
            continue;
        }
        char text[NUMBER_SIZE];
        number_text(printer, first + i++, text);
        buf_printf(&printer->out, "%*s", printer->width, text);
    }
    buf_putc(&printer->out, ']');
}

static void print_dims(Printer *printer, int dim, int64_t index, int indent) {
    int rank = printer->tensor->rank;
    bool has_gap = printer->is_cut[dim];
    if (dim == rank - 1) {
        print_vector(printer, index * printer->shape[dim], indent);
        return;
    }
    buf_putc(&printer->out, '[');
    for (int64_t i = 0; i < printer->shape[dim];) {
        if (i) {
            buf_putc(&printer->out, ',');
            for (int k = dim + 1; k < rank; k++) buf_putc(&printer->out, '\n');
            buf_printf(&printer->out, "%*s", indent + 1, "");
        }
        if (has_gap && i == printer->options.edge_items) {
            buf_puts(&printer->out, "...");
            has_gap = false;
            continue;
        }
        print_dims(printer, dim + 1, index * printer->shape[dim] + i++, indent + 1);
    }
    buf_putc(&printer->out, ']');
}

static void add_suffix(Printer *printer, const char *suffix) {
    static const int indent = (int)sizeof "tensor(" - 1;
    const char *end = strrchr(printer->out.data, '\n');
    /* Counted as PyTorch does, which takes a line after the first for one longer, and the first for
     * two. */
    size_t line = printer->out.length + 2 - (end ? (size_t)(end - printer->out.data) + 1 : 0);
    if (line + strlen(suffix) + 2 > (size_t)printer->options.line_width)
        buf_printf(&printer->out, ",\n%*s%s", indent, "", suffix);
    else
        buf_printf(&printer->out, ", %s", suffix);
}

static void print_tensor(Printer *printer, const char *device) {
    const tern_tensor *tensor = printer->tensor;
    tern_dtype dtype = tensor->dtype;
    char suffix[TERN_MAX_RANK * 22 + 16];
    bool names_type =
        dtype != TERN_FLOAT32 && (!tensor->numel || (dtype != TERN_INT64 && dtype != TERN_BOOL));
    buf_puts(&printer->out, "tensor(");
    if (!tensor->numel) {
        buf_puts(&printer->out, "[]");
    } else {
        choose_form(printer);
        if (tensor->rank)
            print_dims(printer, 0, 0, (int)printer->out.length);
        else {
            char text[NUMBER_SIZE];
            number_text(printer, 0, text);
            buf_printf(&printer->out, "%*s", printer->width, text);
        }
    }
    if (!strncmp(device, "cuda", 4)) {
        snprintf(suffix, sizeof suffix, "device='%s'", device);
        add_suffix(printer, suffix);
    }
    if (!tensor->numel && tensor->rank != 1) {
        SizesText sizes = sizes_text(tensor->shape, tensor->rank);
        sizes.text[strlen(sizes.text) - 1] = 0;
        snprintf(suffix, sizeof suffix, "size=(%s)", sizes.text + 1);
        add_suffix(printer, suffix);
    }
    if (names_type) {
        snprintf(suffix, sizeof suffix, "dtype=torch.%s", tern_torch_name(dtype));
        add_suffix(printer, suffix);
    }
    const char *function = tern_grad_function(tensor);
    if (function) {
        snprintf(suffix, sizeof suffix, "grad_fn=<%s>", function);
        add_suffix(printer, suffix);
    } else if (tern_requires_grad(tensor))
        add_suffix(printer, "requires_grad=True");
    buf_putc(&printer->out, ')');
}

static char *text_of(tern_session *session, Printer *printer, Arena *arena, const char *device) {
    if (setjmp(session->no_memory)) return NULL;
    printer->out.arena = arena;
    print_tensor(printer, device);
    char *text = malloc(printer->out.length + 1);
    if (text) memcpy(text, printer->out.data, printer->out.length + 1);
    return text;
}

char *tern_tensor_text(tern_tensor *tensor) {
    return tensor_is_live(tensor)
               ? tern_tensor_text_on(tensor, tern_device_name(tensor->session->context))
               : NULL;
}

char *tern_tensor_text_on(tern_tensor *tensor, const char *device) {
    if (!tensor_is_live(tensor)) return NULL;
    tern_session *session = tensor->session;
    Arena *arena = arena_new(&session->no_memory);
    Printer printer = {.tensor = tensor, .options = session->print};
    choose_shown(&printer);
    unsigned char *data = malloc((size_t)printer.count * tern_dtype_size(tensor->dtype) + 1);
    unsigned char *to = data;
    char *text = NULL;
    printer.data = data;
    bool is_whole = !tensor->rank || tensor->numel <= printer.options.threshold;
    bool is_read = data && !(is_whole ? tensor_read(tensor, data)
                                      : read_shown(&printer, 0, tensor->offset, &to));
    if (is_read) text = text_of(session, &printer, arena, device);
    if (!data || (is_read && !text)) session_fail(session, TERN_ERROR_NO_MEMORY, "out of memory");
    free(data);
    arena_free(arena);
    return text;
}
