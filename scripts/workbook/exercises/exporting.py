"""A repository to hand out: the workbook with its exercises cut out, and without anything that tells the answers."""

from __future__ import annotations

import io
import shutil
import subprocess
import tarfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from workbook.exercises import cutting, predicting, progress
from workbook.exercises.catalog import Catalog, Exercise
from workbook.exercises.checkout import AUTHOR, Checkout
from workbook.exercises.progress import BEGUN, Progress
from workbook.exercises.worker import Worker
from workbook.failure import Failure
from workbook.pages.sources import find_source
from workbook.project import Project
from workbook.toml import read_toml, table_text

MARK = "export.toml"
"""A checkout with this file is an export: all of its exercises are cut out already."""

ANSWERS = ("wrong", "starter", "solution.md")
LEFT_OUT = (".ci", "scripts/tests")
MUTANTS = "*/mutants.txt"
"""Left out, too: a line of it quotes the code that a mutant changes, and that may be an answer."""
TEMPLATES = Path(__file__).with_name("export")


@dataclass(frozen=True)
class Exported:
    exercises: list[Exercise]
    file_count: int
    hidden_lines: int


def is_export(root: Path) -> bool:
    return (root / MARK).is_file()


def export(project: Project, found: Catalog, chosen: Sequence[Exercise], target: Path, worker: Worker) -> Exported:
    """Raises a Failure, and leaves no folder, when two exercises change the same code or an answer would be visible."""
    if target.exists() and any(target.iterdir()):
        raise Failure(f"{target} is not empty")
    checkout = Checkout(project.root)
    if changed := checkout.changed_files():
        raise Failure(
            f"these files are not committed: {', '.join(changed[:5])}: an export contains only what is committed"
        )
    _refuse_overlaps(project, chosen, worker)
    made = not target.exists()
    try:
        hidden = _write(project, found, chosen, target, worker)
        _commit(target, chosen)
        _refuse_answers(target, hidden)
    except BaseException:
        shutil.rmtree(target, ignore_errors=True)
        if not made:
            target.mkdir()
        raise
    files = [path for path in target.rglob("*") if path.is_file() and ".git" not in path.parts]
    return Exported(list(chosen), len(files), len(hidden))


def _write(project: Project, found: Catalog, chosen: Sequence[Exercise], target: Path, worker: Worker) -> set[str]:
    """Returns the lines that a student must not find."""
    _unpack(project.root, target)
    lines: set[str] = set()
    texts = {str(path.relative_to(target)): path.read_text(encoding="utf-8") for path in _java(target)}
    for exercise in chosen:
        starter = cutting.starter(target, _in(exercise, project.root, target), worker)
        lines |= starter.cut_lines
        for path, text in starter.files.items():
            path.write_text(text, encoding="utf-8")
    cut = {name: (target / name).read_text(encoding="utf-8") for name in texts}
    hidden = cutting.distinctive(lines, texts.items(), cut)
    for exercise in found.exercises:
        folder = target / exercise.folder.relative_to(project.root)
        if exercise in chosen:
            _remove(folder / name for name in ANSWERS)
        else:  # Its page stays, since chapters point to it.
            _remove(path for path in folder.iterdir() if path.name != exercise.task.name)
    _remove(target / name for name in LEFT_OUT)
    _remove(target.glob(MUTANTS))
    _write_beside(chosen, target)
    return hidden


def _write_beside(chosen: Sequence[Exercise], target: Path) -> None:
    """What only an export has: mark, progress, answer sheets, the check on each push, a word to assistants."""
    (target / MARK).write_text(
        "# An export of the workbook: these exercises are cut out of it.\n"
        + table_text("export", {"exercises": [each.id for each in chosen]}),
        encoding="utf-8",
    )
    ignored = target / ".gitignore"
    kept = [line for line in ignored.read_text(encoding="utf-8").splitlines() if line != progress.FILE]
    ignored.write_text("\n".join(kept) + "\n", encoding="utf-8")
    made = Progress.read(target)
    for exercise in chosen:
        made.change(exercise, state=BEGUN, branch="main", base="main", begun=progress.now())
        if exercise.kind == "predict":
            sheet = target / predicting.FOLDER / f"{exercise.slug}.toml"
            sheet.parent.mkdir(exist_ok=True)
            sheet.write_text(predicting.blank(exercise), encoding="utf-8")
    workflow = target / ".github" / "workflows" / "check.yml"
    workflow.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(TEMPLATES / "check.yml", workflow)
    shutil.copyfile(TEMPLATES / "AGENTS.md", target / "AGENTS.md")


def exported_ids(root: Path) -> list[str]:
    try:
        ids = read_toml(root / MARK)["export"]["exercises"]
        if not isinstance(ids, list) or not all(isinstance(each, str) for each in ids):
            raise TypeError
    except (KeyError, TypeError) as problem:
        raise Failure(f'{root / MARK} must have [export] with exercises = ["1.1", …]') from problem
    return ids


