"""Graph: what goes in without a copy, what comes out, and for how long."""

from __future__ import annotations

import gc
import pickle
from typing import Any

import numpy as np
import pytest
import torch
from conftest import DATASET, pairs

import contrast_reg as cr


def address(array: Any) -> int:
    return int(array.__array_interface__["data"][0])


def test_sizes_and_edges(triangle: dict[str, Any]) -> None:
    graph = cr.Graph(**triangle, name="small")
    assert (graph.num_nodes, graph.num_edges, graph.num_features) == (4, 4, 3)
    assert (graph.num_classes, graph.directed, graph.name) == (2, False, "small")
    both = {(0, 1), (1, 2), (2, 0), (2, 3)}
    assert pairs(graph) == both | {(b, a) for a, b in both}
    assert graph.edge_index.dtype == np.int64
    assert repr(graph) == "Graph('small': 4 nodes, 4 edges, 3 features, 2 classes)"


def test_directed_edges_stay_so(triangle: dict[str, Any]) -> None:
    graph = cr.Graph(**triangle, directed=True)
    assert pairs(graph) == {(0, 1), (1, 2), (2, 0), (2, 3)}
    assert graph.num_edges == 4
    assert "directed" in repr(graph)


def test_repeated_edges_and_loops_are_merged() -> None:
    graph = cr.Graph([[0, 1, 0, 2], [1, 0, 1, 2]], num_nodes=3)
    assert pairs(graph) == {(0, 1), (1, 0)}
    assert graph.num_edges == 1


def test_adjacency_is_that_of_the_edges(triangle: dict[str, Any]) -> None:
    weights = np.array([0.5, 1, 2, 4], np.float32)
    graph = cr.Graph(**triangle, edge_weight=weights)
    expected = np.zeros((4, 4), np.float32)
    for (a, b), weight in zip(triangle["edge_index"].T, weights):
        expected[a, b] = expected[b, a] = weight
    np.testing.assert_array_equal(graph.adjacency.toarray(), expected)


def test_dense_features_are_viewed(triangle: dict[str, Any]) -> None:
    graph = cr.Graph(**triangle)
    assert np.shares_memory(graph.x, triangle["x"])
    assert not graph.x.flags.writeable


def test_features_of_a_tensor_are_viewed(triangle: dict[str, Any]) -> None:
    x = torch.from_numpy(triangle.pop("x").copy())
    graph = cr.Graph(x=x, **triangle)
    assert address(graph.x) == x.data_ptr()


def test_other_features_are_converted_once(triangle: dict[str, Any]) -> None:
    x = triangle.pop("x")
    for other in (x.astype(np.float64), np.asfortranarray(x), x.astype(np.int16), x.tolist()):
        np.testing.assert_array_equal(cr.Graph(x=other, **triangle).x, x)
    for kind in (torch.float64, torch.bfloat16):
        tensor = torch.from_numpy(x.copy()).to(kind)
        np.testing.assert_array_equal(cr.Graph(x=tensor, **triangle).x, x)


def test_sparse_features_are_viewed(triangle: dict[str, Any]) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    x = sparse.csr_matrix(triangle.pop("x"))
    assert x.indices.dtype == np.int32
    graph = cr.Graph(x=x, **triangle)
    assert np.shares_memory(graph.x.data, x.data)
    assert np.shares_memory(graph.x.indices, x.indices)
    np.testing.assert_array_equal(graph.x.toarray(), x.toarray())


def test_other_sparse_features(triangle: dict[str, Any]) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    x = triangle.pop("x")
    twice = sparse.csr_matrix((np.ones(2), [1, 1], [0, 2, 2, 2, 2]), shape=(4, 3))
    kinds = [sparse.coo_matrix(x), sparse.csc_matrix(x), sparse.csr_matrix(x.astype(np.float64))]
    kinds += [torch.from_numpy(x).to_sparse(), torch.from_numpy(x).to_sparse_csr()]
    for kind in kinds:
        np.testing.assert_array_equal(cr.Graph(x=kind, **triangle).x.toarray(), x)
    assert cr.Graph(x=twice, **triangle).x.toarray()[0, 1] == 2
    assert twice.nnz == 2, "the caller's matrix stays as it was"


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.uint8, np.int16, np.uint64])
def test_edges_of_any_integer_type(triangle: dict[str, Any], kind: Any) -> None:
    expected = pairs(cr.Graph(**triangle))
    edges = triangle.pop("edge_index").astype(kind)
    assert pairs(cr.Graph(edges, **triangle)) == expected
    assert pairs(cr.Graph(np.asfortranarray(edges), **triangle)) == expected
    if kind in (np.int32, np.int64):
        assert pairs(cr.Graph(torch.from_numpy(edges), **triangle)) == expected


def test_a_graph_without_edges_or_nodes() -> None:
    assert cr.Graph([[], []], num_nodes=3).num_edges == 0
    assert cr.Graph(np.zeros((2, 0), np.int64)).num_nodes == 0


def test_inputs_live_as_long_as_the_graph(triangle: dict[str, Any]) -> None:
    x = triangle["x"].copy()
    expected = x.copy()
    graph = cr.Graph(triangle["edge_index"], x)
    del x
    gc.collect()
    np.testing.assert_array_equal(graph.x, expected)


