# SPDX-License-Identifier: Apache-2.0
# triton._C.libtriton: the products that files compare with. They are tern's own here, under the library's name.
import sys
from _torch import matmul as _matmul

_said = []


class _CublasLt:
    def __init__(self, workspace):
        if not _said:
            sys.stderr.write("tern exec: cublas is tern's own product here, and so are its times\n")
        _said.append(True)

    def matmul(self, A, B, C):
        C.copy_(_matmul(A, B.t()))


class _Cublas:
    CublasLt = _CublasLt


class nvidia:
    cublas = _Cublas
