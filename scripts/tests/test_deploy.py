"""What deploy/ promises. Kubernetes itself does not run here: its published schemas and the fields are checked."""

from __future__ import annotations

import copy
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

yaml = pytest.importorskip("yaml", reason="deploy/ is checked with PyYAML: scripts/requirements-dev.txt")

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
NODES = DEPLOY / "kubernetes" / "nodes"
STAGES = (1, 2, 3, 4, 5)
USER = 10001
PORT, INTERNAL_PORT = 8080, 9090
SERVER_STOPS_WITHIN_S = 10
# The oldest that knows preStop: sleep, and the newest of the package.
KUBERNETES_VERSIONS = ("1.30", "1.37")

Manifest = dict[str, Any]


def manifests(folder: Path = NODES) -> dict[str, Manifest]:
    """By kind and name, as the files have them."""
    kustomization = yaml.safe_load((folder / "kustomization.yaml").read_text())
    found: dict[str, Manifest] = {}
    for name in kustomization["resources"]:
        for manifest in yaml.safe_load_all((folder / name).read_text()):
            found[f"{manifest['kind']}/{manifest['metadata']['name']}"] = manifest
    return found


@pytest.fixture
def pod() -> Manifest:
    spec: Manifest = manifests()["StatefulSet/node"]["spec"]["template"]["spec"]
    return spec


@pytest.fixture
def server(pod: Manifest) -> Manifest:
    (container,) = pod["containers"]
    found: Manifest = container
    return found


def validate(manifest: Manifest, version: str) -> None:
    kubernetes_validate = pytest.importorskip(
        "kubernetes_validate", reason="the schemas of Kubernetes are in kubernetes-validate: requirements-dev.txt"
    )
    kubernetes_validate.validate(manifest, version, strict=True)


@pytest.mark.parametrize("version", KUBERNETES_VERSIONS)
@pytest.mark.parametrize("name", manifests())
def test_manifest_fits_the_published_schema(name: str, version: str) -> None:
    validate(manifests()[name], version)


def test_schema_finds_a_misspelled_field() -> None:
    wrong = copy.deepcopy(manifests()["StatefulSet/node"])
    wrong["spec"]["template"]["spec"]["terminationGraceSeconds"] = 30

    with pytest.raises(Exception, match="terminationGraceSeconds"):
        validate(wrong, KUBERNETES_VERSIONS[0])


def test_kustomization_lists_each_manifest() -> None:
    kustomization = yaml.safe_load((NODES / "kustomization.yaml").read_text())

    assert {each.name for each in NODES.glob("*.yaml")} == {"kustomization.yaml", *kustomization["resources"]}
    (image,) = kustomization["images"]
    assert image["name"] == manifests()["StatefulSet/node"]["spec"]["template"]["spec"]["containers"][0]["image"]


@pytest.mark.parametrize("folder", ["nodes", "one-machine"])
def test_rendered_manifests_fit_the_schema(folder: str, tmp_path: Path) -> None:
    if shutil.which("kubectl") is None:
        pytest.skip("rendering takes kubectl, and there is none on PATH")
    shutil.copytree(DEPLOY / "kubernetes", tmp_path / "kubernetes")
    (tmp_path / "kubernetes/nodes/cluster.properties").write_text("cluster-secret=s\n")

    done = subprocess.run(
        ["kubectl", "kustomize", str(tmp_path / "kubernetes" / folder)], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
    rendered = list(yaml.safe_load_all(done.stdout))
    for manifest in rendered:
        validate(manifest, KUBERNETES_VERSIONS[0])
    (stateful,) = (each for each in rendered if each["kind"] == "StatefulSet")
    pod = stateful["spec"]["template"]["spec"]
    assert pod["containers"][0]["image"] == "workbook/stage5:latest"
    assert ("affinity" in pod) == (folder == "nodes")
    assert "Secret" in {each["kind"] for each in rendered}


def test_nodes_know_each_other_by_names_that_stay(server: Manifest) -> None:
    """The names are those of the pods, below the headless service."""
    found = manifests()
    stateful, service = found["StatefulSet/node"], found["Service/nodes"]["spec"]
    domain = stateful["spec"]["serviceName"]
    names = [f"http://node-{index}.{domain}:{PORT}" for index in range(stateful["spec"]["replicas"])]

    assert f"--cluster={','.join(names)}" in server["args"]
    assert f"--self=http://$(NODE).{domain}:{PORT}" in server["args"]
    assert {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}} in server["env"]
    assert found["Service/nodes"]["metadata"]["name"] == domain
    assert service["clusterIP"] == "None"
    assert service["publishNotReadyAddresses"] is True


def test_selectors_fit_the_labels() -> None:
    found = manifests()
    labels = found["StatefulSet/node"]["spec"]["template"]["metadata"]["labels"]

    selectors = [found[f"Service/{name}"]["spec"]["selector"] for name in ("nodes", "workbook")]
    selectors += [
        found[name]["spec"]["selector"]["matchLabels"] for name in ("StatefulSet/node", "PodDisruptionBudget/node")
    ]
    selectors.append(found["NetworkPolicy/node"]["spec"]["podSelector"]["matchLabels"])
    assert selectors == [labels] * len(selectors)


