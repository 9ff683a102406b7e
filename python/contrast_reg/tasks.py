"""How good an embedding is: classification, clustering, link prediction, calibration."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from . import _engine
from ._arrays import dense_floats
from ._errors import InputError, renamed_arguments
from ._job import make_job, real_number, whole_number, word
from ._neighbors import Neighbors, rows_of_nodes
from ._results import Calibration, Classification, Clustering, LinkPrediction
from ._types import Floats
from .embedder import Embedder, _check_graph
from .graph import Graph


def _embeddings(graph: Graph, z: Any) -> list[Floats]:
    """One per seed. float32 in C order is viewed."""
    _check_graph(graph)
    if isinstance(z, Embedder):
        z._fitted()
        given: list[Any] = list(z.embeddings_)
    elif isinstance(z, (list, tuple)) and z and isinstance(z[0], (np.ndarray, torch.Tensor)):
        given = list(z)
    else:
        given = [z]
    out = []
    for one in given:
        rows = dense_floats(one, "z")
        if len(rows) != graph.num_nodes:
            raise InputError(
                "not one row per node", "z", found=str(len(rows)), expected=str(graph.num_nodes)
            )
        out.append(rows)
    return out


def _text(value: str | None, name: str) -> str:
    """"" is the engine's own choice."""
    return "" if value is None else word(value, name)


def _run_of(z: Any) -> _engine.Run | None:
    return z._fitted() if isinstance(z, Embedder) else None


def _rows_before(
    z: Any, normalize: str | None, smooth: int | None, *, classified: bool = False
) -> tuple[str, int]:
    """What is done to rows: as asked, else as the run has it. "": the protocol's own."""
    run = _run_of(z)
    if normalize is None:
        normalize = "none" if run is None else run.classified_rows if classified else run.plain_rows
        normalize = "" if normalize == "none" else normalize
    normalize = word(normalize, "normalize")
    if smooth is None:
        smooth = run.smooth if run is not None else 0
    return normalize, whole_number(smooth, "smooth")


def classify(
    graph: Graph,
    z: Any,
    *,
    protocol: str | None = None,
    splits: int | None = None,
    split: int | None = None,
    normalize: str | None = None,
    smooth: int | None = None,
    baselines: bool = False,
    random_state: int = 0,
    threads: int | None = None,
    progress: object = None,
) -> Classification:
    """Accuracy of a linear classifier on the embedding.

    Parameters
    ----------
    graph : with labels
    z : array [N, dim], tensor, list of such (they are pooled), or a fitted Embedder, of which all
        seeds are pooled and whose final_norm, final_spread and smooth apply. float32 in C order is viewed.
    protocol : which nodes to train and test on, and the classifier: "public", "per-class-20-30",
        "random-10-10-80" …; default the dataset's own
    splits : how many; default all stored ones, or 20 drawn ones
    split : the one of this number alone
    normalize : "none", "l2" or "spread"; default the protocol's own
    smooth : rows H are first replaced by H + Â^n H
    baselines : the same classifier also on the features X, ÂX and Â²X, which learn nothing:
        `result.baselines`, a Score for each

    Examples
    --------
    >>> import contrast_reg as cr
    >>> graph = cr.load_dataset("synthetic:cora@0.1")
    >>> z = cr.Embedder(dim=8, epochs=2).fit_transform(graph)
    >>> 0 <= cr.classify(graph, z, protocol="random-60-20-20", splits=2).accuracy <= 1
    True
    """
    rows = _embeddings(graph, z)
    norm, times = _rows_before(z, normalize, smooth, classified=True)
    if splits is not None and split is not None:
        raise InputError("split takes one split and splits several", "split", expected="one of them")
    body = _engine.classify(
        make_job(threads=threads, random_state=random_state, progress=progress),
        graph._engine_graph,
        rows,
        protocol=_text(protocol, "protocol"),
        splits=0 if splits is None else whole_number(splits, "splits", 1),
        split=None if split is None else whole_number(split, "split"),
        normalize=norm,
        smooth=times,
        baselines=bool(baselines),
    )
    return Classification(body)


