"""An encoder that is a module of PyTorch: what it is handed, and what must come back."""

from __future__ import annotations

from typing import Any

import torch

from . import _engine
from ._errors import InputError
from ._modules import (
    KeptBuffers,
    NamedTensors,
    class_hint,
    name_in_configurations,
    trained_copy,
    trained_tensors,
)
from ._table import rows


def check_encoder(encoder: object) -> None:
    if isinstance(encoder, (str, torch.nn.Module)):
        return
    raise InputError(
        "not an encoder",
        "encoder",
        found=repr(encoder),
        expected="a name, or a torch.nn.Module that is called with (x, adjacency)",
        hint=class_hint(encoder),
    )


class EncoderMaker:
    """Makes the encoder of every run, a copy of the module each."""

    def __init__(self, encoder: torch.nn.Module) -> None:
        known = rows()["encoder"].values.split("|")
        self.name = name_in_configurations(encoder, known)
        self.made: dict[int, torch.nn.Module] = {}  # by seed
        self._encoder = encoder

    def engine_encoder(self) -> _engine.Encoder:
        return _engine.Encoder(self.name, self._make)

    def _make(self, device: str, seed: int) -> tuple[Any, NamedTensors, NamedTensors]:
        encoder = trained_copy(self._encoder, torch.device(device))
        buffers = KeptBuffers(encoder)
        # The first of a run; slow copies come later.
        self.made.setdefault(seed, encoder)

        def compute(
            x: torch.Tensor, adjacency: _engine.SparseMatrix, training: bool
        ) -> torch.Tensor:
            if encoder.training != training:
                encoder.train(training)
            rows = encoder(x, adjacency)
            buffers.take_back()
            if not isinstance(rows, torch.Tensor):
                raise InputError(
                    "the encoder must return a tensor",
                    "encoder",
                    found=type(rows).__name__,
                    expected="the embeddings [nodes, dim]",
                )
            return rows

        return (compute, trained_tensors(encoder), buffers.tensors)
