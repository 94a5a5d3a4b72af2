"""Test reports in JUnit's XML, as Surefire, Failsafe and pytest write them."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

OURS = "dht."
OUR_FRAMES_MAX = 3

FRAME = re.compile(r"\s+at (?:\S+/)?([\w.$]+)\.[\w$<>]+\(.*\)$")
ELIDED = re.compile(r"\s+\.\.\. \d+ more$")


@dataclass(frozen=True)
class Passed:
    pass


@dataclass(frozen=True)
class Failed:
    """`message` is what the test said, line by line as it said it; `trace` the part of the stack trace that is ours."""

    message: str
    trace: str = ""


@dataclass(frozen=True)
class NotRun:
    """Skipped or aborted."""

    reason: str


Outcome = Passed | Failed | NotRun


@dataclass(frozen=True)
class Result:
    """What became of one test. `suite` is its class or file."""

    suite: str
    test: str
    seconds: float
    outcome: Outcome

    @property
    def name(self) -> str:
        return f"{self.suite}.{self.test}" if self.test else self.suite


class NewReports:
    """The reports that come into some folders from now on, each handed out once, as soon as it can be read."""

    def __init__(self, folders: list[Path]) -> None:
        self._folders = folders
        self._seen = set(self._reports())

    def poll(self) -> list[tuple[Path, list[Result]]]:
        new = []
        for path in sorted(set(self._reports()) - self._seen):
            try:
                new.append((path, read(path)))
            except ET.ParseError:  # Still being written.
                continue
            self._seen.add(path)
        return new

    def unreadable(self) -> list[Path]:
        """After the last poll: reports that were begun and never finished."""
        return sorted(set(self._reports()) - self._seen)

    def _reports(self) -> list[Path]:
        return [path for folder in self._folders for path in folder.glob("TEST-*.xml")]


def read(path: Path) -> list[Result]:
    """Raises ParseError where the report is cut off: still being written, or on a disk that was full."""
    return [_result(case) for case in ET.parse(path).getroot().iter("testcase")]


def _result(case: ET.Element) -> Result:
    return Result(
        suite=case.get("classname", ""),
        test=case.get("name", ""),
        seconds=float(case.get("time", "0").replace(",", "")),
        outcome=_outcome(case),
    )


def _outcome(case: ET.Element) -> Outcome:
    for tag in ("failure", "error"):
        if (element := case.find(tag)) is not None:
            return _failed(element)
    if (element := case.find("skipped")) is not None:
        return NotRun(_reason(element))
    return Passed()


def _failed(element: ET.Element) -> Failed:
    told = (element.text or element.get("message") or "no message").rstrip()
    if element.get("type") is None:  # pytest says what was wrong only below the way to there.
        return Failed(element.get("message", "no message"), told)
    lines = told.splitlines()
    first_frame = next((number for number, line in enumerate(lines) if FRAME.match(line)), len(lines))
    message = "\n".join(lines[:first_frame])
    if element.tag == "failure":  # The test's own words: that they came as an AssertionError is known.
        message = message.removeprefix(element.get("type", "")).removeprefix(": ").strip("\n") or message
    return Failed(message, "\n".join(_our_part(lines[first_frame:])))


def _our_part(trace: list[str]) -> list[str]:
    """The innermost frames that are ours, of the exception and of each of its causes, and what the causes say."""
    kept, frames = [], 0
    for line in trace:
        if match := FRAME.match(line):
            frames += 1 if match[1].startswith(OURS) else 0
            if match[1].startswith(OURS) and frames <= OUR_FRAMES_MAX:
                kept.append(line)
        elif not ELIDED.match(line):
            frames = 0
            kept.append(line)
    return kept


def _reason(element: ET.Element) -> str:
    text = element.get("message") or (element.text or "")
    lines = [line for line in text.splitlines() if not FRAME.match(line)]
    words = " ".join(" ".join(lines).split())
    for prefix in (f"{element.get('type', '')}: ", "Assumption failed: "):
        words = words.removeprefix(prefix)
    return words or "no reason given"
