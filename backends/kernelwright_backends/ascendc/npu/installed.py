"""What of Ascend's devices and tools is here, for `kernelwright doctor`."""

from kernelwright_backends.ascendc.npu.installation import (
    CannMissing,
    find_cann,
    find_npus,
    torch_npu_version,
)
from kernelwright_backends.interfaces.dialect import Component


def installed() -> tuple[Component, ...]:
    """See `DialectSupport.installed`."""
    npus = find_npus()
    try:
        found = find_cann()
        missing = [name for name in ("bisheng", "msopgen", "msprof") if name not in found.programs]
        said = f"{found.version} ({found.home})" + (f", without {', '.join(missing)}" if missing else "")
        cann = Component("CANN", True, False, said)
    except CannMissing as problem:
        needed = "needed to build for the NPU" if npus else "not needed on the CPU target"
        cann = Component("CANN", False, False, str(problem), needed)
    there = ", ".join(f"{npu.number}: {npu.name} ({npu.health})" for npu in npus) or "none"
    launching = torch_npu_version()
    needed = "pip install kernelwright[ascend], only beside CANN" if npus else "not needed on the CPU target"
    return (
        cann,
        Component("torch_npu", launching is not None, False, launching or "not found", needed),
        Component("Ascend NPU", bool(npus), False, there, "not needed: Ascend C runs on the CPU target"),
    )
