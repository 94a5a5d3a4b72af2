from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.fakes import SCRIPTS, WITHIN_S

# Says when it is ready, and waits until the terminal is closed.
BEGIN = "import os, sys; os.write(1, b'ready'); sys.stdin.readline()\n"


@pytest.mark.parametrize(
    "words",
    [
        "from workbook.messages import warn; warn('gone')",
        "print('gone', end=''); from workbook.messages import flush_output; flush_output()",
        "from workbook.servers import Log; Log(coloured=False).write(b'node1 | ', b'gone')",
    ],
)
def test_words_to_a_closed_terminal_do_not_change_the_exit_code(words: str) -> None:
    ours, terminal = os.openpty()
    # Unbuffered output would hold nothing when the interpreter ends.
    env = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    command = [sys.executable, "-c", f"{BEGIN}{words}\nsys.exit(3)"]
    with subprocess.Popen(
        command, cwd=SCRIPTS, env=env, stdin=subprocess.PIPE, stdout=terminal, stderr=terminal
    ) as process:
        os.close(terminal)
        assert os.read(ours, 5) == b"ready"
        os.close(ours)
        process.communicate(b"\n", timeout=WITHIN_S)

        assert process.returncode == 3
