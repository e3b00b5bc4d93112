"""The driver program's request, and the calls of its reply."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kernelwright_backends.core.finding import Finding, finding
from kernelwright_backends.cuda.cpu.trace.tracing import index_bounds
from kernelwright_backends.cuda.nvcc.nvcc_diagnostics import Texts
from kernelwright_backends.interfaces.run import (
    Activity,
    ArgumentValue,
    Call,
    CallResult,
    RunRequest,
    TensorData,
)

# Of the run's own limit: the driver then still tells which kernel did not end.
_SHARE_OF_TIME = 0.9


def body_of(
    request: RunRequest,
    loaded: Path,
    nonce: str,
    seconds: float,
    *,
    mode: str,
    program: bool,
    mapped: bool,
    invented: bool,
    attribute: bool = False,
    turns: Mapping[str, int] | None = None,
) -> dict[str, Any]:
    """The driver's request.

    Args:
        loaded: the candidate's object.
        seconds: what all calls together may take.
        program: the candidate's own `main` is called.
        mapped: the tensors lie in the request's mapping.
        invented: the driver makes the inputs' values on the device.
        attribute: wait after each launch, so that a fault is reported at its kernel.
        turns: timed by turns with another process.
    """
    return {
        "nonce": nonce,
        "object": str(loaded),
        "mapping": str(request.mapping) if mapped else "",
        "turns": dict(turns) if turns else None,
        "program": int(program),
        "mode": mode,
        "attribute": int(attribute),
        "time_s": seconds * _SHARE_OF_TIME,
        "calls": [_call(call, invented) for call in request.calls],
        "arguments": list(request.arguments),
    }


def _tensor(tensor: TensorData) -> dict[str, Any]:
    return tensor.model_dump(include={"name", "dtype", "shape", "strides", "offset"})


def _argument(argument: ArgumentValue, below: int | None) -> dict[str, Any]:
    body: dict[str, Any] = {"kind": argument.kind, "role": argument.role}
    if argument.tensor is not None:
        body["tensor"] = _tensor(argument.tensor)
    if argument.value is not None:
        body["value"] = argument.value
    if argument.size_bytes is not None:
        body["size_bytes"] = argument.size_bytes
    if below is not None:
        body["below"] = below
    return body


def _call(call: Call, invented: bool) -> dict[str, Any]:
    # Values of integers are not known where nothing but shapes is given: small enough to index any dimension.
    bounds = index_bounds(call, safe=True) if invented else {}
    return {
        "arguments": [_argument(a, bounds.get(n)) for n, a in enumerate(call.arguments)],
        "returned": [_tensor(tensor) for tensor in call.returned],
        "grid": call.grid,
        "block": call.block,
        "smem": call.smem_bytes,
        "reuse": None if invented else call.reuse,
        "advance": 0 if invented else call.advance,
        "probe": int(call.probe),
    }


def result_of(call: Mapping[str, Any]) -> CallResult:
    returned = call.get("returned", ())
    return CallResult(
        status=call["status"],
        message=call.get("message", ""),
        returned=tuple(
            TensorData(name=f"out{n}", dtype=r["dtype"], shape=tuple(r["shape"]), strides=(), offset=0)
            for n, r in enumerate(returned)
        ),
        aliases=tuple(r["alias"] for r in returned if r["alias"]),
        elapsed_s=call.get("elapsed_s", 0.0),
        activity=Activity(work_left_behind=True) if call.get("left_behind") else None,
    )


def entry_errors(
    answer: Mapping[str, Any], calls: Sequence[Call], texts: Texts, found: Sequence[Finding]
) -> tuple[Finding, ...]:
    """What the entry itself said: an exception, an exit; what the device said before explains it."""
    own = zip(answer["calls"], calls, strict=False)
    failed = next((call for call, asked in own if call["status"] == "failed" and not asked.probe), None)
    if failed is None or found:
        return ()
    text = f"the entry failed: {failed.get('message') or 'it reported no reason'}"
    place = (texts.entry.name_range,) if texts.entry is not None else ()
    return (finding("LAUNCH_ERROR", text, str(texts.main), *place),)
