"""Labels and splits as the engine has them: numbers from 0 with -1 for none, lists of nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from ._arrays import as_array, first_place, shape_text
from ._errors import InputError
from ._types import Array, Ints

_LARGEST = np.iinfo(np.int32).max


class Split(NamedTuple):
    """Nodes of a graph to train, choose and test a classifier on, ascending.

    Examples
    --------
    >>> import contrast_reg as cr
    >>> graph = cr.Graph([[0, 1], [1, 2]], splits=([0], [1], [2]))
    >>> graph.splits[0]
    Split('public': 1 train, 1 val, 1 test)
    >>> graph.splits[0].test.tolist()
    [2]
    """

    name: str
    train: Ints
    val: Ints
    test: Ints

    def __repr__(self) -> str:
        counts = (f"{len(part):,} {name}" for name, part in zip(self._fields[1:], self[1:]))
        return f"Split({self.name!r}: {', '.join(counts)})"


def _is_missing(value: object) -> bool:
    """None, NaN, NaT, and pandas' NA, which is neither equal nor unequal to itself."""
    return value is None or type(value).__name__ == "NAType" or bool(value != value)


def _values(y: Any, name: str) -> Array:
    """As an array that has what is missing as it is: numpy makes the word "nan" of it among words."""
    if isinstance(y, (list, tuple)) and not all(isinstance(one, (int, float)) for one in y):
        if any(isinstance(one, (list, tuple, np.ndarray, torch.Tensor)) for one in y):
            return as_array(y, name)
        out = np.empty(len(y), object)
        out[:] = y
        return out
    return as_array(y, name)


def _named(values: Array) -> tuple[Ints, list[str]]:
    present = {value for value in values.tolist() if not _is_missing(value)}
    try:
        order = sorted(present)
    except TypeError:  # of different kinds
        order = sorted(present, key=lambda value: (str(type(value)), str(value)))
    numbers = {value: i for i, value in enumerate(order)}
    labels = [-1 if _is_missing(value) else numbers[value] for value in values.tolist()]
    return np.asarray(labels, np.int32), [str(value) for value in order]


def label_numbers(y: Any, name: str = "y") -> tuple[Ints, list[str]]:
    """Labels and the names of classes, none where labels are numbers already."""
    values = _values(y, name)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise InputError(
            "wrong shape",
            name,
            found=shape_text(values),
            expected="one label per node",
            hint="labels that are coded one-hot: y.argmax(1)" if values.ndim == 2 else "",
        )
    if values.dtype.kind in "OUS":
        try:  # numbers in disguise, with None where there is no label
            numbers = np.asarray([np.nan if _is_missing(v) else v for v in values.tolist()])
        except (TypeError, ValueError):
            numbers = values
        if numbers.dtype.kind not in "iufb":
            return _named(values)
        values = numbers
    if values.dtype.kind == "b":
        values = values.astype(np.int32)
    if values.dtype.kind == "f":
        wrong = np.isfinite(values) & (values != np.floor(values)) | np.isinf(values)
        if wrong.any():
            at = first_place(wrong)[0]
            raise InputError(
                f"not a whole number at node {at}",
                name,
                found=str(values[at]),
                expected="a class per node; negative or NaN: no label",
            )
        values = np.where(np.isnan(values), -1, values).astype(np.int64)
    if values.dtype.kind not in "iu":
        raise InputError("wrong dtype", name, found=str(values.dtype), expected="whole numbers")
    if values.size and int(values.max()) >= max(len(values), 2):
        # More classes than nodes cannot be: these are names that happen to be numbers.
        known = values >= 0
        order, places = np.unique(values[known], return_inverse=True)
        labels: Ints = np.full(len(values), -1, np.int32)
        labels[known] = places
        return labels, [str(value) for value in order.tolist()]
    labels = np.ascontiguousarray(values, dtype=np.int32)
    if labels.size and int(labels.min()) < -1:
        labels = np.maximum(labels, np.int32(-1))
    return labels, []


