"""The stages' mutants.txt name every package whose tests must notice faults, and only what is in the code."""

from __future__ import annotations

import re

import pytest

from tests.fakes import SCRIPTS
from workbook.mutants import Harmless, MutantList, read_list
from workbook.project import Module, Project

STAGES = [module for module in Project(SCRIPTS.parent).modules if module.stage_number]
DEMANDED = re.compile(r"dht\.((storage|execution|sharding|replication)(\..+)?|peer\..+)")


def packages(module: Module) -> set[str]:
    sources = module.directory / "src/main/java"
    return {".".join(file.parent.relative_to(sources).parts) for file in sources.rglob("*.java")}


def mutant_list(module: Module) -> MutantList:
    found = read_list(module)
    assert found is not None, f"{module.name} has no mutants.txt"
    return found


def is_in_the_code(mutant: Harmless, module: Module) -> bool:
    class_name = mutant.identity.method.rpartition(".")[0].partition("$")[0]
    source = module.directory / "src/main/java" / f"{class_name.replace('.', '/')}.java"
    lines = source.read_text(encoding="utf-8").splitlines() if source.is_file() else []
    return mutant.identity.line in (line.strip() for line in lines)


@pytest.mark.parametrize("stage", STAGES, ids=lambda module: module.name)
def test_package_whose_tests_must_notice_faults_is_listed(stage: Module) -> None:
    demanded = {name for name in packages(stage) if DEMANDED.fullmatch(name)}

    assert demanded, "no such package: has it got another name?"
    assert demanded - {package.name for package in mutant_list(stage).packages} == set()


@pytest.mark.parametrize("stage", STAGES, ids=lambda module: module.name)
def test_listed_package_has_classes(stage: Module) -> None:
    assert {package.name for package in mutant_list(stage).packages} - packages(stage) == set()


@pytest.mark.parametrize("stage", STAGES, ids=lambda module: module.name)
def test_listed_mutant_is_a_line_of_its_class(stage: Module) -> None:
    assert [each.identity for each in mutant_list(stage).harmless if not is_in_the_code(each, stage)] == []
