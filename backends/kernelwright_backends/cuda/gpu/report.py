"""The reply of the driver program as findings: the device names kernels, not lines, and so do these."""

from collections.abc import Mapping
from typing import Any

from kernelwright_backends.core.finding import Finding, Range, finding
from kernelwright_backends.cuda.nvcc.nvcc_diagnostics import Texts, plain_name

# cudaError_t -> code of a finding; what is missing is LAUNCH_ERROR.
_DEVICE_ERRORS = {
    700: "MEM_OUT_OF_BOUNDS",  # illegal address
    716: "MEM_MISALIGNED",
    717: "MEM_OUT_OF_BOUNDS",  # invalid address space
    718: "MEM_STACK_OVERFLOW",  # invalid program counter
    709: "LAUNCH_ERROR",
    710: "LAUNCH_TRAP",  # an assertion
    713: "LAUNCH_TRAP",
    714: "MEM_STACK_OVERFLOW",  # hardware stack error
    715: "LAUNCH_TRAP",  # illegal instruction: __trap()
    719: "LAUNCH_CRASH",
    702: "LAUNCH_TIME",
}
_CONFIGURATION = (
    1,
    9,
    701,
    720,
)  # invalid value, invalid configuration, out of resources, cooperative launch too large
_NO_IMAGE = (98, 200, 209)


def findings_of(answer: Mapping[str, Any], texts: Texts) -> list[Finding]:
    """Findings of one answer; each kind at one kernel once."""
    found: dict[tuple[str, int, str], Finding] = {}
    for fault in answer.get("findings", ()):
        made = _finding(fault, texts)
        found.setdefault((made.code, made.line, made.message), made)
    return list(found.values())


def uncertain(answer: Mapping[str, Any]) -> bool:
    """Whether an error of the device could be of several kernels, so that it is worth running again, one by one."""
    return any(f["kind"] in ("device", "breach") and not f["certain"] for f in answer.get("findings", ()))


def _finding(fault: Mapping[str, Any], texts: Texts) -> Finding:
    name = plain_name(fault["kernel"]) if fault["kernel"] else ""
    at = _place(name, texts)
    kernel = name or "a kernel"
    data: dict[str, Any] = {"kernel": name} if name else {}
    if fault["error"]:
        data |= {"cuda_error": fault["code"]}
    match fault["kind"]:
        case "launch":
            data |= {"grid": fault["grid"], "block": fault["block"], "shared_bytes": fault["shared_bytes"]}
            how = (
                f"grid ({_triple(fault['grid'])}), block ({_triple(fault['block'])}), "
                f"{fault['shared_bytes']} bytes of dynamic shared memory"
            )
            code = "LAUNCH_CONFIGURATION" if fault["code"] in _CONFIGURATION else "LAUNCH_ERROR"
            text = f"the device refuses the launch of {kernel} with {how}: {fault['error']}"
            if fault["code"] in _NO_IMAGE:
                text = f"{kernel} was not built for this device ({fault['error']}); name the device's chip in the target"
        case "breach":
            end = fault["bytes"]
            past = fault["offset"] - end
            where = (
                f"{_count(past)} past the end"
                if past > 0
                else "at the end"
                if past == 0
                else f"{_count(-fault['offset'])} before the start"
            )
            what = f"'{fault['object']}'" if fault["object"] else "an allocation"
            code = "MEM_OUT_OF_BOUNDS"
            text = f"{kernel} writes {where} of {what} ({_count(end)}) and overwrites what lies there; guard the index"
            data |= {"object": fault["object"], "offset_bytes": fault["offset"], "object_bytes": end}
        case "time":
            code = "LAUNCH_TIME"
            text = f"{kernel} timed out" if name else "the entry timed out"
        case _:
            code = _DEVICE_ERRORS.get(fault["code"], "LAUNCH_ERROR")
            text = f"{kernel} failed with a device error: {fault['error']}"
    if not fault["certain"]:
        text += "; several kernels may have caused it, and the one launched last is named"
    return finding(code, text, str(texts.main), at, data=data)


def _place(kernel: str, texts: Texts) -> Range:
    for name in (kernel, kernel.split("<", 1)[0], kernel.split("<", 1)[0].rsplit("::", 1)[-1]):
        function = texts.index.find(name) if name else None
        if function is not None:
            return function.name_range
    if texts.entry is not None:
        return texts.entry.name_range
    kernels = texts.index.kernels
    return kernels[0].name_range if kernels else Range(line=1, column=1, end_line=1, end_column=1)


def _triple(extent: list[int]) -> str:
    return ", ".join(map(str, extent))


def _count(size: int) -> str:
    return f"{size} byte" if size == 1 else f"{size} bytes"
