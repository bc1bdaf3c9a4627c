# SPDX-License-Identifier: Apache-2.0
"""as_triton: programs that use Triton, unchanged, on tern's devices.

Two things of Triton's are replaced: the active driver, which programs ask for the device, and
JITFunction.run, by which all launches go. Autotuners and heuristics stay Triton's own. Where Triton
is absent, install_stub puts names in its place that files can import (stub/triton).
"""
import collections
import contextlib
import json
import os
import sys
import threading
import time

from . import _tern
from .compiled import parts
from .context import importing
from .jit import Function
from .source import unwrapped

# What was launched and compiled through here, by name: for reports.
launched = collections.Counter()


# What is wrong with a config, and not with the kernel: an autotuner goes on to the next one.
UNFIT = ("static assertion failed", "bytes of shared memory", "so many registers")


# Hooks of triton.knobs that tern has nothing to show to: who sets one is told.
UNSERVED = {"runtime": ("kernel_load_start_hook", "kernel_load_end_hook",
                        "add_stages_inspection_hook"), "compilation": ("listener",)}
# What a hook is told of a compilation. Other names, of what tern does not have, are refused.
Compiling = collections.namedtuple("JitFunctionInfo", "module name jit_function")


class About(dict):
    def __missing__(self, name):
        raise _tern.Unsupported(f"compile['{name}'] in a hook: tern has {', '.join(self)}")


class Skipped(Exception):
    """jit_cache_hook said that a kernel is not to be compiled; its launch does nothing."""


class Behind(Function):
    """The Function that a JITFunction is run by: compiles as Triton's knobs say."""

    knobs, warming = None, threading.local()

    @property
    def dot_precision(self):
        return self.knobs.language.fp32_default or None

    @property
    def index(self):
        return 0 if self.context.on_host else int(self.context.device.partition(":")[2] or 0)

    def compile(self, signature, num_warps, num_stages, debug, precise, bound):
        for group, names in UNSERVED.items():
            for name in names:
                if _calls(getattr(getattr(self.knobs, group), name, None)):
                    raise _tern.Unsupported(f"triton.knobs.{group}.{name}: tern calls "
                                            "launch_enter_hook, launch_exit_hook, jit_cache_hook "
                                            "and jit_post_compile_hook")
        options = {"num_warps": num_warps or 4, "num_stages": num_stages or 3, "debug": debug,
                   "enable_fp_fusion": not precise}
        told = self.told(signature, options, bound)
        if told and _told(self.knobs.runtime.jit_cache_hook, told):
            raise Skipped
        kernel = super().compile(signature, num_warps, num_stages, debug, precise, bound)
        _told(self.knobs.runtime.jit_post_compile_hook, told)
        return kernel

    def told(self, signature, options, bound):
        """The arguments of a compile hook; None: there is no hook."""
        runtime = self.knobs.runtime
        if runtime.jit_cache_hook is None and runtime.jit_post_compile_hook is None:
            return None
        types = dict(zip(self.arg_names, parts(signature)))
        constants = {row[0]: bound[row[0]] for row in self.rows if row[1]}
        is_warmup = getattr(self.warming, "on", False)
        key = f"{signature} {sorted(options.items())}"
        function = unwrapped(self.kernel)
        about = About(options, key=key, signature=types, constants=constants, num_ctas=1,
                      device=self.index, launch_cooperative_grid=False, extern_libs=(),
                      is_warmup=is_warmup)
        shown = ", ".join(f"{name}: {kind}" for name, kind in types.items())
        return {"key": key, "repr": f"{self.__name__}[{options}]({shown})",
                "fn": Compiling(function.__module__, function.__qualname__, self.kernel),
                "compile": about, "is_manual_warmup": is_warmup, "already_compiled": False}


def _told(hook, told):
    return hook is not None and hook(**told)


class Functions:
    """The Function of each JITFunction, made at its first launch; a changed text makes a new one."""

    def __init__(self, context, knobs):
        self.context, self.lock = context, threading.RLock()
        self.kind = type("Behind", (Behind,), {"knobs": knobs})

    def of(self, jit_function):
        made = jit_function.__dict__.get("_tern_function")
        if made is not None and made.context is self.context and made.seen is _text(jit_function):
            return made
        with self.lock:
            made = self.kind(jit_function, context=self.context)
            made.seen = _text(jit_function)
            jit_function.__dict__["_tern_function"] = made
            return made


def _text(jit_function):
    return jit_function.__dict__.get("_src")