def test_outputs_live_without_the_graph() -> None:
    graph = cr.load_dataset(DATASET)
    columns = graph._engine_graph.adjacency()[1]
    labels, features, splits = graph.y, graph.x, graph.splits
    assert labels is not None
    before = [np.array(columns), np.array(labels), np.array(splits[0].train)]
    dense = features.toarray() if hasattr(features, "toarray") else np.array(features)
    del graph
    gc.collect()
    junk = [np.full(1 << 16, 7, np.int32) for _ in range(64)]
    for kept, was in zip((columns, labels, splits[0].train), before):
        np.testing.assert_array_equal(kept, was)
    after = features.toarray() if hasattr(features, "toarray") else features
    np.testing.assert_array_equal(after, dense)
    assert len(junk) == 64


@pytest.mark.parametrize(
    ("y", "labels", "names"),
    [
        ([0, 1, 2, -1], [0, 1, 2, -1], []),
        (np.array([0, -7, 1, 1], np.int8), [0, -1, 1, 1], []),
        ([0.0, np.nan, 1.0, 2.0], [0, -1, 1, 2], []),
        ([True, False, True, True], [1, 0, 1, 1], []),
        (["b", "a", "b", "c"], [1, 0, 1, 2], ["a", "b", "c"]),
        (np.array(["b", None, "a", "b"], object), [1, -1, 0, 1], ["a", "b"]),
        ([100, 7, 100, -1], [1, 0, 1, -1], ["7", "100"]),
        (torch.tensor([[0], [1], [1], [0]]), [0, 1, 1, 0], []),
        ([("a", 1), "b", "b", None], [1, 0, 0, -1], None),
        (["a", float("nan"), "b", "a"], [0, -1, 1, 0], ["a", "b"]),
        ([1, None, 0, np.nan], [1, -1, 0, -1], []),
    ],
)
def test_labels(y: Any, labels: list[int], names: list[str] | None) -> None:
    if names is None:  # of different kinds: by their kind, then by their text
        column = np.empty(4, object)
        column[:] = y
        y = column
    graph = cr.Graph([[0], [1]], num_nodes=4, y=y)
    assert graph.y is not None
    assert graph.y.tolist() == labels
    if names is not None:
        assert graph.class_names == names


def test_splits_in_every_form() -> None:
    edges = [[0], [1]]
    mask = np.array([True, False, False, False])
    rest = {"val": [1], "test": np.array([3, 2])}
    for splits in ((mask, [1], [2, 3]), {"train": [0], **rest}, [([0], [1], [2, 3])]):
        graph = cr.Graph(edges, num_nodes=4, y=[0, 1, 0, 1], splits=splits)
        (split,) = graph.splits
        assert [part.tolist() for part in split[1:]] == [[0], [1], [2, 3]]
    named = cr.Graph(edges, num_nodes=4, splits={"a": ([0], [1], [2]), "b": ([3], [], [1])})
    assert [split.name for split in named.splits] == ["a", "b"]


def test_masks_of_several_splits() -> None:
    train = torch.tensor([[True, False], [False, True], [False, False], [False, False]])
    test = ~train.any(1)
    graph = cr.Graph([[0], [1]], num_nodes=4, train_mask=train, test_mask=test)
    assert [split.train.tolist() for split in graph.splits] == [[0], [1]]
    assert [split.test.tolist() for split in graph.splits] == [[2, 3], [2, 3]]


def test_node_ids() -> None:
    assert cr.Graph([[0], [1]]).node_ids.tolist() == [0, 1]
    ids: list[Any] = [("a", 1), 7, "x"]
    assert cr.Graph([[0], [1]], node_ids=ids).node_ids.tolist() == ids
    assert cr.Graph([[0], [1]], node_ids=np.array([5, 9])).node_ids.tolist() == [5, 9]


def test_pickle_keeps_everything(triangle: dict[str, Any]) -> None:
    graph = cr.Graph(
        triangle["edge_index"],
        triangle["x"],
        y=["b", "a", None, "c"],
        edge_weight=[1, 2, 3, 4],
        node_ids=["k", "l", "m", "n"],
        splits=([0], [1], [3]),
        name="kept",
    )
    again = pickle.loads(pickle.dumps(graph))
    assert repr(again) == repr(graph)
    np.testing.assert_array_equal(again.x, graph.x)
    np.testing.assert_array_equal(again.y, graph.y)
    np.testing.assert_array_equal(again.adjacency.toarray(), graph.adjacency.toarray())
    assert again.node_ids.tolist() == graph.node_ids.tolist()
    assert again.class_names == ["a", "b", "c"]
    assert [part.tolist() for part in again.splits[0][1:]] == [[0], [1], [3]]


def test_a_pickled_dataset_is_the_same_dataset(graph: cr.Graph) -> None:
    again = pickle.loads(pickle.dumps(graph))
    np.testing.assert_array_equal(again.edge_index, graph.edge_index)
    assert again._engine_graph.source == graph._engine_graph.source


def test_notebooks_show_escaped_text() -> None:
    shown = cr.Graph([[0], [1]], name="<b>&")._repr_html_()
    assert "&lt;b&gt;&amp;" in shown
    assert "<b>&" not in shown


def test_the_embedded_dataset() -> None:
    graph = cr.load_dataset("synthetic:citation")
    assert graph.num_nodes == 2800
    assert graph.y is not None and len(graph.y) == 2800
    assert graph.splits


def test_a_split_fits_on_a_line() -> None:
    graph = cr.Graph([[0, 1], [1, 2]], splits=([0], [1], [2]))
    assert repr(graph.splits[0]) == "Split('public': 1 train, 1 val, 1 test)"
