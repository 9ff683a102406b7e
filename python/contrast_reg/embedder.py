"""Embedder: embeddings of a graph's nodes, by scikit-learn's conventions."""

from __future__ import annotations

import dataclasses
import inspect
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import torch

from . import _engine, _persist
from ._encoders import EncoderMaker, check_encoder
from ._errors import InputError, NotFittedError
from ._html import curve, table
from ._job import make_job, whole_number
from ._keywords import Keywords
from ._logging import logger
from ._losses import LossMaker
from ._neighbors import Neighbors, rows_of_nodes
from ._table import defaults, methods, numpydoc, settings_of, values_of_config
from .graph import Graph

if TYPE_CHECKING:
    from ._page import Report

_FITTED = {
    "embedding_": "ndarray [N, dim], of the first seed",
    "embeddings_": "one such array per seed",
    "seeds_": "the seeds",
    "history_": "dict of arrays over the epochs: loss, contrast, regulariser, positive_sigma, …",
    "best_epoch_": "the epoch that was kept",
    "n_epochs_": "how many were trained",
    "node_ids_": "what the rows are called",
    "n_features_in_": "columns of the features",
    "graph_": "the graph",
    "config_": "every parameter as it was, recipe and defaults filled in",
    "seconds_": "of training, over all seeds",
    "loss_": "the trained module of the first seed, where method is a module",
    "encoder_": "likewise, where encoder is a module",
    "calibration_": "dict of arrays, of fit(calibrate=N): epoch, ece, ece_positive, norm_mean, …",
}


@dataclasses.dataclass(frozen=True)
class Epoch:
    """What a callback gets after every epoch.

    Examples
    --------
    >>> import contrast_reg as cr
    >>> seen = []
    >>> graph = cr.load_dataset("synthetic:cora@0.1")
    >>> m = cr.Embedder(dim=8, epochs=2).fit(graph, callback=lambda e: seen.append(e.epoch))
    >>> seen
    [0, 1]
    """

    seed: int
    epoch: int
    loss: float
    contrast: float = float("nan")
    regulariser: float = float("nan")
    positive_sigma: float = float("nan")
    negative_sigma: float = float("nan")
    norm_mean: float = float("nan")
    norm_variance: float = float("nan")
    anchors: int = 0
    lr: float = float("nan")
    ratio: float = float("nan")
    val_accuracy: float | None = None
    calibration_score: float | None = None
    seconds: float = float("nan")


_EPOCH_KEYS = {field.name for field in dataclasses.fields(Epoch)}


def _told(callback: Callable[[Epoch], object]) -> Callable[[int, dict[str, Any]], None]:
    def tell(seed: int, statistics: dict[str, Any]) -> None:
        known = {key: value for key, value in statistics.items() if key in _EPOCH_KEYS - {"seed"}}
        callback(Epoch(seed=seed, **known))

    return tell


@dataclasses.dataclass
class _OwnParts:
    """What a model brings along."""

    loss: LossMaker | None = None
    encoder: EncoderMaker | None = None

    def engine_loss(self) -> _engine.Loss | None:
        return None if self.loss is None else self.loss.engine_loss()

    def engine_encoder(self) -> _engine.Encoder | None:
        return None if self.encoder is None else self.encoder.engine_encoder()


def _own_parts(model: Embedder) -> _OwnParts:
    """All but the loss, which belongs to a graph and a device."""
    encoder: Any = model.encoder
    if encoder is None or isinstance(encoder, str):
        return _OwnParts()
    check_encoder(encoder)
    return _OwnParts(encoder=EncoderMaker(encoder))


