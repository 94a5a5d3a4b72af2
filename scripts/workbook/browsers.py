"""Finds Chromium and its driver, with which the site is tested."""

from __future__ import annotations

from pathlib import Path

from workbook.host import Host

PROGRAMS = {"CHROMIUM": ("chromium", "chromium-browser", "google-chrome"), "CHROMEDRIVER": ("chromedriver",)}
"""What is looked for on PATH, unless a variable of that name says what to take."""


def find(host: Host) -> tuple[Path, Path] | str:
    """Chromium and its driver, or what is missing."""
    found = []
    for variable, programs in PROGRAMS.items():
        named = (host.env[variable],) if variable in host.env else programs
        program = next((each for each in map(host.which, named) if each is not None), None)
        if program is None:
            return f"no {named[0]} on PATH"
        found.append(program)
    return found[0], found[1]
