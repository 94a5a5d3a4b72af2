"""`workbook image`: a stage's server as a container image."""

from __future__ import annotations

import argparse

from workbook import console, jdk
from workbook.arguments import Parser
from workbook.build import Builder
from workbook.console import activity
from workbook.host import Host
from workbook.images import Docker, Image, ImageBuilder
from workbook.measure import profiler
from workbook.project import Project

RUNTIME = "workbook/runtime"
BENCHMARKS = "benchmarks"

DESCRIPTION = """\
Builds the container image of stage N, and prints its name, its digest and its size. The server runs as user 10001 and
keeps its data in the volume /data. Without --base, nothing is downloaded: the image contains a Java runtime that jlink
makes of this machine's JDK, and this machine's C library. Two builds from the same sources have the same digest.
"""

EPILOG = """\
Afterwards:
  docker run --rm --publish 8080:8080 workbook/stage1
  STAGE=5 docker compose --file deploy/compose.yaml up
"""


def configure(parser: Parser) -> None:
    parser.description = DESCRIPTION
    parser.epilog = EPILOG
    parser.add_argument("stage", metavar="N", type=_stage, help="the number of a stage")
    parser.add_argument("--base", metavar="IMAGE", help="take Java 25 from this image, such as eclipse-temurin:25-jre")
    parser.add_argument("--name", metavar="NAME", help="the image's name (default: workbook/stageN:latest)")


def run(arguments: argparse.Namespace, project: Project, host: Host) -> int:
    out = console.standard_output()
    stage = project.stage(arguments.stage)
    docker = Docker.require(host)
    images = ImageBuilder(project, host, jdk.require(host), docker)
    builder = Builder(project, host, out)
    jar = builder.ensure_jar(stage)
    tools = builder.ensure_jar(project.module(BENCHMARKS))
    library = profiler.library(tools, project.pom_property(profiler.VERSION_PROPERTY), project.logs)
    name = arguments.name or f"workbook/stage{arguments.stage}:latest"
    with activity(out, "making a Java runtime") as show:
        base = arguments.base or images.runtime(RUNTIME).name
        show(f"making {name}")
        made = images.server(name, jar, library, base)
    out.print(_result(made))
    return 0


def _result(image: Image) -> str:
    return f"{image.name}  sha256:{image.digest}  {image.size_bytes / 1e6:.1f} MB"


def _stage(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not the number of a stage")
    return int(text)
