"""deploy/kubernetes: the manifests are what the API server takes, what they refer to is there, and
mqgate can live in them."""

import os
import re
import subprocess
from pathlib import Path

import kubernetes_validate
import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
MQGATE = Path(os.environ.get("MQGATE", ROOT / "build" / "asan" / "mqgate")).resolve()
MANIFESTS = sorted((ROOT / "deploy" / "kubernetes").glob("*.yaml"))
OLDEST = "1.29"  # the first with native sidecars switched on
SECRETS = "/etc/mqgate-secrets"


def documents(path):
    return list(yaml.safe_load_all(path.read_text()))


def only(path, kind):
    (found,) = [d for d in documents(path) if d["kind"] == kind]
    return found


def pod(path):
    return only(path, "Deployment")["spec"]["template"]["spec"]


def sidecar(path):
    (found,) = [c for c in pod(path)["initContainers"] if c["name"] == "mqgate"]
    return found


@pytest.fixture(params=MANIFESTS, ids=lambda path: path.name)
def manifest(request):
    return request.param


@pytest.fixture
def configuration(manifest, tmp_path):
    """The ConfigMap and the Secret as the pod would see them."""
    for name, text in only(manifest, "ConfigMap")["data"].items():
        (tmp_path / name).write_text(text.replace(SECRETS, str(tmp_path)))
    for name, text in only(manifest, "Secret")["stringData"].items():
        (tmp_path / name).write_text(text)
    return tmp_path / "mqgate.yaml"


def mqgate(*arguments):
    return subprocess.run([MQGATE, *arguments], capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("version", [OLDEST, kubernetes_validate.latest_version()])
def test_schema(manifest, version):
    for document in documents(manifest):
        kubernetes_validate.validate(document, version, strict=True)


def test_the_schema_check_can_fail(manifest):
    deployment = only(manifest, "Deployment")
    deployment["spec"]["template"]["spec"]["initContainers"][0]["restartPolicies"] = "Always"
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(deployment, OLDEST, strict=True)


def test_it_is_a_sidecar(manifest):
    container = sidecar(manifest)
    assert container["restartPolicy"] == "Always"
    assert {"startupProbe", "livenessProbe", "readinessProbe", "lifecycle"} <= container.keys()


def test_confinement(manifest):
    security = {**pod(manifest)["securityContext"], **sidecar(manifest)["securityContext"]}
    assert security["runAsNonRoot"] and security["readOnlyRootFilesystem"]
    assert security["allowPrivilegeEscalation"] is False
    assert security["capabilities"] == {"drop": ["ALL"]}
    assert security["seccompProfile"] == {"type": "RuntimeDefault"}
    assert f"USER {security['runAsUser']}:{security['runAsGroup']}\n" in (ROOT / "Dockerfile").read_text()


def test_what_is_referred_to_is_there(manifest):
    spec = pod(manifest)
    made = {(d["kind"], d["metadata"]["name"]): d for d in documents(manifest)}
    volumes = {v["name"]: v for v in spec["volumes"]}
    for volume in volumes.values():
        if "configMap" in volume:
            assert ("ConfigMap", volume["configMap"]["name"]) in made
        if "secret" in volume:
            assert ("Secret", volume["secret"]["secretName"]) in made
    for container in spec["initContainers"] + spec["containers"]:
        for mount in container.get("volumeMounts", []):
            assert mount["name"] in volumes
        for variable in container.get("env", []):
            key = variable.get("valueFrom", {}).get("secretKeyRef")
            assert not key or key["key"] in made["Secret", key["name"]]["stringData"]
    deployment = only(manifest, "Deployment")["spec"]
    labels = deployment["template"]["metadata"]["labels"]
    assert deployment["selector"]["matchLabels"].items() <= labels.items()


def test_configuration(configuration):
    done = mqgate("check", "-c", configuration)
    assert done.returncode == 0, done.stdout


def test_probes(manifest, configuration):
    """Each is a command that mqgate understands; nothing runs here, so it says 1, not 2."""
    container = sidecar(manifest)
    for name in ("startupProbe", "livenessProbe", "readinessProbe"):
        program, *arguments = container[name]["exec"]["command"]
        done = mqgate(*arguments, "-c", configuration, "--set", "listen=127.0.0.1:1")
        assert program == "mqgate" and done.returncode == 1, done.stderr
        assert container[name]["timeoutSeconds"] > 2, "mqgate itself waits for two seconds"
    assert "--login" not in container["livenessProbe"]["exec"]["command"]


def test_time_to_drain(manifest, configuration):
    """For the application, then for what drain_max allows."""
    drain = yaml.safe_load(configuration.read_text())["shutdown"]["drain_max"]
    seconds = int(re.fullmatch(r"(\d+)s", drain).group(1))
    assert pod(manifest)["terminationGracePeriodSeconds"] >= 2 * seconds + 5
