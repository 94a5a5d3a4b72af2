"""How evenly keys are shared among nodes, and how many move: what PlacementReport prints, drawn."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from pathlib import Path

from workbook.pages.figures import Html, bar, no_file
from workbook.pages.numbers import count, share
from workbook.pages.report import Json, read_json

PLACEMENT_JSON = "placement/placement.json"
DRAWN_NODES = 10
DRAWN_KEYS = "sequential"


def placement(reports: Path) -> str | Html:
    """A line a placement: ten nodes' shares side by side, how far they are off, and what moves when a node joins."""
    file = reports / PLACEMENT_JSON
    if not file.is_file():
        return no_file(f"docs/reports/{PLACEMENT_JSON}")
    found = read_json(file)
    sizes = sorted({each["nodes"] for each in found["spread"]})
    steps = sorted({(each["from"], each["to"]) for each in found["movement"]})
    kinds = list(dict.fromkeys(_kind(each) for each in found["spread"]))
    head = [
        "placement",
        f"shares of {DRAWN_NODES} nodes",
        *(f"off, {nodes} nodes" for nodes in sizes),
        *(f"moved, {_from} to {to}" for _from, to in steps),
    ]
    rows = [_row(kind, found, sizes, steps) for kind in kinds]
    blank = "<td></td>" * (1 + len(sizes))
    fair = "".join(bar(1 / to) for _, to in steps)
    rows.append(f'<tr><th scope="row">an equal share for the new node</th>{blank}{fair}</tr>')
    columns = "".join(f'<th scope="col">{escape(text)}</th>' for text in head)
    return Html(
        f'<div class="figure-table"><table class="figures"><caption>{count(found["keys"])} keys. <em>off</em>: the'
        " greatest difference between the share of a node and an equal share, in percent of the equal share, for random"
        " or for sequential keys"
        f"</caption><thead><tr>{columns}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _kind(entry: Json) -> str:
    virtual_nodes = entry.get("virtualNodes")
    return f"{entry['placement']}, {count(virtual_nodes)} virtual nodes" if virtual_nodes else str(entry["placement"])


def _row(kind: str, found: Json, sizes: Iterable[int], steps: Iterable[tuple[int, int]]) -> str:
    spread = [each for each in found["spread"] if _kind(each) == kind]
    drawn = next(e["held"] for e in spread if e["nodes"] == DRAWN_NODES and e["keySet"] == DRAWN_KEYS)
    off = [max(_off(each["held"]) for each in spread if each["nodes"] == nodes) for nodes in sizes]
    moved = {(e["from"], e["to"]): e["moved"] / found["keys"] for e in found["movement"] if _kind(e) == kind}
    cells = "".join(f"<td>{cell}</td>" for cell in [_shares(drawn), *map(share, off)])
    return f'<tr><th scope="row">{escape(kind)}</th>{cells}{"".join(bar(moved[step]) for step in steps)}</tr>'


def _off(held: list[int]) -> float:
    fair = sum(held) / len(held)
    return max(abs(each - fair) for each in held) / fair


def _shares(held: list[int]) -> str:
    words = ", ".join(share(each / sum(held)) for each in held)
    parts = "".join(f'<span style="flex-grow:{each}"></span>' for each in held)
    return f'<div class="shares" role="img" aria-label="{words}">{parts}</div>'
