"""The files of `deploy/` agree with the Dockerfile, with the service and with each other."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

yaml = pytest.importorskip("yaml", reason="needs PyYAML, which uvicorn and transformers bring")

ROOT = Path(__file__).resolve().parents[1]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
[PORT] = re.findall(r"^EXPOSE (\d+)$", DOCKERFILE, re.M)
[IMAGE] = re.findall(r"docker build -t (\S+) ", DOCKERFILE)
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text(encoding="utf-8"))
MANIFESTS = {
    each["kind"]: each for each in yaml.safe_load_all((ROOT / "deploy" / "kubernetes.yaml").read_text(encoding="utf-8"))
}
NGINX = (ROOT / "deploy" / "nginx.conf").read_text(encoding="utf-8")


def test_the_dockerfile_serves_on_the_port_that_it_exposes() -> None:
    assert f'"--port", "{PORT}"' in DOCKERFILE
    assert f"127.0.0.1:{PORT}/healthz" in DOCKERFILE


def test_compose_runs_the_image_behind_the_proxy() -> None:
    service, proxy = COMPOSE["services"]["pointree"], COMPOSE["services"]["proxy"]
    assert service["image"] == IMAGE
    assert (ROOT / "deploy" / service["build"]["context"] / "Dockerfile").is_file()
    assert service["expose"] == [PORT]
    assert "ports" not in service, "two replicas cannot have one port of the machine"
    assert service["deploy"]["replicas"] > 1
    assert proxy["depends_on"]["pointree"]["condition"] == "service_healthy"
    assert "HEALTHCHECK" in DOCKERFILE
    [volume] = proxy["volumes"]
    assert (ROOT / "deploy" / volume.split(":")[0]).read_text(encoding="utf-8") == NGINX
    [published] = proxy["ports"]
    assert published.startswith("127.0.0.1:")
    assert f"listen {published.rpartition(':')[2]};" in NGINX


def test_the_proxy_asks_the_service() -> None:
    assert f"server pointree:{PORT} " in NGINX
    assert NGINX.count("{") == NGINX.count("}")
    assert "proxy_pass http://pointree;" in NGINX


def test_kubernetes_runs_the_image_and_probes_what_the_service_has() -> None:
    [container] = MANIFESTS["Deployment"]["spec"]["template"]["spec"]["containers"]
    assert container["image"] == IMAGE
    assert [port["containerPort"] for port in container["ports"]] == [int(PORT)]
    names = {port["name"] for port in container["ports"]}
    probes = {name: container[f"{name}Probe"]["httpGet"] for name in ("startup", "readiness", "liveness")}
    assert {name: probe["path"] for name, probe in probes.items()} == {
        "startup": "/readyz",
        "readiness": "/readyz",
        "liveness": "/healthz",
    }
    assert {probe["port"] for probe in probes.values()} <= names
    annotations = MANIFESTS["Deployment"]["spec"]["template"]["metadata"]["annotations"]
    assert annotations["prometheus.io/port"] == PORT
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src/pointree/serving").glob("*.py"))
    for path in ("/readyz", "/healthz", annotations["prometheus.io/path"]):
        assert f'"{path}"' in source, f"the service has no {path}"


def test_kubernetes_names_one_deployment() -> None:
    labels = MANIFESTS["Deployment"]["spec"]["template"]["metadata"]["labels"]
    assert MANIFESTS["Deployment"]["spec"]["selector"]["matchLabels"] == labels
    assert MANIFESTS["Service"]["spec"]["selector"] == labels
    assert MANIFESTS["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"] == labels
    assert MANIFESTS["HorizontalPodAutoscaler"]["spec"]["scaleTargetRef"]["name"] == "pointree"
    [port] = MANIFESTS["Service"]["spec"]["ports"]
    assert port["targetPort"] == "http"
