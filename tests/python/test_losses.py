"""Losses in Python: functions and modules, what they see, and what they must return."""

from __future__ import annotations

import os
import pickle
import signal
import time
import traceback
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional

import contrast_reg as cr


def dgi_like(h: torch.Tensor, step: cr.Step) -> torch.Tensor:
    summary = torch.sigmoid(h.mean(0))
    true = functional.logsigmoid(h @ summary).mean()
    return -(true + functional.logsigmoid(-step.corrupted @ summary).mean())


class Predictor(torch.nn.Module):
    """Two views must agree through a trained layer; the draws are the step's."""

    def __init__(self, dim: int = 8) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(dim, dim)
        with torch.no_grad():
            self.layer.weight.copy_(torch.eye(dim))
            self.layer.bias.zero_()

    def forward(self, h: torch.Tensor, step: cr.Step) -> torch.Tensor:
        noise = torch.rand(h.shape, generator=step.generator, device=h.device)
        other = step.view(drop_edges=0.2, mask_features=0.3)
        agreement: torch.Tensor = functional.cosine_similarity(self.layer(h + 0.01 * noise), other)
        return 1 - agreement.mean()


def test_a_function(graph: cr.Graph, small: dict[str, Any]) -> None:
    model = cr.Embedder(dgi_like, **small, regulariser="none").fit(graph)
    again = cr.Embedder(dgi_like, **small, regulariser="none").fit_transform(graph)
    assert model.embedding_.tobytes() == again.tobytes()
    assert model.history_["loss"][-1] < model.history_["loss"][0]
    assert model.config_["method"] == "dgi_like"
    assert not hasattr(model, "loss_")


def test_the_regulariser_comes_with_it(graph: cr.Graph, small: dict[str, Any]) -> None:
    model = cr.Embedder(dgi_like, **small, regulariser="contrast").fit(graph)
    assert (model.history_["regulariser"] > 0).all()
    np.testing.assert_allclose(
        model.history_["loss"],
        model.history_["contrast"] + model.history_["ratio"] * model.history_["regulariser"],
        rtol=1e-5,
    )


def test_a_module_is_trained_as_a_copy(graph: cr.Graph, small: dict[str, Any]) -> None:
    module = Predictor()
    before = module.layer.weight.detach().clone()
    model = cr.Embedder(module, **small).fit(graph, seeds=2)
    assert torch.equal(module.layer.weight, before)
    assert isinstance(model.loss_, Predictor)
    assert not torch.equal(model.loss_.layer.weight.detach().cpu(), before)
    for seed, z in zip(model.seeds_, model.embeddings_):
        alone = cr.Embedder(Predictor(), **small, random_state=seed).fit_transform(graph)
        assert alone.tobytes() == z.tobytes()


def test_a_module_in_another_dtype(graph: cr.Graph, small: dict[str, Any]) -> None:
    plain = cr.Embedder(Predictor(), **small).fit_transform(graph)
    double = cr.Embedder(Predictor().double(), **small).fit_transform(graph)
    assert plain.tobytes() == double.tobytes()


def test_what_a_step_has(graph: cr.Graph, small: dict[str, Any]) -> None:
    seen: list[int] = []

    def loss(h: torch.Tensor, step: cr.Step) -> torch.Tensor:
        assert h.requires_grad and h.shape == (graph.num_nodes, 8)
        assert step.h is h and step.num_nodes == graph.num_nodes
        assert step.corrupted.shape == h.shape and step.corrupted is step.corrupted
        assert step.x.shape == (graph.num_nodes, graph.num_features)
        assert step.graph is graph and step.nodes is None
        assert step.generator is step.generator
        assert torch.allclose(step.encode(step.x), h, atol=1e-4)
        assert torch.allclose(step.view(), h, atol=1e-4)
        assert not torch.allclose(step.view(drop_edges=0.5, mask_features=0.5), h, atol=1e-4)
        assert step.propagate(h).shape == h.shape
        seen.append(step.epoch)
        return (h - step.view(0.2, 0.2)).square().mean() + h.mean().square()

    cr.Embedder(loss, **small).fit(graph)
    assert seen == [0, 1, 2, 3]


def test_propagation_is_that_of_a_gcn(triangle: dict[str, Any], small: dict[str, Any]) -> None:
    graph = cr.Graph(**triangle)
    loops = graph.adjacency.toarray() + np.eye(4, dtype=np.float32)
    scale = 1 / np.sqrt(loops.sum(1))
    expected = torch.from_numpy(scale[:, None] * loops * scale[None])

    def loss(h: torch.Tensor, step: cr.Step) -> torch.Tensor:
        rows = torch.arange(8, dtype=torch.float32, device=h.device).reshape(4, 2)
        got = step.propagate(rows).cpu()
        assert torch.allclose(got, expected @ rows.cpu(), atol=1e-5)
        return h.square().mean()

    cr.Embedder(loss, **small).fit(graph)


