"""A checkout with two exercises, and a stand-in for the JVM that outlines sources."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any, cast

from tests.fakes import make_project
from workbook.exercises.worker import Worker
from workbook.project import Project

COUNTER = """package dht.storage;

import java.util.ArrayList;
import java.util.List;

/** Counts. */
final class Counter {
    private final List<String> seen = new ArrayList<>();
    private int count;

    /** Counts one more. */
    void add(String name) {
        int before = count;
        count = before + 1;
        seen.add(name);
    }

    int count() {
        // region what-it-says
        int answerOfTheReference = count;
        return answerOfTheReference;
        // endregion
    }

    /** Helps. */
    private int doubled(int value) {
        return value + value;
    }
}
"""

WRONG = """/** Forgets to count. */
class Counter {
    void add(String name) {
        seen.add(name);
    }
}
"""

METHOD = re.compile(r"^    (?:private |static )*(?:[\w<>\[\]]+ )?(\w+)\(([^)]*)\) \{$", re.MULTILINE)
FIELD = re.compile(r"^    (?:private |final )+[\w<>]+ (\w+)(?: = .*)?;$", re.MULTILINE)
IMPORT = re.compile(r"^import ([\w.]+);$", re.MULTILINE)


class FakeWorker:
    """Outlines what google-java-format has formatted, as the compiler would."""

    def outline(self, source: Path) -> list[dict[str, Any]]:
        text = source.read_text(encoding="utf-8")
        start = re.search(r"^(?:final )?class (\w+)", text, re.MULTILINE)
        assert start is not None
        name = start[1]
        events: list[dict[str, Any]] = [
            {"event": "import", "name": match[1], "begin": match.start(), "end": match.end()}
            for match in IMPORT.finditer(text)
        ]
        events.append({"event": "type", "name": name, "begin": start.start(), "end": len(text.rstrip())})
        for match in FIELD.finditer(text):
            begin = match.start() + 4
            events.append({"event": "field", "type": name, "name": match[1], "begin": begin, "end": match.end()})
        for match in METHOD.finditer(text):
            end = text.index("\n    }\n", match.end()) + len("\n    }")
            types = ", ".join(each.rsplit(" ", 1)[0].strip() for each in match[2].split(",") if each.strip())
            events.append(
                {
                    "event": "method",
                    "type": name,
                    "name": match[1],
                    "parameters": types,
                    "begin": match.start() + 4,
                    "end": end,
                    "bodyBegin": match.end() - 1,
                    "bodyEnd": end,
                }
            )
        return events


def fake_worker() -> Worker:
    return cast(Worker, FakeWorker())


def make_exercises(root: Path) -> Project:
    """A git checkout with exercises 1.1 (build) and 1.2 (predict)."""
    project = make_project(root)
    source = root / "stage1-storage" / "src" / "main" / "java" / "dht" / "storage" / "Counter.java"
    source.parent.mkdir(parents=True)
    source.write_text(COUNTER)
    build = make_exercise(
        root,
        "1.1-counter",
        """
title = "A counter"
kind = "build"
minutes = 20
idea = "To count is to add one."
chapter = "stages/one.md#how"
goal = ["dht.storage.CounterTest"]

[[cut]]
class = "dht.storage.Counter"
methods = ["add", "count"]
remove = ["doubled"]
""",
    )
    (build / "wrong").mkdir()
    (build / "wrong" / "Counter-forgets.java").write_text(WRONG)
    make_exercise(
        root,
        "1.2-guess",
        """
title = "A guess"
kind = "predict"
minutes = 15
idea = "Guess first."
chapter = "stages/one.md#how"

[runs]
put = ["load", "1", "put", "--quick"]

[[question]]
name = "p99"
text = "How many milliseconds is the p99 of a PUT?"
unit = "ms"
within-factor = 2
expect = "put.p99_ms"

[[question]]
name = "group"
text = "Which threads work most?"
choices = ["selector", "GC"]
expect = "largest(put.cpu_groups)"
""",
    )
    (root / ".gitignore").write_text("progress.toml\n")
    git(root, "init", "--quiet", "--initial-branch=main")
    git(root, "config", "user.email", "student@localhost")
    git(root, "config", "user.name", "student")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "-m", "the reference")
    return project


def make_exercise(root: Path, slug: str, settings: str) -> Path:
    folder = root / "stage1-storage" / "exercises" / slug
    folder.mkdir(parents=True)
    (folder / "exercise.toml").write_text(settings)
    (folder / "task.md").write_text("# Task\n" * 20)
    (folder / "hints.md").write_text("## Where\n\nThere.\n\n## What\n\nThat.\n\n## How\n\nSo.\n")
    (folder / "solution.md").write_text("Because.\n")
    return folder


def git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, check=True)
    return done.stdout.decode(errors="replace")
