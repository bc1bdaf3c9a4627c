# SPDX-License-Identifier: Apache-2.0
from dataclasses import dataclass, field
from typing import Tuple


@dataclass(frozen=True)
class Info:
    name: str
    devices: Tuple[str, ...] = field(default_factory=tuple)


REGISTRY: dict[str, Info] = {}


def register(info: Info) -> None:
    REGISTRY[info.name] = info
