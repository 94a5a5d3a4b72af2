from __future__ import annotations

import contextlib
import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rich.console import Console

from tests.fakes import SCRIPTS, WITHIN_S, await_true, runs
from workbook import interrupts, processes
from workbook.exercises import measured
from workbook.host import Host
from workbook.processes import Children
from workbook.project import Project

# Starts a program, tells the first line that it prints, and waits for ever.
PARENT = """
import sys, time
from workbook import interrupts
from workbook.processes import Children
with interrupts.taken():
    try:
        with Children() as children:
            child = children.start("child", ["sh", "-c", {script!r}])
            print(next(line for line in child.lines(0.1) if line), flush=True)
            while True:
                time.sleep(60)
    except interrupts.Interrupted as interrupted:
        sys.exit(interrupted.exit_code)
"""
# Two, one as the child of the other: it tells their ids.
SLEEPERS = "sleep 600 & echo $! $$; wait"


def parent_of(script: str) -> str:
    return PARENT.format(script=script)


def test_lines_of_a_child_come_one_by_one_until_it_ends() -> None:
    with Children() as children:
        child = children.start("talker", ["sh", "-c", "echo one; echo two >&2; printf three; exit 4"])
        lines = [line for line in child.lines(tick_s=0.05) if line is not None]

    assert lines == ["one", "two", "three"]
    assert child.exit_code() == 4


def test_line_that_cannot_be_taken_is_remembered_and_the_child_runs_to_its_end(tmp_path: Path) -> None:
    done = tmp_path / "done"

    with Path("/dev/full").open("wb", buffering=0) as full, Children() as children:

        def write(line: bytes) -> None:
            full.write(line)

        # More than a pipe holds: a child whose output nobody reads would wait for ever.
        child = children.start("talker", ["sh", "-c", f"seq 100000; touch {done}"])
        child.follow(write)
        assert child.wait() == 0
        child.await_last_words()

    assert done.is_file()
    assert child.not_taken is not None
    assert child.not_taken.errno == errno.ENOSPC


def test_lines_of_a_silent_child_tick() -> None:
    with Children() as children:
        child = children.start("silent", ["sleep", "600"])
        assert next(child.lines(tick_s=0.01)) is None


def test_lines_end_with_the_child_although_somebody_holds_its_pipe() -> None:
    with Children() as children:
        child = children.start("leaver", ["sh", "-c", "sleep 600 & echo done"])
        lines = [line for line in child.lines(tick_s=0.05) if line is not None]

    assert lines == ["done"]
    assert child.gone()


def test_last_words_of_a_child_that_was_silent_are_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    may_end, may_speak = tmp_path / "may_end", tmp_path / "may_speak"
    for pipe in (may_end, may_speak):
        os.mkfifo(pipe)
    monkeypatch.setattr(processes, "SILENT_PIPE_S", WITHIN_S)
    clock = time.monotonic
    with Children() as children:
        child = children.start("brooder", ["sh", "-c", f"(read _ <{may_speak}; echo done) & read _ <{may_end}"])
        lines = child.lines(tick_s=0.01)
        assert next(lines) is None
        monkeypatch.setattr(time, "monotonic", lambda: clock() + 2 * WITHIN_S)
        may_end.write_text("now\n")
        child.wait()

        assert next(lines) is None
        may_speak.write_text("now\n")
        assert [line for line in lines if line is not None] == ["done"]


def test_bytes_that_are_no_text_are_replaced() -> None:
    with Children() as children:
        child = children.start("binary", ["printf", r"a\377b\r\n"])
        lines = [line for line in child.lines(tick_s=0.05) if line is not None]

    assert lines == ["a\ufffdb"]


def test_child_reads_nothing_from_our_input() -> None:
    with Children() as children:
        assert children.start("reader", ["cat"]).wait() == 0


def test_child_that_cannot_be_started_is_an_error() -> None:
    with Children() as children, pytest.raises(FileNotFoundError):
        children.start("nobody", ["/no/such/program"])


def test_left_block_has_ended_what_the_child_has_started() -> None:
    with Children() as children:
        child = children.start("parent", ["sh", "-c", "sleep 600 & echo $!; wait"])
        grandchild = int(next(line for line in child.lines(0.05) if line))
        assert runs(grandchild)

    await_true(lambda: not runs(grandchild))
    assert child.gone()


def test_left_block_has_ended_what_a_dead_child_has_left_behind() -> None:
    with Children() as children:
        child = children.start("parent", ["sh", "-c", "sleep 600 & echo $!"])
        grandchild = int(next(line for line in child.lines(0.05) if line))
        child.wait()
        assert not child.gone()

    await_true(lambda: not runs(grandchild))


