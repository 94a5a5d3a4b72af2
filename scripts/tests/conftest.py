from __future__ import annotations

import signal


def pytest_configure() -> None:
    """Lets SIGTERM unwind the tests like Ctrl-C, so that each ends the processes which it has started."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
