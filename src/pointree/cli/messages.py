"""Notices and warnings of the package, as single lines on standard error."""

from __future__ import annotations

import logging

import typer

__all__ = ["show_messages", "silence"]


class _Messages(logging.Handler):
    """Writes notices and warnings of the package as single lines to standard error."""

    def emit(self, record: logging.LogRecord) -> None:
        kind = "notice" if record.levelno < logging.WARNING else "warning"
        typer.echo(f"pointree: {kind}: {record.getMessage()}", err=True)


def show_messages() -> None:
    """Show the notices and warnings of the package on standard error."""
    logger = logging.getLogger("pointree.messages")
    logger.setLevel(logging.INFO)
    logger.propagate = False
    if not any(isinstance(handler, _Messages) for handler in logger.handlers):
        logger.addHandler(_Messages())


def silence() -> None:
    """Show neither notices nor warnings from now on."""
    logging.getLogger("pointree.messages").setLevel(logging.ERROR)
