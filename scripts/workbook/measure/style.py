"""How the pages of runs look: one HTML file each, which needs no other file."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

# The colours and tables of the site (docs/assets/site.css), in little.
STYLE = """
:root{color-scheme:light dark;--bg:#fff;--text:#212121;--dim:#5c6470;--line:#0000001f;--link:#1f5fae;--bad:#c81e3a;
--head:#1d3557}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--text);font:16px/1.6 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
header{background:var(--head);color:#fff;padding:.7rem 1rem;font-weight:600}
main{max-width:66rem;margin:0 auto;padding:0 1rem 3rem}
h1,h2{font-weight:600;letter-spacing:-.01em;line-height:1.3} h1{font-size:2rem;margin:2rem 0 1rem}
h2{font-size:1.5rem;margin:2.5rem 0 .8rem} h3{font-size:.9rem;margin:1.2rem 0 .4rem}
.scroll{overflow-x:auto;margin:1rem 0}
table{border-collapse:collapse;border:1px solid var(--line);font-size:.8rem;font-variant-numeric:tabular-nums}
th,td{padding:.45em .7em;border-top:1px solid var(--line);text-align:left;white-space:nowrap;vertical-align:top}
th{font-weight:400;vertical-align:bottom;white-space:normal}
td:first-child{white-space:normal;min-width:9rem}
td.n,th.n{text-align:right}
.dim{color:var(--dim);font-size:.85rem} .no{color:var(--bad)} svg{max-width:100%;height:auto} a{color:var(--link)}
.pair{display:flex;flex-wrap:wrap;gap:0 2rem}
@media (prefers-color-scheme:dark){:root{--bg:#1e2129;--text:#e2e4e9d1;--dim:#a3adbd;--line:#ffffff1f;--link:#8fb8ff;
--bad:#ff7a8a;--head:#1b2740}}
"""


def document(title: str, parts: Iterable[str]) -> str:
    """A whole page from its parts, which are HTML."""
    viewport = '<meta name="viewport" content="width=device-width,initial-scale=1">'
    head = f'<!doctype html><html lang="en"><meta charset="utf-8">{viewport}<title>{escape(title)}</title>'
    body = "\n".join(["<header>High-load systems: a workbook</header><main>", *parts, "</main>"])
    return f"{head}<style>{STYLE}</style>\n{body}\n</html>\n"


def table(heads: list[str], rows: Iterable[list[str]], numbers: Iterable[int] | None = None) -> str:
    """All columns except the first have numbers, unless `numbers` says which."""
    flush_right = set(range(1, len(heads)) if numbers is None else numbers)

    def cells(row: list[str], tag: str) -> str:
        made = []
        for index, text in enumerate(row):
            kind = " class=n" if index in flush_right else " class=no" if text.startswith("not held") else ""
            made.append(f"<{tag}{kind}>{escape(text)}</{tag}>")
        return f"<tr>{''.join(made)}</tr>"

    head = f"<thead>{cells(heads, 'th')}</thead>" if any(heads) else ""
    body = "".join(cells(row, "td") for row in rows)
    return f"<div class=scroll><table>{head}<tbody>{body}</tbody></table></div>"
