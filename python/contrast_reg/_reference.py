"""What is written from the engine's table: `python -m contrast_reg._reference types|page`."""

from __future__ import annotations

import re
import sys

from . import _engine
from ._table import COMPUTING, help_of, rows, value_of, values_of

_COMPUTING_TYPES = {
    "device": "object",
    "precision": "str",
    "threads": "int | None",
    "random_state": "int | None",
    "progress": "object",
    "recipe": "str | os.PathLike[str] | None",
}


def type_of(one: _engine.Parameter) -> str:
    """As a type checker sees it; None is the default of all."""
    if one.truth:
        return "bool | None"
    if one.values.startswith("N,N"):
        return "Sequence[int] | int | str | None"
    ranges = re.findall(r"(?:^|\|)-?[\d.e+-]+\.\.[\d.e+-]+", one.values)
    if not ranges:
        return "str | None"
    number = "int" if one.whole else "float"
    return f"{number} | None" if "|" not in one.values else f"{number} | str | None"


def _types() -> dict[str, str]:
    found = {name: type_of(one) for name, one in rows().items()}
    found["method"] = "str | torch.nn.Module | Callable[[torch.Tensor, Step], torch.Tensor]"
    found["encoder"] = "str | torch.nn.Module | None"
    return {**found, **_COMPUTING_TYPES}


def typed_keywords() -> str:
    """_keywords.pyi."""
    types = _types()
    values = {name: repr(default) for name, default, _ in COMPUTING}
    lines = [
        "# Written by `python -m contrast_reg._reference types` from the engine's table.",
        "import os",
        "from collections.abc import Callable, Sequence",
        "from typing import Any, Self",
        "",
        "import torch",
        "",
        "from ._losses import Step",
        "",
        "class Keywords:",
    ]
    lines += [f"    {name}: {kind}" for name, kind in types.items()]
    lines += ["    def __init__(", "        self,"]
    for name, kind in types.items():
        default = '"ml"' if name == "method" else values.get(name, "None").replace("'", '"')
        lines.append(f"        {name}: {kind} = {default},")
        if name == "method":
            lines.append("        *,")
    lines += [
        "    ) -> None: ...",
        "    def get_params(self, deep: bool = True) -> dict[str, Any]: ...",
        "    def set_params(self, **parameters: Any) -> Self: ...",
    ]
    return "\n".join(lines) + "\n"


def page() -> str:
    """docs/python-keywords.md."""
    lines = [
        "# Keywords of `Embedder`",
        "",
        "Every parameter of a run; what is not set comes from the recipe, else is the default "
        "here. `python3 -m contrast_reg._reference page` prints this page.",
    ]
    group = ""
    groups = [one.group for one in _engine.parameters()]
    for name, one in sorted(rows().items(), key=lambda row: groups.index(row[1].group)):
        if one.group != group:
            group = one.group
            lines += ["", f"## {group}", "", "| keyword | values | default | what it does |"]
            lines.append("|---|---|---|---|")
        choice = values_of(one).replace("|", "\\|")
        default = repr(value_of(name, one.default)).replace("'", '"')
        lines.append(f"| `{name}` | {choice} | `{default}` | {help_of(one)} |")
    lines += ["", "## Computing", "", "| keyword | default | what it does |", "|---|---|---|"]
    lines += [f"| `{name}` | `{default!r}` | {words} |" for name, default, words in COMPUTING]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(page() if sys.argv[1:] == ["page"] else typed_keywords())
