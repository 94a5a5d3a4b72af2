"""The repository that students get, made of this checkout: looked through by other means than its maker has."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.exercise_fakes import git
from workbook import console
from workbook.build import Builder
from workbook.cli import ROOT
from workbook.exercises import catalog, exporting
from workbook.exercises.catalog import Exercise
from workbook.exercises.classes import Classes
from workbook.host import Host
from workbook.pages.sources import find_source
from workbook.project import Project

pytestmark = pytest.mark.long_by_nature

TELLING = re.compile(r"[A-Za-z]\w*[.( ].*[;{)]")
TELLING_CHARS_MIN = 25
PROSE_WORDS_MIN = 8
QUOTED = re.compile(r"^[\s>|*#/+-]+")


class Handed:
    """The export, and what it was made from."""

    def __init__(self, source: Project, target: Path, exercises: list[Exercise]) -> None:
        self.source, self.target, self.exercises = source, target, exercises

    def reference(self, name: str) -> str:
        return (self.source.root / name).read_text(encoding="utf-8")

    def changed(self) -> list[str]:
        found = {find_source(self.source.root, each) for it in self.exercises for each in it.changed_classes}
        return sorted(path.relative_to(self.source.root).as_posix() for path in found)

    def contents(self) -> Iterator[tuple[str, str]]:
        """All files, those of git unpacked, and all that git can tell."""
        for path in self.target.rglob("*"):
            if path.is_file():
                name, content = path.relative_to(self.target).as_posix(), path.read_bytes()
                if name.startswith(".git/objects/") and re.fullmatch(r"[0-9a-f]{38}", path.name):
                    content = zlib.decompress(content)
                yield name, content.decode(errors="replace")
        yield "git's objects", git(self.target, "cat-file", "--batch-all-objects", "--batch")

    def holding(self, lines: set[str]) -> list[tuple[str, str]]:
        """Where one of these lines stands, indented, quoted or commented."""
        found = []
        for name, text in self.contents():
            held = {QUOTED.sub("", line).strip() for line in text.splitlines()}
            found += [(name, line) for line in lines & (held | {line.strip() for line in text.splitlines()})]
        return found


@pytest.fixture(scope="module")
def handed(tmp_path_factory: pytest.TempPathFactory) -> Handed:
    place = tmp_path_factory.mktemp("handed")
    git(ROOT, "clone", "--quiet", str(ROOT), str(place / "checkout"))
    classes = Classes(Builder(Project(ROOT), Host(), console.standard_output()))
    first = classes.project.stage(1)
    classes.prepare([first])
    project = Project(place / "checkout")
    found = catalog.read(project)
    with classes.worker(first, "export-test") as worker:
        chosen = exporting.fitting(project, found.exercises, worker)
        exporting.export(project, found, chosen, place / "out", worker)
    return Handed(project, place / "out", chosen)


def test_most_exercises_fit_into_one_export(handed: Handed) -> None:
    assert len(handed.exercises) > 30


def test_no_line_of_the_reference_that_was_cut_is_anywhere_in_it(handed: Handed) -> None:
    kept = {
        line.strip()
        for path in handed.target.glob("*/src/**/*.java")
        for line in path.read_text(encoding="utf-8").splitlines()
    }
    elsewhere = {
        line.strip()
        for path in handed.source.root.glob("*/src/**/*.java")
        if path.relative_to(handed.source.root).as_posix() not in handed.changed()
        for line in path.read_text(encoding="utf-8").splitlines()
    }
    lines = {line.strip() for name in handed.changed() for line in handed.reference(name).splitlines()}
    cut = {line for line in lines - kept - elsewhere if len(line) >= TELLING_CHARS_MIN and TELLING.search(line)}
    assert len(cut) > 100

    assert not handed.holding(cut)


def test_no_solution_wrong_answer_or_hint_of_another_exercise_is_in_it(handed: Handed) -> None:
    names = [name for name, _ in handed.contents()]
    assert not [name for name in names if re.search(r"/exercises/.*(/wrong/|/starter/|solution\.md$)", name)]
    assert not [name for name in names if name.startswith((".ci/", "scripts/tests/"))]

    everything = catalog.read(handed.source).exercises
    hidden = [each.solution.read_text(encoding="utf-8") for each in everything]
    for exercise in everything:
        hidden += [path.read_text(encoding="utf-8") for path in exercise.wrong_files]
        if exercise not in handed.exercises:
            hidden += [text for _, text in exercise.hints]
    lines = {line.strip() for text in hidden for line in text.splitlines()}
    telling = {line for line in lines if len(line.split()) >= PROSE_WORDS_MIN}
    references = "\n".join(path.read_text(encoding="utf-8") for path in handed.source.root.glob("*/src/**/*.java"))
    stubs = "\n".join((each.folder / "exercise.toml").read_text(encoding="utf-8") for each in everything)
    telling = {line for line in telling if line not in references and line not in stubs}
    assert len(telling) > 100

    assert not handed.holding(telling)


def test_it_has_one_commit_and_nothing_else_that_git_could_bring_back(handed: Handed) -> None:
    assert git(handed.target, "rev-list", "--all", "--count").strip() == "1"
    assert git(handed.target, "fsck", "--unreachable", "--no-reflogs").strip() == ""
    assert git(handed.target, "remote").strip() == ""
    assert git(handed.target, "stash", "list").strip() == ""
    assert git(handed.target, "status", "--porcelain").strip() == ""


def test_its_ci_file_is_a_workflow_that_checks_all_exercises(handed: Handed) -> None:
    yaml = pytest.importorskip("yaml", reason="no YAML here: ./workbook site --build installs it")
    file = handed.target / ".github" / "workflows" / "check.yml"
    workflow = yaml.load(file.read_text(encoding="utf-8"), yaml.BaseLoader)

    assert set(workflow) == {"name", "on", "jobs"}
    assert "push" in workflow["on"]
    for job in workflow["jobs"].values():
        assert {"runs-on", "steps"} <= set(job)
        assert all(("uses" in step) != ("run" in step) for step in job["steps"])
        assert all(re.fullmatch(r"[\w-]+/[\w-]+@v\d+", step["uses"]) for step in job["steps"] if "uses" in step)
    runs = [step["run"] for step in workflow["jobs"]["check"]["steps"] if "run" in step]
    assert runs == ["./workbook check --all --goals"]


def test_check_works_in_it_as_it_is(handed: Handed) -> None:
    """With the classes that Maven has made here: to compile all anew takes a minute, and nothing else."""
    here, there = ROOT / "target/workbook/exercises/reference", handed.target / "target/workbook/exercises/reference"
    shutil.copytree(here, there)
    for file in ROOT.glob("*/target/test-class-path.txt"):
        copy = handed.target / file.relative_to(ROOT)
        copy.parent.mkdir(exist_ok=True)
        copy.write_text(file.read_text().replace(str(ROOT), str(handed.target)))

    red = _check(handed, "1.1")
    assert red.returncode == 1, red.stdout + red.stderr
    assert re.search(r"\b0 of (\d+) pass, \1 fail", red.stdout), red.stdout + red.stderr
    [name] = [each for each in handed.changed() if each.endswith("/BloomFilter.java")]
    (handed.target / name).write_text(handed.reference(name), encoding="utf-8")
    green = _check(handed, "1.1")
    assert (green.returncode, "1.1 is done" in green.stdout) == (0, True), green.stdout + green.stderr


def _check(handed: Handed, exercise: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-E", str(handed.target / "scripts"), "check", exercise, "--goals"]
    return subprocess.run(command, cwd=handed.target, capture_output=True, text=True, check=False, timeout=300)
