# SPDX-License-Identifier: Apache-2.0
# packaging.version: versions of numbers, with what follows them left out, as "2.11.0+tern".


class Version:
    def __init__(self, version):
        self._text = version
        self.release = tuple(int(part) for part in version.split('+')[0].split('.') if part.isdigit())

    def _key(self):
        release = list(self.release)
        while release and release[-1] == 0:
            release.pop()
        return release

    def __eq__(self, other):
        return self._key() == other._key()

    def __lt__(self, other):
        return self._key() < other._key()

    def __le__(self, other):
        return self._key() <= other._key()

    def __gt__(self, other):
        return self._key() > other._key()

    def __ge__(self, other):
        return self._key() >= other._key()

    def __str__(self):
        return self._text

    @property
    def major(self):
        return self.release[0]

    @property
    def minor(self):
        return self.release[1] if len(self.release) > 1 else 0


parse = Version
