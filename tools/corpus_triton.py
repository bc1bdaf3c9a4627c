# SPDX-License-Identifier: Apache-2.0
"""Which of the kernels that `build/tools/corpus` could not compile does Triton itself compile?

    build/tools/corpus --list LIST FOLDER ..
    python3 tools/corpus_triton.py [-v] [--all] [--seconds N] LIST

Each line of LIST is a kernel, its outcome, and the signature tried last. The same kernel with the
same signature goes through the front end of the installed triton (no GPU and no torch is needed:
modules that are not installed are empty shells). Prints how many of the refusals are Triton's too,
with its words, those that are tern's alone, and those where it cannot tell: the module could not be run
here far enough. --all: also the kernels that tern compiled, to see
what it accepts and Triton does not.
"""

import argparse
import ast
import collections
import importlib.abc
import importlib.machinery
import importlib.util
import multiprocessing
import os
import re
import sys
import textwrap
import types


class Shell(types.ModuleType):
    """A module, function, class or value of a package that is not here."""

    __path__ = []

    def __init__(self, name="shell"):
        super().__init__(name)

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        value = Shell(f"{self.__name__}.{name}")
        setattr(self, name, value)
        return value

    def __call__(self, *args, **kwargs):
        plain = len(args) == 1 and not kwargs and isinstance(args[0], types.FunctionType)
        return args[0] if plain else self  # a decorator gives what it decorates

    def __mro_entries__(self, bases):
        return ()

    def __getitem__(self, key):
        return self

    def __iter__(self):
        return iter(())

    def __or__(self, other):
        return self

    def __bool__(self):
        return False

    def _number(self, *other):
        return 0

    __lt__ = __le__ = __gt__ = __ge__ = __add__ = __sub__ = __mul__ = __floordiv__ = __mod__ = __index__ = _number


class ShellFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Last in line: makes shells of what nobody else finds, but not of triton's own parts."""

    def find_spec(self, name, path, target=None):
        if name.split(".")[0] in ("triton", "numpy") or name.startswith("_"):
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return Shell(spec.name)

    def exec_module(self, module):
        pass


def split(text):
    """At commas outside brackets and quotes."""
    parts, depth, quote, start = [], 0, None, 0
    for i, c in enumerate(text):
        if quote:
            quote = None if c == quote else quote
        elif c in "'\"":
            quote = c
        elif c in "<[(":
            depth += 1
        elif c in ">])":
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return parts + [text[start:]] if text else []


def package_roots(path):
    """Folders from which the file's own imports may be found."""
    folder = os.path.dirname(os.path.abspath(path))
    while len(folder) > 1:
        yield folder
        folder = os.path.dirname(folder)


def run_leniently(body, path, scope):
    """The statements one by one: what fails at import is no business of the kernel."""
    for statement in body:
        try:
            exec(compile(ast.Module([statement], []), path, "exec"), scope)
        except BaseException:
            continue


def give_triton(scope):
    """A package that found no GPU may have bound a placeholder."""
    import triton
    import triton.language

    for name, module in (("triton", triton), ("tl", triton.language)):
        if name in scope:
            scope[name] = module


class LenientFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """First in line for the corpus' own packages: a file that fails somewhere still gives the rest."""

    def __init__(self, roots):
        self.roots = roots

    def find_spec(self, name, path, target=None):
        if name.split(".")[0] in ("triton", "numpy"):
            return None
        above, _, last = name.rpartition(".")
        if above and not isinstance(sys.modules[above].__spec__.loader, LenientFinder):
            return None  # part of a package that is installed
        for folder in self.roots if path is None else path:
            base = os.path.join(folder, last)
            for file in (base + ".py", os.path.join(base, "__init__.py")):
                if os.path.isfile(file):
                    is_package = file.endswith("__init__.py")
                    spec = importlib.machinery.ModuleSpec(name, self, origin=file, is_package=is_package)
                    if is_package:
                        spec.submodule_search_locations = [base]
                    return spec
        return None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        path = module.__spec__.origin
        module.__file__ = path
        with open(path, encoding="utf-8") as file:
            run_leniently(ast.parse(file.read()).body, path, module.__dict__)
        if not module.__spec__.submodule_search_locations:
            give_triton(module.__dict__)


