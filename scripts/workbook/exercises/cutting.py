"""Changes a Java source by the names of its members: bodies are cut out, members removed, methods replaced.

Where the members are is what the compiler's parser says (`Worker.outline`). A name is `method`, or `method(Type, Type)`
where a class has several of that name, or `Inner.method` for one of a nested class; a constructor is called like its
class.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from workbook.exercises.catalog import Cut, Exercise
from workbook.exercises.worker import Event, Worker
from workbook.failure import Failure
from workbook.pages.sources import find_source

MARKER = re.compile(r"[ \t]*// (?:region \S+|endregion)$", re.MULTILINE)
BLANK_LINES = re.compile(r"\n{3,}")
WORD = re.compile(r"[A-Za-z_$][\w$]*")
MESSAGE_MAX = 60


@dataclass(frozen=True)
class Edit:
    """What stands from `begin` to `end` is replaced. Offsets count UTF-16 units, as the compiler does."""

    begin: int
    end: int
    text: str


class Source:
    """A source and its outline."""

    def __init__(self, path: Path, worker: Worker) -> None:
        self.path = path
        self.text = path.read_text(encoding="utf-8")
        self._events = worker.outline(path)
        self._units = self.text.encode("utf-16-le")

    def between(self, begin: int, end: int) -> str:
        return self._units[2 * begin : 2 * end].decode("utf-16-le")

    def method(self, name: str) -> Event:
        """The only method of that name. Raises a Failure when there is none, or more than one."""
        return self._only([each for each in self._named(name) if each["event"] == "method"], name)

    def member(self, name: str) -> Event:
        """A method, a field or a nested type."""
        return self._only(self._named(name), name)

    def methods(self) -> list[Event]:
        return [each for each in self._events if each["event"] == "method"]

    def fields(self) -> list[Event]:
        return [each for each in self._events if each["event"] == "field"]

    def imports(self) -> list[Event]:
        return [each for each in self._events if each["event"] == "import"]

    def outer_type(self) -> Event:
        return next(each for each in self._events if each["event"] == "type")

    def body(self, method: Event) -> str:
        if "bodyBegin" not in method:
            raise Failure(f"{self.path.name}: {method['name']} has no body to cut out")
        return self.between(method["bodyBegin"], method["bodyEnd"])

    def with_comment(self, member: Event) -> tuple[int, int]:
        """From the comment above the member, if there is one, to its end."""
        before = self.between(0, member["begin"]).rstrip()
        if before.endswith("*/"):
            begin = before.rindex("/**") if "/**" in before else len(before)
            return len(before[:begin].encode("utf-16-le")) // 2, member["end"]
        return member["begin"], member["end"]

    def apply(self, edits: Iterable[Edit]) -> str:
        units = self._units
        for edit in sorted(edits, key=lambda each: each.begin, reverse=True):
            units = units[: 2 * edit.begin] + edit.text.encode("utf-16-le") + units[2 * edit.end :]
        return units.decode("utf-16-le")

    def _named(self, name: str) -> list[Event]:
        owner_and_name, paren, parameters = name.partition("(")
        owner, _, simple = owner_and_name.rpartition(".")
        outer = self.outer_type()["name"]
        return [
            each
            for each in self._events
            if each["event"] in ("method", "field", "type")
            and self._is_called(each, f"{outer}.{owner}" if owner else outer, simple)
            and (not paren or each.get("parameters") == parameters.rstrip(")"))
        ]

    @staticmethod
    def _is_called(member: Event, owner: str, simple: str) -> bool:
        if member["event"] == "type":
            return bool(member["name"] == f"{owner}.{simple}")
        return bool(member["type"] == owner and member["name"] == simple)

    def _only(self, found: Sequence[Event], name: str) -> Event:
        if len(found) != 1:
            count = len(found) or "no"
            raise Failure(
                f"{self.path.name} has {count} members called {name!r}: there must be one. Has it been renamed?"
            )
        return found[0]


@dataclass(frozen=True)
class Starter:
    """What a student begins with: the sources as they are changed, and the lines that went."""

    files: dict[Path, str]
    cut_lines: frozenset[str]


def starter(root: Path, exercise: Exercise, worker: Worker) -> Starter:
    """Cuts, and replaces methods by those under starter/."""
    files: dict[Path, str] = {}
    lines: set[str] = set()
    for cut in exercise.cuts:
        if cut.methods or cut.removed:
            source = Source(find_source(root, cut.class_name), worker)
            files[source.path] = _cut(source, cut, exercise)
            lines |= _lines_of(source, cut)
    for file in exercise.starter_files:
        target = find_source(root, exercise.class_called(file.stem))
        source = Source(target, worker)
        files[target] = replaced(source, Source(file, worker))
        lines |= replaced_lines(source, Source(file, worker))
    return Starter(files, frozenset(lines))


def answer(root: Path, exercise: Exercise, file: Path, worker: Worker) -> dict[Path, str]:
    """The reference's source with the methods of a file under wrong/ in the place of its own."""
    target = find_source(root, exercise.class_called(file.stem.partition("-")[0]))
    return {target: replaced(Source(target, worker), Source(file, worker))}


