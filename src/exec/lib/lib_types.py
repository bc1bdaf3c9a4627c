# SPDX-License-Identifier: Apache-2.0
# types, as far as files about kernels use it.


class SimpleNamespace:
    def __init__(self, **kwargs):
        for name, value in kwargs.items():
            setattr(self, name, value)

    def __repr__(self):
        return 'namespace(' + ', '.join(f'{n}={v!r}' for n, v in vars(self).items()) + ')'

    def __eq__(self, other):
        return isinstance(other, SimpleNamespace) and vars(self) == vars(other)


def _function():
    pass


FunctionType = type(_function)
LambdaType = type(_function)
MethodType = type(SimpleNamespace().__eq__)
NoneType = type(None)
BuiltinFunctionType = type(len)
