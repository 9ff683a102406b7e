"""The keywords of Embedder, from the engine's table; _keywords.pyi has them for type checkers."""

from __future__ import annotations

import inspect
from typing import Any

from ._errors import InputError, did_you_mean
from ._table import defaults
from ._words import keyword


class Keywords:
    """get_params and set_params as scikit-learn has them: arguments are stored as they are."""

    def __init__(self, method: Any = "ml", **parameters: Any) -> None:
        known = defaults()
        for name in parameters:
            if name not in known:
                near = did_you_mean(keyword(name), known)
                raise TypeError(
                    f"Embedder() has no keyword {name!r}" + (f": {near}" if near else "")
                )
        self.method = method
        for name, default in known.items():
            if name != "method":
                setattr(self, name, parameters.get(name, default))

    __init__.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD),
            inspect.Parameter(
                "method", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=defaults()["method"]
            ),
            *(
                inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
                for name, default in defaults().items()
                if name != "method"
            ),
        ]
    )

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The keywords and their values."""
        return {name: getattr(self, name) for name in defaults()}

    def set_params(self, **parameters: Any) -> Any:
        """Sets keywords, and returns the same object."""
        for name in parameters:
            if name not in defaults():
                raise InputError(
                    "no such parameter", found=repr(name), hint=did_you_mean(name, defaults())
                )
        for name, value in parameters.items():
            setattr(self, name, value)
        return self
