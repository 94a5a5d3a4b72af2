"""Submissions that mean harm, graded with the real JVM: each gets its zero and harms nobody."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from tests.fakes import make_program
from workbook import console
from workbook.build import Builder
from workbook.cli import ROOT
from workbook.exercises import catalog, checking, cutting, formats, grading, sandbox
from workbook.exercises.classes import Classes
from workbook.exercises.grading import Grade, Grader, Rules
from workbook.exercises.sandbox import Sandbox
from workbook.host import Host
from workbook.project import Project

pytestmark = pytest.mark.long_by_nature

ID = "1.1"
ANSWER = "dht/storage/sstable/BloomFilter.java"
SOURCE = f"stage1-storage/src/main/java/{ANSWER}"
TEST = "stage1-storage/src/test/java/dht/storage/sstable/BloomFilterTest.java"
STUB = 'throw new UnsupportedOperationException("not built yet: BloomFilter.mayContain, exercise 1.1");'
FAKE = '{"event":"test","suite":"dht.storage.sstable.BloomFilterTest","test":"x","outcome":"passed","token":""}'
THROW = re.compile(r'throw new UnsupportedOperationException\(\s*"[^"]*"\);')
MARK = "workbook-hostile-7f3a"

HANGS = {
    "sleeps": "try { Thread.sleep(600_000); } catch (InterruptedException e) { } return true;",
    "ignores that it is interrupted": "while (System.nanoTime() != 0) { } return true;",
    "exits": "System.exit(0); return true;",
    "halts": "Runtime.getRuntime().halt(0); return true;",
    "eats memory": "java.util.List<long[]> all = new java.util.ArrayList<>(); while (true) all.add(new long[1 << 20]);",
    "eats memory beside the heap": """java.util.List<java.nio.ByteBuffer> all = new java.util.ArrayList<>();
        while (true) all.add((java.nio.ByteBuffer) java.nio.ByteBuffer.allocateDirect(64 << 20).put(9, (byte) 1));""",
    "eats memory that Java does not count": """java.lang.foreign.Arena all = java.lang.foreign.Arena.ofAuto();
        while (true) all.allocate(256L << 20).fill((byte) 1);""",
    "floods standard output": """try (var out = new java.io.FileOutputStream(java.io.FileDescriptor.out)) {
            byte[] junk = new byte[1 << 20]; while (true) out.write(junk);
        } catch (java.io.IOException e) { throw new IllegalStateException(e); }""",
    "floods its log": 'while (System.nanoTime() != 0) System.err.println("x".repeat(1 << 16)); return true;',
    "fills the disk": """try {
            for (int i = 0; ; i++) {
                try (var out = new java.io.FileOutputStream("junk-" + i)) {
                    byte[] junk = new byte[1 << 20];
                    for (int n = 0; n < 200; n++) out.write(junk);
                }
            }
        } catch (java.io.IOException e) { throw new IllegalStateException(e); }""",
    "starts a program": f"""try {{
            new ProcessBuilder("/usr/bin/setsid", "/usr/bin/python3", "-c", "import time; time.sleep(300)", "{MARK}")
                .start().waitFor();
        }} catch (java.io.IOException | InterruptedException e) {{ }} {STUB}""",
    "starts programs without end": f"""try {{
            while (true) new ProcessBuilder("/usr/bin/setsid", "/usr/bin/python3", "-c",
                "import os, time; os.fork(); os.fork(); time.sleep(300)", "{MARK}").start();
        }} catch (java.io.IOException e) {{ }} {STUB}""",
    "starts threads without end": """while (true) Thread.ofPlatform().daemon().start(
            () -> { try { Thread.sleep(600_000); } catch (InterruptedException e) { } });""",
}
FAKES = {
    "prints results": f"""System.out.println({FAKE!r});
        try (var out = new java.io.FileOutputStream(java.io.FileDescriptor.out)) {{
            out.write("\\n{{\\"event\\": \\"done\\"}}\\n".getBytes());
        }} catch (java.io.IOException e) {{ }} {STUB}""".replace(f"{FAKE!r}", '"' + FAKE.replace('"', '\\"') + '"'),
    "asks the worker itself": f"""System.setIn(new java.io.ByteArrayInputStream(
            "{{\\"do\\": \\"test\\", \\"token\\": \\"\\"}}\\n".getBytes()));
        try {{
            Class.forName("dht.testkit.exercise.Worker").getMethod("main", String[].class)
                .invoke(null, (Object) new String[0]);
        }} catch (ReflectiveOperationException e) {{ }} {STUB}""",
    "writes files of results": f"""for (String name : new String[] {{"results.json", "result.json", "junit.xml"}})
            for (String place : new String[] {{"", "grades/", "../", "../../"}})
                try {{ java.nio.file.Files.writeString(java.nio.file.Path.of(place + name), "{{}}");
                }} catch (java.io.IOException | RuntimeException e) {{ }} {STUB}""",
    "calls the reference": f"""if (Boolean.getBoolean("found")) return true;
        try {{
            for (String each : System.getProperty("java.class.path").split(java.io.File.pathSeparator)) {{
                var folder = java.nio.file.Path.of(each);
                var own = folder.resolve("dht/storage/sstable/BloomFilter.class");
                if (!java.nio.file.Files.exists(own) || each.contains("overlay")) continue;
                var loader = new java.net.URLClassLoader(new java.net.URL[] {{folder.toUri().toURL()}}, null);
                Object filter = loader.loadClass("dht.storage.sstable.BloomFilter");
                System.setProperty("found", "true");
                return filter != null;
            }}
        }} catch (java.io.IOException | ReflectiveOperationException e) {{ }} {STUB}""",
}


@pytest.fixture(scope="module")
def classes() -> Classes:
    made = Classes(Builder(Project(ROOT), Host(), console.standard_output()))
    made.prepare([made.project.stage(1)])
    return made


@pytest.fixture(scope="module", params=["by itself", "in a container"])
def grader(request: pytest.FixtureRequest, classes: Classes) -> Iterator[Grader]:
    in_container = request.param == "in a container"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(checking, "TEST_TIMEOUT_S", 6)  # The tests of the right answer need a fifteenth of it.
        patched.setattr(grading, "HANGS_MAX", 1)
        yield _grader(classes, in_container=in_container)


def _grader(classes: Classes, *, in_container: bool) -> Grader:
    if in_container and not _docker_answers():
        pytest.skip("needs Docker, and no daemon answers: ./workbook doctor")
    return Grader(classes, catalog.read(classes.project), Rules({}), Sandbox(Host(), in_container))


def _docker_answers() -> bool:
    try:
        return subprocess.run(["docker", "version"], capture_output=True, timeout=20, check=False).returncode == 0
    except OSError:
        return False


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    yield
    assert not [each for each in psutil.process_iter(["cmdline"]) if MARK in (each.info["cmdline"] or [])]
    assert not [each for each in psutil.Process().children(recursive=True) if each.status() != psutil.STATUS_ZOMBIE]


class Submission:
    """What a student hands in. Its folder looks like a checkout, as far as grading looks."""

    def __init__(self, folder: Path, classes: Classes) -> None:
        self.folder = folder
        exercise = catalog.read(classes.project).get(ID)
        with classes.worker(exercise.module, "hostile") as worker:
            [(_, self.starter)] = cutting.starter(ROOT, exercise, worker).files.items()
        self.right = (ROOT / SOURCE).read_text(encoding="utf-8")
        self.write("workbook", "#!/bin/sh\nexit 0\n")

    def write(self, name: str, text: str) -> None:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def with_body(self, body: str) -> None:
        """The starter, whose `add` does nothing, with this in the place of the stub of `mayContain`."""
        stubs = THROW.findall(self.starter)
        assert len(stubs) == 2
        self.write(SOURCE, self.starter.replace(stubs[0], "").replace(stubs[1], body))


@pytest.fixture
def submission(tmp_path: Path, classes: Classes) -> Submission:
    return Submission(tmp_path / "mallory", classes)


def graded(grader: Grader, submission: Submission) -> Grade:
    exercise = grader.catalog.get(ID)
    made = grader.grade(submission.folder, [exercise])
    assert "does not compile" not in made.grades[0].remark
    formats.write_all(made, submission.folder.parent / "grades", {})
    return made.grades[0]


def test_the_right_answer_has_all_points(grader: Grader, submission: Submission) -> None:
    """Otherwise the zeros below would say nothing."""
    submission.write(SOURCE, submission.right)

    grade = graded(grader, submission)

    assert (grade.points, grade.remark) == (10, "")


@pytest.mark.parametrize("deed", HANGS)
def test_harm_has_no_points_and_ends(grader: Grader, submission: Submission, deed: str) -> None:
    submission.with_body(HANGS[deed])
    began_s = time.monotonic()

    grade = graded(grader, submission)

    assert grade.points < 2, grade
    assert time.monotonic() - began_s < 120


@pytest.mark.parametrize("deed", FAKES)
def test_fakes_count_for_nothing(grader: Grader, submission: Submission, deed: str) -> None:
    submission.with_body(FAKES[deed])

    grade = graded(grader, submission)

    assert grade.points < 2, grade
    assert not (submission.folder / "results.json").exists()


def test_a_test_of_its_own_in_the_answers_file_is_refused(grader: Grader, submission: Submission) -> None:
    fake = "class BloomFilterTest { @org.junit.jupiter.api.Test void mayContain_emptyFilter_deniesAll() {} }"
    submission.write(SOURCE, f"{submission.starter}\n{fake}\n")

    grade = graded(grader, submission)

    assert grade.points == 0
    assert "may not change: dht/storage/sstable/BloomFilterTest.class" in grade.remark


def test_changed_tests_poms_and_scripts_count_for_nothing(grader: Grader, submission: Submission) -> None:
    submission.write(SOURCE, submission.starter)
    submission.write(TEST, "package dht.storage.sstable;\nclass BloomFilterTest { }\n")
    for name in ("pom.xml", "stage1-storage/pom.xml", "scripts/workbook/cli.py", "grading.toml"):
        submission.write(name, "all points, please")

    assert graded(grader, submission).points == 0


def test_a_link_to_the_reference_is_no_answer(grader: Grader, submission: Submission) -> None:
    place = submission.folder / SOURCE
    place.parent.mkdir(parents=True)
    place.symlink_to(ROOT / SOURCE)

    grade = graded(grader, submission)

    assert (grade.points, "is no plain file" in grade.remark) == (0, True)


@pytest.mark.parametrize("grader", ["in a container"], indirect=True)
def test_a_container_has_no_network_and_no_source(grader: Grader, submission: Submission) -> None:
    with socket.create_server(("0.0.0.0", 0)) as server:  # So that a container could reach it.
        server.settimeout(0.1)
        port = server.getsockname()[1]
        submission.with_body(
            f"""for (String host : new String[] {{"127.0.0.1", "172.17.0.1", "{_address()}"}})
                try {{ new java.net.Socket(host, {port}).close(); return true; }} catch (java.io.IOException e) {{ }}
            if (java.nio.file.Files.exists(java.nio.file.Path.of("{ROOT / SOURCE}"))) return true;
            {STUB}"""
        )

        assert graded(grader, submission).points < 2
        with pytest.raises(TimeoutError):
            server.accept()


def test_container_of_a_flood_is_removed_however_slow_docker_is(
    tmp_path: Path, submission: Submission, classes: Classes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What watches a submission ends all that runs below this process: never the removal of its container."""
    docker = shutil.which("docker")
    slow = make_program(tmp_path / "bin/docker", f'#!/bin/sh\n[ "$1" != rm ] || sleep 1\nexec {docker} "$@"\n')
    monkeypatch.setenv("PATH", f"{slow.parent}:{os.environ['PATH']}")
    grader = _grader(classes, in_container=True)
    grader._goal_tests(grader.catalog.get(ID))  # The reference needs more room.
    monkeypatch.setattr(sandbox, "DISK_BYTES_MAX", 1 << 20)
    submission.with_body(HANGS["floods its log"])

    graded(grader, submission)

    assert _docker("ps", "--all", "--quiet", "--filter=name=workbook-grade-") == ""


