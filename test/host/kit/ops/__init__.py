# SPDX-License-Identifier: Apache-2.0
import importlib
import pkgutil

importlib.import_module('kit.ops.backends')
seen = []
for _, name, ispkg in pkgutil.iter_modules(__path__):
    seen.append((name, ispkg))
    if ispkg and not name.startswith('_') and name != 'backends':
        importlib.import_module(f'{__name__}.{name}')
deep = [(m.name, m.ispkg) for m in pkgutil.walk_packages(__path__, __name__ + '.')]
