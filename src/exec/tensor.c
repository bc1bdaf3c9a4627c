// SPDX-License-Identifier: Apache-2.0
/* tensor: torch.Tensor in a script: an object that holds a tern_tensor. weight: 1 where the script
 * calls its device 'cuda', which is the session's whatever that is. */
#include "exec/exec.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* ---- between objects and tensors ---- */

Object *tensor_wrap(Host *host, tern_tensor *tensor, bool is_cuda) {
    if (!tensor) return tensor_failed(host);
    Object *object = heap_host(host, &tensor_type, 0, NULL);
    object->payload = tensor;
    object->weight = is_cuda;
    return object;
}

static void tensor_free(Object *self) { tern_drop(self->payload); }

bool is_tensor_object(const Object *object) {
    return object && object->kind == OBJECT_HOST && object->type == &tensor_type;
}

bool want_tensor(Host *host, const Object *object, const char *what) {
    if (is_raised(host)) return false;
    if (is_tensor_object(object)) return true;
    host_raise(host, CLASS_TYPE_ERROR, "%s: argument must be Tensor, not %.*s", what,
               STR_ARG(class_info(class_of(host, object))->name));
    return false;
}

bool operand_of(Host *host, const Object *object, tern_operand *operand) {
    if (is_tensor_object(object)) {
        *operand = tern_of(tensor_of(object));
        return true;
    }
    if (object->kind == OBJECT_FLOAT) {
        *operand = tern_number(object->number);
        return true;
    }
    int64_t integer;
    if (!object_is_integral(object)) return false;
    if (!host_int(host, object, "the operand", &integer)) return false;
    *operand = tern_integer(integer);
    if (object->kind == OBJECT_BOOL) operand->kind = TERN_OPERAND_BOOL;
    return true;
}

/* A list or tuple of integers, or one. */
bool sizes_of(Host *host, Object *object, int *rank, int64_t *sizes) {
    int count = 1;
    Object **items = &object;
    if (!object_is_integral(object) && !host_items(host, object, &count, &items)) return false;
    if (count > TERN_MAX_RANK) return host_refuse(host, "tensors of more than 8 dimensions"), false;
    for (int i = 0; i < count; i++)
        if (!host_int(host, items[i], "a size", &sizes[i])) return false;
    *rank = count;
    return true;
}

bool torch_dtype_of(Host *host, const Object *object, tern_dtype *dtype) {
    if (object->kind == OBJECT_DTYPE && str_is(object->text, "torch")) {
        *dtype = tern_dtype_from_name(torch_dtype_name(object->ltype.dtype));
        return true;
    }
    host_raise(host, CLASS_TYPE_ERROR, "%s(): argument 'dtype' must be torch.dtype, not %.*s",
               host->script->calling, STR_ARG(class_info(class_of(host, object))->name));
    return false;
}

Object *dtype_object(Host *host, tern_dtype dtype) {
    return builtin_attribute(host->arena, STR("torch"), str_of(tern_torch_name(dtype)));
}

Object *size_object(Host *host, tern_tensor *tensor) {
    int rank = tern_rank(tensor);
    Object *items[TERN_MAX_RANK];
    for (int i = 0; i < rank; i++) items[i] = object_int(host->arena, tern_shape(tensor)[i]);
    return as_size(host, heap_list(host, OBJECT_TUPLE, rank, items));
}

/* ---- devices ---- */

static Object *device_get(Host *host, Object *self, Str name) {
    if (str_is(name, "type"))
        return object_str(host->arena, self->weight ? STR("cuda") : STR("cpu"));
    if (str_is(name, "index"))
        return self->weight ? object_int(host->arena, 0) : host->script->none;
    return NULL;
}

static void device_print(Host *host, Object *self, Buf *out, bool as_repr) {
    (void)host;
    if (as_repr)
        buf_puts(out, self->weight ? "device(type='cuda', index=0)" : "device(type='cpu')");
    else
        buf_puts(out, self->weight ? "cuda:0" : "cpu");
}

static Object *device_binary(Host *host, Operator op, Object *a, Object *b) {
    bool fits = op == OPERATOR_EQ || op == OPERATOR_NE;
    bool both = b->kind == OBJECT_HOST && b->type == &device_type && a->kind == OBJECT_HOST &&
                a->type == &device_type;
    if (!fits || !both) return NULL;
    return object_bool(host->arena, (a->weight == b->weight) == (op == OPERATOR_EQ));
}

