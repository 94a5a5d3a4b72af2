"""Faults and figures of the experiments, with stand-ins for servers and load tools."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import cast

import cluster
import pytest
import replica_lost
from cluster import Cluster, Tools, number_of, seconds_in

from tests.fakes import make_program
from workbook import git

# A generator whose run begins half a second after it has announced it. 50 times in each second of its run it asks the
# server, which does not answer while the file is there.
GENERATOR = """#!{python} -ES
import os, sys, time
print("Running 1m test @", sys.argv[-1], flush=True)
time.sleep(0.5)
began = time.time()
print("Began: %d" % (began * 1000), flush=True)
lasts = int(next(word for word in sys.argv if word.startswith("-d"))[2:-1])
answered, errors = [0] * lasts, [0] * lasts
for turn in range(lasts * 50):
    time.sleep(max(0, began + turn / 50 + 0.01 - time.time()))
    (errors if os.path.exists({paused!r}) else answered)[turn // 50] += 1
with open(sys.argv[sys.argv.index("--timeline") + 1], "w") as out:
    print("second,answered,errors,p50Micros,p99Micros,maxMicros", file=out)
    for second in range(lasts):
        print(second, answered[second], errors[second], 1, 2, 3, sep=",", file=out)
"""
SILENT = """#!{python} -ES
print("Running 1m test", flush=True)
"""


class PausedByAFile:
    """In place of a cluster."""

    urls = ("http://127.0.0.1:1",)

    def __init__(self, file: Path) -> None:
        self._file = file

    def pause(self, _: int) -> None:
        self._file.write_text("")

    def resume(self, _: int) -> None:
        self._file.unlink()


def generator(tmp_path: Path, text: str) -> Tools:
    program = text.replace("{python}", sys.executable).replace("{paused!r}", repr(str(tmp_path / "paused")))
    return Tools(make_program(tmp_path / "java", program), None)


def test_replica_is_lost_in_that_second_of_the_loads_own_clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("BEGINS_S", 1), ("ENDS_S", 2), ("LASTS_S", 3)):
        monkeypatch.setattr(replica_lost, name, value)
    nodes = cast(Cluster, PausedByAFile(tmp_path / "paused"))
    arguments = argparse.Namespace(rate=50, connections=1)

    text, lost_at_s = replica_lost.measure(nodes, generator(tmp_path, GENERATOR), arguments, "put", "paused")

    before, while_lost, after = seconds_in(text)
    assert before["errors"] == 0, text
    assert number_of(while_lost["errors"]) > 25, text
    assert number_of(after["errors"]) < 25, text
    assert lost_at_s == pytest.approx([1, 2], abs=cluster.LATE_S_MAX)


def test_load_that_does_not_say_when_it_begins_is_no_measurement(tmp_path: Path) -> None:
    with (
        pytest.raises(SystemExit, match="has ended before it began"),
        cluster.load_beside(generator(tmp_path, SILENT), "http://127.0.0.1:1", "put", 1, 1, 1),
    ):
        pytest.fail("nothing has begun")


def test_fault_that_comes_in_a_later_second_is_no_measurement() -> None:
    with pytest.raises(SystemExit, match=r"second 2 of the load came \d+\.\d s late"):
        cluster.Beside(began_s=0.0).await_second(2)


@pytest.mark.parametrize(
    ("dirty", "told", "row"),
    [
        (False, "", "| commit | 0123456789ab |"),
        (True, "not for the site", "| commit | 0123456789ab, with changes that are in no commit |"),
    ],
)
def test_report_says_of_which_commit_it_is_and_whether_that_is_all(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    dirty: bool,
    told: str,
    row: str,
) -> None:
    monkeypatch.setattr(cluster, "ROOT", tmp_path)
    monkeypatch.setattr(git, "state", lambda _: ("0123456789abcdef", dirty))
    report = cluster.Report("some")

    report.begin(Tools(make_program(tmp_path / "java", "#!/bin/sh\necho openjdk 25\n"), None))
    report.write("Some", "some.py", lambda _: [])

    folder = tmp_path / "docs/reports/some"
    assert json.loads((folder / "machine.json").read_text())["dirty"] is dirty
    results = (folder / "results.md").read_text()
    assert row in results
    assert "dirty" not in results
    assert told in capsys.readouterr().out