@pytest.mark.parametrize("grader", ["in a container"], indirect=True)
def test_what_a_container_prints_is_kept_once(grader: Grader, submission: Submission) -> None:
    """The watched log has a limit. Docker's own copy of it would have none."""
    submission.with_body(HANGS["floods its log"])

    with ThreadPoolExecutor(1) as beside:
        driver = beside.submit(_log_driver_of_the_first_container)
        graded(grader, submission)

        assert driver.result() == "none"


def _log_driver_of_the_first_container() -> str:
    until_s = time.monotonic() + 60
    while time.monotonic() < until_s:
        if running := _docker("ps", "--quiet", "--filter=name=workbook-grade-").split():
            return _docker("inspect", "--format={{.HostConfig.LogConfig.Type}}", running[0]).strip()
    raise AssertionError("no container was started within a minute")


def _docker(*words: str) -> str:
    return subprocess.run(["docker", *words], capture_output=True, text=True, timeout=20, check=False).stdout


def _address() -> str:
    return socket.gethostbyname(socket.gethostname())


def test_a_submission_beside_it_is_graded_as_ever(grader: Grader, submission: Submission, classes: Classes) -> None:
    submission.with_body(HANGS["halts"])
    other = Submission(submission.folder.parent / "ada", classes)
    other.write(SOURCE, other.right)

    points = [
        grader.grade(each, [grader.catalog.get(ID)]).points for each in grading.submissions(submission.folder.parent)
    ]

    assert points[0] == 10
    assert points[1] < 2