const HostType device_type = {.name = "torch.device",
                              .attribute = device_get,
                              .print = device_print,
                              .binary = device_binary};

Object *device_object(Host *host, bool is_cuda) {
    Object *device = heap_host(host, &device_type, 0, NULL);
    device->weight = is_cuda;
    return device;
}

/* One that PyTorch has is refused. */
static Object *unknown_device(Host *host, const Object *object) {
    static const char known[] =
        "cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, "
        "maia, xla, lazy, vulkan, mps, meta, hpu, mtia, privateuseone";
    if (object->kind != OBJECT_STR) return host_refuse(host, "this device");
    const char *name = str_format(host->arena, "%.*s", STR_ARG(object->text)).data;
    size_t length = strcspn(name, ":");
    for (const char *at = known; *at; at += strspn(at, ", ")) {
        size_t here = strcspn(at, ",");
        if (here == length && !memcmp(at, name, here))
            return host_refuse(host, "the device '%s'", name);
        at += here;
    }
    return host_raise(host, CLASS_RUNTIME_ERROR,
                      "Expected one of %s device type at start of device string: %.*s", known,
                      (int)length, name);
}

/* 'cuda' is the session's device, by whatever name; so is 'cpu', unless the session is on a GPU. */
bool device_of(Host *host, const Object *object, bool *is_cuda) {
    bool gpu = !tern_device_property(tern_device_name(exec_of(host)->context), TERN_DEVICE_ON_HOST);
    if (!object || object->kind == OBJECT_NONE)
        *is_cuda = false;
    else if (object->kind == OBJECT_HOST && object->type == &device_type)
        *is_cuda = object->weight != 0;
    else if (object->kind == OBJECT_INT && object->integer == 0)
        *is_cuda = true;
    else if (object->kind == OBJECT_STR &&
             (str_is(object->text, "cpu") || str_is(object->text, "cuda") ||
              str_is(object->text, "cuda:0")))
        *is_cuda = str_starts(object->text, "cuda");
    else
        return unknown_device(host, object), false;
    static const char words[] =
        "tern exec: tensors of device 'cpu' lie on the GPU, too, and are computed there\n";
    Exec *exec = exec_of(host);
    if (gpu && !*is_cuda && exec->errors && !exec->has_said_where) {
        exec->errors(exec->output_user, words, sizeof words - 1);
        exec->has_said_where = true;
    }
    return true;
}

/* ---- attributes ---- */

static Object *transposed(Host *host, Object *self) {
    tern_tensor *tensor = tensor_of(self);
    int rank = tern_rank(tensor), dims[TERN_MAX_RANK];
    for (int i = 0; i < rank; i++) dims[i] = rank - 1 - i;
    return tensor_wrap(host, tern_permute(tensor, rank, dims), self->weight);
}

static Object *tensor_get(Host *host, Object *self, Str name) {
    tern_tensor *tensor = tensor_of(self);
    if (str_is(name, "shape")) return size_object(host, tensor);
    if (str_is(name, "dtype")) return dtype_object(host, tern_tensor_dtype(tensor));
    if (str_is(name, "device")) return device_object(host, self->weight);
    if (str_is(name, "ndim")) return object_int(host->arena, tern_rank(tensor));
    if (str_is(name, "layout")) {
        Object *more = module_import(host, STR("torch._more"));
        return is_raised(host) ? NULL : host_get(host, more, STR("strided"));
    }
    if (str_is(name, "is_cuda")) return object_bool(host->arena, self->weight);
    if (str_is(name, "T")) return transposed(host, self);
    if (str_is(name, "mT") || str_is(name, "mH"))
        return tern_rank(tensor) < 2
                   ? host_raise(host, CLASS_RUNTIME_ERROR,
                                "tensor.%s is only supported on matrices or batches of matrices. "
                                "Got %d-D tensor.",
                                str_is(name, "mT") ? "mT" : "mH", tern_rank(tensor))
                   : tensor_wrap(host, tern_transpose(tensor, -2, -1), self->weight);
    Object *of_gradients = grad_attribute(host, self, name);
    return of_gradients || is_raised(host) ? of_gradients : torch_method(host, self, name);
}

/* ---- operators ---- */

