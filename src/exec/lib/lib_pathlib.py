# SPDX-License-Identifier: Apache-2.0
# pathlib: Path.
import _files
import io
import os
import posixpath as _path


class Path:
    def __init__(self, *parts):
        text = _path.join(*parts) if parts else '.'
        text = '/'.join(p for i, p in enumerate(text.split('/')) if (p and p != '.') or (i == 0 and text.startswith('/')))
        self._text = text or ('/' if parts and str(parts[0]).startswith('/') else '.')

    def __str__(self):
        return self._text

    def __fspath__(self):
        return self._text

    def __repr__(self):
        return f'PosixPath({self._text!r})'

    def __truediv__(self, other):
        return Path(self._text, str(other))

    def __rtruediv__(self, other):
        return Path(str(other), self._text)

    def __eq__(self, other):
        return isinstance(other, Path) and self._text == other._text

    def __hash__(self):
        return hash(self._text)

    def __lt__(self, other):
        return self._text < other._text

    @property
    def name(self):
        return _path.basename(self._text)

    @property
    def suffix(self):
        return _path.splitext(self.name)[1]

    @property
    def stem(self):
        return _path.splitext(self.name)[0]

    @property
    def parent(self):
        return Path(_path.dirname(self._text) or '.')

    @property
    def parts(self):
        return tuple((['/'] if self._text.startswith('/') else []) + [p for p in self._text.split('/') if p])

    @classmethod
    def cwd(cls):
        return cls(os.getcwd())

    def with_suffix(self, suffix):
        return Path(_path.splitext(self._text)[0] + suffix)

    def with_name(self, name):
        return self.parent / name

    def joinpath(self, *other):
        return Path(self._text, *[str(o) for o in other])

    def absolute(self):
        return Path(_path.join(os.getcwd(), self._text))

    def resolve(self):
        return Path(_path.abspath(self._text))

    def is_absolute(self):
        return self._text.startswith('/')

    def as_posix(self):
        return self._text

    def exists(self):
        return _path.exists(self._text)

    def is_dir(self):
        return _path.isdir(self._text)

    def is_file(self):
        return _path.isfile(self._text)

    def mkdir(self, mode=511, parents=False, exist_ok=False):
        if parents:
            os.makedirs(self._text, exist_ok=exist_ok)
            return
        try:
            os.mkdir(self._text)
        except FileExistsError:
            if not exist_ok or not self.is_dir():
                raise

    def read_text(self, encoding=None):
        return _files.read(self._text)

    def write_text(self, data, encoding=None):
        _files.write(self._text, data, False)
        return len(data)

    def open(self, mode='r', **kwargs):
        return io.open(self._text, mode)

    def iterdir(self):
        for name in os.listdir(self._text):
            yield self / name

    def unlink(self):
        os.remove(self._text)


PurePath = PosixPath = PurePosixPath = Path
