"""A JDK whose `java` is server, load generator and converter at once, and a checkout to measure with it."""

from __future__ import annotations

import os
import sys
import zipfile
from pathlib import Path

import pytest

from tests.fakes import make_jdk, make_module, make_program, make_project
from workbook import build
from workbook.measure.request_recording import Background, Request

PUT_REPORT = """\
workbook-load 1.0 (Java 25.0.1)
Running 1m test @ {url}
  {threads} threads and {connections} connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   701.45us  312.11us   5.32ms   68.20%
  Latency Distribution (HdrHistogram - Recorded Latency)
 50.000%  {p50}ms
 90.000%    1.10ms
 99.000%    {p99}ms
 99.900%    4.01ms
  Detailed Percentile spectrum:
       Value   Percentile   TotalCount 1/(1-Percentile)

       0.051     0.000000            1         1.00
       5.319     1.000000       {requests}          inf
#[Mean    =        0.701, StdDeviation   =        0.312]
#[Max     =        5.319, Total count    =       {requests}]
  {requests} requests in {duration}s, 118.26MB read
{errors}Requests/sec:   {rate}
Transfer/sec:      1.97MB
{answers}"""

# The generator ends at once, however long it was told to run. Some keys counts make it, or the server, misbehave; a
# server with more than 9000/s asked is overloaded.
JAVA = """#!{python} -ES
import os, signal, sys, time
words = sys.argv[1:]
print("called with", *words, flush=True)
KEYS = os.environ.get("KEYS", "")

def after(option):
    return next((word[len(option):] for word in words if word.startswith(option)), "")

def now():
    return time.time() + float(os.environ.get("AHEAD_S", "0"))

def record(requests, duration):
    # All latencies are the same, and each second has as many.
    latency = os.environ.get("LATENCY_US", "1500")
    file = words[words.index("--record") + 1] if "--record" in words else os.environ.get("RECORD")
    if file:
        with open(file, "w") as out:
            out.write("latency,valueMicros,count,totalCount,percentile\\n")
            for kind in ("recorded", "uncorrected"):
                out.write("%s,%s,%d,%d,100.000000\\n" % (kind, latency, requests, requests))
    if "--timeline" in words:
        with open(words[words.index("--timeline") + 1], "w") as out:
            out.write("second,answered,errors,p50Micros,p99Micros,maxMicros\\n")
            for second in range(int(duration)):
                out.write("%d,%d,0,%s,%s,%s\\n" % (second, requests // duration, latency, latency, latency))

def serve(port):
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    print("pid", os.getpid(), flush=True)
    print("ready http://127.0.0.1:" + port, flush=True)
    if any(word.startswith("-Ddies") for word in words):
        time.sleep(0.5)
        print("out of memory", flush=True)
        os._exit(3)
    while True:
        time.sleep(1)

if "dht.benchmarks.floor.BareServer" in words or "-jar" in words:
    serve(words[words.index("--port") + 1])
elif "dht.benchmarks.load.NetworkFloor" in words:
    # A node without data has no throughput. Who measures while another one does, finds nothing.
    try:
        os.mkdir({filled!r} + ".measures")
    except FileExistsError:
        sys.exit()
    time.sleep(0.05)
    for url in words[words.index("dht.benchmarks.load.NetworkFloor") + 1:]:
        print(url, 250, "117.4" if os.path.exists({filled!r}) else "-")
    os.rmdir({filled!r} + ".measures")
elif "dht.benchmarks.wall.RequestSamples" in words:
    numbers, requests, wall, served, queued = words[-5:]
    asked = len(open(numbers).read().split())
    open(queued, "w").close()
    with open(served, "w") as file:
        file.write("[worker-1 tid=7];dht/execution/Worker.run_[j];dht/storage/lsm/LsmDao.upsert_[j] %d\\n" % asked)
elif "one.convert.Main" in words:
    kind = next((word[2:] for word in words if word in ("--cpu", "--alloc", "--lock")), "diff")
    with open(words[-1], "w") as file:
        if "collapsed" in words:
            stack = "[NIO Selector #0 tid=7];one/nio/server/SelectorThread.run_[j];dht/http/HttpSession.feed_[j]"
            file.write({{"cpu": stack + " 90\\n", "alloc": stack + ";byte[]_[i] 10\\n"}}.get(kind, ""))
        else:
            file.write("<html>" + " ".join([kind, *words]) + "</html>")
elif "--fill" in words:
    open({filled!r}, "w").close()
    print("Filled", KEYS, "keys in 0.01s")
elif words == ["-version"]:
    print('openjdk version "25.0.1" 2025-10-21')
else:
    if "PART" in os.environ:
        print("pid", os.getpid(), "part", os.environ["PART"], flush=True)
    if "--start-at" in words:
        time.sleep(max(0, int(words[words.index("--start-at") + 1]) / 1000 - now()))
        print("Began:", int(now() * 1000), flush=True)
    if KEYS == "30000":
        print("Running forever", flush=True)
        time.sleep(600)
    if "SPREAD" in os.environ:
        print("spread over", os.environ["SPREAD"])
    rate, duration = int(after("-R")), float(after("-d")[:-1])
    time.sleep(float(os.environ.get("LASTS_S", "0")) if duration >= 10 else 0)
    got = min(rate, 9000) * 0.99
    record(int(got * duration), duration)
    errors = "  Socket errors: connect 0, read 0, write 0, timeout 7\\n" if KEYS == "20000" else ""
    answers = ""
    if os.environ.get("STATUSES") == "1":
        refused = int(got * duration) * 3 // 4
        errors = "  Non-2xx or 3xx responses: %d\\n" % refused
        answers = "Statuses: 201=%d 503=%d\\n" % (int(got * duration) - refused, refused)
        answers += "Accepted, from sending: 50%=7.30ms 99%=20.10ms 99.9%=31.00ms max=1.20s\\n"
    print({report!r}.format(url=words[-1], threads=after("-t"), connections=after("-c"), p50=0.698, p99=1.5,
          requests=int(got * duration), duration=duration, errors=errors, rate=got, answers=answers))
"""

