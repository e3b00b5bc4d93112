"""Other processes on a GPU, asked of the driver's management library in a process of its own."""

import json
import subprocess
import sys
from pathlib import Path

from kernelwright_backends.cuda.gpu.device import Device
from kernelwright_backends.host.other_programs import Program

_ASK_S = 10.0
_LIBRARY = "libnvidia-ml.so.1"

# Run with -I.
_QUESTION = Path(__file__).with_name("queries") / "programs.py"


def programs_on(device: Device, since_us: int = 0) -> tuple[Program, ...] | None:
    """The programs that hold contexts on a GPU, none of ours as long as it is our turn; None where nobody tells.

    Args:
        since_us: from when on their use of the processors counts; microseconds of the system's clock.
    """
    try:
        answer = subprocess.run(
            [sys.executable, "-I", str(_QUESTION), _LIBRARY, device.uuid, str(since_us)],
            capture_output=True,
            text=True,
            timeout=_ASK_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None
    return read_programs(answer.stdout)


def read_programs(text: str) -> tuple[Program, ...] | None:
    """What the process that asked printed; None where the library is missing or does not tell."""
    try:
        listed = json.loads(text)
    except ValueError:
        return None
    return tuple(Program.model_validate(one) for one in listed) if listed is not None else None
