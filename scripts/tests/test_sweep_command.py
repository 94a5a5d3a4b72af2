from __future__ import annotations

import json
import signal
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.fakes import await_true, called, free_ports, runs
from tests.load_fakes import LoadBench
from workbook import cli
from workbook.failure import Failure
from workbook.measure.load_report import read_report
from workbook.measure.run_folder import read_run
from workbook.measure.sweeping import PARAMETERS
from workbook.measure.workload import Load
from workbook.packages import Packages
from workbook.pages import laws

FULL = ("--rounds", "2")
QUICK = ("--quick", *FULL)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LoadBench:
    try:
        Packages("laws", "SciPy").ensure()
    except Failure as missing:
        pytest.skip(str(missing).splitlines()[0])
    return LoadBench(tmp_path).enter(monkeypatch)


def swept(bench: LoadBench, *words: str, nodes: int = 1, length: Sequence[str] = QUICK) -> int:
    return cli.main(["sweep", *words, *length, "--port", str(free_ports(nodes))], bench.project.root)


def test_sweep_of_connections_measures_each_in_turn_and_fits_the_law(
    bench: LoadBench, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("1", "put", "--connections", "8,1,2,4", "--report", "swept")
    assert swept(bench, *words, length=FULL) == 0, capsys.readouterr().err

    told = capsys.readouterr().out
    order = [line.split()[0] for line in told.splitlines() if line.startswith("connections-")]
    assert order == [f"connections-{n}" for n in (1, 2, 4, 8, 8, 4, 2, 1)]
    assert "The rate does not grow: 8 connections answer no more than 1." in told
    assert read_run(bench.latest)["status"] == "done"
    found = json.loads((bench.latest / "sweep.json").read_text())
    assert [step["value"] for step in found["steps"]] == [1, 2, 4, 8]
    assert found["law"]["sigma"]["value"] == pytest.approx(1.0, abs=0.01)
    assert read_run(bench.latest / "connections-4-1")["load"]["connections"] == 4  # type: ignore[index]
    report = bench.project.root / "docs" / "reports" / "swept"
    assert json.loads((report / "sweep.json").read_text()) == found
    assert len(list((report / "raw").iterdir())) == 8


def test_quick_sweep_makes_no_report(bench: LoadBench, capsys: pytest.CaptureFixture[str]) -> None:
    assert swept(bench, "1", "put", "--connections", "1,2", "--report", "swept") == 1

    told = capsys.readouterr().err
    assert "--report swept: the site does not show it, because it was measured with --quick" in told
    assert not (bench.project.root / "docs" / "reports" / "swept").exists()


def test_sweep_warms_all_steps_up_on_the_most_connections(bench: LoadBench) -> None:
    assert swept(bench, "1", "put", "--connections", "1,8") == 0

    warmup = (bench.latest / "connections-1-1" / "warmup.txt").read_text()
    assert " -c8 " in warmup


def test_sweep_of_nodes_and_workers_tells_each_server_its_own(bench: LoadBench) -> None:
    words = ("3", "get", "--nodes", "1,2", "--workers", "3", "--connections", "5")
    assert swept(bench, *words, nodes=2) == 0

    run = bench.project.root / "runs" / "stage3-sharding" / "latest" / "nodes-2-1"
    facts = read_run(run)
    assert facts["server"]["nodes"] == 2  # type: ignore[index]
    assert facts["server"]["options"] == ["--workers", "3"]  # type: ignore[index]
    assert facts["load"]["connections"] == 5  # type: ignore[index]
    assert len(list(run.glob("node?.log"))) == 2


def test_sweep_of_two_steps_measures_and_says_why_it_fits_nothing(
    bench: LoadBench, capsys: pytest.CaptureFixture[str]
) -> None:
    assert swept(bench, "1", "get", "--connections", "1,2") == 0

    assert "No law is fitted: it has 3 unknowns, and a curve through 2 steps says nothing" in capsys.readouterr().out
    assert json.loads((bench.latest / "sweep.json").read_text())["law"] is None


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("1", "put"), "nothing varies"),
        (("1", "put", "--connections", "4"), "nothing varies"),
        (("3", "put", "--connections", "1,2", "--nodes", "1,2"), "--connections and --nodes have several values"),
        (("1", "put", "--workers", "1,2"), "stage 1 has no workers"),
        (("1", "put", "--nodes", "1,2"), "stage 1 is a single server"),
        (("1", "put", "--connections", "2,2"), "has a value twice"),
        (("1", "put", "--connections", "1,,2"), "'' is not a number of connections"),
        (("1", "put", "--connections", "1,2000"), "opens them 5 ms apart"),
        (("1", "put", "--connections", "1,2", "--threads", "2"), "each of 2 threads needs one"),
        (("1", "overload", "--connections", "1,2"), "invalid choice: 'overload'"),
    ],
)
def test_sweep_that_makes_no_sense_is_refused(
    bench: LoadBench, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], complaint: str
) -> None:
    assert swept(bench, *words) == 2

    assert complaint in capsys.readouterr().err


