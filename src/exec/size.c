// SPDX-License-Identifier: Apache-2.0
/* size: torch.Size, a class of tuples. */
#include "exec/exec.h"

Object *as_size(Host *host, Object *tuple) {
    tuple->text = STR("torch.Size");
    tuple->script_class = exec_of(host)->size_class;
    return tuple;
}

/* torch.Size(iterable) */
static Object *make_size(Host *host, const HostCall *call) {
    int count = 0;
    Object **items = NULL;
    if (call->num_args && !host_items(host, call->args[0], &count, &items))
        return host->script->poison;
    for (int i = 0; i < count; i++) {
        items[i] = host_index(host, items[i]);
        if (!is_raised(host) && !object_is_integral(items[i]))
            return host_raise(host, CLASS_TYPE_ERROR,
                              "torch.Size() takes an iterable of 'int' (item %d is '%.*s')", i,
                              STR_ARG(class_info(class_of(host, items[i]))->name));
    }
    if (is_raised(host)) return host->script->poison;
    return as_size(host, heap_list(host, OBJECT_TUPLE, count, items));
}
static const HostType size_type = {.name = "torch.Size", .make = make_size};

Object *size_class(Host *host) {
    Object *class = class_new(host, STR("Size"), 1, &host->script->classes[CLASS_TUPLE]);
    Class *info = class_info(class);
    info->host_type = &size_type, info->qualified = STR("Size");
    info->module = host_keep(host, object_str(host->arena, STR("torch")));
    return exec_of(host)->size_class = class;
}
