"""The engine's messages, as records of `logging.getLogger("contrast_reg")`."""

from __future__ import annotations

import logging

from ._words import in_python

logger = logging.getLogger("contrast_reg")

_LEVELS = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "notice": logging.INFO,
    "warning": logging.WARNING,
}


def log(level: str, message: str) -> None:
    number = _LEVELS.get(level, logging.INFO)
    if logger.isEnabledFor(number):
        logger.log(number, "%s", in_python(message))
