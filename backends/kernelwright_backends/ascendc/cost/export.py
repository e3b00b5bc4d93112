"""A time line for people: as a trace that Chrome and Perfetto open, and as a picture."""

from collections.abc import Iterable, Mapping
from typing import Any
from xml.sax.saxutils import escape

from kernelwright_backends.ascendc.cost.timeline import Span, Timeline
from kernelwright_backends.ascendc.cost.trace import PIPES

_COLOURS = {
    "S": "#9aa0a6", "MTE2": "#4285f4", "MTE1": "#00acc1", "V": "#0f9d58", "M": "#ab47bc", "FIX": "#f4511e", "MTE3": "#f4b400",
}  # fmt: skip
_LONGEST = 4000
"""Spans of one unit in a picture; more are drawn together."""


def timeline_data(timeline: Timeline, kernel: str = "") -> dict[str, Any]:
    """The row of cores that takes longest, as plain data that travels with a verdict."""
    count, spans = max(timeline.rows, key=_ends, default=(0, ()))
    return {
        "kernel": kernel,
        "cores": count,
        "length_us": round(timeline.length_us, 3),
        "busy_us": {pipe: round(value, 3) for pipe, value in timeline.busy_us.items()},
        "spans": [[s.pipe, s.op, round(s.start_us, 4), round(s.end_us, 4), s.line, s.bytes] for s in spans],
    }


def timeline_of(data: Mapping[str, Any]) -> Timeline:
    """What `timeline_data` wrote."""
    spans = tuple(Span(*span) for span in data["spans"])
    return Timeline(((data["cores"], spans),), data["length_us"], dict(data["busy_us"]))


def _ends(row: tuple[int, tuple[Span, ...]]) -> float:
    return max((span.end_us for span in row[1]), default=0.0)


def chrome_trace(timeline: Timeline, kernel: str = "") -> dict[str, Any]:
    """The time line in Chrome's trace event format: a process for each row of cores, a thread for each unit."""
    events: list[dict[str, Any]] = []
    for row, (count, spans) in enumerate(timeline.rows):
        name = f"{kernel or 'kernel'}: core group {row}" + (f" ({count} cores alike)" if count > 1 else "")
        events.append({"ph": "M", "name": "process_name", "pid": row, "args": {"name": name}})
        used = {span.pipe for span in spans}
        for thread, pipe in enumerate(PIPES):
            if pipe in used:
                events.append(
                    {"ph": "M", "name": "thread_name", "pid": row, "tid": thread, "args": {"name": pipe}}
                )
        for span in spans:
            arguments = {"line": span.line} | ({"bytes": span.bytes} if span.bytes else {})
            events.append(
                {
                    "ph": "X", "name": span.op or span.pipe, "cat": span.pipe, "pid": row, "tid": PIPES.index(span.pipe),
                    "ts": round(span.start_us, 4), "dur": round(span.end_us - span.start_us, 4), "args": arguments,
                }
            )  # fmt: skip
    return {
        "displayTimeUnit": "ns",
        "otherData": {"source": "estimated by Kernelwright"},
        "traceEvents": events,
    }


def timeline_svg(timeline: Timeline, *, width: int = 960, until_us: float | None = None) -> str:
    """A picture of the slowest row of cores, one lane a unit. No script, no link, no font from elsewhere.

    Args:
        until_us: how far it shows; None: as far as its events go.
    """
    _, spans = max(timeline.rows, key=_ends)
    shown_us = until_us or max((span.end_us for span in spans), default=0.0) or 1e-9
    spans = tuple(span for span in spans if span.start_us < shown_us)
    lanes = [pipe for pipe in PIPES if any(span.pipe == pipe for span in spans)]
    left, lane, top = 56, 26, 8
    height = top + lane * len(lanes) + 28
    scale = (width - left - 12) / shown_us
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    for number, pipe in enumerate(lanes):
        y = top + number * lane
        busy = timeline.busy_us.get(pipe, 0.0)
        title = f"{pipe}: {busy:.3g} of {timeline.length_us:.3g} µs"
        parts.append(
            f'<g><title>{escape(title)}</title><text x="4" y="{y + 16}" fill="#202124">{pipe}</text>'
        )
        parts.append(
            f'<rect x="{left}" y="{y + 2}" width="{width - left - 12}" height="{lane - 6}" fill="#f1f3f4"/>'
        )
        for start, end, label in _drawn((s for s in spans if s.pipe == pipe), shown_us):
            x, w = left + start * scale, max((end - start) * scale, 0.3)
            parts.append(
                f'<rect x="{x:.2f}" y="{y + 2}" width="{w:.2f}" height="{lane - 6}" fill="{_COLOURS[pipe]}">'
                f"<title>{escape(label)}</title></rect>"
            )
        parts.append("</g>")
    axis = top + lane * len(lanes) + 14
    for tick in range(5):
        x = left + (width - left - 12) * tick / 4
        anchor = "start" if tick == 0 else "end" if tick == 4 else "middle"
        text = f"{shown_us * tick / 4:.3g} µs"
        parts.append(f'<text x="{x:.1f}" y="{axis}" text-anchor="{anchor}" fill="#5f6368">{text}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _drawn(spans: Iterable[Span], shown_us: float) -> Iterable[tuple[float, float, str]]:
    """(start, end, label) of what is drawn: neighbours that no eye could part become one."""
    gap = shown_us / _LONGEST
    start, end = 0.0, -1.0
    labels: dict[str, None] = {}
    for span in spans:
        if span.start_us <= end + gap and end >= 0:
            end = max(end, span.end_us)
        else:
            if end >= 0:
                yield start, min(end, shown_us), _label(labels, start, end)
            start, end, labels = span.start_us, span.end_us, {}
        labels[f"{span.op} (line {span.line})" if span.line else span.op] = None
    if end >= 0:
        yield start, min(end, shown_us), _label(labels, start, end)


def _label(labels: dict[str, None], start: float, end: float) -> str:
    names = list(labels)
    text = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return f"{text}: {start:.3f} to {end:.3f} µs"
