"""The engine's table of parameters as keywords: their names, texts and help."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import torch

from . import _engine
from ._errors import InputError
from ._words import in_python, keyword

# How a run computes, beside the table: keyword, default, help.
COMPUTING: tuple[tuple[str, object, str], ...] = (
    ("device", "auto", '"auto" (a GPU where there is one), "cpu", "cuda", "cuda:1"'),
    ("precision", "fp32", '"fp32", "tf32" or "bf16": of products on a GPU'),
    ("threads", None, "how many threads; None: all cores. The same number gives the same bytes"),
    ("random_state", 0, "the seed of every draw; None is 0"),
    ("progress", "auto", '"auto", True or "bar", False or None, or a callable that takes a dict'),
    ("recipe", None, 'a recipe file, "none", or None: the shipped one of method and dataset'),
)


@lru_cache(maxsize=1)
def rows() -> dict[str, _engine.Parameter]:
    """By keyword, in the table's order: method first."""
    found = {keyword(one.key): one for one in _engine.parameters()}
    for method in _engine.methods():
        for one in method.parameters:
            found.setdefault(keyword(one.key), one)
    first = ("method", "regulariser", "dim")
    return {name: found[name] for name in (*first, *(n for n in found if n not in first))}


@lru_cache(maxsize=1)
def defaults() -> dict[str, object]:
    """Of every keyword of Embedder. None: the recipe's or the engine's own default."""
    found: dict[str, object] = {name: None for name in rows()}
    found["method"] = "ml"
    return {**found, **{name: value for name, value, _ in COMPUTING}}


def help_of(one: _engine.Parameter) -> str:
    words = in_python(one.help)
    return f"{', '.join(one.methods)}: {words}" if one.methods else words


def values_of(one: _engine.Parameter) -> str:
    return "True or False" if one.truth else one.values.replace("|", ", ")


def numpydoc() -> str:
    """The section Parameters of Embedder's docstring."""
    lines = ["Parameters", "----------"]
    for name, one in rows().items():
        if name == "method":
            lines.append("method : str, callable or torch.nn.Module, default 'ml'")
            lines.append(f"    {help_of(one)}: {values_of(one)}; or a loss of one's own, loss(h, step)")
            continue
        own = ", or a torch.nn.Module" if name == "encoder" else ""
        lines.append(f"{name} : {values_of(one)}{own}; default {one.default}")
        lines.append(f"    {help_of(one)}")
    for name, default, words in COMPUTING:
        lines.append(f"{name} : default {default!r}")
        lines.append(f"    {words}")
    return "\n".join(lines)


def text_of(name: str, value: Any) -> str:
    """A value as the engine reads it."""
    one = rows().get(name)
    if one is not None and one.truth:
        return _truth(name, value)
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (np.ndarray, torch.Tensor)):
        value = value.tolist()
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        number = float(value.item() if isinstance(value, np.generic) else value)
        whole = math.isfinite(number) and number == int(number) and abs(number) < 1e15
        return str(int(number)) if whole else repr(number)
    if isinstance(value, (list, tuple)):
        return ",".join(text_of(name, one) for one in value)
    raise InputError(
        "not a value of a parameter",
        name,
        found=type(value).__name__,
        expected=values_of(rows()[name]) if name in rows() else "",
    )


def _truth(name: str, value: Any) -> str:
    if isinstance(value, str) and value in ("true", "false"):
        return value
    if isinstance(value, (bool, np.bool_, numbers.Integral)) and int(value) in (0, 1):
        return "true" if value else "false"
    raise InputError("not a truth", name, found=repr(value), expected="True or False")


def value_of(name: str, text: str) -> Any:
    """The text of a configuration as a value of Python."""
    one = rows().get(name)
    if one is not None and one.truth:
        return text == "true"
    for kind in (int, float):
        read: Callable[[str], Any] = kind
        try:
            return read(text)
        except ValueError:
            continue
    return text


def settings_of(parameters: dict[str, Any]) -> dict[str, str]:
    """What was set, by the engine's keys."""
    found = {}
    for name, one in rows().items():
        value = parameters.get(name)
        if value is not None:
            found[one.key] = text_of(name, value)
    return found


def values_of_config(config: dict[str, str]) -> dict[str, Any]:
    return {keyword(key): value_of(keyword(key), text) for key, text in config.items()}


def methods() -> dict[str, str]:
    """The methods that `Embedder` knows by name, and what each contrasts.

    Examples
    --------
    >>> import contrast_reg as cr
    >>> "grace" in cr.methods()
    True
    """
    return {one.name: one.about for one in _engine.methods()}
