"""What the commands' parsers share."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import NoReturn

from workbook.failure import UsageError

PASSED_ON = "--"


class Parser(argparse.ArgumentParser):
    """Answers a wrong command line with one line instead of the whole usage, and can pass on what follows `--`."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog=prog, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
        self.passes_on = False
        self._dashed: set[str] = set()

    def add_option_with_dashed_value(self, name: str, *, metavar: str, does: str) -> None:
        """An option whose value may begin with a dash, which argparse takes for another option; may be repeated."""
        self.add_argument(name, metavar=metavar, action="append", default=[], help=does)
        self._dashed.add(name)

    def read(self, words: Sequence[str]) -> argparse.Namespace:
        """Where the parser passes on, the words that follow `--` are in `passed_on`."""
        own, passed_on = list(words), list[str]()
        if self.passes_on and PASSED_ON in own:
            split = own.index(PASSED_ON)
            own, passed_on = own[:split], own[split + 1 :]
        return self.parse_intermixed_args(self._joined(own), argparse.Namespace(passed_on=passed_on))

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (see {self.prog} --help)")

    def _joined(self, words: list[str]) -> list[str]:
        """`--jvm -Xmx1g` as `--jvm=-Xmx1g`, which argparse understands."""
        joined: list[str] = []
        for word in words:
            if joined and joined[-1] in self._dashed:
                joined[-1] += f"={word}"
            else:
                joined.append(word)
        return joined
