"""The demo: a small team with a project, and the main job played by two of its agents."""

from libs.runtime.demo.play import play
from libs.runtime.demo.seed import Demo, seed

__all__ = ["Demo", "play", "seed"]
