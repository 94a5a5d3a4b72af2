from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.fakes import make_jdk, make_program, make_project
from workbook.cli import main
from workbook.mutants import UNFIT

SOURCE = """\
package dht.shop;
class Till {
    int change(int paid, int price) {
        return paid - price;
    }
    boolean isOpen() {
        return true;
    }
}
"""

MUTANT = """<mutation detected='{detected}' status='{status}' numberOfTestsRun='1'><sourceFile>Till.java</sourceFile>
<mutatedClass>dht.shop.{name}</mutatedClass><mutatedMethod>{method}</mutatedMethod><methodDescription>()I</methodDescription>
<lineNumber>{line}</lineNumber><mutator>org.pitest.mutationtest.engine.gregor.mutators.{mutator}</mutator>
<description>{what}</description></mutation>"""

CHANGE = "dht.shop.Till.change | Math | return paid - price;"


def mutant(
    status: str, *, name: str = "Till", method: str = "change", line: int = 4, mutator: str = "MathMutator"
) -> str:
    return MUTANT.format(
        detected=status == "KILLED",
        status=status,
        name=name,
        method=method,
        line=line,
        mutator=mutator,
        what="Replaced integer subtraction with addition",
    )


class Bench:
    """A checkout whose stage 1 has one class, and a Maven that leaves a report behind."""

    def __init__(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = make_project(tmp_path / "checkout").root
        self.list = self.root / "stage1-storage/mutants.txt"
        source = self.root / "stage1-storage/src/main/java/dht/shop/Till.java"
        source.parent.mkdir(parents=True)
        source.write_text(SOURCE)
        self.mvn = tmp_path / "bin/mvn"
        monkeypatch.setenv("JAVA_HOME", str(make_jdk(tmp_path / "jdk")))
        monkeypatch.setenv("PATH", f"{self.mvn.parent}:{os.environ['PATH']}")
        self.lists()

    def lists(self, *lines: str) -> None:
        self.list.write_text("\n".join(["# Of the shop.", "package dht.shop", "", *lines]) + "\n")

    def mutants(self, *made: str, words: tuple[str, ...] = ("1",)) -> int:
        make_program(
            self.mvn,
            "#!/bin/sh\nprintf '%s\\n' \"$@\" > arguments.txt\n"
            "for word; do case $word in -DreportsDirectory=*) folder=${word#*=} ;; esac; done\n"
            f"mkdir -p $folder; cat > $folder/mutations.xml <<'END'\n<mutations>{''.join(made)}</mutations>\nEND\n",
        )
        return main(["mutants", *words], self.root)

    def arguments(self) -> list[str]:
        return (self.root / "arguments.txt").read_text().splitlines()


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    return Bench(tmp_path, monkeypatch)


def test_mutants_that_are_all_noticed_hold(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.mutants(mutant("KILLED"), mutant("TIMED_OUT"), mutant("MEMORY_ERROR")) == 0

    output = capsys.readouterr().out
    assert output.splitlines()[-1] == "mutants: 3, 3 noticed (1.00), 0 survived and are not listed"


def test_package_is_mutated_for_itself_and_its_own_tests_run(bench: Bench) -> None:
    bench.mutants(mutant("KILLED"), words=("1", "--threads", "8"))

    arguments = bench.arguments()
    assert "-DtargetClasses=dht.shop.*" in arguments
    assert "-DexcludedClasses=dht.shop.*.*" in arguments
    assert "-DtargetTests=dht.shop.*" in arguments
    assert "-Dthreads=2" in arguments
    assert arguments[arguments.index("-pl") + 1] == ":stage1-storage"


def test_package_that_others_test_runs_theirs(bench: Bench) -> None:
    bench.list.write_text("package dht.shop tested by dht.market.*\n")
    bench.mutants(mutant("KILLED"))

    arguments = bench.arguments()
    assert "-DtargetClasses=dht.shop.*" in arguments
    assert "-DtargetTests=dht.market.*" in arguments
    assert [word for word in arguments if word.startswith("-DexcludedTestClasses")] == [
        f"-DexcludedTestClasses={UNFIT}"
    ]


def test_survivor_fails_and_is_shown_with_its_place(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.mutants(mutant("KILLED"), mutant("SURVIVED"), mutant("NO_COVERAGE", method="isOpen", line=7)) == 1

    output = capsys.readouterr().out
    assert "survived: Till.java:4: Replaced integer subtraction with addition" in output
    assert "survived: Till.java:7: no test runs it: Replaced" in output
    assert output.splitlines()[-1] == "mutants: 3, 1 noticed (0.33), 2 survived and are not listed"
    assert CHANGE in (bench.root / "target/workbook/mutants/survivors.txt").read_text()


def test_mutant_that_could_not_be_tried_was_not_noticed(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.mutants(mutant("RUN_ERROR")) == 1
    assert "survived: Till.java:4: it could not be tried: Replaced" in capsys.readouterr().out


def test_survivor_that_is_listed_with_a_reason_holds(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.lists(CHANGE, "    Nobody ever pays", "    too much.")

    assert bench.mutants(mutant("KILLED"), mutant("SURVIVED")) == 0
    assert "mutants: 2, 1 noticed (0.50), 0 survived and are not listed" in capsys.readouterr().out


@pytest.mark.parametrize(
    "made",
    [
        mutant("KILLED"),  # A test notices it by now.
        mutant("SURVIVED", method="isOpen", line=7),  # The line has gone.
    ],
)
def test_listed_mutant_that_is_gone_fails(bench: Bench, capsys: pytest.CaptureFixture[str], made: str) -> None:
    bench.lists(CHANGE, "    Nobody ever pays too much.")

    assert bench.mutants(made) == 1
    assert f"remove this entry: the mutant no longer exists, or a test notices it: {CHANGE}" in capsys.readouterr().err


def test_listed_mutant_of_a_nested_class_is_found(bench: Bench) -> None:
    bench.lists("dht.shop.Till$Drawer.change | Math | return paid - price;", "    Nobody ever pays too much.")

    assert bench.mutants(mutant("SURVIVED", name="Till$Drawer")) == 0


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        ([CHANGE], "no reason is given for dht.shop.Till.change"),
        (["dht.shop.Till.change"], "mutants.txt:4: neither a package nor METHOD | MUTATOR | LINE"),
    ],
)
def test_list_that_makes_no_sense_says_where(
    bench: Bench, capsys: pytest.CaptureFixture[str], lines: list[str], complaint: str
) -> None:
    bench.lists(*lines)

    assert bench.mutants() == 1
    assert complaint in capsys.readouterr().err


def test_package_that_is_not_tested_this_way_says_which_are(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.mutants(words=("1", "--package", "dht.nowhere")) == 1
    assert "there is no package dht.nowhere to be tested this way; there are dht.shop" in capsys.readouterr().err


def test_stage_without_a_list_says_so(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.mutants(words=("3",)) == 1
    assert "stage3-sharding has no mutants.txt" in capsys.readouterr().err


def test_all_stages_are_those_with_a_list(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.mutants(mutant("KILLED"), words=()) == 0
    assert "dht.shop: 1 of 1 noticed, 0 survived" in capsys.readouterr().out


def test_build_that_breaks_shows_why(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    make_program(bench.mvn, "#!/bin/sh\necho '[ERROR] cannot find symbol'\nexit 1\n")

    assert main(["mutants", "1"], bench.root) == 1
    complaint = capsys.readouterr().err
    assert "no mutants of dht.shop; Maven's whole output is in target/workbook/mutants/maven-dht.shop.log" in complaint
    assert "cannot find symbol" in complaint
