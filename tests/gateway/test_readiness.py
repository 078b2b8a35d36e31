"""A gateway that drains tells its platform, so that it gets no new calls."""

from __future__ import annotations

import httpx

from tests.site import Site

SERVICES = ("rooms",)


async def test_a_gateway_that_drains_is_alive_and_not_ready(site: Site) -> None:
    async with httpx.AsyncClient(base_url=site.gateway.url.removesuffix("/mcp")) as http:
        assert (await http.get("/readyz")).json() == {"status": "ready"}
        site.gateway.app.gateway.drain()
        refused = await http.get("/readyz")
        assert (refused.status_code, refused.json()["because"]) == (503, ["it is stopping"])
        assert (await http.get("/healthz")).status_code == 200
