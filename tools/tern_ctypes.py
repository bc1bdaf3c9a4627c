# SPDX-License-Identifier: Apache-2.0
"""libtern from Python, as far as the tools that compare with PyTorch and Triton need it.

The structs follow include/tern.h; `size` fields are filled, so a newer library still fits.
"""
import ctypes as C
import os

POINTER, INT, FLOAT = 3, 1, 2  # enum tern_argument_kind
STAGE_PTX, STAGE_FACTS = 3, 4  # enum tern_stage


class OpenOptions(C.Structure):
    _fields_ = [("size", C.c_size_t), ("device", C.c_char_p), ("num_threads", C.c_int),
                ("cache_dir", C.c_char_p), ("include_dirs", C.c_void_p),
                ("num_include_dirs", C.c_int), ("compiler", C.c_char_p), ("timeout_ms", C.c_int),
                ("launch_blocking", C.c_bool)]


class Options(C.Structure):
    _fields_ = [("size", C.c_size_t), ("num_warps", C.c_int), ("num_stages", C.c_int),
                ("config", C.c_int), ("target", C.c_char_p), ("debug", C.c_bool)]


class Argument(C.Structure):
    _fields_ = [("kind", C.c_int), ("buffer", C.c_void_p), ("offset", C.c_size_t),
                ("integer", C.c_int64), ("number", C.c_double), ("pointer", C.c_void_p)]


class Parameter(C.Structure):
    _fields_ = [("name", C.c_char_p), ("dtype", C.c_int), ("is_pointer", C.c_bool),
                ("divisible", C.c_int), ("constant", C.c_char_p)]


class TernError(Exception):
    pass


def load_library(path):
    lib = C.CDLL(os.path.abspath(path))
    v, i, s = C.c_void_p, C.c_int, C.c_char_p
    for name, result, arguments in [
        ("tern_version", s, []),
        ("tern_open", v, [C.POINTER(OpenOptions), C.POINTER(i), s, C.c_size_t]),
        ("tern_close", None, [v]), ("tern_message", s, [v]),
        ("tern_device_description", s, [v]),
        ("tern_load_file", v, [v, s]), ("tern_module_free", None, [v]),
        ("tern_module_set_global", i, [v, s, s]),
        ("tern_compile", v, [v, s, s, C.POINTER(Options)]), ("tern_kernel_free", None, [v]),
        ("tern_kernel_text", s, [v, i]),
        ("tern_kernel_parameter", C.POINTER(Parameter), [v, i]),
        ("tern_launch", i, [v, v, C.POINTER(C.c_uint32), C.POINTER(Argument), i]),
        ("tern_synchronize", i, [v]), ("tern_stream_wrap", v, [v, v]),
    ]:
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    return lib


class Tern:
    """A context of one device, with the modules loaded so far."""

    def __init__(self, library, device, cache_dir=None, num_threads=0, include_dirs=()):
        self.path, self.lib = library, load_library(library)
        status, words = C.c_int(), C.create_string_buffer(4096)
        folders = (C.c_char_p * len(include_dirs))(*[os.fsencode(x) for x in include_dirs])
        options = OpenOptions(size=C.sizeof(OpenOptions), device=device.encode(), num_threads=num_threads,
                              cache_dir=None if cache_dir is None else cache_dir.encode(),
                              include_dirs=C.cast(folders, C.c_void_p), num_include_dirs=len(include_dirs))
        self.context = self.lib.tern_open(C.byref(options), C.byref(status), words, len(words))
        if not self.context:
            raise TernError(words.value.decode(errors="replace"))
        self.modules = {}
        self.stream = None

    def version(self):
        return self.lib.tern_version().decode()

    def description(self):
        return self.lib.tern_device_description(self.context).decode()

    def fail(self):
        raise TernError(self.lib.tern_message(self.context).decode(errors="replace"))

    def adopt_stream(self, handle):
        self.stream = self.lib.tern_stream_wrap(self.context, handle or None) or self.fail()

    def module(self, path, fresh=False):
        if fresh or path not in self.modules:
            module = self.lib.tern_load_file(self.context, path.encode()) or self.fail()
            if fresh:
                return module
            self.modules[path] = module
        return self.modules[path]

    def set_global(self, path, name, text):
        if self.lib.tern_module_set_global(self.module(path), name.encode(), text.encode()):
            self.fail()

    def compile(self, path, function, signature, num_warps=0, target=None, module=None,
                num_stages=0):
        options = Options(size=C.sizeof(Options), num_warps=num_warps, num_stages=num_stages,
                          target=None if target is None else target.encode())
        return self.lib.tern_compile(module or self.module(path), function.encode(),
                                     signature.encode(), C.byref(options)) or self.fail()

    def text(self, kernel, stage):
        text = self.lib.tern_kernel_text(kernel, stage)
        return text.decode(errors="replace") if text else ""

    def is_constant(self, kernel, index):
        return self.lib.tern_kernel_parameter(kernel, index).contents.dtype == 0  # TERN_VOID

    def launcher(self, kernel, grid, values):
        """A callable that launches with these values; all conversion is done here, once."""
        arguments = (Argument * max(1, len(values)))()
        for argument, value in zip(arguments, values):
            if hasattr(value, "data_ptr"):
                argument.kind, argument.pointer = POINTER, value.data_ptr()
            elif isinstance(value, float):
                argument.kind, argument.number = FLOAT, value
            else:
                argument.kind, argument.integer = INT, int(value)
        dims = (C.c_uint32 * 3)(*(list(grid) + [1, 1])[:3])
        launch, stream, count, fail = self.lib.tern_launch, self.stream, len(values), self.fail

        def call():
            if launch(stream, kernel, dims, arguments, count):
                fail()

        return call