def _part(value: Any, nodes: int, name: str) -> Ints:
    """Of a mask or of node numbers."""
    if value is None:
        return np.zeros(0, np.int32)
    array = as_array(value, name)
    if array.ndim != 1:
        raise InputError(
            "wrong shape", name, found=shape_text(array), expected="a mask or node numbers"
        )
    if array.dtype.kind == "b":
        if len(array) != nodes:
            raise InputError(
                "not one value per node", name, found=shape_text(array), expected=f"({nodes},)"
            )
        return np.flatnonzero(array).astype(np.int32)
    if array.size == 0:
        return np.zeros(0, np.int32)
    if array.dtype.kind not in "iu":
        raise InputError(
            "wrong dtype", name, found=str(array.dtype), expected="truths or whole numbers"
        )
    wrong = (array < 0) | (array >= nodes)
    if wrong.any():
        at = first_place(wrong)[0]
        raise InputError(
            f"node id out of range at {at}", name, found=str(array[at]), expected=f"0 to {nodes - 1}"
        )
    nodes_in_it: Ints = np.unique(array).astype(np.int32)
    return nodes_in_it


def _mask_columns(mask: Any, nodes: int, name: str) -> list[Array]:
    """One column per split; a mask of one axis is a column for all."""
    array = as_array(mask, name)
    if array.dtype.kind == "u" and array.dtype.itemsize == 1:
        array = array.astype(np.bool_)
    if array.dtype.kind != "b":
        raise InputError("wrong dtype", name, found=str(array.dtype), expected="truths")
    if array.ndim not in (1, 2) or len(array) != nodes:
        raise InputError(
            "not one value per node",
            name,
            found=shape_text(array),
            expected=f"({nodes},), or ({nodes}, splits)",
        )
    return [array] if array.ndim == 1 else list(array.T)


def splits_of_masks(train: Any, val: Any, test: Any, nodes: int) -> list[Split]:
    """Of masks [N] or [N, splits]; one without them has an empty part."""
    names = ("train_mask", "val_mask", "test_mask")
    given = [
        None if mask is None else _mask_columns(mask, nodes, name)
        for mask, name in zip((train, val, test), names)
    ]
    count = max((len(columns) for columns in given if columns is not None), default=0)
    out = []
    for i in range(count):
        parts = []
        for columns, name in zip(given, names):
            if columns is not None and len(columns) not in (1, count):
                raise InputError(
                    "masks of different numbers of splits",
                    name,
                    found=str(len(columns)),
                    expected=f"1 or {count}",
                )
            column = None if columns is None else columns[i if len(columns) > 1 else 0]
            parts.append(_part(column, nodes, name))
        out.append(Split(f"public-{i}" if count > 1 else "public", *parts))
    return out


def _is_parts(value: object) -> bool:
    return isinstance(value, Mapping) and set(value) <= {"train", "val", "test"}


def splits_of(splits: Any, nodes: int) -> list[Split]:
    """Of {"train": …, "val": …, "test": …}, of (train, val, test), of a list or a dict of these."""
    if _is_parts(splits):
        pairs: list[tuple[str, Any]] = [("public", splits)]
    elif isinstance(splits, Mapping):
        pairs = [(str(name), parts) for name, parts in splits.items()]
    elif isinstance(splits, tuple) and len(splits) == 3 and not isinstance(splits[0], Split):
        pairs = [("public", splits)]
    elif isinstance(splits, Sequence):
        several = len(splits) > 1
        pairs = [(f"public-{i}" if several else "public", one) for i, one in enumerate(splits)]
    else:
        raise InputError(
            "not splits", "splits", found=type(splits).__name__, expected="(train, val, test)"
        )
    out = []
    for name, parts in pairs:
        if isinstance(parts, Split):
            name, parts = parts.name, parts[1:]
        if isinstance(parts, Mapping):
            parts = [parts.get(key) for key in ("train", "val", "test")]
        if not isinstance(parts, Sequence) or len(parts) != 3:
            raise InputError(
                f"split {name!r} has not three parts", "splits", expected="(train, val, test)"
            )
        words = [f"splits[{name!r}].{part}" for part in ("train", "val", "test")]
        out.append(Split(name, *(_part(p, nodes, w) for p, w in zip(parts, words))))
    return out
