"""What a server has stored that was filled and stopped: made once a command, and copied for each of its runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

Key = tuple[object, ...]


@dataclass(frozen=True)
class Filled:
    """`data` is a folder for each node; `text` is what the load tool said while it filled them."""

    data: Path
    text: str


@dataclass(frozen=True)
class Stock:
    """By whatever would make the stored bytes others. Only the main thread may use it."""

    folder: Path
    _found: dict[Key, Filled] = field(default_factory=dict)

    def get(self, key: Key, fill: Callable[[Path], str]) -> Filled:
        """`fill` makes the folder that it is given, and returns what was said."""
        if key not in self._found:
            data = self.folder / f"filled-{len(self._found) + 1}"
            self._found[key] = Filled(data, fill(data))
        return self._found[key]
