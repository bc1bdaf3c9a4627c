# SPDX-License-Identifier: Apache-2.0
"""Source: where the text of a kernel is, and what Python knows that the text does not say.

A kernel is compiled from its file, so that errors name their place. The values that its globals and
closures have in this process count before what the file would say; they are part of the key under
which the parsed file is kept, so that two closures of one text never see each other's values.
"""
import ast
import importlib.util
import inspect
import os
import re
import symtable
import sys
import textwrap

from . import _tern

MISSING = object()


def unwrapped(function):
    """The Python function within @triton.jit, autotune and heuristics objects."""
    for _ in range(20):
        if inspect.isfunction(function):
            return function
        function = getattr(function, "fn", None)
    return None


def is_jit(value):
    """Of @triton.jit, ours or the stub's: not a plain function that has an fn."""
    return hasattr(value, "fn") and hasattr(value, "arg_names") and unwrapped(value) is not None


def literal(value):
    """A value as the signature and globals write it; MISSING: it has no such form."""
    kind = type(value)
    if value is None or kind in (bool, int):
        return repr(value)
    if kind is float:
        return repr(value) if value - value == 0 else f"float('{value}')"
    if kind is str:
        return ascii(value)
    if kind.__name__ == "constexpr" and hasattr(value, "value"):
        return literal(value.value)
    if isinstance(value, (tuple, list)):
        return _items(value)
    if isinstance(value, (bool, int, float, str)):  # enumerations, NumPy's float64
        base = next(t for t in (bool, int, float, str) if isinstance(value, t))
        return literal(base(value))
    if is_jit(value):
        return unwrapped(value).__name__
    if "dtype" in kind.__name__.lower() or hasattr(value, "itemsize"):
        return _tern.dtype_name(str(value)) or MISSING
    if hasattr(value, "__index__") and not hasattr(value, "shape"):
        return repr(int(value))
    return MISSING


def _items(values):
    names = getattr(values, "_fields", None)
    parts = [literal(value) for value in values]
    if MISSING in parts:
        return MISSING
    if names:
        parts = [f"{name}={part}" for name, part in zip(names, parts)]
    return "(" + ", ".join(parts) + ("," if len(parts) == 1 and not names else "") + ")"


def scope_of(function, text=None):
    """name -> value of all that the function's text may name: closure before globals. text: one that
    was put in the place of the function's own, which then has other names."""
    code = function.__code__
    names = set(code.co_names) | set(code.co_freevars) | set(re.findall(r"[^\W\d]\w*", text or ""))
    for inner in code.co_consts:  # comprehensions
        if inspect.iscode(inner):
            names |= set(inner.co_names)
    scope = {name: function.__globals__[name] for name in names if name in function.__globals__}
    for name, cell in zip(code.co_freevars, function.__closure__ or ()):
        try:
            scope[name] = cell.cell_contents
        except ValueError:  # not bound yet
            pass
    return scope


class Source:
    """One kernel's text in one file, or one that was made at run time."""

    def __init__(self, path, name, function=None, text=None):
        self.path, self.name, self.function, self.text = path, name, function, text

    def globals(self, watched=None):
        """What Python knows of the names of the kernel and of all kernels that it calls, as
        literals. watched: a list that gets (dict, name, value) of those that are globals."""
        found, seen = {}, set()
        if self.function is not None:
            self._collect(self.function, found, seen, [] if watched is None else watched)
        return tuple(sorted(found.items()))

    def _collect(self, function, found, seen, watched):
        if function in seen:
            return
        seen.add(function)
        same_file = self.text is not None or _path_of(function) == self.path
        text = self.text if function is self.function else None
        for name, value in scope_of(function, text).items():
            here = self.text is None and _path_of(function)
            inner = unwrapped(value) if is_jit(value) else None
            if inner and not inner.__module__.startswith("triton."):
                self._collect(inner, found, seen, watched)
                is_bound = inner.__name__ == name and (self.text is not None or
                                                       _binds(self.path, name))
                if here and (_is_chosen(value) or inner.__name__ != name):
                    name = f"{here}:{name}"
                elif not same_file or is_bound:
                    continue  # its file says it
                text = _place_of(inner)
            elif here and (own := _own_of_triton(here, name, value)):
                name, text = f"{here}:{name}", own
            elif taken := _exchanged(function, name, value):
                place, own = taken
                if not here:
                    raise _tern.Unsupported(f"{place}: '{name}' of this text is {own} in this "
                                            "process, which a decorator made of it")
                name, text = f"{here}:{name}", own
            elif inner or inspect.isroutine(value) or inspect.ismodule(value) or \
                    inspect.isclass(value):
                continue
            else:
                text = literal(value)
            if text is MISSING:
                continue
            if same_file and found.get(name, text) != text:
                raise _tern.Unsupported(f"'{name}' is {found[name]} in one kernel and {text} in "
                                        f"another that it calls ({function.__qualname__})")
            found.setdefault(name, text)
            own_name = name.rpartition(":")[2]
            if function.__globals__.get(own_name, MISSING) is value:
                watched.append((function.__globals__, own_name, value))


