from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import bootstrap
from tests.fakes import SCRIPTS, WITHIN_S, make_program
from workbook.locks import directory_lock

USAGE = "usage: ./workbook COMMAND [options]"
TOOLS = ("cat", "cmp", "dirname", "readlink", "sh")

OLD_PYTHON = """#!/bin/sh
case $1 in
    --version) echo Python 3.8.18 ;;
    *) exit 1 ;;
esac
"""


class Checkout:
    """A copy of the entry script and of what it starts, whose requirements ask for nothing: quick, and offline."""

    def __init__(self, root: Path, bin_folder: Path) -> None:
        self.root = root
        self.scripts = root / "scripts"
        self.venv = root / ".venv"
        ignored = shutil.ignore_patterns("__pycache__", "tests", ".*_cache")
        shutil.copytree(SCRIPTS, self.scripts, ignore=ignored)
        shutil.copy(SCRIPTS.parent / "workbook", root / "workbook")
        (self.scripts / "requirements.txt").write_text("# Nothing.\n")
        bin_folder.mkdir()
        for tool in TOOLS:
            (bin_folder / tool).symlink_to(str(shutil.which(tool)))
        self.bin = bin_folder
        self.env = {**os.environ, "PATH": str(bin_folder)}

    def install_python(self) -> None:
        make_program(self.bin / "python3", f'#!/bin/sh\nexec "{_base_python()}" "$@"\n')

    def start(self, *words: str, program: Path | None = None) -> subprocess.Popen[str]:
        command = [str(program or self.root / "workbook"), *words]
        return subprocess.Popen(command, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def call(self, *words: str, program: Path | None = None) -> tuple[int, str, str]:
        process = self.start(*words, program=program)
        out, err = process.communicate(timeout=WITHIN_S)
        return process.returncode, out, err


def _base_python() -> str:
    """The Python below .venv: a .venv made by another would take its packages from there."""
    return str(getattr(sys, "_base_executable", sys.executable))


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    (tmp_path / "check out").mkdir()
    made = Checkout(tmp_path / "check out", tmp_path / "bin")
    made.install_python()
    return made


def test_first_call_makes_the_venv_says_so_and_runs_the_command(checkout: Checkout) -> None:
    exit_code, out, err = checkout.call()

    assert exit_code == 0, err
    assert out.startswith(USAGE)
    assert "workbook: making .venv with Python 3." in err
    assert "workbook: .venv is ready after" in err


def test_next_call_needs_no_bootstrap_and_says_nothing(checkout: Checkout) -> None:
    checkout.call()
    (checkout.scripts / "bootstrap.py").unlink()

    exit_code, out, err = checkout.call()

    assert (exit_code, err) == (0, "")
    assert out.startswith(USAGE)


def test_changed_requirements_make_the_venv_anew(checkout: Checkout) -> None:
    checkout.call()
    (checkout.venv / "left-over").touch()
    (checkout.scripts / "requirements.txt").write_text("# Still nothing.\n")

    exit_code, _, err = checkout.call()

    assert exit_code == 0
    assert "making .venv" in err
    assert not (checkout.venv / "left-over").exists()
    assert checkout.call()[2] == ""


def test_venv_left_half_made_is_made_anew(checkout: Checkout) -> None:
    make_program(checkout.venv / "bin/python", "#!/bin/sh\nexit 9\n")

    exit_code, out, err = checkout.call()

    assert exit_code == 0
    assert out.startswith(USAGE)
    assert "making .venv" in err


def test_venv_whose_python_is_gone_is_made_anew(checkout: Checkout) -> None:
    checkout.call()
    (checkout.venv / "bin/python").unlink()
    (checkout.venv / "bin/python").symlink_to("/no/such/python")

    assert "making .venv" in checkout.call()[2]


def test_venv_of_another_version_of_python_is_made_anew(checkout: Checkout) -> None:
    checkout.call()
    [lib] = (checkout.venv / "lib").iterdir()
    lib.rename(lib.with_name("python3.9"))

    exit_code, out, err = checkout.call()

    assert exit_code == 0
    assert out.startswith(USAGE)
    assert "making .venv" in err


def test_calls_at_once_make_the_venv_once(checkout: Checkout) -> None:
    processes = [checkout.start() for _ in range(4)]
    results = [process.communicate(timeout=WITHIN_S) for process in processes]

    assert [process.returncode for process in processes] == [0] * 4
    assert all(out.startswith(USAGE) for out, _ in results)
    assert sum(err.count("making .venv with") for _, err in results) == 1


@pytest.mark.parametrize(
    ("signum", "exit_codes"),
    [(signal.SIGINT, {130}), (signal.SIGTERM, {143}), (signal.SIGKILL, {-9})],
)
def test_interrupted_call_does_not_stand_in_the_way_of_the_next(
    checkout: Checkout, signum: signal.Signals, exit_codes: set[int]
) -> None:
    with directory_lock(checkout.scripts, lambda: None):
        process = checkout.start()
        assert process.stderr is not None
        assert "another call is making .venv" in process.stderr.readline()
        process.send_signal(signum)
        process.communicate(timeout=WITHIN_S)
        assert process.returncode in exit_codes

    assert checkout.call()[0] == 0


def test_call_that_a_script_has_put_into_the_background_can_be_interrupted(checkout: Checkout) -> None:
    with directory_lock(checkout.scripts, lambda: None):
        # As a shell without job control does for what it starts with `&`.
        script = f'trap "" INT; exec "{checkout.root}/workbook"'
        process = subprocess.Popen(["sh", "-c", script], env=checkout.env, stderr=subprocess.PIPE, text=True)
        assert process.stderr is not None
        assert "another call is making .venv" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=WITHIN_S)

    assert process.returncode == 130


