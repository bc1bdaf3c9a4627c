// SPDX-License-Identifier: Apache-2.0
/* watch: what a function that is traced must not do (script.h, Watch). */
#include "lang/script.h"

bool host_may_change(Host *host, const Object *object, const char *what) {
    if (!is_outside(host, object)) return true;
    host_refuse(host, "%s from outside is changed while a function is compiled", what);
    return false;
}

bool host_may_do(Host *host, const char *what) {
    if (!host->script->watch) return true;
    host_refuse(host, "%s while a function is compiled", what);
    return false;
}
