"""Embedder: scikit-learn's conventions, what fitting leaves, folders, pickles, notebooks."""

from __future__ import annotations

import copy
import gc
import inspect
import json
import logging
import pickle
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import contrast_reg as cr
from contrast_reg import _engine
from contrast_reg._reference import typed_keywords
from contrast_reg._table import settings_of, text_of


def test_every_parameter_is_a_keyword() -> None:
    keywords = inspect.signature(cr.Embedder).parameters
    keys = {one.key for one in _engine.parameters()}
    assert keys - {"reg"} < set(keywords)
    assert "regulariser" in keywords and "reg" not in keywords
    assert list(keywords)[0] == "method"
    said = cr.Embedder.__doc__ or ""
    assert all(f"\n{name} : " in said for name in keywords)


def test_the_types_are_those_of_the_table() -> None:
    kept = Path(cr.__file__).with_name("_keywords.pyi")
    if not kept.exists():
        pytest.skip("the package was copied without its types")
    types = kept.read_text(encoding="utf-8")
    assert types == typed_keywords()
    for line in ("dim: int | None", "lr: float | None", "walk_length: int | None"):
        assert f"    {line}\n" in types


def test_get_and_set_params() -> None:
    model = cr.Embedder("lc", dim=16)
    assert model.get_params()["method"] == "lc"
    assert model.set_params(dim=32, regulariser="none") is model
    assert (model.dim, model.regulariser) == (32, "none")
    assert set(model.get_params()) == set(inspect.signature(cr.Embedder).parameters)


def test_clone_of_scikit_learn(graph: cr.Graph, small: dict[str, Any]) -> None:
    base = pytest.importorskip("sklearn.base")
    batches: dict[str, Any] = {"encoder": "sage", "layers": 2, "batch_size": 64}
    model = cr.Embedder("lc", **small, **batches, fanouts=[3, 4]).fit(graph)
    again = base.clone(model)
    assert again.get_params() == model.get_params()
    assert not hasattr(again, "embedding_")
    lossy = base.clone(cr.Embedder(torch.nn.Identity()))
    assert isinstance(lossy.method, torch.nn.Identity)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (np.bool_(False), "false"),
        (512, "512"),
        (512.0, "512"),
        (1e-3, "0.001"),
        (np.float32(0.5), "0.5"),
        (np.int64(7), "7"),
        ([10, -1], "10,-1"),
        ((3,), "3"),
        (np.array([3, 4]), "3,4"),
        ("auto", "auto"),
    ],
)
def test_values_as_text(value: Any, text: str) -> None:
    assert text_of("dim", value) == text


def test_truths_as_text() -> None:
    for value in (True, 1, np.int64(1), np.True_, "true"):
        assert text_of("final_norm", value) == "true"
    assert text_of("final_norm", 0) == "false"
    for wrong in ("yes", 2, 0.5, None):
        with pytest.raises(cr.InputError, match="final_norm: not a truth.*True or False"):
            text_of("final_norm", wrong)


def test_settings_have_the_keys_of_the_engine() -> None:
    chosen = cr.Embedder("lc", regulariser="none", final_norm=True, lr=0.01).get_params()
    expected = {"method": "lc", "reg": "none", "final_norm": "true", "lr": "0.01"}
    assert settings_of(chosen) == expected


def test_what_fitting_leaves(graph: cr.Graph, small: dict[str, Any]) -> None:
    model = cr.Embedder("ml", **small)
    assert model.fit(graph) is model
    z = model.embedding_
    assert z.shape == (graph.num_nodes, 8) and z.dtype == np.float32
    assert np.isfinite(z).all()
    assert model.n_epochs_ == 4 and 0 <= model.best_epoch_ < 4
    assert len(model.history_["loss"]) == 4
    assert model.best_epoch_ == int(np.argmin(model.history_["loss"]))
    np.testing.assert_array_equal(model.history_["epoch"], range(4))
    assert model.graph_ is graph and model.n_features_in_ == graph.num_features
    assert model.config_["dim"] == 8 and model.config_["regulariser"] == "contrast"
    assert model.seeds_ == [0] and len(model.embeddings_) == 1
    assert model.seconds_ > 0


def test_the_same_settings_give_the_same_bytes(graph: cr.Graph, small: dict[str, Any]) -> None:
    first = cr.Embedder("lc", **small).fit_transform(graph)
    second = cr.Embedder("lc", **small).fit_transform(graph)
    other = cr.Embedder("lc", **small, random_state=1).fit_transform(graph)
    assert first.tobytes() == second.tobytes()
    assert first.tobytes() != other.tobytes()


