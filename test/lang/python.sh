#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Asks Python about the sources of test/lang/syntax: does it take what we take and refuse what we
# refuse, and are the values that we wrote down its values too? Skipped where there is no Python 3.11.
name=test/lang/python.sh
python=${PYTHON:-python3}
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    echo "skipped: no Python 3.11 or later"
    echo "$name: 0 passed, 0 failed, 1 skipped"
    exit 0
fi
"$python" - "$name" <<'END'
import ast, glob, re, sys, warnings

warnings.simplefilter("ignore")
passed = failed = skipped = 0


def fail(path, title, words):
    global failed
    failed += 1
    print(f"{path}: {title}: {words}")


def cases(path):
    title, source, asks, wants = None, [], [], []
    for line in open(path, encoding="utf-8"):
        if line.startswith("# case:"):
            if title is not None:
                yield title, "".join(source), asks, wants
            title, source, asks, wants = line[8:].strip(), [], [], []
        elif line.startswith("# ask: "):
            asks.append(line[7:].split())
        elif line.startswith("# want: "):
            wants.append(line[8:].rstrip("\n"))
        elif title is not None:
            source.append(line)
    yield title, "".join(source), asks, wants


def syntax(path, title, source, wants):
    global passed, skipped
    if "as since 3.12" in title and sys.version_info < (3, 12):
        skipped += 1
        return
    try:
        compile(ast.parse(source), path, "exec")
        ours = wants == ["ok"]
    except (SyntaxError, ValueError):
        ours = wants != ["ok"]
    if ours:
        passed += 1
    else:
        fail(path, title, "Python does not agree")


def values(path, title, source, asks, wants):
    global passed
    scope = {}
    try:
        statements = ast.parse(source).body
    except SyntaxError:
        statements = []
    for statement in statements:
        try:
            exec(compile(ast.Module([statement], []), path, "exec"), scope)
        except Exception:
            pass  # what it would bind has no value
    known = [want for want in wants if not re.search(": (error|not supported): ", want)]
    for ask, want in zip(asks, known):
        refused = want == "error" and title.startswith("refused")
        if "<host value" in want or refused:  # not known is always allowed
            passed += 1
        elif ask[1] not in scope:
            ok = want in ("error", "not defined")
            passed += ok
            if not ok:
                fail(path, title, f"{ask[1]} has no value in Python, but {want} here")
        elif repr(scope[ask[1]]) == want:
            passed += 1
        else:
            fail(path, title, f"{ask[1]} is {scope[ask[1]]!r} in Python, but {want} here")


# ---- trees, in the words of tern show --stage ast ----

UNARY = {ast.UAdd: "+", ast.USub: "-", ast.Invert: "~"}
BINARY = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.MatMult: "@", ast.Div: "/", ast.Mod: "%",
          ast.FloorDiv: "//", ast.Pow: "**", ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&",
          ast.BitOr: "|", ast.BitXor: "^"}
COMPARE = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
           ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in"}
WORDS = {ast.Pass: "pass", ast.Break: "break", ast.Continue: "continue", ast.Return: "return",
         ast.Expr: "expression", ast.Assign: "assign", ast.AugAssign: "augmented assign",
         ast.AnnAssign: "annotated assign", ast.If: "if", ast.For: "for", ast.While: "while",
         ast.Assert: "assert", ast.Raise: "raise", ast.Delete: "delete", ast.Try: "try",
         ast.With: "with", ast.AsyncFor: "for", ast.AsyncWith: "with"}


