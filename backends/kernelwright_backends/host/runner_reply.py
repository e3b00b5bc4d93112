"""Reads the reply of the process that runs a candidate, or explains why there is none."""

import json
import signal
from pathlib import Path
from typing import Any

from kernelwright_backends.core.finding import START_OF_FILE, finding
from kernelwright_backends.core.kernel import Function
from kernelwright_backends.interfaces.confinement import Completed
from kernelwright_backends.interfaces.run import CallResult, RunRequest, RunResult


def read_answer(completed: Completed, nonce: str, required: str = "findings") -> dict[str, Any] | None:
    """What the driver said; None where it said nothing whole, not what is `required`, or another program spoke in its place."""
    try:
        answer = json.loads(completed.reply)
    except ValueError:
        return None
    if not isinstance(answer, dict) or answer.get("nonce") != nonce or required not in answer:
        return None
    return answer


def without_answer(
    completed: Completed,
    request: RunRequest,
    path: Path,
    entry: Function | None,
    log: str,
    elapsed_s: float,
    last: str = "",
) -> RunResult:
    """The candidate took the driver with it; `last` is what the driver said before, if that helps."""
    if _killed_from_outside(completed):
        return _killed(request, str(path), log, elapsed_s)
    reasons: dict[str, tuple[str, Any, str]] = {
        "time": ("LAUNCH_TIME", "timeout", f"the candidate timed out after {request.limits.time_s:g} s"),
        "memory": (
            "LAUNCH_MEMORY",
            "memory",
            f"the candidate used more than {request.limits.memory_mb} MB of memory; free what it allocates, or raise [limits] memory_mb",
        ),
        "output": (
            "LAUNCH_OUTPUT",
            "output",
            f"the candidate printed more than {request.limits.output_bytes} bytes; print less",
        ),
        "disk": (
            "LAUNCH_OUTPUT",
            "output",
            "the candidate wrote more to the disk than its limit; write less",
        ),
        "processes": ("LAUNCH_CRASH", "crashed", "the candidate started more processes than its limit"),
    }
    if completed.ended_by in reasons:
        code, status, text = reasons[completed.ended_by]
    else:
        text = f"the candidate ended its process before the run was over ({how_it_ended(completed)}){f': {last}' if last else ''}"
        code, status = "LAUNCH_CRASH", "crashed"
    at = entry.name_range if entry is not None else START_OF_FILE
    return RunResult(
        status=status,
        message=text,
        findings=(finding(code, text, str(path), at),),
        calls=tuple(CallResult(status="not_reached") for _ in request.calls),
        log=log,
        elapsed_s=elapsed_s,
    )


def how_it_ended(completed: Completed) -> str:
    """Its signal or its exit status, in words."""
    return f"signal {-completed.status}" if completed.status < 0 else f"exit status {completed.status}"


def _killed_from_outside(completed: Completed) -> bool:
    """Whether neither a limit nor a fault of the candidate ended it: no fault raises SIGKILL, and the hack gate refuses those
    who send themselves signals."""
    return completed.ended_by == "exit" and completed.status == -signal.SIGKILL


def _killed(request: RunRequest, path: str, log: str, elapsed_s: float) -> RunResult:
    """Of a runner that was killed from outside: nothing was judged."""
    text = "the runner was killed from outside, probably because memory ran out; verify again"
    return RunResult(
        status="error",
        message=text,
        findings=(finding("ENV_KILLED", text, path),),
        calls=tuple(CallResult(status="not_reached") for _ in request.calls),
        log=log,
        elapsed_s=elapsed_s,
    )
