"""What the tasks return: figures with their spread over seeds and splits."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ._html import table


class Score(float):
    """A mean over seeds and splits: a float with `std` (the population's) and `values`.

    Examples
    --------
    >>> from contrast_reg import Score
    >>> score = Score([0.8, 0.9])
    >>> print(f"{score:.2f} {score.std:.2f} {score.values}")
    0.85 0.05 (0.8, 0.9)
    """

    std: float
    values: tuple[float, ...]

    def __new__(cls, values: Any) -> Score:
        numbers = tuple(float(value) for value in values)
        mean = math.fsum(numbers) / len(numbers) if numbers else math.nan
        self = super().__new__(cls, mean)
        self.values = numbers
        spread = math.fsum((value - mean) ** 2 for value in numbers)
        self.std = math.sqrt(spread / len(numbers)) if numbers else math.nan
        return self

    @classmethod
    def _of(cls, sample: Mapping[str, Any]) -> Score:
        """The engine's own mean and spread."""
        self = float.__new__(cls, sample["mean"])
        self.std = float(sample["std"])
        self.values = tuple(float(value) for value in sample["values"])
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return (Score._of, ({"mean": float(self), "std": self.std, "values": self.values},))

    def __repr__(self) -> str:
        if len(self.values) < 2:
            return f"{float(self):.4f}"
        return f"{float(self):.4f} ± {self.std:.4f}"

    __str__ = __repr__


def _score(metrics: Mapping[str, Any], name: str) -> Score | None:
    sample = metrics.get(name)
    if sample is None or sample.get("mean") is None:
        return None
    return Score._of(sample)


class Result:
    """Figures as attributes; `to_dict()` has everything."""

    _shown: tuple[str, ...] = ()
    _title = "Result"

    def __init__(self, body: dict[str, Any]) -> None:
        self._body = body

    def _metric(self, name: str) -> Score | None:
        return _score(self._body["metrics"], name)

    def _sure(self, name: str) -> Score:
        score = self._metric(name)
        return Score(()) if score is None else score

    def to_dict(self) -> dict[str, Any]:
        """The object that the command prints with JSON."""
        return self._body

    def _figures(self) -> list[tuple[str, str]]:
        pairs = [(name, getattr(self, name)) for name in self._shown]
        return [(name, str(value)) for name, value in pairs if value is not None]

    def _about(self) -> str:
        return str(self._body["dataset"])

    def __repr__(self) -> str:
        figures = ", ".join(f"{name}={value}" for name, value in self._figures())
        return f"{self._title}({figures}; {self._about()})"

    def _repr_html_(self) -> str:
        return table(f"{self._title}: {self._about()}", self._figures())


class Classification(Result):
    """What `classify` returns.

    Attributes
    ----------
    accuracy : Score, over seeds and splits, on the test nodes
    val_accuracy : Score, or None where a split has no validation part
    baselines : dict of Score by what was classified, "X", "ÂX" and "Â²X"; empty where not asked for
    protocol, classifier : str

    Examples
    --------
    >>> import contrast_reg as cr
    >>> graph = cr.load_dataset("synthetic:cora@0.1")
    >>> z = cr.Embedder(dim=8, epochs=2).fit_transform(graph)
    >>> found = cr.classify(graph, z, protocol="random-60-20-20", splits=2)
    >>> found.protocol, len(found.accuracy.values)
    ('random-60-20-20', 2)
    """

    _title = "Classification"
    _shown = ("accuracy", "val_accuracy")

    def __init__(self, body: dict[str, Any]) -> None:
        super().__init__(body)
        self.accuracy: Score = self._sure("accuracy")
        self.val_accuracy: Score | None = self._metric("val_accuracy")
        self.baselines: dict[str, Score] = {
            one["rows"]: Score._of(one["accuracy"]) for one in body.get("baselines") or ()
        }
        self.protocol: str = body["protocol"]
        self.classifier: str = body["classifier"]

    def _about(self) -> str:
        runs, splits = self._body["runs"], self._body["splits"]
        return f"{self._body['dataset']}, {self.protocol}, runs × splits: {runs} × {splits}"


class Clustering(Result):
    """What `cluster` returns.

    Attributes
    ----------
    accuracy, nmi, f1, ari : Score, over seeds of the model and of k-means

    Examples
    --------
    >>> import contrast_reg as cr
    >>> graph = cr.load_dataset("synthetic:cora@0.1")
    >>> z = cr.Embedder(dim=8, epochs=2).fit_transform(graph)
    >>> len(cr.cluster(graph, z, seeds=3).nmi.values)
    3
    """

    _title = "Clustering"
    _shown = ("accuracy", "nmi", "f1", "ari")

    def __init__(self, body: dict[str, Any]) -> None:
        super().__init__(body)
        self.accuracy: Score = self._sure("accuracy")
        self.nmi: Score = self._sure("nmi")
        self.f1: Score = self._sure("f1")
        self.ari: Score = self._sure("ari")

    def _about(self) -> str:
        return f"{self._body['dataset']}, {self._body['k']} clusters"


class LinkPrediction(Result):
    """What `link` returns.

    Attributes
    ----------
    auc, ap : Score, over splits and seeds, on the test edges
    val_auc : Score, or None

    Examples
    --------
    >>> import contrast_reg as cr
    >>> graph = cr.load_dataset("synthetic:cora@0.1")
    >>> found = cr.link(graph, "ml", splits=2, seeds=1, dim=8, epochs=2)
    >>> 0 <= found.ap <= 1, len(found.auc.values)
    (True, 2)
    """

    _title = "LinkPrediction"
    _shown = ("auc", "ap")

    def __init__(self, body: dict[str, Any]) -> None:
        super().__init__(body)
        self.auc: Score = self._sure("auc")
        self.ap: Score = self._sure("ap")
        self.val_auc: Score | None = self._metric("val_auc")

    def _about(self) -> str:
        count = self._body["splits"]
        return f"{self._body['dataset']}, {count} {'split' if count == 1 else 'splits'}"


_BIN = np.dtype([(n, np.float64) for n in ("low", "high", "weight", "mean_chance", "frequency")])


def _bins(rows: Any) -> npt.NDArray[np.void]:
    return np.asarray([tuple(row[name] for name in _BIN.names or ()) for row in rows], _BIN)


class Calibration(Result):
    """What `calibrate` returns. What needs labels is None without them.

    Attributes
    ----------
    ece, ece_positive, ece_negative, ece_reformulated : Score or None
    q_positive, q_negative : Score or None; shares of pairs of one label
    mean_sigma_positive, mean_sigma_random : Score
    binned_ece, binned_ece_equal_mass, mce, brier : Score or None
    norm_mean, norm_variance : Score
    s_f, s_f_bound, sigma_max_mean, norm_squared_mean : Score or None
    reliability : structured array of the first embedding's bins (low, high, weight, mean_chance,
        frequency), or None

    Examples
    --------
    >>> import contrast_reg as cr
    >>> graph = cr.load_dataset("synthetic:cora@0.1")
    >>> z = cr.Embedder(dim=8, epochs=2).fit_transform(graph)
    >>> bins = cr.calibrate(graph, z, resamples=0, bins=10).reliability
    >>> len(bins) <= 10, round(float(bins["weight"].sum()), 6)
    (True, 1.0)
    """

    _title = "Calibration"
    _shown = ("ece", "q_positive", "q_negative", "mean_sigma_random", "norm_mean")

    def __init__(self, body: dict[str, Any]) -> None:
        super().__init__(body)
        metric = self._metric
        self.ece: Score | None = metric("ece")
        self.ece_positive: Score | None = metric("ece_positive")
        self.ece_negative: Score | None = metric("ece_negative")
        self.ece_reformulated: Score | None = metric("ece_reformulated")
        self.q_positive: Score | None = metric("q_positive")
        self.q_negative: Score | None = metric("q_negative")
        self.mean_sigma_positive: Score | None = metric("mean_sigma_positive")
        self.mean_sigma_random: Score | None = metric("mean_sigma_random")
        self.binned_ece: Score | None = metric("binned_ece")
        self.binned_ece_equal_mass: Score | None = metric("binned_ece_equal_mass")
        self.mce: Score | None = metric("mce")
        self.brier: Score | None = metric("brier")
        self.norm_mean: Score | None = metric("norm_mean")
        self.norm_variance: Score | None = metric("norm_variance")
        self.s_f: Score | None = metric("s_f")
        self.s_f_bound: Score | None = metric("s_f_bound")
        self.sigma_max_mean: Score | None = metric("sigma_max_mean")
        self.norm_squared_mean: Score | None = metric("norm_squared_mean")
        labelled = body["each"][0]["labelled"]
        self.reliability: npt.NDArray[np.void] | None = (
            None if labelled is None else _bins(labelled["reliability"]["equal_width"])
        )

    def _about(self) -> str:
        return f"{self._body['dataset']}, {self._body['anchors']:,} anchors"

    def plot(self, ax: Any = None) -> Any:
        """Draws the reliability diagram of the first embedding with matplotlib; returns its Axes.

        Examples
        --------
        >>> import contrast_reg as cr, matplotlib
        >>> matplotlib.use("Agg")
        >>> graph = cr.load_dataset("synthetic:cora@0.1")
        >>> z = cr.Embedder(dim=8, epochs=2).fit_transform(graph)
        >>> cr.calibrate(graph, z, resamples=0).plot().get_xlabel()
        'confidence'
        """
        from ._drawing import draw_reliability
        from ._errors import InputError

        if self.reliability is None:
            raise InputError("there is no reliability without labels", expected="a graph with y")
        bins = self.reliability
        gaps = np.abs(bins["mean_chance"] - bins["frequency"])
        error = float((bins["weight"] * gaps).sum() / bins["weight"].sum())
        count = len(self._body["each"])
        of = f" of the first of {count}" if count > 1 else ""
        about = f"{self._body['dataset']}: binned ECE {error:.4f}{of}"
        return draw_reliability(bins, ax, about)
