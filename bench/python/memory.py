#!/usr/bin/env python3
"""Memory of a fit in Python beside the command's own: a random graph of 100,000 nodes, 512 columns of embedding.

Each program is a fresh process, and once more with a tiny graph, whose peak (libraries, code, what they set up) is
subtracted. In Python the process makes a Graph of numpy arrays, fits an Embedder and holds arrays, model and embedding;
of that, edge_index is taken off too: it is the user's own array, which the engine needs only until the graph is made.
The features count on both sides: Python's are the user's array, viewed, the command's its mapped file. What is left of
the two peaks is compared; the exit status is 1 where Python's is above by more than --most.

What is shared is looked at as well: the features, the embedding, a tensor of it and a data frame must have one memory.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any

os.environ.setdefault("GOMP_SPINCOUNT", "500")  # as `creg` has its threads wait

import numpy as np

MIB = 2**20
Array = np.ndarray[Any, Any]
TINY = {"nodes": 100, "neighbours": 10, "features": 8, "dim": 8}


def memory_of(process: str = "self") -> dict[str, float]:
    """What is resident now, and the most there was; in MiB."""
    fields = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{process}/status").read_text().splitlines())
    return {name: int(fields[field].split()[0]) / 1024 for name, field in (("now", "VmRSS"), ("peak", "VmHWM"))}


def make_arrays(shape: dict[str, int]) -> tuple[Array, Array]:
    """Half as many edges as neighbours are asked for: each counts for both of its ends."""
    random = np.random.default_rng(0)
    edges = shape["nodes"] * shape["neighbours"] // 2
    edge_index = random.integers(0, shape["nodes"], (2, edges))
    x = random.standard_normal((shape["nodes"], shape["features"]), dtype=np.float32)
    return edge_index, x


def settings(shape: dict[str, int], options: argparse.Namespace) -> dict[str, Any]:
    return {"dim": shape["dim"], "epochs": options.epochs, "patience": 0}


# A process of Python's


def fit(shape: dict[str, int], options: argparse.Namespace) -> dict[str, Any]:
    import torch

    import contrast_reg as cr

    steps: dict[str, dict[str, float]] = {"imported": memory_of()}
    edge_index, x = make_arrays(shape)
    steps["arrays"] = memory_of()
    graph = cr.Graph(edge_index, x)
    steps["graph"] = memory_of()
    model = cr.Embedder("ml", threads=options.threads, **settings(shape, options))
    z = model.fit_transform(graph)
    steps["fitted"] = memory_of()

    def address(array: Any) -> int:
        return int(array.__array_interface__["data"][0])

    shared = {
        "x": address(graph.x) == address(x),
        "embedding_": address(z) == address(model.embedding_) == address(model.embeddings_[0]),
        "torch.from_numpy": torch.from_numpy(z).data_ptr() == address(z),
        "to_frame": bool(np.shares_memory(model.to_frame().to_numpy(), z)),
    }
    sizes = {"edge_index": edge_index.nbytes / MIB, "x": x.nbytes / MIB, "embedding": z.nbytes / MIB}
    model_gone = address(z)
    del model
    gc.collect()
    assert address(z) == model_gone and np.isfinite(z[-1]).all()
    del z
    gc.collect()
    steps["model and embedding gone"] = memory_of()
    return {"steps": steps, "shared": shared, "sizes": sizes}


# The command's


def write_npz(path: pathlib.Path, shape: dict[str, int]) -> None:
    """As `creg` reads it: a CSR adjacency, here with every edge once, and dense features."""
    edge_index, x = make_arrays(shape)
    order = np.argsort(edge_index[0], kind="stable")
    offsets = np.concatenate([[0], np.bincount(edge_index[0], minlength=shape["nodes"]).cumsum()])
    np.savez(path, adj_indptr=offsets, adj_indices=edge_index[1][order], adj_data=np.ones(len(order), np.float32),
             adj_shape=np.array([shape["nodes"]] * 2), attr_matrix=x)


def peak_of(words: list[str]) -> float:
    """Of a process that runs to its end. Its ru_maxrss would not do: it begins with what this process has."""
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as child:
        peak = 0.0
        while child.poll() is None:
            try:
                peak = max(peak, memory_of(f"{child.pid}")["peak"])
            except (OSError, KeyError):  # it has just ended
                pass
            time.sleep(0.002)
    if child.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: exit status {child.returncode}")
    return peak


def command_peak(shape: dict[str, int], folder: pathlib.Path, options: argparse.Namespace) -> float:
    name = f"{shape['nodes']}"
    graph = folder / f"{name}.creg"
    if not graph.exists():
        write_npz(folder / f"{name}.npz", shape)
        words = [options.creg, "data", "convert", str(folder / f"{name}.npz"), str(graph), "--quiet"]
        subprocess.run(words, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        (folder / f"{name}.npz").unlink()
    chosen = [word for key, value in settings(shape, options).items() for word in (f"--{key}", str(value))]
    threads = [] if options.threads is None else ["--threads", str(options.threads)]
    return peak_of([options.creg, "train", "--dataset", str(graph), "--method", "ml", "--recipe", "none", *chosen,
                    *threads, "--out", str(folder / "run"), "--overwrite", "--quiet"])


# Both


def python_report(shape: dict[str, int], options: argparse.Namespace) -> dict[str, Any]:
    words = [sys.executable, __file__, options.creg, "--only", json.dumps(shape), "--epochs", str(options.epochs)]
    if options.threads is not None:
        words += ["--threads", str(options.threads)]
    done = subprocess.run(words, stdout=subprocess.PIPE, check=True)
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("creg", help="the command: build/release/creg")
    parser.add_argument("--nodes", type=int, default=100_000, help="[100000]")
    parser.add_argument("--neighbours", type=int, default=10, help="of a node, about [10]")
    parser.add_argument("--features", type=int, default=128, help="columns, float32 [128]")
    parser.add_argument("--dim", type=int, default=512, help="[512]")
    parser.add_argument("--epochs", type=int, default=3, help="[3]")
    parser.add_argument("--threads", type=int, help="[all cores]")
    parser.add_argument("--rounds", type=int, default=3, help="[3]")
    parser.add_argument("--most", type=float, default=5, metavar="PERCENT", help="more memory that is allowed [5]")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--only", help=argparse.SUPPRESS)  # one process of Python's: its shape
    return parser.parse_args()


def main() -> int:
    options = parse()
    if options.only:
        print(json.dumps(fit(json.loads(options.only), options)))
        return 0
    shape = {"nodes": options.nodes, "neighbours": options.neighbours, "features": options.features, "dim": options.dim}
    rounds: list[dict[str, float]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for _ in range(options.rounds):
            report, tiny = python_report(shape, options), python_report(TINY, options)
            rounds.append({
                "python": report["steps"]["fitted"]["peak"],
                "python, tiny graph": tiny["steps"]["fitted"]["peak"],
                "edge_index": report["sizes"]["edge_index"],
                "command": command_peak(shape, folder, options),
                "command, tiny graph": command_peak(TINY, folder, options),
            })
    peaks = {name: statistics.median(one[name] for one in rounds) for name in rounds[0]}
    python = peaks["python"] - peaks["python, tiny graph"] - peaks["edge_index"]
    command = peaks["command"] - peaks["command, tiny graph"]
    more = 100 * (python / command - 1)
    row = {**shape, "peaks_mib": peaks, "python_mib": python, "command_mib": command, "more_percent": more, **report}
    good = more <= options.most and all(report["shared"].values())
    if options.json:
        print(json.dumps(row))
        return 0 if good else 1
    print(f"{shape['nodes']:,} nodes, {shape['features']} features, dim {shape['dim']}: MiB, medians of {len(rounds)}")
    for name, peak in peaks.items():
        print(f"  {'peak of ' if name != 'edge_index' else ''}{name:30}{peak:10.1f}")
    print(f"the fit's own: Python {python:.1f}, command {command:.1f}: {more:+.2f} %")
    print("in Python, step by step:            now      peak so far")
    for name, step in report["steps"].items():
        print(f"  {name:26}{step['now']:12.1f}{step['peak']:12.1f}")
    print("  " + ", ".join(f"{name} {size:.1f}" for name, size in report["sizes"].items()))
    print("one memory: " + ", ".join(f"{name} {'yes' if value else 'NO'}" for name, value in report["shared"].items()))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
