"""The drawings of a run's report, as SVG: no script, colours of the page's own style sheet."""

import math
from collections.abc import Mapping, Sequence
from html import escape
from itertools import pairwise

_WIDTH, _HEIGHT = 640, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 12, 12, 40
_THRESHOLDS = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0)


def fast_p(speedups: Sequence[float], tasks: int) -> str:
    """The share of all tasks whose kernel is correct and faster than p times eager PyTorch, over p.

    Args:
        speedups: of the correct kernels; a task without one counts as not faster.
    """
    lowest, highest = 0.1, max(8.0, *speedups) if speedups else 8.0
    points = []
    for i in range(161):
        p = lowest * (highest / lowest) ** (i / 160)
        points.append((p, sum(s > p for s in speedups) / tasks))
    line = _steps([(_log(p, lowest, highest), 1 - share) for p, share in points])
    ticks = [(p, f"{p:g}") for p in _THRESHOLDS if lowest <= p <= highest]
    axes = _axes(
        [(_log(p, lowest, highest), text) for p, text in ticks],
        [(1 - share / 100, f"{share} %") for share in (0, 25, 50, 75, 100)],
        "p: times as fast as eager PyTorch",
    )
    one = _log(1.0, lowest, highest)
    mark = f'<line class="base" x1="{_x(one)}" y1="{_TOP}" x2="{_x(one)}" y2="{_HEIGHT - _BOTTOM}"/>'
    return _drawing("share of tasks that are correct and faster than p", axes + mark + line)


def over_steps(runs: Sequence[Sequence[float | None]]) -> str:
    """How far refining came after each step: the geometric mean over the runs of first latency over the best so far.

    Args:
        runs: of each run the latencies of its candidates in order, us; None where a candidate was not correct.
    """
    longest = max((len(run) for run in runs), default=0)
    curves = [curve for run in runs if (curve := _gains(run, longest))]
    if not curves or longest < 2:
        return ""
    means = [math.exp(sum(math.log(c[i]) for c in curves) / len(curves)) for i in range(longest)]
    highest = max(1.1, *means)
    line = _path([(i / (longest - 1), 1 - (m - 1) / (highest - 1)) for i, m in enumerate(means)])
    steps = sorted({0, longest // 2, longest - 1})
    axes = _axes(
        [(i / (longest - 1), str(i + 1)) for i in steps],
        [(1 - f, f"{1 + f * (highest - 1):.2f}x") for f in (0, 0.5, 1)],
        "candidates verified",
    )
    return _drawing("speed-up over the first correct candidate, geometric mean", axes + line)


def by_family(families: Mapping[str, Sequence[float]]) -> str:
    """A row a family: a dot a task, a bar at the geometric mean; to the right of the line is faster than eager PyTorch."""
    everything = [s for speedups in families.values() for s in speedups]
    if not everything:
        return ""
    lowest, highest = min(0.5, *everything) * 0.9, max(2.0, *everything) * 1.1
    height = _TOP + 26 * len(families) + _BOTTOM
    parts = []
    for row, (name, speedups) in enumerate(sorted(families.items())):
        y = _TOP + 26 * row + 13
        parts.append(
            f'<text class="name" x="150" y="{y + 4}">{escape(name or "other")} ({len(speedups)})</text>'
        )
        dots = [(160 + (_WIDTH - 172) * _log(s, lowest, highest)) for s in speedups]
        parts += [f'<circle cx="{x:.1f}" cy="{y}" r="3.5"/>' for x in dots]
        mean = math.exp(sum(map(math.log, speedups)) / len(speedups))
        x = 160 + (_WIDTH - 172) * _log(mean, lowest, highest)
        parts.append(f'<line class="mean" x1="{x:.1f}" y1="{y - 9}" x2="{x:.1f}" y2="{y + 9}"/>')
    x = 160 + (_WIDTH - 172) * _log(1.0, lowest, highest)
    bottom = height - _BOTTOM
    parts.append(f'<line class="base" x1="{x:.1f}" y1="{_TOP}" x2="{x:.1f}" y2="{bottom}"/>')
    parts.append(f'<text class="tick" x="{x:.1f}" y="{bottom + 16}">1x</text>')
    return _drawing("times as fast as eager PyTorch, by family (log scale)", "".join(parts), height)


def _gains(run: Sequence[float | None], length: int) -> list[float]:
    first = best = None
    gains: list[float] = []
    for latency in run:
        if latency:
            first = first or latency
            best = min(best or latency, latency)
        gains.append(first / best if first and best else 1.0)
    return gains + [gains[-1]] * (length - len(gains)) if first else []


def _log(value: float, lowest: float, highest: float) -> float:
    return (math.log(value) - math.log(lowest)) / (math.log(highest) - math.log(lowest))


def _x(fraction: float) -> str:
    return f"{_LEFT + fraction * (_WIDTH - _LEFT - _RIGHT):.1f}"


def _y(fraction: float) -> str:
    return f"{_TOP + fraction * (_HEIGHT - _TOP - _BOTTOM):.1f}"


def _path(points: Sequence[tuple[float, float]]) -> str:
    return f'<polyline class="line" points="{" ".join(f"{_x(x)},{_y(y)}" for x, y in points)}"/>'


def _steps(points: Sequence[tuple[float, float]]) -> str:
    corners = [points[0]]
    for before, after in pairwise(points):
        corners += [(after[0], before[1]), after]
    return _path(corners)


def _axes(below: Sequence[tuple[float, str]], left: Sequence[tuple[float, str]], title: str) -> str:
    bottom = _HEIGHT - _BOTTOM
    parts = [f'<line class="axis" x1="{_LEFT}" y1="{bottom}" x2="{_WIDTH - _RIGHT}" y2="{bottom}"/>']
    for x, text in below:
        parts.append(f'<text class="tick" x="{_x(x)}" y="{bottom + 16}">{escape(text)}</text>')
    for y, text in left:
        parts.append(f'<line class="grid" x1="{_LEFT}" y1="{_y(y)}" x2="{_WIDTH - _RIGHT}" y2="{_y(y)}"/>')
        parts.append(f'<text class="name" x="{_LEFT - 6}" y="{float(_y(y)) + 4:.1f}">{escape(text)}</text>')
    parts.append(f'<text class="tick" x="{_WIDTH / 2}" y="{_HEIGHT - 6}">{escape(title)}</text>')
    return "".join(parts)


def _drawing(title: str, inside: str, height: int = _HEIGHT) -> str:
    return (
        f'<figure><figcaption>{escape(title)}</figcaption><svg viewBox="0 0 {_WIDTH} {height}" role="img" '
        f'aria-label="{escape(title)}">{inside}</svg></figure>'
    )
