"""`workbook site`: the site, served on this machine or built into a folder."""

from __future__ import annotations

import argparse

from workbook import console
from workbook.arguments import Parser
from workbook.host import Host
from workbook.pages.builder import SiteBuilder
from workbook.project import Project
from workbook.servers import check_free

DEFAULT_PORT = 8000
FOLDER = "site"

DESCRIPTION = """\
Serves the site on this machine, on loopback only, and rebuilds it when a page changes. Ctrl-C stops it.

With --build it creates site/ instead: files for any web server. Nothing in them is loaded from another machine.
WORKBOOK_REPOSITORY=URL adds links to the repository and to the source of each page.

The first call installs MkDocs into .venv.
"""


def configure(parser: Parser) -> None:
    parser.description = DESCRIPTION
    parser.add_argument("--build", action="store_true", help=f"build into {FOLDER}/, strictly, and end")
    parser.add_argument("--port", metavar="P", type=int, default=DEFAULT_PORT, help=f"(default: {DEFAULT_PORT})")


def run(arguments: argparse.Namespace, project: Project, host: Host) -> int:  # noqa: ARG001
    builder = SiteBuilder(project)
    if not arguments.build:
        check_free([arguments.port])
        return builder.serve(arguments.port)
    out = console.standard_output()
    target = project.root / FOLDER
    with console.activity(out, "building the site"):
        builder.build(target)
    out.print(f"built {project.short(target)}/: open {project.short(target / 'index.html')}, or serve the folder")
    return 0
