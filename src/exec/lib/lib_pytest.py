# SPDX-License-Identifier: Apache-2.0
# pytest: what files with tests in them name when they are run as programs. Marks change nothing, since
# nobody collects the tests.


class Skipped(BaseException):
    pass


def skip(reason="", allow_module_level=False):
    raise Skipped(reason)


class _Mark:
    def parametrize(self, *args, **kwargs):
        return lambda function: function

    def skipif(self, *args, **kwargs):
        return lambda function: function


mark = _Mark()