def cluster(
    graph: Graph,
    z: Any,
    *,
    clusters: int | None = None,
    seeds: int = 5,
    pca: int | None = None,
    normalize: str | None = None,
    smooth: int | None = None,
    random_state: int = 0,
    threads: int | None = None,
    progress: object = None,
) -> Clustering:
    """Agreement of k-means on the embedding with the classes.

    Parameters
    ----------
    graph, z, normalize, smooth : as of `classify`; rows are normalised only where that is asked
    clusters : how many; default as many as there are classes
    seeds : runs of k-means per embedding
    pca : first reduce rows to so many principal components

    Examples
    --------
    >>> import contrast_reg as cr
    >>> graph = cr.load_dataset("synthetic:cora@0.1")
    >>> z = cr.Embedder(dim=8, epochs=2).fit_transform(graph)
    >>> 0 <= cr.cluster(graph, z, seeds=1).nmi <= 1
    True
    """
    rows = _embeddings(graph, z)
    norm, times = _rows_before(z, normalize, smooth)
    with renamed_arguments({"k": "clusters"}):
        body = _engine.cluster(
            make_job(threads=threads, random_state=random_state, progress=progress),
            graph._engine_graph,
            rows,
            clusters=0 if clusters is None else whole_number(clusters, "clusters", 1),
            seeds=whole_number(seeds, "seeds", 1),
            pca=None if pca is None else whole_number(pca, "pca", 1),
            normalize=norm or "none",
            smooth=times,
        )
    return Clustering(body)


def link(
    graph: Graph,
    method: Any = "ml",
    *,
    splits: int = 5,
    seeds: int = 5,
    **parameters: Any,
) -> LinkPrediction:
    """Trains on most of the edges and asks whether the embedding tells the others from no edges.

    Parameters
    ----------
    graph : its splits x seeds runs are trained, side by side where memory allows
    method : a name, a loss, or an Embedder, fitted or not, whose parameters are taken
    splits, seeds : how many splits of the edges, and runs on each
    parameters : further ones of Embedder, where method is none

    Examples
    --------
    >>> import contrast_reg as cr
    >>> graph = cr.load_dataset("synthetic:cora@0.1")
    >>> 0 <= cr.link(graph, "ml", splits=1, seeds=1, dim=8, epochs=2).auc <= 1
    True
    """
    _check_graph(graph)
    if isinstance(method, Embedder):
        embedder = Embedder(**{**method.get_params(), **parameters})
    else:
        embedder = Embedder(method, **parameters)
    job = embedder._job()
    settings, own = embedder._settings(job, None)
    body = _engine.link(
        job,
        graph._engine_graph,
        settings,
        loss=own.engine_loss(),
        encoder=own.engine_encoder(),
        recipe=embedder._recipe(),
        splits=whole_number(splits, "splits", 1),
        seeds=whole_number(seeds, "seeds", 1),
    )
    return LinkPrediction(body)


