"""Errors: what, which argument, what was found and what is expected; never a flag."""

from __future__ import annotations

import pickle
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

import contrast_reg as cr
from contrast_reg import _engine
from contrast_reg._errors import _translated, renamed_arguments
from contrast_reg._words import in_python

EDGES = np.array([[0, 1], [1, 2]])
NAN = np.full((3, 2), np.nan)
WRONG: list[tuple[Callable[[], Any], str]] = [
    (lambda: cr.Graph(EDGES.T.repeat(2, 0)), r"edge_index: wrong shape: found shape \(4, 2\).*transpose"),
    (lambda: cr.Graph(EDGES.astype(float)), "edge_index: wrong dtype: found float64, expected int"),
    (lambda: cr.Graph(EDGES, num_nodes=2), r"out of range at \[1, 1\]: found 2, expected 0 to 1"),
    (lambda: cr.Graph(-EDGES), r"out of range at \[0, 1\]: found -1"),
    (lambda: cr.Graph(EDGES, NAN), "x: a number that is not finite at row 0, column 0: found nan"),
    (lambda: cr.Graph(EDGES, np.ones(3)), r"x: wrong shape: found shape \(3,\).*reshape"),
    (lambda: cr.Graph(EDGES, np.ones((2, 2)), y=[0, 1, 1]), "y: not as many nodes as x has: found 3"),
    (lambda: cr.Graph(EDGES, np.array([["a"]] * 3)), "x: wrong dtype"),
    (lambda: cr.Graph(EDGES, y=np.eye(3)), "y: wrong shape.*argmax"),
    (lambda: cr.Graph(EDGES, y=[0, 0.5, 1]), "y: not a whole number at node 1: found 0.5"),
    (lambda: cr.Graph(EDGES, edge_weight=[1]), r"edge_weight: not one weight per edge"),
    (lambda: cr.Graph(EDGES, edge_weight=[1, np.inf]), "edge_weight: .*finite at edge 1: found inf"),
    (lambda: cr.Graph(EDGES, node_ids=["a", "b", "a"]), "nodes 0 and 2 have one id: found 'a'"),
    (lambda: cr.Graph(EDGES, node_ids=[[1], [2], [3]]), "not a hashable id at node 0"),
    (lambda: cr.Graph(EDGES, splits=([0], [1], [9])), "out of range at 0: found 9, expected 0 to 2"),
    (lambda: cr.Graph(EDGES, splits=([0], [1])), "splits"),
    (lambda: cr.Graph(EDGES, train_mask=[True]), "train_mask: not one value per node"),
    (lambda: cr.Graph(EDGES, num_nodes=-1), "num_nodes: out of range: found -1"),
    (lambda: cr.Graph(EDGES, num_nodes=2.5), "num_nodes: not a whole number: found 2.5"),
    (lambda: cr.Graph(EDGES, np.ma.masked_equal(np.eye(3), 0)), "x: a masked array.*filled"),
]


