"""Machines of their own for a test, each with a network, processes and a /tmp of its own, reached with ssh.

They are namespaces, joined by a bridge in a namespace of its own: nothing of this machine's network is touched. Each
is held by a `sh` that reads commands from a pipe of the test. When the test ends, however it does, the pipe ends, the
`sh` ends, and with it the kernel ends all that runs on the machine.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

SSHD = "/usr/sbin/sshd"
PROGRAMS = ("ssh", "ssh-keygen", "unshare", "nsenter", "ip", "tc")
SUBNET = "10.99.0"
WITHIN_S = 20.0
STARTS_WITHIN_S = 60.0
SLOW_BITS_PER_S = 100_000

SSHD_CONFIG = """\
HostKey /srv/host_key
AuthorizedKeysFile /srv/authorized_keys
PidFile /srv/sshd.pid
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
StrictModes no
UsePAM no
SetEnv HOME=/srv
"""
# The machine's folder is its /srv, found before the /tmp hides it.
BEGIN = """\
mount --bind {folder} /srv
mount -t tmpfs machine /tmp
mount -t tmpfs machine /run
mkdir /run/sshd
ip link set lo up
ip address add {address}/24 dev eth0
ip link set eth0 up
"""
# Short answers leave at so many bits a second: not every kernel has delays. What goes through ssh is as fast as before,
# and so are packets of 512 bytes or more: the rest of a range would delay the next machine's requests by a second.
SLOW = f"""\
tc qdisc add dev eth0 root handle 1: htb default 0
tc class add dev eth0 parent 1: classid 1:1 htb rate {SLOW_BITS_PER_S} burst 100 cburst 100
tc filter add dev eth0 parent 1: protocol ip u32 match ip sport {{port}} 0xffff match u16 0 0xfe00 at 2 flowid 1:1
"""


class Namespace:
    """A `sh` in namespaces of its own, which does what it is told. Only one thread may use it."""

    def __init__(self, name: str, log: Path, *kinds: str) -> None:
        self.name = name
        self._log = log
        with log.open("wb") as errors:
            self._shell = subprocess.Popen(
                ["unshare", *kinds, "sh", "-e"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, bufsize=0
            )

    @property
    def pid(self) -> int:
        return self._shell.pid

    @property
    def network(self) -> str:
        return f"/proc/{self.pid}/ns/net"

    def tell(self, commands: str) -> str:
        """What they print. The first that fails ends the machine, and the test."""
        assert self._shell.stdin is not None
        assert self._shell.stdout is not None
        said, deadline = b"", time.monotonic() + WITHIN_S
        with contextlib.suppress(BrokenPipeError):  # Its last words say why.
            self._shell.stdin.write(f"{commands}\necho =done=\n".encode())
        while not said.endswith(b"=done=\n"):
            assert select.select([self._shell.stdout], [], [], deadline - time.monotonic())[0], f"{self.name} hangs"
            part = os.read(self._shell.stdout.fileno(), 4096)
            assert part, f"{self.name} has ended: {self._log.read_text()}"
            said += part
        return said.removesuffix(b"=done=\n").decode()

    def end(self) -> None:
        assert self._shell.stdin is not None
        with self._shell:
            self._shell.stdin.close()
            try:
                self._shell.wait(WITHIN_S)
            finally:
                self._shell.kill()


class Machine:
    """One, with its sshd. `folder` is its /srv."""

    def __init__(self, namespace: Namespace, folder: Path, address: str) -> None:
        self.name = namespace.name
        self.folder = folder
        self.address = address
        self.tell = namespace.tell

    def start(self, command: str, log: str) -> None:
        """`log` is in the folder, and takes what it says."""
        (self.folder / log).touch()
        self.tell(f"{command} </dev/null >/srv/{log} 2>&1 &")

    def await_said(self, log: str, words: str) -> None:
        file, deadline = self.folder / log, time.monotonic() + STARTS_WITHIN_S
        while words not in file.read_text():
            assert time.monotonic() < deadline, f"{self.name} has not said {words!r}: {file.read_text()}"
            time.sleep(0.01)

    def vanish(self) -> None:
        """Nothing comes from it any more, not even a refusal, until it is back."""
        self.tell("ip link set eth0 down")

    def come_back(self) -> None:
        self.tell("ip link set eth0 up")

    def slow_down(self, port: int) -> None:
        """Every short answer from that port takes some milliseconds more: ten, if it has the length of a status."""
        self.tell(SLOW.format(port=port))

    def speed_up(self) -> None:
        self.tell("tc qdisc delete dev eth0 root")


class Network:
    """Machines, and a place without one from where they are reached: `here` is what commands there begin with."""

    def __init__(self, machines: Sequence[Machine], here: Sequence[str], config: Path) -> None:
        self.machines = tuple(machines)
        self.here = tuple(here)
        self.ssh = ("ssh", "-F", str(config))


def why_not() -> str | None:
    """Why there can be no such machines here, in words."""
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    if not os.access(SSHD, os.X_OK):
        missing.insert(0, SSHD)
    if missing:
        return f"machines with ssh take openssh-server, iproute2 and util-linux, and there is no {', '.join(missing)}"
    tried = subprocess.run(
        ["unshare", "--net", "--pid", "--mount", "--fork", "ip", "link", "add", "bridge", "type", "bridge"],
        capture_output=True,
        text=True,
        check=False,
    )
    if os.geteuid() != 0 or tried.returncode != 0:
        return f"machines of their own take root, and namespaces: {tried.stderr.strip() or 'this is not root'}"
    return None


@contextmanager
def network(folder: Path, names: Sequence[str]) -> Iterator[Network]:
    """So many machines, whose sshd answer. They are gone when the block is left."""
    with contextlib.ExitStack() as stack:
        hub = _held(stack, Namespace("the bridge", folder / "bridge.log", "--net"))
        hub.tell("ip link set lo up; ip link add bridge type bridge; ip link set bridge up")
        hub.tell(f"ip address add {SUBNET}.1/24 dev bridge")
        _make_key(folder / "key")
        machines = []
        for number, name in enumerate(names, 1):
            kinds = ("--net", "--pid", "--mount", "--fork", "--kill-child", "--mount-proc")
            namespace = _held(stack, Namespace(name, folder / f"{name}.log", *kinds))
            namespace.tell("")  # Its namespaces are there.
            hub.tell(f"ip link add port-{number} type veth peer name eth0 netns {namespace.pid}")
            hub.tell(f"ip link set port-{number} master bridge up")
            machine = Machine(namespace, folder / name, f"{SUBNET}.{10 + number}")
            _begin(machine, (folder / "key.pub").read_text())
            machines.append(machine)
        config = folder / "ssh_config"
        config.write_text(_client_config(folder, machines))
        yield Network(machines, ("nsenter", f"--net={hub.network}"), config)


def _held(stack: contextlib.ExitStack, namespace: Namespace) -> Namespace:
    stack.callback(namespace.end)
    return namespace


def _begin(machine: Machine, key: str) -> None:
    machine.folder.mkdir()
    _make_key(machine.folder / "host_key")
    (machine.folder / "authorized_keys").write_text(key)
    (machine.folder / "sshd_config").write_text(f"ListenAddress {machine.address}\n{SSHD_CONFIG}")
    machine.tell(BEGIN.format(folder=machine.folder, address=machine.address))
    machine.start(f"{SSHD} -D -e -f /srv/sshd_config", "sshd.log")
    machine.await_said("sshd.log", "Server listening")


def _client_config(folder: Path, machines: Sequence[Machine]) -> str:
    hosts = folder / "known_hosts"
    keys = (f"{m.address} {(m.folder / 'host_key.pub').read_text()}" for m in machines)
    hosts.write_text("".join(keys))
    common = f"Host *\nUser root\nBatchMode yes\nIdentityFile {folder / 'key'}\nIdentitiesOnly yes\n"
    common += f"UserKnownHostsFile {hosts}\nStrictHostKeyChecking yes\n"
    return common + "".join(f"Host {m.name}\nHostName {m.address}\n" for m in machines)


def _make_key(path: Path) -> None:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)
