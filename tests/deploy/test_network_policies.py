"""The network: exactly the paths of the picture in the architecture, and none besides."""

from __future__ import annotations

import json

import pytest

from tests.deploy.chart import EVERYTHING, SERVICES, SMALLEST, Thing, of_kind, pods, selects

NAMESPACE = "kubernetes.io/metadata.name"


def namespace(name: str) -> Thing:
    return {"namespaceSelector": {"matchLabels": {NAMESPACE: name}}}


def path(direction: str, peer: Thing, *ports: str) -> set[tuple[str, str, str]]:
    """Ways between a pod and a peer."""
    return {(direction, json.dumps(peer, sort_keys=True), port) for port in ports}


def paths(component: str, name: str) -> set[tuple[str, str, str]]:
    """Every way in and out that the policies leave to the pods of a component; fails where a direction is open."""
    found: set[tuple[str, str, str]] = set()
    closed: set[str] = set()
    for policy in of_kind("NetworkPolicy", name).values():
        spec = policy["spec"]
        if selects(spec["podSelector"], pods(name)[component]["metadata"]["labels"]):
            closed |= set(spec["policyTypes"])
            for rules, peers in (("ingress", "from"), ("egress", "to")):
                for rule in spec.get(rules, []):
                    assert rule[peers]
                    assert rule["ports"]
                    ports = [f"{port['protocol']} {port['port']}" for port in rule["ports"]]
                    found |= {way for peer in rule[peers] for way in path(rules, peer, *ports)}
    assert closed == {"Ingress", "Egress"}
    return found


DNS = {**namespace("kube-system"), "podSelector": {"matchLabels": {"k8s-app": "kube-dns"}}}
LOOK_UP = path("egress", DNS, "UDP 53", "TCP 53")
REDIS = path("egress", {"ipBlock": {"cidr": "10.0.7.4/32"}}, "TCP 6379")
POSTGRESQL = path("egress", {"ipBlock": {"cidr": "10.0.7.5/32"}}, "TCP 5432")
PUBLIC = path("ingress", namespace("ingress-nginx"), "TCP 8400")


@pytest.mark.parametrize("component", SERVICES)
def test_services_meet_on_redis_alone_and_only_the_gateway_has_a_door(component: str) -> None:
    public = PUBLIC if component == "gateway" else set()
    assert paths(component, SMALLEST) == LOOK_UP | REDIS | POSTGRESQL | public


def test_the_migration_reaches_postgresql_and_nothing_else() -> None:
    assert paths("migration", SMALLEST) == LOOK_UP | POSTGRESQL


@pytest.mark.parametrize("component", SERVICES)
def test_prometheus_reaches_the_health_port_of_every_service_where_it_is_switched_on(component: str) -> None:
    entering = {way for way in paths(component, EVERYTHING) if way[0] == "ingress"}
    public = path("ingress", namespace("haproxy"), "TCP 8400") if component == "gateway" else set()
    assert entering == path("ingress", namespace("observability"), "TCP 8401") | public


def test_the_ways_out_are_those_that_the_values_name() -> None:
    leaving = {way for way in paths("rooms", EVERYTHING) if way[0] == "egress"}
    redis = path("egress", {"podSelector": {"matchLabels": {"app": "valkey"}}}, "TCP 6379", "TCP 26379")
    postgresql = path("egress", {"ipBlock": {"cidr": "10.0.7.0/28"}}, "TCP 6432")
    assert leaving == redis | postgresql | path("egress", {"ipBlock": {"cidr": "169.254.20.10/32"}}, "UDP 53", "TCP 53")


@pytest.mark.parametrize("name", [SMALLEST, EVERYTHING])
def test_a_pod_of_the_release_that_no_rule_knows_is_closed_in_both_directions(name: str) -> None:
    unknown = {**pods(name)["rooms"]["metadata"]["labels"], "app.kubernetes.io/component": "unknown"}
    chosen = [
        one["spec"] for one in of_kind("NetworkPolicy", name).values() if selects(one["spec"]["podSelector"], unknown)
    ]
    assert [set(spec["policyTypes"]) for spec in chosen] == [{"Ingress", "Egress"}]
    assert all(spec.keys().isdisjoint({"ingress", "egress"}) for spec in chosen)
