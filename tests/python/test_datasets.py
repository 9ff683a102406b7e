"""Datasets by name: where they are looked for, and how they get there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import contrast_reg as cr


@pytest.fixture
def real_data() -> Path:
    """The benchmark files, as the other tests look for them."""
    beside = Path(__file__).resolve().parents[3] / "shared" / "data"
    found = Path(os.environ.get("CREG_TEST_DATA", beside))
    if not (found / "cora").exists():
        pytest.skip("needs the real benchmark files")
    return found


def test_what_is_missing_is_downloaded(real_data: Path, tmp_path: Path) -> None:
    with pytest.raises(cr.InputError, match=r"missing \(load_dataset\(name, download=True\) gets"):
        cr.load_dataset("cora", data_dir=tmp_path)
    graph = cr.load_dataset("cora", data_dir=tmp_path, download=True, mirror=real_data)
    assert (graph.num_nodes, graph.num_edges, graph.num_classes) == (2708, 5278, 7)
    assert cr.load_dataset("cora", data_dir=tmp_path).num_features == 1433


def test_a_mirror_without_the_files(tmp_path: Path) -> None:
    with pytest.raises((cr.InputError, OSError)) as caught:
        cr.load_dataset("cora", data_dir=tmp_path / "a", download=True, mirror=tmp_path)
    assert "ind.cora" in str(caught.value) and "--" not in str(caught.value)


def test_only_datasets_with_names_are_downloaded() -> None:
    with pytest.raises(cr.InputError, match="coraa.*did you mean cora"):
        cr.load_dataset("coraa", download=True)
