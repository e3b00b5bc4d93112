"""What `doctor` tells of the GPU that is here."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kernelwright_backends.cuda.gpu.device import find_devices, target_of

pytestmark = pytest.mark.gpu
ROOT = Path(__file__).resolve().parents[2]


def test_doctor_tells_what_auto_asks_and_who_else_is_there() -> None:
    command = [sys.executable, "-m", "kernelwright_server", "doctor"]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "COLUMNS": "300"}, capture_output=True, text=True
    )
    here = find_devices().devices[0]
    assert f"{target_of(here).on_cpu()}, then {target_of(here)}" in done.stdout, done.stdout + done.stderr
    assert f"then on the {here.name} ({target_of(here)}), where it is measured" in " ".join(
        done.stdout.split()
    )
    assert "others on the GPU" in done.stdout and "eager PyTorch on the GPU" in done.stdout
    print(done.stdout)