@pytest.mark.parametrize(("call", "words"), WRONG)
def test_a_graph_that_is_wrong(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(cr.InputError, match=words) as caught:
        call()
    assert "--" not in str(caught.value)
    assert isinstance(caught.value, ValueError)


def test_the_place_of_a_number_that_is_not_finite() -> None:
    x = np.zeros((3000, 700), np.float32)
    x[2999, 3] = np.inf
    with pytest.raises(cr.InputError, match="row 2999, column 3: found inf"):
        cr.Graph([[0], [1]], x)


MODELS: list[tuple[dict[str, Any], str]] = [
    ({"method": "mll"}, "mll"),
    ({"dim": 0}, "dim"),
    ({"lr": "fast"}, "lr"),
    ({"epochs": 1.5}, "epochs"),
    ({"regulariser": "contrst"}, "regulariser: .*did you mean contrast"),
    ({"regulariser": "contrast", "method": "agc"}, 'regulariser="none"'),
    ({"encoder": "gcn", "batch_size": 4}, r'encoder="sage".*batch_size=0'),
    ({"score": "bilinear", "method": "dgi"}, 'score="dot"'),
    ({"curriculum": 3}, 'curriculum: .*method="lc"'),
    ({"fanouts": [1, 2], "encoder": "sage", "batch_size": 4, "layers": 3}, "fanouts"),
    ({"random_state": -1}, "random_state: out of range"),
    ({"random_state": "zero"}, "random_state: not a whole number"),
    ({"random_state": 2**64}, "random_state: out of range: .*at most 18446744073709551615"),
    ({"precision": None}, "precision: not a word: found None"),
    ({"final_norm": "yes"}, "final_norm: not a truth: found 'yes', expected True or False"),
    ({"threads": 2**40}, "threads: out of range"),
    ({"threads": 0}, "threads: out of range"),
    ({"progress": "loud"}, "progress: not a way"),
    ({"precision": "fp8"}, "precision"),
    ({"device": "tpu"}, "device"),
    ({"dim": {"a": 1}}, "dim: not a value of a parameter: found dict"),
    ({"method": 7}, "method: not a method: found 7"),
    ({"method": torch.nn.Identity}, r"method: not a method.*Identity\(\)"),
]


@pytest.mark.parametrize(("changes", "words"), MODELS)
def test_a_model_that_is_wrong(graph: cr.Graph, changes: dict[str, Any], words: str) -> None:
    keywords = {"dim": 8, "epochs": 1, "progress": None, "device": "cpu", **changes}
    model = cr.Embedder(**keywords)  # nothing is looked at yet
    with pytest.raises(cr.InputError, match=words) as caught:
        model.fit(graph)
    assert "--" not in str(caught.value)


def test_a_wrong_keyword_has_a_suggestion() -> None:
    with pytest.raises(TypeError, match="no keyword 'regulariser_': did you mean regulariser"):
        cr.Embedder(regulariser_="contrast")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="no keyword 'reg': did you mean regulariser"):
        cr.Embedder(reg="contrast")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="no keyword 'seed': did you mean random_state"):
        cr.Embedder(seed=1)  # type: ignore[call-arg]
    with pytest.raises(cr.InputError, match="did you mean dim"):
        cr.Embedder().set_params(dims=3)


def test_what_is_no_graph() -> None:
    with pytest.raises(cr.InputError, match="not a graph: found str.*load_dataset"):
        cr.Embedder().fit("cora")  # type: ignore[arg-type]
    with pytest.raises(cr.InputError, match="from_pyg"):
        cr.Embedder().fit(SimpleNamespace(edge_index=EDGES))  # type: ignore[arg-type]


def test_a_dataset_that_is_not_there() -> None:
    with pytest.raises((cr.InputError, OSError)) as caught:
        cr.load_dataset("corra")
    assert "--" not in str(caught.value)
    assert "cora" in str(caught.value)


def test_a_named_dataset_without_its_files(tmp_path: Path) -> None:
    with pytest.raises((cr.InputError, OSError)) as caught:
        cr.load_dataset("cora", data_dir=tmp_path)
    assert "--" not in str(caught.value)


def test_a_folder_that_holds_a_run(graph: cr.Graph, small: dict[str, Any], tmp_path: Path) -> None:
    model = cr.Embedder(**small).fit(graph, out=tmp_path / "run")
    with pytest.raises(cr.InputError, match="overwrite=True.*resume=True") as caught:
        model.fit(graph, out=tmp_path / "run")
    assert "--" not in str(caught.value)
    with pytest.raises(cr.InputError):
        model.save(tmp_path / "run")
    model.save(tmp_path / "run2")
    model.save(tmp_path / "run2", overwrite=True)


def test_no_run_to_load(tmp_path: Path) -> None:
    with pytest.raises((cr.InputError, OSError)) as caught:
        cr.load(tmp_path)
    assert "--" not in str(caught.value)


def test_resume_needs_a_folder(graph: cr.Graph) -> None:
    with pytest.raises(cr.InputError, match="resume: there is nothing to resume"):
        cr.Embedder().fit(graph, resume=True)


def test_not_fitted() -> None:
    model = cr.Embedder()
    for name in ("embedding_", "history_", "best_epoch_"):
        assert not hasattr(model, name)
    with pytest.raises(cr.NotFittedError, match="call fit"):
        model.embedding_  # noqa: B018
    with pytest.raises(cr.NotFittedError):
        model.save("nowhere")
    with pytest.raises(AttributeError):
        model.nothing  # type: ignore[attr-defined]  # noqa: B018


def test_an_error_of_the_engine_keeps_its_parts() -> None:
    def raised(kind: str) -> Exception:
        error = _engine.EngineError("text")
        error.kind, error.what, error.file, error.place = kind, "too small", "--batch-size", ""
        error.found, error.expected = "'--lr'", "--batch-size 0"
        error.hint = "--no-channel-norm; see --reg none"
        return _translated(error)

    wrong = raised("input")
    assert isinstance(wrong, cr.InputError)
    assert (wrong.file, wrong.found, wrong.expected) == ("batch_size", "'--lr'", "batch_size=0")
    assert wrong.hint == 'channel_norm=False; see regulariser="none"'
    with renamed_arguments({"batch-size": "rows"}):
        renamed = raised("input")
    assert isinstance(renamed, cr.InputError) and renamed.file == "rows"
    failed = raised("environment")
    assert type(failed) is OSError
    assert failed.what == "too small"  # type: ignore[attr-defined]


