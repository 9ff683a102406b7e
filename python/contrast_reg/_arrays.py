"""What people hand in, as arrays that the engine can view: a copy only where there is no way round."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from ._errors import InputError
from ._types import Array, Floats, Ints, Longs

_LARGEST = np.iinfo(np.int32).max
_CHECKED_AT_ONCE = 1 << 20  # numbers: a check takes no memory to speak of


def is_scipy_sparse(value: object) -> bool:
    """Without an import of scipy: who has such a matrix has imported it."""
    return type(value).__module__.startswith("scipy.sparse")


def as_array(value: Any, name: str) -> Array:
    """A view of a numpy array or a tensor of the CPU; other devices' come to the host."""
    if isinstance(value, torch.Tensor):
        if value.layout != torch.strided:
            raise InputError("not a dense tensor", name, found=str(value.layout))
        tensor = value.detach()
        if tensor.dtype in (torch.bfloat16, torch.float16):
            tensor = tensor.to(torch.float32)
        array: Array = tensor.cpu().numpy()
        return array
    if is_scipy_sparse(value):
        raise InputError(
            "a sparse matrix has no place here", name, found=_kind(value), expected="a dense array"
        )
    if isinstance(value, np.ma.MaskedArray) and np.any(value.mask):
        raise InputError(
            "a masked array with masked values", name, expected="an array", hint="filled(value)"
        )
    if not isinstance(value, np.ndarray) and hasattr(value, "__dlpack__"):
        return _of_other_library(value, name)
    try:
        return np.asarray(value)
    except (TypeError, ValueError):  # rows of different lengths
        raise InputError("not an array", name, found=_kind(value)) from None


def _of_other_library(value: Any, name: str) -> Array:
    """What has DLPack: by numpy's way where it is on the host, for a GPU's array refuses that."""
    if hasattr(value, "__array__"):
        try:
            return np.asarray(value)
        except (TypeError, ValueError, RuntimeError):
            pass
    try:
        tensor = torch.utils.dlpack.from_dlpack(value)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise InputError("not an array", name, found=f"{_kind(value)}: {error}") from error
    return as_array(tensor, name)


def as_float32(array: Array) -> Floats:
    """In C order, viewed where it is so; what is too large becomes infinite, which is told later."""
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(array, dtype=np.float32)


def _kind(value: object) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}".removeprefix("builtins.")


def shape_text(array: Array) -> str:
    return f"shape {array.shape}"


def first_place(wrong: Array) -> tuple[int, ...]:
    """Where the first True is."""
    return tuple(int(i) for i in np.unravel_index(int(np.argmax(wrong)), wrong.shape))


