from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import SCRIPTS
from workbook.measure import graphs, stacks

SELECTOR = "[NIO Selector #0 tid=71];one/nio/server/SelectorThread.run_[j];dht/http/HttpSession.feed_[j]"
CPU = f"""\
{SELECTOR};dht/storage/lsm/LsmDao.get_[j];dht/storage/sstable/SSTable.get_[i] 30
{SELECTOR};sun/nio/ch/SocketDispatcher.write0_[j];__GI_write;entry_SYSCALL_64_[k];vfs_write_[k] 50
[storage-flush tid=80];java/lang/Thread.run_[j];dht/storage/lsm/Flusher.flush_[j] 10
[GC Thread#0 tid=9];start_thread;G1ParTask::work 6
[C2 CompilerThread0 tid=12];C2Compiler::compile_method 4
"""
ALLOC = f"{SELECTOR};dht/http/HttpSession.answer_[j];byte[]_[i] 7\n{SELECTOR};dht.http.HeadLines_[i] 3\n"


def test_breakdown_puts_each_sample_into_one_thread_group() -> None:
    found = stacks.breakdown(stacks.parse(CPU))

    assert found["samples"] == 100
    assert found["groups"] == [
        {"name": "selector", "samples": 80, "share": 0.8},
        {"name": "flush and compaction", "samples": 10, "share": 0.1},
        {"name": "GC", "samples": 6, "share": 0.06},
        {"name": "JIT", "samples": 4, "share": 0.04},
    ]


def test_layer_is_the_innermost_room_that_the_sample_is_in() -> None:
    answered = f"{SELECTOR};dht/http/HttpSession.answer_[j];one/nio/net/Session.write_[j];__GI_write;vfs_write_[k] 7\n"
    client = "[HttpClient-1-SelectorManager tid=4];jdk/internal/net/http/HttpClientImpl.run_[j];{} {}\n"
    asked = client.format("sun/nio/ch/EPoll.wait_[j]", 2) + client.format("dht/replication/async/Read.on_[j]", 3)

    found = stacks.breakdown(stacks.parse(CPU + answered + asked + "[main tid=1];main_[j] 1\n[other tid=2];x 1\n"))

    assert {row["name"]: row["samples"] for row in rows(found, "layers")} == {
        "dht.storage": 40,
        "dht.http": 50,
        "one.nio": 7,
        "dht.replication": 3,
        "jdk.internal.net.http": 2,
        "JVM": 11,
        "other": 1,
    }


def test_breakdown_counts_a_package_itself_and_with_what_it_calls() -> None:
    found = stacks.breakdown(stacks.parse(CPU))

    packages = {row["name"]: (row["self"], row["total"]) for row in rows(found, "packages")}
    assert packages["[kernel]"] == (50, 50)
    assert packages["[native]"] == (10, 60)
    assert packages["dht.http"] == (0, 80)
    assert packages["dht.storage.lsm"] == (10, 40)
    assert packages["dht.storage.sstable"] == (30, 30)
    assert sum(own for own, _ in packages.values()) == 100
    assert {"group": "selector", "package": "dht.storage.lsm", "self": 0, "total": 30} in rows(found, "selected")


def test_breakdown_counts_a_class_with_its_inner_classes_within_each_group() -> None:
    tube = "jdk/internal/net/http/SocketTube$InternalReadPublisher$ReadSubscription.loop_[j]"
    text = f"""\
[HttpClient-1-SelectorManager tid=5];{tube};jdk/internal/net/http/SocketTube.read_[j];vfs_read_[k] 60
[worker-1 tid=6];{tube} 30
[worker-1 tid=6];dht/peer/Peer.ask_[j];jdk.internal.Long_[k] 10
"""
    found = stacks.breakdown(stacks.parse(text))

    assert rows(found, "classes") == [
        {"group": "HttpClient", "class": "SocketTube", "samples": 60, "share": 0.6},
        {"group": "worker", "class": "SocketTube", "samples": 30, "share": 0.3},
        {"group": "worker", "class": "Peer", "samples": 10, "share": 0.1},
    ]


