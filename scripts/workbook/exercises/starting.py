"""Begins exercises on a branch of their own, and goes back to the reference. Nothing of the student's is lost by it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from workbook.exercises import cutting, exporting, predicting, progress
from workbook.exercises.catalog import Catalog, Exercise
from workbook.exercises.checkout import Checkout
from workbook.exercises.progress import BEGUN, Progress
from workbook.exercises.worker import Worker
from workbook.failure import Failure
from workbook.pages.sources import find_source
from workbook.project import Project

PREFIX = "exercise/"
KEPT_MAX = 100


@dataclass(frozen=True)
class Begun:
    """`files`: those to open. `was_there`: the branch was made by an earlier start. `on_top_of`: the branch with the
    earlier answers."""

    branch: str
    files: list[Path]
    was_there: bool
    kept: str = ""
    on_top_of: str = ""


def start(
    project: Project,
    catalog: Catalog,
    chosen: Sequence[Exercise],
    made: Progress,
    worker: Worker | None,
    *,
    chain: bool,
    again: bool,
) -> Begun:
    """Raises a Failure, and changes nothing, when the tree has changes or two exercises cut the same file.

    `worker`: None where none of the exercises cuts code.
    """
    checkout = Checkout(project.root)
    branch = checkout.branch()
    if exporting.is_export(project.root):
        return _start_in_export(project, chosen, made, branch)
    if changed := checkout.changed_files():
        raise Failure(
            f"these files are not committed: {_listed(changed)}\n"
            "commit them first: git add --all && git commit -m 'my work'"
        )
    base = _base(branch, catalog, made)
    name = _name(catalog, chosen)
    target = PREFIX + name
    if checkout.has_branch(target) and not again:
        checkout.git("switch", "--quiet", target)
        _note(chosen, made, target, base)
        return Begun(target, _files(project, chosen), was_there=True)
    earlier = _earlier(checkout, catalog, made, branch) if chain else ""
    begin = checkout.git("rev-parse", earlier or base).strip()  # The earlier branch may be the one that is renamed.
    kept = _free_name(checkout, target) if checkout.has_branch(target) else ""
    try:
        if kept:
            checkout.git("branch", "--move", target, kept)
        checkout.git("switch", "--quiet", "--create", target, begin)
        files = _cut(project, chosen, worker)
        checkout.commit(list(files), f"exercise {name}: what you start from")
    except BaseException:
        _take_back(checkout, branch, target, kept)
        raise
    _note(chosen, made, target, base)
    return Begun(
        target,
        _files(project, chosen),
        was_there=False,
        kept=kept,
        on_top_of=kept if earlier == target else earlier,
    )


def _take_back(checkout: Checkout, branch: str, target: str, kept: str) -> None:
    """All branches are as they were, however far a start came. There was nothing that was not committed."""
    checkout.git("reset", "--quiet", "--hard")
    checkout.git("clean", "--quiet", "--force", "-d", "--", predicting.FOLDER)
    if kept and not checkout.has_branch(kept):
        return  # It was not renamed yet.
    if checkout.has_branch(target):
        checkout.git("switch", "--quiet", "--detach")
        checkout.git("branch", "--quiet", "-D", target)
    if kept:
        checkout.git("branch", "--move", kept, target)
    checkout.git("switch", "--quiet", branch)


def _earlier(checkout: Checkout, catalog: Catalog, made: Progress, branch: str) -> str:
    """The branch with the student's answers: the one that is checked out, or that of the exercise done last."""
    if branch.startswith(PREFIX):
        return branch
    entries = [made.of(each) for each in catalog.exercises if made.of(each).state == progress.DONE]
    there = [each for each in entries if each.branch.startswith(PREFIX) and checkout.has_branch(each.branch)]
    if not there:
        raise Failure("--chain goes on from an earlier answer, and there is none that is done")
    return max(there, key=lambda each: each.done).branch


def stop(project: Project, catalog: Catalog, made: Progress) -> tuple[str, str]:
    """Goes back to the branch that was left; what was not committed is committed first. Returns both branches."""
    checkout = Checkout(project.root)
    branch = checkout.branch()
    if exporting.is_export(project.root):
        raise Failure("this repository holds exercises alone: there is no reference to go back to")
    if not branch.startswith(PREFIX):
        raise Failure(f"no exercise is begun here: this is the branch {branch}")
    base = _base(branch, catalog, made)
    if checkout.changed_files():
        checkout.commit_all(f"{branch.removeprefix(PREFIX)}: so far")
    checkout.git("switch", "--quiet", base)
    return branch, base


