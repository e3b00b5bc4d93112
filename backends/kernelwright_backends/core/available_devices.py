"""The available devices of this machine as targets, which `auto` stands for.

Looking takes a quarter of a second where a driver is loaded, and nothing where none is; it is done once a process, by whoever
first verifies or asks, never to read or to index a document.
"""

import threading

from kernelwright_backends.core.target import AvailableDevice, Dialect

_NONE = AvailableDevice()
_found: dict[Dialect, AvailableDevice] = {}
_looking = threading.Lock()


def look(dialect: Dialect) -> AvailableDevice:
    """Look at the machine, once."""
    with _looking:
        if dialect not in _found:
            _found[dialect] = _gpu() if dialect == "cuda" else _npu()
        return _found[dialect]


def known(dialect: Dialect) -> AvailableDevice:
    """What is known by now, without looking: no device as long as nobody has looked."""
    return _found.get(dialect, _NONE)


def _gpu() -> AvailableDevice:
    from kernelwright_backends.cuda.gpu.device import chosen, find_devices
    from kernelwright_backends.cuda.nvcc.toolkit import ToolkitMissing, toolkit_for

    found = find_devices()
    problem = ""
    try:
        if found.devices:
            toolkit_for(found.devices[0].architecture, found.cuda)
    except ToolkitMissing as missing:
        problem = str(missing)
    return chosen(found, problem)


def _npu() -> AvailableDevice:
    from kernelwright_backends.ascendc.npu.installation import CannMissing, chosen, find_cann, find_npus

    npus = find_npus()
    problem = ""
    try:
        if npus:
            find_cann().program("bisheng")
    except CannMissing as missing:
        problem = str(missing)
    return chosen(npus, problem)
