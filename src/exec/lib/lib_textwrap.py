# SPDX-License-Identifier: Apache-2.0
# textwrap: dedent and indent.


def dedent(text):
    lines = text.split('\n')
    margin = None
    for line in lines:
        body = line.lstrip(' \t')
        if not body:
            continue
        indent = line[:len(line) - len(body)]
        if margin is None:
            margin = indent
        while not indent.startswith(margin):
            margin = margin[:-1]
    margin = margin or ''
    return '\n'.join(line[len(margin):] if line.strip(' \t') else '' for line in lines)


def indent(text, prefix, predicate=None):
    return ''.join(prefix + line if (line.strip() if predicate is None else predicate(line)) else line
                   for line in text.splitlines(True))
