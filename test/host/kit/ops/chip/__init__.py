# SPDX-License-Identifier: Apache-2.0
from kit.ops.backends import register
from kit.ops.backends.registry import Info

register(Info('chip'))
