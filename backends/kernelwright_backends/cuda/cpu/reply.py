"""The driver's reply: read, or explained where it did not come."""

import json
from collections.abc import Mapping
from typing import Any

from kernelwright_backends.cuda.cpu.answer import located
from kernelwright_backends.cuda.cpu.diagnostics import Places
from kernelwright_backends.finding import Finding, finding
from kernelwright_backends.toolchain import (
    Activity,
    CallResult,
    Completed,
    RunRequest,
    RunResult,
    Spot,
    TensorData,
)

LOG_BYTES = 64 << 10


def shortened(printed: bytes) -> str:
    """The beginning and the end: what a program found out stands last."""
    if len(printed) > LOG_BYTES:
        half = LOG_BYTES // 2
        left_out = len(printed) - 2 * half
        printed = printed[:half] + f"\n... {left_out} bytes left out ...\n".encode() + printed[-half:]
    return printed.decode("utf-8", "replace")


def read_answer(completed: Completed, nonce: str) -> dict[str, Any] | None:
    """What the driver said; None where it said nothing whole or somebody else spoke in its place."""
    try:
        answer = json.loads(completed.reply)
    except ValueError:
        return None
    if not isinstance(answer, dict) or answer.get("nonce") != nonce or "findings" not in answer:
        return None
    return answer


def call_result(call: Mapping[str, Any], places: Places) -> CallResult:
    """One call of the entry, as the driver saw it end."""
    returned = tuple(
        TensorData(name=f"out{n}", dtype=r["dtype"], shape=tuple(r["shape"]), strides=(), offset=0)
        for n, r in enumerate(call.get("returned", ()))
    )
    return CallResult(
        status=call["status"],
        message=call.get("message", ""),
        returned=returned,
        aliases=tuple(r["alias"] for r in call.get("returned", ()) if r["alias"]),
        elapsed_s=call.get("elapsed_s", 0.0),
        activity=_activity(call["activity"], places) if "activity" in call else None,
    )


def _activity(told: Mapping[str, Any], places: Places) -> Activity:
    def spot(name: str) -> Spot | None:
        found = located(told.get(name), places)
        return Spot(path=found[0], range=found[1]) if found is not None else None

    return Activity(
        launches=told["launches"],
        threads=told["threads"],
        accesses=told["accesses"],
        host_read_bytes=told["read_by_host"],
        host_read_at=spot("read_place"),
        poison_read=bool(told.get("poison_place")),
        poison_read_at=spot("poison_place"),
        work_left_behind=bool(told["left_behind"]),
        work_left_behind_at=spot("left_behind_place"),
    )


def entry_errors(answer: Mapping[str, Any], places: Places, found: list[Finding]) -> list[Finding]:
    """What the entry itself said: an exception, an exit, an error that it left behind."""
    at = places.entry.name_range if places.entry else None
    errors = []
    for call in answer["calls"]:
        if call["status"] != "failed" or call.get("probe"):
            continue
        if not (call.get("exception") or call.get("exited")) and any(f.severity == "error" for f in found):
            continue  # explained already
        text = call.get("message") or "the entry failed"
        code = "LAUNCH_ERROR"
        args = (code, f"the entry ended with an error: {text}", str(places.main))
        errors.append(finding(*args, at) if at is not None else finding(*args))
        break
    return errors


def without_answer(
    completed: Completed, request: RunRequest, places: Places, log: str, elapsed: float
) -> RunResult:
    """The candidate took the driver with it."""
    at = places.entry.name_range if places.entry else None
    reasons = {
        "time": ("LAUNCH_TIME", "timeout", f"it did not end within {request.limits.time_s:g} s"),
        "memory": ("LAUNCH_MEMORY", "memory", f"it used more than {request.limits.memory_mb} MB of memory"),
        "output": ("LAUNCH_OUTPUT", "output", f"it printed more than {request.limits.output_bytes} bytes"),
        "processes": ("LAUNCH_CRASH", "crashed", "it started more processes than the limit"),
    }
    if completed.ended_by in reasons:
        code, status, text = reasons[completed.ended_by]
    else:
        how = f"signal {-completed.status}" if completed.status < 0 else f"exit status {completed.status}"
        code, status, text = "LAUNCH_CRASH", "crashed", f"the process ended without an answer ({how})"
    args = (code, text, str(places.main))
    return RunResult(
        status=status,
        message=text,
        findings=(finding(*args, at) if at is not None else finding(*args),),
        calls=tuple(CallResult(status="not_reached") for _ in request.calls),
        log=log,
        elapsed_s=elapsed,
    )
