"""What every benchmark writes: `results/NAME.json` with the machine, the versions, the date and the seed."""

import json
import os
import platform
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parent / "results"
_PACKAGES = ("kernelwright", "pygls", "lsprotocol", "torch", "tree-sitter", "lancedb", "pydantic", "numpy")


def write(
    name: str,
    *,
    seed: int | None,
    figures: dict[str, Any],
    rows: Sequence[dict[str, Any]],
    file: Path | None = None,
) -> Path:
    """Write the result of a benchmark to `file`, else among the results; units stand in the names of the figures."""
    file = file or RESULTS / f"{name}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    record = {
        "benchmark": name,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine(),
        "versions": versions(),
        "seed": seed,
        "figures": figures,
        "rows": list(rows),
    }
    file.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return file


def machine() -> dict[str, Any]:
    model = next(
        (line.split(":", 1)[1].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")),
        platform.machine(),
    )
    memory_kib = next(
        (int(line.split()[1]) for line in _lines("/proc/meminfo") if line.startswith("MemTotal")), 0
    )
    return {
        "processor": model,
        "cores": os.cpu_count(),
        "memory_mib": memory_kib >> 10,
        "system": platform.platform(),
        "load_1min": round(os.getloadavg()[0], 2),
    }


def versions() -> dict[str, str]:
    found = {"python": platform.python_version(), "g++": _first_line(["g++", "--version"])}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which `share` of the values lie, by the nearest rank."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, round(share * len(ordered)) - 1))]


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text(encoding="utf-8").splitlines()
    except OSError:
        return []


def _first_line(command: list[str]) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.split("\n")[0]
    except OSError:
        return "none"
