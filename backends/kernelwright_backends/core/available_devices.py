"""The available devices of this machine as targets, which `auto` stands for.

Looking takes a quarter of a second where a driver is loaded, and nothing where none is; it is done once a process, by whoever
first verifies or asks, never to read or to index a document.
"""

import threading

from kernelwright_backends.core.registry import support_of
from kernelwright_backends.core.target import AvailableDevice, Dialect

_NONE = AvailableDevice()
_found: dict[Dialect, AvailableDevice] = {}
_looking = threading.Lock()


def look(dialect: Dialect) -> AvailableDevice:
    """Look at the machine, once."""
    with _looking:
        if dialect not in _found:
            _found[dialect] = support_of(dialect).available_device()
        return _found[dialect]


def known(dialect: Dialect) -> AvailableDevice:
    """What is known by now, without looking: no device as long as nobody has looked."""
    return _found.get(dialect, _NONE)
