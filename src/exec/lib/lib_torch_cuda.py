# SPDX-License-Identifier: Apache-2.0
# torch.cuda: what says which device is meant. There is one.
from _torch import Tensor, refuse


def _only(device):
    if isinstance(device, str):
        index = int(device.partition(':')[2] or 0)
    elif isinstance(device, int) or device is None:
        index = device
    else:
        index = (device.device if isinstance(device, Tensor) else device).index
    if index is not None and index > 0:
        raise RuntimeError('CUDA error: invalid device ordinal')


class device:
    def __init__(self, device):
        _only(device)

    def __enter__(self):
        return None

    def __exit__(self, type, value, traceback):
        return False


class device_of(device):
    pass


def set_device(device):
    _only(device)


def empty_cache():
    return None


def reset_peak_memory_stats(device=None):
    return None


def max_memory_allocated(device=None):
    refuse('torch.cuda.max_memory_allocated')


def memory_allocated(device=None):
    refuse('torch.cuda.memory_allocated')
