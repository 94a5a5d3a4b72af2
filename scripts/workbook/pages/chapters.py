"""Links from a chapter to the pages on which it goes on, one for each heading there.

A link has the id of the heading that it leads to. So an address of a heading, made when the whole chapter was one page,
still finds a link to it, and docs/assets/site.js follows that link.
"""

from __future__ import annotations

import re
from pathlib import Path

from workbook.failure import Failure

TITLE = re.compile(r"# (.+)")
HEADING = re.compile(r"(#{2,3}) (.+?) \{ #([\w-]+) \}")
PARAGRAPH = re.compile(r"\*\*(.+?)\*\*\{ #([\w-]+) \}")
"""The bold first words of a paragraph that has an anchor of its own."""


def continued(page: Path) -> str:
    """A link to the page, and below it one for each of its headings, as a list in Markdown."""
    lines = page.read_text(encoding="utf-8").splitlines()
    titles = [match[1] for line in lines if (match := TITLE.fullmatch(line))]
    if not titles:
        raise Failure(f"{page.name} has no title")
    items = [item for line in lines if (item := _item(line, page.name))]
    return "\n".join(
        [f"**[{titles[0]}]({page.name})**", "", '<div class="continued" markdown>', "", *items, "", "</div>"]
    )


def _item(line: str, target: str) -> str:
    if match := HEADING.fullmatch(line):
        depth, words, anchor = len(match[1]) - 2, match[2], match[3]
    elif match := PARAGRAPH.match(line):
        depth, words, anchor = 1, match[1], match[2]
    else:
        return ""
    return f"{'    ' * depth}- [{words}]({target}#{anchor}){{ #{anchor} }}"
