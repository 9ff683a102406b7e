# The extension module: creg.h for Python. The package beside it is what people use.
from collections.abc import Callable, Mapping, Sequence
from typing import Any, final

import numpy as np
import numpy.typing as npt
import torch

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]

version: str

@final
class Parameter:
    """A row of the table of parameters (docs/parameters.md)."""

    key: str
    group: str
    values: str  # what may be written: "0..1", "dot|bilinear"
    help: str
    default: str  # as text
    truth: bool  # true or false
    whole: bool  # a whole number
    methods: list[str]  # that look at it; empty: it is no matter of the method

@final
class Method:
    name: str
    about: str
    encoders: list[str]
    parameters: list[Parameter]  # its own

def parameters() -> list[Parameter]: ...
def methods() -> list[Method]: ...

@final
class Job:
    """How a call computes, and who hears of it. None: silent, or nobody."""

    def __init__(
        self,
        *,
        device: str = "cpu",  # "auto", "cpu", "cuda", "cuda:1"
        precision: str = "fp32",
        threads: int = 0,
        seed: int = 0,
        log: Callable[[str, str], None] | None = None,  # level ("debug", "info", "notice", "warning"), message
        progress: Callable[[dict[str, Any], bool], None] | None = None,  # label, unit, total (-1), done, skipped, note, seconds, finished; last
    ) -> None: ...
    device: str  # "cpu" or "cuda:0": auto is settled

@final
class Graph:
    """An open dataset and its graph as training sees it. Never changes."""

    @staticmethod
    def from_edges(
        job: Job,
        *,
        sources: npt.NDArray[Any],  # int32 or int64, [E]
        targets: npt.NDArray[Any],
        weights: Floats | None,
        nodes: int,
        directed: bool,
        dense: Floats | None,  # [N, F], C order: viewed, not copied
        sparse: tuple[Longs, Ints, Floats | None, int] | None,  # offsets, columns, values (None: ones), width
        labels: Ints | None,  # -1: none
        class_names: Sequence[str],
        names: Sequence[str] | None,
        splits: Sequence[tuple[str, Ints, Ints, Ints]],  # name; train, val, test, ascending
        name: str,
    ) -> Graph: ...
    def save(self, job: Job, path: str) -> None: ...  # as .creg
    @staticmethod
    def open(job: Job, dataset: str, *, data_dir: str = "", transforms: Sequence[str] = (), allow_empty: bool = False, drop_unknown_ids: bool = False, download: bool = False, mirror: str = "") -> Graph: ...

    name: str
    source: str  # a path, a generator's name; of from_edges: ""
    num_nodes: int
    num_edges: int  # distinct undirected ones; of a directed graph directed ones
    num_features: int
    num_classes: int
    directed: bool
    def adjacency(self) -> tuple[Longs, Ints, Floats | None]: ...  # offsets, columns, weights; read-only views
    def dense_features(self) -> Floats | None: ...  # a view where they are stored so, else None
    def sparse_features(self) -> tuple[Longs, Ints, Floats | None] | None: ...
    def labels(self) -> Ints | None: ...
    def class_names(self) -> list[str]: ...
    def names(self) -> list[str] | None: ...  # None: 0..N-1
    def splits(self) -> list[tuple[str, Ints, Ints, Ints]]: ...
    def protocol(self) -> str: ...  # the dataset's own; "" where there is none

@final
class Step:
    """One step of training, as a loss sees it; over when the loss returns."""

    epoch: int
    step: int
    seed: int  # of the step's own generator: a pure function of the run's seed and the step, below 2**63
    batch: bool
    num_nodes: int
    def corrupted(self) -> torch.Tensor: ...
    def view(self, drop_edges: float, mask_features: float) -> torch.Tensor: ...
    def encode(self, features: torch.Tensor) -> torch.Tensor: ...
    def features(self) -> torch.Tensor: ...  # dense [nodes, width]
    def propagate(self, rows: torch.Tensor) -> torch.Tensor: ...  # the normalised adjacency times rows
    def nodes(self) -> torch.Tensor | None: ...  # of a batch: which nodes, int32; None: all

Named = list[tuple[str, torch.Tensor]]

@final
class Loss:
    """A method of a program's own."""

    def __init__(self, name: str, make: Callable[[int], tuple[Callable[[torch.Tensor, Step], torch.Tensor], Named, Named]]) -> None:
        """`make(seed)` is called once per run: compute(h, step), and the tensors (float32) that are trained and kept with it. Torch's global generators draw what belongs to the step in there."""

@final
class Encoder:
    """An encoder of a program's own."""

    def __init__(self, name: str, make: Callable[[str, int], tuple[Callable[[torch.Tensor, SparseMatrix, bool], torch.Tensor], Named, Named]]) -> None:
        """`make(device, seed)` likewise, for compute(x, adjacency, training); on the device "meta" tensors have shapes alone."""

@final
class SeedRun:
    seed: int
    embedding: Floats  # [N, dim], over the engine's memory, read-only
    history: dict[str, npt.NDArray[Any]]  # a column per key of metrics.jsonl; NaN where there is nothing
    epochs_run: int
    best_epoch: int
    seconds: float
    stopped: bool
    def classification(self) -> dict[str, Any] | None: ...

