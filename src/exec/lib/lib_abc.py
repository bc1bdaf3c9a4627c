# SPDX-License-Identifier: Apache-2.0
# abc: marks, which refuse no instance of a class that leaves a method out.


class ABCMeta:
    pass


class ABC:
    pass


def abstractmethod(funcobj):
    return funcobj


def abstractproperty(funcobj):
    return property(funcobj)
