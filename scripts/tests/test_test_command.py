from __future__ import annotations

import os
import signal
from pathlib import Path
from textwrap import dedent

import pytest

from tests.fakes import await_true, called, make_jdk, make_program, make_project, runs
from workbook import python_tests
from workbook.cli import main
from workbook.project import Project

REPORTS = Path(__file__).parent / "reports"

PASSED = '<testsuite><testcase classname="{suite}" name="works" time="0.5"/></testsuite>'
SKIPPED = '<testsuite><testcase classname="{suite}" name="works"><skipped message="no Docker"/></testcase></testsuite>'


class Bench:
    """A checkout and a Maven that plays a script: lines to print, reports to leave behind."""

    def __init__(self, tmp_path: Path) -> None:
        self.project = make_project(tmp_path / "checkout")
        self._mvn = tmp_path / "bin/mvn"
        self._script = ["#!/bin/sh", 'printf "%s\\n" "$@" > arguments.txt']
        self.env = {
            **os.environ,
            "JAVA_HOME": str(make_jdk(tmp_path / "jdk")),
            "PATH": f"{self._mvn.parent}:{os.environ['PATH']}",
        }

    def maven_says(self, *lines: str) -> None:
        self._script += [f"echo '{line}'" for line in lines]

    def maven_does(self, command: str) -> None:
        self._script.append(command)

    def maven_reports(self, module: str, suite: str, text: str = PASSED, plugin: str = "surefire") -> None:
        """A class that runs to its end."""
        folder = self.project.root / module / "target" / f"{plugin}-reports"
        self.maven_says(f"[INFO] ---------< dht.workbook:{module} >---------", f"[INFO] Running {suite}")
        report = text.format(suite=suite) if "{suite}" in text else text
        self.maven_does(f"mkdir -p {folder}; cat > {folder}/TEST-{suite}.xml <<'END'\n{report}\nEND")
        self.maven_says(f"[INFO] Tests run: 1, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 1 s -- in {suite}")

    def test(self, *words: str) -> int:
        make_program(self._mvn, "\n".join(self._script) + "\n")
        return main(["test", *words], self.project.root)

    def arguments(self) -> list[str]:
        return (self.project.root / "arguments.txt").read_text().splitlines()


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    bench = Bench(tmp_path)
    for name in ("PATH", "JAVA_HOME"):
        monkeypatch.setenv(name, bench.env[name])
    return bench


def make_python_test(bench: Bench, text: str) -> None:
    tests = bench.project.root / "scripts/tests"
    tests.mkdir(parents=True)
    (tests / "test_sample.py").write_text(dedent(text))


def log_of_python_tests(bench: Bench) -> str:
    return (bench.project.root / "target/workbook/test-scripts.log").read_text()


