"""Encoders of one's own: modules that are handed features and the normalised adjacency."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import time
import traceback
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import contrast_reg as cr


class Gcn(torch.nn.Module):
    """A layer as the engine has it, but for its slope."""

    def __init__(self, features: int, dim: int = 8) -> None:
        super().__init__()
        generator = torch.Generator().manual_seed(1)
        self.weight = torch.nn.Parameter(torch.randn(features, dim, generator=generator) / 40)

    def forward(self, x: torch.Tensor, adjacency: cr.ops.SparseMatrix) -> torch.Tensor:
        return torch.relu(adjacency @ (x @ self.weight)) + 0.01 * (x @ self.weight)


class Deep(torch.nn.Module):
    """With everything that has a state or draws: normalisation, dropout, a frozen part."""

    def __init__(self, features: int, dim: int = 8) -> None:
        super().__init__()
        generator = torch.Generator().manual_seed(1)
        self.first = torch.nn.Linear(features, 16)
        self.norm = torch.nn.BatchNorm1d(16)
        self.last = torch.nn.Linear(16, dim)
        self.last.bias.requires_grad_(False)
        with torch.no_grad():
            for one in (self.first.weight, self.last.weight, self.last.bias):
                one.copy_(torch.randn(one.shape, generator=generator) / 10)
            self.first.bias.zero_()

    def forward(self, x: torch.Tensor, adjacency: cr.ops.SparseMatrix) -> torch.Tensor:
        hidden = torch.relu(self.norm(adjacency @ self.first(x)))
        hidden = torch.nn.functional.dropout(hidden, 0.3, self.training)
        rows: torch.Tensor = adjacency @ self.last(hidden)
        return rows


def test_what_it_is_handed(triangle: dict[str, Any], small: dict[str, Any]) -> None:
    seen: list[tuple[torch.Tensor, torch.Tensor]] = []

    class Looking(Gcn):
        def forward(self, x: torch.Tensor, adjacency: cr.ops.SparseMatrix) -> torch.Tensor:
            seen.append((x.cpu(), adjacency.to_torch().to_dense().cpu()))
            return super().forward(x, adjacency)

    cr.Embedder("ml", encoder=Looking(3), **small, regulariser="none").fit(cr.Graph(**triangle))
    with_loops = np.array([[1, 1, 1, 0], [1, 1, 1, 0], [1, 1, 1, 1], [0, 0, 1, 1]], np.float64)
    roots = 1 / np.sqrt(with_loops.sum(1))
    x, adjacency = seen[0]
    np.testing.assert_array_equal(x.numpy(), triangle["x"])
    np.testing.assert_allclose(adjacency.numpy(), roots[:, None] * with_loops * roots, rtol=1e-6)


def test_a_copy_is_trained(graph: cr.Graph, small: dict[str, Any]) -> None:
    own = Gcn(graph.num_features)
    before = own.weight.detach().clone()
    model = cr.Embedder("ml", encoder=own, **small).fit(graph)
    assert torch.equal(own.weight, before) and own.weight.grad is None
    assert not torch.equal(model.encoder_.weight.cpu(), before)
    assert model.config_["encoder"] == "own-gcn"
    again = cr.Embedder("ml", encoder=own, **small).fit(graph)
    assert again.embedding_.tobytes() == model.embedding_.tobytes()
    # It is the module's own output, evaluated.
    x = torch.from_numpy(np.asarray(graph.x.toarray() if hasattr(graph.x, "toarray") else graph.x))
    offsets, columns, _ = graph._engine_graph.adjacency()
    degrees = torch.from_numpy(np.diff(offsets)).float() + 1
    dense = torch.from_numpy(graph.adjacency.toarray()).float() + torch.eye(graph.num_nodes)
    dense = dense / degrees.sqrt() / degrees.sqrt()[:, None]
    with torch.no_grad():
        w = model.encoder_.weight.cpu()
        expected = torch.relu(dense @ (x @ w)) + 0.01 * (x @ w)
    np.testing.assert_allclose(model.embedding_, expected.numpy(), rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize(
    "method", ["ml", "lc", "dgi", "ggd", "gmi", "grace", "bgrl", "cca-ssg", "graphmae", "gcn-neg"]
)
def test_methods_train_it(graph: cr.Graph, small: dict[str, Any], method: str) -> None:
    regulariser = "none" if method == "graphmae" else "contrast"
    model = cr.Embedder(method, encoder=Deep(graph.num_features), regulariser=regulariser, **small)
    z = model.fit_transform(graph)
    assert np.isfinite(z).all()
    assert not torch.equal(model.encoder_.first.weight.cpu(), Deep(graph.num_features).first.weight)


def test_a_frozen_part_stays(graph: cr.Graph, small: dict[str, Any]) -> None:
    own = Deep(graph.num_features)
    model = cr.Embedder("ml", encoder=own, **small, weight_decay=0.1).fit(graph)
    assert torch.equal(model.encoder_.last.bias.cpu(), own.last.bias)
    assert not torch.equal(model.encoder_.norm.running_mean.cpu(), own.norm.running_mean)


def test_nothing_global_is_touched_or_counts(graph: cr.Graph, small: dict[str, Any]) -> None:
    found = []
    for seed in (1, 2):
        torch.manual_seed(seed)
        before = torch.get_rng_state()
        own = Deep(graph.num_features)  # draws
        before = torch.get_rng_state()
        found.append(cr.Embedder("ml", encoder=own, **small).fit_transform(graph).tobytes())
        assert torch.equal(torch.get_rng_state(), before)
    assert found[0] == found[1]


def test_seeds_share_nothing(graph: cr.Graph, small: dict[str, Any]) -> None:
    own = Deep(graph.num_features)
    several = cr.Embedder("dgi", encoder=own, **{**small, "threads": 2}).fit(graph, seeds=3)
    for seed in range(3):
        alone = cr.Embedder("dgi", encoder=own, **small, random_state=seed).fit(graph)
        assert several.embeddings_[seed].tobytes() == alone.embedding_.tobytes()
        if seed == 0:
            assert torch.equal(several.encoder_.first.weight, alone.encoder_.first.weight)


def test_a_resumed_run_is_the_uninterrupted_one(
    graph: cr.Graph, small: dict[str, Any], tmp_path: Path
) -> None:
    def interrupt(epoch: cr.Epoch) -> None:
        if epoch.epoch == 3:
            os.kill(os.getpid(), signal.SIGINT)
        if epoch.epoch >= 3:
            time.sleep(0.05)

    keywords = {**small, "epochs": 40, "encoder": Deep(graph.num_features)}
    whole = cr.Embedder("grace", **keywords).fit(graph)
    model = cr.Embedder("grace", **keywords)
    with pytest.raises(KeyboardInterrupt):
        model.fit(graph, out=tmp_path / "run", callback=interrupt)
    model.fit(graph, out=tmp_path / "run", resume=True)
    assert model.embedding_.tobytes() == whole.embedding_.tobytes()
    assert torch.equal(model.encoder_.norm.running_var, whole.encoder_.norm.running_var)


class Averaged(torch.nn.Module):
    """Its running statistics are means over as many batches as num_batches_tracked counts."""

    def __init__(self, features: int) -> None:
        super().__init__()
        self.first = Gcn(features)
        self.norm = torch.nn.BatchNorm1d(8, momentum=None)  # type: ignore[arg-type]

    def forward(self, x: torch.Tensor, adjacency: cr.ops.SparseMatrix) -> torch.Tensor:
        rows: torch.Tensor = self.norm(self.first(x, adjacency))
        return rows


def test_counted_batches_resume(graph: cr.Graph, small: dict[str, Any], tmp_path: Path) -> None:
    def interrupt(epoch: cr.Epoch) -> None:
        if epoch.epoch == 17:
            os.kill(os.getpid(), signal.SIGINT)
        if epoch.epoch >= 17:
            time.sleep(0.05)

    keywords = {**small, "epochs": 20, "select": "last", "encoder": Averaged(graph.num_features)}
    whole = cr.Embedder("ml", **keywords).fit(graph)
    model = cr.Embedder("ml", **keywords)
    with pytest.raises(KeyboardInterrupt):
        model.fit(graph, out=tmp_path / "run", callback=interrupt)
    model.fit(graph, out=tmp_path / "run", resume=True)
    assert model.embedding_.tobytes() == whole.embedding_.tobytes()
    tracked = model.encoder_.norm.num_batches_tracked
    assert int(tracked) == int(whole.encoder_.norm.num_batches_tracked) >= 20
    assert tracked.dtype == torch.int64


def test_a_product_in_an_encoder_says_where_it_is_wrong(
    graph: cr.Graph, small: dict[str, Any]
) -> None:
    class Wrong(torch.nn.Module):
        def forward(self, x: torch.Tensor, adjacency: cr.ops.SparseMatrix) -> torch.Tensor:
            return adjacency @ x[:5]

    with pytest.raises(cr.InputError, match="rows: not rows for this matrix") as caught:
        cr.Embedder("ml", encoder=Wrong(), **small).fit(graph)
    names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert names[-1] == "forward"


def test_transform_save_load_and_pickle(
    graph: cr.Graph, small: dict[str, Any], tmp_path: Path
) -> None:
    own = Deep(graph.num_features)
    model = cr.Embedder("ml", encoder=own, **small).fit(graph)
    expected = model.embedding_.tobytes()
    assert model.transform(graph).tobytes() == expected
    assert pickle.loads(pickle.dumps(model)).transform(graph).tobytes() == expected
    model.save(tmp_path / "run")
    loaded = cr.load(tmp_path / "run")
    assert loaded.embedding_.tobytes() == expected
    with pytest.raises(cr.InputError, match="encoder: the run's encoder was a program's own.*'deep'"):
        loaded.transform(graph)
    assert loaded.set_params(encoder=own).transform(graph).tobytes() == expected


def test_the_command_evaluates_its_run(
    command: Path, graph: cr.Graph, small: dict[str, Any], tmp_path: Path
) -> None:
    cr.Embedder("ml", encoder=Deep(graph.num_features), **small).fit(graph, out=tmp_path / "run")
    said = subprocess.run([command, "eval", "cluster", tmp_path / "run", "--json"], check=True,
                          capture_output=True, text=True)
    assert '"nmi"' in said.stdout
    refused = subprocess.run([command, "embed", "--checkpoint", tmp_path / "run/checkpoint.pt",
                              "--dataset", graph.name, "--out", tmp_path / "z.npy"],
                             capture_output=True, text=True)
    assert refused.returncode == 2 and "program's own" in refused.stderr


WRONG: list[tuple[Any, dict[str, Any], str]] = [
    (Gcn, {}, r"encoder: not an encoder.*Gcn\(\)"),
    (lambda x, a: x, {}, "encoder: not an encoder"),
    (Gcn(1433, 5), {}, r"another form: found float32 \[271, 5\].*\[271, 8\].*dim=5"),
    (Gcn(7), {}, "mat1 and mat2"),
    (Gcn(1433), {"layers": 2}, "layers: an encoder of one's own has this in itself"),
    (Gcn(1433), {"batch_size": 64}, "batch_size: this encoder needs the whole graph at once"),
    (Gcn(1433), {"method": "mvgrl"}, "encoder: this method does not train this encoder"),
    (torch.nn.Identity(), {}, "forward"),
    (Gcn(1433), {"method": "agc", "regulariser": "none"}, "encoder: this method trains no encoder"),
    (torch.nn.LazyLinear(8), {}, "have no shape yet: found LazyLinear"),
]


@pytest.mark.parametrize(("encoder", "more", "words"), WRONG)
def test_what_is_no_encoder(
    graph: cr.Graph, small: dict[str, Any], encoder: Any, more: dict[str, Any], words: str
) -> None:
    keywords = {"method": "ml", **small, "encoder": encoder, **more}
    with pytest.raises((cr.InputError, RuntimeError, TypeError), match=words):
        cr.Embedder(**keywords).fit(graph)


def test_returning_no_tensor(graph: cr.Graph, small: dict[str, Any]) -> None:
    class Nothing(Gcn):
        def forward(self, x: torch.Tensor, adjacency: cr.ops.SparseMatrix) -> Any:
            return None

    with pytest.raises(cr.InputError, match="must return a tensor: found NoneType"):
        cr.Embedder("ml", encoder=Nothing(1433), **small).fit(graph)


def test_an_embedding_that_was_detached(graph: cr.Graph, small: dict[str, Any]) -> None:
    class Detached(Gcn):
        def forward(self, x: torch.Tensor, adjacency: cr.ops.SparseMatrix) -> torch.Tensor:
            return super().forward(x, adjacency).detach()

    with pytest.raises(cr.InputError, match="none of its parameters.*detached"):
        cr.Embedder("ml", encoder=Detached(1433), **small).fit(graph)


def test_it_shows_in_repr_and_cannot_be_planned(graph: cr.Graph) -> None:
    model = cr.Embedder("ml", encoder=Gcn(3), dim=8)
    assert "encoder=Gcn()" in repr(model)
    assert "encoder=Deep()" in repr(cr.Embedder("ml", encoder=Deep(3)))
    with pytest.raises(cr.InputError, match="encoder: a part of one's own cannot be planned"):
        model.plan(graph)
