"""Processes of a launcher that fit one model together."""

import os
import socket
import subprocess
import sys

import numpy as np
import pytest

import contrast_reg as cr

SETTINGS = {
    "dim": 8,
    "epochs": 3,
    "batch_size": 32,
    "layers": 2,
    "fanouts": (4, 4),
    "batches_per_update": 2,
    "threads": 1,
    "patience": 0,
}

PROGRAM = f"""
import sys
import numpy as np
import contrast_reg as cr
graph = cr.load_dataset("synthetic:cora@0.1")
seen = []
model = cr.Embedder("ml", **{SETTINGS})
model.fit(graph, distributed=True, out=sys.argv[1], callback=lambda epoch: seen.append(epoch.loss))
np.save(sys.argv[2], model.embedding_)
print(len(seen), len(model.transform(graph)))
"""


def variables(rank, size, port):
    return {
        **os.environ,
        "RANK": str(rank),
        "WORLD_SIZE": str(size),
        "LOCAL_RANK": str(rank),
        "LOCAL_WORLD_SIZE": str(size),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
    }


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_two_processes_learn_what_one_does(tmp_path):
    port = free_port()
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(tmp_path / "run"), str(tmp_path / f"{rank}.npy")],
            env=variables(rank, 2, port),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    ends = [process.communicate(timeout=120) for process in processes]
    if any("connects no ranks" in err for _, err in ends):
        pytest.skip("this build connects no processes")
    assert [process.returncode for process in processes] == [0, 0], ends
    # Rank 0 alone is called back; both have a model to embed with.
    assert [out.split() for out, _ in ends] == [["3", "271"], ["0", "271"]]
    graph = cr.load_dataset("synthetic:cora@0.1")
    alone = cr.Embedder("ml", **SETTINGS).fit(graph)
    for rank in range(2):
        np.testing.assert_array_equal(np.load(tmp_path / f"{rank}.npy"), alone.embedding_)
    np.testing.assert_array_equal(cr.load(tmp_path / "run").embedding_, alone.embedding_)


def test_without_a_launcher(monkeypatch):
    for name in ("RANK", "WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "SLURM_PROCID"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(cr.InputError, match="no launcher"):
        cr.Embedder(dim=8, batch_size=32).fit(cr.load_dataset("synthetic:cora@0.1"), distributed=True)
