"""Structured logs: one line per event with caller and command id, and never a token."""

from __future__ import annotations

import logging
import re
import sys
from typing import Any

import structlog

TOKEN = re.compile(r"prk_[a-z]+_[A-Za-z0-9_-]{8,}")


def start_logging(service: str, level: str, fmt: str = "json") -> None:
    """Send our events and those of the libraries to standard error."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        _hide_tokens,
    ]
    renderer: Any = structlog.dev.ConsoleRenderer() if fmt == "console" else structlog.processors.JSONRenderer()
    threshold = logging.getLevelNamesMapping()[level.upper()]
    structlog.configure(
        processors=[*shared, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(threshold),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    structlog.contextvars.bind_contextvars(service=service)
    handler = logging.StreamHandler(sys.stderr)
    chain: list[Any] = [_drop_meta, renderer]
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(processors=chain, foreign_pre_chain=shared))
    logging.basicConfig(handlers=[handler], level=threshold, force=True)
    for name in ("uvicorn.error", "uvicorn.access", "aiosqlite", "httpcore", "faststream"):
        logging.getLogger(name).setLevel(max(threshold, logging.WARNING))


def _hide_tokens(logger: object, method: str, event: dict[str, Any]) -> dict[str, Any]:
    """A token that strays into an event never reaches the log."""
    return {
        key: TOKEN.sub("prk_…", value) if isinstance(value, str) and "prk_" in value else value
        for key, value in event.items()
    }


def _drop_meta(logger: object, method: str, event: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in event.items() if key not in ("_record", "_from_structlog")}