def test_only_nodes_reach_the_internal_port(server: Manifest) -> None:
    policy = manifests()["NetworkPolicy/node"]["spec"]
    ports = {each["name"]: each["containerPort"] for each in server["ports"]}

    assert policy["policyTypes"] == ["Ingress"]
    assert [(rule.get("from"), [each["port"] for each in rule["ports"]]) for rule in policy["ingress"]] == [
        (None, ["http"]),
        ([{"podSelector": policy["podSelector"]}], ["internal"]),
    ]
    assert ports == {"http": PORT, "internal": INTERNAL_PORT}
    assert f"--internal-port={INTERNAL_PORT}" in server["args"]
    assert [each["port"] for each in manifests()["Service/workbook"]["spec"]["ports"]] == [PORT]


def test_at_most_one_node_is_away_on_purpose() -> None:
    found = manifests()

    assert found["PodDisruptionBudget/node"]["spec"]["maxUnavailable"] == 1
    assert found["StatefulSet/node"]["spec"]["updateStrategy"]["type"] == "RollingUpdate"


def test_others_find_a_node_before_the_next_one_restarts() -> None:
    """The JVM remembers an address for a second, and a circuit breaker stays open for half a second."""
    assert manifests()["StatefulSet/node"]["spec"]["minReadySeconds"] >= 5


def test_two_nodes_never_share_a_machine(pod: Manifest) -> None:
    (term,) = pod["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]

    assert term == {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "node"}}}


def test_grace_period_is_longer_than_the_server_needs(pod: Manifest, server: Manifest) -> None:
    pause_s = server["lifecycle"]["preStop"]["sleep"]["seconds"]

    assert pod["terminationGracePeriodSeconds"] >= pause_s + SERVER_STOPS_WITHIN_S + 5


def test_probes_ask_for_the_status(server: Manifest) -> None:
    probes = [server[name] for name in ("startupProbe", "readinessProbe", "livenessProbe")]

    assert {(each["httpGet"]["path"], each["httpGet"]["port"]) for each in probes} == {("/v0/status", "http")}
    ready, alive = probes[1:]
    assert ready["periodSeconds"] * ready["failureThreshold"] < alive["periodSeconds"] * alive["failureThreshold"]


def test_pod_passes_the_restricted_standard(pod: Manifest, server: Manifest) -> None:
    assert manifests()["Namespace/workbook"]["metadata"]["labels"] == {
        "pod-security.kubernetes.io/enforce": "restricted"
    }
    outer, inner = pod["securityContext"], server["securityContext"]
    assert outer["runAsNonRoot"] is True
    assert {outer["runAsUser"], outer["runAsGroup"], outer["fsGroup"]} == {USER}
    assert outer["seccompProfile"] == {"type": "RuntimeDefault"}
    assert inner["allowPrivilegeEscalation"] is False
    assert inner["readOnlyRootFilesystem"] is True
    assert inner["capabilities"] == {"drop": ["ALL"]}
    assert pod["automountServiceAccountToken"] is False


def test_data_and_temporary_files_have_volumes_since_the_image_is_read_only(pod: Manifest, server: Manifest) -> None:
    mounts = {each["mountPath"]: each["name"] for each in server["volumeMounts"]}
    claims = [each["metadata"]["name"] for each in manifests()["StatefulSet/node"]["spec"]["volumeClaimTemplates"]]

    assert claims == [mounts["/data"]]
    assert {"name": mounts["/tmp"], "emptyDir": {"sizeLimit": "512Mi"}} in pod["volumes"]
    assert "--config=/etc/cluster/cluster.properties" in server["args"]
    (secret,) = (each["secret"] for each in pod["volumes"] if each["name"] == mounts["/etc/cluster"])
    (generated,) = yaml.safe_load((NODES / "kustomization.yaml").read_text())["secretGenerator"]
    assert secret["secretName"] == generated["name"]
    assert generated["files"] == ["cluster.properties"]
    assert secret["defaultMode"] == 0o440  # The server's group may read it, through fsGroup.


def test_resources_are_limited_and_the_heap_leaves_room(server: Manifest) -> None:
    limits = server["resources"]["limits"]

    assert limits == server["resources"]["requests"]
    assert {"name": "JDK_JAVA_OPTIONS", "value": "-Xmx256m"} in server["env"]
    assert limits["memory"] == "1Gi"


VARIABLE = re.compile(r"\$\{(?P<name>[A-Z_0-9]+)(?P<operator>:?-)(?P<default>[^}]*)\}")


def compose(**variables: str) -> Manifest:
    """As Docker reads it: with these variables, and with defaults for all others."""

    def value(found: re.Match[str]) -> str:
        given = variables.get(found["name"])
        is_missing = given is None or (given == "" and found["operator"] == ":-")
        return found["default"] if is_missing else str(given)

    read: Manifest = yaml.safe_load(VARIABLE.sub(value, (DEPLOY / "compose.yaml").read_text()))
    return read


