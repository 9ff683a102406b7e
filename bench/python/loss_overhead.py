#!/usr/bin/env python3
"""What a loss in Python costs a step beside the same torch operations called from C++ (own_loss.cpp), in one run.

Rounds of both programs in turn. Each trains the same epochs from the same draws, so the losses must agree; the times
are those of the engine for every epoch (history_["seconds"]: forward, loss, backward, Adam and the loss on the host),
of which the first ones of a round are left out. The overhead is the median over the rounds of the difference of their
two medians; on a machine that does other work too, look at the quickest twentieth of all epochs. The exit status is 1
where losses differ or the overhead is above --most.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from typing import Any

# As `creg` has its threads wait, for both programs: libgomp's own turns take the time of whatever else is running.
os.environ.setdefault("GOMP_SPINCOUNT", "500")

import torch
import torch.nn.functional as F

import contrast_reg as cr

SETTINGS: dict[str, Any] = {"patience": 0, "lr": 1e-3}


def loss(h: torch.Tensor, step: cr.Step) -> torch.Tensor:
    s = torch.sigmoid(h.mean(0))
    total: torch.Tensor = -(F.logsigmoid(h @ s).mean() + F.logsigmoid(-(step.corrupted @ s)).mean())
    return total


Epochs = dict[str, list[float]]


def by_cpp(program: str, options: argparse.Namespace) -> Epochs:
    settings = {**SETTINGS, "dim": options.dim, "epochs": options.epochs, "reg": options.regulariser}
    words = [f"{key}={value}" for key, value in settings.items()]
    done = subprocess.run([program, options.dataset, str(options.threads), *words], stdout=subprocess.PIPE, check=True)
    epochs: Epochs = json.loads(done.stdout)
    return epochs


def by_python(graph: cr.Graph, options: argparse.Namespace) -> Epochs:
    settings = {**SETTINGS, "dim": options.dim, "epochs": options.epochs, "regulariser": options.regulariser}
    history = cr.Embedder(loss, threads=options.threads, **settings).fit(graph).history_
    return {name: history[name].tolist() for name in ("seconds", "loss")}


def largest_difference(a: list[float], b: list[float]) -> float:
    if len(a) != len(b):
        return float("inf")
    return max(abs(x - y) / max(abs(x), abs(y), 1e-30) for x, y in zip(a, b))


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="own_loss.cpp, built: build/release/bench/bench_own_loss")
    parser.add_argument("--dataset", default="cora", help="[cora]")
    parser.add_argument("--dim", type=int, default=512, help="[512]")
    parser.add_argument("--regulariser", default="contrast", help="[contrast]")
    parser.add_argument("--threads", type=int, default=2, help="[2]")
    parser.add_argument("--rounds", type=int, default=15, help="[15]")
    parser.add_argument("--epochs", type=int, default=60, help="of a round [60]")
    parser.add_argument("--warm-up", type=int, default=10, help="of them, not counted [10]")
    parser.add_argument("--most", type=float, default=0.3, metavar="MS", help="overhead that is allowed [0.3]")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.rounds < 1 or not 0 <= options.warm_up < options.epochs - 1:
        parser.error("--rounds must be 1 or more, --warm-up less than --epochs by more than one")
    return options


def main() -> int:
    options = parse()
    graph = cr.load_dataset(options.dataset)
    ms: dict[str, list[float]] = {"cpp": [], "python": []}  # medians of the rounds
    all_ms: dict[str, list[float]] = {"cpp": [], "python": []}
    differences: list[float] = []
    worst = 0.0
    for number in range(options.rounds):
        epochs: dict[str, Epochs] = {}
        for name in ("cpp", "python") if number % 2 == 0 else ("python", "cpp"):
            epochs[name] = by_cpp(options.program, options) if name == "cpp" else by_python(graph, options)
        for name in ms:
            counted = [1e3 * seconds for seconds in epochs[name]["seconds"][options.warm_up :]]
            ms[name].append(statistics.median(counted))
            all_ms[name] += counted
        differences.append(ms["python"][-1] - ms["cpp"][-1])
        worst = max(worst, largest_difference(epochs["cpp"]["loss"], epochs["python"]["loss"]))
    low, *_, high = statistics.quantiles(differences) if len(differences) > 1 else [differences[0]] * 2
    middle = {name: statistics.median(times) for name, times in ms.items()}
    quick = {name: statistics.quantiles(times, n=20)[0] for name, times in all_ms.items()}
    overhead = statistics.median(differences)
    if options.json:
        asked = {name: getattr(options, name) for name in ("dataset", "dim", "regulariser", "threads", "rounds")}
        row = {**asked, "epochs": options.epochs - options.warm_up, "ms": middle, "quick_ms": quick,
               "overhead_ms": overhead, "overhead_quartiles_ms": [low, high], "losses_differ_by": worst}
        print(json.dumps(row))
    else:
        print(f"{options.dataset}, dim {options.dim}, regulariser {options.regulariser}, {options.threads} threads")
        print(f"{options.rounds} rounds of {options.epochs - options.warm_up} epochs")
        for name, title in (("cpp", "C++"), ("python", "Python")):
            print(f"{title:8}{middle[name]:8.3f} ms a step, the quickest twentieth {quick[name]:.3f}")
        print(f"more    {overhead:+8.3f} ms a step, half of the rounds {low:+.3f} to {high:+.3f}; "
              f"the quickest twentieth {quick['python'] - quick['cpp']:+.3f}")
        print(f"losses  {'the same' if worst == 0 else f'differ by up to {worst:.3g} of them'}")
    return 1 if worst > 0 or overhead > options.most else 0


if __name__ == "__main__":
    sys.exit(main())
