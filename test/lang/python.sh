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


for path in sorted(glob.glob("test/lang/syntax/*.py")):
    for title, source, asks, wants in cases(path):
        if not asks:
            syntax(path, title, source, wants)
        elif re.search("import (triton|torch)", source):
            skipped += 1  # not Python's to say
        elif asks[0][0] == "value" and not title.startswith(("no end", "more than 128", "too many")):
            values(path, title, source, asks, wants)
print(f"{sys.argv[1]}: {passed} passed, {failed} failed, {skipped} skipped")
sys.exit(failed > 0)
END
