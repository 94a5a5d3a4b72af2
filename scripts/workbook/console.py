"""What commands print: styled and alive on a terminal, plain lines anywhere else."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.status import Status
from rich.table import Table
from rich.text import Text

PLAIN_WIDTH_COLUMNS = 200  # Wide enough that no line of a table is wrapped in a log file.


def standard_output() -> Console:
    console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
    if not console.is_terminal:
        console.width = PLAIN_WIDTH_COLUMNS
    return console


def is_alive(console: Console) -> bool:
    """Whether lines can be drawn over: a terminal, and not a dumb one."""
    return console.is_terminal and not console.is_dumb_terminal


def has_colour(console: Console) -> bool:
    return console.is_terminal and not console.no_color


def table(*columns: str, numbers: tuple[str, ...] = ()) -> Table:
    """A table with the columns named in `numbers` set flush right."""
    made = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    for column in columns:
        made.add_column(column, justify="right" if column in numbers else "left", overflow="fold")
    return made


@contextlib.contextmanager
def activity(console: Console, first: str) -> Iterator[Callable[[str | None], None]]:
    """A line that says what is going on while the block runs; call it with new words, or None for no news.

    Only on a terminal: elsewhere the lines before and after the block must do.
    """
    if not is_alive(console):
        yield lambda _text: None
        return
    with Status(Text(first), console=console) as status:
        yield lambda text: status.update(Text(text)) if text is not None else None