def make_test_class(project: Project, module: str, name: str, text: str = "class Any {}") -> None:
    path = project.root / module / "src/test/java" / f"{name}.java"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_stage_whose_tests_pass_ends_with_its_counts(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.maven_reports("stage1-storage", "dht.storage.WalTest")
    bench.maven_reports("stage1-storage", "dht.stage1.Stage1IT", plugin="failsafe")

    assert bench.test("1") == 0

    output = capsys.readouterr().out
    assert "stage1-storage  dht.storage.WalTest: 1 passed, 0 failed, 0 not run (0.5 s)" in output
    assert output.splitlines()[-1] == "tests: 2 passed, 0 failed, 0 not run"


def test_stage_with_failures_shows_each_with_its_whole_message(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    bench.maven_reports("stage1-storage", "dht.stage1.MixTest", (REPORTS / "TEST-dht.stage1.MixTest.xml").read_text())

    assert bench.test("1") == 1

    output = capsys.readouterr().out
    transcript = "  curl -X PUT 'http://h/v0?id=a'   --data x\n    node1 ▶ 201\n  curl 'http://h'\n    expected 200\n"
    assert "FAILED  stage1-storage  dht.stage1.MixTest.fail_withTranscript" in output
    assert transcript in output
    assert "tests: 3 passed, 4 failed, 2 not run" in output
    assert "  not run: stage1-storage dht.stage1.MixTest.disabled: needs Docker" in output
    assert "  failed: stage1-storage dht.stage1.MixTest$Inner.inFail" in output


@pytest.mark.parametrize(("words", "exit_code"), [(["1"], 0), (["1", "--strict"], 1)])
def test_tests_that_were_not_run_are_listed_and_fail_only_if_strict(
    bench: Bench, capsys: pytest.CaptureFixture[str], words: list[str], exit_code: int
) -> None:
    bench.maven_reports("stage1-storage", "dht.stage1.FaultTest", SKIPPED)

    assert bench.test(*words) == exit_code

    captured = capsys.readouterr()
    assert captured.out.splitlines()[-2:] == [
        "tests: 0 passed, 0 failed, 1 not run",
        "  not run: stage1-storage dht.stage1.FaultTest.works: no Docker",
    ]
    assert ("--strict: 1 not run" in captured.err) == bool(exit_code)


def test_class_in_whose_midst_the_jvm_dies_is_a_failure_and_those_after_it_are_not_run(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("dht/stage1/ATest", "dht/stage1/CrashTest", "dht/stage1/LaterTest", "dht/stage1/LaterIT", "dht/Some"):
        make_test_class(bench.project, "stage1-storage", name)
    bench.maven_reports("stage1-storage", "dht.stage1.ATest")
    bench.maven_says("noise without a line end[INFO] Running dht.stage1.CrashTest", "[INFO] BUILD FAILURE")
    bench.maven_says("[ERROR] Failed to execute goal x:test (default-test) on project stage1-storage: it crashed")
    bench.maven_does("exit 1")

    assert bench.test("1") == 1

    captured = capsys.readouterr()
    assert captured.out.splitlines()[-4:] == [
        "tests: 1 passed, 1 failed, 2 not run",
        "  not run: stage1-storage dht.stage1.LaterIT: not reached: the build broke before",
        "  not run: stage1-storage dht.stage1.LaterTest: not reached: the build broke before",
        "  failed: stage1-storage dht.stage1.CrashTest",
    ]
    assert "the build broke; Maven's whole output is in target/workbook/test.log" in captured.err
    assert "it crashed" in captured.err


def test_module_that_the_build_never_reached_is_not_run(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.maven_says("[ERROR] The project has 1 error")
    bench.maven_does("exit 1")

    assert bench.test("1") == 1

    captured = capsys.readouterr()
    assert "not run: stage1-storage all its tests: not reached: the build broke before" in captured.out
    assert "The project has 1 error" in captured.err


def test_report_that_was_never_finished_is_a_failure(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.maven_reports("stage1-storage", "dht.storage.WalTest", "<testsuite><testcase")

    assert bench.test("1") == 1
    assert "failed: stage1-storage TEST-dht.storage.WalTest.xml" in capsys.readouterr().out


def test_reports_of_an_earlier_run_are_not_counted(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    old = bench.project.stage(1).target / "surefire-reports"
    old.mkdir(parents=True)
    (old / "TEST-dht.Gone.xml").write_text(PASSED.format(suite="dht.Gone"))
    bench.maven_reports("stage1-storage", "dht.storage.WalTest")

    assert bench.test("1") == 0

    assert capsys.readouterr().out.splitlines()[-1] == "tests: 1 passed, 0 failed, 0 not run"


def test_stage_without_any_test_is_a_failure(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.test("1") == 1
    assert "there was no test" in capsys.readouterr().err


def test_pattern_that_fits_no_test_is_a_failure_and_says_what_patterns_are(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench.test("1", "--only", "Nope") == 1
    assert "there was no test that fits 'Nope': give class names" in capsys.readouterr().err


def test_stage_is_tested_without_the_tests_of_what_it_is_built_from(bench: Bench) -> None:
    bench.maven_reports("stage3-sharding", "dht.stage3.Stage3Test")

    assert bench.test("3") == 0

    assert bench.arguments()[-4:] == ["-pl", ":stage3-sharding", "-am", "-Dtested=stage3"]


def test_pattern_selects_from_all_classes(bench: Bench) -> None:
    bench.maven_reports("stage1-storage", "dht.stage1.EntityTest")

    assert bench.test("1", "--only", "Entity*#get_*") == 0

    arguments = bench.arguments()
    assert "-Dtest=Entity*#get_*" in arguments
    assert "-Dsurefire.failIfNoSpecifiedTests=false" in arguments


@pytest.mark.parametrize(("words", "is_full"), [([], False), (["--full"], True), (["--only", "WalTest"], True)])
def test_what_is_long_by_nature_runs_when_asked_for_or_named(bench: Bench, words: list[str], is_full: bool) -> None:
    bench.maven_reports("stage1-storage", "dht.storage.WalTest")

    assert bench.test("1", *words) == 0

    assert ("-Dtestkit.full=true" in bench.arguments()) is is_full


def test_full_run_has_jars_and_exercises_before_the_tests_that_use_them_and_keeps_them(bench: Bench) -> None:
    jars = " ".join(str(module.jar) for module in bench.project.modules)
    bench.maven_does('echo "$@" >> mavens.txt')
    bench.maven_does(f"for jar in {jars}; do mkdir -p $(dirname $jar); echo $1 >> $jar; done")
    make_python_test(
        bench,
        f"""
        from pathlib import Path

        def test_jars_are_there():
            assert all(Path(jar).is_file() for jar in {jars.split()!r})
    """,
    )
    option = "def pytest_addoption(parser): parser.addoption('--full', action='store_true')"
    (bench.project.root / "scripts/tests/conftest.py").write_text(option)

    assert bench.test("--full") == 0

    built, compiled, tested = (bench.project.root / "mavens.txt").read_text().splitlines()
    assert "package -Dmaven.test.skip=true" in built
    assert "-Djars.kept=true" not in built
    assert all(f":{module.name}" in built for module in bench.project.modules)
    assert "test-compile" in compiled
    assert "verify" in tested
    assert "-Djars.kept=true" in tested


def test_full_run_has_tests_that_need_the_machine_after_those_of_the_modules(bench: Bench) -> None:
    bench.maven_does('case "$*" in *verify*-DexcludedGroups=alone*) echo modules >> order.txt;; esac')
    bench.maven_does('case "$*" in *verify*-Dgroups=alone*-Dtest=CrowdIT*) echo crowd >> order.txt;; esac')
    make_test_class(bench.project, "stage1-storage", "dht/stage1/CrowdIT", "@Alone\nclass CrowdIT {}")
    make_test_class(bench.project, "stage1-storage", "dht/stage1/OtherIT", "/** Not @Alone. */\nclass OtherIT {}")
    jars = " ".join(str(module.jar) for module in bench.project.modules)
    bench.maven_does(f"for jar in {jars}; do mkdir -p $(dirname $jar); touch $jar; done")
    make_python_test(
        bench,
        f"""
        import pytest

        @pytest.mark.alone
        def test_alone():
            with open({str(bench.project.root / "order.txt")!r}, "a") as order:
                print("alone", file=order)

        def test_beside(): pass
    """,
    )
    option = "def pytest_addoption(parser): parser.addoption('--full', action='store_true')"
    (bench.project.root / "scripts/tests/conftest.py").write_text(option)

    assert bench.test("--full") == 0

    assert (bench.project.root / "order.txt").read_text().split() == ["modules", "crowd", "alone"]


def test_stage_in_full_has_classes_that_need_the_machine_last(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.maven_does('echo "$@" >> mavens.txt')
    bench.maven_does('case "$*" in *-DexcludedGroups=alone*)')
    bench.maven_reports("stage1-storage", "dht.storage.WalTest")
    bench.maven_does(";; *)")
    bench.maven_reports("stage1-storage", "dht.stage1.CrowdIT")
    bench.maven_does(";; esac")
    make_test_class(bench.project, "stage1-storage", "dht/stage1/CrowdIT", "@Alone\nclass CrowdIT {}")

    assert bench.test("1", "--full") == 0

    others, crowd = (bench.project.root / "mavens.txt").read_text().splitlines()
    assert "-DexcludedGroups=alone" in others
    assert "-Dgroups=alone" in crowd
    assert "tests: 2 passed, 0 failed, 0 not run" in capsys.readouterr().out
    assert len(list((bench.project.root / "stage1-storage/target/surefire-reports").iterdir())) == 2


@pytest.mark.parametrize("words", [["1"], ["1", "--full", "--only", "Crowd*"]])
def test_other_runs_have_all_their_classes_at_once(bench: Bench, words: list[str]) -> None:
    bench.maven_does('echo "$@" >> mavens.txt')
    bench.maven_reports("stage1-storage", "dht.stage1.CrowdIT")
    make_test_class(bench.project, "stage1-storage", "dht/stage1/CrowdIT", "@Alone\nclass CrowdIT {}")

    assert bench.test(*words) == 0

    [tested] = (bench.project.root / "mavens.txt").read_text().splitlines()
    assert "alone" not in tested


@pytest.mark.parametrize("words", [[], ["1", "--full"]])
def test_other_runs_pack_their_jars_as_maven_does(bench: Bench, words: list[str]) -> None:
    make_python_test(bench, "def test_nothing(): pass")
    bench.maven_does('echo "$@" >> mavens.txt')
    bench.maven_reports("stage1-storage", "dht.storage.WalTest")

    assert bench.test(*words) == 0

    [tested] = (bench.project.root / "mavens.txt").read_text().splitlines()
    assert "-Djars.kept=true" not in tested


def test_module_can_be_tested_by_its_name(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.maven_reports("testkit", "dht.testkit.KitTest")

    assert bench.test("testkit") == 0

    assert bench.arguments()[-4:] == ["-pl", ":testkit", "-am", "-Dtested=testkit"]
    assert "tests: 1 passed" in capsys.readouterr().out


def test_everything_is_each_module_and_the_scripts(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    tests = bench.project.root / "scripts/tests"
    tests.mkdir(parents=True)
    (tests.parent / "pytest.ini").write_text("[pytest]\n")
    (tests / "test_sample.py").write_text(
        "import pytest\ndef test_passes(): pass\n"
        "def test_fails(): assert 1 == 2, 'the reason'\n"
        "@pytest.mark.skip(reason='no need')\ndef test_skipped(): pass\n"
    )
    bench.maven_reports("testkit", "dht.testkit.KitTest")
    bench.maven_reports("stage1-storage", "dht.storage.WalTest")
    bench.maven_reports("stage3-sharding", "dht.stage3.Stage3Test")

    assert bench.test() == 1

    output = capsys.readouterr().out
    assert "-pl" not in bench.arguments()
    assert [row.split()[:4] for row in output.splitlines() if row.startswith(("testkit ", "stage", "scripts "))][
        -4:
    ] == [
        ["testkit", "1", "0", "0"],
        ["stage1-storage", "1", "0", "0"],
        ["stage3-sharding", "1", "0", "0"],
        ["scripts", "1", "1", "1"],
    ]
    assert "AssertionError: the reason" in output
    assert "  not run: scripts tests.test_sample.test_skipped: no need" in output
    assert "tests: 4 passed, 1 failed, 1 not run" in output


def test_python_tests_that_cannot_be_collected_are_a_failure(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    make_python_test(bench, "import no_such_module\n")

    assert bench.test("scripts") == 1
    assert "no_such_module" in capsys.readouterr().err


def test_full_disk_below_the_log_of_python_tests_is_a_failure(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    make_python_test(bench, "def test_passes(): pass\n")
    log = bench.project.root / "target/workbook/test-scripts.log"
    log.parent.mkdir(parents=True)
    log.symlink_to("/dev/full")

    assert bench.test("scripts") == 1
    assert f"cannot write {log}: No space left on device" in capsys.readouterr().err


def test_full_disk_below_the_log_of_maven_is_a_failure(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.maven_reports("testkit", "dht.PassesTest")
    log = bench.project.root / "target/workbook/test.log"
    log.parent.mkdir(parents=True)
    log.symlink_to("/dev/full")

    assert bench.test("testkit") == 1
    assert f"cannot write {log}: No space left on device" in capsys.readouterr().err


def test_pytest_that_says_nothing_any_more_is_ended_with_its_stacks(
    bench: Bench, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(python_tests, "SILENT_MAX_S", 10.0)
    make_python_test(
        bench,
        """
        import threading
        def wait_for_ever(): threading.Event().wait()
        def test_leaves_a_thread(): threading.Thread(target=wait_for_ever).start()
        """,
    )

    assert bench.test("scripts") == 1

    said = capsys.readouterr().err
    assert "pytest broke with exit code -6" in said
    assert "Fatal Python error: Aborted" in said
    assert "in wait_for_ever" in said


def test_report_of_python_tests_that_is_cut_off_is_a_failure(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    report = bench.project.root / "target/workbook/TEST-scripts.xml"
    make_python_test(
        bench, f"import atexit, pathlib\ndef test_passes(): atexit.register(pathlib.Path('{report}').write_text, '')\n"
    )

    assert bench.test("scripts") == 1
    assert f"the report of pytest is cut off: {report}" in capsys.readouterr().err


def test_broken_python_tests_do_not_keep_the_others_from_running(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    make_python_test(bench, "import no_such_module\n")
    bench.maven_reports("testkit", "dht.testkit.KitTest")

    assert bench.test() == 1

    captured = capsys.readouterr()
    assert "tests: 1 passed, 0 failed, 0 not run" in captured.out
    assert "pytest broke with exit code" in captured.err


def test_missing_maven_is_told_before_any_test_runs(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")

    assert bench.test() == 1
    assert not bench.project.logs.exists()


def test_test_when_interrupted_ends_maven_and_what_it_has_started(bench: Bench) -> None:
    bench.maven_reports("stage1-storage", "dht.storage.WalTest")
    bench.maven_does(f"sleep 600 & echo $! > {bench.project.root}/pid.part; mv pid.part pid; wait")
    make_program(bench._mvn, "\n".join(bench._script) + "\n")
    pid_file = bench.project.root / "pid"

    with called(bench.project, "test", "1", env=bench.env) as running:
        await_true(pid_file.exists)
        running.await_line("dht.storage.WalTest: 1 passed")
        running.send(signal.SIGINT)

        assert running.await_exit() == 130
        assert "interrupted during stage1-storage" in running.output
        assert "; so far 1 passed, 0 failed, 0 not run" in running.output
        assert "Traceback" not in running.output
    await_true(lambda: not runs(int(pid_file.read_text())))


def test_test_when_interrupted_names_the_python_test_that_ran_and_keeps_its_last_words(bench: Bench) -> None:
    make_python_test(
        bench,
        """
        import pathlib, signal, time
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        def test_hangs():
            pathlib.Path("begun").touch()
            time.sleep(600)
        """,
    )

    with called(bench.project, "test", "scripts", env=bench.env) as running:
        await_true((bench.project.root / "scripts/begun").exists)
        await_true(lambda: "test_hangs" in log_of_python_tests(bench))
        running.send(signal.SIGINT)

        assert running.await_exit() == 130
        assert "interrupted during scripts: tests/test_sample.py test_hangs (" in running.output
        assert "Traceback" not in running.output
    assert "KeyboardInterrupt" in log_of_python_tests(bench)


def test_python_test_that_hangs_fails_by_name_with_what_it_waits_for(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    make_python_test(
        bench,
        """
        import pytest, threading
        def wait_for_ever(): threading.Event().wait()
        @pytest.mark.timeout(1)
        def test_hangs(): wait_for_ever()
        def test_passes(): pass
        """,
    )

    assert bench.test("scripts") == 1

    output = capsys.readouterr().out
    assert "FAILED  scripts  tests.test_sample.test_hangs" in output
    assert "Timeout (>1.0s)" in output
    assert "in wait_for_ever" in output
    assert "tests: 1 passed, 1 failed, 0 not run" in output


def test_server_is_tested_by_the_testkits_own_runner(
    bench: Bench, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    bench.maven_does("mkdir -p testkit/target; echo jar > testkit/target/testkit.jar")
    make_jdk(tmp_path / "jdk", java='#!/bin/sh\necho "runner: $@"\necho "JAVA_HOME=$JAVA_HOME"\nexit 1\n')

    assert bench.test("4", "--server", "./mine --port {port}", "--strict", "--only", "Entity*") == 1

    output = capfd.readouterr().out
    jar = bench.project.root / "testkit/target/testkit.jar"
    assert "building testkit: there is no jar yet" in output
    assert f"runner: -jar {jar} --stage 4 --server ./mine --port {{port}} --strict --only Entity*" in output
    assert f"JAVA_HOME={tmp_path / 'jdk'}" in output


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--server", "x"], "--server needs the number of a stage"),
        (["testkit", "--server", "x"], "--server needs the number of a stage"),
        (["1", "--server", " "], "--server needs a command line"),
    ],
)
def test_server_without_a_stage_or_a_command_is_a_wrong_command_line(
    bench: Bench, capsys: pytest.CaptureFixture[str], words: list[str], complaint: str
) -> None:
    assert bench.test(*words) == 2
    assert complaint in capsys.readouterr().err


def test_test_tuning_reaches_maven(bench: Bench) -> None:
    bench.maven_reports("testkit", "dht.testkit.FaultTest")
    assert bench.test("testkit", "--seed", "7", "--fault-seconds", "60", "--fault-runs", "2") == 0
    wanted = {"-Dtestkit.seed=7", "-Dtestkit.fault.seconds=60", "-Dtestkit.fault.runs=2"}
    assert wanted <= set(bench.arguments())


def test_test_fault_seconds_must_be_positive(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.test("testkit", "--fault-seconds", "0") == 2
    assert "from 1 on" in capsys.readouterr().err
