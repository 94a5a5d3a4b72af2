"""Points for a student's own server, in any language: the contracts of a stage, asked over HTTP."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from workbook import jdk
from workbook.build import Builder
from workbook.exercises.classes import TESTKIT
from workbook.exercises.grading import Grade, Graded, Rules
from workbook.exercises.worker import TestResult
from workbook.failure import Failure
from workbook.processes import Children

WRONG_OPTIONS = 2
NO_TURN = "it had no turn: the run ended before it"


def grade_server(builder: Builder, server: str, stage: int, rules: Rules, scratch: Path) -> Graded:
    """Runs all contracts of the stage against the server that the command line starts."""
    found = jdk.require(builder.host)
    jar = builder.ensure_jar(builder.project.module(TESTKIT))
    file = scratch / "results.jsonl"
    command = [str(found.java), "-jar", str(jar), "--stage", str(stage), "--server", server, "--results", str(file)]
    with Children() as children:
        env = {**builder.host.env, "JAVA_HOME": str(found.home)}
        exit_code = children.start("testkit", command, env=env, captured=False).wait()
    if exit_code == WRONG_OPTIONS or not file.is_file():
        raise Failure(f"the contracts of stage {stage} could not be run (exit code {exit_code})")
    return graded(file.read_text(encoding="utf-8"), stage, rules, scratch)


def graded(lines: str, stage: int, rules: Rules, folder: Path) -> Graded:
    """`lines`: a JSON object each, as the testkit's `--results` writes them."""
    contracts: defaultdict[str, dict[str, TestResult]] = defaultdict(dict)
    for line in lines.splitlines():
        result = _result(json.loads(line))
        contracts[result.suite][result.test] = result
    grades = [_grade(name, list(results.values()), rules) for name, results in contracts.items()]
    return Graded(f"stage{stage}-server", folder, grades)


def _result(fields: dict[str, Any]) -> TestResult:
    if fields["outcome"] == "planned":  # Another line says how it ended, if it did.
        return TestResult(fields["contract"], fields["test"], "failed", 0.0, NO_TURN)
    return TestResult(
        fields["contract"], fields["test"], fields["outcome"], float(fields["seconds"]), str(fields["message"])
    )


def _grade(contract: str, results: list[TestResult], rules: Rules) -> Grade:
    """What cannot be run against this kind of server costs no points."""
    of_contract = rules.of(contract)
    counted = [each for each in results if each.outcome != "not run"]
    passed = sum(each.outcome == "passed" for each in counted)
    share = passed / len(counted) if counted else 0.0
    if not of_contract["partial"] and passed < len(counted):
        share = 0.0
    points_max = float(of_contract["points"]) if counted else 0.0
    remark = "" if passed == len(counted) else f"{passed} of {len(counted)} tests pass"
    if left := len(results) - len(counted):
        remark = "; ".join(filter(None, [remark, f"{left} not run"]))
    return Grade(contract, "", round(points_max * share, 2), points_max, results, remark)
