"""Graphs of PyTorch Geometric (by its attributes), networkx, scipy and pandas."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from conftest import pairs

import contrast_reg as cr


def test_pyg() -> None:
    data = SimpleNamespace(
        edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]),
        x=torch.eye(3),
        y=torch.tensor([[0], [1], [1]]),
        train_mask=torch.tensor([True, False, False]),
        val_mask=torch.tensor([False, True, False]),
        test_mask=torch.tensor([False, False, True]),
        edge_attr=torch.tensor([[1.0], [1.0], [3.0], [3.0]]),
    )
    graph = cr.Graph.from_pyg(data)
    assert pairs(graph) == {(0, 1), (1, 0), (1, 2), (2, 1)}
    assert graph.x.__array_interface__["data"][0] == data.x.data_ptr()
    assert graph.adjacency[1, 2] == 3
    assert graph.splits[0].test.tolist() == [2]


def test_pyg_without_features_and_with_wide_attributes() -> None:
    data = SimpleNamespace(
        edge_index=torch.tensor([[0], [1]]), num_nodes=5, edge_attr=torch.ones(1, 4), x=None
    )
    graph = cr.Graph.from_pyg(data)
    assert (graph.num_nodes, graph.num_features, graph.x) == (5, 0, None)


def test_pyg_of_several_kinds_of_nodes_is_refused() -> None:
    with pytest.raises(cr.InputError, match="to_homogeneous"):
        cr.Graph.from_pyg(SimpleNamespace(edge_types=[("a", "to", "b")]))


def test_networkx() -> None:
    networkx = pytest.importorskip("networkx")
    G = networkx.Graph(name="club")
    for i, node in enumerate(("a", ("b", 2), 3)):
        G.add_node(node, vector=np.array([i, 1.0]), age=i * 10, side="xy"[i % 2])
    G.add_edge("a", 3, strength=2.5)
    G.add_edge(3, ("b", 2))
    graph = cr.Graph.from_networkx(
        G, features=["vector", "age"], labels="side", weight="strength"
    )
    assert graph.name == "club"
    assert graph.node_ids.tolist() == ["a", ("b", 2), 3]
    np.testing.assert_array_equal(graph.x, [[0, 1, 0], [1, 1, 10], [2, 1, 20]])
    assert graph.class_names == ["x", "y"]
    assert graph.y is not None and graph.y.tolist() == [0, 1, 0]
    assert graph.adjacency[0, 2] == 2.5
    assert graph.adjacency[2, 1] == 1


def test_networkx_directed_and_multiple() -> None:
    networkx = pytest.importorskip("networkx")
    assert cr.Graph.from_networkx(networkx.DiGraph([(0, 1)])).directed
    assert cr.Graph.from_networkx(networkx.MultiGraph([(0, 1), (0, 1)])).num_edges == 1


def test_networkx_names_the_node_without_an_attribute() -> None:
    networkx = pytest.importorskip("networkx")
    G = networkx.Graph()
    G.add_node("a", feat=1.0)
    G.add_node("b", feats=1.0)
    with pytest.raises(cr.InputError, match="node 'b' has no attribute 'feat'.*did you mean feats"):
        cr.Graph.from_networkx(G, features="feat")


def test_scipy() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    entries = np.array([[0, 2, 0], [2, 0, 0], [0, 0, 0]], np.float64)
    graph = cr.Graph.from_scipy(sparse.csr_matrix(entries), np.eye(3), [0, 1, 0])
    assert not graph.directed
    np.testing.assert_array_equal(graph.adjacency.toarray(), entries)
    entries[1, 0] = 0
    assert cr.Graph.from_scipy(sparse.csc_matrix(entries)).directed
    assert not cr.Graph.from_scipy(sparse.csc_matrix(entries), directed=False).directed
    stored_zero = sparse.coo_matrix(([0.0, 1.0], ([0, 1], [1, 2])), shape=(3, 3))
    assert pairs(cr.Graph.from_scipy(stored_zero)) == {(1, 2)}
    with pytest.raises(cr.InputError, match="not square"):
        cr.Graph.from_scipy(sparse.csr_matrix(np.ones((2, 3))))


def test_pandas_with_features() -> None:
    pd = pytest.importorskip("pandas")
    edges = pd.DataFrame({"src": ["u", "v"], "dst": ["v", "w"], "w": [1.0, 2.0]})
    table = pd.DataFrame(
        {"a": [1, 2, 3, 4], "b": [0.5] * 4, "kind": ["p", "q", None, "p"]},
        index=["w", "v", "u", "lonely"],
    )
    graph = cr.Graph.from_pandas(
        edges, "src", "dst", features=table, labels="kind", weight="w"
    )
    assert graph.node_ids.tolist() == ["w", "v", "u", "lonely"]
    assert graph.num_features == 2
    assert pairs(graph) == {(2, 1), (1, 2), (1, 0), (0, 1)}
    assert graph.adjacency[1, 0] == 2
    assert graph.y is not None and graph.y.tolist() == [0, 1, -1, 0]


def test_pandas_without_features() -> None:
    pd = pytest.importorskip("pandas")
    when = pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03"])
    edges = pd.DataFrame({"source": when[:2], "target": when[1:]})
    labels = pd.Series([1, 0], index=[when[2], when[0]])
    graph = cr.Graph.from_pandas(edges, labels=labels)
    assert graph.num_nodes == 3
    assert graph.y is not None and graph.y.tolist() == [0, -1, 1]


def test_pandas_says_what_is_wrong() -> None:
    pd = pytest.importorskip("pandas")
    edges = pd.DataFrame({"src": ["a", "b"], "dst": ["b", "z"]})
    table = pd.DataFrame({"f": [1.0, 2.0], "word": ["x", "y"]}, index=["a", "b"])
    with pytest.raises(cr.InputError, match="source: no such column: found 'from'"):
        cr.Graph.from_pandas(edges, "from", "dst")
    with pytest.raises(cr.InputError, match="target: an id without features at row 1: found 'z'"):
        cr.Graph.from_pandas(edges, "src", "dst", features=table[["f"]])
    with pytest.raises(cr.InputError, match="column 'word' holds no numbers"):
        cr.Graph.from_pandas(edges.head(1), "src", "dst", features=table)
    twice = pd.DataFrame({"f": [1.0, 2.0]}, index=["a", "a"])
    with pytest.raises(cr.InputError, match="an id has two rows: found 'a'"):
        cr.Graph.from_pandas(edges.head(1), "src", "dst", features=twice)
    missing = pd.DataFrame({"src": ["a", None], "dst": ["b", "b"]})
    with pytest.raises(cr.InputError, match="source: a missing id at row 1"):
        cr.Graph.from_pandas(missing, "src", "dst")


def test_pandas_own_kinds_of_missing_values() -> None:
    pd = pytest.importorskip("pandas")
    for column, labels, names in (
        (pd.Series(["b", None, "a"], dtype="string"), [1, -1, 0], ["a", "b"]),
        (pd.Series([1, None, 0], dtype="Int64"), [1, -1, 0], []),
        (pd.Series(["b", np.nan, "a"]), [1, -1, 0], ["a", "b"]),
    ):
        graph = cr.Graph([[0], [1]], y=column)
        assert graph.y is not None and graph.y.tolist() == labels
        assert graph.class_names == names
    edges = pd.DataFrame({"source": ["a"], "target": ["b"]})
    table = pd.DataFrame({"f": pd.Series([1.0, None], dtype="Float64").array}, index=["a", "b"])
    with pytest.raises(cr.InputError, match="a missing value at row 1, column 'f'.*fillna"):
        cr.Graph.from_pandas(edges, features=table)


def test_what_is_no_graph_of_another_library() -> None:
    pytest.importorskip("pandas")
    with pytest.raises(cr.InputError, match="edges: not a table: found list"):
        cr.Graph.from_pandas([("a", "b")])
    with pytest.raises(cr.InputError, match="G: not a graph of networkx: found int"):
        cr.Graph.from_networkx(3)


def test_splits_come_along(triangle: dict[str, Any]) -> None:
    pd = pytest.importorskip("pandas")
    edges = pd.DataFrame({"src": ["a", "b"], "dst": ["b", "c"]})
    table = pd.DataFrame({"f": [1.0, 2.0, 3.0]}, index=["a", "b", "c"])
    graph = cr.Graph.from_pandas(edges, "src", "dst", features=table, splits=([0], [1], [2]))
    assert graph.splits[0].test.tolist() == [2]
    with pytest.raises(cr.InputError, match="features: not a table: found ndarray.*indexed by id"):
        cr.Graph.from_pandas(edges, "src", "dst", features=np.eye(3))
    networkx = pytest.importorskip("networkx")
    path = cr.Graph.from_networkx(networkx.path_graph(3), splits=([0], [1], [2]))
    assert path.splits[0].val.tolist() == [1]
