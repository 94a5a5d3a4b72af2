from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes import make_host, make_program
from workbook.wrk2 import find_wrk2

WRK = """#!/bin/sh
echo 'Usage: wrk <options> <url>'
echo '    -d, --duration    <T>  Duration of test'
exit 1
"""
WRK2 = """#!/bin/sh
echo 'Usage: wrk <options> <url>'
echo '    -R, --rate        <T>  work rate (throughput)'
exit 1
"""


def test_find_with_nothing_installed_says_where_it_looked(tmp_path: Path) -> None:
    found = find_wrk2(make_host(tmp_path, PATH=str(tmp_path)))

    assert found.program is None
    assert found.detail == "WRK2 is not set, and there is no wrk2 on PATH"


def test_find_with_variable_set_takes_what_it_names(tmp_path: Path) -> None:
    named = make_program(tmp_path / "elsewhere/wrk", WRK2)
    make_program(tmp_path / "bin/wrk2", WRK2)

    found = find_wrk2(make_host(tmp_path, PATH=str(tmp_path / "bin"), WRK2=str(named)))

    assert found.program == named


@pytest.mark.parametrize(("name", "text", "complaint"), [("wrk", WRK, "does not know -R"), (None, "", "not a program")])
def test_find_with_variable_set_wrongly_says_so_and_takes_no_other(
    tmp_path: Path, name: str | None, text: str, complaint: str
) -> None:
    named = make_program(tmp_path / "elsewhere" / name, text) if name else tmp_path / "nothing"
    make_program(tmp_path / "bin/wrk2", WRK2)

    found = find_wrk2(make_host(tmp_path, PATH=str(tmp_path / "bin"), WRK2=str(named)))

    assert found.program is None
    assert complaint in found.detail


def test_find_with_wrk2_on_path_takes_it_before_wrk(tmp_path: Path) -> None:
    wrk2 = make_program(tmp_path / "wrk2", WRK2)
    make_program(tmp_path / "wrk", WRK2)

    assert find_wrk2(make_host(tmp_path, PATH=str(tmp_path))).program == wrk2


def test_find_with_a_wrk_that_keeps_a_rate_takes_it(tmp_path: Path) -> None:
    wrk = make_program(tmp_path / "wrk", WRK2)

    assert find_wrk2(make_host(tmp_path, PATH=str(tmp_path))).program == wrk


def test_find_with_plain_wrk_refuses_it(tmp_path: Path) -> None:
    make_program(tmp_path / "wrk", WRK)

    found = find_wrk2(make_host(tmp_path, PATH=str(tmp_path)))

    assert found.program is None
    assert "it is wrk, not wrk2" in found.detail
