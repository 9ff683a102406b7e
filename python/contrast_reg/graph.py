"""A graph with features and labels, as the engine trains on it."""

from __future__ import annotations

import os
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from . import _convert, _engine
from ._arrays import (
    check_edges,
    dense_floats,
    edge_rows,
    edge_weights,
    is_sparse,
    sparse_features,
)
from ._errors import InputError
from ._html import table
from ._job import quiet_job, whole_number
from ._labels import Split, label_numbers, splits_of, splits_of_masks
from ._types import Array, Ints, Longs


class Graph:
    """A graph with features, labels and splits; it never changes.

    Parameters
    ----------
    edge_index : int array [2, E]
        Sources and targets, numpy or torch. int32 and int64 rows that are contiguous are viewed
        while the graph is made; anything else is converted once. Repeated edges and self loops
        are merged for training.
    x : array [N, F], scipy sparse matrix or sparse tensor, optional
        Features. float32 in C order is viewed for as long as the graph lives, so do not write to
        it; so are the values (float32) and columns (int32) of a CSR matrix in canonical form.
        Anything else is converted once; a tensor on a GPU is brought to the host.
    y : array [N], optional
        Labels: whole numbers, negative or NaN for none; or names, which get numbers in sorted
        order and are kept as `class_names`. Numbers beyond N are such names too. int32 is viewed.
    num_nodes : int, optional
        Default: as many as x, y or node_ids has, else the largest id and one.
    edge_weight : array [E], optional
        Of two directions of an undirected edge the larger counts.
    directed : bool
        False: every edge goes both ways, whether it is given once or twice.
    node_ids : sequence of N hashable values, optional
        What the nodes are called: they come back as rows of `Embedder.to_frame()`.
    splits : optional
        (train, val, test) as masks or node numbers, a dict with these keys, or a list or a dict
        of several.
    train_mask, val_mask, test_mask : bool array [N] or [N, S], optional
        The same as PyTorch Geometric has it.
    name : str
        What messages call it.

    Examples
    --------
    >>> import numpy as np, contrast_reg as cr
    >>> cr.Graph(np.array([[0, 1, 2], [1, 2, 0]]), np.eye(3, dtype=np.float32), y=[0, 1, 1])
    Graph('graph': 3 nodes, 3 edges, 3 features, 2 classes)
    """

    _engine_graph: _engine.Graph
    _node_ids: Array | None
    _opened: tuple[Any, ...] | None

    def __init__(
        self,
        edge_index: Any,
        x: Any = None,
        *,
        y: Any = None,
        num_nodes: int | None = None,
        edge_weight: Any = None,
        directed: bool = False,
        node_ids: Sequence[Hashable] | Array | None = None,
        splits: Any = None,
        train_mask: Any = None,
        val_mask: Any = None,
        test_mask: Any = None,
        name: str = "graph",
    ) -> None:
        sources, targets = edge_rows(edge_index)
        dense, sparse, rows = None, None, None
        if x is not None and is_sparse(x):
            sparse, rows = sparse_features(x)
        elif x is not None:
            dense = dense_floats(x, "x")
            rows = len(dense)
        labels, class_names = (None, []) if y is None else label_numbers(y)
        ids = None if node_ids is None else _convert.id_array(node_ids)
        counts = {"x": rows, "y": None if labels is None else len(labels)}
        counts["node_ids"] = None if ids is None else len(ids)
        nodes = _count_nodes(num_nodes, counts, (sources, targets))
        check_edges((sources, targets), nodes)
        found = [] if splits is None else splits_of(splits, nodes)
        if any(mask is not None for mask in (train_mask, val_mask, test_mask)):
            found = found + splits_of_masks(train_mask, val_mask, test_mask, nodes)
        weights = None if edge_weight is None else edge_weights(edge_weight, len(sources))
        self._engine_graph = _engine.Graph.from_edges(
            quiet_job(),
            sources=sources,
            targets=targets,
            weights=weights,
            nodes=nodes,
            directed=bool(directed),
            dense=dense,
            sparse=sparse,
            labels=labels,
            class_names=class_names,
            names=None if ids is None else [str(i) for i in ids.tolist()],
            splits=[(one.name, one.train, one.val, one.test) for one in found],
            name=str(name),
        )
        self._node_ids = ids
        self._opened = None

    @classmethod
    def _around(cls, graph: _engine.Graph, opened: tuple[Any, ...]) -> Graph:
        self = cls.__new__(cls)
        self._engine_graph = graph
        names = graph.names()
        self._node_ids = None if names is None else np.asarray(names, object)
        self._opened = opened
        return self

    @classmethod
    def from_pyg(cls, data: Any, *, directed: bool = False, name: str = "graph") -> Graph:
        """Of PyTorch Geometric's `Data`, or anything with its attributes.

        Taken are edge_index, x, y, num_nodes, edge_weight (or edge_attr of one column) and
        train_mask, val_mask, test_mask of one or two axes. Tensors of the CPU are viewed.

        Examples
        --------
        >>> import torch, types, contrast_reg as cr
        >>> data = types.SimpleNamespace(edge_index=torch.tensor([[0, 1], [1, 0]]), x=torch.eye(2))
        >>> cr.Graph.from_pyg(data)
        Graph('graph': 2 nodes, 1 edge, 2 features)
        """
        return cls(**_convert.of_pyg(data), directed=directed, name=name)

    @classmethod
    def from_networkx(
        cls,
        G: Any,
        features: str | Sequence[str] | None = None,
        labels: str | None = None,
        weight: str | None = None,
        *,
        splits: Any = None,
        name: str | None = None,
    ) -> Graph:
        """Of a graph of networkx; its nodes are kept as `node_ids`.

        Parameters
        ----------
        features : attribute of the nodes, or several that are put side by side
        labels : attribute of the nodes; a node without it has no label
        weight : attribute of the edges; an edge without it weighs 1
        splits : as of Graph, nodes in the order of G.nodes

        Examples
        --------
        >>> import networkx, contrast_reg as cr
        >>> cr.Graph.from_networkx(networkx.karate_club_graph(), labels="club").class_names
        ['Mr. Hi', 'Officer']
        """
        return cls(**_convert.of_networkx(G, features, labels, weight, name), splits=splits)

    @classmethod
    def from_scipy(
        cls,
        adjacency: Any,
        x: Any = None,
        y: Any = None,
        *,
        directed: bool | None = None,
        **more: Any,
    ) -> Graph:
        """Of an adjacency matrix: entry (u, v) is the edge from u to v, its value the weight.

        Values that are all 1 are no weights. `directed=None` looks whether the matrix is
        symmetric. `more` are keywords of Graph.

        Examples
        --------
        >>> import scipy.sparse, contrast_reg as cr
        >>> cr.Graph.from_scipy(scipy.sparse.eye(4, k=1)).directed
        True
        """
        return cls(**_convert.of_scipy(adjacency, directed), x=x, y=y, **more)

    @classmethod
    def from_pandas(
        cls,
        edges: Any,
        source: str = "source",
        target: str = "target",
        *,
        features: Any = None,
        labels: Any = None,
        weight: str | None = None,
        splits: Any = None,
        directed: bool = False,
        name: str = "graph",
    ) -> Graph:
        """Of a table of edges whose nodes have ids of any kind; they are kept as `node_ids`.

        Parameters
        ----------
        edges : DataFrame with the columns `source` and `target`
        features : DataFrame indexed by id, a row per node; without it nodes are those of the
            edges, in the order in which they come
        labels : a column of `features`, or a Series indexed by id; an id that is not in it, and
            a missing value, have no label
        weight : a column of `edges`
        splits : as of Graph, nodes in the order of `features`

        Examples
        --------
        >>> import pandas, contrast_reg as cr
        >>> edges = pandas.DataFrame({"src": ["a", "b"], "dst": ["b", "c"]})
        >>> list(cr.Graph.from_pandas(edges, "src", "dst").node_ids)
        ['a', 'b', 'c']
        """
        taken = _convert.of_pandas(edges, source, target, features, labels, weight)
        return cls(**taken, splits=splits, directed=directed, name=name)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the graph as training sees it to a .creg file, which is mapped when it is opened.

        `load_dataset` and `creg` read it: features, labels, splits and the names of nodes, which
        are text there.

        Examples
        --------
        >>> import contrast_reg as cr, tempfile
        >>> with tempfile.TemporaryDirectory() as place:
        ...     cr.Graph([[0, 1], [1, 2]], [[1.0], [2.0], [4.0]]).save(place + "/mine.creg")
        ...     cr.load_dataset(place + "/mine.creg").x.tolist()
        [[1.0], [2.0], [4.0]]
        """
        self._engine_graph.save(quiet_job(), os.fspath(path))

    @property
    def name(self) -> str:
        """What messages call it."""
        return self._engine_graph.name

    @property
    def num_nodes(self) -> int:
        """How many nodes."""
        return self._engine_graph.num_nodes

    @property
    def num_edges(self) -> int:
        """Distinct edges that are no self loops; undirected ones count once."""
        return self._engine_graph.num_edges

    @property
    def num_features(self) -> int:
        """Columns of x; 0 without it."""
        return self._engine_graph.num_features

    @property
    def num_classes(self) -> int:
        """How many classes; 0 without labels."""
        return self._engine_graph.num_classes

    @property
    def directed(self) -> bool:
        """Whether edges have a direction."""
        return self._engine_graph.directed

    @property
    def x(self) -> Any:
        """Features over the engine's memory: an array, a scipy CSR matrix, or None."""
        dense = self._engine_graph.dense_features()
        if dense is not None:
            return dense
        stored = self._engine_graph.sparse_features()
        return None if stored is None else _convert.csr(stored, (self.num_nodes, self.num_features))

    @property
    def y(self) -> Ints | None:
        """Labels, -1 for none; None without any."""
        return self._engine_graph.labels()

    @property
    def class_names(self) -> list[str]:
        """Names of the classes; empty where they have none."""
        return self._engine_graph.class_names()

    @property
    def node_ids(self) -> Array:
        """What the nodes are called; 0, 1, … where nobody said."""
        return np.arange(self.num_nodes) if self._node_ids is None else self._node_ids

    @property
    def splits(self) -> list[Split]:
        """Stored splits: name, train, val, test."""
        return [Split(*one) for one in self._engine_graph.splits()]

    @property
    def edge_index(self) -> Longs:
        """int64 [2, E] of the graph as training sees it: undirected edges in both directions."""
        offsets, columns, _ = self._engine_graph.adjacency()
        out = np.empty((2, len(columns)), np.int64)
        out[0] = np.repeat(np.arange(self.num_nodes), np.diff(offsets))
        out[1] = columns
        return out

    @property
    def adjacency(self) -> Any:
        """A scipy CSR matrix of the graph as training sees it; columns are viewed."""
        return _convert.csr(self._engine_graph.adjacency(), (self.num_nodes, self.num_nodes))

    def __repr__(self) -> str:
        def count(number: int, word: str, many: str) -> str:
            return f"{number:,} {word if number == 1 else many}"

        words = [count(self.num_nodes, "node", "nodes")]
        words.append(count(self.num_edges, "edge", "edges"))
        if self.num_features:
            words.append(count(self.num_features, "feature", "features"))
        if self.num_classes:
            words.append(count(self.num_classes, "class", "classes"))
        if self.directed:
            words.append("directed")
        return f"Graph({self.name!r}: {', '.join(words)})"

    def _repr_html_(self) -> str:
        rows = [
            ("nodes", f"{self.num_nodes:,}"),
            ("edges", f"{self.num_edges:,}{', directed' if self.directed else ''}"),
            ("features", f"{self.num_features:,}" if self.num_features else "none"),
            ("classes", f"{self.num_classes:,}" if self.num_classes else "none"),
            ("splits", ", ".join(one.name for one in self.splits[:4]) or "none"),
        ]
        return table(f"Graph {self.name}", rows)

    def __reduce__(self) -> tuple[Any, ...]:
        # A dataset is opened again: so it stays the one that has a recipe.
        if self._opened is not None:
            from .datasets import reopen

            return (reopen, self._opened)
        weights = self._engine_graph.adjacency()[2]
        state: dict[str, Any] = {
            "edge_index": self.edge_index,
            "x": self.x,
            "edge_weight": None if weights is None else np.array(weights),
            "num_nodes": self.num_nodes,
            "directed": self.directed,
            "node_ids": self._node_ids,
            "splits": self.splits or None,
            "name": self.name,
        }
        labels = self.y
        if labels is not None and self.class_names:
            names = np.asarray([*self.class_names, None], object)
            state["y"] = names[labels]  # -1 is the last
        elif labels is not None:
            state["y"] = labels
        return (_rebuild, (state,))


def _count_nodes(
    asked: int | None, counts: dict[str, int | None], rows: tuple[Array, Array]
) -> int:
    given = {name: count for name, count in counts.items() if count is not None}
    if asked is not None:
        given = {"num_nodes": whole_number(asked, "num_nodes"), **given}
    if not given:
        return max((int(row.max()) + 1 for row in rows if row.size), default=0)
    first, count = next(iter(given.items()))
    for name, other in given.items():
        if other != count:
            raise InputError(
                f"not as many nodes as {first} has", name, found=str(other), expected=str(count)
            )
    return count


def _rebuild(state: dict[str, Any]) -> Graph:
    return Graph(**state)
