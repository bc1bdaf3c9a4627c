// SPDX-License-Identifier: Apache-2.0
/* grad: gradients in scripts: what tensors say of them, backward, Parameter, and what C has of
 * torch.autograd.Function. The tape is tern_tensor.h's; the rest is lib/lib_torch_autograd.py. */
#include "exec/exec.h"

#include <stdlib.h>

static Object *none_of(Host *host) {
    return is_raised(host) ? host->script->poison : host->script->none;
}
static bool given(const Object *object) { return object && object->kind != OBJECT_NONE; }

/* ---- attributes of tensors ---- */

Object *grad_attribute(Host *host, Object *self, Str name) {
    tern_tensor *tensor = tensor_of(self);
    if (str_is(name, "requires_grad")) return object_bool(host->arena, tern_requires_grad(tensor));
    if (str_is(name, "is_leaf")) return object_bool(host->arena, tern_is_leaf(tensor));
    if (str_is(name, "data")) return tensor_wrap(host, tern_detach(tensor), self->weight);
    if (str_is(name, "grad")) {
        if (!host_may_do(host, "a gradient")) return host->script->poison;
        tern_tensor *gradient = tern_gradient(tensor);
        return gradient ? tensor_wrap(host, gradient, self->weight) : host->script->none;
    }
    if (str_is(name, "grad_fn")) {
        const char *function = tern_grad_function(tensor);
        if (!function) return host->script->none;
        return object_str(host->arena, str_format(host->arena, "<%s>", function));
    }
    return NULL;
}

bool grad_set_attribute(Host *host, Object *self, Str name, Object *value) {
    tern_tensor *tensor = tensor_of(self);
    if (!host_may_do(host, "setting an attribute of a tensor")) return false;
    if (str_is(name, "requires_grad")) {
        if (tern_set_requires_grad(tensor, script_truth(host, value))) tensor_failed(host);
    } else if (str_is(name, "grad")) {
        if (given(value) && !want_tensor(host, value, "grad")) return false;
        if (tern_set_gradient(tensor, given(value) ? tensor_of(value) : NULL)) tensor_failed(host);
    } else if (str_is(name, "data")) {
        if (!want_tensor(host, value, "data")) return false;
        tern_tensor *other = tern_detach(tensor_of(value));
        bool wants = tern_requires_grad(tensor) && tern_is_leaf(tensor);
        if (!other || (wants && tern_set_requires_grad(other, true)))
            return tensor_failed(host), false;
        self->payload = other;
        tern_drop(tensor);
    } else {
        host_refuse(host, "setting '%.*s' of a Tensor", STR_ARG(name));
    }
    return !is_raised(host);
}

/* ---- backward ---- */

static bool is_set(Host *host, Object *flag) { return flag && script_truth(host, flag); }

/* self, gradient?, retain_graph?, create_graph?, inputs? */
Object *run_backward(Host *host, Object *const *args, const HostCall *call) {
    (void)call;
    if (!want_tensor(host, args[0], "tensor") || !host_may_do(host, "backward()"))
        return none_of(host);
    if (given(args[1]) && !want_tensor(host, args[1], "gradient")) return none_of(host);
    if (given(args[4])) return host_refuse(host, "inputs= of backward");
    tern_backward_options options = {.create_graph = is_set(host, args[3])};
    options.retain_graph = given(args[2]) ? is_set(host, args[2]) : options.create_graph;
    tern_status status =
        tern_backward(tensor_of(args[0]), given(args[1]) ? tensor_of(args[1]) : NULL, &options);
    if (exec_of(host)->is_out_of_memory) longjmp(host->script->no_memory, 1);
    if (status && !is_raised(host)) tensor_failed(host);
    return none_of(host);
}

