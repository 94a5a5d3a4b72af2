"""Collapsed stacks: `[thread tid=7];outer;…;inner count`, a line each. Counts them, and holds promises against them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

THREAD = re.compile(r"\[(.*?)(?: tid=\d+)?\]$")
# How async-profiler marks a frame: interpreted, inlined, compiled by C1, by C2, of the kernel.
MARK = re.compile(r"_\[([a-z0-9])\]$")
JAVA_FRAME = re.compile(r"([\w$/\-]+)/[^/]+\.[^/]+$")
OUTER_CLASS = re.compile(r"[\w$/\-]+/([^/.$]+)[^/]*\.[^/]+$")
# The class that was allocated, or waited for, ends a stack of alloc and lock.
CLASS = re.compile(r"[\w$.\-/]+(?:\[\])*$")

KERNEL, NATIVE = "[kernel]", "[native]"
OTHER = "other"
# Thread names by group, the first that fits. Names of native threads are the JVM's.
GROUPS = (
    ("HttpClient", re.compile(r"HttpClient-")),
    ("common pool", re.compile(r"ForkJoinPool\.commonPool")),
    ("selector", re.compile(r"NIO Selector|NIO Acceptor|acceptor|selector", re.IGNORECASE)),
    ("peer", re.compile(r"peer-")),
    ("flush and compaction", re.compile(r"storage-")),
    ("worker", re.compile(r"worker|pool-\d+-thread|ForkJoinPool|virtual", re.IGNORECASE)),
    ("GC", re.compile(r"GC Thread|G1 |GC$|Shenandoah|ZWorker|XWorker|ZDriver|Concurrent Mark")),
    ("JIT", re.compile(r"C[12] Compiler|Compiler ?Thread|Sweeper")),
    (
        "JVM",
        re.compile(r"VM |Attach Listener|Signal Dispatcher|Finalizer|Reference|Cleaner|Service Thread|java$|main$"),
    ),
)
LAYER = re.compile(r"dht\.\w+|one\.nio|jdk\.internal\.net\.http")
VIRTUAL_MACHINE, NO_LAYER = "JVM", "other"
VIRTUAL_MACHINE_GROUPS = ("GC", "JIT", "JVM")
SELECTED_SHARE_MIN = 0.01
SHARE_DIGITS = 4


@dataclass(frozen=True)
class Stack:
    """`frames` from the outermost to the innermost, without the thread; marks are still on them."""

    thread: str
    frames: tuple[str, ...]
    samples: int

    @property
    def group(self) -> str:
        return group_of(self.thread)

    @property
    def layer(self) -> str:
        """Whose work: of the packages `dht.*`, one-nio and the JDK's HTTP client the innermost; else the JVM's."""
        if self.group in VIRTUAL_MACHINE_GROUPS:
            return VIRTUAL_MACHINE
        found = (LAYER.match(package) for package in reversed(self.packages()))
        return next((match[0] for match in found if match), NO_LAYER)

    def packages(self) -> list[str]:
        return [package_of(frame) for frame in self.frames]


@dataclass(frozen=True)
class Stacks:
    """All samples of one kind of one recording."""

    stacks: tuple[Stack, ...]

    @property
    def samples(self) -> int:
        return sum(stack.samples for stack in self.stacks)

    def share(self, chosen: Iterable[Stack]) -> float:
        return sum(stack.samples for stack in chosen) / self.samples if self.samples else 0.0

    def on_threads(self, group: str) -> Stacks:
        return Stacks(tuple(stack for stack in self.stacks if stack.group == group))

    def with_package(self, package: str) -> Stacks:
        """Those that pass through the package, or one below it."""
        return Stacks(tuple(s for s in self.stacks if any(is_within(each, package) for each in s.packages())))

    def with_frame(self, part: str) -> Stacks:
        """Those that have a frame with these words in it: `SSTable.get`."""
        return Stacks(tuple(s for s in self.stacks if any(part in frame for frame in s.frames)))


def parse(text: str, *, ends_with_class: bool = False) -> Stacks:
    """`ends_with_class`: the innermost frame is no code but the class that was allocated or waited for."""
    found = []
    for line in text.splitlines():
        stack, _, count = line.rpartition(" ")
        thread, *frames = stack.split(";")
        if match := THREAD.match(thread):
            kept = frames[:-1] if ends_with_class and frames and CLASS.match(MARK.sub("", frames[-1])) else frames
            found.append(Stack(match[1], tuple(kept), int(count)))
    return Stacks(tuple(found))


def read(folder: Path, kind: str) -> Stacks:
    """Of a run folder: `cpu`, `alloc` or `lock`; none where the recording had none."""
    path = folder / f"stacks-{kind}.txt"
    return parse(path.read_text() if path.is_file() else "", ends_with_class=kind != "cpu")


def group_of(thread: str) -> str:
    return next((name for name, pattern in GROUPS if pattern.search(thread)), OTHER)


def package_of(frame: str) -> str:
    mark = MARK.search(frame)
    if mark and mark[1] == "k":
        return KERNEL
    match = JAVA_FRAME.match(MARK.sub("", frame))
    return match[1].replace("/", ".") if match else NATIVE


def class_of(frame: str) -> str | None:
    """Its outermost class, without the package; None if it is not Java."""
    mark = MARK.search(frame)
    match = None if mark and mark[1] == "k" else OUTER_CLASS.match(MARK.sub("", frame))
    return match[1] if match else None


def is_within(package: str, outer: str) -> bool:
    return package == outer or package.startswith(f"{outer}.")


def breakdown(stacks: Stacks) -> dict[str, object]:
    """By thread group, by layer, by package, and by class within a group, as breakdown.json has it."""
    total = stacks.samples
    groups: Counter[str] = Counter()
    layers: Counter[str] = Counter()
    own: Counter[tuple[str, str]] = Counter()
    through: Counter[tuple[str, str]] = Counter()
    through_class: Counter[tuple[str, str]] = Counter()
    for stack in stacks.stacks:
        packages = stack.packages() or [NATIVE]
        groups[stack.group] += stack.samples
        layers[stack.layer] += stack.samples
        own[stack.group, packages[-1]] += stack.samples
        for package in set(packages):
            through[stack.group, package] += stack.samples
        for name in {found for frame in stack.frames if (found := class_of(frame))}:
            through_class[stack.group, name] += stack.samples
    return {
        "samples": total,
        "groups": _ranked(groups, total),
        "layers": _ranked(layers, total),
        "packages": [
            {
                "name": package,
                "self": own_samples,
                "self_share": _share(own_samples, total),
                "total": all_samples,
                "total_share": _share(all_samples, total),
            }
            for package, own_samples, all_samples in _by_package(own, through)
        ],
        "selected": [
            {"group": group, "package": package, "self": own[group, package], "total": samples}
            for (group, package), samples in through.most_common()
            if _share(samples, total) >= SELECTED_SHARE_MIN
        ],
        "classes": [
            {"group": group, "class": name, "samples": samples, "share": _share(samples, total)}
            for (group, name), samples in through_class.most_common()
            if _share(samples, total) >= SELECTED_SHARE_MIN
        ],
    }


def _ranked(counts: Counter[str], total: int) -> list[dict[str, object]]:
    return [
        {"name": name, "samples": samples, "share": _share(samples, total)} for name, samples in counts.most_common()
    ]


def _by_package(own: Counter[tuple[str, str]], through: Counter[tuple[str, str]]) -> list[tuple[str, int, int]]:
    own_sum: Counter[str] = Counter()
    all_sum: Counter[str] = Counter()
    for (_, package), samples in own.items():
        own_sum[package] += samples
    for (_, package), samples in through.items():
        all_sum[package] += samples
    return sorted(((p, own_sum[p], all_sum[p]) for p in all_sum), key=lambda row: (-row[1], -row[2], row[0]))


def _share(samples: int, total: int) -> float:
    return round(samples / total, SHARE_DIGITS) if total else 0.0


def assert_absent(stacks: Stacks, *, package: str, group: str) -> None:
    """No frame of the package on threads of the group. Fails with the stacks that break it."""
    guilty = stacks.on_threads(group).with_package(package)
    assert not guilty.stacks, (
        f"{package} must not run on threads of group {group!r}: {guilty.samples} of {stacks.samples} samples do\n"
        + shown(guilty)
    )


def assert_share_under(stacks: Stacks, chosen: Stacks, *, what: str, share_max: float) -> None:
    """The chosen stacks are less than so much of all."""
    share = stacks.share(chosen.stacks)
    assert share < share_max, (
        f"{what} must stay under {share_max:.1%} of the samples: it has {share:.1%}"
        f" ({chosen.samples} of {stacks.samples})\n" + shown(chosen)
    )


def shown(stacks: Stacks, most: int = 3) -> str:
    """The greatest of them, for people."""
    lines = []
    for stack in sorted(stacks.stacks, key=lambda each: -each.samples)[:most]:
        lines.append(f"  {stack.samples} samples on {stack.thread}:")
        lines += [f"    {MARK.sub('', frame)}" for frame in reversed(stack.frames)]
    return "\n".join(lines)
