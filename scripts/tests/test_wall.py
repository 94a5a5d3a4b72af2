"""Wall-clock samples within requests: of all nodes together, and of which the slowest have more than all."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes import make_jdk
from tests.load_fakes import LoadBench
from workbook.failure import Failure
from workbook.host import Host
from workbook.jdk import Jdk
from workbook.measure import wall
from workbook.measure.wall import ALL, SLOWEST, Recorded, Tracer

NUMBERS = {ALL: ["1", "2", "3", "4"], SLOWEST: ["4"]}
# Chooses by the numbers it is given; draws what it is given.
JAVA = """#!/bin/sh
echo "$@" >> '{told}'
for word in "$@"; do served="$last" last="$word"; done
case "$*" in *RequestSamples*) : > "$last" ;; esac
case "$*" in
    *RequestSamples*requests-node1*)
        case "$*" in *numbers-all*) more=30 slow=10 ;; *) more=0 slow=10 ;; esac
        {{
            echo "[worker-1 tid=7];dht/storage/lsm/LsmDao.upsert_[j] $more"
            echo "[worker-2 tid=8];dht/storage/lsm/LsmDao.upsert_[j];Unsafe.park $slow"
        }} > "$served"
        echo "[worker-2 tid=8];SafepointMechanism::process 10" > "$last" ;;
    *RequestSamples*) echo "[worker-1 tid=7];dht/replication/LocalReplica.put_[1] {others}" > "$served" ;;
    *) echo "<head></head>" > "$last" ; shift 2 ; for word in "$@"; do
        case "$word" in *.txt|*.collapsed) cat "$word" >> "$last" ;; esac
    done ;;
esac
"""


def made(path: Path, nodes: int, others: int = 0) -> dict[str, int]:
    java = JAVA.format(told=path / "told.txt", others=others)
    jdk = Jdk(make_jdk(path / "jdk", java=java), "25", "PATH")
    (path / "run").mkdir()
    recorded = [Recorded(Path(f"requests-node{i + 1}.jfr"), Path(f"wall-node{i + 1}.jfr")) for i in range(nodes)]
    return wall.make_graphs(path / "run", recorded, NUMBERS, "put", jdk, Path("tools.jar"))


def test_graphs_are_of_all_nodes_below_their_part_and_group_of_threads(tmp_path: Path) -> None:
    assert made(tmp_path, nodes=3, others=5) == {ALL: 60, SLOWEST: 30}

    run = tmp_path / "run"
    assert (run / "stacks-wall-all.txt").read_text().splitlines() == [
        "asked node;in the queue, meanwhile;threads: worker;SafepointMechanism::process 10",
        "asked node;served;threads: worker;dht/storage/lsm/LsmDao.upsert_[j] 30",
        "asked node;served;threads: worker;dht/storage/lsm/LsmDao.upsert_[j];Unsafe.park 10",
        "other nodes;served;threads: worker;dht/replication/LocalReplica.put_[1] 10",
    ]
    # The shares of both, whatever their numbers are.
    assert (run / "diff-wall.html").read_text().splitlines()[-8:] == [
        "asked node;in the queue, meanwhile;threads: worker;SafepointMechanism::process 166666",
        "asked node;served;threads: worker;dht/storage/lsm/LsmDao.upsert 500000",
        "asked node;served;threads: worker;dht/storage/lsm/LsmDao.upsert;Unsafe.park 166666",
        "other nodes;served;threads: worker;dht/replication/LocalReplica.put 166666",
        "asked node;in the queue, meanwhile;threads: worker;SafepointMechanism::process 333333",
        "asked node;served;threads: worker;dht/storage/lsm/LsmDao.upsert 0",
        "asked node;served;threads: worker;dht/storage/lsm/LsmDao.upsert;Unsafe.park 333333",
        "other nodes;served;threads: worker;dht/replication/LocalReplica.put 333333",
    ]
    assert sorted(path.name for path in run.iterdir()) == [
        "diff-wall.html",
        "flame-wall-all.html",
        "flame-wall-slowest.html",
        "stacks-wall-all.txt",
        "stacks-wall-slowest.txt",
    ]
    chosen = [line.split() for line in (tmp_path / "told.txt").read_text().splitlines() if wall.PROGRAM in line]
    assert {(words[-4], words[-3]) for words in chosen} == {
        (f"requests-node{i}.jfr", f"wall-node{i}.jfr") for i in (1, 2, 3)
    }


def test_one_node_has_no_part_of_its_own(tmp_path: Path) -> None:
    made(tmp_path, nodes=1)

    lines = (tmp_path / "run/stacks-wall-slowest.txt").read_text().splitlines()
    assert {line.partition(";threads: worker;")[0] for line in lines} == {"served", "in the queue, meanwhile"}


def test_tracer_records_requests_and_samples_of_each_node(tmp_path: Path) -> None:
    bench = LoadBench(tmp_path)
    tracer = Tracer([7, 8], Jdk(bench.jdk, "25", "PATH"), Path("/lib.so"), "4.6", tmp_path, Host())

    tracer.start()
    recorded = tracer.stop()

    assert recorded == [Recorded(tmp_path / f"requests-node{i}.jfr", tmp_path / f"wall-node{i}.jfr") for i in (1, 2)]
    started = [line for line in bench.told.read_text().splitlines() if "start,wall=20ms,jfr,file=" in line]
    assert [line.split()[0] for line in started] == ["7", "8"]
    assert all(each.wall.is_file() for each in recorded)

    tracer.start()
    tracer.drop()

    assert not any(each.wall.is_file() for each in recorded)


def test_tracer_without_a_profiler_is_a_failure(tmp_path: Path) -> None:
    bench = LoadBench(tmp_path, wall_refused=True)

    with pytest.raises(Failure, match=r"the profiler cannot start\nstart,wall=20ms"):
        Tracer([7], Jdk(bench.jdk, "25", "PATH"), Path("/lib.so"), "4.6", tmp_path, Host()).start()
