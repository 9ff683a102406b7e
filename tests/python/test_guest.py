"""A good guest: what is global stays as it was and changes nothing; threads, fork, spawn, Ctrl-C."""

from __future__ import annotations

import gc
import multiprocessing
import os
import select
import signal
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from conftest import DATASET

import contrast_reg as cr


def own_loss(h: torch.Tensor, step: cr.Step) -> torch.Tensor:
    noise = torch.rand(h.shape, generator=step.generator, device=h.device, dtype=h.dtype)
    return (h - step.corrupted * noise).square().mean() + 1 / (1 + h.var())


@pytest.mark.parametrize("method", ["ml", own_loss])
def test_default_dtype(graph: cr.Graph, small: dict[str, Any], method: Any) -> None:
    expected = cr.Embedder(method, **small).fit_transform(graph)
    torch.set_default_dtype(torch.float64)
    try:
        got = cr.Embedder(method, **small).fit_transform(graph)
        assert torch.get_default_dtype() == torch.float64
    finally:
        torch.set_default_dtype(torch.float32)
    assert got.tobytes() == expected.tobytes()


@pytest.mark.parametrize("method", ["ml", own_loss])
@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_grad_mode(graph: cr.Graph, small: dict[str, Any], method: Any, mode: Any) -> None:
    expected = cr.Embedder(method, **small).fit_transform(graph)
    with mode():
        got = cr.Embedder(method, **small).fit_transform(graph)
        assert not torch.is_grad_enabled()
    assert torch.is_grad_enabled()
    assert got.tobytes() == expected.tobytes()


@pytest.mark.parametrize("method", ["ml", own_loss])
def test_threads(graph: cr.Graph, small: dict[str, Any], method: Any) -> None:
    expected = cr.Embedder(method, **small).fit_transform(graph)
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        got = cr.Embedder(method, **small).fit_transform(graph)
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)
    assert got.tobytes() == expected.tobytes()


def test_the_global_generator(graph: cr.Graph, small: dict[str, Any]) -> None:
    torch.manual_seed(1)
    before = torch.get_rng_state()
    numbers = np.random.get_state()[1].tolist()  # type: ignore[index,union-attr]
    first = cr.Embedder(own_loss, **small).fit_transform(graph)
    assert torch.equal(torch.get_rng_state(), before)
    assert np.random.get_state()[1].tolist() == numbers  # type: ignore[index,union-attr]
    torch.manual_seed(2)
    second = cr.Embedder(own_loss, **small).fit_transform(graph)
    assert first.tobytes() == second.tobytes()


def test_deterministic_algorithms_stay(graph: cr.Graph, small: dict[str, Any]) -> None:
    before = torch.are_deterministic_algorithms_enabled()
    cr.Embedder("ml", **small).fit(graph)
    assert torch.are_deterministic_algorithms_enabled() == before


def test_two_threads_train_at_once(graph: cr.Graph, small: dict[str, Any]) -> None:
    methods: list[Any] = ["ml", own_loss, "dgi", own_loss]
    expected = [cr.Embedder(method, **small).fit_transform(graph) for method in methods]
    with ThreadPoolExecutor(2) as pool:
        found = list(
            pool.map(lambda method: cr.Embedder(method, **small).fit_transform(graph), methods)
        )
    for a, b in zip(found, expected):
        assert a.tobytes() == b.tobytes()


def test_other_threads_run_meanwhile(graph: cr.Graph, small: dict[str, Any]) -> None:
    """The GIL is free: a thread of Python counts while another trains, and sees it end."""
    done: list[bool] = []
    counted = 0
    with ThreadPoolExecutor(1) as pool:
        training = pool.submit(cr.Embedder("ml", **{**small, "epochs": 50}).fit, graph)
        training.add_done_callback(lambda _: done.append(True))
        while not done:
            counted += 1
            time.sleep(0)
        assert training.result().n_epochs_ == 50
    assert counted > 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_fails_at_once(graph: cr.Graph, small: dict[str, Any]) -> None:
    cr.Embedder("ml", **small).fit(graph)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        text = "nothing was raised"
        try:
            cr.Embedder("ml", **small).fit(graph)
        except BaseException as error:
            text = f"{type(error).__name__}: {error}"
        finally:
            os.write(writer, text.encode())
            os._exit(0)
    os.close(writer)
    try:
        ready, _, _ = select.select([reader], [], [], 60)
        said = os.read(reader, 1 << 16).decode() if ready else "it hangs"
    finally:
        os.close(reader)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert "spawn" in said, said
    assert said.startswith("OSError") and "--" not in said


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_ops_in_a_forked_child() -> None:
    """With several threads they would wait for the parent's without end; with one they work."""
    program = """
        import os, select, sys, torch
        import contrast_reg as cr
        threads = int(sys.argv[1])
        torch.set_num_threads(threads)
        z = torch.randn(400, 16)
        matrix = cr.ops.sparse(torch.eye(400).to_sparse_csr())
        calls = [lambda: cr.ops.info_nce(z, z), lambda: cr.ops.top_k(z, 3), lambda: matrix @ z]
        for call in calls:
            call()
        for call in calls:
            reader, writer = os.pipe()
            child = os.fork()
            if child == 0:
                text = "fine"
                try:
                    call()
                except BaseException as error:
                    text = f"{type(error).__name__}: {error}"
                os.write(writer, text.encode())
                os._exit(0)
            ready, _, _ = select.select([reader], [], [], 60)
            print(os.read(reader, 1 << 12).decode() if ready else "it hangs")
            os.kill(child, 9)
            os.waitpid(child, 0)
    """
    for threads in (1, 2):
        command = [sys.executable, "-c", textwrap.dedent(program), str(threads)]
        said = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
        lines = said.splitlines()
        assert len(lines) == 3
        if threads == 1:
            assert lines == ["fine"] * 3
        else:
            assert all(line.startswith("OSError") and "spawn" in line for line in lines), said