@final
class Run:
    """What came of a run; it may be one that was read from its folder."""

    seeds: list[SeedRun]
    config: dict[str, str]  # every parameter, as text
    device: str
    precision: str
    threads: int
    recipe: str
    classified_rows: str
    plain_rows: str
    smooth: int
    folder: str  # "" where it is kept in memory alone
    def result(self) -> dict[str, Any]: ...  # result.json
    def save(self, job: Job, folder: str, overwrite: bool) -> None: ...
    def embed(self, job: Job, graph: Graph, encoder: Encoder | None = None, nodes: Sequence[int] | None = None) -> Floats: ...  # by the first seed's encoder; nodes: these rows

def plan(job: Job, graph: Graph, settings: Mapping[str, str], *, recipe: str = "", seeds: int = 0) -> dict[str, Any]:
    """What a run would be: config, recipe, nodes, edges, features, memory (bytes), threads."""

def train(
    job: Job,
    graph: Graph,
    settings: Mapping[str, str],
    *,
    loss: Loss | None = None,
    encoder: Encoder | None = None,
    recipe: str = "",
    seeds: int = 0,
    out: str = "",
    overwrite: bool = False,
    resume: bool = False,
    evaluate: bool = False,
    calibrate: int = 0,  # epochs between two lines of calibration.jsonl
    calibration_folder: str = "",  # of a run without out: seed-<s>/calibration.jsonl
    tensorboard: bool = False,
    distributed: bool = False,
    callback: Callable[[int, dict[str, Any]], None] | None = None,  # seed, statistics
) -> Run: ...
def load_run(job: Job, folder: str) -> Run: ...

# Of embeddings [N, dim] float32 in C order; each returns the object that `creg … --json` prints.
def classify(job: Job, graph: Graph, embeddings: Sequence[Floats], *, protocol: str = "", splits: int = 0, split: int | None = None, normalize: str = "", smooth: int = 0, baselines: bool = False) -> dict[str, Any]: ...
def cluster(job: Job, graph: Graph, embeddings: Sequence[Floats], *, clusters: int = 0, seeds: int = 5, pca: int | None = None, normalize: str = "none", smooth: int = 0) -> dict[str, Any]: ...
def calibrate(job: Job, graph: Graph, embeddings: Sequence[Floats], *, positives: str = "top-k", k: int = 5, similarity: str = "cosine", include_self: bool = True, anchors: int = 0, r_positive: float = 0.5, bins: int = 15, resamples: int = 1000, protocol: str = "", split: int = 0) -> dict[str, Any]: ...
def neighbours(job: Job, graph: Graph | None, embedding: Floats, nodes: Sequence[int] | None, *, k: int = 10, similarity: str = "cosine", graph_neighbors: str = "mark", approximate: bool | None = None) -> dict[str, Any]: ...  # neighbours (int32, -1: none), scores, edges (uint8, or None) [nodes, k], recall; None: all nodes
def link(job: Job, graph: Graph, settings: Mapping[str, str], *, loss: Loss | None = None, encoder: Encoder | None = None, recipe: str = "", splits: int = 5, seeds: int = 5) -> dict[str, Any]: ...

# What creg report --json prints; a run is its folder or a store of runs, its name on the page ("": the folder's), and the graph where the folder names none.
def report(job: Job, runs: Sequence[tuple[str, str, Graph | None]], out: str, *, title: str = "", maps: bool = True, tsne: bool = True, map_nodes: int = 20000, baselines: bool = True, data_dir: str = "", methods: Sequence[str] = (), datasets: Sequence[str] = (), most_runs: int = 12) -> dict[str, Any]: ...
def tsne(job: Job, rows: Floats, *, perplexity: float = 30.0) -> Floats: ...  # [N, 2]

# On tensors of the CPU or of a GPU, with gradients.
def info_nce(u: torch.Tensor, v: torch.Tensor, temperature: float, own_view: bool, precision: str) -> torch.Tensor: ...
def top_k(rows: torch.Tensor, k: int, similarity: str, include_self: bool, precision: str) -> tuple[torch.Tensor, torch.Tensor]: ...  # int32 indices, values [N, k]

@final
class SparseMatrix:
    def __init__(self, offsets: torch.Tensor, columns: torch.Tensor, values: torch.Tensor | None, cols: int, symmetric: bool) -> None: ...  # int64, int32, float32
    shape: tuple[int, int]
    def times(self, rows: torch.Tensor) -> torch.Tensor: ...
    def __copy__(self) -> SparseMatrix: ...
    def __deepcopy__(self, memo: object) -> SparseMatrix: ...
    def __matmul__(self, rows: torch.Tensor) -> torch.Tensor: ...
    def to_torch(self) -> torch.Tensor: ...  # sparse CSR, a copy

# What the engine raises; the package makes its own of them.
class EngineError(Exception):
    kind: str  # "input" or "environment"
    what: str
    file: str
    place: str
    found: str
    expected: str
    hint: str

def raise_as(make: Callable[[EngineError], BaseException]) -> None:
    """Of every error of the engine from now on what `make` makes is raised."""
