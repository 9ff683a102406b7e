"""Node embeddings by graph contrastive learning, calibrated by Contrast-Reg.

>>> import contrast_reg as cr
>>> graph = cr.load_dataset("synthetic:cora@0.1")
>>> z = cr.Embedder("ml", regulariser="contrast", dim=16, epochs=5).fit_transform(graph)
>>> z.shape == (graph.num_nodes, 16)
True
"""

from __future__ import annotations

import torch  # noqa: F401, I001  first: the engine's libtorch is this one

from . import _engine
from . import nn, ops
from ._errors import InputError, NotFittedError
from ._labels import Split
from ._losses import Step
from ._neighbors import Neighbors
from ._page import Report, report, tsne
from ._results import Calibration, Classification, Clustering, LinkPrediction, Score
from ._table import methods
from .datasets import load_dataset
from .embedder import Embedder, Epoch, load
from .graph import Graph
from .tasks import calibrate, classify, cluster, link, neighbors

__version__: str = _engine.version

__all__ = [
    "Calibration",
    "Classification",
    "Clustering",
    "Embedder",
    "Epoch",
    "Graph",
    "InputError",
    "LinkPrediction",
    "Neighbors",
    "NotFittedError",
    "Report",
    "Score",
    "Split",
    "Step",
    "__version__",
    "calibrate",
    "classify",
    "cluster",
    "link",
    "load",
    "load_dataset",
    "methods",
    "neighbors",
    "nn",
    "ops",
    "report",
    "tsne",
]
