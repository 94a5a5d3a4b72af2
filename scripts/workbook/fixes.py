"""How to install what is missing, by platform: the commands to paste."""

from __future__ import annotations

from collections.abc import Mapping

from workbook.host import Host

DEBIAN, FEDORA, MACOS, NIX = "Debian, Ubuntu", "Fedora", "macOS", "nix"
SDKMAN = "SDKMAN"  # Works beside each of them, and has what a distribution may be too old for.
ANY = "anywhere"  # Where nothing more exact is known.

Fix = Mapping[str, str]

JDK: Fix = {
    DEBIAN: "sudo apt-get install openjdk-25-jdk    (Debian 13, Ubuntu 24.04 and newer)",
    FEDORA: "sudo dnf install java-25-openjdk-devel",
    MACOS: "brew install --cask temurin@25",
    NIX: "nix-shell -p jdk25",
    SDKMAN: 'sdk install java "$(sdk list java | grep -om1 "25[0-9.]*-tem")"',
}
MAVEN: Fix = {
    DEBIAN: "sudo apt-get install maven",
    FEDORA: "sudo dnf install maven",
    MACOS: "brew install maven",
    NIX: "nix-shell -p maven",
    SDKMAN: "sdk install maven",
}
DOCKER: Fix = {
    DEBIAN: "sudo apt-get install docker.io && sudo usermod -aG docker $USER    (then log in anew)",
    FEDORA: "sudo dnf install moby-engine && sudo systemctl enable --now docker",
    MACOS: "brew install colima docker && colima start",
    ANY: "install Docker Engine as its documentation says for your system",
}
DOCKER_DAEMON: Fix = {
    DEBIAN: "sudo systemctl start docker    (permission denied: sudo usermod -aG docker $USER, then log in anew)",
    FEDORA: "sudo systemctl start docker    (permission denied: sudo usermod -aG docker $USER, then log in anew)",
    MACOS: "colima start    (or open Docker Desktop)",
    ANY: "start the Docker daemon, and check that you may use it: docker version",
}
_WRK2_HOME = "follow https://github.com/giltene/wrk2, then set WRK2 to the program"
WRK2: Fix = {
    DEBIAN: f"sudo snap install wrk2    (or {_WRK2_HOME})",
    FEDORA: _WRK2_HOME,
    MACOS: "brew install --HEAD jabley/wrk2/wrk2    (Intel; it does not build on Apple Silicon)",
    NIX: "nix-shell -p wrk2",
    ANY: _WRK2_HOME,
}
BROWSER: Fix = {
    DEBIAN: "sudo apt-get install chromium chromium-driver",
    FEDORA: "sudo dnf install chromium chromedriver",
    MACOS: "brew install --cask chromium chromedriver",
    NIX: "nix-shell -p chromium chromedriver",
    ANY: "install Chromium and chromedriver, or say with CHROMIUM and CHROMEDRIVER where they are",
}
PROFILER: Fix = {ANY: "sudo sysctl kernel.perf_event_paranoid=1 kernel.kptr_restrict=0    (until the next boot)"}
FILE_DESCRIPTORS: Fix = {ANY: "ulimit -n 65536    (in the shell that calls ./workbook)"}
DISK: Fix = {ANY: "free some space, or move the checkout to a larger disk"}


def platforms(host: Host) -> list[str]:
    """The names above that fit the machine, the best first; empty when it is none that we know."""
    found = []
    os_release = host.read("/etc/os-release") or ""
    family = " ".join(
        line.partition("=")[2] for line in os_release.splitlines() if line.startswith(("ID=", "ID_LIKE="))
    )
    if host.is_macos:
        found.append(MACOS)
    elif "debian" in family or "ubuntu" in family:
        found.append(DEBIAN)
    elif "fedora" in family or "rhel" in family:
        found.append(FEDORA)
    if host.which("nix-shell"):
        found.append(NIX)
    return found


def for_host(fix: Fix, host: Host) -> str:
    """One line a platform: those of this machine, or all of them where it is none of those named."""
    known = [name for name in platforms(host) if name in fix]
    names = [*known, *(name for name in fix if name == SDKMAN)] if known else list(fix)
    width = max(map(len, names)) + 1
    return "\n".join(f"  {name + ':':{width}} {fix[name]}" for name in names)
