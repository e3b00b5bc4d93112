#!/usr/bin/env python3
"""How often shared memory has to serve one request of a warp, as Nsight Compute counts it on the GPU of this machine.

    python wavefronts.py OUT.json        needs a GPU, nvcc and ncu; a few seconds

Writes, by kernel of wavefronts.cu and by pattern, the wavefronts of shared memory and the requests of the load and store unit
that its one request makes, the kernel without it taken off.
"""

import argparse
import csv
import datetime
import json
import subprocess
import tempfile
from pathlib import Path

_SOURCE = Path(__file__).with_suffix(".cu")
_WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"
_REQUESTS = "sm__inst_executed_pipe_lsu.sum"
_PATTERNS, _WIDTHS = 15, (4, 8, 16)


def counted(arch: str) -> list[dict[str, str]]:
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "wavefronts"
        subprocess.run(
            ["nvcc", "-O3", f"-arch={arch}", "-std=c++17", "-o", str(program), str(_SOURCE)], check=True
        )
        done = subprocess.run(
            ["ncu", "--clock-control", "none", "--metrics", f"{_WAVEFRONTS},{_REQUESTS}", "--csv", "--page",
             "raw", str(program)],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
    table = (line for line in done.stdout.splitlines() if line.startswith('"'))
    return [row for row in csv.DictReader(table) if row["ID"]]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--arch", default="sm_90")
    options = parser.parse_args()
    nothing, *rows = counted(options.arch)

    def more(row: dict[str, str]) -> dict[str, int]:
        return {
            name: int(row[metric].replace(",", "")) - int(nothing[metric].replace(",", ""))
            for name, metric in (("wavefronts", _WAVEFRONTS), ("requests", _REQUESTS))
        }

    patterns, others = rows[: 6 * _PATTERNS], rows[6 * _PATTERNS :]
    found = [
        {"kernel": kind, "pattern": number // 6, "bytes": _WIDTHS[number % 3], **more(row)}
        for number, row in enumerate(patterns)
        for kind in [("load", "store")[number % 6 // 3]]
    ]
    found += [
        {"kernel": row["Kernel Name"].split("(")[0].removeprefix("void "), **more(row)} for row in others
    ]
    driver = subprocess.run(
        ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"],
        capture_output=True,
        text=True,
    ).stdout.strip()
    told = {
        "date": datetime.date.today().isoformat(),
        "device": driver,
        "arch": options.arch,
        "counted": found,
    }
    options.out.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
