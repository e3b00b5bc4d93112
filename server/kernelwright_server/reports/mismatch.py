"""A wrong output as a table: candidate beside reference around the worst element, and the inputs there. Plain text, so that
an editor's read-only document and a terminal show the same.
"""

from collections.abc import Sequence
from typing import Any

from kernelwright_backends.core.finding import Finding
from kernelwright_backends.display.visible import visible_line
from kernelwright_verifier.results.verdict import Verdict

CODES = ("MISMATCH_VALUE", "MISMATCH_NOT_WRITTEN")


def mismatches(verdict: Verdict) -> tuple[Finding, ...]:
    """The findings that such a table can be made of."""
    return tuple(f for f in verdict.findings if f.code in CODES and isinstance(f.data.get("around"), dict))


def mismatch_text(finding: Finding, verdict: Verdict) -> str:
    """The whole document for one mismatch."""
    data = finding.data
    output = data["around"]["output"]
    lines = [
        f"{verdict.file}: entry {verdict.entry}, {finding.message}",
        "",
        f"at      line {finding.line}" + (f" of {data['kernel']}" if data.get("kernel") else ""),
        f"trial   {data.get('trial')}, stage {data.get('stage')}, inputs {data.get('family')}",
        f"again   {data.get('reproduce')}",
        "",
        *_output(output, data["tolerance"]["largest"]),
    ]
    for tensor in data["around"]["inputs"]:
        lines += ["", *_input(tensor)]
    return "\n".join(map(visible_line, lines)) + "\n"


def _output(output: dict[str, Any], allowed: float) -> list[str]:
    shape, start = output["shape"], output["start"]
    title = (
        f"{output['name']} {_shape(shape)}: candidate above reference; * marks errors above "
        f"{_number(allowed)}, ! the largest"
    )
    rows: list[tuple[str, list[str]]] = []
    for number, (got, due, wrong) in enumerate(
        zip(output["got"], output["expected"], output["wrong"], strict=True)
    ):
        label = _label(shape, start, number)
        marks = [
            "!" if is_worst else "*" if bad else ""
            for bad, is_worst in zip(wrong, _worst_in(output, number, len(got)), strict=True)
        ]
        rows.append((f"{label} candidate", [_number(v) + m for v, m in zip(got, marks, strict=True)]))
        rows.append((f"{' ' * len(label)} reference", [_number(v) for v in due]))
    return [title, *_table(_columns(shape, start, output["got"]), rows)]


def _input(tensor: dict[str, Any]) -> list[str]:
    shape, start = tensor["shape"], tensor["start"]
    rows = [
        (_label(shape, start, number), [_number(v) for v in row])
        for number, row in enumerate(tensor["values"])
    ]
    title = f"{tensor['name']} {_shape(shape)} {tensor['dtype']}: {tensor['why']}"
    return [title, *_table(_columns(shape, start, tensor["values"]), rows)]


def _worst_in(output: dict[str, Any], row: int, width: int) -> list[bool]:
    """Which columns of a row of the window are the worst element."""
    start, worst = output["start"], output["worst"]
    if not worst:
        return [True] * width
    in_row = len(worst) < 2 or worst[-2] - start[-2] == row
    return [in_row and worst[-1] - start[-1] == column for column in range(width)]


def _label(shape: Sequence[int], start: Sequence[int], row: int) -> str:
    """`[3, 17, :]`: the indices of a row but the last."""
    if len(shape) < 2:
        return "[:]" if shape else "[]"
    outer = [*start[:-2], start[-2] + row]
    return f"[{', '.join(map(str, outer))}, :]"


def _columns(shape: Sequence[int], start: Sequence[int], rows: Sequence[Sequence[Any]]) -> list[str]:
    width = len(rows[0]) if rows else 0
    return [str(start[-1] + column) for column in range(width)] if shape else [""] * width


def _table(columns: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]]) -> list[str]:
    if not rows:
        return ["  (no elements)"]
    first = max(len(label) for label, _ in rows)
    widths = [max(len(c), *(len(cells[n]) for _, cells in rows)) for n, c in enumerate(columns)]
    head = " " * first + "  " + "  ".join(c.rjust(w) for c, w in zip(columns, widths, strict=True))
    return [
        head.rstrip(),
        *(
            f"{label.ljust(first)}  " + "  ".join(c.rjust(w) for c, w in zip(cells, widths, strict=True))
            for label, cells in rows
        ),
    ]


def _number(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _shape(shape: Sequence[int]) -> str:
    return "(" + ", ".join(map(str, shape)) + ")"
