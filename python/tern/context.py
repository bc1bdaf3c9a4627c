# SPDX-License-Identifier: Apache-2.0
"""Contexts: one for each device that the process uses, opened when first asked for."""
import json
import os
import sys

from . import _tern

_open = {}


def _torch_stream(index):
    """torch's current stream where torch is loaded and has begun to use the GPU, else the default."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_initialized():
        return 0
    return torch._C._cuda_getCurrentRawStream(index)


def context(device=None, **options):
    """The context of a device: "cpu", "interp", "sim", "cuda", "cuda:1"; None: $TERN_DEVICE, else
    cuda where there is one, else cpu. With options (num_threads, cache_dir, compiler, include,
    timeout_ms, order_seed, watch) it is a new one."""
    if options:
        return _tern.Context(device, stream_of=_torch_stream, **options)
    if device not in _open:
        made = _tern.Context(device, stream_of=_torch_stream)
        device_open = _open.setdefault(made.device, made)
        _open[device] = device_open
    return _open[device]


def importing(device=None):
    """As context(), but what kernels import is looked for where Python looks, too."""
    if (device, "importing") not in _open:
        folders = [path for path in sys.path if os.path.isdir(path)]
        made = context(device, include=folders)
        _open[device, "importing"] = _open.setdefault((made.device, "importing"), made)
    return _open[device, "importing"]


def synchronize(device=None):
    """Waits for the kernels of a device; a failure of one that still ran is raised here."""
    context(device).synchronize()


def devices():
    """What is here and what is missing: a list of dicts (name, available, description, how)."""
    return json.loads(_tern.devices())
