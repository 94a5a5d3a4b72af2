"""Reads figures of load tools that were quoted as Markdown tables, as reports of people have them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbook.measure.load_report import MS, Latency, LoadReport

PERCENTILE = re.compile(r"(\d+[.,]\d+)\s*%$")
# "747,00us", "1.03ms", and "15.38m" where an s was lost: a latency in minutes is none.
TIME = re.compile(r"(\d+[.,]?\d*)\s*(us|ms|m|s)$")


def read_tables(text: str) -> list[dict[str, LoadReport]]:
    """A report for each column of a table of percentiles, and for each row of one of requests and timeouts."""
    return [found for table in _tables(text) if (found := _by_column(table) or _by_row(table))]


def _by_column(table: list[list[str]]) -> dict[str, LoadReport]:
    header, *rows = table
    reports = {name: LoadReport() for name in header[1:] if name}
    for row in rows:
        if match := PERCENTILE.match(row[0]):
            for name, cell in zip(header[1:], row[1:], strict=False):
                if (value := _ms(cell)) is not None:
                    reports[name].latency.percentiles[round(_number(match[1]) / 100, 7)] = value
    return {name: report for name, report in reports.items() if report.latency.percentiles}


def _by_row(table: list[list[str]]) -> dict[str, LoadReport]:
    header, *rows = table
    columns = {name.split(" in ")[0]: index for index, name in enumerate(header)}
    if not {"requests", "timeout", "Requests/sec"} <= columns.keys():
        return {}
    reports = {}
    for row in rows:
        if row[0] and row[columns["requests"]].isdecimal():
            reports[row[0]] = LoadReport(
                requests=int(row[columns["requests"]]),
                rate_per_s=_number(row[columns["Requests/sec"]]),
                latency=Latency(),
                socket_errors=(0, 0, 0, int(row[columns["timeout"]])),
            )
    return reports


def _tables(text: str) -> Iterator[list[list[str]]]:
    """Runs of lines with bars, cell by cell, without the line below the header."""
    table: list[list[str]] = []
    for line in [*text.splitlines(), ""]:
        if line.strip().startswith("|"):
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if not all(re.fullmatch(r":?-+:?", cell) for cell in cells):
                table.append(cells)
        elif table:
            yield table
            table = []


def _ms(cell: str) -> float | None:
    match = TIME.match(cell)
    if match is None:
        return None
    unit = "ms" if match[2] == "m" else match[2]
    return round(_number(match[1]) * MS[unit], 6)


def _number(text: str) -> float:
    return float(text.replace(",", "."))
