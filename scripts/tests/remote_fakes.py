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

from tests.fakes import await_true, make_program
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
    *Thread.print) echo "	at one.nio.net.JavaSelector.select(JavaSelector.java:100)" ;;
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
# What leads to a machine: it writes down what it was asked, and then does it, unless the way there is to be gone.
REACH = """#!/bin/sh
echo "$@" >> "{folder}/asked-of-{name}"
echo $$ >> "{folder}/pids-of-{name}"
[ -e "{folder}/hangs-{name}" ] && {{ echo $$ > "{folder}/hung-{name}"; exec sleep 600; }}
{exports}
exec "$@"
"""
LATENCIES_US = {"load-1": 1000, "load-2": 9000, "load-3": 9000}
"""All that the load tool of a machine has."""


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
        self._jdk = {"java-home": str(bench.jdk), "directory": str(self.directory)}
        self._tables: list[dict[str, str | list[str]]] = [
            {
                "name": f"node-{number}",
                "url": f"http://127.0.0.1:{port}",
                "run": [str(make_program(folder / f"reach-{number}", self._reach(f"node-{number}")))],
                **self._jdk,
            }
            for number, port in enumerate(ports, 1)
        ]
        self._loads: list[dict[str, str | list[str]]] = []
        self.write()

    def write(self, number: int = 1, **other: str | list[str]) -> None:
        """The file, with other values of one node."""
        nodes = [{**table, **(other if each == number else {})} for each, table in enumerate(self._tables, 1)]
        load = "[load]" if len(self._loads) == 1 else "[[load]]"
        tables = [*(("[[node]]", table) for table in nodes), *((load, table) for table in self._loads)]
        lines = ["\n".join([head, *(f"{k} = {json.dumps(v)}" for k, v in table.items())]) for head, table in tables]
        self.file.write_text("\n".join(lines) + "\n")

    def give_loads(self, count: int = 2, *, wrk2: str | None = None, **of_the_last: str | list[str]) -> None:
        """Load machines in the file, all with the same JDK or wrk2. A single one is a table by itself."""
        tool = {"wrk2": wrk2} if wrk2 else {}
        self._loads = [
            {"name": name, "run": [str(self.change_way(name, ""))], **self._jdk, **tool}
            for name in list(LATENCIES_US)[:count]
        ]
        self._loads[-1].update(of_the_last)
        self.write()

    def change_way(self, name: str, exports: str) -> Path:
        """What is set in the environment there."""
        return make_program(self.folder / f"reach-{name}", self._reach(name, exports))

    def pids(self, name: str) -> list[int]:
        """Of what was run there, first the shell that stays open on a load machine."""
        return [int(line) for line in self.asked(name, "pids")]

    def tool_pid(self, name: str) -> int:
        """Of the load tool that runs there, once it does."""
        found: list[str] = []

        def runs() -> bool:
            files = self.directory.glob(f"*-{name}.load/load.txt")
            found[:] = [line for file in files for line in file.read_text().splitlines() if line.startswith("pid ")]
            return bool(found)

        await_true(runs)
        return int(found[0].split()[1])

    def asked(self, what: str = "jcmd", kind: str = "asked") -> list[str]:
        return (self.folder / f"{kind}-of-{what}").read_text().splitlines()

    def _reach(self, name: str, exports: str = "") -> str:
        latency = f"export LATENCY_US={LATENCIES_US[name]}" if name in LATENCIES_US else ""
        return REACH.format(folder=self.folder, name=name, exports=f"{latency}\n{exports}")


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