@pytest.mark.parametrize("method", ["ml", "own"])
def test_the_program_ends_while_a_daemon_trains(method: str) -> None:
    program = """
        import sys, threading
        import contrast_reg as cr

        def own(h, step):
            return h.square().mean()

        begun = threading.Event()
        graph = cr.load_dataset(sys.argv[2])
        method = own if sys.argv[1] == "own" else "ml"
        model = cr.Embedder(method, dim=8, epochs=10**7, patience=0, threads=1, device="cpu")
        def train():
            model.fit(graph, callback=lambda e: begun.set())
        threading.Thread(target=train, daemon=True).start()
        begun.wait()
        print("the end", flush=True)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), method, DATASET],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "the end\n", "")


def spawned(random_state: int) -> bytes:
    keywords: dict[str, Any] = {"dim": 8, "epochs": 2, "patience": 0, "threads": 1}
    model = cr.Embedder("ml", **keywords, device="cpu", progress=None, random_state=random_state)
    return model.fit_transform(cr.load_dataset(DATASET)).tobytes()


def test_a_spawned_child_works() -> None:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        assert pool.submit(spawned, 3).result(timeout=300) == spawned(3)


PROGRAM = """
    import sys, time
    import contrast_reg as cr

    def callback(e):
        print(e.epoch, flush=True)
        time.sleep(0.02)

    graph = cr.load_dataset("{dataset}")
    model = cr.Embedder("ml", dim=8, epochs=3000, patience=0, threads=1, device="cpu", progress=None)
    try:
        model.fit(graph, out={out!r}, callback=callback)
    except KeyboardInterrupt:
        print("stopped", flush=True)
        sys.exit(7)
"""


def test_ctrl_c_keeps_the_run(graph: cr.Graph, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    program = textwrap.dedent(PROGRAM).format(dataset=DATASET, out=str(folder))
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        while process.stdout.readline().strip() != "3":
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        said = process.stdout.read().split()
        assert process.wait(timeout=120) == 7
    finally:
        process.kill()
        process.wait()
    assert said[-1] == "stopped"
    done = int(said[-2]) + 1 if len(said) > 1 else 4
    assert done < 3000
    assert (folder / "checkpoint.pt").exists()
    # The folder is whole: the run goes on from there, and then it is over.
    checkpoint = torch.load(folder / "checkpoint.pt")
    assert int(checkpoint["epoch"]) >= done - 1


def test_an_interrupt_reaches_other_calls(graph: cr.Graph) -> None:
    """No call of the engine swallows Ctrl-C."""
    small: dict[str, Any] = {"dim": 8, "epochs": 10**6, "patience": 0, "threads": 1}

    def progress(state: dict[str, Any]) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        cr.link(graph, "ml", splits=1, seeds=1, **small, device="cpu", progress=progress)


def test_threads_of_openmp_are_as_before(graph: cr.Graph, small: dict[str, Any]) -> None:
    """Those that keep libgomp's from turning without end are gone with the call."""

    def threads() -> int:
        return len(os.listdir("/proc/self/task"))

    keywords = {**small, "threads": 2}
    cr.Embedder("ml", **keywords).fit(graph)
    before = threads()
    during: list[int] = []
    cr.Embedder("ml", **keywords).fit(graph, callback=lambda _: during.append(threads()))
    if "GOMP_SPINCOUNT" not in os.environ and "OMP_WAIT_POLICY" not in os.environ:
        assert min(during) > (os.cpu_count() or 1)
    # The threads of a team end by themselves, soon after the call.
    deadline = time.monotonic() + 30
    while threads() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threads() <= before


def resident_bytes() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_memory_is_given_back(graph: cr.Graph, small: dict[str, Any]) -> None:
    cr.Embedder("ml", **small).fit(graph)
    before = resident_bytes()
    large = cr.Embedder("ml", **{**small, "dim": 4096}).fit(graph)
    assert resident_bytes() - before > large.embedding_.nbytes  # it has a checkpoint too
    del large
    gc.collect()
    assert resident_bytes() - before < 60 * 2**20
    # The host's own tensors are freed as ever.
    for i in range(30):
        torch.ones((20 + i) * 2**18)
    assert resident_bytes() - before < 120 * 2**20