/* outputs, inputs, grad_outputs, retain_graph, create_graph, allow_unused: lists */
static Object *run_grad(Host *host, Object *const *args, const HostCall *call) {
    enum { MOST = 256 };
    tern_tensor *lists[3][MOST], *gradients[MOST];
    int counts[3] = {0};
    (void)call;
    if (!host_may_do(host, "autograd.grad()")) return none_of(host);
    for (int i = 0; i < 3; i++) {
        Object **items;
        if (!host_items(host, args[i], &counts[i], &items)) return none_of(host);
        if (counts[i] > MOST) return host_refuse(host, "more than %d tensors", MOST);
        for (int k = 0; k < counts[i]; k++) {
            if (i < 2 || given(items[k]))
                if (!want_tensor(host, items[k], "grad()")) return none_of(host);
            lists[i][k] = given(items[k]) ? tensor_of(items[k]) : NULL;
        }
    }
    tern_backward_options options = {.retain_graph = is_set(host, args[3]),
                                     .create_graph = is_set(host, args[4]),
                                     .allow_unused = is_set(host, args[5])};
    tern_status status = tern_grad(lists[0], counts[2] ? lists[2] : NULL, counts[0], lists[1],
                                   counts[1], gradients, &options);
    if (exec_of(host)->is_out_of_memory) longjmp(host->script->no_memory, 1);
    if (status && !is_raised(host)) tensor_failed(host);
    if (is_raised(host)) return none_of(host);
    Object *list = heap_list(host, OBJECT_LIST, 0, NULL);
    bool is_cuda = counts[1] && args[1]->num_items && args[1]->items[0]->weight;
    for (int i = 0; i < counts[1]; i++)
        list_insert(host, list, i,
                    gradients[i] ? tensor_wrap(host, gradients[i], is_cuda) : host->script->none);
    return list;
}

/* ---- torch.autograd.Function ---- */

/* Of one application; lives until the tape lets it go. */
typedef struct Applied {
    Host host; /* which outlives the call */
    Object *backward, *context;
    bool is_cuda;
} Applied;

static void applied_release(void *user) {
    Applied *applied = user;
    if (!applied->host.script->is_closing) {
        host_drop(&applied->host, applied->backward);
        host_drop(&applied->host, applied->context);
    }
    free(applied);
}

static Object *wrap_all(Host *host, tern_tensor *const *tensors, int count, bool is_cuda) {
    Object *list = heap_list(host, OBJECT_LIST, 0, NULL);
    for (int i = 0; i < count; i++)
        list_insert(host, list, i,
                    tensors[i] ? tensor_wrap(host, tern_keep(tensors[i]), is_cuda)
                               : host->script->none);
    return list;
}

/* backward(ctx, saved, gradients): the text's, which gives a list of gradients or None. */
static tern_status call_backward(Applied *applied, const tern_backward_call *call) {
    Host *host = &applied->host;
    int count;
    Object **items,
        *args[] = {applied->context, wrap_all(host, call->saved, call->num_saved, applied->is_cuda),
                   wrap_all(host, call->out_gradients, call->num_out, applied->is_cuda)};
    Object *result = host_invoke_with(host, applied->backward, 3, args);
    if (is_raised(host) || !host_items(host, result, &count, &items)) return TERN_ERROR_ARGUMENT;
    while (count > call->num_in && !given(items[count - 1])) count--; /* as torch */
    if (count != call->num_in) {
        host_raise(host, CLASS_RUNTIME_ERROR,
                   "function backward returned an incorrect number of gradients (expected %d, "
                   "got %d)",
                   call->num_in, count);
        return TERN_ERROR_ARGUMENT;
    }
    for (int i = 0; i < count; i++) {
        if (!given(items[i]) || !call->is_needed[i]) continue;
        if (!want_tensor(host, items[i], "a gradient")) return TERN_ERROR_ARGUMENT;
        call->in_gradients[i] = tern_keep(tensor_of(items[i]));
    }
    return TERN_OK;
}

static tern_status applied_backward(const tern_backward_call *call) {
    Applied *applied = call->user;
    Script *script = applied->host.script;
    jmp_buf outer; /* what runs out of memory must leave the tape first */
    volatile tern_status status = TERN_ERROR_NO_MEMORY;
    const int depth = script->depth;
    if (script->raised) return TERN_ERROR_ARGUMENT;
    memcpy(&outer, &script->no_memory, sizeof outer);
    if (setjmp(script->no_memory)) {
        exec_of(&applied->host)->is_out_of_memory = true;
        script->depth = depth;
    } else {
        status = call_backward(applied, call);
    }
    memcpy(&script->no_memory, &outer, sizeof outer);
    return status;
}

