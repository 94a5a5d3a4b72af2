from __future__ import annotations

import signal


def pytest_configure() -> None:
    """Lets SIGTERM unwind the tests like Ctrl-C, so that each ends the processes which it has started.

    And lets signals count that were ignored where the tests were started, under nohup for one: what they start would
    inherit that.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    for signum, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(signum) == signal.SIG_IGN:
            signal.signal(signum, handler)
