# SPDX-License-Identifier: Apache-2.0
"""The planted mistakes of test/check: `tern check` finds what their headers say, where they say it,
and nothing else.

    check_planted.py TERN FILE..

`# found: KIND @NAME` is a finding in the line that ends in `# @NAME`; without a name, one that has no
place; `# found: nothing` a mistake that no such check can see.
"""
import json
import re
import shlex
import subprocess
import sys


def expected(text):
    lines = {m.group(1): i for i, line in enumerate(text.split("\n"), 1) for m in re.finditer(r"# @(\w+)$", line)}
    for kind, name in re.findall(r"^# found: ([\w-]+)(?: @(\w+))?$", text, re.M):
        if kind != "nothing":
            yield kind, lines[name] if name else 0


def main():
    tern, failed = sys.argv[1], 0
    for path in sys.argv[2:]:
        text = open(path).read()
        want = set(expected(text))
        words = shlex.split(re.search(r"^# args: (.*)$", text, re.M).group(1))
        run = subprocess.run([tern, "check", path, "--json", *words], capture_output=True, text=True)
        if run.returncode > 1:
            print(f"{path}: exit code {run.returncode}: {run.stderr}")
            failed += 1
            continue
        found = json.loads(run.stdout)[0]["findings"]
        got = {(f["kind"], f["line"]) for f in found}
        is_wrong = any(f["level"] == "error" for f in found)
        if got != want or run.returncode != is_wrong:
            print(f"{path}: exit code {run.returncode}, found {sorted(got)}, wanted {sorted(want)}")
            failed += 1
    print(f"{len(sys.argv) - 2 - failed} as planted, {failed} not")
    return 1 if failed or len(sys.argv) < 32 else 0


sys.exit(main())
