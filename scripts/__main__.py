"""Where `workbook` enters: `.venv/bin/python scripts COMMAND …`."""

import os
import signal
import site
import sys
from pathlib import Path


def main() -> int:
    if not venv_fits():
        # Python was upgraded under .venv, whose packages belong to the version before: have it made anew.
        Path(sys.prefix, "made-from.txt").unlink(missing_ok=True)
        workbook = Path(__file__).resolve().parent.parent / "workbook"
        os.execv(workbook, [str(workbook), *sys.argv[1:]])
    from workbook import cli

    return cli.main(sys.argv[1:])


def venv_fits() -> bool:
    return any(Path(directory).is_dir() for directory in site.getsitepackages())


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:  # Before the command line has taken the signals over.
        sys.exit(128 + signal.SIGINT)
