"""What goes wrong, as Python's exceptions: InputError and OSError."""

from __future__ import annotations

import difflib
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from . import _engine
from ._words import in_python, subject


def _compose(what: str, file: str, place: str, found: str, expected: str, hint: str) -> str:
    text = "".join(f"{part}: " for part in (file, place) if part) + what
    parts = []
    if found:
        parts.append(f"found {found}")
    if expected:
        parts.append(f"expected {expected}")
    if parts:
        text += ": " + ", ".join(parts)
    if hint:
        text += f" ({hint})"
    return text


class InputError(ValueError):
    """Wrong arguments or bad data: what is wrong, where, what was found and what is expected.

    Attributes
    ----------
    what, file, place, found, expected, hint : str
        The parts of the message; empty where there is nothing to say. `file` is the argument or
        the file at fault.

    Examples
    --------
    >>> import contrast_reg as cr
    >>> try:
    ...     cr.Graph([[0, 1], [1, 7]], num_nodes=3)
    ... except cr.InputError as error:
    ...     print(error)
    edge_index: node id out of range at [1, 1]: found 7, expected 0 to 2
    """

    def __init__(
        self,
        what: str,
        file: str = "",
        place: str = "",
        found: str = "",
        expected: str = "",
        hint: str = "",
    ) -> None:
        super().__init__(_compose(what, file, place, found, expected, hint))
        self.what = what
        self.file = file
        self.place = place
        self.found = found
        self.expected = expected
        self.hint = hint

    def __reduce__(self) -> tuple[type[InputError], tuple[str, ...]]:
        parts = (self.what, self.file, self.place, self.found, self.expected, self.hint)
        return (type(self), parts)


class NotFittedError(ValueError, AttributeError):
    """An attribute that only a fitted Embedder has.

    Examples
    --------
    >>> import contrast_reg as cr
    >>> hasattr(cr.Embedder("ml"), "embedding_")
    False
    """


def did_you_mean(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(known), n=3, cutoff=0.5)
    return f"did you mean {' or '.join(near)}?" if near else ""


class _Renamed(threading.local):
    """What the engine's keys are called by the function that this thread is in."""

    names: Mapping[str, str] | None = None


_renamed = _Renamed()


def _translated(error: _engine.EngineError) -> InputError | OSError:
    # What stands in quotes was somebody's own text: it stays as it is.
    found = error.found if error.found.startswith("'") else in_python(error.found)
    parts = {
        "what": in_python(error.what),
        "file": subject(error.file, _renamed.names),
        "place": error.place,
        "found": found,
        "expected": in_python(error.expected),
        "hint": in_python(error.hint),
    }
    if error.kind == "input":
        return InputError(**parts)
    failure = OSError(_compose(**parts))
    for name, text in parts.items():
        setattr(failure, name, text)
    return failure


# The engine itself raises what this makes, wherever it is called from: a user's code as well.
_engine.raise_as(_translated)


@contextmanager
def renamed_arguments(names: Mapping[str, str]) -> Iterator[None]:
    """Around a call of the engine: what its keys are called by this function."""
    before, _renamed.names = _renamed.names, names
    try:
        yield
    finally:
        _renamed.names = before
