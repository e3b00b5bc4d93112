"""What of NVIDIA's devices and tools is here, for `kernelwright doctor`."""

from collections.abc import Sequence

from kernelwright_backends.cuda.gpu.device import Device, find_devices, target_of
from kernelwright_backends.cuda.gpu.external_tools import COUNTERS_REMEDY, counters_permitted, find
from kernelwright_backends.cuda.gpu.other_processes import programs_on
from kernelwright_backends.cuda.nvcc.toolkit import Toolkit, ToolkitMissing, find_toolkit, toolkit_for
from kernelwright_backends.interfaces.capabilities import ToolUnavailable
from kernelwright_backends.interfaces.dialect import Component


def installed(*, confined: bool) -> tuple[Component, ...]:
    """See `DialectSupport.installed`."""
    found = find_devices()
    numbered = len(found.devices) > 1
    there = ", ".join(
        f"{d.name} (target {target_of(d)}{f':{n}' if numbered else ''})" for n, d in enumerate(found.devices)
    )
    said = f"{there}; driver for CUDA {found.cuda}" if there else found.problem or "none"
    remedy = "repair the driver" if found.broken else "optional: kernels run on the CPU"
    try:
        first = next(iter(found.devices), None)
        toolkit = toolkit_for(first.architecture, found.cuda) if first is not None else find_toolkit()
        nvcc = Component("nvcc", True, False, f"{toolkit.version} ({toolkit.nvcc})")
    except ToolkitMissing as missing:
        needed = (
            "needed to run on the GPU" if found.devices else "pip install kernelwright[nvcc] (no GPU needed)"
        )
        nvcc = Component("nvcc", False, False, str(missing), needed)
    here = bool(found.devices)
    headers = _lacking(toolkit) if nvcc.found else ()
    listed = (Component("NVIDIA GPU", here, False, said, remedy), nvcc, *headers, *_programs(here, confined))
    return (*listed, _others(found.devices)) if here else listed


# Headers of libraries that PyTorch's own headers include: the compiler of PyPI comes without them.
_LIBRARY_HEADERS = ("cublas_v2.h", "cusparse.h", "cusolverDn.h")


def _lacking(toolkit: Toolkit) -> tuple[Component, ...]:
    """That nvcc cannot read every file that the CPU target can: said here once, and of no file."""
    lacking = [name for name in _LIBRARY_HEADERS if not (toolkit.root / "include" / name).is_file()]
    if not lacking:
        return ()
    said = f"{', '.join(lacking)} missing below {toolkit.root}, so nvcc gives no opinion on files that include them"
    remedy = "optional: install the CUDA toolkit's libraries, such as nvidia-cublas from PyPI"
    return (Component("nvcc: library headers", False, False, said, remedy),)


def _programs(here: bool, confined: bool) -> list[Component]:
    """NVIDIA's checker and profiler, which are asked at the user's request; `here`: there is a GPU."""
    components = []
    for name, option in (("compute-sanitizer", "--sanitizer"), ("ncu", "--profile")):
        title = f"{name} ({option})"
        unneeded = "" if here else "; not needed without a GPU"
        try:
            program = find(name)
        except ToolUnavailable as missing:
            reason, _, remedy = str(missing).partition(": ")
            remedy = remedy or ("" if "install" in reason else "reinstall it")
            components.append(Component(title, False, False, reason, (remedy + unneeded).removeprefix("; ")))
            continue
        said = f"{program.version} ({program.path})"
        if not confined:
            remedy = "it needs bubblewrap, which does not work here; use --no-sandbox for code you trust"
            components.append(Component(title, False, False, said, remedy + unneeded))
        elif name == "ncu" and here and counters_permitted() is False:
            said = f"{said}, without permission to read the counters"
            components.append(Component(title, False, False, said, COUNTERS_REMEDY))
        else:
            permitted = name == "ncu" and here and counters_permitted()
            asked = ", with permission to read the counters" if permitted else ""
            components.append(Component(title, True, False, said + asked))
    return components


def _others(devices: Sequence[Device]) -> Component:
    """Who else is on the GPUs now: times are only true where nobody computes beside."""
    programs_by_device = [(number, programs_on(device)) for number, device in enumerate(devices)]
    if any(programs is None for _, programs in programs_by_device):
        remedy = "NVIDIA's management library (libnvidia-ml.so.1, part of the driver) gives no answer"
        return Component("others on the GPU", False, False, "not known", remedy)
    named = [
        f"GPU {n}: {p}, {p.memory_bytes >> 20} MiB"
        for n, programs in programs_by_device
        for p in programs or ()
    ]
    return Component("others on the GPU", True, False, "; ".join(named) or "nobody")
