from __future__ import annotations

import os
import sys
from pathlib import Path

from tests.fakes import answering, free_ports, make_host, make_jdk, make_program
from workbook.jdk import Jdk
from workbook.measure import server
from workbook.measure.server import MeasuredServer
from workbook.measure.targets import StartedTarget
from workbook.processes import Children

SLEEPS = [sys.executable, "-c", "import time; time.sleep(60)"]


def asked_of_jcmd(tmp_path: Path, jdk: Jdk | None) -> list[str]:
    asked = tmp_path / "asked"
    make_program(tmp_path / "jdk/bin/jcmd", f'#!/bin/sh\necho "$@" >> {asked}\n')
    target = StartedTarget("stage", "stage 1", "stage1-storage", jdk, line=lambda *_: SLEEPS)
    folder = tmp_path / "run"
    folder.mkdir()
    with Children() as children:
        measured = MeasuredServer(target, free_ports(), folder, tmp_path / "data", children)
        measured.collect_garbage(make_host(tmp_path, PATH=os.environ["PATH"]))
        pids = measured.pids
    lines = asked.read_text().splitlines() if asked.exists() else []
    return [line.replace(str(pids[0]), "PID") for line in lines]


def test_garbage_of_a_stage_is_collected_once_in_its_jvm(tmp_path: Path) -> None:
    jdk = Jdk(make_jdk(tmp_path / "jdk"), "25", "PATH")

    assert asked_of_jcmd(tmp_path, jdk) == ["PID GC.run"]


def test_garbage_of_a_command_of_others_is_left_alone(tmp_path: Path) -> None:
    assert asked_of_jcmd(tmp_path, None) == []


def test_server_that_does_not_speak_http_has_no_status() -> None:
    with answering(b"hello\n") as url:
        assert server._status(url) is None
