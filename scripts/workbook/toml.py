"""TOML files: read by the standard library where it can, written in the little that progress needs."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from workbook.failure import Failure

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def read_toml(file: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as problem:
        raise Failure(f"cannot read {file}: {problem.strerror}") from problem
    except ValueError as problem:  # No TOML, no UTF-8, or a number of too many digits.
        raise Failure(f"{file}: {problem}") from problem
    except RecursionError as problem:
        raise Failure(f"{file}: its lists or tables are nested too deeply") from problem
    return found


def table_text(name: str, fields: dict[str, Any]) -> str:
    """One table of plain values: text, numbers, booleans and lists of them."""
    # A JSON text, number, boolean or list of them is written in TOML as it is in JSON.
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in fields.items()]
    return "\n".join([f"[{json.dumps(name)}]", *lines]) + "\n"
