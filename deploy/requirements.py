"""Prints what the hub and its client need from elsewhere: an image's layer of libraries outlives our changes."""

import tomllib
from pathlib import Path

for project in (Path("pyproject.toml"), Path("libs/client/pyproject.toml")):
    needed = tomllib.loads(project.read_text())["project"]["dependencies"]
    print(*(need for need in needed if need != "prickle"), sep="\n")
