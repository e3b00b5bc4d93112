"""Eager PyTorch on a device: the reference, timed in a confined process of its own that is given that device."""

import json
import secrets
from pathlib import Path
from typing import Any

from kernelwright_backends.model import Model
from kernelwright_backends.toolchain import Confinement, DeviceAccess, Limits
from kernelwright_verifier.processes.interpreter import Interpreter
from kernelwright_verifier.task import Task

# Starting torch on a GPU, building model and inputs at full size, warming up, and eight seconds of calls at most.
_LIMITS = Limits(time_s=120.0, memory_mb=24576, processes=512, output_bytes=1 << 20)


class NotTimed(Exception):
    """There is no eager latency; the message says why in one line."""


class EagerLatency(Model):
    """Of one call of Model.forward at the task's full size, L2 cold."""

    latency_us: float
    low_us: float
    high_us: float
    samples: int
    dropped: int = 0
    warm_up_calls: int = 0
    host_us: float
    clock_mhz: float
    flushed_bytes: int
    copies: int
    device: str
    torch: str


async def time_eagerly(
    task: Task,
    interpreter: Interpreter,
    worker: Path,
    environment: dict[str, str],
    confinement: Confinement,
    device: DeviceAccess,
    seed: int,
) -> EagerLatency:
    """Time the task on a device that the caller holds.

    Args:
        worker: the folder of the reference's program.
        environment: of the reference's processes; the device's is added.

    Raises:
        NotTimed: torch reaches no GPU, the task does not run there, or not within the limits.
        ConfinementError: nothing here can confine the reference.
    """
    nonce = secrets.token_hex(16)
    subject = {"path": str(task.path), "text": task.text, "small": task.small, "requires": task.requires}
    request = {"nonce": nonce, "task": subject, "seed": seed}
    completed = await confinement.run(
        [str(interpreter.path), "-I", "-B", str(worker / "__main__.py"), "timing"],
        readable=[*interpreter.folders, worker],
        stdin=json.dumps(request).encode() + b"\n",
        reply=True,
        environment={**environment, **device.environment},
        limits=_LIMITS,
        devices=device.files,
    )
    answer = _answer(completed.reply, nonce)
    if answer is None:
        said = completed.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        ends = {
            "time": f"it did not end within {_LIMITS.time_s:g} s",
            "memory": f"it took more than {_LIMITS.memory_mb} MB of memory",
        }
        raise NotTimed(ends.get(completed.ended_by) or said or f"it ended with status {completed.status}")
    if "error" in answer:
        raise NotTimed(answer["error"]["message"])
    return EagerLatency.model_validate(answer["result"])


def _answer(reply: bytes, nonce: str) -> dict[str, Any] | None:
    for line in reply.splitlines():
        try:
            answer = json.loads(line)
        except ValueError:
            continue
        if isinstance(answer, dict) and answer.get("nonce") == nonce:
            return answer
    return None
