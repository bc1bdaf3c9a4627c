# SPDX-License-Identifier: Apache-2.0
# abc: abstract classes. What is abstract of a class is noted where its body has run.
from _functools import abstract as abstractmethod


class ABCMeta:
    pass


class ABC(metaclass=ABCMeta):
    pass


def abstractproperty(funcobj):
    return property(abstractmethod(funcobj))
