# SPDX-License-Identifier: Apache-2.0
# torch.amp: there is no autocast, so what marks functions for it marks nothing and cast_inputs= casts nothing.
from _torch import refuse


def custom_fwd(fwd=None, *, device_type=None, cast_inputs=None):
    return (lambda f: f) if fwd is None else fwd


def custom_bwd(bwd=None, *, device_type=None):
    return (lambda f: f) if bwd is None else bwd


class autocast:
    def __init__(self, device_type=None, dtype=None, enabled=True, cache_enabled=None):
        if enabled:
            refuse('autocast')

    def __enter__(self):
        return self

    def __exit__(self, *args):
        return None
