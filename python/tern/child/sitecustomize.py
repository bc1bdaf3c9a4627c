# SPDX-License-Identifier: Apache-2.0
"""sitecustomize: what Python runs first in processes that a program starts after tern.as_triton()
(multiprocessing's spawn and forkserver, subprocess, pytest-xdist): as_triton put this folder into
PYTHONPATH. As soon as such a process imports Triton, tern is behind it there, too.

The sitecustomize that this one hides is run as well.
"""
import importlib
import importlib.util
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def as_triton(told):
    package = os.path.dirname(os.path.dirname(HERE))
    if importlib.util.find_spec("tern") is None:
        sys.path.append(package)
    import tern
    tern.as_triton(*told)


class Finder:
    """Of triton, once: as it would be found, and then tern put behind it."""

    def __init__(self, told):
        self.told = told

    def find_spec(self, name, path=None, target=None):
        if name != "triton":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None:  # as where the parent did without Triton
            sys.path.append(os.path.join(os.path.dirname(HERE), "stub"))
            spec = importlib.util.find_spec(name)
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            as_triton(self.told)

        spec.loader.exec_module = exec_module
        return spec


def run_hidden():
    """The sitecustomize behind this one. Where there is none, this one stays."""
    own, paths = sys.modules.pop(__name__, None), list(sys.path)
    sys.path[:] = [path for path in paths if os.path.abspath(path) != HERE]
    try:
        importlib.import_module("sitecustomize")
    except ModuleNotFoundError as error:
        if error.name != "sitecustomize":
            raise
        sys.modules[__name__] = own
    finally:
        sys.path[:] = paths


if "TERN_AS_TRITON" in os.environ:
    sys.meta_path.insert(0, Finder(json.loads(os.environ["TERN_AS_TRITON"])))
if __name__ == "sitecustomize":
    run_hidden()
