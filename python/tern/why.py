# SPDX-License-Identifier: Apache-2.0
"""why: what bounds a launch, as `tern why` says it.

The command runs in a process of its own, on copies: tensors go to it in files, as the memory that they
span, which is all that a kernel sees of them. What has no such copy is refused."""
import ctypes
import json
import os
import tempfile

from . import _tern, command
from .jit import Function
from .source import MISSING, literal

# Of NumPy, where it has the type; others go as fp32, in which all of theirs are exact.
CODES = {"fp16": "<f2", "fp32": "<f4", "fp64": "<f8", "i1": "|b1", "i8": "|i1", "u8": "|u1",
         "i16": "<i2", "u16": "<u2", "i32": "<i4", "u32": "<u4", "i64": "<i8", "u64": "<u8"}


class Reasons:
    """What why found: `data` is what `tern why --json` prints (doc/why.md)."""

    def __init__(self, data):
        self.data = data

    def __getitem__(self, name):
        return self.data[name]

    @property
    def bound(self):
        return self.data["bound"]

    def rows(self):
        for name, one in self.data["resources"].items():
            least = one.get("least_s")
            share = one.get("share")
            yield (name, f"{one['work']:.4g} [{one['work_from']}]",
                   f"{one['ceiling']:.4g}/s [{one['ceiling_from']}]" if one.get("ceiling") else "?",
                   f"{least * 1e6:.4g} us" if least else "?",
                   f"{share:.1%}" if share is not None else "?", share)

    def title(self):
        grid = "x".join(str(n) for n in self.data["grid"] if n != 1) or "1"
        time = self.data["time_s"]
        return f"{self.data['kernel']} on {self.data['device']}, grid {grid}" + \
            (f": {time * 1e6:.4g} us" if time else "")

    def verdict(self):
        second = f" and {self.data['second']}" if self.data["second"] else ""
        gain = self.data["gain"]
        more = f": without that at most {gain:.3g} times as fast" if gain and gain > 1 else ""
        return f"bound by {self.data['bound']}{second}{more}"

    def __repr__(self):
        heads = ("resource", "work", "ceiling", "at least", "of time")
        lines = [f"  {a:<12}{b:>16}{c:>20}{d:>12}{e:>9}"
                 for a, b, c, d, e in [heads, *(row[:5] for row in self.rows())]]
        return "\n".join([self.title(), *lines, self.verdict()])

    def _repr_html_(self):
        from html import escape
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(text)}</td>" for text in row[:5]) +
            f'<td><div style="background:steelblue;height:1em;width:{100 * min(row[5] or 0, 1):.0f}px">'
            "</div></td></tr>" for row in self.rows())
        return (f"<p>{escape(self.title())}</p><table><tr><th>resource<th>work<th>ceiling<th>at least"
                f"<th>of time<th></tr>{rows}</table><p><b>{escape(self.verdict())}</b></p>")


# ---- memory, as files ----

class Files:
    """The tensors of one launch in a folder."""

    def __init__(self, folder):
        self.folder, self.spans = folder, []

    def write(self, name, value):
        """The words that load it."""
        dtype, low, content, wider = contents(name, value)
        high = low + len(content)
        for other_low, other_high, other_dtype, words in self.spans:
            if low == other_low and high == other_high and dtype == other_dtype:
                return words
            if low < other_high and other_low < high:
                raise _tern.Unsupported(f"parameter '{name}': its memory overlaps another's, but is "
                                        "not the same")
        if low % 16:
            raise _tern.Unsupported(f"parameter '{name}': memory that is not aligned to 16 bytes")
        path = os.path.join(self.folder, f"{len(self.spans)}.npy")
        data, code = (content, CODES[dtype]) if wider is None else (wider, "<f4")
        count = len(data) // int(code[2:])
        head = f"{{'descr': '{code}', 'fortran_order': False, 'shape': ({count},), }}"
        head += " " * (-(len(head) + 11) % 64) + "\n"
        with open(path, "wb") as file:
            file.write(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode() + data)
        words = f'load("{path}",{dtype})'
        self.spans.append((low, high, dtype, name if name.isidentifier() else words))
        return words


def contents(name, value):
    """(dtype, address, bytes, the same as fp32 where NumPy lacks the dtype)."""
    if hasattr(value, "untyped_storage"):
        return of_torch(value)
    if hasattr(value, "__cuda_array_interface__") and hasattr(value, "get"):
        dtype, _, content, wider = of_buffer(name, value.get())
        return dtype, value.__cuda_array_interface__["data"][0], content, wider
    if not hasattr(value, "__array_interface__") and not is_buffer(value):
        raise _tern.Unsupported(f"parameter '{name}': a {type(value).__name__}: give a tensor of "
                                "torch, an array of NumPy or CuPy, or a buffer")
    return of_buffer(name, value)


def is_buffer(value):
    try:
        memoryview(value).release()
    except TypeError:
        return False
    return True


