from __future__ import annotations

from pathlib import Path

import pytest

from workbook import maven


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("[INFO] --- maven-compiler-plugin:3.16.0:compile (default-compile) @ testkit ---", "testkit: compiling"),
        ("[INFO] --- compiler:3.16.0:testCompile (default-testCompile) @ a ---", "a: compiling the tests"),
        ("[INFO] --- maven-shade-plugin:3.6.2:shade (default) @ a ---", "a: packing the self-contained jar"),
        ("[INFO] --- spotless-maven-plugin:3.11.0:check (default-cli) @ a ---", "a: building"),
        ("Downloading from central: https://repo.example/org/a/1.0/a-1.0.jar", "downloading a-1.0.jar"),
        ("[INFO] Building jar: /a/b.jar", None),
    ],
)
def test_step_tells_what_maven_has_begun(line: str, words: str | None) -> None:
    assert maven.step(line) == words


def test_module_line_tells_the_module() -> None:
    match = maven.MODULE.search("[INFO] --------------------< dht.workbook:stage1-storage >---------------------")

    assert match is not None
    assert match[1] == "stage1-storage"


def test_problems_of_a_crashed_jvm_are_told_once_and_without_noise(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_text(
        """$ mvn verify
[ERROR] an error of a test
[INFO] BUILD FAILURE
[INFO] Total time:  3.710 s
[ERROR] Failed to execute goal x:test (default-test) on project stage1-storage:\x20
[ERROR]\x20
[ERROR] See dump files (if any exist) [date].dump
[ERROR] The forked VM terminated without properly saying goodbye.
[ERROR] Command was /bin/sh -c cd '/a' && java
[ERROR] Crashed tests:
[ERROR] dht.stage1.CrashTest
[ERROR] org.apache.maven.surefire.booter.SurefireBooterForkException: The forked VM terminated
[ERROR] Crashed tests:
[ERROR] dht.stage1.CrashTest
[ERROR] \tat org.apache.maven.plugin.surefire.booterclient.ForkStarter.fork(ForkStarter.java:720)
[ERROR] -> [Help 1]
[ERROR]\x20
[ERROR] To see the full stack trace of the errors, re-run Maven with the -e switch.
"""
    )

    assert maven.problems(log).splitlines() == [
        "Failed to execute goal x:test (default-test) on project stage1-storage: ",
        "The forked VM terminated without properly saying goodbye.",
        "Crashed tests:",
        "dht.stage1.CrashTest",
    ]


def test_problems_of_a_maven_that_never_built_are_all_it_said(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_text("$ mvn verify\nUnrecognized option: --nonsense\nError: Could not create the Java Virtual Machine.\n")

    assert maven.problems(log).startswith("Unrecognized option: --nonsense\nError: Could not")
