"""Fitted models as folders and as pickles."""

from __future__ import annotations

import json
import shutil
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from . import _engine
from ._job import make_job
from ._table import defaults, rows, value_of

Model = TypeVar("Model")

_LOOKS = "calibration.jsonl"

# What a run's folder does not say, or not as it was.
_KEPT = ("graph_", "node_ids_", "n_features_in_", "loss_", "encoder_")


def _node_ids(folder: Path, count: int) -> npt.NDArray[Any]:
    for place in (folder, *sorted(folder.glob("seed-*"))):
        names = place / "nodes.tsv"
        if names.exists():
            lines = names.read_text(encoding="utf-8").split("\n")[:count]
            return np.asarray(lines, object)
    return np.arange(count)


def _parameters_of(run: _engine.Run) -> dict[str, Any]:
    """Those that give this run again: a recipe's are among them."""
    found: dict[str, Any] = {}
    for name, one in rows().items():
        text = run.config.get(one.key)
        if text is not None and (text != one.default or name == "method"):
            found[name] = value_of(name, text)
    found["recipe"] = "none"
    found["device"] = run.device
    found["precision"] = run.precision
    found["threads"] = run.threads
    found["random_state"] = run.seeds[0].seed
    return found


def looks_in(place: str, seeds: list[int]) -> list[str]:
    """calibration.jsonl of every seed; empty where there is none."""
    texts = []
    for seed in seeds:
        files = [Path(place) / f"seed-{seed}" / _LOOKS, Path(place) / _LOOKS]
        found = [file for file in files if place and file.exists()]
        texts.append(found[0].read_text(encoding="utf-8") if found else "")
    return texts


def columns_of(text: str) -> dict[str, npt.NDArray[np.float64]]:
    """Arrays over the looks; NaN where there is nothing."""
    lines = [json.loads(line) for line in text.splitlines()]
    return {
        name: np.asarray([np.nan if line[name] is None else line[name] for line in lines], float)
        for name, value in lines[-1].items()
        if value is None or isinstance(value, (int, float))
    }


@contextmanager
def place_of_looks(folder: str, every: int) -> Iterator[str]:
    """The run's folder, or one for as long as it trains."""
    if folder or not every:
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="contrast_reg-") as place:
        yield place


def save_run(model: Any, job: _engine.Job, folder: str, overwrite: bool) -> None:
    model._run.save(job, folder, overwrite)
    for seed, text in zip(model.seeds_, model._looks):
        several = Path(folder) / f"seed-{seed}"
        file = (several if several.exists() else Path(folder)) / _LOOKS
        if text and not file.exists():  # of a run that had no folder
            file.write_text(text, encoding="utf-8")


def load_into(kind: type[Model], folder: str) -> Model:
    run = _engine.load_run(make_job(), folder)
    parameters = _parameters_of(run)
    # A run of another machine's GPU can be looked at everywhere.
    if parameters["device"] != "cpu":
        parameters["device"] = "auto"
    model: Any = kind(**parameters)
    model._take(run, folder)
    model.node_ids_ = _node_ids(Path(folder), len(model.embedding_))
    fitted: Model = model
    return fitted


def state_of(model: Any) -> dict[str, Any]:
    """The parameters and, of a fitted model, the bytes of its run's files."""
    state: dict[str, Any] = {"parameters": {name: getattr(model, name) for name in defaults()}}
    if "embedding_" not in model.__dict__:
        return state
    with tempfile.TemporaryDirectory(prefix="contrast_reg-") as place:
        folder = Path(place) / "run"
        save_run(model, make_job(), str(folder), False)
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        state["files"] = {str(path.relative_to(folder)): path.read_bytes() for path in files}
    state["kept"] = {name: model.__dict__[name] for name in _KEPT if name in model.__dict__}
    return state


def restore(model: Any, state: dict[str, Any]) -> None:
    for name, value in {**defaults(), **state["parameters"]}.items():
        setattr(model, name, value)
    if "files" not in state:
        return
    # The folder stays for as long as the model: its files may be mapped.
    place = tempfile.mkdtemp(prefix="contrast_reg-")
    weakref.finalize(model, shutil.rmtree, place, ignore_errors=True)
    folder = Path(place) / "run"
    for name, content in state["files"].items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    run = _engine.load_run(make_job(), str(folder))
    model._take(run, str(folder))
    for name, value in state["kept"].items():
        setattr(model, name, value)