def test_child_that_ignores_sigterm_is_killed_and_named(capsys: pytest.CaptureFixture[str]) -> None:
    with Children(stop_within_s=0.1) as children:
        child = children.start("mule", ["sh", "-c", "trap '' TERM; echo ready; while :; do sleep 0.1; done"])
        assert next(line for line in child.lines(0.05) if line) == "ready"

    assert child.exit_code() == -signal.SIGKILL
    assert f"mule was still running after SIGTERM and 0.1 s: killed (pid={child.pid})" in capsys.readouterr().err


def test_block_left_by_an_exception_ends_its_children_too() -> None:
    with pytest.raises(ValueError, match="mine"), Children() as children:
        child = children.start("sleeper", ["sleep", "600"])
        raise ValueError("mine")

    assert child.exit_code() == -signal.SIGTERM


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupted_parent_ends_its_children_and_tells_by_its_exit_code(signum: signal.Signals) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", parent_of(SLEEPERS)], cwd=SCRIPTS, stdout=subprocess.PIPE, text=True
    )
    try:
        assert parent.stdout is not None
        sleepers = [int(word) for word in parent.stdout.readline().split()]
        assert all(map(runs, sleepers))

        parent.send_signal(signum)

        assert parent.wait(WITHIN_S) == 128 + signum
        await_true(lambda: not any(map(runs, sleepers)))
    finally:
        parent.terminate()
        parent.communicate()


def test_interrupt_while_held_off_comes_at_the_end() -> None:
    steps = []
    with pytest.raises(interrupts.Interrupted) as interrupted, interrupts.taken(), interrupts.held():
        os.kill(os.getpid(), signal.SIGTERM)
        steps.append("went on")

    assert steps == ["went on"]
    assert interrupted.value.exit_code == 143


def test_interrupt_while_held_off_twice_comes_at_the_outer_end() -> None:
    steps = []
    with pytest.raises(interrupts.Interrupted), interrupts.taken(), interrupts.held():
        with interrupts.held():
            os.kill(os.getpid(), signal.SIGINT)
        steps.append("went on")

    assert steps == ["went on"]


def test_later_interrupts_do_not_disturb_the_first_on_its_way_up() -> None:
    steps = []
    with pytest.raises(interrupts.Interrupted) as interrupted, interrupts.taken():
        try:
            os.kill(os.getpid(), signal.SIGTERM)
        finally:
            os.kill(os.getpid(), signal.SIGINT)
            steps.append("cleaned up")

    assert steps == ["cleaned up"]
    assert interrupted.value.exit_code == 143


def test_second_interrupt_while_stopping_kills_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(interrupts.Interrupted), interrupts.taken(), Children(stop_within_s=WITHIN_S) as children:
        # It sends us the second signal when it gets its SIGTERM, so that this comes while we wait for it.
        script = f"trap 'kill -INT {os.getpid()}' TERM; echo ready; while :; do sleep 0.05; done"
        child = children.start("mule", ["sh", "-c", script])
        assert next(line for line in child.lines(0.05) if line) == "ready"
        os.kill(os.getpid(), signal.SIGINT)

    assert child.exit_code() == -signal.SIGKILL
    assert "mule was still running after SIGTERM and a second signal" in capsys.readouterr().err


def test_command_that_an_exercise_measures_with_kills_its_servers_at_the_second_interrupt(tmp_path: Path) -> None:
    """The server sends the first interrupt when it is ready, and the second one when it is told to end."""
    ready = tmp_path / "ready"
    interrupt = f"kill -INT {os.getpid()}"
    mule = f"trap '{interrupt}' TERM; echo $$ > {ready}; {interrupt}; while :; do sleep 0.05; done"
    folder = tmp_path / "scripts"
    folder.mkdir()
    (folder / "__main__.py").write_text(f"import sys; sys.path.insert(0, {str(SCRIPTS)!r})\n{parent_of(mule)}")

    with pytest.raises(interrupts.Interrupted), interrupts.taken():
        measured.run(Project(tmp_path), Host(), Console(), ["load"])

    server = int(ready.read_text())
    try:
        assert not runs(server)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server, signal.SIGKILL)
    assert measured.STOP_WITHIN_S > 2 * (processes.STOP_WITHIN_S + processes.KILLED_WITHIN_S)


def test_handlers_are_as_before_when_the_block_is_left() -> None:
    before = signal.getsignal(signal.SIGTERM)

    with interrupts.taken():
        assert signal.getsignal(signal.SIGTERM) is not before

    assert signal.getsignal(signal.SIGTERM) is before