static bool tensors_of(Host *host, Object *list, int most, tern_tensor **tensors, int *count) {
    Object **items;
    if (!host_items(host, list, count, &items)) return false;
    if (*count > most) return host_refuse(host, "more than %d tensors", most), false;
    for (int i = 0; i < *count; i++)
        tensors[i] = is_tensor_object(items[i]) ? tensor_of(items[i]) : NULL;
    return true;
}

/* name, backward, ctx, inputs, outputs, saved, not_differentiable, keeps_missing */
static Object *run_record(Host *host, Object *const *args, const HostCall *call) {
    enum { MOST = 64 };
    tern_tensor *in[MOST], *out[MOST], *saved[MOST];
    int num_in, num_out, num_saved;
    int64_t skipped;
    Str name;
    (void)call;
    if (!host_may_do(host, "torch.autograd.Function")) return none_of(host);
    if (!host_text(host, args[0], "name", &name) || !tensors_of(host, args[3], MOST, in, &num_in) ||
        !tensors_of(host, args[4], MOST, out, &num_out) ||
        !tensors_of(host, args[5], MOST, saved, &num_saved) ||
        !host_int(host, args[6], "outputs", &skipped))
        return none_of(host);
    Applied *applied = calloc(1, sizeof *applied);
    if (!applied) longjmp(host->script->no_memory, 1);
    applied->host = (Host){.arena = host->script->scratch,
                           .module = host->module,
                           .diag = host->diag,
                           .span = host->span,
                           .script = host->script};
    applied->backward = host_keep(host, args[1]);
    applied->context = host_keep(host, args[2]);
    for (int i = 0; i < num_out && args[4]->num_items; i++)
        applied->is_cuda |= is_tensor_object(args[4]->items[i]) && args[4]->items[i]->weight;
    tern_grad_rule rule = {.name = str_c(host->arena, name),
                           .backward = applied_backward,
                           .release = applied_release,
                           .user = applied,
                           .not_differentiable = (uint64_t)skipped,
                           .keeps_missing = script_truth(host, args[7])};
    if (tern_record(exec_of(host)->session, &rule, in, num_in, out, num_out, saved, num_saved))
        return tensor_failed(host);
    return none_of(host);
}

/* ---- grad mode, Parameter ---- */

static Object *run_set_mode(Host *host, Object *const *args, const HostCall *call) {
    (void)call;
    if (!host_may_do(host, "no_grad()")) return none_of(host);
    bool was = tern_set_grad_mode(exec_of(host)->session, script_truth(host, args[0]));
    return object_bool(host->arena, was);
}
static Object *run_mode(Host *host, Object *const *args, const HostCall *call) {
    (void)args, (void)call;
    return object_bool(host->arena, tern_grad_mode(exec_of(host)->session));
}

/* Parameter.__new__(cls, data, requires_grad=True): a tensor whose class is Parameter. */
static Object *run_parameter(Host *host, Object *const *args, const HostCall *call) {
    (void)call;
    if (!want_tensor(host, args[1], "data") || !host_may_do(host, "making a Parameter"))
        return none_of(host);
    Object *made = tensor_wrap(host, tern_detach(tensor_of(args[1])), args[1]->weight);
    if (is_raised(host)) return made;
    made->script_class = args[0];
    bool wants = !args[2] || script_truth(host, args[2]);
    if (wants && tern_set_requires_grad(tensor_of(made), true)) return tensor_failed(host);
    return made;
}

static Object *parameter_class(Host *host) {
    static const Native make = NATIVE("Parameter", "cls, data, requires_grad?", run_parameter);
    Object *tensor = class_of(host, heap_host(host, &tensor_type, 0, NULL));
    Object *class = class_new(host, STR("Parameter"), 1, &tensor);
    if (is_raised(host)) return class;
    class_info(class)->module = host_keep(host, object_str(host->arena, STR("torch.nn.parameter")));
    map_set(&class_info(class)->members, STR("__new__"),
            host_keep(host, native_new(host, &make, NULL)));
    return class;
}

