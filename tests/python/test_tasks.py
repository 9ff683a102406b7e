"""Tasks: figures against independent references, and how results look."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import torch

import contrast_reg as cr
from contrast_reg import Score


@pytest.fixture(scope="module")
def model(graph: cr.Graph) -> cr.Embedder:
    keywords: dict[str, Any] = {"dim": 16, "epochs": 10, "patience": 0, "threads": 1}
    return cr.Embedder("ml", **keywords, device="cpu", progress=None).fit(graph, seeds=2)


def one_hot(graph: cr.Graph) -> np.ndarray[Any, Any]:
    assert graph.y is not None
    out = np.zeros((graph.num_nodes, graph.num_classes), np.float32)
    out[np.arange(graph.num_nodes), graph.y] = 1
    return out


def test_classification_is_that_of_scikit_learn(graph: cr.Graph, model: cr.Embedder) -> None:
    linear = pytest.importorskip("sklearn.linear_model")
    split = graph.splits[0]
    assert graph.y is not None
    found = cr.classify(graph, model.embedding_, protocol="public", split=0, normalize="none")
    fitted = linear.LogisticRegression(max_iter=150)
    fitted.fit(model.embedding_[split.train], graph.y[split.train])
    expected = fitted.score(model.embedding_[split.test], graph.y[split.test])
    assert found.accuracy == pytest.approx(expected, abs=0.03)
    assert found.protocol == "public"
    assert found.to_dict()["metrics"]["accuracy"]["mean"] == found.accuracy


def test_a_perfect_embedding(graph: cr.Graph) -> None:
    z = 10 * one_hot(graph)
    assert cr.classify(graph, z, protocol="random-60-20-20", splits=3).accuracy > 0.99
    found = cr.cluster(graph, z, seeds=2)
    assert (found.accuracy, found.nmi, found.f1, found.ari) == pytest.approx((1, 1, 1, 1))
    assert len(found.nmi.values) == 2


def test_seeds_of_a_model_are_pooled(graph: cr.Graph, model: cr.Embedder) -> None:
    options: dict[str, Any] = {"protocol": "random-60-20-20", "splits": 3}
    pooled = cr.classify(graph, model, **options)
    alone = [cr.classify(graph, z, normalize="spread", **options) for z in model.embeddings_]
    values = [value for one in alone for value in one.accuracy.values]
    assert list(pooled.accuracy.values) == values
    assert pooled.accuracy == pytest.approx(np.mean(values))
    assert pooled.accuracy.std == pytest.approx(np.std(values))
    listed = cr.classify(graph, model.embeddings_, normalize="spread", **options)
    assert listed.accuracy.values == pooled.accuracy.values


def test_final_norm_of_a_model_applies(graph: cr.Graph, small: dict[str, Any]) -> None:
    model = cr.Embedder("ml", **small, final_norm=True).fit(graph)
    options: dict[str, Any] = {"protocol": "random-60-20-20", "splits": 1}
    assert cr.classify(graph, model, **options).to_dict()["normalize"] == "l2"
    assert cr.classify(graph, model.embedding_, **options).to_dict()["normalize"] == "none"
    asked = cr.classify(graph, model, normalize="none", **options)
    assert asked.to_dict()["normalize"] == "none"


def test_final_spread_of_a_model_applies_to_classifiers(
    graph: cr.Graph, small: dict[str, Any]
) -> None:
    model = cr.Embedder("ml", **small, final_spread=True).fit(graph)
    options: dict[str, Any] = {"protocol": "random-60-20-20", "splits": 1}
    assert cr.classify(graph, model, **options).to_dict()["normalize"] == "spread"
    assert cr.cluster(graph, model).to_dict()["normalize"] == "none"


def test_embeddings_of_any_kind(graph: cr.Graph, model: cr.Embedder) -> None:
    z = model.embedding_
    options: dict[str, Any] = {"protocol": "random-60-20-20", "splits": 1}
    expected = cr.classify(graph, z, **options).accuracy
    for other in (torch.tensor(z), z.astype(np.float64), np.asfortranarray(z), z.tolist()):
        assert cr.classify(graph, other, **options).accuracy == expected


def test_cluster_options(graph: cr.Graph, model: cr.Embedder) -> None:
    found = cr.cluster(graph, model.embedding_, clusters=3, seeds=1, pca=4)
    assert found.to_dict()["k"] == 3
    assert found.to_dict()["pca"] == 4


def test_link(graph: cr.Graph, small: dict[str, Any]) -> None:
    found = cr.link(graph, "ml", splits=2, seeds=1, **small)
    assert len(found.auc.values) == 2 and 0 <= found.ap <= 1
    again = cr.link(graph, cr.Embedder("ml", **small), splits=2, seeds=1)
    assert again.auc.values == found.auc.values
    assert found.to_dict()["leak_check"]["passed"]


def brute_positives(z: np.ndarray[Any, Any], y: Any, k: int) -> tuple[float, float]:
    """ECE and q of the k most similar nodes by cosine, each node itself included."""
    exact = z.astype(np.float64)
    unit = exact / np.linalg.norm(exact, axis=1, keepdims=True)
    nearest = np.argsort(-(unit @ unit.T), axis=1, kind="stable")[:, :k]
    chance = 1 / (1 + np.exp(-np.einsum("id,ikd->ik", exact, exact[nearest])))
    same = y[nearest] == y[:, None]
    return float(np.abs(chance - same).mean()), float(same.mean())


def test_calibration_against_brute_force(graph: cr.Graph, model: cr.Embedder) -> None:
    z = model.embedding_
    report = cr.calibrate(graph, z, resamples=0, device="cpu")
    ece, q = brute_positives(z, graph.y, 5)
    assert report.ece_positive == pytest.approx(ece, abs=1e-4)
    assert report.q_positive == pytest.approx(q, abs=1e-3)
    assert report.ece is not None and report.ece_negative is not None
    assert report.ece == pytest.approx((report.ece_positive + report.ece_negative) / 2)
    lengths = np.linalg.norm(z.astype(np.float64), axis=1)
    assert report.norm_mean == pytest.approx(lengths.mean(), rel=1e-5)
    assert report.norm_variance == pytest.approx(lengths.var(ddof=1), rel=1e-4)


def test_reliability(graph: cr.Graph, model: cr.Embedder) -> None:
    report = cr.calibrate(graph, model, bins=7, resamples=0, device="cpu")
    bins = report.reliability
    assert bins is not None and 1 <= len(bins) <= 7
    assert (bins["low"] <= bins["mean_chance"]).all() and (bins["mean_chance"] <= bins["high"]).all()
    weight = bins["weight"] / bins["weight"].sum()
    gaps = np.abs(bins["mean_chance"] - bins["frequency"])
    assert report.binned_ece is not None
    assert report.binned_ece.values[0] == pytest.approx(float((weight * gaps).sum()), abs=1e-6)
    assert len(report.binned_ece.values) == 2


def test_calibration_without_labels(graph: cr.Graph, model: cr.Embedder) -> None:
    bare = cr.Graph(graph.edge_index, graph.x)
    report = cr.calibrate(bare, model.embedding_, resamples=0, device="cpu")
    assert report.ece is None and report.reliability is None
    assert report.mean_sigma_random is not None
    with pytest.raises(cr.InputError, match="without labels"):
        report.plot()
    assert "ece" not in repr(report)


def test_plot(graph: cr.Graph, model: cr.Embedder) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    report = cr.calibrate(graph, model.embedding_, resamples=0, device="cpu")
    axes = report.plot()
    assert axes.get_ylabel() == "observed frequency"
    words = [text.get_text() for text in axes.get_legend().get_texts()]
    assert sorted(words) == [
        "gap: over-confident",
        "gap: under-confident",
        "mean of a bin",
        "observed frequency",
        "perfect calibration",
    ]
    bins = report.reliability
    assert bins is not None
    bars, *gaps = axes.containers
    assert [bar.get_height() for bar in bars] == pytest.approx(list(bins["frequency"]))
    # Each gap reaches from the observed frequency to the confidence, and the bar shows through it.
    over = bins[bins["mean_chance"] > bins["frequency"]]
    under = bins[bins["mean_chance"] < bins["frequency"]]
    for drawn, rows in zip(gaps, (over, under), strict=True):
        low = np.minimum(rows["mean_chance"], rows["frequency"])
        assert [gap.get_y() for gap in drawn] == pytest.approx(list(low))
        size = np.abs(rows["mean_chance"] - rows["frequency"])
        assert [gap.get_height() for gap in drawn] == pytest.approx(list(size))
        assert all(gap.get_facecolor()[3] < 0.5 for gap in drawn)
    assert f"binned ECE {float(report.binned_ece):.4f}" in axes.get_title()
    assert report.plot(ax=axes) is axes
    several = cr.calibrate(graph, model, resamples=0, device="cpu")
    assert several.plot().get_title().endswith("of the first of 2")


def test_scores() -> None:
    score = Score([0.5, 0.7])
    assert isinstance(score, float) and score == pytest.approx(0.6)
    assert score.std == pytest.approx(0.1)
    assert repr(score) == "0.6000 ± 0.1000" and f"{score:.1f}" == "0.6"
    assert repr(Score([0.5])) == "0.5000"
    again = pickle.loads(pickle.dumps(score))
    assert (again, again.std, again.values) == (score, score.std, score.values)


def test_how_results_look(graph: cr.Graph, model: cr.Embedder) -> None:
    found = cr.classify(graph, model, protocol="random-60-20-20", splits=2)
    assert repr(found).startswith("Classification(accuracy=0.") and "\n" not in repr(found)
    assert "<table>" in found._repr_html_()
    again = pickle.loads(pickle.dumps(found))
    assert repr(again) == repr(found)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda g, z: cr.classify(g, z[:5]), "z: not one row per node: found 5"),
        (lambda g, z: cr.classify(g, z[:, 0]), "z: wrong shape"),
        (lambda g, z: cr.classify(g, z, protocol="publik"), "protocol: .*did you mean"),
        (lambda g, z: cr.classify(g, z, normalize="l3"), "normalize: .*expected none, l2 or spread"),
        (lambda g, z: cr.classify(g, z, split=0, splits=2), "one of them"),
        (lambda g, z: cr.classify(g, z, splits=0), "splits: out of range"),
        (lambda g, z: cr.classify(g, cr.Embedder()), "call fit"),
        (lambda g, z: cr.classify(z, g), "graph: not a graph"),
        (lambda g, z: cr.cluster(g, z, clusters=0), "clusters: out of range"),
        (lambda g, z: cr.cluster(g, z, clusters=10**6), "cluster"),
        (lambda g, z: cr.calibrate(g, z, positives="nearest"), "positives"),
        (lambda g, z: cr.calibrate(g, z, anchors=10**9), "anchors"),
        (lambda g, z: cr.calibrate(g, np.full_like(z, np.nan)), "z: .*finite at row 0"),
        (lambda g, z: cr.link(g, "ml", splits=0), "splits: out of range"),
        (lambda g, z: cr.classify(cr.Graph(g.edge_index), z), "label"),
    ],
)
def test_tasks_say_what_is_wrong(
    graph: cr.Graph, model: cr.Embedder, call: Any, words: str
) -> None:
    with pytest.raises(ValueError, match=words) as caught:
        call(graph, model.embedding_)
    assert "--" not in str(caught.value)


def brute_neighbors(z: np.ndarray[Any, Any], row: int, k: int) -> list[int]:
    unit = z / np.linalg.norm(z, axis=1, keepdims=True)
    order = np.argsort(-(unit @ unit[row]), kind="stable")
    return [int(i) for i in order if i != row][:k]


def test_neighbors_are_the_most_similar_with_their_edges(graph: cr.Graph, model: cr.Embedder) -> None:
    z = model.embedding_.astype(np.float64)
    found = cr.neighbors(graph, model, [3, 0], k=6, device="cpu")
    assert found.indices.tolist() == [brute_neighbors(z, row, 6) for row in (3, 0)]
    joined = set(zip(*graph.edge_index.tolist()))
    for node, row, edges in zip((3, 0), found.indices.tolist(), (found.edges if found.edges is not None else [])):
        assert edges.tolist() == [(node, one) in joined or (one, node) in joined for one in row]
    assert model.neighbors(3, k=6, device="cpu").indices.tolist() == found.indices[:1].tolist()
    without = cr.neighbors(graph, model, [3, 0], k=6, graph_neighbors="exclude", device="cpu")
    assert without.edges is not None and not without.edges.any()


def test_neighbors_of_all_nodes(graph: cr.Graph, model: cr.Embedder) -> None:
    found = model.neighbors(k=2, device="cpu")
    assert found.indices.shape == found.scores.shape == (graph.num_nodes, 2)
    assert found.recall is None
    some = model.neighbors([5, 9], k=2, device="cpu")
    assert (found.indices[[5, 9]] == some.indices).all()


def test_neighbors_by_id_without_a_graph_and_where_there_are_too_few() -> None:
    z = [[3.0, 0.0], [2.0, 1.0], [0.0, 1.0]]
    graph = cr.Graph([[0, 1], [1, 2]], [[1.0], [2.0], [4.0]], node_ids=["ann", "bob", "cy"])
    found = cr.neighbors(graph, z, "bob", k=2)
    assert found.ids.tolist() == [["ann", "cy"]]
    assert found.nodes.tolist() == ["bob"]
    alone = cr.neighbors(graph, z, ["bob", "ann"], k=2, graph_neighbors="exclude")
    assert alone.ids.tolist() == [[None, None], ["cy", None]]
    assert alone.indices.tolist() == [[-1, -1], [2, -1]]
    assert np.isnan(alone.scores[0]).all()
    bare = cr.neighbors(None, z, [1], k=1, similarity="dot")
    assert bare.edges is None
    assert bare.ids.tolist() == [[0]]
    assert bare.scores.tolist() == [[6.0]]
    pandas = pytest.importorskip("pandas")
    frame = found.to_frame()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == ["node", "rank", "neighbor", "score", "edge"]
    assert frame["neighbor"].tolist() == ["ann", "cy"]
    assert frame["edge"].tolist() == [True, True]


def test_wrong_questions_for_neighbors(graph: cr.Graph) -> None:
    z = np.eye(4, dtype=np.float32)
    named = cr.Graph([[0, 1], [1, 2]], np.eye(3, dtype=np.float32), node_ids=["ann", "bob", "cy"])
    with pytest.raises(cr.InputError, match="did you mean ann"):
        cr.neighbors(named, z[:3], "anne", k=1)
    with pytest.raises(cr.InputError, match="unknown node"):
        cr.neighbors(None, z, 4, k=1)
    with pytest.raises(cr.InputError, match="1 to 3"):
        cr.neighbors(None, z, 0, k=4)
    with pytest.raises(cr.InputError, match="not one row per node"):
        cr.neighbors(graph, z, 0, k=1)
    with pytest.raises(cr.InputError, match="where there is a graph"):
        cr.neighbors(None, z, 0, k=1, graph_neighbors="exclude")
    with pytest.raises(cr.InputError, match="graph_neighbors"):
        cr.neighbors(named, z[:3], "ann", k=1, graph_neighbors="hide")
    with pytest.raises(cr.InputError, match="nodes=None"):
        cr.neighbors(None, z, 0, k=1, approximate=True)


def test_baselines_are_those_of_scikit_learn(graph: cr.Graph, model: cr.Embedder) -> None:
    linear = pytest.importorskip("sklearn.linear_model")
    sparse = pytest.importorskip("scipy.sparse")
    assert graph.y is not None
    plain = cr.classify(graph, model.embedding_, protocol="public", split=0)
    assert plain.baselines == {}
    found = cr.classify(graph, model.embedding_, protocol="public", split=0, baselines=True)
    assert found.accuracy.values == plain.accuracy.values
    matrix = sparse.csr_matrix(graph.adjacency) + sparse.eye(graph.num_nodes)
    scale = sparse.diags(1 / np.sqrt(np.asarray(matrix.sum(0)).ravel()))
    rows = np.asarray(graph.x.toarray() if sparse.issparse(graph.x) else graph.x)
    split = graph.splits[0]
    for name in ("X", "ÂX", "Â²X"):
        fitted = linear.LogisticRegression(max_iter=150).fit(rows[split.train], graph.y[split.train])
        expected = fitted.score(rows[split.test], graph.y[split.test])
        assert found.baselines[name] == pytest.approx(expected, abs=0.011)
        rows = scale @ (matrix @ (scale @ rows))
