# SPDX-License-Identifier: Apache-2.0
# collections.abc: names for annotations.
from typing import Any, Callable, Collection, Generator, Hashable, Iterable, Iterator, Mapping, MutableMapping, Sequence, Set
