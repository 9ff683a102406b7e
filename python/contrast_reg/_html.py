"""What notebooks show: small, self-contained, every text escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

import numpy as np
import numpy.typing as npt

_CELL = 'style="text-align:left;padding:1px 12px 1px 0"'


def table(title: str, rows: Iterable[tuple[str, str]]) -> str:
    cells = "".join(
        f"<tr><td {_CELL}>{escape(name)}</td><td {_CELL}>{escape(value)}</td></tr>"
        for name, value in rows
    )
    return f"<div><strong>{escape(title)}</strong><table>{cells}</table></div>"


def curve(values: npt.ArrayLike, title: str, mark: int | None = None) -> str:
    """A line over the epochs as SVG; `mark` is the epoch that was kept."""
    heights = np.asarray(values, np.float64)
    shown = np.flatnonzero(np.isfinite(heights))
    if len(shown) < 2:
        return ""
    if len(shown) > 400:  # a notebook keeps what it shows
        shown = shown[np.linspace(0, len(shown) - 1, 400).astype(int)]
    width, height, edge = 360.0, 110.0, 8.0
    low, high = float(heights[shown].min()), float(heights[shown].max())
    span = high - low or 1.0
    last = max(1, len(heights) - 1)

    def point(at: int) -> tuple[float, float]:
        across = edge + (width - 2 * edge) * at / last
        return across, edge + (height - 2 * edge) * (high - float(heights[at])) / span

    line = " ".join("{:.1f},{:.1f}".format(*point(int(at))) for at in shown)
    dot = ""
    if mark is not None and 0 <= mark < len(heights) and np.isfinite(heights[mark]):
        across, down = point(mark)
        dot = f'<circle cx="{across:.1f}" cy="{down:.1f}" r="3" fill="#c0392b"/>'
    words = f"{title}: {heights[shown[0]]:.4g} to {heights[shown[-1]]:.4g}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height + 16:.0f}" '
        f'role="img"><title>{escape(words)}</title>'
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="none" stroke="#bbb"/>'
        f'<polyline points="{line}" fill="none" stroke="#2c6fbb" stroke-width="1.5"/>{dot}'
        f'<text x="2" y="{height + 12:.0f}" font-size="11" fill="#888">{escape(words)}</text></svg>'
    )
