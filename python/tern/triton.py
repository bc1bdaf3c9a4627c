# SPDX-License-Identifier: Apache-2.0
"""as_triton: programs that use Triton, unchanged, on tern's devices.

Two things of Triton's are replaced: the active driver, which programs ask for the device, and
JITFunction.run, by which all launches go. Autotuners and heuristics stay Triton's own. Where Triton
is absent, install_stub puts names in its place that files can import (stub/triton).
"""
import collections
import contextlib
import os
import sys
import threading
import time

from . import _tern
from .context import importing
from .jit import Function

# What was launched and compiled through here, by name: for reports.
launched = collections.Counter()


class Functions:
    """The Function of each JITFunction, made at its first launch; a changed text makes a new one."""

    def __init__(self, context):
        self.context = context
        self.lock = threading.RLock()

    def of(self, jit_function):
        made = jit_function.__dict__.get("_tern_function")
        if made is not None and made.context is self.context and made.seen is _text(jit_function):
            return made
        with self.lock:
            made = Function(jit_function, context=self.context)
            made.seen = _text(jit_function)
            jit_function.__dict__["_tern_function"] = made
            return made


def _text(jit_function):
    return jit_function.__dict__.get("_src")


def _runner(functions, errors):
    """errors: tern's class -> one that programs which catch Triton's catch, too."""
    def run(self, *args, grid, warmup, **keywords):
        for hook in self.pre_run_hooks:
            hook(*args, **keywords)
        launched[self.__name__] += 1
        try:
            return functions.of(self).launch(None if warmup else grid, *args, **keywords)
        except tuple(errors) as error:
            raise errors[type(error)](error) from error
    return run


def _errors(theirs):
    def also(ours):
        class CompileError(ours, theirs):
            def __init__(self, error):
                Exception.__init__(self, str(error))
                self.file, self.line, self.column = error.file, error.line, error.column

            __str__ = Exception.__str__
        CompileError.__name__ = ours.__name__
        return CompileError
    return {ours: also(ours) for ours in (_tern.CompileError, _tern.Unsupported)}


class Utils:
    """What programs ask of driver.active.utils."""

    def __init__(self, context):
        self.context = context

    def get_device_properties(self, device=0):
        # The limits that kernels are chosen by are those of sm_90; the rest is this machine's.
        return {"multiprocessor_count": len(os.sched_getaffinity(0)), "max_shared_mem": 232448,
                "max_num_regs": 65536, "warpSize": 32, "sm_clock_rate": 1, "mem_clock_rate": 1,
                "mem_bus_width": 1}

    def set_printf_fifo_size(self, size):
        pass


class Driver:
    """What programs ask of triton.runtime.driver.active, on a device whose memory is the host's."""

    def __init__(self, context):
        self.context, self.utils = context, Utils(context)

    @classmethod
    def is_active(cls):
        return True

    def get_current_target(self):
        from triton.backends.compiler import GPUTarget
        return GPUTarget("cpu", 0, 32)

    def get_current_device(self):
        return 0

    def set_current_device(self, device):
        pass

    def get_current_stream(self, device=0):
        return 0

    def get_device_capability(self, device=0):
        return 9, 0

    def get_active_torch_device(self):
        import torch
        return torch.device("cpu")

    def get_device_interface(self):
        import torch
        return torch.cpu

    def map_python_to_cpp_type(self, kind):
        raise _tern.Unsupported("C++ types: tern has no launcher in C++")

    def get_benchmarker(self):
        return _bench

    def get_empty_cache_for_benchmark(self):
        return None

    def clear_cache(self, cache):
        pass


def _bench(call, quantiles=(0.5, 0.2, 0.8), **ignored):
    """The autotuner's clock: three runs after one that compiles."""
    call()
    times = []
    for _ in range(3):
        start = time.perf_counter()
        call()
        times.append((time.perf_counter() - start) * 1e3)
    times.sort()
    return [times[1], times[0], times[2]]


def run_first(self, *args, **keywords):
    """Of an Autotuner: the first config that prune_configs_by leaves; nothing is timed."""
    self.nargs = dict(zip(self.arg_names, args))
    self.best_config = config = self.prune_configs(keywords)[0]
    if config.pre_hook:
        config.pre_hook({**self.nargs, **keywords, **config.all_kwargs()})
    return self.fn.run(*args, **{**keywords, **config.all_kwargs()})


def _bench_without_disk(self, key, configs, bench):
    """Triton's file of winners is for its own compiler's kernels."""
    bench()
    return False


def as_triton(device=None, tune=None):
    """Puts tern behind Triton for the rest of the process. Returns the context. device: as for
    context(); on cuda Triton's driver object stays. tune: let Triton's autotuner time its configs;
    else it takes the first (None: $TERN_TUNE is not 0)."""
    import triton
    if getattr(triton, "__tern__", False):
        return triton.run_on(device)
    from triton.runtime.jit import JITFunction
    needed = [name for name in ("params", "pre_run_hooks", "_src")
              if name not in JITFunction.__init__.__code__.co_names
              and name not in JITFunction.__mro__[1].__init__.__code__.co_names]
    if needed or not hasattr(triton.runtime.driver, "set_active"):
        raise _tern.Unsupported(f"Triton {triton.__version__} has no {', '.join(needed)}")
    context = importing(device)
    if context.on_host:
        triton.runtime.driver.set_active(Driver(context))
    from triton.compiler.errors import CompilationError
    from triton.runtime.autotuner import Autotuner
    JITFunction.run = _runner(Functions(context), _errors(CompilationError))
    Autotuner.check_disk_cache = _bench_without_disk
    if not (os.environ.get("TERN_TUNE") != "0" if tune is None else tune):
        Autotuner.run = run_first
    return context


def stub_path():
    return os.path.join(os.path.dirname(__file__), "stub")


def install_stub():
    """Puts the stub where `import triton` finds it, unless Triton is there. Returns whether."""
    with contextlib.suppress(ImportError):
        import triton
        return getattr(triton, "__tern__", False)
    sys.path.append(stub_path())
    return True
