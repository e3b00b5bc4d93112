"""What the scripts that measure single things on this machine's GPU share: a program of CUDA, and a result with the machine's facts."""

import argparse
import datetime
import json
import subprocess
import tempfile
from pathlib import Path


def arguments(description: str | None) -> argparse.Namespace:
    """`out`, where the result goes, and `arch`."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--arch", default="sm_90")
    return parser.parse_args()


def output_of(text: str, arch: str, *flags: str, under: tuple[str, ...] = ()) -> list[str]:
    """The lines that a program prints, run by itself or `under` a tool. CalledProcessError where nvcc or the program fails."""
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder) / "program.cu", Path(folder) / "program"
        source.write_text(text, encoding="utf-8")
        command = ["nvcc", "-O3", f"-arch={arch}", "-std=c++17", *flags, "-o", str(program), str(source)]
        subprocess.run(command, check=True)
        done = subprocess.run([*under, str(program)], check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


def write(out: Path, arch: str, **found: object) -> None:
    """The result as JSON, with the date, the device and the architecture that was compiled for."""
    told = subprocess.run(
        ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    facts = {
        "date": datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        "device": told.stdout.splitlines()[0],
        "arch": arch,
    }
    out.write_text(json.dumps(facts | found, indent=1) + "\n", encoding="utf-8")