def test_seeds(graph: cr.Graph, small: dict[str, Any]) -> None:
    model = cr.Embedder("ml", **small).fit(graph, seeds=2)
    assert model.seeds_ == [0, 1] and len(model.embeddings_) == 2
    for seed, z in zip(model.seeds_, model.embeddings_):
        alone = cr.Embedder("ml", **small, random_state=seed).fit_transform(graph)
        assert alone.tobytes() == z.tobytes()
    assert model.embedding_ is model.embeddings_[0]


def test_transform_of_the_same_graph_is_the_embedding(
    graph: cr.Graph, small: dict[str, Any]
) -> None:
    model = cr.Embedder("ml", **small)
    z = model.fit_transform(graph)
    np.testing.assert_allclose(model.transform(graph), z, rtol=1e-4, atol=1e-5)


def test_transform_of_another_graph(graph: cr.Graph, small: dict[str, Any]) -> None:
    model = cr.Embedder("ml", **small).fit(graph)
    half = graph.num_nodes // 2
    kept = (graph.edge_index < half).all(0)
    x = graph.x[:half]
    other = cr.Graph(graph.edge_index[:, kept], x)
    assert model.transform(other).shape == (half, 8)
    with pytest.raises(cr.InputError):
        model.transform(cr.Graph([[0], [1]], np.ones((2, 3))))


def test_the_embedding_lives_without_the_model(graph: cr.Graph, small: dict[str, Any]) -> None:
    model = cr.Embedder("ml", **small)
    z = model.fit_transform(graph)
    before = z.copy()
    del model
    gc.collect()
    junk = [np.full(z.shape, 7, np.float32) for _ in range(64)]
    np.testing.assert_array_equal(z, before)
    assert len(junk) == 64


def test_dlpack(graph: cr.Graph, small: dict[str, Any]) -> None:
    z = cr.Embedder("ml", **small).fit_transform(graph)
    tensor = torch.from_dlpack(z)
    assert tensor.data_ptr() == z.__array_interface__["data"][0]
    tensor[0, 0] = 7
    assert z[0, 0] == 7


def test_arrays_of_another_library_come_by_dlpack(small: dict[str, Any]) -> None:
    class Foreign:
        def __init__(self, tensor: torch.Tensor) -> None:
            self._tensor = tensor

        def __dlpack__(self, stream: Any = None) -> Any:
            return self._tensor.__dlpack__()

        def __dlpack_device__(self) -> Any:
            return self._tensor.__dlpack_device__()

    x = torch.eye(3)
    graph = cr.Graph(Foreign(torch.tensor([[0, 1], [1, 2]])), Foreign(x))
    assert graph.x.__array_interface__["data"][0] == x.data_ptr()
    np.testing.assert_array_equal(graph.x, np.eye(3, dtype=np.float32))


def test_arrays_that_refuse_numpy_come_by_dlpack() -> None:
    """Such as CuPy's: they have __array__, which says to call get()."""

    class Foreign:
        def __init__(self, tensor: torch.Tensor) -> None:
            self._tensor = tensor

        def __dlpack__(self, stream: Any = None) -> Any:
            return self._tensor.__dlpack__()

        def __dlpack_device__(self) -> Any:
            return self._tensor.__dlpack_device__()

        def __array__(self, *args: Any, **kinds: Any) -> Any:
            raise TypeError("Implicit conversion to a NumPy array is not allowed.")

    x = torch.eye(3)
    graph = cr.Graph([[0, 1], [1, 2]], Foreign(x))
    assert graph.x.__array_interface__["data"][0] == x.data_ptr()
    with pytest.raises(cr.InputError, match="x: not an array: found list"):
        cr.Graph([[0, 1], [1, 2]], [[1.0], [2.0, 3.0]])


def test_the_embedding_is_the_model_s_own_memory(
    graph: cr.Graph, small: dict[str, Any], tmp_path: Path
) -> None:
    """It may be written to, as of any model of scikit-learn, and then that is what is saved."""
    model = cr.Embedder("ml", **small).fit(graph)
    model.embedding_[:] = 1
    model.save(tmp_path / "run")
    assert (cr.load(tmp_path / "run").embedding_ == 1).all()