def begun_with(project: Project, found: Catalog, exercise: Exercise) -> str:
    """A commit of this tree with one change: the code of this exercise is what the student began with.

    So both sides of a measurement have the same answers to all other exercises. A class that another exercise of the
    export changes as well stays as it is.
    """
    root = project.root
    checkout = Checkout(root)
    first = _first_commit(checkout)
    exported = exported_ids(root)
    others = [each for each in found.exercises if each.id in exported and each.id != exercise.id]
    shared = {name for each in others for name in each.changed_classes}
    paths = [find_source(root, name) for name in exercise.changed_classes if name not in shared]
    texts = {path: checkout.git("show", f"{first}:{path.relative_to(root).as_posix()}") for path in paths}
    return checkout.commit_beside(texts, f"exercise {exercise.id}: what a student begins with")


def _first_commit(checkout: Checkout) -> str:
    """The commit of an export with nothing of the student's."""
    if checkout.git("rev-parse", "--is-shallow-repository").strip() == "true":
        raise Failure("this clone lacks the first commit, which holds the code to compare with: git fetch --unshallow")
    return checkout.git("rev-list", "--max-parents=0", "HEAD").split()[-1]


def _unpack(root: Path, target: Path) -> None:
    """What the commit that is checked out holds: nothing else of the folder, and no history."""
    archive = subprocess.run(
        ["git", "-C", str(root), "archive", "--format=tar", "HEAD"], capture_output=True, check=False
    )
    if archive.returncode != 0:
        raise Failure(f"git archive failed: {archive.stderr.decode(errors='replace').strip()}")
    target.mkdir(parents=True, exist_ok=True)
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
        tar.extraction_filter = getattr(tarfile, "data_filter", None)  # Python 3.10 and some of 3.11 have none.
        tar.extractall(target)


def _in(exercise: Exercise, root: Path, target: Path) -> Exercise:
    """The exercise as it lies in the export. Its answers are not removed yet."""
    return replace(exercise, folder=target / exercise.folder.relative_to(root))


def fitting(project: Project, exercises: Sequence[Exercise], worker: Worker) -> list[Exercise]:
    """Those of the exercises that fit into one export. Of two that change the same code, the first."""
    taken: set[tuple[str, str]] = set()
    chosen = []
    for exercise in exercises:
        changed = set(_changed(project, exercise, worker))
        if not changed & taken:
            taken |= changed
            chosen.append(exercise)
    return chosen


def _refuse_overlaps(project: Project, chosen: Sequence[Exercise], worker: Worker) -> None:
    taken: dict[tuple[str, str], Exercise] = {}
    for exercise in chosen:
        for changed in _changed(project, exercise, worker):
            other = taken.setdefault(changed, exercise)
            if other is not exercise:
                where = f"{changed[0].rpartition('.')[2]}.{changed[1]}"
                raise Failure(
                    f"{other.id} and {exercise.id} both change {where}: export one of them (--exercises {other.id},…)"
                )


def _changed(project: Project, exercise: Exercise, worker: Worker) -> Iterable[tuple[str, str]]:
    for cut in exercise.cuts:
        for name in (*cut.methods, *cut.removed):
            yield cut.class_name, name.partition("(")[0]
    for file in exercise.starter_files:
        class_name = exercise.class_called(file.stem)
        find_source(project.root, class_name)
        for method in cutting.Source(file, worker).methods():
            yield class_name, method["name"]


def _commit(target: Path, chosen: Sequence[Exercise]) -> None:
    checkout = Checkout(target)
    checkout.git("init", "--quiet", "--initial-branch=main")
    checkout.git("add", "--all")
    names = f"{chosen[0].id} to {chosen[-1].id}" if len(chosen) > 1 else chosen[0].id
    checkout.git(*AUTHOR, "commit", "--quiet", "-m", f"The workbook, with exercises {names} to do")


def _refuse_answers(target: Path, hidden: set[str]) -> None:
    """Looks through all that git holds, and all files."""
    for path in target.rglob("*"):
        if path.is_file() and ".git" not in path.relative_to(target).parts:
            _refuse_in(path.read_bytes(), hidden, str(path.relative_to(target)))
    checkout = Checkout(target)
    objects = subprocess.run(
        ["git", "-C", str(target), "cat-file", "--batch-all-objects", "--batch"], capture_output=True, check=True
    )
    _refuse_in(objects.stdout, hidden, "git's objects")
    if len(checkout.git("rev-list", "--all").split()) != 1:
        raise Failure(f"{target} has more than one commit")


def _refuse_in(content: bytes, hidden: set[str], where: str) -> None:
    lines = {line.strip() for line in content.decode(errors="replace").splitlines()}
    lines |= {line.rpartition(" | ")[2].strip() for line in lines}  # A list may quote a line of code.
    if found := sorted(hidden & lines):
        raise Failure(f"an export must not hold the answers, and {where} has the line: {found[0]}")


def _java(root: Path) -> Iterable[Path]:
    return sorted(path for path in root.glob("*/src/**/*.java"))


def _remove(paths: Iterable[Path]) -> None:
    for path in paths:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
