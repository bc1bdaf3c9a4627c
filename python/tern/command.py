# SPDX-License-Identifier: Apache-2.0
"""command: the command tern, which the wheel brings along: beside this file, else in PATH."""
import os
import shutil
import subprocess
import sys

from . import _tern


def path():
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tern")
    found = beside if os.access(beside, os.X_OK) else shutil.which("tern")
    if found is None:
        raise _tern.SystemError("the command tern is neither in the package nor in PATH")
    return found


def ask(words):
    """What the command prints; its failure is raised."""
    done = subprocess.run([path(), *words], capture_output=True, text=True, errors="replace")
    if done.returncode:
        kind = {3: _tern.Unsupported, 4: _tern.SystemError}.get(done.returncode, _tern.LaunchError)
        raise kind(done.stderr.strip() or f"the command ended by {done.returncode}")
    return done.stdout


def main():
    os.execv(path(), ["tern", *sys.argv[1:]])
