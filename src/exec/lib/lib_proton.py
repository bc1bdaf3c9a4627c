# SPDX-License-Identifier: Apache-2.0
# triton.profiler: a scope is a range of tern's profiles (tern prof -- tern exec ..); sessions of its own are refused.
from _torch import refuse
from torch.cuda.nvtx import range_pop as _pop, range_push as _push


class scope:
    def __init__(self, name, metrics=None):
        self.name, self.function = name, None

    def __call__(self, *args, **kwargs):
        if self.function is None:
            made = scope(self.name)
            made.function = args[0]
            return made
        _push(self.name)
        try:
            return self.function(*args, **kwargs)
        finally:
            _pop()

    def __enter__(self):
        _push(self.name)

    def __exit__(self, *args):
        _pop()


def enter_scope(name, *args, **kwargs):
    _push(name)


def exit_scope(*args, **kwargs):
    _pop()


def start(*args, **kwargs):
    refuse("a session of triton.profiler: 'tern prof -- tern exec FILE.py' has times of ranges and kernels; start()")


activate = deactivate = finalize = profile = start
