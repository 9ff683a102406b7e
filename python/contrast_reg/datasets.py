"""Datasets by name and by path."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from . import _engine
from ._errors import InputError, renamed_arguments
from ._job import make_job
from .graph import Graph


def load_dataset(
    name_or_path: str | os.PathLike[str],
    *,
    data_dir: str | os.PathLike[str] | None = None,
    transforms: Sequence[str] = (),
    allow_empty: bool = False,
    drop_unknown_ids: bool = False,
    download: bool = False,
    mirror: str | os.PathLike[str] | None = None,
    progress: object = "auto",
) -> Graph:
    """A dataset by its name or path.

    Parameters
    ----------
    name_or_path : a name of the catalogue ("cora"), "synthetic:arxiv", "synthetic:cora@0.1", or
        the path of a .toml, a .creg or any other format that is read
    data_dir : where datasets with names lie; default $CREG_DATA, else the user's cache folder
    transforms : applied after the dataset's own, by their names
    allow_empty : take files that hold nothing as they are
    drop_unknown_ids : leave out labels, splits and edges of nodes that the graph does not have
    download : first get what is missing of a dataset with a name, verified; a broken download goes
        on where it was
    mirror : a folder or an address to take the files from instead
    progress : as of Embedder

    Examples
    --------
    >>> import contrast_reg as cr
    >>> cr.load_dataset("synthetic:cora@0.1").directed
    False
    """
    name = os.fspath(name_or_path)
    if not isinstance(name, str):
        raise InputError("not a name", "name_or_path", found=repr(name_or_path), expected="a str")
    if isinstance(transforms, str):
        transforms = [transforms]
    folder = "" if data_dir is None else os.fspath(data_dir)
    options: dict[str, Any] = {
        "transforms": tuple(transforms),
        "allow_empty": bool(allow_empty),
        "drop_unknown_ids": bool(drop_unknown_ids),
    }
    with renamed_arguments({"dataset": "name_or_path"}):
        graph = _engine.Graph.open(
            make_job(progress=progress),
            name,
            data_dir=folder,
            **options,
            download=bool(download),
            mirror="" if mirror is None else os.fspath(mirror),
        )
    # Another process may have another working folder.
    is_path = os.path.exists(name) and (os.sep in name or "." in name)
    kept = os.path.abspath(name) if is_path else name
    return Graph._around(graph, (kept, {"data_dir": folder or None, **options}))


def reopen(name: str, options: dict[str, Any]) -> Graph:
    """For pickle."""
    return load_dataset(name, **options)
