"""docs/python.md does what it says, and docs/python-keywords.md is that of the engine's table."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from contrast_reg._reference import page

DOCS = Path(__file__).resolve().parents[2] / "docs"
FENCE = re.compile(r"```(\w*)\s*")
NOT_RUN = re.compile(r"<!-- not run\b.* -->")


def program_of(text: str) -> tuple[str, int]:
    """The Python of a page, every line where it is there, so that a traceback names it; and how many
    blocks that is."""
    lines = text.splitlines()
    out = []
    blocks = 0
    language = ""
    taken = False
    for at, line in enumerate(lines):
        fence = FENCE.fullmatch(line)
        if fence is None:
            out.append(line if taken else "")
            continue
        language = "" if language else fence[1] or "text"
        taken = language == "python" and NOT_RUN.fullmatch(lines[at - 1]) is None
        blocks += taken
        out.append("")
    assert not language, "a block of code has no end"
    return "\n".join(out) + "\n", blocks


def test_the_examples_run(tmp_path: Path) -> None:
    for name in ("matplotlib", "networkx", "pandas", "scipy"):
        pytest.importorskip(name)
    program, blocks = program_of((DOCS / "python.md").read_text(encoding="utf-8"))
    assert blocks > 5
    (tmp_path / "python.md").write_text(program, encoding="utf-8")
    environment = {**os.environ, "OMP_WAIT_POLICY": "passive", "MPLBACKEND": "agg"}
    done = subprocess.run(
        [sys.executable, "python.md"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr, done.stderr


def test_blocks_that_are_not_run_say_why() -> None:
    text = (DOCS / "python.md").read_text(encoding="utf-8")
    for comment in re.findall(r"<!--.*?-->", text):
        assert NOT_RUN.fullmatch(comment), comment


def test_the_page_of_keywords() -> None:
    text = (DOCS / "python-keywords.md").read_text(encoding="utf-8")
    assert text == page()