def package_of(path):
    """The dotted name of the package that the file is in, for its relative imports."""
    names, folder = [], os.path.dirname(os.path.abspath(path))
    while os.path.isfile(os.path.join(folder, "__init__.py")):
        names.insert(0, os.path.basename(folder))
        folder = os.path.dirname(folder)
    return ".".join(names) or os.path.basename(os.path.dirname(os.path.abspath(path)))


def bound_names(tree):
    """What the file's statements outside of functions bind, imports first of all."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names.update((alias.asname or alias.name).split(".")[0] for alias in node.names)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
    for node in tree.body:
        names.update(n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    return names


def around(tree, node):
    """The blocks of `if`, `try` and `with` around a function, outermost first."""
    for statement in tree.body:
        if statement is not node and node in ast.walk(statement) and not isinstance(statement, ast.FunctionDef):
            for field in ("body", "orelse", "finalbody"):
                block = getattr(statement, field, [])
                if any(node in ast.walk(inner) for inner in block):
                    return block, around(ast.Module(block, []), node)
    return None


def jit_options(node, scope):
    """do_not_specialize=.. of the function's decorators."""
    options = {}
    for decorator in node.decorator_list:
        for word in getattr(decorator, "keywords", []):
            if word.arg in ("do_not_specialize", "do_not_specialize_on_alignment"):
                options[word.arg] = eval(compile(ast.Expression(word.value), "<decorator>", "eval"), scope)
    return options


def find_function(path, line):
    """The jit function whose def stands at the line, closures replaced by the module's globals; and
    the names that the file binds."""
    import triton

    with open(path, encoding="utf-8") as file:
        text = file.read()
    tree = ast.parse(text)
    node = next((n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.lineno == line), None)
    if node is None:
        raise LookupError("no function there")
    package = package_of(path)
    scope = {"__name__": f"{package}.corpus_module", "__package__": package, "__file__": path}
    run_leniently(tree.body, path, scope)
    inner = around(tree, node)
    while inner is not None:
        run_leniently(inner[0], path, scope)
        inner = inner[1]
    names = bound_names(tree)
    give_triton(scope)
    value = scope.get(node.name)
    while value is not None and not isinstance(value, triton.runtime.JITFunction):
        value = getattr(value, "fn", None)
    if value is not None and value.starting_line_number + 64 > line >= value.starting_line_number:
        return value, names
    lines = text.split("\n")[node.lineno - 1:node.end_lineno]
    name = f"/tmp/corpus_triton_{os.getpid()}.py"
    with open(name, "w", encoding="utf-8") as file:
        file.write(textwrap.dedent("\n".join(lines)) + "\n")
    with open(name, encoding="utf-8") as file:
        exec(compile(file.read(), name, "exec"), scope)
    return triton.jit(scope[node.name], **jit_options(node, scope)), names


BOUND = set()  # by the file at work: a process asks about one


def compile_front(path, line, signature):
    import triton
    import triton.language as tl
    from triton._C.libtriton import ir
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
    from triton.compiler.compiler import make_backend

    function, names = find_function(path, line)
    BOUND.update(names)
    dtypes = {str(value): value for value in vars(tl).values() if isinstance(value, tl.dtype)}
    dtypes.update({name: value for name, value in vars(tl).items() if isinstance(value, tl.dtype)})
    given = dict(part.split("=", 1) for part in split(signature))
    types_of, constants, attributes = {}, {}, {}
    for i, name in enumerate(function.arg_names):
        text = given.get(name)
        is_type = text is not None and (text[0] == "*" or text.split(":")[0].split("<")[0] in TYPES)
        if is_type and not function.params[i].is_constexpr:
            types_of[name], _, hint = text.partition(":")
            if hint == "16":
                attributes[(i, )] = [["tt.divisibility", 16]]
            continue
        types_of[name] = "constexpr"
        if text is None:
            constants[(i, )] = function.params[i].default
        else:
            constants[(i, )] = dtypes[text] if text in dtypes else ast.literal_eval(text)
    target = GPUTarget("cuda", 90, 32)
    backend = make_backend(target)
    options = backend.parse_options({"sanitize_overflow": False})
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    source = ASTSource(function, types_of, constants, attributes)
    source.make_ir(target, options, backend.get_codegen_implementation(options), backend.get_module_map(), context)


