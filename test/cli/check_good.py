# SPDX-License-Identifier: Apache-2.0
"""The run tests' kernels as `tern check` is given them: none of them may be called wrong.

    check_good.py TERN FILE..     prints what was found in any, and how many were looked at
"""
import json
import os
import re
import shlex
import subprocess
import sys

MADE = {"normal": "randn({},{})", "uniform": "rand({},{})", "zero": "zeros({},{})", "one": "ones({},{})",
        "arange": "arange({},{})", "small": "randint({},{},low=-8,high=9)", "": "empty({},{})"}

# The kernels of the run tests are assembled by these: that of inline_asm_refused.py is not to be.
ENV = {name: value for name, value in os.environ.items() if name != "TERN_KEEP_PTX"}
# What is rightly found in run tests that are wrong, or leave memory alone, on purpose.
KNOWN = {
    ("out_of_bounds.py", "out-of-bounds"), ("deadlock.py", "stopped"),
    ("carried.py", "not-written"), ("kept_uniform.py", "not-written"),
    ("strided_rows.py", "not-written"), ("scalar_math.py", "not-written"),
    ("dot_shared.py", "not-written"),  # with no turn of its loop
    ("scan_columns.py", "not-written"),  # more columns than its grid is for
    ("dot_early.py", "not-written"), ("dot_early.py", "out-of-bounds"), ("dot_early.py", "race"),  # rows 160 apart, one output unused
    ("walked.py", "out-of-bounds"),  # its rows are 77 apart
    ("scan_apart.py", "not-written"),  # one of its outputs is stored in some cases only
    ("pieces_twice.py", "not-written"),  # rows of 4096 of which n are written
    ("dot_few_turns.py", "not-written"),  # a grid of blocks on the diagonal
    ("unrolled_phases.py", "out-of-bounds"),  # its first row is w - 64
    ("remainder.py", "out-of-bounds"), ("unrolled.py", "out-of-bounds"),
    ("strided_rows.py", "out-of-bounds"),  # take no tensor of nothing
    ("atomic_packed.py", "out-of-bounds"),  # its rows are 96 apart
    ("inline_asm_atomics.py", "stopped"),  # its PTX wants pairs that are aligned
}
# Tiles of 128x128 and the like: these launches are most of the time, and with a sanitizer they take
# four times as long. There (tools/run-tests -q) the other products show what these would.
LARGE = {"dot_attention.py", "dot_causal.py", "dot_early.py", "dot_modulo.py", "dot_programs.py", "dot_programs_types.py",
         "dot_tiles.py", "dot_tiles_out.py", "dot_weighed_rows.py", "unrolled_blocks.py"}
QUICK = os.environ.get("TERN_TEST_ORDERS") == "1"


def pieces(text):
    """Split at the commas outside of brackets."""
    depth, start = 0, 0
    for i, c in enumerate(text + ","):
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            yield text[start:i].strip()
            start = i + 1


def arguments(text):
    """The first case of a run test as arguments of tern check; None: of a kind that has none here."""
    case = re.search(r"^# case: (.*)$", text, re.M)
    grid = re.search(r"^# grid: (.*)$", text, re.M)
    if not case:
        return None
    words = ["--grid", grid.group(1).replace(" ", "") if grid else "1"]
    kernels = re.findall(r"^def \w+\((.*?)\):$", text, re.M | re.S)
    if not kernels:
        return None
    parameters = [re.match(r"\s*(\w*)", p).group(1) for p in kernels[-1].split(",")]
    scalars = dict(re.findall(r"(\w+) *= *(\d+)(?=,|$)", re.sub(r"\[[^]]*\]", "[]", case.group(1))))
    sizes = {v: n for n, v in scalars.items() if int(v) > 1 and not n.isupper()}
    for piece in pieces(case.group(1)):
        match = re.match(r"(\w+) *= *(.*)$", piece)
        if not match:
            return None
        name, value = match.groups()
        tensor = re.match(r"([a-z]\w*)\[([^\]]*)\] *(full\([^)]*\)|[a-z]*)$", value)
        if tensor:
            dtype, shape, how = tensor.groups()
            full = re.match(r"full\(([^)]*)\)", how)
            if not full and how not in MADE:
                return None
            shape = ",".join(sizes.get(d.strip(), d.strip()) for d in shape.split(","))
            made = f"full({shape},{full.group(1)},{dtype})" if full else MADE[how].format(shape, dtype)
            words += ["-a", f"{name}={made}"]
        elif re.match(r"-?[\d.]+$|True$|False$|None$", value):
            words += ["-a" if name in parameters else "-x", f"{name}={value}"]
        else:
            return None
    return words


def main():
    tern, looked_at, wrong = sys.argv[1], 0, 0
    for path in sys.argv[2:]:
        if QUICK and os.path.basename(path) in LARGE:
            continue
        words = arguments(open(path).read())
        if words is None:
            continue
        run = subprocess.run([tern, "check", path, "--json", *words], capture_output=True, text=True, env=ENV)
        if run.returncode > 1:
            print(f"{path}: {run.stderr.splitlines()[0] if run.stderr else run.returncode}")
            print("  tern check", path, shlex.join(words))
            continue
        looked_at += 1
        for found in json.loads(run.stdout)[0]["findings"]:
            if (os.path.basename(path), found["kind"]) in KNOWN or found["level"] == "advice":
                continue
            wrong += 1
            print(f"{path}:{found['line']}: {found['level']}: {found['kind']}: {found['words']} ({found['point']}, {found['device']})")
    print(f"{looked_at} looked at, {wrong} called wrong")
    return 1 if wrong or looked_at < 90 else 0


sys.exit(main())
