"""The objects of the chart: secrets, limits, probes, security, rolling, scaling."""

from __future__ import annotations

import re

import pytest

from libs.contracts.policy import Policy
from libs.runtime.serving import SERVICES as SERVED
from libs.runtime.settings import Settings
from tests.deploy.chart import (
    EVERYTHING,
    SERVICES,
    SMALLEST,
    Thing,
    containers,
    environment,
    of_kind,
    pods,
    selects,
    text,
    things,
)

COMPONENTS = (*SERVICES, "migration")
BOTH = pytest.mark.parametrize("name", [SMALLEST, EVERYTHING])


def test_each_service_of_the_hub_is_served_by_a_deployment_of_its_own() -> None:
    assert set(SERVICES) == set(SERVED)
    assert set(of_kind("Deployment")) == {f"prickle-{service}" for service in SERVICES}
    assert {name: one["args"] for name, one in containers().items()} == {
        **{service: ["serve", service] for service in SERVICES},
        "migration": ["migrate"],
    }


@BOTH
def test_no_secret_is_in_plain_text(name: str) -> None:
    assert {thing["kind"] for thing in things(name)}.isdisjoint({"Secret", "ConfigMap"})
    assert not re.search(r"(redis|rediss|postgresql)(\+\w+)?://|password", text(name), re.IGNORECASE)
    for component in COMPONENTS:
        assert all(isinstance(value, str) for value in environment(component, name).values())
        assert not {key for key in environment(component, name) if re.search("_URL$|TOKEN$", key)} - {
            "PRICKLE_PUBLIC_URL"
        }


def secrets_of(component: str) -> dict[str, str]:
    """The files below /run/secrets of a component: the secret each comes from."""
    (volume,) = [one for one in pods()[component]["spec"]["volumes"] if one["name"] == "secrets"]
    if "secret" in volume:
        return {item["path"]: volume["secret"]["secretName"] for item in volume["secret"]["items"]}
    sources = [source["secret"] for source in volume["projected"]["sources"]]
    return {item["path"]: source["name"] for source in sources for item in source["items"]}


def test_secrets_are_files_that_the_settings_read_and_every_part_has_its_own() -> None:
    assert {"redis_url", "database_url"} <= set(Settings.model_fields)
    for component in ("rooms", "tasks", "pulse"):
        own = f"prickle-{component}"
        assert secrets_of(component) == {"prickle_redis_url": own, "prickle_database_url": own}
    assert secrets_of("runs") == {"prickle_redis_url": "the-runs", "prickle_database_url": "the-runs"}
    assert secrets_of("migration") == {"prickle_database_url": "prickle-migration"}
    assert secrets_of("gateway")["operator_token"] == "the-operator"
    assert environment("gateway")["PRICKLE_OPERATOR_TOKEN_FILE"] == "/run/secrets/operator_token"


@pytest.mark.parametrize("component", COMPONENTS)
def test_every_pod_is_restricted_and_has_no_way_to_the_api_of_kubernetes(component: str) -> None:
    pod = pods()[component]["spec"]
    assert pod["automountServiceAccountToken"] is False
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["runAsUser"] == 10001
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert pod.keys().isdisjoint({"hostNetwork", "hostPID", "hostIPC"})
    assert all(volume.keys() <= {"name", "emptyDir", "secret", "projected"} for volume in pod["volumes"])
    account = of_kind("ServiceAccount")[pod["serviceAccountName"]]
    assert account["automountServiceAccountToken"] is False


@pytest.mark.parametrize("component", COMPONENTS)
def test_every_container_is_restricted_and_has_requests_and_limits(component: str) -> None:
    container = containers()[component]
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    for side in ("requests", "limits"):
        assert set(container["resources"][side]) == {"cpu", "memory"}
    assert {(one["name"], one["mountPath"]) for one in container["volumeMounts"]} == {
        ("secrets", "/run/secrets"),
        ("tmp", "/tmp"),
    }


@pytest.mark.parametrize("component", SERVICES)
def test_a_service_without_redis_is_not_ready_yet_not_dead(component: str) -> None:
    container = containers()[component]
    asked = {kind: container[f"{kind}Probe"]["httpGet"] for kind in ("startup", "liveness", "readiness")}
    assert {kind: probe["path"] for kind, probe in asked.items()} == {
        "startup": "/healthz",
        "liveness": "/healthz",
        "readiness": "/readyz",
    }
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    assert {ports[probe["port"]] for probe in asked.values()} == {int(environment(component)["PRICKLE_HEALTH_PORT"])}


