"""How fast Ascend C kernels are executed on the CPU with all checks on.

    python benchmarks/performance/ascendc_execution.py [--repeat 5]

Each program of `execution/ascendc/` launches one kernel and says what the launch took: by the clock on the wall, and by the
processor's time of the driver, which other work of the machine does not lengthen. The first run of a program is not
counted. Goal: 64 Mi half elements through a vector add in two seconds on two cores.
"""

import argparse
import asyncio
import json
import statistics
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lib import record
from lib.programs import built_anew
from rich.console import Console
from rich.table import Table

from kernelwright_backends.interfaces.confinement import Limits
from kernelwright_backends.interfaces.run import RunRequest

_FOLDER = Path(__file__).resolve().parent / "execution" / "ascendc"
_GOAL_S = 2.0


async def executed(path: Path, repeat: int) -> dict[str, Any]:
    """One program: built once, run in the sandbox, every access checked."""
    program = await built_anew(path, "ascendc")
    walls, cpus = [], []
    for _ in range(repeat + 1):
        request = RunRequest(mapping=Path("/dev/null"), calls=(), limits=Limits(time_s=120, memory_mb=4096))
        result = await program.run(request)
        said = dict(line.split(maxsplit=1) for line in result.log.splitlines() if " " in line)
        walls.append(float(said["seconds"]))
        cpus.append(float(said["cpu"]))
    return {
        "program": path.stem,
        "wall_median_s": round(statistics.median(walls[1:]), 4),
        "wall_best_s": round(min(walls[1:]), 4),
        "processor_median_s": round(statistics.median(cpus[1:]), 4),
        "build_s": program.build_s,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument(
        "--output", default="ascendc_execution", help="name of the result file; '' writes none"
    )
    arguments = parser.parse_args()
    rows = [asyncio.run(executed(path, arguments.repeat)) for path in sorted(_FOLDER.glob("*.asc"))]
    table = Table(*rows[0])
    for row in rows:
        table.add_row(*(str(value) for value in row.values()))
    Console().print(table)
    add = next(row for row in rows if row["program"] == "add")
    figures = {
        "add_64Mi_half_wall_median_s": add["wall_median_s"],
        "add_64Mi_half_wall_best_s": add["wall_best_s"],
        "add_64Mi_half_processor_median_s": add["processor_median_s"],
        "goal_add_64Mi_half_s": _GOAL_S,
    }
    print(json.dumps(figures, indent=1))
    if arguments.output:
        print("written:", record.write(arguments.output, seed=None, figures=figures, rows=rows))


if __name__ == "__main__":
    main()
