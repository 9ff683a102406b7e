"""Contrast-Reg as a module for anybody's own training loop."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch.nn import functional

from ._errors import InputError
from ._job import real_number, whole_number


class ContrastReg(torch.nn.Module):
    """The regulariser of "Calibrating and Improving Graph Contrastive Learning".

    With a trained matrix W [dim, dim], a direction r and u = W r it is

        -mean_i log σ(h_i · u) - mean_i log σ(-h~_i · u)

    over the embeddings h of the nodes and h~ of the same graph with shuffled rows of features.
    Add it to a contrastive loss, and give its parameters to the optimiser. Plain operations of
    PyTorch: CPU and GPU, any dtype, autograd. W starts uniform in ±1/√dim.

    Parameters
    ----------
    dim : width of the embeddings
    r : "random", uniform in [0, r_scale) and drawn in every call, or "summary", the graph's
        σ(mean_i h_i), through which gradients flow
    r_scale : of a random r
    device, dtype : of W, as of any module

    Examples
    --------
    >>> import torch, contrast_reg as cr
    >>> reg = cr.nn.ContrastReg(16)
    >>> h, corrupted = torch.randn(5, 16, requires_grad=True), torch.randn(5, 16)
    >>> loss = 0.1 * reg(h, corrupted)
    >>> loss.backward()
    >>> h.grad.shape, reg.weight.grad.shape
    (torch.Size([5, 16]), torch.Size([16, 16]))
    """

    weight: torch.Tensor

    def __init__(
        self,
        dim: int,
        r: str = "random",
        r_scale: float = 1.0,
        *,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        dim = whole_number(dim, "dim", 1)
        if r not in ("random", "summary"):
            raise InputError(
                "no such direction", "r", found=repr(r), expected='"random" or "summary"'
            )
        r_scale = real_number(r_scale, "r_scale")
        if not r_scale > 0:
            raise InputError("out of range", "r_scale", found=str(r_scale), expected="above 0")
        self.dim = dim
        self.r = r
        self.r_scale = r_scale
        self.weight = torch.nn.Parameter(torch.empty(dim, dim, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """W anew, by torch's own generator."""
        bound = 1 / math.sqrt(self.dim)
        torch.nn.init.uniform_(self.weight, -bound, bound)

    def direction(
        self, h: torch.Tensor, generator: torch.Generator | None = None
    ) -> torch.Tensor:
        """r, as a call would take it.

        Examples
        --------
        >>> import torch, contrast_reg as cr
        >>> h = torch.zeros(5, 3)
        >>> cr.nn.ContrastReg(3, r="summary").direction(h).tolist()
        [0.5, 0.5, 0.5]
        """
        if self.r == "summary":
            return torch.sigmoid(h.mean(0))
        weight = self.weight
        place = weight.device if generator is None else generator.device
        drawn = torch.rand(self.dim, generator=generator, device=place, dtype=weight.dtype)
        scaled: torch.Tensor = drawn.to(weight.device) * self.r_scale
        return scaled

    def forward(
        self,
        h: torch.Tensor,
        h_corrupted: torch.Tensor,
        generator: torch.Generator | None = None,
    ) -> torch.Tensor:
        """The regulariser, a scalar; a random r is drawn from `generator`, or torch's own.

        Examples
        --------
        >>> import torch, contrast_reg as cr
        >>> h = torch.zeros(5, 3)  # nothing is known of any node: twice log 2
        >>> round(float(cr.nn.ContrastReg(3)(h, h, generator=torch.Generator().manual_seed(1))), 4)
        1.3863
        """
        for name, rows in (("h", h), ("h_corrupted", h_corrupted)):
            if not isinstance(rows, torch.Tensor):
                raise InputError("not a tensor", name, found=type(rows).__name__)
            if rows.dim() != 2 or rows.shape[1] != self.dim:
                raise InputError(
                    "wrong shape",
                    name,
                    found=str(tuple(rows.shape)),
                    expected=f"(nodes, {self.dim})",
                )
        u = self.weight @ self.direction(h, generator)
        true = functional.logsigmoid(h @ u).mean()
        false = functional.logsigmoid(-(h_corrupted @ u)).mean()
        loss: torch.Tensor = -(true + false)
        return loss

    def extra_repr(self) -> str:
        scale = f", r_scale={self.r_scale:g}" if self.r == "random" else ""
        return f"{self.dim}, r={self.r!r}{scale}"


__all__ = ["ContrastReg"]
