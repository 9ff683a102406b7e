#!/usr/bin/env python3
"""Graph Barlow Twins (Bielak, Kajdanowicz and Chawla 2022) as a loss in Python, with and without Contrast-Reg.

Two views of the graph, without some edges and columns of features, are encoded; the cross-correlation of their
channels is brought to the identity, off the diagonal with the weight 1/dim. Test accuracy on the public split, mean
and population's standard deviation over the seeds, and the difference seed by seed.

SETTINGS were chosen by --search, by the validation accuracy alone: TRIED settings are drawn at random from SPACE and
trained on both sides with the same further seeds; with Contrast-Reg a ratio is drawn along with each. So both sides get
as many tries, and the same ones but for the ratio. The best few of each side are then trained with more seeds yet, by
which the best of them is chosen.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

# As `creg` has its threads wait: libgomp's own turns take the time of whatever else is running.
os.environ.setdefault("GOMP_SPINCOUNT", "500")

import torch

import contrast_reg as cr


def barlow_twins(drop_edges: float, mask_features: float) -> Callable[[torch.Tensor, cr.Step], torch.Tensor]:
    def loss(h: torch.Tensor, step: cr.Step) -> torch.Tensor:
        def channels() -> torch.Tensor:
            z = step.view(drop_edges, mask_features)
            scaled: torch.Tensor = (z - z.mean(0)) / (z.std(0, unbiased=False) + 1e-8)
            return scaled

        correlation = channels().t() @ channels() / len(h)
        diagonal = correlation.diagonal()
        rest = correlation.pow(2).sum() - diagonal.pow(2).sum()
        total: torch.Tensor = (1 - diagonal).pow(2).sum() + rest / len(diagonal)
        return total

    return loss


SIDES = ("none", "contrast")
COMMON: dict[str, Any] = {"dim": 256, "patience": 0, "select": "last"}
SPACE: dict[str, list[Any]] = {
    "layers": [1, 2],
    "lr": [3e-4, 1e-3, 3e-3, 1e-2],
    "epochs": [100, 200, 400],
    "drop_edges": [0.1, 0.2, 0.3, 0.4, 0.5],
    "mask_features": [0.1, 0.2, 0.3, 0.4, 0.5],
}
RATIOS = [1.0, 3.0, 10.0, 30.0, 100.0]
TRIED, FINALISTS = 24, 4
SEEDS_OF_SEARCH, SEEDS_OF_FINAL = range(100, 103), range(200, 210)  # the reported ones are 0, 1, …
SETTINGS: dict[str, dict[str, Any]] = {
    "none": {"layers": 2, "lr": 3e-4, "epochs": 400, "drop_edges": 0.3, "mask_features": 0.5},
    "contrast": {"layers": 1, "lr": 3e-3, "epochs": 100, "drop_edges": 0.1, "mask_features": 0.3, "ratio": 30.0},
}


def embedder(side: str, settings: dict[str, Any], options: argparse.Namespace) -> cr.Embedder:
    rest = dict(settings)
    loss = barlow_twins(rest.pop("drop_edges"), rest.pop("mask_features"))
    return cr.Embedder(loss, regulariser=side, threads=options.threads, **COMMON, **rest)


def settings_to_try() -> list[dict[str, dict[str, Any]]]:
    draw = random.Random(0)
    tries: list[dict[str, dict[str, Any]]] = []
    while len(tries) < TRIED:
        settings = {name: draw.choice(values) for name, values in SPACE.items()}
        one = {"none": settings, "contrast": {**settings, "ratio": draw.choice(RATIOS)}}
        if all(one["none"] != other["none"] for other in tries):
            tries.append(one)
    return tries


def validation_accuracy(graph: cr.Graph, side: str, settings: dict[str, Any], seeds: range,
                        options: argparse.Namespace) -> float:
    found = []
    for seed in seeds:
        model = embedder(side, settings, options).set_params(random_state=seed).fit(graph)
        judged = cr.classify(graph, model, protocol="public", threads=options.threads).val_accuracy
        assert judged is not None
        found.append(float(judged))
    return statistics.fmean(found)


def search(graph: cr.Graph, options: argparse.Namespace) -> None:
    tries = settings_to_try()

    def best_first(side: str, several: list[dict[str, Any]], seeds: range, stage: str) -> list[dict[str, Any]]:
        judged = []
        for settings in several:
            accuracy = validation_accuracy(graph, side, settings, seeds, options)
            row = {"stage": stage, "side": side, "val_accuracy": accuracy, **settings}
            show(options, row, f"{stage:6} {side:8} {accuracy:.4f}  {settings}")
            judged.append((accuracy, settings))
        return [settings for _, settings in sorted(judged, key=lambda one: -one[0])]  # of equals the first

    for side in SIDES:
        finalists = best_first(side, [one[side] for one in tries], SEEDS_OF_SEARCH, "search")[:FINALISTS]
        chosen = best_first(side, finalists, SEEDS_OF_FINAL, "final")[0]
        show(options, {"chosen": side, **chosen}, f'    "{side}": {chosen},')


def compare(graph: cr.Graph, options: argparse.Namespace) -> None:
    accuracies: dict[str, tuple[float, ...]] = {}
    for side in SIDES:
        start = time.perf_counter()
        model = embedder(side, SETTINGS[side], options).fit(graph, seeds=options.seeds)
        seconds = time.perf_counter() - start
        judged = cr.classify(graph, model, protocol="public", threads=options.threads)
        test, val = judged.accuracy, judged.val_accuracy
        ece = cr.calibrate(graph, model, resamples=0, threads=options.threads).ece
        assert val is not None and ece is not None
        accuracies[side] = test.values
        row = {"side": side, "test_accuracy": float(test), "std": test.std, "each": test.values,
               "val_accuracy": float(val), "ece": float(ece), "seconds": seconds, **SETTINGS[side]}
        show(options, row, f"{side:8}  test {100 * test:.2f} ± {100 * test.std:.2f} %  val {100 * val:.2f} %  "
                           f"ECE {ece:.3f}  {seconds:.0f} s")
    more = [100 * (b - a) for a, b in zip(accuracies["none"], accuracies["contrast"])]
    row = {"difference": statistics.fmean(more), "std": statistics.pstdev(more), "each": more}
    text = f"more      {row['difference']:+.2f} ± {row['std']:.2f} points: " + ", ".join(f"{one:+.1f}" for one in more)
    show(options, row, text)


def show(options: argparse.Namespace, row: dict[str, Any], text: str) -> None:
    print(json.dumps(row) if options.json else text, flush=True)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dataset", default="cora", help="with a public split [cora]")
    parser.add_argument("--seeds", type=int, default=5, help="[5]")
    parser.add_argument("--search", action="store_true", help="choose the settings anew")
    parser.add_argument("--threads", type=int, help="[all cores]")
    parser.add_argument("--json", action="store_true", help="a JSON object per line")
    return parser.parse_args()


def main() -> int:
    options = parse()
    graph = cr.load_dataset(options.dataset)
    (search if options.search else compare)(graph, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
