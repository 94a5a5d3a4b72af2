"""Flame graphs, a heatmap, differential flame graphs and collapsed stacks, made from a recording by jfr-converter."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from workbook.failure import Failure
from workbook.jdk import Jdk
from workbook.measure import stacks
from workbook.measure.run_folder import write_json

KINDS = ("cpu", "alloc", "lock")
WORK = "dht/http/ExecutedService$ServeTask.run"
"""The frame below which all stages do the same for a request, whatever thread that is on."""
CONVERTER = "one.convert.Main"
WITHIN_S = 120.0
# Smaller frames cannot be seen, and make the page large.
MIN_WIDTH_PERCENT = "0.1"
# jfr-converter draws the title over the buttons where a page is narrow.
NARROW = (
    "<style>@media (max-width:600px){h1{font-size:14px;text-align:left;margin:0 0 4px}header{margin:0 0 6px}}</style>"
)


def make_graphs(
    folder: Path, recording: Path, window: tuple[float, float], title: str, jdk: Jdk, jar: Path
) -> dict[str, int]:
    """All that is made of the part of a recording between two moments; returns how many samples of each kind it has."""
    converter = _converter(jdk, jar, window)
    run_all(
        [*converter, f"--{kind}", "--threads", "--norm", "-o", "collapsed", str(recording), str(_stacks(folder, kind))]
        for kind in KINDS
    )
    return _draw(folder, converter, recording, dict.fromkeys(KINDS, recording), title)


def make_merged_graphs(
    folder: Path, nodes: Sequence[Path], recording: Path, window: tuple[float, float], title: str, jdk: Jdk, jar: Path
) -> dict[str, int]:
    """The same of all nodes together, after those of each node have been made in its own folder.

    The stacks are the sum of the nodes' stacks: the clocks of the nodes differ, so one window does not fit all parts of
    `recording`, which has the recordings of all nodes. Only the heatmap is made from it.
    """
    merged = {kind: folder / f".merged-{kind}.collapsed" for kind in KINDS}
    for kind in KINDS:
        lines = [line for node in nodes if _stacks(node, kind).is_file() for line in _lines(node, kind)]
        write_lines(_stacks(folder, kind), lines)
        write_lines(merged[kind], (line.partition(";")[2] for line in lines))
    try:
        return _draw(folder, _converter(jdk, jar, window), recording, merged, title)
    finally:
        for temporary in merged.values():
            temporary.unlink()


def _draw(
    folder: Path, converter: list[str], recording: Path, sources: Mapping[str, Path], title: str
) -> dict[str, int]:
    """What is made once the folder has the stacks. `sources` has what the flame graph of each kind is made of."""
    found = {kind: stacks.read(folder, kind) for kind in KINDS}
    samples = {kind: each.samples for kind, each in found.items()}
    for kind in KINDS:
        if samples[kind] == 0:
            _stacks(folder, kind).unlink(missing_ok=True)
    seen = [kind for kind in KINDS if samples[kind]]
    graphs = [
        flame_graph(
            converter, f"{title}: {kind}", [f"--{kind}", "--norm"], [sources[kind], folder / f"flame-{kind}.html"]
        )
        for kind in seen
    ]
    if samples["cpu"]:
        heatmap = [*converter, "--cpu", "--norm", "--dot", "-o", "heatmap", "--title", f"{title}: cpu over time"]
        graphs.append([*heatmap, str(recording), str(folder / "heatmap-cpu.html")])
    run_all(graphs)
    fit_narrow_screens(folder)
    write_json(folder / "breakdown.json", {kind: stacks.breakdown(found[kind]) for kind in seen})
    return samples


def make_differences(folder: Path, against: Path, title: str, jdk: Jdk, jar: Path) -> None:
    """Of every kind that both runs have: what this one has more of is red."""
    converter = [str(jdk.java), "-cp", str(jar), CONVERTER]
    run_all(
        flame_graph(
            converter,
            f"{title}: {kind}",
            ["--diff"],
            [
                _comparable(against, kind, folder, "a"),
                _comparable(folder, kind, folder, "b"),
                folder / f"diff-{kind}.html",
            ],
        )
        for kind in KINDS
        if _stacks(folder, kind).is_file() and _stacks(against, kind).is_file()
    )
    fit_narrow_screens(folder)
    for temporary in folder.glob(".stacks-*"):
        temporary.unlink()


def fit_narrow_screens(folder: Path) -> None:
    """All graphs of a folder."""
    for page in [*folder.glob("flame-*.html"), *folder.glob("diff-*.html")]:
        text = page.read_text(encoding="utf-8")
        if NARROW not in text:
            page.write_text(text.replace("</head>", f"{NARROW}\n</head>", 1), encoding="utf-8")


def flame_graph(converter: list[str], title: str, options: list[str], files: list[Path]) -> list[str]:
    """The command that makes the last file of the others."""
    shape = ["--dot", "--minwidth", MIN_WIDTH_PERCENT, "--title", title, "-o", "html"]
    return [*converter, *options, *shape, *map(str, files)]


def _converter(jdk: Jdk, jar: Path, window: tuple[float, float]) -> list[str]:
    within = [word for name, time_s in zip(("--from", "--to"), window, strict=True) for word in (name, _ms(time_s))]
    return [str(jdk.java), "-Xmx512m", "-XX:+UseSerialGC", "-cp", str(jar), CONVERTER, *within]


def _lines(folder: Path, kind: str) -> list[str]:
    return _stacks(folder, kind).read_text().splitlines()


def write_lines(path: Path, lines: Iterable[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines))


def _ms(time_s: float) -> str:
    return f"{time_s * 1000:.0f}"


def _stacks(folder: Path, kind: str) -> Path:
    return folder / f"stacks-{kind}.txt"


def comparable(line: str) -> str:
    """A stack without what differs by itself: its thread's id, and how its frames were compiled.

    The work for a request is cut off from what leads to it, so that a stage where a pool does it can be subtracted from
    one where a selector does.
    """
    stack, _, count = line.rpartition(" ")
    frames = [stacks.MARK.sub("", frame) for frame in stack.split(";")[1:]]
    begins = frames.index(WORK) if WORK in frames else 0
    return f"{';'.join(frames[begins:])} {count}" if frames else ""


def _comparable(source: Path, kind: str, folder: Path, name: str) -> Path:
    target = folder / f".stacks-{kind}-{name}.collapsed"
    write_lines(target, filter(None, map(comparable, _lines(source, kind))))
    return target


def run_all(commands: Iterable[list[str]]) -> None:
    """As many at a time as there are cores: nothing is measured meanwhile."""
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        list(pool.map(_run, commands))


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=WITHIN_S,
            check=False,
        )
    except subprocess.TimeoutExpired as problem:
        raise Failure(f"jfr-converter has not ended within {WITHIN_S:g} s: {command}") from problem
    if done.returncode != 0:
        raise Failure(f"jfr-converter failed:\n{done.stdout.decode(errors='replace').strip()}")