def runner(functions, knobs, raised):
    """JITFunction.run. raised: an error of tern's -> one that programs which catch Triton's catch,
    too."""
    def run(self, *args, grid, warmup, **keywords):
        for hook in self.pre_run_hooks:
            hook(*args, **keywords)
        launched[self.__name__] += 1
        try:
            function = functions.of(self)
            if warmup:
                function.warming.on = True
                try:
                    return function.launch(None, *args, **keywords)
                finally:
                    function.warming.on = False
            if _calls(knobs.launch_enter_hook) or _calls(knobs.launch_exit_hook):
                return _hooked(function, knobs, grid, args, keywords)
            return function.launch(grid, *args, **keywords)
        except Skipped:
            return None
        except (_tern.CompileError, _tern.Unsupported) as error:
            raise raised(error) from error
    return run


def _calls(hook):
    """Whether somebody hooks: a chain of them may be empty."""
    return hook is not None and getattr(hook, "calls", True)


def _hooked(function, knobs, grid, args, keywords):
    call = function.prepare(grid, *args, **keywords)
    metadata = call.kernel.launch_metadata(grid, 0, *args)
    if _calls(knobs.launch_enter_hook):
        knobs.launch_enter_hook(metadata)
    call.launch()
    if _calls(knobs.launch_exit_hook):
        knobs.launch_exit_hook(metadata)
    return call.kernel


def _raised():
    """What is wrong with a configuration is an error that Triton's autotuner passes over."""
    from triton.compiler.errors import CompilationError, CompileTimeAssertionFailure
    from triton.runtime.errors import OutOfResources
    kinds = dict(zip(UNFIT, (CompileTimeAssertionFailure, OutOfResources, OutOfResources)))
    made = {}

    def also(ours, theirs):
        class CompileError(ours, theirs):
            def __init__(self, error):
                Exception.__init__(self, str(error))
                self.file, self.line, self.column = error.file, error.line, error.column

            __str__ = Exception.__str__
        CompileError.__name__ = ours.__name__
        return CompileError

    def raised(error):
        theirs = next((kind for words, kind in kinds.items() if words in str(error)),
                      CompilationError)
        kind = type(error), theirs
        if kind not in made:
            made[kind] = also(*kind)
        return made[kind](error)
    return raised


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
    """Of an Autotuner: the first config that prune_configs_by leaves and the device has room for;
    nothing is timed."""
    self.nargs = dict(zip(self.arg_names, args))
    first = None
    for config in self.every_config(keywords):
        self.best_config = config
        if config.pre_hook:
            config.pre_hook({**self.nargs, **keywords, **config.all_kwargs()})
        try:
            return self.fn.run(*args, **{**keywords, **config.all_kwargs()})
        except (_tern.CompileError, _tern.Unsupported) as error:
            if not any(words in str(error) for words in UNFIT):
                raise
            first = first or error
    raise first


def only_first(prune):
    """Of prune_configs: what it leaves, without all but the first. Subclasses with a run of their own
    ask it, and time the one that they get by _bench."""
    def pruned(self, keywords):
        return prune(self, keywords)[:1]
    return pruned


def not_timed(self, *args, **keywords):
    return [0.0, 0.0, 0.0]


def _bench_without_disk(self, key, configs, bench):
    """Triton's file of winners is for its own compiler's kernels."""
    bench()
    return False


def tell_children(device, tune):
    """Python processes that this one starts do the same when they import Triton: child/sitecustomize.py
    says how. One that is started without its environment, or with -I, -E or -S, does not."""
    child = os.path.join(os.path.dirname(os.path.abspath(__file__)), "child")
    paths = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    if child not in paths:
        os.environ["PYTHONPATH"] = os.pathsep.join([child, *paths])
    os.environ["TERN_AS_TRITON"] = json.dumps([device, tune])


_own = {}  # what is Triton's own of Autotuner, so that a second as_triton begins anew


def as_triton(device=None, tune=None):
    """Puts tern behind Triton for the rest of the process, and in those that it starts. Returns the
    context. device: as for context(); on cuda Triton's driver object stays. tune: let Triton's
    autotuner time its configs; else it takes the first (None: $TERN_TUNE is not 0)."""
    import triton
    tell_children(device, tune)
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
    from triton import knobs
    from triton.runtime.autotuner import Autotuner
    JITFunction.run = runner(Functions(context, knobs), knobs.runtime, _raised())
    for name in ("run", "_bench", "prune_configs"):
        setattr(Autotuner, name, _own.setdefault(name, getattr(Autotuner, name)))
    Autotuner.check_disk_cache = _bench_without_disk
    if not (os.environ.get("TERN_TUNE") != "0" if tune is None else tune):
        Autotuner.run, Autotuner._bench = run_first, not_timed
        Autotuner.every_config = _own["prune_configs"]
        Autotuner.prune_configs = only_first(_own["prune_configs"])
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
