# SPDX-License-Identifier: Apache-2.0
from ..registry import Info, register

register(Info('other', ('npu',)))