def test_draws_depend_on_the_step_alone(graph: cr.Graph, small: dict[str, Any]) -> None:
    def drawn(random_state: int) -> list[float]:
        values: list[float] = []

        def loss(h: torch.Tensor, step: cr.Step) -> torch.Tensor:
            draw = torch.rand((), generator=step.generator, device=h.device)
            values.append(float(draw))
            return h.square().mean() * (1 + draw)

        cr.Embedder(loss, **small, random_state=random_state).fit(graph)
        return values

    first = drawn(0)
    torch.manual_seed(99)
    assert drawn(0) == first
    assert drawn(1) != first
    assert len(set(first)) == len(first)


def test_a_step_has_two_streams(graph: cr.Graph, small: dict[str, Any]) -> None:
    """Of step.generator and of torch's own generator: noise and dropout must not be one draw."""
    seen: list[tuple[torch.Tensor, torch.Tensor]] = []

    def loss(h: torch.Tensor, step: cr.Step) -> torch.Tensor:
        own = torch.rand(1000, generator=step.generator, device=h.device)
        seen.append((torch.rand(1000, device=h.device), own))
        return h.square().mean()

    cr.Embedder(loss, **small).fit(graph)
    for shared, own in seen:
        assert not torch.equal(shared, own)
        assert abs(float(torch.corrcoef(torch.stack([shared, own]))[0, 1])) < 0.15


def test_a_step_is_over_when_the_loss_returns(graph: cr.Graph, small: dict[str, Any]) -> None:
    kept: list[cr.Step] = []

    def loss(h: torch.Tensor, step: cr.Step) -> torch.Tensor:
        kept.append(step)
        return h.square().mean()

    cr.Embedder(loss, **small).fit(graph)
    with pytest.raises(cr.InputError):
        kept[0].view(drop_edges=0.1)
    for name in ("epoch", "step", "num_nodes", "nodes", "generator", "corrupted", "x"):
        with pytest.raises(cr.InputError, match="this step is over"):
            getattr(kept[0], name)


RETURNS = [
    (lambda h, step: h.square().sum(1), r"returned a tensor of shape \(\d+,\): take its mean\(\)"),
    (lambda h, step: None, r"returned None.*is there a return"),
    (lambda h, step: h.sum().item(), "returned the number"),
    (lambda h, step: [h.sum()], "returned an object of type list"),
    (lambda h, step: h.argmax(), "dtype torch.int64"),
    (lambda h, step: h.detach().sum(), "without a gradient"),
    (lambda h, step: h.new_zeros(()), "without a gradient"),
]


@pytest.mark.parametrize(("loss", "words"), RETURNS)
def test_what_is_no_loss(graph: cr.Graph, small: dict[str, Any], loss: Any, words: str) -> None:
    with pytest.raises(cr.InputError, match=words):
        cr.Embedder(loss, **small).fit(graph)


def test_shapes_of_one_value_are_fine(graph: cr.Graph, small: dict[str, Any]) -> None:
    def one(h: torch.Tensor, step: cr.Step) -> torch.Tensor:
        return h.square().mean()

    def boxed(h: torch.Tensor, step: cr.Step) -> torch.Tensor:
        return h.square().mean().double().reshape(1, 1)

    first = cr.Embedder(one, **small).fit_transform(graph)
    assert cr.Embedder(boxed, **small).fit_transform(graph).tobytes() == first.tobytes()


class Broken(Exception):
    pass


def test_an_exception_of_a_loss_has_its_traceback(graph: cr.Graph, small: dict[str, Any]) -> None:
    def inner() -> None:
        raise Broken("deep inside")

    def loss(h: torch.Tensor, step: cr.Step) -> torch.Tensor:
        if step.epoch == 2:
            inner()
        return h.square().mean()

    with pytest.raises(Broken, match="deep inside") as caught:
        cr.Embedder(loss, **small).fit(graph)
    names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert names[-2:] == ["loss", "inner"]


def test_an_exception_of_a_callback_has_its_traceback(
    graph: cr.Graph, small: dict[str, Any]
) -> None:
    def callback(epoch: cr.Epoch) -> None:
        raise Broken(str(epoch.epoch))

    model = cr.Embedder("ml", **small)
    with pytest.raises(Broken, match="0") as caught:
        model.fit(graph, callback=callback)
    names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert names[-1] == "callback"
    assert model.fit(graph).n_epochs_ == 4, "nothing is broken afterwards"


