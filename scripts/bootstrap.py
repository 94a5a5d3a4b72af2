"""Makes .venv as requirements.txt asks, then goes on with the command. Standard library only.

Safe to be called twice at once (one makes, the other waits) and to be killed anywhere: the copy of the requirements
is written last, and a .venv without it is made anew.
"""

from __future__ import annotations

import fcntl
import importlib.util
import os
import signal
import subprocess
import sys
import time
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent
REQUIREMENTS = SCRIPTS / "requirements.txt"
VENV = SCRIPTS.parent / ".venv"
PYTHON = VENV / "bin" / "python"
MADE_FROM = VENV / "made-from.txt"

NO_PIP = """this Python has no ensurepip, which .venv needs ({python})
  Debian, Ubuntu:  sudo apt-get install python3-venv
  elsewhere:       install a Python that comes with its whole standard library"""


class CannotMake(Exception):
    """What stands in the way, and what to do about it."""


def main() -> None:
    # As exceptions, unlike the signals themselves, they let subprocess.run() end what it has started. SIGINT, too: it
    # is ignored where a script has started us in the background.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # Ignored by nohup, and meant so.
        signal.signal(signal.SIGHUP, lambda *_: sys.exit(128 + signal.SIGHUP))
    try:
        with locked(SCRIPTS):
            if not is_whole():
                make()
    except CannotMake as problem:
        sys.exit(f"workbook: {problem}")
    except KeyboardInterrupt:
        say("interrupted; the next call makes .venv anew")
        sys.exit(128 + signal.SIGINT)
    os.execv(PYTHON, [str(PYTHON), "-E", str(SCRIPTS), *sys.argv[1:]])


def is_whole() -> bool:
    """Whether .venv was made, to the end, from the requirements of now. `workbook` asks the same in sh."""
    try:
        return os.access(PYTHON, os.X_OK) and MADE_FROM.read_bytes() == REQUIREMENTS.read_bytes()
    except OSError:
        return False


def make() -> None:
    started = time.monotonic()
    requirements = REQUIREMENTS.read_bytes()
    needs_pip = any(line[:1].isalnum() for line in requirements.decode().splitlines())
    if needs_pip and importlib.util.find_spec("ensurepip") is None:
        raise CannotMake(NO_PIP.format(python=sys.executable))

    version = ".".join(map(str, sys.version_info[:3]))
    say(f"making .venv with Python {version} (once, and when scripts/requirements.txt changes)")
    MADE_FROM.unlink(missing_ok=True)
    try:
        venv.create(VENV, clear=True, symlinks=True)
    except OSError as problem:
        raise CannotMake(f"cannot make {VENV}: {problem}") from problem
    if needs_pip:
        install()
    # Written beside and renamed: the file is there with all its bytes or not at all.
    unfinished = MADE_FROM.with_suffix(".new")
    unfinished.write_bytes(requirements)
    unfinished.replace(MADE_FROM)
    say(f".venv is ready after {time.monotonic() - started:.1f} s")


def install() -> None:
    say("installing the packages which scripts/requirements.txt pins")
    step("ensurepip", "--default-pip", hint="remove .venv and try again")
    options = ["--quiet", "--no-input", "--disable-pip-version-check", "--require-hashes"]
    hint = "pip needs to reach its package index: see its message above and the output of `pip config list`"
    step("pip", "install", *options, "--requirement", str(REQUIREMENTS), hint=hint)


def step(module: str, *arguments: str, hint: str) -> None:
    """Runs a module in .venv; shows its output only when it fails."""
    command = [str(PYTHON), "-m", module, *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        sys.stderr.buffer.write(done.stdout)
        raise CannotMake(f"`python -m {module}` failed with exit code {done.returncode}; {hint}")


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Holds the directory's lock. The kernel drops it with the process, so a killed one leaves nothing behind."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another call is making .venv; waiting for it")
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def say(text: str) -> None:
    """On standard error: standard output belongs to the command."""
    print(f"workbook: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
