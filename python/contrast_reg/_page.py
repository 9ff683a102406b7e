"""Pages and maps to look at embeddings."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from . import _engine
from ._arrays import dense_floats
from ._errors import InputError, renamed_arguments
from ._html import table
from ._job import make_job, real_number, whole_number
from ._types import Floats
from .embedder import Embedder, _check_graph
from .graph import Graph


class Report(os.PathLike[str]):
    """What `report` returns: a path that knows what the page shows.

    Attributes
    ----------
    path : pathlib.Path, of the page
    title : str
    runs : list of dict, a row of the page each: run, method, reg, dataset, seeds, map_nodes, notes
    """

    def __init__(self, body: dict[str, Any]) -> None:
        self.path = Path(body["out"])
        self.title: str = body["title"]
        self.runs: list[dict[str, Any]] = body["runs"]

    def __fspath__(self) -> str:
        return os.fspath(self.path)

    def __repr__(self) -> str:
        return f"Report({str(self.path)!r}, {', '.join(one['run'] for one in self.runs)})"

    def _repr_html_(self) -> str:
        said = [(one["run"], f"{one['method']} on {one['dataset']}") for one in self.runs]
        link = f'<a href="{escape(str(self.path))}" target="_blank">{escape(str(self.path))}</a>'
        return f"<div>{table(self.title, said)}{link}</div>"


def _named(runs: Any) -> list[tuple[str, Any]]:
    """Names, where there are any, and runs."""
    if isinstance(runs, (Embedder, str, os.PathLike)):
        return [("", runs)]
    if isinstance(runs, Mapping):
        return [(str(name), run) for name, run in runs.items()]
    if isinstance(runs, Iterable):
        return [("", run) for run in runs]
    raise InputError(
        "nothing to report on",
        "runs",
        found=type(runs).__name__,
        expected="an Embedder, the folder of a run, or several of them",
    )


def _words(names: Sequence[str], what: str) -> list[str]:
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise InputError("not a list of names", what, found=repr(names))
    return list(names)


def _name_of(model: Embedder, taken: set[str]) -> str:
    """Such as "ml contrast", with a number where that is another's already."""
    method = model.config_["method"]
    plain = name = f"{method} {model.config_.get('regulariser', '')}".strip()
    number = 1
    while name in taken:
        number += 1
        name = f"{plain} {number}"
    return name


def report(
    runs: Any,
    out: str | os.PathLike[str] = "report.html",
    *,
    graph: Graph | None = None,
    title: str | None = None,
    map: str = "tsne",
    map_nodes: int = 28_000,
    baselines: bool = True,
    data_dir: str | os.PathLike[str] | None = None,
    methods: Sequence[str] = (),
    datasets: Sequence[str] = (),
    most_runs: int = 12,
    random_state: int = 0,
    device: str = "auto",
    threads: int | None = None,
    progress: object = None,
) -> Report:
    """Writes one self-contained page of runs: figures, curves, calibration, a map to search.

    Parameters
    ----------
    runs : a fitted Embedder, the folder of a run, the store of `creg reproduce`, or several: a list,
        or a dict by their names
    out : the file to write
    graph : what runs in folders were trained on, where their dataset was in memory; that of a model
        is known where it was fitted
    title : default one that names the datasets
    map : "tsne", "pca", or "none"
    map_nodes : the most nodes on all maps together; of more, some are drawn by random_state
    baselines : also the classifier on the features alone
    data_dir : of named datasets
    methods, datasets : of a store show the runs of these in full; default all
    most_runs : the most settings of a store to show in full; its tables have all

    Examples
    --------
    >>> import contrast_reg as cr, tempfile
    >>> graph = cr.load_dataset("synthetic:cora@0.1")
    >>> models = {reg: cr.Embedder(regulariser=reg, dim=8, epochs=2).fit(graph) for reg in ("none", "contrast")}
    >>> with tempfile.TemporaryDirectory() as place:
    ...     page = cr.report(models, place + "/report.html", map="pca")  # doctest: +SKIP
    """
    if map not in ("tsne", "pca", "none"):
        raise InputError("unknown map", "map", found=repr(map), expected='"tsne", "pca" or "none"')
    if graph is not None:
        _check_graph(graph)
    given = _named(runs)
    if not given:
        raise InputError("nothing to report on", "runs", expected="one or more")
    nodes = whole_number(map_nodes, "map_nodes", 1)
    most = whole_number(most_runs, "most_runs", 0)
    job = make_job(device=device, threads=threads, random_state=random_state, progress=progress)
    with tempfile.TemporaryDirectory(prefix="contrast_reg-") as place:
        sources: list[tuple[str, str, _engine.Graph | None]] = []
        taken = {name for name, _ in given}
        for name, run in given:
            known = graph
            if isinstance(run, Embedder):
                kept = run._fitted()
                known = run.__dict__.get("graph_", graph)
                name = name or _name_of(run, taken)
                taken.add(name)
                folder = kept.folder
                if not folder:
                    folder = os.path.join(place, str(len(sources)))
                    run.save(folder)
            else:
                folder = os.fspath(run)
            sources.append((folder, name, None if known is None else known._engine_graph))
        with renamed_arguments({"--out": "out"}):
            body = _engine.report(
                job,
                sources,
                os.fspath(out),
                title=title or "",
                maps=map != "none",
                tsne=map == "tsne",
                map_nodes=nodes,
                baselines=bool(baselines),
                data_dir="" if data_dir is None else os.fspath(data_dir),
                methods=_words(methods, "methods"),
                datasets=_words(datasets, "datasets"),
                most_runs=most,
            )
    return Report(body)


def tsne(
    z: Any,
    *,
    perplexity: float = 30.0,
    device: str = "cpu",
    threads: int | None = None,
    progress: object = None,
) -> Floats:
    """A point [N, 2] for every row: near rows are near each other. The map of `report`.

    The same bytes whatever the number of threads; no seed is needed.

    Parameters
    ----------
    z : array [N, dim], tensor, or a fitted Embedder, of which the first seed is taken
    perplexity : about how many neighbours count for a row

    Examples
    --------
    >>> import contrast_reg as cr
    >>> z = cr.Embedder(dim=8, epochs=1).fit_transform(cr.load_dataset("synthetic:cora@0.1"))
    >>> cr.tsne(z).shape == (len(z), 2)
    True
    """
    rows = dense_floats(z.embedding_ if isinstance(z, Embedder) else z, "z")
    perplexity = real_number(perplexity, "perplexity")
    if not 1 <= perplexity < 1e6:
        raise InputError("out of range", "perplexity", found=repr(perplexity), expected="1 or more")
    return _engine.tsne(
        make_job(device=device, threads=threads, progress=progress),
        rows,
        perplexity=perplexity,
    )
