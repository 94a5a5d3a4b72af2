"""Methods and named regions of the Java sources, what packages say of themselves, and sections of other pages.

A piece of code is asked for by class and name. The name is a method's, or that of a part of one, which the source
marks as editors understand it:

    // region order-of-stores
    …
    // endregion

Relies on the sources being formatted by google-java-format: a member ends at the first line that holds nothing but a
brace as deep as the member begins.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from workbook.failure import Failure

SOURCES = "src/main/java"
MARKER = re.compile(r"\s*// (region \S+|endregion)$")
PACKAGE_COMMENT = re.compile(r"/\*\*(.*?)\*/", re.DOTALL)


@dataclass(frozen=True)
class Excerpt:
    """Lines of a source, without their common indent. `first_line` counts from 1."""

    path: Path
    first_line: int
    text: str

    @property
    def last_line(self) -> int:
        return self.first_line + self.text.count("\n")


@dataclass(frozen=True)
class JavaPackage:
    """A package: what its package-info says first, and how much it holds."""

    name: str
    summary: str
    class_count: int
    line_count: int


def find_source(root: Path, class_name: str) -> Path:
    """The source of `dht.storage.lsm.LsmDao`, in whichever module it lies."""
    relative = class_name.replace(".", "/") + ".java"
    found = sorted(root.glob(f"*/{SOURCES}/{relative}"))
    if len(found) != 1:
        raise Failure(f"no source, or more than one, of class {class_name}")
    return found[0]


def excerpt(source: Path, name: str) -> Excerpt:
    lines = source.read_text(encoding="utf-8").splitlines()
    found = [*_regions(lines, name), *_methods(lines, name)]
    if len(found) != 1:
        raise Failure(f"{source.name} has {len(found)} methods and regions named {name!r}: there must be one")
    begin, end = found[0]
    text = "\n".join(line for line in lines[begin:end] if not MARKER.match(line))
    return Excerpt(source, begin + 1, textwrap.dedent(text))


def _regions(lines: list[str], name: str) -> Iterator[tuple[int, int]]:
    """As half-open ranges of lines, without the markers."""
    for begin, line in enumerate(lines):
        if line.strip() == f"// region {name}":
            ends = (i for i in range(begin, len(lines)) if lines[i].strip() == "// endregion")
            yield begin + 1, next(ends, len(lines))


def _methods(lines: list[str], name: str) -> Iterator[tuple[int, int]]:
    """As half-open ranges of lines, from the declaration to its last brace."""
    declaration = re.compile(rf"( +)(?![ *]|return |new |throw )[\w@][^=;(]*\b{re.escape(name)}\([^;]*$")
    for begin, line in enumerate(lines):
        if (match := declaration.match(line)) and _opens_a_body(lines, begin):
            closing = match[1] + "}"
            ends = (i for i in range(begin, len(lines)) if lines[i] == closing)
            yield begin, next(ends, len(lines) - 1) + 1


def _opens_a_body(lines: list[str], begin: int) -> bool:
    """Whether the declaration ends with a brace, not with a semicolon as a call does."""
    for line in lines[begin:]:
        if line.endswith(("{", ";")):
            return line.endswith("{")
    return False


def packages(module: Path) -> list[JavaPackage]:
    """The module's packages, in the order of their names."""
    base = module / SOURCES
    folders = sorted({path.parent for path in base.rglob("*.java")})
    return [_package(folder, ".".join(folder.relative_to(base).parts)) for folder in folders]


def _package(folder: Path, name: str) -> JavaPackage:
    sources = [path for path in folder.glob("*.java") if path.name != "package-info.java"]
    line_count = sum(path.read_text(encoding="utf-8").count("\n") for path in sources)
    return JavaPackage(name, _summary(folder / "package-info.java"), len(sources), line_count)


def _summary(package_info: Path) -> str:
    """The first clause of the package's comment, without its markup."""
    if not package_info.is_file():
        return ""
    match = PACKAGE_COMMENT.search(package_info.read_text(encoding="utf-8"))
    words = re.sub(r"\s*\n\s*\*\s?", " ", match[1]) if match else ""
    words = re.sub(r"\{@link (?:[\w.]*\.)?(\w+)\s*\}", r"\1", words)
    return re.split(r"[.:;](?:\s|$)", words.strip(), maxsplit=1)[0]


def section(page: Path, heading: str) -> str:
    """What stands under a heading of a Markdown file, up to the next heading of any level."""
    found: list[list[str]] = []
    inside = fenced = False
    for line in page.read_text(encoding="utf-8").splitlines():
        fenced ^= line.lstrip().startswith("```")
        if not fenced and line.startswith("#"):
            inside = re.fullmatch(rf"#+ {re.escape(heading)}( \{{.*\}})?", line) is not None
            found += [[]] if inside else []
        elif inside:
            found[-1].append(line)
    if len(found) != 1:
        raise Failure(f"{page.name} has {len(found)} headings {heading!r}: there must be one")
    return "\n".join(found[0]).strip()
