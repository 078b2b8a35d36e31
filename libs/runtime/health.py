"""`python -m libs.runtime.health [--alive]`: the health check of a container, which asks the service beside it.

It ends with 0 when the service is ready (with `--alive`: when its loop runs), else with 1 and one sentence.
"""

from __future__ import annotations

import json
import os
import sys
import urllib.error
import urllib.request

ANSWER_SECONDS = 4.0


def trouble(port: str, *, alive: bool = False) -> str | None:
    """Why the service whose health port this is does not do its work; None when it does."""
    if not port.isdecimal() or port == "0":
        return "set PRICKLE_HEALTH_PORT to the port on which the service answers"
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        direct.open(f"http://127.0.0.1:{port}/{'healthz' if alive else 'readyz'}", timeout=ANSWER_SECONDS).close()
    except urllib.error.HTTPError as refused:
        return f"the service is not ready: {_reasons(refused)}"
    except OSError:
        return f"nothing answers health checks on port {port}"
    return None


def _reasons(refused: urllib.error.HTTPError) -> str:
    try:
        return ", ".join(json.load(refused)["because"])
    except (ValueError, KeyError, TypeError, OSError):
        return f"it answers {refused.code}"


def main() -> int:
    """The exit code of the check."""
    found = trouble(os.environ.get("PRICKLE_HEALTH_PORT", ""), alive="--alive" in sys.argv[1:])
    if found is not None:
        sys.stderr.write(f"prickle: {found}\n")
    return int(found is not None)


if __name__ == "__main__":
    sys.exit(main())