static int op_of(Operator op) {
    switch (op) {
    case OPERATOR_ADD: return TERN_OP_add;
    case OPERATOR_SUB: return TERN_OP_sub;
    case OPERATOR_MUL: return TERN_OP_mul;
    case OPERATOR_DIV: return TERN_OP_div;
    case OPERATOR_FLOORDIV: return TERN_OP_floor_divide;
    case OPERATOR_MOD: return TERN_OP_remainder;
    case OPERATOR_POW: return TERN_OP_pow;
    case OPERATOR_AND: return TERN_OP_bitwise_and;
    case OPERATOR_OR: return TERN_OP_bitwise_or;
    case OPERATOR_XOR: return TERN_OP_bitwise_xor;
    case OPERATOR_SHL: return TERN_OP_bitwise_left_shift;
    case OPERATOR_SHR: return TERN_OP_bitwise_right_shift;
    case OPERATOR_LT: return TERN_OP_lt;
    case OPERATOR_LE: return TERN_OP_le;
    case OPERATOR_GT: return TERN_OP_gt;
    case OPERATOR_GE: return TERN_OP_ge;
    case OPERATOR_EQ: return TERN_OP_eq;
    case OPERATOR_NE: return TERN_OP_ne;
    case OPERATOR_MATMUL:
    case OPERATOR_IS:
    case OPERATOR_IS_NOT:
    case OPERATOR_IN:
    case OPERATOR_NOT_IN:
    case OPERATOR_NEG:
    case OPERATOR_POS:
    case OPERATOR_INVERT: break;
    }
    return -1;
}

static Object *tensor_binary(Host *host, Operator op, Object *a, Object *b) {
    tern_operand operands[2];
    bool is_cuda = (is_tensor_object(a) && a->weight) || (is_tensor_object(b) && b->weight);
    if (op == OPERATOR_MATMUL && is_tensor_object(a) && is_tensor_object(b))
        return tensor_wrap(host, tern_matmul(tensor_of(a), tensor_of(b)), is_cuda);
    int id = op_of(op);
    if (id < 0) return host_refuse(host, "'%s' of tensors", operator_text(op));
    if (!operand_of(host, a, &operands[0]) || !operand_of(host, b, &operands[1])) return NULL;
    return tensor_wrap(host, tern_op((tern_op_id)id, operands, 2, 0, 0), is_cuda);
}

static Object *tensor_unary(Host *host, Operator op, Object *self) {
    tern_operand operand = tern_of(tensor_of(self));
    if (op == OPERATOR_POS) return self;
    tern_op_id id = op == OPERATOR_NEG ? TERN_OP_neg : TERN_OP_bitwise_not;
    return tensor_wrap(host, tern_op(id, &operand, 1, 0, 0), self->weight);
}

/* ---- subscripts ---- */

static bool key_part(Host *host, const Object *part, Buf *text) {
    if (part->kind == OBJECT_NONE)
        buf_puts(text, "None");
    else if (part->kind == OBJECT_ELLIPSIS)
        buf_puts(text, "...");
    else if (part->kind == OBJECT_INT)
        int128_print(text, part->integer);
    else if (part->kind == OBJECT_SLICE) {
        for (int i = 0; i < 3; i++) {
            if (i) buf_putc(text, ':');
            if (part->items[i]->kind == OBJECT_NONE) continue;
            const Object *end = host_index(host, part->items[i]);
            if (is_raised(host)) return false;
            if (!object_is_integral(end))
                return host_raise(host, CLASS_TYPE_ERROR,
                                  "slice indices must be integers or None or have an __index__ "
                                  "method"),
                       false;
            int128_print(text, end->integer);
        }
    } else {
        return host_refuse(host, "a tensor's subscript that is no integer, slice, None or '...'"),
               false;
    }
    return true;
}

static tern_tensor *view_at(Host *host, Object *self, Object *key) {
    Buf text = {.arena = host->arena};
    int count = key->kind == OBJECT_TUPLE ? key->num_items : 1;
    for (int i = 0; i < count; i++) {
        if (i) buf_puts(&text, ", ");
        if (!key_part(host, key->kind == OBJECT_TUPLE ? key->items[i] : key, &text)) return NULL;
    }
    tern_tensor *view = tern_at(tensor_of(self), text.length ? text.data : "");
    if (view) return view;
    const char *words = tern_message(exec_of(host)->context);
    bool index = strstr(words, "index") || strstr(words, "too many indices");
    host_raise(host, index ? CLASS_INDEX_ERROR : CLASS_RUNTIME_ERROR, "%s", words);
    return NULL;
}

/* Tensors and lists pick elements: lib/lib_torch_index.py. */
static bool picks(const Object *key) {
    if (is_tensor_object(key) || key->kind == OBJECT_LIST) return true;
    for (int i = 0; key->kind == OBJECT_TUPLE && i < key->num_items; i++)
        if (is_tensor_object(key->items[i]) || key->items[i]->kind == OBJECT_LIST) return true;
    return false;
}

