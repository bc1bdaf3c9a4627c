# SPDX-License-Identifier: Apache-2.0
import importlib
import pkgutil
from .registry import register, REGISTRY

for _, name, ispkg in pkgutil.iter_modules(__path__):
    if ispkg and name.startswith('_'):
        importlib.import_module('.' + name, __package__)
