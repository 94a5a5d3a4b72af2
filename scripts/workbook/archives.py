"""Container images as archives: the same content always gives the same digest, whatever built it and when."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
from collections.abc import Collection
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import IO, cast

CHUNK_BYTES = 1 << 20
GZIP_MAGIC = b"\x1f\x8b"
# What the builder notes about itself.
OF_THE_BUILDER = ("container", "container_config", "docker_version", "id", "parent")
OF_ITS_CONTAINER = ("Domainname", "Hostname", "Image")


@dataclass(frozen=True)
class Layer:
    """A layer's unpacked archive: where it lies, and its digest."""

    file: Path
    digest: str

    @property
    def name(self) -> str:
        return f"{self.digest}/layer.tar"


def normalize(saved: Path, result: Path, epoch_s: int, kept: Collection[str] = ()) -> str:
    """Rewrites an image from `docker save` for `docker load`, and returns its digest.

    Layers whose digest is in `kept` stay as they are. In the others, files are sorted, and all times become `epoch_s`.
    """
    work = result.with_suffix(".layers")
    work.mkdir()
    with tarfile.open(saved) as archive:
        manifest = json.load(_member(archive, "manifest.json"))[0]
        config = json.load(_member(archive, manifest["Config"]))
        layers = [
            _layer(archive, name, work / str(index), epoch_s, kept) for index, name in enumerate(manifest["Layers"])
        ]
    text = _config(config, layers, epoch_s)
    digest = hashlib.sha256(text).hexdigest()
    entry = {"Config": f"{digest}.json", "RepoTags": None, "Layers": [layer.name for layer in layers]}
    with tarfile.open(result, "w") as archive:
        _add(archive, f"{digest}.json", io.BytesIO(text), len(text))
        for layer in {layer.digest: layer for layer in layers}.values():
            with layer.file.open("rb") as content:
                _add(archive, layer.name, content, layer.file.stat().st_size)
        listed = json.dumps([entry]).encode()
        _add(archive, "manifest.json", io.BytesIO(listed), len(listed))
    return digest


def _member(archive: tarfile.TarFile, name: str) -> IO[bytes]:
    content = archive.extractfile(name)  # Follows links, which stand for layers that are there twice.
    if content is None:
        raise ValueError(f"the image's archive has no file {name}")
    return content


def _layer(archive: tarfile.TarFile, name: str, file: Path, epoch_s: int, kept: Collection[str]) -> Layer:
    unpacked = file.with_suffix(".unpacked")
    with _member(archive, name) as content, unpacked.open("wb") as out:
        packed = content.read(len(GZIP_MAGIC)) == GZIP_MAGIC
        content.seek(0)
        with gzip.open(content) if packed else nullcontext(content) as stream:
            while chunk := stream.read(CHUNK_BYTES):
                out.write(chunk)
    if f"sha256:{_digest(unpacked)}" in kept:
        return Layer(unpacked, _digest(unpacked))
    with tarfile.open(unpacked) as before, tarfile.open(file, "w", format=tarfile.PAX_FORMAT) as after:
        for member in sorted(before, key=_order):
            content_of = before.extractfile(member) if member.isreg() else None
            after.addfile(_anonymous(member, epoch_s), content_of)
    unpacked.unlink()
    return Layer(file, _digest(file))


def _order(member: tarfile.TarInfo) -> tuple[bool, list[str]]:
    """A directory before what is in it; a hard link after all that it may stand for."""
    return member.islnk(), member.name.split("/")


def _anonymous(member: tarfile.TarInfo, epoch_s: int) -> tarfile.TarInfo:
    """Without the time, and without the names that the builder's machine has for the owners' numbers."""
    member.mtime = epoch_s
    member.uname = member.gname = ""
    member.pax_headers = {key: value for key, value in member.pax_headers.items() if key.startswith("SCHILY.xattr.")}
    return member


def _config(config: dict[str, object], layers: list[Layer], epoch_s: int) -> bytes:
    created = datetime.fromtimestamp(epoch_s, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    made = {key: value for key, value in config.items() if key not in OF_THE_BUILDER}
    made["created"] = created
    made["history"] = [{**step, "created": created} for step in cast("list[dict[str, object]]", config["history"])]
    made["rootfs"] = {"type": "layers", "diff_ids": [f"sha256:{layer.digest}" for layer in layers]}
    container = cast("dict[str, object]", config["config"])
    made["config"] = {key: value for key, value in container.items() if key not in OF_ITS_CONTAINER}
    return json.dumps(made, sort_keys=True, separators=(",", ":")).encode()


def _digest(file: Path) -> str:
    digest = hashlib.sha256()
    with file.open("rb") as content:
        while chunk := content.read(CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


def _add(archive: tarfile.TarFile, name: str, content: IO[bytes], size: int) -> None:
    member = tarfile.TarInfo(name)
    member.size = size
    archive.addfile(member, content)
