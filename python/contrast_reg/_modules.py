"""Modules of PyTorch's as parts of a run: copies that it trains, and what is kept of them."""

from __future__ import annotations

import copy
import inspect
import re
from collections.abc import Iterable

import torch

from ._errors import InputError

NamedTensors = list[tuple[str, torch.Tensor]]


def trained_copy(module: torch.nn.Module, device: torch.device) -> torch.nn.Module:
    """In float32: a run changes nothing of its owner's."""
    name = type(module).__name__
    if any(torch.nn.parameter.is_lazy(one) for one in module.parameters()):
        raise InputError(
            "a module whose parameters have no shape yet", found=name, hint="call it once before"
        )
    try:
        return copy.deepcopy(module).to(device=device, dtype=torch.float32)
    except (RuntimeError, TypeError) as error:
        raise InputError(
            "a module that cannot be copied", found=f"{name}: {error}", expected="copy.deepcopy works"
        ) from error


def trained_tensors(module: torch.nn.Module) -> NamedTensors:
    return [(name, one) for name, one in module.named_parameters() if one.requires_grad]


class KeptBuffers:
    """What is kept beside the trained parameters: frozen ones, and buffers of whatever dtype.

    The engine keeps float32 in its checkpoints. A buffer of another dtype (a counter of batches) is
    made a view of float32 numbers that have its bits, so that they come back as they were.

    Attributes
    ----------
    tensors : names and float32 tensors, for the engine
    """

    def __init__(self, module: torch.nn.Module) -> None:
        self.tensors: NamedTensors = [
            (name, one) for name, one in module.named_parameters() if not one.requires_grad
        ]
        # Where a buffer stands, and the tensor there whose memory the engine has.
        self._places: list[tuple[dict[str, torch.Tensor | None], str, str, torch.Tensor]] = []
        known: dict[int, torch.Tensor] = {}  # one buffer may stand in several places
        for prefix, part in module.named_modules():
            for key, buffer in part._buffers.items():
                if buffer is None or buffer.numel() == 0:
                    continue
                name = f"{prefix}.{key}" if prefix else key
                if id(buffer) not in known:
                    numbers, kept = _as_floats(buffer)
                    self.tensors.append((name, numbers))
                    known[id(buffer)] = kept
                part._buffers[key] = known[id(buffer)]
                self._places.append((part._buffers, key, name, known[id(buffer)]))

    def take_back(self) -> None:
        """After a call, which may have put another tensor where a buffer was (x = x + 1)."""
        for buffers, key, name, kept in self._places:
            now = buffers.get(key)
            if now is kept:
                continue
            if now is None or now.shape != kept.shape or now.dtype != kept.dtype:
                raise InputError(
                    "a buffer that changed its form cannot be checkpointed",
                    name,
                    found="None" if now is None else f"{now.dtype}, shape {tuple(now.shape)}",
                    expected=f"{kept.dtype}, shape {tuple(kept.shape)}",
                )
            with torch.no_grad():
                kept.copy_(now)
            buffers[key] = kept


def _as_floats(buffer: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Contiguous float32 numbers with its bits, and the buffer over their memory."""
    buffer = buffer.detach()
    if buffer.dtype == torch.float32 and buffer.is_contiguous():
        return buffer, buffer
    size = buffer.numel() * buffer.element_size()
    numbers = torch.zeros((size + 3) // 4, dtype=torch.float32, device=buffer.device)
    kept = numbers.view(torch.uint8)[:size].view(buffer.dtype).view(buffer.shape)
    kept.copy_(buffer)
    return numbers, kept


def name_in_configurations(part: object, taken: Iterable[str]) -> str:
    """A function's or a class's name, for configurations and messages."""
    own = getattr(part, "__name__", None) if not isinstance(part, torch.nn.Module) else None
    name = re.sub(r"[^a-z0-9_]+", "-", str(own or type(part).__name__).lower()).strip("-_")
    name = name or "own"
    return f"own-{name}" if name in set(taken) else name


def class_hint(part: object) -> str:
    """What to write where a class was given in place of an object."""
    return f"{part.__name__}()" if inspect.isclass(part) else ""