class Embedder(Keywords):
    """Embeddings of a graph's nodes by contrastive learning, calibrated by Contrast-Reg.

    It follows scikit-learn's conventions with a `Graph` in place of X: the constructor keeps its
    arguments as they are, `fit` checks them, what was learnt ends with an underscore. The
    embedding has the bytes that `creg train` gives with the same settings, seed and threads.

    A loss of one's own is a function `loss(h, step)` of the embeddings and a `Step`, or a
    torch.nn.Module that is called so. An encoder of one's own is a torch.nn.Module that is called
    with the features [N, F] and a `contrast_reg.ops.SparseMatrix`, the normalised adjacency with
    self loops, and returns the embeddings [N, dim]. Of a module every run trains a copy in
    float32; its parameters and buffers (running means, counters) are checkpointed.

    None is the default of a keyword, the recipe's where there is one: regulariser=None trains with
    Contrast-Reg where the method has it, "none" without.

    Examples
    --------
    >>> import contrast_reg as cr
    >>> graph = cr.load_dataset("synthetic:cora@0.1")
    >>> m = cr.Embedder("ml", regulariser="contrast", dim=16, epochs=3)
    >>> m.fit_transform(graph).shape == (graph.num_nodes, 16)
    True
    """

    _run: _engine.Run
    _looks: list[str]  # calibration.jsonl of each seed; empty: none
    embedding_: npt.NDArray[np.float32]
    embeddings_: list[npt.NDArray[np.float32]]
    seeds_: list[int]
    history_: dict[str, npt.NDArray[Any]]
    best_epoch_: int
    n_epochs_: int
    node_ids_: npt.NDArray[Any]
    n_features_in_: int
    graph_: Graph
    config_: dict[str, Any]
    seconds_: float
    loss_: Any
    encoder_: Any
    calibration_: dict[str, npt.NDArray[np.float64]]

    def fit(
        self,
        graph: Graph,
        y: object = None,
        *,
        callback: Callable[[Epoch], object] | None = None,
        seeds: int | None = None,
        out: str | os.PathLike[str] | None = None,
        overwrite: bool = False,
        resume: bool = False,
        calibrate: int | None = None,
        tensorboard: bool = False,
        distributed: bool = False,
    ) -> Embedder:
        """Learns embeddings of the graph's nodes.

        Ctrl-C, or a notebook's interrupt, ends training after the epoch with KeyboardInterrupt.
        With `out` the run goes on from there by `resume=True`, to the same bytes; without it, and
        with one seed, the model is fitted with what there is.

        Parameters
        ----------
        graph : the graph; nothing of it is copied
        y : ignored; labels are the graph's, and few methods look at them
        callback : called with an `Epoch` after every epoch
        seeds : None: random_state alone; N: the seeds 0 … N-1, side by side where memory allows
        out : folder that the run is kept in while it trains, as `creg train` keeps it
        overwrite : first remove the run that `out` holds
        resume : go on with the run that `out` holds
        calibrate : look at the calibration before the first epoch, after every so many and after
            the last: `calibration_`, and calibration.jsonl in `out`
        tensorboard : also write what is measured to `out` as an event file
        distributed : share the batches (batch_size) with the other processes that torchrun, mpirun
            or srun started, each of which calls this. All of them have the embedding that one
            process would; rank 0 alone writes `out`, calls back and shows progress

        Examples
        --------
        >>> import contrast_reg as cr
        >>> cr.Embedder("dgi", dim=8, epochs=2).fit(cr.load_dataset("synthetic:cora@0.1"))
        Embedder(method='dgi', dim=8, epochs=2)
        """
        _check_graph(graph)
        if resume and out is None:
            raise InputError("there is nothing to resume", "resume", expected="the run's folder, out")
        if callback is not None and not callable(callback):
            raise InputError("not callable", "callback", found=repr(callback))
        if tensorboard and out is None:
            raise InputError("an event file wants a place", "tensorboard", expected="a folder, out")
        looks = 0 if calibrate is None else whole_number(calibrate, "calibrate", 1)
        job = self._job()
        settings, own = self._settings(job, graph)
        folder = "" if out is None else os.fspath(out)
        with _persist.place_of_looks(folder, looks) as place:
            try:
                run = _engine.train(
                    job,
                    graph._engine_graph,
                    settings,
                    loss=own.engine_loss(),
                    encoder=own.engine_encoder(),
                    recipe=self._recipe(),
                    seeds=0 if seeds is None else whole_number(seeds, "seeds", 1),
                    out=folder,
                    overwrite=bool(overwrite),
                    resume=bool(resume),
                    # The folder is the one that the command writes, judged where there are labels.
                    evaluate=bool(folder) and graph.num_classes > 0,
                    calibrate=looks,
                    calibration_folder="" if folder else place,
                    tensorboard=bool(tensorboard),
                    distributed=bool(distributed),
                    callback=None if callback is None else _told(callback),
                )
            except KeyboardInterrupt as stop:
                # A run without a folder comes along with it.
                stopped: _engine.Run | None = getattr(stop, "run", None)
                if stopped is not None:
                    self._learnt(stopped, graph, own, place)
                    logger.info("stopped after epoch %d; the model is what it was then", self.n_epochs_)
                elif folder:
                    logger.info("stopped; fit(graph, out=%r, resume=True) goes on", folder)
                raise
            self._learnt(run, graph, own, place)
        return self

    def fit_transform(
        self, graph: Graph, y: object = None, **options: Any
    ) -> npt.NDArray[np.float32]:
        """`fit`, with its keywords, and the embedding [N, dim].

        Examples
        --------
        >>> import contrast_reg as cr
        >>> cr.Embedder(dim=8, epochs=1).fit_transform(cr.load_dataset("synthetic:cora@0.1")).dtype
        dtype('float32')
        """
        return self.fit(graph, y, **options).embedding_

    def transform(self, graph: Graph, nodes: Any = None) -> npt.NDArray[np.float32]:
        """Embeddings of a graph with the same features, by the first seed's encoder.

        Parameters
        ----------
        graph : the one that was fitted, or another one with the same columns of features
        nodes : an id or a list of such, whose rows come in this order; default all. An encoder that
            looks at neighbourhoods looks at theirs alone.

        Examples
        --------
        >>> import contrast_reg as cr
        >>> graph = cr.load_dataset("synthetic:cora@0.1")
        >>> cr.Embedder(dim=8, epochs=1).fit(graph).transform(graph).shape[1]
        8
        """
        _check_graph(graph)
        run = self._fitted()
        return run.embed(
            self._job(),
            graph._engine_graph,
            encoder=_own_parts(self).engine_encoder(),
            nodes=None if nodes is None else rows_of_nodes(graph.node_ids, nodes),
        )

    def plan(self, graph: Graph, *, seeds: int | None = None) -> dict[str, Any]:
        """What `fit` would do: config, recipe, sizes, memory in bytes, threads.

        Examples
        --------
        >>> import contrast_reg as cr
        >>> cr.Embedder(dim=8).plan(cr.load_dataset("synthetic:cora@0.1"))["memory"] > 0
        True
        """
        _check_graph(graph)
        for name in ("method", "encoder"):
            if not isinstance(getattr(self, name), (str, type(None))):
                raise InputError("a part of one's own cannot be planned", name, expected="a name")
        job = self._job()
        settings, _ = self._settings(job, graph)
        count = 0 if seeds is None else whole_number(seeds, "seeds", 1)
        found = _engine.plan(
            job, graph._engine_graph, settings, recipe=self._recipe(), seeds=count
        )
        return {**found, "config": values_of_config(found["config"])}

    def to_frame(self) -> Any:
        """The embedding as a pandas DataFrame, a row per node by its id.

        Examples
        --------
        >>> import contrast_reg as cr
        >>> m = cr.Embedder(dim=2, epochs=1).fit(cr.load_dataset("synthetic:cora@0.1"))
        >>> list(m.to_frame().columns)
        ['z0', 'z1']
        """
        import pandas as pd

        rows = self.embedding_
        index = pd.Index(self.node_ids_, name="node", tupleize_cols=False)
        columns = [f"z{i}" for i in range(rows.shape[1])]
        return pd.DataFrame(rows, index=index, columns=columns, copy=False)

    def neighbors(self, nodes: Any = None, k: int = 10, **options: Any) -> Neighbors:
        """The most similar nodes of nodes, by the first seed's embedding: `contrast_reg.neighbors`.

        Edges are known where this object was fitted; one that was loaded takes `graph=`.

        Examples
        --------
        >>> import contrast_reg as cr
        >>> graph = cr.load_dataset("synthetic:cora@0.1")
        >>> cr.Embedder(dim=8, epochs=1).fit(graph).neighbors([0, 5], k=3).indices.shape
        (2, 3)
        """
        from .tasks import neighbors

        self._fitted()
        graph = options.pop("graph", self.__dict__.get("graph_"))
        return neighbors(graph, self, nodes, k, **options)

    def plot(self, what: str = "loss", ax: Any = None, *, graph: Graph | None = None) -> Any:
        """Draws with matplotlib: a curve over the epochs, or the embedding's map; returns its Axes.

        Parameters
        ----------
        what : a key of `history_`, the mean over the seeds in a band of one standard deviation; or
            "map", the first seed's embedding by `contrast_reg.tsne`, coloured by label
        ax : Axes to draw on; default a new figure's
        graph : whose labels colour the map; default the one that was fitted

        Examples
        --------
        >>> import contrast_reg as cr, matplotlib
        >>> matplotlib.use("Agg")
        >>> m = cr.Embedder(dim=8, epochs=3).fit(cr.load_dataset("synthetic:cora@0.1"))
        >>> m.plot("loss").get_xlabel()
        'epoch'
        """
        from ._drawing import draw_history, draw_map, run_name

        run = self._fitted()
        about = run_name(self.config_["method"], self.config_["regulariser"])
        if what != "map":
            return draw_history(
                what, [one.history for one in run.seeds], self.best_epoch_, ax, about
            )
        from ._page import tsne

        known = graph if graph is not None else self.__dict__.get("graph_")
        labels = None if known is None else known.y
        if labels is not None and len(labels) != len(self.embedding_):
            raise InputError(
                "not one label per row",
                "graph",
                found=str(len(labels)),
                expected=str(len(self.embedding_)),
            )
        names = [] if known is None or labels is None else list(known.class_names)
        if labels is not None and known is not None and not names:
            names = [str(number) for number in range(known.num_classes)]
        return draw_map(tsne(self, threads=self.threads), labels, names, ax, about)

    def report(self, out: str | os.PathLike[str] = "report.html", **options: Any) -> Report:
        """Writes one page of this run to look at in a browser: `contrast_reg.report`.

        Examples
        --------
        >>> import contrast_reg as cr
        >>> m = cr.Embedder(dim=8, epochs=3).fit(cr.load_dataset("synthetic:cora@0.1"))
        >>> m.report("cora.html", map="pca")  # doctest: +SKIP
        Report('cora.html', ml contrast)
        """
        from ._page import report

        return report(self, out, **options)

    def save(self, folder: str | os.PathLike[str], overwrite: bool = False) -> None:
        """Writes the folder that `creg train` would have written; `load` reads it.

        Examples
        --------
        >>> import contrast_reg as cr, tempfile
        >>> m = cr.Embedder(dim=8, epochs=1).fit(cr.load_dataset("synthetic:cora@0.1"))
        >>> with tempfile.TemporaryDirectory() as place:
        ...     m.save(place + "/run")
        ...     cr.load(place + "/run").embedding_.shape == m.embedding_.shape
        True
        """
        self._fitted()
        _persist.save_run(self, self._job(), os.fspath(folder), bool(overwrite))

    def _job(self) -> _engine.Job:
        return make_job(
            device=self.device,
            precision=self.precision,
            threads=self.threads,
            random_state=self.random_state,
            progress=self.progress,
        )

    def _settings(self, job: _engine.Job, graph: Graph | None) -> tuple[dict[str, str], _OwnParts]:
        """For the engine; the graph is what a loss may see."""
        own = _own_parts(self)
        parameters = self.get_params()
        if own.encoder is not None:
            parameters["encoder"] = None
        if isinstance(self.method, str):
            self._refuse_lost_loss()
        else:
            own.loss = LossMaker(self.method, job.device, graph)
            parameters["method"] = own.loss.name
        return settings_of(parameters), own

    def _refuse_lost_loss(self) -> None:
        """A run of a loss of one's own was loaded, which its folder does not have."""
        run: _engine.Run | None = self.__dict__.get("_run")
        if run is None or self.method in methods() or run.config["method"] != self.method:
            return
        raise InputError(
            "the run was trained with a loss of one's own",
            "method",
            found=repr(self.method),
            hint="set_params(method=that function or module)",
        )

    def _recipe(self) -> str:
        return "" if self.recipe is None else os.fspath(self.recipe)

    def _fitted(self) -> _engine.Run:
        self.embedding_  # says so where it is not
        return self._run

    def _learnt(self, run: _engine.Run, graph: Graph, own: _OwnParts, place: str) -> None:
        for name in _FITTED:
            self.__dict__.pop(name, None)
        self._take(run, place)
        self.graph_ = graph
        self.node_ids_ = graph.node_ids
        self.n_features_in_ = graph.num_features
        first = self.seeds_[0]
        if own.loss is not None and first in own.loss.made:
            self.loss_ = own.loss.made[first]
        if own.encoder is not None and first in own.encoder.made:
            self.encoder_ = own.encoder.made[first]

    def _take(self, run: _engine.Run, place: str) -> None:
        """`place` has the looks at the calibration, where there are any."""
        first = run.seeds[0]
        self._looks = _persist.looks_in(place, [one.seed for one in run.seeds])
        if self._looks[0]:
            self.calibration_ = _persist.columns_of(self._looks[0])
        self._run = run
        self.embeddings_ = [one.embedding for one in run.seeds]
        self.embedding_ = self.embeddings_[0]
        self.seeds_ = [one.seed for one in run.seeds]
        self.history_ = first.history
        self.best_epoch_ = first.best_epoch
        self.n_epochs_ = first.epochs_run
        self.config_ = values_of_config(run.config)
        self.seconds_ = sum(one.seconds for one in run.seeds)

    def __getattr__(self, name: str) -> Any:
        if name == "calibration_" and "embedding_" in self.__dict__:
            raise NotFittedError("this Embedder was fitted without calibrate=")
        if name in _FITTED:
            raise NotFittedError(f"this Embedder has no {name}: call fit(graph) first")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __getstate__(self) -> dict[str, Any]:
        return _persist.state_of(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        _persist.restore(self, state)

    def __repr__(self) -> str:
        words = []
        for name, default in defaults().items():
            value = getattr(self, name)
            if value is default or (isinstance(value, type(default)) and value == default):
                continue
            words.append(f"{name}={_short(value)}")
        return f"Embedder({', '.join(words)})"

    def _repr_html_(self) -> str:
        if "embedding_" not in self.__dict__:
            return table(repr(self), [("state", "not fitted")])
        rows, dim = self.embedding_.shape
        said = [
            ("embedding", f"{rows:,} × {dim:,}"),
            ("epochs", f"{self.n_epochs_:,}, epoch {self.best_epoch_:,} kept"),
            ("time", f"{self.seconds_:.3g} s on {self._run.device}"),
        ]
        if len(self.embeddings_) > 1:
            said.append(("seeds", ", ".join(str(seed) for seed in self.seeds_)))
        drawn = curve(self.history_["loss"], "loss", self.best_epoch_)
        return f"<div>{table(repr(self), said)}{drawn}</div>"


def _short(value: Any) -> str:
    if isinstance(value, str):
        text = repr(value)
    elif isinstance(value, torch.nn.Module):
        text = f"{type(value).__name__}()"
    else:
        text = str(getattr(value, "__name__", None) or f"{value!r}".splitlines()[0])
    return text if len(text) <= 60 else text[:59] + "…"


def _check_graph(graph: object) -> None:
    if isinstance(graph, Graph):
        return
    like = hasattr(graph, "edge_index")
    raise InputError(
        "not a graph",
        "graph",
        found=type(graph).__name__,
        expected="a contrast_reg.Graph",
        hint="Graph.from_pyg(data)" if like else "load_dataset(name), or Graph(edge_index, x)",
    )


def load(folder: str | os.PathLike[str]) -> Embedder:
    """A fitted Embedder from the folder of a run, of `save`, `fit(out=…)` or `creg train`.

    The run's own settings are its parameters: fitting it again on the same graph gives the same.

    Examples
    --------
    >>> import contrast_reg as cr, tempfile
    >>> graph = cr.load_dataset("synthetic:cora@0.1")
    >>> with tempfile.TemporaryDirectory() as place:
    ...     m = cr.Embedder(dim=8, epochs=1).fit(graph, out=place + "/run")
    ...     again = cr.load(place + "/run")
    >>> bool((again.embedding_ == m.embedding_).all())
    True
    """
    return _persist.load_into(Embedder, os.fspath(folder))


def _documented() -> str:
    """The docstring with every keyword of the table and every attribute."""
    attributes = "".join(f"{name} : {words}\n" for name, words in _FITTED.items())
    known = f"{numpydoc()}\n\nAttributes\n----------\n{attributes}\n"
    # Python 3.13 takes the indentation away itself.
    return inspect.cleandoc(Embedder.__doc__ or "").replace("Examples\n", f"{known}Examples\n", 1)


Embedder.__doc__ = _documented()
