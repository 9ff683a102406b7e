"""Tiny graphs and settings that every test shares."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import contrast_reg as cr

DATASET = "synthetic:cora@0.1"


@pytest.fixture(scope="session")
def device() -> str:
    """As of the other tests: CREG_TEST_DEVICE=cuda looks at a GPU."""
    return os.environ.get("CREG_TEST_DEVICE", "cpu")


@pytest.fixture(scope="session")
def graph() -> cr.Graph:
    return cr.load_dataset(DATASET)


@pytest.fixture(scope="session")
def command() -> Path:
    name = os.environ.get("CREG_COMMAND")
    if not name:
        pytest.skip("CREG_COMMAND does not name the command")
    return Path(name)


@pytest.fixture
def small(device: str) -> dict[str, Any]:
    """Keywords of a model that is trained in a moment."""
    return {
        "dim": 8,
        "epochs": 4,
        "patience": 0,
        "threads": 1,
        "device": device,
        "progress": None,
    }


@pytest.fixture
def triangle() -> dict[str, Any]:
    """Keywords of a graph: a triangle and a tail."""
    return {
        "edge_index": np.array([[0, 1, 2, 2], [1, 2, 0, 3]]),
        "x": np.arange(12, dtype=np.float32).reshape(4, 3),
        "y": np.array([0, 0, 1, 1]),
    }


def pairs(graph: cr.Graph) -> set[tuple[int, int]]:
    """The directed entries of the graph as training sees it."""
    return set(map(tuple, graph.edge_index.T.tolist()))
