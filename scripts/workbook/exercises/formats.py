"""Grades in the formats that other tools read."""

from __future__ import annotations

import json
import os
import re
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from workbook.exercises.checkout import Checkout
from workbook.exercises.grading import Grade, Graded
from workbook.exercises.progress import TIME, now
from workbook.failure import Failure

MESSAGE_MAX = 4000
NOT_IN_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_all(graded: Graded, folder: Path, env: Mapping[str, str] = os.environ) -> list[Path]:
    """JUnit's XML, Gradescope's results.json and Classroom 50's result.json. Returns the files."""
    folder.mkdir(parents=True, exist_ok=True)
    junit, gradescope, classroom = folder / "junit.xml", folder / "results.json", folder / "result.json"
    ET.ElementTree(junit_xml(graded)).write(junit, encoding="utf-8", xml_declaration=True)
    _write_json(gradescope, gradescope_json(graded))
    _write_json(classroom, classroom50_json(graded, env))
    return [junit, gradescope, classroom]


def junit_xml(graded: Graded) -> ET.Element:
    root = ET.Element("testsuites", name=graded.name)
    for grade in graded.grades:
        results = grade.results
        failures = sum(each.outcome == "failed" for each in results)
        suite = ET.SubElement(
            root,
            "testsuite",
            name=grade.name,
            tests=str(len(results)),
            failures=str(failures),
            errors="0",
            skipped=str(sum(each.outcome == "not run" for each in results)),
            time=f"{sum(each.seconds for each in results):.3f}",
        )
        for each in results:
            case = ET.SubElement(suite, "testcase", classname=each.suite, name=each.test, time=f"{each.seconds:.3f}")
            if each.outcome == "failed":
                ET.SubElement(case, "failure", message=_printable(each.summary)).text = _printable(each.message)
            elif each.outcome == "not run":
                ET.SubElement(case, "skipped", message=_printable(each.summary))
    return root


def gradescope_json(graded: Graded) -> dict[str, Any]:
    """https://gradescope-autograders.readthedocs.io/en/latest/specs/: one test for each exercise."""
    return {
        "score": round(graded.points, 2),
        "tests": [
            {
                "name": grade.name,
                "number": grade.id,
                "score": grade.points,
                "max_score": grade.points_max,
                "status": "passed" if grade.points == grade.points_max else "failed",
                "output": _output(grade),
                "visibility": "visible",
            }
            for grade in graded.grades
        ],
    }


def classroom50_json(graded: Graded, env: Mapping[str, str]) -> dict[str, Any]:
    """classroom50/result/v1. Whose it is says the environment, as its runner sets it, or else the submission's folder.

    Points are whole numbers there: they are rounded down.
    """
    commit, time = _commit(graded.folder)
    identity = {
        "classroom": env.get("CLASSROOM") or "workbook",
        "assignment": env.get("ASSIGNMENT") or "exercises",
        "assignment_type": env.get("MODE") or "individual",
        "owner": env.get("OWNER") or env.get("USERNAME") or graded.name,
        "submission": env.get("SUBMISSION") or f"submit/{time.replace(':', '-')}-{commit[:7]}",
        "commit": env.get("COMMIT_URL") or commit,
        "release": env.get("RELEASE_URL") or commit,
        "review": env.get("REVIEW_URL") or commit,
        "datetime": time,
        "graded_at": now(),
    }
    tests = [
        {
            "test-name": grade.name,
            "passed": grade.points == grade.points_max,
            "score": int(grade.points),
            "max-score": int(grade.points_max),
            "output": _output(grade),
        }
        for grade in graded.grades
    ]
    return {
        "schema": "classroom50/result/v1",
        **identity,
        "score": sum(each["score"] for each in tests),
        "max-score": sum(each["max-score"] for each in tests),
        "tests": tests,
    }


def _commit(folder: Path) -> tuple[str, str]:
    """The commit that is checked out there and its time, UTC; of a folder without git, a word and now.

    Git runs in an empty repository beside, with the objects of this one: the settings of a submission can name
    programs, and git would start them.
    """
    with tempfile.TemporaryDirectory(prefix="grade-") as place:
        beside = Checkout(Path(place))
        try:
            sha = _head(folder / ".git")
            beside.git("init", "--quiet")
            objects = {"GIT_OBJECT_DIRECTORY": str((folder / ".git" / "objects").resolve())}
            commit = beside.git("cat-file", "commit", sha, env=objects)
            seconds = int(re.search(r"^committer .*> (\d+) [+-]\d{4}$", commit, re.MULTILINE)[1])  # type: ignore[index]
            return sha, datetime.fromtimestamp(seconds, timezone.utc).strftime(TIME)
        except (Failure, OSError, OverflowError, TypeError, ValueError):
            return "no-commit", now()


def _head(git: Path) -> str:
    """The commit that is checked out. Raises a ValueError or an OSError where that is not said."""
    head = (git / "HEAD").read_text(encoding="utf-8").strip()
    if head.startswith("ref: "):
        name = head.removeprefix("ref: ")
        loose = git / name
        if loose.resolve().is_relative_to(git.resolve()) and loose.is_file():
            head = loose.read_text(encoding="utf-8").strip()
        else:
            packed = (git / "packed-refs").read_text(encoding="utf-8").splitlines()
            head = next((line.partition(" ")[0] for line in packed if line.endswith(f" {name}")), "")
    if re.fullmatch(r"[0-9a-f]{40}", head) is None:
        raise ValueError(head)
    return head


def _output(grade: Grade) -> str:
    failed = [each for each in grade.results if each.outcome != "passed"]
    lines = [grade.remark] if grade.remark else []
    lines += [f"{each.short_name}: {each.summary}" for each in failed]
    return _printable("\n".join(lines))


def _printable(text: str) -> str:
    """XML has no place for most control characters, and a submission may print any."""
    return NOT_IN_XML.sub("", text[:MESSAGE_MAX])


def _write_json(file: Path, value: Mapping[str, Any]) -> None:
    file.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def table_rows(graded: Sequence[Graded]) -> list[list[str]]:
    """A row for each submission: its points for each exercise, and in all."""
    return [
        [each.name, *(f"{grade.points:g}" for grade in each.grades), f"{each.points:g} of {each.points_max:g}"]
        for each in graded
    ]
