"""The engine's operations on tensors of the CPU or of a GPU, for anybody's own training loop."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from . import _engine
from ._arrays import is_scipy_sparse
from ._engine import SparseMatrix
from ._errors import InputError
from ._job import real_number, whole_number
from .graph import Graph

__all__ = ["SparseMatrix", "info_nce", "sparse", "spmm", "top_k"]


def _check_rows(tensor: object, name: str) -> None:
    if not isinstance(tensor, torch.Tensor):
        raise InputError("not a tensor", name, found=type(tensor).__name__)
    if tensor.dim() != 2:
        raise InputError(
            "wrong shape", name, found=str(tuple(tensor.shape)), expected="(rows, columns)"
        )
    if tensor.dtype != torch.float32:
        raise InputError(
            "wrong dtype", name, found=str(tensor.dtype), expected="torch.float32", hint="float()"
        )


def _check_choice(value: object, name: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise InputError(
            "no such choice",
            name,
            found=repr(value),
            expected=" or ".join(f'"{word}"' for word in known),
        )


def info_nce(
    z1: torch.Tensor,
    z2: torch.Tensor,
    temperature: float = 0.5,
    negatives: str = "both",
    precision: str = "fp32",
) -> torch.Tensor:
    """InfoNCE between two views of the same nodes, without the N x N matrix: O(N·d) memory.

    The mean over both views and all nodes of -log of the share that the same node of the other
    view has in the sum over it and all negatives of exp(cosine / temperature).

    Parameters
    ----------
    z1, z2 : float32 [N, d] on one device; gradients reach both, and have none of their own: a
        second derivative is refused
    temperature : above 0; below 0.025 pairs far from the largest similarity are lost
    negatives : "both": all other nodes of both views (GRACE, GCA); "own": of its own (DiGCL)
    precision : "fp32", "tf32" or "bf16": of the similarities on a GPU

    Examples
    --------
    >>> import torch, contrast_reg as cr
    >>> z = torch.eye(4)
    >>> round(float(cr.ops.info_nce(z, z, temperature=1.0)), 4)
    1.1654
    """
    _check_rows(z1, "z1")
    _check_rows(z2, "z2")
    if z1.shape != z2.shape:
        raise InputError(
            "views of different shapes",
            "z2",
            found=str(tuple(z2.shape)),
            expected=str(tuple(z1.shape)),
        )
    if z1.device != z2.device:
        raise InputError(
            "views on different devices", "z2", found=str(z2.device), expected=str(z1.device)
        )
    if z1.shape[0] == 0:
        raise InputError("there are no rows", "z1", found=str(tuple(z1.shape)), expected="one or more")
    if isinstance(temperature, torch.Tensor) and temperature.requires_grad:
        raise InputError(
            "a temperature gets no gradient here",
            "temperature",
            expected="a number",
            hint="temperature.item(); or scale a loss of plain PyTorch",
        )
    divisor = real_number(temperature, "temperature")
    if not divisor > 0:
        raise InputError("out of range", "temperature", found=str(temperature), expected="above 0")
    _check_choice(negatives, "negatives", ("both", "own"))
    _check_choice(precision, "precision", ("fp32", "tf32", "bf16"))
    return _engine.info_nce(z1, z2, divisor, negatives == "own", precision)


def top_k(
    z: torch.Tensor | npt.NDArray[np.float32],
    k: int,
    similarity: str = "cosine",
    include_self: bool = True,
    precision: str = "fp32",
) -> tuple[torch.Tensor, torch.Tensor]:
    """The k most similar rows of every row: (values, indices) as of torch.topk, best first.

    The N x N similarities are never stored.

    Parameters
    ----------
    z : float32 [N, d], a tensor or an array
    k : at most N, or N - 1 without the row itself
    similarity : "cosine" or "dot"
    include_self : whether a row is among its own

    Examples
    --------
    >>> import torch, contrast_reg as cr
    >>> z = torch.tensor([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0]])
    >>> cr.ops.top_k(z, 1, include_self=False)[1].flatten().tolist()
    [1, 0, 1]
    """
    if isinstance(z, np.ndarray):
        z = torch.from_numpy(z)
    _check_rows(z, "z")
    _check_choice(similarity, "similarity", ("cosine", "dot"))
    _check_choice(precision, "precision", ("fp32", "tf32", "bf16"))
    count = whole_number(k, "k", 1)
    most = z.shape[0] - (0 if include_self else 1)
    if count > most:
        raise InputError("more than there are", "k", found=str(k), expected=f"at most {most}")
    indices, values = _engine.top_k(z, count, similarity, bool(include_self), precision)
    return values, indices.to(torch.int64)


def sparse(adjacency: Any, device: Any = None) -> SparseMatrix:
    """A matrix that `spmm` multiplies by, made once for many products.

    Parameters
    ----------
    adjacency : a Graph (its adjacency as training sees it, not normalised), a sparse CSR tensor
        or a scipy matrix; values become float32 and get no gradient
    device : where it computes; default the CPU, or where the tensor is

    Examples
    --------
    >>> import torch, contrast_reg as cr
    >>> matrix = cr.ops.sparse(cr.Graph([[0, 1], [1, 2]]))
    >>> cr.ops.spmm(matrix, torch.ones(3, 1)).flatten().tolist()
    [1.0, 2.0, 1.0]
    """
    if isinstance(adjacency, SparseMatrix):
        return adjacency
    symmetric = False
    values: torch.Tensor | None
    if isinstance(adjacency, Graph):
        stored = adjacency._engine_graph.adjacency()
        offsets, columns = _tensor(stored[0]), _tensor(stored[1])
        values = None if stored[2] is None else _tensor(stored[2])
        width, symmetric = adjacency.num_nodes, not adjacency.directed
    elif isinstance(adjacency, torch.Tensor) and adjacency.layout == torch.sparse_csr:
        if adjacency.requires_grad:
            raise InputError("values get no gradient here", "adjacency", expected="detach()")
        offsets, columns = adjacency.crow_indices(), adjacency.col_indices()
        values, width = adjacency.values(), adjacency.shape[1]
        device = adjacency.device if device is None else device
    elif is_scipy_sparse(adjacency):
        matrix = adjacency.tocsr()
        offsets, columns = _tensor(matrix.indptr), _tensor(matrix.indices)
        values, width = _tensor(matrix.data), matrix.shape[1]
    else:
        raise InputError(
            "not a sparse matrix",
            "adjacency",
            found=type(adjacency).__name__,
            expected="a Graph, a sparse CSR tensor, or a scipy matrix",
            hint="to_sparse_csr()" if isinstance(adjacency, torch.Tensor) else "",
        )
    place = torch.device("cpu" if device is None else device)
    return SparseMatrix(
        offsets.to(place, torch.int64).contiguous(),
        columns.to(place, torch.int32).contiguous(),
        None if values is None else values.to(place, torch.float32).contiguous(),
        int(width),
        symmetric,
    )


def _tensor(array: Any) -> torch.Tensor:
    # A tensor must be writable; what is not is copied, of a few megabytes.
    return torch.from_numpy(array if array.flags.writeable else np.array(array))


def spmm(adjacency: Any, h: torch.Tensor) -> torch.Tensor:
    """adjacency · h, with gradients to h, but no second derivatives.

    Parameters
    ----------
    adjacency : as of `sparse`, or what that returned: for more than one product make it once
    h : float32 [columns of adjacency, d]

    Examples
    --------
    >>> import torch, contrast_reg as cr
    >>> cr.ops.spmm(torch.eye(2).to_sparse_csr(), torch.ones(2, 3)).shape
    torch.Size([2, 3])
    """
    _check_rows(h, "h")
    matrix = sparse(adjacency, h.device)
    if matrix.shape[1] != h.shape[0]:
        raise InputError(
            "not as many rows as the matrix has columns",
            "h",
            found=str(h.shape[0]),
            expected=str(matrix.shape[1]),
        )
    return matrix.times(h)
