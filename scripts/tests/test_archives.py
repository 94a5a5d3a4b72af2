from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
from collections.abc import Sequence
from pathlib import Path

from workbook.archives import normalize

EPOCH_S = 1_767_225_600
BASE_FILES = ("opt", "opt/java")
OWN_FILES = ("data", "server.jar", "tmp")


def make_layer(names: Sequence[str], mtime_s: int, uname: str) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name in names:
            member = tarfile.TarInfo(name)
            member.mtime, member.uname = mtime_s, uname
            if name in ("data", "tmp"):
                member.type, member.uid, member.mode = tarfile.DIRTYPE, 10001, 0o755
            member.size = 0 if member.isdir() else len(name)
            archive.addfile(member, io.BytesIO(name.encode()))
    return made.getvalue()


def save(file: Path, layers: Sequence[bytes], created: str, user: str = "10001:10001", packed: bool = False) -> Path:
    """As `docker save` writes it: times, ids and the order are the builder's."""
    config = {
        "architecture": "amd64",
        "config": {"User": user, "Hostname": created, "Image": f"sha256:{created}"},
        "container": created,
        "created": created,
        "history": [{"created": created, "created_by": "COPY"} for _ in layers],
        "rootfs": {"type": "layers", "diff_ids": ["?" for _ in layers]},
    }
    contents = {"c.json": json.dumps(config).encode()}
    for index, layer in enumerate(layers):
        contents[f"{index}/layer.tar"] = gzip.compress(layer) if packed else layer
    listed = [{"Config": "c.json", "RepoTags": None, "Layers": [name for name in contents if name != "c.json"]}]
    contents["manifest.json"] = json.dumps(listed).encode()
    with tarfile.open(file, "w") as archive:
        for name, content in contents.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return file


def members(image: Path, layer: int) -> list[tarfile.TarInfo]:
    with tarfile.open(image) as archive:
        manifest = json.loads((archive.extractfile("manifest.json") or io.BytesIO()).read())[0]
        content = archive.extractfile(manifest["Layers"][layer])
        assert content is not None
        with tarfile.open(fileobj=content) as unpacked:
            return unpacked.getmembers()


def test_same_content_built_at_another_time_in_another_order_has_the_same_digest(tmp_path: Path) -> None:
    one = [make_layer(BASE_FILES, 1, "root"), make_layer(OWN_FILES, 1, "root")]
    other = [make_layer(BASE_FILES[::-1], 2, ""), make_layer(OWN_FILES[::-1], 3, "me")]

    first = normalize(save(tmp_path / "a", one, "2026-01-02"), tmp_path / "a.tar", EPOCH_S)
    second = normalize(save(tmp_path / "b", other, "2026-03-04", packed=True), tmp_path / "b.tar", EPOCH_S)

    assert first == second
    assert (tmp_path / "a.tar").read_bytes() == (tmp_path / "b.tar").read_bytes()


def test_other_content_or_another_user_or_time_has_another_digest(tmp_path: Path) -> None:
    layer = make_layer(OWN_FILES, 1, "root")

    digests = [
        normalize(save(tmp_path / "a", [layer], "x"), tmp_path / "a.tar", EPOCH_S),
        normalize(save(tmp_path / "b", [layer], "x", user="0"), tmp_path / "b.tar", EPOCH_S),
        normalize(save(tmp_path / "c", [layer], "x"), tmp_path / "c.tar", EPOCH_S + 1),
        normalize(save(tmp_path / "d", [make_layer(("data",), 1, "root")], "x"), tmp_path / "d.tar", EPOCH_S),
    ]

    assert len(set(digests)) == len(digests)


def test_owner_and_mode_stay_and_a_directory_comes_before_its_files(tmp_path: Path) -> None:
    layer = make_layer(("server.jar", "data/x", "data"), 1, "root")

    normalize(save(tmp_path / "a", [layer], "x"), tmp_path / "a.tar", EPOCH_S)

    assert [(each.name, each.uid, each.mtime, each.uname) for each in members(tmp_path / "a.tar", 0)] == [
        ("data", 10001, EPOCH_S, ""),
        ("data/x", 0, EPOCH_S, ""),
        ("server.jar", 0, EPOCH_S, ""),
    ]


def test_layer_of_the_base_stays_as_it_is(tmp_path: Path) -> None:
    """Otherwise every machine would store the base once more for each image."""
    base, own = make_layer(BASE_FILES, 7, "root"), make_layer(OWN_FILES, 7, "root")
    kept = f"sha256:{hashlib.sha256(base).hexdigest()}"

    normalize(save(tmp_path / "a", [base, own], "x"), tmp_path / "a.tar", EPOCH_S, [kept])

    assert {each.mtime for each in members(tmp_path / "a.tar", 0)} == {7}
    assert {each.mtime for each in members(tmp_path / "a.tar", 1)} == {EPOCH_S}


def test_digest_of_the_image_is_that_of_its_config_and_layers_are_those_of_the_archive(tmp_path: Path) -> None:
    """What `docker load` checks."""
    digest = normalize(save(tmp_path / "a", [make_layer(OWN_FILES, 1, "")], "x"), tmp_path / "a.tar", EPOCH_S)

    with tarfile.open(tmp_path / "a.tar") as archive:
        config = (archive.extractfile(f"{digest}.json") or io.BytesIO()).read()
        diff_ids = json.loads(config)["rootfs"]["diff_ids"]
        layers = [(archive.extractfile(f"{each[7:]}/layer.tar") or io.BytesIO()).read() for each in diff_ids]
    assert hashlib.sha256(config).hexdigest() == digest
    assert [f"sha256:{hashlib.sha256(layer).hexdigest()}" for layer in layers] == diff_ids
    assert {"container", "parent"}.isdisjoint(json.loads(config))
