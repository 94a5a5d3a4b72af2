from __future__ import annotations

from pathlib import Path

import pytest

from workbook.failure import Failure
from workbook.remote.place import Place
from workbook.remote.target_file import LoadHost, RemoteNode, read_target


def file(tmp_path: Path, text: str) -> Path:
    made = tmp_path / "three.toml"
    made.write_text(text)
    return made


def test_nodes_are_read_with_how_commands_are_run_there(tmp_path: Path) -> None:
    text = """
        [[node]]
        name = "node-1"
        url = "http://10.0.0.1:8080/"
        run = "ssh -o 'BatchMode yes' node-1"
        java-home = "/opt/java"
        directory = "/var/tmp/"
        [[node]]
        url = "http://10.0.0.2"
        run = ["docker", "exec", "-i", "node 2"]
        process = "stage5"
        profiler = "/opt/profiler/lib.so"
        [[node]]
        url = "http://10.0.0.3:8081"
    """

    target = read_target(file(tmp_path, text))

    assert target.name == "three"
    assert target.nodes == (
        RemoteNode(
            Place("node-1", ("ssh", "-o", "BatchMode yes", "node-1")),
            "http://10.0.0.1:8080",
            java_home="/opt/java",
            directory="/var/tmp",
        ),
        RemoteNode(
            Place("node2", ("docker", "exec", "-i", "node 2")),
            "http://10.0.0.2",
            process="stage5",
            profiler="/opt/profiler/lib.so",
        ),
        RemoteNode(Place("node3"), "http://10.0.0.3:8081"),
    )
    assert [node.port for node in target.nodes] == [8080, 80, 8081]


def test_load_machines_are_read_with_how_commands_are_run_there(tmp_path: Path) -> None:
    text = """
        [[node]]
        url = "http://10.0.0.1"
        [[load]]
        name = "load-1"
        run = "ssh load-1"
        java-home = "/opt/java"
        directory = "/var/tmp/"
        [[load]]
    """

    assert read_target(file(tmp_path, text)).load == (
        LoadHost(Place("load-1", ("ssh", "load-1")), java_home="/opt/java", directory="/var/tmp"),
        LoadHost(Place("load2")),
    )


def test_single_load_machine_may_be_a_table_by_itself(tmp_path: Path) -> None:
    target = read_target(file(tmp_path, "[[node]]\nurl = 'http://a'\n[load]\nrun = 'ssh l'\nwrk2 = '/opt/wrk2/wrk'"))

    assert target.load == (LoadHost(Place("load1", ("ssh", "l")), "/opt/wrk2/wrk"),)
    assert target.load_words == "wrk2 on load1"


def test_target_without_load_machines_is_loaded_from_here(tmp_path: Path) -> None:
    target = read_target(file(tmp_path, "[[node]]\nurl = 'http://a'"))

    assert (target.load, target.load_words) == ((), None)


LOADED = "[[node]]\nurl = 'http://a'\nname = 'a'\n"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("load = 3\n" + LOADED, "three.toml: load machines are listed as [[load]], one for each"),
        (LOADED + "[[load]]\nurl = 'http://a'", "load 1: unknown key 'url'; there are name, run, java-home, directory"),
        (LOADED + "[load]\nprofiler = '/a'", "three.toml: load 1: unknown key 'profiler'; there are name, run,"),
        (LOADED + "[[load]]\n[[load]]\nrun = ['ssh', 1]", "load 2: run = ['ssh', 1] is not a command"),
        (LOADED + "[[load]]\nname = '-l'", "load 1: name = '-l' is not letters, digits"),
        (LOADED + "[[load]]\nname = 'a'", "three.toml: two machines have the name a"),
        (LOADED + "[[load]]\nname = 'l'\n" + "[[load]]\nname = 'l'\n", "three.toml: two machines have the name l"),
        (LOADED + "[[load]]\nwrk2 = 'wrk2'", "load 1: wrk2 = 'wrk2' is not the path of wrk2 there"),
        (LOADED + "[[load]]\nwrk2 = '/w'\n[[load]]", "three.toml: either all load machines have a wrk2, or none has"),
        (LOADED + "[[load]]\n" * 17, "three.toml: 17 load machines, and there may be 16 at most"),
        (LOADED + "[load]\n[[load]]", "three.toml: "),
    ],
)
def test_load_machines_that_make_no_sense_are_refused(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(Failure) as refused:
        read_target(file(tmp_path, text))

    assert complaint in str(refused.value)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "three.toml: it needs a [[node]] for each node"),
        ("node = 3", "three.toml: it needs a [[node]] for each node"),
        ("[[nodes]]", "three.toml: unknown key 'nodes'; there are node"),
        ("[[node]]\nurl = ", "three.toml: Invalid value"),
        ("[[node]]\nname = 'a'", "three.toml: node 1 has no url: http://HOST:PORT"),
        ("[[node]]\nurl = 'http://a'\nurls = 1", "node 1: unknown key 'urls'; there are name, url, run,"),
        ("[[node]]\nurl = 'https://a'", "node 1: url = 'https://a' is not http://HOST:PORT"),
        ("[[node]]\nurl = 'http://a:99999'", "node 1: url = 'http://a:99999' is not http://HOST:PORT"),
        ("[[node]]\nurl = 'http://a/v0'", "node 1: url = 'http://a/v0' is not http://HOST:PORT"),
        ("[[node]]\nurl = 8080", "node 1: url = 8080 is not http://HOST:PORT"),
        ("[[node]]\nurl = 'http://a'\nrun = 'ssh \"a'", "node 1: run = 'ssh \"a': No closing quotation"),
        ("[[node]]\nurl = 'http://a'\nrun = ['ssh', 1]", "node 1: run = ['ssh', 1] is not a command"),
        ("[[node]]\nurl = 'http://a'\nname = 'a b'", "node 1: name = 'a b' is not letters, digits"),
        ("[[node]]\nurl = 'http://a'\nname = '..'", "node 1: name = '..' is not letters, digits"),
        ("[[node]]\nurl = 'http://a'\ndirectory = 'tmp'", "node 1: directory = 'tmp' is not a folder there"),
        ("[[node]]\nurl = 'http://a'\njava-home = '/a;b'", "node 1: java-home = '/a;b' is not the folder of the JDK"),
        ("[[node]]\nurl = 'http://a'\n[[node]]\nurl = 'http://a'", "three.toml: two nodes have the url http://a"),
        ("[[node]]\nurl = 'http://a'\nname = 'x'\n" * 2, "three.toml: two nodes have the name x"),
        ("[[node]]\nurl = 'http://a'\n" * 17, "three.toml: 17 nodes, and there may be 16 at most"),
    ],
)
def test_file_that_makes_no_sense_is_refused_by_file_and_key(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(Failure) as refused:
        read_target(file(tmp_path, text))

    assert complaint in str(refused.value)


def test_password_in_a_url_is_refused_and_not_repeated(tmp_path: Path) -> None:
    with pytest.raises(Failure) as refused:
        read_target(file(tmp_path, "[[node]]\nurl = 'http://me:hush@a'"))

    assert "is not http://HOST:PORT" in str(refused.value)
    assert "hush" not in str(refused.value)


def test_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(Failure, match=r"none\.toml: No such file"):
        read_target(tmp_path / "none.toml")


def test_two_nodes_of_one_machine_have_files_of_their_own() -> None:
    one, other = (RemoteNode(Place(name), "http://a").file("workbook-1", "gc") for name in ("a", "b"))

    assert (one, other) == ("/tmp/workbook-1-a.gc", "/tmp/workbook-1-b.gc")