def check_finite(array: Array, name: str, place: str) -> None:
    """`place` is what a row is called."""
    rows = max(1, _CHECKED_AT_ONCE // max(1, array[:1].size))
    for begin in range(0, len(array), rows):
        part = array[begin : begin + rows]
        good = np.isfinite(part)
        if good.all():
            continue
        at = first_place(~good)
        column = f", column {at[1]}" if part.ndim > 1 else ""
        raise InputError(
            f"a number that is not finite at {place} {begin + at[0]}{column}",
            name,
            found=str(part[at]),
            expected="finite numbers",
        )


def _is_integer(array: Array) -> bool:
    return bool(np.issubdtype(array.dtype, np.integer))


def _is_number(array: Array) -> bool:
    kinds = (np.integer, np.floating, np.bool_)
    return any(np.issubdtype(array.dtype, kind) for kind in kinds)


def edge_rows(edge_index: Any) -> tuple[Array, Array]:
    """Sources and targets: int32 or int64 and contiguous, viewed where they are so."""
    name = "edge_index"
    edges = as_array(edge_index, name)
    if edges.ndim != 2 or edges.shape[0] != 2:
        turned = edges.ndim == 2 and edges.shape[1] == 2
        raise InputError(
            "wrong shape",
            name,
            found=shape_text(edges),
            expected="shape (2, E): a row of sources and a row of targets",
            hint="transpose it" if turned else "",
        )
    if edges.size == 0:
        edges = np.zeros((2, 0), np.int64)
    if not _is_integer(edges):
        raise InputError("wrong dtype", name, found=str(edges.dtype), expected="integers")
    rows: list[Array] = []
    for row in edges:
        if row.dtype == np.uint64 and row.size and int(row.max()) > _LARGEST:
            at = first_place(row > _LARGEST)[0]
            raise InputError(
                f"node id out of range at [{len(rows)}, {at}]",
                name,
                found=str(row[at]),
                expected=f"at most {_LARGEST}",
            )
        wide = row.dtype if row.dtype in (np.int32, np.int64) else np.dtype(np.int64)
        rows.append(np.ascontiguousarray(row, dtype=wide))
    return rows[0], rows[1]


def check_edges(rows: tuple[Array, ...], nodes: int) -> None:
    for number, row in enumerate(rows):
        if row.size == 0 or (int(row.min()) >= 0 and int(row.max()) < nodes):
            continue
        at = first_place((row < 0) | (row >= nodes))[0]
        raise InputError(
            f"node id out of range at [{number}, {at}]",
            "edge_index",
            found=str(row[at]),
            expected=f"0 to {nodes - 1}" if nodes else "no edges: the graph has no nodes",
        )


def dense_floats(value: Any, name: str, place: str = "row") -> Floats:
    """[N, F] float32 in C order, viewed where it is so; finite."""
    array = as_array(value, name)
    if array.ndim == 1:
        raise InputError(
            "wrong shape",
            name,
            found=shape_text(array),
            expected="shape (nodes, columns)",
            hint="one column is reshape(-1, 1)",
        )
    if array.ndim != 2:
        raise InputError(
            "wrong shape", name, found=shape_text(array), expected="shape (nodes, columns)"
        )
    if array.dtype == object:
        try:
            with np.errstate(over="ignore"):
                array = array.astype(np.float32)
        except (TypeError, ValueError):
            pass
    if not _is_number(array):
        raise InputError("wrong dtype", name, found=str(array.dtype), expected="numbers")
    floats = as_float32(array)
    check_finite(floats, name, place)
    return floats


def edge_weights(value: Any, edges: int, name: str = "edge_weight") -> Floats:
    array = as_array(value, name)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.shape != (edges,):
        raise InputError(
            "not one weight per edge", name, found=shape_text(array), expected=f"shape ({edges},)"
        )
    if not _is_number(array):
        raise InputError("wrong dtype", name, found=str(array.dtype), expected="numbers")
    weights = as_float32(array)
    check_finite(weights, name, "edge")
    return weights


Sparse = tuple[Longs, Ints, Floats | None, int]


def sparse_features(value: Any, name: str = "x") -> tuple[Sparse, int]:
    """Offsets, columns, values and width of a scipy matrix or a sparse tensor; and its rows.

    Columns (int32) and values (float32) of a canonical CSR matrix are viewed; offsets become int64.
    """
    if isinstance(value, torch.Tensor):
        value = _scipy_of(value)
    if value.ndim != 2:
        raise InputError("wrong shape", name, found=f"shape {value.shape}", expected="two axes")
    matrix = value.tocsr()  # itself where it is one
    if not _is_number(matrix.data):
        raise InputError("wrong dtype", name, found=str(matrix.dtype), expected="numbers")
    if not matrix.has_canonical_format:
        matrix = matrix.copy() if matrix is value else matrix  # theirs stays as it is
        matrix.sum_duplicates()
    rows, width = matrix.shape
    if width > _LARGEST:
        raise InputError("too wide", name, found=str(width), expected=f"at most {_LARGEST} columns")
    values = as_float32(matrix.data)
    check_finite(values, name, "stored value")
    offsets = np.ascontiguousarray(matrix.indptr, dtype=np.int64)
    columns = np.ascontiguousarray(matrix.indices, dtype=np.int32)
    return (offsets, columns, values, int(width)), int(rows)


def _scipy_of(tensor: torch.Tensor) -> Any:
    import scipy.sparse as sparse

    tensor = tensor.detach().cpu()
    shape = tuple(tensor.shape)
    if tensor.layout == torch.sparse_csr:
        parts = (tensor.values(), tensor.col_indices(), tensor.crow_indices())
        return sparse.csr_matrix(tuple(part.numpy() for part in parts), shape=shape)
    joined = tensor.coalesce()
    return sparse.coo_matrix((joined.values().numpy(), joined.indices().numpy()), shape=shape)


def is_sparse(value: object) -> bool:
    if isinstance(value, torch.Tensor):
        return value.layout != torch.strided
    return is_scipy_sparse(value)
