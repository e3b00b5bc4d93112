#!/usr/bin/env python3
"""How often shared memory has to serve one request of a warp, as Nsight Compute counts it on the GPU of this machine.

    python wavefronts.py OUT.json        needs a GPU, nvcc and ncu; a few seconds

Writes, by kernel of wavefronts.cu and by pattern, the wavefronts of shared memory and the requests of the load and store unit
that its one request makes, the kernel without it taken off.
"""

import csv
from pathlib import Path

import on_device

_SOURCE = Path(__file__).with_suffix(".cu")
_WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"
_REQUESTS = "sm__inst_executed_pipe_lsu.sum"
_PATTERNS, _WIDTHS = 15, (4, 8, 16)


def counted(arch: str) -> list[dict[str, str]]:
    metrics = f"{_WAVEFRONTS},{_REQUESTS}"
    counting = ("ncu", "--clock-control", "none", "--metrics", metrics, "--csv", "--page", "raw")
    lines = on_device.output_of(_SOURCE.read_text(encoding="utf-8"), arch, under=counting)
    table = (line for line in lines if line.startswith('"'))
    return [row for row in csv.DictReader(table) if row["ID"]]


def main() -> None:
    options = on_device.arguments(__doc__)
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
    on_device.write(options.out, options.arch, counted=found)


if __name__ == "__main__":
    main()
