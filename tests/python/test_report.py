"""Pages, maps and figures: what they hold, compared with what was put in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import contrast_reg as cr

SMALL: dict[str, Any] = {"dim": 8, "epochs": 4, "patience": 0, "threads": 1, "device": "cpu"}


@pytest.fixture(scope="module")
def own(graph: cr.Graph) -> cr.Graph:
    """A graph in memory, with names that a page must not run."""
    assert graph.y is not None and graph.x is not None
    half = graph.num_nodes // 2
    names = [f"<script>{i}</script>" for i in range(graph.num_nodes)]
    part = np.arange(graph.num_nodes) % 2 == 0
    return cr.Graph(
        graph.edge_index,
        graph.x,
        y=graph.y,
        node_ids=names,
        splits=[(np.flatnonzero(part)[:half], np.flatnonzero(~part)[:20], np.flatnonzero(~part)[20:])],
    )


@pytest.fixture(scope="module")
def models(own: cr.Graph) -> list[cr.Embedder]:
    made = [cr.Embedder("ml", regulariser=reg, **SMALL) for reg in ("none", "contrast")]
    return [made[0].fit(own), made[1].fit(own, seeds=2)]


def page_of(runs: Any, out: Path, **options: Any) -> tuple[cr.Report, dict[str, Any]]:
    """What was told of the page, and the figures that it holds."""
    try:
        report = cr.report(runs, out, threads=1, **options)
    except OSError as error:
        if "this build has no page" not in str(error):
            raise
        pytest.skip("this build has no page")
    html = out.read_text(encoding="utf-8")
    begin = '<script id="data" type="application/json">'
    text = html[html.index(begin) + len(begin) :]
    data: dict[str, Any] = json.loads(text[: text.index("</script>")])
    return report, data


def test_a_page_of_models_on_a_graph_in_memory(
    own: cr.Graph, models: list[cr.Embedder], tmp_path: Path
) -> None:
    report, data = page_of(models, tmp_path / "page.html", map="pca", title="Two of them")
    assert report.title == "Two of them" == data["title"]
    assert Path(report) == tmp_path / "page.html"
    assert [one["run"] for one in report.runs] == ["ml none", "ml contrast"]
    assert [one["seeds"] for one in report.runs] == [[0], [0, 1]]
    assert [one["map_nodes"] for one in report.runs] == [own.num_nodes] * 2
    assert [one["notes"] for one in report.runs] == [[], []]
    assert "<script>0" not in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "ml none" in repr(report) and "page.html" in report._repr_html_()
    # Nobody judged these runs while they were trained: the page does, as classify.
    for model, row in zip(models, data["runs"], strict=True):
        expected = cr.classify(own, model, protocol="public")
        assert row["figures"]["accuracy"]["mean"] == pytest.approx(float(expected.accuracy))
    assert len(data["datasets"]) == 1, "one graph, whatever runs were trained on it"


def test_names_are_told_apart(models: list[cr.Embedder], tmp_path: Path) -> None:
    report, _ = page_of([models[0], models[0]], tmp_path / "page.html", map="none", baselines=False)
    assert [one["run"] for one in report.runs] == ["ml none", "ml none 2"]
    named = {"plain": models[0], "with it": models[1]}
    report, _ = page_of(named, tmp_path / "page.html", map="none", baselines=False)
    assert [one["run"] for one in report.runs] == ["plain", "with it"]
    assert [one["map_nodes"] for one in report.runs] == [None, None]


def test_a_folder_wants_the_graph_that_was_in_memory(
    own: cr.Graph, models: list[cr.Embedder], tmp_path: Path
) -> None:
    models[0].save(tmp_path / "run")
    report, _ = page_of(tmp_path / "run", tmp_path / "page.html", map="pca")
    assert report.runs[0]["map_nodes"] is None and "not at hand" in report.runs[0]["notes"][0]
    report, _ = page_of(tmp_path / "run", tmp_path / "page.html", map="pca", graph=own)
    assert report.runs[0]["map_nodes"] == own.num_nodes and report.runs[0]["run"] == "run"
    loaded = cr.load(tmp_path / "run")
    report, _ = page_of(loaded, tmp_path / "page.html", map="pca", graph=own)
    assert report.runs[0]["map_nodes"] == own.num_nodes


def test_a_model_writes_its_own_page(models: list[cr.Embedder], tmp_path: Path) -> None:
    page_of(models[0], tmp_path / "page.html", map="none")  # skips where there is none
    report = models[0].report(tmp_path / "own.html", map="none", baselines=False)
    assert report.path.exists() and [one["run"] for one in report.runs] == ["ml none"]


def test_what_is_no_report(models: list[cr.Embedder], tmp_path: Path) -> None:
    with pytest.raises(cr.InputError, match="unknown map: found 'umap'"):
        cr.report(models, map="umap")
    with pytest.raises(cr.InputError, match="methods: not a list of names"):
        cr.report(models, methods="ml")
    with pytest.raises(cr.InputError, match="nothing to report on"):
        cr.report([])
    with pytest.raises(cr.InputError, match="expected an Embedder"):
        cr.report(3)
    with pytest.raises(cr.NotFittedError):
        cr.report(cr.Embedder())
    page_of(models[0], tmp_path / "page.html", map="none")
    with pytest.raises(cr.InputError, match="a folder has this name"):
        cr.report(models, tmp_path)
    with pytest.raises(cr.InputError, match="there is no such run"):
        cr.report(tmp_path / "gone", tmp_path / "page.html")


def test_a_map_keeps_neighbours_together() -> None:
    rng = np.random.default_rng(0)
    z = rng.normal(size=(120, 5)).astype(np.float32)
    z[60:] += 30
    points = cr.tsne(z, perplexity=10, threads=1)
    assert points.shape == (120, 2) and points.dtype == np.float32
    assert np.array_equal(points, cr.tsne(z, perplexity=10, threads=2))
    centres = [points[:60].mean(0), points[60:].mean(0)]
    spread = max(np.linalg.norm(points[:60] - centres[0], axis=1).max(), 1e-3)
    assert np.linalg.norm(centres[0] - centres[1]) > spread
    with pytest.raises(cr.InputError, match="perplexity"):
        cr.tsne(z, perplexity=0)


def test_curves_over_the_epochs(models: list[cr.Embedder]) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    ax = models[1].plot("loss")
    histories = [one.history["loss"] for one in models[1]._run.seeds]
    assert len(histories) == 2
    assert ax.lines[0].get_ydata() == pytest.approx(np.mean(histories, 0))
    assert len(ax.collections) == 1, "a band over the seeds"
    low, high = (getattr(ax.collections[0].get_paths()[0].vertices[:, 1], e)() for e in ("min", "max"))
    assert low == pytest.approx((np.mean(histories, 0) - np.std(histories, 0)).min())
    assert high == pytest.approx((np.mean(histories, 0) + np.std(histories, 0)).max())
    assert ax.get_title() == "ML + Contrast-Reg"
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert legend == ["± one standard deviation", "mean of 2 seeds"]
    one = models[0].plot("norm_mean")
    assert one.get_ylabel() == "mean |h|" and one.get_title() == "ML"
    assert [text.get_text() for text in one.get_legend().get_texts()] == ["epoch kept"]
    with pytest.raises(cr.InputError, match="did you mean loss"):
        models[0].plot("los")
    with pytest.raises(cr.InputError, match="nothing was measured"):
        models[0].plot("val_accuracy")


def test_a_map_has_the_colours_of_labels(own: cr.Graph, models: list[cr.Embedder]) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    ax = models[0].plot("map")
    points = cr.tsne(models[0])
    assert own.y is not None and len(ax.collections) == own.num_classes
    for label, dots in enumerate(ax.collections):
        assert np.asarray(dots.get_offsets()) == pytest.approx(points[own.y == label])
    bare = cr.Graph(own.edge_index, own.x)
    assert len(models[0].plot("map", graph=bare).collections) == 1
    other = cr.Graph([[0], [1]], np.eye(2, dtype=np.float32), y=[0, 1])
    with pytest.raises(cr.InputError, match="not one label per row"):
        models[0].plot("map", graph=other)
