"""The same bytes as the command, and folders that either takes from the other."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from conftest import DATASET

import contrast_reg as cr

SETTINGS: list[dict[str, Any]] = [
    {"method": "ml"},
    {"method": "lc", "regulariser": "none", "score": "bilinear"},
    {"method": "grace", "regulariser": "contrast+l2norm", "lr": 0.003},
    {"method": "dgi", "encoder": "gat", "final_norm": True, "random_state": 3},
    {
        "method": "ml",
        "encoder": "sage",
        "layers": 2,
        "fanouts": (3, 4),
        "batch_size": 64,
        "channel_norm": False,
    },
]
FLAGS = {"regulariser": "reg", "random_state": "seed"}


def flags(settings: dict[str, Any]) -> list[str]:
    out = []
    for name, value in settings.items():
        flag = FLAGS.get(name, name).replace("_", "-")
        if value is True or value is False:
            out.append(f"--{flag}" if value else f"--no-{flag}")
        else:
            text = ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
            out += [f"--{flag}", text]
    return out


def creg(command: Path, *arguments: object) -> str:
    done = subprocess.run(
        [str(command), *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def train(command: Path, out: Path, settings: dict[str, Any], *more: object) -> None:
    common = ["--dataset", DATASET, "--device", "cpu", "--threads", 1, "--progress", "none"]
    creg(command, "train", *common, *flags(settings), *more, "--out", out)


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda settings: "-".join(settings))
def test_the_same_bytes(
    command: Path, graph: cr.Graph, settings: dict[str, Any], tmp_path: Path
) -> None:
    settings = {**settings, "dim": 8, "epochs": 4, "patience": 0}
    train(command, tmp_path / "run", settings)
    theirs = np.load(tmp_path / "run" / "embedding.npy")
    model = cr.Embedder(**settings, threads=1, device="cpu", progress=None).fit(graph)
    assert model.embedding_.tobytes() == theirs.tobytes()


def test_the_command_s_run_is_loaded(command: Path, graph: cr.Graph, tmp_path: Path) -> None:
    settings = {"method": "ml", "dim": 8, "epochs": 4, "patience": 0}
    train(command, tmp_path / "run", settings, "--seeds", 2)
    model = cr.load(tmp_path / "run")
    assert model.seeds_ == [0, 1]
    for seed, z in zip(model.seeds_, model.embeddings_):
        folder = tmp_path / "run" / f"seed-{seed}"
        assert z.tobytes() == np.load(folder / "embedding.npy").tobytes()
    lines = (tmp_path / "run" / "seed-0" / "metrics.jsonl").read_text().splitlines()
    losses = [json.loads(line)["loss"] for line in lines]
    np.testing.assert_allclose(model.history_["loss"], losses)
    creg(
        command, "embed", "--checkpoint", tmp_path / "run" / "seed-0" / "checkpoint.pt",
        "--dataset", DATASET, "--threads", 1, "--out", tmp_path / "e.npy",
    )  # fmt: skip
    assert model.transform(graph).tobytes() == np.load(tmp_path / "e.npy").tobytes()


def test_the_command_takes_our_folder(command: Path, graph: cr.Graph, tmp_path: Path) -> None:
    keywords: dict[str, Any] = {"dim": 8, "epochs": 4, "patience": 0, "threads": 1}
    model = cr.Embedder("ml", **keywords, device="cpu", progress=None)
    model.fit(graph, out=tmp_path / "fitted")
    model.save(tmp_path / "saved")
    ours = cr.classify(graph, model).to_dict()["metrics"]
    for name in ("fitted", "saved"):
        said = json.loads(creg(command, "eval", "classify", tmp_path / name, "--json"))
        assert said["metrics"] == ours
    result = json.loads((tmp_path / "fitted" / "result.json").read_text())
    assert result["metrics"] == ours


def test_the_command_s_figures_are_ours(command: Path, graph: cr.Graph, tmp_path: Path) -> None:
    settings = {"method": "ml", "dim": 8, "epochs": 4, "patience": 0}
    train(command, tmp_path / "run", settings)
    model = cr.load(tmp_path / "run")
    folder = tmp_path / "run"
    said = json.loads(creg(command, "eval", "cluster", folder, "--seeds", 2, "--json"))
    assert said["metrics"] == cr.cluster(graph, model, seeds=2).to_dict()["metrics"]
    said = json.loads(creg(command, "calibrate", folder, "--resamples", 10, "--json"))
    ours = cr.calibrate(graph, model, resamples=10, device="cpu").to_dict()
    assert said["metrics"] == ours["metrics"]
    assert said["each"][0]["labelled"] == ours["each"][0]["labelled"]


def test_a_run_stopped_here_goes_on_there(command: Path, tmp_path: Path) -> None:
    settings = {"method": "ml", "dim": 8, "epochs": 4, "patience": 0}
    train(command, tmp_path / "run", settings)
    before = (tmp_path / "run" / "embedding.npy").read_bytes()
    graph = cr.load_dataset(DATASET)
    model = cr.Embedder(**settings, threads=1, device="cpu", progress=None)
    model.fit(graph, out=tmp_path / "run", resume=True)
    assert (tmp_path / "run" / "embedding.npy").read_bytes() == before
    assert model.embedding_.tobytes() == np.load(tmp_path / "run" / "embedding.npy").tobytes()


def test_checkpoints_have_the_same_tensors(command: Path, graph: cr.Graph, tmp_path: Path) -> None:
    settings = {"method": "lc", "dim": 8, "epochs": 3, "patience": 0, "score": "bilinear"}
    train(command, tmp_path / "theirs", settings)
    cr.Embedder(**settings, threads=1, device="cpu", progress=None).fit(graph, out=tmp_path / "ours")
    kept = [torch.load(tmp_path / name / "checkpoint.pt") for name in ("theirs", "ours")]
    assert kept[0]["best_model"].keys() == kept[1]["best_model"].keys()
    for name, tensor in kept[0]["best_model"].items():
        assert torch.equal(tensor, kept[1]["best_model"][name])
