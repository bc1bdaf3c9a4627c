# SPDX-License-Identifier: Apache-2.0
# json: dumps and loads.
import math


class JSONDecodeError(ValueError):
    pass


_escapes = {'"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t', '\b': '\\b', '\f': '\\f'}


_ascii = [True]


def _text(s):
    out = []
    for c in s:
        n = ord(c)
        if c in _escapes:
            out.append(_escapes[c])
        elif n > 126 and not _ascii[0]:
            out.append(c)
        elif n < 32 or 126 < n < 65536:
            out.append(f'\\u{n:04x}')
        elif n >= 65536:
            n -= 65536
            out.append(f'\\u{0xd800 + (n >> 10):04x}\\u{0xdc00 + (n & 1023):04x}')
        else:
            out.append(c)
    return '"' + ''.join(out) + '"'


def _number(x):
    if isinstance(x, float):
        if math.isnan(x):
            return 'NaN'
        if math.isinf(x):
            return 'Infinity' if x > 0 else '-Infinity'
    return repr(x)


def _dump(x, indent, level, separators, sort_keys, default):
    if x is None:
        return 'null'
    if x is True or x is False:
        return 'true' if x else 'false'
    if isinstance(x, str):
        return _text(x)
    if isinstance(x, (int, float)):
        return _number(x)
    start = end = ''
    comma = separators[0]
    if indent is not None:
        start = '\n' + indent * (level + 1)
        end = '\n' + indent * level
        comma = comma.rstrip(' ') + start
    if isinstance(x, dict):
        keys = sorted(x) if sort_keys else list(x)
        items = []
        for k in keys:
            name = k if isinstance(k, str) else _dump(k, None, 0, separators, False, None)
            items.append(_text(name) + separators[1] + _dump(x[k], indent, level + 1, separators, sort_keys, default))
        return '{' + start + comma.join(items) + end + '}' if items else '{}'
    if isinstance(x, (list, tuple)):
        items = [_dump(v, indent, level + 1, separators, sort_keys, default) for v in x]
        return '[' + start + comma.join(items) + end + ']' if items else '[]'
    if default is not None:
        return _dump(default(x), indent, level, separators, sort_keys, default)
    raise TypeError(f'Object of type {type(x).__name__} is not JSON serializable')


def dumps(obj, *, ensure_ascii=True, indent=None, separators=None, sort_keys=False, default=None):
    _ascii[0] = ensure_ascii
    if isinstance(indent, int):
        indent = ' ' * indent
    if separators is None:
        separators = (', ', ': ')
    return _dump(obj, indent, 0, separators, sort_keys, default)


def dump(obj, fp, **kwargs):
    fp.write(dumps(obj, **kwargs))


class _Parser:
    def __init__(self, s):
        self.s, self.at = s, 0

    def fail(self, words):
        line = self.s.count('\n', 0, self.at) + 1
        column = self.at - self.s.rfind('\n', 0, self.at)
        raise JSONDecodeError(f'{words}: line {line} column {column} (char {self.at})')

    def space(self):
        while self.at < len(self.s) and self.s[self.at] in ' \t\r\n':
            self.at += 1

    def value(self):
        self.space()
        s = self.s
        if self.at == len(s):
            self.fail('Expecting value')
        c = s[self.at]
        if c == '"':
            return self.text()
        if c == '{':
            return self.dict()
        if c == '[':
            return self.list()
        for word, x in (('null', None), ('true', True), ('false', False), ('NaN', math.nan), ('Infinity', math.inf),
                        ('-Infinity', -math.inf)):
            if s.startswith(word, self.at):
                self.at += len(word)
                return x
        end = self.at
        while end < len(s) and s[end] in '+-0123456789.eE':
            end += 1
        word = s[self.at:end]
        if not word or not word.lstrip('-')[:1].isdigit():
            self.fail('Expecting value')
        self.at = end
        return float(word) if '.' in word or 'e' in word or 'E' in word else int(word)

    def text(self):
        out = []
        self.at += 1
        while True:
            if self.at >= len(self.s):
                self.fail('Unterminated string starting at')
            c = self.s[self.at]
            self.at += 1
            if c == '"':
                return ''.join(out)
            if c != '\\':
                out.append(c)
                continue
            c = self.s[self.at]
            self.at += 1
            if c == 'u':
                n = int(self.s[self.at:self.at + 4], 16)
                self.at += 4
                if 0xd800 <= n < 0xdc00 and self.s.startswith('\\u', self.at):
                    n = 65536 + ((n - 0xd800) << 10) + int(self.s[self.at + 2:self.at + 6], 16) - 0xdc00
                    self.at += 6
                out.append(chr(n))
            else:
                out.append({'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f'}.get(c, c))

    def list(self):
        items = []
        self.at += 1
        self.space()
        if self.s.startswith(']', self.at):
            self.at += 1
            return items
        while True:
            items.append(self.value())
            self.space()
            c = self.s[self.at:self.at + 1]
            self.at += 1
            if c == ']':
                return items
            if c != ',':
                self.at -= 1
                self.fail("Expecting ',' delimiter")

    def dict(self):
        items = {}
        self.at += 1
        self.space()
        if self.s.startswith('}', self.at):
            self.at += 1
            return items
        while True:
            self.space()
            if not self.s.startswith('"', self.at):
                self.fail('Expecting property name enclosed in double quotes')
            name = self.text()
            self.space()
            if not self.s.startswith(':', self.at):
                self.fail("Expecting ':' delimiter")
            self.at += 1
            items[name] = self.value()
            self.space()
            c = self.s[self.at:self.at + 1]
            self.at += 1
            if c == '}':
                return items
            if c != ',':
                self.at -= 1
                self.fail("Expecting ',' delimiter")


def loads(s):
    parser = _Parser(s)
    value = parser.value()
    parser.space()
    if parser.at != len(s):
        parser.fail('Extra data')
    return value


def load(fp):
    return loads(fp.read())
