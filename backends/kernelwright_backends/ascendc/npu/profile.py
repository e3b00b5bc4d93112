"""Times and metrics from the tables that msprof and msopprof write."""

import csv
import io
import statistics
from collections.abc import Iterable, Mapping

from kernelwright_backends.interfaces.cost import Bottleneck, CostEstimate

_UNITS = {
    "vec": "V",
    "scalar": "S",
    "mte1": "MTE1",
    "mte2": "MTE2",
    "mte3": "MTE3",
    "mac": "M",
    "cube": "M",
    "fixpipe": "FIX",
}
_BUSY = 0.75


class ProfileError(ValueError):
    """A table without what is needed; the message names what is missing."""


def read_op_summary(text: str, kernel: str) -> CostEstimate:
    """The time of one kernel from `op_summary_*.csv`: the median of its launches, with the shares of its units.

    Raises:
        ProfileError: no column of times, or the kernel was not started.
    """
    rows = _rows(text)
    if rows and "Task Duration(us)" not in rows[0]:
        raise ProfileError("op_summary: no column 'Task Duration(us)'")
    own = [row for row in rows if _is_kernel(row.get("Op Name", ""), kernel)]
    if not own:
        names = ", ".join(sorted({row.get("Op Name", "") for row in rows})[:5]) or "none"
        raise ProfileError(f"op_summary: '{kernel}' was not started; there are {names}")
    return _measured([_number(row["Task Duration(us)"]) for row in own], _shares(own), len(own))


def read_pipe_utilization(text: str, duration_us: float | None = None) -> CostEstimate:
    """The shares of the units from `PipeUtilization.csv`, a row for each core; the time is that of the slowest core unless
    `OpBasicInfo.csv` gave one.

    Raises:
        ProfileError: no core has a time.
    """
    rows = _rows(text)
    times = [
        _number(row[column])
        for row in rows
        for column in ("aiv_time(us)", "aic_time(us)")
        if row.get(column) and _is_number(row[column]) and _number(row[column]) > 0
    ]
    if not times:
        raise ProfileError("PipeUtilization: no core has a time")
    return _measured([duration_us if duration_us is not None else max(times)], _shares(rows), len(rows))


def read_basic_info(text: str) -> tuple[str, float]:
    """(name, microseconds) of the kernel in `OpBasicInfo.csv`.

    Raises:
        ProfileError: no name or no time.
    """
    for row in _rows(text):
        name, time = row.get("Op Name", ""), row.get("Task Duration(us)", "")
        if name and _is_number(time):
            return name, _number(time)
    raise ProfileError("OpBasicInfo: no row has 'Op Name' and 'Task Duration(us)'")


def _rows(text: str) -> list[dict[str, str]]:
    reader = csv.DictReader(io.StringIO(text.lstrip("\ufeff")))
    return [
        {(key or "").strip(): (value or "").strip() for key, value in row.items() if isinstance(value, str)}
        for row in reader
    ]


def _is_kernel(said: str, kernel: str) -> bool:
    """msprof adds the tiling key, and a suffix for kernels of both kinds of cores."""
    plain = kernel.split("<", 1)[0].rsplit("::", 1)[-1]
    return said == plain or said.startswith((f"{plain}_", f"_Z{len(plain)}{plain}"))


def _shares(rows: Iterable[Mapping[str, str]]) -> dict[str, float]:
    """Unit -> the median share of its core's time that it works, from the columns of ratios."""
    shares: dict[str, list[float]] = {}
    for row in rows:
        for column, value in row.items():
            if (
                not column.endswith("_ratio")
                or not column.startswith(("aiv_", "aic_"))
                or not _is_number(value)
            ):
                continue
            unit = _UNITS.get(column[4 : -len("_ratio")])
            if unit is not None and _number(value) > 0:
                shares.setdefault(unit, []).append(_number(value))
    return {unit: statistics.median(values) for unit, values in shares.items()}


def _measured(times_us: list[float], shares: Mapping[str, float], rows: int) -> CostEstimate:
    ordered = sorted(times_us)
    middle = statistics.median(ordered)
    quarter = len(ordered) // 4
    return CostEstimate(
        source="measured",
        latency_us=middle,
        low_us=ordered[quarter],
        high_us=ordered[-1 - quarter],
        parts={f"pipe {unit}": share * middle for unit, share in shares.items()},
        bottleneck=_bottleneck(shares),
        detail={"rows": rows, "shares": {unit: round(share, 4) for unit, share in shares.items()}},
    )


def _bottleneck(shares: Mapping[str, float]) -> Bottleneck | None:
    if not shares:
        return None
    unit, share = max(shares.items(), key=lambda item: item[1])
    if share < _BUSY:
        return Bottleneck.MEMORY_LATENCY_BOUND  # the units wait for each other
    if unit in ("MTE2", "MTE3", "MTE1", "FIX"):
        return Bottleneck.MEMORY_BANDWIDTH_SATURATED
    return Bottleneck.INSTRUCTION_MIX_SUBOPTIMAL if unit == "S" else Bottleneck.COMPUTE_SATURATED


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _number(text: str) -> float:
    return float(text)
