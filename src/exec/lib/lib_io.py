# SPDX-License-Identifier: Apache-2.0
# io: text files, read whole, written as they are written.
import _files


class StringIO:
    def __init__(self, initial_value=''):
        self._text = initial_value
        self._at = 0
        self.closed = False

    def write(self, s):
        self._text = self._text[:self._at] + s + self._text[self._at + len(s):]
        self._at += len(s)
        return len(s)

    def getvalue(self):
        return self._text

    def read(self, size=-1):
        end = len(self._text) if size is None or size < 0 else self._at + size
        text = self._text[self._at:end]
        self._at += len(text)
        return text

    def readline(self):
        end = self._text.find('\n', self._at)
        return self.read((end + 1 if end >= 0 else len(self._text)) - self._at)

    def readlines(self):
        return list(self)

    def seek(self, offset, whence=0):
        self._at = offset
        return offset

    def flush(self):
        pass

    def close(self):
        self.closed = True

    def __iter__(self):
        return self

    def __next__(self):
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def __enter__(self):
        return self

    def __exit__(self, *args):
        self.close()


class _Writer:
    def __init__(self, path, append):
        self.name = path
        self.closed = False
        _files.write(path, '', append)

    def write(self, s):
        if self.closed:
            raise ValueError('I/O operation on closed file.')
        _files.write(self.name, s, True)
        return len(s)

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def flush(self):
        pass

    def close(self):
        self.closed = True

    def __enter__(self):
        return self

    def __exit__(self, *args):
        self.close()


def open(file, mode='r', buffering=-1, encoding=None, errors=None, newline=None):
    if mode in ('r', 'rt'):
        made = StringIO(_files.read(str(file)))
        made.name = str(file)
        return made
    if mode in ('w', 'wt', 'a', 'at'):
        return _Writer(str(file), mode[0] == 'a')
    return _files.refuse_mode(mode)
