# SPDX-License-Identifier: Apache-2.0
# torch.distributed as in a PyTorch that is built without it: nothing is distributed.
import torch.distributed.tensor as tensor


def is_available():
    return False


def is_initialized():
    return False