/* ---- steps of optimisers ---- */

static bool four_lists(Host *host, Object *const *args, int num_lists, tern_tensor **lists[4],
                       int *count) {
    for (int i = 0; i < num_lists; i++) {
        Object **items;
        int num;
        if (!host_items(host, args[i], &num, &items)) return false;
        if (i && num != *count) return host_refuse(host, "lists of different lengths"), false;
        *count = num;
        lists[i] = arena_array(host->arena, tern_tensor *, num + 1);
        for (int k = 0; k < num; k++)
            lists[i][k] = is_tensor_object(items[k]) ? tensor_of(items[k]) : NULL;
    }
    return true;
}

/* parameters, gradients, momenta, numbers: lr, momentum, dampening, weight_decay, nesterov,
 * maximize, is_first */
static Object *run_sgd(Host *host, Object *const *args, const HostCall *call) {
    tern_tensor **lists[4];
    int count = 0, num;
    double n[7];
    Object **numbers;
    (void)call;
    if (!host_may_do(host, "an optimiser's step") || !four_lists(host, args, 3, lists, &count) ||
        !host_items(host, args[3], &num, &numbers) || num != 7)
        return none_of(host);
    for (int i = 0; i < 7; i++)
        if (!host_double(host, numbers[i], "a number", &n[i])) return none_of(host);
    tern_sgd_options options = {.lr = n[0],
                                .momentum = n[1],
                                .dampening = n[2],
                                .weight_decay = n[3],
                                .nesterov = n[4] != 0,
                                .maximize = n[5] != 0,
                                .is_first = n[6] != 0};
    if (tern_sgd_step(lists[0], lists[1], n[1] != 0 ? lists[2] : NULL, count, &options))
        return tensor_failed(host);
    return none_of(host);
}

/* parameters, gradients, means, squares, numbers: lr, beta1, beta2, eps, weight_decay, coupled,
 * maximize, step */
static Object *run_adam(Host *host, Object *const *args, const HostCall *call) {
    tern_tensor **lists[4];
    int count = 0, num;
    double n[8];
    Object **numbers;
    (void)call;
    if (!host_may_do(host, "an optimiser's step") || !four_lists(host, args, 4, lists, &count) ||
        !host_items(host, args[4], &num, &numbers) || num != 8)
        return none_of(host);
    for (int i = 0; i < 8; i++)
        if (!host_double(host, numbers[i], "a number", &n[i])) return none_of(host);
    tern_adam_options options = {.lr = n[0],
                                 .beta1 = n[1],
                                 .beta2 = n[2],
                                 .eps = n[3],
                                 .weight_decay = n[4],
                                 .is_coupled = n[5] != 0,
                                 .maximize = n[6] != 0,
                                 .step = (int64_t)n[7]};
    if (tern_adam_step(lists[0], lists[1], lists[2], lists[3], count, &options))
        return tensor_failed(host);
    return none_of(host);
}

Object *grad_open(Host *host, Str path) {
    static const Native rows[] = {
        NATIVE("backward", "tensor, gradient?, retain_graph?, create_graph?, inputs?",
               run_backward),
        NATIVE("grad", "outputs, inputs, grads, retain, create, unused", run_grad),
        NATIVE("record", "name, backward, ctx, inputs, outputs, saved, skipped, keeps_missing",
               run_record),
        NATIVE("set_mode", "mode", run_set_mode),
        NATIVE("mode", "", run_mode),
        NATIVE("sgd_step", "parameters, gradients, momenta, numbers", run_sgd),
        NATIVE("adam_step", "parameters, gradients, means, squares, numbers", run_adam)};
    if (!str_is(path, "_torch.grad")) return NULL;
    Object *module = host_module_of(host, "_torch.grad", rows, COUNT(rows));
    module_add(host, module, "Parameter", parameter_class(host));
    return module;
}
