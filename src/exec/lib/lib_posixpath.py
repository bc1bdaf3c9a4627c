# SPDX-License-Identifier: Apache-2.0
# os.path: texts of paths, and what --allow-read lets it see.
import _files
from _files import getcwd as _getcwd

sep = '/'


def join(a, *p):
    path = str(a)
    for b in p:
        b = str(b)
        if b.startswith('/'):
            path = b
        elif not path or path.endswith('/'):
            path += b
        else:
            path += '/' + b
    return path


def split(p):
    p = str(p)
    i = p.rfind('/') + 1
    head, tail = p[:i], p[i:]
    if head and head != '/' * len(head):
        head = head.rstrip('/')
    return head, tail


def dirname(p):
    return split(p)[0]


def basename(p):
    return split(p)[1]


def splitext(p):
    p = str(p)
    dot = p.rfind('.')
    start = p.rfind('/') + 1
    while start < len(p) and p[start] == '.':
        start += 1
    return (p[:dot], p[dot:]) if dot >= start else (p, '')


def isabs(s):
    return str(s).startswith('/')


def normpath(path):
    path = str(path)
    if not path:
        return '.'
    parts = []
    for part in path.split('/'):
        if part in ('', '.'):
            continue
        if part == '..' and parts and parts[-1] != '..':
            parts.pop()
        elif part != '..' or not path.startswith('/'):
            parts.append(part)
    return ('/' if path.startswith('/') else '') + '/'.join(parts) or '.'


def abspath(path):
    return normpath(join(_getcwd(), path))


realpath = abspath


def exists(path):
    return _files.exists(str(path))


def isdir(path):
    return _files.isdir(str(path))


def isfile(path):
    return _files.exists(str(path)) and not _files.isdir(str(path))


def expanduser(path):
    return path
