# SPDX-License-Identifier: Apache-2.0
"""python -m tern PROGRAM.py [ARGUMENT..], python -m tern -m MODULE [ARGUMENT..]: a program that uses
Triton, unchanged, on tern: $TERN_DEVICE, else cuda where there is one, else cpu."""
import runpy
import sys

from . import as_triton, install_stub


def main():
    words = sys.argv[1:]
    if not words or words[0] in ("-h", "--help") or words == ["-m"]:
        print(__doc__)
        return 0 if words and words[0] in ("-h", "--help") else 2
    install_stub()
    as_triton()
    if words[0] == "-m":
        sys.argv = words[1:]
        sys.path.insert(0, "")
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = words
        import os
        sys.path[0] = os.path.dirname(os.path.abspath(words[0]))
        runpy.run_path(words[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())
