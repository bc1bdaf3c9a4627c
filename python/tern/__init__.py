# SPDX-License-Identifier: Apache-2.0
"""tern: Triton kernels from Python, on the CPU and NVIDIA GPUs, without Triton and LLVM.

    import tern
    kernel = tern.jit("softmax.py:softmax_kernel")      # or an @triton.jit function
    kernel[grid](x, out, x.shape[1], BLOCK=1024)        # torch, NumPy, DLPack, GPU arrays

doc/python.md is the manual. Neither torch nor NumPy nor Triton is imported or needed.
"""
from ._tern import (CompileError, Context, DeviceError, Error, Kernel, KernelError, LaunchError,
                    OutOfMemory, SystemError, Unsupported, version as __version__)
from .context import context, devices, synchronize
from .jit import Function, jit
from .measure import bench, check
from .why import why

__all__ = ["CompileError", "Context", "DeviceError", "Error", "Function", "Kernel", "KernelError",
           "LaunchError", "OutOfMemory", "SystemError", "Unsupported", "as_triton", "bench",
           "check", "context", "devices", "install_stub", "jit", "synchronize", "why"]


def as_triton(device=None, tune=None):
    """From now on, what this process launches through Triton runs on tern (see doc/python.md)."""
    from .triton import as_triton as replace
    return replace(device, tune)


def install_stub():
    """Where Triton is absent: what files import of it are names that tern stands behind."""
    from .triton import install_stub as install
    return install()