def _cut(source: Source, cut: Cut, exercise: Exercise) -> str:
    stubs = dict(cut.stubs)
    edits = []
    for name in cut.methods:
        method = source.method(name)
        text = stubs.get(name) or f'throw new UnsupportedOperationException("{_message(method, exercise)}");'
        edits.append(Edit(method["bodyBegin"], method["bodyEnd"], _block(source, method, text)))
    for name in cut.removed:
        begin, end = source.with_comment(source.member(name))
        edits.append(Edit(begin, end, ""))
    return without_unused_imports(BLANK_LINES.sub("\n\n", _trimmed(source.apply(edits))), source)


def _message(method: Event, exercise: Exercise) -> str:
    where = method["type"] if method["type"].endswith(method["name"]) else f"{method['type']}.{method['name']}"
    return f"not built yet: {where}, exercise {exercise.id}"


def _block(source: Source, method: Event, text: str) -> str:
    """The stub between braces. Markers of regions stay, since pages ask for those regions."""
    line_begin = source.between(0, method["begin"]).rpartition("\n")[2]
    indent = line_begin[: len(line_begin) - len(line_begin.lstrip())]
    inner = indent + "    "
    if len(inner) + len(text) > 100 and text.startswith("throw new ") and '("' in text:
        head, _, tail = text.partition('("')
        text = f'{head}(\n        "{tail}'
    stub = textwrap.indent(text, inner)
    markers = [match.group(0) for match in MARKER.finditer(source.body(method))]
    lines = [markers[0], stub, *markers[1:]] if markers else [stub]
    return "\n".join(["{", *lines, indent + "}"])


def _trimmed(text: str) -> str:
    return re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE)


def without_unused_imports(text: str, source: Source) -> str:
    """An import that nothing needs any more would tell what was cut out."""
    names = {each["name"] for each in source.imports() if not each["name"].endswith("*")}
    code = re.sub(r"^import .*;$", "", text, flags=re.MULTILINE)
    words = set(WORD.findall(code))
    for name in names:
        if name.rpartition(".")[2] not in words:
            text = re.sub(rf"^import (static )?{re.escape(name)};\n", "", text, flags=re.MULTILINE)
    return text


def replaced(source: Source, fragment: Source) -> str:
    """The source with the fragment's methods and fields in the place of its own, or added where it has none such."""
    edits, added = [], []
    for member in [*fragment.fields(), *fragment.methods()]:
        begin, end = fragment.with_comment(member) if member["event"] == "method" else (member["begin"], member["end"])
        own = _same(source, member)
        if own is None:
            added.append(fragment.between(begin, end))
        else:
            own_begin = own["begin"]
            edits.append(Edit(own_begin, own["end"], fragment.between(member["begin"], end)))
    if added:
        last = source.outer_type()["end"] - 1
        edits.append(Edit(last, last, "".join(f"\n    {text}\n" for text in added)))
    text = source.apply(edits)
    missing = {each["name"] for each in fragment.imports()} - {each["name"] for each in source.imports()}
    for name in sorted(missing):
        text = re.sub(r"^import ", f"import {name};\nimport ", text, count=1, flags=re.MULTILINE)
    return without_unused_imports(text, fragment if not source.imports() else source)


def _same(source: Source, member: Event) -> Event | None:
    """The source's member that a fragment's stands for."""
    for each in source.methods() if member["event"] == "method" else source.fields():
        if (each["type"], each["name"], each.get("parameters")) == (
            member["type"],
            member["name"],
            member.get("parameters"),
        ):
            return each
    return None


def _lines_of(source: Source, cut: Cut) -> set[str]:
    texts = [source.body(source.method(name)) for name in cut.methods]
    for name in cut.removed:
        begin, end = source.with_comment(source.member(name))
        texts.append(source.between(begin, end))
    return _lines(texts)


def replaced_lines(source: Source, fragment: Source) -> set[str]:
    """The lines of the reference that a fragment does not have, too."""
    own = [_same(source, member) for member in fragment.methods()]
    return _lines(source.body(each) for each in own if each is not None) - _lines([fragment.text])


def _lines(texts: Iterable[str]) -> set[str]:
    return {line.strip() for text in texts for line in text.splitlines() if len(line.strip()) > 12}


def distinctive(lines: Iterable[str], sources: Iterable[tuple[str, str]], cut_files: dict[str, str]) -> set[str]:
    """Those of the cut lines that a reader can find nowhere else in the project.

    `sources`: name and text of each source of the reference; `cut_files`: the same of those that were cut, as the
    student gets them.
    """
    left = set(lines)
    for name, text in sources:
        kept = cut_files.get(name, text)
        left -= {line.strip() for line in kept.splitlines()}
    return left
