"""The neighbours of nodes in an embedding."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ._errors import InputError, did_you_mean
from ._types import Array, Floats, Ints

_SEARCHED = 100_000  # ids that are looked through for one that comes near


def rows_of_nodes(ids: Array, nodes: Any) -> list[int]:
    """The rows of these ids: one, or several."""
    one = isinstance(nodes, (str, bytes)) or np.ndim(nodes) == 0
    wanted = [nodes] if one else list(nodes)
    row_of = {name: row for row, name in enumerate(ids.tolist())}
    rows = []
    for name in wanted:
        plain = name.item() if isinstance(name, np.generic) else name
        row = None if isinstance(plain, bool) else row_of.get(plain)
        if row is None:
            known = [str(one) for one in ids[:_SEARCHED].tolist()]
            raise InputError(
                "unknown node",
                "nodes",
                found=repr(plain),
                expected=f"one of the node_ids, such as {ids.tolist()[0]!r}",
                hint=did_you_mean(plain, known) if isinstance(plain, str) else "",
            )
        rows.append(row)
    return rows


class Neighbors:
    """What `neighbors` returns: a row per node, the most similar first.

    Attributes
    ----------
    nodes : ids of the nodes whose neighbours these are
    indices : int32 [nodes, k], rows of the embedding; -1 where there are no more
    ids : their ids [nodes, k]; None where there are no more
    scores : float32 [nodes, k], similarities; NaN where there are no more
    edges : bool [nodes, k], whether the graph joins them; None without a graph
    recall : of an index: the share of the exact neighbours of some nodes that it finds; else None

    Examples
    --------
    >>> import contrast_reg as cr
    >>> found = cr.neighbors(None, [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]], k=1)
    >>> found.indices[0].tolist(), len(found)
    ([1], 3)
    """

    def __init__(self, ids: Array, nodes: Array, found: dict[str, Any]) -> None:
        self.nodes = nodes
        self.indices: Ints = found["neighbours"]
        self.scores: Floats = found["scores"]
        self.scores[self.indices < 0] = np.nan
        edges = found["edges"]
        self.edges: npt.NDArray[np.bool_] | None = None if edges is None else edges.astype(bool)
        self.recall: float | None = found["recall"]
        self._ids = ids

    @property
    def ids(self) -> Array:
        there = self.indices >= 0
        if there.all():
            return self._ids[self.indices]
        out = np.full(self.indices.shape, None, object)
        out[there] = self._ids[self.indices[there]]
        return out

    def to_frame(self) -> Any:
        """A DataFrame with a line per neighbour: node, rank, neighbor, score, edge.

        Examples
        --------
        >>> import contrast_reg as cr
        >>> cr.neighbors(None, [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]], 0, k=1).to_frame()["neighbor"].tolist()
        [1]
        """
        import pandas

        there = self.indices >= 0
        at, place = np.nonzero(there)
        return pandas.DataFrame(
            {
                "node": self.nodes[at],
                "rank": place + 1,
                "neighbor": self._ids[self.indices[there]],
                "score": self.scores[there],
                "edge": None if self.edges is None else self.edges[there],
            }
        )

    def __len__(self) -> int:
        return len(self.nodes)

    def __repr__(self) -> str:
        how = "" if self.recall is None else f", recall={self.recall:.3f}"
        return f"Neighbors({len(self)} nodes, k={self.indices.shape[1]}{how})"
