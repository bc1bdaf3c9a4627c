# SPDX-License-Identifier: Apache-2.0
# importlib: import_module, of modules of tern's own and of the files that imports reach.
from _torch import import_module as _import, refuse


def import_module(name, package=None):
    if not name.startswith('.'):
        return _import(name)
    if not package:
        raise TypeError(f"the 'package' argument is required to perform a relative import for {name!r}")
    level = len(name) - len(name.lstrip('.'))
    parts = package.split('.')
    if level > len(parts):
        raise ImportError('attempted relative import beyond top-level package')
    base = '.'.join(parts[:len(parts) - level + 1])
    rest = name[level:]
    return _import(f'{base}.{rest}' if rest else base)


def reload(module):
    refuse('importlib.reload')