def here(project: Project, catalog: Catalog, made: Progress) -> list[Exercise]:
    """The exercises that are begun and whose answers are in the tree."""
    return [each for each in catalog.exercises if is_here(project, each, made)]


def is_here(project: Project, exercise: Exercise, made: Progress) -> bool:
    """Whether the answer to an exercise that is begun is in the tree: on its branch, or anywhere in an export."""
    entry = made.of(exercise)
    if entry.state == progress.OPEN:
        return False
    return exporting.is_export(project.root) or entry.branch == Checkout(project.root).branch()


def to_do_here(project: Project, catalog: Catalog, made: Progress) -> list[Exercise]:
    """Those with tests whose code is cut out on this branch and is not there yet."""
    begun = [each for each in here(project, catalog, made) if each.goal]
    return [each for each in begun if made.of(each).state != progress.DONE or _has_stub(project, each)]


def _has_stub(project: Project, exercise: Exercise) -> bool:
    """It may have been done on another branch, and be cut out here again."""
    paths = [find_source(project.root, name) for name in exercise.changed_classes]
    return any(is_stub(path.read_text("utf-8"), exercise.id) for path in paths)


def is_stub(text: str, exercise_id: str) -> bool:
    """Whether a text is of the code that stands in for what an exercise has cut out, or was thrown by it."""
    return re.search(rf"exercise {re.escape(exercise_id)}\b", text) is not None


def _start_in_export(project: Project, chosen: Sequence[Exercise], made: Progress, branch: str) -> Begun:
    """There all is cut out already: what is named is the one that the student does now."""
    ids = exporting.exported_ids(project.root)
    for each in chosen:
        if each.id not in ids:
            raise Failure(f"exercise {each.id} is not in this repository; there are {', '.join(ids)}")
    _note(chosen, made, branch, branch, again=True)
    return Begun(branch, _files(project, chosen), was_there=True)


def _base(branch: str, catalog: Catalog, made: Progress) -> str:
    """The branch with the reference: the one that was left for the exercise, or this one."""
    if not branch.startswith(PREFIX):
        return branch
    for each in catalog.exercises:
        if made.of(each).branch == branch and made.of(each).base:
            return made.of(each).base
    return "main"


def _cut(project: Project, chosen: Sequence[Exercise], worker: Worker | None) -> dict[Path, str]:
    """One exercise after another, so that several may change the same file."""
    written: dict[Path, str] = {}
    for each in chosen:
        cut = cutting.starter(project.root, each, worker).files if worker is not None else {}
        for path, text in cut.items():
            path.write_text(text, encoding="utf-8")
            written[path] = text
        if each.kind == "predict":
            sheet = predicting.answer_sheet(project, each)
            sheet.parent.mkdir(exist_ok=True)
            text = predicting.blank(each)
            sheet.write_text(text, encoding="utf-8")
            written[sheet] = text
    return written


def _files(project: Project, chosen: Sequence[Exercise]) -> list[Path]:
    files: list[Path] = []
    for each in chosen:
        files += [find_source(project.root, name) for name in each.changed_classes]
        files += [predicting.answer_sheet(project, each)] if each.kind == "predict" else []
    return list(dict.fromkeys(files))


def _note(chosen: Sequence[Exercise], made: Progress, branch: str, base: str, *, again: bool = False) -> None:
    """`again`: they count as begun now, even if they were before."""
    now = progress.now()
    for each in chosen:
        entry = made.of(each)
        made.change(
            each,
            state=entry.state if entry.state != progress.OPEN else BEGUN,
            branch=branch,
            base=base,
            begun=now if again else entry.begun or now,
        )


def _free_name(checkout: Checkout, branch: str) -> str:
    """For the student's earlier work."""
    for number in range(1, KEPT_MAX):
        name = f"{branch}-kept-{number}"
        if not checkout.has_branch(name):
            return name
    raise Failure(f"there are {KEPT_MAX} kept branches of {branch}: delete some with git branch -D")


def _name(catalog: Catalog, chosen: Sequence[Exercise]) -> str:
    """`1.3`, or `1.1-1.5`, or `1.1,1.4` where others lie between them."""
    first, last = chosen[0].id, chosen[-1].id
    if len(chosen) > 1 and list(chosen) == catalog.select([f"{first}-{last}"]):
        return f"{first}-{last}"
    return ",".join(each.id for each in chosen)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
