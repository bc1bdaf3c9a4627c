# SPDX-License-Identifier: Apache-2.0
# torch.cuda.amp: the older names of torch.amp.
from torch.amp import autocast as _autocast, custom_bwd, custom_fwd


class autocast(_autocast):
    def __init__(self, enabled=True, dtype=None, cache_enabled=None):
        super().__init__('cuda', dtype, enabled, cache_enabled)
