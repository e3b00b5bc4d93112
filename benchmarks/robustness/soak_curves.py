"""Draw the curves of a soak (`results/soak.json`) as an SVG, a panel for each quantity with the line that was fitted.

python benchmarks/robustness/soak_curves.py [-o FILE.svg]
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lib import record

PANELS = {
    "resident_mib": "resident memory of the server, MiB",
    "descriptors": "open descriptors of the server",
    "processes": "descendants of the server",
    "cache_mib": "all caches, MiB",
    "verdicts": "entries of the verdict cache",
    "zombies": "zombies",
    "hover_ms": "a hover, ms",
}
_WIDTH, _HEIGHT, _LEFT, _TOP, _GAP = 760, 110, 70, 34, 44


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("-o", "--output", type=Path, default=Path("soak.svg"))
    file = parser.parse_args().output
    soak = record.read(record.RESULTS / "soak.json")
    file.write_text(drawn(soak["rows"], soak["figures"]), encoding="utf-8")
    print(file)


def drawn(rows: Sequence[dict[str, Any]], figures: dict[str, Any]) -> str:
    """An SVG of the panels, one below the other."""
    height = _TOP + len(PANELS) * (_HEIGHT + _GAP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_LEFT + _WIDTH + 20} {height}" font-family="sans-serif" font-size="11">',
        f'<rect width="100%" height="100%" fill="white"/><text x="{_LEFT}" y="18" font-size="13">'
        f"{figures['minutes']:g} minutes, a save every {figures['every_ms']:g} ms, {figures['saves']} saves</text>",
    ]
    for number, (name, title) in enumerate(PANELS.items()):
        parts += panel(rows, figures, name, title, _TOP + number * (_HEIGHT + _GAP) + 14)
    return "\n".join([*parts, "</svg>", ""])


def panel(
    rows: Sequence[dict[str, Any]], figures: dict[str, Any], name: str, title: str, top: float
) -> list[str]:
    times = [row["minute"] for row in rows]
    values = [float(row[name]) for row in rows]
    low, high = min(0.0, *values), max(values) * 1.05 or 1.0
    last = max(times) or 1.0

    def place(minute: float, value: float) -> str:
        x, y = _LEFT + _WIDTH * minute / last, top + _HEIGHT * (1 - (value - low) / (high - low))
        return f"{x:.1f},{y:.1f}"

    slope = figures.get(f"{name}_per_hour")
    told = ""
    line = []
    if slope is not None:
        between = (figures[f"{name}_per_hour_low"], figures[f"{name}_per_hour_high"])
        told = f": {slope:+.3g} an hour, 95 % between {between[0]:+.3g} and {between[1]:+.3g}"
        first = max(last / 10, 5.0) if last > 5 else 0.0
        settled = [(t, v) for t, v in zip(times, values, strict=True) if t >= first]
        mean_t = sum(t for t, _ in settled) / len(settled)
        mean_v = sum(v for _, v in settled) / len(settled)
        ends = (place(t, mean_v + slope / 60 * (t - mean_t)) for t in (first, last))
        line = [f'<polyline points="{" ".join(ends)}" fill="none" stroke="#c0392b" stroke-dasharray="5 3"/>']
    curve = " ".join(place(t, v) for t, v in zip(times, values, strict=True))
    return [
        f'<text x="{_LEFT}" y="{top - 4}">{escape(title + told)}</text>',
        f'<rect x="{_LEFT}" y="{top}" width="{_WIDTH}" height="{_HEIGHT}" fill="none" stroke="#bbb"/>',
        *(f'<text x="{_LEFT - 6}" y="{y}" text-anchor="end">{v:.4g}</text>' for v, y in ((high, top + 9), (low, top + _HEIGHT))),
        *(f'<text x="{_LEFT + _WIDTH * share}" y="{top + _HEIGHT + 13}" text-anchor="middle">{last * share:.0f} min</text>' for share in (0, 0.5, 1)),
        f'<polyline points="{curve}" fill="none" stroke="#2c6fbb" stroke-width="1"/>',
        *line,
    ]  # fmt: skip


if __name__ == "__main__":
    main()
