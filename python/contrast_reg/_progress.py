"""How far a long call is: a bar of tqdm, a callable, or nothing."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Any

from ._errors import InputError
from ._words import in_python

Sink = Callable[[dict[str, Any], bool], None]


class _Bars:
    """A bar for every piece of work, by its label."""

    def __init__(self, tqdm: Any) -> None:
        self._tqdm = tqdm
        self._bars: dict[str, Any] = {}

    def __call__(self, state: dict[str, Any], last: bool) -> None:
        label = in_python(state["label"])
        total = None if state["total"] < 0 else state["total"]
        bar = self._bars.get(label)
        if bar is None:
            size = state["unit"] == "bytes"
            bar = self._tqdm(
                desc=label,
                total=total,
                initial=state["skipped"],
                unit="B" if size else f" {state['unit']}" if state["unit"] else "it",
                unit_scale=size,
                leave=False,
            )
            self._bars[label] = bar
            # The work began before its first word.
            bar.start_t -= state["seconds"]
            bar.last_print_t = bar.start_t
        bar.total = total
        bar.set_postfix_str(in_python(state["note"]), refresh=False)
        bar.update(state["done"] - bar.n)
        bar.refresh()
        if last:
            self._bars.pop(label).close()


def _bars() -> Sink | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of widgets that a notebook may lack
            from tqdm.auto import tqdm
    except ImportError:
        return None
    return _Bars(tqdm)


def _watched() -> bool:
    """Somebody looks: a terminal, or a notebook."""
    return "ipykernel" in sys.modules or bool(sys.stderr and sys.stderr.isatty())


def progress_sink(progress: object) -> Sink | None:
    """Of "auto", True or "bar", False, None or "none", or a callable that takes a dict."""
    if progress is None or progress is False or progress == "none":
        return None
    if progress is True or progress == "bar":
        return _bars()
    if progress == "auto":
        return _bars() if _watched() else None
    if callable(progress):
        told = progress

        def tell(state: dict[str, Any], last: bool) -> None:
            words = {key: in_python(state[key]) for key in ("label", "note")}
            told({**state, **words, "last": last})

        return tell
    raise InputError(
        "not a way to show progress",
        "progress",
        found=repr(progress),
        expected='"auto", True, False, or a callable that takes a dict',
    )
