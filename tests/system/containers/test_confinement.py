"""What the containers of the hub may do, and what Docker tells about them."""

from __future__ import annotations

import pytest

from tests.system.containers.hub import SECRETS, ContainerHub, docker, inspect

pytestmark = pytest.mark.timeout(400)

SERVICES = ("gateway", "rooms", "tasks", "pulse", "runs")
EVERYTHING = (*SERVICES, "redis", "postgres")
WAITS = 10_000


@pytest.mark.parametrize("service", EVERYTHING)
def test_a_container_runs_as_nobody_in_particular_and_changes_nothing_of_its_image(
    containers: ContainerHub, service: str
) -> None:
    for one in containers.containers(service):
        assert docker("exec", one["Id"], "id", "-u").strip() != "0"
        allowed = one["HostConfig"]
        assert allowed["ReadonlyRootfs"]
        assert allowed["CapDrop"] == ["ALL"]
        assert "no-new-privileges:true" in allowed["SecurityOpt"]
        assert min(allowed["Memory"], allowed["NanoCpus"], allowed["PidsLimit"]) > 0


def test_a_gateway_may_have_a_connection_for_each_of_many_waits(containers: ContainerHub) -> None:
    for one in containers.containers("gateway"):
        (files,) = [limit for limit in one["HostConfig"]["Ulimits"] if limit["Name"] == "nofile"]
        assert files["Soft"] >= WAITS


def test_only_gateways_are_reached_from_outside_and_only_from_this_machine(containers: ContainerHub) -> None:
    for service in EVERYTHING:
        for one in containers.containers(service):
            ports = {port: bound for port, bound in one["NetworkSettings"]["Ports"].items() if bound}
            assert set(ports) == ({"8400/tcp"} if service == "gateway" else set())
            assert all(where["HostIp"] == "127.0.0.1" for bound in ports.values() for where in bound)


def test_no_secret_shows_where_docker_describes_the_containers(containers: ContainerHub) -> None:
    files = [*(SECRETS / "passwords").iterdir(), SECRETS / "operator.token", *SECRETS.glob("*/prickle_*")]
    told = str(inspect(*containers.names()))
    assert len(files) > len(EVERYTHING)
    assert [file.name for file in files if file.read_text() in told] == []


def test_no_secret_is_in_a_log(containers: ContainerHub) -> None:
    passwords = [file.read_text() for file in (SECRETS / "passwords").iterdir()]
    said = "".join(map(containers.said, containers.names()))
    assert said
    assert not any(password in said for password in passwords)