def test_an_error_of_the_engine_in_a_loss_has_its_traceback(
    graph: cr.Graph, small: dict[str, Any]
) -> None:
    def loss(h: torch.Tensor, step: cr.Step) -> torch.Tensor:
        return step.propagate(h[:5]).mean()

    with pytest.raises(cr.InputError, match="h: rows that cannot be propagated") as caught:
        cr.Embedder(loss, **small).fit(graph)
    names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert names[-2:] == ["loss", "propagate"]


def test_a_wrong_view_is_told_in_the_loss(graph: cr.Graph, small: dict[str, Any]) -> None:
    def loss(h: torch.Tensor, step: cr.Step) -> torch.Tensor:
        return step.view(drop_edges=1.5).sum()

    with pytest.raises(cr.InputError, match="drop_edges: not a chance: found 1.5"):
        cr.Embedder(loss, **small).fit(graph)


def interrupt(epoch: cr.Epoch) -> None:
    """Ctrl-C at epoch 3; then epochs take long enough to notice it."""
    if epoch.epoch == 3:
        os.kill(os.getpid(), signal.SIGINT)
    if epoch.epoch >= 3:
        time.sleep(0.05)


def test_a_resumed_run_is_the_uninterrupted_one(
    graph: cr.Graph, small: dict[str, Any], tmp_path: Path
) -> None:
    keywords = {**small, "epochs": 100}
    whole = cr.Embedder(Predictor(), **keywords).fit(graph)
    model = cr.Embedder(Predictor(), **keywords)
    with pytest.raises(KeyboardInterrupt):
        model.fit(graph, out=tmp_path / "run", callback=interrupt)
    assert not hasattr(model, "embedding_")
    model.fit(graph, out=tmp_path / "run", resume=True)
    assert model.embedding_.tobytes() == whole.embedding_.tobytes()
    np.testing.assert_allclose(model.history_["loss"], whole.history_["loss"], rtol=1e-6)
    assert torch.equal(model.loss_.layer.weight, whole.loss_.layer.weight)


