"""Figures of a fitted model, by matplotlib."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._errors import InputError, did_you_mean
from ._types import Array, Floats

# Told apart by the colour-blind too (Okabe and Ito).
_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000")


# What people call the curves where that is not their key.
_CURVES = {
    "contrast": "contrastive loss",
    "regulariser": "Contrast-Reg, before its ratio",
    "positive_sigma": "E[σ] of positive pairs",
    "negative_sigma": "E[σ] of negative pairs",
    "norm_mean": "mean |h|",
    "norm_variance": "Var |h|",
    "lr": "learning rate",
    "val_accuracy": "validation accuracy",
}
_REGULARISERS = {
    "contrast": "Contrast-Reg",
    "l2norm": "L2 norm",
    "weight-decay": "weight decay",
}


def run_name(method: str, regulariser: str) -> str:
    """Such as "ML + Contrast-Reg"."""
    parts = [method.upper() if len(method) <= 5 else method]
    parts += [_REGULARISERS.get(one, one) for one in regulariser.split("+") if one not in ("", "none")]
    return " + ".join(parts)


def new_axes(ax: Any, size: tuple[float, float]) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=size)[1]


def draw_history(
    name: str, histories: list[dict[str, Array]], best_epoch: int, ax: Any, about: str
) -> Any:
    """The mean over the seeds, and a band of one standard deviation."""
    known = [key for key, values in histories[0].items() if key != "epoch" and len(values)]
    if name not in known:
        raise InputError(
            "there is no such curve",
            "what",
            found=repr(name),
            expected=f'"map" or one of {", ".join(known)}',
            hint=did_you_mean(str(name), [*known, "map"]),
        )
    # Seeds may stop at different epochs.
    longest = max(len(one[name]) for one in histories)
    values = np.full((len(histories), longest), np.nan)
    for row, one in zip(values, histories, strict=True):
        row[: len(one[name])] = one[name]
    there = np.flatnonzero(np.isfinite(values).any(0))
    if not len(there):
        raise InputError("nothing was measured", "what", found=repr(name))
    mean = np.nanmean(values[:, there], 0)
    ax = new_axes(ax, (5, 3.2))
    if len(histories) > 1:
        std = np.nanstd(values[:, there], 0)
        band = "± one standard deviation"
        ax.fill_between(
            there, mean - std, mean + std, color=_COLOURS[0], alpha=0.2, linewidth=0, label=band
        )
        ax.plot(there, mean, color=_COLOURS[0], label=f"mean of {len(histories)} seeds")
        ax.legend(frameon=False)
    else:
        ax.plot(there, mean, color=_COLOURS[0])
        if best_epoch in there:
            height = mean[np.searchsorted(there, best_epoch)]
            ax.plot([best_epoch], [height], "o", color=_COLOURS[5], label="epoch kept")
            ax.legend(frameon=False)
    ax.set(xlabel="epoch", ylabel=_CURVES.get(name, name.replace("_", " ")), title=about)
    return ax


def draw_reliability(bins: Any, ax: Any, about: str) -> Any:
    """Observed frequencies, the gaps to perfect calibration by their sign, the mean of each bin."""
    from matplotlib.colors import to_rgba
    from matplotlib.patches import Patch

    ax = new_axes(ax, (4.6, 4.6))
    width = bins["high"] - bins["low"]
    frequency, chance = bins["frequency"], bins["mean_chance"]
    blue = _COLOURS[4]
    ax.bar(bins["low"], frequency, width, align="edge", color=blue, edgecolor="white")
    signs = [Patch(facecolor=blue, label="observed frequency")]
    for sure, colour, name in (
        (chance > frequency, _COLOURS[5], "gap: over-confident"),
        (chance < frequency, "#5D4A9C", "gap: under-confident"),
    ):
        low = np.minimum(frequency, chance)[sure]
        high = np.maximum(frequency, chance)[sure]
        # The bar shows through.
        look: dict[str, Any] = {
            "facecolor": to_rgba(colour, 0.35),
            "edgecolor": colour,
            "linewidth": 1.2,
        }
        ax.bar(bins["low"][sure], high - low, width[sure], bottom=low, align="edge", **look)
        signs.append(Patch(label=name, **look))
    signs += ax.plot(
        [0, 1], [0, 1], color="0.2", linestyle="--", linewidth=1, label="perfect calibration"
    )
    signs += ax.plot(chance, frequency, "o", color="0.1", markersize=4, label="mean of a bin")
    ax.set(xlim=(0, 1), ylim=(0, 1), xlabel="confidence", ylabel="observed frequency", title=about)
    ax.legend(handles=signs, loc="upper left", fontsize="small", framealpha=0.9)
    return ax


def draw_map(points: Floats, labels: Array | None, names: list[str], ax: Any, about: str) -> Any:
    """Points coloured by their labels, where there are any."""
    ax = new_axes(ax, (6, 6))
    size = float(np.clip(4000 / max(1, len(points)), 1.0, 20.0))
    if labels is None:
        ax.scatter(*points.T, s=size, color=_COLOURS[0], linewidths=0)
    else:
        import matplotlib as mpl

        many = len(names) > len(_COLOURS)
        for number, name in enumerate(names):
            colour = mpl.colormaps["turbo"](number / (len(names) - 1)) if many else _COLOURS[number]
            chosen = points[np.asarray(labels) == number]
            ax.scatter(*chosen.T, s=size, color=colour, linewidths=0, label=name)
        unlabelled = points[np.asarray(labels) < 0]
        if len(unlabelled):
            ax.scatter(*unlabelled.T, s=size, color="0.7", linewidths=0, label="no label")
        if len(names) <= 20:
            ax.legend(frameon=False, markerscale=max(1.0, 20 / size) ** 0.5, fontsize="small")
    ax.set(xticks=[], yticks=[], title=about)
    ax.set_aspect("equal", "datalim")
    return ax
