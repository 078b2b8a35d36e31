"""The bench: `python -m tests.bench [a] [b] … [h]` measures what is named, or everything, and prints a table.

It takes a few minutes and is no part of the checks: figures belong to the machine they are from.
"""

import sys

from tests.bench import claiming, crowding, databases, idling, leases, overlaps, posting, waking
from tests.bench.processes import machine, raise_file_limit
from tests.bench.report import table

MEASUREMENTS = {
    "a": waking.measure,
    "b": posting.measure,
    "c": idling.measure,
    "d": claiming.measure,
    "e": overlaps.measure,
    "f": leases.measure,
    "g": databases.measure,
    "h": crowding.measure,
}


def main(names: list[str]) -> None:
    """Measure and report."""
    if unknown := set(names) - MEASUREMENTS.keys():
        sys.exit(f"bench: there is no {', '.join(sorted(unknown))}; name some of {', '.join(MEASUREMENTS)}, or nothing")
    raise_file_limit()
    figures = [figure for name in names or MEASUREMENTS for figure in MEASUREMENTS[name]()]
    print(f"{machine()}\n\n{table(figures)}")


if __name__ == "__main__":
    main(sys.argv[1:])