def test_the_engine_raises_what_the_package_has() -> None:
    """Wherever it is called from: nobody meets EngineError."""
    with pytest.raises(cr.InputError, match="device"):
        _engine.Job(device="tpu")
    with pytest.raises(cr.InputError, match="no run is kept there"):
        _engine.load_run(_engine.Job(), "/nonexistent")


def test_what_is_too_large_is_told_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(cr.InputError, match="row 1, column 0: found inf"):
            cr.Graph(EDGES, np.array([[1.0], [1e300], [1.0]]))


def test_errors_are_pickled() -> None:
    error = cr.InputError("what", "file", "place", "found", "expected", "hint")
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) == "file: place: what: found found, expected expected (hint)"
    assert again.hint == "hint"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("--encoder gcn or sage, or --layers 2", 'encoder="gcn" or "sage", or layers=2'),
        ("fewer --threads", "fewer threads"),
        ("--precision bf16 or --device cuda:1", 'precision="bf16" or device="cuda:1"'),
        ("--ratio auto", 'ratio="auto"'),
        ("--seed 3", "random_state 3"),
        ("--pre-norm", "pre_norm=True"),
        ("choose another folder with --out", "choose another folder with out"),
        ("a - b -- c", "a - b -- c"),
        ("no recipe: the defaults and the flags", "no recipe: the defaults and what was set"),
        ("say where with --data-dir DIR", "say where by data_dir"),
        (
            "put it there, or run `creg data get cora`",
            'put it there, or load_dataset("cora", download=True) gets it',
        ),
    ],
)
def test_flags_become_keywords(text: str, words: str) -> None:
    assert in_python(text) == words


SOURCES = Path(__file__).resolve().parents[2] / "src"
# Stages and files that Python does not reach, or whose text is that of a file or a page.
ELSEWHERE = (
    "bench/",
    "cli/",
    "comm/",
    "io/catalogue/catalogue.cpp",
    "io/formats/partition",
    "io/formats/user_files.cpp",
    "io/store/",
    "report/paper/",
    "report/run_history.cpp",
    "run/collect.cpp",
    "run/part_run.cpp",
    "run/parts.cpp",
    "run/reproduce",
    "run/run_folder.cpp",
    "train/settings/parameter_pages.cpp",
)
# Parts of messages that are put together (test_a_folder_that_holds_a_run has the first), and words
# that are no flag's.
PARTS = ("creg train --resume ", "synthetic:NAME", 'edges = \\"FILE', "DIR/seed-0/")


def literals(text: str) -> list[str]:
    """Strings of C++, those that stand side by side joined."""
    string = r'"((?:[^"\\\n]|\\.)*)"'
    joined = re.finditer(rf"{string}(?:\s*{string})*", text)
    return ["".join(re.findall(string, found[0])) for found in joined]


def test_no_message_of_the_engine_has_the_command_s_words() -> None:
    if not SOURCES.exists():
        pytest.skip("no sources here")
    wrong: list[str] = []
    seen = 0
    for path in sorted(SOURCES.rglob("*.cpp")):
        name = path.relative_to(SOURCES).as_posix()
        if name.startswith(ELSEWHERE):
            continue
        for text in literals(path.read_text(encoding="utf-8")):
            seen += 1
            said = in_python(text)
            if any(part in text for part in PARTS):
                continue
            if re.search(r"--[a-z]|\b(DIR|FILE|NAME|URL)\b|\bflags?\b|creg \w+ [a-z]* ?\w+=", said):
                wrong.append(f"{name}: {said}")
    assert seen > 1000
    assert not wrong, "\n".join(wrong)


def test_a_protocol_that_is_misspelt_is_suggested_once() -> None:
    graph = cr.Graph(EDGES, np.eye(3), y=[0, 1, 1], splits=([0], [1], [2]))
    with pytest.raises(cr.InputError, match=r"protocol: .*\(did you mean public\?\)"):
        cr.classify(graph, np.eye(3), protocol="pubic")


def test_help_has_no_flags() -> None:
    said = cr.Embedder.__doc__ or ""
    rules = {"-" * count for count in range(3, 20)}
    assert not [line for line in said.splitlines() if "--" in line and line.strip() not in rules]