def of_torch(value):
    import torch
    dtype, sizes = _tern.dtype_name(str(value.dtype)), value.size()
    last = sum((size - 1) * stride for size, stride in zip(sizes, value.stride()))
    count = 0 if 0 in sizes else last + 1
    flat = value.detach().as_strided((count,), (1,), value.storage_offset()).cpu()
    content = ctypes.string_at(flat.data_ptr(), count * flat.element_size())
    wider = None
    if dtype not in CODES:
        flat = flat.to(torch.float32)
        wider = ctypes.string_at(flat.data_ptr(), count * 4)
    return dtype, value.data_ptr(), content, wider


def of_buffer(name, value):
    interface = getattr(value, "__array_interface__", None)
    if interface is not None:  # also of types that the buffer protocol has no letter for
        if interface.get("strides") is not None:
            raise _tern.Unsupported(f"parameter '{name}': an array with gaps: copy it")
        dtype = _tern.dtype_name(str(value.dtype))
        wider = value.astype("float32").tobytes() if dtype and dtype not in CODES else None
        return dtype, interface["data"][0], value.tobytes(), wider
    with memoryview(value) as view:
        if not view.c_contiguous:
            raise _tern.Unsupported(f"parameter '{name}': an array with gaps: copy it")
        letter = {"f": "fp", "d": "fp", "e": "fp", "?": "i"}.get(view.format.lstrip("@=<|"))
        if letter is None:
            letter = "i" if view.format.lstrip("@=<|").islower() else "u"
        bits = 1 if view.format == "?" else 8 * view.itemsize
        content = view.tobytes()
        address = ctypes.addressof(ctypes.c_char.from_buffer(view)) if len(content) else 0
        return f"{letter}{bits}", address, content, None


# ---- values, in the command's words ----

def is_tensor(value):
    return any(hasattr(value, name) for name in ("data_ptr", "__array_interface__",
                                                 "__cuda_array_interface__", "__dlpack__")) or \
        is_buffer(value) and not isinstance(value, (bytes, str))


def words_of(name, value, files):
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        if '"' in value or "\\" in value or not value.isprintable():
            raise _tern.Unsupported(f"parameter '{name}': {value!r} has no form in a command line")
        return f'"{value}"'
    if isinstance(value, (tuple, list)):
        items = [words_of(f"{name}.{i}", item, files) for i, item in enumerate(value)]
        return "(" + ",".join(items) + ("," if len(items) == 1 else "") + ")"
    if hasattr(value, "block_shape") and hasattr(value, "base"):
        shape, strides, block = (",".join(str(int(n)) for n in getattr(value, what)) + ","
                                 for what in ("shape", "strides", "block_shape"))
        return f"desc({files.write(name + '.base', value.base)},({block}),shape=({shape})," \
               f"strides=({strides}))"
    if getattr(value, "ndim", None) == 0 and not hasattr(value, "data_ptr"):  # NumPy's numbers
        return words_of(name, value.item(), files)
    if is_tensor(value):
        return files.write(name, value)
    text = literal(value)
    if text is MISSING:
        raise _tern.Unsupported(f"parameter '{name}': a {type(value).__name__} has no form in a "
                                "command line")
    return text


def bind(function, args, keywords):
    """name -> value in order, and what is left of the keywords."""
    names, bound = function.arg_names, {}
    if len(args) > len(names):
        raise TypeError(f"{function.__name__}() takes {len(names)} arguments but {len(args)} were given")
    bound.update(zip(names, args))
    for name in [name for name in names if name in keywords]:
        if name in bound:
            raise TypeError(f"{function.__name__}() got multiple values for argument '{name}'")
        bound[name] = keywords.pop(name)
    for row in function.rows:
        if len(row) > 5:
            bound.setdefault(row[0], row[5])
    if len(bound) < len(names):
        function.complete(bound)
    return {name: bound[name] for name in names}, keywords


def why(kernel, grid, *args, device=None, hot=False, **keywords):
    """What bounds one launch: times it where the device is here (doc/why.md); device="sim:h100" and
    the like: at least how long on a GPU that is not. The arguments' memory is only read."""
    is_model = (device or "").startswith("sim")
    if isinstance(kernel, Function):
        function = kernel
    else:
        function = Function(kernel, "interp" if is_model else device)
    device = device or function.context.device
    bound, options = bind(function, args, keywords)
    grid = grid({**bound, **options}) if callable(grid) else grid
    grid = (grid,) if isinstance(grid, int) else tuple(grid)
    with tempfile.TemporaryDirectory(prefix="tern-why-") as folder:
        files, source, path = Files(folder), function.source, function.source.path
        if source.text is not None:
            path = os.path.join(folder, "kernel.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write(source.text)
        words = ["why", f"{path}:{source.name}", "--json", "--device", device, "--grid",
                 ",".join(str(int(n)) for n in grid)]
        for name, value in bound.items():
            words += ["-a", f"{name}={words_of(name, value, files)}"]
        for name, text in source.globals():
            words += ["--global", f"{name}={text}"]
        for option in ("num_warps", "num_stages"):
            if options.get(option) is not None:
                words += ["--" + option.replace("_", "-"), str(int(options.pop(option)))]
            options.pop(option, None)
        for name, value in options.items():
            function.option(name, value)
        return Reasons(json.loads(command.ask(words + ["--hot"] * hot)))
