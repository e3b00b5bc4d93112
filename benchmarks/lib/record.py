"""What every benchmark writes: `results/NAME.json` with the machine, the versions, the date, the seed, figures and rows."""

import json
import lzma
import os
import platform
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parents[1] / "results"
_PACKAGES = ("kernelwright", "pygls", "lsprotocol", "torch", "tree-sitter", "lancedb", "pydantic", "numpy")


def write(
    name: str,
    *,
    seed: int | None,
    figures: dict[str, Any],
    rows: Sequence[dict[str, Any]],
    set_number: int | None = None,
    file: Path | None = None,
    compressed: bool = False,
    machine_there: dict[str, Any] | None = None,
    versions_there: dict[str, str] | None = None,
) -> Path:
    """Write the result of a benchmark to `file`, else among the results; units stand in the names of the figures.

    Numbers and words of `figures` stay there; lists and tables among them go under `details`. Many rows are `compressed` into
    `tables/NAME.jsonl.xz` beside the file, which then names it under `table`; `read` finds them in either place. `set_number`
    counts the sets that nobody had seen before they were judged. `machine_there` and `versions_there` replace those of this
    process where something else was measured.
    """
    file = file or RESULTS / f"{name}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    nested = {key: value for key, value in figures.items() if isinstance(value, dict | list | tuple)}
    record = {
        "benchmark": name,
        **({"set": set_number} if set_number is not None else {}),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine_there or machine(),
        "versions": versions_there or versions(),
        "seed": seed,
        "figures": {key: value for key, value in figures.items() if key not in nested},
        **({"details": nested} if nested else {}),
        "rows": list(rows),
    }
    save(record, file, compressed=compressed)
    return file


def save(record: dict[str, Any], file: Path, *, compressed: bool) -> None:
    table = file.parent / "tables" / f"{file.stem}.jsonl.xz"
    if compressed:
        lines = "".join(f"{_dense(row)}\n" for row in record.pop("rows"))
        table.parent.mkdir(exist_ok=True)
        table.write_bytes(lzma.compress(lines.encode(), preset=9))
        record["table"] = f"tables/{table.name}"
    else:
        table.unlink(missing_ok=True)
    file.write_text(text_of(record), encoding="utf-8")


def read(file: Path) -> dict[str, Any]:
    """A record with its rows, wherever they stand."""
    record: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    if table := record.get("table"):
        lines = lzma.decompress((file.parent / table).read_bytes()).decode().splitlines()
        record["rows"] = [json.loads(line) for line in lines]
    return record


def text_of(record: dict[str, Any]) -> str:
    """The record as JSON with a line for each row and each detail, so that a file stays small and a difference can be read."""
    listed = {
        "details": ("{}", [f"{json.dumps(k)}: {_dense(v)}" for k, v in record.get("details", {}).items()]),
        "rows": ("[]", [_dense(row) for row in record.get("rows", ())]),
    }
    head = json.dumps({key: value for key, value in record.items() if key not in listed}, indent=1)
    parts = [head.removesuffix("}").rstrip()]
    for key, ((opening, closing), lines) in listed.items():
        if key in record:
            parts.append(f' "{key}": {opening}\n  ' + ",\n  ".join(lines) + f"\n {closing}")
    return ",\n".join(parts) + "\n}\n"


def _dense(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


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