def test_call_through_a_link_finds_the_checkout(checkout: Checkout, tmp_path: Path) -> None:
    link = tmp_path / "elsewhere" / "wb"
    link.parent.mkdir()
    link.symlink_to("../check out/workbook")

    exit_code, out, _ = checkout.call(program=link)

    assert exit_code == 0
    assert out.startswith(USAGE)


def test_arguments_arrive_as_they_were_given(checkout: Checkout) -> None:
    checkout.call()

    assert "unknown command 'a  b * $HOME'" in checkout.call("a  b * $HOME")[2]


def test_no_python_is_one_clear_message(checkout: Checkout) -> None:
    (checkout.bin / "python3").unlink()

    exit_code, _, err = checkout.call()

    assert exit_code == 1
    assert err.startswith("workbook: needs Python 3.10 or newer; found none\n")
    assert "apt-get install python3 python3-venv" in err


def test_only_an_old_python_is_named_in_the_message(checkout: Checkout) -> None:
    make_program(checkout.bin / "python3", OLD_PYTHON)

    exit_code, _, err = checkout.call()

    assert exit_code == 1
    assert f"found only Python 3.8.18 ({checkout.bin / 'python3'})" in err


def test_newer_python_beside_an_old_one_is_taken(checkout: Checkout) -> None:
    (checkout.bin / "python3").rename(checkout.bin / "python3.12")
    make_program(checkout.bin / "python3", OLD_PYTHON)

    assert checkout.call()[0] == 0


def test_python_without_ensurepip_says_which_package_brings_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    requirements = tmp_path / "requirements.txt"
    requirements.write_text("rich==1.0 \\\n    --hash=sha256:00\n")
    monkeypatch.setattr(bootstrap, "REQUIREMENTS", requirements)
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)

    with pytest.raises(bootstrap.CannotMake, match=r"no ensurepip(.|\n)*sudo apt-get install python3-venv"):
        bootstrap.make()


def test_step_that_fails_shows_its_output_and_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bootstrap, "PYTHON", Path(sys.executable))

    with pytest.raises(bootstrap.CannotMake, match=r"`python -m no_such_step` failed with exit code 1; do that"):
        bootstrap.step("no_such_step", hint="do that")

    assert "No module named no_such_step" in capfd.readouterr().err
