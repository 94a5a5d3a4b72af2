from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from tests.fakes import await_true, make_program, runs
from workbook import interrupts
from workbook.failure import Failure
from workbook.remote.place import Call, Place, ask_all

HERE = Place("here")
# As ssh does it: its words are joined, and read by a shell of the other side.
LIKE_SSH = '#!/bin/sh\nshift\nexec sh -c "$*"\n'
RECORDS = '#!/bin/sh\necho "$@" >> "{told}"\nexec "$@"\n'
HANGS = '#!/bin/sh\nsleep 600 & echo "$!" > "{told}"\nwait\n'


def program(tmp_path: Path, text: str) -> tuple[Path, Path]:
    """With the file that it writes."""
    told = tmp_path / "told"
    return make_program(tmp_path / "reach", text.replace("{told}", str(told))), told


def test_scripts_run_where_their_prefixes_lead_without_any_quoting(tmp_path: Path) -> None:
    like_ssh, _ = program(tmp_path, LIKE_SSH)
    script = 'word=\'a  $b "c" *\'\necho "$word"'

    said = ask_all([Call.script(place, script) for place in (HERE, Place("ssh", (str(like_ssh), "node-1")))])

    assert said == ['a  $b "c" *\n'] * 2


def test_prefix_is_asked_for_a_shell_and_sees_no_script(tmp_path: Path) -> None:
    recording, told = program(tmp_path, RECORDS)

    assert ask_all([Call.script(Place("node-1", (str(recording),)), "echo hush")]) == ["hush\n"]
    assert told.read_text() == "sh\n"


def test_script_does_not_read_its_own_lines_as_input() -> None:
    assert ask_all([Call.script(HERE, "cat\necho second")]) == ["second\n"]


def test_what_is_printed_goes_into_a_file_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "fetched"

    assert ask_all([Call.script(HERE, r"printf '\377\0\n'", file)]) == [""]
    assert file.read_bytes() == b"\xff\0\n"


@pytest.mark.parametrize(
    ("prefix", "script", "problem"),
    [
        ((), 'fail "its disk is full"', "here: its disk is full"),
        ((), "echo warning >&2; echo 'no such host' >&2; exit 255", "here: sh has failed, exit code 255: no such host"),
        (("/no/such/ssh", "secret"), "true", "here: cannot run ssh: No such file or directory"),
        (("false", "secret"), "true", "here: false has failed, exit code 1: no word why"),
    ],
)
def test_place_that_fails_is_told_in_one_line_without_the_words_of_its_prefix(
    prefix: tuple[str, ...], script: str, problem: str
) -> None:
    with pytest.raises(Failure) as failed:
        ask_all([Call.script(Place("here", prefix), script)])

    assert str(failed.value) == problem


def test_each_place_that_fails_has_a_line() -> None:
    calls = [Call.script(Place(name), script) for name, script in {"a": "fail x", "b": "true", "c": "fail y"}.items()]

    with pytest.raises(Failure, match=r"^a: x\nc: y$"):
        ask_all(calls)


def test_place_that_hangs_is_left_after_a_time_with_all_that_it_has_started(tmp_path: Path) -> None:
    hanging, told = program(tmp_path, HANGS)

    with pytest.raises(Failure, match=r"^node-1: reach has not answered within 3 s$"):
        ask_all([Call.script(Place("node-1", (str(hanging),)), "true"), Call.script(HERE, "true")], within_s=3)

    await_true(lambda: not runs(int(told.read_text())))


def test_place_that_goes_on_printing_does_not_hang() -> None:
    script = "for i in 1 2 3 4 5 6; do echo $i; sleep 0.4; done"

    assert ask_all([Call.script(HERE, script)], within_s=2) == ["1\n2\n3\n4\n5\n6\n"]


def test_interrupt_ends_what_runs_there(tmp_path: Path) -> None:
    hanging, told = program(tmp_path, HANGS)
    make_program(tmp_path / "interrupt", f"#!/bin/sh\nuntil [ -s {told} ]; do :; done\nkill -INT {os.getpid()}\nsh\n")
    began_s = time.monotonic()

    with pytest.raises(interrupts.Interrupted), interrupts.taken():
        ask_all([Call.script(Place(name, (str(tmp_path / name),)), "true") for name in ("reach", "interrupt")])

    assert hanging.is_file()
    assert time.monotonic() - began_s < 30
    await_true(lambda: not runs(int(told.read_text())))
    assert signal.getsignal(signal.SIGINT) is not None