def test_allocated_class_is_no_frame() -> None:
    found = stacks.parse(ALLOC, ends_with_class=True)

    assert [stack.frames[-1] for stack in found.stacks] == [
        "dht/http/HttpSession.answer_[j]",
        "dht/http/HttpSession.feed_[j]",
    ]
    packages = {row["name"]: row["self"] for row in rows(stacks.breakdown(found), "packages")}
    assert packages == {"dht.http": 10, "one.nio.server": 0}


@pytest.mark.parametrize(
    ("thread", "group"),
    [
        ("NIO Selector #1", "selector"),
        ("HttpClient-1-SelectorManager", "HttpClient"),
        ("storage-compact", "flush and compaction"),
        ("peer-127.0.0.1:8081-2", "peer"),
        ("ForkJoinPool.commonPool-worker-1", "common pool"),
        ("worker-3", "worker"),
        ("pool-2-thread-1", "worker"),
        ("G1 Service", "GC"),
        ("C1 CompilerThread0", "JIT"),
        ("VM Thread", "JVM"),
        ("somebody", "other"),
    ],
)
def test_thread_belongs_to_a_group_by_its_name(thread: str, group: str) -> None:
    assert stacks.group_of(thread) == group


def test_promise_that_a_package_stays_off_threads_passes_where_it_does() -> None:
    stacks.assert_absent(stacks.parse(CPU), package="dht.storage", group="worker")
    stacks.assert_absent(stacks.parse(CPU), package="dht.stor", group="selector")


def test_promise_that_a_package_stays_off_threads_fails_with_the_stacks_that_break_it() -> None:
    with pytest.raises(
        AssertionError, match=r"dht\.storage must not run on threads of group 'selector': 30 of 100"
    ) as told:
        stacks.assert_absent(stacks.parse(CPU), package="dht.storage", group="selector")

    assert "30 samples on NIO Selector #0:\n    dht/storage/sstable/SSTable.get\n" in str(told.value)


def test_promise_of_a_share_passes_below_and_fails_at_it() -> None:
    cpu = stacks.parse(CPU)
    flush = cpu.with_frame("Flusher.flush")

    stacks.assert_share_under(cpu, flush, what="flushing", share_max=0.11)
    with pytest.raises(
        AssertionError, match=r"flushing must stay under 10.0% of the samples: it has 10.0% \(10 of 100\)"
    ):
        stacks.assert_share_under(cpu, flush, what="flushing", share_max=0.1)


def test_stacks_of_a_run_that_has_none_of_a_kind_are_empty(tmp_path: Path) -> None:
    assert stacks.read(tmp_path, "lock").samples == 0
    assert stacks.breakdown(stacks.read(tmp_path, "lock"))["groups"] == []


def rows(found: dict[str, object], name: str) -> list[dict[str, Any]]:
    listed = found[name]
    assert isinstance(listed, list)
    return listed


def test_work_for_a_request_is_compared_whichever_thread_does_it() -> None:
    work = graphs.WORK + "_[{}];dht/http/LocalEntityService.serve_[i];tcp_sendmsg_[k] 7"
    selector = "[NIO Selector #0 tid=7];one/nio/server/SelectorThread.run_[j];" + work.format("i")
    worker = "[worker-1 tid=9];java/lang/Thread.run_[0];dht/execution/Worker.work_[j];" + work.format("j")

    assert (
        graphs.comparable(selector)
        == graphs.comparable(worker)
        == work.replace("_[{}]", "").replace("_[i]", "").replace("_[k]", "")
    )
    assert graphs.comparable("[C2 CompilerThre tid=3];Compile::Optimize 5") == "Compile::Optimize 5"
    assert graphs.comparable("[idle tid=3] 5") == ""


def test_work_for_a_request_begins_at_a_method_that_there_is() -> None:
    outer, inner = graphs.WORK.removesuffix(".run").split("$")
    source = (SCRIPTS.parent / "stage1-storage/src/main/java" / f"{outer}.java").read_text()
    assert re.search(rf"(record|class) {inner}\b.*public void run\(\)", source, re.DOTALL)
