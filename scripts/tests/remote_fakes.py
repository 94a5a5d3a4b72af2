"""Three servers that a test has started, and a `jcmd` that knows them: a target of `--target`."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.fakes import make_program
from tests.load_fakes import LoadBench

SERVER = """
import http.server, sys
class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
    def log_message(self, *_):
        pass
server = Server(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
"""

# A recording is a part of no length but that of its header. The log of collections is from the year 2026.
JCMD = r"""#!/bin/sh
echo "$@" >> "{folder}/asked-of-jcmd"
after() {{ word="${{1#*$2}}"; word="${{word%%\"*}}"; echo "${{word%%,*}}"; }}
case "$*" in
    -l) cat "{folder}/jvms" ;;
    *VM.command_line)
        echo "jvm_args: -Xmx128m"
        echo "java_command: /x/server.jar {cluster} --self=http://$1:80 --cluster-secret=hush"
        ;;
    *VM.system_properties) echo "java.version=25.0.1"; echo "os.arch=amd64" ;;
    *what=gc*)
        [ -e "{folder}/refuses-log" ] && exit
        echo "[2026-11-20T17:00:01.250+0000] GC(0) Pause Full 17M->4M(28M) 1.5ms" > "$(after "$3" output=)"
        ;;
    *event=cpu*) echo "return code: {perf}" ;;
    *stop,file=*)
        recording="$(after "$4" file=)"
        printf 'FLR\000\000\002\000\000\000\000\000\000\000\000\000\020' > "$recording"
        [ -e "{folder}/full-of-$1" ] && truncate -s 9 "$recording"
        ;;
    *start,event=*) echo "return code: 0" ;;
esac
"""
# What leads to a node: it writes down what it was asked, and then does it, unless the way there is to be gone.
REACH = """#!/bin/sh
echo "$@" >> "{folder}/asked-of-{name}"
[ -e "{folder}/hangs-{name}" ] && {{ echo $$ > "{folder}/hung-{name}"; exec sleep 600; }}
exec "$@"
"""


class Nodes:
    """The servers by their names, and what leads to them. Their files on the `nodes` go to a folder of the test."""

    def __init__(self, bench: LoadBench, folder: Path, servers: Sequence[subprocess.Popen[str]], ports: list[int]):
        self.folder = folder
        self.servers = servers
        self.file = folder / "three.toml"
        self.directory = folder / "tmp"
        self.directory.mkdir()
        cluster = f"--cluster {','.join(f'http://{server.pid}:80' for server in servers)}"
        jvms = (f"{server.pid} server.jar --port {port}" for server, port in zip(servers, ports, strict=True))
        (folder / "jvms").write_text("\n".join([*jvms, "1 jdk.jcmd/sun.tools.jcmd.JCmd -l"]) + "\n")
        make_program(bench.jdk / "bin" / "jcmd", JCMD.format(folder=folder, perf=1, cluster=cluster))
        self._tables = [
            {
                "name": f"node-{number}",
                "url": f"http://127.0.0.1:{port}",
                "run": [str(make_program(folder / f"reach-{number}", self._reach(number)))],
                "java-home": str(bench.jdk),
                "directory": str(self.directory),
            }
            for number, port in enumerate(ports, 1)
        ]
        self.write()

    def write(self, number: int = 1, **other: str | list[str]) -> None:
        """The file, with other values of one node."""
        tables = [{**table, **(other if each == number else {})} for each, table in enumerate(self._tables, 1)]
        lines = ["\n".join(["[[node]]", *(f"{k} = {json.dumps(v)}" for k, v in table.items())]) for table in tables]
        self.file.write_text("\n".join(lines) + "\n")

    def asked(self, what: str = "jcmd") -> list[str]:
        return (self.folder / f"asked-of-{what}").read_text().splitlines()

    def _reach(self, number: int) -> str:
        return REACH.format(folder=self.folder, name=f"node-{number}")


@contextmanager
def three_nodes(bench: LoadBench, folder: Path) -> Iterator[Nodes]:
    folder.mkdir()
    with contextlib.ExitStack() as stack:
        servers = []
        for _ in range(3):
            server = subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True)
            stack.callback(server.communicate)
            stack.callback(server.kill)
            servers.append(server)
        ports = [int(server.stdout.readline()) for server in servers if server.stdout]
        yield Nodes(bench, folder, servers, ports)


@contextmanager
def somebody_else(path: Path) -> Iterator[str]:
    """The URL of a server that knows no status: it has the files of an empty folder."""
    path.mkdir()
    files = partial(SimpleHTTPRequestHandler, directory=str(path))
    with ThreadingHTTPServer(("127.0.0.1", 0), files) as server:
        threading.Thread(target=server.serve_forever).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
