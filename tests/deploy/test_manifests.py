"""Rendering: what Helm installs, the plain manifests, what is refused before anything is installed."""

from __future__ import annotations

from collections.abc import Iterable

import kubernetes_validate
import pytest

from tests.deploy.chart import CHART, EVERYTHING, SMALLEST, Thing, of_kind, refusal, run, things, values

OLDEST, NEWEST = "1.30", "1.37"
STAGES = ["base", "migration", "services", "gateway"]
SERVICE_MONITOR = {"apiVersion": "monitoring.coreos.com/v1", "kind": "ServiceMonitor"}


@pytest.mark.parametrize(("name", "version"), [(SMALLEST, NEWEST), (EVERYTHING, OLDEST), (EVERYTHING, NEWEST)])
def test_every_object_fits_the_schemas_of_kubernetes(name: str, version: str) -> None:
    for thing in things(name):
        if thing["kind"] != "ServiceMonitor":
            kubernetes_validate.validate(thing, version, strict=True)


def test_the_schemas_would_find_a_misspelt_field() -> None:
    (policy, *_) = of_kind("NetworkPolicy").values()
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate({**policy, "spec": {**policy["spec"], "podselector": {}}}, NEWEST, strict=True)


@pytest.mark.parametrize("name", [SMALLEST, EVERYTHING])
def test_the_plain_manifests_are_what_helm_installs(name: str) -> None:
    assert by_name(things(name)) == by_name(things(name, by="helm"))


def by_name(given: Iterable[Thing]) -> dict[tuple[str, str], Thing]:
    """Objects by kind and name, which no two share."""
    given = list(given)
    named = {(thing["kind"], thing["metadata"]["name"]): thing for thing in given}
    assert len(named) == len(given)
    return named


def test_the_manifests_come_in_the_order_to_apply_them() -> None:
    lines = run("manifests", "prickle", "-f", values(EVERYTHING)).stdout.splitlines()
    sources = [line.rpartition("/")[2].removesuffix(".yaml") for line in lines if line.startswith("# Source: ")]
    assert sources == sorted(sources, key=STAGES.index)
    assert set(sources) == set(STAGES)


def test_helm_finds_nothing_to_complain_about() -> None:
    done = run("helm", "lint", str(CHART), "--strict", "-f", values(EVERYTHING))
    assert done.returncode == 0, done.stdout


def test_what_has_no_default_is_asked_for() -> None:
    done = run("manifests", "prickle")
    assert done.returncode != 0
    for place in ("/gateway/hosts", "/network/redis/to", "/network/postgresql/to"):
        assert place in done.stderr


@pytest.mark.parametrize(
    "wrong",
    [
        "network.redis.to=[]",
        "network.postgresql.to=[{}]",
        "network.ingress.from=[]",
        "network.dns.to=[]",
        'services.rooms.settings={"PRICKLE_REDIS_URL": "redis://prickle-rooms:hunter2@redis"}',
        'defaults.settings={"PRICKLE_DATABASE_URL": "postgresql+asyncpg://…"}',
        'services.room={"secret": "prickle-rooms"}',
        'image.digest="latest"',
        'gateway.hosts=["https://hub.example.org"]',
    ],
)
def test_values_that_would_open_a_port_or_show_a_secret_or_mean_nothing_are_refused(wrong: str) -> None:
    assert "don't meet the specifications of the schema" in refusal(SMALLEST, wrong)


def test_a_changed_migration_is_a_new_job_and_the_same_one_is_not() -> None:
    (first,) = of_kind("Job", SMALLEST)
    assert [*of_kind("Job", SMALLEST, 'image.tag="next"')] != [first]
    assert [*of_kind("Job", SMALLEST, 'image.tag="next"')] != [*of_kind("Job", SMALLEST, 'migration.secret="owner"')]
    assert [*of_kind("Job", SMALLEST, "defaults.replicas=3")] == [first]


def test_helm_migrates_before_it_changes_anything_else_with_the_policy_there_before_the_job() -> None:
    weights = {}
    for thing in things(EVERYTHING):
        notes = thing["metadata"].get("annotations", {})
        if notes.get("helm.sh/hook") == "pre-install,pre-upgrade":
            weights[thing["kind"]] = int(notes["helm.sh/hook-weight"])
            assert "before-hook-creation" in notes["helm.sh/hook-delete-policy"]
    assert set(weights) == {"Job", "NetworkPolicy", "ServiceAccount"}
    assert max(weights["NetworkPolicy"], weights["ServiceAccount"]) < weights["Job"]


def test_while_services_roll_the_gateway_keeps_the_image_it_runs() -> None:
    old = 'services.gateway.image={"tag": "old"}'
    images = {
        name: deployment["spec"]["template"]["spec"]["containers"][0]["image"]
        for name, deployment in of_kind("Deployment", SMALLEST, 'image.tag="new"', old).items()
    }
    assert images.pop("prickle-gateway") == "prickle:old"
    assert set(images.values()) == {"prickle:new"}


def test_prometheus_is_led_to_every_service() -> None:
    (monitor,) = of_kind("ServiceMonitor").values()
    assert SERVICE_MONITOR.items() <= monitor.items()
    wanted = monitor["spec"]["selector"]["matchLabels"]
    found = [one for one in of_kind("Service").values() if wanted.items() <= one["metadata"]["labels"].items()]
    assert len(found) == 5
    (endpoint,) = monitor["spec"]["endpoints"]
    assert endpoint == {"port": "metrics", "path": "/metrics", "interval": "15s", "honorLabels": True}
    assert all([port["name"] for port in service["spec"]["ports"]] == ["metrics"] for service in found)
    assert not of_kind("ServiceMonitor", SMALLEST)