JCMD = """#!/bin/sh
echo "$@" >> "{told}"
case "$4" in
    *filename=*) echo jfr > "${{4#filename=}}" ;;
    *stop,file=*) recording=${{4#*file=}}; echo jfr > "${{recording%\\"}}" ;;
    *event=cpu*) {cpu} ;;
    *wall=*) {wall} ;;
esac
echo "$1:"
echo "return code: 0"
[ "$2" = Thread.print ] && echo "	at one.nio.net.${{SELECTOR:-Java}}Selector.select(Unknown Source)"
exit 0
"""


class LoadBench:
    """A checkout whose jars are built, on a machine with that JDK and without wrk2."""

    def __init__(self, tmp_path: Path, *, perf_refused: bool = False, wall_refused: bool = False) -> None:
        self.project = make_project(tmp_path / "checkout")
        make_module(self.project.root, "benchmarks", needs={"stage1-storage": "compile"})
        make_module(self.project.root, "stage4-replication", needs={"stage3-sharding": "compile"})
        pom = self.project.root / "pom.xml"
        more = "<module>stage4-replication</module><module>benchmarks</module></modules>"
        text = pom.read_text().replace("</modules>", more)
        version = "<properties><async-profiler.version>4.6</async-profiler.version></properties></project>"
        pom.write_text(text.replace("</project>", version))
        self.told = tmp_path / "told.txt"
        java = JAVA.format(python=sys.executable, report=PUT_REPORT, filled=str(tmp_path / "filled"))
        self.jdk = make_jdk(tmp_path / "jdk", java=java)
        refuse = 'echo "return code: 1"; exit 0'
        refused = {"cpu": refuse if perf_refused else ":", "wall": refuse if wall_refused else ":"}
        make_program(self.jdk / "bin" / "jcmd", JCMD.format(told=self.told, **refused))
        make_program(self.jdk / "bin" / "jfr", """#!/bin/sh\necho '{"recording": {"events": []}}'\n""")
        bare = {name: value for name, value in os.environ.items() if name not in ("WRK2", "KEYS", "DISPLAY")}
        self.env = {**bare, "JAVA_HOME": str(self.jdk), "PATH": "/usr/bin:/bin", "KEYS": "1000"}
        for module in self.project.modules:
            module.target.mkdir()
            with zipfile.ZipFile(module.jar, "w") as jar:
                jar.writestr("dht/benchmarks/load/NetworkFloor.class", "class")
            build.record(module, build.sources_digest(self.project, module))

    def enter(self, monkeypatch: pytest.MonkeyPatch) -> LoadBench:
        """For commands that run in the process of the test."""
        for name, value in self.env.items():
            monkeypatch.setenv(name, value)
        monkeypatch.delenv("WRK2", raising=False)
        return self

    @property
    def runs(self) -> Path:
        return self.project.root / "runs" / "stage1-storage"

    @property
    def latest(self) -> Path:
        return self.runs / "latest"


def recorded_requests(*_: object) -> tuple[list[Request], list[Background]]:
    """As if the servers had recorded requests: more of each kind than are needed, each slower than the one before."""
    requests = [
        Request(0, 1000.0 + i, f"{method} /v0/entity", 200, (str(i),), 1.0, 10.0, 30.0, 33.0, 40.0 + i, ())
        for method in ("GET", "PUT")
        for i in range(120)
    ]
    return requests, []
