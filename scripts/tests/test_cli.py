from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.fakes import free_ports, make_project
from workbook.cli import COMMANDS, main


@pytest.mark.parametrize("words", [[], ["--help"], ["-h"], ["help"]])
def test_bare_call_prints_each_command_with_one_line(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    assert main(words) == 0

    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "usage: ./workbook COMMAND [options]"
    for name in COMMANDS:
        assert len([line for line in lines if line.split()[:1] == [name]]) == 1


@pytest.mark.parametrize(
    ("word", "line"),
    [
        ("tset", "workbook: unknown command 'tset': did you mean test?\n"),
        ("frobnicate", f"workbook: unknown command 'frobnicate': there are {', '.join(COMMANDS)}\n"),
    ],
)
def test_unknown_command_is_one_clear_line(capsys: pytest.CaptureFixture[str], word: str, line: str) -> None:
    assert main([word]) == 2
    assert capsys.readouterr() == ("", line)


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_explains_itself(capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert main([name, "--help"]) == 0
    assert capsys.readouterr().out.startswith(f"usage: ./workbook {name}")


def test_each_command_is_a_module_of_its_own() -> None:
    modules = Path(sys.modules["workbook.cli"].__file__ or "").parent / "commands"

    assert {path.stem for path in modules.glob("*.py")} - {"__init__"} == set(COMMANDS)


def test_wrong_option_is_one_clear_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--nonsense"]) == 2
    assert capsys.readouterr().err == ("workbook: unrecognized arguments: --nonsense (see ./workbook doctor --help)\n")


def test_trouble_with_files_is_one_clear_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    project = make_project(tmp_path)
    (tmp_path / "runs").write_text("in the way")

    assert main(["run", "1", "--port", str(free_ports())], project.root) == 1
    assert str(tmp_path / "runs") in capsys.readouterr().err


def test_words_after_two_dashes_belong_only_to_commands_that_pass_them_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--", "--port", "1"]) == 2
    assert "unrecognized arguments" in capsys.readouterr().err
