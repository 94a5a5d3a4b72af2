"""The error that is the user's to act on."""

from __future__ import annotations


class Failure(Exception):
    """What happened and what to do about it, in words for the user: printed without a traceback, exit code 1."""


class UsageError(Failure):
    """A command line that makes no sense: exit code 2."""
