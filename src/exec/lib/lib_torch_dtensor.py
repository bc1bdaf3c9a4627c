# SPDX-License-Identifier: Apache-2.0
# torch.distributed.tensor: a class that no tensor is of.
from _torch import refuse


class DTensor:
    def __init__(self, *args, **kwargs):
        refuse('a distributed tensor')

    @staticmethod
    def from_local(*args, **kwargs):
        refuse('a distributed tensor')
