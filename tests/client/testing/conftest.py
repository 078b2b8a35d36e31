"""Fixtures of the tests of `prickle.testing`."""

from tests.images import image

__all__ = ["image"]
