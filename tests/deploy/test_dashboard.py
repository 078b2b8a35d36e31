"""The Grafana dashboard asks for metrics that the hub really has, by labels that they really have."""

from __future__ import annotations

import json
import re
from itertools import combinations
from typing import Any

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.metrics import MetricWrapperBase

from libs.bus import metrics as bus
from libs.contracts.tools import TOOLS
from services.gateway import metrics as gateway
from services.gateway.app import WAITS
from tests.deploy.chart import DEPLOY

BOARD = json.loads((DEPLOY / "dashboards" / "prickle.json").read_text())
PANELS = [panel for panel in BOARD["panels"] if panel["type"] != "row"]
QUERIES = [target["expr"] for panel in PANELS for target in panel["targets"]]
OF_TARGETS = {"namespace", "pod", "job", "le"}
"""Labels that Prometheus adds, and that of a histogram's buckets."""

QUERY = re.compile(r"by \((?P<by>[^)]*)\) \((?:rate\()?(?P<metric>\w+)\{(?P<where>[^}]*)\}")


def own() -> dict[str, set[str]]:
    """What the hub counts, by the name that Prometheus knows: its labels."""
    found = {}
    for metric in (*vars(bus).values(), *vars(gateway).values()):
        if isinstance(metric, MetricWrapperBase):
            suffix = {"counter": "_total", "histogram": "_bucket"}.get(metric._type, "")
            found[f"{metric._name}{suffix}"] = set(metric._labelnames)
    return found


def of_processes() -> set[str]:
    """What the client library counts of a process."""
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    return {sample.name for family in registry.collect() for sample in family.samples}


def asked() -> list[tuple[str, set[str]]]:
    """Each metric of a query and the labels it is grouped and chosen by."""
    found = []
    for query in QUERIES:
        (match,) = QUERY.finditer(query)
        chosen = {re.match(r"\s*(\w+)", part)[1] for part in match["where"].split(",")}
        found.append((match["metric"], chosen | {label.strip() for label in match["by"].split(",")}))
    return found


def test_every_query_names_a_metric_and_its_labels() -> None:
    for metric, labels in asked():
        assert metric in own() or metric in of_processes()
        assert labels <= own().get(metric, set()) | OF_TARGETS, metric


def test_everything_the_hub_counts_is_shown() -> None:
    assert set(own()) == {metric for metric, _ in asked()} - of_processes()


def test_a_legend_names_labels_that_its_query_keeps() -> None:
    for target in (target for panel in PANELS for target in panel["targets"]):
        (match,) = QUERY.finditer(target["expr"])
        assert set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])) <= set(re.split(r",\s*", match["by"]))


def test_the_time_of_a_call_leaves_every_wait_out() -> None:
    (pattern,) = {found for query in QUERIES for found in re.findall(r'call!~"([^"]*)"', query)}
    assert {tool for tool in TOOLS if re.fullmatch(pattern, tool)} == set(WAITS)


def test_no_panel_lies_on_another() -> None:
    assert len({panel["id"] for panel in BOARD["panels"]}) == len(BOARD["panels"])
    for one, other in combinations([panel["gridPos"] for panel in BOARD["panels"]], 2):
        assert apart(one, other, "x", "w") or apart(one, other, "y", "h")


def apart(one: dict[str, Any], other: dict[str, Any], start: str, length: str) -> bool:
    """Whether two places do not meet in one dimension."""
    return one[start] + one[length] <= other[start] or other[start] + other[length] <= one[start]
