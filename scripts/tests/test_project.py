from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes import SCRIPTS, make_module, make_project
from workbook.failure import Failure
from workbook.project import Module, Project


def test_stage_with_its_number_is_found_by_its_folders_name(tmp_path: Path) -> None:
    project = make_project(tmp_path)

    assert project.stage(3) == Module(tmp_path / "stage3-sharding")
    assert project.stage(3).jar == tmp_path / "stage3-sharding/target/stage3-sharding.jar"


def test_stage_that_is_not_there_yet_fails_and_names_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(Failure, match=r"there is no stage 2; there are 1, 3"):
        make_project(tmp_path).stage(2)


def test_module_that_is_not_there_fails_and_names_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(
        Failure, match=r"there is no module nothing; there are testkit, stage1-storage, stage3-sharding"
    ):
        make_project(tmp_path).module("nothing")


def test_stages_with_two_digits_are_told_from_those_with_one(tmp_path: Path) -> None:
    make_module(tmp_path, "stage11-far")

    assert Module(tmp_path / "stage11-far").stage_number == 11
    assert Module(tmp_path / "stage1").stage_number is None
    assert Module(tmp_path / "my-stage1-storage").stage_number is None


def test_upstream_without_tests_leaves_out_what_only_tests_need(tmp_path: Path) -> None:
    project = make_project(tmp_path)

    names = [module.name for module in project.upstream(project.stage(3), with_tests=False)]

    assert names == ["stage1-storage", "stage3-sharding"]


def test_upstream_with_tests_has_each_module_once(tmp_path: Path) -> None:
    project = make_project(tmp_path)

    names = [module.name for module in project.upstream(project.stage(3), with_tests=True)]

    assert names == ["testkit", "stage1-storage", "stage3-sharding"]


def test_project_without_pom_says_which_file_is_missing(tmp_path: Path) -> None:
    with pytest.raises(Failure, match=f"cannot read {tmp_path / 'pom.xml'}"):
        Project(tmp_path).stage(1)


def test_project_with_broken_pom_says_where_it_is_broken(tmp_path: Path) -> None:
    (tmp_path / "pom.xml").write_text("<project>")

    with pytest.raises(Failure, match=r"pom\.xml: no element found"):
        Project(tmp_path).stage(1)


def test_each_module_of_this_checkout_can_be_tested_alone() -> None:
    project = Project(SCRIPTS.parent)
    own = [module for module in project.modules if module.has_sources]
    packages = [module.directory / "src" / "main" / "java" / "dht" / module.tested for module in own]

    assert len(own) > 5
    assert [package for package in packages if not package.is_dir()] == []
    for module in project.modules:
        if module.stage_number is not None:
            settings = (module.directory / ".mvn" / "maven.config").read_text().split()
            assert settings == ["-f", "../pom.xml", "-pl", f":{module.name}", "-am", f"-Dtested={module.tested}"]