_modules = {}


def module_of(context, source, watched=None):
    """The parsed file with these globals; read again when the file is another one."""
    names = source.globals(watched)
    if source.text is not None:
        key = (id(context), source.text, names)
    else:
        stat = os.stat(source.path)
        key = (id(context), source.path, stat.st_mtime_ns, stat.st_size, names)
    if key not in _modules:
        module = (context.load_file(source.path) if source.text is None else
                  context.load_text(source.text, source.path))
        for name, text in names:
            try:
                module.set_global(name, text)
            except _tern.CompileError:
                if not text.startswith("triton."):  # one that tern lacks: its use is refused
                    raise
        _modules[key] = context, module  # the context stays, so that its id is not another's
    return _modules[key][1]


def _path_of(function):
    try:
        path = inspect.getsourcefile(function)
    except TypeError:
        return None
    return path and os.path.realpath(path)


def _place_of(function):
    """The function as globals write it: FILE.py:NAME@LINE."""
    path = _path_of(function)
    if not path or not path.endswith(".py") or not os.path.isfile(path):
        return MISSING
    return f"{path}:{function.__name__}@{function.__code__.co_firstlineno}"


_defined = {}


def _defines(path, name):
    """The line of the decorated def of the name at the top level of the file, or None. Notes what the
    file imports, and the lines of the defs with several decorators."""
    if path not in _defined:
        with open(path, "rb") as file:
            tree = ast.parse(file.read(), path)
        _defined[path] = ({one.name: one.lineno for one in tree.body
                           if isinstance(one, ast.FunctionDef) and one.decorator_list},
                          {alias.asname or alias.name: ("." * one.level + (one.module or ""), alias.name)
                           for one in ast.walk(tree) if isinstance(one, ast.ImportFrom)
                           for alias in one.names},
                          {one.decorator_list[0].lineno for one in ast.walk(tree)
                           if isinstance(one, ast.FunctionDef) and len(one.decorator_list) > 1})
    return _defined[path][0].get(name)


def _exchanged(function, name, value):
    """Where the text of a function is that one of Triton's language took the place of (a decorator
    gave it for that), which the compiler would read, and Triton's name of it; None: there is none."""
    path, own = _path_of(function), _name_in_triton(value)
    if not own or not path or not os.path.isfile(path):
        return None
    line, package = _defines(path, name), function.__globals__.get("__package__")
    imported = _defined[path][1].get(name)
    if line is None and imported and (package or not imported[0].startswith(".")):
        module = sys.modules.get(importlib.util.resolve_name(imported[0], package))
        path, name = getattr(module, "__file__", None) or "", imported[1]
        if not path.endswith(".py") or module.__name__.partition(".")[0] == "triton":
            return None
        line = _defines(path, name)
    return None if line is None else (f"{path}:{line}", own)


_unknown = {}


def _own_of_triton(path, name, value):
    """Triton's name of what the file gets from elsewhere: `pow = shim.pow`, `from pkg import shim`."""
    own = _name_in_triton(value)
    if not own or not os.path.isfile(path):
        return None
    if path not in _unknown:
        with open(path, "rb") as file:
            tree = ast.parse(file.read(), path)
        known, others = {"triton"}, set()
        for one in ast.walk(tree):
            if isinstance(one, (ast.Import, ast.ImportFrom)):
                for alias in one.names:
                    module = alias.name if isinstance(one, ast.Import) else one.module or ""
                    is_triton = module.partition(".")[0] == "triton" and not getattr(one, "level", 0)
                    (known if is_triton else others).add((alias.asname or alias.name).partition(".")[0])
        for one in tree.body:
            root = one.value if isinstance(one, ast.Assign) else None
            while isinstance(root, ast.Attribute):
                root = root.value
            if isinstance(root, ast.Name) and root.id not in known:
                others |= {target.id for target in one.targets if isinstance(target, ast.Name)}
        _unknown[path] = others - known
    return own if name in _unknown[path] and _defines(path, name) is None else None


