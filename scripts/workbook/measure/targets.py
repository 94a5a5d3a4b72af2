"""What is measured: a stage, the floor, a git revision of a stage, a server's command line, or what runs elsewhere."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from workbook import git
from workbook.build import Builder
from workbook.failure import Failure, UsageError
from workbook.jdk import Jdk
from workbook.measure.flags import Flags
from workbook.measure.load_tool import BARE_LIBRARIES, LoadTool
from workbook.measure.workload import Load
from workbook.project import Module, Project
from workbook.servers import FIRST_CLUSTER_STAGE, Node, ServerCommand

PLACEHOLDERS = re.compile(r"\{(port|data|self|cluster)\}")
# So that profiles name the line that runs and not the next safepoint, and that the agent's loading is no news.
MEASURED_JVM = (
    "-XX:+UnlockDiagnosticVMOptions",
    "-XX:+DebugNonSafepoints",
    "-XX:+EnableDynamicAgentLoading",
)
GC_LOG = "gc.log"
FLOOR = "floor"
BARE = "bare"

NO_FLAGS = Flags()

Line = Callable[[Node, list[Node], Path], list[str]]


@dataclass(frozen=True)
class Target:
    """`stage_name` is whose folder of runs/ the measurements go to. `jdk`: None if it does not run on one of ours."""

    kind: str
    name: str
    stage_name: str
    jdk: Jdk | None = None
    flags: Flags = NO_FLAGS

    @property
    def nodes(self) -> int:
        return self.flags.nodes

    @property
    def stores(self) -> bool:
        return self.kind != FLOOR

    @property
    def can_be_profiled(self) -> bool:
        return self.jdk is not None

    @property
    def load_machines(self) -> int:
        """How many make the load. This machine, unless the target names others."""
        return 1

    def load_tool(self, here: LoadTool) -> LoadTool:
        """What makes the load of this target, where `here` is what makes loads on this machine."""
        return here

    def asked(self, load: Load) -> Load:
        """The load as it is made for this target; refused where it does not fit."""
        return load.over(self.nodes).from_machines(self.load_machines)


@dataclass(frozen=True)
class StartedTarget(Target):
    """One that is started here. `line` makes the command line of a node, given all nodes and the run's folder."""

    line: Line = field(kw_only=True)


def stage_target(module: Module, jar: Path, jdk: Jdk, flags: Flags) -> StartedTarget:
    return _jar_target("stage", module.name, module, jar, jdk, flags)


def revision_target(revision: str, module: Module, builder: Builder, jdk: Jdk, flags: Flags) -> StartedTarget:
    """The stage as it was at a revision, built in a checkout of its own below target/."""
    commit = git.commit_of(builder.project.root, revision)
    folder = builder.project.logs / "revisions" / commit[:12]
    git.check_out(builder.project.root, commit, folder)
    theirs = Project(folder)
    jar = Builder(theirs, builder.host, builder.out).ensure_jar(theirs.module(module.name))
    return _jar_target("revision", f"{module.name} at {revision} ({commit[:12]})", module, jar, jdk, flags)


def _jar_target(kind: str, name: str, module: Module, jar: Path, jdk: Jdk, flags: Flags) -> StartedTarget:
    def line(node: Node, cluster: list[Node], folder: Path) -> list[str]:
        gc_log = f"-Xlog:gc:file={folder / gc_log_of(node, cluster)}:time"
        jvm = (*MEASURED_JVM, gc_log, *flags.jvm)
        return ServerCommand(jdk, jar, number, jvm, flags.server).line(node, cluster)

    number = module.stage_number or 1
    if flags.nodes > 1 and number < FIRST_CLUSTER_STAGE:
        raise Failure(f"stage {number} is a single server: --nodes needs stage {FIRST_CLUSTER_STAGE} or later")
    return StartedTarget(kind, name, module.name, jdk, flags, line=line)


def gc_log_of(node: Node, cluster: list[Node]) -> str:
    return GC_LOG if node == cluster[0] else f"gc-{node.name}.log"


def floor_target(tool: LoadTool, stage_name: str) -> StartedTarget:
    """The bare server on the library of the stages: what it costs to answer at all."""
    return replace(bare_target(tool, BARE_LIBRARIES[0], stage_name, NO_FLAGS), name=FLOOR)


def bare_target(tool: LoadTool, library: str, stage_name: str, flags: Flags) -> StartedTarget:
    """A server that stores nothing, on a library."""

    def line(node: Node, _cluster: list[Node], _folder: Path) -> list[str]:
        return tool.floor_command(node.port, library, flags)

    name = f"{BARE} {library}".rstrip()
    if library not in BARE_LIBRARIES:
        raise UsageError(f"{name}: there is {BARE} {', '.join(BARE_LIBRARIES)}")
    if flags.nodes > 1:
        raise UsageError(f"{name}: a bare server knows no other nodes, so --nodes is not for it")
    return StartedTarget(FLOOR, name, stage_name, tool.jdk, flags, line=line)


def command_target(text: str, stage_name: str) -> StartedTarget:
    """`cmd --port {port} --data {data}`, in any language."""
    try:
        words = shlex.split(text)
    except ValueError as problem:
        raise UsageError(f"the server's command {text!r}: {problem}") from problem

    def line(node: Node, cluster: list[Node], _folder: Path) -> list[str]:
        values = {
            "port": str(node.port),
            "data": str(node.data),
            "self": node.url,
            "cluster": ",".join(each.url for each in cluster),
        }
        return [PLACEHOLDERS.sub(lambda match: values[match[1]], word) for word in words]

    if "{port}" not in text:
        raise UsageError(f"the server's command {text!r} does not say {{port}}")
    return StartedTarget("command", text, stage_name, line=line)


def is_command(text: str) -> bool:
    return PLACEHOLDERS.search(text) is not None


def check_profilable(target: Target) -> None:
    if not target.can_be_profiled:
        raise Failure(f"{target.name} is not a server that ./workbook starts on a JVM: it cannot be profiled")
