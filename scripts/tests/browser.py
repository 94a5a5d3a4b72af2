"""A headless Chromium, driven through chromedriver by the W3C WebDriver protocol, which is JSON over HTTP."""

from __future__ import annotations

import base64
import json
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from workbook.servers import check_free

DRIVER_WITHIN_S = 120.0
ANSWER_WITHIN_S = 120.0

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # The protocol's name for a reference to an element.

# --no-sandbox: root may not use Chromium's own. The pages are ours.
SWITCHES = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--no-first-run",
    "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)


class Browser:
    """One window. Only the thread that made it may use it."""

    def __init__(self, session: str) -> None:
        self._session = session

    def open(self, url: str) -> None:
        self._post("url", {"url": url})

    def resize(self, width: int, height: int) -> None:
        """The size of the page itself, as a device of that size would show it."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self._devtools("Emulation.setDeviceMetricsOverride", metrics)

    def prefer(self, scheme: str) -> None:
        """`light` or `dark`, as if the system were set so."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self._devtools("Emulation.setEmulatedMedia", {"features": features})

    def forget(self) -> None:
        """What was loaded before has to be loaded again."""
        self._devtools("Network.clearBrowserCache", {})

    def run(self, script: str, *arguments: Any) -> Any:
        """What the script returns."""
        return self._post("execute/sync", {"script": script, "args": list(arguments)})

    def wait_for(self, script: str, *arguments: Any, within_s: float = 60.0) -> Any:
        """What the script returns as soon as that is true."""
        deadline = time.monotonic() + within_s
        while not (answer := self.run(script, *arguments)):
            assert time.monotonic() < deadline, f"waited in vain for: {script}"
            time.sleep(0.05)
        return answer

    def press(self, keys: str) -> None:
        """On the element that has the focus."""
        active = self._call("GET", "element/active")[ELEMENT]
        self._post(f"element/{active}/value", {"text": keys})

    @contextmanager
    def frame(self, selector: str) -> Iterator[None]:
        """Scripts run within this frame of the page."""
        self._post("frame", {"id": self._post("element", {"using": "css selector", "value": selector})})
        try:
            yield
        finally:
            self._post("frame/parent", {})

    def console_errors(self) -> list[str]:
        """What has been complained about since the last call."""
        return [entry["message"] for entry in self._post("se/log", {"type": "browser"}) if entry["level"] == "SEVERE"]

    def requested(self) -> list[str]:
        """The addresses that have been asked for since the last call."""
        found = []
        for entry in self._post("se/log", {"type": "performance"}):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                found.append(message["params"]["request"]["url"])
        return found

    def screenshot(self, file: Path, *, whole: bool = True) -> None:
        answer = self._devtools("Page.captureScreenshot", {"captureBeyondViewport": whole})
        file.write_bytes(base64.b64decode(answer["data"]))

    def _devtools(self, command: str, parameters: dict[str, Any]) -> Any:
        return self._post("goog/cdp/execute", {"cmd": command, "params": parameters})

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        return self._call("POST", path, body)

    def _call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        return call(method, f"{self._session}/{path}", body)


@contextmanager
def opened(chromium: Path, driver: Path, port: int) -> Iterator[Browser]:
    """A browser that is closed, and whose processes have ended, when the block is left."""
    check_free([port])
    command = [str(driver), f"--port={port}"]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        address = f"http://127.0.0.1:{port}"
        _await_driver(address)
        session = f"{address}/session/{_begin(address, chromium)}"
        try:
            yield Browser(session)
        finally:
            with suppress(OSError, AssertionError):
                call("DELETE", session)
    finally:
        process.terminate()
        try:
            process.wait(DRIVER_WITHIN_S)
        finally:
            process.kill()


def _await_driver(address: str) -> None:
    deadline = time.monotonic() + DRIVER_WITHIN_S
    while True:
        try:
            if call("GET", f"{address}/status")["ready"]:
                return
        except OSError:
            pass
        assert time.monotonic() < deadline, "chromedriver is not ready"
        time.sleep(0.05)


def _begin(address: str, chromium: Path) -> str:
    options = {
        "goog:chromeOptions": {"binary": str(chromium), "args": list(SWITCHES)},
        "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
    }
    return str(call("POST", f"{address}/session", {"capabilities": {"alwaysMatch": options}})["sessionId"])


def call(method: str, url: str, body: dict[str, Any] | None = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # Loopback needs no proxy.
    try:
        with opener.open(request, timeout=ANSWER_WITHIN_S) as answer:
            return json.load(answer)["value"]
    except urllib.error.HTTPError as refusal:
        raise AssertionError(f"{method} {url}: {refusal.read().decode(errors='replace')[:2000]}") from refusal
