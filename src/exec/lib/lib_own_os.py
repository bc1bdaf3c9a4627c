# SPDX-License-Identifier: Apache-2.0
# What of os goes to files: with --allow-read and --allow-write.
import _files
from _files import cpu_count, getcwd


def listdir(path='.'):
    return _files.listdir(str(path))


def remove(path):
    _files.remove(str(path))


def mkdir(path, mode=511):
    _files.mkdir(str(path))


def makedirs(name, mode=511, exist_ok=False):
    name = str(name)
    try:
        _files.mkdir(name)
    except FileNotFoundError:
        at = name.rstrip('/').rfind('/')
        makedirs(name[:at], exist_ok=True)
        _files.mkdir(name)
    except FileExistsError:
        if not exist_ok or not _files.isdir(name):
            raise
