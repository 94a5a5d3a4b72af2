from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.fakes import await_true, runs
from workbook.failure import Failure
from workbook.remote.place import FAIL, Place, Silence
from workbook.remote.session import Session, ask_sessions, end_sessions


@contextmanager
def sessions(*names: str, prefix: Sequence[str] = ()) -> Iterator[list[Session]]:
    opened = [Session(Place(name, tuple(prefix))) for name in names]
    try:
        yield opened
    finally:
        end_sessions(opened)


def test_shell_stays_open_and_answers_one_question_after_another() -> None:
    with sessions("here") as (here,):
        assert ask_sessions([here], ["word=kept; echo first"], 20) == ["first\n"]
        assert ask_sessions([here], ['printf "%s" "$word"'], 20) == ["kept"]
        assert ask_sessions([here], ["true"], 20) == [""]


def test_shells_are_asked_at_once(tmp_path: Path) -> None:
    """Each answers when all are there. Asked one after the other, the first would wait for ever."""
    all_are_there = " && ".join(f"[ -e {tmp_path}/{name} ]" for name in "abc")
    questions = [f"touch {tmp_path}/{name}; until {all_are_there}; do sleep 0.01; done; echo {name}" for name in "abc"]

    with sessions("a", "b", "c") as opened:
        assert ask_sessions(opened, questions, 20) == ["a\n", "b\n", "c\n"]


def test_shell_that_ends_does_what_it_was_told_for_its_end(tmp_path: Path) -> None:
    file = tmp_path / "ended"
    with sessions("here") as opened:
        ask_sessions(opened, [f"trap 'echo done > {file}' EXIT"], 20)
        assert not file.exists()

    assert file.read_text() == "done\n"


def test_shell_whose_answer_nobody_reads_ends_by_itself(tmp_path: Path) -> None:
    file = tmp_path / "ended"
    with sessions("here") as (here,):
        ask_sessions([here], [f"trap '' PIPE; trap 'echo done > {file}' EXIT"], 20)
        here.ask("head -c 1000000 /dev/zero")

        assert end_sessions([here]) == []

    assert file.read_text() == "done\n"


def test_shells_that_are_silent_are_named_and_ended() -> None:
    began_s = time.monotonic()
    with sessions("a", "b", "c") as opened:
        pids = ask_sessions(opened, ["echo $$"] * 3, 20)
        with pytest.raises(Silence) as silent:
            ask_sessions(opened, ["sleep 600", "true", "sleep 600"], 2)
        assert end_sessions(opened) == ["a", "c"]

    assert str(silent.value).splitlines() == [
        "a: this machine has not answered within 2 s",
        "c: this machine has not answered within 2 s",
    ]
    assert silent.value.names == {"a", "c"}
    assert time.monotonic() - began_s < 20
    for pid in pids:
        assert not runs(int(pid))


def test_shell_that_says_what_is_wrong_is_quoted() -> None:
    with sessions("a", "b") as opened, pytest.raises(Failure, match=r"^b: its disk is full$"):
        ask_sessions(opened, ["true", f"{FAIL}\nfail its disk is full"], 20)


def test_way_that_breaks_is_told_with_its_last_words() -> None:
    broken = ("sh", "-c", "echo greeting >&2; echo 'no route' >&2; exit 255")
    words = "^a: sh has failed, exit code 255: no route$"
    with sessions("a", prefix=broken) as opened, pytest.raises(Failure, match=words):
        ask_sessions(opened, ["true"], 20)


def test_shell_that_is_killed_is_told() -> None:
    with sessions("a") as opened:
        (pid,) = ask_sessions(opened, ["echo $$"], 20)
        os.kill(int(pid), signal.SIGKILL)
        await_true(lambda: not runs(int(pid)))
        with pytest.raises(Failure, match=r"^a: sh has failed, exit code -9: no word why$"):
            ask_sessions(opened, ["true"], 20)


def test_way_that_is_not_there_is_named() -> None:
    with pytest.raises(Failure, match=r"^a: cannot run ssh: No such file or directory$"):
        Session(Place("a", ("/no/such/ssh", "hush")))
