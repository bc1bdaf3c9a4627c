# SPDX-License-Identifier: Apache-2.0
# copy: of lists, dicts, sets, tuples and instances; what does not change is itself.
from _functools import has


def copy(x):
    method = getattr(x, '__copy__', None)
    if method is not None:
        return method()
    if isinstance(x, (list, dict, set)):
        return x.copy()
    if not has(x, '__dict__') or isinstance(x, type):
        if hasattr(x, 'clone'):
            return x.clone()
        return x
    made = object.__new__(type(x))
    for name, value in vars(x).items():
        object.__setattr__(made, name, value)
    return made


def deepcopy(x, memo=None):
    if memo is None:
        memo = {}
    key = id(x)
    if key in memo:
        return memo[key]
    method = getattr(x, '__deepcopy__', None)
    if method is not None:
        memo[key] = method(memo)
        return memo[key]
    if isinstance(x, list):
        memo[key] = made = []
        made.extend(deepcopy(item, memo) for item in x)
        return made
    if isinstance(x, dict):
        memo[key] = made = x.copy()
        made.clear()
        for name, value in x.items():
            made[deepcopy(name, memo)] = deepcopy(value, memo)
        return made
    if isinstance(x, set):
        return x.copy()
    if isinstance(x, tuple):
        items = [deepcopy(item, memo) for item in x]
        if all(a is b for a, b in zip(items, x)):
            return x
        return type(x)(*items) if hasattr(x, '_fields') else tuple(items)
    if not has(x, '__dict__') or isinstance(x, type):
        if hasattr(x, 'clone'):
            memo[key] = x.detach().clone() if hasattr(x, 'detach') else x.clone()
            return memo[key]
        return x
    memo[key] = made = object.__new__(type(x))
    for name, value in vars(x).items():
        object.__setattr__(made, name, deepcopy(value, memo))
    return made