static Object *picked(Host *host, const char *what, int num_args, Object *const *args) {
    Object *module = host_import(host, STR("torch._index"));
    Object *function = module ? host_get(host, module, str_of(what)) : NULL;
    return function ? host_invoke_with(host, function, num_args, args) : host->script->poison;
}

static Object *tensor_subscript(Host *host, Object *self, Object *key) {
    if (picks(key)) return picked(host, "take", 2, (Object *[]){self, key});
    tern_tensor *view = view_at(host, self, key);
    return view ? tensor_wrap(host, view, self->weight) : host->script->poison;
}

static bool overflows(const Object *number, tern_dtype dtype, bool is_listed) {
    double value = object_number(number);
    if (dtype == TERN_FLOAT32 && !is_listed) return isfinite(value) && fabs(value) > FLT_MAX;
    if (dtype == TERN_BOOL || tern_dtype_is_float(dtype)) return false;
    int bits = 8 * (int)tern_dtype_size(dtype);
    bool is_signed = dtype != TERN_UINT8;
    int128 most = ((int128)1 << (bits - is_signed)) - 1, least = is_signed ? -most - 1 : -most;
    if (number->kind != OBJECT_FLOAT) return number->integer < least || number->integer > most;
    return !(value >= (is_signed ? (double)least : 0) && value <= (double)most);
}

bool element_of(Host *host, const Object *number, tern_dtype dtype, bool is_listed,
                unsigned char *element) {
    bool is_float = tern_dtype_is_float(dtype);
    if (!is_float && dtype != TERN_BOOL && number->kind != OBJECT_FLOAT &&
        number->integer != (int64_t)number->integer)
        return host_raise(host, CLASS_VALUE_ERROR, "Overflow when unpacking long long"), false;
    if (overflows(number, dtype, is_listed)) {
        static const char name[][9] = {"int8_t", "int16_t", "int", "int64_t"},
                          listed[][9] = {"int8", "int16", "int32", "int64"};
        size_t size = tern_dtype_size(dtype);
        int at = size == 8 ? 3 : size == 4 ? 2 : (int)size - 1;
        host_raise(host, CLASS_RUNTIME_ERROR,
                   "value cannot be converted to type %s%s without overflow",
                   dtype == TERN_UINT8 ? "u" : "",
                   is_float    ? "float"
                   : is_listed ? listed[at]
                               : name[at]);
        return false;
    }
    if (is_float)
        tern_element_set_double(dtype, element, object_number(number));
    else if (dtype == TERN_BOOL)
        tern_element_set_int(dtype, element, object_number(number) != 0);
    else if (number->kind == OBJECT_FLOAT)
        tern_element_set_int(dtype, element, (int64_t)number->number);
    else
        tern_element_set_int(dtype, element, (int64_t)number->integer);
    return true;
}

tern_tensor *full_of(Host *host, const Object *number, tern_dtype dtype, int rank,
                     const int64_t *sizes) {
    unsigned char element[8] = {0};
    tern_session *session = exec_of(host)->session;
    if (!element_of(host, number, dtype, false, element)) return NULL;
    if (tern_dtype_is_float(dtype) || dtype == TERN_BOOL)
        return tern_full(session, dtype, rank, sizes, object_number(number));
    int64_t value = tern_element_int(dtype, element);
    if ((int128)(double)value == value)
        return tern_full(session, dtype, rank, sizes, (double)value);
    tern_tensor *one = tern_from(session, element, dtype, 0, NULL);
    tern_tensor *full = one ? tern_empty(session, dtype, rank, sizes) : NULL;
    bool failed = !full || tern_copy_into(full, one);
    tern_drop(one);
    if (failed) tern_drop(full);
    return failed ? NULL : full;
}

static bool tensor_set_subscript(Host *host, Object *self, Object *key, Object *value) {
    tern_operand operand;
    if (picks(key)) {
        picked(host, "put", 3, (Object *[]){self, key, value});
        return !is_raised(host);
    }
    tern_tensor *view = view_at(host, self, key);
    if (!view) return false;
    if (!operand_of(host, value, &operand)) {
        tern_drop(view);
        host_raise(host, CLASS_TYPE_ERROR, "can't assign a %.*s to a tensor",
                   STR_ARG(class_info(class_of(host, value))->name));
        return false;
    }
    tern_tensor *from = operand.tensor;
    if (!from) from = full_of(host, value, tern_tensor_dtype(view), 0, NULL);
    tern_status status = from ? tern_copy_into(view, from) : TERN_ERROR_NO_MEMORY;
    if (!operand.tensor) tern_drop(from);
    tern_drop(view);
    if (status && !is_raised(host)) tensor_failed(host);
    return !status;
}

