"""Graphs of other libraries, as the keywords of Graph. None of them is imported before its use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._arrays import as_array, first_place, is_scipy_sparse
from ._errors import InputError, did_you_mean
from ._types import Array

Keywords = dict[str, Any]


def id_array(ids: Any) -> Array:
    """One axis, whatever the ids are: tuples too are ids."""
    if hasattr(ids, "to_numpy"):
        ids = ids.to_numpy()
    if isinstance(ids, np.ndarray) and ids.ndim == 1:
        out = ids
    else:
        values = list(ids)
        same = {type(value) for value in values}
        if same in ({int}, {str}):
            out = np.asarray(values, object if same == {str} else None)
        else:
            out = np.empty(len(values), object)
            out[:] = values
    seen: dict[Any, int] = {}
    for at, value in enumerate(out.tolist()):
        try:
            first = seen.setdefault(value, at)
        except TypeError:
            raise InputError(
                f"not a hashable id at node {at}", "node_ids", found=type(value).__name__
            ) from None
        if first != at:
            raise InputError(
                f"nodes {first} and {at} have one id", "node_ids", found=repr(value)
            )
    return out


def csr(stored: tuple[Array, Array, Array | None], shape: tuple[int, int]) -> Any:
    from scipy.sparse import csr_matrix

    offsets, columns, values = stored
    data = np.ones(len(columns), np.float32) if values is None else values
    matrix = csr_matrix((data, columns, offsets), shape=shape, copy=False)
    matrix.has_sorted_indices = True
    return matrix


def of_pyg(data: Any) -> Keywords:
    def get(name: str) -> Any:
        # A Data answers None for what it does not have, other objects not at all.
        return getattr(data, name, None)

    edge_index = get("edge_index")
    if edge_index is None:
        other = get("edge_types") is not None
        raise InputError(
            "no edge_index",
            "data",
            found=type(data).__name__,
            expected="a homogeneous graph with edge_index",
            hint="to_homogeneous() makes one of several kinds of nodes" if other else "",
        )
    out: Keywords = {"edge_index": edge_index}
    for name in ("x", "y", "train_mask", "val_mask", "test_mask"):
        out[name] = get(name)
    weight = get("edge_weight")
    attributes = get("edge_attr")
    if weight is None and attributes is not None:
        axes = tuple(attributes.shape)
        if len(axes) == 1 or (len(axes) == 2 and axes[1] == 1):
            weight = attributes
    out["edge_weight"] = weight
    if out["x"] is None:
        nodes = get("num_nodes")
        out["num_nodes"] = None if nodes is None else int(nodes)
    return out


def _columns_of(G: Any, ids: list[Any], attribute: str) -> Array:
    rows = []
    for node in ids:
        try:
            value = as_array(G.nodes[node][attribute], "features")
        except KeyError:
            known = [str(key) for key in G.nodes[node]]
            raise InputError(
                f"node {node!r} has no attribute {attribute!r}",
                "features",
                expected="an attribute of every node",
                hint=did_you_mean(attribute, known),
            ) from None
        rows.append(np.atleast_1d(value))
        if rows[-1].shape != rows[0].shape:
            raise InputError(
                f"attribute {attribute!r} of node {node!r} has another shape",
                "features",
                found=str(rows[-1].shape),
                expected=str(rows[0].shape),
            )
    if not rows:
        return np.zeros((0, 1), np.float32)
    columns: Array = np.stack(rows).reshape(len(rows), -1)
    return columns


def of_networkx(
    G: Any,
    features: str | Sequence[str] | None,
    labels: str | None,
    weight: str | None,
    name: str | None,
) -> Keywords:
    if not hasattr(G, "nodes") or not hasattr(G, "edges") or not hasattr(G, "is_directed"):
        raise InputError(
            "not a graph of networkx", "G", found=type(G).__name__, expected="a networkx.Graph"
        )
    ids = list(G.nodes)
    number = {node: i for i, node in enumerate(ids)}
    pairs = list(G.edges(data=weight, default=1)) if weight else list(G.edges())
    edges = np.empty((2, len(pairs)), np.int64)
    for i, pair in enumerate(pairs):
        edges[0, i], edges[1, i] = number[pair[0]], number[pair[1]]
    out: Keywords = {
        "edge_index": edges,
        "num_nodes": len(ids),
        "node_ids": ids,
        "directed": bool(G.is_directed()),
        "name": name or str(getattr(G, "name", "")) or "graph",
    }
    if weight:
        out["edge_weight"] = np.asarray([pair[2] for pair in pairs])
    if features is not None:
        names = [features] if isinstance(features, str) else list(features)
        parts = [_columns_of(G, ids, attribute) for attribute in names]
        out["x"] = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)
    if labels is not None:
        values = [G.nodes[node].get(labels) for node in ids]
        if ids and all(value is None for value in values):
            raise InputError(f"no node has an attribute {labels!r}", "labels")
        column = np.empty(len(values), object)
        column[:] = values
        out["y"] = column
    return out


def of_scipy(adjacency: Any, directed: bool | None) -> Keywords:
    if not is_scipy_sparse(adjacency):
        from scipy.sparse import csr_matrix

        adjacency = csr_matrix(as_array(adjacency, "adjacency"))
    if adjacency.ndim != 2 or adjacency.shape[0] != adjacency.shape[1]:
        raise InputError(
            "not square", "adjacency", found=f"shape {adjacency.shape}", expected="shape (N, N)"
        )
    matrix = adjacency.tocsr()
    if directed is None:
        directed = (matrix != matrix.T).nnz != 0
    entries = matrix.tocoo()
    row, col, data = entries.row, entries.col, entries.data
    if not data.all():  # a stored 0 is no edge
        kept = data != 0
        row, col, data = row[kept], col[kept], data[kept]
    out: Keywords = {
        "edge_index": np.stack([row, col]),
        "num_nodes": matrix.shape[0],
        "directed": directed,
    }
    if not bool((data == 1).all()):
        out["edge_weight"] = data
    return out


def _column(table: Any, name: str, argument: str) -> Any:
    if name in table.columns:
        return table[name]
    known = [str(column) for column in table.columns]
    raise InputError(
        "no such column",
        argument,
        found=repr(name),
        expected=" or ".join(known[:8]) + (" …" if len(known) > 8 else ""),
        hint=did_you_mean(str(name), known),
    )


def _numbers(column: Any, ids: Any, argument: str) -> Array:
    """The place of every value among the ids."""
    places: Array = ids.get_indexer(column)
    if (places < 0).any():
        at = int(np.argmax(places < 0))
        missing = int((places < 0).sum())
        raise InputError(
            f"an id without features at row {at}",
            argument,
            found=repr(column.iloc[at]),
            expected="ids of the index of features",
            hint=f"{missing} of {len(places)} rows have such an id",
        )
    return places


def _feature_columns(features: Any) -> Array:
    for name, kind in features.dtypes.items():
        if kind.kind not in "iufb":
            raise InputError(
                f"column {name!r} holds no numbers",
                "features",
                found=str(kind),
                expected="numbers",
                hint="leave it out, or encode it; a column of labels is named by labels",
            )
    own = [not isinstance(kind, np.dtype) for kind in features.dtypes]  # pandas' kinds have NA
    missing = features.isna().to_numpy() if any(own) else np.zeros((0, 0), np.bool_)
    if missing.any():
        row, column = first_place(missing)
        raise InputError(
            f"a missing value at row {row}, column {features.columns[column]!r}",
            "features",
            expected="a number in every place",
            hint="fillna(0)",
        )
    with np.errstate(over="ignore"):
        return np.asarray(features.to_numpy(dtype=np.float32))


def of_pandas(
    edges: Any, source: str, target: str, features: Any, labels: Any, weight: str | None
) -> Keywords:
    import pandas as pd

    if not isinstance(edges, pd.DataFrame):
        raise InputError(
            "not a table",
            "edges",
            found=type(edges).__name__,
            expected="a DataFrame with a row per edge",
            hint='DataFrame(edges, columns=["source", "target"])',
        )
    ends = [_column(edges, source, "source"), _column(edges, target, "target")]
    for end, argument in zip(ends, ("source", "target")):
        if end.isna().any():
            at = int(np.argmax(end.isna().to_numpy()))
            raise InputError(f"a missing id at row {at}", argument, expected="an id")
    out: Keywords = {}
    if features is None:
        both = pd.concat(ends, ignore_index=True)
        places, ids = pd.factorize(both)
        out["edge_index"] = np.asarray(places, np.int64).reshape(2, -1)
        ids = pd.Index(ids)
    else:
        if not isinstance(features, pd.DataFrame):
            raise InputError(
                "not a table",
                "features",
                found=type(features).__name__,
                expected="a DataFrame indexed by id",
                hint="DataFrame(features, index=ids)",
            )
        ids = features.index
        if not ids.is_unique:
            twice = ids[ids.duplicated()][0]
            raise InputError("an id has two rows", "features", found=repr(twice))
        rows = [_numbers(end, ids, word) for end, word in zip(ends, ("source", "target"))]
        out["edge_index"] = np.stack(rows).astype(np.int64)
        if isinstance(labels, str):
            labels = _column(features, labels, "labels")
            features = features.drop(columns=[labels.name])
        out["x"] = _feature_columns(features)
    if isinstance(labels, str):
        raise InputError("a column of no table", "labels", found=repr(labels), expected="a Series")
    if labels is not None:
        out["y"] = _label_column(pd.Series(labels), ids)
    if weight is not None:
        out["edge_weight"] = _column(edges, weight, "weight").to_numpy()
    out["node_ids"] = ids.to_numpy()
    return out


def _label_column(labels: Any, ids: Any) -> Array:
    unknown = ~labels.index.isin(ids)
    if unknown.any():
        raise InputError(
            "a label of a node that the graph does not have",
            "labels",
            found=repr(labels.index[int(np.argmax(unknown))]),
            expected="ids of the graph",
        )
    if not labels.index.is_unique:
        twice = labels.index[labels.index.duplicated()][0]
        raise InputError("an id has two labels", "labels", found=repr(twice))
    aligned = labels.reindex(ids)
    if aligned.dtype.kind in "iufb":
        return np.asarray(aligned.to_numpy())
    values: Array = aligned.astype(object).where(aligned.notna(), None).to_numpy()
    return values
