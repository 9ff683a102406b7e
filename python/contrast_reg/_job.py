"""How a call computes: device, precision, threads, seed, and who hears of it."""

from __future__ import annotations

import operator
from typing import SupportsFloat, SupportsIndex, cast

from . import _engine
from ._errors import InputError
from ._logging import log
from ._progress import progress_sink


_MOST = 2**31 - 1  # what the engine counts to


def whole_number(value: object, name: str, least: int = 0, most: int = _MOST) -> int:
    """An int of Python or numpy; True is none."""
    try:
        if isinstance(value, bool):
            raise TypeError
        number = operator.index(cast(SupportsIndex, value))
    except TypeError:
        raise InputError(
            "not a whole number", name, found=repr(value), expected=f"{least} or more"
        ) from None
    if number < least:
        raise InputError("out of range", name, found=str(number), expected=f"{least} or more")
    if number > most:
        raise InputError("out of range", name, found=str(number), expected=f"at most {most}")
    return number


def real_number(value: object, name: str) -> float:
    """A number of Python, numpy or a tensor of one value; a text is none."""
    try:
        if isinstance(value, (str, bytes, bool)):
            raise TypeError
        return float(cast(SupportsFloat, value))
    except (TypeError, ValueError, RuntimeError):
        raise InputError("not a number", name, found=repr(value), expected="a number") from None


def word(value: object, name: str) -> str:
    if isinstance(value, str):
        return value
    raise InputError("not a word", name, found=repr(value), expected="a str")


def make_job(
    *,
    device: object = "cpu",
    precision: str = "fp32",
    threads: int | None = None,
    random_state: int | None = 0,
    progress: object = None,
) -> _engine.Job:
    count = 0 if threads is None else whole_number(threads, "threads", 1)
    seed = 0 if random_state is None else whole_number(random_state, "random_state", 0, 2**64 - 1)
    return _engine.Job(
        device=str(device),  # a torch.device too
        precision=word(precision, "precision"),
        threads=count,
        seed=seed,
        log=log,
        progress=progress_sink(progress),
    )


def quiet_job() -> _engine.Job:
    """On the CPU, with nothing to show: for what takes an instant."""
    return make_job()
