"""The notebooks run from top to bottom, and are committed without what they print."""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

NOTEBOOKS = Path(__file__).resolve().parents[2] / "python" / "notebooks"
NAMES = ["your-own-graph", "your-own-method"]


def read(name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text(encoding="utf-8"))
    return content


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A kernel of this very interpreter, whatever is installed by the name python3."""
    name = "contrast-reg-tests"
    folder = tmp_path / "jupyter" / "kernels" / name
    folder.mkdir(parents=True)
    argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec = {"argv": argv, "display_name": name, "language": "python"}
    (folder / "kernel.json").write_text(json.dumps(spec), encoding="utf-8")
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    for variable in ("JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR", "IPYTHONDIR"):
        monkeypatch.setenv(variable, str(tmp_path / variable))
    # Other tests may have the cores too.
    monkeypatch.setenv("OMP_WAIT_POLICY", "passive")
    monkeypatch.delenv("MPLBACKEND", raising=False)
    return name


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_runs(name: str, kernel: str, tmp_path: Path) -> None:
    for needed in ("matplotlib", "pandas", "scipy"):
        pytest.importorskip(needed)
    if find_spec("ipykernel") is None:  # an import would make a notebook of this process
        pytest.skip("no ipykernel")
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    nbformat.validate(notebook)
    place = tmp_path / "work"
    place.mkdir()
    nbclient.NotebookClient(
        notebook, timeout=300, kernel_name=kernel, resources={"metadata": {"path": str(place)}}
    ).execute()
    printed = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert printed
    assert not [one for one in printed if one.output_type == "error"]
    said = [one.get("text", "") for one in printed]
    # tqdm's is about how it draws.
    assert not [text for text in said if "Warning" in text.replace("TqdmWarning", "")]


def test_the_interrupt_button_keeps_the_model(kernel: str) -> None:
    if find_spec("ipykernel") is None:
        pytest.skip("no ipykernel")
    jupyter_client = pytest.importorskip("jupyter_client")
    manager = jupyter_client.KernelManager(kernel_name=kernel)
    manager.start_kernel()
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=120)

        def run(code: str, interrupt_at: str = "") -> str:
            """What a cell prints; the button is pressed when `interrupt_at` was printed."""
            asked = client.execute(code, stop_on_error=False)
            said = ""
            pressed = False
            while True:
                message = client.get_iopub_msg(timeout=120)
                if message["parent_header"].get("msg_id") != asked:
                    continue
                content = message["content"]
                said += content.get("text", "") + content.get("ename", "")
                if interrupt_at and interrupt_at in said and not pressed:
                    pressed = True
                    manager.interrupt_kernel()
                if content.get("execution_state") == "idle":
                    return said

        run("import contrast_reg as cr; graph = cr.load_dataset('synthetic:cora@0.1')")
        run("model = cr.Embedder(dim=8, epochs=10**7, patience=0, threads=1, device='cpu', progress=False)")
        told = "lambda e: print('begun', flush=True) if e.epoch == 3 else None"
        assert run(f"model.fit(graph, callback={told})", "begun").endswith("KeyboardInterrupt")
        said = run("print(4 <= model.n_epochs_ < 10**7, model.embedding_.shape)")
        assert said == "True (271, 8)\n"
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_is_kept_without_outputs(name: str) -> None:
    notebook = read(name)
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    cells = notebook["cells"]
    assert len({cell["id"] for cell in cells}) == len(cells)
    for cell in cells:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None, cell["id"]


def test_all_notebooks_are_run() -> None:
    assert sorted(path.stem for path in NOTEBOOKS.glob("*.ipynb")) == sorted(NAMES)