@BOTH
@pytest.mark.parametrize("component", SERVICES)
def test_every_variable_is_a_setting_of_the_hub(name: str, component: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given = environment(component, name)
    assert {key.removeprefix("PRICKLE_").lower() for key in given} <= set(Settings.model_fields)
    for key, value in given.items():
        monkeypatch.setenv(key, value)
    settings = Settings()
    assert (settings.host, settings.health_port) == ("0.0.0.0", 8401)
    if component == "gateway":
        assert settings.port == 8400
        assert "hub.example.org:*" in settings.allowed_hosts
        assert settings.public_url.startswith("https://hub.example.org")


@BOTH
def test_the_gateway_ends_in_time_to_answer_its_open_waits(name: str) -> None:
    pod = pods(name)["gateway"]["spec"]
    before = pod["containers"][0]["lifecycle"]["preStop"]["sleep"]["seconds"]
    drain = float(environment("gateway", name)["PRICKLE_DRAIN_SECONDS"])
    assert before > 0
    assert pod["terminationGracePeriodSeconds"] > before + drain


@pytest.mark.parametrize("component", SERVICES)
def test_a_rolling_update_takes_no_replica_away_before_a_new_one_is_ready(component: str) -> None:
    spec = of_kind("Deployment")[f"prickle-{component}"]["spec"]
    assert spec["strategy"]["rollingUpdate"] == {"maxUnavailable": 0, "maxSurge": 1}
    drain = float(environment(component)["PRICKLE_DRAIN_SECONDS"])
    assert spec["template"]["spec"]["terminationGracePeriodSeconds"] > drain


@BOTH
def test_whatever_selects_pods_selects_those_of_its_own_component(name: str) -> None:
    selectors: dict[str, list[Thing]] = {component: [] for component in COMPONENTS}
    for thing in things(name):
        component = thing["metadata"]["labels"]["app.kubernetes.io/component"]
        if thing["kind"] in ("Deployment", "PodDisruptionBudget"):
            selectors[component].append(thing["spec"]["selector"])
        elif thing["kind"] == "Service":
            selectors[component].append({"matchLabels": thing["spec"]["selector"]})
    for component, found in selectors.items():
        assert (len(found) >= 2) == (component != "migration")
        for selector in found:
            assert [one for one, pod in pods(name).items() if selects(selector, pod["metadata"]["labels"])] == [
                component
            ]


@pytest.mark.parametrize("component", SERVICES)
def test_replicas_are_spread_over_zones_and_nodes(component: str) -> None:
    pod = pods()[component]
    spread = pod["spec"]["topologySpreadConstraints"]
    assert [one["topologyKey"] for one in spread] == ["topology.kubernetes.io/zone", "kubernetes.io/hostname"]
    assert all(selects(one["labelSelector"], pod["metadata"]["labels"]) for one in spread)


def test_what_is_scaled_by_load_has_no_fixed_number_of_replicas() -> None:
    scalers = {
        one["spec"]["scaleTargetRef"]["name"]: one["spec"] for one in of_kind("HorizontalPodAutoscaler").values()
    }
    for name, deployment in of_kind("Deployment").items():
        assert (name in scalers) != ("replicas" in deployment["spec"])
    assert set(of_kind("Deployment")) - set(scalers) == {"prickle-runs"}
    assert (scalers["prickle-gateway"]["minReplicas"], scalers["prickle-gateway"]["maxReplicas"]) == (3, 20)


@BOTH
def test_scaling_down_is_slow_so_that_waits_move_a_few_at_a_time(name: str) -> None:
    for scaler in of_kind("HorizontalPodAutoscaler", name).values():
        down = scaler["spec"]["behavior"]["scaleDown"]
        assert down["stabilizationWindowSeconds"] >= 300
        assert down["policies"] == [{"type": "Pods", "value": 1, "periodSeconds": 60}]


def test_the_door_from_outside_leads_to_agents_and_people_alone() -> None:
    ingress = of_kind("Ingress")["prickle-gateway"]["spec"]
    paths = {(rule["host"], path["path"]) for rule in ingress["rules"] for path in rule["http"]["paths"]}
    hosts = {"hub.example.org", "hub.internal.example.org"}
    assert paths == {(host, path) for host in hosts for path in ("/mcp", "/api/v1")}
    assert {host for tls in ingress["tls"] for host in tls["hosts"]} == hosts
    service = of_kind("Service")["prickle-gateway"]["spec"]
    assert service["ports"] == [{"name": "http", "port": 8400, "targetPort": "http"}]
    assert service["sessionAffinity"] == "None"


def test_the_door_waits_longer_than_the_longest_wait_and_passes_progress_on() -> None:
    notes = of_kind("Ingress", SMALLEST)["prickle-gateway"]["metadata"]["annotations"]
    for way in ("read", "send"):
        seconds = int(notes[f"nginx.ingress.kubernetes.io/proxy-{way}-timeout"])
        assert seconds > max(60, Policy().max_wait_seconds)
    assert notes["nginx.ingress.kubernetes.io/proxy-buffering"] == "off"