TYPES = {"i1", "i8", "i16", "i32", "i64", "u1", "u8", "u16", "u32", "u64", "fp8e4nv", "fp8e5", "fp8e4b15", "fp16",
         "bf16", "fp32", "fp64", "tensordesc"}


def innermost(error):
    while error.__cause__ is not None:
        error = error.__cause__
    words = str(getattr(error, "error_message", None) or error).strip().split("\n")
    return f"{type(error).__name__}: {words[-1][:150]}"


def is_ours(words):
    """Is it that the module could not be run here, and not what the kernel says? A name that the
    file binds is missing, or it stands for an empty shell."""
    missing = re.search(r"NameError\(\W*(\w+)\W* is not defined", words)
    if missing:
        return missing.group(1) in BOUND
    return "Cannot access global variable" in words or "Shell" in words


def child(queue, path, line, signature):
    from triton.compiler.errors import CompilationError

    roots = list(package_roots(path))
    sys.path += roots
    sys.meta_path.insert(0, LenientFinder(roots))
    sys.meta_path.append(ShellFinder())
    sys.stdout = sys.stderr = open(os.devnull, "w")
    try:
        compile_front(path, line, signature)
        queue.put(("compiles", ""))
    except CompilationError as error:
        words = innermost(error)
        queue.put(("cannot tell" if is_ours(words) else "refuses", words))
    except BaseException as error:
        queue.put(("cannot tell", innermost(error)))


def ask_triton(path, line, signature, seconds):
    """compiles, refuses, or cannot tell (a package is missing, say); and the words."""
    queue = multiprocessing.Queue()
    process = multiprocessing.Process(target=child, args=(queue, path, line, signature))
    process.start()
    process.join(seconds)
    if process.is_alive():
        process.kill()
        return "cannot tell", f"takes more than {seconds:g} s"
    if process.exitcode:
        return "refuses", f"crashes with code {process.exitcode}"
    return queue.get()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-v", action="store_true", help="a line for each kernel")
    parser.add_argument("--all", action="store_true", help="also what tern compiled")
    parser.add_argument("--seconds", type=float, default=60, help="for each kernel; default 60")
    parser.add_argument("list")
    options = parser.parse_args()
    for name in ("triton", "torch"):  # once, and not in each child; without torch a shell stands for it
        if importlib.util.find_spec(name):
            importlib.import_module(name)
    both, unknown, alone, laxer, compiled = collections.Counter(), [], [], [], 0
    with open(options.list, encoding="utf-8") as file:
        lines = file.read().split("\n")
    for text in filter(None, lines):
        head, _, signature = text.partition("\t")
        outcome, _, rest = head.partition(" ")
        place, _, words = rest.partition(": ")
        compiled += outcome == "compiled"
        if outcome == "unparsed":
            alone.append(rest)
        if outcome == "unparsed" or (outcome == "compiled" and not options.all):
            continue
        path, line, _ = place.rsplit(":", 2)
        answer, theirs = ask_triton(path, int(line), signature, options.seconds)
        if options.v:
            print(f"{outcome} {place}: {words}\n    triton {answer}: {theirs}", flush=True)
        if outcome == "compiled":
            laxer += [f"{place}: {theirs}"] if answer == "refuses" else []
        elif answer == "refuses":
            both[theirs] += 1
        else:
            (alone if answer == "compiles" else unknown).append(f"{place}: {words}")
    print(f"{compiled} compiled, {len(alone)} refused by tern alone, {sum(both.values())} by Triton too, "
          f"{len(unknown)} Triton cannot tell: {100 * compiled / max(1, compiled + len(alone)):.1f} % of what Triton compiles")
    for words, count in both.most_common():
        print(f"{count:5} Triton too       {words}")
    for kind, places in (("tern alone", alone), ("cannot tell", unknown), ("only tern takes", laxer)):
        for place in places:
            print(f"      {kind:16} {place}")


if __name__ == "__main__":
    main()