class Counting(torch.nn.Module):
    """Its loss depends on counters: one that is put anew in every call, and one that is not."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(8, 8)
        torch.nn.init.eye_(self.layer.weight)
        torch.nn.init.zeros_(self.layer.bias)
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64))
        self.register_buffer("even", torch.zeros(3, dtype=torch.bool))
        self.register_buffer("mean", torch.zeros(8))

    def forward(self, h: torch.Tensor, step: cr.Step) -> torch.Tensor:
        self.calls = self.calls + 1
        self.even[1] = int(self.calls) % 2 == 0
        self.mean = 0.9 * self.mean + 0.1 * h.detach().mean(0)
        weight = 1 + 0.1 * float(self.calls) + float(self.even[1])
        return weight * (self.layer(h) - self.mean - step.view(0.2, 0.2)).square().mean()


def test_buffers_of_every_dtype_resume(
    graph: cr.Graph, small: dict[str, Any], tmp_path: Path
) -> None:
    keywords = {**small, "epochs": 41, "select": "last"}
    whole = cr.Embedder(Counting(), **keywords).fit(graph)
    assert (int(whole.loss_.calls), whole.loss_.calls.dtype) == (41, torch.int64)
    assert whole.loss_.even.tolist() == [False, False, False]
    model = cr.Embedder(Counting(), **keywords)
    with pytest.raises(KeyboardInterrupt):
        model.fit(graph, out=tmp_path / "run", callback=interrupt)
    model.fit(graph, out=tmp_path / "run", resume=True)
    assert model.embedding_.tobytes() == whole.embedding_.tobytes()
    for name in ("calls", "even", "mean"):
        assert torch.equal(getattr(model.loss_, name), getattr(whole.loss_, name))
    again = pickle.loads(pickle.dumps(model))
    assert int(again.loss_.calls) == 41


def test_a_buffer_that_changes_its_form(graph: cr.Graph, small: dict[str, Any]) -> None:
    class Growing(Counting):
        def forward(self, h: torch.Tensor, step: cr.Step) -> torch.Tensor:
            self.mean = torch.cat([self.mean, self.mean])
            return h.square().mean()

    with pytest.raises(cr.InputError, match=r"mean: .*shape \(16,\), expected.*shape \(8,\)"):
        cr.Embedder(Growing(), **small).fit(graph)


def test_an_interrupted_fit_keeps_what_it_has(graph: cr.Graph, small: dict[str, Any]) -> None:
    model = cr.Embedder(dgi_like, **{**small, "epochs": 100})
    with pytest.raises(KeyboardInterrupt):
        model.fit(graph, callback=interrupt)
    assert 4 <= model.n_epochs_ < 100
    assert model.embedding_.shape == (graph.num_nodes, 8)


def test_batches(graph: cr.Graph, small: dict[str, Any]) -> None:
    sizes: list[int] = []

    def loss(h: torch.Tensor, step: cr.Step) -> torch.Tensor:
        assert step.nodes is not None and len(step.nodes) == len(h)
        sizes.append(len(h))
        return functional.softplus(-(h * step.corrupted).sum(1)).mean()

    keywords = {**small, "epochs": 2, "encoder": "sage", "layers": 2, "fanouts": [3, 3]}
    z = cr.Embedder(loss, **keywords, batch_size=64).fit_transform(graph)
    assert z.shape == (graph.num_nodes, 8)
    assert sum(sizes) == 2 * graph.num_nodes


def test_link_prediction_does_not_show_the_graph(graph: cr.Graph, small: dict[str, Any]) -> None:
    def peeking(h: torch.Tensor, step: cr.Step) -> torch.Tensor:
        return h.sum() * step.graph.num_edges

    with pytest.raises(cr.InputError, match="held out"):
        cr.link(graph, peeking, splits=1, seeds=1, **small)
    found = cr.link(graph, dgi_like, splits=1, seeds=1, **small)
    assert 0 <= found.auc <= 1


def test_names_of_losses(graph: cr.Graph, small: dict[str, Any]) -> None:
    def dgi(h: torch.Tensor, step: cr.Step) -> torch.Tensor:
        return dgi_like(h, step)

    fitted = cr.Embedder(dgi, **small).fit(graph)
    assert fitted.config_["method"] == "own-dgi", "not the shipped one"
    model = cr.Embedder(lambda h, step: h.square().mean(), **small).fit(graph)
    assert model.config_["method"] == "lambda"


def test_a_run_of_a_loss_is_loaded(
    graph: cr.Graph, small: dict[str, Any], tmp_path: Path
) -> None:
    model = cr.Embedder(Predictor(), **small).fit(graph)
    model.save(tmp_path / "run")
    again = cr.load(tmp_path / "run")
    assert again.embedding_.tobytes() == model.embedding_.tobytes()
    np.testing.assert_array_equal(again.transform(graph), model.transform(graph))
    kept = torch.load(tmp_path / "run" / "checkpoint.pt")["best_model"]
    assert "loss.layer.weight" in kept


def test_what_is_no_tensor_for_a_step(graph: cr.Graph, small: dict[str, Any]) -> None:
    wrong: list[tuple[Any, str]] = [
        (lambda h, step: step.encode(np.ones((3, 3))).mean(), "x: not a tensor: found ndarray"),
        (lambda h, step: step.encode(h).mean(), r"x: .*found float32 \[271, 8\], expected float32"),
        (lambda h, step: step.propagate(h[:5]).mean(), r"h: rows that cannot .*float32 \[5, 8\]"),
    ]
    for loss, words in wrong:
        with pytest.raises(cr.InputError, match=words):
            cr.Embedder(loss, **small).fit(graph)


def test_a_loaded_run_says_that_its_loss_is_missing(
    graph: cr.Graph, small: dict[str, Any], tmp_path: Path
) -> None:
    cr.Embedder(dgi_like, **small).fit(graph).save(tmp_path / "run")
    model = cr.load(tmp_path / "run")
    with pytest.raises(cr.InputError, match="loss of one's own.*'dgi_like'.*set_params"):
        model.fit(graph)
    again = model.set_params(method=dgi_like).fit_transform(graph)
    assert again.tobytes() == cr.load(tmp_path / "run").embedding_.tobytes()


def test_dropout_in_a_loss_is_keyed(graph: cr.Graph, small: dict[str, Any]) -> None:
    def loss(h: torch.Tensor, step: cr.Step) -> torch.Tensor:
        return (functional.dropout(h, 0.5) - step.corrupted).square().mean() + 1 / (1 + h.var())

    torch.manual_seed(1)
    first = cr.Embedder(loss, **small).fit_transform(graph)
    torch.manual_seed(2)
    before = torch.get_rng_state()
    assert cr.Embedder(loss, **small).fit_transform(graph).tobytes() == first.tobytes()
    assert torch.equal(torch.get_rng_state(), before)