def test_a_graph_is_written_as_creg(tmp_path: Path, command: Path) -> None:
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    graph = cr.Graph(
        [[0, 1, 2], [1, 2, 0]],
        x,
        y=["b", "a", None, "b"],
        edge_weight=[1, 2, 3],
        node_ids=["p", "q", "r", "s"],
        splits=([0], [1], [3]),
        name="mine",
    )
    graph.save(tmp_path / "mine.creg")
    again = cr.load_dataset(tmp_path / "mine.creg")
    np.testing.assert_array_equal(again.x, x)
    np.testing.assert_array_equal(again.adjacency.toarray(), graph.adjacency.toarray())
    assert again.y is not None and again.y.tolist() == [1, 0, -1, 1]
    assert again.class_names == ["a", "b"] and list(again.node_ids) == ["p", "q", "r", "s"]
    assert [one.test.tolist() for one in again.splits] == [[3]]
    told = subprocess.run(
        [command, "data", "info", tmp_path / "mine.creg", "--json"],
        stdout=subprocess.PIPE,
        check=True,
    )
    assert json.loads(told.stdout)["nodes"] == 4


def test_some_nodes_are_embedded(graph: cr.Graph, small: dict[str, Any]) -> None:
    for encoder in ("gcn", "sage"):
        model = cr.Embedder("ml", encoder=encoder, channel_norm=False, **small).fit(graph)
        rows = model.transform(graph, nodes=[7, 3, 7])
        np.testing.assert_allclose(rows, model.transform(graph)[[7, 3, 7]], rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(model.transform(graph, 5)[0], model.embedding_[5], rtol=1e-4, atol=1e-5)
    with pytest.raises(cr.InputError, match="nodes: unknown node: found 10000000"):
        model.transform(graph, nodes=[10**7])


def test_some_nodes_by_a_saved_model_and_an_encoder_of_ones_own(
    small: dict[str, Any], tmp_path: Path
) -> None:
    class Product(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(3, 8)

        def forward(self, x: torch.Tensor, adjacency: cr.ops.SparseMatrix) -> torch.Tensor:
            return adjacency @ self.layer(x)

    x = np.random.default_rng(0).random((4, 3), np.float32)
    graph = cr.Graph([[0, 1, 2], [1, 2, 3]], x, node_ids=["a", "b", "c", "d"])
    model = cr.Embedder("ml", encoder=Product(), **small).fit(graph, out=tmp_path / "run")
    for one in (model, cr.load(tmp_path / "run").set_params(encoder=Product())):
        rows = one.transform(graph, nodes=["d", "a"])
        np.testing.assert_allclose(rows, model.embedding_[[3, 0]], rtol=1e-5)


def test_looks_at_the_calibration(
    graph: cr.Graph, small: dict[str, Any], tmp_path: Path, command: Path
) -> None:
    model = cr.Embedder("ml", **small).fit(graph, calibrate=2)
    looks = model.calibration_
    assert looks["epoch"].tolist() == [0, 2, 4]
    # The last look is at the last epoch's embedding, which need not be the one that was kept.
    last = cr.Embedder("ml", **small, select="last").fit(graph, calibrate=2)
    assert looks["ece"][-1] == pytest.approx(last.calibration_["ece"][-1])
    assert last.calibration_["ece"][-1] == pytest.approx(
        cr.calibrate(graph, last, resamples=0).ece, abs=1e-6
    )
    model.save(tmp_path / "saved")
    kept = cr.Embedder("ml", **small).fit(graph, out=tmp_path / "run", calibrate=2)
    written = (tmp_path / "run" / "calibration.jsonl").read_text()
    assert (tmp_path / "saved" / "calibration.jsonl").read_text() == written
    for one in (kept, cr.load(tmp_path / "saved"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(one.calibration_["ece"], looks["ece"])
    several = cr.Embedder("ml", **small).fit(graph, seeds=2, calibrate=4)
    assert several.calibration_["epoch"].tolist() == [0, 4]
    assert not hasattr(cr.Embedder("ml", **small).fit(graph), "calibration_")
    with pytest.raises(cr.InputError, match="calibrate: out of range"):
        model.fit(graph, calibrate=0)


def test_an_event_file(graph: cr.Graph, small: dict[str, Any], tmp_path: Path) -> None:
    cr.Embedder("ml", **small).fit(graph, out=tmp_path / "run", tensorboard=True)
    assert (tmp_path / "run" / "events.out.tfevents").stat().st_size > 0
    with pytest.raises(cr.InputError, match="tensorboard: .*expected a folder, out"):
        cr.Embedder("ml", **small).fit(graph, tensorboard=True)


def test_loaded_embeddings_may_be_written_to(
    graph: cr.Graph, small: dict[str, Any], tmp_path: Path
) -> None:
    cr.Embedder("ml", **small).fit(graph, out=tmp_path / "run")
    before = (tmp_path / "run/embedding.npy").read_bytes()
    cr.load(tmp_path / "run").embedding_[:] = 0
    assert (tmp_path / "run/embedding.npy").read_bytes() == before


def test_the_callback(graph: cr.Graph, small: dict[str, Any]) -> None:
    seen: list[cr.Epoch] = []
    model = cr.Embedder("ml", **small).fit(graph, callback=seen.append)
    assert [one.epoch for one in seen] == [0, 1, 2, 3]
    assert [one.loss for one in seen] == model.history_["loss"].tolist()
    assert {one.seed for one in seen} == {0}
    np.testing.assert_allclose(
        [one.contrast + one.ratio * one.regulariser for one in seen],
        [one.loss for one in seen],
        rtol=1e-5,
    )


def test_plan(graph: cr.Graph) -> None:
    planned = cr.Embedder("ml", dim=16).plan(graph)
    assert planned["config"]["dim"] == 16
    assert planned["memory"] > 0


def test_to_frame(small: dict[str, Any]) -> None:
    pd = pytest.importorskip("pandas")
    ids = [("a", 1), "b", 3, 4.5]
    graph = cr.Graph([[0, 1, 2], [1, 2, 3]], np.eye(4, dtype=np.float32), node_ids=ids)
    frame = cr.Embedder("ml", **small).fit(graph).to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert frame.index.tolist() == ids
    assert frame.columns.tolist() == [f"z{i}" for i in range(8)]


def test_save_and_load(graph: cr.Graph, small: dict[str, Any], tmp_path: Path) -> None:
    model = cr.Embedder("lc", **small, regulariser="none").fit(graph)
    model.save(tmp_path / "run")
    again = cr.load(tmp_path / "run")
    assert again.embedding_.tobytes() == model.embedding_.tobytes()
    for key in ("loss", "lr", "norm_mean"):
        np.testing.assert_allclose(again.history_[key], model.history_[key], rtol=1e-6)
    assert (again.best_epoch_, again.n_epochs_) == (model.best_epoch_, model.n_epochs_)
    assert (again.method, again.regulariser, again.dim) == ("lc", "none", 8)
    np.testing.assert_array_equal(again.transform(graph), model.transform(graph))
    assert again.fit_transform(graph).tobytes() == model.embedding_.tobytes()


def test_a_folder_of_several_seeds(graph: cr.Graph, small: dict[str, Any], tmp_path: Path) -> None:
    model = cr.Embedder("ml", **small).fit(graph, seeds=2, out=tmp_path / "run")
    again = cr.load(tmp_path / "run")
    assert again.seeds_ == [0, 1]
    for a, b in zip(model.embeddings_, again.embeddings_):
        assert a.tobytes() == b.tobytes()


def test_ids_come_back_with_a_folder(small: dict[str, Any], tmp_path: Path) -> None:
    graph = cr.Graph([[0, 1], [1, 2]], np.eye(3, dtype=np.float32), node_ids=["a", "b", "ü"])
    cr.Embedder("ml", **small).fit(graph, out=tmp_path / "run")
    assert cr.load(tmp_path / "run").node_ids_.tolist() == ["a", "b", "ü"]


def test_pickles(graph: cr.Graph, small: dict[str, Any]) -> None:
    fresh = pickle.loads(pickle.dumps(cr.Embedder("lc", dim=16)))
    assert fresh.get_params() == cr.Embedder("lc", dim=16).get_params()
    model = cr.Embedder("ml", **small).fit(graph, seeds=2)
    content = pickle.dumps(model)
    expected = [z.tobytes() for z in model.embeddings_]
    transformed = model.transform(graph)
    del model
    gc.collect()
    again = pickle.loads(content)
    assert [z.tobytes() for z in again.embeddings_] == expected
    np.testing.assert_array_equal(again.transform(graph), transformed)
    assert again.graph_.num_nodes == graph.num_nodes
    twice = pickle.loads(pickle.dumps(copy.deepcopy(again)))
    assert [z.tobytes() for z in twice.embeddings_] == expected


def test_a_loss_that_cannot_be_pickled() -> None:
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(cr.Embedder(lambda h, step: h.sum()))


def test_repr() -> None:
    assert repr(cr.Embedder()) == "Embedder()"
    shown = repr(cr.Embedder("lc", dim=16, final_norm=True, progress=False))
    assert shown == "Embedder(method='lc', dim=16, final_norm=True, progress=False)"

    def barlow(h: torch.Tensor, step: cr.Step) -> torch.Tensor:
        return h.sum()

    assert repr(cr.Embedder(barlow)) == "Embedder(method=barlow)"


def test_notebooks_show_the_curve(graph: cr.Graph, small: dict[str, Any]) -> None:
    model = cr.Embedder("ml", **small, recipe="none")
    assert "not fitted" in model._repr_html_()
    shown = model.fit(graph)._repr_html_()
    assert "<svg" in shown and "<polyline" in shown
    assert "<script" not in shown and "http" not in shown.replace("http://www.w3.org/2000/svg", "")
    assert "&lt;x&gt;" in cr.Embedder("<x>")._repr_html_()


def test_logging(
    graph: cr.Graph, small: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG, logger="contrast_reg"):
        cr.Embedder("ml", **small).fit(graph)
    assert caplog.records, "which recipe is taken is said"
    assert all(record.name == "contrast_reg" for record in caplog.records)
    assert not [record for record in caplog.records if "--" in record.getMessage()]


def slowly(_: cr.Epoch) -> None:
    """What is done in a moment shows nothing."""
    time.sleep(0.05)


def test_progress_goes_to_a_callable(graph: cr.Graph, small: dict[str, Any]) -> None:
    seen: list[dict[str, Any]] = []
    keywords = {**small, "epochs": 10, "progress": seen.append}
    cr.Embedder("ml", **keywords).fit(graph, callback=slowly)
    assert seen[-1]["last"] and seen[-1]["done"] == seen[-1]["total"] == 10
    assert {"label", "unit", "total", "done", "note", "seconds"} <= set(seen[-1])


def test_progress_by_tqdm(
    graph: cr.Graph, small: dict[str, Any], capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("tqdm")
    keywords = {**small, "epochs": 10}
    cr.Embedder("ml", **{**keywords, "progress": "auto"}).fit(graph, callback=slowly)
    assert capfd.readouterr().err == "", "no terminal, no bar"
    cr.Embedder("ml", **{**keywords, "progress": True}).fit(graph, callback=slowly)
    assert "ml epochs" in capfd.readouterr().err


def test_import_loads_nothing_that_is_not_needed() -> None:
    heavy = ("pandas", "scipy", "sklearn", "matplotlib", "networkx")
    program = (
        "import sys, torch; before = set(sys.modules); import contrast_reg; "
        f"print([m for m in {heavy} if m in set(sys.modules) - before])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_a_folder_of_another_run_is_not_this_model_s(
    graph: cr.Graph, small: dict[str, Any], tmp_path: Path
) -> None:
    model = cr.Embedder("ml", **small).fit(graph, out=tmp_path / "run")
    before = model.embedding_.copy()
    again = cr.Embedder("ml", **small, random_state=9)
    again.fit(graph, out=tmp_path / "run", overwrite=True)
    for use in (
        lambda: model.transform(graph),
        lambda: model.save(tmp_path / "copy"),
        lambda: pickle.dumps(model),
    ):
        with pytest.raises(OSError, match="holds another run by now"):
            use()
    np.testing.assert_array_equal(model.embedding_, before)
    np.testing.assert_array_equal(again.transform(graph), again.embedding_)
    shutil.rmtree(tmp_path / "run")
    with pytest.raises(OSError, match="folder is gone"):
        again.save(tmp_path / "copy")


def test_a_plan_has_keywords_and_values(graph: cr.Graph) -> None:
    config = cr.Embedder("ml", regulariser="none", dim=8).plan(graph)["config"]
    assert config["regulariser"] == "none" and config["dim"] == 8


def test_a_graph_without_features_gets_some(small: dict[str, Any]) -> None:
    ring = np.arange(30)
    edges = np.array([np.r_[ring, ring], np.r_[(ring + 1) % 30, (ring + 7) % 30]])
    graph = cr.Graph(edges)
    model = cr.Embedder("ml", **small, structure_features=5).fit(graph)
    assert model.n_features_in_ == 0 and model.config_["structure_features"] == 5
    assert np.array_equal(model.transform(graph), model.embedding_)
    with pytest.raises(cr.InputError, match="something else"):
        model.transform(cr.Graph(edges[:, :40]))
    with pytest.raises(cr.InputError, match="no features"):
        cr.Embedder("ml", **small, structure_features=0).fit(graph)