/* ---- as numbers and text ---- */

static Object *item_of(Host *host, Object *self) {
    double number;
    int64_t integer;
    if (!host_may_do(host, "looking at a tensor's value")) return host->script->poison;
    tern_tensor *tensor = tensor_of(self);
    tern_dtype dtype = tern_tensor_dtype(tensor);
    if (tern_dtype_is_float(dtype)) {
        if (tern_item(tensor, &number)) return tensor_failed(host);
        return object_float(host->arena, number);
    }
    if (tern_item_int(tensor, &integer)) return tensor_failed(host);
    return dtype == TERN_BOOL ? object_bool(host->arena, integer != 0)
                              : object_int(host->arena, integer);
}

static bool tensor_truth(Host *host, Object *self) {
    int64_t count = tern_numel(tensor_of(self));
    if (count != 1) {
        host_raise(host, CLASS_RUNTIME_ERROR,
                   count ? "Boolean value of Tensor with more than one value is ambiguous"
                         : "Boolean value of Tensor with no values is ambiguous");
        return false;
    }
    Object *item = item_of(host, self);
    return !is_raised(host) && script_truth(host, item);
}

static int64_t tensor_length(Host *host, Object *self) {
    if (tern_rank(tensor_of(self))) return tern_shape(tensor_of(self))[0];
    host_raise(host, CLASS_TYPE_ERROR, "len() of a 0-d tensor");
    return -1;
}

static Object *tensor_next(Host *host, Object *self, int64_t index) {
    tern_tensor *tensor = tensor_of(self);
    if (!tern_rank(tensor))
        return host_raise(host, CLASS_TYPE_ERROR, "iteration over a 0-d tensor");
    if (index >= tern_shape(tensor)[0]) return NULL;
    return tensor_wrap(host, tern_select(tensor, 0, index), self->weight);
}

static void tensor_print(Host *host, Object *self, Buf *out, bool as_repr) {
    (void)as_repr;
    if (!host_may_do(host, "a tensor as text")) return;
    char *text = self->weight ? tern_tensor_text_on(tensor_of(self), "cuda:0")
                              : tern_tensor_text(tensor_of(self));
    if (!text) {
        tensor_failed(host);
        return;
    }
    if (self->script_class) buf_puts(out, "Parameter containing:\n");
    buf_puts(out, text);
    tern_free(text);
}

/* As torch: a tensor without dimensions is its number. */
static Object *tensor_format(Host *host, Object *self, Str spec) {
    if (tern_rank(tensor_of(self))) {
        if (!spec.length) return NULL;
        return host_raise(host, CLASS_TYPE_ERROR,
                          "unsupported format string passed to Tensor.__format__");
    }
    Object *item = item_of(host, self);
    return is_raised(host) ? item : host_format(host, item, spec);
}

const HostType tensor_type = {.name = "torch.Tensor",
                              .free = tensor_free,
                              .attribute = tensor_get,
                              .set_attribute = grad_set_attribute,
                              .binary = tensor_binary,
                              .unary = tensor_unary,
                              .subscript = tensor_subscript,
                              .set_subscript = tensor_set_subscript,
                              .next = tensor_next,
                              .length = tensor_length,
                              .truth = tensor_truth,
                              .print = tensor_print,
                              .format = tensor_format,
                              .make = tensor_make};

/* torch.set_printoptions: 0 of none of them is as at first. */
Object *run_print_options(Host *host, Object *const *args, const HostCall *call) {
    int64_t numbers[5];
    (void)call;
    for (int i = 0; i < COUNT(numbers); i++)
        if (!host_int(host, args[i], "a print option", &numbers[i]))
            return is_raised(host) ? host->script->poison : host->script->none;
    tern_print_options options = {.size = sizeof options,
                                  .precision = (int)numbers[0],
                                  .threshold = numbers[1],
                                  .edge_items = (int)numbers[2],
                                  .line_width = (int)numbers[3],
                                  .exponents = (int)numbers[4]};
    tern_set_print_options(exec_of(host)->session, &options);
    return is_raised(host) ? host->script->poison : host->script->none;
}
