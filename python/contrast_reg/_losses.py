"""A method that is a function or a module of PyTorch: what it is handed, and what must come back."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import torch

from . import _engine
from ._errors import InputError
from ._job import real_number
from ._modules import (
    NamedTensors,
    KeptBuffers,
    class_hint,
    name_in_configurations,
    trained_copy,
    trained_tensors,
)

if TYPE_CHECKING:
    from .graph import Graph


class Step:
    """One step of training, as a loss sees it. It is over when the loss returns.

    Every draw is keyed by the run's seed and the step, those of PyTorch's global generator too, so
    a run that is resumed ends with the bytes of one that was never stopped.

    Attributes
    ----------
    h : embeddings of the nodes, [nodes, dim]: what the loss is handed as its first argument
    corrupted : embeddings of the same graph with shuffled rows of features
    x : features, dense [nodes, columns]
    epoch, step : int, from 0
    num_nodes : rows of h
    nodes : of a batch which nodes of the graph, else None
    graph : the Graph that is trained on
    generator : a torch.Generator of this step, on the device of h; what it draws has nothing to do
        with what PyTorch's global generators draw in the same step

    Examples
    --------
    >>> import torch, contrast_reg as cr
    >>> def loss(h, step):
    ...     other = step.view(drop_edges=0.2, mask_features=0.3)
    ...     return 1 - torch.cosine_similarity(h, other).mean()
    >>> graph = cr.load_dataset("synthetic:cora@0.1")
    >>> cr.Embedder(loss, dim=8, epochs=2).fit_transform(graph).shape[1]
    8
    """

    def __init__(
        self, h: torch.Tensor, step: _engine.Step, device: torch.device, graph: Graph | None
    ) -> None:
        self.h = h
        self._step = step
        self._device = device
        self._graph = graph

    @cached_property
    def corrupted(self) -> torch.Tensor:
        return self._step.corrupted()

    @cached_property
    def x(self) -> torch.Tensor:
        return self._step.features()

    @property
    def epoch(self) -> int:
        return self._step.epoch

    @property
    def step(self) -> int:
        return self._step.step

    @property
    def num_nodes(self) -> int:
        return self._step.num_nodes

    @cached_property
    def nodes(self) -> torch.Tensor | None:
        return self._step.nodes()

    @property
    def graph(self) -> Graph:
        if self._graph is None:
            raise InputError(
                "there is no step.graph under link prediction: it has the edges that are held out",
                hint="step.propagate(h) gathers over the training edges alone",
            )
        return self._graph

    @cached_property
    def generator(self) -> torch.Generator:
        return torch.Generator(device=self._device).manual_seed(self._step.seed)

    def view(self, drop_edges: float = 0.0, mask_features: float = 0.0) -> torch.Tensor:
        """Embeddings of the graph without some edges and columns of features, drawn anew.

        Examples
        --------
        >>> import contrast_reg as cr
        >>> def loss(h, step):
        ...     return (h - step.view(drop_edges=0.2, mask_features=0.3)).square().mean()
        >>> cr.Embedder(loss, dim=8, epochs=2).fit(cr.load_dataset("synthetic:cora@0.1")).n_epochs_
        2
        """
        chances = {"drop_edges": drop_edges, "mask_features": mask_features}
        for name, chance in chances.items():
            chances[name] = real_number(chance, name)
            if not 0 <= chances[name] < 1:
                raise InputError(
                    "not a chance", name, found=str(chance), expected="0 to 1, less than 1"
                )
        return self._step.view(**chances)

    def encode(self, x: torch.Tensor) -> torch.Tensor:
        """Embeddings of the same graph with these features.

        Examples
        --------
        >>> import contrast_reg as cr
        >>> def loss(h, step):
        ...     return (h - step.encode(step.x * 0.9)).square().mean()
        >>> cr.Embedder(loss, dim=8, epochs=2).fit(cr.load_dataset("synthetic:cora@0.1")).n_epochs_
        2
        """
        _check_tensor(x, "x")
        return self._step.encode(x)

    def propagate(self, h: torch.Tensor) -> torch.Tensor:
        """The normalised adjacency times rows.

        Examples
        --------
        >>> import contrast_reg as cr
        >>> def loss(h, step):
        ...     return (h - step.propagate(h)).square().mean()  # near nodes are alike
        >>> cr.Embedder(loss, dim=8, epochs=2).fit(cr.load_dataset("synthetic:cora@0.1")).n_epochs_
        2
        """
        _check_tensor(h, "h")
        return self._step.propagate(h)


def _check_tensor(value: object, name: str) -> None:
    if not isinstance(value, torch.Tensor):
        raise InputError("not a tensor", name, found=type(value).__name__)


def _checked(loss: object, device: torch.device) -> torch.Tensor:
    if not isinstance(loss, torch.Tensor):
        hint = "is there a return?" if loss is None else "keep it a tensor: no item(), no float()"
        raise InputError(
            f"the loss must be a tensor of one value; loss() returned {_described(loss)}", hint=hint
        )
    if loss.numel() != 1:
        raise InputError(
            "the loss must be a tensor of one value; loss() returned a tensor of shape "
            f"{tuple(loss.shape)}: take its mean()"
        )
    if not loss.is_floating_point():
        raise InputError(
            f"the loss must be a real number; loss() returned a tensor of dtype {loss.dtype}"
        )
    if not loss.requires_grad:
        raise InputError(
            "the loss must depend on h; loss() returned a tensor without a gradient",
            hint="was it detached, or computed under no_grad()?",
        )
    if loss.device != device:
        raise InputError(
            f"the loss must be where h is; loss() returned a tensor on {loss.device}",
            expected=str(device),
        )
    return loss.reshape(()).to(torch.float32)


def _described(value: object) -> str:
    if value is None:
        return "None"
    if isinstance(value, (int, float)):
        return f"the number {value!r}"
    return f"an object of type {type(value).__name__}"


def check_loss(loss: object) -> None:
    if callable(loss) and not isinstance(loss, type):
        return
    raise InputError(
        "not a method",
        "method",
        found=repr(loss),
        expected="a name, a function loss(h, step), or a torch.nn.Module",
        hint=class_hint(loss),
    )


class LossMaker:
    """Makes the loss of every run: a module is copied, so that seeds share nothing."""

    def __init__(self, loss: Any, device: str, graph: Graph | None) -> None:
        check_loss(loss)
        self.name = name_in_configurations(loss, (one.name for one in _engine.methods()))
        self.made: dict[int, torch.nn.Module] = {}  # by seed
        self._loss = loss
        self._device = torch.device(device)
        self._graph = graph

    def engine_loss(self) -> _engine.Loss:
        return _engine.Loss(self.name, self._make)

    def _make(
        self, seed: int
    ) -> tuple[Callable[[torch.Tensor, _engine.Step], torch.Tensor], NamedTensors, NamedTensors]:
        loss, device, graph = self._loss, self._device, self._graph
        if not isinstance(loss, torch.nn.Module):
            return (lambda h, step: _checked(loss(h, Step(h, step, device, graph)), device), [], [])
        module = trained_copy(loss, device)
        module.train()
        buffers = KeptBuffers(module)
        self.made[seed] = module

        def compute(h: torch.Tensor, step: _engine.Step) -> torch.Tensor:
            value = _checked(module(h, Step(h, step, device, graph)), device)
            buffers.take_back()
            return value

        return (compute, trained_tensors(module), buffers.tensors)