class Tree:
    def __init__(self, source):
        self.source, self.lines = source, []

    def put(self, depth, text):
        self.lines.append("  " * depth + text)

    def quoted(self, text):
        if isinstance(text, bytes):
            text = text.decode("latin-1")
        for old, new in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n")):
            text = text.replace(old, new)
        return '"' + re.sub("[\x00-\x1f\x7f]", lambda m: f"\\x{ord(m[0]):02x}", text) + '"'

    def word(self, e):
        if isinstance(e, ast.Constant):
            if isinstance(e.value, (str, bytes)):
                kind = "string" if isinstance(e.value, str) else "bytes"
                return f"{kind} {self.quoted(e.value)}"
            if e.value is ...:
                return "..."
            if e.value is None or isinstance(e.value, bool):
                return str(e.value)
            kind = {int: "int", float: "float", complex: "imaginary"}[type(e.value)]
            return f"{kind} {ast.get_source_segment(self.source, e)}"
        simple = {ast.Tuple: "tuple", ast.List: "list", ast.Set: "set", ast.Dict: "dict",
                  ast.IfExp: "ternary", ast.Call: "call", ast.Subscript: "subscript",
                  ast.Slice: "slice", ast.Starred: "starred", ast.Lambda: "lambda",
                  ast.Await: "await", ast.Yield: "yield", ast.YieldFrom: "yield from",
                  ast.ListComp: "comprehension list", ast.SetComp: "comprehension set",
                  ast.DictComp: "comprehension dict", ast.GeneratorExp: "comprehension generator",
                  ast.JoinedStr: "fstring", ast.FormattedValue: "format"}
        if type(e) in simple:
            return simple[type(e)]
        if isinstance(e, ast.Name):
            return f"name {e.id}"
        if isinstance(e, ast.Attribute):
            return f"attribute {e.attr}"
        if isinstance(e, ast.NamedExpr):
            return f"walrus {e.target.id}"
        if isinstance(e, ast.BoolOp):
            return "and" if isinstance(e.op, ast.And) else "or"
        if isinstance(e, ast.UnaryOp):
            return "not" if isinstance(e.op, ast.Not) else f"unary {UNARY[type(e.op)]}"
        if isinstance(e, ast.BinOp):
            return f"binary {BINARY[type(e.op)]}"
        return "compare " + " ".join(COMPARE[type(op)] for op in e.ops)

    def arguments(self, depth, args, keywords):
        for a in sorted(args + keywords, key=lambda a: (a.lineno, a.col_offset)):
            if isinstance(a, ast.Starred):
                self.expr(depth, a.value, "* ")
            elif isinstance(a, ast.keyword):
                self.expr(depth, a.value, f"{a.arg} = " if a.arg else "** ")
            else:
                self.expr(depth, a)

    def parameters(self, depth, a):
        plain = a.posonlyargs + a.args
        defaults = [None] * (len(plain) - len(a.defaults)) + a.defaults
        rows = [("positional " if i < len(a.posonlyargs) else "", p, d)
                for i, (p, d) in enumerate(zip(plain, defaults))]
        rows += [("*", a.vararg, None)] if a.vararg else []
        rows += [("keyword ", p, d) for p, d in zip(a.kwonlyargs, a.kw_defaults)]
        rows += [("**", a.kwarg, None)] if a.kwarg else []
        for kind, param, default in rows:
            self.put(depth, f"param {kind}{param.arg}")
            if param.annotation:
                self.expr(depth + 1, param.annotation, "annotation: ")
            if default:
                self.expr(depth + 1, default, "default: ")

    def expr(self, depth, e, label=""):
        self.put(depth, label + (self.word(e) if e else "nothing"))
        if e is None:
            return
        depth += 1
        if isinstance(e, ast.Slice):
            self.expr(depth, e.lower, "from ")
            self.expr(depth, e.upper, "to ")
            if e.step:
                self.expr(depth, e.step, "step ")
        elif isinstance(e, ast.IfExp):
            self.expr(depth, e.body)
            self.expr(depth, e.test, "if ")
            self.expr(depth, e.orelse)
        elif isinstance(e, ast.Dict):
            for key, value in zip(e.keys, e.values):
                self.expr(depth, key)
                self.expr(depth, value)
        elif isinstance(e, ast.Call):
            self.expr(depth, e.func)
            self.arguments(depth, e.args, e.keywords)
        elif isinstance(e, ast.Lambda):
            self.parameters(depth, e.args)
            self.expr(depth, e.body)
        elif isinstance(e, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
            for part in (e.key, e.value) if isinstance(e, ast.DictComp) else (e.elt,):
                self.expr(depth, part)
            for clause in e.generators:
                self.expr(depth, clause.target, "for ")
                self.expr(depth, clause.iter, "in ")
                for condition in clause.ifs:
                    self.expr(depth, condition, "if ")
        elif isinstance(e, ast.NamedExpr):
            self.expr(depth, e.value)
        else:
            for part in ast.iter_child_nodes(e):
                if isinstance(part, ast.expr):
                    self.expr(depth, part)

    def block(self, depth, statements, label=None):
        if statements and label:
            self.put(depth, label)
            depth += 1
        for s in statements:
            self.statement(depth, s)

    def head(self, s):
        if isinstance(s, ast.AugAssign):
            return f"augmented assign {BINARY[type(s.op)]}="
        if isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return ("function async " if isinstance(s, ast.AsyncFunctionDef) else "function ") + s.name
        if isinstance(s, ast.ClassDef):
            return f"class {s.name}"
        if isinstance(s, (ast.Import, ast.ImportFrom)):
            names = ",".join(f" {n.name}" + (f" as {n.asname}" if n.asname else "") for n in s.names)
            return ("import" if isinstance(s, ast.Import) else
                    f"from {'.' * s.level}{s.module or ''} import") + names
        if isinstance(s, (ast.Global, ast.Nonlocal)):
            return type(s).__name__.lower() + " " + ", ".join(s.names)
        return WORDS[type(s)]

    def statement(self, depth, s):
        self.put(depth, f"{s.lineno}:{s.col_offset + 1} {self.head(s)}")
        depth += 1
        for d in getattr(s, "decorator_list", []):
            self.expr(depth, d, "@ ")
        if isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self.parameters(depth, s.args)
            if s.returns:
                self.expr(depth, s.returns, "-> ")
        if isinstance(s, ast.ClassDef):
            self.arguments(depth, s.bases, s.keywords)
        targets = getattr(s, "targets", [])
        for t in targets + [s.target] if hasattr(s, "target") else targets:
            self.expr(depth, t)
        if isinstance(s, ast.AnnAssign):
            self.expr(depth, s.annotation, "annotation: ")
        for item in getattr(s, "items", []):
            self.expr(depth, item.context_expr)
            if item.optional_vars:
                self.expr(depth, item.optional_vars, "as ")
        for name in ("value", "test", "iter", "msg", "exc", "cause"):
            if getattr(s, name, None):
                self.expr(depth, getattr(s, name))
        self.block(depth, getattr(s, "body", []))
        for h in getattr(s, "handlers", []):
            self.put(depth, f"except {h.name or ''}")
            if h.type:
                self.expr(depth + 1, h.type)
            self.block(depth + 1, h.body)
        self.block(depth, getattr(s, "orelse", []), "else")
        self.block(depth, getattr(s, "finalbody", []), "finally")


def trees(path, title, source, wants):
    global passed
    tree = Tree(source)
    tree.block(0, ast.parse(source).body)
    if tree.lines == wants:
        passed += 1
        return
    at = next((i for i, (a, b) in enumerate(zip(tree.lines, wants)) if a != b), len(wants))
    fail(path, title, f"line {at}: {tree.lines[at:at + 2]} in Python, but {wants[at:at + 2]} here")


for path in sorted(glob.glob("test/lang/syntax/*.py")):
    for title, source, asks, wants in cases(path):
        if not asks:
            syntax(path, title, source, wants)
        elif asks[0][0] == "tree":
            trees(path, title, source, wants)
        elif re.search("import (triton|torch)", source):
            skipped += 1  # not Python's to say
        elif asks[0][0] == "value" and not title.startswith(("no end", "more than 128", "too many")):
            values(path, title, source, asks, wants)
print(f"{sys.argv[1]}: {passed} passed, {failed} failed, {skipped} skipped")
sys.exit(failed > 0)
END
