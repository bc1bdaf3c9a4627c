# SPDX-License-Identifier: Apache-2.0
"""jit: a kernel that is called as Triton's are: kernel[grid](*args, BLOCK=1024, num_warps=8)."""
import ast

from . import _tern
from .compiled import Compiled
from .context import context as context_of
from .source import MISSING, literal, module_of, source_of

# Hints for Triton's own code generators: whatever they say, results are the same.
HINTS = {"maxnreg", "launch_cooperative_grid", "launch_pdl", "waves_per_eu", "kpack",
         "matrix_instr_nonkdim", "num_buffers_warp_spec", "num_consumer_groups",
         "instrumentation_mode", "sanitize_overflow", "arch", "warp_size", "backend_name",
         "default_dot_input_precision", "num_ctas"}


def annotated_type(text):
    """The type that a parameter's annotation gives it, as Triton reads it; "": none."""
    text = text.strip().strip("'\"").strip()
    if text.startswith("*") or text.endswith("*"):
        inner = annotated_type(text.strip("*").removeprefix("k"))
        return "*" + inner if inner else ""
    for prefix in ("tl.", "triton.language."):
        text = text.removeprefix(prefix)
    if text == "int":
        return "i32"
    return _tern.dtype_name(text) or "" if text.replace("_", "").isalnum() else ""


def rows_of(parameters, defaults):
    """Launcher's rows from what the file says; defaults: name -> value, where Python knows them."""
    rows = []
    for p in parameters:
        kind = "" if p["is_constexpr"] else annotated_type(p["annotation"])
        keeps = p["do_not_specialize"] or kind[:1] in ("f", "b")
        row = (p["name"], p["is_constexpr"], kind, not keeps,
               not p["do_not_specialize_on_alignment"])
        value = MISSING
        if p["has_default"]:
            value = defaults.get(p["name"], MISSING)
            if value is MISSING and p["default"] is not None:
                try:
                    value = ast.literal_eval(p["default"])
                except ValueError:
                    pass
        rows.append(row if value is MISSING else row + (value,))
    return rows


class Function(_tern.Launcher):
    """A kernel on a device. kernel[grid](..) launches it and returns what was compiled."""

    dot_precision = None  # of tl.dot where the text names none

    def __new__(cls, kernel, device=None, context=None):
        return super().__new__(cls)

    def __init__(self, kernel, device=None, context=None):
        self.context = context or context_of(device)
        self.source = source_of(self.context, kernel)
        module = module_of(self.context, self.source)
        found = module.function(self.source.name)
        if found is None:
            names = ", ".join(module.functions())
            raise _tern.LaunchError(f"{self.source.path}: no kernel '{self.source.name}', only: "
                                    f"{names}")
        self.__name__ = self.source.name.partition("@")[0]
        self.kernel, self.text, self.line = kernel, found["text"], found["line"]
        self.file = self.source.path
        function, defaults = self.source.function, {}
        if function is not None:
            self.__doc__, self.__module__ = function.__doc__, function.__module__
            values = function.__defaults__ or ()
            count = function.__code__.co_argcount
            defaults = dict(zip(function.__code__.co_varnames[count - len(values):count], values))
            defaults.update(function.__kwdefaults__ or {})
        self.rows = rows_of(found["parameters"], defaults)
        self.arg_names = [row[0] for row in self.rows]
        super().__init__(self.context, self.__name__, self.rows)

    def __repr__(self):
        return f"tern.Function({self.file}:{self.source.name} on {self.context.device})"

    def on(self, context):
        """The same kernel in another context."""
        return type(self)(self.kernel, context=context)

    @property
    def configs(self):
        """What @triton.autotune lists: dicts of constants, num_warps, num_stages. Those with a
        pre_hook are refused: nobody would call it."""
        module = module_of(self.context, self.source)
        configs = []
        for values, warps, stages, has_hook in module.configs(self.source.name):
            if has_hook:
                raise _tern.Unsupported(f"{self.__name__}: config {len(configs)} has a pre_hook, "
                                        "which only an autotuner calls (tern.as_triton); give the "
                                        "constants yourself")
            config = {name: ast.literal_eval(text) for name, text in values.items()}
            config.update({k: v for k, v in (("num_warps", warps), ("num_stages", stages)) if v})
            configs.append(config)
        return configs

    def warmup(self, *args, grid=None, **keywords):
        """Compiles for these arguments, and does not launch."""
        return self.launch(None, *args, **keywords)

    # ---- what the launcher asks ----

    def compile(self, signature, num_warps, num_stages, debug, precise, bound):
        watched = []
        module = module_of(self.context, self.source, watched)
        self.watch(watched)
        kernel = module.compile(self.source.name, signature, num_warps=num_warps,
                                num_stages=num_stages, debug=debug, precise=precise,
                                dot_precision=self.dot_precision)
        constants = {row[0]: bound[row[0]] for row in self.rows if row[1]}
        kernel.more = Compiled(kernel, self, constants, {
            "num_warps": num_warps, "num_stages": num_stages, "debug": debug,
            "enable_fp_fusion": not precise})
        return kernel

    def literal(self, parameter, value):
        text = literal(value)
        if text is MISSING:
            raise TypeError(f"parameter '{parameter}': a {type(value).__name__} is neither a "
                            f"tensor nor a number nor a constant that tern knows: {value!r}")
        return text

    def option(self, name, value):
        if name not in HINTS:
            raise TypeError(f"{self.__name__}() got an unexpected keyword argument '{name}'")
        if name == "num_ctas" and value not in (None, 1):
            raise _tern.Unsupported(f"num_ctas={value}: clusters of blocks")

    def complete(self, bound):
        missing = [name for name in self.arg_names if name not in bound]
        configs = self.configs if self.source.function is None else []
        hint = ""
        if any(name in config for config in configs for name in missing):
            hint = (f"; @triton.autotune has {len(configs)} configs: give one, "
                    "**kernel.configs[0]")
        names = ", ".join(f"'{name}'" for name in missing)
        raise TypeError(f"{self.__name__}() missing argument{'s' * (len(missing) > 1)} {names}"
                        f"{hint}")


def jit(kernel=None, *, device=None, context=None, **options):
    """A Function from "file.py:name", "file.py" with one kernel, a Python function, or what
    @triton.jit made. Also as a decorator: @tern.jit, @tern.jit(device="interp"). Options of
    @triton.jit in the decorator (do_not_specialize ..) are read from the source text."""
    if kernel is None:
        return lambda function: Function(function, device, context)
    return Function(kernel, device, context)