def _name_in_triton(value):
    """Of a function or module of Triton's, or what stands for one where Triton is not installed; else
    None."""
    if type(value).__name__ == "Inert":
        name = repr(value)
    elif inspect.ismodule(value):
        name = value.__name__
    elif is_jit(value) or inspect.isroutine(value):
        name = f"{getattr(value, '__module__', None)}.{getattr(value, '__name__', None)}"
    else:
        return None
    return name if re.fullmatch(r"triton(\.\w+)+", name) else None


def _is_chosen(value):
    """Whether it is what @triton.jit gave, though other decorators around it might have made it
    another. A wrapper that is none itself, Triton calls in no kernel."""
    inner = unwrapped(value)
    path = _path_of(inner)
    if value.fn is not inner or not path or not os.path.isfile(path):
        return False
    _defines(path, inner.__name__)
    return inner.__code__.co_firstlineno in _defined[path][2]


_bound = {}


def _binds(path, name):
    """Whether the file's text, and not who loaded it, gives the name its value."""
    stat = os.stat(path)
    key = (path, stat.st_mtime_ns, stat.st_size)
    if key not in _bound:
        with open(path, "rb") as file:
            text = file.read()
        names, tables = set(), [symtable.symtable(text, path, "exec")]
        while tables:
            table = tables.pop()
            tables += table.get_children()
            names |= {s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported()}
        _bound[key] = None if re.search(rb"import\s+\*", text) else names
    return _bound[key] is None or name in _bound[key]


def _text_with_callees(function, text):
    """One text of a kernel that no file has, after those that it calls."""
    texts, seen = [], {function.__name__}

    def add(of, its_text=None):
        for name, value in scope_of(of, its_text).items():
            inner = unwrapped(value) if is_jit(value) else None
            if inner is not None and name not in seen:
                seen.add(name)
                add(inner)
                texts.append(_source_text(value))

    add(function, text)
    texts.append(text)
    head = "import triton\nimport triton.language as tl\nfrom triton.language import *\n"
    return head + "".join(f"@triton.jit\n{one}\n" for one in texts)


def _source_text(kernel):
    text = getattr(kernel, "src", None)
    if isinstance(text, str):
        return text
    text = textwrap.dedent(inspect.getsource(unwrapped(kernel)))
    return text[text.index("def "):]


def source_of(context, kernel):
    """A Source from "file.py:name", a function, or a @triton.jit object."""
    if isinstance(kernel, (str, os.PathLike)):
        return _from_words(context, os.fspath(kernel))
    function = unwrapped(kernel)
    if function is None:
        raise TypeError(f"expected 'file.py:name' or a function, saw {kernel!r}")
    path = _path_of(function)
    if path and os.path.isfile(path):
        name = f"{function.__name__}@{function.__code__.co_firstlineno}"
        source = Source(path, name, function)
        found = module_of(context, source).function(name)
        text = getattr(kernel, "src", None)
        if found and (not isinstance(text, str) or _same(found["text"], text)):
            return source
        if found is None and text is None:
            raise _tern.LaunchError(f"{path}:{function.__code__.co_firstlineno}: no @triton.jit (or "
                                    f"@tern.jit) function '{function.__name__}'")
    text = _text_with_callees(function, _source_text(kernel))
    return Source(f"<{function.__qualname__}>", function.__name__, function, text)


def _same(one, other):
    return [line.rstrip() for line in one.rstrip().split("\n")] == \
        [line.rstrip() for line in other.rstrip().split("\n")]


def _from_words(context, words):
    path, colon, name = words.rpartition(":")
    if not colon or "/" in name or name.endswith(".py"):
        path, name = words, ""
    path = os.path.realpath(path)
    source = Source(path, name)
    if not name:
        module = module_of(context, source)
        launched = [n for n in module.functions() if module.function(n)["is_launched"]]
        if len(launched) != 1:
            raise _tern.LaunchError(f"{words}: name one of its kernels: {', '.join(launched)}")
        source.name = launched[0]
    return source


