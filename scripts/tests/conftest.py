from __future__ import annotations

import signal

import pytest

LONG_WITHIN_S = 900
"""A test that is long by nature takes up to three minutes on quiet cores, and several times as long on busy ones."""


def pytest_configure() -> None:
    """Lets SIGTERM unwind the tests like Ctrl-C, so that each ends the processes which it has started.

    And lets signals count that were ignored where the tests were started, under nohup for one: what they start would
    inherit that.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    for signum, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(signum) == signal.SIG_IGN:
            signal.signal(signum, handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="also the tests that take long by their nature")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    skip = pytest.mark.skip(reason="takes long by its nature: ./workbook test --full runs it")
    for item in items:
        if item.get_closest_marker("long_by_nature"):
            if not item.get_closest_marker("timeout"):
                item.add_marker(pytest.mark.timeout(LONG_WITHIN_S))
            if not config.getoption("--full"):
                item.add_marker(skip)