def calibrate(
    graph: Graph,
    z: Any,
    *,
    positives: str = "top-k",
    k: int = 5,
    similarity: str = "cosine",
    include_self: bool = True,
    anchors: int | None = None,
    r_positive: float = 0.5,
    bins: int = 15,
    resamples: int = 1000,
    protocol: str | None = None,
    split: int = 0,
    random_state: int = 0,
    device: str = "auto",
    threads: int | None = None,
    progress: object = None,
) -> Calibration:
    """Whether the confidence σ(h·h') of the embedding in pairs of nodes is right.

    Rows are taken as they are, whatever final_norm and final_spread say. Without labels there is still what needs
    none.

    Parameters
    ----------
    graph, z : as of `classify`
    positives : an anchor's positives: "top-k", "neighbours", "propagation" or "edges"
    k : positives and negatives of an anchor
    similarity : "cosine" or "dot", of top-k
    include_self : whether a node is among its own k most similar
    anchors : how many nodes; default all, or 10,000 of more
    r_positive : weight of the positives
    bins : of the reliability diagram
    resamples : for the intervals; 0: none
    protocol, split : of the classifier whose confidence is looked at

    Examples
    --------
    >>> import contrast_reg as cr
    >>> graph = cr.load_dataset("synthetic:cora@0.1")
    >>> z = cr.Embedder(dim=8, epochs=2).fit_transform(graph)
    >>> report = cr.calibrate(graph, z, resamples=0)
    >>> abs(report.ece - (report.ece_positive + report.ece_negative) / 2) < 1e-6
    True
    """
    rows = _embeddings(graph, z)
    with renamed_arguments({"self": "include_self"}):
        body = _engine.calibrate(
            make_job(device=device, threads=threads, random_state=random_state, progress=progress),
            graph._engine_graph,
            rows,
            positives=word(positives, "positives"),
            k=whole_number(k, "k", 1),
            similarity=word(similarity, "similarity"),
            include_self=bool(include_self),
            anchors=0 if anchors is None else whole_number(anchors, "anchors", 1),
            r_positive=real_number(r_positive, "r_positive"),
            bins=whole_number(bins, "bins", 1),
            resamples=whole_number(resamples, "resamples"),
            protocol=_text(protocol, "protocol"),
            split=whole_number(split, "split"),
        )
    return Calibration(body)


def neighbors(
    graph: Graph | None,
    z: Any,
    nodes: Any = None,
    k: int = 10,
    *,
    graph_neighbors: str = "mark",
    similarity: str = "cosine",
    approximate: bool | None = None,
    device: str = "auto",
    threads: int | None = None,
    progress: object = None,
) -> Neighbors:
    """The most similar nodes of nodes in the embedding, and which of them an edge joins.

    Parameters
    ----------
    graph : whose edges are told, and whose `node_ids` nodes go by; None: edges are not known, and
        nodes go by the `node_ids_` of a fitted Embedder, else by row number
    z : array [N, dim], tensor, or a fitted Embedder, of which the first seed is taken, as it is
    nodes : an id or a list of such; default all
    k : how many of each node
    graph_neighbors : "mark", or "exclude" to leave out those that the graph joins
    similarity : "cosine" or "dot"
    approximate : of all nodes: True by an index (where the engine was built with faiss), whose
        `recall` is then told; False compares all pairs; default the index on a CPU beyond a million nodes

    Examples
    --------
    >>> import contrast_reg as cr
    >>> graph = cr.Graph([[0, 1], [1, 2]], [[1.0], [2.0], [4.0]], node_ids=["a", "b", "c"])
    >>> found = cr.neighbors(graph, [[3.0, 0.0], [2.0, 1.0], [0.0, 1.0]], "a", k=2)
    >>> found.ids.tolist(), found.edges.tolist()
    ([['b', 'c']], [[True, False]])
    """
    if graph is not None:
        _check_graph(graph)
    if isinstance(z, Embedder):
        z._fitted()
        rows = dense_floats(z.embedding_, "z")
        ids = z.node_ids_
    else:
        rows = dense_floats(z, "z")
        ids = np.arange(len(rows))
    if graph is not None:
        ids = graph.node_ids
    if len(ids) != len(rows):
        raise InputError("not one row per node", "z", found=str(len(rows)), expected=str(len(ids)))
    chosen = None if nodes is None else rows_of_nodes(ids, nodes)
    width = whole_number(k, "k", 1)
    if chosen is not None and approximate:
        raise InputError("an index is made for all nodes", "approximate", expected="nodes=None with it")
    with renamed_arguments({"--approximate": "approximate"}):
        found = _engine.neighbours(
            make_job(device=device, threads=threads, progress=progress),
            None if graph is None else graph._engine_graph,
            rows,
            chosen,
            k=width,
            similarity=word(similarity, "similarity"),
            graph_neighbors=word(graph_neighbors, "graph_neighbors"),
            approximate=None if approximate is None else bool(approximate),
        )
    return Neighbors(ids, ids if chosen is None else ids[chosen], found)
