# SPDX-License-Identifier: Apache-2.0
# pkgutil: which modules a package has, in the folders that a script's imports reach.
from collections import namedtuple
from _files import modules as _modules
from _torch import import_module as _import, refuse as _refuse

ModuleInfo = namedtuple('ModuleInfo', 'module_finder name ispkg')


def iter_modules(path=None, prefix=''):
    if path is None:
        _refuse('iter_modules() of all modules there are')
    if isinstance(path, str):
        raise ValueError('path must be None or list of paths to look for modules in')
    seen = set()
    for folder in path:
        for name, ispkg in _modules(folder):
            if name not in seen:
                seen.add(name)
                yield ModuleInfo(None, prefix + name, ispkg)


def walk_packages(path=None, prefix='', onerror=None):
    for info in iter_modules(path, prefix):
        yield info
        if not info.ispkg:
            continue
        try:
            package = _import(info.name)
        except ImportError:
            if onerror is not None:
                onerror(info.name)
            continue
        except Exception:
            if onerror is None:
                raise
            onerror(info.name)
            continue
        yield from walk_packages(package.__path__, info.name + '.', onerror)