def test_sweep_when_interrupted_leaves_a_folder_that_says_so_and_no_process(bench: LoadBench) -> None:
    env = {**bench.env, "KEYS": "30000"}  # The load never ends.
    words = ("sweep", "1", "put", "--connections", "1,2", *QUICK, "--port", str(free_ports()))
    with called(bench.project, *words, env=env) as command:
        command.await_line("run: runs/")
        logs = bench.latest / "connections-1-1"
        await_true(lambda: (logs / "node1.log").is_file() and "pid " in (logs / "node1.log").read_text())
        pid = int((logs / "node1.log").read_text().partition("pid ")[2].split()[0])
        command.send(signal.SIGINT)
        assert command.await_exit() == 130

    assert read_run(bench.latest)["status"] == "interrupted"
    assert not runs(pid)


def test_report_of_a_saturating_load_has_the_latency_from_sending_beside_the_other() -> None:
    text = """\
Running 4s test @ http://127.0.0.1:1
  1 threads and 2 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     2.01s     1.10s    3.90s    57.00%
  Latency Distribution (HdrHistogram - Recorded Latency)
 50.000%    2.00s
#[Mean    =     2010.500, StdDeviation   =     1100.000]
  Latency Distribution (HdrHistogram - Uncorrected Latency (measured without taking delayed starts into account))
 50.000%   61.00us
       0.061     0.500000          100         2.00
#[Mean    =        0.066, StdDeviation   =        0.012]
#[Max     =        5.100, Total count    =          200]
  200 requests in 4.00s, 1.00MB read
Requests/sec:     50.00
"""
    found = read_report(text)

    assert (found.latency.mean, found.latency.at(0.5)) == (2010.5, 2000.0)
    assert (found.from_sending.mean, found.from_sending.at(0.5)) == (0.066, 0.061)
    assert (found.from_sending.count, found.latency.points) == (200, [])


def test_load_is_warmed_up_on_as_many_connections_as_it_is_told() -> None:
    load = Load(1_000, connections=2, burst_connections=64)

    assert (load.burst.connections, load.connections) == (64, 2)
    assert Load(1_000, connections=2).burst.connections == 2


def test_page_of_a_sweep_has_curve_coefficients_and_where_it_comes_from(bench: LoadBench) -> None:
    assert swept(bench, "1", "put", "--connections", "1,2,4,8", "--report", "swept", length=FULL) == 0

    page = laws.sweep(bench.project.root / "docs" / "reports", "swept")

    assert '"label":"the law"' in page
    assert "σ = 1.0" in page or "σ = 1 (" in page
    assert "The rate does not grow" in page
    assert "Medians of 2 rounds" in page


def test_page_of_a_sweep_that_nobody_made_says_how(tmp_path: Path) -> None:
    assert "sweep … --report swept" in laws.sweep(tmp_path, "swept")
    assert "sweep … --report swept" in laws.little(tmp_path, "swept")


def test_help_names_every_parameter(bench: LoadBench, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["sweep", "--help"], bench.project.root) == 0

    told = capsys.readouterr().out
    assert all(f"--{name}" in told for name in PARAMETERS)