def services(**variables: str) -> Iterator[tuple[str, Manifest]]:
    yield from compose(**variables)["services"].items()


def command(service: Manifest) -> list[str]:
    return shlex.split(service["command"] or "")


READERS = {"stack": ["config", "--compose-file", "FILE"], "compose": ["--file", "FILE", "config"]}


def read_by_docker(reader: str, **variables: str) -> Manifest:
    """Takes no daemon."""
    docker, words = shutil.which("docker"), READERS[reader]
    probe = ["compose", "version"] if reader == "compose" else ["stack", "config", "--help"]
    if docker is None or subprocess.run([docker, *probe], capture_output=True, check=False).returncode != 0:
        pytest.skip(f"the docker of this machine cannot read it: `docker {' '.join(probe)}` fails")
    done = subprocess.run(
        [docker, reader, *(str(DEPLOY / "compose.yaml") if word == "FILE" else word for word in words)],
        env={"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    # It names fields that it would ignore. That the version is one of them is known.
    assert [line for line in done.stderr.splitlines() if "`version` is obsolete" not in line] == []
    found: Manifest = yaml.safe_load(done.stdout)
    return found


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("stage", [1, 5])
def test_docker_reads_compose_as_these_tests_do(reader: str, stage: int) -> None:
    variables = {"STAGE": str(stage), "CPUS": "2", "PORT_1": "9999", **(alone() if stage < 3 else {})}
    by_docker = read_by_docker(reader, **variables)["services"]
    here = dict(services(**variables))

    assert by_docker.keys() == here.keys()
    for name, service in here.items():
        assert by_docker[name]["image"] == service["image"]
        assert (by_docker[name].get("command") or []) == command(service)
        assert int(by_docker[name]["ports"][0]["published"]) == int(service["ports"][0]["published"])


def alone() -> dict[str, str]:
    lines = (DEPLOY / "alone.env").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def test_compose_starts_three_nodes_that_know_each_other_by_name() -> None:
    found = dict(services())

    assert list(found) == ["node-1", "node-2", "node-3"]
    listed = ",".join(f"http://{name}:{PORT}" for name in found)
    for name, service in found.items():
        assert service["hostname"] == name
        assert f"--self=http://{name}:{PORT}" in command(service)
        assert f"--cluster={listed}" in command(service)
        assert service["volumes"] == [f"{name}:/data"]
        assert service["deploy"]["endpoint_mode"] == "dnsrr"


def test_compose_publishes_only_the_port_of_clients() -> None:
    found = list(services(PORT_2="9999"))

    assert [(each["ports"][0]["target"], each["ports"][0]["published"]) for _, each in found] == [
        (PORT, "8081"),
        (PORT, "9999"),
        (PORT, "8083"),
    ]
    assert all(len(each["ports"]) == 1 and each["ports"][0]["mode"] == "host" for _, each in found)
    assert all(f"--internal-port={INTERNAL_PORT}" in command(each) for _, each in found)


def test_compose_takes_the_secret_from_a_file_that_git_ignores() -> None:
    found = compose()

    assert found["secrets"]["cluster"]["file"] == "./cluster.properties"
    for service in found["services"].values():
        assert service["secrets"] == ["cluster"]
        assert "--config=/run/secrets/cluster" in command(service)
    for folder in (DEPLOY, NODES):
        ignored = subprocess.run(["git", "check-ignore", "--quiet", str(folder / "cluster.properties")], cwd=ROOT)
        assert ignored.returncode == 0


def test_compose_limits_nodes_and_stops_them_gracefully() -> None:
    for _, service in services(CPUS="2", MEMORY="3g"):
        assert service["deploy"]["resources"]["limits"] == {"cpus": "2", "memory": "3g"}
        assert int(service["stop_grace_period"].removesuffix("s")) >= SERVER_STOPS_WITHIN_S + 5
        assert service["stop_signal"] == "SIGTERM"
        assert service["user"] == f"{USER}:{USER}"
        assert service["cap_drop"] == ["ALL"]
        assert service["deploy"]["update_config"]["order"] == "stop-first"  # Two must not share a directory.
        assert service["healthcheck"]["interval"] == "10s"
        assert "test" not in service["healthcheck"]  # The image's.


@pytest.mark.parametrize("stage", STAGES)
def test_compose_runs_any_stage(stage: int) -> None:
    variables = alone() if stage < 3 else {}
    for name, service in services(STAGE=str(stage), SERVER_OPTIONS="--memtable-size=32m", **variables):
        assert service["image"] == f"workbook/stage{stage}:latest"
        assert command(service)[-1] == "--memtable-size=32m"
        assert (len(command(service)) == 1) == (stage < 3), name


def test_page_names_each_variable_of_compose() -> None:
    text = (DEPLOY / "compose.yaml").read_text()
    page = (ROOT / "docs" / "deploy.md").read_text()

    for variable in {found["name"] for found in VARIABLE.finditer(text)}:
        assert f"`{variable}`" in page, variable
