"""Figures in the text beside measurements come from reports, by a placeholder: typed ones outlive what was measured.

The same holds for words that say a figure, such as "twice as much processor time".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.glob("stages/*.md"), *DOCS.glob("lab/*.md"), DOCS / "lab.md", DOCS / "deploy.md"])
WORDED = [*PAGES, *sorted(ROOT.glob("stage*/exercises/*/*.md")), *sorted(ROOT.glob("stage*/README.md"))]

NOT_TEXT = re.compile(r"`[^`]*`|\{\{.*?\}\}|\]\([^)]*\)")
FIGURE = re.compile(r"(?<![\w.])\d[\d.,  ]*(?:to \d[\d.]* ?)?(?:(?:ms|µs|s)\b|%|/s\b)")

# What is no measurement of ours: settings, examples, and what others have reported.
KNOWN = {
    "lab.md": {
        *("10 s", "2 s", "4 s", "5 s", "20 s", "40 s", "60 s", "97 %", "45 %", "50 ms"),  # How the lab measures.
        *("0 %", "5 %", "95 %", "90 %", "50 %", "80 %"),
        *("2 %", "10 %", "0.2 ms", "20 %", "0.5 ms", "1 %"),  # What counts as a difference, and as a slow request.
        *("200 ms", "4 ms", "20 ms"),  # An example; a tick of the kernel; how often threads are looked at.
    },
    "deploy.md": {"10 s"},  # minReadySeconds.
    "coordinated-omission.md": {
        *("200 ms", "2000/s", "0.2 s", "0 ms", "5 ms"),  # What the experiment does.
        *("2.2 %", "1 %", "110 ms", "100 ms"),  # What follows from it by arithmetic.
        *("15 %", "0.3 ms", "97 %"),  # What counts as a difference, and as saturated.
    },
    "jdk25.md": {"20 ms", "4 ms"},  # How often JFR looks at threads; a tick of the kernel.
    "other-servers.md": {"3 µs", "30 µs"},  # An example.
    "queues-and-laws.md": {
        *("5 ms", "40 000 s", "0.4 ms", "50 %", "90 %", "99 %", "10 µs", "0.1 ms", "20 ms"),  # Examples of the laws.
        *("95 %", "10 %", "15 %", "30 %"),  # When a law does not fit.
    },
    "stage1-storage.md": {
        "1000 s",  # Predict: the load of the question.
        "1.0 %",  # How many absent keys a filter of the default size lets pass: its definition.
        "100 ms",  # How long a write waits at most.
    },
    "stage1-experiments.md": {"1.0 %"},
    **{f"stage{n}-waiting.md": {"1 %"} for n in range(1, 6)},  # Which requests count as slow.
    "stage3-experiments.md": {"10 s"},  # In the message of a test.
    "stage5-async-client.md": {
        *("1 ms", "10 ms", "11 ms", "20 ms"),  # Predict: the latencies of the question. A setting.
        *("2 s", "100 ms", "5 ms"),  # The name of a column, and settings.
    },
    "stage5-experiments.md": {"1 ms"},  # The shortest delay of a hedge.
    "stage5-measured.md": {"4000/s"},  # The load of a student's report.
    "compared.md": {
        *("2500/s", "27.0 ms", "750/s", "52.7 ms", "1000/s", "29 s", "2.28 ms", "4000/s", "21.3 ms", "17.3 ms"),
        *("2509 /s", "3055 /s", "5898 /s", "4864 /s"),
    },  # Reports of students.
}

PART = r"(?:half|halves|thirds?|quarters?|fifths?|sixths?|tenths?)"
NUMBER = r"(?:one|two|three|four|five|six|seven|eight|nine|ten|twenty|hundred|many|several|\d[\d.,]*)"
OTHER = r"(?:as|the|that|what|its|these|more|less|higher|lower|faster|slower|longer|shorter)"
UNIT = r"an? (?:hour|minute|second|millisecond|microsecond)"
FACTOR = re.compile(
    rf"\b(?:{NUMBER}(?: and (?:a|two) {PART})? times {OTHER}|twice {OTHER}|a factor of|doubles?|halves"
    rf"|half (?:of|as|less|more)|by half|(?:a|one|two|three) {PART} (?:{OTHER}|of(?! {UNIT}))"
    rf"|(?:about|almost|nearly) an? {PART}(?! of))\b",
    re.IGNORECASE,
)
MEASURED = re.compile(
    r"\b(?:processor time|cpu|latenc\w+|p50|p90|p99|medians?|rates?|costs?|expensive|cheaper|memory|allocat\w+|pauses?"
    r"|faster|slower|fast|slow|longer|longest|answers|requests?|gains?|saves?|needs?|takes?)\b",
    re.IGNORECASE,
)

# What is no measurement of ours: a piece of each such sentence, by page.
NOT_MEASURED = {
    # What the commands do, what a setting means, and what a stage promises.
    "compared.md": ["was profiled at half of a rate"],
    "deploy.md": ["the heap takes a quarter"],
    "lab.md": [
        *("At half of this rate", "at half of the sustainable", "doubles the rate", "there is one such run"),
    ],
    "stage1-storage.md": ["three times as long as the piece took", "if there are half as many tables as"],
    "stage1-waiting.md": ["at half of the rate"],
    "stage4-replication.md": ["is more than half of"],
    "stage5-async-client.md": [
        *("does not get twice the work", "A replica is behind if", "would then double the work"),
        *("half of the time, and in 10 ms", "half of the writes take 1 ms"),  # Predict: what follows from the question.
    ],
    "stage5-measured.md": ["about half of the rate that stage 4 sustained in the same lab"],
    "stage5-async-client/README.md": ["Until then their values", "A replica is slow if it still answers"],
    "1.11-slow-get/task.md": ["now each", "three times as much", "at most one and a half times"],
    "2.4-endless-room/task.md": ["more than a quarter"],
    "2.5-busy-worker/task.md": ["several times the processor time", "at most one and a half times"],
    "3.5-one-client/task.md": ["several times what it should", "at most one and a half times"],
    "4.6-slow-read/task.md": ["several times the CPU time", "within a factor of 1.5"],
    "5.1-parallel-write/task.md": ["within 1 ms half of the time"],
    "5.5-answered-twice/task.md": ["half of 32 requests"],
    "5.6-where-time-goes/task.md": ["several times the processor time", "at most twice"],
    # What follows by arithmetic, from an example or from a law.
    "coordinated-omission.md": ["If the run takes twice as long"],
    "other-servers.md": ["a tenth less at most"],
    "queues-and-laws.md": [
        "Why do twice as many",
        "nine times as long",
        "Is it 16 times",
        "half of the requests must be",
    ],
    "scaling.md": [
        *("half of the requests become", "is 1.5 times as high"),
        "twice as many processors as a node",  # Advice.
    ],
    "stage1-experiments.md": ["twice the memory"],
    "stage2-experiments.md": ["half of the rate that it reached", "would leave about a third of the rate"],
    "stage1-measured.md": [
        "a tenth of the requests",
        "four times as much as a",  # A student's report.
    ],
    "stage3-measured.md": ["It owns a third", "three times the processors"],
    "stage3-waiting.md": ["It owns a third", "executes a third"],
    "1.2-skip-list/task.md": ["ten times as long"],
    "2.5-busy-worker/solution.md": ["at most twice the best possible"],
    "3.6-three-nodes/hints.md": ["two thirds of the requests", "Two thirds of them"],
    "3.6-three-nodes/solution.md": ["one and two thirds times"],
    "4.7-what-an-ack-costs/solution.md": ["three times as long as one"],
    "5.3-percentile/solution.md": ["to double the guess"],
    # A rule of thumb for the reader's own machine.
    "1.7-your-machine/solution.md": ["ten times the median"],
}


def typed_figures(text: str) -> Iterator[str]:
    """Outside of code, tables and placeholders."""
    is_code = False
    for line in text.splitlines():
        if line.strip().startswith("```"):
            is_code = not is_code
        elif not is_code and not line.startswith("|"):
            yield from (match[0].strip() for match in FIGURE.finditer(NOT_TEXT.sub("", line)))


def worded_figures(text: str) -> Iterator[str]:
    """Sentences that say in words how many times one measured thing is another, or which part of it."""
    yield from (each for each in _sentences(text) if FACTOR.search(each) and MEASURED.search(each))


def _sentences(text: str) -> Iterator[str]:
    """Outside of code, tables, headings and placeholders."""
    lines: list[str] = []
    is_code = False
    for line in [*text.splitlines(), ""]:
        words = line.strip()
        is_code ^= words.startswith("```")
        is_prose = bool(words) and not is_code and not words.startswith(("|", "#", "```", "---"))
        if not is_prose or re.match(r"[-*] |\d+\. |[?!]{3}", words):
            yield from re.split(r"(?<=[.?!:;])[*_\"]* +", NOT_TEXT.sub("", " ".join(lines)))
            lines = []
        if is_prose:
            lines.append(words)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_figures_in_the_text_come_from_reports(page: Path) -> None:
    typed = [each for each in typed_figures(page.read_text()) if each not in KNOWN.get(page.name, ())]

    assert typed == [], f"{page.name}: take these from a report, by a placeholder, or leave them out"


@pytest.mark.parametrize("page", WORDED, ids=lambda page: _name(page))
def test_figures_in_words_come_from_reports(page: Path) -> None:
    allowed = NOT_MEASURED.get(_name(page), ())
    worded = [each for each in worded_figures(page.read_text()) if not any(part in each for part in allowed)]

    assert worded == [], (
        f"{_name(page)}: take these from a report, by a placeholder such as `times`, or say them without a figure."
        " If nobody can measure them, NOT_MEASURED lists them"
    )


def _name(page: Path) -> str:
    """Of a page of the site its name; of another one also its folder."""
    return page.name if page.is_relative_to(DOCS) else f"{page.parent.name}/{page.name}"


def test_exception_that_is_no_longer_needed_is_removed() -> None:
    found = {page.name: set(typed_figures(page.read_text())) for page in PAGES}
    worded = {_name(page): list(worded_figures(page.read_text())) for page in WORDED}

    assert {name: known - found[name] for name, known in KNOWN.items() if known - found[name]} == {}
    assert [
        (name, part)
        for name, parts in NOT_MEASURED.items()
        for part in parts
        if not any(part in each for each in worded[name])
    ] == []


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("It takes 8.2 to 9.1 ms.", ["8.2 to 9.1 ms"]),
        ("p99 is 12.5 ms, at 2500/s; 13 % fail", ["12.5 ms", "2500/s", "13 %"]),
        ("It is {{ value stage1-storage put p99 }} with `--rate 10 s`, [here](a.md#10-s).", []),
        ("After 3 s", ["3 s"]),
        ("```console\n$ sleep 3 s\n```\n| 3 s |", []),
        ("one of 3 servers, 2 of 3 requests", []),
    ],
)
def test_typed_figure_is_found_and_others_are_not(text: str, typed: list[str]) -> None:
    assert list(typed_figures(text)) == typed


@pytest.mark.parametrize(
    ("text", "worded"),
    [
        ("A `PUT` allocates about\nsix times as much. It is new.", ["A  allocates about six times as much."]),
        ("- A `GET` needs two and a half times as much\n- new", ["- A  needs two and a half times as much"]),
        ("The p99 is nearly twice as high, and the rate is about half of it.", [...]),
        ("A write costs three quarters more processor time", [...]),
        ("Its latencies differ by up to a factor of four.", [...]),
        ("Stage 5 gains most, about a third.", [...]),
        ("A `PUT` costs {{ times stage4-copies server_cpu_us_per_request b a }} as much.", []),
        ("The lab takes half an hour, and then a quarter of an hour.", []),
        ("Each value is stored three times. A third replica answers the requests.", []),
        ("```console\n$ # twice as fast\n```\n| twice as fast |\n\n## Twice as fast\n", []),
    ],
)
def test_figure_in_words_is_found_and_other_sentences_are_not(text: str, worded: list[object]) -> None:
    found = list(worded_figures(text))

    assert found == (worded if worded != [...] else [text])
