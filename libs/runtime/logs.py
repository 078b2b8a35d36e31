"""Structured logs: one line per event with caller and command id, and never a token."""

from __future__ import annotations

import logging
import re
import sys
from typing import Any

import structlog

TOKEN = re.compile(r"prk_[a-z]+_[A-Za-z0-9_-]{8,}")


def start_logging(service: str, level: str, fmt: str = "json") -> None:
    """Send our events, and the warnings of the libraries, to standard error.

    Libraries stay silent below a warning whatever our level: at debug they print what passes through them.
    """
    threshold = logging.getLevelNamesMapping()[level.upper()]
    known: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    written = [*_written(fmt), _hide_tokens]
    structlog.configure(
        processors=[*known, *written],
        wrapper_class=structlog.make_filtering_bound_logger(threshold),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    structlog.contextvars.bind_contextvars(service=service)
    formatter = structlog.stdlib.ProcessorFormatter
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter(processors=[formatter.remove_processors_meta, *written], foreign_pre_chain=known))
    logging.basicConfig(handlers=[handler], level=max(threshold, logging.WARNING), force=True)


def _written(fmt: str) -> list[Any]:
    """What makes a line of an event. Tracebacks never show the values of variables."""
    if fmt == "console":
        return [structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)]
    return [_name_caller, structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]


def _name_caller(logger: object, method: str, event: dict[str, Any]) -> dict[str, Any]:
    """Every line says on whose behalf and for which command it was written; null: for none."""
    return {"caller": None, "command": None, **event}


def _hide_tokens(logger: object, method: str, line: str) -> str:
    """A token that strays into an event, or into the text of an exception, never reaches the log."""
    return TOKEN.sub("prk_…", line)
